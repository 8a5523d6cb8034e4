"""The fit of a record of markers: the initial guess at the first instant, then all instants."""

from dataclasses import dataclass, replace

import numpy as np

from ..checks.tolerances import TIED
from .levenberg_marquardt import LeastSquares, PoseFit, Targets
from .marker_observations import MarkerObservations

#: A coordinate that moves more than this share of the markers counts as moving all of them.
SHARE_OF_ALL = 0.75

#: Initial guesses for the coordinates that move all markers; how many of the best are refined.
STARTS, FOLLOWED = 32, 6

#: A cost this many times the cost of the neighbouring instant may be another, local minimum; angles
#: that differ by more radians than this may belong to another solution.
WORSE_COST, LARGE_CHANGE = 4.0, 1.0


@dataclass(frozen=True, kw_only=True)
class MarkerRecord(LeastSquares):
    """The least-squares problem of markers at N instants.

    Attributes
    ==========

    observed : MarkerObservations
        The measured positions.
    q_targets, q_weights : numpy.ndarray, shapes (N, n) and (n,)
        Target values of coordinates and their weights.
    starts : numpy.ndarray, shape (N, n)
        The reference pose, with the values of prescribed coordinates.
    start_range : pair of numpy.ndarray, shape (n,)
        The least and largest values of initial guesses, finite for angles.
    """

    observed: MarkerObservations
    q_targets: np.ndarray
    q_weights: np.ndarray
    starts: np.ndarray
    start_range: tuple[np.ndarray, np.ndarray]

    def solve(self, start: np.ndarray | None) -> PoseFit:
        """Return the solutions at all instants, from the user's initial guess (1, n), if any."""
        nothing = np.zeros((2, len(self.starts)), bool)
        fit = PoseFit(self.starts.copy(), np.full(len(self.starts), np.inf), *nothing)
        observed = np.flatnonzero(self.observed.weights.any(axis=-1))
        first, rest = observed[:1], observed[1:]
        fit.put(first, self._fit_first(first) if start is None else self._fit(start, first))
        fit.put(rest, self._fit(fit.q[first].repeat(len(rest), 0), rest, True))
        self._follow(fit, observed)
        return fit

    # -- the first instant ----------------------------------------------------------------

    def _fit_first(self, row: np.ndarray) -> PoseFit:
        """Return the solution of one row without the user's initial guess."""
        # Random angles start a coarse fit of only the coordinates that move all markers; the best
        # results start fits of all coordinates. Of equal minima the one with the least rotation
        # from the reference pose is returned.
        low, high = self.start_range
        low = np.where(np.isfinite(self.lower), self.lower, np.where(self.free, low, -np.inf))
        high = np.where(np.isfinite(self.upper), self.upper, np.where(self.free, high, np.inf))
        high = np.maximum(low, high)
        limited = replace(self, lower=low, upper=high)
        rng = np.random.default_rng(20261122)
        starts = np.repeat(self.starts[row], STARTS, axis=0)
        _, jacobian = self.tracked.positions(starts[:1])
        used = self.observed.weights[row[0]] > 0
        parts = np.mean(jacobian[0, used].any(axis=1), axis=0)
        moves_all = np.logical_and(self.free, parts > SHARE_OF_ALL)
        turning = np.flatnonzero(moves_all & self._is_angle)
        starts[1:, turning] = rng.uniform(low[turning], high[turning], (STARTS - 1, len(turning)))
        rows = np.repeat(row, STARTS)
        if moves_all.any():
            coarse = replace(limited, free=moves_all)._fit(starts, rows)
            best = np.argsort(coarse.cost)[:FOLLOWED]
            starts = np.append(coarse.q[best], self.starts[row], axis=0)
            rows = rows[: len(starts)]
        fit = limited._fit(starts, rows)
        is_least = fit.cost <= (1 + TIED) * fit.cost.min() + self.floor
        away = np.abs(np.where(self._is_angle, fit.q - self.starts[row], 0)).sum(axis=-1)
        nearest = np.argmin(np.where(is_least, away, np.inf))
        return self._fit(fit.q[[nearest]], row)

    # -- the other instants -----------------------------------------------------------------

    def _follow(self, fit: PoseFit, observed: np.ndarray) -> None:
        """Fit the instants after jumps again from their neighbours, forward and then backward."""
        for order in (1, -1):
            pairs = np.stack([observed[::order][:-1], observed[::order][1:]], axis=1)
            jumps = self._find_jumps(fit, pairs)
            for k, (before, row) in enumerate(pairs):
                if not jumps[k]:
                    continue
                again = self._fit(fit.q[[before]], np.array([row]))
                if again.cost[0] <= (1 + TIED) * fit.cost[row] + self.floor:
                    fit.put(np.array([row]), again)
                    jumps[k + 1 : k + 2] = self._find_jumps(fit, pairs[k + 1 : k + 2])

    def _find_jumps(self, fit: PoseFit, pairs: np.ndarray) -> np.ndarray:
        """Return a boolean mask of pairs whose second sample jumps or has a much larger cost."""
        before, after = pairs.T
        turned = np.abs(fit.q[after] - fit.q[before])[:, self._is_angle].max(axis=1, initial=0.0)
        worst = WORSE_COST * fit.cost[before] + self.floor
        return (turned > LARGE_CHANGE) | (fit.cost[after] > worst)

    # -- one batch --------------------------------------------------------------------------

    def _fit(self, starts: np.ndarray, rows: np.ndarray, follows: bool = False) -> PoseFit:
        """Return the solutions of rows from initial guesses (M, n); see `LeastSquares.fit`."""
        starts = np.where(self.free, starts, self.starts[rows])
        tracked, change = self.tracked, 0 * self.q_weights
        positions, weights = np.zeros((2, len(rows), tracked.position_size))
        positions[:, tracked.point_rows] = self.observed.positions[rows]
        weights[:, tracked.point_rows] = self.observed.weights[rows][..., None]
        targets = Targets(positions, weights, self.q_targets[rows], self.q_weights, change, starts)
        return self.fit(starts[:, None], targets, follows)

    def columns(self, q: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return weighted residuals (M, 3 k), their Jacobian, and the constraints' Jacobian.

        The Jacobians at coordinates q (M, n) have the shapes (M, 3 k, n) and (M, m, n).
        """
        values, jacobian = self.tracked.values(q)
        points, measured = self.tracked.point_rows, self.observed
        roots = np.sqrt(measured.weights[rows])[..., None]
        residuals = ((values[:, points] - measured.positions[rows]) * roots).reshape(len(q), -1)
        columns = (jacobian[:, points] * roots[..., None]).reshape(*residuals.shape, -1)
        return residuals, columns, jacobian[:, self.tracked.position_size :]

    @property
    def _is_angle(self) -> np.ndarray:
        return self.tracked.coordinates.is_angle
