"""Smoothing of sampled signals by the methods of the field, through scipy.

There are two methods without phase lag: the Butterworth filter, run forward and backward, and the
natural smoothing spline with generalized cross-validation.  `residual_analysis` helps to choose a
cutoff.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..checks.arguments import check_choice
from ..checks.numbers import check_integer, check_number
from ..records.instants import check_sample_times
from ..records.samples import check_even, check_signal

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

#: Periods of the cutoff by which a record is continued at each end, if it is long enough.
PADDING = 3


class Filter(NamedTuple):
    """A program's convention for a Butterworth filter that runs forward and backward.

    Attributes
    ==========

    order : int
        The order of one pass.
    passes : int
        The number of passes that together have the stated cutoff: 2, or 1 if each pass has it.
    padding : float or None
        Continuation of each end, as a fraction of the record.
    samples : int or None
        Continuation of each end, as a number of samples.
    removes_trend : bool
        Whether the straight line from the first sample to the last is excluded from filtering.
    """

    order: int
    passes: int
    padding: float | None = None
    samples: int | None = None
    removes_trend: bool = False


#: The conventions of programs, by name.
FILTERS = {
    "winter": Filter(order=2, passes=2),
    "opensim": Filter(order=3, passes=1, padding=0.5),
    "visual3d": Filter(order=2, passes=2, samples=6, removes_trend=True),
    "filtfilt": Filter(order=2, passes=1),
}

#: Fraction of an amplitude that smoothing splines and Butterworth filters pass at their cutoff.
HALF_POWER = 1 / np.sqrt(2)


class SmoothSignal(NamedTuple):
    """A smoothing spline and its cutoff.

    Attributes
    ==========

    spline : scipy.interpolate.BSpline
        The signal as a function of time, shape (k,) per time, with its ``derivative``.
    values : numpy.ndarray, shape (N, k)
        The spline at the samples.
    cutoff : numpy.ndarray, shape (k,)
        Frequency in 1/time at which the spline passes 0.707 of an amplitude.
    """

    spline: "BSpline"
    values: np.ndarray
    cutoff: np.ndarray


def cutoff_correction(order: int = 2, passes: int = 2) -> float:
    """Return the correction C of one pass's cutoff, so that all passes together have the cutoff.

    ``C = (2**(1/passes) - 1)**(1/(2 order))``: 0.802 for the usual filter of second order.  The
    tangent of the digital frequency is divided by it, as by Winter (section 3.4.4.2).
    """
    return float((2 ** (1 / passes) - 1) ** (1 / (2 * order)))


def butterworth(
    times: Any, values: Any, cutoff: float, order: int | None = None, filter: str | None = None
) -> np.ndarray:
    """Return signals after a low-pass Butterworth filter that runs forward and backward.

    The phase lags of the two passes cancel.  After both, ``cutoff`` is the frequency at which 0.707
    of an amplitude is left (half the power).  The smoothed signals have the shape of ``values``.

    Parameters
    ==========

    times : array_like, shape (N,)
        Evenly spaced instants.
    values : array_like, shape (N,) or (N, k)
        The signals, finite.
    cutoff : float
        The cutoff frequency in 1/time, below half the sampling rate.
    order : int, optional
        Order of one pass.  Default: 2, so that both passes together have order 4.
    filter : {"winter", "opensim", "visual3d", "filtfilt"}, optional
        The convention for cutoff and order, see the Notes.  Default: "winter".

    Raises
    ======

    TypeError
        If an array holds anything but real numbers, the cutoff is not a number or the order not an
        integer.
    ValueError
        If times are uneven or do not increase, a value is not finite, the cutoff is not between
        zero and the limit, the order is not positive, or there are too few samples.

    See Also
    ========

    Smoothing : Filters and gaps as one object.

    Notes
    =====

    Both ends are extended by periods of the cutoff ("opensim": by half the record, "visual3d": by
    six samples), mirrored in the end point.  Still, do not rely on the outermost period, and less
    on its derivatives.

    **What a cutoff of 6 Hz means** (the cutoff of both passes together, at which 0.707 is left):

    ============  ==================  ================  =====================================
    filter        order of one pass   6 Hz are          of whom
    ============  ==================  ================  =====================================
    "winter"      2                   6 Hz              Winter's book; this package
    "opensim"     3                   5.18 Hz           OpenSim's tools (inverse dynamics)
    "visual3d"    2                   6 Hz              Visual3D, one bidirectional pass
    "filtfilt"    2                   4.81 Hz           ``filtfilt`` with ``butter(2, 6)``
    ============  ==================  ================  =====================================

    "opensim" was compared with OpenSim 4.6 and gives the same numbers, except for the effect of its
    first three samples, which OpenSim does not filter.  "visual3d" follows the documentation of
    Visual3D's defaults [1]_: the cutoff accounts for both passes, the slope is removed before
    filtering and restored afterwards, six samples are reflected at each end.  The documentation
    does not state how the filter starts (here as if the first reflected sample had always been
    there), nor which slope is meant (here from the first sample to the last).  It was not compared
    with a file of Visual3D.

    References
    ==========

    .. [1] HAS-Motion, Visual3D wiki, pipeline command Lowpass_Filter
       (https://wiki.has-motion.com/doku.php?id=visual3d:documentation:pipeline:signal_commands:lowpass_filter).

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.linspace(0, 2, 201)
    >>> slow, fast = np.sin(2 * np.pi * t), 0.1 * np.sin(60 * np.pi * t)
    >>> error = jw.signals.butterworth(t, slow + fast, cutoff=6.0) - slow
    >>> bool(abs(error[20:-20]).max() < 2e-3)
    True
    """
    times = check_sample_times("times", times)
    signal = check_signal("values", values, times)
    check_even("times", times, "Use smoothing_spline, or resample the values first.")
    pad, smooth = padded_butterworth(times, signal, cutoff, choose_filter(order, filter))
    return smooth[pad : pad + len(times)]


def choose_filter(order: Any, name: Any) -> Filter:
    """Return the filter by name, or Winter's filter with an order."""
    check_choice("filter", name, (None, *FILTERS))
    if name is None:
        usual = FILTERS["winter"]
        return usual if order is None else usual._replace(order=check_integer("order", order))
    if order is not None:
        raise ValueError(f"`order` must be left out with filter={name!r}, got {order!r}.")
    return FILTERS[name]


def padded_butterworth(
    times: np.ndarray, signal: np.ndarray, cutoff: Any, kind: Filter
) -> tuple[int, np.ndarray]:
    """Return the number of samples added at each end, and the filtered signal including them."""
    from scipy.signal import butter, sosfiltfilt  # slow to import

    step = float((times[-1] - times[0]) / (len(times) - 1))
    rate, cutoff = 1 / step, check_number("cutoff", cutoff)
    if not 0 < cutoff < rate / 2:
        raise ValueError(
            f"`cutoff` must be between 0 and {rate / 2:g}, half the sampling rate of {rate:g} "
            f"(Nyquist), got {cutoff:g}. Use a cutoff in 1/time: hertz if times are in seconds."
        )
    # The bilinear transform warps frequencies: the correction applies to their tangents.
    warped = np.tan(np.pi * cutoff / rate) / cutoff_correction(kind.order, kind.passes)
    of_pass = float(rate / np.pi * np.arctan(warped))
    period = int(np.ceil(1 / (of_pass * step))) + 3 * kind.order
    if len(times) <= period:
        raise ValueError(
            f"`times` must have more than {period} samples for a cutoff of {cutoff:g} at a "
            f"sampling rate of {rate:g}, got {len(times)}: too few for the filter. Use a "
            "longer record or a higher cutoff."
        )
    pad = PADDING * period if kind.padding is None else int(kind.padding * len(times))
    pad = min(pad if kind.samples is None else kind.samples, len(times) - 1)
    before, after = 2 * signal[0] - signal[pad:0:-1], 2 * signal[-1] - signal[-2 : -pad - 2 : -1]
    longer = np.concatenate([before, signal, after])
    part = np.arange(-pad, len(times) + pad) / (len(times) - 1)
    part = part.reshape(-1, *[1] * (signal.ndim - 1))
    line = kind.removes_trend * (signal[0] + part * (signal[-1] - signal[0]))
    sections = butter(kind.order, of_pass, fs=rate, output="sos")
    more = min(pad, 3 * period) if kind.samples is None else 0
    return pad, line + sosfiltfilt(sections, longer - line, axis=0, padtype="odd", padlen=more)


def smoothing_spline(
    times: Any, values: Any, cutoff: float | None = None, half_order: int = 3
) -> SmoothSignal:
    """Fit natural smoothing splines, by default with generalized cross-validation.

    The spline s minimises ``sum (values - s(times))**2 + p * integral of (m-th derivative of
    s)**2`` with m the ``half_order``.  The SmoothSignal has degree ``2 m - 1`` and a knot at every
    sample; with m = 3 it is quintic and has smooth second derivatives, as accelerations require
    (Woltring's GCVSPL).

    Parameters
    ==========

    times : array_like, shape (N,)
        Increasing instants, evenly spaced or not.
    values : array_like, shape (N,) or (N, k)
        The signals, finite; each gets its own smoothing parameter p.
    cutoff : float, optional
        The frequency in 1/time at which 0.707 of an amplitude is left, as for `butterworth`.
        Default: chosen by generalized cross-validation.
    half_order : int
        The number m: 2 for cubic, 3 for quintic splines.

    Raises
    ======

    TypeError
        If an array holds anything but real numbers, or the cutoff is not a number.
    ValueError
        If times do not increase, a value is not finite, the cutoff is out of range, or there are
        too few samples.

    See Also
    ========

    Smoothing : Filters and gaps as one object.

    Notes
    =====

    For evenly spaced samples the spline passes ``1 / (1 + (f / f_0)**(2 m))`` of an amplitude of
    frequency f, as a Butterworth filter of order m in two passes [1]_.  Cross-validation assumes
    white noise: it smooths filtered or finely resampled data too little.

    References
    ==========

    .. [1] H. J. Woltring, A Fortran package for generalized, cross-validatory spline smoothing and
       differentiation, Advances in Engineering Software 8 (1986), 104-113.
    .. [2] P. Craven, G. Wahba, Smoothing noisy data with spline functions, Numerische Mathematik 31
       (1979), 377-403.
    .. [3] C. H. Reinsch, Smoothing by spline functions II, Numerische Mathematik 16 (1971),
       451-454.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.linspace(0, 2, 201)
    >>> noise = np.random.default_rng(1).normal(scale=0.01, size=t.shape)
    >>> smooth = jw.signals.smoothing_spline(t, np.sin(2 * np.pi * t) + noise)
    >>> bool(abs(smooth.spline.derivative()(1.0) / (2 * np.pi) - 1) < 0.01)
    True
    """
    from .smoothing_splines import Penalty  # which imports much of scipy

    times = check_sample_times("times", times)
    signal = check_signal("values", values, times)
    columns = signal.reshape(len(times), -1)
    if not isinstance(half_order, int) or half_order not in (2, 3):
        raise ValueError(f"`half_order` must be 2 (cubic) or 3 (quintic), got {half_order!r}.")
    if len(times) < 2 * half_order + 2:
        raise ValueError(
            f"`times` must have at least {2 * half_order + 2} samples for a smoothing spline, "
            f"got {len(times)}: too few for the filter. Use a longer record."
        )
    penalty, ratio = Penalty(times, half_order), _ratio(half_order)
    if cutoff is None:
        weights = np.array([penalty.best(column) for column in columns.T])
    else:
        cutoff, (low, high) = check_number("cutoff", cutoff), penalty.frequency_range
        if not low <= cutoff < high:
            raise ValueError(
                f"`cutoff` must be at least {low:.3g} (two periods in the record) and below half "
                f"the sampling rate (Nyquist), {high:.3g}, got {cutoff:g}. Use a cutoff in 1/time: "
                "hertz if times are in seconds."
            )
        weights = np.full(columns.shape[1], penalty.weight(cutoff / ratio))
    smooth = np.stack([penalty.fit(c, w) for c, w in zip(columns.T, weights, strict=True)], axis=-1)
    smooth = smooth.reshape(signal.shape)
    spline = natural_spline(times, smooth, half_order)
    return SmoothSignal(spline, smooth, ratio * penalty.frequency(weights))


def refit_spline(times: np.ndarray, values: np.ndarray, cutoff: float) -> "BSpline":
    """Return the quintic smoothing spline of values (N, k) with a known cutoff."""
    from .smoothing_splines import Penalty  # which imports much of scipy

    penalty = Penalty(times, 3)
    weight = float(penalty.weight(cutoff / _ratio(3)))
    return natural_spline(times, penalty.fit(values, weight))


def _ratio(half_order: int) -> float:
    """Return the ratio of a spline's cutoff to the frequency at which it passes one half."""
    return float((1 / HALF_POWER - 1) ** (1 / (2 * half_order)))


def natural_spline(times: np.ndarray, values: np.ndarray, half_order: int = 3) -> "BSpline":
    """Return the natural spline of degree ``2 half_order - 1`` through values (N, ...)."""
    from scipy.interpolate import make_interp_spline  # slow to import

    zero = np.zeros(values.shape[1:])
    ends = [(order, zero) for order in range(half_order, 2 * half_order - 1)]
    natural = (ends, ends) if ends else None
    return make_interp_spline(times, values, k=2 * half_order - 1, bc_type=natural)
