"""Bodies that can exist: least squares over positive definite pseudo-inertias.

That is a convex problem: squared residuals, plus for each body ``attachment`` times the divergence
``tr(P0^-1 P) - log det(P0^-1 P) - 4`` of its pseudo-inertia P from that where it starts, P0.  The
logarithm keeps P positive definite, the divergence holds near P0 what forces do not show.  Newton's
method solves it for a large weight of the divergence first, then for ever smaller ones.  Each step
is itself a problem of least squares, so that what forces show and what only the divergence shows
are not added up.

References
==========

.. [1] P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically
   consistent inertial parameter identification, IEEE Robotics Autom. Lett. 3 (2018) 60-67.
.. [2] T. Lee, P. M. Wensing, F. C. Park, Geometric robot dynamic identification: a convex
   programming approach, IEEE Trans. Robotics 36 (2020) 348-365: the divergence.
.. [3] S. Boyd, L. Vandenberghe, Convex Optimization, Cambridge University Press 2004, chapter 11.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg

from ...checks.tolerances import FOUND, UNSEEN
from .pseudo_inertia import BASIS, factor_of, pseudo_inertia

#: By how much the weight of the divergence shrinks at once.
SHRINK = 0.3

#: Newton steps after which the search ends at the latest; a tenth of them is usual.
MOST = 1000

#: A step goes at most so far towards the edge of what can exist.
EDGE = 0.95


class ConsistentParameters(NamedTuple):
    """Parameters; after how many of Newton's steps; whether the search came to its end."""

    parameters: np.ndarray
    steps: int
    converged: bool


@dataclass(frozen=True)
class Kinds:
    """What each parameter is of: ``bodies``, first of ten each; ``free`` ones may be negative.

    The others are not: friction, and inertias of rotors.
    """

    bodies: tuple[int, ...]
    free: np.ndarray
    positive: np.ndarray

    @classmethod
    def of(cls, is_real: np.ndarray, is_free: np.ndarray) -> "Kinds":
        """Return the kinds for which bodies are real ones and which parameters are free."""
        bodies = tuple(10 * int(k) for k in np.flatnonzero(is_real))
        positive = ~is_free
        for first in bodies:
            positive[first : first + 10] = False
        return cls(bodies, np.flatnonzero(is_free), np.flatnonzero(positive))


def consistent(
    matrix: np.ndarray, right: np.ndarray, start: np.ndarray, kinds: Kinds, attachment: float
) -> ConsistentParameters:
    """Return physical parameters that solve ``matrix @ parameters = right`` by least squares.

    Errors of the equations have the variance one; ``start`` is physical.  What no body has and may
    not be negative is attached to where it starts, or to next to nothing; what is free to zero, in
    units in which one of it would make all the forces.
    """
    barrier = _Barrier.of(kinds, start)
    x = barrier.start
    weight = max(attachment, float(np.sum((matrix @ x - right) ** 2)))
    steps = 0
    while True:
        x, taken, converged = _newton(matrix, right, barrier, x, weight, MOST - steps)
        steps += taken
        if weight <= attachment or not converged:
            return ConsistentParameters(x, steps, converged)
        weight = max(attachment, SHRINK * weight)


def _newton(
    matrix: np.ndarray,
    right: np.ndarray,
    barrier: "_Barrier",
    x: np.ndarray,
    weight: float,
    most: int,
) -> tuple[np.ndarray, int, bool]:
    """Return the least of squares plus a weight times the divergence, from within."""
    for taken in range(most):
        rest = matrix @ x - right
        rows, own = barrier.rows(x)
        both = np.vstack([np.sqrt(2) * matrix, np.sqrt(weight) * rows])
        down = -np.concatenate([np.sqrt(2) * rest, np.sqrt(weight) * own])
        step = scipy.linalg.lstsq(both, down, lapack_driver="gelsy")[0]
        decrease = float(np.sum((both @ step) ** 2))
        size = float(rest @ rest)
        if decrease <= FOUND * max(size, weight):
            return x, taken, True
        length = min(1.0, EDGE * barrier.room(x, step))
        value = size + weight * barrier.value(x)
        while True:
            new = x + length * step
            fall = value - float(np.sum((matrix @ new - right) ** 2)) - weight * barrier.value(new)
            if fall >= length * decrease / 4 or length < FOUND:
                break
            length /= 2
        if length < FOUND:  # rounding lets no step make it smaller
            return x, taken, decrease <= np.sqrt(FOUND) * max(size, weight)
        x = new
    return x, most, False


