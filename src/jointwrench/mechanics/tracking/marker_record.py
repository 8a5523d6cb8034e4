"""A whole record of markers: a start that finds itself, coarse steps, and all between at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...checks.tolerances import EQUAL, NOTHING
from .levenberg_marquardt import Fitted, LeastSquares, Linearised

#: Places (M, k, 3) of markers at coordinates (M, n), and their slopes (M, k, 3, n).
Places = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]

#: By which part of its size the cloud of markers may change its shape in a coarse step, and how
#: many samples there may be in one.
STRIDE, MOST_SAMPLES = 0.15, 32

#: What moves more than this part of the markers moves the whole.
MOST = 0.75

#: Starts that are tried for what moves all markers; how many of them are followed further.
STARTS, FOLLOWED = 32, 6

#: A cost so many times that of a neighbour may not be the least; from so many radians on a
#: neighbour may have another solution.
SUSPICIOUS, LEAP = 4.0, 1.0

#: Numbers in the slopes of the samples that are looked at together: what caches hold.
BLOCK = 2**18


class MarkerTargets(NamedTuple):
    """What is to be matched at N instants: places of k markers, and values of n coordinates."""

    # Places (N, k, 3) with weights (N, k), zero where a marker is missing; targets (N, n) with
    # (n,).

    places: np.ndarray
    weights: np.ndarray
    targets: np.ndarray
    target_weights: np.ndarray

    def residuals(self, places: np.ndarray) -> np.ndarray:
        """Return distances of markers (N, k) from where they were seen, NaN if they were not."""
        distances = np.linalg.norm(places - self.places, axis=-1)
        return np.where(self.weights > 0, distances, np.nan)


@dataclass(frozen=True)
class MarkerRecord:
    """Markers over time, and the model that is to match them."""

    # Free (n,): which coordinates are not prescribed; starts (N, n) has those that are. Turns:
    # which turn something; likely: the least and largest values (n,) between which a start is
    # sought, finite for what turns.

    places_at: Places
    observed: MarkerTargets
    lower: np.ndarray
    upper: np.ndarray
    free: np.ndarray
    turns: np.ndarray
    constraints: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]] | None
    starts: np.ndarray
    likely: tuple[np.ndarray, np.ndarray]

    def fit(self, start: np.ndarray | None, told: Callable[[float], None]) -> Fitted:
        """Return coordinates at all instants, from a start (n,), if any; tell how many are done."""
        count = len(self.starts)
        fit = Fitted(self.starts.copy(), np.full(count, np.inf), np.zeros(count, bool))
        seen = np.flatnonzero(self.observed.weights.any(axis=-1))
        coarse = self._coarse(seen)
        first = coarse[:1]
        fit.put(first, self._first(first) if start is None else self._fit(start[None], first))
        self._follow(fit, coarse)
        told(len(coarse))
        for rows, left, right in _halvings(seen, coarse):
            part = ((rows - left) / (right - left))[:, None]
            fit.put(rows, self._fit((1 - part) * fit.q[left] + part * fit.q[right], rows))
            told(np.isfinite(fit.cost).sum())
        self._follow(fit, seen)
        return fit

    # -- a start --------------------------------------------------------------------------

    def _first(self, row: np.ndarray) -> Fitted:
        """Return the fit of one row from nowhere: first what moves all markers, then all."""
        # Within what is likely; of several solutions, that nearest to where it started.
        low, high = self.likely
        low = np.where(np.isfinite(self.lower), self.lower, np.where(self.free, low, -np.inf))
        high = np.where(np.isfinite(self.upper), self.upper, np.where(self.free, high, np.inf))
        high = np.maximum(low, high)
        likely = replace(self, lower=low, upper=high)
        rng = np.random.default_rng(20261122)
        starts = np.repeat(self.starts[row], STARTS, axis=0)
        _, slopes = self.places_at(starts[:1])
        used = self.observed.weights[row[0]] > 0
        parts = np.mean(slopes[0, used].any(axis=1), axis=0)
        moves_all = np.logical_and(self.free, parts > MOST)
        turning = np.flatnonzero(moves_all & self.turns)
        starts[1:, turning] = rng.uniform(low[turning], high[turning], (STARTS - 1, len(turning)))
        rows = np.repeat(row, STARTS)
        if moves_all.any():
            coarse = likely._fit(starts, rows, moves_all)
            best = np.argsort(coarse.cost)[:FOLLOWED]
            starts = np.append(coarse.q[best], self.starts[row], axis=0)
            rows = rows[: len(starts)]
        fit = likely._fit(starts, rows)
        is_least = fit.cost <= (1 + EQUAL) * fit.cost.min() + self.squares.floor
        away = np.abs(np.where(self.turns, fit.q - self.starts[row], 0)).sum(axis=-1)
        nearest = np.argmin(np.where(is_least, away, np.inf))
        return self._fit(fit.q[[nearest]], row)

    # -- from row to row --------------------------------------------------------------------

    def _coarse(self, seen: np.ndarray) -> np.ndarray:
        """Return rows between which the markers do not change their shape much."""
        chosen, moved = [seen[0]], 0.0
        for row, step in zip(seen[1:], self._steps(seen), strict=True):
            moved += step
            if moved > STRIDE or row - chosen[-1] >= MOST_SAMPLES:
                chosen, moved = [*chosen, row], 0.0
        return np.array(chosen if chosen[-1] == seen[-1] else [*chosen, seen[-1]])

    def _steps(self, seen: np.ndarray) -> np.ndarray:
        """Return by which part of its size the cloud of markers changes between rows."""
        known = self.observed.weights[seen] > 0
        places = np.where(known[..., None], self.observed.places[seen], np.nan)
        both = known[1:] & known[:-1]
        changes = np.where(both[..., None], np.diff(places, axis=0), 0.0)
        counts = np.maximum(both.sum(axis=1), 1)[:, None]
        changes -= np.where(both[..., None], (changes.sum(axis=1) / counts)[:, None], 0.0)
        size = np.sqrt(np.nanmean(np.nanvar(places, axis=1).sum(axis=-1)))
        steps = np.sqrt((changes**2).sum(axis=(1, 2)) / counts[:, 0])
        return steps / size if size > 0 else steps  # of one marker, which has no shape

    def _follow(self, fit: Fitted, seen: np.ndarray) -> None:
        """Fit rows that are not yet, all from the first one; follow the motion where that jumps."""
        fresh = seen[np.isinf(fit.cost[seen])]
        if fresh.size:
            fit.put(fresh, self._fit(np.repeat(fit.q[seen[:1]], len(fresh), axis=0), fresh))
        for order in (1, -1):
            pairs = np.stack([seen[::order][:-1], seen[::order][1:]], axis=1)
            leaps = self._leaps(fit, pairs)
            for k, (before, row) in enumerate(pairs):
                if not leaps[k]:
                    continue
                again = self._fit(fit.q[[before]], np.array([row]))
                if again.cost[0] <= (1 + EQUAL) * fit.cost[row] + self.squares.floor:
                    fit.put(np.array([row]), again)
                    leaps[k + 1 : k + 2] = self._leaps(fit, pairs[k + 1 : k + 2])

    def _leaps(self, fit: Fitted, pairs: np.ndarray) -> np.ndarray:
        """Return of which pairs the second has another solution than the first, or far worse."""
        before, after = pairs.T
        turned = np.abs(fit.q[after] - fit.q[before])[:, self.turns].max(axis=1, initial=0.0)
        worst = SUSPICIOUS * fit.cost[before] + self.squares.floor
        return (turned > LEAP) | (fit.cost[after] > worst)

    # -- one batch --------------------------------------------------------------------------

    def _fit(self, starts: np.ndarray, rows: np.ndarray, free: np.ndarray | None = None) -> Fitted:
        """Return the fit of rows near starts, at prescribed values; in blocks."""
        starts = np.where(self.free, starts, self.starts[rows])
        size = max(BLOCK // (3 * self.observed.places.shape[1] * starts.shape[1]), 1)
        free = self.free if free is None else free
        blocks = (slice(k, k + size) for k in range(0, len(rows), size))
        fits = [self.squares.fit(starts[block], rows[block], free) for block in blocks]
        return Fitted(*(np.concatenate(parts) for parts in zip(*fits, strict=True)))

    @cached_property
    def squares(self) -> LeastSquares:
        """The squares of all rows."""
        known = self.observed.places[self.observed.weights > 0]
        floor = self.observed.weights.max() * float(NOTHING * np.abs(known).max()) ** 2
        return LeastSquares(self.linearised, self.lower, self.upper, self.constraints, floor)

    def linearised(self, q: np.ndarray, rows: np.ndarray) -> Linearised:
        """Return the squares of what does not match."""
        observed, (misses, columns) = self.observed, self.columns(q, rows)
        gradient = (misses[:, None] @ columns)[:, 0]
        normal = columns.swapaxes(1, 2) @ columns
        cost = np.einsum("mi,mi->m", misses, misses)
        if observed.target_weights.any():
            off = q - observed.targets[rows]
            cost += off**2 @ observed.target_weights
            gradient += observed.target_weights * off
            np.einsum("mii->mi", normal)[...] += observed.target_weights
        return Linearised(cost, gradient, normal)

    def columns(self, q: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return weighted misses of places (M, 3 k) and their slopes (M, 3 k, n)."""
        places, slopes = self.places_at(q)
        roots = np.sqrt(self.observed.weights[rows])[..., None]
        misses = ((places - self.observed.places[rows]) * roots).reshape(len(q), -1)
        return misses, (slopes * roots[..., None]).reshape(*misses.shape, -1)


def _halvings(
    seen: np.ndarray, known: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield rows halfway between known ones, with those, until all are known."""
    places = np.searchsorted(seen, known)
    while (np.diff(places) > 1).any():
        left, right = places[:-1], places[1:]
        left, right = left[right - left > 1], right[right - left > 1]
        middle = (left + right) // 2
        yield seen[middle], seen[left], seen[right]
        places = np.sort(np.append(places, middle))
