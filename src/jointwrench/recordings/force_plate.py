"""Force plates: the ground reaction as data."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks.arguments import (
    check_choice,
    check_instance,
    check_instances,
    check_known,
    check_name,
    describe,
)
from ..checks.display import Grid, NotebookTable, extent
from ..checks.messages import warn
from ..checks.numbers import check_finite, check_positive, finite_array, real_array, shaped_array
from ..checks.tolerances import COLLINEAR
from ..records.instants import Samples, check_sample_times
from ..records.laboratory import rotation_of
from ..records.samples import (
    check_even,
    check_inside,
    check_rows,
    check_signal,
    check_times,
    named_columns,
    rows_between,
    spline_through,
)
from ..records.wrench_components import COMPONENTS
from ..signals.filters import butterworth
from .ground_contact import AXES, find_load_spans, unloaded_level

#: Least cosine between the vertical and an axis that counts as pointing up.
UPRIGHT = 0.9

#: Metres from the origin beyond which no laboratory has a force plate.
FARTHEST = 100.0

#: Smallest positive number.
TINY = np.finfo(float).tiny


class ForcePlate(NotebookTable):
    """The wrench of a force plate on the person over time, about the laboratory's origin.

    The force on a person who stands still points up.

    Parameters
    ==========

    times : array_like, shape (N,)
        Increasing instants.  Instants of even sampling that were rounded when printed are restored,
        with a warning.
    force : array_like, shape (N, 3)
        Force on the person, in the laboratory's axes.
    moment : array_like, shape (N, 3), optional
        Moment on the person about ``origin``.  Default: zero.
    origin : array_like, shape (3,), optional
        The point about which ``moment`` is taken, in the laboratory's axes.  Default: the
        laboratory's origin.
    vertical : {"y", "z", "x"}
        The laboratory's axis that points up.
    corners : array_like, shape (k, 3), optional
        Corners of the plate's surface, in order around it, in the laboratory's axes; see
        `read_c3d`.

    Attributes
    ==========

    times : numpy.ndarray, shape (N,)
        The instants.
    force, moment : numpy.ndarray, shape (N, 3)
        Force and moment on the person, by the plate; the moment is about the laboratory's origin.
    fx, fy, fz, mx, my, mz : numpy.ndarray, shape (N,)
        The components of force and moment, usable as ``specifieds`` at the plate's times.

    Raises
    ======

    TypeError, ValueError
        If data are not finite real numbers, times do not increase, or shapes do not match; if the
        centre of pressure is more than 100 m from the origin, as with moments in N mm.

    Warns
    =====

    UserWarning
        If the mean force does not point up, as if it acted on the plate or ``vertical`` were
        wrong; if times were rounded.

    See Also
    ========

    ExternalWrench : Applies the wrench to a body.
    ground_reactions : Assigns plates to feet.

    Examples
    ========

    A person of 700 N stands 0.3 m in front of the origin:

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> force = np.tile([0.0, 700.0, 0.0], (3, 1))
    >>> place = np.tile([0.3, 0.0, 0.0], (3, 1))
    >>> plate = jw.recordings.ForcePlate.from_center_of_pressure([0, 1, 2], force, place)
    >>> plate.mz.tolist()
    [210.0, 210.0, 210.0]
    >>> plate.center_of_pressure()[0].tolist()
    [0.3, 0.0, 0.0]
    """

    def __init__(
        self,
        times: Any,
        force: Any,
        moment: Any = None,
        origin: Any = None,
        vertical: str = "y",
        corners: Any = None,
    ) -> None:
        self.times = check_sample_times("times", times, least=1)
        self.force = _check_vectors("force", force, self.times)
        moments = np.zeros_like(self.force) if moment is None else moment
        self.moment = _check_vectors("moment", moments, self.times)
        if origin is not None:
            self.moment += np.cross(finite_array("origin", origin, (3,)), self.force)
        self.vertical = check_choice("vertical", vertical, AXES)
        self.corners = None if corners is None else _check_corners(corners)
        _check_direction(self.force, AXES.index(vertical))
        self._check_center("`moment` must be in N m if `force` is in N", "0.001 * moment if N mm")

    def _check_center(self, expected: str, fix: str) -> None:
        """Refuse a centre of pressure that is farther from the origin than any plate."""
        size = np.linalg.norm(self.force, axis=-1)
        loaded = np.abs(self.load) > 0.5 * size.max(initial=TINY)
        up = np.eye(3)[AXES.index(self.vertical)]
        arms = np.cross(up, self.moment[loaded]) / self.load[loaded, None]
        if loaded.any() and (away := np.percentile(np.linalg.norm(arms, axis=-1), 95)) > FARTHEST:
            raise ValueError(
                f"{expected}, got a centre of pressure {away:.3g} m from the origin. "
                f"Units are not guessed: use {fix}."
            )

    def __repr__(self) -> str:
        first, last = self.times[0], self.times[-1]
        return f"ForcePlate({len(self.times)} samples, {first:g} to {last:g}, {self.vertical} up)"

    def _grid(self) -> Grid:
        title = f"{self!r}: on the person, about the laboratory's origin, in its axes"
        return Grid(title, COMPONENTS, [[extent(getattr(self, name)) for name in COMPONENTS]])

    # -- makers -------------------------------------------------------------

    @classmethod
    def from_center_of_pressure(
        cls, times: Any, force: Any, center: Any, free_moment: Any = None, vertical: str = "y"
    ) -> "ForcePlate":
        """Return the `ForcePlate` of a force, its centre of pressure and the free moment.

        Parameters
        ==========

        times, force, vertical
            As in `ForcePlate`.
        center : array_like, shape (N, 3)
            Centre of pressure in the laboratory's axes; it may be NaN where the force is zero.
        free_moment : array_like, shape (N,) or (N, 3), optional
            Moment on the person about the centre of pressure; shape (N,) means about the vertical.

        Raises
        ======

        TypeError, ValueError
            As in `ForcePlate`; if a centre is NaN where the force is not zero.

        See Also
        ========

        ForcePlate.from_columns : From named channels.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.recordings.ForcePlate.from_center_of_pressure([0], [[0, 700, 0]], [[0.1, 0, 0]]).mz
        Samples([70.])
        """
        plate = cls(times, force, vertical=vertical)
        center = check_rows("center", center, plate.times)
        unloaded = ~plate.force.any(axis=-1)
        if center.shape == plate.force.shape:
            center[unloaded] = np.nan_to_num(center[unloaded])
        center = _check_vectors("center", center, plate.times)
        twist = np.zeros_like(plate.force)
        if free_moment is not None:
            free = check_signal("free_moment", free_moment, plate.times)
            if free.ndim == 1:
                twist[:, AXES.index(vertical)] = free
            else:
                twist = _check_vectors("free_moment", free, plate.times)
        plate.moment = twist + np.cross(center, plate.force)
        plate._check_center("`center` must be in metres", "0.001 * center if mm")
        return plate

    @classmethod
    def from_columns(
        cls,
        times: Any,
        columns: Mapping[str, Any],
        channels: Mapping[str, str],
        origin: Any = None,
        vertical: str = "y",
    ) -> "ForcePlate":
        """Return the `ForcePlate` of channels in named columns.

        Parameters
        ==========

        times, origin, vertical
            As in `ForcePlate`.
        columns : mapping of str to array of shape (N,)
            The channels by name, for instance a `Table` or a DataFrame.
        channels : mapping of str to str
            The name of the column of each component ``"fx"``, ... ``"mz"``; missing components are
            zero.

        Raises
        ======

        TypeError, ValueError
            If columns or channels are not a mapping, a channel is missing, unknown or used twice,
            there is no channel, or as in `ForcePlate`.

        See Also
        ========

        ForcePlate.from_center_of_pressure : From the centre of pressure and the free moment.

        Examples
        ========

        >>> import jointwrench as jw
        >>> columns, channels = {"FX1": [1, 2], "FY1": [700, 701]}, {"fx": "FX1", "fy": "FY1"}
        >>> jw.recordings.ForcePlate.from_columns([0.0, 0.1], columns, channels).force[0].tolist()
        [1.0, 700.0, 0.0]
        """
        instants = check_times("times", times, least=1)
        check_instance("channels", channels, Mapping, "a mapping of components to columns")
        check_known("channels", channels, COMPONENTS, "have keys among")
        named = list(channels.values())
        if not named or (twice := [name for name in named if named.count(name) > 1]):
            got = f"{twice[0]!r} twice" if named else "none"
            raise ValueError(f"`channels` must name different columns, at least one, got {got}.")
        for name in named:
            check_name("channels", name)
        expected = "a Table, a DataFrame or a mapping of names to arrays"
        if not isinstance(columns, Mapping) and not hasattr(columns, "columns"):
            raise TypeError(f"`columns` must be {expected}, got {describe(columns)}.")
        known = list(map(str, columns))
        if missing := [(c, name) for c, name in channels.items() if name not in known]:
            raise ValueError(
                f"`columns` must have the force plate's channel {missing[0][1]!r} (its "
                f"{missing[0][0]}), which is missing. The columns are {', '.join(known)}."
            )
        chosen = {name: columns[name] for name in named}
        rows, _ = named_columns("columns", chosen, instants, named, "")
        values = np.zeros((len(instants), 6))
        places = [COMPONENTS.index(component) for component in channels]
        values[:, places] = check_signal("columns", rows, instants, named)
        return cls(instants, values[:, :3], values[:, 3:], origin, vertical)

    # -- wrench and contacts ----------------------------------------------------

    @property
    def wrench(self) -> np.ndarray:
        """The wrench (N, 6) on the person about the laboratory's origin, force first."""
        return np.concatenate([self.force, self.moment], axis=-1)

    def _component(self, k: int) -> Samples:
        return Samples(self.wrench[:, k], self.times)

    fx = property(lambda self: self._component(0), doc="Force along x, shape (N,).")
    fy = property(lambda self: self._component(1), doc="Force along y, shape (N,).")
    fz = property(lambda self: self._component(2), doc="Force along z, shape (N,).")
    mx = property(lambda self: self._component(3), doc="Moment about the origin and x, (N,).")
    my = property(lambda self: self._component(4), doc="Moment about the origin and y, (N,).")
    mz = property(lambda self: self._component(5), doc="Moment about the origin and z, (N,).")

    def center_of_pressure(self, height: float = 0.0, threshold: float = 0.0) -> np.ndarray:
        """Return the intersection of the resultant force with the floor, shape (N, 3).

        The floor is at ``height`` along the vertical.  Rows whose vertical force is not above
        ``threshold`` are NaN.

        See Also
        ========

        ForcePlate.from_center_of_pressure : Makes a plate from its centre of pressure.

        Examples
        ========

        >>> import jointwrench as jw
        >>> plate = jw.recordings.ForcePlate([0, 1, 2], [[0, 700, 0]] * 3, origin=[0.1, 0, 0])
        >>> plate.center_of_pressure()[0].tolist()
        [0.1, 0.0, 0.0]
        """
        height, threshold = check_finite("height", height), check_finite("threshold", threshold)
        load = np.where(self.load > threshold, self.load, np.nan)[:, None]
        up = np.eye(3)[AXES.index(self.vertical)]
        # p = (u x m + h f) / (u.f): of all points with m - p x f parallel to u, the one at height h
        return (np.cross(up, self.moment) + height * self.force) / load

    def free_moment(self, height: float = 0.0, threshold: float = 0.0) -> np.ndarray:
        """Return the moment on the person about the vertical through the centre of pressure, (N,).

        ``height`` and ``threshold`` are as for `center_of_pressure`.

        See Also
        ========

        ForcePlate.center_of_pressure : The point at which the force acts.

        Examples
        ========

        >>> import jointwrench as jw
        >>> plate = jw.recordings.ForcePlate([0, 1, 2], [[0, 700, 0]] * 3, origin=[0.1, 0, 0])
        >>> plate.free_moment().tolist()
        [0.0, 0.0, 0.0]
        """
        center = self.center_of_pressure(height, threshold)
        about = self.moment - np.cross(center, self.force)
        return about[:, AXES.index(self.vertical)]

    @property
    def load(self) -> np.ndarray:
        """The vertical force on the person, positive upward, shape (N,)."""
        return self.force[:, AXES.index(self.vertical)]

    def contacts(
        self,
        threshold: float = 20.0,
        release: float | None = None,
        least: float = 0.05,
        baseline: float | None = None,
    ) -> list[tuple[float, float]]:
        """Return the times of foot strike and foot off of each contact.

        Contacts that start before the first sample or end after the last one are omitted.

        Parameters
        ==========

        threshold : float
            Vertical force above the baseline at which contact starts.
        release : float, optional
            Vertical force above the baseline at which contact ends.  Default: threshold / 2.
        least : float
            Contacts and interruptions shorter than this time are ignored.
        baseline : float, optional
            The vertical force that the plate records without load.  Default: an estimate, if it is
            at most a tenth of the peak.

        See Also
        ========

        gait_events : Events from markers.
        ground_reactions : Assigns plates to feet.

        Examples
        ========

        >>> import jointwrench as jw
        >>> plate = jw.recordings.ForcePlate([0, 1, 2], [[0, 700, 0]] * 3, origin=[0.1, 0, 0])
        >>> plate.contacts(threshold=30.0)  # it is loaded before and after
        []
        """
        return [
            (float(self.times[start]), float(self.times[end]))
            for start, end in self.contact_rows(threshold, release, least, baseline)
            if start > 0 and end < len(self.times)
        ]

    def contact_rows(
        self,
        threshold: float = 20.0,
        release: float | None = None,
        least: float = 0.05,
        baseline: float | None = None,
    ) -> list[tuple[int, int]]:
        """Return the first row of each contact and the row after its last row.

        Contacts that are cut off by an end of the record are included.  ``threshold``, ``release``,
        ``least`` and ``baseline`` are as for `contacts`.

        See Also
        ========

        ForcePlate.contacts : The times of contacts.

        Examples
        ========

        >>> import jointwrench as jw
        >>> plate = jw.recordings.ForcePlate([0, 1, 2], [[0, 700, 0]] * 3, origin=[0.1, 0, 0])
        >>> plate.contact_rows(threshold=30.0)
        [(0, 3)]
        """
        level = unloaded_level(self.load) if baseline is None else baseline
        load = self.load - check_finite("baseline", level)
        least, threshold = check_finite("least", least), check_positive("threshold", threshold)
        low = check_positive("release", threshold / 2 if release is None else release)
        return find_load_spans(self.times, load, threshold, low, least)

    def zeroed(self, threshold: float = 20.0) -> "ForcePlate":
        """Return the plate's data without offset and drift.

        A straight line through the samples between contacts is subtracted from each component;
        ``threshold`` is as for `contacts`.

        Raises
        ======

        ValueError
            If somebody is on the plate throughout.

        See Also
        ========

        ForcePlate.contacts : The times at which somebody is on the plate.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> t = np.linspace(0, 1, 101)
        >>> load = np.where((t > 0.3) & (t < 0.7), 700.0, 5.0)
        >>> bool(abs(jw.recordings.ForcePlate(t, np.outer(load, [0, 1, 0])).zeroed().fy[0]) < 1e-9)
        True
        """
        free = np.ones(len(self.times), dtype=bool)
        for start, end in self.contact_rows(threshold):
            free[start:end] = False
        if free.sum() < 2:
            raise ValueError(
                "`self` must be unloaded at some time, but is loaded throughout. Use "
                "read_c3d(..., baseline=True), or a longer record."
            )
        line = np.polynomial.polynomial.polyfit(self.times[free], self.wrench[free], 1)
        drift = line[0] + self.times[:, None] * line[1]
        return make_plate(self.times, self.wrench - drift, self.vertical, self.corners)

    def during(self, start: float, end: float) -> "ForcePlate":
        """Return the plate's data from ``start`` to ``end``, both included, and zero elsewhere.

        Raises
        ======

        TypeError, ValueError
            If a time is not a real number, or no sample is left.

        See Also
        ========

        ForcePlate.contacts : The times at which a foot is on the plate.

        Examples
        ========

        >>> import jointwrench as jw
        >>> plate = jw.recordings.ForcePlate([0, 1, 2], [[0, 700, 0]] * 3, origin=[0.1, 0, 0])
        >>> plate.during(0, 1).fy.tolist()
        [700.0, 700.0, 0.0]
        """
        rows = rows_between(self.times, start, end, least=1)
        wrench = np.where(rows[:, None], self.wrench, 0.0)
        return make_plate(self.times, wrench, self.vertical, self.corners)

    def turned(self, axes: Any) -> "ForcePlate":
        """Return the plate's data in other ``axes``, as for `Markers.turned`.

        Raises
        ======

        ValueError
            As for `Markers.turned`; if none of the new axes points up.

        See Also
        ========

        Markers.turned : Expresses markers in other axes.

        Examples
        ========

        >>> import jointwrench as jw
        >>> plate = jw.recordings.ForcePlate([0, 1, 2], [[0, 700, 0]] * 3, origin=[0.1, 0, 0])
        >>> float(plate.turned("x -z y").fz[0])
        700.0
        """
        matrix = rotation_of(axes)
        up = matrix[:, AXES.index(self.vertical)]
        if up.max() < UPRIGHT:
            raise ValueError(
                f"`axes` must have one that points up, as {self.vertical} does now, got {axes!r}."
            )
        wrench = (self.wrench.reshape(-1, 3) @ matrix.T).reshape(-1, 6)
        corners = None if self.corners is None else self.corners @ matrix.T
        return make_plate(self.times, wrench, AXES[int(up.argmax())], corners)

    def filtered(
        self, cutoff: float, order: int | None = None, filter: str | None = None
    ) -> "ForcePlate":
        """Return the plate's data after a zero-lag Butterworth filter.

        ``cutoff``, ``order`` and ``filter`` are as for `butterworth`.  The same cutoff as for the
        motion avoids artefacts of impacts in the joint forces.

        Raises
        ======

        TypeError, ValueError
            As `butterworth`.

        See Also
        ========

        Trajectory.from_samples : Filters motions.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> plate = jw.recordings.ForcePlate(np.linspace(0, 1, 101), [[0, 700, 0]] * 101)
        >>> float(plate.filtered(20.0).fy.round(6)[0])
        700.0
        """
        fix = "Use plate.at(...) with evenly spaced times first."
        check_even("times", check_times("times", self.times), fix)
        wrench = butterworth(self.times, self.wrench, cutoff, order, filter)
        return make_plate(self.times, wrench, self.vertical, self.corners)

    def at(self, times: Any) -> "ForcePlate":
        """Return the plate's data at other instants, by cubic splines.

        ``times``, shape (M,) or one number, are usually the times of the motion.  They must
        increase, and may be up to one sample beyond the ends of the record, because clocks differ.

        Raises
        ======

        TypeError, ValueError
            If times are not real numbers, do not increase, or are outside the samples.

        Warns
        =====

        UserWarning
            If the times cover a small part of the record at much smaller steps, as if they were in
            seconds and the plate's times in milliseconds.

        See Also
        ========

        ForcePlate.during : A part of the plate's samples.

        Examples
        ========

        >>> import jointwrench as jw
        >>> plate = jw.recordings.ForcePlate([0, 1, 2], [[0, 700, 0]] * 3, origin=[0.1, 0, 0])
        >>> plate.at(0.25).fy.tolist()
        [700.0]
        """
        instants = check_times("times", np.atleast_1d(real_array("times", times)), least=1)
        step = np.median(np.diff(self.times)) if len(self.times) > 1 else 0.0
        inside = check_inside("times", instants, self.times, step)
        _check_time_unit(inside, self.times)
        wrench = spline_through(self.times, self.wrench, 3)(inside)
        return make_plate(instants, wrench, self.vertical, self.corners)


