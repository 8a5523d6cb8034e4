"""Tables of one body that moves on one joint, as MSC ADAMS writes them, in our coordinates."""

import numpy as np


def body_row(table, start, point):
    """Return the body's joint; at coordinates zero the body has its first pose.

    The body's frame is the one of the source, with its origin in the joint; in a spherical
    joint the coordinates are its angles to ground.
    """
    kind, first = table["joint_type"], table["samples"][0]
    placed = np.eye(3) if kind == "spherical" else start
    axis = table["joint_axis_world"] or [0, 0, 1]
    return {
        "name": "body",
        "parent": "world",
        "type": kind,
        "axis": start.T @ axis,
        "placement": {"p": point, "R": placed},
        "mass": table["mass"],
        "com": start.T @ (np.array(first["com_pos"]) - point),
        "inertia_com": np.diag(table["inertia_com"]),
    }


def coordinates(table, sample, start):
    """Return q, u and udot of a sample."""
    rotation = rotation_matrix(sample["quat_wxyz"])
    spin, growth = np.array(sample["ang_vel"]), np.array(sample["ang_acc"])
    if table["joint_type"] == "spherical":
        return spherical(rotation, spin, growth)
    axis = np.array(table["joint_axis_world"])
    if table["joint_type"] == "prismatic":
        shift = np.array(sample["com_pos"]) - table["samples"][0]["com_pos"]
        return [axis @ shift], [axis @ sample["com_vel"]], [axis @ sample["com_acc"]]
    turn = rotation @ start.T
    sine = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    angle = np.arctan2(axis @ sine / 2, (np.trace(turn) - 1) / 2)
    return [angle], [axis @ spin], [axis @ growth]


def spherical(rotation, spin, growth):
    """Return body-fixed x-y-z angles with their derivatives.

    The motion is about world y, so that the third angle and the first are zero or half turns.
    """
    angle = np.arctan2(rotation[0, 2], rotation[0, 0])
    return [0.0, angle, 0.0], [0.0, spin[1], 0.0], [0.0, growth[1], 0.0]


def rotation_matrix(quaternion):
    """Return body to world, for a quaternion with the scalar first."""
    w, *v = np.array(quaternion) / np.linalg.norm(quaternion)
    v = np.array(v)
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross
