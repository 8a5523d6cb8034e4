"""Weighted least squares within bounds and on constraints, for many samples.

The Levenberg-Marquardt method: each sample has its own damping, and coordinates are scaled by their
effect on the residuals.  Those at a bound towards which the residuals push them stay there.
Constraints hold exactly: steps are tangent to them, and Newton's method returns to them.  Targets
that must be reached are least squares at first, and then constraints.

For a compiled kernel C code does the same (`squares_solver`), otherwise numpy.

References
==========

.. [1] J. J. More, The Levenberg-Marquardt algorithm: implementation and theory, Lecture Notes in
   Mathematics 630, Springer 1978, 105-116.
.. [2] D. P. Bertsekas, Projected Newton methods for optimization problems with simple constraints,
   SIAM Journal on Control and Optimization 20 (1982), 221-246.
.. [3] P.-A. Absil, R. Mahony, R. Sepulchre, Optimization Algorithms on Matrix Manifolds, Princeton
   2008, chapter 8.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..checks.tolerances import CLOSED, EXACTLY_CLOSED, NOTHING, SINGULAR, SURE
from .native_squares import NativeSquares
from .squares_solver import (
    DAMPING,
    EASED,
    GOOD,
    MOST_RETURNS,
    TIGHTENED,
)

#: Returns values (M, r) and their slopes (M, r, n) at samples (M, n): of places, then of
#: constraints.
Look = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Wanted(NamedTuple):
    """The targets of M samples: r numbers of places, and values of n coordinates."""

    # Numbers (M, r) with weights, negative of what is to be reached, zero of what is missing; aims
    # (M, n) with pulls (n,); the pulls (n,) of change towards the start, or the sample before.

    seen: np.ndarray
    weights: np.ndarray
    aims: np.ndarray
    pulls: np.ndarray
    change: np.ndarray

    def of(self, rows: np.ndarray) -> "Wanted":
        """Return the targets of some samples."""
        seen, weights, aims = (x[rows] for x in (self.seen, self.weights, self.aims))
        return Wanted(seen, weights, aims, self.pulls, self.change)

    def towards(self, before: np.ndarray) -> "Wanted":
        """Return the same with additional terms that pull to previous samples (M, n)."""
        pulls = self.pulls + self.change
        part = self.pulls / np.where(pulls > 0, pulls, 1.0)
        aims = before + part * (self.aims - before)
        return self._replace(aims=aims, pulls=pulls, change=np.zeros_like(pulls))


class Linearised(NamedTuple):
    """Squares at M samples: half of the cost (M,) has gradient (M, n) and normal (M, n, n)."""

    # Errors (M, m) are to vanish; their slopes are (M, m, n).

    cost: np.ndarray
    gradient: np.ndarray
    normal: np.ndarray
    errors: np.ndarray
    slopes: np.ndarray

    @property
    def scale(self) -> np.ndarray:
        """The effect of a unit of each coordinate on the residuals, 1 if it has none, (M, n)."""
        squares = np.einsum("mii->mi", self.normal)
        return np.sqrt(np.where(squares > 0, squares, 1.0))


class Fitted(NamedTuple):
    """The solution: samples (M, n), their cost, which were reached and which are minimal, (M,)."""

    q: np.ndarray
    cost: np.ndarray
    reached: np.ndarray
    converged: np.ndarray

    @classmethod
    def none(cls, q: np.ndarray) -> "Fitted":
        """Return samples before any fit."""
        return cls(q, np.full(len(q), np.inf), *(np.zeros(len(q), bool) for _ in range(2)))

    def put(self, rows: np.ndarray, other: "Fitted") -> None:
        """Take the rows of another fit."""
        for own, new in zip(self, other, strict=True):
            own[rows] = new


@dataclass(frozen=True)
class LeastSquares:
    """Places and constraints as functions of coordinates, within bounds (n,)."""

    # Free (n,) are coordinates that may move; below floor nothing is left of squares; settled is
    # the part of them that a last step promises, exact what is left of constraints that vanish; a
    # step is made as much longer, at most, as the last one told by its gain.

    look: Look
    lower: np.ndarray
    upper: np.ndarray
    free: np.ndarray
    floor: float
    native: NativeSquares | None = None
    settled: float = NOTHING
    longest: float = 1.0
    exact: float = EXACTLY_CLOSED
    steps: int = 100

    def fit(self, starts: np.ndarray, wanted: Wanted, follows: bool = False) -> Fitted:
        """Return the fit from starts (M, s, n), from the next start if one does not reach it.

        With ``follows``, each sample but the first starts only from the previous one.
        """
        if self.native is not None:
            numbers = self.floor, self.settled, self.longest, self.exact, CLOSED
            bounds = self.lower, self.upper, self.free
            found = self.native.fit(starts, wanted, numbers, bounds, (follows, self.steps))
            q, cost, state = found
            return Fitted(q, cost, state > 0, state > 1)
        fit = Fitted.none(starts[:, 0].copy())
        if not follows:
            return self._fit(starts, wanted)
        for k in range(len(starts)):
            own = starts[:1] if k == 0 else np.where(self.free, fit.q[k - 1], starts[k, :1])[None]
            fit.put(np.array([k]), self._fit(own, wanted.of(np.array([k]))))
        return fit

    def _fit(self, starts: np.ndarray, wanted: Wanted) -> Fitted:
        """Return the fit from the first start that reaches it, then minimise the other terms."""
        vanish, wanted = np.any(wanted.weights < 0, axis=1), wanted.towards(starts[:, 0])
        pulls = wanted.pulls
        first = np.where(vanish[:, None], np.maximum(-wanted.weights, 0), wanted.weights)
        fit, todo = Fitted.none(starts[:, 0].copy()), np.arange(len(starts))
        for own in starts.swapaxes(0, 1):
            squares = wanted.of(todo)._replace(weights=first[todo])
            some = self._minimise(own[todo], squares, np.where(vanish[todo, None], 0.0, pulls))
            some.reached[:] &= ~vanish[todo] | (some.cost <= self.floor)
            better = some.reached | (some.cost < fit.cost[todo])
            fit.put(todo[better], Fitted(*(x[better] for x in some)))
            todo = todo[~some.reached]
            if not todo.size:
                break
        fit.converged[:] &= fit.reached
        rest = np.flatnonzero(
            vanish & fit.reached & ((wanted.weights > 0).any(axis=1) | pulls.any())
        )
        if rest.size:
            all_pulls = np.broadcast_to(pulls, (len(rest), len(pulls)))
            some = self._minimise(fit.q[rest], wanted.of(rest), all_pulls)
            fit.q[rest] = np.where(some.reached[:, None], some.q, fit.q[rest])
            fit.converged[rest] = some.converged
        return fit

    def _minimise(self, q: np.ndarray, wanted: Wanted, pulls: np.ndarray) -> Fitted:
        """Return local minima near samples (M, n); those on all constraints are reached."""
        q, at, is_closed = self._returned(np.clip(q, self.lower, self.upper), wanted, pulls)
        fit = Fitted.none(q.copy())
        todo, damping, length = np.arange(len(q)), np.full(len(q), DAMPING), np.ones(len(q))
        for _ in range(self.steps):
            is_done = is_closed & (at.cost <= self.floor)
            step = self._step(q, at, damping)
            trial = np.clip(q + length[:, None] * step, self.lower, self.upper)
            promised = -np.einsum("mi,mi->m", at.gradient, trial - q)
            damped = np.sum((at.scale * (trial - q)) ** 2, axis=1)
            curved = length * promised - damping * damped  # by linearised residuals
            trial, there, is_there = self._returned(trial, wanted, pulls)
            gained = at.cost - there.cost
            sure = np.maximum(1, damping / DAMPING) / length
            settles = np.abs(promised) * sure <= self.settled * at.cost
            tells = promised > SURE * at.cost
            is_better = is_there & ((gained >= 0) | ~is_closed)
            for own, new in ((q, trial), *zip(at, there, strict=True)):
                own[is_better] = new[is_better]
            is_closed |= is_there
            true = np.maximum(2 * promised - gained, curved / self.longest)
            other = np.clip(curved / np.where(tells, true, 1.0), 1 / self.longest, self.longest)
            length = np.where(is_better, np.where(tells, other, length), 1.0)
            is_good = is_better & (gained >= GOOD * promised)
            damping *= np.where(is_good, EASED, np.where(is_better, 1.0, TIGHTENED))
            damping = np.maximum(damping, NOTHING)
            # no step makes it better beyond the largest damping: what is left is rounding
            is_done |= settles | (damping > 1 / NOTHING)
            if is_done.any():
                found = (q, at.cost, is_closed, is_closed)
                fit.put(todo[is_done], Fitted(*(x[is_done] for x in found)))
                rest = np.flatnonzero(~is_done)
                todo, is_closed = todo[rest], is_closed[rest]
                q, damping, length, pulls = (x[rest] for x in (q, damping, length, pulls))
                at, wanted = Linearised(*(part[rest] for part in at)), wanted.of(rest)
            if not todo.size:
                break
        fit.put(todo, Fitted(q, at.cost, is_closed, is_closed & (at.cost <= self.floor)))
        return fit

    def linearised(self, q: np.ndarray, wanted: Wanted, pulls: np.ndarray) -> Linearised:
        """Return squares at samples (M, n), with pulls (M, n) of coordinates."""
        values, slopes = self.look(q)
        places = wanted.seen.shape[1]
        values = np.concatenate([values[:, :places] - wanted.seen, values[:, places:]], axis=1)
        closings = np.full((len(q), values.shape[1] - places), -1.0)
        weights = np.concatenate([wanted.weights, closings], axis=1)
        roots = np.sqrt(np.maximum(weights, 0)), np.sqrt(np.maximum(-weights, 0))
        (misses, columns), (errors, rows) = ((values * x, slopes * x[..., None]) for x in roots)
        off = q - wanted.aims
        normal = columns.swapaxes(1, 2) @ columns
        np.einsum("mii->mi", normal)[...] += pulls
        gradient = (misses[:, None] @ columns)[:, 0] + pulls * off
        cost = np.einsum("mi,mi->m", misses, misses) + (pulls * off**2).sum(axis=1)
        used = (weights < 0).any(axis=0)
        return Linearised(cost, gradient, normal, errors[:, used], rows[:, used])

    def blocked(self, q: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return which coordinates do not move: those not free or pushed against bounds, (M, n)."""
        return ~self.free | self._leaves(q, -gradient)

    def _leaves(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return which coordinates would leave their bounds, (M, n)."""
        return (q <= self.lower) & (step < 0) | (q >= self.upper) & (step > 0)

    def _step(self, q: np.ndarray, at: Linearised, damping: np.ndarray) -> np.ndarray:
        scale, blocked = at.scale, self.blocked(q, at.gradient)
        while True:
            right = np.where(blocked, 0.0, -at.gradient / scale)
            matrix = at.normal / (scale[:, :, None] * scale[:, None, :])
            matrix[blocked] = 0.0
            matrix.swapaxes(1, 2)[blocked] = 0.0
            forbidden = tangents(at.slopes, scale, blocked)
            if forbidden is not None:
                allowed = np.eye(q.shape[1]) - forbidden
                matrix = allowed @ matrix @ allowed + forbidden
                right = (allowed @ right[..., None])[..., 0]
            np.einsum("mii->mi", matrix)[...] += damping[:, None] + blocked
            step: np.ndarray = np.linalg.solve(matrix, right[..., None])[..., 0] / scale
            leaves = self._leaves(q, step) & ~blocked
            if not leaves.any():
                return step
            blocked |= leaves

    def _returned(
        self, q: np.ndarray, wanted: Wanted, pulls: np.ndarray
    ) -> tuple[np.ndarray, Linearised, np.ndarray]:
        """Return the samples on the constraints near others, and which succeeded."""
        q, before = q.copy(), np.full(len(q), np.inf)
        for turn in range(MOST_RETURNS + 1):
            at = self.linearised(q, wanted, pulls)
            left = np.abs(at.errors).max(axis=-1, initial=0.0)
            todo = np.flatnonzero((left > self.exact) & (left < before))
            if not todo.size or turn == MOST_RETURNS:
                break
            before, own = np.where(np.isin(np.arange(len(q)), todo), left, -1.0), q[todo]
            stays = np.broadcast_to(~self.free, own.shape).copy()
            while True:
                some = scaled_slopes(at.slopes[todo], np.ones_like(own), stays)
                vectors, sizes, rows = row_space(some)
                parts = np.einsum("mji,mj->mi", vectors, at.errors[todo]) * sizes
                step = -np.einsum("mij,mi->mj", rows, parts)
                leaves = self._leaves(own, step) & ~stays
                if not leaves.any():
                    break
                stays |= leaves
            q[todo] = np.clip(own + step, self.lower, self.upper)
        return q, at, left <= CLOSED


def tangents(slopes: np.ndarray, scale: np.ndarray, blocked: np.ndarray) -> np.ndarray | None:
    """Return the projector on directions that constraints forbid, scaled, (M, n, n)."""
    if not slopes.shape[1]:
        return None
    rows = row_space(scaled_slopes(slopes, scale, blocked))[2]
    return rows.swapaxes(-1, -2) @ rows


def scaled_slopes(slopes: np.ndarray, scale: np.ndarray, blocked: np.ndarray) -> np.ndarray:
    """Return slopes (M, m, n) by scaled coordinates, zeros for those that do not move."""
    return np.where(blocked[:, None, :], 0.0, slopes / scale[:, None, :])


def row_space(slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return left vectors, inverse singular values, right vectors; zeros where singular."""
    left, sizes, rows = np.linalg.svd(slopes, full_matrices=False)
    is_open = sizes <= SINGULAR * sizes.max(axis=-1, keepdims=True, initial=0.0)
    inverse = np.where(is_open, 0.0, 1 / np.where(is_open, 1.0, sizes))
    return left, inverse, np.where(is_open[..., None], 0.0, rows)
