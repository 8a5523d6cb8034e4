"""`Markers`: places over time, as files have them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks.arguments import check_choice, check_instance, check_name_list
from ..checks.numbers import known_or_missing, shaped_array
from ..checks.problems import warn
from ..records.instants import check_sample_times
from ..records.laboratory import LENGTHS, rotation_of, unit_factor
from ..records.samples import check_times, find_columns, rows_between
from ..records.tables import NamedArrays
from ..signals.smoothing import Smoother, Smoothing, smoothing_of

#: Distance in metres beyond which the unit of markers is suspected to be another one.
FARTHEST = 100.0


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
        If places do not fit times and names; where a name is asked for that two markers have.

    See Also
    ========

    read_trc, read_c3d : Read them.

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
        known_or_missing("positions", positions)
        check_instance("header", self.header, Mapping, "a mapping of words")
        for name, value in {"times": times, "names": names, "positions": positions}.items():
            object.__setattr__(self, name, value)

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

        See Also
        ========

        read_trc : Knows the unit.

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

    def only(self, names: Sequence[str]) -> "Markers":
        """Return the markers of some ``names``, in this order.

        Raises
        ======

        ValueError
            If there is no marker of a name.

        See Also
        ========

        Markers.between : Some of the instants.

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
        """Return the markers of one person by their own names: "P01:LKNE" becomes "LKNE".

        ``subject`` is what stands before the colon, "P01".  By default it is that of all names that
        have one; names without it stay.

        Raises
        ======

        ValueError
            If there is no such person, or there are several and none is named.

        See Also
        ========

        Markers.only : Some of the markers.

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
        """Return the rows from ``start`` to ``end``, two times, both included, at least one row.

        See Also
        ========

        Markers.only : Some of the markers.

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
        """Return the markers in other axes, for instance those of a model with y up.

        ``axes`` says which become x, y and z: "y z x" for a person who walks along y where z is up;
        "-y z -x" for one who walks the other way.  Or it is the matrix that turns places.

        Raises
        ======

        ValueError
            If they are no three axes at right angles, right-handed.

        See Also
        ========

        ForcePlate.turned : The same for plates.

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
        """Return the markers without gaps, smoothed, each from where it is first seen to the last.

        Before and after that they stay NaN: nothing is extrapolated.  ``smoothing`` is a
        `Smoothing`, or the method alone beside other ``parts`` of one; gaps are filled by default.

        Raises
        ======

        TypeError, ValueError
            As `Smoothing` and `Trajectory.from_samples`; if a marker is never seen.

        Warns
        =====

        UserWarning
            If times are rounded; those that they mean are in the result.

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
        how = smoothing_of(smoothing, parts, Markers.smoothed)
        raw = check_sample_times("times", self.times, least=1)
        times = Smoother(raw, how).times
        places = np.full((len(times), *self.positions.shape[1:]), np.nan)
        for k, name in enumerate(self.names):
            seen = np.flatnonzero(np.isfinite(self.positions[:, k]).all(axis=-1))
            if not seen.size:
                raise ValueError(f"`names` must be those of markers that are seen, not {name}.")
            rows = slice(seen[0], seen[-1] + 1)
            part, axes = Smoother(raw[rows], how), [f"{name} {axis}" for axis in "xyz"]
            values = part.without_gaps("positions", self.positions[rows, k], axes)
            inside = (times >= part.raw[0]) & (times <= part.raw[-1])
            places[inside, k] = part.spline(name, values)(times[inside])
        return Markers(times, self.names, places, self.header)

    def __repr__(self) -> str:
        first, last = self.times[0], self.times[-1]
        names = ", ".join(self.names)
        return f"Markers({names}: {len(self.times)} rows, time {first:g} to {last:g})"


def check_extent(file: str, markers: Markers) -> None:
    """Warn of markers that are too far apart for the unit that a file declares."""
    factor = unit_factor("length", markers.header.get("Units", ""))
    places = markers.positions[np.isfinite(markers.positions).all(axis=-1)]
    if factor is None or not len(places):
        return
    extent = factor * np.ptp(places, axis=0).max()
    if extent > FARTHEST:
        warn(
            f"`path`: {file} says that markers are in {markers.header['Units']}, but "
            f"they are {extent:.4g} m apart: millimetres are suspected. "
            "Use units={'length': 'mm'}, or what it is."
        )
