"""Plausibility of a walking trial: consistency of its markers, plates and person."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import trapezoid

from ..checks.arguments import check_choice
from ..checks.display import Grid, NotebookTable
from ..recordings.ground_contact import AXES, speed_on_ground, walking_direction
from ..recordings.marker_paths import drop_unseen
from ..recordings.plate_assignment import GRAVITY, PlateStep
from ..records.samples import find_gaps
from .anthropometry import SIDES
from .single_supports import ALONE, find_supports, pelvis_path, rolling_distance
from .trials import Walk

#: Longest gap (s) that is filled without a warning; and speeds (m/s) that markers do not reach in
#: walking and running, and that no person's markers reach.
LONGEST_GAP, FASTEST, FASTEST_OF_ALL = 0.2, 15.0, 40.0

#: Allowed change of a segment's length within a trial, as a fraction of the median; and allowed
#: difference between the lengths of both sides, as a fraction of the longer one.
CHANGE, DIFFERENCE = {"thigh": 0.12, "shank": 0.12, "foot": 0.2}, 0.15

#: Allowed relative difference between both sides of the ratio of thigh to shank.
PROPORTION = 0.08

#: Ranges of joint angles in walking, in degrees.
RANGES = {
    "hip_{}_flexion": (-50, 130),
    "hip_{}_adduction": (-60, 60),
    "hip_{}_internal_rotation": (-75, 75),
    "knee_{}_flexion": (-30, 150),
    "knee_{}_adduction": (-45, 45),
    "knee_{}_internal_rotation": (-75, 75),
    "ankle_{}_dorsiflexion": (-70, 50),
    "ankle_{}_internal_rotation": (-75, 75),
}

#: ORDER has the roles of a side from top to bottom, with their alternatives.  Heel and toe may be
#: above the ankle (in a sprint, on a thick sole), so NEARER has conditions on distances for them:
#: the first role must be nearer to the second than the third role is.
ORDER: tuple[tuple[str, ...], ...] = (
    *(("asis", "hip_center"), ("thigh",), ("knee", "knee_center")),
    *(("shank",), ("ankle", "ankle_center")),
)
NEARER = (("ankle", "toe", "heel"), ("ankle", "heel", "toe"))

#: Distance (m) by which a marker on a wand may be above or below its neighbour.
SLACK = {"thigh": 0.05, "shank": 0.05}

#: Pairs of roles of a side: the first role is in front of the second, or lateral of it.
IN_FRONT = (("asis", "psis"), ("toe", "heel"))
OUTSIDE = (("knee", "knee_medial"), ("ankle", "ankle_medial"), ("toe_lateral", "toe_medial"))

#: Distances (m) by which the centre of pressure may be behind the heel (BEHIND), in front of the
#: toe marker (BEFORE) and beside the line of both (BESIDE); by which a foot is longer than its
#: markers (LONGER); and the distance beyond these limits that causes a warning (BEYOND).
BEHIND, BEFORE, BESIDE, LONGER, BEYOND = 0.03, 0.09, 0.06, 0.05, 0.01

#: Fraction of the largest force above which the centre of pressure shows the position of the foot.
LOADED_PART = 0.3

#: Fraction of the weight below which no centre of pressure is drawn.
UNLOADED = 0.05

#: Relative differences between the mass from plates and the stated mass that are doubtful, and
#: impossible, by the number of feet on plates.
MASS = {2: (0.1, 0.3), 1: (0.15, 0.4)}

#: Clocks of plates.  SLOW: speed (m/s) below which heel or toe stand on the ground; LOADED, FREE:
#: usual delays (s) of a plate's load after the heel stands, and of its end after the toe moves, in
#: good trials; APART: difference (s) from these delays that is too large.
SLOW, LOADED, FREE, APART = 0.5, 0.01, 0.045, 0.05

#: Lag of plates behind the pelvis.  TOGETHER: least correlation of the upward force with the
#: pelvis' upward acceleration; COMPARED: largest lag (s) that is tried; USUAL: lag in good trials
#: (-0.002 to 0.011 s); LATER: difference (s) from the usual lag that is too large, for two and more
#: steps, or for one.
TOGETHER, COMPARED, USUAL, LATER = 0.9, 0.1, 0.005, {2: 0.009, 1: 0.012}

#: Range of the ratio of upward force over mass to upward acceleration of the pelvis, which is 0.83
#: to 1.06 in good trials; and allowed difference between plates of the mean force over the weight.
NEWTON, GAINS = (0.72, 1.15), 0.05

#: Position (m) of the centre of pressure in front of the axis about which a heel rolls (-0.012 to
#: 0.029 in good trials with markers that are displaced by 5 mm), and the difference from it that is
#: too large.
ROLLING, ROLLED = 0.0085, 0.021

#: Range of the ratio of the widths of knee and ankle.
WIDTHS = 1.1, 2.0

#: Usual ratio of thigh plus shank to the leg length (from the anterior spine to the medial
#: malleolus), and its allowed difference.
OF_LEG, NEAR_LEG = 0.89, 0.08

#: Mean lateral acceleration (m/s^2) of the pelvis, and force over mass, below which their signs
#: are not compared; above a speed (m/s) it grows with the speed.
SIDEWAYS, STRIDING = 0.1, 1.5

#: Step (s) between lags, and least number of samples.
LAG, LEAST = 0.001, 10

#: Positions (m) of the centre of pressure in good trials: in front of the heel's marker early in a
#: stance (AHEAD), and lateral of the line to the toe's marker on the flat foot (OUTSIDE_OF).
#: ELSEWHERE: distance from these positions that is too large.  HEEL_FIRST: height of the toe's
#: marker above its height on the flat foot if the heel strikes first.
AHEAD, OUTSIDE_OF, ELSEWHERE, HEEL_FIRST = 0.06, 0.008, 0.03, 0.02

#: The fractions of a stance between which the whole foot is on the ground; and the time (s) around
#: a contact in which the foot may stand.
STANDING, AROUND = (0.2, 0.5), 0.3

#: Allowed angle (degrees) between the line from the feet to the pelvis and the vertical axis.
LEANING = 30.0

#: The fractions of a contact before which a foot brakes, and after which it pushes.
BRAKES, PUSHES = 0.45, 0.55

OK, DOUBTFUL, IMPOSSIBLE = "ok", "doubtful", "impossible"


class AuditCheck(NamedTuple):
    """One check of a trial.

    Made by `gait_report`.

    Attributes
    ==========

    name : str
        The name of the check: "gaps", "mass", "left and right".
    found, allowed : str
        The value that was found, and the allowed one, with units.
    verdict : {"ok", "doubtful", "impossible"}
        The result.
    text : str
        The problem and its possible cause; "" if there is none.

    See Also
    ========

    TrialAudit : All checks of a trial.

    Examples
    ========

    >>> import jointwrench as jw
    >>> report = jw.gait.gait_report(jw.recordings.read_c3d(jw.example_data("two_plates.c3d")))
    >>> next(check for check in report.audits[0].checks if check.name == "mass").verdict
    'ok'
    """

    name: str
    found: str
    allowed: str
    verdict: str
    text: str


@dataclass(frozen=True, eq=False)
class TrialAudit(NotebookTable):
    """The checks of a trial and their results.

    Made by `gait_report`.

    Parameters
    ==========

    trial : int
        Number of the trial, from 0.
    checks : tuple of AuditCheck
        In the order in which they were made.
    times : numpy.ndarray, shape (N,)
        The instants of the trial.
    lengths : dict of str to numpy.ndarray, shape (N,)
        Lengths of thighs, shanks and feet, in metres, by segment.
    loads : dict of str to numpy.ndarray, shape (N,)
        Vertical load on each foot, divided by the weight of the person.
    gaps : dict of str to list of (float, float)
        Intervals in which each marker is missing.
    plan : dict of str to list of numpy.ndarray, shape (points, 2)
        The floor from above, in metres along its axes: outlines of the "plates"; for the "left" and
        the "right" foot a line from heel to toe in the middle of each stance; and the centers of
        pressure "left_pressure" and "right_pressure", NaN without load.

    See Also
    ========

    gait_report : Audits each trial.
    plot_gait_page : Draws the plan, and lists failed checks.

    Examples
    ========

    >>> import jointwrench as jw
    >>> report = jw.gait.gait_report(jw.recordings.read_c3d(jw.example_data("two_plates.c3d")))
    >>> report.audits[0]
    TrialAudit(trial 0: 24 checks, 0 doubtful, 0 impossible)
    """

    trial: int
    checks: tuple[AuditCheck, ...]
    times: np.ndarray
    lengths: dict[str, np.ndarray]
    loads: dict[str, np.ndarray]
    gaps: dict[str, list[tuple[float, float]]]
    plan: dict[str, list[np.ndarray]] = field(default_factory=dict)

    def of_verdict(self, verdict: str) -> list[AuditCheck]:
        """Return the checks with a verdict.

        Parameters
        ==========

        verdict : {"ok", "doubtful", "impossible"}
            The verdict.

        See Also
        ========

        AuditCheck : One check.

        Examples
        ========

        >>> import jointwrench as jw
        >>> report = jw.gait.gait_report(jw.recordings.read_c3d(jw.example_data("two_plates.c3d")))
        >>> report.audits[0].of_verdict("doubtful")
        []
        """
        check_choice("verdict", verdict, (OK, DOUBTFUL, IMPOSSIBLE))
        return [check for check in self.checks if check.verdict == verdict]

    def __repr__(self) -> str:
        counts = (f"{len(self.of_verdict(v))} {v}" for v in (DOUBTFUL, IMPOSSIBLE))
        return f"TrialAudit(trial {self.trial}: {len(self.checks)} checks, {', '.join(counts)})"

    def _grid(self) -> Grid:
        return Grid(repr(self), ("", "found", "allowed", "verdict", ""), self.checks)


def audit_trial(
    number: int, trial: Any, walk: Walk, cycles: Sequence[Any], roles: Any, is_walking: bool
) -> TrialAudit:
    """Return the audit of a trial; without ``is_walking`` the checks of walking are omitted."""
    data = _Observations(trial, walk, cycles, roles)
    checks = CHECKS if is_walking else [check for check in CHECKS if check not in OF_WALKING]
    made = [result for check in checks for result in check(data)]
    weight = GRAVITY * walk.mass
    loads = {side: x.force[:, data.up] / weight for side, x in walk.reactions.plates.items()}
    gaps = {name: spans for name, spans in data.gaps.items() if spans}
    plan = dict(data.plan())
    return TrialAudit(number, tuple(made), walk.times, data.lengths, loads, gaps, plan)


class _Observations:
    """The data of a trial for the checks, with the axes up, forward and left.

    Attributes
    ==========

    walk, cycles, plates : Walk, sequence of GaitCycle, sequence of ForcePlate
        The gait of the trial, its cycles, and its plates as measured.
    roles, places : dict of str to str, dict of str to numpy.ndarray, shape (N, 3)
        Names and positions of markers by role.
    up, level : int, list of int
        Indices of the vertical and of the horizontal axes.
    facing, left, direction : numpy.ndarray, shape (2,)
        Horizontal unit vectors: the person's front, the person's left side, and the direction of
        walking.
    gaps, lengths : dict
        Gaps of each marker, and lengths of segments over time.
    steps : list of PlateStep
        Whole contacts of one foot with one plate.
    pelvis : callable
        The smoothed path of the midpoint of the hips, of times and the number of derivatives.
    supports : list of SingleSupport
        The part of each step in which one foot carries the person.
    """

    def __init__(
        self, trial: Any, walk: Walk, cycles: Sequence[Any], roles: Mapping[str, str]
    ) -> None:
        self.walk, self.cycles, self.roles = walk, cycles, roles
        self.up, self.level = AXES.index(walk.vertical), walk.level
        names = dict.fromkeys(roles.values())
        own = drop_unseen(trial.markers.in_metres())
        seen = own.only([n for n in names if n in own.names])
        self.markers = seen.between(walk.times[0], walk.times[-1])
        self.places = {role: self.markers[n] for role, n in roles.items() if n in own.names}
        self.gaps = dict(self._gaps())
        self.lengths = dict(self._lengths())
        self.plates = trial.plates
        ahead = [self.between(f"{side}_{b}", f"{side}_{a}") for side in SIDES for a, b in IN_FRONT]
        toes = [(x[:, 1] - x[:, 0]).mean(axis=0)[self.level] for x in walk.feet.values()]
        self.facing = _unit(np.sum([_unit(x) for x in (*ahead, *toes) if x is not None], axis=0))
        self.left = np.array([-self.facing[1], self.facing[0]])
        heel = walk.feet["left"][:, 0] - walk.pelvis
        self.direction = walking_direction(walk.pelvis[:, self.level], heel[:, self.level])
        first, last = walk.times[0] + APART, walk.times[-1] - APART
        steps = (s for s in walk.reactions.steps if s.foot and not s.notes)
        self.steps = [s for s in steps if first < s.start and s.end < last]
        self.pelvis = pelvis_path(walk)
        self.supports = [*find_supports(walk, self.pelvis, self.steps, self.up)]

    def _gaps(self) -> Iterator[tuple[str, list[tuple[float, float]]]]:
        """Yield the name of each marker and the intervals in which it is missing."""
        times = self.markers.times
        step = float(np.median(np.diff(times)))
        for k, name in enumerate(self.markers.names):
            runs = find_gaps(self.markers.positions[:, k].sum(axis=-1))
            yield name, [(float(times[a]), float(times[b]) + step) for a, b in runs]

    def _lengths(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the names of thighs, shanks and feet, and their lengths (N,)."""
        for side in SIDES:
            for name, above, below in (("thigh", "hip", "knee"), ("shank", "knee", "ankle")):
                ends = (self.walk.centers[f"{joint}_{side}"] for joint in (above, below))
                yield f"{name}_{side}", np.linalg.norm(np.subtract(*ends), axis=-1)
            heel, toe = np.moveaxis(self.walk.feet[side], 1, 0)
            yield f"foot_{side}", np.linalg.norm(toe - heel, axis=-1)

    def plan(self) -> Iterator[tuple[str, list[np.ndarray]]]:
        """Yield the entries of `TrialAudit.plan`: plates, standing feet and centers of pressure."""
        outlines = (plate.corners for plate in self.plates)
        yield "plates", [corners[:, self.level] for corners in outlines if corners is not None]
        stances = [(step.foot, step.start, step.end) for step in self.walk.reactions.steps]
        others = (c for c in self.cycles if not c.on_plate and np.isfinite(c.off))
        stances += [(c.side, c.start, c.off) for c in others]
        for side, feet in self.walk.feet.items():
            middles = [(start + end) / 2 for foot, start, end in stances if foot == side]
            rows = [int(np.abs(self.walk.times - middle).argmin()) for middle in middles]
            yield side, [*feet[rows][..., self.level]]
        for side, plate in self.walk.reactions.plates.items():
            least = UNLOADED * GRAVITY * self.walk.mass
            yield f"{side}_pressure", [plate.center_of_pressure(threshold=least)[:, self.level]]

    def height(self, role: str) -> float:
        """Return the median height of a marker."""
        return float(np.nanmedian(self.places[role][:, self.up]))

    def distance(self, first: str, second: str) -> float:
        """Return the median distance of two markers."""
        away = np.linalg.norm(self.places[first] - self.places[second], axis=-1)
        return float(np.nanmedian(away))

    def between(self, first: str, second: str) -> np.ndarray | None:
        """Return the mean horizontal vector (2,) between two markers.

        None if one is missing, or if both roles have the same marker, such as one on the sacrum.
        """
        roles, places = self.roles, self.places
        if not {first, second} <= places.keys() or roles[first] == roles[second]:
            return None
        return np.nanmean(places[second] - places[first], axis=0)[self.level]

    def of_both_sides(self) -> list[tuple[str, str]]:
        """Return the pairs (right role, left role) of roles that exist on both sides."""
        own = (role.removeprefix("left_") for role in self.places if role.startswith("left_"))
        return [(f"right_{x}", f"left_{x}") for x in own if f"right_{x}" in self.places]

    def find_misplaced(self, pairs: Iterable[tuple[str, str]], direction: np.ndarray) -> list[str]:
        """Return the names of pairs whose second marker is not in a direction from the first."""
        found = ((a, b, self.between(a, b)) for a, b in pairs)
        return [
            f"{self.roles[a]} and {self.roles[b]}"
            for a, b, x in found
            if x is not None and x @ direction < 0
        ]

    def force_of_step(self, step: PlateStep) -> tuple[np.ndarray, np.ndarray]:
        """Return fractions of a step (n,), from 0 to 1, and the force on the foot (n, 3)."""
        plate = self.walk.reactions.plates[step.foot]
        part = (plate.times - step.start) / (step.end - step.start)
        rows = (part >= 0) & (part <= 1)
        return part[rows], plate.force[rows]

    def pressure_of_step(self, step: PlateStep) -> np.ndarray:
        """Return the centre of pressure on the floor of a step's plate, (N, 3)."""
        corners = self.plates[step.plate].corners
        floor = 0.0 if corners is None else float(corners[:, self.up].mean())
        return self.walk.reactions.plates[step.foot].center_of_pressure(height=floor)

    def impulse(self, step: PlateStep) -> float:
        """Return the upward impulse of a step, in N s."""
        part, force = self.force_of_step(step)
        return float(trapezoid(force[:, self.up], part) * (step.end - step.start))


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / (np.linalg.norm(vector) or 1.0)


