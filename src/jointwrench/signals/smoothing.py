"""`Smoothing`: options for filling gaps, resampling, smoothing and interpolation of samples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from scipy.interpolate import BSpline, CubicSpline, make_interp_spline

from ..checks.arguments import check_choice, check_options
from ..checks.numbers import check_integer, check_positive
from ..checks.pickles import Pickled
from ..checks.tolerances import ROUNDING
from ..records.samples import check_even, find_gaps
from .filters import choose_filter, natural_spline, padded_butterworth, smoothing_spline

#: Degree of the splines: with degree 5 accelerations are smooth.
DEGREE = 5

METHODS = (None, "butterworth", "spline")
GAPS = ("refuse", "fill")
ENDS = ("natural", "not-a-knot")


@dataclass(frozen=True)
class Smoothing(Pickled):
    """Options for smoothing measured samples before differentiation.

    `Trajectory.from_samples` and `segment_wrenches` take a Smoothing as ``smoothing=``, or its
    parameters as keywords; ``smoothing=`` is then the method.

    Parameters
    ==========

    cutoff : float, optional
        The frequency in 1/time at which all passes together leave 0.707 of an amplitude.
    method : {"butterworth", "spline"}, optional
        The zero-lag Butterworth filter (default if a cutoff is given) or the smoothing spline,
        whose default cutoff is found by generalized cross-validation.  Default without a cutoff: no
        smoothing.
    order, filter : int, {"winter", "opensim", "visual3d", "filtfilt"}, optional
        Order and convention of the Butterworth filter, as for `butterworth`.
    gaps : {"refuse", "fill"}
        Whether NaN is an error or is filled by cubic splines.
    max_gap : float, optional
        The longest time between two samples that may be filled.
    rate : float, optional
        Samples per time at which data are resampled first.  The Butterworth filter needs this for
        uneven samples.
    ends : {"natural", "not-a-knot"}
        End conditions of the differentiated spline, if nothing is smoothed.  With "natural" the
        third and fourth derivatives are zero, which limits the effect of noise at the ends.  Use
        "not-a-knot" for exact samples (of formulas, of a simulation, or filtered elsewhere).

    Raises
    ======

    TypeError
        If a number is not a real number, or the order not an integer.
    ValueError
        If a number is not positive, a word is not one of the listed ones, the Butterworth filter
        has no cutoff, or ``ends`` is stated together with smoothing.

    Notes
    =====

    Accelerations of smooth data have larger errors at natural ends than at not-a-knot ends; those
    of noisy data have smaller errors.

    See Also
    ========

    residual_analysis : Helps to choose a cutoff.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> walking = jw.signals.Smoothing(cutoff=6.0, gaps="fill", max_gap=0.1)
    >>> t = np.linspace(0, 2, 201)
    >>> jw.Trajectory.from_samples(t, {"hip": np.sin(t)}, smoothing=walking)
    Trajectory(hip: 201 samples from 0 to 2)
    """

    cutoff: float | None = None
    method: Literal["butterworth", "spline"] | None = None
    order: int | None = None
    gaps: Literal["refuse", "fill"] = "refuse"
    max_gap: float | None = None
    rate: float | None = None
    filter: str | None = None
    ends: Literal["natural", "not-a-knot"] = "natural"

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        check_choice("gaps", self.gaps, GAPS)
        check_choice("ends", self.ends, ENDS)
        for name in ("cutoff", "max_gap", "rate", "order"):
            if (value := getattr(self, name)) is not None:
                check = check_integer if name == "order" else check_positive
                object.__setattr__(self, name, check(name, value))
        choose_filter(self.order, self.filter)
        if self.cutoff is None and (self.filter or self.method == "butterworth"):
            raise ValueError("`cutoff` must be given for the Butterworth filter. Use cutoff=6.0.")
        if self.filter is not None and self.method == "spline":
            raise ValueError("`filter` must be left out for a smoothing spline, which has none.")
        if self.ends != ENDS[0] and (self.cutoff is not None or self.method is not None):
            raise ValueError(
                f"`ends` must be left out with smoothing, got {self.ends!r}. Use it without "
                "cutoff and method."
            )


#: The keywords that functions take in addition to the method of smoothing.
SMOOTHING_OPTIONS = {field.name for field in fields(Smoothing)} - {"method"}


def make_smoothing(
    smoothing: Any, parts: Mapping[str, Any], called: Callable[..., Any]
) -> Smoothing:
    """Return the `Smoothing` of the arguments of ``called``: an object, or method and keywords."""
    check_options(called, parts, SMOOTHING_OPTIONS)
    if not isinstance(smoothing, Smoothing):
        check_choice("smoothing", smoothing, METHODS)
        return Smoothing(method=smoothing, **parts)
    if parts:
        raise ValueError(
            f"`{next(iter(parts))}` must be left out with a Smoothing, which contains it. Use "
            "dataclasses.replace(smoothing, ...)."
        )
    return smoothing


class Smoother:
    """Applies a `Smoothing` to columns that were sampled at the times ``raw``."""

    def __init__(self, raw: np.ndarray, smoothing: Smoothing) -> None:
        self.raw, self.options = raw, smoothing
        self.times = raw if smoothing.rate is None else _even_times(raw, smoothing.rate)

    def fill_gaps(self, argument: str, values: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """Return values (N, k) with gaps filled by cubic splines, or refuse the gaps."""
        filled = values.copy()
        for name, column, own in zip(names, values.T, filled.T, strict=True):
            if self.options.gaps == "fill" and (wrong := np.flatnonzero(np.isinf(column))).size:
                raise ValueError(
                    f"`{argument}` must be finite, or NaN in gaps that are filled, got infinity in "
                    f"column {name}, row {wrong[0]}."
                )
            valid = np.isfinite(column)
            for first, last in find_gaps(column):
                self._check_gap(argument, first, last, f"column {name}, rows {first} to {last}")
            if not valid.all():
                own[~valid] = CubicSpline(self.raw[valid], column[valid])(self.raw[~valid])
        return filled

    def _check_gap(self, argument: str, first: int, last: int, where: str) -> None:
        """Refuse a gap at an end of the record, a gap that is too long, or any gap."""
        times, max_gap = self.raw, self.options.max_gap
        if self.options.gaps == "refuse":
            raise ValueError(
                f"`{argument}` must be finite, got a gap in {where} (time {times[first]:g} to "
                f"{times[last]:g}). Use gaps='fill', max_gap=... to fill it."
            )
        if first == 0 or last == len(times) - 1:
            raise ValueError(
                f"`{argument}` must have values at both ends, got a gap in {where}, which would "
                "have to be extrapolated. Use rows without it."
            )
        width = times[last + 1] - times[first - 1]
        if max_gap is not None and width > max_gap:
            raise ValueError(
                f"`{argument}` must not have gaps longer than {max_gap:g}, got one of {width:g} in "
                f"{where}. Use a larger max_gap or shorter records."
            )

    def spline(self, argument: str, values: np.ndarray) -> BSpline:
        """Return a quintic spline through the smoothed columns and the filter's extensions."""
        if len(self.raw) <= DEGREE:
            raise ValueError(
                f"`{argument}` must have at least {DEGREE + 1} samples to be differentiated, got "
                f"{len(self.raw)}."
            )
        cutoff, times = self.options.cutoff, self.times
        if self.options.method == "spline":
            return smoothing_spline(self.raw, values, cutoff).spline
        if times is not self.raw:
            values = make_interp_spline(self.raw, values, k=3)(times)
        if cutoff is not None:
            check_even("times", times, "Use rate=... to resample, or smoothing='spline'.")
            kind = choose_filter(self.options.order, self.options.filter)
            pad, values = padded_butterworth(times, values, cutoff, kind)
            more = (times[-1] - times[0]) / (len(times) - 1) * np.arange(1, pad + 1)
            times = np.concatenate([times[0] - more[::-1], times, times[-1] + more])
        if self.options.ends != ENDS[0]:
            return make_interp_spline(times, values, k=DEGREE)
        return natural_spline(times, values)


def _even_times(times: np.ndarray, rate: float) -> np.ndarray:
    """Return evenly spaced times from the first one on, within the record."""
    count = int(np.floor((times[-1] - times[0]) * rate * (1 + ROUNDING))) + 1
    if count <= DEGREE:
        raise ValueError(
            f"`rate` must leave at least {DEGREE + 1} samples, got {rate:g}, which leaves {count}. "
            "Use a higher one."
        )
    return times[0] + np.arange(count) / rate
