"""One low-pass filter for forces and the coefficients of all parameters, and decimation.

A linear filter of both sides of ``coefficients @ parameters = forces`` does not change the
parameters: both sides have the same lag and attenuation.

References
==========

.. [1] M. Gautier, Dynamic identification of robots with power model, Proc. IEEE Int. Conf. Robotics
   and Automation (1997) 1922-1927: parallel filtering and decimation.
"""

from dataclasses import replace

import numpy as np

from ..records.samples import check_even, find_gaps
from ..signals.filters import FILTERS, padded_butterworth
from .force_data import ForceData

#: Samples per period of the cutoff that remain after decimation.
SAMPLES_PER_PERIOD = 5

#: The number of columns filtered at once.
COLUMNS = 64


def filter_data(data: ForceData, cutoff: float) -> ForceData:
    """Return the data filtered and decimated; weights are zero near missing measurements."""
    if data.samples[0].times is None:
        raise ValueError("`motion` must know its times where a cutoff is given. Use a Trajectory.")
    fix = "Use TorqueLog.from_samples(...), or motion.resampled(number)."
    steps = [
        check_even(f"motion.times of recording {number}", data.times[rows], fix)
        for number, rows in enumerate(data.parts)
    ]
    every = max(int(1 / (SAMPLES_PER_PERIOD * cutoff * max(steps))), 1)
    kept = np.concatenate([rows[::every] for rows in data.parts])
    shape, is_measured, weights = data.coefficients.shape, data.is_measured, data.weights.copy()
    columns = data.coefficients.reshape(len(data), -1)
    both = [np.where(np.isfinite(columns), columns, 0), _fill_gaps(data.measured), data.known]
    results = [np.empty((len(kept), x.shape[1])) for x in both]
    place, kind = 0, FILTERS["winter"]
    for rows, step in zip(data.parts, steps, strict=True):
        output_rows = slice(place, place + len(rows[::every]))
        place = output_rows.stop
        for values, result in zip(both, results, strict=True):
            for first in range(0, values.shape[1], COLUMNS):
                own = slice(first, first + COLUMNS)
                pad, smooth = padded_butterworth(data.times[rows], values[rows, own], cutoff, kind)
                result[output_rows, own] = smooth[pad : pad + len(rows)][::every]
        reach = int(np.ceil(1 / (cutoff * step)))
        for force in range(shape[1]):
            for a, b in find_gaps(np.where(is_measured[rows, force], 0, np.nan)):
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


def _fill_gaps(values: np.ndarray) -> np.ndarray:
    """Return forces (N, forces) with missing measurements interpolated linearly."""
    result, rows = values.copy(), np.arange(len(values))
    for column in result.T:
        is_measured = np.isfinite(column)
        known = (rows[is_measured], column[is_measured]) if is_measured.any() else ([0], [0])
        column[~is_measured] = np.interp(rows[~is_measured], *known)
    return result
