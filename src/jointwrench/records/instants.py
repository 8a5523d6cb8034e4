"""Checks of the instants of samples; even instants that were rounded when printed are restored."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..checks.messages import warn
from ..checks.numbers import check_finite, check_number
from ..checks.tolerances import DIGIT_ERROR, LAST_DIGIT, THREE_DIGITS, TIED
from .samples import check_times, is_even


class Samples(np.ndarray):
    """An array with a row per instant.  Slices and results of computations have no instants.

    Attributes
    ==========

    times : numpy.ndarray or None
        The instants.
    check_result : function or None
        Called with every result of an evaluation in which the array was an argument.
    """

    times: np.ndarray | None = None
    check_result: Callable[[Any], None] | None = None

    def __new__(
        cls, values: np.ndarray, times: np.ndarray, check: Callable[[Any], None] | None = None
    ) -> "Samples":
        samples = np.asarray(values).view(cls)
        samples.times, samples.check_result = times, check
        return samples


def result_checks(given: Iterable[Any]) -> Iterable[Callable[[Any], None]]:
    """Return the distinct ``check_result`` functions of Samples in an evaluation's arguments."""
    values = (x for own in given if isinstance(own, Mapping) for x in own.values())
    checks = (x.check_result for x in values if isinstance(x, Samples))
    return dict.fromkeys(check for check in checks if check is not None)


def check_instants(argument: str, known: np.ndarray | None, times: np.ndarray | None) -> None:
    """Raise an error if the instants of a force plate and of the motion are known and differ."""
    if known is None or times is None:
        return
    where = ""
    if times.shape[-1:] in ((), known.shape):
        ours, theirs = np.broadcast_arrays(known, times)
        step = np.median(np.diff(known)) if len(known) > 1 else np.abs(known).max()
        wrong = np.argwhere(~(np.abs(ours - theirs) <= THREE_DIGITS * step))
        if not wrong.size:
            return
        first = tuple(wrong[0])
        where = f", {ours[first]:g} instead of {theirs[first]:g} in row {first[-1]}"
    raise ValueError(
        f"`{argument}` must have the instants of the motion, {_span(times)}, got {_span(known)}"
        f"{where}. Use plate.at(motion.times)."
    )


def _span(times: np.ndarray) -> str:
    return f"{times.size} from {times.min():g} to {times.max():g}"


#: Number of samples from which on rounded instants are restored, and the least ratio of the step to
#: the last digit: with shorter steps a missing sample could be mistaken for rounding.
LEAST_SAMPLES, COARSEST = 6, 4

#: Numbers of decimals to which instants may be rounded: the last digit is 1 to 1e-6.
DIGITS = range(7)

#: Sampling rates are tried as multiples of these numbers, the roundest first.
STEPS = [m * 10.0**k for k in range(3, -10, -1) for m in (5, 1)]


def check_sample_times(argument: str, times: Any, least: int = 2) -> np.ndarray:
    """Return checked times (N,); rounded times of even sampling are restored, with a warning."""
    array = check_times(argument, times, least)
    if len(array) < LEAST_SAMPLES or is_even(array):
        return array
    found = _find_regular_instants(array)
    if found is None:
        return array
    digit, start, rate = found
    count = len(array)
    warn(
        f"`{argument}` are rounded to {digit:g} and taken as even sampling: {rate:.9g} samples "
        f"per time from {start:.9g} on. Use {start:.9g} + numpy.arange({count}) / {rate:.9g} to "
        "state it."
    )
    return start + np.arange(count) / rate


def _find_regular_instants(times: np.ndarray) -> tuple[float, float, float] | None:
    """Return the last digit, the first instant and the sampling rate; None if steps differ."""
    # Instants t_k = start + k / rate that were rounded to a digit d deviate from a line by at most
    # d / 2.  The step with the least spread of t_k - k step is found; even sampling needs a spread
    # of at most d.  The rate is then the roundest number that satisfies the same bound.
    from scipy.optimize import minimize_scalar  # slow to import

    digit = _last_digit(times)
    numbers = np.arange(len(times))
    step = (times[-1] - times[0]) / numbers[-1]
    if digit is None or step < COARSEST * digit:
        return None
    room = 2 * digit / numbers[-1]

    def spread(step: float) -> float:
        return float(np.ptp(times - numbers * step))

    bounds, options = (step - room, step + room), {"xatol": TIED * room}
    best = minimize_scalar(spread, bounds=bounds, method="bounded", options=options)
    limit = digit * (1 + LAST_DIGIT)
    if best.fun > limit:
        return None
    tried = (round(1 / (best.x * base)) * base for base in STEPS)
    rate = next((x for x in tried if x > 0 and spread(1 / x) <= limit), 1 / best.x)
    offsets = times - numbers / rate
    middle = (offsets.max() + offsets.min()) / 2
    counted = round(middle * rate) / rate  # as if counted from zero on
    is_counted = np.abs(offsets - counted).max() <= limit / 2
    return digit, float(counted if is_counted else middle), float(rate)


def _last_digit(times: np.ndarray) -> float | None:
    """Return the largest power of ten that divides all times up to roundoff, None below 1e-6."""
    for k in DIGITS:
        scaled = times * 10.0**k
        if np.abs(scaled - np.round(scaled)).max() < DIGIT_ERROR:
            return float(10.0**-k)
    return None


def nearest_sample(at: Any, times: np.ndarray | None, count: int) -> int:
    """Return the index of the sample nearest to ``at``, an instant or, without times, an index."""
    at, places = check_number("at", at), np.arange(count) if times is None else times
    if not places[0] <= at <= places[-1]:
        kind = "the index of a sample" if times is None else "an instant"
        raise ValueError(f"`at` must be {kind} in {places[0]:g} to {places[-1]:g}, got {at:g}.")
    return int(np.argmin(abs(places - at)))


def instant_of_state(at: float | None, is_needed: bool) -> float | None:
    """Return the checked instant ``at`` of one state; a model that depends on time needs it."""
    if at is None and is_needed:
        raise ValueError(
            "`at` must be the instant of a state of a model that depends on time. Use at=0.0."
        )
    return None if at is None else check_finite("at", at)
