"""Weighted least squares within bounds and on constraints, for many samples.

The Levenberg-Marquardt method: each sample has its own damping, and coordinates are scaled by their
effect on the residuals.  Coordinates at a bound stay there while the gradient points outwards [2].
Steps are tangent to the constraint manifold, and Newton's method returns to it after each step [3].
Targets that must be reached are minimised as least squares at first, with a damping of at least
their sum of squares [4], and are constraints after that.

The method is implemented in ``squares.c``; this module packs its arguments.

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

from ..checks.tolerances import CANCELLED, CLOSED, EXACTLY_CLOSED
from .squares_solver import solver, workspace_size
from .tracked_model import TrackedModel

#: The largest number of steps from one initial guess.
MAX_STEPS = 100

#: Samples per call of C, some tenths of a second: between calls Python handles Ctrl-C.
SAMPLES_PER_CALL = 1000


class Targets(NamedTuple):
    """The targets of M samples: r components of positions, and values of n coordinates.

    Attributes
    ==========

    positions, weights : numpy.ndarray, shape (M, r)
        Target components and their weights: negative if the component must be reached, zero if it
        is missing.
    q_targets, q_weights : numpy.ndarray, shapes (M, n) and (n,)
        Target values of coordinates and their weights.
    change_weights, previous : numpy.ndarray, shapes (n,) and (M, n)
        The weights of changes of coordinates from ``previous``; along a path, from the solution of
        the previous sample.
    """

    positions: np.ndarray
    weights: np.ndarray
    q_targets: np.ndarray
    q_weights: np.ndarray
    change_weights: np.ndarray
    previous: np.ndarray

    def of(self, rows: np.ndarray | slice) -> "Targets":
        """Return the targets of the samples with some indices."""
        names = "positions", "weights", "q_targets", "previous"
        return self._replace(**{name: getattr(self, name)[rows] for name in names})


class PoseFit(NamedTuple):
    """The solutions of M samples.

    Attributes
    ==========

    q, cost : numpy.ndarray, shapes (M, n) and (M,)
        The coordinates and their weighted sum of squares.
    reached, converged : numpy.ndarray of bool, shape (M,)
        Whether the constraints are satisfied, and whether the cost is at a minimum.
    """

    q: np.ndarray
    cost: np.ndarray
    reached: np.ndarray
    converged: np.ndarray

    def put(self, rows: np.ndarray, other: "PoseFit") -> None:
        """Replace the solutions at some row indices by another object's solutions."""
        for own, new in zip(self, other, strict=True):
            own[rows] = new


@dataclass(frozen=True)
class LeastSquares:
    """The least-squares problem of a model's positions, under its constraints and bounds.

    Attributes
    ==========

    tracked : TrackedModel
        The positions and constraints as functions of n coordinates.
    lower, upper, free : numpy.ndarray, shape (n,)
        The bounds, and whether a coordinate may move.
    floor : float
        The cost below which only roundoff remains.
    relative_gain : float
        The search ends when a step's predicted decrease is below this share of the cost.
    longest_step : float
        The largest factor by which a step is extended if the last step decreased the cost more than
        its linearised residuals predicted.
    tolerance : float
        The largest residual of a satisfied constraint.
    """

    tracked: TrackedModel
    lower: np.ndarray
    upper: np.ndarray
    free: np.ndarray
    floor: float
    relative_gain: float = CANCELLED
    longest_step: float = 1.0
    tolerance: float = EXACTLY_CLOSED

    def fit(self, starts: np.ndarray, targets: Targets, follows: bool = False) -> PoseFit:
        """Return the solutions from initial guesses ``starts`` (M, s, n).

        Each guess is used only if the guesses before it do not reach the targets.  With
        ``follows``, each sample but the first starts only from the previous sample's solution.
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
        return PoseFit(q, cost, state > 0, state > 1)

    def parameters(self, targets: Targets) -> np.ndarray:
        """Return the parameters of ``fit`` in C that all samples share, as one array."""
        more = targets.change_weights, targets.q_weights, self.tracked.constant_row
        return np.concatenate([self._limits, *more])

    @cached_property
    def _limits(self) -> np.ndarray:
        limits = [self.floor, self.relative_gain, self.longest_step, self.tolerance, CLOSED]
        return np.concatenate([limits, self.lower, self.upper, self.free])
