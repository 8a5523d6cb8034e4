"""Reading recorded text: CSV and other tables, OpenSim's .mot/.sto, and .trc.

Numbers are not converted: they keep the units of the file, which the header states.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..checks.arguments import check_instance, describe, enumerate_some
from ..checks.files import existing_file
from ..checks.messages import warn
from ..records.laboratory import check_units
from ..records.samples import check_times, find_columns
from ..records.tables import Table
from ..records.text_numbers import is_number, parse_number
from .header_checks import compare_count, compare_rate, warn_of_infinities, warn_of_turns
from .marker_paths import Markers, check_extent, mark_missing_at_origin

#: Number of lines at the end of a file that are compared to detect a truncated last line.
LINES_COMPARED = 6

#: Entries of a storage file's header for the numbers of rows and columns.
COUNTS = {
    "rows": re.compile(r"(nRows|nr|datarows)(?:\s*=|\s)\s*(\S+)", re.IGNORECASE),
    "columns": re.compile(r"(nColumns|nc|datacolumns)(?:\s*=|\s)\s*(\S+)", re.IGNORECASE),
}

#: Names of a column of times: t, time or timestamp, with or without a unit.
TIME = re.compile(r"(t|times?|time[ _]?stamp)([ _]?[\[(/].*|[ _]m?s|[ _]sec\w*)?", re.IGNORECASE)


def read_csv(
    path: str | PathLike[str], time: str | int | None = None, delimiter: str | None = None
) -> Table:
    """Read a text table with one line of names and one column of times, as a `Table`.

    Empty fields and "NaN" are NaN.

    Parameters
    ==========

    path : str or path
        The file.  Lines that start with ``#`` are ignored, and so is a ``%`` before the names.
    time : str or int, optional
        The name or the index (from 0) of the column of times.  Default: the column named t, time or
        timestamp, perhaps with a unit: "Time (s)".
    delimiter : str, optional
        The separator of columns.  Default: the comma, semicolon, tab or blanks in the line of
        names.

    Raises
    ======

    TypeError, ValueError
        If ``time`` is neither a name nor an index; if a line has too few or too many fields, a
        field is not a number, none or several of the columns can be the times, or the times do not
        increase.  The message names file, line and column.

    Warns
    =====

    UserWarning
        If a column jumps by whole turns (360 or 2 pi) like a wrapped angle.

    See Also
    ========

    write_csv : Writes a table.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.recordings.read_csv(jw.example_data("walking_trial.txt")).names[:3]
    ('RSHO.PosX', 'RSHO.PosY', 'RGTRO.PosX')
    """
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise ValueError(f"`delimiter` must be one character, got {describe(delimiter)}.")
    lines = [line for line in _read_lines(path) if line[1].strip() and not line[1].startswith("#")]
    if not lines:
        raise ValueError(f"`path` must be a table, got the empty file {Path(path).name}.")
    title = lines[0][1].lstrip("% ")
    mark = delimiter or next((mark for mark in (",", ";", "\t") if mark in title), None)
    names = [name.strip() for name in _split(path, lines[0][0], title, mark)]
    if all(map(is_number, names)):
        raise ValueError(
            f"`path` must have a line of names, {Path(path).name} begins with the numbers {title}. "
            "Use Table(times, names, numpy.loadtxt(path, ...))."
        )
    numbers = _parse_rows(path, names, [(k, _split(path, k, text, mark)) for k, text in lines[1:]])
    if time is None:
        column = _find_time_column(path, names, "Use time='its name'.")
    else:
        check_instance("time", time, (str, int), "the name or the position of a column")
        (column,) = find_columns("time", [time], names)
    table = _make_table(path, names, numbers, column)
    warn_of_turns(path, table)
    return table


def read_storage(path: str | PathLike[str]) -> Table:
    """Read a storage or motion file of OpenSim (.sto, .mot) as a `Table`, without conversion.

    The ``header`` has the entries of the file's header, for instance ``inDegrees``: "yes".

    Parameters
    ==========

    path : str or path
        The file.

    Raises
    ======

    ValueError
        If there is no ``endheader`` or no column ``time``, two rows of one instant differ, or as
        for `read_csv`.

    Warns
    =====

    UserWarning
        If rows occur twice, as in files written by RRA and CMC of OpenSim; if columns have the same
        name; if the header declares wrong numbers of rows or columns; if a column jumps by whole
        turns like a wrapped angle.

    See Also
    ========

    write_storage : Writes a table.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.recordings.read_storage(jw.example_data("whole_trial/walk_grf.mot")).names[:2]
    ('ground_force_vx', 'ground_force_vy')
    """
    lines = _read_lines(path)
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
    for things, count in (("rows", len(body) - 1), ("columns", len(names))):
        for match in filter(None, (COUNTS[things].match(text) for _, text in lines[: ends[0]])):
            compare_count(path, f"{things} ({match[1]})", match[2], count)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        warn(
            f"`path`: {Path(path).name} has columns with the same name: {enumerate_some(twice)}. "
            "They cannot be accessed by name; rename them."
        )
    numbers = _parse_rows(path, names, [(k, text.split()) for k, text in body[1:]])
    column = _find_time_column(path, names, "Rename it.")
    kept = _drop_repeats(path, [k for k, _ in body[1:]], numbers, column)
    table = _make_table(path, names, numbers[kept], column)
    compare_rate(path, "DataRate", header.get("DataRate"), table.times, len(table.times) - 1)
    warn_of_turns(path, table, header.get("inDegrees", ""))
    return Table(table.times, table.names, table.array, header)


def _drop_repeats(path: Any, lines: Sequence[int], numbers: np.ndarray, column: int) -> np.ndarray:
    """Return the indices of the rows to keep: OpenSim's RRA and CMC print some instants twice.

    Rows of one instant must be equal, else an error names their ``lines``.
    """
    times = numbers[:, column]
    again = np.flatnonzero(np.diff(times) == 0)
    if not again.size:
        return np.arange(len(times))
    same = (numbers[again] == numbers[again + 1]) | np.isnan(numbers[again] * numbers[again + 1])
    if (other := again[~same.all(axis=1)]).size:
        row = other[0]
        raise ValueError(
            f"`path` must have one row for each instant, {Path(path).name} has different ones in "
            f"lines {lines[row]} and {lines[row + 1]}, both at {times[row]:g}. Delete one of them."
        )
    warn(
        f"`path`: {Path(path).name} has {again.size} of its rows twice, the first one at "
        f"{times[again[0]]:g}; each is used once."
    )
    return np.delete(np.arange(len(times)), again + 1)


def read_trc(path: str | PathLike[str], units: Mapping[str, str] | None = None) -> Markers:
    """Read `Markers` from a .trc file, in its unit (``header["Units"]``).

    Parameters
    ==========

    path : str or path
        The file.
    units : mapping of str to str, optional
        ``{"length": "mm"}`` replaces the unit declared in the file.

    Raises
    ======

    TypeError, ValueError
        If ``units`` is not a mapping of str to str, the lines of names are missing, a unit is
        unknown, or as for `read_csv`.

    Warns
    =====

    UserWarning
        If markers are too far apart for the unit that the file declares, or at (0, 0, 0), which
        marks missing positions (NaN).

    See Also
    ========

    read_c3d : Also reads force plates.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.recordings.read_trc(jw.example_data("whole_trial/walk.trc")).positions.shape
    (151, 41, 3)
    """
    stated = check_units("units", units)
    lines = _read_lines(path)
    starts = [k for k, (_, text) in enumerate(lines) if text.startswith("Frame#")]
    if not starts or starts[0] < 2:
        raise ValueError(f"`path` must have a line 'Frame# Time ...', {Path(path).name} has none.")
    start = starts[0]
    keys = lines[start - 2][1].split()
    header = dict(zip(keys, _split_cells(lines[start - 1][1], len(keys)), strict=False))
    texts = [(k, text.rstrip()) for k, text in lines[start + 2 :] if text.strip()]
    declared = parse_number(header.get("NumMarkers", "")) or 0
    rows = [(k, _split_cells(text, 2 + 3 * declared)) for k, text in texts]
    widest = max((len(fields) for _, fields in rows), default=2)
    names = _name_markers(lines[start][1].split("\t")[2:], widest - 2)
    columns = ["Frame#", "Time", *(f"{name}.{axis}" for name in names for axis in "xyz")]
    body = [(k, fields + [""] * (len(columns) - len(fields))) for k, fields in rows]
    numbers = _parse_rows(path, columns, body)
    times, frames = _check_times(path, columns, numbers, 1), numbers[:, 0]
    for key, things, held in ("NumFrames", "frames", times), ("NumMarkers", "markers", names):
        compare_count(path, f"{things} ({key})", header.get(key), len(held))
    _check_frames(path, [k for k, _ in rows], frames)
    compare_rate(path, "DataRate", header.get("DataRate"), times, frames[-1] - frames[0])
    if "length" in stated:
        header["Units"] = stated["length"]
    numbers = np.where(np.isinf(numbers), np.nan, numbers)
    markers = Markers(times, tuple(names), numbers[:, 2:].reshape(len(times), -1, 3), header)
    markers = mark_missing_at_origin(markers, f"`path`: {Path(path).name}")
    if "length" not in stated:
        check_extent(Path(path).name, markers)
    return markers


def _split_cells(text: str, count: float) -> list[str]:
    """Return the cells of a line, separated by tabs, or by blanks if only these give ``count``.

    OpenSim writes some tabs twice.
    """
    cells, words = text.split("\t"), text.split()
    return words if len(words) == count != len(cells) else [cell.strip() for cell in cells]


def _check_frames(path: Any, lines: Sequence[int], frames: np.ndarray) -> None:
    """Warn of frames that do not follow one another in equal steps."""
    steps = np.diff(frames)
    if (jumps := np.flatnonzero(steps != steps[:1])).size:
        row = jumps[0]
        warn(
            f"`path`: {Path(path).name} has frame {frames[row + 1]:g} after {frames[row]:g} in "
            f"line {lines[row + 1]}, in other steps than before: rows are missing."
        )


def _name_markers(titles: Sequence[str], width: int) -> list[str]:
    """Return one name for each three columns, "" for markers without a name."""
    titles = [title.strip() for title in titles]
    named = [name for name in titles if name]
    if any(titles[k] for k in range(len(titles)) if k % 3):
        return named  # the line has no empty cells for the y and z columns
    return (titles[::3] + [""] * (width // 3))[: max(width // 3, len(named))]


# -- text ---------------------------------------------------------------------------


def _read_lines(path: str | PathLike[str]) -> list[tuple[int, str]]:
    """Return the lines of a file with their numbers, from 1; warn of a truncated last line."""
    try:
        text = existing_file("path", path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            f"`path` must be text in UTF-8, {Path(path).name} is not. Save it as UTF-8."
        ) from None
    _check_end(path, text)
    return list(enumerate(text.split("\n"), start=1))


def _check_end(path: Any, text: str) -> None:
    """Warn if the last line has no line end and fewer fields or decimals than the lines before."""
    if text.rstrip(" \t").endswith("\n"):
        return
    *before, last = (re.split(r"[\s,;]+", line) for line in text.split("\n")[-LINES_COMPARED:])
    counts = [(len(fields), len(fields[-1].partition(".")[2])) for fields in (*before, last)]
    if before and any(counts[-1][k] < min(count[k] for count in counts[:-1]) for k in (0, 1)):
        warn(
            f"`path`: the last line of {Path(path).name} has no end and is shorter than those "
            "before: it may be cut off. Copy the file again, or end the line."
        )


def _split(path: Any, line: int, text: str, delimiter: str | None) -> list[str]:
    """Return the fields of a line, with quotes as in CSV; None separates at blanks."""
    if delimiter is None:
        return text.split()
    try:
        return next(csv.reader([text], delimiter=delimiter))
    except csv.Error as error:
        raise ValueError(
            f"`path` must be a table, but the parser reports for line {line} of "
            f"{Path(path).name}: {error}"
        ) from None


def _parse_rows(path: Any, names: list[str], rows: Iterable[tuple[int, list[str]]]) -> np.ndarray:
    """Return the fields of (line number, fields) pairs as numbers, shape (rows, names)."""
    values, lines = [], []
    for line, fields in rows:
        if len(fields) != len(names):
            raise ValueError(
                f"`path` must have {len(names)} fields in each line, as it has names, got "
                f"{len(fields)} in line {line} of {Path(path).name}."
            )
        pairs = zip(names, fields, strict=True)
        values.append([_parse_field(path, line, name, text.strip()) for name, text in pairs])
        lines.append(line)
    array = np.array(values, dtype=float).reshape(len(lines), len(names))
    warn_of_infinities(path, "line", lines, names, array)
    return array


def _parse_field(path: Any, line: int, name: str, text: str) -> float:
    """Return the number in a field, NaN for a missing number."""
    if (number := parse_number(text)) is not None:
        return number
    comma = " Write decimal points, not commas." if is_number(text.replace(",", ".")) else ""
    raise ValueError(
        f"`path` must hold numbers, got {text[:40]!r} in line {line}, column {name} of "
        f"{Path(path).name}.{comma}"
    )


def _find_time_column(path: Any, names: Sequence[str], fix: str) -> int:
    """Return the index of the column named like times: the first column, or the only one."""
    found = [place for place, name in enumerate(names) if TIME.fullmatch(name)]
    if len(found) == 1 or found[:1] == [0]:
        return found[0]
    raise ValueError(
        f"`path` must have a column of times called t or time, {Path(path).name} has "
        f"{len(found) or 'none'} among {', '.join(names)}. {fix}"
    )


def _check_times(path: Any, names: Sequence[str], numbers: np.ndarray, column: int) -> np.ndarray:
    """Return the checked times in a column, (N,)."""
    if not len(numbers):
        raise ValueError(f"`path` must have rows of numbers, {Path(path).name} has none.")
    argument = f"path: column {names[column]} of {Path(path).name}"
    return check_times(argument, numbers[:, column], least=1)


def _make_table(path: Any, names: Sequence[str], numbers: np.ndarray, column: int) -> Table:
    """Return the Table of all other columns over the ``column`` of times."""
    others = [*names[:column], *names[column + 1 :]]
    times = _check_times(path, names, numbers, column)
    return Table(times, others, np.delete(numbers, column, axis=1))
