"""What stands in a URDF: links and joints as numbers, and all that is wrong with them."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from .. import Limits
from ..checks.arguments import enumerate_some
from ..records.model_elements import Elements, Inertial, has_direction, symmetric
from ..records.xml_tree import Element

#: The types of joints, as what `TreeBuilder` knows them.
KINDS = {
    "fixed": "weld",
    "revolute": "pin",
    "continuous": "pin",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}

#: Those of one freedom, which can be mimicked.
SCALAR = ("pin", "prismatic")

#: What can be done with joints that mimic one that is not there, or has not one freedom.
MISSING_LEADERS = ("refuse", "free")

#: From how many decimals on an angle may be a rounded quarter turn, as 1.5708 is.
DECIMALS = 4

#: What an inertial element must have.
MASS = {"mass": ("value",), "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}

#: What is read in a link and in a joint; everything else is left out.
READ = {
    "robot": {"link", "joint"},
    "link": {"inertial"},
    "joint": {"origin", "parent", "child", "axis", "limit", "mimic", "dynamics"},
}


class UrdfLink(NamedTuple):
    """A link, and its mass distribution in the link's frame."""

    element: Element
    inertial: Inertial = Inertial()


class Mimic(NamedTuple):
    """A joint's coordinate as ``multiplier`` times that of another joint, plus ``offset``."""

    joint: str
    multiplier: float
    offset: float


@dataclass(eq=False)
class UrdfJoint:
    """A joint; its place is the rotation and the position of its frame in the parent link's."""

    element: Element
    name: str
    type: str
    parent: str
    child: str
    place: tuple[np.ndarray, np.ndarray]
    axis: np.ndarray
    limits: Limits
    mimic: Mimic | None
    damping: float
    friction: float


