"""What stands in an OpenSim model: bodies, joints and constraints, and all that is wrong."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from sympy import Expr, S, cos, sin

from ...checks.arguments import enumerate_some
from ...models.tree_builder import functions_of_time
from ...muscles.muscle import Muscle
from ..xml_tree import Element, is_true, numbers_in, text_in
from .elements import Elements, Inertial, has_direction
from .model import Limits
from .model_builder import exact
from .osim_frames import GROUND, OsimFrame, OsimFrames, body_fixed_rotation
from .osim_functions import function_in, read_function
from .osim_muscles import MuscleReader, is_muscle

#: The motions of each type of joint in the order of its coordinates: turns about X, Y and Z,
#: each in the turned frame, and translations along the parent frame's x, y and z.
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

#: What is read in a model, or has no forces.
READ = {"Ground", "BodySet", "JointSet", "ConstraintSet", "MarkerSet"}

#: How the frame that a marker is fixed in is called, from the newest format to the oldest.
MARKER_FRAMES = ("socket_parent_frame", "socket_parent_frame_connectee_name", "body")

#: An angle with its axis.
Turn = tuple[Expr, list[Expr]]


@dataclass(frozen=True, eq=False)
class OsimCoordinate:
    """A coordinate of a joint."""

    name: str
    symbol: Expr
    limits: Limits
    default: float
    is_locked: bool = False
    is_clamped: bool = False


@dataclass(frozen=True, eq=False)
class OsimMarker:
    """A marker: its frame has its place as origin; a fixed one is not moved by scaling."""

    frame: OsimFrame
    is_fixed: bool


@dataclass(eq=False)
class OsimJoint:
    """A joint: where it is on its bodies, and how its coordinates move it."""

    element: Element
    name: str
    parent: OsimFrame
    child: OsimFrame
    coordinates: list[OsimCoordinate]
    translation: list[Expr] = field(default_factory=lambda: [S.Zero] * 3)
    rotations: list[Turn] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class OsimLoop:
    """A constraint that fixes two places to each other."""

    name: str
    kind: str
    first: OsimFrame
    second: OsimFrame


@dataclass(eq=False)
class OsimElements(Elements):
    """The parts of a model, and what is wrong with it; no body is ground.

    ``ordered``: the joints from ground outwards; ``couplings``: coordinates that others determine,
    as formulas of those; ``marker_set``: a file with markers besides those of the model.
    """

    document: Element
    marker_set: Element | None = None
    model: Element = field(init=False)
    inertials: dict[str, Inertial] = field(default_factory=dict)
    ordered: list[OsimJoint] = field(default_factory=list)
    loops: list[OsimLoop] = field(default_factory=list)
    couplings: dict[Expr, Expr] = field(default_factory=dict)
    markers: dict[str, OsimMarker] = field(default_factory=dict)
    muscles: dict[str, Muscle] = field(default_factory=dict)
    gravity: np.ndarray = field(default_factory=lambda: np.array([0, -9.80665, 0]))

    def __post_init__(self) -> None:
        model = self.document.find("Model")
        if self.document.tag != "OpenSimDocument" or model is None:
            self.problems.add(f"{self.document} must be <OpenSimDocument> with a <Model>.")
            return
        self.model = model
        self.gravity = self._numbers(model, "gravity", "0 -9.80665 0")
        self._bodies = dict(self.named(_objects(model, "BodySet")))
        self._bodies.pop(GROUND, None)
        self._frames = OsimFrames(model, [*self._bodies])
        for name, element in self._bodies.items():
            self.problems.check(self._read_body, name, element)
        count = len(self.problems)
        joints = [*self._read_joints()]
        self._check_names(joints)
        self._order(joints, is_complete=len(self.problems) == count)
        self._symbols = {x.name: x.symbol for joint in joints for x in joint.coordinates}
        for element in _objects(model, "ConstraintSet"):
            self.problems.check(self._read_constraint, element)
        self.problems.check(self._resolve_couplings)
        for holder in filter(None, (model, self.marker_set)):
            for name, element in self.named(_objects(holder, "MarkerSet")):
                self.problems.check(self._read_marker, name, element)
        self._read_muscles({x.name: x for joint in joints for x in joint.coordinates})
        self.left_out += _unread(model)

    def _numbers(self, element: Element, tag: str, default: str) -> np.ndarray:
        """Return numbers; the default where they are missing or wrong."""
        usual = np.array([float(word) for word in default.split()])
        found = self.problems.check(numbers_in, element, tag, len(usual), default)
        return usual if found is None else found

    # -- bodies -----------------------------------------------------------------------

    def _read_body(self, name: str, element: Element) -> None:
        self.inertials[name] = Inertial()
        mass = float(numbers_in(element, "mass", 1)[0])
        center = numbers_in(element, "mass_center", 3, "0 0 0")
        is_old = element.find("inertia_xx") is not None
        if element.find("inertia") is None and (is_old or not mass):
            keys = ("xx", "yy", "zz", "xy", "xz", "yz")
            moments = [numbers_in(element, f"inertia_{key}", 1, "0")[0] for key in keys]
        else:
            moments = [*numbers_in(element, "inertia", 6)]
        xx, yy, zz, xy, xz, yz = moments
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        self.inertials[name] = Inertial(mass, center, tensor)
        self.check_inertial(str(element), self.inertials[name])

    # -- joints -----------------------------------------------------------------------

    def _read_joints(self) -> Iterator[OsimJoint]:
        """Yield the joints of a JointSet, or those in the bodies."""
        elements = dict(self.named(_objects(self.model, "JointSet")))
        owners: dict[str, str | None] = dict.fromkeys(elements)
        for body, element in self._bodies.items():
            holder = element.find("Joint")
            if holder is not None:
                found = dict(self.named(holder.children))
                elements |= found
                owners |= dict.fromkeys(found, body)
        for name, element in elements.items():
            joint = self.problems.check(self._read_joint, name, element, owners[name])
            if joint is not None:
                yield joint

    def _read_joint(self, name: str, element: Element, body: str | None) -> OsimJoint:
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
            _move(joint)
        if element.tag == "EllipsoidJoint":
            joint.translation = _on_ellipsoid(joint)
        return joint

    def _ends(self, name: str, element: Element, body: str | None) -> tuple[OsimFrame, OsimFrame]:
        """Return the joint's frames in the parent and in the child."""
        if body is None:
            keys = ("socket_parent_frame", "socket_child_frame")
            parent, child = (
                self._frames.at(text_in(element, key), f"/jointset/{name}", element) for key in keys
            )
            return parent, child
        outer = self._frames.at(text_in(element, "parent_body"), "/bodyset", element)
        places = [(outer, "_in_parent"), (OsimFrame.of_body(body), "")]
        parent, child = (_placed(frame, element, ending) for frame, ending in places)
        return parent, child

    def _coordinates(self, name: str, element: Element) -> list[OsimCoordinate]:
        holder = element.find("coordinates") or _objects_of(element.find("CoordinateSet"))
        found = [] if holder is None else holder.all("Coordinate")
        given = [self._coordinate(key, x) for key, x in self.named(found)]
        count = len(MOTIONS[element.tag])
        if element.tag != "CustomJoint" and len(given) not in (0, count):
            raise ValueError(f"{element} must have {count} coordinates, got {len(given)}.")
        if given or element.tag == "CustomJoint":
            return given
        names = [f"{name}_coord_{k}" for k in range(count)]  # as OpenSim calls them
        return [OsimCoordinate(x, functions_of_time([x])[0], Limits(), 0.0) for x in names]

    def _coordinate(self, name: str, element: Element) -> OsimCoordinate:
        for flag in ("locked", "prescribed"):
            if is_true(element, flag, False):
                self.left_out.append(f"{element} is {flag} in the file; here it is free")
        limits = Limits()
        if element.find("range") is not None:
            limits = Limits(*map(float, self._numbers(element, "range", "0 0")))
        default = float(self._numbers(element, "default_value", "0")[0])
        flags = (is_true(element, flag, False) for flag in ("locked", "clamped"))
        return OsimCoordinate(name, functions_of_time([name])[0], limits, default, *flags)

    def _read_transform(self, joint: OsimJoint) -> None:
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
        key = next((key for key in MARKER_FRAMES if element.find(key) is not None), "body")
        frame = self._frames.at(text_in(element, key), f"/markerset/{name}", element)
        place = frame.offset(np.eye(3), numbers_in(element, "location", 3))
        self.markers[name] = OsimMarker(place, is_true(element, "fixed", False))

    def _read_muscles(self, coordinates: dict[str, OsimCoordinate]) -> None:
        """Read muscles; what of one cannot be read leaves it out."""
        reader = MuscleReader(self.model, self._frames, coordinates)
        for holder in self.model.children:
            for element in filter(is_muscle, getattr(_objects_of(holder), "children", ())):
                try:
                    name = element.attributes.get("name", "")
                    self.muscles[name] = reader.muscle(name, element)
                except ValueError as error:
                    self.left_out.append(f"{element}: {error}")

    # -- constraints --------------------------------------------------------------------

    def _read_constraint(self, element: Element) -> None:
        is_on = is_true(element, "isEnforced", True) and not is_true(element, "isDisabled", False)
        if not is_on or element.tag not in {*LOOPS, COUPLER}:
            self.left_out.append(f"{element}" + ("" if is_on else ", which is not enforced"))
        elif element.tag == COUPLER:
            self._read_coupling(element)
        else:
            name = element.attributes.get("name", "")
            ends = (self._end_of_loop(name, element, k) for k in "12")
            self.loops.append(OsimLoop(name, LOOPS[element.tag], *ends))

    def _end_of_loop(self, name: str, element: Element, k: str) -> OsimFrame:
        keys = (f"socket_frame{k}", f"socket_body_{k}", f"body_{k}")
        key = next((key for key in keys if element.find(key) is not None), keys[0])
        frame = self._frames.at(text_in(element, key), f"/constraintset/{name}", element)
        return _placed(frame, element, f"_body_{k}")

    def _read_coupling(self, element: Element) -> None:
        name = text_in(element, "dependent_coordinate_name")
        names = text_in(element, "independent_coordinate_names").split()
        if strangers := [x for x in (name, *names) if x not in self._symbols]:
            listing = enumerate_some(map(repr, strangers))
            raise ValueError(f"{element} has the coordinates {listing}, which are not there.")
        dependent = self._symbols[name]
        if dependent in self.couplings:
            raise ValueError(f"{element} determines {name!r}, which another one does already.")
        function = function_in(element, "coupled_coordinates_function")
        if function is None:
            raise ValueError(f"{element} has no <coupled_coordinates_function>.")
        (scale,) = numbers_in(element, "scale_factor", 1, "1")
        formula = read_function(function, [self._symbols[x] for x in names])
        self.couplings[dependent] = exact(scale) * formula

    def _resolve_couplings(self) -> None:
        """Replace dependent coordinates in the formulas of others."""
        for _ in self.couplings:
            self.couplings = {q: x.xreplace(self.couplings) for q, x in self.couplings.items()}
        if any(x.has(*self.couplings) for x in self.couplings.values()):
            names = ", ".join(repr(q.name) for q in self.couplings)
            raise ValueError(f"the {COUPLER}s of {names} determine each other in a circle.")

    # -- the whole ------------------------------------------------------------------------

    def _check_names(self, joints: Sequence[OsimJoint]) -> None:
        counts = Counter(x.name for joint in joints for x in joint.coordinates)
        for name in (name for name, count in counts.items() if count > 1):
            owners = [str(j.element) for j in joints if name in [x.name for x in j.coordinates]]
            self.problems.add(f"the coordinate {name!r} is in {' and in '.join(owners)}.")

    def _order(self, joints: Sequence[OsimJoint], is_complete: bool) -> None:
        """Put joints in an order from ground outwards; say what they miss, if all are read."""
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


