"""The path of a taut string between two points over a cylinder or a sphere, as in OpenSim."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np


class WrapAction(IntEnum):
    """The relation of a straight line and a surface."""

    FREE = 0  #: the string does not touch the surface
    INSIDE = 1  #: an end is inside, no wrapping is possible
    POSSIBLE = 2  #: the string may wrap over the active side, if no other piece does
    CERTAIN = 3  #: the line goes through the surface


class Wrapping(NamedTuple):
    """Strings on a surface.

    Attributes
    ==========

    contact, length : numpy.ndarray, shape (N,)
        The `WrapAction`, and the length on the surface.
    first, last : numpy.ndarray, shape (N, 3)
        The first and the last point on the surface.
    """

    contact: np.ndarray
    first: np.ndarray
    last: np.ndarray
    length: np.ndarray


class ActiveSide(NamedTuple):
    """The active side of a surface: points with positive ``sign * x[axis]``, or all for sign 0."""

    axis: int = 0
    sign: int = 0

    def has(self, points: np.ndarray) -> np.ndarray:
        """Return a boolean mask (N,) of points on the active side."""
        return np.where(points[:, self.axis] < 0, -1, 1) == self.sign


#: All of a surface is active.
ALL_ROUND = ActiveSide()


class Surface(Protocol):
    """A wrap surface in its own frame."""

    def wrap(self, start: np.ndarray, end: np.ndarray, shortest: bool) -> Wrapping:
        """Return the strings between points (N, 3): the ``shortest``, or OpenSim's estimates."""


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about the z axis, with its middle at the origin.

    The shortest string is a helix between two tangents, which is straight on the unrolled surface.
    If a path has no other surface, OpenSim estimates the axial positions of the helix' ends.
    """

    radius: float
    length: float
    side: ActiveSide = ALL_ROUND

    def wrap(self, start: np.ndarray, end: np.ndarray, shortest: bool) -> Wrapping:
        """Return the strings between points (N, 3)."""
        inside, turns = _tangents(self.radius, start[:, :2], end[:, :2])
        azimuths = [np.arctan2(x[:, 1], x[:, 0]) for x in (start, end)]
        ahead = azimuths[1] - azimuths[0]
        both = turns[0] + turns[1]
        around = _within_half(ahead - both), _within_half(ahead + both)
        crosses, nearest = _intersect(self.radius, start, end, 2)
        contact = np.where(crosses, WrapAction.CERTAIN, WrapAction.FREE)
        sense, is_far = np.where(_within_half(ahead) >= 0, 1.0, -1.0), np.zeros(len(start), bool)
        if self.side.sign:
            contact = self._contacts_on_side(start, end, crosses, nearest)
            sense, is_far = self._senses(azimuths, turns, np.abs(around[0]) > np.abs(around[1]))
        angles = [azimuths[0] + sense * turns[0], azimuths[1] - sense * turns[1]]
        arc = np.mod(sense * np.where(sense > 0, *around), 2 * np.pi)
        heights = self._estimate_heights(start, end, angles, is_far)
        beyond = (np.abs(heights) > self.length / 2).all(axis=0)
        if shortest:
            legs = [self.radius * np.tan(turn) for turn in turns]
            rise = (end[:, 2] - start[:, 2]) / (legs[0] + self.radius * arc + legs[1])
            heights = [start[:, 2] + rise * legs[0], end[:, 2] - rise * legs[1]]
        first, last = (self._point_at(*place) for place in zip(angles, heights, strict=True))
        contact = np.where(beyond, WrapAction.FREE, contact)
        length = np.hypot(self.radius * arc, heights[1] - heights[0])
        return Wrapping(np.where(inside, WrapAction.INSIDE, contact), first, last, length)

    def _point_at(self, angle: np.ndarray, height: np.ndarray) -> np.ndarray:
        """Return the points (N, 3) of the surface at azimuths and heights."""
        return np.stack([self.radius * np.cos(angle), self.radius * np.sin(angle), height], axis=1)

    def _contacts_on_side(
        self, start: np.ndarray, end: np.ndarray, crosses: np.ndarray, nearest: np.ndarray
    ) -> np.ndarray:
        """Return the `WrapAction` (N,) of strings on a cylinder with one active side."""
        on = [self.side.has(point) for point in (start, end)]
        is_possible = (on[0] == on[1]) | self.side.has(nearest)
        contact = np.where(is_possible, WrapAction.FREE, WrapAction.POSSIBLE)
        contact = np.where(crosses, WrapAction.CERTAIN, contact)
        return np.where(on[0] | on[1], contact, WrapAction.POSSIBLE)

    def _senses(
        self, azimuths: list[np.ndarray], turns: list[np.ndarray], is_longer: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sense of strings, 1 counterclockwise about z or -1, and whether each is far.

        The string has its tangent points on the active side; otherwise it is the shorter one.
        """
        (first_a, last_a), (first_b, last_b) = (
            [
                self.side.has(self._point_at(azimuth + sense * turn, np.zeros(len(turn))))
                for azimuth, turn in zip(azimuths, turns, strict=True)
            ]
            for sense in (1, -1)
        )
        by_last = np.where(last_a, False, first_a | last_b)
        is_open = ~(first_a | first_b | last_a | last_b)
        forward = np.where(first_a != first_b, first_a, np.where(is_open, is_longer, by_last))
        return np.where(forward, 1.0, -1.0), is_open | (forward == is_longer)

    def _estimate_heights(
        self, start: np.ndarray, end: np.ndarray, angles: list[np.ndarray], is_far: np.ndarray
    ) -> list[np.ndarray]:
        """Return the axial positions of a string's ends by OpenSim's estimate, (N,) each."""
        # The ends are in the plane of both points and an apex.  The apex is the point of the
        # surface nearest to the point that divides the line in the ratio of the ends' distances
        # from the axis.
        near, far = (np.linalg.norm(x[:, :2], axis=1)[:, None] for x in (start, end))
        part = near / (near + far)
        middle = start + part * (end - start)
        on_axis = middle * [0, 0, 1]
        normal = np.cross(unit_rows(start - on_axis), unit_rows(end - on_axis))
        toward = unit_rows(np.stack([-normal[:, 1], normal[:, 0], 0 * part[:, 0]], axis=1))
        is_away = (toward * middle).sum(1) < 0
        apex = on_axis + self.radius * np.where(is_away != is_far, -1, 1)[:, None] * toward
        normal = np.cross(start - apex, end - apex)
        heights = []
        for own, other, angle in ((start, end, angles[0]), (end, start, angles[1])):
            flat = self._point_at(angle, own[:, 2]) - own
            with np.errstate(invalid="ignore", divide="ignore"):
                found = own[:, 2] - (normal[:, :2] * flat[:, :2]).sum(1) / normal[:, 2]
            is_between = np.abs(found - other[:, 2]) < np.abs(own[:, 2] - other[:, 2])
            heights.append(np.where(is_between, found, own[:, 2]))
        return heights