def check_plates(argument: str, plates: Any) -> list[ForcePlate]:
    """Return the checked plates of an argument as a list."""
    return check_instances(argument, plates, ForcePlate, "a sequence of ForcePlate")


def make_plate(
    times: np.ndarray, wrench: np.ndarray, vertical: str, corners: np.ndarray | None = None
) -> ForcePlate:
    """Return the plate of a wrench (N, 6) about the laboratory's origin, without further checks."""
    plate = ForcePlate.__new__(ForcePlate)
    plate.times, plate.vertical, plate.corners = times, vertical, corners
    plate.force, plate.moment = wrench[:, :3], wrench[:, 3:]
    return plate


def _check_direction(force: np.ndarray, up: int) -> None:
    """Warn if the mean force is more than 60 degrees away from the ``up`` axis (an index)."""
    total = force.sum(axis=0) / max(np.linalg.norm(force, axis=-1).sum(), TINY)
    size = np.linalg.norm(total)
    if size < 0.5 or total[up] >= 0.5 * size:
        return
    axis = int(np.abs(total).argmax())
    sign, fixes = "-" if total[axis] < 0 else "", []
    if sign:
        fixes.append("-force and -moment, if they act on the plate")
    if axis != up:
        fixes.append(f"vertical={AXES[axis]!r}")
    warn(
        f"`force` must act on the person, up along `vertical`={AXES[up]!r}, but on the whole it "
        f"points along {sign}{AXES[axis]}. Use {', and '.join(fixes)}."
    )


