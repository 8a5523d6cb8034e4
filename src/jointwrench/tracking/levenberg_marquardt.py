"""Weighted least squares within bounds and on constraints, for many samples.

The Levenberg-Marquardt method: each sample has its own damping, and coordinates are scaled by their
effect on the residuals.  Those at a bound towards which the residuals push them stay there.
Constraints hold exactly: steps are tangent to them, and Newton's method returns to them.  Targets
that must be reached are least squares at first, and then constraints.

The method itself is ``squares.c``; here are its arguments.

References
==========

.. [1] J. J. More, The Levenberg-Marquardt algorithm: implementation and theory, Lecture Notes in
   Mathematics 630, Springer 1978, 105-116.
.. [2] D. P. Bertsekas, Projected Newton methods for optimization problems with simple constraints,
   SIAM Journal on Control and Optimization 20 (1982), 221-246.
.. [3] P.-A. Absil, R. Mahony, R. Sepulchre, Optimization Algorithms on Matrix Manifolds, Princeton
   2008, chapter 8.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..checks.tolerances import CLOSED, EXACTLY_CLOSED, NOTHING
from .squares_solver import room, solver
from .tracked_model import TrackedModel

#: A start is given up after so many steps.
MOST_STEPS = 100

#: Samples after which Python hears Ctrl-C: some tenths of a second.
UNHEARD = 1000


class Wanted(NamedTuple):
    """The targets of M samples: r numbers of places, and values of n coordinates."""

    # Numbers (M, r) with weights, negative of what is to be reached, zero of what is missing; aims
    # (M, n) with pulls (n,); the pulls (n,) of change from before (M, n), or from the last sample.

    seen: np.ndarray
    weights: np.ndarray
    aims: np.ndarray
    pulls: np.ndarray
    change: np.ndarray
    before: np.ndarray

    def of(self, rows: np.ndarray | slice) -> "Wanted":
        """Return the targets of some samples."""
        seen, weights, aims = self.seen[rows], self.weights[rows], self.aims[rows]
        return Wanted(seen, weights, aims, self.pulls, self.change, self.before[rows])


class Fitted(NamedTuple):
    """The solution: samples (M, n), their cost, which were reached and which are minimal, (M,)."""

    q: np.ndarray
    cost: np.ndarray
    reached: np.ndarray
    converged: np.ndarray

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

    tracked: TrackedModel
    lower: np.ndarray
    upper: np.ndarray
    free: np.ndarray
    floor: float
    settled: float = NOTHING
    longest: float = 1.0
    exact: float = EXACTLY_CLOSED

    def fit(self, starts: np.ndarray, wanted: Wanted, follows: bool = False) -> Fitted:
        """Return the fit from starts (M, s, n), from the next start if one does not reach it.

        With ``follows``, each sample but the first starts only from the previous one.
        """
        tracked, (samples, count, n) = self.tracked, starts.shape
        sizes = [n, tracked.numbers, tracked.rows, 0, count, follows, MOST_STEPS, 0, samples]
        given = wanted.seen, wanted.weights, wanted.aims, wanted.before, starts
        arrays = [
            *(np.array(sizes, np.intp), self.numbers(wanted)),
            *(np.ascontiguousarray(x, float) for x in given),
            *(np.empty(samples * (n + 1) + room(n, tracked.rows)), np.empty(samples, np.intp)),
        ]
        addresses, (kernel, raised) = [x.ctypes.data for x in arrays], tracked.kernel()
        for first in range(0, samples, UNHEARD):
            arrays[0][3], arrays[0][7] = min(first + UNHEARD, samples), first
            solver()(kernel, *addresses)
            if raised:
                raise raised[0]
        out, state = arrays[-2:]
        q, cost = out[: samples * n].reshape(samples, n), out[samples * n : samples * (n + 1)]
        return Fitted(q, cost, state > 0, state > 1)

    def numbers(self, wanted: Wanted) -> np.ndarray:
        """Return the numbers that ``fit`` in C takes for all samples."""
        more = wanted.change, wanted.pulls, self.tracked.constant_row
        return np.concatenate([self._limits, *more])

    @cached_property
    def _limits(self) -> np.ndarray:
        limits = [self.floor, self.settled, self.longest, self.exact, CLOSED]
        return np.concatenate([limits, self.lower, self.upper, self.free])
