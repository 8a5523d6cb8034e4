"""Reading the muscles of OpenSim models, with their paths and wrap surfaces."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.tolerances import RANGE_MARGIN
from ..extend import Staircase, exact
from ..records.data_rows import read_data_rows
from ..records.model_elements import BodyFrame
from ..records.xml_tree import Element, is_true, numbers_in, scalar_in, text_in
from .ellipsoid import METHODS, Ellipsoid
from .fiber_curves import DeGrooteFregly2016Curves, FiberCurves, Millard2012Curves, Thelen2003Curves
from .muscle import Condition, Muscle, PathPoint, PathWrap, WrapObject
from .osim_frames import OsimFrames, offset_frame, walk_with_paths
from .osim_functions import read_formula
from .surfaces import ActiveSide, Cylinder, Sphere, Surface

#: Names of the frame of a marker or path point, from the newest format to the oldest.
POINT_FRAMES = ("socket_parent_frame", "socket_parent_frame_connectee_name", "body")

#: Names of the coordinate of a point, in the same order; for moving points with the axis as prefix.
COORDINATES = ("socket_{}coordinate", "socket_{}coordinate_connectee_name", "{}coordinate")


#: The supported points.
POINTS = ("PathPoint", "ConditionalPathPoint", "MovingPathPoint", "MovingMusclePoint")

#: The numbers of a `Muscle` by their names in files, with their defaults.
NUMBERS = {
    "maximal_isometric_force": ("max_isometric_force",),
    "optimal_fiber_length": ("optimal_fiber_length",),
    "tendon_slack_length": ("tendon_slack_length",),
    "pennation_angle": ("pennation_angle_at_optimal", "0"),
    "maximal_contraction_velocity": ("max_contraction_velocity", "10"),
    "least_activation": ("min_control", "0.01"),
    "most_activation": ("max_control", "1"),
    "largest_pennation_angle": ("maximum_pennation_angle", str(math.acos(0.1))),
}


def is_muscle(element: Element) -> bool:
    """Return whether an element is a muscle: "Muscle" is in its tag, and it has a path."""
    return "Muscle" in element.tag and element.find("GeometryPath") is not None


class MuscleReader:
    """A reader of a model's muscles, which depend on the model's frames and coordinates."""

    def __init__(self, model: Element, frames: OsimFrames, coordinates: Mapping[str, Any]) -> None:
        self._frames, self._coordinates = frames, coordinates
        self._surfaces = {
            found.attributes.get("name", ""): (path, found)
            for path, shelf in walk_with_paths(model)
            if shelf.tag == "WrapObjectSet"
            for found in shelf.children_in("objects")
        }

    def muscle(self, name: str, element: Element) -> Muscle:
        """Return a muscle; a ValueError names an unsupported part."""
        (path,) = element.all("GeometryPath")
        if not is_true(element, "appliesForce", True) or is_true(element, "isDisabled", False):
            raise ValueError("it is turned off in the file.")
        points = tuple(self._points(name, path))
        if len(points) < 2:
            raise ValueError(f"{element} must have two or more points, got {len(points)}.")

        wraps = tuple(self._wraps(path, len(points)))
        numbers: dict[str, Any] = {key: scalar_in(element, *x) for key, x in NUMBERS.items()}
        if element.find("pennation_angle_at_optimal") is None:
            numbers["pennation_angle"] = scalar_in(element, "pennation_angle", "0")
        return Muscle(name, points, wraps, **numbers, curves=_read_curves(element))

    # -- points -----------------------------------------------------------------------

    def _points(self, muscle: str, path: Element) -> Iterator[PathPoint]:
        """Yield the points of a muscle's path."""
        for k, element in enumerate(path.children_in("PathPointSet", "objects"), 1):
            name = element.attributes.get("name") or f"{muscle}-P{k}"
            place = text_in(element, *POINT_FRAMES)
            frame = self._frames.at(place, f"/forceset/{muscle}/path", element)
            if element.tag not in POINTS:
                raise ValueError(f"{element} must be one of the points {', '.join(POINTS)}.")
            if element.tag.startswith("Moving"):
                location = [self._moving(element, axis) for axis in "xyz"]
            else:
                location = [exact(x) for x in numbers_in(element, "location", 3)]
            is_conditional = element.tag == "ConditionalPathPoint"
            condition = self._condition(element) if is_conditional else None
            yield PathPoint(name, frame.body, _express_in_body(frame, location), condition)

    def _moving(self, element: Element, axis: str) -> Expr:
        coordinate = self._coordinate(element, f"{axis}_")
        x = coordinate.symbol
        if coordinate.limits.lower is not None:
            x = _clamp(x, coordinate.limits.lower, coordinate.limits.upper)
        return read_formula(element, [x], f"{axis}_location")

    def _condition(self, element: Element) -> Condition:
        least, most = numbers_in(element, "range", 2)
        return Condition(self._coordinate(element, "").symbol, float(least), float(most))

    def _coordinate(self, element: Element, prefix: str) -> Any:
        name = text_in(element, *(key.format(prefix) for key in COORDINATES)).split("/")[-1]
        if name not in self._coordinates:
            raise ValueError(f"{element} has the coordinate {name!r}, which does not exist.")
        return self._coordinates[name]

    # -- surfaces -----------------------------------------------------------------------

    def _wraps(self, path: Element, count: int) -> Iterator[PathWrap]:
        """Yield the wraps of a path with ``count`` points; ranges in files count from 1."""
        wraps = (x for x in path.children_in("PathWrapSet", "objects") if x.tag == "PathWrap")
        for element in wraps:
            name = text_in(element, "wrap_object")
            if name not in self._surfaces:
                raise ValueError(f"{element} is over {name!r}, which does not exist.")
            body, found = self._surfaces[name]
            first, last = (int(x) for x in numbers_in(element, "range", 2, "-1 -1"))
            ends = max(first - 1, 0), (last if last > 0 else count) - 1
            method = text_in(element, "method", default=METHODS[0]).lower()
            yield PathWrap(self._wrap_object(name, body, found, method), *ends)

    def _wrap_object(self, name: str, body: str, element: Element, method: str) -> WrapObject:
        """Return a surface on a body, whose path is ``body``."""
        if element.tag not in SURFACES:
            raise ValueError(f"{element} is not read: only {', '.join(SURFACES)} are.")
        base = self._frames.at(body, "/", element)
        frame = offset_frame(base, element, "xyz_body_rotation", "translation")
        surface = SURFACES[element.tag](element, _read_side(element), method)
        active = is_true(element, "active", True)
        return WrapObject(name, frame.body, frame.rotation, frame.position, surface, active)


