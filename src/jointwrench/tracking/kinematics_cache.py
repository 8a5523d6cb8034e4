"""The cache of a model's compiled kinematics, which several records of markers share."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sympy.physics.mechanics import Point, System

from ..checks.arguments import check_instance
from ..mechanics.adapters.private_sympy import stated_positions
from ..mechanics.methods.kinematics import Kinematics
from ..model_files.model_from_file import ModelFromFile


def get_kinematics(model: Any, points: Mapping[str, Any], frames: Mapping[str, Any]) -> Kinematics:
    """Return the kinematics of a model with at least the named points and frames, cached."""
    if isinstance(model, Kinematics) and _has(model, points, frames):
        return model  # with the code that it has compiled already
    if isinstance(model, ModelFromFile):
        cached, places = model.cache.get("kinematics", (None, []))
        if cached is None or not _has(cached, points, frames) or not _is_unchanged(cached, places):
            all_points = {**model.markers, **points}
            own: Kinematics = model.kinematics(points=all_points, frames=dict(frames))
            places = [(x, dict(stated_positions(x))) for x in own._observed.given_points.values()]
            cached, _ = model.cache["kinematics"] = own, places
        return cached
    if hasattr(model, "kinematics"):
        found = model.kinematics(points=dict(points), frames=dict(frames))
        return found
    return Kinematics(tracked_system(model), dict(points), dict(frames))


def _has(kinematics: Kinematics, points: Mapping[str, Any], frames: Mapping[str, Any]) -> bool:
    known = kinematics._observed
    has_points = points.items() <= known.given_points.items()
    return has_points and frames.items() <= known.given_frames.items()


def _is_unchanged(kinematics: Kinematics, places: list[tuple[Point, dict[Point, Any]]]) -> bool:
    """Whether the System and its points have not changed since the kinematics was compiled."""
    with suppress(ValueError):
        kinematics.model.tree.fingerprint.check()
        return all(old.items() <= stated_positions(x).items() for x, old in places)
    return False


def tracked_system(model: Any) -> System:
    """Return the System of a model; refuse other objects."""
    fix = "Use a System, a model of read_osim(...), or an InverseDynamics."
    system = getattr(model, "system", model)
    return check_instance("model", system, System, "a System, or have one as .system", fix)


def get_model_mapping(model: Any, name: str) -> Mapping[Any, Any]:
    """Return a mapping that a model from a file has, such as "limits"; empty for other models."""
    found = getattr(model, name, None)
    return found if isinstance(found, Mapping) else {}
