"""Gait reports: cycles of several trials and both sides, from markers and plates."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.integrate import trapezoid

from ..checks.arguments import (
    check_choice,
    check_instance,
    check_instances,
    check_name,
    check_options,
    check_sequence,
)
from ..checks.deprecation import deprecated
from ..checks.display import Grid, NotebookTable
from ..checks.messages import import_extra, warn
from ..checks.numbers import check_bool, check_finite, check_positive
from ..recordings.force_plate import check_plates
from ..recordings.ground_contact import OFF, STRIKE, Event, walking_direction
from ..recordings.marker_paths import Markers, mark_missing_at_origin
from ..recordings.plate_assignment import GRAVITY
from ..records.cycles import normalise_cycles, percent_table
from ..records.tables import Table
from .anthropometry import SIDES
from .audit import DOUBTFUL, IMPOSSIBLE, STANDING, TrialAudit, audit_trial
from .clinical import ClinicalCurves
from .joint_centers import METHODS, check_metres
from .marker_sets import marker_set_of
from .trials import ELBOW, MEASURES, UPPER, WIDTH, Walk, compute_walk, person_of, perturb_curves

if TYPE_CHECKING:
    from .report_errors import CurveChange

#: The joints whose moments are known only while a plate measures the load on the foot.
GROUNDED = ("hip", "knee", "ankle")

#: Allowed difference between a strike on a plate and its event, as a fraction of a cycle; and the
#: least distance (m) that the heel of a walking person moves along the floor in a cycle.
SAME, MOVES = 0.05, 0.1

PERCENT = np.linspace(0, 100, 101)

#: The curves of the gait profile score, without their side.
OF_PROFILE = (
    *("pelvis_anterior_tilt", "pelvis_upward_obliquity", "pelvis_internal_rotation"),
    *("hip_flexion", "hip_adduction", "hip_internal_rotation"),
    *("knee_flexion", "ankle_dorsiflexion", "foot_internal_rotation"),
)


class GaitCycle(NamedTuple):
    """A gait cycle, from a strike of a foot to its next strike, or a stance; by `gait_report`.

    Attributes
    ==========

    trial, side : int, str
        Number of the trial, from 0; "left" or "right".
    start, off, end : float
        The times at which the foot strikes, leaves, and strikes again; ``end`` is NaN for a stance.
    step_length, stride_length : float
        Distances in the direction of walking: of the striking heel from the other heel, and between
        the strikes of the heel at start and end (NaN for a stance).
    on_plate : bool
        Whether force plates measured the whole stance; otherwise moments and powers are NaN.
    energy_error : float
        The power residual of thigh, shank and foot, in per cent of peak power, as of
        `EnergyBalance.errors`.  NaN without plates.

    See Also
    ========

    GaitReport : All cycles.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.gait.GaitCycle(0, "left", 0.0, 0.62, 1.0, 0.6, 1.2, True).side
    'left'
    """

    trial: int
    side: str
    start: float
    off: float
    end: float
    step_length: float
    stride_length: float
    on_plate: bool
    energy_error: float = np.nan

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last instant of curves: of the cycle, or of the stance."""
        return self.start, self.off if np.isnan(self.end) else self.end


