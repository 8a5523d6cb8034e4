"""Checks of recorded data: a file's header against its contents, wrapped angles, infinities."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..checks.messages import warn
from ..records.angle_wrapping import describe_jumps, find_jumping_columns
from ..records.tables import Table
from ..records.text_numbers import is_number

#: Allowed difference of a record's duration from its declared rate: a fraction of a frame plus a
#: fraction of the record.
FRAME, RECORD = 0.5, 0.01


def compare_count(path: Any, things: str, declared: Any, found: int) -> None:
    """Warn if a file declares another number of ``things`` than it has; "" and None are ignored."""
    if declared in (None, "") or (count := _number(declared)) == found:
        return
    fix = "It may be cut off: copy it again." if count > found else "Correct what it declares."
    warn(f"`path`: {Path(path).name} declares {declared} {things}, but has {found}. {fix}")


def compare_rate(path: Any, what: str, declared: Any, times: np.ndarray, frames: float) -> None:
    """Warn if times span another number of ``frames`` at the declared rate; ``what`` names it."""
    span = float(times[-1] - times[0])
    if declared in (None, "") or not span > 0:
        return
    if not abs(span * _number(declared) - frames) <= FRAME + RECORD * abs(frames):
        warn(
            f"`path`: {Path(path).name} declares {what} {declared}, but its times are those of "
            f"{float(frames) / span:.6g} Hz. Correct what it declares."
        )


def _number(declared: Any) -> float:
    """Return a declared number, NaN if it is no number."""
    return float(declared) if is_number(str(declared)) else math.nan


#: The size of a whole turn, by the entry ``inDegrees`` of a storage file.
TURNS = {"yes": (360.0,), "no": (math.tau,)}


def warn_of_turns(path: Any, table: Table, in_degrees: str = "") -> None:
    """Warn of columns that jump like wrapped angles."""
    for turn in TURNS.get(in_degrees.lower(), (360.0, math.tau)):
        if jumping := find_jumping_columns(table.array, table.names, turn, is_angle=False):
            warn(
                f"`path`: {Path(path).name} has jumps of {describe_jumps(jumping, table.times)}, "
                f"as of wrapped angles: by {turn:.4g}, which is no motion. Use "
                f"Trajectory.from_samples(..., unwrap={[*jumping]}), or numpy.unwrap."
            )


def warn_of_infinities(
    path: Any, kind: str, places: Any, names: Sequence[str], values: np.ndarray
) -> None:
    """Warn of infinite numbers in values (rows, names).

    ``places`` label the rows in the message: "line 7" has the ``kind`` "line".
    """
    rows, columns = np.nonzero(np.isinf(values))
    if rows.size:
        warn(
            f"`path`: {Path(path).name} has {rows.size} infinite numbers, the first one in "
            f"{kind} {places[rows[0]]}, column {names[columns[0]]}."
        )
