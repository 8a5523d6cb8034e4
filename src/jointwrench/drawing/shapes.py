"""Arrows and arcs in space, for pictures of forces and moments."""

from typing import NamedTuple

import numpy as np

#: Half the width of a head in parts of its length, and the longest head in parts of its arrow.
HALF_WIDTH, LONGEST = 0.4, 0.6

#: The part of a full turn that a moment's arc covers, its head included, and the arc's points.
SWEEP, ON_ARC = 0.8, 40


class Shape(NamedTuple):
    """A line (points, 3), NaN for gaps, and triangles (triangles, 3, 3), tips in the middle."""

    path: np.ndarray
    heads: np.ndarray = np.zeros((0, 3, 3))


def arrow(
    tail: np.ndarray, vector: np.ndarray, head: float, normal: np.ndarray | None = None
) -> Shape:
    """Return an arrow, its path (2, 3); heads are normal to ``normal``, or to each other."""
    length = float(np.linalg.norm(vector))
    size = min(head, LONGEST * length)
    along = vector / (length or 1.0)
    tip = tail + vector
    return Shape(np.array([tail, tip - size * along]), _heads(tip, along, size, normal))


def arc(
    center: np.ndarray, axis: np.ndarray, radius: float, head: float, normal: np.ndarray | None
) -> Shape:
    """Return an arc (ON_ARC, 3) with an arrowhead, by the right-hand rule."""
    size = np.linalg.norm(axis)
    if size == 0 or radius == 0:
        return arrow(center, np.zeros(3), head, normal)
    turn = axis / size
    start = _across(turn)
    length = min(head, 0.9 * radius)
    angles = np.linspace(0, 2 * np.pi * SWEEP - length / radius, ON_ARC)[:, None]
    out = np.cos(angles) * start + np.sin(angles) * np.cross(turn, start)
    path = center + radius * out
    chord = np.cross(turn, out[-1]) - length / (2 * radius) * out[-1]  # the head follows the circle
    along = chord / np.linalg.norm(chord)
    return Shape(path, _heads(path[-1] + length * along, along, length, normal))


def _heads(
    tip: np.ndarray, along: np.ndarray, size: float, normal: np.ndarray | None
) -> np.ndarray:
    """Return triangles (1 or 2, 3, 3) with one tip, normal to ``normal`` or to each other."""
    side, base = _across(along), tip - size * along
    sides = [side, np.cross(along, side)] if normal is None else [np.cross(normal, along)]
    wings = [HALF_WIDTH * size * side for side in sides]
    return np.array([[base + wing, tip, base - wing] for wing in wings])


def _across(along: np.ndarray) -> np.ndarray:
    """Return a unit vector normal to another vector, or zero for zero."""
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(np.nan_to_num(along)))])
    return side / (np.linalg.norm(side) or 1.0)
