"""Force-length and force-velocity curves of muscle fibres.

Lengths are divided by the optimal fibre length, velocities by the maximal contraction velocity, and
forces by the maximal isometric force; velocities are positive while the fibres lengthen.  `Muscle`
cites the papers.

All curves have the ``least_length``, at which the force is zero, and three methods.
``force_length`` and ``force_velocity`` return factors (N,) of the force of fully active fibres.
``cosine`` returns the fraction (N,) of the force along the tendon, from the sine of the pennation
angle.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

#: A force as a function of lengths or velocities, (N,).
Curve = Callable[[np.ndarray], np.ndarray]

#: Number of pieces of each arc of a curve.
PIECES = 100


#: OpenSim's least active force of fibres without damping.
LEAST_FORCE = 0.1


@dataclass(frozen=True)
class Thelen2003Curves:
    """Curves of Thelen (2003), with OpenSim's velocity.

    Attributes
    ==========

    width : float
        The width of the force-length Gaussian.
    shape : float
        The shape of the force-velocity curve.
    most : float
        The largest force of lengthening fibres.
    straight_from : float
        The fraction of ``most`` above which the force-velocity curve is straight.
    """

    width: float = 0.45
    shape: float = 0.25
    most: float = 1.4
    straight_from: float = 0.95

    least_length = 0.0

    def force_length(self, length: np.ndarray) -> np.ndarray:
        return np.exp(-((length - 1) ** 2) / self.width)

    def force_velocity(self, velocity: np.ndarray) -> np.ndarray:
        """Return the force (N,) at velocities, by equations 6 and 7 of the paper."""
        shortening, lengthening = np.minimum(velocity, 0), np.maximum(velocity, 0)
        concentric = np.maximum(1 + shortening, 0) / (1 - shortening / self.shape)
        slope, rise = 2 + 2 / self.shape, self.most - 1
        eccentric = (rise + lengthening * slope * self.most) / (rise + lengthening * slope)
        # above the force ``end`` the curve is its tangent there
        end = self.straight_from * self.most
        left = slope * (self.most - end) / rise
        start, inclination = (end - 1) / left, 1 / left + (end - 1) * slope / rise / left**2
        straight = end + (lengthening - start) / inclination
        eccentric = np.where(eccentric < end, eccentric, straight)
        return np.where(velocity > 0, eccentric, concentric)

    def cosine(self, sine: np.ndarray, optimal_length: float) -> np.ndarray:
        return np.sqrt(1 - sine**2)


@dataclass(frozen=True)
class Millard2012Curves:
    """Curves of Millard et al. (2013): straight lines with rounded corners.

    Attributes
    ==========

    least_length, most_length : float
        The lengths between which fibres have active force.
    transition_length, plateau_slope : float
        The force-length curve rises steeply up to this length, then with this slope.
    least_force : float
        The force outside the lengths of active force.
    slopes : tuple of 5 floats
        Slopes of the force-velocity curve: at the largest shortening velocity, near it, at rest,
        near the largest lengthening velocity, and at it.
    most : float
        The largest force of lengthening fibres.
    curviness : tuple of 2 floats
        The rounding, between 0 and 1, of the corners for shortening and for lengthening fibres.
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
        """Return OpenSim's curves: damped ones end at zero, undamped ones are never zero."""
        first, near_first, rest, near_last, last = self.slopes
        if is_damped:
            return replace(self, least_force=0.0, slopes=(0.0, near_first, rest, near_last, 0.0))
        ends = max(first, 0.5 * near_first), max(last, 0.5 * near_last)
        slopes = (ends[0], near_first, rest, near_last, ends[1])
        return replace(self, least_force=max(self.least_force, LEAST_FORCE), slopes=slopes)

    def force_length(self, length: np.ndarray) -> np.ndarray:
        return self._length_curve(np.clip(length, self.least_length, self.most_length))

    def force_velocity(self, velocity: np.ndarray) -> np.ndarray:
        within = np.clip(velocity, -1, 1)
        first, *_, last = self.slopes
        beyond = velocity - within
        return self._velocity_curve(within) + np.where(beyond > 0, last, first) * beyond

    def cosine(self, sine: np.ndarray, optimal_length: float) -> np.ndarray:
        return np.sqrt(1 - (sine * optimal_length) ** 2)  # as in OpenSim: see `Muscle`

    @cached_property
    def _length_curve(self) -> Curve:
        """The force-length curve between the lengths of active force."""
        start, end, half = self.least_length, self.most_length, 0.05
        shoulder = 1 - half
        low = 1 - self.plateau_slope * (shoulder - self.transition_length)
        rise = self.transition_length - start
        knots = (
            (start, self.least_force, 0),
            (start + rise / 2, low / 2, 1.25 * low / rise),
            ((self.transition_length + shoulder) / 2, (1 + low) / 2, self.plateau_slope),
            (1, 1, 0),
            ((1 + half + end) / 2, 0.5, -1 / (end - half - (1 + half))),
            (end, self.least_force, 0),
        )
        return _round(knots, [1.0] * 5)

    @cached_property
    def _velocity_curve(self) -> Curve:
        """The force-velocity curve between velocities -1 and 1."""
        first, near_first, rest, near_last, last = self.slopes
        knots = (
            (-1, 0, first),
            (-0.9, 0.05 * (near_first + first), near_first),
            (0, 1, rest),
            (0.9, self.most - 0.05 * (near_last + last), near_last),
            (1, self.most, last),
        )
        shortening, lengthening = self.curviness
        return _round(knots, [shortening] * 2 + [lengthening] * 2)


