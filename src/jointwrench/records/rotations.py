"""Rotation matrices from the angles and quaternions in model files."""

import numpy as np


def space_fixed_rotation(angles: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of roll, pitch and yaw about the fixed axes x, y and z."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def quaternion_rotation(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion of any length, scalar part last."""
    from scipy.spatial.transform import Rotation  # slow to import

    return Rotation.from_quat(quaternion).as_matrix()
