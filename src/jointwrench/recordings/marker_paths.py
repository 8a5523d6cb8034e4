"""`Markers`: the positions of markers over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..checks.arguments import check_choice, check_instance, check_name_list, enumerate_some
from ..checks.display import extent
from ..checks.messages import warn
from ..checks.numbers import check_finite_or_nan, shaped_array
from ..records.instants import check_sample_times
from ..records.laboratory import LENGTHS, rotation_of, unit_factor
from ..records.samples import check_times, find_columns, rows_between
from ..records.tables import NamedArrays
from ..signals.smoothing import Smoother, Smoothing, make_smoothing

#: Distance (m) between markers beyond which their unit is suspected to be wrong.
FARTHEST = 100.0


@dataclass(frozen=True, eq=False)
class Markers(NamedArrays):
    """Positions of markers over time, as a mapping from names to positions.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        Increasing instants.
    names : tuple of str
        The names of the markers.
    positions : numpy.ndarray, shape (N, number of names, 3)
        The positions x, y, z; NaN where a marker is missing.
    header : dict of str to str
        The header of the file, for instance ``Units``.

    Raises
    ======

    ValueError
        If positions do not match times and names; on access to a name that two markers have.

    See Also
    ========

    read_trc, read_c3d : Read markers.

    Examples
    ========

    >>> import jointwrench as jw
    >>> places = [[[1000, 0, 50], [1200, 0, 20]]] * 5  # heel and toe at five instants
    >>> markers = jw.recordings.Markers(range(5), ["heel", "toe"], places, {"Units": "mm"})
    >>> markers["heel"].shape
    (5, 3)
    """

    times: np.ndarray
    names: tuple[str, ...]
    positions: np.ndarray
    header: dict[str, str] = field(default_factory=dict)

    kind = "markers"

    def __post_init__(self) -> None:
        times = check_times("times", self.times, least=0)
        names = check_name_list("names", self.names)
        positions = shaped_array("positions", self.positions, len(times), len(names), 3)
        check_finite_or_nan("positions", positions)
        check_instance("header", self.header, Mapping, "a mapping of words")
        vars(self).update(times=times, names=names, positions=positions)

    @property
    def stacked(self) -> np.ndarray:
        """The positions, shape (N, number of names, 3)."""
        return self.positions

    def in_metres(self) -> "Markers":
        """Return the markers in metres, the unit of force plates.

        Raises
        ======

        ValueError
            If ``header["Units"]`` is not a known unit of length.

        See Also
        ========

        read_trc : Reads markers with their unit.

        Examples
        ========

        >>> import jointwrench as jw
        >>> places = [[[1000, 0, 50], [1200, 0, 20]]] * 5  # heel and toe at five instants
        >>> markers = jw.recordings.Markers(range(5), ["heel", "toe"], places, {"Units": "mm"})
        >>> markers.in_metres()["heel"][0]
        array([1.  , 0.  , 0.05])
        """
        unit = self.header.get("Units", "")
        if (factor := unit_factor("length", unit)) is None:
            raise ValueError(
                f"`header['Units']` must be a unit of length among {', '.join(LENGTHS)}, got "
                f"{unit!r}. Use Markers(times, names, positions, {{'Units': 'mm'}}), or "
                "units={'length': 'mm'} when a file is read."
            )
        places = factor * self.positions
        return Markers(self.times, self.names, places, {**self.header, "Units": "m"})

    def only(self, names: Sequence[str | int]) -> "Markers":
        """Return the markers with these ``names`` or column numbers from 0, in this order.

        Raises
        ======

        ValueError
            If no marker has one of the names, or two have.

        See Also
        ========

        Markers.between : Selects instants.

        Examples
        ========

        >>> import jointwrench as jw
        >>> places = [[[1000, 0, 50], [1200, 0, 20]]] * 5  # heel and toe at five instants
        >>> markers = jw.recordings.Markers(range(5), ["heel", "toe"], places, {"Units": "mm"})
        >>> markers.only(["toe"]).names
        ('toe',)
        """
        places = find_columns("names", names, self.names)
        kept = tuple(self.names[k] for k in places)
        return Markers(self.times, kept, self.positions[:, places], self.header)

    def of_subject(self, subject: str | None = None) -> "Markers":
        """Return the markers of one person without the prefix: "P01:LKNE" becomes "LKNE".

        ``subject`` is the prefix before the colon, "P01"; default is the only prefix in the names.
        Names without a prefix are kept.

        Raises
        ======

        ValueError
            If there is no such person, or there are several and ``subject`` is missing.

        See Also
        ========

        Markers.only : Selects markers.

        Examples
        ========

        >>> import jointwrench as jw
        >>> names, places = ["P01:heel", "P01:toe"], [[[0, 0, 0]] * 2] * 5
        >>> markers = jw.recordings.Markers(range(5), names, places)
        >>> markers.of_subject().names
        ('heel', 'toe')
        """
        pairs = [name.rpartition(":")[::2] for name in self.names]
        known = [x for x in dict.fromkeys(before for before, _ in pairs) if x]
        if subject is None and len(known) > 1:
            raise ValueError(
                f"`subject` must be given, since markers are of {', '.join(known)}. Use "
                f"subject={known[0]!r}."
            )
        if subject is not None:
            check_choice("subject", subject, known)
            known = [subject]
        places = [k for k, (before, _) in enumerate(pairs) if before in ("", *known)]
        names = tuple(pairs[k][1] for k in places)
        return Markers(self.times, names, self.positions[:, places], self.header)

    def between(self, start: float, end: float) -> "Markers":
        """Return the samples from time ``start`` to time ``end``, both included (at least one).

        See Also
        ========

        Markers.only : Selects markers.

        Examples
        ========

        >>> import jointwrench as jw
        >>> places = [[[1000, 0, 50], [1200, 0, 20]]] * 5  # heel and toe at five instants
        >>> markers = jw.recordings.Markers(range(5), ["heel", "toe"], places, {"Units": "mm"})
        >>> len(markers.between(1, 3).times)
        3
        """
        rows = rows_between(self.times, start, end, least=1)
        return Markers(self.times[rows], self.names, self.positions[rows], self.header)

    def turned(self, axes: Any) -> "Markers":
        """Return the markers in other axes, for instance in the axes of a model with y up.

        ``axes`` names the axes that become x, y and z: "y z x" for a person who walks along y, with
        z up.  It can also be the rotation matrix that multiplies positions.

        Raises
        ======

        ValueError
            If the axes are not three orthogonal, right-handed axes.

        See Also
        ========

        ForcePlate.turned : Expresses plates in other axes.

        Examples
        ========

        >>> import jointwrench as jw
        >>> places = [[[1000, 0, 50], [1200, 0, 20]]] * 5  # heel and toe at five instants
        >>> markers = jw.recordings.Markers(range(5), ["heel", "toe"], places, {"Units": "mm"})
        >>> markers.turned("y z x")["heel"][0]
        array([   0.,   50., 1000.])
        """
        places = self.positions @ rotation_of(axes).T
        return Markers(self.times, self.names, places, self.header)

    def smoothed(self, smoothing: Smoothing | str | None = None, **parts: Any) -> "Markers":
        """Return smoothed markers without gaps, each from its first to its last known position.

        Positions before and after these remain NaN, because nothing is extrapolated.
        ``smoothing`` is a `Smoothing`, or its method with other ``parts`` as keywords; gaps are
        filled by default.

        Raises
        ======

        TypeError, ValueError
            As `Smoothing` and `Trajectory.from_samples`.

        Warns
        =====

        UserWarning
            If times were rounded; the result has the restored times.  If a marker is at (0, 0, 0),
            which marks a missing position, while other markers are elsewhere.

        See Also
        ========

        Smoothing : The arguments as one object.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> markers = jw.recordings.Markers(np.arange(50) / 100, ["heel"], np.zeros((50, 1, 3)))
        >>> markers.smoothed(cutoff=6.0)["heel"].shape
        (50, 3)
        """
        if not isinstance(smoothing, Smoothing):
            parts.setdefault("gaps", "fill")
        options = make_smoothing(smoothing, parts, Markers.smoothed)
        raw = check_sample_times("times", self.times, least=1)
        positions = mark_missing_at_origin(self).positions
        times = Smoother(raw, options).times
        places = np.full((len(times), *self.positions.shape[1:]), np.nan)
        for k, name in enumerate(self.names):
            known = np.flatnonzero(np.isfinite(positions[:, k]).all(axis=-1))
            if not known.size:
                continue
            rows = slice(known[0], known[-1] + 1)
            part, axes = Smoother(raw[rows], options), [f"{name} {axis}" for axis in "xyz"]
            values = part.fill_gaps("positions", positions[rows, k], axes)
            inside = (times >= part.raw[0]) & (times <= part.raw[-1])
            places[inside, k] = part.spline(name, values)(times[inside])
        return Markers(times, self.names, places, self.header)

    def __repr__(self) -> str:
        names = ", ".join(self.names)
        return f"Markers({names}: {len(self.times)} rows, time {extent(self.times)})"


def mark_missing_at_origin(markers: Markers, where: str = "`markers`") -> Markers:
    """Return markers with NaN in place of (0, 0, 0), unless all markers are there throughout."""
    at_zero = (markers.positions == 0).all(axis=-1)
    if not at_zero.any() or not np.nan_to_num(markers.positions).any():
        return markers
    counts = zip(markers.names, at_zero.sum(axis=0).tolist(), strict=True)
    texts = enumerate_some(f"{name} in {count}" for name, count in counts if count)
    warn(
        f"{where}: (0, 0, 0) means that a marker was not seen, and counts as NaN: {texts} of "
        f"{len(at_zero)} frames."
    )
    return replace(markers, positions=np.where(at_zero[..., None], np.nan, markers.positions))


def drop_unseen(markers: Markers) -> Markers:
    """Return the markers without those that have no position, with NaN in place of (0, 0, 0)."""
    markers = mark_missing_at_origin(markers)
    seen = np.isfinite(markers.positions).all(axis=-1).any(axis=0)
    return markers if seen.all() else markers.only(np.flatnonzero(seen).tolist())


def check_extent(file: str, markers: Markers) -> None:
    """Warn of markers that are too far apart for the unit that a ``file`` declares."""
    factor = unit_factor("length", markers.header.get("Units", ""))
    places = markers.positions[np.isfinite(markers.positions).all(axis=-1)]
    if factor is None or not len(places):
        return
    extent = factor * np.ptp(places, axis=0).max()
    if extent > FARTHEST:
        warn(
            f"`path`: {file} declares that markers are in {markers.header['Units']}, but "
            f"they are {extent:.4g} m apart: millimetres are suspected. "
            "Use units={'length': 'mm'}, or the true unit."
        )