@dataclass(frozen=True)
class DeGrooteFregly2016Curves:
    """Curves of De Groote et al. (2016); ``width`` scales the width of the force-length curve."""

    width: float = 1.0

    least_length = 0.0

    def force_length(self, length: np.ndarray) -> np.ndarray:
        x = (length - 1) / self.width + 1
        bells = [b1 * np.exp(-0.5 * ((x - b2) / (b3 + b4 * x)) ** 2) for b1, b2, b3, b4 in BELLS]
        return np.sum(bells, axis=0)

    def force_velocity(self, velocity: np.ndarray) -> np.ndarray:
        d1, d2, d3, d4 = ARCS
        return d1 * np.arcsinh(d2 * velocity + d3) + d4

    def cosine(self, sine: np.ndarray, optimal_length: float) -> np.ndarray:
        return np.ones_like(sine)  # as in OpenSim


#: The numbers of the three force-length bell curves, with OpenSim's corrections.
BELLS = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.71677541339776, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)

#: The numbers of the force-velocity curve.
ARCS = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)


#: All kinds of curves.
FiberCurves = Thelen2003Curves | Millard2012Curves | DeGrooteFregly2016Curves


def _round(knots: Sequence[tuple[float, float, float]], curviness: Sequence[float]) -> Curve:
    """Return the curve through knots (x, y, slope), of Bezier arcs of fifth degree."""
    # The tangents at both ends of an arc meet in a corner.  Each end has two equal control points
    # on its tangent, nearer to the corner for a larger curviness.
    from scipy.interpolate import BPoly, CubicHermiteSpline  # slow to import

    u = np.linspace(0, 1, PIECES + 1)
    rows: list[np.ndarray] = []
    for (*start, rise), (*end, fall), own in zip(knots[:-1], knots[1:], curviness, strict=True):
        a, b = np.array(start), np.array(end)
        x = (b[1] - a[1] - b[0] * fall + a[0] * rise) / (rise - fall)
        corner, part = np.array([x, b[1] + (x - b[0]) * fall]), 0.1 + 0.8 * own
        first, last = a + part * (corner - a), b + part * (corner - b)
        arc = BPoly(np.array([a, first, first, last, last, b])[:, None], [0, 1])
        place, rate = arc(u), arc.derivative()(u)
        rows.append(np.column_stack([place, rate[:, 1] / rate[:, 0]])[(1 if rows else 0) :])
    return CubicHermiteSpline(*np.concatenate(rows).T)
