"""A whole record of markers: the search for a start, then all instants in turn."""

from dataclasses import dataclass, replace

import numpy as np

from ..checks.tolerances import EQUAL
from .levenberg_marquardt import Fitted, LeastSquares, Wanted
from .seen_markers import SeenMarkers

#: What moves more than this part of the markers moves the whole.
MOST = 0.75

#: Starts that are tried for what moves all markers; how many of them are followed further.
STARTS, FOLLOWED = 32, 6

#: A cost so many times that of a neighbour may not be the least; from so many radians on a
#: neighbour may have another solution.
SUSPICIOUS, LEAP = 4.0, 1.0


@dataclass(frozen=True, kw_only=True)
class MarkerRecord(LeastSquares):
    """The least squares of markers over time."""

    # Targets (N, n) of coordinates have pulls (n,). Starts (N, n) has the values of what is not
    # free. Likely: the least and largest values (n,) between which a start is sought, finite for
    # what turns.

    seen: SeenMarkers
    targets: np.ndarray
    pulls: np.ndarray
    starts: np.ndarray
    likely: tuple[np.ndarray, np.ndarray]

    def solved(self, start: np.ndarray | None) -> Fitted:
        """Return coordinates at all instants, from a start (1, n), if any."""
        nothing = np.zeros((2, len(self.starts)), bool)
        fit = Fitted(self.starts.copy(), np.full(len(self.starts), np.inf), *nothing)
        seen = np.flatnonzero(self.seen.weights.any(axis=-1))
        first, rest = seen[:1], seen[1:]
        fit.put(first, self._first(first) if start is None else self._fit(start, first))
        fit.put(rest, self._fit(fit.q[first].repeat(len(rest), 0), rest, True))
        self._follow(fit, seen)
        return fit

    # -- a start --------------------------------------------------------------------------

    def _first(self, row: np.ndarray) -> Fitted:
        """Return the fit of one row without a start: first coordinates that move all markers."""
        # Within what is likely; of several solutions, that nearest to where it started.
        low, high = self.likely
        low = np.where(np.isfinite(self.lower), self.lower, np.where(self.free, low, -np.inf))
        high = np.where(np.isfinite(self.upper), self.upper, np.where(self.free, high, np.inf))
        high = np.maximum(low, high)
        likely = replace(self, lower=low, upper=high)
        rng = np.random.default_rng(20261122)
        starts = np.repeat(self.starts[row], STARTS, axis=0)
        _, slopes = self.tracked.places(starts[:1])
        used = self.seen.weights[row[0]] > 0
        parts = np.mean(slopes[0, used].any(axis=1), axis=0)
        moves_all = np.logical_and(self.free, parts > MOST)
        turning = np.flatnonzero(moves_all & self._turns)
        starts[1:, turning] = rng.uniform(low[turning], high[turning], (STARTS - 1, len(turning)))
        rows = np.repeat(row, STARTS)
        if moves_all.any():
            coarse = replace(likely, free=moves_all)._fit(starts, rows)
            best = np.argsort(coarse.cost)[:FOLLOWED]
            starts = np.append(coarse.q[best], self.starts[row], axis=0)
            rows = rows[: len(starts)]
        fit = likely._fit(starts, rows)
        is_least = fit.cost <= (1 + EQUAL) * fit.cost.min() + self.floor
        away = np.abs(np.where(self._turns, fit.q - self.starts[row], 0)).sum(axis=-1)
        nearest = np.argmin(np.where(is_least, away, np.inf))
        return self._fit(fit.q[[nearest]], row)

    # -- from row to row --------------------------------------------------------------------

    def _follow(self, fit: Fitted, seen: np.ndarray) -> None:
        """Follow the motion from its jumps, forward and backward."""
        for order in (1, -1):
            pairs = np.stack([seen[::order][:-1], seen[::order][1:]], axis=1)
            leaps = self._leaps(fit, pairs)
            for k, (before, row) in enumerate(pairs):
                if not leaps[k]:
                    continue
                again = self._fit(fit.q[[before]], np.array([row]))
                if again.cost[0] <= (1 + EQUAL) * fit.cost[row] + self.floor:
                    fit.put(np.array([row]), again)
                    leaps[k + 1 : k + 2] = self._leaps(fit, pairs[k + 1 : k + 2])

    def _leaps(self, fit: Fitted, pairs: np.ndarray) -> np.ndarray:
        """Return the pairs whose second sample has another or a much worse solution."""
        before, after = pairs.T
        turned = np.abs(fit.q[after] - fit.q[before])[:, self._turns].max(axis=1, initial=0.0)
        worst = SUSPICIOUS * fit.cost[before] + self.floor
        return (turned > LEAP) | (fit.cost[after] > worst)

    # -- one batch --------------------------------------------------------------------------

    def _fit(self, starts: np.ndarray, rows: np.ndarray, follows: bool = False) -> Fitted:
        """Return the fit of rows near starts (M, n), at prescribed values, or one by one."""
        starts = np.where(self.free, starts, self.starts[rows])
        tracked, pulls = self.tracked, self.pulls
        places, weights = np.zeros((2, len(rows), tracked.numbers))
        places[:, tracked.chosen] = self.seen.places[rows]
        weights[:, tracked.chosen] = self.seen.weights[rows][..., None]
        wanted = Wanted(places, weights, self.targets[rows], pulls, 0 * pulls, starts)
        return self.fit(starts[:, None], wanted, follows)

    def columns(self, q: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return weighted residuals (M, 3 k), their slopes, and those of constraints (M, m, n)."""
        values, slopes = self.tracked.values(q)
        chosen, roots = self.tracked.chosen, np.sqrt(self.seen.weights[rows])[..., None]
        misses = ((values[:, chosen] - self.seen.places[rows]) * roots).reshape(len(q), -1)
        columns = (slopes[:, chosen] * roots[..., None]).reshape(*misses.shape, -1)
        return misses, columns, slopes[:, self.tracked.numbers :]

    @property
    def _turns(self) -> np.ndarray:
        return self.tracked.coordinates.turns
