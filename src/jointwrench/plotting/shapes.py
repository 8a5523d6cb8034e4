"""Arrows and arcs as polylines in space, for pictures of forces and moments."""

import numpy as np

#: Head of an arrow in parts of its length, and half its width in parts of the head.
HEAD, HALF_WIDTH = 0.22, 0.35

#: The part of a full turn that a moment's arc covers.
SWEEP = 0.75


def arrow(tail: np.ndarray, vector: np.ndarray, normal: np.ndarray | None = None) -> np.ndarray:
    """Return an arrow as a polyline, shape (5, 3).

    Parameters
    ==========

    tail, vector : numpy.ndarray, shape (3,)
        Where it begins and how far it goes.
    normal : numpy.ndarray, shape (3,), optional
        The head is drawn across it: the direction towards the viewer.  Default:
        the axis that is most nearly across the arrow.
    """
    if normal is None:
        normal = np.eye(3)[np.argmin(np.abs(np.nan_to_num(vector)))]
    tip = tail + vector
    side = np.cross(normal, vector)
    back = tip - HEAD * vector
    wing = HEAD * HALF_WIDTH * side
    return np.array([tail, tip, back + wing, tip, back - wing])


def arc(center: np.ndarray, axis: np.ndarray, radius: float, count: int = 40) -> np.ndarray:
    """Return an arc with an arrow's head that turns about an axis, shape (count + 4, 3).

    Parameters
    ==========

    center, axis : numpy.ndarray, shape (3,)
        The arc turns about the axis by the right-hand rule.
    radius : float
        Its radius; zero shrinks it to a point.
    """
    size = np.linalg.norm(axis)
    if size == 0 or radius == 0:
        return np.repeat(center[None], count + 4, axis=0)
    normal = axis / size
    start = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    start /= np.linalg.norm(start)
    angles = np.linspace(0, 2 * np.pi * SWEEP, count)[:, None]
    out = np.cos(angles) * start + np.sin(angles) * np.cross(normal, start)
    path = center + radius * out
    tip, along = path[-1], np.cross(normal, out[-1])
    wings = [tip + radius * 0.4 * (side * 0.7 * out[-1] - along) for side in (1, -1)]
    return np.vstack([path, wings[0], tip, wings[1], tip])
