"""Newton's method for position constraints, in natural units, along one assembly mode.

References
==========

.. [1] P. Deuflhard, Newton Methods for Nonlinear Problems, Springer 2011, chapter 5
   (how far a step along a path may go).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...checks.tolerances import CLOSED, EXACTLY_CLOSED, SHORT_STEP, SINGULAR, UNDETERMINED
from ...records.angle_wrapping import wrap_to_nearest

#: Largest number of Newton steps; factors by which a step is damped while the errors grow.
MOST_STEPS, DAMPINGS = 100, 2.0 ** -np.arange(12)

#: Largest difference between the solution's step and Newton's first step, relative to the latter;
#: if it is larger, the path to the next sample is halved.  The second number is for short paths,
#: which lead to or from a dead point.
MOST_TURN, MOST_SHORT_TURN = 0.5, 1.2

#: Fractions of the path between two samples that are short, and too short to go on.
SHORT_WAY, SHORTEST_WAY = 2.0**-10, 2.0**-14


@dataclass(frozen=True)
class PositionSolver:
    """Position equations, solved for the dependent coordinates of samples.

    Attributes
    ==========

    linearise : function
        Returns the errors (M, m) at samples (M, ...), and their derivatives (M, m, n) by the n
        dependent coordinates, both in natural units.
    places : numpy.ndarray of int, shape (n,)
        The positions of the dependent coordinates in a sample.
    units : numpy.ndarray, shape (n,)
        Their natural units.
    is_turning : numpy.ndarray of bool, shape (n,)
        Whether they are angles.
    """

    linearise: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    places: np.ndarray
    units: np.ndarray
    is_turning: np.ndarray

    def assemble(self, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return samples (M, ...) with solved dependent entries, and the remaining errors (M, m).

        Near a singular pose an angle may make whole turns; it is wrapped to the initial guess if
        that satisfies the equations as well.
        """
        ends, left = self._solve(samples)
        near, turning = ends.copy(), self.places[self.is_turning]
        near[:, turning] = wrap_to_nearest(ends[:, turning], samples[:, turning])
        far = np.flatnonzero((near != ends).any(axis=-1))
        if far.size and (back := far[is_closed(self.linearise(near[far])[0])]).size:
            ends[back], left[back] = self._solve(near[back])
        return ends, left

    def _solve(self, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return samples solved by damped Newton steps from their entries, and the remaining
        errors.
        """
        samples = samples.copy()
        left, slopes = self.linearise(samples)
        is_active = np.ones(len(samples), bool)
        for _ in range(MOST_STEPS):
            is_active &= ~_is_below(EXACTLY_CLOSED, left)
            todo = np.flatnonzero(is_active)
            if not todo.size:
                break
            steps, _ = solve_least_squares(slopes[todo], -left[todo])
            for damping in DAMPINGS:
                trial = samples[todo]
                trial[:, self.places] += damping * steps * self.units
                errors, more = self.linearise(trial)
                is_better = np.linalg.norm(errors, axis=-1) < np.linalg.norm(left[todo], axis=-1)
                better = todo[is_better]
                samples[better], left[better] = trial[is_better], errors[is_better]
                slopes[better] = more[is_better]
                is_done = ~is_better & is_closed(left[todo])
                is_active[todo[is_done]] = False  # only roundoff is left
                todo, steps = (x[~(is_better | is_done)] for x in (todo, steps))
                if not todo.size:
                    break
            is_active[todo] = False  # no damped step reduces the errors
        return samples, left

    def follow(
        self, before: np.ndarray, after: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return samples ``after`` in the assembly mode of ``before``, their errors, and a success
        mask.

        The path between both is followed in steps, which are halved where Newton's first step does
        not predict the solution.
        """
        places, units = self.places, self.units
        at, done, way = before.copy(), np.zeros(len(before)), np.ones(len(before))
        while (todo := np.flatnonzero((done < 1) & (way >= SHORTEST_WAY))).size:
            part = np.minimum(done + way, 1)[todo, None]
            start = np.where(part < 1, before[todo] + part * (after - before)[todo], after[todo])
            start[:, places] = at[todo][:, places]
            errors, slopes = self.linearise(start)
            step, _ = solve_least_squares(slopes, -errors)
            end, errors = self.assemble(start)
            rest = np.linalg.norm((end - start)[:, places] / units - step, axis=-1)
            room = SHORT_STEP * (1 + np.linalg.norm(start[:, places] / units, axis=-1))
            most = np.where(way[todo] < SHORT_WAY, MOST_SHORT_TURN, MOST_TURN)
            is_near = rest <= most * np.linalg.norm(step, axis=-1) + room
            is_near &= is_closed(errors)
            near = todo[is_near]
            at[near], done[near] = end[is_near], part[is_near, 0]
            way[todo] *= np.where(is_near, 2, 0.5)
        left, lost = np.zeros((len(before), errors.shape[-1])), np.flatnonzero(done < 1)
        if lost.size:
            start = after[lost]
            start[:, places] = at[lost][:, places]
            _, errors = self.assemble(start)
            # where the equations hold, the solution is of another assembly mode
            left[lost] = np.where(is_closed(errors)[:, None], 0, errors)
        return at, left, done == 1


def is_closed(left: np.ndarray) -> np.ndarray:
    """Return a mask of the samples whose errors (M, m) are only roundoff."""
    return _is_below(CLOSED, left)


def _is_below(part: float, left: np.ndarray) -> np.ndarray:
    """Return a mask of the samples whose errors have at most the norm ``part``."""
    return np.linalg.norm(left, axis=-1) <= part


def solve_least_squares(slopes: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the solution (..., n[, k]) of unitless equations (..., m, n), and a mask of
    undetermined unknowns.
    """
    is_single = right.ndim < slopes.ndim
    columns = right[..., None] if is_single else right
    alive = np.isfinite(slopes).all(axis=(-2, -1)) & np.isfinite(columns).all(axis=(-2, -1))
    slopes, columns = (np.where(alive[..., None, None], x, 0) for x in (slopes, columns))
    left_vectors, sizes, rows = np.linalg.svd(slopes, full_matrices=False)
    is_open = sizes <= SINGULAR
    inverse = np.where(is_open, 0, 1 / np.where(is_open, 1, sizes))
    parts = inverse[..., None] * (np.swapaxes(left_vectors, -1, -2) @ columns)
    solution = np.swapaxes(rows, -1, -2) @ parts
    open_ = (is_open[..., None] & (np.abs(rows) > UNDETERMINED)).any(axis=-2)
    return solution[..., 0] if is_single else solution, open_
