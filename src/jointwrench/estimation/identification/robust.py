"""Huber's loss: what lies far off counts by its size, not by its square.

Least squares of forces whose residuals were clipped at some standard deviations, again and
again: each step is the solution of equations with the same matrix.

References
==========

.. [1] P. J. Huber, Robust Statistics, Wiley 1981, sections 7.7 and 7.8: modified residuals.
"""

from dataclasses import replace

import numpy as np

from ...checks.problems import warn
from ...checks.tolerances import EQUAL
from .force_data import ForceData

#: Residuals are clipped at so many standard deviations: 95 % efficient where errors are normal.
BEND = 1.345

#: A standard deviation as multiple of the median of the sizes of normal errors.
NORMAL = 1.4826

#: Steps of the search; each makes the error some times smaller.
MOST = 500


def clipped(data: ForceData, places: tuple[int, ...]) -> tuple[ForceData, float]:
    """Return forces with clipped residuals, whose least squares are those of Huber's loss.

    Also how much less the sum of clipped residuals changes with the parameters: the share of those
    that are not clipped.
    """
    equations = data.equations(places)
    root = np.sqrt(equations.weights)
    matrix = equations.coefficients * root[:, None]
    orthogonal = np.linalg.qr(matrix / np.linalg.norm(matrix, axis=0))[0]
    right = equations.forces * root
    force = np.nonzero(data.is_there)[1]
    fitted = orthogonal @ (orthogonal.T @ right)
    for _ in range(MOST):
        rest = right - fitted
        limit = BEND * _scatter(rest, force, data.is_there.shape[1])[force]
        cut = np.clip(rest, -limit, limit)
        step = orthogonal @ (orthogonal.T @ cut)
        fitted = fitted + step
        if (abs(step) <= EQUAL * limit).all():
            break
    else:
        size = float(np.max(abs(step) / np.where(limit > 0, limit, 1)))
        warn(
            f"`loss`: the search for the least of Huber's loss has not converged after {MOST} "
            f"steps, the last one changed forces by {size:.2g} of their scatter."
        )
    changed = np.zeros_like(data.measured)
    changed[data.is_there] = (
        (cut - rest) / root * np.broadcast_to(data.units.forces, changed.shape)[data.is_there]
    )
    return replace(data, measured=data.measured + changed), float(np.mean(abs(rest) < limit))


def _scatter(rest: np.ndarray, force: np.ndarray, count: int) -> np.ndarray:
    """Return the standard deviation of each force's residuals, by their median size."""
    sizes = [abs(rest[force == k]) for k in range(count)]
    return np.array([NORMAL * np.median(own) if own.size else 1.0 for own in sizes])
