"""Quaternions (scalar part first), and random trees with joints for free motion in space."""

import numpy as np


def rotation_matrix(q):
    """Return the rotation matrix (child to parent) of a quaternion, scalar part first."""
    a, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * (a * cross + cross @ cross) / (q @ q)


def quaternion_of(matrix):
    """Return a quaternion (scalar first, any norm) of a rotation matrix by less than pi."""
    r = np.asarray(matrix)
    vector = [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]
    return [1 + np.trace(r), *vector]


def random_table(numbers, kinds, branched):
    """Return a table of joints; those of kind "free" are on the world's origin."""
    rows = []
    for index, kind in enumerate(kinds):
        inner = numbers.integers(0, index) if branched and index else index - 1
        factor = numbers.uniform(-0.5, 0.5, (3, 3))
        orthogonal, _ = np.linalg.qr(numbers.normal(size=(3, 3)))
        rotation = orthogonal * np.linalg.det(orthogonal)
        axis, is_free = numbers.normal(size=3), kind == "free"
        rows.append(
            {
                "name": f"j{index}",
                "parent": "world" if is_free or not index else f"j{inner}",
                "type": kind,
                "axis": axis / np.linalg.norm(axis),
                "placement": {
                    "p": np.zeros(3) if is_free else numbers.normal(size=3),
                    "R": np.eye(3) if is_free else rotation,
                },
                "mass": numbers.uniform(0.5, 2),
                "com": numbers.normal(size=3),
                "inertia_com": np.trace(factor @ factor.T) * np.eye(3) - factor @ factor.T,
            }
        )
    return rows
