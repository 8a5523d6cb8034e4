"""Foot contact: contacts with a plate, and gait events from markers."""

from typing import Any, NamedTuple

import numpy as np

from ..checks.arguments import check_choice
from ..checks.numbers import finite_array
from ..records.samples import check_times, find_gaps

AXES = ("x", "y", "z")

#: The baseline of a plate is the median of the loads in the LOWEST fraction of their range.  It
#: counts only if it is at most the fraction LARGEST of the largest load (a higher level is a person
#: who stands on the plate), and if the load is within the fraction NEAR of its range from the
#: baseline for at least the fraction DWELL of the record.
LOWEST, LARGEST = 0.1, 0.1
DWELL, NEAR = 0.1, 0.025

#: Least prominence of a step's peak, as a fraction of the range; and the least time between two
#: peaks, as a fraction of the median time between peaks.
PROMINENT, APART = 0.3, 0.5

#: Foot strikes.  STANDS: the heel is on the ground when its downward speed has decreased to this
#: fraction of the maximum; LANDS: the fraction of a stance within which this happens; STANCE: the
#: duration (s) of a stance, if the record has no whole one; HALF: half the time (s) over which
#: speeds are averaged; STILL: the fraction of the speed in swing below which a heel does not move
#: down; the speed in swing is the percentile FASTEST of all speeds.
STANDS, LANDS, STANCE, HALF, STILL, FASTEST = 0.2, 0.15, 0.7, 0.02, 0.005, 97

STRIKE, OFF = "Foot Strike", "Foot Off"


class Event(NamedTuple):
    """A foot strike, a foot off or another event of a recording.

    Attributes
    ==========

    time : float
        The time on the clock of the markers.
    label : str
        The name in the file, for instance "Foot Strike" or "Foot Off".
    side : str
        "left", "right", or "" for neither.

    See Also
    ========

    gait_events : Finds them from markers.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.recordings.Event(0.25, "Foot Strike", "left").side
    'left'
    """

    time: float
    label: str
    side: str


def unloaded_level(load: np.ndarray) -> float:
    """Return the baseline of a plate's ``load``, or zero if the plate is always loaded."""
    lowest, highest = np.percentile(load, [1, 99])
    span = highest - lowest
    level = float(np.median(load[load <= lowest + LOWEST * span]))
    stays = np.mean(np.abs(load - level) <= NEAR * span) >= DWELL
    return level if stays and abs(level) < LARGEST * max(abs(highest), abs(lowest)) else 0.0


def find_load_spans(
    times: np.ndarray, load: np.ndarray, threshold: float, release: float, least: float
) -> list[tuple[int, int]]:
    """Return the first row and the row after the last row of each contact, also of truncated ones.

    A contact needs a load above ``threshold`` and lasts while the load is above ``release``.
    Contacts and interruptions shorter than ``least`` are ignored.
    """
    above, joined = load > threshold, list[tuple[int, int]]()
    for start, end in find_gaps(np.where(load > release, np.nan, load)):
        rows = start + np.flatnonzero(above[start : end + 1])
        if not rows.size or times[rows[-1]] - times[rows[0]] < least:
            continue
        first, last = int(rows[0]), int(rows[-1]) + 1
        if joined and times[first] - times[joined[-1][1] - 1] < least:
            first = joined.pop()[0]
        joined.append((first, last))
    return joined