def _make_check(
    name: str, found: str, allowed: str, is_wrong: bool, text: str, verdict: str = DOUBTFUL
) -> AuditCheck:
    """Return a check with the verdict and the text, or "ok" and no text if it is not wrong."""
    return AuditCheck(name, found, allowed, verdict if is_wrong else OK, text if is_wrong else "")


# -- markers ---------------------------------------------------------------------------------


def _check_gaps(data: _Observations) -> Iterator[AuditCheck]:
    """Check that gaps of markers are short."""
    longest = {name: max((b - a for a, b in x), default=0.0) for name, x in data.gaps.items()}
    far = [name for name, length in longest.items() if length > LONGEST_GAP + 1e-9]
    texts = [f"{name} for {longest[name]:.2g} s" for name in far]
    text = f"not seen, and filled by a smooth curve: {', '.join(texts)}"
    most = max(longest.values(), default=0.0)
    yield _make_check("gaps", f"{most:.2g} s", f"{LONGEST_GAP:g} s", bool(far), text)


def _check_jumps(data: _Observations) -> Iterator[AuditCheck]:
    """Check that markers are not faster than a person's body parts."""
    moved = np.linalg.norm(np.diff(data.markers.positions, axis=0), axis=-1)
    speed = moved / np.diff(data.markers.times)[:, None]
    fastest = np.nanmax(np.where(np.isnan(speed), 0, speed), axis=0, initial=0)
    far = [name for name, x in zip(data.markers.names, fastest, strict=True) if x > FASTEST]
    text = f"{', '.join(far)} jump: markers were exchanged, or reflections taken for them"
    verdict = IMPOSSIBLE if (most := fastest.max(initial=0)) > FASTEST_OF_ALL else DOUBTFUL
    yield _make_check("jumps", f"{most:.2g} m/s", f"{FASTEST:g} m/s", bool(far), text, verdict)


