"""The gait of a trial: curves of joints, by segments from markers and loads from plates."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..recordings.force_plate import ForcePlate
from ..recordings.ground_contact import AXES, OFF, STRIKE, Event, gait_events, walking_direction
from ..recordings.marker_paths import Markers
from ..recordings.plate_assignment import GRAVITY, GroundReactions, PlateStep, ground_reactions
from ..records.laboratory import unit_factor
from .anthropometry import SIDES, Person
from .clinical import clinical_curves
from .joint_centers import MARKER_RADIUS
from .limbs import LowerLimbs, UpperLimbs, lower_limbs, massless_segment, thorax_and_arms
from .marker_segments import MarkerSegment
from .marker_sets import HIPS
from .markers import Poses
from .segment_dynamics import segment_wrenches

if TYPE_CHECKING:
    from ..records.energy_balance import EnergyBalance

#: Names of measures in Vicon's files (in mm), by argument of `lower_limbs` and `upper_limbs`.
#: MEASURES and ELBOW have the side as a prefix, "L" or "R"; WIDTH has none.
MEASURES = {"leg_length": "LegLength", "knee_width": "KneeWidth", "ankle_width": "AnkleWidth"}
WIDTH = {"asis_distance": "InterAsisDistance"}
ELBOW = {"elbow_width": "ElbowWidth"}

#: The parts of the body whose markers are needed, by the argument ``upper``.
UPPER = {None: ("legs",), "trunk": ("legs", "trunk"), "arms": ("legs", "trunk", "arms")}

#: The fraction of a stance within which events from markers and from plates count as one event.
PART = 0.3

#: Delay (s) of a plate's load after a strike above which the foot struck beside the plate first.
LATE = 0.03


class GaitTrial(NamedTuple):
    """Markers and plates that are not from a C3D file, for `gait_report`.

    Parameters
    ==========

    markers : Markers
        The markers, for instance from `read_trc`.
    plates : sequence of ForcePlate
        The plates in the markers' axes: ``[load.plate for load in read_external_loads(path)]``.
    events : sequence of Event, optional
        Foot strikes and offs.  Default: found from plates and markers.

    See Also
    ========

    gait_report : Takes trials.

    Examples
    ========

    >>> import jointwrench as jw
    >>> folder = jw.example_data("whole_trial")
    >>> plates = [load.plate for load in jw.recordings.read_external_loads(folder / "walk_grf.xml")]
    >>> trial = jw.gait.GaitTrial(jw.recordings.read_trc(folder / "walk.trc"), plates)
    >>> len(trial.markers.names), len(trial.plates)
    (41, 2)
    """

    markers: Markers
    plates: Sequence[ForcePlate] = ()
    events: Sequence[Event] = ()


class Walk(NamedTuple):
    """The gait of a trial, in the laboratory's axes.

    Attributes
    ==========

    times, pelvis : numpy.ndarray, shapes (N,), (N, 3)
        The instants, and the path of the pelvis.
    feet : dict of str to numpy.ndarray, shape (N, 2, 3)
        Heel and toe by side.
    reactions : GroundReactions
        The loads on the feet.
    curves : dict of str to dict of str to numpy.ndarray, shape (N,)
        Clinical curves by side and name, per mass.
    energy : dict of str to EnergyBalance
        The balance of each leg.
    mass : float
        The person's mass.
    centers : dict of str to numpy.ndarray, shape (N, 3)
        Joint centres by name.
    limits : str
        A text on the markers that limit the record, because they are missing before or after it.
    sizes : dict of str to float
        The measured lengths and widths of the person, by argument of `gait_report`, in metres.
    hip : str
        The regression of the hips.
    vertical : str
        The upward axis.
    """

    times: np.ndarray
    feet: dict[str, np.ndarray]
    pelvis: np.ndarray
    reactions: GroundReactions
    curves: Mapping[str, Mapping[str, np.ndarray]]
    energy: Mapping[str, "EnergyBalance"]
    mass: float
    centers: Mapping[str, np.ndarray]
    limits: str
    sizes: Mapping[str, float]
    hip: str
    vertical: str

    @property
    def level(self) -> list[int]:
        """The indices of the horizontal axes, right-handed with the upward axis."""
        return _horizontal_axes(self.vertical)

    def events(self) -> list[Event]:
        """Return foot strikes and offs from plates, and from markers for steps without a plate."""
        found: list[Event] = []
        for side, feet in self.feet.items():
            heel, toe = feet[:, 0], feet[:, 1]
            found += gait_events(self.times, heel, toe, self.pelvis, side, self.vertical)
        room = 2 * float(np.median(np.diff(self.times)))
        for step in (step for step in self.reactions.steps if step.foot):
            strike, close = _find_strike(step, found), PART * (step.end - step.start)
            own = [Event(strike, STRIKE, step.foot), Event(step.end, OFF, step.foot)]
            inside = [e for e in own if self.times[0] + room < e.time < self.times[-1] - room]
            first, last = min(strike, step.start - close), step.end + close
            found = inside + [e for e in found if e.side != step.foot or not first <= e.time < last]
        return sorted(found)


def _find_strike(step: PlateStep, events: Sequence[Event]) -> float:
    """Return the time of the foot strike of a contact, which may be before the plate's load."""
    close = PART * (step.end - step.start)
    own = sorted(e for e in events if e.side == step.foot)
    for number, event in enumerate(own):
        early = step.start - event.time
        if event.label == STRIKE and early > LATE:
            end = next((e.time for e in own[number:] if e.label == OFF), -np.inf)
            if early < close or end > step.start + LATE:
                return event.time
    return step.start


