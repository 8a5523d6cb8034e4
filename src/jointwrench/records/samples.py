"""Checks and repairs of sampled data; every error names the column and the row.

Rows are counted from 0, as numpy does.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..checks.arguments import (
    check_different,
    check_known,
    check_sequence,
    coordinate_name,
    symbol_name,
)
from ..checks.numbers import check_number, real_array, shaped_array, transpose_hint
from ..checks.tolerances import ROUNDING, THREE_DIGITS

#: An angle beyond this limit (rad) is suspected to be in degrees, unless the user states its unit.
LARGEST_ANGLE = 2 * np.pi


def check_times(argument: str, times: Any, least: int = 2) -> np.ndarray:
    """Return checked times: increasing finite floats of shape (N,), N at least ``least``."""
    array = real_array(argument, times).astype(float)
    if array.ndim != 1 or len(array) < least:
        raise ValueError(
            f"`{argument}` must have shape (N,) with N at least {least}, got shape {array.shape}."
        )
    if (wrong := np.flatnonzero(~np.isfinite(array))).size:
        raise ValueError(
            f"`{argument}` must be finite, got {array[wrong[0]]} in row {wrong[0]}. Use rows with "
            "known times only."
        )
    if (wrong := np.flatnonzero(np.diff(array) <= 0)).size:
        row = wrong[0] + 1
        word = "occurs twice, in rows" if array[row] == array[row - 1] else "falls in rows"
        raise ValueError(
            f"`{argument}` must increase, but {array[row]:g} {word} {row - 1} and {row} "
            f"({array[row - 1]:g}, {array[row]:g}). Use numpy.unique(times, return_index=True)."
        )
    return array


def time_roundoff(times: np.ndarray) -> float:
    """Return a bound of the rounding errors of the times in a record."""
    return float(ROUNDING * (times[-1] - times[0]))


def check_inside(
    argument: str, instants: np.ndarray, times: np.ndarray, margin: float = 0.0
) -> np.ndarray:
    """Return instants clipped to a record; refuse any that is outside by more than ``margin``."""
    first, last, margin = times[0], times[-1], margin * (1 + THREE_DIGITS) + time_roundoff(times)
    wrong = ~((instants >= first - margin) & (instants <= last + margin))
    if wrong.any():
        raise ValueError(
            f"`{argument}` must be between {first:g} and {last:g}, the first and the last sample, "
            f"got {instants[wrong].flat[0]:g}."
        )
    return np.clip(instants, first, last)


def rows_between(times: np.ndarray, start: Any, end: Any, least: int = 2) -> np.ndarray:
    """Return a boolean mask (N,) of the rows between a start and an end, both included."""
    start, end = check_number("start", start), check_number("end", end)
    margin = time_roundoff(times)
    inside = (times >= start - margin) & (times <= end + margin)
    if inside.sum() < least:
        count = "one sample" if least == 1 else "two samples"
        raise ValueError(
            f"`start` and `end` must leave at least {count}, got {start:g} and {end:g} of "
            f"samples from {times[0]:g} to {times[-1]:g}."
        )
    return inside


def _uneven_rows(times: np.ndarray) -> np.ndarray:
    """Return the indices of rows after which the time step differs from the median step."""
    steps = np.diff(times)
    usual = np.median(steps)
    return np.flatnonzero(np.abs(steps - usual) > THREE_DIGITS * usual)


def is_even(times: np.ndarray) -> bool:
    return not _uneven_rows(times).size


def check_even(argument: str, times: np.ndarray, fix: str) -> float:
    """Return the step of evenly spaced times; refuse others with a ``fix`` in the message."""
    steps = np.diff(times)
    for row in _uneven_rows(times):
        raise ValueError(
            f"`{argument}` must be evenly spaced for this filter, but the step after row {row} is "
            f"{steps[row]:g} and the usual one {np.median(steps):g}. {fix}"
        )
    return float((times[-1] - times[0]) / len(steps))


def check_signal(
    argument: str, values: Any, times: np.ndarray, names: Sequence[str] | None = None
) -> np.ndarray:
    """Return checked values: finite floats of shape (N,) or (N, k), one row per time."""
    array = check_rows(argument, values, times)
    if (wrong := np.argwhere(~np.isfinite(array))).size:
        row, *column = wrong[0]
        where = "".join(f"column {names[k] if names else k}, " for k in column) + f"row {row}"
        raise ValueError(
            f"`{argument}` must be finite, got {array[tuple(wrong[0])]} in {where} (time "
            f"{times[row]:g}). Fill the gaps first, or use rows without them."
        )
    return array


def check_rows(argument: str, values: Any, times: np.ndarray) -> np.ndarray:
    """Return values as floats of shape (N,) or (N, k), one row per time; NaN is allowed."""
    array = real_array(argument, values).astype(float)
    if array.ndim not in (1, 2) or len(array) != len(times):
        raise ValueError(
            f"`{argument}` must have one row per time, shape ({len(times)},) or ({len(times)}, k), "
            f"got shape {array.shape}.{transpose_hint(argument, array.shape, len(times), 0)}"
        )
    return array


# -- columns --------------------------------------------------------------------


def named_columns(
    argument: str, values: Any, times: np.ndarray, names: Sequence[str] | None, letter: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the columns (N, k) of an array, mapping or DataFrame in the order of ``names``.

    The names are returned with them; default names of an array are ``letter_0`` and so on.
    """
    if isinstance(values, Mapping) or hasattr(values, "columns"):
        columns = _by_name(argument, values)
        names = tuple(columns) if names is None else names
        known = {coordinate_name(key, names): column for key, column in columns.items()}
        columns = known if len(known) == len(columns) else columns
        _check_names(argument, columns, names)
        rows = []
        for name in names:
            own = f"{argument}[{name!r}]"
            rows.append(shaped_array(own, check_rows(own, columns[name], times), len(times)))
        return np.stack(rows, axis=-1), tuple(names)
    array = check_rows(argument, values, times).reshape(len(times), -1)
    if names is None:
        names = [f"{letter}_{k}" for k in range(array.shape[1])]
    if len(names) != array.shape[1]:
        raise ValueError(
            f"`{argument}` must have {len(names)} columns ({', '.join(map(str, names))}), "
            f"got {array.shape[1]}.{transpose_hint(argument, array.shape, len(names), 1)}"
        )
    return array, tuple(map(str, names))