def _check_heights(data: _Observations) -> Iterator[AuditCheck]:
    """Check that hips are above knees above ankles, and ankles between heels and toes."""
    exchanged = []
    for side in SIDES:
        known = [[f"{side}_{role}" for role in roles] for roles in ORDER]
        own = [role for roles in known for role in roles if role in data.places]
        for above, below in pairwise(own):
            slack = max(SLACK.get(role.partition("_")[2], 0.0) for role in (above, below))
            if data.height(above) < data.height(below) - slack:
                exchanged.append(f"{data.roles[above]} is below {data.roles[below]}")
        for near, place, far in (tuple(f"{side}_{x}" for x in roles) for roles in NEARER):
            is_known = {near, place, far} <= data.places.keys()
            if is_known and data.distance(near, place) > data.distance(far, place):
                near, place, far = (data.roles[x] for x in (near, place, far))
                exchanged.append(f"{near} is farther from {place} than {far}")
    exchanged = [*dict.fromkeys(exchanged)]
    text = f"{', '.join(exchanged)}: these markers are exchanged, or the vertical axis is wrong"
    found = f"{len(exchanged)} exchanged"
    yield _make_check("heights of markers", found, "none", bool(exchanged), text, IMPOSSIBLE)


def _check_lengths(data: _Observations) -> Iterator[AuditCheck]:
    """Check the lengths of segments: constant, alike on both sides, and in proportion."""
    changes = {n: float(np.ptp(x) / np.median(x)) for n, x in data.lengths.items()}
    limits = {n: CHANGE[n.partition("_")[0]] for n in changes}
    worst = max(changes, key=lambda name: changes[name] / limits[name])
    text = (
        f"the {worst.replace('_', ' ')} changes its length by {changes[worst]:.0%}: a marker "
        "moves, is exchanged, or a gap is filled badly"
    )
    found, wrong = f"{changes[worst]:.0%}", changes[worst] > limits[worst]
    yield _make_check("lengths over time", found, f"{limits[worst]:.0%}", wrong, text)
    usual = {n: float(np.median(x)) for n, x in data.lengths.items()}
    parts = {n.rpartition("_")[0] for n in usual}
    pairs = {n: [usual[f"{n}_{side}"] for side in SIDES] for n in sorted(parts)}
    apart = {n: abs(a - b) / max(a, b) for n, (a, b) in pairs.items()}
    worst = max(apart, key=apart.__getitem__)
    text = (
        f"the {worst} of one side is {apart[worst]:.0%} longer than the other: a marker is "
        "misplaced or exchanged"
    )
    wrong = apart[worst] > DIFFERENCE
    yield _make_check("lengths of sides", f"{apart[worst]:.0%}", f"{DIFFERENCE:.0%}", wrong, text)
    left, right = np.divide(pairs["thigh"], pairs["shank"])
    apart = abs(left - right) / max(left, right)
    text = (
        f"thigh over shank differs by {apart:.0%} between the sides: the marker of a knee is too "
        "high or too low, or the bones differ"
    )
    wrong = apart > PROPORTION
    yield _make_check("heights of knees", f"{apart:.0%}", f"{PROPORTION:.0%}", wrong, text)
    if leg := data.walk.sizes.get("leg_length"):
        share = float(np.mean([*pairs["thigh"], *pairs["shank"]])) * 2 / leg
        text = (
            f"thigh and shank are {share:.0%} of the leg length of {leg:.3g} m: it is another "
            "person's, or not from the anterior spine to the ankle"
        )
        allowed = f"{OF_LEG - NEAR_LEG:.0%} to {OF_LEG + NEAR_LEG:.0%}"
        wrong = abs(share - OF_LEG) > NEAR_LEG
        yield _make_check("leg length", f"{share:.0%}", allowed, wrong, text)


