"""`PoseSearch`: the search for poses from initial guesses, and its tolerances."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks.tolerances import CANCELLED, REACHED, SETTLED
from .levenberg_marquardt import LeastSquares, PoseFit, Targets

#: The number of random samples, of which the nearest to a target are its initial guesses.
SAMPLES = 512

#: The largest factor by which a step is extended if the last step's gain shows that the squares
#: curve less than their linearised residuals predict; its inverse bounds shorter steps.
LONGEST = 8.0


@dataclass(frozen=True, eq=False, kw_only=True)
class PoseSearch(LeastSquares):
    """The least-squares problem of poses, and random samples within their bounds.

    Attributes
    ==========

    reference : numpy.ndarray, shape (n,)
        The reference pose, with the values of prescribed coordinates.
    start_range : pair of numpy.ndarray, shape (n,)
        The least and largest values of random samples, where they are finite.
    """

    reference: np.ndarray
    start_range: tuple[np.ndarray, np.ndarray]
    floor: float = REACHED**2
    relative_gain: float = SETTLED
    longest_step: float = LONGEST
    tolerance: float = CANCELLED

    @cached_property
    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """Random coordinates on the constraint manifold, (s, n), and their positions, (s, r)."""
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

    def find(self, targets: Targets, restarts: int, solver: LeastSquares | None = None) -> PoseFit:
        """Return the solutions from ``targets.previous``, else from the nearest random samples.

        ``restarts`` is the number of random samples per target, ``solver`` another problem to
        solve, such as a search without bounds.
        """
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
            fit.put(todo[better], PoseFit(*(x[better] for x in other)))
        return fit

    def residual_norms(self, targets: Targets, q: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the distance (M,) of each point, then the angle of each frame, from its target.

        Free components of targets do not count.
        """
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
        """Return a boolean mask of samples that reach all targets, (M,).

        It is also true with targets that must be reached, which are constraints of the search.
        """
        must = np.asarray((targets.weights < 0).any(axis=1))
        if must.all():
            return must
        units = [self.length] * len(self.tracked.points) + [1.0] * len(self.tracked.frames)
        parts = (x / unit for x, unit in zip(self.residual_norms(targets, q), units, strict=True))
        return np.asarray(must | (np.max([*parts], axis=0) <= REACHED))

    @cached_property
    def length(self) -> float:
        """The model's length: the largest lever arm of a rotation about a tracked point."""
        values, jacobian = self.tracked.positions(self.samples[0])
        own = jacobian[:, : len(self.tracked.points), :, self.tracked.coordinates.is_angle]
        arms = np.linalg.norm(own, axis=-1).max(initial=0.0)
        reach = np.abs(values[:, : len(self.tracked.points)]).max(initial=0.0)
        return float(arms or reach or 1.0)
