"""Smoothed samples as functions of time: from splines to states."""

import numpy as np
from scipy.interpolate import BSpline

from .prescribed_motion import States
from .speeds import Kinematics


class SplinePath:
    """States at any time from splines of coordinates and perhaps of speeds."""

    def __init__(
        self,
        spline: BSpline,
        quaternions: list[list[int]],
        kinematics: Kinematics | None,
        speeds: BSpline | None,
    ) -> None:
        self._splines = [spline, spline.derivative(), spline.derivative(2)]
        self._quaternions = quaternions
        self._kinematics = kinematics
        self._speeds = speeds and (speeds, speeds.derivative())

    def __call__(self, times: np.ndarray) -> States:
        return self.states(times, *self.splines_at(times))

    def splines_at(self, times: np.ndarray) -> list[np.ndarray]:
        """Return the splines of the coordinates and their derivatives, three of (N, n_q)."""
        return [spline(times) for spline in self._splines]

    def states(
        self, times: np.ndarray, s: np.ndarray, rates: np.ndarray, second_derivatives: np.ndarray
    ) -> States:
        """Return the states where the splines have these values (N, n_q), which are overwritten."""
        q, rates, second_derivatives = _normalised(s, rates, second_derivatives, self._quaternions)
        if self._speeds:
            return States(q, *(spline(times) for spline in self._speeds))
        if self._kinematics is None:
            return States(q, rates, second_derivatives)
        return States(q, *self._kinematics.speeds(times, q, rates, second_derivatives))


def _normalised(
    s: np.ndarray, rates: np.ndarray, second_derivatives: np.ndarray, groups: list[list[int]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return columns with quaternions s / |s| and their first and second derivatives."""
    for group in groups:
        a, b, c = s[:, group], rates[:, group], second_derivatives[:, group]
        n = np.linalg.norm(a, axis=-1, keepdims=True)
        dn = (a * b).sum(-1, keepdims=True) / n
        ddn = ((b * b + a * c).sum(-1, keepdims=True) - dn**2) / n
        p = a / n
        dp = (b - p * dn) / n
        s[:, group], rates[:, group] = p, dp
        second_derivatives[:, group] = (c - p * ddn - 2 * dp * dn) / n
    return s, rates, second_derivatives