def _check_sides(data: _Observations) -> Iterator[AuditCheck]:
    """Check that the pelvis is above the feet, and the left markers on the person's left side."""
    upright = data.walk.pelvis - sum(x.mean(axis=1) for x in data.walk.feet.values()) / 2
    lean = np.degrees(np.arccos(_unit(upright.mean(axis=0))[data.up]))
    text = (
        f"the pelvis is not above the feet along {AXES[data.up]}: the vertical axis is wrong. Use "
        "vertical=, or turn markers and plates"
    )
    limit = f"{LEANING:g} degrees"
    yield _make_check("upright", f"{lean:.0f} degrees", limit, lean > LEANING, text, IMPOSSIBLE)
    apart = data.walk.feet["left"].mean(axis=1) - data.walk.feet["right"].mean(axis=1)
    if {"left_asis", "right_asis"} <= data.places.keys():
        apart = data.places["left_asis"] - data.places["right_asis"]
    beside = float(np.nanmean(apart, axis=0)[data.level] @ data.left)
    text = (
        "the left markers are on the right side: left and right names are exchanged, or the "
        "laboratory's axes are left-handed (a mirror image)"
    )
    found = "left" if beside > 0 else "right"
    yield _make_check("left and right", found, "left", beside < 0, text, IMPOSSIBLE)


