"""Winter's residual analysis, which suggests the cutoff of a filter."""

from typing import Any, NamedTuple

import numpy as np

from ..checks.arguments import enumerate_some
from ..records.instants import check_sample_times
from ..records.samples import check_even, check_signal, check_times
from .filters import butterworth


class ResidualAnalysis(NamedTuple):
    """The residuals of a filter by cutoff, and the suggested cutoff.

    Attributes
    ==========

    cutoffs : numpy.ndarray, shape (M,)
        The cutoff frequencies that were tried, in 1/time.
    residuals : numpy.ndarray, shape (M, k)
        The root mean square of raw minus filtered values of each signal.
    noise : numpy.ndarray, shape (k,)
        The root mean square of the noise: the straight part of the curve of residuals, extended to
        a cutoff of zero.
    cutoff : numpy.ndarray, shape (k,)
        The cutoff at which the residual equals the noise.
    """

    cutoffs: np.ndarray
    residuals: np.ndarray
    noise: np.ndarray
    cutoff: np.ndarray

    def __repr__(self) -> str:
        shown = self.cutoff, self.noise
        cutoff, noise = (enumerate_some(f"{x:.3g}" for x in values) for values in shown)
        return f"ResidualAnalysis(cutoff {cutoff}; noise {noise})"


def residual_analysis(
    times: Any, values: Any, cutoffs: Any = None, order: int = 2
) -> ResidualAnalysis:
    """Try cutoffs of the Butterworth filter and suggest one, as Winter does [1]_.

    The residual between raw and filtered values decreases with the cutoff, steeply where the filter
    distorts the signal, then along a straight line where it only removes noise.  That line,
    extended to a cutoff of zero, estimates the noise.  At the suggested ``cutoff`` the distortion
    equals the noise.

    Parameters
    ==========

    times : array_like, shape (N,)
        Evenly spaced instants.
    values : array_like, shape (N,) or (N, k)
        The raw signals.
    cutoffs : array_like, shape (M,), optional
        Increasing frequencies in 1/time, at least six.  Default: 40 from 0.01 to 0.4 of the rate.
    order : int
        The order of one pass, as for `butterworth`.

    Raises
    ======

    TypeError, ValueError
        As `butterworth`; if there are fewer than six cutoffs or they do not increase.

    See Also
    ========

    butterworth : Filters with a cutoff.

    Notes
    =====

    The straight line is fitted to the upper half of the cutoffs.  For signals with energy in that
    range (impacts), pass higher cutoffs and plot the residuals.

    References
    ==========

    .. [1] D. A. Winter, Biomechanics and Motor Control of Human Movement, 4th
       ed., Wiley, 2009, section 3.4.4.3.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.arange(0, 1, 0.01)
    >>> jw.signals.residual_analysis(t, np.sin(6 * t)[:, None]).cutoff.shape
    (1,)
    """
    times = check_sample_times("times", times)
    signal = check_signal("values", values, times).reshape(len(times), -1)
    rate = 1 / check_even("times", times, "Resample the values first.")
    # at least three periods of the lowest cutoff must be in the record
    lowest, highest = max(0.01 * rate, 3 * rate / len(times)), 0.4 * rate
    if cutoffs is None and lowest >= highest:
        raise ValueError(
            f"`times` must have at least 8 samples for a residual analysis, got {len(times)}: too "
            "few for the filter. Use a longer record."
        )
    cutoffs = np.linspace(lowest, highest, 40) if cutoffs is None else cutoffs
    tried = check_times("cutoffs", cutoffs)
    if len(tried) < 6:
        raise ValueError(f"`cutoffs` must be at least six, got {len(tried)}.")
    smooth = [butterworth(times, signal, cutoff, order) for cutoff in tried]
    residuals = np.sqrt(np.mean((np.array(smooth) - signal) ** 2, axis=1))
    half = len(tried) // 2
    _slope, noise = np.polyfit(tried[half:], residuals[half:], 1)
    pairs = zip(noise, np.minimum.accumulate(residuals).T, strict=True)
    found = [float(np.interp(-level, -curve, tried)) for level, curve in pairs]
    return ResidualAnalysis(tried, residuals, noise, np.array(found))
