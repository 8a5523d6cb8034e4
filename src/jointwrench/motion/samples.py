"""Checks and repairs of sampled data; every refusal names the column and the row.

Rows are counted from 0, as numpy does.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from ..checks import describe
from ..codegen.arguments import real_array

#: Relative difference of time steps up to which sampling counts as even.
UNEVEN = 1e-3

#: An angle beyond this (rad) is taken for one in degrees unless the caller knows better.
LARGEST_ANGLE = 2 * np.pi


def check_times(argument: str, times: Any) -> np.ndarray:
    """Return increasing finite times as an array of shape (N,)."""
    array = real_array(argument, times)
    if array.ndim != 1 or len(array) < 2:
        raise ValueError(
            f"`{argument}` must have shape (N,) with at least two entries, got shape {array.shape}."
        )
    if (wrong := np.flatnonzero(~np.isfinite(array))).size:
        raise ValueError(
            f"`{argument}` must be finite, got {array[wrong[0]]} in row {wrong[0]}. Use rows with "
            "known times only."
        )
    if (wrong := np.flatnonzero(np.diff(array) <= 0)).size:
        row = wrong[0] + 1
        word = "is there twice, in rows" if array[row] == array[row - 1] else "falls in rows"
        raise ValueError(
            f"`{argument}` must increase, but {array[row]:g} {word} {row - 1} and {row} "
            f"({array[row - 1]:g}, {array[row]:g}). Use numpy.unique(times, return_index=True)."
        )
    return array


def check_even(argument: str, times: np.ndarray) -> float:
    """Return the time step of evenly spaced times."""
    steps = np.diff(times)
    usual = np.median(steps)
    wrong = np.flatnonzero(np.abs(steps - usual) > UNEVEN * usual)
    if wrong.size:
        row = wrong[0]
        raise ValueError(
            f"`{argument}` must be evenly spaced for this filter, but the step after row {row} is "
            f"{steps[row]:g} and the usual one {usual:g}. Use rate=... to resample, or "
            "smoothing='spline'."
        )
    return float((times[-1] - times[0]) / len(steps))


def check_signal(
    argument: str, values: Any, times: np.ndarray, names: Sequence[str] | None = None
) -> np.ndarray:
    """Return finite values of shape (N,) or (N, k), one row per time."""
    array = check_rows(argument, values, times)
    wrong = np.argwhere(~np.isfinite(array))
    if wrong.size:
        row, *column = wrong[0]
        where = f"column {_name(names, column[0])}, row {row}" if column else f"row {row}"
        raise ValueError(
            f"`{argument}` must be finite, got {array[tuple(wrong[0])]} in {where} (time "
            f"{times[row]:g}). Use gaps='fill' or rows without gaps."
        )
    return array


def check_rows(argument: str, values: Any, times: np.ndarray) -> np.ndarray:
    """Return values of shape (N,) or (N, k), one row per time; they may be NaN."""
    array = real_array(argument, values)
    if array.ndim not in (1, 2) or len(array) != len(times):
        raise ValueError(
            f"`{argument}` must have one row per time, shape ({len(times)},) or ({len(times)}, k), "
            f"got shape {array.shape}."
        )
    return array


def _name(names: Sequence[str] | None, column: int) -> str:
    return str(column) if names is None else str(names[column])


# -- columns --------------------------------------------------------------------


def named_columns(
    argument: str, values: Any, times: np.ndarray, names: Sequence[str] | None, letter: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return values of shape (N, k) and the names of their columns.

    ``values`` is an array, a mapping of names to arrays of shape (N,), or a
    pandas DataFrame.  With ``names`` a mapping or DataFrame is put in that
    order, and must have just these columns.
    """
    if isinstance(values, Mapping) or hasattr(values, "columns"):
        columns = {str(getattr(key, "name", key)): values[key] for key in _keys(values)}
        if names is None:
            names = tuple(columns)
        _check_names(argument, columns, names)
        for name in names:
            check_rows(f"{argument}[{name!r}]", np.asarray(columns[name]), times)
        return np.stack([real_array(argument, np.asarray(columns[n])) for n in names], -1), tuple(
            names
        )
    array = check_rows(argument, values, times)
    array = array.reshape(len(times), -1)
    if names is None:
        names = [f"{letter}_{k}" for k in range(array.shape[1])]
    if len(names) != array.shape[1]:
        raise ValueError(
            f"`{argument}` must have {len(names)} columns ({', '.join(map(str, names))}), "
            f"got {array.shape[1]}."
        )
    return array, tuple(map(str, names))


