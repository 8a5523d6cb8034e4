"""Gait from a trial, by an OpenSim model that follows the markers."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from .. import ExternalWrench, inverse_kinematics
from ..recordings.reactions import ground_reactions
from ..signals.smoothing import Smoothing
from .anthropometry import SIDES
from .clinical import ClinicalCurves, clinical_curves, free_angles
from .walks import ChangedCurves, Walk, walkway_axes

#: Prefixes of the symbols of masses, mass centres and moments of inertia.
OF_SEGMENTS = ("m_", "cx_", "cy_", "cz_", "Ixx_", "Iyy_", "Izz_")

OUTPUTS = ("generalized_forces", "joint_wrenches", "kinetic_energies", "body_powers")

#: Names, without the side, of the bodies of OpenSim's models on which the ground acts.
FEET = ("calcn", "foot")

#: The bodies whose angles are reported as those of pelvis and thorax.
TRUNK = ("pelvis", "torso")


class ModelWalks:
    """Gait by an OpenSim model that follows the markers; its dynamics are derived once."""

    def __init__(self, model: Any, weights: Mapping[str, float] | None, mass: Any) -> None:
        if getattr(model, "resizing", None) is None or "pelvis" not in model.bodies:
            raise ValueError(
                f"`model` must be one of read_osim with a pelvis and feet, got {model!r:.60}."
            )
        self._model, self._weights = model, weights
        self.markers = {name: name for name in model.markers}
        known = dict(model.constants)
        whole = sum(body.mass for body in model.bodies.values())
        self._mass = float(whole.subs(known)) if mass is None else mass
        self._points, self._grounds = {"pelvis": model.origins["pelvis"]}, {}
        loaded = model.resizing.with_markers({})  # a copy, to which loads are added
        for side in SIDES:
            foot = _foot(model, side)
            beyond = [x.parent_point for x in model.joints.values() if x.parent.name == foot]
            toe = beyond[0] if beyond else model.bodies[foot].masscenter
            self._points |= {f"heel {side}": model.origins[foot], f"toe {side}": toe}
            self._grounds[side] = ExternalWrench(loaded.system, foot, f"ground_{side}")
        idyn = loaded.inverse_dynamics()
        self._evaluate = idyn.compile(OUTPUTS, backend="numpy")
        self._constants = {s: known[s] for s in idyn.constants if s in known}

    def __call__(
        self,
        trial: Any,
        vertical: str,
        smooth: Mapping[str, Any],
        plate_filter: Mapping[str, Any],
        frame: str,
    ) -> Walk:
        markers = trial.markers.in_metres()
        seen = markers.only([name for name in self._model.markers if name in markers.names])
        options: dict[str, Any] = {"weights": self._weights, "smoothing": Smoothing(**smooth)}
        fitted = inverse_kinematics(self._model, seen, **options)
        motion = fitted.motion
        frames = {n: x.frame for n, x in self._model.bodies.items() if n in TRUNK}
        kinematics = self._model.kinematics(points=self._points, frames=frames)
        places = kinematics.compile(["positions", "orientations"], backend="numpy")
        given = {s: x for s, x in self._constants.items() if s in places.inputs["constants"]}
        moving = places(motion, constants=given)
        paths, turns = (
            moving.positions,
            dict(zip(frames, moving.orientations.swapaxes(0, 1), strict=True)),
        )
        feet = {s: paths[:, 1 + 2 * k : 3 + 2 * k] for k, s in enumerate(SIDES)}
        reactions = ground_reactions(trial.plates, motion.times, feet, **plate_filter)
        specifieds: dict[Any, np.ndarray] = {}
        for side, ground in self._grounds.items():
            specifieds |= ground.specifieds(reactions.plates[side])
        result = self._evaluate(motion, constants=self._constants, specifieds=specifieds)
        (base,) = (n for n, x in self._model.joints.items() if x.child.name == "pelvis")
        balance = result.energy_balance(base)
        curves = _by_side(clinical_curves(result.per_mass(self._mass), frame=frame))
        way = walkway_axes(paths[:, 0], feet["left"][:, 0], vertical)
        for side in SIDES:
            curves[side] |= _trunk(side, way, turns)
        found = reactions, curves, dict.fromkeys(SIDES, balance), self._mass
        walk = Walk(motion.times, feet, paths[:, 0], *found)
        changed = partial(self._changed, fitted, specifieds, reactions.plates, frame)
        return walk._replace(residual=balance.residuals[base][:, :3], changed=changed)

    def _changed(
        self, fitted: Any, specifieds: Any, plates: Any, frame: str, errors: Mapping[str, float]
    ) -> Iterator[ChangedCurves]:
        """Yield the curves with each error alone, of a small fraction of its standard deviation."""
        from .report_errors import SMALL_PART, changed_wrenches

        steps = {kind: SMALL_PART * size for kind, size in errors.items()}
        motion = fitted.motion
        states = {name: getattr(motion, name) for name in ("q", "u", "udot")}

        def curves(
            moved: Mapping[str, Any] = states, constants: Any = (), loads: Any = ()
        ) -> Mapping[str, Mapping[str, np.ndarray]]:
            given = self._constants | dict(constants), specifieds | dict(loads)
            result = self._evaluate(*moved.values(), *given, motion.times)
            return _by_side(clinical_curves(result.per_mass(self._mass), frame=frame))

        if "markers" in steps:
            for name, change in fitted.misplaced(steps["markers"]).items():
                yield ("markers", name), curves({n: x + change[n] for n, x in states.items()})
        if "segments" in steps:
            own = [s for s in self._constants if s.name.startswith(OF_SEGMENTS)]
            if not own:
                raise ValueError(
                    "`errors` of segments must be of a model whose segments have symbols. Use "
                    "read_osim(..., symbolic=True)."
                )
            for s in own:
                value = self._constants[s] * (1 + steps["segments"])
                yield ("segments", s.name), curves(constants={s: value})
        for side, ground in self._grounds.items():
            for (kind, text), wrench in changed_wrenches(plates[side], steps):
                yield (kind, side + text), curves(loads=ground.specifieds(wrench))


def _trunk(side: str, way: np.ndarray, turns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the curves of pelvis and trunk, whose axes are x forward and y up."""
    pelvis = turns["pelvis"]
    found = free_angles(f"pelvis_{side}", way.T @ pelvis)
    if (thorax := turns.get("torso")) is not None:
        found |= free_angles(f"thorax_{side}", way.T @ thorax)
        found |= free_angles(f"spine_{side}", pelvis.swapaxes(-1, -2) @ thorax)
    return found


def _foot(model: Any, side: str) -> str:
    """Return the name of the body of a side on which the ground acts."""
    names = [f"{foot}_{end}" for foot in FEET for end in (side[0], side)]
    found = [name for name in names if name in model.bodies]
    if not found:
        raise ValueError(f"`model` must have a body among {', '.join(names)}, it has none.")
    return found[0]


def _by_side(curves: ClinicalCurves) -> dict[str, dict[str, np.ndarray]]:
    """Return curves of both sides, with "left" and "right" in their names."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for side in SIDES:
        pairs = [(name, end) for name in curves for end in (side[0], side) if f"_{end}_" in name]
        found[side] = {n.replace(f"_{e}_", f"_{side}_", 1): curves[n] for n, e in pairs}
    return found
