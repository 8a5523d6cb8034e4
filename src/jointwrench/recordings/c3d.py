"""Reading C3D files: markers, channels, force plates, events, and a laboratory's results."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from ..checks.arguments import check_choice
from ..checks.display import extent
from ..checks.numbers import check_bool
from ..checks.pickles import Pickled
from ..records.laboratory import LENGTHS, check_units, rotation_of
from ..records.tables import Table
from .c3d_blocks import read_blocks, texts_of
from .force_plate import ForcePlate
from .force_platforms import PlatformGroup
from .ground_contact import Event
from .header_checks import compare_count, warn_of_infinities
from .marker_paths import Markers, check_extent, mark_missing_at_origin

#: Kinds of computed results in the group POINT; the parameter of this name lists their points.
COMPUTED = ("angles", "forces", "moments", "powers", "scalars")

#: Groups and parameters in which programs store mass and height.  A height above TALLEST (m) is in
#: centimetres or millimetres.
GROUPS_OF_SUBJECTS = ("PROCESSING", "SUBJECTS", "SUBJECT")
MASS, HEIGHT = ("bodymass", "mass", "weight"), ("height",)
TALLEST = 3.0


class Subject(NamedTuple):
    """The measured person.

    Attributes
    ==========

    name : str
        The name in the file.
    mass, height : float or None
        In kilograms and metres, if the file has them.
    measures : dict of str to float
        All single numbers about the person in the file, in the file's units: leg lengths, widths.
    """

    name: str
    mass: float | None
    height: float | None
    measures: dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Recording(Pickled):
    """The contents of a C3D file; ``markers, channels = recording`` unpacks the first two.

    Parameters
    ==========

    markers, channels : Markers, Table or None
        The markers, in the file's unit, and the analogue channels, if there are any.
    platforms : PlatformGroup
        The file's force platforms.
    events : tuple of Event
        The events, in the order of time.
    subject : Subject
        The measured person.
    computed : dict of str to Markers
        The results of the laboratory's program that the file has, three numbers at each instant:
        "angles", "forces", "moments", "powers", "scalars".  Their ``header`` has the file's unit.
    """

    markers: Markers
    channels: Table | None
    platforms: PlatformGroup
    events: tuple[Event, ...]
    subject: Subject
    computed: dict[str, Markers]
    _axes: np.ndarray | None = None

    def __getitem__(self, place: int) -> Any:
        return (self.markers, self.channels)[place]

    def __repr__(self) -> str:
        channels = len(self.channels.names) if self.channels else 0
        return (
            f"Recording({len(self.markers.names)} markers and {channels} channels from "
            f"{extent(self.markers.times)}, {len(self.events)} events)"
        )

    def _replace(self, **parts: Any) -> "Recording":
        return replace(self, **parts)

    @cached_property
    def plates(self) -> tuple[ForcePlate, ...]:
        """The force plates: wrenches on the person, about the laboratory's origin.

        The wrenches are in metres, N and N m, at the times of the channels, in the axes of the
        markers; ``vertical`` is the axis nearest to a plate's normal.  Types 1 to 4 are read.

        Raises
        ======

        ValueError
            If no plate has a position; if channels, calibration, type or unit of a plate are
            missing or unknown, or its numbers cannot be in the declared unit.  One error lists all
            problems.

        Warns
        =====

        UserWarning
            If the file has forces on the plate, against the standard; if a plate has the same force
            throughout; if a plate is skipped because its corners define no position.
        """
        plates = self.platforms.plates()
        return plates if self._axes is None else tuple(x.turned(self._axes) for x in plates)

    def turned(self, axes: Any) -> "Recording":
        """Return the recording with markers and plates in other ``axes``, as for `Markers.turned`.

        The results of the laboratory's program keep their axes.

        Raises
        ======

        ValueError
            As `Markers.turned`; on access to plates, as `ForcePlate.turned`.
        """
        matrix = rotation_of(axes)
        whole = matrix if self._axes is None else matrix @ self._axes
        return replace(self, markers=self.markers.turned(matrix), _axes=whole)


def read_c3d(
    path: str | PathLike[str],
    units: Mapping[str, str] | None = None,
    forces_on: Literal["person", "plate"] | None = None,
    baseline: bool = False,
) -> Recording:
    """Read markers, channels, force plates and events of a C3D file, as a Recording.

    ``markers, channels = read_c3d(path)`` unpacks it: the markers in the file's unit
    (``header["Units"]``), NaN where one is missing, and the analogue channels at their own times,
    or None if the file has none.  Both start at the time of the first frame.  ``plates`` is a tuple
    of `ForcePlate`, in metres, N and N m; the other attributes are ``events``, ``subject`` and
    ``computed``.

    Parameters
    ==========

    path : str or path
        The file.
    units : mapping of str to str, optional
        Units that replace the file's units of "length" (markers, and the corners and origins of
        plates), "force" and "moment": ``{"moment": "N mm"}``.
    forces_on : {"person", "plate"}, optional
        The object on which the forces in the file act.  Default: the person, as in the standard,
        unless the forces of a plate would then pull the person into the floor.
    baseline : bool
        Whether to subtract the baseline of the plates' channels: their mean over the frames in
        which, according to the file (FORCE_PLATFORM:ZERO), nobody is on a plate.

    Raises
    ======

    TypeError, FileNotFoundError
        If ``units`` is not a mapping of str to str, or the file does not exist.
    ValueError
        If the file is not a C3D file, or has no frame rate or no frames; if its header and its
        parameters declare different numbers of points or channels; if a unit or ``forces_on`` is
        unknown; if the file names no frames for the baseline.

    Warns
    =====

    UserWarning
        If markers are too far apart for the declared unit, or at (0, 0, 0), which marks missing
        positions (NaN); if the file ends before its last declared frame, its header and parameters
        differ in rate, scale or frames, or numbers are infinite.

    See Also
    ========

    gait_report : Uses the recording.
    read_trc, read_csv : Other files.

    Examples
    ========

    >>> import jointwrench as jw
    >>> trial = jw.recordings.read_c3d(jw.example_data("two_plates.c3d"))
    >>> len(trial.plates)
    2
    """
    stated = check_units("units", units)
    check_choice("forces_on", forces_on, (None, "person", "plate"))
    check_bool("baseline", baseline)
    file = read_blocks(path)
    parameters, places, samples = file.parameters, file.positions, file.channels
    point, analog = parameters.get("POINT", {}), parameters.get("ANALOG", {})
    start = (file.first - 1) / file.rate
    times = start + np.arange(len(places)) / file.rate
    unit = stated.get("length") or _first_text(point, "UNITS")
    names = _labels(path, "POINT", point, places.shape[1])
    axes = [f"{name}.{axis}" for name in names for axis in "xyz"]
    warn_of_infinities(path, "time", times, axes, places.reshape(len(places), -1))
    places = np.where(np.isinf(places), np.nan, places)
    points = Markers(times, names, places, {"Units": unit})
    computed = {name: _select_computed(points, point, name.upper()) for name in COMPUTED}
    markers = _drop_points(points, {name for some in computed.values() for name in some.names})
    markers = mark_missing_at_origin(markers, f"`path`: {Path(path).name}")
    if "length" not in stated:
        check_extent(Path(path).name, markers)
    instants = start + np.arange(samples.shape[1]) / (file.rate * (file.per_frame or 1))
    titles = _labels(path, "ANALOG", analog, len(samples))
    warn_of_infinities(path, "time", instants, titles, samples.T)
    channels = Table(instants, titles, samples.T) if samples.size else None
    group = parameters.get("FORCE_PLATFORM", {})
    group = {name: x for name, x in group.items() if x.size and x.dtype.kind in "if"}
    if baseline:
        zero = np.nan_to_num(group.get("ZERO", ()))
        samples = samples - _mean_baseline(path, zero, samples, len(times))
    channel_units = tuple(texts_of(analog, "UNITS"))
    platforms = PlatformGroup(
        Path(path).name, group, instants, samples, channel_units, unit, stated, forces_on
    )
    found = {name: some for name, some in computed.items() if some.names}
    events = _read_events(path, parameters.get("EVENT", {}))
    return Recording(markers, channels, platforms, events, _read_subject(parameters), found)


def _first_text(group: Mapping[str, Any], name: str) -> str:
    """Return the first entry of a parameter as text, "" if it is missing."""
    return "".join(map(str, group.get(name, ())[:1]))


def _labels(path: Any, name: str, group: Mapping[str, Any], count: int) -> tuple[str, ...]:
    """Return ``count`` labels of a group, "" for missing labels, which cause a warning."""
    labels = texts_of(group, "LABELS")
    if len(labels) < count:
        compare_count(path, f"labels ({name}:USED)", count, len(labels))
    return (*labels[:count], *[""] * (count - len(labels)))


def _select_computed(points: Markers, group: Mapping[str, Any], key: str) -> Markers:
    """Return the points that the parameter ``key`` of POINT lists: results, with their unit."""
    some = _drop_points(points, {*points.names}.difference(texts_of(group, key)))
    return replace(some, header={"Units": _first_text(group, f"{key[:-1]}_UNITS")})


def _drop_points(points: Markers, names: set[str]) -> Markers:
    """Return the points without those of the given ``names``."""
    return points.only([k for k, name in enumerate(points.names) if name not in names])


def _read_events(path: Any, group: Mapping[str, np.ndarray]) -> tuple[Event, ...]:
    """Return the events of the group EVENT in the order of time."""
    # TIMES, shape (2, events), has minutes and seconds.
    times = group.get("TIMES", np.zeros(0))
    if times.ndim != 2 or len(times) != 2 or times.dtype.kind not in "if":
        return ()
    count = times.shape[1]
    compare_count(path, "labels of events", count, len(texts_of(group, "LABELS")))
    seconds = (times.astype(float).T @ [60.0, 1.0]).tolist()
    labels, sides = ([*texts_of(group, x), *[""] * count] for x in ("LABELS", "CONTEXTS"))
    sides = [side.lower() if side.lower() in ("left", "right") else "" for side in sides]
    rows = zip(seconds, map(str.strip, labels), sides, strict=False)
    return tuple(sorted(Event(*row) for row in rows if isfinite(row[0])))


def _read_subject(parameters: Mapping[str, Mapping[str, Any]]) -> Subject:
    """Return the person, from all groups in which programs store data about a person."""
    groups = [parameters[name] for name in GROUPS_OF_SUBJECTS if name in parameters]
    measures = {
        name: float(value[0])
        for group in groups
        for name, value in group.items()
        if value.shape == (1,) and value.dtype.kind == "f"
    }
    names = (_first_text(group, key).strip() for group in groups for key in ("NAMES", "NAME"))
    known = [(name.lower(), x) for name, x in measures.items() if 0 < x < inf]
    mass, height = (next((x for k, x in known if k in words), None) for words in (MASS, HEIGHT))
    if height is not None and height > TALLEST:
        height *= LENGTHS["mm" if height > 100 * TALLEST else "cm"]
    return Subject(next(filter(None, names), ""), mass, height, measures)


def _mean_baseline(path: Any, zero: Any, samples: np.ndarray, frames: int) -> np.ndarray:
    """Return the mean of each channel over a range of frames, shape (channels, 1).

    ``zero`` has the first and the last frame, counted from 1.
    """
    first, last = (max(int(zero[0]), 1), int(zero[1])) if len(zero) == 2 else (0, 0)
    if not 1 <= first <= last <= frames:
        raise ValueError(
            f"`baseline` must be False for {Path(path).name}, whose FORCE_PLATFORM:ZERO names no "
            f"range of its {frames} frames, got True."
        )
    each = samples.shape[1] // frames
    with np.errstate(invalid="ignore"):  # infinite numbers have been reported before
        return samples[:, (first - 1) * each : last * each].mean(axis=1, keepdims=True)