def _check_pairs(data: _Observations) -> Iterator[AuditCheck]:
    """Check that single markers are on the correct side of their neighbours."""
    ahead = [(f"{s}_{b}", f"{s}_{a}") for s in SIDES for a, b in IN_FRONT]
    wrong = data.find_misplaced(ahead, data.facing)
    pairs = data.of_both_sides()
    crossed = data.find_misplaced(pairs, data.left)
    if len(crossed) > len(pairs) / 2:  # the check of "left and right" reports the whole body
        return
    for side, outward in zip(SIDES, (data.left, -data.left), strict=True):
        wrong += data.find_misplaced([(f"{side}_{b}", f"{side}_{a}") for a, b in OUTSIDE], outward)
    text = f"{', '.join(wrong)} are exchanged: front and back, or inside and outside"
    found = f"{len(wrong)} exchanged"
    yield _make_check("single markers", found, "none", bool(wrong), text, IMPOSSIBLE)
    text = (
        f"{', '.join(crossed)} are exchanged: the left one is at the right side. Exchange their "
        "names in the file or by marker_set=, unless the legs cross in this walk"
    )
    found = f"{len(crossed)} exchanged"
    yield _make_check("sides of markers", found, "none", bool(crossed), text)


def _check_joints(data: _Observations) -> Iterator[AuditCheck]:
    """Check that joint angles are in the ranges of walking."""
    wide, reached = [], []
    for side in SIDES:
        for pattern, (low, high) in RANGES.items():
            name = pattern.format(side)
            if name in (curves := data.walk.curves[side]):
                least, most = np.nanmin(curves[name]), np.nanmax(curves[name])
                reached.append(max(low - least, most - high))
                if reached[-1] > 0:
                    angle = name.replace("_", " ")
                    wide.append(f"{angle} from {least:.0f} to {most:.0f} degrees")
    text = f"no walking person has {', '.join(wide)}: markers are misplaced or exchanged"
    found = f"{max(reached, default=0):.0f} degrees beyond" if wide else "within"
    yield _make_check("ranges of joints", found, "those of walking", bool(wide), text)


