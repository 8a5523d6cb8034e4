"""Writing tables and results: CSV and OpenSim's .sto."""

import csv
from io import StringIO
from os import PathLike
from typing import Any

from ..checks.arguments import check_instance, check_name
from ..checks.files import replace_files, replaceable_file
from ..checks.numbers import check_integer
from ..records.tables import Table


def write_csv(path: str | PathLike[str], table: Any, digits: int = 17) -> None:
    """Write a table or the results of an evaluation as CSV.

    Parameters
    ==========

    path : str or path
        The file; it is overwritten.
    table : Table, Result, ClinicalCurves or GaitReport
        The data, which follow a column ``time``.  Columns of a result have names such as
        ``knee_fx``; with cycles, ``knee_fx_cycle_1``, after a column ``percent``.
    digits : int
        Significant digits; 17 digits keep every bit.

    Raises
    ======

    TypeError, ValueError
        If ``table`` has another type or no times, or has a name that `read_csv` would not read back
        unchanged.

    See Also
    ========

    write_storage : Writes a file for OpenSim.

    Examples
    ========

    >>> import tempfile
    >>> from pathlib import Path
    >>> import jointwrench as jw
    >>> table = jw.Table([0, 1], ["knee"], [1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     jw.recordings.write_csv(f"{folder}/knee.csv", table)
    ...     print(Path(folder, "knee.csv").read_text())
    time,knee
    0,1
    1,1
    """
    found = _as_table(table)
    if wrong := [name for name in found.names if name != "".join(name.strip().splitlines())]:
        raise ValueError(
            "`table` must have names without line breaks, and without blanks at their ends, got "
            f"{wrong[0]!r}."
        )
    names = StringIO()
    csv.writer(names, lineterminator="").writerow([found.header.get("times", "time"), *found.names])
    _write(path, [names.getvalue()], found, ",", digits)


def write_storage(
    path: str | PathLike[str], table: Any, name: str = "jointwrench", digits: int = 17
) -> None:
    """Write a table or the results of an evaluation as a storage file of OpenSim (.sto).

    Parameters
    ==========

    path, table, digits : str or path, Table or Result, int
        As for `write_csv`.
    name : str
        The name in the file's first line.

    Raises
    ======

    TypeError, ValueError
        As `write_csv`; if a name contains a blank, which the format does not allow.

    See Also
    ========

    read_storage : Reads the file.

    Examples
    ========

    >>> import tempfile
    >>> import jointwrench as jw
    >>> table = jw.Table([0, 1], ["knee"], [1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     jw.recordings.write_storage(f"{folder}/knee.sto", table)
    ...     jw.recordings.read_storage(f"{folder}/knee.sto").names
    ('knee',)
    """
    check_name("name", name)
    found = _as_table(table)
    if wrong := [column for column in found.names if len(column.split()) != 1]:
        raise ValueError(f"`table` must have names without blanks, got {wrong[0]!r}.")
    header = {"inDegrees": "no", **found.header}
    header |= {"nRows": str(len(found.times)), "nColumns": str(len(found.names) + 1)}
    lines = [f"{key}={value}" for key, value in header.items() if key != "version"]
    lines = [name, "version=1", *lines, "endheader", "\t".join(["time", *found.names])]
    _write(path, lines, found, "\t", digits)


def _as_table(table: Any) -> Table:
    """Return a Table as it is, or the table of an evaluation's result."""
    if hasattr(table, "to_table"):
        table = table.to_table()
    return check_instance("table", table, Table, "a Table or an evaluation's result")


def _write(path: Any, lines: list[str], table: Table, mark: str, digits: int) -> None:
    """Write header lines and the rows of a table, separated by a ``mark``."""
    check_integer("digits", digits)
    for time, row in zip(table.times, table.array, strict=True):
        lines.append(mark.join(f"{value:.{digits}g}" for value in (time, *row)))
    replace_files({replaceable_file("path", path): "\n".join(lines) + "\n"})
