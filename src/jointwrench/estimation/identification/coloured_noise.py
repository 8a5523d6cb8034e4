"""Standard errors that hold where the errors of successive forces are alike.

What is left of measured forces is seldom white: vibrations, filters and unmodelled friction last
for many samples.  Each force's errors are taken for an autoregressive process whose order
Schwarz's criterion chooses, those of different forces at one instant for correlated; the
parameters stay those of least squares, their covariance is ``B S B`` with B the inverse of the
normal matrix and S the covariance of ``X^T W errors``: the estimate of Newey and West, with a
parametric spectrum in place of a window, which near zero frequency has less bias where errors
last long.  The process is estimated from the residuals of generalized least squares, since
ordinary ones have lost much of what changes slowly.

References
==========

.. [1] W. K. Newey, K. D. West, A simple, positive semi-definite, heteroskedasticity and
   autocorrelation consistent covariance matrix, Econometrica 55 (1987) 703-708.
.. [2] W. J. den Haan, A. T. Levin, A practitioner's guide to robust covariance matrix estimation,
   Handbook of Statistics 15 (1997) 299-342: autoregressive spectra.
.. [3] G. E. Schwarz, Estimating the dimension of a model, Annals of Statistics 6 (1978) 461-464.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.signal

from ...checks.tolerances import NOTHING, ROUNDED
from .force_data import ForceData

#: The highest order that is tried, and how many samples there are at least for each.
HIGHEST, LEAST = 40, 10

#: How often the process is estimated anew from the residuals of generalized least squares.
ROUNDS = 3


def coloured_covariance(
    data: ForceData, places: tuple[int, ...], parameters: np.ndarray, inverse: np.ndarray
) -> tuple[np.ndarray, list[int]]:
    """Return the covariance of least squares with coloured errors, and the orders by force.

    ``inverse`` is that of the normal matrix of the parameters.
    """
    noisy = _Noisy.of(data, places)
    filters, errors = _processes(noisy, parameters)
    for _ in range(ROUNDS):
        parameters, fitted = _generalized(noisy, filters, errors)
        filters, errors = _processes(noisy, parameters)
    root = np.linalg.cholesky(_covariance_of(errors, fitted))
    responses = np.zeros((len(filters), len(errors), len(inverse)))
    weighted = noisy.coefficients * noisy.weights[..., None]
    for force, own in enumerate(filters):
        for part in noisy.slices:
            back = weighted[part, force][::-1]
            responses[force, part] = scipy.signal.lfilter([1.0], own, back, axis=0)[::-1]
    mixed = np.tensordot(root.T, responses, 1).reshape(-1, len(inverse))
    return inverse @ (mixed.T @ mixed) @ inverse, [len(own) - 1 for own in filters]


class _Noisy(NamedTuple):
    """Forces (N, forces) in the model's units and their coefficients; zero where not measured.

    ``weights`` are those of least squares; ``slices`` the rows of each recording.
    """

    coefficients: np.ndarray
    forces: np.ndarray
    weights: np.ndarray
    slices: list[slice]

    @classmethod
    def of(cls, data: ForceData, places: tuple[int, ...]) -> "_Noisy":
        there, units = data.is_there, data.units.forces
        coefficients = data.coefficients[..., list(places)] / units[:, None]
        forces = (data.measured - data.known) / units
        ends = np.flatnonzero(np.diff(data.recordings)) + 1
        edges = [0, *ends.tolist(), len(data)]
        slices = [slice(a, b) for a, b in pairwise(edges)]
        rows = np.where(there[..., None], coefficients, 0)
        return cls(rows, np.where(there, forces, 0), data.weights, slices)

    @property
    def is_there(self) -> np.ndarray:
        return self.weights > 0


def _processes(noisy: _Noisy, parameters: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the filters that make white of what parameters leave, and what these leave of it."""
    residuals = noisy.forces - noisy.coefficients @ parameters
    filters = _autoregressions(noisy, residuals)
    return filters, _whitened_residuals(noisy, residuals, filters)