# -- plates ----------------------------------------------------------------------------------


def _check_mass(data: _Observations) -> Iterator[AuditCheck]:
    """Check the person's mass against the plates."""
    # Over a stride the upward impulse of the ground is the weight times the stride's duration, and
    # half of it acts on each foot.
    strides = [c.end - c.start for c in data.cycles]
    whole = [s for s in data.steps if any(_is_of(s, c) for c in data.cycles if c.on_plate)]
    by_side = {side: [data.impulse(s) for s in whole if s.foot == side] for side in SIDES}
    impulses = [float(np.mean(x)) for x in by_side.values() if x]
    if not impulses:
        return
    found = 2 * float(np.mean(impulses)) / (GRAVITY * float(np.mean(strides)))
    doubtful, impossible = MASS[len(impulses)]
    away = abs(found - data.walk.mass) / max(found, data.walk.mass)
    text = (
        f"plates carry {found:.0f} kg over a stride, the mass is {data.walk.mass:.4g} kg: it is in "
        "pounds or newtons, another person's, or plates are not in newtons"
    )
    verdict = IMPOSSIBLE if away > impossible else DOUBTFUL
    allowed = f"{data.walk.mass:.4g} kg to {doubtful:.0%}"
    yield _make_check("mass", f"{found:.3g} kg", allowed, away > doubtful, text, verdict)


def _is_of(step: PlateStep, cycle: Any) -> bool:
    return cycle.side == step.foot and abs(step.start - cycle.start) < APART


def _check_shear(data: _Observations) -> Iterator[AuditCheck]:
    """Check the sign of the force along the walk: a foot brakes, then pushes."""
    pushes = []
    for step in data.steps:
        part, force = data.force_of_step(step)
        along, early, late = force[:, data.level] @ data.direction, part < BRAKES, part > PUSHES
        if early.sum() > 1 and late.sum() > 1:
            pushes.append(float(along[late].mean() - along[early].mean()))
    if not pushes:
        return
    wrong = sum(x < 0 for x in pushes)
    text = (
        f"the horizontal force pushes along the walk before it brakes in {wrong} of {len(pushes)} "
        "steps: the shear of the plates has the wrong sign or axes"
    )
    found = f"{wrong} of {len(pushes)} reversed"
    verdict = IMPOSSIBLE if wrong == len(pushes) else DOUBTFUL
    yield _make_check("shear of plates", found, "none", wrong > 0, text, verdict)


def _check_lateral_shear(data: _Observations) -> Iterator[AuditCheck]:
    """Check that lateral forces have the sign of the pelvis' acceleration, also in turns."""
    travelled = np.linalg.norm(np.ptp(data.walk.pelvis[:, data.level], axis=0))
    speed = float(travelled / np.ptp(data.walk.times))
    limit, wrong = SIDEWAYS * max(1.0, speed / STRIDING), []
    for support in data.supports:
        pair = (support.acceleration.mean(axis=0), support.force.mean(axis=0))
        acceleration, force = (float(x[data.level] @ data.left) for x in pair)
        if acceleration * force < 0 and min(abs(acceleration), abs(force)) > limit:
            wrong.append(support.step.plate + 1)
    if data.supports:
        numbers = ", ".join(map(str, sorted(set(wrong))))
        text = (
            f"plate {numbers} pushes the foot sideways against the acceleration of the pelvis in "
            f"{len(wrong)} of {len(data.supports)} steps: its lateral shear has the wrong sign"
        )
        found = f"{len(wrong)} of {len(data.supports)} against the motion"
        yield _make_check("lateral shear of plates", found, "none", bool(wrong), text)


def _check_newton(data: _Observations) -> Iterator[AuditCheck]:
    """Check upward forces against the upward acceleration of the pelvis, and between plates."""
    # F / m - g = a; the pelvis moves nearly as the mass centre.
    if not data.supports:
        return
    pairs = ((x.acceleration[:, data.up], x.force[:, data.up]) for x in data.supports)
    motion, force = np.moveaxis(np.array([*pairs]), 1, 0)
    changes = [(x - x.mean(axis=1, keepdims=True)).ravel() for x in (motion, force)]
    ratio = float(changes[0] @ changes[1] / (changes[0] @ changes[0]))
    if np.corrcoef(*changes)[0, 1] > TOGETHER:
        text = (
            f"upward forces change {ratio:.2f} times as much as the acceleration of the pelvis: "
            "the rates of markers and plates are wrong, or the markers were filtered before"
        )
        low, high = NEWTON
        wrong, allowed = not low < ratio < high, f"{low:g} to {high:g}"
        yield _make_check("rate of the trial", f"{ratio:.2f}", allowed, wrong, text)
    plates = np.array([x.step.plate for x in data.supports])
    away = (force - motion).mean(axis=1) / GRAVITY
    means = {int(k) + 1: float(away[plates == k].mean()) for k in set(plates.tolist())}
    least, most = (pick(means, key=means.__getitem__) for pick in (min, max))
    apart = means[most] - means[least]
    text = (
        f"plate {least} carries {apart:.0%} of the weight less than plate {most} does, with the "
        "same motion of the pelvis: the gain of one of them is wrong"
    )
    yield _make_check("gains of plates", f"{apart:.0%}", f"{GAINS:.0%}", apart > GAINS, text)