def _by_name(argument: str, values: Any) -> dict[str, Any]:
    """Return the columns of a mapping or DataFrame by name; a key may be a symbol."""
    keys = list(getattr(values, "columns", values))
    names = [*map(symbol_name, keys)]
    if not names:
        raise ValueError(f"`{argument}` must have at least one column, got none.")
    check_different(argument, names, "name each column once")
    return {name: values[key] for name, key in zip(names, keys, strict=True)}


def _check_names(argument: str, columns: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse missing and additional columns."""
    if not columns.keys() >= set(names):
        raise ValueError(
            f"`{argument}` must have the columns {', '.join(names)}, got {', '.join(columns)}. "
            "Rename or add them."
        )
    if unknown := [name for name in columns if name not in names]:
        raise ValueError(
            f"`{argument}` must have the columns {', '.join(names)} only, got "
            f"{', '.join(unknown)} too."
        )


def find_columns(argument: str, columns: Any, names: Sequence[str]) -> list[int]:
    """Return the indices of columns stated by name or index; [] for None and False."""
    if columns is None or columns is False:
        return []
    items = [columns] if isinstance(columns, str) else columns
    found = []
    for item in check_sequence(argument, items, "names or positions of columns"):
        is_position = isinstance(item, (int, np.integer)) and not isinstance(item, bool)
        if is_position and 0 <= item < len(names):
            found.append(int(item))
            continue
        text = coordinate_name(item, names)
        check_known(argument, [text], names, "name columns among")
        found.append(find_only_column(argument, text, names))
    return found


def find_only_column(argument: str, name: str, names: Sequence[str]) -> int:
    """Return the index of the column with a name; refuse a name that two columns have."""
    places = [k for k, own in enumerate(names) if own == name]
    if len(places) > 1:
        raise ValueError(
            f"`{argument}` must be all different, got {name!r} in columns "
            f"{' and '.join(map(str, places))}. Rename one by its column: names = [*data.names]; "
            f"names[{places[-1]}] = 'another'; data = dataclasses.replace(data, names=names). A "
            "recording takes them by trial._replace(markers=data)."
        )
    return places[0]


# -- repairs ----------------------------------------------------------------------


def unwrap_columns(values: np.ndarray, columns: Iterable[int]) -> np.ndarray:
    """Return a copy without jumps by full turns in some ``columns`` (rad); NaN is kept."""
    values = values.copy()
    for column in columns:
        valid = np.isfinite(values[:, column])
        values[valid, column] = np.unwrap(values[valid, column])
    return values


def find_gaps(column: np.ndarray) -> list[tuple[int, int]]:
    """Return the first and the last row of each run of values that are not finite."""
    missing = np.pad(~np.isfinite(column), 1).astype(int)
    edges = np.flatnonzero(np.diff(missing)).tolist()
    return [(a, b - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def spline_through(times: np.ndarray, values: np.ndarray, degree: int = 5) -> Any:
    """Return the interpolating spline of values (N, ...), of a lower degree for few samples."""
    from scipy.interpolate import make_interp_spline  # slow to import

    possible = min(degree, len(times) - 1)
    possible -= possible == 4  # older versions of scipy cannot choose knots for degree 4
    return make_interp_spline(times, values, k=possible)


def convert_to_radians(
    argument: str, values: np.ndarray, names: Sequence[str], angles: Sequence[int], degrees: Any
) -> np.ndarray:
    """Return values (N, k) with the columns in degrees converted to radians.

    ``degrees`` is True (all ``angles``), False, or names of columns.  With None the values must be
    radians, and angles beyond a full turn are refused.
    """
    if degrees is None:
        for column in angles:
            sizes = np.abs(values[:, column])
            if (beyond := np.flatnonzero((sizes > LARGEST_ANGLE) & np.isfinite(sizes))).size:
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


def pad_to_space(vectors: np.ndarray) -> np.ndarray:
    """Return vectors (..., 2) or (..., 3) as (..., 3), with missing third components of zero."""
    return np.pad(vectors, [*[(0, 0)] * (vectors.ndim - 1), (0, 3 - vectors.shape[-1])])
