"""Reading recorded data: CSV and text tables, OpenSim's .mot/.sto, .trc, and C3D.

Nothing is converted silently: numbers stay in the units of the file, which its
header tells; only the force plates of C3D files come in metres, N and N m.
"""

import csv
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...checks.arguments import check_choice, check_instance
from ...checks.extras import import_extra
from ...measured.force_plate import ForcePlate
from ...records.samples import check_different, check_times, find_columns
from ...records.tables import NamedArrays, Table
from ...records.units import LENGTHS, check_units, unit_factor
from .force_platforms import PlatformGroup

#: What stands for a missing number.
MISSING = {"", "nan", "na", "n/a", "null"}

#: The second byte of every C3D file.
C3D_MARK = b"P"

#: Distance in metres beyond which the unit of markers is suspected to be another one.
FARTHEST = 100.0

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

    def in_metres(self) -> "Markers":
        """Return the markers in metres, as force plates are.

        Raises
        ======

        ValueError
            If ``header["Units"]`` is no known unit of length.
        """
        unit = self.header.get("Units", "")
        if (factor := unit_factor("length", unit)) is None:
            raise ValueError(
                f"`header['Units']` must be a unit of length among {', '.join(LENGTHS)}, got "
                f"{unit!r}. Use units={{'length': 'mm'}} when the file is read."
            )
        places = factor * self.positions
        return Markers(self.times, self.names, places, {**self.header, "Units": "m"})

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


def read_trc(path: str | PathLike[str], units: Mapping[str, str] | None = None) -> Markers:
    """Read markers from a .trc file.

    Parameters
    ==========

    path : str or path
        The file.
    units : mapping of str to str, optional
        ``{"length": "mm"}`` states the unit in place of the file.

    Returns
    =======

    Markers
        In the file's unit (``header["Units"]``).

    Raises
    ======

    TypeError
        If ``units`` is no mapping of names to names.
    ValueError
        If the lines of names are missing, if a unit is unknown, or as `read_csv`.

    Warns
    =====

    UserWarning
        If markers are too far apart for the unit that the file declares.
    """
    stated = check_units("units", units)
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
    if "length" in stated:
        header["Units"] = stated["length"]
    markers = Markers(times, tuple(names), numbers[:, 2:].reshape(len(times), -1, 3), header)
    _check_extent(path, markers, stated)
    return markers


class MarkersAndChannels(NamedTuple):
    """What a C3D file holds over time.

    Attributes
    ==========

    markers : Markers
        In the file's unit.
    channels : Table or None
        The analogue channels, if there are any.
    """

    markers: Markers
    channels: Table | None


class Recording(MarkersAndChannels):
    """What a C3D file holds: ``markers, channels = recording``, and its force plates.

    Parameters
    ==========

    markers : Markers
        In the file's unit.
    channels : Table or None
        The analogue channels, if there are any.
    platforms : PlatformGroup
        What the file says about its force platforms.
    """

    _platforms: PlatformGroup

    def __new__(
        cls, markers: Markers, channels: Table | None, platforms: PlatformGroup
    ) -> "Recording":
        recording = super().__new__(cls, markers, channels)
        recording._platforms = platforms
        return recording

    def __getnewargs__(self) -> tuple[Any, ...]:
        return *self, self._platforms

    @cached_property
    def plates(self) -> tuple[ForcePlate, ...]:
        """The force plates: what acts on the person, about the laboratory's origin.

        They are in metres, N and N m, whatever the file has, at the times of the
        channels; the axes are those of the markers.  The laboratory's axis that is
        nearest to the normal of a plate is its ``vertical``.  Read are the types 1
        to 4.

        Raises
        ======

        ValueError
            If a plate has no place, channels that do not exist, no calibration, an
            unknown type or unit, or numbers that cannot be in the unit that the file
            declares; one error tells it all.

        Warns
        =====

        UserWarning
            If the file has what acts on the plates, which is against the standard.
        """
        return self._platforms.plates()


