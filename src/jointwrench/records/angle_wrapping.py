"""Wrapped angles: wrapping to the nearest turn, and jumps where an angle was wrapped."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..checks.arguments import enumerate_some
from ..checks.messages import warn
from ..checks.tolerances import SINGLE, SMOOTH_TURN, WHOLE_TURN

#: Number of steps on each side of a jump that show the direction of the motion.
STEPS_AROUND = 4


def wrap_to_nearest(angles: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return angles shifted by whole turns to within half a turn of the ``centers``."""
    return angles - 2 * np.pi * np.round((angles - centers) / (2 * np.pi))


@np.errstate(over="ignore", invalid="ignore")  # columns may hold huge numbers, not angles
def find_jumps(values: np.ndarray, turn: float, is_angle: bool = True) -> np.ndarray:
    """Return the rows after which a column (N,) jumps by whole turns; NaN is skipped.

    A column that is not known to be an angle must also lie within one turn and continue its motion
    across each jump.
    """
    rows = np.flatnonzero(np.isfinite(values))
    steps = np.diff(values[rows])
    # The steps of a motion change little from sample to sample.  A jump changes the step by whole
    # turns, up to an equally small remainder, and changes it back at the next sample.
    changes = np.diff(steps)
    turns = np.round(changes / turn)
    if not turns.any():
        return rows[:0]
    left = np.abs(changes - turns * turn)
    if np.median(left) > SMOOTH_TURN * turn:
        return rows[:0]  # not a motion but, for instance, random states
    turns[left > WHOLE_TURN * turn] = 0
    sizes = np.abs(steps)
    # At the ends of a record only one change is known: the jump is the larger of the two steps.
    before = np.concatenate([[-turns[0] if sizes[0] > sizes[1] else 0], turns])
    after = np.concatenate([turns, [-turns[-1] if sizes[-1] > sizes[-2] else 0]])
    found = np.flatnonzero(before * after < 0)
    if not is_angle:
        is_within = np.ptp(values[rows]) <= turn * (1 + SINGLE)
        moves = steps - np.where(before * after < 0, np.round(steps / turn), 0) * turn
        found = found[[is_within and _is_continuous(moves, int(k), before[k], turn) for k in found]]
    return rows[found]


def _is_continuous(moves: np.ndarray, k: int, turns: float, turn: float) -> bool:
    """Return whether the motion goes on across jump k in the direction that wrapping hides."""
    before, after = moves[max(k - STEPS_AROUND, 0) : k], moves[k + 1 : k + 1 + STEPS_AROUND]
    steps = np.concatenate([before, after])
    usual = np.median(steps)
    room = max(SINGLE * turn, 2 * np.ptp(steps))
    directions = [np.sign(x.sum()) == -np.sign(turns) for x in (before, after) if x.size]
    return all(directions) and bool(abs(moves[k] - usual) <= room)


def find_jumping_columns(
    values: np.ndarray, names: Iterable[str], turn: float = 2 * np.pi, is_angle: bool = True
) -> dict[str, np.ndarray]:
    """Return the rows after which columns of values (N, k) jump, by name of the column."""
    columns = zip(names, values.T, strict=True)
    found = {name: find_jumps(column, turn, is_angle) for name, column in columns}
    return {name: rows for name, rows in found.items() if rows.size}


def warn_of_jumps(
    names: Sequence[str], columns: Mapping[int, np.ndarray], times: np.ndarray
) -> None:
    """Warn of coordinates (..., N) of an evaluator that jump like wrapped angles."""
    *rows, instants = np.broadcast_arrays(*columns.values(), times)
    for trial in np.ndindex(instants.shape[:-1]):
        pairs = zip(columns, rows, strict=True)
        each = {names[k]: find_jumps(own[trial], 2 * np.pi, is_angle=False) for k, own in pairs}
        if found := {name: own for name, own in each.items() if own.size}:
            warn(
                f"`q` has jumps of {describe_jumps(found, instants[trial])}, which are no motion "
                "of neighbouring samples. Use Trajectory.from_samples(..., unwrap=True), or "
                "numpy.unwrap before speeds are taken of them."
            )
            return


def describe_jumps(found: dict[str, np.ndarray], times: np.ndarray) -> str:
    """Return the text of jumps: the columns, their number, and the first time."""
    count, first = sum(map(len, found.values())), min(rows[0] for rows in found.values())
    often = "once" if count == 1 else f"{count} times"
    return f"{enumerate_some(found)} by a whole turn {often}, first after the time {times[first]:g}"
