"""Huber's loss: large residuals count by their magnitude, not by their square.

Iterated least squares of forces whose residuals are clipped at some standard deviations: each step
solves equations with the same matrix.

References
==========

.. [1] P. J. Huber, Robust Statistics, Wiley 1981, sections 7.7 and 7.8: modified residuals.
"""

from dataclasses import replace

import numpy as np

from ..checks.messages import warn
from ..checks.tolerances import TIED
from ..records.samples import find_gaps
from .force_data import ForceData

#: Standard deviations at which residuals are clipped: 95 % efficient for normal errors.
BEND = 1.345

#: Standard deviations beyond which short deviations are spikes.
SPIKE = 4.0

#: Standard deviation divided by the median magnitude of normal errors.
NORMAL = 1.4826

#: Largest number of steps; each decreases the error several times.
MAX_STEPS = 500


def _fit_huber(
    data: ForceData, places: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the residuals of Huber's least loss, clipped residuals, limits, and scales.

    They are arrays of the measured forces, in standard deviations; the scales convert to forces.
    """
    # Each step is the least-squares fit of the clipped residuals, by the same orthogonal factor.
    equations = data.equations(places)
    root = np.sqrt(equations.weights)
    matrix = equations.coefficients * root[:, None]
    orthogonal = np.linalg.qr(matrix / np.linalg.norm(matrix, axis=0))[0]
    right, fitted = equations.forces * root, 0.0
    step = orthogonal @ (orthogonal.T @ right)
    force = np.nonzero(data.is_measured)[1]
    for _ in range(MAX_STEPS):
        fitted = fitted + step
        rest = right - fitted
        sizes = [abs(rest[force == k]) for k in range(data.is_measured.shape[1])]
        scatter = [NORMAL * np.median(own) if own.size else 1.0 for own in sizes]
        limit = BEND * np.array(scatter)[force]
        cut = np.clip(rest, -limit, limit)
        step = orthogonal @ (orthogonal.T @ cut)
        if (abs(step) <= TIED * limit).all():
            break
    else:
        size = float(np.max(abs(step) / np.where(limit > 0, limit, 1)))
        warn(
            f"`loss`: the search for the least of Huber's loss has not converged after {MAX_STEPS} "
            f"steps, the last one changed forces by {size:.2g} of their scatter."
        )
    units = np.broadcast_to(data.units.forces, data.measured.shape)[data.is_measured]
    return rest, cut, limit, units / root


def clip_residuals(data: ForceData, places: tuple[int, ...]) -> tuple[ForceData, float]:
    """Return the data with residuals clipped, and the fraction of residuals within the limits.

    The least squares of these data minimise Huber's loss of the original data.
    """
    rest, cut, limit, sizes = _fit_huber(data, places)
    changed = np.zeros_like(data.measured)
    changed[data.is_measured] = (cut - rest) * sizes
    return replace(data, measured=data.measured + changed), float(np.mean(abs(rest) < limit))


def replace_spikes(data: ForceData, places: tuple[int, ...], longest: float) -> ForceData:
    """Return the data with spikes up to a duration ``longest`` replaced by interpolation."""
    rest, _, limit, sizes = _fit_huber(data, places)
    is_measured, measured = data.is_measured, data.measured.copy()
    left, is_far = np.zeros(is_measured.shape), np.zeros(is_measured.shape, dtype=bool)
    left[is_measured], is_far[is_measured] = rest * sizes, abs(rest) > SPIKE / BEND * limit
    for rows in data.parts:
        times = data.times[rows]
        for force in np.flatnonzero((is_measured & ~is_far)[rows].any(axis=0)):
            own, far = left[rows, force], is_far[rows, force]
            known, short = is_measured[rows, force] & ~far, np.zeros(len(rows), dtype=bool)
            for first, last in find_gaps(np.where(far, np.nan, 0)):
                short[first : last + 1] = times[last] - times[first] <= longest
            line = np.interp(times[short], times[known], own[known])
            measured[rows[short], force] += line - own[short]
    return replace(data, measured=measured)
