"""Links and joints of a robot's file, as numbers; their tree and loops."""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .. import Limits
from ..checks.arguments import enumerate_some
from ..records.model_elements import ORIGIN, Elements, Inertial, Pose, has_direction, name_of
from ..records.xml_tree import Element, numbers_in, scalar_in, text_in

#: The kinds of joints with one degree of freedom, which can be mimicked.
SCALAR = ("pin", "prismatic", "screw")

#: The options for joints that mimic a missing joint, or one without exactly one freedom.
MISSING_LEADERS = ("refuse", "free")


#: Drake's elements that are read, and those that they contain, as in a table of `list_unread`.
DRAKE = {"drake:rotor_inertia": "value |", "drake:gear_ratio": "value |"}
SPRING = "drake:linear_spring_damper"
KEYS = ("body_A", "body_B", "p_AP", "p_BQ", "free_length", "stiffness", "damping")
DRAKE[SPRING] = "name | " + " ".join(f"{SPRING}_{key}" for key in KEYS)
DRAKE |= {f"{SPRING}_{key}": "name value |" for key in KEYS}

#: The default data of a coordinate.
NO_LIMITS = Limits()


class RobotLink(NamedTuple):
    """A link, and its mass distribution in the link's frame."""

    element: Element
    inertial: Inertial = Inertial()


class Mimic(NamedTuple):
    """The rule ``q = multiplier q_leader + offset`` for the coordinate of a mimicking joint.

    Attributes
    ==========

    joint : str
        The name of the leader, the joint with the coordinate ``q_leader``.
    multiplier, offset : float
        The numbers of the rule.
    """

    joint: str
    multiplier: float
    offset: float


@dataclass(eq=False)
class RobotJoint:
    """A joint of a robot's file, as numbers.

    Attributes
    ==========

    element : Element
        The joint's element in the file.
    name : str
        The name.
    type, kind : str
        The type in the file, and the kind of `TreeBuilder`.
    parent, child : str
        The names of the links.
    place, child_place : Pose
        The pose of the joint's frame in the parent and in the child, if its coordinates are zero.
    axis : numpy.ndarray
        The axis in the joint's frame.
    limits : Limits
        The limits of the coordinate, speed and force.
    mimic : Mimic, optional
        The rule by which the joint mimics another joint.
    damping, friction, stiffness : float
        The coefficients of a damper, dry friction and a spring in the joint.
    rest : float
        The coordinate at which the spring is relaxed.
    pitch : float
        The advance of a screw per radian.
    armature : float
        The inertia of the rotor, multiplied by the squared gear ratio.
    """

    element: Element
    name: str
    type: str
    kind: str
    parent: str
    child: str
    place: Pose
    child_place: Pose = ORIGIN
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0, 0]))
    limits: Limits = NO_LIMITS
    mimic: Mimic | None = None
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    pitch: float = 0.0
    armature: float = 0.0


class RobotSpring(NamedTuple):
    """A spring and a damper between two points of links; the positions are in the links' frames."""

    name: str
    links: list[str]
    positions: list[np.ndarray]
    rest: float
    stiffness: float
    damping: float
    friction: float = 0.0
    kind: str = "spring"


