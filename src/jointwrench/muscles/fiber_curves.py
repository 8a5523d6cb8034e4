"""What fibres of a muscle can give: force by their length and by their velocity.

Lengths are in optimal fibre lengths, velocities in the largest one, positive while the fibres
lengthen; forces are in the largest isometric one.  The papers stand with `Muscle`.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from scipy.interpolate import CubicHermiteSpline

#: Pieces into which each arc of a curve is cut.
PIECES = 100


#: What OpenSim leaves of the force of fibres without damping beyond the lengths of active force.
LEAST_FORCE = 0.1


class FiberCurves(Protocol):
    """How force depends on length and velocity, and how much of it reaches the tendon."""

    @property
    def least_length(self) -> float:
        """Fibres that are as short as this give no force."""

    def force_length(self, length: np.ndarray) -> np.ndarray:
        """Return the active force of fibres at rest, (N,)."""

    def force_velocity(self, velocity: np.ndarray) -> np.ndarray:
        """Return by what the force is multiplied, (N,)."""

    def cosine(self, sine: np.ndarray, optimal_length: float) -> np.ndarray:
        """Return the part of the force along the tendon; sines (N,) of the pennation angle."""


@dataclass(frozen=True)
class Thelen2003Curves:
    """Curves of Thelen (2003), with the velocity as OpenSim has it.

    Parameters
    ==========

    width : float
        Of the Gaussian curve of force and length.
    shape : float
        Of the curve of force and velocity.
    most : float
        The largest force of lengthening fibres.
    straight_from : float
        The part of it from which the curve goes on as a straight line.
    """

    width: float = 0.45
    shape: float = 0.25
    most: float = 1.4
    straight_from: float = 0.95

    least_length = 0.0

    def force_length(self, length: np.ndarray) -> np.ndarray:
        """Return the active force of fibres at rest."""
        return np.exp(-((length - 1) ** 2) / self.width)

    def force_velocity(self, velocity: np.ndarray) -> np.ndarray:
        """Return by what the force of fully active fibres is multiplied."""
        shortening, lengthening = np.minimum(velocity, 0), np.maximum(velocity, 0)
        concentric = np.maximum(1 + shortening, 0) / (1 - shortening / self.shape)
        slope, rise = 2 + 2 / self.shape, self.most - 1
        eccentric = (rise + lengthening * slope * self.most) / (rise + lengthening * slope)
        end = self.straight_from * self.most  # 6 and 7 of the paper, with their tangent there
        left = slope * (self.most - end) / rise
        start, inclination = (end - 1) / left, 1 / left + (end - 1) * slope / rise / left**2
        straight = end + (lengthening - start) / inclination
        eccentric = np.where(eccentric < end, eccentric, straight)
        return np.where(velocity > 0, eccentric, concentric)

    def cosine(self, sine: np.ndarray, optimal_length: float) -> np.ndarray:
        """Return the part of the force along the tendon."""
        return np.sqrt(1 - sine**2)


class Knot(NamedTuple):
    """A place through which a curve goes, with its slope there."""

    x: float
    y: float
    slope: float


@dataclass(frozen=True)
class Millard2012Curves:
    """Curves of Millard et al. (2013), corners between straight lines made round.

    Parameters
    ==========

    least_length, transition_length, most_length : float
        Between which lengths there is active force, and where it rises steeply no more.
    plateau_slope : float
        Of the shallow rise.
    least_force : float
        What is left beyond the lengths.
    slopes : tuple of 5 floats
        Of force and velocity: at the largest velocity of shortening, near it, at rest, near the
        largest velocity of lengthening and at it.
    most : float
        The largest force of lengthening fibres.
    curviness : tuple of 2 floats
        How round the corners are of shortening and of lengthening fibres, between 0 and 1.
    """

    least_length: float = 0.4441
    transition_length: float = 0.73
    most_length: float = 1.8123
    plateau_slope: float = 0.8616
    least_force: float = 0.0
    slopes: tuple[float, float, float, float, float] = (0.0, 0.25, 5.0, 0.15, 0.0)
    most: float = 1.4
    curviness: tuple[float, float] = (0.6, 0.9)

    def in_opensim(self, is_damped: bool) -> "Millard2012Curves":
        """Return the curves as OpenSim takes them: none becomes zero unless the fibres are damped.

        With damping all of them end at zero, or with slope zero.
        """
        first, near_first, rest, near_last, last = self.slopes
        if is_damped:
            return replace(self, least_force=0.0, slopes=(0.0, near_first, rest, near_last, 0.0))
        ends = max(first, 0.5 * near_first), max(last, 0.5 * near_last)
        slopes = (ends[0], near_first, rest, near_last, ends[1])
        return replace(self, least_force=max(self.least_force, LEAST_FORCE), slopes=slopes)

    def force_length(self, length: np.ndarray) -> np.ndarray:
        """Return the active force of fibres at rest."""
        return self._by_length(np.clip(length, self.least_length, self.most_length))

    def force_velocity(self, velocity: np.ndarray) -> np.ndarray:
        """Return by what the force is multiplied."""
        within = np.clip(velocity, -1, 1)
        first, *_, last = self.slopes
        beyond = velocity - within
        return self._by_velocity(within) + np.where(beyond > 0, last, first) * beyond

    def cosine(self, sine: np.ndarray, optimal_length: float) -> np.ndarray:
        """Return the part of the force along the tendon, as OpenSim has it: see `Muscle`."""
        return np.sqrt(1 - (sine * optimal_length) ** 2)

    @cached_property
    def _by_length(self) -> CubicHermiteSpline:
        start, end, half = self.least_length, self.most_length, 0.05
        shoulder = 1 - half
        low = 1 - self.plateau_slope * (shoulder - self.transition_length)
        rise = self.transition_length - start
        knots = (
            Knot(start, self.least_force, 0),
            Knot(start + rise / 2, low / 2, 1.25 * low / rise),
            Knot((self.transition_length + shoulder) / 2, (1 + low) / 2, self.plateau_slope),
            Knot(1, 1, 0),
            Knot((1 + half + end) / 2, 0.5, -1 / (end - half - (1 + half))),
            Knot(end, self.least_force, 0),
        )
        return _rounded(knots, [1.0] * 5)

    @cached_property
    def _by_velocity(self) -> CubicHermiteSpline:
        first, near_first, rest, near_last, last = self.slopes
        knots = (
            Knot(-1, 0, first),
            Knot(-0.9, 0.05 * (near_first + first), near_first),
            Knot(0, 1, rest),
            Knot(0.9, self.most - 0.05 * (near_last + last), near_last),
            Knot(1, self.most, last),
        )
        shortening, lengthening = self.curviness
        return _rounded(knots, [shortening] * 2 + [lengthening] * 2)


@dataclass(frozen=True)
class DeGrooteFregly2016Curves:
    """Curves of De Groote et al. (2016).

    ``width``: how much wider the curve of force and length is.
    """

    width: float = 1.0

    least_length = 0.0

    def force_length(self, length: np.ndarray) -> np.ndarray:
        """Return the active force of fibres at rest."""
        x = (length - 1) / self.width + 1
        bells = [b1 * np.exp(-0.5 * ((x - b2) / (b3 + b4 * x)) ** 2) for b1, b2, b3, b4 in BELLS]
        return np.sum(bells, axis=0)

    def force_velocity(self, velocity: np.ndarray) -> np.ndarray:
        """Return by what the force is multiplied."""
        d1, d2, d3, d4 = ARCS
        return d1 * np.arcsinh(d2 * velocity + d3) + d4

    def cosine(self, sine: np.ndarray, optimal_length: float) -> np.ndarray:
        """Return the part of the force along the tendon, as OpenSim has it: all of it."""
        return np.ones_like(sine)


#: The numbers of the three bells of force and length, as OpenSim corrected them.
BELLS = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.71677541339776, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)

#: Those of force and velocity.
ARCS = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)


def _rounded(knots: tuple[Knot, ...], curviness: list[float]) -> CubicHermiteSpline:
    """Return the curve through knots: Bezier arcs of fifth degree in the corners of tangents.

    Two control points of each arc are at each of two places on the way to the corner.
    """
    u = np.linspace(0, 1, PIECES + 1)
    rows: list[np.ndarray] = []
    for a, b, own in zip(knots[:-1], knots[1:], curviness, strict=True):
        x = (b.y - a.y - b.x * b.slope + a.x * a.slope) / (a.slope - b.slope)
        corner = np.array([x, b.y + (x - b.x) * b.slope])
        start, end, part = np.array(a[:2]), np.array(b[:2]), 0.1 + 0.8 * own
        first, last = start + part * (corner - start), end + part * (corner - end)
        points = np.array([start, first, first, last, last, end])
        place, rate = _bezier(points, u), _bezier(5 * np.diff(points, axis=0), u)
        rows.append(np.column_stack([place, rate[:, 1] / rate[:, 0]])[(1 if rows else 0) :])
    return CubicHermiteSpline(*np.concatenate(rows).T)


def _bezier(points: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return places on an arc with control points (count, 2), by de Casteljau's construction."""
    rows = np.broadcast_to(points, (len(u), *points.shape))
    while rows.shape[1] > 1:
        rows = rows[:, :-1] + u[:, None, None] * np.diff(rows, axis=1)
    return rows[:, 0]