def _cylinder(element: Element, side: ActiveSide, _: str) -> Surface:
    return Cylinder(scalar_in(element, "radius", "1"), scalar_in(element, "length", "1"), side)


def _sphere(element: Element, side: ActiveSide, _: str) -> Surface:
    return Sphere(scalar_in(element, "radius"), side)


def _ellipsoid(element: Element, side: ActiveSide, method: str) -> Surface:
    x, y, z = map(float, numbers_in(element, "dimensions", 3))
    known = METHODS[0] if method == "unassigned" else method
    if known not in METHODS:
        raise ValueError(f"{element} must have a wrapping method among {', '.join(METHODS)}.")
    return Ellipsoid((x, y, z), side, known)


#: The supported surfaces.
SURFACES: dict[str, Callable[[Element, ActiveSide, str], Surface]] = {
    "WrapCylinder": _cylinder,
    "WrapSphere": _sphere,
    "WrapEllipsoid": _ellipsoid,
}


#: The curves of each kind of muscle.
CURVES: dict[str, type] = {
    "Thelen2003Muscle": Thelen2003Curves,
    "Millard2012EquilibriumMuscle": Millard2012Curves,
    "DeGrooteFregly2016Muscle": DeGrooteFregly2016Curves,
}

#: The numbers of curves, with the element and the names of each number in files.
NAMES = read_data_rows(__file__, "fiber_curves.csv")

#: Least damping of fibres in OpenSim; fibres with less damping are undamped.
LEAST_DAMPING = 0.001


def _read_curves(element: Element) -> FiberCurves | None:
    """Return the curves of a muscle's fibres, None for an unknown kind of muscle."""
    if element.tag not in CURVES:
        return None
    kind, numbers = CURVES[element.tag], dict[str, Any]()
    for row in (row for row in NAMES if row["muscle"] == element.tag):
        inside = element.find(row["element"]) if row["element"] else element
        tags, usual = row["names"].split(), np.atleast_1d(getattr(kind, row["number"]))
        if inside is not None:
            found = [scalar_in(inside, *pair) for pair in zip(tags, map(str, usual), strict=True)]
            numbers[row["number"]] = tuple(found) if len(tags) > 1 else found[0]
    curves = kind(**numbers)
    if isinstance(curves, Millard2012Curves):
        damping = scalar_in(element, "fiber_damping", "0.1")
        is_stiff = is_true(element, "ignore_tendon_compliance", False)
        return curves.in_opensim(is_stiff or damping >= LEAST_DAMPING)
    return curves


def _read_side(element: Element) -> ActiveSide:
    word = text_in(element, "quadrant", default="all").lower()
    if word in ("all", "unassigned"):
        return ActiveSide()
    if word.lstrip("+-") not in ("x", "y", "z"):
        raise ValueError(f"{element} must have a <quadrant> like all, x or -x, got {word!r}.")
    return ActiveSide("xyz".index(word[-1]), -1 if word.startswith("-") else 1)


def _clamp(x: Expr, least: float, most: float) -> Expr:
    """Return the formula of a coordinate clipped to its range, as in OpenSim for moving points."""
    # the range is extended by a tolerance, so that roundoff at its ends does not change the slope
    ends = least - RANGE_MARGIN, most + RANGE_MARGIN
    zero, one, low, high = (exact(number) for number in (0.0, 1.0, *ends))
    return Staircase(x, zero, low, one, high, zero) * x + Staircase(x, low, low, zero, high, high)


def _express_in_body(frame: BodyFrame, location: list[Expr]) -> tuple[Expr, Expr, Expr]:
    """Return a point of a frame in the frame of its body."""
    x, y, z = (
        exact(shift) + sum(exact(e) * x for e, x in zip(row, location, strict=True))
        for shift, row in zip(frame.position, frame.rotation, strict=True)
    )
    return x, y, z


def substitute_couplings(muscle: Muscle, couplings: Mapping[Expr, Expr]) -> Muscle:
    """Return a muscle whose path depends only on independent coordinates, by the couplings."""

    def point(own: PathPoint) -> PathPoint:
        x, y, z = (part.xreplace(couplings) for part in own.location)
        when = own.condition
        if when is not None:
            when = replace(when, formula=when.formula.xreplace(couplings))
        return replace(own, location=(x, y, z), condition=when)

    return replace(muscle, points=tuple(map(point, muscle.points)))
