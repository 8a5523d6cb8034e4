"""The elements of an OpenSim model: bodies, joints, constraints, muscles, and all problems."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from sympy import Expr, S, cos, sin

from .. import Limits
from ..checks.arguments import enumerate_some
from ..extend import ModelBuilder, exact
from ..records.consequences import CONSEQUENCES
from ..records.model_elements import BodyFrame, Elements, Inertial, has_direction, symmetric
from ..records.xml_tree import Element, is_true, numbers_in, scalar_in, text_in
from .muscle import Muscle
from .osim_frames import GROUND, OsimFrames, offset_frame
from .osim_functions import read_formula
from .osim_muscles import POINT_FRAMES, MuscleReader, is_muscle

#: The motions of each type of joint in the order of its coordinates: rotations about X, Y and Z,
#: each in the rotated frame, and translations along the parent frame's x, y and z.
MOTIONS = {
    "WeldJoint": "",
    "PinJoint": "Z",
    "SliderJoint": "x",
    "UniversalJoint": "XY",
    "BallJoint": "XYZ",
    "GimbalJoint": "XYZ",
    "EllipsoidJoint": "XYZ",
    "PlanarJoint": "Zxy",
    "FreeJoint": "XYZxyz",
    "CustomJoint": "",
}

#: The constraints that become loops, as kinds of `LoopJoint`.
LOOPS = {"PointConstraint": "spherical", "WeldConstraint": "weld"}

COUPLER = "CoordinateCouplerConstraint"

#: The force that becomes a `ForceActuator`.
SPRING = "PointToPointSpring"

#: Elements that are read, or that exert no forces.
READ = {"Ground", "BodySet", "JointSet", "ConstraintSet", "MarkerSet"}

#: An angle with its axis.
Turn = tuple[Expr, list[Expr]]


class OsimCoordinate(NamedTuple):
    """A coordinate of a joint: its symbol, range, default value, and flags in the file."""

    name: str
    symbol: Expr
    limits: Limits
    default: float
    is_locked: bool = False
    is_clamped: bool = False


@dataclass(eq=False)
class OsimJoint:
    """A joint: its frames on both bodies, and the child frame's motion in the parent frame.

    ``translation`` has three formulas of the coordinates, ``rotations`` successive angles with
    their axes.
    """

    element: Element
    name: str
    parent: BodyFrame
    child: BodyFrame
    coordinates: list[OsimCoordinate]
    translation: list[Expr] = field(default_factory=lambda: [S.Zero] * 3)
    rotations: list[Turn] = field(default_factory=list)


class OsimLoop(NamedTuple):
    """A constraint that fixes two points or frames to each other."""

    name: str
    kind: str
    first: BodyFrame
    second: BodyFrame


class OsimSpring(NamedTuple):
    """A spring between two points, with its stiffness and its relaxed length."""

    name: str
    ends: tuple[BodyFrame, BodyFrame]
    stiffness: float
    rest: float


@dataclass(eq=False)
class OsimElements(Elements):
    """The elements of a model; ground is not among the bodies.

    Attributes
    ==========

    document, marker_set, model : Element
        The file, a file with further markers or None, and the element of the model.
    inertials : dict of str to Inertial
        The bodies.
    ordered : list of OsimJoint
        The joints, from ground outward.
    loops : list of OsimLoop
        The constraints that close loops.
    springs : list of OsimSpring
        The springs between points.
    couplings : dict of Expr to Expr
        Dependent coordinates, as formulas of the others.
    markers, muscles : dict of str to BodyFrame, dict of str to Muscle
        Frames at markers, and muscles, by name.
    gravity : numpy.ndarray, shape (3,)
        The gravitational acceleration.
    """

    document: Element
    marker_set: Element | None = None
    model: Element = field(init=False)
    inertials: dict[str, Inertial] = field(default_factory=dict)
    ordered: list[OsimJoint] = field(default_factory=list)
    loops: list[OsimLoop] = field(default_factory=list)
    springs: list[OsimSpring] = field(default_factory=list)
    couplings: dict[Expr, Expr] = field(default_factory=dict)
    markers: dict[str, BodyFrame] = field(default_factory=dict)
    muscles: dict[str, Muscle] = field(default_factory=dict)
    gravity: np.ndarray = field(default_factory=lambda: np.array([0, -9.80665, 0]))

    def __post_init__(self) -> None:
        model = self.document.find("Model")
        if self.document.tag != "OpenSimDocument" or model is None:
            self.problems.add(f"{self.document} must be <OpenSimDocument> with a <Model>.")
            return
        self.model = model
        self.gravity = self._numbers(model, "gravity", "0 -9.80665 0")
        self._bodies = dict(self.iterate_named(model.children_in("BodySet", "objects")))
        self._bodies.pop(GROUND, None)
        self._frames = OsimFrames(model, [*self._bodies])
        for name, element in self._bodies.items():
            self.problems.check(self._read_body, name, element)
        count = len(self.problems)
        joints = [*self._read_joints()]
        self._check_names(joints)
        self._order(joints, is_complete=len(self.problems) == count)
        coordinates = {x.name: x for joint in joints for x in joint.coordinates}
        self._symbols = {name: x.symbol for name, x in coordinates.items()}
        for element in model.children_in("ConstraintSet", "objects"):
            self.problems.check(self._read_constraint, element)
        self.problems.check(self._resolve_couplings)
        for holder in filter(None, (model, self.marker_set)):
            for name, element in self.iterate_named(holder.children_in("MarkerSet", "objects")):
                self.problems.check(self._read_marker, name, element)
        reader = MuscleReader(model, self._frames, coordinates)
        unread: dict[tuple[str, str], list[str]] = {}
        for holder in model.children:
            for element in holder.children_in("objects"):
                name = element.attributes.get("name", "")
                if is_muscle(element):
                    try:
                        self.muscles[name] = reader.muscle(name, element)
                    except ValueError as error:
                        self.left_out.append(f"{element}: {error}")
                elif holder.tag not in READ:
                    key = element.tag, _consequence(holder, element)
                    if key == (SPRING, CONSEQUENCES["ForceSet"]):
                        self.problems.check(self._read_spring, name, element)
                        continue
                    unread.setdefault(key, []).append(element.attributes.get("name", "?"))
        for (tag, consequence), names in unread.items():
            self.leave_out(f"<{tag}> of {', '.join(names)}", consequence)

    def _numbers(self, element: Element, tag: str, default: str) -> np.ndarray:
        """Return the numbers of a child, or the default if they are missing or wrong."""
        usual = np.array(default.split(), float)
        found = self.problems.check(numbers_in, element, tag, len(usual), default)
        return usual if found is None else found

    # -- bodies -----------------------------------------------------------------------

    def _read_body(self, name: str, element: Element) -> None:
        """Add a body's mass, mass centre and inertia, in the format of OpenSim 4 or older."""
        self.inertials[name] = Inertial()
        mass, center = scalar_in(element, "mass"), numbers_in(element, "mass_center", 3, "0 0 0")
        is_old = element.find("inertia_xx") is not None
        if element.find("inertia") is None and (is_old or not mass):
            keys = ("xx", "yy", "zz", "xy", "xz", "yz")
            moments = [scalar_in(element, f"inertia_{key}", "0") for key in keys]
        else:
            moments = [*numbers_in(element, "inertia", 6)]
        self.inertials[name] = Inertial(mass, center, symmetric(*moments))
        self.check_inertial(str(element), self.inertials[name])

    # -- joints -----------------------------------------------------------------------

    def _read_joints(self) -> Iterator[OsimJoint]:
        """Yield the joints of a JointSet, and in older files the joints in bodies."""
        sets: dict[str | None, list[Element]] = {
            None: self.model.children_in("JointSet", "objects")
        }
        sets |= {body: element.children_in("Joint") for body, element in self._bodies.items()}
        found = {key: (x, body) for body, own in sets.items() for key, x in self.iterate_named(own)}
        for name, (element, body) in found.items():
            joint = self.problems.check(self._read_joint, name, element, body)
            if joint is not None:
                yield joint

    def _read_joint(self, name: str, element: Element, body: str | None) -> OsimJoint:
        """Return a joint; ``body`` is the body whose element contains it, or None."""
        if element.tag not in MOTIONS:
            raise ValueError(f"{element} must be one of the joints {', '.join(MOTIONS)}.")
        parent, child = self._ends(name, element, body)
        if parent.body == child.body:
            raise ValueError(f"{element} connects the body {child.body!r} with itself.")
        if is_true(element, "reverse", False):
            parent, child = child, parent
        joint = OsimJoint(element, name, parent, child, self._coordinates(name, element))
        if element.tag == "CustomJoint":
            self._read_transform(joint)
        else:
            _set_motion(joint)
        if element.tag == "EllipsoidJoint":
            joint.translation = _ellipsoid_translation(joint)
        return joint

    def _ends(self, name: str, element: Element, body: str | None) -> tuple[BodyFrame, BodyFrame]:
        """Return the parent and the child frame of a joint."""
        if body is None:
            paths = (text_in(element, f"socket_{x}_frame") for x in ("parent", "child"))
            parent, child = (self._frames.at(x, f"/jointset/{name}", element) for x in paths)
            return parent, child
        outer = self._frames.at(text_in(element, "parent_body"), "/bodyset", element)
        return (
            offset_frame(outer, element, "orientation_in_parent", "location_in_parent"),
            offset_frame(BodyFrame(body), element, "orientation", "location"),
        )

    def _coordinates(self, name: str, element: Element) -> list[OsimCoordinate]:
        """Return the coordinates of a joint, or those with OpenSim's default names."""
        is_new = element.find("coordinates") is not None
        found = element.children_in(*(("coordinates",) if is_new else ("CoordinateSet", "objects")))
        named = self.iterate_named(x for x in found if x.tag == "Coordinate")
        coordinates = [self._coordinate(key, x) for key, x in named]
        count = len(MOTIONS[element.tag])
        if element.tag != "CustomJoint" and len(coordinates) not in (0, count):
            raise ValueError(f"{element} must have {count} coordinates, got {len(coordinates)}.")
        if coordinates or element.tag == "CustomJoint":
            return coordinates
        names = [f"{name}_coord_{k}" for k in range(count)]
        return [OsimCoordinate(x, ModelBuilder.coordinate(x), Limits(), 0.0) for x in names]

    def _coordinate(self, name: str, element: Element) -> OsimCoordinate:
        """Return a coordinate; locked and prescribed coordinates are listed as free."""
        for flag in ("locked", "prescribed"):
            if is_true(element, flag, False):
                self.left_out.append(f"{element} is {flag} in the file; here it is free")
        limits = Limits()
        if element.find("range") is not None:
            limits = Limits(*map(float, self._numbers(element, "range", "0 0")))
        default = float(self._numbers(element, "default_value", "0")[0])
        flags = (is_true(element, flag, False) for flag in ("locked", "clamped"))
        return OsimCoordinate(name, ModelBuilder.coordinate(name), limits, default, *flags)

    def _read_transform(self, joint: OsimJoint) -> None:
        """Set the motion of a CustomJoint from its SpatialTransform."""
        transform = joint.element.find("SpatialTransform")
        if transform is None:
            raise ValueError(f"{joint.element} has no <SpatialTransform>.")
        shift = np.array([S.Zero] * 3)
        own = {x.name: x.symbol for x in joint.coordinates}
        for axis in transform.all("TransformAxis"):
            found = self.problems.check(_read_axis, axis, joint.element, own)
            if found is None:
                continue
            formula, direction = found
            if axis.attributes.get("name", "").startswith("translation"):
                shift = shift + formula * np.array([*map(exact, direction)])
            elif formula != 0:
                joint.rotations.append((formula, [*map(exact, direction)]))
        joint.translation = [*shift]

    def _read_marker(self, name: str, element: Element) -> None:
        frame = self._frames.at(text_in(element, *POINT_FRAMES), f"/markerset/{name}", element)
        self.markers[name] = frame.offset(np.eye(3), numbers_in(element, "location", 3))

    # -- constraints --------------------------------------------------------------------

    def _read_constraint(self, element: Element) -> None:
        """Add a constraint to couplings or loops; list disabled and unsupported constraints."""
        is_on = is_true(element, "isEnforced", True) and not is_true(element, "isDisabled", False)
        if not is_on or element.tag not in {*LOOPS, COUPLER}:
            ending = "" if is_on else ", which is not enforced"
            self.leave_out(f"{element}{ending}", CONSEQUENCES["ConstraintSet"] if is_on else "")
        elif element.tag == COUPLER:
            self._read_coupling(element)
        else:
            name = element.attributes.get("name", "")
            ends = (self._end_of_loop(name, element, k) for k in "12")
            self.loops.append(OsimLoop(name, LOOPS[element.tag], *ends))

    def _end_of_loop(self, name: str, element: Element, k: str) -> BodyFrame:
        path = text_in(element, f"socket_frame{k}", f"socket_body_{k}", f"body_{k}")
        frame = self._frames.at(path, f"/constraintset/{name}", element)
        return offset_frame(frame, element, f"orientation_body_{k}", f"location_body_{k}")

    def _read_coupling(self, element: Element) -> None:
        """Add the formula of a CoordinateCouplerConstraint."""
        name = text_in(element, "dependent_coordinate_name")
        names = text_in(element, "independent_coordinate_names").split()
        if strangers := [x for x in (name, *names) if x not in self._symbols]:
            listing = enumerate_some(map(repr, strangers))
            raise ValueError(f"{element} has the coordinates {listing}, which do not exist.")
        dependent = self._symbols[name]
        if dependent in self.couplings:
            raise ValueError(f"{element} determines {name!r}, as another constraint does already.")
        own = [self._symbols[x] for x in names]
        scale = exact(scalar_in(element, "scale_factor", "1"))
        formula = read_formula(element, own, "coupled_coordinates_function")
        self.couplings[dependent] = scale * formula

    def _resolve_couplings(self) -> None:
        """Replace dependent coordinates in the formulas of other dependent coordinates."""
        for _ in self.couplings:
            self.couplings = {q: x.xreplace(self.couplings) for q, x in self.couplings.items()}
        if any(x.has(*self.couplings) for x in self.couplings.values()):
            names = ", ".join(repr(q.name) for q in self.couplings)
            raise ValueError(f"the {COUPLER}s of {names} determine each other in a circle.")

    def _read_spring(self, name: str, element: Element) -> None:
        ends = []
        for k in "12":
            path = text_in(element, f"socket_body{k}", f"body{k}")
            frame = self._frames.at(path, f"/forceset/{name}", element)
            ends.append(frame.offset(np.eye(3), numbers_in(element, f"point{k}", 3, "0 0 0")))
        numbers = (scalar_in(element, key) for key in ("stiffness", "rest_length"))
        self.springs.append(OsimSpring(name, (ends[0], ends[1]), *numbers))

    # -- names and order ------------------------------------------------------------------

    def _check_names(self, joints: Sequence[OsimJoint]) -> None:
        counts = Counter(x.name for joint in joints for x in joint.coordinates)
        for name in (name for name, count in counts.items() if count > 1):
            owners = [str(j.element) for j in joints if name in [x.name for x in j.coordinates]]
            self.problems.add(f"the coordinate {name!r} is in {' and in '.join(owners)}.")

    def _order(self, joints: Sequence[OsimJoint], is_complete: bool) -> None:
        """Sort the joints from ground outward; report bodies without a joint if all were read."""
        reached, waiting = {GROUND}, list(joints)
        while ready := [j for j in waiting if len({j.parent.body, j.child.body} & reached) == 1]:
            joint = ready[0]
            reached |= {joint.parent.body, joint.child.body}
            self.ordered.append(joint)
            waiting.remove(joint)
        for joint in waiting:
            if {joint.parent.body, joint.child.body} <= reached:
                self.problems.add(
                    f"{joint.element} connects {joint.parent.body!r} and {joint.child.body!r}, "
                    "which other joints connect already. Close loops by constraints."
                )
        stray = [str(x) for name, x in self._bodies.items() if name not in reached]
        if stray and is_complete:
            self.problems.add(f"joints lead from ground to no {enumerate_some(stray, 10)}.")