def _objects_of(holder: Element | None) -> Element | None:
    return None if holder is None else holder.find("objects")


def _objects(model: Element, tag: str) -> list[Element]:
    """Return what a set of a model holds."""
    holder = _objects_of(model.find(tag))
    return [] if holder is None else holder.children


def _placed(frame: OsimFrame, element: Element, ending: str) -> OsimFrame:
    """Return the frame that an element's location and orientation say in another one."""
    turn = body_fixed_rotation(numbers_in(element, f"orientation{ending}", 3, "0 0 0"))
    return frame.offset(turn, numbers_in(element, f"location{ending}", 3, "0 0 0"))


def _move(joint: OsimJoint) -> None:
    """Give a joint the motion of its type."""
    motions = MOTIONS[joint.element.tag]
    for motion, coordinate in zip(motions, joint.coordinates, strict=True):
        if motion.isupper():
            axis = [S(int(motion == name)) for name in "XYZ"]
            joint.rotations.append((coordinate.symbol, axis))
        else:
            joint.translation["xyz".index(motion)] = coordinate.symbol


def _on_ellipsoid(joint: OsimJoint) -> list[Expr]:
    """Return where the child's origin is on the ellipsoid that has the child's z as its normal."""
    x, y = (coordinate.symbol for coordinate in joint.coordinates[:2])
    normal = sin(y), -sin(x) * cos(y), cos(x) * cos(y)
    radii = numbers_in(joint.element, "radii_x_y_z", 3)
    return [exact(r) * n for r, n in zip(radii, normal, strict=True)]


def _read_axis(element: Element, joint: Element, own: dict[str, Expr]) -> tuple[Expr, np.ndarray]:
    """Return the formula of a TransformAxis and its unit vector."""
    names = text_in(element, "coordinates", "").split()
    if strangers := [name for name in names if name not in own]:
        listing = enumerate_some(map(repr, strangers))
        raise ValueError(f"{element} of {joint} has {listing}, which are not its coordinates.")
    direction = numbers_in(element, "axis", 3)
    if not has_direction(direction):
        raise ValueError(f"{element} of {joint} has an <axis> without direction, {direction}.")
    function = function_in(element)
    symbols = [own[name] for name in names]
    formula = sum(symbols[:1], S.Zero) if function is None else read_function(function, symbols)
    return formula, direction / np.linalg.norm(direction)


def _unread(model: Element) -> list[str]:
    """Return what is not read: one line for each type of component, with the names."""
    names: dict[str, list[str]] = {}
    for holder in model.children:
        if holder.tag not in READ:
            for element in getattr(_objects_of(holder), "children", ()):
                if not is_muscle(element):
                    names.setdefault(element.tag, []).append(element.attributes.get("name", "?"))
    return [f"{tag}: {', '.join(found)}" for tag, found in names.items()]
