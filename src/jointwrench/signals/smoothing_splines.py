"""Natural smoothing splines by Reinsch's equations, with generalized cross-validation."""

from math import factorial

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import solveh_banded
from scipy.linalg.lapack import zgbtrf
from scipy.optimize import minimize_scalar
from scipy.sparse import csc_array, dia_array

from ..checks.tolerances import REFINED

#: Number of smoothing parameters on the grid, before the best one is refined.
GRID = 41

#: Relative imaginary step of complex-step derivatives, which have no cancellation.
STEP = 1e-20


class Penalty:
    """The penalty on the m-th derivative (``half_order``) of a spline through increasing instants.

    The spline s with values f at the samples has ``s^(m) = sum_j g_j M_j``, with B-splines ``M_j``
    of degree m - 1 and unit integral.  With ``R`` their products' integrals and ``Q^T f`` the
    integrals of ``M_j s^(m)``, which are m! times the divided differences of f, the penalty is
    ``g^T R g`` and ``R g = Q^T f``.  The minimum is ``f = y - p Q g`` with ``(R + p Q^T Q) g = Q^T
    y``.
    """

    def __init__(self, times: np.ndarray, half_order: int) -> None:
        self.half_order = half_order
        self._step = (times[-1] - times[0]) / (len(times) - 1)
        scaled = (times - times[0]) / self._step  # one sample per unit, so that p has no unit
        self._differences = _differences(scaled, half_order)
        self._gram = _bands(_gram(scaled, half_order), half_order)
        self._square = _bands(self._differences.T @ self._differences, half_order)

    @property
    def frequency_range(self) -> tuple[float, float]:
        """The limits of cutoffs: two periods in the record, and half the mean sampling rate."""
        count = self._differences.shape[0]
        return 2 / (self._step * count), 0.5 / self._step

    def weight(self, frequency: float | np.ndarray) -> np.ndarray:
        """Return the weight p with which the spline halves the amplitude of a frequency."""
        return np.asarray((2 * np.pi * frequency * self._step) ** (-2.0 * self.half_order))

    def frequency(self, weight: np.ndarray) -> np.ndarray:
        """Return the frequency at which the spline with a weight p passes half of an amplitude."""
        return weight ** (-1 / (2 * self.half_order)) / (2 * np.pi * self._step)

    def fit(self, values: np.ndarray, weight: float) -> np.ndarray:
        """Return the spline's values at the samples, shape (N,)."""
        return values - self._correction(values, weight)

    def best(self, values: np.ndarray) -> float:
        """Return the weight p with the least score of generalized cross-validation."""
        low, high = np.log(self.frequency_range)
        grid = np.linspace(low, high, GRID)

        def score(log_frequency: float) -> float:
            return self._score(values, float(self.weight(np.exp(log_frequency))))

        best = int(np.argmin([score(x) for x in grid]))
        bounds = grid[max(best - 1, 0)], grid[min(best + 1, GRID - 1)]
        found = minimize_scalar(score, bounds=bounds, method="bounded", options={"xatol": REFINED})
        return float(self.weight(np.exp(found.x)))

    def _correction(self, values: np.ndarray, weight: float) -> np.ndarray:
        """Return values minus spline at the samples, p Q g, shape (N,)."""
        upper = (self._gram + weight * self._square)[: self.half_order + 1]
        curvature = solveh_banded(upper, self._differences.T @ values)
        return weight * (self._differences @ curvature)

    def _score(self, values: np.ndarray, weight: float) -> float:
        """Return the cross-validation score N |r|^2 / tr(1 - H)^2, with the hat matrix H."""
        residual = self._correction(values, weight)
        return len(values) * float(residual @ residual) / self._trace(weight) ** 2

    def _trace(self, weight: float) -> float:
        """Return tr(1 - H) = p tr((R + p Q^T Q)^-1 Q^T Q), with the hat matrix H."""
        # The trace is the derivative of log det(R + p Q^T Q) with respect to log p, which a complex
        # step gives from the pivots of one banded factorization, without cancellation.
        m = self.half_order
        matrix = self._gram + weight * (1 + 1j * STEP) * self._square
        workspace = np.zeros((3 * m + 1, matrix.shape[1]), dtype=complex)
        workspace[m:] = matrix
        factors, _, _ = zgbtrf(workspace, m, m)
        pivots = factors[2 * m]
        return float(np.sum(pivots.imag / pivots.real) / STEP)


def _differences(times: np.ndarray, m: int) -> csc_array:
    """Return the matrix Q (N, N - m) of m! times the m-th divided differences."""
    count = len(times) - m
    window = np.stack([times[i : i + count] for i in range(m + 1)])
    gaps = window[:, None] - window[None, :]
    gaps[np.arange(m + 1), np.arange(m + 1)] = 1
    weights = factorial(m) / gaps.prod(axis=1)
    return csc_array(dia_array((weights, -np.arange(m + 1)), shape=(len(times), count)))


def _gram(times: np.ndarray, m: int) -> csc_array:
    """Return the matrix R (N - m, N - m) of integrals of products of the B-splines."""
    nodes, weights = np.polynomial.legendre.leggauss(m)
    half = np.diff(times) / 2
    places = (times[:-1] + half)[:, None] + half[:, None] * nodes
    knots = np.concatenate([[times[0]] * (m - 1), times, [times[-1]] * (m - 1)])
    basis = csc_array(BSpline.design_matrix(places.ravel(), knots, m - 1))
    basis = basis[:, m - 1 : m - 1 + len(times) - m]  # without splines that have repeated knots
    unit = m / (times[m:] - times[:-m])
    basis = basis @ dia_array((unit[None], [0]), shape=(len(unit), len(unit)))
    measure = (half[:, None] * weights).ravel()
    return basis.T @ (dia_array((measure[None], [0]), shape=(len(measure),) * 2) @ basis)


def _bands(matrix: csc_array, m: int) -> np.ndarray:
    """Return a symmetric matrix in LAPACK's band storage, shape (2 m + 1, n)."""
    bands = np.zeros((2 * m + 1, matrix.shape[1]))
    diagonals = dia_array(matrix)
    bands[m - diagonals.offsets] = diagonals.data
    return bands
