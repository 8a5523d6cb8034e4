"""Frames between two frames that are rotated by three successive angles, such as Euler angles."""

from itertools import permutations, product
from typing import Any

import numpy as np
from sympy import Expr
from sympy.core.function import AppliedUndef
from sympy.physics.vector import ReferenceFrame

from ...checks.tolerances import ROUNDOFF

#: Angles at which the product of rotations is compared with a matrix.
ANGLES = (0.3, 0.7, 1.1)


def frames_of_rotations(
    frame: ReferenceFrame, other: ReferenceFrame, matrix: Any
) -> list[ReferenceFrame]:
    """Return the two intermediate frames of three rotations from ``frame`` to ``other``.

    ``matrix`` is ``frame.dcm(other)``; the list is empty if it is not such a product.
    """
    found = body_rotations(matrix)
    names = [f"{frame.name}_{k}" for k in (2, 1)]
    if found is None:
        return []
    frames = [frame]
    for name, angle, axis in zip(names, *(part[:2] for part in found), strict=True):
        frames.append(frames[-1].orientnew(name, "Axis", [angle, [*frames[-1]][axis]]))
    return frames[1:]


def body_rotations(matrix: Any) -> tuple[tuple[Expr, ...], tuple[int, ...]] | None:
    """Return the angles and axes (0, 1, 2) of three rotations whose product is a matrix, or None.

    All axes, orders and signs are tried, by comparison at one set of angles.
    """
    angles = sorted(matrix.atoms(AppliedUndef), key=str)
    if len(angles) != 3 or matrix.free_symbols - set().union(*(a.free_symbols for a in angles)):
        return None
    for signs in product((1, -1), repeat=3):
        values = [sign * value for sign, value in zip(signs, ANGLES, strict=True)]
        turned = np.array(matrix.xreplace(dict(zip(angles, values, strict=True)))).astype(float)
        for axes in product(range(3), repeat=3):
            if axes[0] == axes[1] or axes[1] == axes[2]:
                continue
            for order in permutations(range(3)):
                steps = [_rotation(axis, ANGLES[k]) for axis, k in zip(axes, order, strict=True)]
                if np.abs(steps[0] @ steps[1] @ steps[2] - turned).max() < 1e6 * ROUNDOFF:
                    return tuple(signs[k] * angles[k] for k in order), axes
    return None


def _rotation(axis: int, angle: float) -> np.ndarray:
    """Return the rotation matrix, shape (3, 3), for an axis (0, 1 or 2) and an angle."""
    turn, (i, k) = np.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
    turn[[i, i, k, k], [i, k, i, k]] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    return turn
