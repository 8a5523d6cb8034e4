"""Smoothed samples as functions of time: from splines to states."""

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from ..checks.arguments import check_choice
from ..checks.numbers import check_positive
from ..checks.tolerances import ROUNDING
from ..records.samples import check_even
from .prescribed_motion import States
from .smoothing import butterworth, natural_spline, smoothing_spline
from .speeds import Kinematics

#: Degree of the splines: accelerations are smooth.
DEGREE = 5

EVEN = "Use rate=... to resample, or smoothing='spline'."


class Smoother:
    """Resamples and smooths columns as the caller wants them."""

    def __init__(
        self,
        times: np.ndarray,
        cutoff: float | None,
        smoothing: str | None,
        order: int,
        rate: float | None,
    ) -> None:
        check_choice("smoothing", smoothing, (None, "butterworth", "spline"))
        if smoothing == "butterworth" and cutoff is None:
            raise ValueError("`cutoff` must be given for the Butterworth filter. Use cutoff=6.0.")
        self._raw, self._cutoff, self._order = times, cutoff, order
        self._method = smoothing or (None if cutoff is None else "butterworth")
        self._resampled = rate is not None
        self.times = times if rate is None else _even_times(times, rate)

    @property
    def finds_cutoffs(self) -> bool:
        """Whether the samples decide how smooth they become."""
        return self._method == "spline" and self._cutoff is None

    def spline(self, argument: str, values: np.ndarray) -> BSpline:
        """Return a quintic spline through the smoothed columns."""
        if len(self._raw) <= DEGREE:
            raise ValueError(
                f"`{argument}` must have at least {DEGREE + 1} samples to be differentiated, got "
                f"{len(self._raw)}."
            )
        if self._method == "spline":
            return smoothing_spline(self._raw, values, self._cutoff).spline
        if self._resampled:
            values = make_interp_spline(self._raw, values, k=3)(self.times)
        if self._method is None:
            return make_interp_spline(self.times, values, k=DEGREE)
        assert self._cutoff is not None
        check_even("times", self.times, EVEN)
        smooth = butterworth(self.times, values, self._cutoff, self._order)
        return natural_spline(self.times, smooth)


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


def _even_times(times: np.ndarray, rate: float) -> np.ndarray:
    rate = check_positive("rate", rate)
    count = int(np.floor((times[-1] - times[0]) * rate * (1 + ROUNDING))) + 1
    if count <= DEGREE:
        raise ValueError(
            f"`rate` must leave at least {DEGREE + 1} samples, got {rate:g}, which leaves {count}. "
            "Use a higher one."
        )
    return times[0] + np.arange(count) / rate
