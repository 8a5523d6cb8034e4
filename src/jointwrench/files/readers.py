"""Reading recorded data: CSV and text tables, OpenSim's .mot/.sto, .trc, and C3D.

Nothing is converted silently: numbers stay in the units of the file, which its
header tells.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..extras import import_extra
from ..motion.samples import check_times
from .table import Table

#: What stands for a missing number.
MISSING = {"", "nan", "na", "n/a", "null"}


@dataclass(frozen=True, eq=False)
class Markers:
    """Places of markers over time.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        Increasing instants.
    names : tuple of str
        The names of the markers.
    positions : numpy.ndarray, shape (N, number of names, 3)
        Their places x, y, z; NaN where one is missing.
    header : dict of str to str
        What the file says about itself, for instance ``Units``.
    """

    times: np.ndarray
    names: tuple[str, ...]
    positions: np.ndarray
    header: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise KeyError(f"{name!r} is none of the markers {', '.join(self.names)}.")
        return self.positions[:, self.names.index(name)]

    def __repr__(self) -> str:
        first, last = self.times[0], self.times[-1]
        names = ", ".join(self.names)
        return f"Markers({names}: {len(self.times)} rows, time {first:g} to {last:g})"


def read_csv(
    path: str | PathLike[str], time: str | None = None, delimiter: str | None = None
) -> Table:
    """Read a text table with one line of names and one column of times.

    Parameters
    ==========

    path : str or path
        The file.  Lines that start with ``#`` are left out; a ``%`` before the
        names, as Matlab's habit has it, is too.
    time : str, optional
        The name of the column of times.  Default: the first column.
    delimiter : str, optional
        What separates columns.  Default: comma, semicolon, tab or blanks,
        whichever the line of names has.

    Returns
    =======

    Table
        The other columns; empty fields and "NaN" are NaN.

    Raises
    ======

    ValueError
        If a line has too few or too many fields, a field is no number, or if
        there is no such column of times; with the file, the line and the column.
    """
    lines = [line for line in _lines(path) if line[1].strip() and not line[1].startswith("#")]
    if not lines:
        raise ValueError(f"`path` must be a table, got the empty file {Path(path).name}.")
    title = lines[0][1].lstrip("% ")
    mark = _delimiter(title) if delimiter is None else delimiter
    names = [name.strip() for name in _fields(title, mark)]
    numbers = _numbers(path, names, [(k, _fields(text, mark)) for k, text in lines[1:]])
    return _table(path, names, numbers, names[0] if time is None else time)


def read_storage(path: str | PathLike[str]) -> Table:
    """Read a storage or motion file of OpenSim (.sto, .mot).

    Parameters
    ==========

    path : str or path
        The file.

    Returns
    =======

    Table
        The columns but ``time``; the ``header`` has the file's words, for instance
        ``inDegrees``: "yes".  Nothing is converted.

    Raises
    ======

    ValueError
        If there is no ``endheader`` or no column ``time``, or as `read_csv`.
    """
    lines = _lines(path)
    ends = [k for k, (_, text) in enumerate(lines) if text.strip().lower() == "endheader"]
    if not ends:
        raise ValueError(f"`path` must have a line 'endheader', {Path(path).name} has none.")
    header = {}
    for _, text in lines[: ends[0]]:
        key, equals, value = text.partition("=")
        if equals:
            header[key.strip()] = value.strip()
    body = [line for line in lines[ends[0] + 1 :] if line[1].strip()]
    if not body:
        raise ValueError(f"`path` must have columns, {Path(path).name} has none.")
    names = body[0][1].split()
    numbers = _numbers(path, names, [(k, text.split()) for k, text in body[1:]])
    table = _table(path, names, numbers, "time")
    return Table(table.times, table.names, table.array, header)


def read_trc(path: str | PathLike[str]) -> Markers:
    """Read markers from a .trc file.

    Parameters
    ==========

    path : str or path
        The file.

    Returns
    =======

    Markers
        In the file's units (``header["Units"]``).

    Raises
    ======

    ValueError
        If the lines of names are missing, or as `read_csv`.
    """
    lines = [(k, text.rstrip("\r\n")) for k, text in _lines(path)]
    starts = [k for k, (_, text) in enumerate(lines) if text.startswith("Frame#")]
    if not starts or starts[0] < 2:
        raise ValueError(f"`path` must have a line 'Frame# Time ...', {Path(path).name} has none.")
    start = starts[0]
    keys, values = (lines[start - k][1].split("\t") for k in (2, 1))
    header = {key.strip(): value.strip() for key, value in zip(keys, values, strict=False)}
    names = [name for name in map(str.strip, lines[start][1].split("\t")[2:]) if name]
    columns = ["Frame#", "Time", *(f"{name}.{axis}" for name in names for axis in "xyz")]
    body = [(k, text.split("\t")) for k, text in lines[start + 2 :] if text.strip()]
    body = [
        (k, (fields + [""] * len(columns))[: max(len(columns), _used(fields))])
        for k, fields in body
    ]
    numbers = _numbers(path, columns, body)
    times = check_times("Time", numbers[:, 1])
    return Markers(times, tuple(names), numbers[:, 2:].reshape(len(times), -1, 3), header)


def read_c3d(path: str | PathLike[str]) -> tuple[Markers, Table | None]:
    """Read markers and analogue channels from a C3D file (extra ``data``: ezc3d).

    Parameters
    ==========

    path : str or path
        The file.

    Returns
    =======

    (Markers, Table or None)
        The markers in the file's units (``header["Units"]``), a marker that is
        missing NaN; and the analogue channels at their own times, force plates
        among them, if there are any.  Both begin at the time of the first frame.

    Raises
    ======

    ImportError
        If ezc3d is not installed.
    """
    ezc3d = import_extra("ezc3d", "read_c3d()", "data", ", or export the trial as .trc and .mot")
    file = ezc3d.c3d(str(path))
    points, parameters = file["data"]["points"], file["parameters"]
    heading = file["header"]["points"]
    start = heading["first_frame"] / heading["frame_rate"]
    names = [str(name) for name in parameters["POINT"]["LABELS"]["value"]][: points.shape[1]]
    units = parameters["POINT"].get("UNITS", {"value": [""]})["value"]
    times = start + np.arange(points.shape[2]) / heading["frame_rate"]
    header = {"Units": str(units[0]) if len(units) else ""}
    markers = Markers(times, tuple(names), points[:3].transpose(2, 1, 0), header)
    channels = file["data"]["analogs"][0]
    if not channels.size:
        return markers, None
    labels = [str(name) for name in parameters["ANALOG"]["LABELS"]["value"]][: len(channels)]
    rate = file["header"]["analogs"]["frame_rate"]
    return markers, Table(start + np.arange(channels.shape[1]) / rate, labels, channels.T)


# -- text ---------------------------------------------------------------------------


def _lines(path: str | PathLike[str]) -> list[tuple[int, str]]:
    """Return the lines of a file with their numbers, from 1."""
    text = Path(path).read_text(encoding="utf-8-sig")
    return list(enumerate(text.splitlines(), start=1))


def _delimiter(title: str) -> str | None:
    return next((mark for mark in (",", ";", "\t") if mark in title), None)


def _fields(text: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return text.split()
    return next(csv.reader([text], delimiter=delimiter))


def _used(fields: Sequence[str]) -> int:
    """Return the number of fields without empty ones at the end."""
    return max((k + 1 for k, text in enumerate(fields) if text.strip()), default=0)


def _numbers(
    path: Any, names: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]]
) -> np.ndarray:
    """Return the fields of each row as numbers, shape (rows, number of names)."""
    values = np.empty((len(rows), len(names)))
    for place, (line, fields) in enumerate(rows):
        if len(fields) != len(names):
            raise ValueError(
                f"`path` must have {len(names)} fields in each line, as it has names, got "
                f"{len(fields)} in line {line} of {Path(path).name}."
            )
        for column, text in enumerate(fields):
            values[place, column] = _number(path, line, names[column], text.strip())
    return values


def _number(path: Any, line: int, name: str, text: str) -> float:
    if text.lower() in MISSING:
        return np.nan
    try:
        return float(text)
    except ValueError:
        raise ValueError(
            f"`path` must hold numbers, got {text!r} in line {line}, column {name} of "
            f"{Path(path).name}."
        ) from None


def _table(path: Any, names: Sequence[str], numbers: np.ndarray, time: str) -> Table:
    if time not in names:
        raise ValueError(
            f"`path` must have a column {time!r} of times, {Path(path).name} has "
            f"{', '.join(names)}."
        )
    column = list(names).index(time)
    others = [name for name in names if name != time]
    return Table(numbers[:, column], others, np.delete(numbers, column, axis=1))