def compute_walk(trial: Any, person: Person, vertical: str, options: Mapping[str, Any]) -> Walk:
    """Return the gait of a trial, by segments from markers.

    ``vertical`` is the upward axis; ``options`` are further arguments of `gait_report`, with the
    filters of markers and of plates as "smooth" and "plate_filter".
    """
    sizes = _measures(trial) | options["measures"]
    described, upper, static = (options[name] for name in ("marker_set", "upper", "static"))
    usual = HIPS.get(described.name, "davis") if "leg_length" in sizes else "harrington"
    markers, limits = _complete_markers(trial.markers, described.roles(UPPER[upper]))
    elbow = {name: sizes.pop(name, None) for name in ELBOW}
    radius, hip = sizes.pop("marker_radius", MARKER_RADIUS), options["hip"] or usual
    shared: Any = {"static": static, "marker_radius": radius, "foot_flat": options["foot_flat"]}
    limbs = lower_limbs(markers, person, described, hip=hip, **shared, **sizes)
    arms = {**elbow, "marker_radius": radius, "method": hip}
    above = upper and thorax_and_arms(markers, person, described, static, arms, UPPER[upper][1:])
    reactions = ground_reactions(trial.plates, limbs.times, limbs.feet, **options["plate_filter"])
    gravity = [-GRAVITY * (axis == vertical) for axis in AXES]
    walkway = _walkway(limbs, vertical)
    curves: dict[str, dict[str, np.ndarray]] = {side: {} for side in SIDES}
    energy = {}
    for side in SIDES:
        for number, chain in enumerate(_chains(limbs, above, side)):
            is_leg = trial.plates and not number
            loads = {f"foot_{side}": reactions.plates[side]} if is_leg else {}
            segments = [walkway, *chain]
            result = segment_wrenches(limbs.times, segments, loads, gravity, **options["smooth"])
            if not number:
                energy[side] = _leg_balance(result.energy_balance())
            own = clinical_curves(result.per_mass(person.mass), frame=options["frame"])
            curves[side] |= {n: own[n] for n in sorted(own, key=lambda n: n.startswith("pelvis"))}
        progression = _progression(limbs.feet[side], walkway, side)
        curves[side][f"foot_{side}_internal_rotation"] = progression
    found = reactions, curves, energy, person.mass, limbs.centers, limits, sizes, hip, vertical
    return Walk(limbs.times, limbs.feet, limbs.frames["pelvis"].positions, *found)


def _progression(feet: np.ndarray, walkway: MarkerSegment, side: str) -> np.ndarray:
    """Return the angle of a foot's line to the direction of walking, positive inwards, degrees."""
    line = (feet[:, 1] - feet[:, 0]) @ np.asarray(walkway.rotations)[0]
    to_the_right = np.degrees(np.arctan2(line[:, 2], line[:, 0]))
    return to_the_right if side == "left" else -to_the_right


def _leg_balance(balance: "EnergyBalance") -> "EnergyBalance":
    """Return the balance of thigh, shank and foot, without the leading walkway and pelvis."""
    powers = {name: power[:, 2:] for name, power in balance.powers.items()}
    joints = None if balance.joint_powers is None else balance.joint_powers[:, 2:]
    bodies, energies = balance.bodies[2:], balance.energies[:, 2:]
    return replace(balance, bodies=bodies, energies=energies, powers=powers, joint_powers=joints)


def perturb_curves(
    errors: Mapping[str, float], trial: Any, person: Person, *arguments: Any
) -> Iterator[tuple[tuple[str, str], Mapping[str, Mapping[str, np.ndarray]]]]:
    """Yield each cause of errors, and the curves by side that it perturbs.

    ``arguments`` are further arguments of `compute_walk`.
    """
    from .report_errors import perturb_trials

    _, options = arguments
    names = options["marker_set"].roles(UPPER[options["upper"]]).values()
    for cause, moved, other in perturb_trials(trial, person, errors, names):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the trial itself has already caused them
            walk = compute_walk(moved, other, *arguments)
        yield cause, walk.curves


