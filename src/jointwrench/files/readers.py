"""Reading recorded data: CSV and text tables, OpenSim's .mot/.sto, .trc, and C3D.

Nothing is converted silently: numbers stay in the units of the file, which its
header tells.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..checks.arguments import check_instance
from ..checks.extras import import_extra
from ..checks.samples import check_different, check_times, find_columns
from ..results.tables import NamedArrays, Table

#: What stands for a missing number.
MISSING = {"", "nan", "na", "n/a", "null"}

#: What a column of times is called: t, time or timestamp, with or without a unit.
TIME = re.compile(r"(t|times?|time[ _]?stamp)([ _]?[\[(/].*|[ _]m?s|[ _]sec\w*)?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Markers(NamedArrays):
    """Places of markers over time.  It is a mapping of names to places.

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

    Raises
    ======

    ValueError
        If the shape of the places does not fit times and names; where a name is
        asked for that two markers have.
    """

    times: np.ndarray
    names: tuple[str, ...]
    positions: np.ndarray
    header: dict[str, str] = field(default_factory=dict)

    kind = "markers"

    def __post_init__(self) -> None:
        wanted = (len(self.times), len(self.names), 3)
        if self.positions.shape != wanted:
            raise ValueError(f"`positions` must have shape {wanted}, got {self.positions.shape}.")

    @property
    def stacked(self) -> np.ndarray:
        """The places, shape (N, number of names, 3)."""
        return self.positions

    def __repr__(self) -> str:
        first, last = self.times[0], self.times[-1]
        names = ", ".join(self.names)
        return f"Markers({names}: {len(self.times)} rows, time {first:g} to {last:g})"


def read_csv(
    path: str | PathLike[str], time: str | int | None = None, delimiter: str | None = None
) -> Table:
    """Read a text table with one line of names and one column of times.

    Parameters
    ==========

    path : str or path
        The file.  Lines that start with ``#`` are left out; a ``%`` before the
        names, as Matlab's habit has it, is too.
    time : str or int, optional
        The name or the position (from 0) of the column of times.  Default: the
        one that is called t, time or timestamp, perhaps with a unit: "Time (s)".
    delimiter : str, optional
        What separates columns.  Default: comma, semicolon, tab or blanks,
        whichever the line of names has.

    Returns
    =======

    Table
        The other columns; empty fields and "NaN" are NaN.

    Raises
    ======

    TypeError
        If ``time`` is neither a name nor a position.
    ValueError
        If a line has too few or too many fields, a field is no number, if no
        column or more than one can be that of the times, or these do not
        increase; with the file, the line and the column.
    """
    lines = [line for line in _lines(path) if line[1].strip() and not line[1].startswith("#")]
    if not lines:
        raise ValueError(f"`path` must be a table, got the empty file {Path(path).name}.")
    title = lines[0][1].lstrip("% ")
    mark = _delimiter(title) if delimiter is None else delimiter
    names = [name.strip() for name in _fields(title, mark)]
    if all(map(_is_number, names)):
        raise ValueError(
            f"`path` must have a line of names, {Path(path).name} begins with the numbers {title}. "
            "Use Table(times, names, numpy.loadtxt(path, ...))."
        )
    numbers = _numbers(path, names, [(k, _fields(text, mark)) for k, text in lines[1:]])
    if time is None:
        return _table(path, names, numbers, _time_column(path, names, "Use time='its name'."))
    check_instance("time", time, (str, int), "the name or the position of a column")
    return _table(path, names, numbers, find_columns("time", [time], names)[0])


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
    table = _table(path, names, numbers, _time_column(path, names, "Rename it."))
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
    lines = _lines(path)
    starts = [k for k, (_, text) in enumerate(lines) if text.startswith("Frame#")]
    if not starts or starts[0] < 2:
        raise ValueError(f"`path` must have a line 'Frame# Time ...', {Path(path).name} has none.")
    start = starts[0]
    keys, values = (lines[start - k][1].split("\t") for k in (2, 1))
    header = {key.strip(): value.strip() for key, value in zip(keys, values, strict=False)}
    names = [name for name in map(str.strip, lines[start][1].split("\t")[2:]) if name]
    columns = ["Frame#", "Time", *(f"{name}.{axis}" for name in names for axis in "xyz")]
    count = len(columns)
    rows = [(k, text.rstrip().split("\t")) for k, text in lines[start + 2 :] if text.strip()]
    body = [(k, fields + [""] * (count - len(fields))) for k, fields in rows]
    numbers = _numbers(path, columns, body)
    times = _times(path, columns, numbers, 1)
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
    names = tuple(_labels(parameters["POINT"])[: points.shape[1]])
    units = parameters["POINT"].get("UNITS", {"value": [""]})["value"]
    times = start + np.arange(points.shape[2]) / heading["frame_rate"]
    header = {"Units": str(units[0]) if len(units) else ""}
    markers = Markers(times, names, points[:3].transpose(2, 1, 0), header)
    channels = file["data"]["analogs"][0]
    if not channels.size:
        return markers, None
    labels = _labels(parameters["ANALOG"])[: len(channels)]
    rate = file["header"]["analogs"]["frame_rate"]
    return markers, Table(start + np.arange(channels.shape[1]) / rate, labels, channels.T)


def _labels(group: Mapping[str, Any]) -> list[str]:
    """Return all labels; beyond 255 of them they go on in LABELS2 and so on."""
    more = (f"LABELS{k}" for k in range(2, len(group)))
    keys = ["LABELS", *takewhile(group.__contains__, more)]
    return [str(label) for key in keys for label in group[key]["value"]]


# -- text ---------------------------------------------------------------------------


def _lines(path: str | PathLike[str]) -> list[tuple[int, str]]:
    """Return the lines of a file with their numbers, from 1."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            f"`path` must be text in UTF-8, {Path(path).name} is not. Save it as UTF-8."
        ) from None
    return list(enumerate(text.splitlines(), start=1))


def _delimiter(title: str) -> str | None:
    return next((mark for mark in (",", ";", "\t") if mark in title), None)


def _fields(text: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return text.split()
    return next(csv.reader([text], delimiter=delimiter))


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
    if not _is_number(text):
        raise ValueError(
            f"`path` must hold numbers, got {text!r} in line {line}, column {name} of "
            f"{Path(path).name}."
        )
    return float(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _time_column(path: Any, names: Sequence[str], fix: str) -> int:
    """Return the position of the column of times: the first one or the only one called so."""
    found = [place for place, name in enumerate(names) if TIME.fullmatch(name)]
    if len(found) == 1 or found[:1] == [0]:
        return found[0]
    raise ValueError(
        f"`path` must have a column of times called t or time, {Path(path).name} has "
        f"{len(found) or 'none'} among {', '.join(names)}. {fix}"
    )


def _times(path: Any, names: Sequence[str], numbers: np.ndarray, column: int) -> np.ndarray:
    if len(numbers) < 2:
        raise ValueError(
            f"`path` must have at least two rows of numbers, {Path(path).name} has {len(numbers)}."
        )
    return check_times(f"path: column {names[column]} of {Path(path).name}", numbers[:, column])


def _table(path: Any, names: Sequence[str], numbers: np.ndarray, column: int) -> Table:
    check_different("path", names)
    others = [*names[:column], *names[column + 1 :]]
    times = _times(path, names, numbers, column)
    return Table(times, others, np.delete(numbers, column, axis=1))
