"""What a recording declares of itself, compared with what it holds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...checks.problems import warn
from ..text_numbers import is_number

#: By how much of a frame, and of the record, times and a declared rate may differ.
FRAME, RECORD = 0.5, 0.01


def check_count(path: Any, things: str, declared: Any, found: int) -> None:
    """Warn if a file declares another number of something; what is no number declares none."""
    if is_number(str(declared)) and (count := float(declared)) != found:
        fix = "It may be cut off: copy it again." if count > found else "Correct what it declares."
        warn(f"`path`: {Path(path).name} declares {count:.15g} {things}, but has {found}. {fix}")


def check_rate(path: Any, what: str, declared: Any, times: np.ndarray, frames: float) -> None:
    """Warn if the first and the last time are not so many frames apart at a declared rate."""
    if not is_number(str(declared)) or not float(declared) > 0 or len(times) < 2:
        return
    span = times[-1] - times[0]
    if abs(span * float(declared) - frames) > FRAME + RECORD * abs(frames):
        warn(
            f"`path`: {Path(path).name} declares {what} {declared}, but its times are those of "
            f"{frames / span:.6g} Hz. Correct what it declares."
        )


def warn_of_infinities(
    path: Any, kind: str, places: Any, names: Sequence[str], values: np.ndarray
) -> None:
    """Warn of infinite numbers: there is a row for each place, of some kind, a column by name."""
    rows, columns = np.nonzero(np.isinf(values))
    if rows.size:
        warn(
            f"`path`: {Path(path).name} has {rows.size} infinite numbers, the first one in "
            f"{kind} {places[rows[0]]}, column {names[columns[0]]}."
        )