def _keys(values: Any) -> list[Any]:
    return list(values.columns) if hasattr(values, "columns") else list(values)


def _check_names(argument: str, columns: Mapping[str, Any], names: Sequence[str]) -> None:
    if missing := [name for name in names if name not in columns]:
        raise ValueError(
            f"`{argument}` must have the columns {', '.join(names)}, {', '.join(missing)} missing."
        )
    if unknown := [name for name in columns if name not in names]:
        raise ValueError(
            f"`{argument}` must have the columns {', '.join(names)} only, got "
            f"{', '.join(unknown)} too."
        )


def find_columns(argument: str, wanted: Any, names: Sequence[str]) -> list[int]:
    """Return the positions of some columns: None or False is none."""
    if wanted is None or wanted is False:
        return []
    found = []
    for item in [wanted] if isinstance(wanted, str) else wanted:
        if isinstance(item, int) and 0 <= item < len(names):
            found.append(item)
            continue
        text = str(getattr(item, "name", item))
        if text not in names:
            raise ValueError(
                f"`{argument}` must name columns among {', '.join(names)}, got {describe(item)}."
            )
        found.append(list(names).index(text))
    return found


# -- repairs ----------------------------------------------------------------------


def unwrapped(values: np.ndarray, columns: Iterable[int]) -> np.ndarray:
    """Return a copy in which these columns (rad) have no jumps by full turns; NaN stays."""
    values = values.copy()
    for column in columns:
        valid = np.isfinite(values[:, column])
        values[valid, column] = np.unwrap(values[valid, column])
    return values


def runs_of_gaps(column: np.ndarray) -> list[tuple[int, int]]:
    """Return first and last row of each run of values that are not finite."""
    missing = np.concatenate([[False], ~np.isfinite(column), [False]])
    edges = np.flatnonzero(np.diff(missing.astype(int)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def without_gaps(
    argument: str,
    times: np.ndarray,
    values: np.ndarray,
    names: Sequence[str],
    gaps: str,
    max_gap: float | None,
) -> np.ndarray:
    """Return values of shape (N, k) whose gaps are filled by cubic splines, or refuse them."""
    if gaps not in ("refuse", "fill"):
        raise ValueError(f"`gaps` must be 'refuse' or 'fill', got {gaps!r}.")
    filled = values.copy()
    for column, name in enumerate(names):
        runs = runs_of_gaps(values[:, column])
        if not runs:
            continue
        _check_runs(argument, times, name, runs, gaps, max_gap)
        valid = np.isfinite(values[:, column])
        spline = CubicSpline(times[valid], values[valid, column])
        filled[~valid, column] = spline(times[~valid])
    return filled


def _check_runs(
    argument: str,
    times: np.ndarray,
    name: str,
    runs: list[tuple[int, int]],
    gaps: str,
    max_gap: float | None,
) -> None:
    last_row = len(times) - 1
    for first, last in runs:
        where = f"column {name}, rows {first} to {last}"
        if gaps == "refuse":
            raise ValueError(
                f"`{argument}` must be finite, got a gap in {where} (time {times[first]:g} to "
                f"{times[last]:g}). Use gaps='fill', max_gap=... to fill it."
            )
        if first == 0 or last == last_row:
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


def in_radians(
    argument: str,
    values: np.ndarray,
    names: Sequence[str],
    angles: Sequence[int],
    degrees: Any,
) -> np.ndarray:
    """Return values with angles in radians; suspect degrees where nothing is said.

    ``degrees`` is None (suspect), False (they are radians), True or names of
    columns (they are degrees).
    """
    if degrees is None:
        for column in angles:
            sizes = np.abs(values[:, column])
            beyond = np.flatnonzero((sizes > LARGEST_ANGLE) & np.isfinite(sizes))
            if beyond.size:
                raise ValueError(
                    f"`{argument}` must be in radians, but column {names[column]} has "
                    f"{values[beyond[0], column]:g} in row {beyond[0]}: degrees are suspected. "
                    "Use degrees=True to convert them, or degrees=False if these are radians or "
                    "no angles at all."
                )
        return values
    chosen = list(angles) if degrees is True else find_columns("degrees", degrees, names)
    values = values.copy()
    values[:, chosen] = np.deg2rad(values[:, chosen])
    return values
