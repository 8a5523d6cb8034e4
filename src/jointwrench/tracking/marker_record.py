"""A whole record of markers: the search for a start, then all instants in turn."""

from dataclasses import dataclass, replace

import numpy as np

from ..checks.tolerances import EQUAL
from .levenberg_marquardt import LeastSquares, Solution, Targets
from .marker_observations import MarkerObservations

#: What moves more than this part of the markers moves the whole.
SHARE_OF_ALL = 0.75

#: Starts that are tried for what moves all markers; how many of them are followed further.
STARTS, FOLLOWED = 32, 6

#: A cost so many times that of a neighbour may not be the least; from so many radians on a
#: neighbour may have another solution.
WORSE_COST, LARGE_CHANGE = 4.0, 1.0


@dataclass(frozen=True, kw_only=True)
class MarkerRecord(LeastSquares):
    """The least squares of markers over time."""

    # Targets (N, n) of coordinates have pulls (n,). Starts (N, n) has the values of what is not
    # free. Likely: the least and largest values (n,) between which a start is sought, finite for
    # what turns.

    observed: MarkerObservations
    q_targets: np.ndarray
    q_weights: np.ndarray
    starts: np.ndarray
    start_range: tuple[np.ndarray, np.ndarray]

    def solve(self, start: np.ndarray | None) -> Solution:
        """Return coordinates at all instants, from a start (1, n), if any."""
        nothing = np.zeros((2, len(self.starts)), bool)
        fit = Solution(self.starts.copy(), np.full(len(self.starts), np.inf), *nothing)
        observed = np.flatnonzero(self.observed.weights.any(axis=-1))
        first, rest = observed[:1], observed[1:]
        fit.put(first, self._fit_first(first) if start is None else self._fit(start, first))
        fit.put(rest, self._fit(fit.q[first].repeat(len(rest), 0), rest, True))
        self._follow(fit, observed)
        return fit

    # -- a start --------------------------------------------------------------------------

    def _fit_first(self, row: np.ndarray) -> Solution:
        """Return the fit of one row without a start: first coordinates that move all markers."""
        # Within what is likely; of several solutions, that nearest to where it started.
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
        is_least = fit.cost <= (1 + EQUAL) * fit.cost.min() + self.floor
        away = np.abs(np.where(self._is_angle, fit.q - self.starts[row], 0)).sum(axis=-1)
        nearest = np.argmin(np.where(is_least, away, np.inf))
        return self._fit(fit.q[[nearest]], row)

    # -- from row to row --------------------------------------------------------------------

    def _follow(self, fit: Solution, observed: np.ndarray) -> None:
        """Follow the motion from its jumps, forward and backward."""
        for order in (1, -1):
            pairs = np.stack([observed[::order][:-1], observed[::order][1:]], axis=1)
            jumps = self._find_jumps(fit, pairs)
            for k, (before, row) in enumerate(pairs):
                if not jumps[k]:
                    continue
                again = self._fit(fit.q[[before]], np.array([row]))
                if again.cost[0] <= (1 + EQUAL) * fit.cost[row] + self.floor:
                    fit.put(np.array([row]), again)
                    jumps[k + 1 : k + 2] = self._find_jumps(fit, pairs[k + 1 : k + 2])

    def _find_jumps(self, fit: Solution, pairs: np.ndarray) -> np.ndarray:
        """Return the pairs whose second sample has another or a much worse solution."""
        before, after = pairs.T
        turned = np.abs(fit.q[after] - fit.q[before])[:, self._is_angle].max(axis=1, initial=0.0)
        worst = WORSE_COST * fit.cost[before] + self.floor
        return (turned > LARGE_CHANGE) | (fit.cost[after] > worst)

    # -- one batch --------------------------------------------------------------------------

    def _fit(self, starts: np.ndarray, rows: np.ndarray, follows: bool = False) -> Solution:
        """Return the fit of rows near starts (M, n), at prescribed values, or one by one."""
        starts = np.where(self.free, starts, self.starts[rows])
        tracked, change = self.tracked, 0 * self.q_weights
        positions, weights = np.zeros((2, len(rows), tracked.position_size))
        positions[:, tracked.point_rows] = self.observed.positions[rows]
        weights[:, tracked.point_rows] = self.observed.weights[rows][..., None]
        targets = Targets(positions, weights, self.q_targets[rows], self.q_weights, change, starts)
        return self.fit(starts[:, None], targets, follows)

    def columns(self, q: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return weighted residuals (M, 3 k), their slopes, and those of constraints (M, m, n)."""
        values, jacobian = self.tracked.values(q)
        points, measured = self.tracked.point_rows, self.observed
        roots = np.sqrt(measured.weights[rows])[..., None]
        residuals = ((values[:, points] - measured.positions[rows]) * roots).reshape(len(q), -1)
        columns = (jacobian[:, points] * roots[..., None]).reshape(*residuals.shape, -1)
        return residuals, columns, jacobian[:, self.tracked.position_size :]

    @property
    def _is_angle(self) -> np.ndarray:
        return self.tracked.coordinates.is_angle