@dataclass(frozen=True)
class _Barrier:
    """The divergence of all that parameters are of from where they start."""

    kinds: Kinds
    start: np.ndarray
    factors: list[np.ndarray]

    @classmethod
    def of(cls, kinds: Kinds, start: np.ndarray) -> "_Barrier":
        first = start.copy()
        first[kinds.positive] = np.maximum(start[kinds.positive], UNSEEN)
        first[kinds.free] = 0
        factors = []
        for k in kinds.bodies:
            factor = factor_of(start[k : k + 10])
            factors.append(factor)
            first[k : k + 10] = np.linalg.lstsq(
                BASIS.reshape(10, 16).T, (factor @ factor.T).ravel(), rcond=None
            )[0]
        return cls(kinds, first, factors)

    def _own(self, x: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Return for each body its place, its pseudo-inertia and the factor where it starts."""
        pairs = zip(self.kinds.bodies, self.factors, strict=True)
        return [(k, pseudo_inertia(x[k : k + 10]), factor) for k, factor in pairs]

    def value(self, x: np.ndarray) -> float:
        """Return the divergence."""
        ratio = x[self.kinds.positive] / self.start[self.kinds.positive]
        total = float(np.sum(ratio - np.log(ratio) - 1) + np.sum(x[self.kinds.free] ** 2) / 2)
        for _, pseudo, factor in self._own(x):
            relative = _relative(pseudo, factor)
            total += np.trace(relative) - np.linalg.slogdet(relative)[1] - 4
        return total

    def rows(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return J and r with the slopes ``J^T r`` of the divergence and curvatures ``J^T J``."""
        positive, free = self.kinds.positive, self.kinds.free
        rows = np.zeros((16 * len(self.factors) + len(positive) + len(free), len(x)))
        right = np.zeros(len(rows))
        for place, (k, pseudo, factor) in enumerate(self._own(x)):
            own = slice(16 * place, 16 * place + 16)
            root = np.linalg.cholesky(pseudo)
            inverse = np.linalg.inv(root)
            rows[own, k : k + 10] = (inverse @ BASIS @ inverse.T).reshape(10, 16).T
            relative = np.linalg.solve(factor, root)
            right[own] = (relative.T @ relative - np.eye(4)).ravel()
        others = 16 * len(self.factors) + np.arange(len(positive))
        rows[others, positive] = 1 / x[positive]
        right[others] = x[positive] / self.start[positive] - 1
        others = len(rows) - len(free) + np.arange(len(free))
        rows[others, free] = 1
        right[others] = x[free]
        return rows, right

    def room(self, x: np.ndarray, step: np.ndarray) -> float:
        """Return how many steps lead to the edge of what can exist."""
        positive = self.kinds.positive
        rates = [-step[positive] / x[positive]]
        for k, pseudo, _ in self._own(x):
            change = pseudo_inertia(step[k : k + 10])
            rates.append(-scipy.linalg.eigh(change, pseudo, eigvals_only=True))
        return 1 / max(float(np.concatenate(rates).max(initial=0)), np.finfo(float).tiny)


def _relative(pseudo: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Return a pseudo-inertia as seen from that which has a factor: one for the same."""
    half = np.linalg.solve(factor, pseudo)
    return np.linalg.solve(factor, half.T)
