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
from .squares_solver import solver, workspace_size
from .tracked_model import TrackedModel

#: A start is given up after so many steps.
MAX_STEPS = 100

#: Samples after which Python hears Ctrl-C: some tenths of a second.
SAMPLES_PER_CALL = 1000


class Targets(NamedTuple):
    """The targets of M samples: r numbers of places, and values of n coordinates."""

    # Numbers (M, r) with weights, negative of what is to be reached, zero of what is missing; aims
    # (M, n) with pulls (n,); the pulls (n,) of change from before (M, n), or from the last sample.

    positions: np.ndarray
    weights: np.ndarray
    q_targets: np.ndarray
    q_weights: np.ndarray
    change_weights: np.ndarray
    previous: np.ndarray

    def of(self, rows: np.ndarray | slice) -> "Targets":
        """Return the targets of some samples."""
        names = "positions", "weights", "q_targets", "previous"
        return self._replace(**{name: getattr(self, name)[rows] for name in names})


class Solution(NamedTuple):
    """The solution: samples (M, n), their cost, which were reached and which are minimal, (M,)."""

    q: np.ndarray
    cost: np.ndarray
    reached: np.ndarray
    converged: np.ndarray

    def put(self, rows: np.ndarray, other: "Solution") -> None:
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
    relative_gain: float = NOTHING
    longest_step: float = 1.0
    tolerance: float = EXACTLY_CLOSED

    def fit(self, starts: np.ndarray, targets: Targets, follows: bool = False) -> Solution:
        """Return the fit from starts (M, s, n), from the next start if one does not reach it.

        With ``follows``, each sample but the first starts only from the previous one.
        """
        tracked, (samples, count, n) = self.tracked, starts.shape
        positions, rows = tracked.position_size, tracked.row_count
        sizes = [n, positions, rows, 0, count, follows, MAX_STEPS, 0, samples]
        given = targets.positions, targets.weights, targets.q_targets, targets.previous, starts
        arrays = [
            *(np.array(sizes, np.intp), self.parameters(targets)),
            *(np.ascontiguousarray(x, float) for x in given),
            *(np.empty(samples * (n + 1) + workspace_size(n, rows)), np.empty(samples, np.intp)),
        ]
        addresses, (kernel, raised) = [x.ctypes.data for x in arrays], tracked.kernel()
        for first in range(0, samples, SAMPLES_PER_CALL):
            arrays[0][3], arrays[0][7] = min(first + SAMPLES_PER_CALL, samples), first
            solver()(kernel, *addresses)
            if raised:
                raise raised[0]
        out, state = arrays[-2:]
        q, cost = out[: samples * n].reshape(samples, n), out[samples * n : samples * (n + 1)]
        return Solution(q, cost, state > 0, state > 1)

    def parameters(self, targets: Targets) -> np.ndarray:
        """Return the numbers that ``fit`` in C takes for all samples."""
        more = targets.change_weights, targets.q_weights, self.tracked.constant_row
        return np.concatenate([self._limits, *more])

    @cached_property
    def _limits(self) -> np.ndarray:
        limits = [self.floor, self.relative_gain, self.longest_step, self.tolerance, CLOSED]
        return np.concatenate([limits, self.lower, self.upper, self.free])
