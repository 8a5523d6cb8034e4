"""The effect of noise in measured samples on the states of a motion."""

from collections.abc import Sequence
from functools import cached_property
from itertools import product

import numpy as np
from scipy.interpolate import BSpline, CubicSpline

from ..signals.filters import refit_spline, smoothing_spline
from .spline_path import SplinePath

#: Number of samples that are perturbed together, which bounds the memory.
BLOCK = 256

#: Step of central differences, relative to the size of the argument.
STEP = 1e-5


class MeasuredNoise:
    """The effect of noise in measured coordinates on the states of a motion at N times.

    The noise of different instants is independent; the noise of different coordinates at one
    instant may be correlated.

    Attributes
    ==========

    names : tuple of str
        The names of the coordinates.
    known : numpy.ndarray of bool, shape (M, n_q)
        A mask of the samples that were measured.
    shape : tuple of int
        ``(M, n_q)``.
    """

    def __init__(self, path: SplinePath, times: np.ndarray, names: Sequence[str]) -> None:
        assert path.measured is not None
        self.names = tuple(names)
        self.known, self._values, self._smoother = path.measured
        self.shape = self.known.shape
        self._path, self._times = path, times

    def covariance(self, noise: np.ndarray) -> np.ndarray:
        """Return the covariance of ``[q, u, udot]`` to first order, (N, n_q + 2 n, n_q + 2 n).

        ``noise``, shape (M, n_q, n_q), is the covariance of the coordinates at each measured
        sample.
        """
        jacobians = self._jacobians
        return jacobians @ self._spline_covariance(noise) @ jacobians.swapaxes(-1, -2)

    def changes(self, noise: np.ndarray) -> np.ndarray:
        """Return the changes of ``[q, u, udot]`` without linearization, shape (k, N, n_q + 2 n).

        ``noise``, shape (k, M, n_q), has k alternatives that are added to the measured samples.
        """
        change = np.zeros((len(noise), len(self._times), 3, self.shape[1]))
        for column in np.flatnonzero(noise.any(axis=(0, 1))).tolist():
            change[..., column] = np.moveaxis(self._changes_by(column, noise[..., column].T), -1, 0)
        splines = self._spline_values + change
        times = np.tile(self._times, len(noise))
        perturbed = self._states(times, splines.reshape(-1, *splines.shape[-2:]))
        unperturbed = self._states(self._times, self._spline_values)
        return perturbed.reshape(*splines.shape[:2], -1) - unperturbed

    def _states(self, times: np.ndarray, splines: np.ndarray) -> np.ndarray:
        """Return ``[q, u, udot]`` from values and derivatives of splines (N, 3, n_q)."""
        values = (splines[:, k].copy() for k in range(3))
        return np.concatenate(self._path.states(times, *values), axis=-1)

    @property
    def _spline_values(self) -> np.ndarray:
        """The values and the first two derivatives of the splines, shape (N, 3, n_q)."""
        return np.stack(self._path.splines_at(self._times), axis=1)

    def _changes_by(self, column: int, noise: np.ndarray) -> np.ndarray:
        """Return the changes of a spline and its first two derivatives, shape (N, 3, k)."""
        spline = self._spline(column, noise)
        return np.stack([spline(self._times, order) for order in range(3)], axis=1)

    def _spline(self, column: int, noise: np.ndarray) -> BSpline:
        """Return the change of a column's spline by k alternatives of noise, shape (M, k)."""
        # Filling of gaps and smoothing are linear in the noise: the smoothness is that of the
        # samples, also where it is chosen from them.
        raw, options = self._smoother.raw, self._smoother.options
        known, filled = self.known[:, column], noise.copy()
        if not known.all():
            filled[~known] = CubicSpline(raw[known], noise[known])(raw[~known])
        if options.method == "spline" and options.cutoff is None:
            return refit_spline(raw, filled, self._cutoffs[column])
        return self._smoother.spline("coordinates", filled)

    @cached_property
    def _cutoffs(self) -> np.ndarray:
        return smoothing_spline(self._smoother.raw, self._values).cutoff

    def _spline_covariance(self, noise: np.ndarray) -> np.ndarray:
        """Return the covariance of the splines and their derivatives, shape (N, 3 n_q, 3 n_q)."""
        # Sum over the samples r: change_c(r) noise_cd(r) change_d(r)^T, with the change of the
        # spline of column c by a unit of noise in sample r.
        width = self.shape[1]
        total = np.zeros((len(self._times), 3, width, 3, width))
        used = [c for c in range(width) if noise[:, c].any()]
        for first in range(0, self.shape[0], BLOCK):
            rows = slice(first, first + BLOCK)
            change = {c: self._changes_by(c, np.eye(self.shape[0])[:, rows]) for c in used}
            for c, d in product(used, used):
                right = (change[d] * noise[rows, c, d]).swapaxes(-1, -2)
                total[:, :, c, :, d] += change[c] @ right
        return total.reshape(len(self._times), 3 * width, 3 * width)

    @cached_property
    def _jacobians(self) -> np.ndarray:
        """The Jacobians of states with respect to splines, shape (N, n_q + 2 n, 3 n_q)."""
        splines, columns = self._spline_values, []
        for k, column in np.ndindex(splines.shape[1:]):
            step = np.zeros_like(splines)
            step[:, k, column] = STEP * np.maximum(1, np.abs(splines[:, k, column]))
            high, low = (self._states(self._times, splines + s * step) for s in (1, -1))
            columns.append((high - low) / (2 * step[:, k, column, None]))
        return np.stack(columns, axis=-1)
