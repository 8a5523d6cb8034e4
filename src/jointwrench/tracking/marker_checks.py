"""Checks of measured markers: wrong units, all on one line, swapped sides."""

from collections.abc import Iterator

import numpy as np

from ..checks.tolerances import COLLINEAR
from ..records.laboratory import check_unit
from .marker_observations import MarkerObservations

#: A marker is reported if its RMS residual exceeds FAR times the spread of all markers and TIMES
#: times the median residual; if the median exceeds LOST times the spread, all markers are.
FAR, TIMES, LOST = 0.2, 5.0, 0.3

#: A marker may be swapped with another if its distance from the other's point on the model is below
#: this share of its residual.
NEARER = 0.5


def check_unit_of_markers(observed: MarkerObservations, positions: np.ndarray) -> None:
    """Raise an error if the spread of measured markers shows another unit than the model's.

    ``positions`` (k, 3) are the model's points in one pose.
    """
    model = np.broadcast_to(positions, observed.positions.shape)
    spreads = [_spread(x, observed.weights) for x in (observed.positions, model)]
    many = ((observed.weights > 0).sum(axis=1) > 1) & (spreads[1] > 0)
    if many.any():
        check_unit("markers", float(np.median(spreads[0][many] / spreads[1][many])))


def find_collinear_instants(observed: MarkerObservations, positions: np.ndarray) -> np.ndarray:
    """Return the indices of instants whose measured markers are collinear, but not the model's."""
    seen, model = (_in_line(x, observed.weights) for x in (observed.positions, positions))
    return np.flatnonzero(seen & ~model & observed.weights.any(axis=1))


def describe_misplaced(observed: MarkerObservations, positions: np.ndarray) -> Iterator[str]:
    """Yield a sentence for each marker that is far from its point on the model, (N, k, 3)."""
    names = tuple(observed.points)
    residuals = observed.residuals(positions)[:, : len(names)]
    seen = np.flatnonzero(np.isfinite(residuals).any(axis=0))
    sizes = np.sqrt(np.nanmean(residuals[:, seen] ** 2, axis=0))
    spread = float(np.median(_spread(observed.positions, observed.weights)))
    typical = np.median(sizes)
    if not spread > 0:  # one marker
        return
    if typical > LOST * spread:
        yield (
            f"most markers are {typical:.3g} away from their points on the model. Are left and "
            "right swapped, is the vertical axis wrong, or is it another person's model?"
        )
        return
    for k, size in zip(seen.tolist(), sizes, strict=True):
        if size <= max(FAR * spread, TIMES * typical):
            continue
        rows = observed.weights[:, k] > 0
        centered = positions[rows][:, seen] - observed.positions[rows][:, [k]]
        apart = np.sqrt((centered**2).sum(axis=-1).mean(axis=0))
        nearest = int(np.argmin(apart))
        where = f", but {apart[nearest]:.3g} from the point of {names[seen[nearest]]!r}"
        yield (
            f"{names[k]!r} is {size:.3g} away from its point on the model"
            f"{where if apart[nearest] < NEARER * size else ''}. Is it on the wrong side, or "
            "swapped?"
        )


def _spread(positions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the RMS distance of positions (N, k, 3) from their centre at each instant, (N,)."""
    centered, counts = _center(positions, weights)
    return np.sqrt((centered**2).sum(axis=(1, 2)) / counts)


def _in_line(positions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    centered, _ = _center(positions, weights)
    squares = np.maximum(np.linalg.eigvalsh(centered.swapaxes(1, 2) @ centered), 0.0)
    return squares[:, 1] <= COLLINEAR**2 * squares[:, 2]


def _center(positions: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions relative to their centre, zero if missing, and the number of markers."""
    known = (weights > 0)[..., None]
    counts = np.maximum(known.sum(axis=1), 1)
    center = np.where(known, positions, 0.0).sum(axis=1) / counts
    return np.where(known, positions - center[:, None], 0.0), counts[:, 0]