def _autoregressions(noisy: _Noisy, residuals: np.ndarray) -> list[np.ndarray]:
    """Return the filter that makes white of each force's residuals: 1, a_1, ... a_order."""
    filters = []
    for force in range(residuals.shape[1]):
        count = int(noisy.is_there[:, force].sum())
        highest = min(HIGHEST, count // LEAST)
        lags = np.zeros(highest + 1)
        for rows in noisy.slices:
            own = residuals[rows, force]
            most = min(len(own), len(lags))
            lags[:most] += [own[k:] @ own[: len(own) - k] for k in range(most)]
        least = (NOTHING * np.linalg.norm(noisy.forces[:, force])) ** 2
        filters.append(_levinson(lags / count, count) if lags[0] > least else np.ones(1))
    return filters


def _levinson(lags: np.ndarray, count: int) -> np.ndarray:
    """Return the autoregression of autocovariances by Levinson's recursion, of the best order."""
    best = own = np.ones(1)
    variance = lags[0]
    least = count * np.log(variance)
    for order in range(1, len(lags)):
        reflection = -(own @ lags[order:0:-1]) / variance
        longer = np.append(own, 0.0)
        own = longer + reflection * longer[::-1]
        variance *= 1 - reflection**2
        if not variance > 0:
            break
        score = count * np.log(variance) + order * np.log(count)
        if score < least:
            least, best = score, own
    return best


def _whitened(values: np.ndarray, own: np.ndarray, noisy: _Noisy) -> np.ndarray:
    """Return one force's values, (N, ...), filtered within each recording."""
    parts = [scipy.signal.lfilter(own, [1.0], values[rows], axis=0) for rows in noisy.slices]
    return np.concatenate(parts)


def _whitened_residuals(
    noisy: _Noisy, residuals: np.ndarray, filters: list[np.ndarray]
) -> np.ndarray:
    """Return the residuals made white, (N, forces); NaN where the past is not known."""
    errors = np.full(residuals.shape, np.nan)
    for force, own in enumerate(filters):
        unknown = (~noisy.is_there[:, force]).astype(float)
        for rows in noisy.slices:  # the past of the first samples is not known either
            own_unknown = unknown[rows]
            padded = np.concatenate([np.ones(len(own) - 1), own_unknown])
            near = scipy.signal.lfilter(np.ones(len(own)), [1.0], padded)[len(own) - 1 :]
            filtered = scipy.signal.lfilter(own, [1.0], residuals[rows, force])
            errors[rows, force] = np.where(near < 0.5, filtered, np.nan)
    return errors


def _generalized(
    noisy: _Noisy, filters: list[np.ndarray], errors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the parameters of least squares of what the filters make white.

    Also how many of them each force has determined: they are fewer errors that are left of it.
    """
    known = np.isfinite(errors)
    rows, right = np.zeros_like(noisy.coefficients), np.zeros_like(noisy.forces)
    for force, own in enumerate(filters):
        least = NOTHING**2 * np.mean(noisy.forces[:, force] ** 2)
        errors_of = errors[known[:, force], force]
        size = np.sqrt(max(np.mean(errors_of**2) if errors_of.size else 0.0, least) or 1.0)
        rows[:, force] = _whitened(noisy.coefficients[:, force], own, noisy) / size
        right[:, force] = _whitened(noisy.forces[:, force], own, noisy) / size
    flat = rows[known]
    scale = np.linalg.norm(flat, axis=0)
    flat /= np.where(scale > 0, scale, 1)
    inverse = np.linalg.pinv(flat.T @ flat, hermitian=True)
    parameters = inverse @ (flat.T @ right[known]) / np.where(scale > 0, scale, 1)
    shares = np.zeros(errors.shape)
    shares[known] = np.einsum("ij,ij->i", flat @ inverse, flat)
    return parameters, shares.sum(axis=0)


def _covariance_of(errors: np.ndarray, fitted: np.ndarray) -> np.ndarray:
    """Return the covariance of white errors, (forces, forces), some of which are fitted away."""
    known = np.isfinite(errors)
    values, counts = np.where(known, errors, 0), known.sum(axis=0)
    both = known.T.astype(float) @ known
    left = np.sqrt(np.maximum(1 - fitted / np.maximum(counts, 1), 1 / np.maximum(counts, 1)))
    covariance = values.T @ values / np.maximum(both, 1) / np.outer(left, left)
    sizes, vectors = scipy.linalg.eigh(covariance)
    least = ROUNDED * max(sizes[-1], np.finfo(float).tiny)
    return (vectors * np.maximum(sizes, least)) @ vectors.T