def read_c3d(
    path: str | PathLike[str],
    units: Mapping[str, str] | None = None,
    forces_on: str | None = None,
    baseline: bool = False,
) -> Recording:
    """Read markers, analogue channels and force plates from a C3D file (extra ``data``: ezc3d).

    Parameters
    ==========

    path : str or path
        The file.
    units : mapping of str to str, optional
        Units that hold in place of the file's, of "length" (markers, and corners
        and origins of plates), "force" and "moment": ``{"moment": "N mm"}``.
    forces_on : {"person", "plate"}, optional
        On what the forces of the file act.  Default: on the person, which is the
        standard, unless they would pull the person into the floor.
    baseline : bool
        Whether the mean over the frames that the file names (FORCE_PLATFORM:ZERO)
        is subtracted from the plates' channels.  Nobody must be on a plate then.

    Returns
    =======

    Recording
        ``markers, channels = read_c3d(path)``: the markers in the file's unit
        (``header["Units"]``), a marker that is missing NaN; and the analogue
        channels at their own times, or None.  Both begin at the time of the first
        frame.  Its ``plates`` are a tuple of `ForcePlate`, in metres, N and N m.

    Raises
    ======

    ImportError
        If ezc3d is not installed.
    TypeError
        If ``units`` is no mapping of names to names.
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no C3D file; if a unit or what forces act on is unknown; if there are
        no frames for the baseline.

    Warns
    =====

    UserWarning
        If markers are too far apart for the unit that the file declares.
    """
    stated = check_units("units", units)
    check_choice("forces_on", forces_on, (None, "person", "plate"))
    ezc3d = import_extra("ezc3d", "read_c3d()", "data", ", or export the trial as .trc and .mot")
    _check_c3d(path)
    file = ezc3d.c3d(str(path))
    points, parameters = file["data"]["points"], file["parameters"]
    heading = file["header"]["points"]
    start = heading["first_frame"] / heading["frame_rate"]
    names = tuple(_labels(parameters["POINT"])[: points.shape[1]])
    times = start + np.arange(points.shape[2]) / heading["frame_rate"]
    unit = stated.get("length") or "".join(map(str, _values(parameters["POINT"], "UNITS")[:1]))
    markers = Markers(times, names, points[:3].transpose(2, 1, 0), {"Units": unit})
    _check_extent(path, markers, stated)
    samples = file["data"]["analogs"][0]
    rate = file["header"]["analogs"]["frame_rate"]
    instants = start + np.arange(samples.shape[1]) / (rate or 1.0)
    group = parameters.get("FORCE_PLATFORM", {})
    if baseline:
        samples = samples - _baseline(path, _values(group, "ZERO"), samples, points.shape[2])
    platforms = PlatformGroup(
        Path(path).name,
        {name: _values(group, name) for name in group if name != "__METADATA__"},
        instants,
        samples,
        tuple(map(str, _values(parameters["ANALOG"], "UNITS"))),
        unit,
        stated,
        forces_on,
    )
    if not samples.size:
        return Recording(markers, None, platforms)
    labels = _labels(parameters["ANALOG"])[: len(samples)]
    return Recording(markers, Table(instants, labels, file["data"]["analogs"][0].T), platforms)


def _check_c3d(path: str | PathLike[str]) -> None:
    """Refuse what is no C3D file: ezc3d's words would not name it, and a folder would hang it."""
    with Path(path).open("rb") as file:
        start = file.read(2)
    if start[1:] != C3D_MARK:
        raise ValueError(f"`path` must be a C3D file, {Path(path).name} is none.")


def _values(group: Mapping[str, Any], name: str) -> np.ndarray:
    """Return the values of a parameter, none if it is not there."""
    return np.asarray(group[name]["value"] if name in group else ())


def _baseline(path: Any, zero: np.ndarray, samples: np.ndarray, frames: int) -> np.ndarray:
    """Return the mean of each channel over the frames that a file names, counted from 1."""
    first, last = (max(int(zero[0]), 1), int(zero[1])) if len(zero) == 2 else (0, 0)
    if not 1 <= first <= last <= frames:
        raise ValueError(
            f"`baseline` must be False for {Path(path).name}, whose FORCE_PLATFORM:ZERO names no "
            f"range of its {frames} frames, got True."
        )
    each = samples.shape[1] // frames
    return samples[:, (first - 1) * each : last * each].mean(axis=1, keepdims=True)


def _check_extent(path: Any, markers: Markers, stated: Mapping[str, str]) -> None:
    """Warn of markers that are too far apart for the unit that a file declares."""
    factor = unit_factor("length", markers.header.get("Units", ""))
    places = markers.positions[np.isfinite(markers.positions).all(axis=-1)]
    if "length" in stated or factor is None or not len(places):
        return
    extent = factor * np.ptp(places, axis=0).max()
    if extent > FARTHEST:
        warnings.warn(
            f"`path`: {Path(path).name} says that markers are in {markers.header['Units']}, but "
            f"they are {extent:.4g} m apart: millimetres are suspected. "
            "Use units={'length': 'mm'}, or what it is.",
            stacklevel=3,
        )


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
