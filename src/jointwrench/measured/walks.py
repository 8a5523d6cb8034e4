"""How somebody walks, from a trial: by segments of the markers, or by a model that follows them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..motion.smoothing import Smoothing
from ..records.laboratory import unit_factor
from .anthropometry import Person
from .body_models import SIDES
from .clinical import ClinicalCurves, clinical_curves
from .external_wrench import ExternalWrench
from .force_plate import ForcePlate
from .ground_contact import AXES, OFF, STRIKE, Event, gait_events
from .ground_reactions import GRAVITY, GroundReactions, ground_reactions
from .lower_limbs import lower_limbs, roles_of
from .marker_paths import Markers
from .segment_wrenches import segment_wrenches
from .tracking.inverse_kinematics import inverse_kinematics

#: Measures in Vicon's files, in mm, with a side before; by what they are for `lower_limbs`.
MEASURES = {"leg_length": "LegLength", "knee_width": "KneeWidth", "ankle_width": "AnkleWidth"}

#: Within what part of a stance events of markers and of plates are the same.
PART = 0.3

#: What the body is called in models of OpenSim on which the ground acts, without its side.
FEET = ("calcn", "foot")


class GaitTrial(NamedTuple):
    """Markers and plates of other files than C3D, for `gait_report`.

    Parameters
    ==========

    markers : Markers
        For instance of `read_trc`.
    plates : sequence of ForcePlate
        In the same axes: ``[load.plate for load in read_external_loads(path)]``.
    events : sequence of Event, optional
        Foot strikes and offs.  Default: found from plates and markers.

    See Also
    ========

    gait_report : What it is for.
    read_c3d : Trials of C3D files.

    Examples
    ========

    >>> import jointwrench as jw
    >>> folder = jw.example_data("whole_trial")
    >>> plates = [load.plate for load in jw.read_external_loads(folder / "walk_grf.xml")]
    >>> trial = jw.GaitTrial(jw.read_trc(folder / "walk.trc"), plates)
    >>> len(trial.markers.names), len(trial.plates)
    (41, 2)
    """

    markers: Markers
    plates: Sequence[ForcePlate] = ()
    events: Sequence[Event] = ()


class Walk(NamedTuple):
    """What a trial tells of somebody's walking.

    ``feet``: heel and toe (N, 2, 3) by side; ``pelvis`` (N, 3); ``curves`` per mass, by side, with
    names as "knee_left_flexion"; ``mass`` of the person.
    """

    times: np.ndarray
    feet: dict[str, np.ndarray]
    pelvis: np.ndarray
    reactions: GroundReactions
    curves: Mapping[str, Mapping[str, np.ndarray]]
    mass: float

    def events(self, vertical: str) -> list[Event]:
        """Return strikes and offs as places tell them, and plates where they do."""
        found = [
            event
            for side, feet in self.feet.items()
            for event in gait_events(
                self.times, feet[:, 0], feet[:, 1], self.pelvis, side, vertical
            )
        ]
        room = 2 * float(np.median(np.diff(self.times)))
        for step in (step for step in self.reactions.steps if step.foot):
            close = PART * (step.end - step.start)
            own = [Event(step.start, STRIKE, step.foot), Event(step.end, OFF, step.foot)]
            inside = [e for e in own if self.times[0] + room < e.time < self.times[-1] - room]
            found = inside + [
                e
                for e in found
                if e.side != step.foot or not step.start - close < e.time < step.end + close
            ]
        return sorted(found)


def walk_of_segments(
    trial: Any,
    person: Person,
    vertical: str,
    smooth: Mapping[str, Any],
    plate_filter: Mapping[str, Any],
    frame: str,
    options: Mapping[str, Any],
) -> Walk:
    """Return a walk by the segments of the markers; ``options`` are those of `lower_limbs`."""
    sizes = _measures(trial) | {name: x for name, x in options.items() if name != "hip"}
    method = options["hip"] or ("davis" if "leg_length" in sizes else "harrington")
    markers = _whole(trial.markers, options["marker_set"])
    limbs = lower_limbs(markers, person, hip=method, **sizes)
    reactions = ground_reactions(trial.plates, limbs.times, limbs.feet, **plate_filter)
    gravity = [-GRAVITY * (axis == vertical) for axis in AXES]
    curves = {}
    for side in SIDES:
        loads = {f"foot_{side}": reactions.plates[side]} if trial.plates else {}
        result = segment_wrenches(limbs.times, limbs.segments(side), loads, gravity, **smooth)
        curves[side] = clinical_curves(result.per_mass(person.mass), frame=frame)
    pelvis = limbs.frames["pelvis"].positions
    return Walk(limbs.times, limbs.feet, pelvis, reactions, curves, person.mass)


class ModelWalks:
    """Walks by a model of OpenSim that follows the markers; its dynamics are derived once."""

    def __init__(self, model: Any, weights: Mapping[str, float] | None, mass: Any) -> None:
        if getattr(model, "resizing", None) is None or "pelvis" not in model.bodies:
            raise ValueError(
                f"`model` must be one of read_osim with a pelvis and feet, got {model!r:.60}."
            )
        self._model, self._weights = model, weights
        known = dict(model.constants)
        whole = sum(body.mass for body in model.bodies.values())
        self._mass = float(whole.subs(known)) if mass is None else mass
        feet = {side: _foot(model, side) for side in SIDES}
        self._points = {"pelvis": model.origins["pelvis"]}
        for side, foot in feet.items():
            beyond = [x.parent_point for x in model.joints.values() if x.parent.name == foot]
            toe = beyond[0] if beyond else model.bodies[foot].masscenter
            self._points |= {f"heel {side}": model.origins[foot], f"toe {side}": toe}
        loaded = model.resizing.with_markers({})  # a copy, which gets the loads
        self._grounds = {
            side: ExternalWrench(loaded.system, foot, f"ground_{side}")
            for side, foot in feet.items()
        }
        idyn = loaded.inverse_dynamics()
        self._evaluate = idyn.compile(backend="numpy")
        self._constants = {s: known[s] for s in idyn.constants if s in known}

    def __call__(
        self, trial: Any, smooth: Mapping[str, Any], plate_filter: Mapping[str, Any], frame: str
    ) -> Walk:
        markers = trial.markers.in_metres()
        seen = markers.only([name for name in self._model.markers if name in markers.names])
        motion = inverse_kinematics(
            self._model, seen, weights=self._weights, smoothing=Smoothing(**smooth)
        ).motion
        kinematics = self._model.kinematics(points=self._points, frames={})
        places = kinematics.compile("positions", backend="numpy")
        given = {s: x for s, x in self._constants.items() if s in places.inputs["constants"]}
        paths = places(motion, constants=given).positions
        feet = {s: paths[:, 1 + 2 * k : 3 + 2 * k] for k, s in enumerate(SIDES)}
        reactions = ground_reactions(trial.plates, motion.times, feet, **plate_filter)
        specifieds: dict[Any, np.ndarray] = {}
        for side, ground in self._grounds.items():
            specifieds |= ground.specifieds(reactions.plates[side])
        result = self._evaluate(motion, constants=self._constants, specifieds=specifieds)
        curves = _by_side(clinical_curves(result.per_mass(self._mass), frame=frame))
        return Walk(motion.times, feet, paths[:, 0], reactions, curves, self._mass)


def _foot(model: Any, side: str) -> str:
    """Return the name of the body of a side on which the ground acts."""
    names = [f"{foot}_{end}" for foot in FEET for end in (side[0], side)]
    found = [name for name in names if name in model.bodies]
    if not found:
        raise ValueError(f"`model` must have a body among {', '.join(names)}, it has none.")
    return found[0]


def _by_side(curves: ClinicalCurves) -> dict[str, Mapping[str, np.ndarray]]:
    """Return curves of both sides with their sides in words."""
    found: dict[str, Mapping[str, np.ndarray]] = {}
    for side in SIDES:
        pairs = [(name, end) for name in curves for end in (side[0], side) if f"_{end}_" in name]
        found[side] = {n.replace(f"_{e}_", f"_{side}_", 1): curves[n] for n, e in pairs}
    return found


def _subject(trial: Any) -> Any:
    """Return who was measured, if the file knows it."""
    return getattr(trial, "subject", None)


def person_of(trial: Any, mass: Any, height: Any, table: Any) -> Person:
    """Return who walks, of a file that says it or of what is given."""
    values = {"mass": mass, "height": height}
    for name, value in values.items():
        values[name] = getattr(_subject(trial), name, None) if value is None else value
        if values[name] is None:
            unit = "kilograms" if name == "mass" else "metres"
            raise ValueError(
                f"`{name}` must be given, since the file does not have it. Use {name}=... in "
                f"{unit}."
            )
    return Person(values["height"], values["mass"], table)


def _measures(trial: Any) -> dict[str, float]:
    """Return lengths and widths that Vicon's files have, in metres: means of both sides."""
    found, known = {}, getattr(_subject(trial), "measures", {})
    for name, word in MEASURES.items():
        sides = [known.get(f"{side}{word}", 0.0) for side in "LR"]
        if min(sides) > 0:
            found[name] = float(np.mean(sides)) * (unit_factor("length", "mm") or 1.0)
    return found


def _whole(markers: Markers, marker_set: Any) -> Markers:
    """Return the markers of a set without gaps, while all of them are seen."""
    names = dict.fromkeys(roles_of(marker_set).values())  # a sacrum may be both posterior spines
    own = markers.in_metres().only([name for name in names if name in markers.names]).smoothed()
    seen = np.flatnonzero(np.isfinite(own.positions).all(axis=(1, 2)))
    if len(seen) < 2:
        raise ValueError("`trials` must have instants at which all markers are seen, got none.")
    return own.between(own.times[seen[0]], own.times[seen[-1]])