@dataclass(eq=False, kw_only=True)
class RobotElements(Elements):
    """Links and joints by name, roots of the tree, ordered joints, and closing joints."""

    missing_leaders: str = "refuse"
    links: dict[str, RobotLink] = field(default_factory=dict)
    joints: dict[str, RobotJoint] = field(default_factory=dict)
    closings: list[RobotJoint] = field(default_factory=list)
    springs: list[RobotSpring] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    ordered: list[RobotJoint] = field(default_factory=list)
    #: The link that is ground itself, and the poses of links in the file.
    ground: str = ""
    places: dict[str, Pose] = field(default_factory=dict)
    #: Massless links between two axes, and links without gravity.
    ideal: set[str] = field(default_factory=set)
    weightless: list[str] = field(default_factory=list)

    def from_root(self, root: str, by_name: bool = False) -> list[RobotJoint]:
        """Return the joints branch by branch, as in the file or by name at each link."""
        behind: dict[str, list[RobotJoint]] = defaultdict(list)
        for joint in sorted(self.joints.values(), key=lambda x: x.name if by_name else ""):
            behind[joint.parent].append(joint)
        found: dict[str, RobotJoint] = {}
        waiting = behind[root][::-1]
        while waiting:
            joint = waiting.pop()
            if joint.name not in found:
                found[joint.name] = joint
                waiting += reversed(behind[joint.child])
        return list(found.values())

    def add_rotor(self, joint: RobotJoint, element: Element) -> None:
        """Add the inertia of a rotor, seen through its gear, to a joint."""
        element = _with_texts(element)
        ratio = scalar_in(element, "drake:gear_ratio", "1")
        joint.armature += scalar_in(element, "drake:rotor_inertia", "0") * ratio**2

    def add_spring(self, element: Element, prefix: str = "") -> None:
        """Add a spring between two points of links, whose names get a prefix."""
        element, tags = _with_texts(element), [f"{SPRING}_{key}" for key in KEYS]
        links = [f"{prefix}{text_in(element, tag)}" for tag in tags[:2]]
        if missing := [link for link in links if link not in self.links]:
            raise ValueError(f"{element} has the body {missing[0]!r}, which does not exist.")
        positions = [numbers_in(element, tag, 3) for tag in tags[2:4]]
        name = element.attributes.get("name", f"spring{len(self.springs)}")
        rest, stiffness, damping = (scalar_in(element, tag) for tag in tags[4:])
        self.springs.append(RobotSpring(name, links, positions, rest, stiffness, damping))

    def refuse_joints_of_drake(self, root: Element) -> None:
        for element in (x for x in root.walk() if x.tag == "drake:joint"):
            self.problems.add(
                f"{element} must be a <joint>. Use types of the format, or revolute and prismatic "
                "joints in series."
            )

    def check_direction(self, joint: RobotJoint) -> None:
        if joint.kind in (*SCALAR, "planar") and not has_direction(joint.axis):
            self.problems.add(f"{joint.element} has an <axis> without direction, {joint.axis}.")

    def check_mimics(self) -> None:
        """Add problems of joints that cannot mimic their leaders, or free these joints.

        With ``missing_leaders="free"`` such joints keep their own coordinates.
        """
        for joint in self.joints.values():
            if joint.mimic is None or joint.kind == "weld":
                continue
            if problem := self._problem_of_leader(joint, joint.mimic):
                if self.missing_leaders == "refuse":
                    hint = "Use missing_leaders='free' to move it by itself."
                    self.problems.add(f"{joint.element} {problem} {hint}")
                    continue
                self.left_out.append(f"<mimic> of {joint.name}, which {problem}")
                joint.mimic = None
            else:
                self.problems.check(self.leader_of, joint)

    def _problem_of_leader(self, joint: RobotJoint, mimic: Mimic) -> str:
        """Return the reason for which a joint cannot mimic its leader, or an empty text."""
        leader = self.joints.get(mimic.joint)
        if leader is None:
            return f"mimics {mimic.joint!r}, which does not exist."
        is_possible = joint.kind in SCALAR and leader.kind in SCALAR
        return "" if is_possible else f"mimics {leader.element}: both must have one freedom."

    def check_masses(self) -> None:
        """Add a problem for each free joint that moves no mass and that no joint mimics."""
        led = {self.leader_of(joint).joint for joint in self.joints.values() if joint.mimic}
        held = {link for joint in self.closings for link in (joint.parent, joint.child)}
        held |= {name for name, link in self.links.items() if not link.inertial.is_massless}
        for joint in reversed(self.ordered):
            if joint.child in held:
                held.add(joint.parent)
        for joint in self.joints.values():
            is_free = joint.kind != "weld" and joint.mimic is None and joint.name not in led
            if is_free and joint.child not in held:
                moved = [joint.child, *(outer.child for outer in self.from_root(joint.child))]
                listing = enumerate_some([str(self.links[name].element) for name in moved], 10)
                self.nonphysical.append(
                    f"{joint.element} moves no mass: {listing} without <inertial>. Make it fixed, "
                    "or give them one."
                )

    def leader_of(self, joint: RobotJoint) -> Mimic:
        """Return the leader at the end of a chain of mimicking joints."""
        multiplier, offset, last, seen = 1.0, 0.0, joint, {joint.name}
        while last.mimic is not None and last.mimic.joint in self.joints:
            offset += multiplier * last.mimic.offset
            multiplier *= last.mimic.multiplier
            last = self.joints[last.mimic.joint]
            if last.name in seen:
                raise ValueError(f"{joint.element} mimics itself in the end.")
            seen.add(last.name)
        return Mimic(last.name, multiplier, offset)


def _with_texts(element: Element) -> Element:
    """Return an element of Drake as in SDF, where URDF has attributes."""
    texts = ((x, x.attributes.get("value", name_of(x) or x.text)) for x in element.children)
    return replace(element, children=[replace(x, text=text) for x, text in texts])