def _check_rolling(data: _Observations) -> Iterator[AuditCheck]:
    """Check that the centre of pressure is where the heel rolls, in the mean for each plate."""
    found: dict[int, list[float]] = {}
    for step in data.steps:
        pressure = data.pressure_of_step(step)
        distance = rolling_distance(data.walk, step, pressure, data.up)
        if np.isfinite(distance):
            found.setdefault(step.plate + 1, []).append(distance - ROLLING)
    if found:
        means = {plate: float(np.mean(x)) for plate, x in found.items()}
        worst = max(means, key=lambda plate: abs(means[plate]))
        away = means[worst]
        text = (
            f"the centre of pressure of plate {worst} is {100 * abs(away):.1f} cm too far "
            f"{'in front of' if away > 0 else 'behind'} the point about which the heel rolls: the "
            "position of the plate along the walk, or its moments, are wrong"
        )
        shown, limit = f"{100 * abs(away):.1f} cm", f"{100 * ROLLED:g} cm"
        yield _make_check("rolling of heels", shown, limit, abs(away) > ROLLED, text)


def _check_widths(data: _Observations) -> Iterator[AuditCheck]:
    """Check the measured widths of knees and ankles against each other."""
    knee, ankle = (data.walk.sizes.get(f"{joint}_width") for joint in ("knee", "ankle"))
    if knee and ankle:
        low, high = WIDTHS
        text = f"a knee of {knee:.3g} m and an ankle of {ankle:.3g} m: one of the widths is wrong"
        wrong = not low < knee / ankle < high
        yield _make_check("widths", f"{knee / ankle:.2g}", f"{low:g} to {high:g}", wrong, text)


def _check_steps(data: _Observations) -> Iterator[AuditCheck]:
    """Check that there is a foot at each loaded plate."""
    steps = data.walk.reactions.steps
    alone = [step for step in steps if not step.foot]
    if steps:
        text = (
            f"no foot is near in {len(alone)} of {len(steps)} contacts of plates: axes, places or "
            "moments of plates are not those of the markers, their clocks differ, or somebody else "
            "was on them"
        )
        found = f"{len(alone)} of {len(steps)} without a foot"
        yield _make_check("feet on plates", found, "none", bool(alone), text)


def _check_contacts(data: _Observations) -> Iterator[AuditCheck]:
    """Check that feet stand on their plate for the whole stance, and that clocks agree."""
    pairs = []
    for step in data.steps:
        begins, ends = (_standing_times(data.walk, step, end) for end in (0, 1))
        if not begins.size or not ends.size:
            continue
        pairs.append((step.start - begins[0] - LOADED, ends[-1] + FREE - step.end))
    if not pairs:
        return
    lag = _plate_lag(data)
    limit = LATER[min(2, len(data.steps))]
    usual = float(np.median([(before - after) / 2 for before, after in pairs]))
    shift, most = (usual, APART) if lag is None else (lag, limit)
    text = (
        f"plates are {abs(shift):.3f} s {'after' if shift > 0 else 'before'} the markers: their "
        "clocks differ"
    )
    is_shifted = abs(shift) > most
    yield _make_check("clocks of plates", f"{shift:.3f} s", f"{most:g} s", is_shifted, text)
    besides = [max(pair) for pair in pairs]
    worst = max(besides)
    number = sum(x > APART for x in besides)
    text = (
        f"{number} of {len(besides)} steps stand up to {worst:.3f} s longer than their plate is "
        "loaded: the foot was beside the plate for a part of it"
    )
    is_beside = worst > APART and not is_shifted
    yield _make_check("feet beside plates", f"{worst:.3f} s", f"{APART:g} s", is_beside, text)


def _plate_lag(data: _Observations) -> float | None:
    """Return the lag (s) of plates behind the pelvis minus the usual lag, None if it is unclear.

    The lag has the largest correlation of the upward force with the pelvis' upward acceleration.
    """
    # from the first to the last single support, in which plates carry the whole weight
    times = data.walk.times
    ends = [s.start + part * (s.end - s.start) for s in data.steps for part in ALONE]
    inside = times[(times > min(ends)) & (times < max(ends))]
    if len(inside) < LEAST:
        return None
    upward = data.pelvis(inside, 2)[:, data.up]
    load = sum(plate.force[:, data.up] for plate in data.walk.reactions.plates.values())
    lags = np.arange(-COMPARED, COMPARED, LAG)
    found = [np.corrcoef(np.interp(inside + lag, times, load), upward)[0, 1] for lag in lags]
    best = int(np.argmax(found))
    return float(lags[best]) - USUAL if found[best] > TOGETHER else None


