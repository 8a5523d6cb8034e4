"""The path of a taut string between two points over an ellipsoid, as in OpenSim.

The path lies in a plane, so it is not the shortest path.  The plane contains both points and a
point of the surface, which OpenSim chooses so that it moves smoothly with the points.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks.tolerances import CANCELLED, ON_ELLIPSOID, REFINED
from .surfaces import ALL_ROUND, ActiveSide, WrapAction, Wrapping, unit_rows

#: Cosines between the line and an axis between which the choice changes from the fan of normals to
#: the normal at one axis.
FAN, AXIS = 0.7073, 0.9

#: Distance from the ends of the secant, as a fraction of it, within which one axis has less weight.
EDGE = 0.3

#: Numbers of points on the line whose normals are the fan, of pieces of an arc, and of steps of
#: Newton's method.
FAN_POINTS, PIECES, STEPS = 300, 100, 64

METHODS = ("hybrid", "midpoint", "axial")


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about the origin.

    Attributes
    ==========

    radii : tuple of 3 floats
        The half axes along x, y and z.
    side : ActiveSide
        The active side of the surface.
    method : {"hybrid", "midpoint", "axial"}
        OpenSim's choice of the point of the surface.
    """

    radii: tuple[float, float, float]
    side: ActiveSide = ALL_ROUND
    method: str = "hybrid"

    def wrap(self, start: np.ndarray, end: np.ndarray, shortest: bool) -> Wrapping:
        """Return the strings between points (N, 3); all are OpenSim's, even if ``shortest``."""
        scale = 3 / sum(self.radii)
        a = scale * np.array(self.radii)
        p, q = scale * start, scale * end
        outside = [((x / a) ** 2).sum(1) - 1 for x in (p, q)]
        inside = (outside[0] < -REFINED) | (outside[1] < -REFINED)
        near, far = _intersect_sphere(p / a, q / a)
        cuts = (near > 0) & (near < 1) & (far > 0) & (far < 1)
        cuts &= np.abs((unit_rows(p) * unit_rows(q)).sum(1) - 1) >= REFINED
        contact = np.where(cuts, WrapAction.CERTAIN, WrapAction.FREE)
        contact = np.where(inside, WrapAction.INSIDE, contact)
        first, last, length = np.zeros_like(p), np.zeros_like(p), np.zeros(len(p))
        rows = np.flatnonzero(contact == WrapAction.CERTAIN)
        if len(rows):
            entry, leave = (q[rows] + part[rows, None] * (p - q)[rows] for part in (near, far))
            through = self._plane_points(a, unit_rows(p - q)[rows], entry, leave)
            is_on = [np.abs(x[rows]) < REFINED for x in outside]
            string = self._string(a, p[rows], q[rows], through, is_on)
            first[rows], last[rows], length[rows] = (x / scale for x in string)
        return Wrapping(contact, first, last, length)

    def _plane_points(
        self, a: np.ndarray, along: np.ndarray, entry: np.ndarray, leave: np.ndarray
    ) -> np.ndarray:
        """Return the points (N, 3) of the active surface that define the planes of strings.

        The scaled half axes are ``a``; the lines have directions ``along``, and enter and leave the
        surface at ``entry`` and ``leave``.
        """
        point, fan = self._choose_points(a, np.abs(along), entry, leave)
        if not self.side.sign:
            return point
        axis = self.side.axis
        is_off = ~self.side.has(point)
        point = np.where(is_off[:, None] & (np.arange(3) == axis), -point, point)
        moved = point.copy()
        moved[:, axis] *= 1 - np.clip(fan, 0, 1)
        is_moved = is_off & (fan > 0)
        return np.where(is_moved[:, None], _closest(a, moved), point)

    def _choose_points(
        self, a: np.ndarray, along: np.ndarray, entry: np.ndarray, leave: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the points (N, 3) before a side is chosen, and the weight (N,) of the fan."""
        step, rows = leave - entry, np.arange(len(entry))
        middle = entry + step / 2
        no_fan = np.full(len(rows), -np.inf)
        if self.method == "midpoint":
            return _closest(a, middle), no_fan
        best = along.argmax(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = (-entry / step)[rows, best]
        single = _closest(a, entry + part[:, None] * step, best)
        if self.method == "axial":
            return single, no_fan
        weight = np.clip(np.minimum(part, 1 - part) / EDGE, 0, 1)
        cosine = along[rows, best]
        cosine = np.where(cosine > FAN, FAN + weight * (cosine - FAN), cosine)
        share = np.clip((cosine - FAN) / (AXIS - FAN), 0, 1)[:, None]  # weight of the single axis
        places = np.arange(1, FAN_POINTS - 1)[:, None, None] / FAN_POINTS * step + entry
        flat = places.reshape(-1, 3)
        normals = unit_rows(_closest(a, flat) - flat).reshape(places.shape).sum(axis=0)
        fan = _closest(a, middle + unit_rows(normals))
        blended = np.where(share > 0, _closest(a, share * single + (1 - share) * fan), fan)
        is_single = (share >= 1)[:, 0]
        point = np.where(is_single[:, None], single, blended)
        return point, np.where(is_single, -np.inf, 1 - share[:, 0])

    def _string(
        self, a: np.ndarray, p: np.ndarray, q: np.ndarray, through: np.ndarray, is_on: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the tangent points (N, 3) of both ends in the planes, and the arc lengths (N,)."""
        # Divided by the half axes, the surface is a unit sphere.  A tangent point x satisfies
        # x.x = 1 and x.p = 1 for the end p, and is in the plane.
        plane = unit_rows(np.cross(p - q, p - through) * a)
        center = (plane * through / a).sum(1)[:, None] * plane
        ends = []
        for end, is_there in zip((p, q), is_on, strict=True):
            across = np.cross(end / a, plane)
            size = (across**2).sum(1)
            foot = np.cross(plane - (center * plane).sum(1)[:, None] * end / a, across)
            foot /= size[:, None]
            reach = np.sqrt(np.maximum(1 - (foot**2).sum(1), 0) / size)[:, None] * across
            pair = a * (foot - reach), a * (foot + reach)
            gaps = [((x - through) ** 2).sum(1) for x in pair]
            near = np.where((gaps[0] < gaps[1])[:, None], *pair)
            ends.append(np.where(is_there[:, None], end, near))
        first, last = (x / a - center for x in ends)
        ahead = np.cross(plane, first)
        turn = np.arctan2((last * ahead).sum(1), (last * first).sum(1))
        if self.side.sign:
            sense = np.sign(turn)[:, None]
            starts = sense * a * ahead, -sense * a * np.cross(plane, last)
            outward = p - ends[0], q - ends[1]
            backward = [(x * y).sum(1) > 0 for x, y in zip(starts, outward, strict=True)]
            turn = np.where(backward[0] | backward[1], turn - 2 * np.pi * sense[:, 0], turn)
        angles = np.linspace(0, 1, PIECES + 1)[:, None, None] * turn[:, None]
        points = a * (center + np.cos(angles) * first + np.sin(angles) * ahead)
        return *ends, np.linalg.norm(np.diff(points, axis=0), axis=2).sum(axis=0)


def _intersect_sphere(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both intersections of lines with the unit sphere, as fractions (N,) from the end."""
    step = start - end
    aa, bb = (step**2).sum(1), 2 * (step * end).sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(bb**2 - 4 * aa * ((end**2).sum(1) - 1))
        return (-bb + root) / (2 * aa), (-bb - root) / (2 * aa)


def _closest(a: np.ndarray, points: np.ndarray, plane: np.ndarray | None = None) -> np.ndarray:
    """Return the points of the ellipsoid nearest to points (N, 3).

    With ``plane`` (N,), points have zero in this coordinate.
    """
    # x_k = a_k^2 p_k / (t + a_k^2), where the multiplier t is the largest root of the equation
    # sum (a_k p_k / (t + a_k^2))^2 = 1.  The left side is convex above the root, so Newton's method
    # converges from an upper bound.
    free = np.ones(points.shape)
    if plane is not None:
        free[np.arange(len(points)), plane] = 0
    squares = np.where(free, a**2, 1.0)
    nonzero = free * np.where(np.abs(points) < CANCELLED, CANCELLED, points)
    is_inside = (points**2 / a**2).sum(1) < 1
    t = np.where(is_inside, 0.0, a.max() * np.linalg.norm(points, axis=1))
    weights = squares * nonzero**2
    for _ in range(STEPS):
        inverse = free / (t[:, None] + squares)
        parts = weights * inverse**2
        value = 1 - parts.sum(1)
        step = value / (2 * (parts * inverse).sum(1) + 2 * value * inverse.sum(1))
        t = t - step
        if (np.abs(step) < ON_ELLIPSOID).all():
            break
    return np.where(free, squares * nonzero / (t[:, None] + squares), points)
