"""Physically consistent bodies: least squares over positive definite pseudo-inertias.

This is a convex problem: squared residuals, plus for each body ``attachment`` times the divergence
``tr(P0^-1 P) - log det(P0^-1 P) - 4`` of its pseudo-inertia P from the start P0.  The logarithm
keeps P positive definite, and the divergence keeps near P0 what forces do not determine.  Newton's
method solves it first for a large weight of the divergence, then for decreasing ones.  Each step is
a least-squares problem, so that determined and undetermined directions are not mixed.

References
==========

.. [1] P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically
   consistent inertial parameter identification, IEEE Robotics Autom. Lett. 3 (2018) 60-67.
.. [2] T. Lee, P. M. Wensing, F. C. Park, Geometric robot dynamic identification: a convex
   programming approach, IEEE Trans. Robotics 36 (2020) 348-365: the divergence.
.. [3] S. Boyd, L. Vandenberghe, Convex Optimization, Cambridge University Press 2004, chapter 11.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..checks.tolerances import SEARCH_DONE, UNIDENTIFIABLE
from .pseudo_inertia import BASIS, factorise, pseudo_inertia

#: The factor by which the weight of the divergence decreases.
SHRINK = 0.3

#: The largest number of Newton steps; a tenth of it is usual.
MAX_STEPS = 1000

#: The largest fraction of the distance to the boundary for one step.
EDGE = 0.95


class ConsistentParameters(NamedTuple):
    """The found parameters, the number of Newton steps, and whether the search converged."""

    parameters: np.ndarray
    steps: int
    converged: bool


def solve_consistent(
    matrix: np.ndarray,
    right: np.ndarray,
    start: np.ndarray,
    kinds: tuple[np.ndarray, np.ndarray],
    attachment: float,
) -> ConsistentParameters:
    """Return physical parameters that solve ``matrix @ parameters = right`` by least squares.

    The errors of ``right`` have variance one, and ``start`` is physical.  ``kinds`` are a boolean
    mask of real bodies and one of parameters that may be negative.
    """
    # Non-negative parameters of no body (friction, rotors) are attached to their start, those of
    # any sign to zero, in units in which one unit has the effect of all forces.
    problem = _Problem(matrix, right, start, *kinds)
    x, steps = problem.start, 0
    weight = max(attachment, problem.squares(x))
    while True:
        x, taken, converged = _minimise(problem, x, weight, MAX_STEPS - steps)
        steps += taken
        if weight <= attachment or not converged:
            return ConsistentParameters(x, steps, converged)
        weight = max(attachment, SHRINK * weight)


def _minimise(
    problem: "_Problem", x: np.ndarray, weight: float, most: int
) -> tuple[np.ndarray, int, bool]:
    """Return the minimiser of squares plus a weight times the divergence, steps, convergence.

    Newton's method starts from x, in the interior of the physical parameters, and stays there.
    """
    for taken in range(most):
        rows, rest = problem.rows(x, weight)
        step = scipy.linalg.lstsq(rows, -rest, lapack_driver="gelsy")[0]
        decrease, size = float(np.sum((rows @ step) ** 2)), max(problem.squares(x), weight)
        if decrease <= SEARCH_DONE * size:
            return x, taken, True
        length, value = min(1.0, EDGE * problem.largest_step(x, step)), problem.value(x, weight)
        while value - problem.value(x + length * step, weight) < length * decrease / 4:
            if length < SEARCH_DONE:  # at roundoff level no step decreases the value
                return x, taken, decrease <= np.sqrt(SEARCH_DONE) * size
            length /= 2
        x = x + length * step
    return x, most, False


class _Problem:
    """The objective: squared residuals, and the divergence of all parameters from their start."""

    def __init__(
        self,
        matrix: np.ndarray,
        right: np.ndarray,
        start: np.ndarray,
        is_real: np.ndarray,
        is_free: np.ndarray,
    ) -> None:
        self._matrix, self._right, self.start = matrix, right, start.copy()
        self._bodies = [(k, factorise(start[k : k + 10])) for k in 10 * np.flatnonzero(is_real)]
        positive = ~is_free
        for k, factor in self._bodies:
            positive[k : k + 10] = False
            own = (factor @ factor.T).ravel()
            self.start[k : k + 10] = np.linalg.lstsq(BASIS.reshape(10, 16).T, own, rcond=None)[0]
        self._positive, self._free = np.flatnonzero(positive), np.flatnonzero(is_free)
        self.start[self._positive] = np.maximum(start[self._positive], UNIDENTIFIABLE)
        self.start[self._free] = 0

    def squares(self, x: np.ndarray) -> float:
        return float(np.sum((self._matrix @ x - self._right) ** 2))

    def value(self, x: np.ndarray, weight: float) -> float:
        """Return the squares plus a weight times the divergence."""
        ratio = x[self._positive] / self.start[self._positive]
        total = float(np.sum(ratio - np.log(ratio) - 1) + np.sum(x[self._free] ** 2) / 2)
        for k, factor in self._bodies:
            half = np.linalg.solve(factor, pseudo_inertia(x[k : k + 10]))
            relative = np.linalg.solve(factor, half.T)
            total += np.trace(relative) - np.linalg.slogdet(relative)[1] - 4
        return self.squares(x) + weight * total

    def rows(self, x: np.ndarray, weight: float) -> tuple[np.ndarray, np.ndarray]:
        """Return J and r of the objective at x: its gradient is J^T r, its Hessian J^T J."""
        rows, right = [np.sqrt(2) * self._matrix], [np.sqrt(2) * (self._matrix @ x - self._right)]
        for k, factor in self._bodies:
            root = np.linalg.cholesky(pseudo_inertia(x[k : k + 10]))
            inverse, relative = np.linalg.inv(root), np.linalg.solve(factor, root)
            own = np.zeros((16, len(x)))
            own[:, k : k + 10] = (inverse @ BASIS @ inverse.T).reshape(10, 16).T
            rows.append(np.sqrt(weight) * own)
            right.append(np.sqrt(weight) * (relative.T @ relative - np.eye(4)).ravel())
        positive, free, units = self._positive, self._free, np.sqrt(weight) * np.eye(len(x))
        rows += [units[positive] / x[positive][:, None], units[free]]
        right += [np.sqrt(weight) * (x[positive] / self.start[positive] - 1)]
        return np.vstack(rows), np.concatenate([*right, np.sqrt(weight) * x[free]])

    def largest_step(self, x: np.ndarray, step: np.ndarray) -> float:
        """Return the factor of a step that reaches the boundary of physical parameters."""
        rates = [-step[self._positive] / x[self._positive]]
        for k, _ in self._bodies:
            pair = (pseudo_inertia(own[k : k + 10]) for own in (step, x))
            rates.append(-scipy.linalg.eigh(*pair, eigvals_only=True))
        return 1 / max(float(np.concatenate(rates).max(initial=0)), np.finfo(float).tiny)
