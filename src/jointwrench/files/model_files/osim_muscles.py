"""Muscles as they stand in OpenSim models: their paths, and what they wrap over."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sympy import Expr

from ...arithmetic.piecewise import Staircase
from ...checks.tolerances import BESIDE_RANGE
from ...muscles.ellipsoid import METHODS, Ellipsoid
from ...muscles.fiber_curves import (
    DeGrooteFregly2016Curves,
    FiberCurves,
    Millard2012Curves,
    Thelen2003Curves,
)
from ...muscles.muscle import Condition, Muscle, PathPoint, PathWrap, WrapObject
from ...muscles.surfaces import ActiveSide, Cylinder, Sphere, Surface
from ..xml_tree import Element, is_true, numbers_in, text_in
from .model_builder import exact
from .osim_frames import OsimFrame, OsimFrames, body_fixed_rotation
from .osim_functions import function_in, read_function

#: How the frame of a path's point is called, from the newest format to the oldest.
POINT_FRAMES = ("socket_parent_frame", "socket_parent_frame_connectee_name", "body")

#: How the coordinate of a point is called, likewise; of moving points with the axis before it.
COORDINATES = ("socket_{}coordinate", "socket_{}coordinate_connectee_name", "{}coordinate")


def is_muscle(element: Element) -> bool:
    """Return whether an element is a muscle: something with a path that is called so."""
    return "Muscle" in element.tag and element.find("GeometryPath") is not None


class MuscleReader:
    """What reads the muscles of a model.

    ``frames`` are the model's; ``coordinates`` its coordinates by their names, with limits.
    """

    def __init__(self, model: Element, frames: OsimFrames, coordinates: Mapping[str, Any]) -> None:
        self._frames, self._coordinates = frames, coordinates
        self._surfaces = dict(_wrap_objects(model, ""))

    def muscle(self, name: str, element: Element) -> Muscle:
        """Return a muscle; a ValueError says what of it cannot be read."""
        (path,) = element.all("GeometryPath")
        applies = is_true(element, "appliesForce", True)
        if not applies or is_true(element, "isDisabled", False):
            raise ValueError("it is turned off in the file.")
        points = tuple(self._points(name, path))
        if len(points) < 2:
            raise ValueError(f"{element} must have two or more points, got {len(points)}.")

        def number(tag: str, default: str | None = None) -> float:
            return float(numbers_in(element, tag, 1, default)[0])

        return Muscle(
            name,
            points,
            tuple(self._wraps(path, len(points))),
            maximal_isometric_force=number("max_isometric_force"),
            optimal_fiber_length=number("optimal_fiber_length"),
            tendon_slack_length=number("tendon_slack_length"),
            pennation_angle=number(_pennation(element), "0"),
            maximal_contraction_velocity=number("max_contraction_velocity", "10"),
            least_activation=number("min_control", "0.01"),
            most_activation=number("max_control", "1"),
            curves=_curves(element),
            largest_pennation_angle=number("maximum_pennation_angle", str(math.acos(0.1))),
        )

    # -- points -----------------------------------------------------------------------

    def _points(self, muscle: str, path: Element) -> Iterator[PathPoint]:
        holder = path.find("PathPointSet")
        objects = None if holder is None else holder.find("objects")
        for k, element in enumerate([] if objects is None else objects.children, 1):
            name = element.attributes.get("name") or f"{muscle}-P{k}"
            key = next((key for key in POINT_FRAMES if element.find(key) is not None), "body")
            frame = self._frames.at(text_in(element, key), f"/forceset/{muscle}/path", element)
            location = POINTS[element.tag](self, element) if element.tag in POINTS else None
            if location is None:
                raise ValueError(f"{element} must be one of the points {', '.join(POINTS)}.")
            condition = self._condition(element) if element.tag in CONDITIONAL else None
            yield PathPoint(name, frame.body, _in_body(frame, location), condition)

    def _fixed(self, element: Element) -> list[Expr]:
        return [exact(x) for x in numbers_in(element, "location", 3)]

    def _moving(self, element: Element) -> list[Expr]:
        location = []
        for axis in "xyz":
            function = function_in(element, f"{axis}_location")
            if function is None:
                raise ValueError(f"{element} has no <{axis}_location>.")
            coordinate = self._coordinate(element, f"{axis}_")
            x = coordinate.symbol
            if coordinate.limits.lower is not None:
                x = _clamped(x, coordinate.limits.lower, coordinate.limits.upper)
            location.append(read_function(function, [x]))
        return location

    def _condition(self, element: Element) -> Condition:
        least, most = numbers_in(element, "range", 2)
        return Condition(self._coordinate(element, "").symbol, float(least), float(most))

    def _coordinate(self, element: Element, prefix: str) -> Any:
        keys = [key.format(prefix) for key in COORDINATES]
        key = next((key for key in keys if element.find(key) is not None), keys[-1])
        name = text_in(element, key).split("/")[-1]
        if name not in self._coordinates:
            raise ValueError(f"{element} has the coordinate {name!r}, which is not there.")
        return self._coordinates[name]

    # -- surfaces -----------------------------------------------------------------------

    def _wraps(self, path: Element, count: int) -> Iterator[PathWrap]:
        holder = path.find("PathWrapSet")
        objects = None if holder is None else holder.find("objects")
        for element in [] if objects is None else objects.all("PathWrap"):
            name = text_in(element, "wrap_object")
            if name not in self._surfaces:
                raise ValueError(f"{element} is over {name!r}, which is not there.")
            body, found = self._surfaces[name]
            first, last = (int(x) for x in numbers_in(element, "range", 2, "-1 -1"))
            ends = max(first - 1, 0), (last if last > 0 else count) - 1
            method = text_in(element, "method", METHODS[0]).lower()
            yield PathWrap(self._wrap_object(name, body, found, method), *ends)

    def _wrap_object(self, name: str, body: str, element: Element, method: str) -> WrapObject:
        if element.tag not in SURFACES:
            raise ValueError(f"{element} is not read: only {', '.join(SURFACES)} are.")
        frame = self._frames.at(body, "/", element).offset(
            body_fixed_rotation(numbers_in(element, "xyz_body_rotation", 3, "0 0 0")),
            numbers_in(element, "translation", 3, "0 0 0"),
        )
        surface = SURFACES[element.tag](element, _side(element), method)
        active = is_true(element, "active", True)
        return WrapObject(name, frame.body, frame.rotation, frame.position, surface, active)


POINTS: dict[str, Callable[[MuscleReader, Element], list[Expr]]] = {
    "PathPoint": MuscleReader._fixed,
    "ConditionalPathPoint": MuscleReader._fixed,
    "MovingPathPoint": MuscleReader._moving,
    "MovingMusclePoint": MuscleReader._moving,
}

CONDITIONAL = {"ConditionalPathPoint"}


def _cylinder(element: Element, side: ActiveSide, _: str) -> Surface:
    radius, length = (float(numbers_in(element, key, 1, "1")[0]) for key in ("radius", "length"))
    return Cylinder(radius, length, side)


def _sphere(element: Element, side: ActiveSide, _: str) -> Surface:
    return Sphere(float(numbers_in(element, "radius", 1)[0]), side)


def _ellipsoid(element: Element, side: ActiveSide, method: str) -> Surface:
    x, y, z = map(float, numbers_in(element, "dimensions", 3))
    known = METHODS[0] if method == "unassigned" else method
    if known not in METHODS:
        raise ValueError(f"{element} must be wrapped over by a method of {', '.join(METHODS)}.")
    return Ellipsoid((x, y, z), side, known)


#: The surfaces that are read.
SURFACES: dict[str, Callable[[Element, ActiveSide, str], Surface]] = {
    "WrapCylinder": _cylinder,
    "WrapSphere": _sphere,
    "WrapEllipsoid": _ellipsoid,
}


#: The curves of each kind of muscle: for each number of theirs the element in which it is, and its
#: name there.
CURVES: dict[str, tuple[type, dict[str, tuple[str, ...]]]] = {
    "Thelen2003Muscle": (
        Thelen2003Curves,
        {
            "width": ("", "KshapeActive"),
            "shape": ("", "Af"),
            "most": ("", "Flen"),
            "straight_from": ("", "fv_linear_extrap_threshold"),
        },
    ),
    "Millard2012EquilibriumMuscle": (
        Millard2012Curves,
        {
            "least_length": ("ActiveForceLengthCurve", "min_norm_active_fiber_length"),
            "transition_length": ("ActiveForceLengthCurve", "transition_norm_fiber_length"),
            "most_length": ("ActiveForceLengthCurve", "max_norm_active_fiber_length"),
            "plateau_slope": ("ActiveForceLengthCurve", "shallow_ascending_slope"),
            "least_force": ("ActiveForceLengthCurve", "minimum_value"),
            "most": ("ForceVelocityCurve", "max_eccentric_velocity_force_multiplier"),
            "slopes": (
                "ForceVelocityCurve",
                "concentric_slope_at_vmax",
                "concentric_slope_near_vmax",
                "isometric_slope",
                "eccentric_slope_near_vmax",
                "eccentric_slope_at_vmax",
            ),
            "curviness": ("ForceVelocityCurve", "concentric_curviness", "eccentric_curviness"),
        },
    ),
    "DeGrooteFregly2016Muscle": (
        DeGrooteFregly2016Curves,
        {"width": ("", "active_force_width_scale")},
    ),
}


#: Fibres with less damping have none, in OpenSim.
LEAST_DAMPING = 0.001


def _curves(element: Element) -> FiberCurves | None:
    """Return the curves of a muscle's fibres; None for kinds whose curves are not known."""
    if element.tag not in CURVES:
        return None
    kind, places = CURVES[element.tag]
    numbers: dict[str, Any] = {}
    for key, (holder, *tags) in places.items():
        inside = element.find(holder) if holder else element
        usual = np.atleast_1d(getattr(kind, key))
        if inside is not None:
            found = (
                float(numbers_in(inside, tag, 1, str(default))[0])
                for tag, default in zip(tags, usual, strict=True)
            )
            numbers[key] = tuple(found) if len(tags) > 1 else next(found)
    curves = kind(**numbers)
    if isinstance(curves, Millard2012Curves):
        damping = float(numbers_in(element, "fiber_damping", 1, "0.1")[0])
        is_stiff = is_true(element, "ignore_tendon_compliance", False)
        return curves.in_opensim(is_stiff or damping >= LEAST_DAMPING)
    return curves