def _check_time_unit(instants: np.ndarray, times: np.ndarray) -> None:
    """Warn of instants that are probably in seconds, while the record is in milliseconds."""
    steps = [np.median(np.diff(x)) if len(x) > 1 else np.inf for x in (instants, times)]
    if 10 * steps[0] < steps[1] and 100 * np.ptp(instants) < np.ptp(times):
        warn(
            f"`times` from {instants[0]:g} to {instants[-1]:g} are a small part of the plate's, "
            f"{times[0]:g} to {times[-1]:g}, at far smaller steps. Use the same unit of time."
        )


def _check_corners(corners: Any) -> np.ndarray:
    """Return checked corners (k, 3): at least three, not in a line."""
    array = finite_array("corners", shaped_array("corners", corners, "k", 3))
    if len(array) < 3:
        raise ValueError(f"`corners` must be at least three, got {len(array)}.")
    sizes = np.linalg.svd(array - array.mean(axis=0), compute_uv=False)
    if not sizes[1] > COLLINEAR * sizes[0]:
        raise ValueError("`corners` must be those of a surface, but are in a line.")
    return array


def _check_vectors(argument: str, values: Any, times: np.ndarray) -> np.ndarray:
    return shaped_array(argument, check_signal(argument, values, times, AXES), len(times), 3)