def _chains(legs: LowerLimbs, above: UpperLimbs | None, side: str) -> Iterator[list[MarkerSegment]]:
    """Yield the chains of segments of a side, without the walkway: the leg, then trunk and arm."""

    def rename(segment: MarkerSegment, joint: str) -> MarkerSegment:
        return replace(segment, joint=f"{joint}_{side}", sequence=legs.sequences[joint])

    pelvis, *leg = legs.segments(side)
    yield [rename(pelvis, "pelvis"), *leg]
    if above is None:
        return
    thorax = massless_segment("thorax", above.frames["thorax"], above.sequences)
    arm = above.segments(side)[1:] if f"upper_arm_{side}" in above.frames else []
    yield [pelvis, rename(thorax, "spine")]
    yield [rename(thorax, "thorax"), *arm]
    if (name := f"clavicle_{side}") in above.frames:
        yield [thorax, massless_segment(name, above.frames[name], above.sequences)]


def person_of(trial: Any, mass: Any, height: Any, table: Any) -> Person:
    """Return the person of a trial; the arguments replace mass and height in the file."""
    values: dict[str, Any] = {}
    subject = getattr(trial, "subject", None)
    for name, value, unit in (("mass", mass, "kilograms"), ("height", height, "metres")):
        values[name] = getattr(subject, name, None) if value is None else value
        if values[name] is None:
            raise ValueError(
                f"`{name}` must be given, since the file does not have it. Use {name}=... in "
                f"{unit}."
            )
    return Person(values["height"], values["mass"], table)


def _measures(trial: Any) -> dict[str, float]:
    """Return lengths and widths in Vicon's file by argument, in metres, as means of both sides."""
    known = getattr(getattr(trial, "subject", None), "measures", {})
    sides = {n: [known.get(side + word, 0.0) for side in "LR"] for n, word in MEASURES.items()}
    sides |= {n: [known.get(word, 0.0)] for n, word in WIDTH.items()}
    millimetre = unit_factor("length", "mm") or 1.0
    return {n: millimetre * float(np.mean(pair)) for n, pair in sides.items() if min(pair) > 0}


def _complete_markers(markers: Markers, roles: Mapping[str, str]) -> tuple[Markers, str]:
    """Return a set's markers without gaps, and a text on the markers that limit the record.

    The record is shortened to the instants between which all markers have positions.
    """
    names = dict.fromkeys(roles.values())  # a sacrum may be both posterior spines
    own = markers.in_metres().only([name for name in names if name in markers.names]).smoothed()
    seen = zip(own.names, np.isfinite(own.positions).all(axis=-1).T, strict=True)
    ends = {name: np.flatnonzero(rows)[[0, -1]] for name, rows in seen if rows.any()}
    if not ends:  # missing roles are reported later
        return own, ""
    last = len(own.times) - 1
    start, end = max(a for a, _ in ends.values()), min(b for _, b in ends.values())
    late = [name for name, (a, _) in ends.items() if a == start > 0]
    early = [name for name, (_, b) in ends.items() if b == end < last]
    rows = ((late, "before", start), (early, "after", end))
    texts = [f"{', '.join(x)} {word} {own.times[row]:.4g} s" for x, word, row in rows if x]
    limits = f" Not seen: {'; '.join(texts)}." if texts else ""
    if end <= start:
        raise ValueError(
            f"`trials` must have instants at which all markers are seen, got none.{limits}"
        )
    return own.between(own.times[start], own.times[end]), limits


def _horizontal_axes(vertical: str) -> list[int]:
    """Return the indices of the horizontal axes, right-handed with the upward axis."""
    up = AXES.index(vertical)
    return [(up + 1) % 3, (up + 2) % 3]


def _walkway(limbs: LowerLimbs, vertical: str) -> MarkerSegment:
    """Return a segment at rest, with the axes of the walkway, to which angles are relative."""
    # x is the walking direction, y points up, and z to the right
    pelvis, heel = limbs.frames["pelvis"].positions, limbs.feet["left"][:, 0]
    level = _horizontal_axes(vertical)
    forward, up = np.zeros(3), np.array([axis == vertical for axis in AXES], float)
    forward[level] = walking_direction(pelvis[:, level], (heel - pelvis)[:, level])
    axes = np.stack([forward, up, np.cross(forward, up)], axis=-1)
    turns, still = np.broadcast_to(axes, (len(pelvis), 3, 3)), np.zeros_like(pelvis)
    return massless_segment("walkway", Poses(turns, still, still[:, 0]))
