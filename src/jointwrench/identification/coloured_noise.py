"""Standard errors for autocorrelated errors of forces.

Residuals of measured forces are seldom white: vibrations, filters and unmodelled friction extend
over many samples.  The errors of each force are modelled as an autoregressive process whose order
Schwarz's criterion chooses; those of different forces at one instant are correlated.  The
parameters are those of least squares; their covariance is ``B S B`` with B the inverse of the
normal matrix and S the covariance of ``X^T W errors``: the estimate of Newey and West, with a
parametric spectrum instead of a window, which has less bias near zero frequency for strongly
correlated errors.  The process is estimated from the residuals of generalized least squares and
from the part of the errors that the parameters absorb, ``X C X^T`` with C their covariance: the
restricted likelihood.  Without it the slow noise of short recordings with many parameters is
underestimated.

References
==========

.. [1] W. K. Newey, K. D. West, A simple, positive semi-definite, heteroskedasticity and
   autocorrelation consistent covariance matrix, Econometrica 55 (1987) 703-708.
.. [2] W. J. den Haan, A. T. Levin, A practitioner's guide to robust covariance matrix estimation,
   Handbook of Statistics 15 (1997) 299-342: autoregressive spectra.
.. [3] D. A. Harville, Maximum likelihood approaches to variance component estimation and to related
   problems, J. American Statistical Association 72 (1977) 320-338: restricted likelihood.
.. [4] G. E. Schwarz, Estimating the dimension of a model, Annals of Statistics 6 (1978) 461-464.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.signal

from ..checks.tolerances import CANCELLED, ROUNDING, ROUNDOFF
from .force_data import ForceData

#: The highest order, and the least number of samples for each order.
HIGHEST, LEAST = 40, 10

#: The number of iterations of estimating the process from generalized least squares.
ROUNDS = 4


def compute_covariance(
    data: ForceData, places: tuple[int, ...], parameters: np.ndarray, inverse: np.ndarray
) -> tuple[np.ndarray, list[int]]:
    """Return the covariance of least-squares parameters for coloured errors of forces.

    The second returned value are the autoregressive orders by force.
    """
    is_measured, units = data.is_measured, data.units.forces
    rows = data.coefficients[..., list(places)] / units[:, None]
    forces = np.where(is_measured, (data.measured - data.known) / units, 0)
    noisy = _Equations(np.where(is_measured[..., None], rows, 0), forces, is_measured)
    own, root = parameters, np.zeros((len(parameters), 0))
    for _ in range(ROUNDS + 1):
        filters = _fit_filters(noisy, data.parts, own, root)
        white = _whiten(noisy, data.parts, filters)
        errors = _estimate_covariance(white, own, root)
        own, root = _solve_generalized(white, errors)
    innovations = np.linalg.cholesky(errors)
    responses = np.zeros((len(filters), len(data), len(inverse)))
    weighted = noisy.coefficients * data.weights[..., None]
    for force, one in enumerate(filters):
        for part in data.parts:
            back = weighted[part, force][::-1]
            responses[force, part] = scipy.signal.lfilter([1.0], one, back, axis=0)[::-1]
    mixed = np.tensordot(innovations.T, responses, 1).reshape(-1, len(inverse))
    return inverse @ (mixed.T @ mixed) @ inverse, [len(one) - 1 for one in filters]


class _Equations(NamedTuple):
    """Forces (N, forces) and their coefficients, zero where the mask ``is_measured`` is false.

    In whitened equations it is also false where past samples are missing.
    """

    coefficients: np.ndarray
    forces: np.ndarray
    is_measured: np.ndarray


def _fit_filters(
    noisy: _Equations, parts: list[np.ndarray], parameters: np.ndarray, root: np.ndarray
) -> list[np.ndarray]:
    """Return the whitening filter of each force's errors: 1, a_1, ... a_order.

    ``root`` is a root of the parameters' covariance.
    """
    filters = []
    for force in range(noisy.forces.shape[1]):
        rows = noisy.coefficients[:, force]
        seen = rows.any(axis=0)
        small = np.asarray(np.linalg.qr(root[seen].T, mode="r")).T  # others have no effect here
        errors = _expected_errors(rows[:, seen], noisy.forces[:, force], parameters[seen], small)
        count = int(noisy.is_measured[:, force].sum())
        lags = np.zeros(min(HIGHEST, count // LEAST) + 1)
        for part in parts:
            own = errors[part]
            most = min(len(own), len(lags))
            lags[:most] += [np.vdot(own[k:], own[: len(own) - k]) for k in range(most)]
        least = (CANCELLED * np.linalg.norm(noisy.forces[:, force])) ** 2
        filters.append(_fit_autoregression(lags / count, count) if lags[0] > least else np.ones(1))
    return filters


def _expected_errors(
    coefficients: np.ndarray, forces: np.ndarray, parameters: np.ndarray, root: np.ndarray
) -> np.ndarray:
    """Return columns (..., k) whose sum of squares is the expected square of the errors."""
    # E[e e^T] = r r^T + X C X^T: residuals, and the share of errors that the parameters absorb
    residuals = forces - coefficients @ parameters
    return np.concatenate([residuals[..., None], coefficients @ root], axis=-1)


def _fit_autoregression(lags: np.ndarray, count: int) -> np.ndarray:
    """Return the autoregression of the order with the least Schwarz criterion.

    ``lags`` are autocovariances of ``count`` samples; Yule's and Walker's equations give the
    coefficients of each order.
    """
    best, least = np.ones(1), count * np.log(lags[0])
    for order in range(1, len(lags)):
        own = np.append(1.0, scipy.linalg.solve_toeplitz(lags[:order], -lags[1 : order + 1]))
        variance = own @ lags[: order + 1]
        if not variance > 0:
            break
        score = count * np.log(variance) + order * np.log(count)
        if score < least:
            least, best = score, own
    return best


def _whiten(noisy: _Equations, parts: list[np.ndarray], filters: list[np.ndarray]) -> _Equations:
    """Return the equations with coefficients and forces filtered within each recording."""
    white = _Equations(*map(np.zeros_like, noisy))
    for force, own in enumerate(filters):
        for rows in parts:  # the first samples have no past
            padded = np.concatenate([np.ones(len(own) - 1), ~noisy.is_measured[rows, force]])
            near = scipy.signal.lfilter(np.ones(len(own)), [1.0], padded)[len(own) - 1 :]
            known = white.is_measured[rows, force] = near < 0.5
            for values, result in zip(noisy[:2], white[:2], strict=True):
                filtered = scipy.signal.lfilter(own, [1.0], values[rows, force], axis=0)
                result[rows[known], force] = filtered[known]
    return white


def _solve_generalized(white: _Equations, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least-squares parameters of whitened data, and a root of their covariance."""
    sizes = np.sqrt(np.diag(errors))
    rows = (white.coefficients / sizes[:, None]).reshape(-1, white.coefficients.shape[-1])
    normal, right = rows.T @ rows, rows.T @ (white.forces / sizes).ravel()
    scale = np.sqrt(np.diag(normal))
    scale[scale == 0] = 1
    squares, vectors = scipy.linalg.eigh(normal / np.outer(scale, scale))
    kept = squares > ROUNDING * squares[-1]
    root = vectors[:, kept] / np.sqrt(squares[kept]) / scale[:, None]
    return root @ (root.T @ right), root


def _estimate_covariance(white: _Equations, parameters: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Return the covariance of white errors, (forces, forces)."""
    errors = _expected_errors(white.coefficients, white.forces, parameters, root).transpose(1, 0, 2)
    flat, known = errors.reshape(len(errors), -1), white.is_measured.astype(float)
    covariance = flat @ flat.T / np.maximum(known.T @ known, 1)
    least = CANCELLED**2 * np.mean(white.forces**2)
    sizes, vectors = scipy.linalg.eigh(covariance)
    least = max(least, ROUNDOFF * sizes[-1], np.finfo(float).tiny)
    return (vectors * np.maximum(sizes, least)) @ vectors.T
