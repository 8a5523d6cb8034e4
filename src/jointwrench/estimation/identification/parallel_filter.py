"""One low-pass filter for forces and the coefficients of all parameters, and decimation.

A linear filter over both sides of ``coefficients @ parameters = forces`` leaves the parameters as
they are: nothing lags and nothing is made smaller on one side alone.

References
==========

.. [1] M. Gautier, Dynamic identification of robots with power model, Proc. IEEE Int. Conf. Robotics
   and Automation (1997) 1922-1927: parallel filtering and decimation.
"""

from dataclasses import replace

import numpy as np

from ...motion.filters import FILTERS, padded_butterworth
from ...records.samples import check_even, runs_of_gaps
from .force_data import ForceData

#: What is kept, in samples per period of the cutoff.
KEPT = 5

#: So many columns are filtered at once.
COLUMNS = 64


def filtered(data: ForceData, cutoff: float) -> ForceData:
    """Return data filtered at a cutoff and decimated.

    Within a period of the cutoff of a force that was not measured none counts.
    """
    starts = np.flatnonzero(np.diff(data.recordings, prepend=-1))
    parts = np.split(np.arange(len(data)), starts[1:])
    steps = [_step(data, rows, number) for number, rows in enumerate(parts)]
    every = max(int(1 / (KEPT * cutoff * max(steps))), 1)
    kept = np.concatenate([rows[::every] for rows in parts])
    shape = data.coefficients.shape
    there = data.is_there
    weights = data.weights.copy()
    columns = data.coefficients.reshape(len(data), -1)
    both = [np.where(np.isfinite(columns), columns, 0), _filled(data.measured), data.known]
    results = [np.empty((len(kept), x.shape[1])) for x in both]
    place = 0
    for rows, step in zip(parts, steps, strict=True):
        room = slice(place, place + len(rows[::every]))
        place = room.stop
        for values, result in zip(both, results, strict=True):
            for first in range(0, values.shape[1], COLUMNS):
                own = slice(first, first + COLUMNS)
                pad, smooth = padded_butterworth(
                    data.times[rows], values[rows, own], cutoff, FILTERS["winter"]
                )
                result[room, own] = smooth[pad : pad + len(rows)][::every]
        reach = int(np.ceil(1 / (cutoff * step)))
        for force in range(shape[1]):
            for a, b in runs_of_gaps(np.where(there[rows, force], 0, np.nan)):
                weights[rows[max(a - reach, 0) : b + reach + 1], force] = 0
    coefficients, measured, known = results
    return replace(
        data,
        coefficients=coefficients.reshape(-1, *shape[1:]),
        measured=measured,
        known=known,
        weights=weights[kept],
        recordings=data.recordings[kept],
        times=data.times[kept],
        cutoff=cutoff,
        decimation=every,
    )


def _step(data: ForceData, rows: np.ndarray, number: int) -> float:
    """Return the time between samples of a recording."""
    times = data.times[rows]
    if data.samples[0].times is None:
        raise ValueError("`motion` must know its times where a cutoff is given. Use a Trajectory.")
    where = f"motion.times of recording {number}"
    return check_even(where, times, "Use TorqueLog.from_samples(...), or motion.resampled(number).")


def _filled(values: np.ndarray) -> np.ndarray:
    """Return forces with straight lines over what was not measured."""
    result, rows = values.copy(), np.arange(len(values))
    for column in result.T:
        there = np.isfinite(column)
        if there.any():
            column[~there] = np.interp(rows[~there], rows[there], column[there])
        else:
            column[:] = 0
    return result
