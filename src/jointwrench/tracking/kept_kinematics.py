"""A cache of a model's compiled kinematics, for the next record of its markers."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sympy.physics.mechanics import System

from ..checks.arguments import check_instance
from ..described.model_from_file import ModelFromFile
from ..mechanics.adapters.private_sympy import stated_positions
from ..mechanics.mechanism.changes import Relations
from ..mechanics.methods.kinematics import Kinematics


class KeptKinematics:
    """The kinematics of all markers of a model, until they or the System change."""

    def __init__(self, model: ModelFromFile, points: Mapping[str, Any], frames: Any) -> None:
        own = {**model.markers, **points}
        self.kinematics = model.kinematics(points=own, frames=dict(frames))
        places = set(self.kinematics._observed.given_points.values())
        near = {other for place in places for other in stated_positions(place)}
        self._places = Relations.of(stated_positions, places, near)

    def serves(self, points: Mapping[str, Any], frames: Mapping[str, Any]) -> bool:
        """Whether it has these points and frames, and the model is unchanged."""
        if not _has(self.kinematics, points, frames) or self._places.changed:
            return False
        with suppress(ValueError):
            self.kinematics.model.tree.fingerprint.check()
            return True
        return False


def kinematics_of(model: Any, points: Mapping[str, Any], frames: Mapping[str, Any]) -> Kinematics:
    """Return the kinematics of at least these points and frames of a model."""
    if isinstance(model, Kinematics) and _has(model, points, frames):
        return model  # what it has compiled already serves again
    if isinstance(model, ModelFromFile):
        kept = model.kept.get("kinematics")
        if kept is None or not kept.serves(points, frames):
            kept = model.kept["kinematics"] = KeptKinematics(model, points, frames)
        found: Kinematics = kept.kinematics
        return found
    if hasattr(model, "kinematics"):
        found = model.kinematics(points=dict(points), frames=dict(frames))
        return found
    return Kinematics(tracked_system(model), dict(points), dict(frames))


def _has(kinematics: Kinematics, points: Mapping[str, Any], frames: Mapping[str, Any]) -> bool:
    known = kinematics._observed
    has_points = points.items() <= known.given_points.items()
    return has_points and frames.items() <= known.given_frames.items()


def tracked_system(model: Any) -> System:
    fix = "Use a System, a model of read_osim(...), or an InverseDynamics."
    system = getattr(model, "system", model)
    return check_instance("model", system, System, "a System, or have one as .system", fix)


def stated_by(model: Any, name: str) -> Mapping[Any, Any]:
    """Return an attribute by coordinates of a model from a file; empty for other models."""
    found = getattr(model, name, None)
    return found if isinstance(found, Mapping) else {}
