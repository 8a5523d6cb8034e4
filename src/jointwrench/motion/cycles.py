"""Normalisation to the gait cycle."""

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from .samples import check_signal, check_times


def normalise_cycles(times: Any, values: Any, events: Any, samples: int = 101) -> np.ndarray:
    """Return values at evenly spaced parts of each cycle, by cubic splines.

    Parameters
    ==========

    times : array_like, shape (N,)
        Increasing instants.
    values : array_like, shape (N, ...)
        What is normalised.
    events : array_like, shape (M,)
        Times at which a cycle begins and the one before it ends, for instance
        every contact of the right foot.
    samples : int
        Per cycle, both ends included: 101 gives percents.

    Returns
    =======

    numpy.ndarray, shape (M - 1, samples, ...)
        One row per cycle.

    Raises
    ======

    ValueError
        If times or events do not increase, if a value is not finite, if an event
        is outside the times, or if there are fewer than two samples.

    Examples
    ========

    >>> import numpy as np
    >>> from jointwrench.motion.cycles import normalise_cycles
    >>> t = np.linspace(0, 4, 401)
    >>> cycles = normalise_cycles(t, np.sin(2 * np.pi * t), events=[0.5, 1.5, 2.5])
    >>> cycles.shape
    (2, 101)
    >>> bool(np.allclose(cycles[0], cycles[1]))
    True
    """
    instants = check_times("times", times)
    array = np.asarray(values, dtype=float)
    check_signal("values", array.reshape(len(array), -1), instants)
    ends = check_times("events", events)
    if samples < 2:
        raise ValueError(f"`samples` must be at least 2, got {samples}.")
    if ends[0] < instants[0] or ends[-1] > instants[-1]:
        raise ValueError(
            f"`events` must be between {instants[0]:g} and {instants[-1]:g}, the first and the "
            f"last time, got {ends[0]:g} to {ends[-1]:g}."
        )
    parts = np.linspace(0, 1, samples)
    wanted = ends[:-1, None] + np.diff(ends)[:, None] * parts
    spline = make_interp_spline(instants, array, k=min(3, len(instants) - 1))
    return spline(wanted)