@dataclass(frozen=True, eq=False)
class GaitReport(NotebookTable):
    """The gait cycles of several trials and both sides; made by `gait_report`.

    Parameters
    ==========

    cycles : tuple of GaitCycle
        All cycles.
    curves : dict of str to numpy.ndarray, shape (number of cycles of the side, 101)
        Curves over percents of the cycle, with names of `ClinicalCurves`, "knee_left_flexion":
        angles in degrees, moments in N m/kg, powers in W/kg.
    mass : float
        The mass of the person.
    audits : tuple of TrialAudit
        The checks of each trial.
    errors : dict of str to dict of str to numpy.ndarray, shape (101,)
        One standard deviation of each mean curve by kind of error: "markers", "segments", "gain",
        "center_of_pressure".
    normal : dict of str to (mean, standard deviation), each of shape (101,)
        The user's normal curves for comparison.
    left_out : dict of str to str
        Files of a folder that are not in the report, and the reasons.
    person : str
        The name of the person in the file.
    leg_length : float
        The measured length of the legs (m), or the mean distance from hip to ankle along the leg.
    details : dict of str to str
        The height, the cutoff, the marker set and the regression of the hips, as texts.

    See Also
    ========

    plot_gait_report, plot_gait_page, write_csv : Figures and file.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> report = jw.gait.GaitReport((), {"knee_left_flexion": np.full((1, 101), 20.0)}, 70.0)
    >>> report
    GaitReport(0 left, 0 right cycles of 0 trials)
    """

    cycles: tuple[GaitCycle, ...]
    curves: dict[str, np.ndarray]
    mass: float
    audits: tuple[TrialAudit, ...] = ()
    errors: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    normal: Mapping[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    person: str = ""
    leg_length: float = np.nan
    details: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.of_side(s))} {s}" for s in SIDES)
        number, kind = len({c.trial for c in self.cycles}), f"{self.normalised_to}s"
        left = f", {len(self.left_out)} left out" if self.left_out else ""
        return f"GaitReport({counts} {kind} of {number} trials{left})"

    @property
    @deprecated(since="1.1", removed="2.0", use="normalised_to")
    def over(self) -> str:
        """Deprecated name of `normalised_to`."""
        return self.normalised_to

    @property
    def normalised_to(self) -> str:
        """The interval to which curves are normalised: "cycle" or "stance"."""
        ends = np.array([c.end for c in self.cycles])
        return "stance" if len(ends) and np.isnan(ends).all() else "cycle"

    def _grid(self) -> Grid:
        rows = [(n, *(f"{x:.3g}" for x in row)) for n, row in self.parameters().items()]
        return Grid(repr(self), ("", "mean", "standard deviation", "cycles"), rows)

    def of_side(self, side: str) -> list[GaitCycle]:
        """Return the cycles of a ``side``, "left" or "right".

        See Also
        ========

        GaitCycle : One cycle.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> report = jw.gait.GaitReport((), {"knee_left_flexion": np.full((1, 101), 20.0)}, 70.0)
        >>> len(report.of_side("right"))
        0
        """
        check_choice("side", side, SIDES)
        return [cycle for cycle in self.cycles if cycle.side == side]

    def mean(self, name: str) -> np.ndarray:
        """Return the mean of a curve over the cycles that have it, shape (101,).

        ``name`` is a name of `ClinicalCurves` with a side: "knee_left_flexion", "hip_right_power".

        See Also
        ========

        GaitReport.deviation : The standard deviation.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> report = jw.gait.GaitReport((), {"knee_left_flexion": np.full((1, 101), 20.0)}, 70.0)
        >>> report.mean("knee_left_flexion").shape
        (101,)
        """
        return self._over_cycles(np.nanmean, name)

    def deviation(self, name: str) -> np.ndarray:
        """Return the standard deviation (101,) of a curve over the cycles; NaN for a single cycle.

        ``name`` is as for `mean`.

        See Also
        ========

        GaitReport.mean : The mean.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> report = jw.gait.GaitReport((), {"knee_left_flexion": np.full((1, 101), 20.0)}, 70.0)
        >>> report.deviation("knee_left_flexion").shape
        (101,)
        """
        return self._over_cycles(partial(np.nanstd, ddof=1), name, least=2)

    def error(self, name: str) -> np.ndarray:
        """Return one standard deviation (101,) of the mean of a curve due to all stated errors.

        ``name`` is as for `mean`.

        Raises
        ======

        ValueError
            If no errors were stated: ``gait_report(..., errors={"markers": 0.01})``.

        See Also
        ========

        GaitReport.deviation : The standard deviation over cycles.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> curves = {"knee_left_flexion": np.full((1, 101), 20.0)}
        >>> errors = {"knee_left_flexion": {"markers": np.ones(101)}}
        >>> report = jw.gait.GaitReport((), curves, 70.0, errors=errors)
        >>> float(report.error("knee_left_flexion")[0])
        1.0
        """
        if not self.errors:
            raise ValueError(
                "`errors` must have been stated for this. Use gait_report(..., errors={'markers': "
                "0.01, 'segments': 0.1, 'gain': 0.01, 'center_of_pressure': 0.005})."
            )
        whole = {n: np.linalg.norm([*own.values()], axis=0) for n, own in self.errors.items()}
        return np.abs(ClinicalCurves(whole, None)[name])

    def normal_of(self, name: str) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the normal mean and standard deviation of a curve, each (101,), or None.

        ``name`` is as for `mean`.  A normal curve can be of one side, or of both: "knee_flexion".

        See Also
        ========

        gait_report : Takes normal curves.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> curves, normal = {"knee_left_flexion": np.full((1, 101), 20.0)}, np.ones((2, 101))
        >>> report = jw.gait.GaitReport((), curves, 70.0, normal={"knee_flexion": tuple(normal)})
        >>> float(report.normal_of("knee_left_flexion")[0][0])
        1.0
        """
        check_name("name", name)
        known = ClinicalCurves({n: np.array(pair) for n, pair in self.normal.items()}, None)
        names = name, name.replace("_left_", "_").replace("_right_", "_")
        found = next((known[x] for x in names if x in known), None)
        return None if found is None else (found[0], np.abs(found[1]))

    def to_dataframe(self, **labels: Any) -> Any:
        """Return all curves as a tidy pandas.DataFrame (extra ``data``).

        The frame has a row for each percent of each cycle, with the columns ``trial``, ``side``,
        ``cycle`` and ``percent``, and the curves of both sides, "knee_flexion"; moments and powers
        are NaN in cycles without a plate.  ``labels`` become leading columns, so that
        ``pandas.concat`` joins the reports of many people.

        Raises
        ======

        ImportError
            If pandas is not installed.

        See Also
        ========

        GaitReport.to_table : Means and deviations, without pandas.

        Examples
        ========

        >>> import jointwrench as jw
        >>> trial = jw.recordings.read_c3d(jw.example_data("two_plates.c3d"))
        >>> frame = jw.gait.gait_report(trial).to_dataframe(person="P01")
        >>> list(frame.columns[:6])
        ['person', 'trial', 'side', 'cycle', 'percent', 'hip_flexion']
        """
        pandas = import_extra("pandas", "to_dataframe()", "data", ", or to_table()")
        parts = []
        for side in SIDES:
            own, word = self.of_side(side), f"_{side}_"
            curves = {n.replace(word, "_"): x for n, x in self.curves.items() if word in n}
            columns = {
                "trial": np.repeat([c.trial for c in own], len(PERCENT)),
                "side": side,
                "cycle": np.repeat(np.arange(len(own)), len(PERCENT)),
                "percent": np.tile(PERCENT, len(own)),
                **{name: rows.ravel() for name, rows in curves.items()},
            }
            if own:
                parts.append(pandas.DataFrame({**labels, **columns}))
        return pandas.concat(parts, ignore_index=True)

    def _over_cycles(self, function: Any, name: str, least: int = 1) -> np.ndarray:
        """Return a statistic (101,) of a curve over known cycles, NaN for fewer than ``least``."""
        rows = ClinicalCurves(self.curves, None)[name]
        known = np.isfinite(rows).sum(axis=0) >= least
        found = np.full(rows.shape[1:], np.nan)
        found[known] = function(rows[:, known], axis=0)
        return found

    def parameters(self) -> dict[str, tuple[float, float, int]]:
        """Return the gait parameters by name: mean, standard deviation and number of cycles.

        The parameters are stance time and stride time (s), step and stride length (m), speed (m/s),
        dimensionless speed (over the root of gravity times leg length [2]_), cadence (steps a
        minute), and the energy error (per cent of peak power); for each curve the largest and
        smallest value; for moments also the impulse (N m s/kg), for powers the positive and
        negative work (J/kg); for curves with a normal curve the variable score, which is the root
        mean square distance from the normal mean [1]_; and the gait profile score of a side, the
        root mean square of the scores of nine curves, if all of them have normal curves [1]_.

        See Also
        ========

        write_csv : Writes the curves.

        References
        ==========

        .. [1] R. Baker et al., The Gait Profile Score and Movement Analysis Profile, Gait & Posture
           30 (2009), 265-269.
        .. [2] A. L. Hof, Scaling gait data to body size, Gait & Posture 4 (1996), 222-223.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> report = jw.gait.GaitReport((), {"knee_left_flexion": np.full((1, 101), 20.0)}, 70.0)
        >>> mean, deviation, count = report.parameters()["knee_left_flexion_max"]
        >>> float(mean), int(count)
        (20.0, 1)
        """
        found = {}
        for side in SIDES:
            own = self.of_side(side)
            lengths = _times_and_lengths(own)
            lengths["dimensionless_speed"] = lengths["speed"] / np.sqrt(GRAVITY * self.leg_length)
            for name, values in lengths.items():
                found[f"{name}_{side}"] = _statistics(values)
            scores: list[np.ndarray] = []
            seconds = np.array([c.span[1] - c.span[0] for c in own])
            for name, rows in self.curves.items():
                if f"_{side}_" in name:
                    for word, values in _curve_parameters(name, rows, seconds).items():
                        found[f"{name}_{word}"] = _statistics(values)
                    if pair := self.normal_of(name):
                        away = np.sqrt(np.mean((rows - pair[0]) ** 2, axis=1))
                        found[f"{name}_variable_score"] = _statistics(away)
                        scores += [away] * (name.replace(f"_{side}", "") in OF_PROFILE)
            if len(scores) == len(OF_PROFILE):
                profile = np.sqrt(np.mean(np.square(scores), axis=0))
                found[f"gait_profile_score_{side}"] = _statistics(profile)
        return found

    def to_table(self) -> Table:
        """Return means and standard deviations of all curves over percents of the cycle.

        Columns with ``_error`` are the deviations of the means due to stated errors; columns with
        ``_normal_mean`` and ``_normal_sd`` are the normal curves, if these are known.

        See Also
        ========

        write_csv : Writes the table.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> report = jw.gait.GaitReport((), {"knee_left_flexion": np.full((1, 101), 20.0)}, 70.0)
        >>> len(report.to_table().times)
        101
        """
        columns = {}
        for name in self.curves:
            columns[f"{name}_mean"] = self.mean(name)
            columns[f"{name}_sd"] = self.deviation(name)
            if name in self.errors:
                columns[f"{name}_error"] = self.error(name)
            if pair := self.normal_of(name):
                columns[f"{name}_normal_mean"], columns[f"{name}_normal_sd"] = pair
        return percent_table(columns)


def _statistics(values: np.ndarray) -> tuple[float, float, int]:
    known = values[np.isfinite(values)]
    spread = float(known.std(ddof=1)) if len(known) > 1 else np.nan
    return float(known.mean()) if len(known) else np.nan, spread, len(known)


def _times_and_lengths(cycles: Sequence[GaitCycle]) -> dict[str, np.ndarray]:
    start, off, end, step, length = np.reshape([c[2:7] for c in cycles], (-1, 5)).T
    found = {"stance_time": off - start, "stride_time": end - start, "step_length": step}
    rates = {"speed": length / (end - start), "cadence": 120 / (end - start)}
    rates["energy_error"] = np.array([c.energy_error for c in cycles])
    return found | {"stride_length": length} | rates


def _curve_parameters(name: str, rows: np.ndarray, seconds: np.ndarray) -> dict[str, np.ndarray]:
    """Return parameters (cycles,) of a curve by name: extremes, and impulse or works.

    ``seconds`` are the durations of the cycles.
    """
    found = {"max": rows.max(axis=1), "min": rows.min(axis=1)}
    step = seconds / (rows.shape[1] - 1)
    if name.endswith("_moment"):
        found["impulse"] = trapezoid(rows, axis=1) * step
    if name.endswith("_power"):
        for word, part in (("positive", np.maximum(rows, 0)), ("negative", np.minimum(rows, 0))):
            found[f"{word}_work"] = trapezoid(part, axis=1) * step
    return found


def gait_report(
    trials: Any,
    *,
    mass: float | None = None,
    height: float | None = None,
    table: Any = "winter",
    marker_set: Any = "plug-in gait",
    static: Markers | None = None,
    foot_flat: bool = False,
    hip: str | None = None,
    cutoff: float = 6.0,
    plate_cutoff: float | str | None = "same",
    filter: str | None = None,
    vertical: str | None = None,
    frame: str = "segment",
    subject: str | None = None,
    audit: str = "refuse",
    over: str = "cycle",
    upper: str | None = None,
    errors: Mapping[str, float] | None = None,
    normal: Mapping[str, Any] | None = None,
    **measures: float,
) -> GaitReport:
    """Return the `GaitReport` of trials: angles, moments and powers of joints over gait cycles.

    The steps are joint centres from markers (`lower_limbs`), loads on each foot from plates
    (`ground_reactions`), joint moments from both (`segment_wrenches`), and division into cycles.
    Foot strikes and offs are the file's events; by default those from the plates, or of
    `gait_events` for a foot beside the plates.

    Parameters
    ==========

    trials : Recording or GaitTrial, or sequence of them, or path
        Recordings of `read_c3d`; for other files a `GaitTrial`.  The path of a folder means all its
        C3D files that can be read and used; ``report.left_out`` has the others with the reasons.
    mass, height : float, optional
        Mass and height of the person, in kilograms and metres.  Default: the file's values.
    table : SegmentTable or str
        The table of body segments, as for `Person`.
    marker_set, static, foot_flat : MarkerSet, str or mapping of str to str, Markers, bool, optional
        As for `lower_limbs`.
    hip : {"harrington", "davis", "hara"}, optional
        The regression of the hips, as for `lower_limbs`.  Default: Harrington's; if the file has
        the leg length, Davis', or Hara's for the markers of CGM 2.
    cutoff, filter : float, str, optional
        Filter of the markers, as for `Smoothing`; the cutoff is in hertz.
    plate_cutoff : float, "same" or None
        Cutoff of the plates.  "same", the default, filters plates and markers alike, which avoids
        artefacts at impacts; None does not filter plates, as in Plug-in Gait.
    vertical : {"z", "y"}, optional
        The laboratory's axis that points up.  Default: the vertical of the plates; without plates
        z.
    frame : {"segment", "parent", "joint"}
        The frame of moments, as for `clinical_curves`.
    subject : str, optional
        The person, if the files (also of ``static``) contain several, as for `Markers.of_subject`.
    audit : {"refuse", "warn"}
        Whether an impossible trial is refused: exchanged markers or sides, mirrored axes, a wrong
        mass, plates with reversed shear.  Doubtful data cause a warning, and are listed in
        ``report.audits``.
    over : {"cycle", "stance"}
        The interval to which curves are normalised: cycles from strike to strike; or stances, from
        strike to off of each whole contact of one foot with a plate.  A stance needs no second
        strike, as in running, cutting, jumps and short volumes; checks that only walking passes
        (mass, shear) are then omitted.
    upper : {"trunk", "arms"}, optional
        Upper parts of the body in addition to the legs.  "trunk": angles of the thorax, relative to
        the walkway and to the pelvis (``spine_left_flexion``).  "arms": also angles, moments and
        powers of shoulders, elbows and wrists (`upper_limbs`), with free hands.
    errors : mapping of str to number, optional
        Standard deviations of uncertain data, for ``report.errors``: "markers", each marker's
        position along each axis (m); "segments", fractions of the masses, mass centres and radii of
        gyration of thigh, shank and foot; "gain", a fraction of each plate's wrench;
        "center_of_pressure", its position on the plate along both axes (m).
    normal : mapping of str to (mean, standard deviation), or path, optional
        Reference curves by name, of one side or of both: ``{"knee_flexion": (mean, sd)}`` with two
        arrays of shape (101,); or a CSV file with columns ``knee_flexion_mean`` and
        ``knee_flexion_sd`` over percents, such as that of `write_csv` of another report.  Figures
        and tables show them.
    **measures : float, optional
        ``leg_length``, ``asis_distance``, ``knee_width``, ``ankle_width``, ``elbow_width``,
        ``marker_radius`` in metres, as for `lower_limbs` and `upper_limbs`.  Default: the file's
        values, averaged over both sides.

    Raises
    ======

    TypeError, ValueError
        If a trial is not a recording, ``vertical`` is not an axis, mass or height are unknown,
        there is no whole cycle or contact, a trial is impossible, or no file of a folder can be
        used; as for `lower_limbs`.

    Warns
    =====

    UserWarning
        If one side has no whole cycle, or none on a plate; if masses differ; if data are doubtful;
        if files of a folder are skipped; and the warnings of the single steps.

    See Also
    ========

    plot_gait_report : Draws the report.
    clinical_curves : Curves by a model of `read_osim`.

    Notes
    =====

    Errors are systematic: a displaced marker is displaced in all trials, so more cycles do not
    reduce the error.  Errors are independent of each other, and propagated to first order: each
    input is perturbed by a hundredth of its standard deviation.  Pelvis and thorax have no errors
    of segments.

    Angles of pelvis and thorax are relative to the walkway: x in the direction of walking, y up.
    Curves of a side have the signs of that side: ``pelvis_left_upward_obliquity`` is positive where
    the left half is up, ``pelvis_left_internal_rotation`` where it is in front.

    Examples
    ========

    >>> import jointwrench as jw
    >>> report = jw.gait.gait_report(jw.recordings.read_c3d(jw.example_data("two_plates.c3d")))
    >>> report
    GaitReport(1 left, 1 right cycles of 1 trials)
    >>> jw.recordings.write_csv("walk.csv", report)  # doctest: +SKIP
    """
    from .report_errors import check_errors, check_normal, errors_of_means

    check_options(gait_report, measures, (*MEASURES, *WIDTH, *ELBOW, "marker_radius"))
    for name, length in measures.items():
        check_metres(name, length)
    check_choice("vertical", vertical, (None, "y", "z"))
    check_choice("audit", audit, ("refuse", "warn"))
    check_choice("upper", upper, UPPER)
    check_choice("over", over, ("cycle", "stance"))
    check_choice("hip", hip, (None, *METHODS))
    smooth = {"cutoff": check_positive("cutoff", cutoff), "filter": filter}
    plate_filter = smooth | {"cutoff": _plate_cutoff(plate_cutoff, cutoff)}
    if isinstance(static, Markers):
        still = static.of_subject(subject) if ":" in "".join(static.names) else static
        static = mark_missing_at_origin(still, "`static`")
    settings = {
        "marker_set": marker_set_of(marker_set),
        "static": static,
        "hip": hip,
        "upper": upper,
        "measures": measures,
        "foot_flat": check_bool("foot_flat", foot_flat),
        "frame": frame,
        "smooth": smooth,
        "plate_filter": plate_filter,
    }
    known, options = check_normal(normal), (subject, vertical, over, check_errors(errors))
    make = partial(_process_trial, (mass, height, table), options, settings)
    left_out: dict[str, str] = {}
    if isinstance(trials, (str, PathLike)):
        parts, left_out = _process_folder(trials, make, over, audit)
    else:
        expected = "what read_c3d returns, or a sequence of it"
        is_one = hasattr(trials, "markers")
        several = [trials] if is_one else check_sequence("trials", trials, expected)
        parts = [make(number, trial) for number, trial in enumerate(several)]
        _check_found(parts, over)
        for part in parts:
            _report_problems(part.audit, audit)
    found = tuple(cycle for part in parts for cycle in part.cycles)
    limits = "".join(part.limits for part in parts)
    if len(masses := dict.fromkeys(f"{part.mass:.4g}" for part in parts)) > 1:
        warn(
            f"`trials` are of persons of {' and '.join(masses)} kg: means are over all of them. "
            "Use mass=..., or a report for each person."
        )
    has_plates = any(part.trial.plates for part in parts)
    for side in SIDES if over == "cycle" else ():
        if not any(cycle.side == side for cycle in found):
            warn(
                f"`trials` have no whole cycle of the {side} side, from strike to strike within "
                f"the record, so the report has none. Use a longer record, or more trials.{limits}"
            )
        elif has_plates and not any(c.on_plate for c in found if c.side == side):
            warn(
                f"`trials` have no whole step of the {side} foot on a plate, so its moments and "
                "powers are NaN. Check ground_reactions(...).steps, whether plates and markers "
                f"have the same axes, and whether plates are in N and N m.{limits}"
            )
    names = dict.fromkeys(name for part in parts for name in part.curves)
    joined = {n: np.concatenate([x.curves[n] for x in parts if n in x.curves]) for n in names}
    audits = tuple(part.audit for part in parts)
    persons = [getattr(part.trial.subject, "name", "") for part in parts]
    name = subject or ", ".join(dict.fromkeys(x for x in persons if x))
    lasting = errors_of_means(change for part in parts for change in part.changes)
    last = parts[-1]
    own = last.leg_length, last.details
    return GaitReport(found, joined, last.mass, audits, lasting, known, left_out, name, *own)


class _TrialResult(NamedTuple):
    """The contribution of one trial to a report.

    Attributes
    ==========

    trial : object
        The trial with the markers of one person.
    cycles, curves : list of GaitCycle, dict of str to numpy.ndarray, shape (cycles, 101)
        The cycles, and the curves over percents.
    mass, audit : float, TrialAudit
        The mass of the person, and the checks.
    changes : list
        Changes of the curves by small errors, see ``report_errors.CurveChange``.
    limits : str
        A text on the markers that limit the record.
    leg_length, details : float, dict of str to str
        As in `GaitReport`.
    """

    trial: Any
    cycles: list[GaitCycle]
    curves: dict[str, np.ndarray]
    mass: float
    audit: TrialAudit
    changes: list["CurveChange"]
    limits: str
    leg_length: float
    details: dict[str, str]


def _process_trial(
    person: Any, options: Any, settings: Mapping[str, Any], number: int, trial: Any
) -> _TrialResult:
    """Return the contribution of a trial to a report.

    ``person`` has mass, height and table, ``options`` subject, vertical, interval and errors, and
    ``settings`` the filters, the frame of moments and the arguments about markers, by name.
    """
    subject, vertical, over, errors = options
    if not hasattr(trial, "markers") or not hasattr(trial, "plates"):
        raise TypeError(f"`trials` must be what read_c3d returns, got {trial!r:.60}.")
    check_instance("trials: markers", trial.markers, Markers, "Markers")
    check_plates("trials: plates", trial.plates)
    events = getattr(trial, "events", ())
    for event in check_instances("trials: events", events, Event, "Events"):
        check_finite("trials: events", event.time)
    trial = _select_subject(trial, subject)
    up = vertical or (trial.plates[0].vertical if trial.plates else "z")
    made = trial, person_of(trial, *person), up, settings
    walk = compute_walk(*made)
    strikes = [event for event in trial.events if event.label == STRIKE and event.side]
    strikes = list(trial.events) if strikes else []  # other events belong to no foot
    is_stance = over == "stance"
    events = strikes or walk.events()
    found = _find_stances(number, walk) if is_stance else _find_cycles(number, events, walk)
    cycles = sorted(found)  # the left side first
    limits = walk.limits
    if standing := [c for c in cycles if not is_stance and not _is_walking(walk, c)]:
        cycles = [c for c in cycles if c not in standing]
        words = (
            f"the heel moves less than {MOVES:g} m in {len(standing)} of "
            f"{len(cycles) + len(standing)} cycles: the person stands, which is not gait."
        )
        warn(f"`trials`: of number {number + 1}, {words}")
        limits += f" {words.capitalize()}"
    roles = settings["marker_set"].roles(UPPER[settings["upper"]])
    audit = audit_trial(number, trial, walk, cycles, roles, not is_stance)
    others = [*perturb_curves(errors, *made)] if errors else []
    causes = [cause for cause, _ in others]
    rows: dict[str, np.ndarray] = {}
    changes: list[CurveChange] = []
    for side, curves in walk.curves.items():
        own = [cycle for cycle in cycles if cycle.side == side]
        rows |= _normalise_curves(walk.times, curves, own)
        perturbed = others[0][1][side].keys() if others else ()
        moved = {
            name: np.stack([x[side][name] for _, x in others], axis=-1) - curve[:, None]
            for name, curve in curves.items()
            if name in perturbed
        }
        changes += [(n, causes, x) for n, x in _normalise_curves(walk.times, moved, own).items()]
    legs = [np.median(x) for n, x in audit.lengths.items() if not n.startswith("foot")]
    leg_length = float(walk.sizes.get("leg_length", sum(legs) / 2))
    details = {
        "height": f"{made[1].height:.2f} m",
        "cutoff": f"{settings['smooth']['cutoff']:g} Hz",
        "markers": settings["marker_set"].name,
        "hips": walk.hip,
    }
    parts = trial, cycles, rows, walk.mass, audit, changes, limits
    return _TrialResult(*parts, leg_length, details)


def _check_found(parts: Sequence[_TrialResult], over: str) -> None:
    """Refuse trials without any cycle or stance."""
    if any(part.cycles for part in parts):
        return
    what = "a whole cycle, from strike to strike of a foot"
    fix = "Use a longer record, or one with events."
    if over == "stance":
        what = "a whole contact of one foot with a plate for over='stance'"
        fix = "Check ground_reactions(...).steps."
    limits = "".join(part.limits for part in parts)
    raise ValueError(f"`trials` must have {what}, got none. {fix}{limits}")


def _process_folder(
    folder: Any, make: Callable[[int, Any], _TrialResult], over: str, audit: str
) -> tuple[list[_TrialResult], dict[str, str]]:
    """Return the contributions of a folder's C3D files, and the reasons why others are skipped."""
    from ..recordings.c3d import read_c3d

    if not Path(folder).is_dir():
        raise TypeError(
            f"`trials` must be what read_c3d returns, or a sequence of it, or a folder, got "
            f"{folder!r:.60}. Use read_c3d(path)."
        )
    parts: list[_TrialResult] = []
    left_out: dict[str, str] = {}
    for path in sorted(x for x in Path(folder).iterdir() if x.suffix.lower() == ".c3d"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                part = make(len(parts), read_c3d(path))
                _check_found([part], over)
                _report_problems(part.audit, audit)
            except (ValueError, TypeError, OSError) as error:
                left_out[path.name] = str(error)
                continue
        parts.append(part)
        for x in caught:  # warnings about skipped files are not repeated
            warnings.warn_explicit(f"{path.name}: {x.message}", x.category, x.filename, x.lineno)
    texts = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
    if not parts:
        raise ValueError(
            f"`trials` must be a folder with C3D files that can be used, got {texts or 'none'}"
        )
    if left_out:
        warn(f"`trials`: {len(left_out)} files are left out. {texts}")
    return parts, left_out


def _select_subject(trial: Any, subject: str | None) -> Any:
    """Return a trial with the markers of one person."""
    markers, person = trial.markers.of_subject(subject), getattr(trial, "subject", None)
    own = {"markers": mark_missing_at_origin(markers), "plates": trial.plates, "subject": person}
    events = sorted({*getattr(trial, "events", ())})  # some files have events twice or unsorted
    return SimpleNamespace(**own, events=events)


def _report_problems(checked: TrialAudit, audit: str) -> None:
    """Refuse an impossible trial if ``audit`` is "refuse"; warn of doubtful data."""
    wrong = [f"{check.name}: {check.text}" for check in checked.of_verdict(IMPOSSIBLE)]
    texts = [f"{check.name}: {check.text}" for check in checked.of_verdict(DOUBTFUL)]
    if wrong and audit == "refuse":
        raise ValueError(
            f"`trials` must be plausible, but trial {checked.trial + 1} is not. "
            f"{'; '.join(wrong)}. Correct it, or use audit='warn' to get a report nevertheless."
        )
    if wrong + texts:
        warn(f"`trials`: of number {checked.trial + 1}, {'; '.join(wrong + texts)}.")


def _plate_cutoff(plate_cutoff: float | str | None, cutoff: float) -> float | None:
    """Return the cutoff of the plates, None if they are not filtered."""
    if isinstance(plate_cutoff, str):
        check_choice("plate_cutoff", plate_cutoff, ("same",))
        return cutoff
    return None if plate_cutoff is None else check_positive("plate_cutoff", plate_cutoff)


def _find_cycles(trial: int, events: Iterable[Event], walk: Walk) -> Iterator[GaitCycle]:
    """Yield the complete cycles of both sides, from strike to strike."""
    times = walk.times
    room = float(np.median(np.diff(times)))
    for side in SIDES:
        own = [event for event in events if event.side == side]
        strikes = [event.time for event in own if event.label == STRIKE]
        strikes = [t for t in strikes if times[0] - room <= t <= times[-1] + room]
        for start, end in pairwise(strikes):
            offs = [e.time for e in own if e.label == OFF and start < e.time < end]
            off = offs[0] if offs else np.nan
            lengths = _step_and_stride(walk, side, start, off, end)
            close = SAME * (end - start)
            on_plate = any(
                step.foot == side
                and abs(step.start - start) <= close
                and not step.notes
                and not step.end < off - 2 * close
                for step in walk.reactions.steps
            )
            error = np.nan
            if on_plate:
                inside = np.clip([start, end], times[0], times[-1])
                error = float(walk.energy[side].errors(inside)["whole"][0])
            yield GaitCycle(trial, side, start, off, end, *lengths, on_plate, error)


def _find_stances(trial: int, walk: Walk) -> Iterator[GaitCycle]:
    """Yield as a GaitCycle each whole stance of one foot that plates measured without notes."""
    first, last = walk.times[[1, -2]]
    for step in walk.reactions.steps:
        if step.foot and not step.notes and first < step.start and step.end < last:
            length, _ = _step_and_stride(walk, step.foot, step.start, step.end, step.end)
            error = float(walk.energy[step.foot].errors([step.start, step.end])["whole"][0])
            ends = step.start, step.end, np.nan
            yield GaitCycle(trial, step.foot, *ends, length, np.nan, True, error)


def _is_walking(walk: Walk, cycle: GaitCycle) -> bool:
    """Return whether the heel moves along the floor or belt in a cycle: the person walks."""
    rows = (walk.times >= cycle.start) & (walk.times <= cycle.end)
    paths = walk.feet[cycle.side][rows, 0][:, walk.level]
    return bool(len(paths) and np.ptp(paths, axis=0).max() > MOVES)


def _step_and_stride(
    walk: Walk, side: str, start: float, off: float, end: float
) -> tuple[float, float]:
    """Return the step length at the start of a cycle, and its stride length."""
    # On a treadmill the heel moves backward with the belt during stance: the stride is the heel's
    # displacement minus that of the belt.
    other = SIDES[SIDES.index(side) - 1]
    row, last = (int(np.abs(walk.times - time).argmin()) for time in (start, end))
    pelvis = walk.pelvis[:, walk.level]
    heel, opposite = (walk.feet[s][:, 0][:, walk.level] for s in (side, other))
    forward = walking_direction(pelvis, heel - pelvis)
    stride = (heel[last] - heel[row]) @ forward
    part = (walk.times - start) / (off - start)
    stands = (part > STANDING[0]) & (part < STANDING[1])
    if abs(stride) < np.ptp((heel - pelvis) @ forward) and stands.sum() > 2:
        belt = np.polyfit(walk.times[stands], heel[stands] @ forward, 1)[0]
        stride -= belt * (end - start)
    return float((heel[row] - opposite[row]) @ forward), float(stride)


def _normalise_curves(
    times: np.ndarray, curves: Mapping[str, np.ndarray], cycles: Sequence[GaitCycle]
) -> dict[str, np.ndarray]:
    """Return curves (N, ...) over percents of each cycle, shapes (cycles, 101, ...).

    Moments and powers of the legs are NaN in cycles without a plate.
    """
    flat = [curve.reshape(len(times), -1) for curve in curves.values()]
    whole = np.concatenate(flat or [np.empty((len(times), 0))], axis=1)
    rows = [normalise_cycles(times, whole, c.span)[0] for c in cycles]
    joined = np.reshape(rows, (len(cycles), len(PERCENT), whole.shape[1]))
    parts = np.split(joined, np.cumsum([part.shape[1] for part in flat]), axis=2)
    found = {}
    for (name, curve), part in zip(curves.items(), parts, strict=False):
        found[name] = part.reshape(*part.shape[:2], *curve.shape[1:])
        if name.endswith(("_moment", "_power")) and name.startswith(GROUNDED):
            found[name][[not cycle.on_plate for cycle in cycles]] = np.nan
    return found