@dataclass(eq=False)
class UrdfElements(Elements):
    """The links and joints by name, the root link, and what is wrong."""

    # ``quarter_turns``: angles written as rounded quarter turns are those.

    robot: Element
    missing_leaders: str = "refuse"
    quarter_turns: bool = False
    links: dict[str, UrdfLink] = field(default_factory=dict)
    joints: dict[str, UrdfJoint] = field(default_factory=dict)
    root: str = ""
    ordered: list[UrdfJoint] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.robot.tag != "robot":
            self.problems.add(f"{self.robot} is the root, which must be <robot>.")
            return
        for name, element in self.named(self.robot.all("link")):
            self.links[name] = self._read_link(element)
        for name, element in self.named(self.robot.all("joint")):
            self.joints[name] = self._read_joint(element, name)
        if not self.links:
            self.problems.add(f"{self.robot} has no <link>.")
        self.left_out = _unread(self.robot)
        self._check_names()
        self._check_tree()
        self._check_mimics()
        if not self.problems:
            self._check_masses()

    # -- elements -------------------------------------------------------------------

    def _read_link(self, element: Element) -> UrdfLink:
        inertial = element.find("inertial")
        if inertial is None:
            return UrdfLink(element)
        parts = {tag: inertial.find(tag) for tag in MASS}
        if missing := [f"<{tag}>" for tag, part in parts.items() if part is None]:
            self.problems.add(f"{inertial} of {element} has no {' and no '.join(missing)}.")
            return UrdfLink(element)
        values = [
            self.problems.check(part.number, key)
            for tag, part in parts.items()
            for key in MASS[tag]
            if part is not None
        ]
        place = self._origin(inertial)
        if None in values:
            return UrdfLink(element)
        own = Inertial(values[0], inertia=symmetric(*values[1:]))
        self.check_inertial(f"{inertial} of {element}", own)
        return UrdfLink(element, own.seen_from(*place))

    def _read_joint(self, element: Element, name: str) -> UrdfJoint:
        kind = element.attributes.get("type", "")
        if kind not in KINDS:
            self.problems.add(f"{element} must be of type {', '.join(KINDS)}, got {kind!r}.")
        axis = self._numbers(element.find("axis"), "xyz", "1 0 0", 3)
        if kind not in ("fixed", "floating") and not has_direction(axis):
            self.problems.add(f"{element} has an <axis> without direction, {axis}.")
        dynamics = element.find("dynamics")
        return UrdfJoint(
            element=element,
            name=name,
            type=kind,
            place=self._origin(element),
            parent=self._end(element, "parent"),
            child=self._end(element, "child"),
            axis=axis,
            limits=self._limits(element.find("limit"), kind),
            mimic=self._mimic(element.find("mimic")),
            damping=self._number(dynamics, "damping"),
            friction=self._number(dynamics, "friction"),
        )

    def _end(self, element: Element, side: str) -> str:
        end = element.find(side)
        name = "" if end is None else end.attributes.get("link", "")
        if not name:
            self.problems.add(f'{element} has no <{side} link="...">.')
        elif name not in self.links:
            self.problems.add(f"{element} has the {side} link {name!r}, which is not there.")
        return name

    def _origin(self, element: Element) -> tuple[np.ndarray, np.ndarray]:
        origin = element.find("origin")
        position = self._numbers(origin, "xyz", "0 0 0", 3)
        angles = self._numbers(origin, "rpy", "0 0 0", 3)
        if self.quarter_turns and origin is not None and angles.any():
            angles = np.array([*map(quarter_turn, origin.attributes["rpy"].split())])
        return space_fixed_rotation(angles), position

    def _limits(self, element: Element | None, kind: str) -> Limits:
        values = [
            self._number(element, key) if element and key in element.attributes else None
            for key in ("lower", "upper", "velocity", "effort")
        ]
        if kind == "continuous":  # what stands there means nothing
            values[:2] = None, None
        return Limits(*values)

    def _mimic(self, element: Element | None) -> Mimic | None:
        if element is None:
            return None
        multiplier = self._number(element, "multiplier", "1")
        leader = element.attributes.get("joint", "")
        return Mimic(leader, multiplier, self._number(element, "offset"))

    def _number(self, element: Element | None, attribute: str, default: str = "0") -> float:
        return float(self._numbers(element, attribute, default, 1)[0])

    def _numbers(
        self, element: Element | None, attribute: str, default: str, count: int
    ) -> np.ndarray:
        """Return numbers; the default where they are missing or wrong."""
        found: Any = element and self.problems.check(element.numbers, attribute, default, count)
        return np.array(default.split(), float) if found is None else found

    # -- the whole ------------------------------------------------------------------

    def _check_names(self) -> None:
        counts = Counter(joint.child for joint in self.joints.values())
        for link in (name for name, count in counts.items() if count > 1 and name in self.links):
            joints = [str(joint.element) for joint in self.joints.values() if joint.child == link]
            self.problems.add(
                f"{self.links[link].element} is the child of {' and of '.join(joints)}. A URDF is "
                "a tree: close loops with LoopJoint afterwards."
            )

    def _check_tree(self) -> None:
        children = {joint.child for joint in self.joints.values()}
        roots = [name for name in self.links if name not in children]
        if len(roots) > 1:
            listing = enumerate_some([str(self.links[name].element) for name in roots], 10)
            self.problems.add(f"one link must be the root, but no joint leads to {listing}.")
        self.root = next(iter(roots), "")
        self.ordered = self.from_root()
        reached = {*roots, *(joint.child for joint in self.ordered)}
        reached |= {joint.child for root in roots[1:] for joint in self.from_root(root)}
        if stray := [str(link.element) for name, link in self.links.items() if name not in reached]:
            self.problems.add(
                f"joints lead from the root to no {enumerate_some(stray, 10)}: they form a cycle."
            )

    def from_root(self, root: str | None = None, by_name: bool = False) -> list[UrdfJoint]:
        """Return the joints branch after branch, as in the file or by name at each link."""
        behind: dict[str, list[UrdfJoint]] = defaultdict(list)
        for joint in sorted(self.joints.values(), key=lambda x: x.name if by_name else ""):
            behind[joint.parent].append(joint)
        found: dict[str, UrdfJoint] = {}
        waiting = list(behind[self.root if root is None else root])
        while waiting:
            joint = waiting.pop(0)
            if joint.name not in found:
                found[joint.name] = joint
                waiting = [*behind[joint.child], *waiting]
        return list(found.values())

    def _check_mimics(self) -> None:
        for joint in self.joints.values():
            if joint.mimic is None or joint.type == "fixed":
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

    def _problem_of_leader(self, joint: UrdfJoint, mimic: Mimic) -> str:
        """Return why a joint cannot mimic what it says; nothing if it can."""
        leader = self.joints.get(mimic.joint)
        if leader is None:
            return f"mimics {mimic.joint!r}, which is not there."
        is_possible = all(KINDS.get(x.type) in SCALAR for x in (joint, leader))
        return "" if is_possible else f"mimics {leader.element}: both must have one freedom."

    def _check_masses(self) -> None:
        """Find joints that move nothing, unless others mimic them."""
        led = {self.leader_of(joint).joint for joint in self.joints.values() if joint.mimic}
        for joint in self.joints.values():
            moved = [joint.child, *(outer.child for outer in self.from_root(joint.child))]
            is_free = joint.type != "fixed" and joint.mimic is None and joint.name not in led
            if is_free and all(self.links[name].inertial.is_nothing for name in moved):
                listing = enumerate_some([str(self.links[name].element) for name in moved], 10)
                self.nonphysical.append(
                    f"{joint.element} moves no mass: {listing} without <inertial>. Make it fixed, "
                    "or give them one."
                )

    def leader_of(self, joint: UrdfJoint) -> Mimic:
        """Return what moves a joint in the end, where joints mimic others that mimic."""
        multiplier, offset, last, seen = 1.0, 0.0, joint, {joint.name}
        while last.mimic is not None and last.mimic.joint in self.joints:
            offset += multiplier * last.mimic.offset
            multiplier *= last.mimic.multiplier
            last = self.joints[last.mimic.joint]
            if last.name in seen:
                raise ValueError(f"{joint.element} mimics itself in the end.")
            seen.add(last.name)
        return Mimic(last.name, multiplier, offset)


def quarter_turn(text: str) -> float:
    """Return an angle; a multiple of a quarter turn if it is that to the decimals written."""
    value, decimals = float(text), -int(Decimal(text).as_tuple().exponent)
    nearest = round(value / (np.pi / 2)) * np.pi / 2
    is_rounded = decimals >= DECIMALS and abs(value - nearest) <= 0.5 * 10.0**-decimals
    return nearest if is_rounded else value


def space_fixed_rotation(angles: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of roll, pitch and yaw about the fixed axes x, y and z."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def _unread(robot: Element) -> list[str]:
    """Return what is not read, one line for each tag, or for each element of the robot."""
    found = [str(child) for child in robot.children if child.tag not in READ["robot"]]
    owners = defaultdict(list)
    for element in robot.children:
        for child in element.children:
            if child.tag not in READ.get(element.tag, {child.tag}):
                owners[f"<{child.tag}>"].append(element.attributes.get("name", "?"))
    return [f"{tag} of {', '.join(dict.fromkeys(names))}" for tag, names in owners.items()] + found
