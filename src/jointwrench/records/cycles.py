"""Normalisation to the gait cycle."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks.numbers import check_integer, real_array
from .samples import check_inside, check_signal, check_times, spline_through
from .tables import Table


def normalise_cycles(times: Any, values: Any, events: Any, samples: int = 101) -> np.ndarray:
    """Return values (M - 1, samples, ...) at evenly spaced times of each cycle, by cubic splines.

    Parameters
    ==========

    times, values : array_like, shapes (N,) and (N, ...)
        Increasing instants, and the values to normalise.
    events : array_like, shape (M,)
        The ends of cycles, such as the strikes of one foot: each cycle ends where the next one
        starts.  Events may be one sample outside the times, because the clocks of plates and
        cameras differ.
    samples : int
        Number of samples in a cycle, both ends included: 101 gives steps of one per cent.

    Raises
    ======

    TypeError, ValueError
        If data are not finite real numbers, ``samples`` is not an integer or below two, times or
        events do not increase, or an event is outside the times.

    See Also
    ========

    Result.over_cycles : Normalises a whole result.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.linspace(0, 4, 401)
    >>> cycles = jw.normalise_cycles(t, np.sin(2 * np.pi * t), events=[0.5, 1.5, 2.5])
    >>> cycles.shape
    (2, 101)
    """
    instants = check_times("times", times)
    array = real_array("values", values)
    flat = array.reshape(*array.shape[:1], int(np.prod(array.shape[1:])))
    check_signal("values", flat, instants)
    step = float(np.median(np.diff(instants)))
    ends = check_inside("events", check_times("events", events), instants, margin=step)
    fractions = np.linspace(0, 1, check_integer("samples", samples, least=2))
    wanted = ends[:-1, None] + np.diff(ends)[:, None] * fractions
    return spline_through(instants, array, 3)(wanted)


def table_over_cycles(curves: Mapping[str, np.ndarray]) -> Table:
    """Return a Table of curves (cycles, samples): one column per cycle, "knee_power_cycle_1"."""
    columns = {f"{n}_cycle_{k}": row for n, rows in curves.items() for k, row in enumerate(rows, 1)}
    return percent_table(columns)


def percent_table(columns: Mapping[str, np.ndarray]) -> Table:
    """Return a Table of columns (samples,) at evenly spaced percents of a cycle."""
    array = np.stack([*columns.values()], axis=-1)
    return Table(np.linspace(0, 100, len(array)), tuple(columns), array, {"times": "percent"})