def gait_events(
    times: Any, heel: Any, toe: Any, pelvis: Any, side: str = "", vertical: str = "z"
) -> tuple[Event, ...]:
    """Return foot strikes and foot offs from markers, in the order of time.

    Foot off is the instant at which the toe is farthest behind the pelvis [1]_.  Foot strike is the
    instant at which the heel, after it was farthest in front of the pelvis, has lost 80 % of its
    greatest downward speed; a heel that does not move down strikes when it is farthest in front.
    Forward is the direction of the pelvis' motion or, on a treadmill, of the swinging feet.  Events
    at the first and last instants are omitted.

    Parameters
    ==========

    times : array_like, shape (N,)
        Increasing instants.
    heel, toe, pelvis : array_like, shape (N, 3)
        Positions of heel, toe and pelvis; the pelvis may be the mean of its markers.
    side : {"left", "right", ""}
        The side of the events.
    vertical : {"z", "y", "x"}
        The laboratory's axis that points up.

    Raises
    ======

    TypeError, ValueError
        If positions are not real numbers, shapes do not match, a position is missing, or times do
        not increase.

    See Also
    ========

    ForcePlate.contacts : Contacts from a force plate.

    Notes
    =====

    Use plates for people who do not strike with the heel.

    References
    ==========

    .. [1] J. A. Zeni, J. G. Richards, J. S. Higginson, Two simple methods for determining gait
       events during treadmill and overground walking using kinematic data, Gait & Posture 27
       (2008), 710-714.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.linspace(0, 3, 301)
    >>> pelvis = np.stack([1.2 * t, 0 * t, 0 * t + 1], -1)
    >>> swing = np.stack([0.4 * np.sin(2 * np.pi * t), 0 * t, 0 * t - 1], -1)
    >>> events = jw.recordings.gait_events(t, pelvis + swing, pelvis + swing, pelvis, side="left")
    >>> [(round(e.time, 2), e.label) for e in events[:2]]
    [(0.25, 'Foot Strike'), (0.75, 'Foot Off')]
    """
    instants = check_times("times", times)
    check_choice("side", side, ("left", "right", ""))
    up = AXES.index(check_choice("vertical", vertical, AXES))
    paths = {"heel": heel, "toe": toe, "pelvis": pelvis}
    fix, shape = "Use markers.smoothed(...).between(...) for one with gaps.", (len(instants), 3)
    places = {name: finite_array(name, x, shape, fix=fix) for name, x in paths.items()}
    level = [k for k in range(3) if k != up]
    front, back = (places[name][:, level] - places["pelvis"][:, level] for name in ("heel", "toe"))
    forward = walking_direction(places["pelvis"][:, level], front)
    offs = _find_peaks(instants, -(back @ forward))
    farthest = _find_peaks(instants, front @ forward)
    strikes = _find_landings(instants, places["heel"], up, farthest, offs)
    found = [Event(time, STRIKE, side) for time in strikes]
    return tuple(sorted(found + [Event(time, OFF, side) for time in offs]))


def _find_landings(
    times: np.ndarray, heel: np.ndarray, up: int, farthest: list[float], offs: list[float]
) -> list[float]:
    """Return the times at which a heel has come down, one after each time in ``farthest``.

    ``farthest`` are the times at which the heel is farthest in front, ``offs`` those of foot off.
    """
    half = max(HALF, float(np.median(np.diff(times))))
    ends = [next((time for time in offs if time > start), np.nan) for start in farthest]
    stances = np.subtract(ends, farthest)
    usual = float(np.nanmedian(stances)) if np.isfinite(stances).any() else STANCE
    swing = np.percentile(np.linalg.norm(np.gradient(heel, times, axis=0), axis=-1), FASTEST)
    found = []
    for start, stance in zip(farthest, stances, strict=True):
        last = start + LANDS * (stance if stance > 0 else usual)
        fine = np.linspace(start, min(last, times[-1] - half), 101)
        after, before = (np.interp(fine + x, times, heel[:, up]) for x in (half, -half))
        speed = (after - before) / (2 * half)
        fastest = int(speed.argmin())
        stands = np.flatnonzero(speed[fastest:] > STANDS * speed[fastest])
        moves = -speed[fastest] > STILL * swing
        found.append(float(fine[fastest + stands[0]]) if moves and stands.size else start)
    return found


def speed_on_ground(velocity: np.ndarray, stands: np.ndarray) -> np.ndarray:
    """Return the speed (N,) of a point relative to the ground or belt.

    The mask ``stands`` selects the rows in which the point is at rest on the ground or belt.
    """
    return np.asarray(np.linalg.norm(velocity - np.median(velocity[stands], axis=0), axis=-1))


def walking_direction(pelvis: np.ndarray, foot: np.ndarray) -> np.ndarray:
    """Return the unit vector (2,) of a person's walking direction in the horizontal plane.

    ``pelvis`` is the path of the pelvis, ``foot`` that of a foot relative to the pelvis, (N, 2).
    """
    step = pelvis[-1] - pelvis[0]
    if np.linalg.norm(step) > np.ptp(foot, axis=0).max():
        return np.asarray(step / np.linalg.norm(step))
    # on a treadmill: the main axis of the foot's path; the swing forward is faster than the stance
    _, _, axes = np.linalg.svd(foot - foot.mean(axis=0), full_matrices=False)
    speed = np.diff(foot @ axes[0])
    return np.asarray(axes[0] * np.sign((speed**3).sum() or 1.0))


def _find_peaks(times: np.ndarray, values: np.ndarray) -> list[float]:
    """Return the times of prominent peaks, at most one per step."""
    from scipy.signal import find_peaks  # slow to import

    least = PROMINENT * np.ptp(values)
    rows, _ = find_peaks(values, prominence=least)
    if len(rows) > 2:
        apart = max(1, int(APART * np.median(np.diff(rows))))
        rows, _ = find_peaks(values, prominence=least, distance=apart)
    return [float(time) for time in times[rows]]
