"""Weighted least squares within bounds and on constraints, for many samples at once.

Levenberg's and Marquardt's method: each sample has its own damping, and coordinates count in
parts of what they do to the residuals.  Those at a bound towards which the residuals push them rest
there.  Constraints hold exactly: steps are tangent to them, and Newton's method leads back.

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

from ...checks.tolerances import CLOSED, EXACTLY_CLOSED, NOTHING, SINGULAR

#: Steps, and those of Newton's method back to the constraints.
MOST_STEPS, MOST_RETURNS = 100, 20

#: The damping at first; by what it changes after good and after bad steps.
DAMPING, EASED, TIGHTENED = 0.001, 0.1, 10.0

#: From which part of the promised gain on a step was good.
GOOD = 0.25


class Linearised(NamedTuple):
    """Squares at M samples: half of the cost (M,) has gradient (M, n) and normal (M, n, n)."""

    cost: np.ndarray
    gradient: np.ndarray
    normal: np.ndarray

    @property
    def scale(self) -> np.ndarray:
        """What a unit of each coordinate does to the residuals, 1 where that is nothing, (M, n)."""
        squares = np.einsum("mii->mi", self.normal)
        return np.sqrt(np.where(squares > 0, squares, 1.0))


#: Linearises squares at samples (M, n) of the rows (M,) of a record.
Look = Callable[[np.ndarray, np.ndarray], Linearised]

#: Returns errors (M, m) of constraints and their slopes (M, m, n) at samples (M, n).
Constraints = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Fitted(NamedTuple):
    """What was found: samples (M, n), their cost, and which are at a minimum, (M,)."""

    q: np.ndarray
    cost: np.ndarray
    converged: np.ndarray

    def put(self, rows: np.ndarray, other: "Fitted") -> None:
        """Take over what another fit found for some rows."""
        for own, new in zip(self, other, strict=True):
            own[rows] = new


@dataclass(frozen=True)
class LeastSquares:
    """Squares of a record, bounds (n,) and constraints; below ``floor`` nothing is left of them."""

    look: Look
    lower: np.ndarray
    upper: np.ndarray
    constraints: Constraints | None
    floor: float

    def fit(self, starts: np.ndarray, rows: np.ndarray, free: np.ndarray) -> Fitted:
        """Return the least squares of rows near starts (M, n), by the free coordinates (n,)."""
        q, is_closed = self._returned(np.clip(starts, self.lower, self.upper), free)
        fit = Fitted(q, np.full(len(q), np.inf), np.zeros(len(q), bool))
        todo, damping, at = np.arange(len(q)), np.full(len(q), DAMPING), self.look(q, rows)
        for _ in range(MOST_STEPS):
            step = self._step(q, at, damping, free)
            trial, is_there = self._returned(np.clip(q + step, self.lower, self.upper), free)
            promised = -np.einsum("mi,mi->m", at.gradient, trial - q)
            there = self.look(trial, rows)
            gained = at.cost - there.cost
            is_done = (damping <= DAMPING) & (np.abs(promised) <= NOTHING * at.cost)
            is_done |= at.cost <= self.floor
            is_better = is_there & ((gained >= 0) | ~is_closed)
            for own, new in ((q, trial), *zip(at, there, strict=True)):
                own[is_better] = new[is_better]
            is_closed |= is_there
            is_good = is_better & (gained >= GOOD * promised)
            damping *= np.where(is_good, EASED, np.where(is_better, 1.0, TIGHTENED))
            damping = np.maximum(damping, NOTHING)
            is_done |= damping > 1 / NOTHING  # no step makes it better: what is left is rounding
            if is_done.any():
                fit.put(todo[is_done], Fitted(*(x[is_done] for x in (q, at.cost, is_closed))))
                parts = (todo, q, rows, damping, is_closed)
                todo, q, rows, damping, is_closed = (x[~is_done] for x in parts)
                at = Linearised(*(part[~is_done] for part in at))
            if not todo.size:
                break
        fit.put(todo, Fitted(q, at.cost, np.zeros(len(q), bool)))
        return fit

    def blocked(self, q: np.ndarray, gradient: np.ndarray, free: np.ndarray) -> np.ndarray:
        """Return which coordinates rest: those not free, those pushed against bounds, (M, n)."""
        at_bound = (q <= self.lower) & (gradient > 0) | (q >= self.upper) & (gradient < 0)
        return ~free | at_bound

    def tangents(self, q: np.ndarray, scale: np.ndarray, blocked: np.ndarray) -> np.ndarray | None:
        """Return the projector on what constraints forbid, in scaled coordinates, (M, n, n)."""
        if self.constraints is None:
            return None
        _, slopes = self.constraints(q)
        rows = row_space(scaled_slopes(slopes, scale, blocked))[2]
        return rows.swapaxes(-1, -2) @ rows

    def _step(
        self, q: np.ndarray, at: Linearised, damping: np.ndarray, free: np.ndarray
    ) -> np.ndarray:
        scale, blocked = at.scale, self.blocked(q, at.gradient, free)
        right = np.where(blocked, 0.0, -at.gradient / scale)
        matrix = at.normal / (scale[:, :, None] * scale[:, None, :])
        matrix[blocked] = 0.0
        matrix.swapaxes(1, 2)[blocked] = 0.0
        forbidden = self.tangents(q, scale, blocked)
        if forbidden is not None:
            allowed = np.eye(q.shape[1]) - forbidden
            matrix = allowed @ matrix @ allowed + forbidden
            right = (allowed @ right[..., None])[..., 0]
        np.einsum("mii->mi", matrix)[...] += damping[:, None] + blocked
        return np.linalg.solve(matrix, right[..., None])[..., 0] / scale

    def _returned(self, q: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples on the constraints near others, and which are there."""
        if self.constraints is None:
            return q, np.ones(len(q), bool)
        q, left = q.copy(), np.full(len(q), np.inf)
        scale = np.ones_like(q)
        for _ in range(MOST_RETURNS):
            errors, slopes = self.constraints(q)
            now = np.abs(errors).max(axis=-1, initial=0.0)
            todo = (now > EXACTLY_CLOSED) & (now < left)
            left = now
            if not todo.any():
                break
            stays = ~free | (q <= self.lower) | (q >= self.upper)
            vectors, sizes, rows = row_space(scaled_slopes(slopes, scale, stays)[todo])
            parts = np.einsum("mji,mj->mi", vectors, errors[todo]) * sizes
            q[todo] -= np.einsum("mij,mi->mj", rows, parts)
            q = np.clip(q, self.lower, self.upper)
        return q, left <= CLOSED


def scaled_slopes(slopes: np.ndarray, scale: np.ndarray, blocked: np.ndarray) -> np.ndarray:
    """Return slopes (M, m, n) by scaled coordinates, zeros for those that rest."""
    return np.where(blocked[:, None, :], 0.0, slopes / scale[:, None, :])


def row_space(slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return left vectors, inverse singular values, right vectors; zeros where singular."""
    left, sizes, rows = np.linalg.svd(slopes, full_matrices=False)
    is_open = sizes <= SINGULAR * sizes.max(axis=-1, keepdims=True, initial=0.0)
    inverse = np.where(is_open, 0.0, 1 / np.where(is_open, 1.0, sizes))
    return left, inverse, np.where(is_open[..., None], 0.0, rows)