def _check_pressure(data: _Observations) -> Iterator[AuditCheck]:
    """Check that forces act under the foot and on the plate, and that feet are within plates."""
    off, outside, over, elsewhere = [], [], [], []
    for step in data.steps:
        plate, corners = data.walk.reactions.plates[step.foot], data.plates[step.plate].corners
        load = plate.force[:, data.up]
        part = (plate.times - step.start) / (step.end - step.start)
        rows = (part > 0) & (part < 1)
        rows &= load > LOADED_PART * load[rows].max(initial=0.0)
        if not rows.any():
            continue
        places = data.pressure_of_step(step)[:, data.level]
        heel, toe = np.moveaxis(data.walk.feet[step.foot][:, :, data.level], 1, 0)
        length = np.linalg.norm(toe - heel, axis=-1)
        ahead = (toe - heel) / length[:, None]
        along = ((places - heel) * ahead).sum(axis=-1)
        beside = _cross(ahead, places - heel)  # positive to the left
        height = data.walk.feet[step.foot][:, 1, data.up]
        early, flat = rows & (part < STANDING[0]), (part > STANDING[0]) & (part < STANDING[1])
        if early.any() and flat.any():
            side = 1 if step.foot == "left" else -1
            away = [side * float(np.median(beside[flat])) - OUTSIDE_OF]
            if height[early].max() > np.median(height[flat]) + HEEL_FIRST:
                away.append(float(np.median(along[early])) - AHEAD)
            elsewhere.append(max(map(abs, away)))
        far = np.max([-along - BEHIND, along - length - BEFORE, np.abs(beside) - BESIDE], axis=0)
        off.append(float(np.percentile(far[rows], 95)))
        if corners is not None:
            outline = corners[:, data.level]
            outside.append(float(np.percentile(-_inside(outline, places[rows]), 95)))
            ends = (heel[flat], (toe + LONGER * ahead)[flat])
            over.append(max(-float(np.median(_inside(outline, x))) for x in ends))
    if elsewhere:
        worst = max(elsewhere)
        text = (
            f"the centre of pressure is {100 * worst:.1f} cm from where it usually is under heel "
            "or flat foot: the position of the plate, or a marker of the foot, is wrong"
        )
        limit, wrong = f"{100 * ELSEWHERE:g} cm", worst > ELSEWHERE
        yield _make_check("places of plates", f"{100 * worst:.1f} cm", limit, wrong, text)
    for name, found, words in (
        ("pressure and feet", off, "beside the foot"),
        ("pressure and plates", outside, "beside its plate"),
        ("edges of plates", over, "over the edge of its plate"),
    ):
        if found:
            worst, number = max(found), sum(x > BEYOND for x in found)
            what = "the foot is" if found is over else "the centre of pressure is"
            text = (
                f"{what} up to {100 * worst:.1f} cm {words} in {number} of {len(found)} steps: "
                "the position of the plate, its moments or the markers of the foot are wrong"
            )
            if found is over:
                text = f"{text.split(':')[0]}: a part of its load is not measured"
            is_never = min(found) > 2 * BESIDE  # in all steps
            verdict = IMPOSSIBLE if is_never and found is outside else DOUBTFUL
            shown = f"{100 * worst:.1f} cm beyond" if worst > 0 else "within"
            yield _make_check(name, shown, f"{100 * BEYOND:g} cm", worst > BEYOND, text, verdict)


def _inside(corners: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the distances (N,) of points (N, 2) from a convex outline, positive inside."""
    edges = np.roll(corners, -1, axis=0) - corners
    turn = np.sign(_cross(corners - corners.mean(axis=0), edges).sum())
    arms = places[:, None] - corners
    away = turn * _cross(edges, arms) / np.linalg.norm(edges, axis=-1)
    return np.asarray(away.min(axis=-1))


def _cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the vertical components of cross products of horizontal vectors, (..., 2) each."""
    return np.asarray(first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0])


def _standing_times(walk: Walk, step: PlateStep, end: int) -> np.ndarray:
    """Return the times at which heel (``end`` 0) or toe (1) of a step stand on ground or belt."""
    velocity = np.gradient(walk.feet[step.foot][:, end], walk.times, axis=0)
    part = (walk.times - step.start) / (step.end - step.start)
    speed = speed_on_ground(velocity, (part > STANDING[0]) & (part < STANDING[1]))
    near = (walk.times > step.start - AROUND) & (walk.times < step.end + AROUND)
    return walk.times[near & (speed < SLOW)]


CHECKS: tuple[Callable[[_Observations], Iterable[AuditCheck]], ...] = (
    _check_gaps,
    _check_jumps,
    _check_heights,
    _check_lengths,
    _check_sides,
    _check_pairs,
    _check_joints,
    _check_widths,
    _check_mass,
    _check_shear,
    _check_lateral_shear,
    _check_newton,
    _check_steps,
    _check_contacts,
    _check_pressure,
    _check_rolling,
)

#: The checks that only walking passes, from strike to strike.
OF_WALKING = (_check_mass, _check_shear, _check_newton, _check_rolling)