def _consequence(holder: Element, element: Element) -> str:
    """Return the effect of an unread element on forces: muscles and motors are no loads."""
    is_on = is_true(element, "appliesForce", True) and not is_true(element, "isDisabled", False)
    is_load = is_on and "Muscle" not in element.tag and not element.tag.endswith("Actuator")
    return CONSEQUENCES.get(holder.tag, "") if is_load else ""


def _set_motion(joint: OsimJoint) -> None:
    """Set the motion of a joint whose type defines it."""
    for motion, own in zip(MOTIONS[joint.element.tag], joint.coordinates, strict=True):
        if motion.isupper():
            joint.rotations.append((own.symbol, [S(int(motion == name)) for name in "XYZ"]))
        else:
            joint.translation["xyz".index(motion)] = own.symbol


def _ellipsoid_translation(joint: OsimJoint) -> list[Expr]:
    """Return the child's origin on an ellipsoid whose normal is the child's z axis."""
    x, y = (own.symbol for own in joint.coordinates[:2])
    normal = sin(y), -sin(x) * cos(y), cos(x) * cos(y)
    radii = numbers_in(joint.element, "radii_x_y_z", 3)
    return [exact(r) * n for r, n in zip(radii, normal, strict=True)]


def _read_axis(element: Element, joint: Element, own: dict[str, Expr]) -> tuple[Expr, np.ndarray]:
    """Return the formula of a TransformAxis and its unit vector."""
    names = text_in(element, "coordinates", default="").split()
    if strangers := [name for name in names if name not in own]:
        listing = enumerate_some(map(repr, strangers))
        raise ValueError(f"{element} of {joint} has {listing}, which are not its coordinates.")
    direction = numbers_in(element, "axis", 3)
    if not has_direction(direction):
        raise ValueError(f"{element} of {joint} has an <axis> without direction, {direction}.")
    symbols = [own[name] for name in names]
    formula = read_formula(element, symbols, default=sum(symbols[:1], S.Zero))
    return formula, direction / np.linalg.norm(direction)