def _pennation(element: Element) -> str:
    keys = ("pennation_angle_at_optimal", "pennation_angle")
    return next((key for key in keys if element.find(key) is not None), keys[0])


def _side(element: Element) -> ActiveSide:
    word = text_in(element, "quadrant", "all").lower()
    if word in ("all", "unassigned"):
        return ActiveSide()
    if word.lstrip("+-") not in ("x", "y", "z"):
        raise ValueError(f"{element} must have a <quadrant> like all, x or -x, got {word!r}.")
    return ActiveSide("xyz".index(word[-1]), -1 if word.startswith("-") else 1)


def _clamped(x: Expr, least: float, most: float) -> Expr:
    """Return a coordinate within its range, as OpenSim takes it for moving points.

    A rounding beyond the end of the range the slope is still that within.
    """
    ends = least - BESIDE_RANGE, most + BESIDE_RANGE
    zero, one, low, high = (exact(number) for number in (0.0, 1.0, *ends))
    return Staircase(x, zero, low, one, high, zero) * x + Staircase(x, low, low, zero, high, high)


def _in_body(frame: OsimFrame, location: list[Expr]) -> tuple[Expr, Expr, Expr]:
    """Return a place in a frame as one in the frame of its body."""
    if np.array_equal(frame.rotation, np.eye(3)) and not frame.position.any():
        x, y, z = location
    else:
        x, y, z = (
            exact(shift) + sum(exact(e) * x for e, x in zip(row, location, strict=True))
            for shift, row in zip(frame.position, frame.rotation, strict=True)
        )
    return x, y, z


def _wrap_objects(element: Element, path: str) -> Iterator[tuple[str, tuple[str, Element]]]:
    """Yield what paths can wrap over: by name, with the path of its frame."""
    for child in element.children:
        if child.tag == "defaults":
            continue
        name = child.attributes.get("name")
        shelf = child.tag.lower() if not path and child.tag.endswith("Set") else None
        inner = path if name is None and shelf is None else f"{path}/{shelf or name}"
        if child.tag == "WrapObjectSet":
            objects = child.find("objects")
            for found in [] if objects is None else objects.children:
                yield found.attributes.get("name", ""), (path, found)
        else:
            yield from _wrap_objects(child, inner)


def in_free_coordinates(muscle: Muscle, couplings: Mapping[Expr, Expr]) -> Muscle:
    """Return a muscle whose path is told by the coordinates that determine others."""

    def point(own: PathPoint) -> PathPoint:
        x, y, z = (part.xreplace(couplings) for part in own.location)
        when = own.condition
        if when is not None:
            when = replace(when, formula=when.formula.xreplace(couplings))
        return replace(own, location=(x, y, z), condition=when)

    return replace(muscle, points=tuple(map(point, muscle.points)))
