"""`PoseSearch`: from where a pose is sought, and how."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks.tolerances import NOTHING, REACHED, SETTLED
from .levenberg_marquardt import LeastSquares, Solution, Targets

#: So many random samples are known, of which those nearest to a target are its starts.
SAMPLES = 512

#: How many times as long a step may be where the last one told that squares curve less than their
#: linearised residuals say, or as short.
LONGEST = 8.0


@dataclass(frozen=True, eq=False, kw_only=True)
class PoseSearch(LeastSquares):
    """The least squares of poses, and random samples within their bounds."""

    # Reference (n,) has the values of coordinates that are not free; likely are the least and
    # largest values (n,) of samples, where they are finite.

    reference: np.ndarray
    start_range: tuple[np.ndarray, np.ndarray]
    floor: float = REACHED**2
    relative_gain: float = SETTLED
    longest_step: float = LONGEST
    tolerance: float = NOTHING

    @cached_property
    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """Random samples on the constraints, and places there."""
        rng, (low, high) = np.random.default_rng(20261124), self.start_range
        low, high = np.maximum(low, self.lower), np.minimum(high, self.upper)
        known = np.isfinite(high - low) & (high > low) & self.free
        q = np.repeat(self.reference[None], SAMPLES, axis=0)
        q[:, known] = rng.uniform(low[known], high[known], (SAMPLES, known.sum()))
        for group in self.tracked.kinematics.model.tree.quaternion_columns:
            quaternions = rng.normal(size=(SAMPLES, 4))
            q[:, group] = quaternions / np.linalg.norm(quaternions, axis=1)[:, None]
        nothing = np.zeros((SAMPLES, self.tracked.position_size))
        none = np.zeros(q.shape[1])
        closed = self.fit(q[:, None], Targets(nothing, nothing, q, none, none, q))
        q = closed.q[closed.reached] if closed.reached.any() else self.reference[None]
        return q, self.tracked.values(q)[0][:, : self.tracked.position_size]

    def find(self, targets: Targets, restarts: int, solver: LeastSquares | None = None) -> Solution:
        """Return the fit from the samples before, else from the nearest of random samples."""
        solver = solver or self
        fit = solver.fit(targets.previous[:, None], targets)
        todo = np.flatnonzero(~fit.reached)
        if restarts and todo.size:
            targets = targets.of(todo)
            seen, weights, values = targets.positions, np.abs(targets.weights), self.samples[1]
            costs = weights @ (values**2).T - 2 * (weights * seen) @ values.T
            count = min(restarts, len(values))
            nearest = np.argsort(costs, axis=1)[:, :count]
            other = solver.fit(self.samples[0][nearest], targets)
            better = other.reached | (other.cost < fit.cost[todo])
            fit.put(todo[better], Solution(*(x[better] for x in other)))
        return fit

    def residual_norms(self, targets: Targets, q: np.ndarray) -> Iterator[np.ndarray]:
        """Yield distances (M,) of points, then angles of frames, of the numbers that are given."""
        point_rows, weights = self.tracked.point_rows, targets.weights
        off = self.tracked.values(q)[0][:, : weights.shape[1]] - targets.positions
        squares = np.where(weights != 0, off**2, 0.0)[:, point_rows].sum(axis=-1)
        known = weights[:, point_rows[:, 0]] != 0
        count = len(self.tracked.points)
        yield from np.sqrt(squares[:, :count]).T
        for first in range(count, squares.shape[1], 3):
            own = slice(first, first + 3)
            # of two or three axes |off| is sqrt(8) sin(angle / 2) or less, of one 2 sin(angle / 2)
            most = np.where(known[:, own].sum(axis=-1) > 1, 8.0, 4.0)
            chord = np.sqrt(squares[:, own].sum(axis=-1) / most)
            yield 2 * np.arcsin(np.minimum(chord, 1.0))

    def has_reached_targets(self, targets: Targets, q: np.ndarray) -> np.ndarray:
        """Return whether targets are met at samples, or others hold that must be, (M,)."""
        must = np.asarray((targets.weights < 0).any(axis=1))
        if must.all():
            return must
        units = [self.length] * len(self.tracked.points) + [1.0] * len(self.tracked.frames)
        parts = (x / unit for x, unit in zip(self.residual_norms(targets, q), units, strict=True))
        return np.asarray(must | (np.max([*parts], axis=0) <= REACHED))

    @cached_property
    def length(self) -> float:
        """The model's own length: the largest arm with which a turning coordinate moves a point."""
        values, jacobian = self.tracked.positions(self.samples[0])
        own = jacobian[:, : len(self.tracked.points), :, self.tracked.coordinates.is_angle]
        arms = np.linalg.norm(own, axis=-1).max(initial=0.0)
        reach = np.abs(values[:, : len(self.tracked.points)]).max(initial=0.0)
        return float(arms or reach or 1.0)