@dataclass(frozen=True)
class Sphere:
    """A sphere about the origin; OpenSim wraps over it only lines that intersect it."""

    radius: float
    side: ActiveSide = ALL_ROUND

    def wrap(self, start: np.ndarray, end: np.ndarray, shortest: bool) -> Wrapping:
        """Return the strings between points (N, 3)."""
        inside, turns = _tangents(self.radius, start, end)
        crosses, _ = _intersect(self.radius, start, end, 3)
        normal = unit_rows(np.cross(start, end))
        outward = unit_rows(start), unit_rows(end)
        between = np.arccos(np.clip((outward[0] * outward[1]).sum(1), -1, 1))
        contact = np.where(crosses, WrapAction.POSSIBLE, WrapAction.FREE)
        sense = np.ones(len(start))
        if self.side.sign:
            on = [self.side.has(point) for point in (start, end)]
            contact = np.where(crosses & (on[0] | on[1]), WrapAction.CERTAIN, contact)
            pairs = zip(outward, turns, (-1, 1), strict=True)
            far = [self._point_at(x, normal, s * turn) for x, turn, s in pairs]
            bulge = self.side.sign * (far[0] - start + far[1] - end)[:, self.side.axis]
            sense = np.where(~(on[0] & on[1]) & (bulge >= 0), -1.0, 1.0)
        first, last = (
            self._point_at(x, normal, s * sense * turn)
            for x, turn, s in zip(outward, turns, (1, -1), strict=True)
        )
        arc = np.mod(sense * between - turns[0] - turns[1], 2 * np.pi)
        contact = np.where(inside, WrapAction.INSIDE, contact)
        return Wrapping(contact, first, last, self.radius * arc)

    def _point_at(self, outward: np.ndarray, normal: np.ndarray, angle: np.ndarray) -> np.ndarray:
        """Return points (N, 3) of the surface: directions, rotated by angles about normals."""
        ahead = np.cross(normal, outward)
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        return self.radius * (c * outward + s * ahead)


def _tangents(
    radius: float, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return a mask (N,) of lines with an end inside a circle, and the angles of the tangents.

    The circle is around the origin.  The angles are those at the origin between each end of a line,
    first the starts, and the point where the tangent through that end touches the circle.
    """
    distances = [np.linalg.norm(point, axis=1) for point in (start, end)]
    inside = (distances[0] < radius) | (distances[1] < radius)
    with np.errstate(invalid="ignore", divide="ignore"):
        turns = [np.arccos(np.minimum(radius / d, 1.0)) for d in distances]
    return inside, turns


def _intersect(
    radius: float, start: np.ndarray, end: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return a mask (N,) of lines that intersect a surface, and their points nearest to it.

    ``count`` is 2 for distances from the z axis, 3 for distances from the origin.
    """
    step = end - start
    with np.errstate(invalid="ignore", divide="ignore"):
        part = -(start * step)[:, :count].sum(1) / (step[:, :count] ** 2).sum(1)
    nearest = start + part[:, None] * step
    near = np.linalg.norm(nearest[:, :count], axis=1) < radius
    return near & (part > 0) & (part < 1), nearest


def _within_half(angle: np.ndarray) -> np.ndarray:
    """Return angles wrapped to the range from -pi to pi."""
    return np.mod(angle + np.pi, 2 * np.pi) - np.pi


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Return vectors (N, 3) divided by their lengths."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return vectors / np.linalg.norm(vectors, axis=1)[:, None]
