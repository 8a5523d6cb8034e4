"""The elements of a URDF: links and joints as numbers, and all problems."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from .. import Limits
from ..checks.arguments import enumerate_some
from ..records.model_elements import ORIGIN, Inertial, Pose, has_direction, name_of, symmetric
from ..records.rotations import quaternion_rotation, space_fixed_rotation
from ..records.xml_tree import Element, scalar_in
from .robot_elements import DRAKE, NO_LIMITS, SPRING, Mimic, RobotElements, RobotJoint, RobotLink

#: The types of joints, as those of `TreeBuilder`.
KINDS = {
    "fixed": "weld",
    "revolute": "pin",
    "continuous": "pin",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}

#: The types of a <loop_joint>: URDF's and one more.
CLOSINGS = {"spherical": "spherical", **{x: KINDS[x] for x in ("fixed", "revolute", "prismatic")}}

#: The least number of decimals of a rounded quarter turn, such as 1.5708.
DECIMALS = 4

#: The necessary elements of <inertial>.
MASS = {"mass": ("value",), "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}

#: What is read: the attributes and, after the bar, the elements in an element.
READ = {
    "robot": f"name | link joint loop_joint gazebo transmission drake:joint {SPRING}",
    "link": "name | inertial",
    "inertial": "| origin mass inertia",
    "mass": "value |",
    "inertia": "ixx iyy izz ixy ixz iyz |",
    "origin": "xyz rpy quat_xyzw |",
    "joint": "name type | origin parent child axis limit mimic dynamics",
    "parent": "link |",
    "child": "link |",
    "axis": "xyz |",
    "limit": "lower upper effort velocity |",
    "mimic": "joint multiplier offset |",
    "dynamics": "damping friction |",
    "gazebo": "reference | springStiffness springReference implicitSpringDamper",
    "transmission": "name | joint actuator type",
    "actuator": "name | drake:rotor_inertia drake:gear_ratio mechanicalReduction hardwareInterface",
    "loop_joint": "name type | link1 link2 axis dynamics",
    "link1": "link xyz rpy |",
    "link2": "link xyz rpy |",
    **DRAKE,
}


#: The link that needs no element, in files for Drake.
WORLD = "world"


@dataclass(eq=False)
class UrdfElements(RobotElements):
    """The links and joints of a URDF, and their problems.

    Attributes
    ==========

    robot : Element
        The root element.
    quarter_turns : bool
        Whether rounded multiples of a quarter turn become exact angles.
    """

    robot: Element
    quarter_turns: bool = False

    def __post_init__(self) -> None:
        if self.robot.tag != "robot":
            self.problems.add(f"{self.robot} is the root, which must be <robot>.")
            return
        self.add_unread(self.robot, READ)
        self.refuse_joints_of_drake(self.robot)
        for name, element in self.iterate_named(self.robot.all("link")):
            self.links[name] = self._read_link(element)
        parents = (x.find("parent") for x in self.robot.all("joint"))
        if any(x is not None and x.attributes.get("link") == WORLD for x in parents):
            self.links.setdefault(WORLD, RobotLink(self.robot))
        for name, element in self.iterate_named(self.robot.all("joint")):
            self.joints[name] = self._read_joint(element, name)
        for name, element in self.iterate_named(self.robot.all("loop_joint")):
            self.closings.append(self._read_joint(element, name))
        if not self.links:
            self.problems.add(f"{self.robot} has no <link>.")
        for element in self.robot.children:
            self.problems.check(self._read_extension, element)
        self._check_names()
        self._check_tree()
        self.check_mimics()
        if not self.problems:
            self.check_masses()

    # -- elements -------------------------------------------------------------------

    def _read_link(self, element: Element) -> RobotLink:
        """Return a link; its mass distribution is zero if <inertial> is missing or has problems."""
        inertial = element.find("inertial")
        if inertial is None:
            return RobotLink(element)
        values, place = list[Any](), self._origin(inertial.find("origin"))
        for tag, keys in MASS.items():
            if (part := inertial.find(tag)) is None:
                self.problems.add(f"{inertial} of {element} has no <{tag}>.")
                values.append(None)
            else:
                values += [self.problems.check(part.number, key) for key in keys]
        if None in values:
            return RobotLink(element)
        own = Inertial(values[0], inertia=symmetric(*values[1:]))
        self.check_inertial(f"{inertial} of {element}", own)
        return RobotLink(element, own.seen_from(*place))

    def _read_joint(self, element: Element, name: str) -> RobotJoint:
        """Return a joint; <link1> and <link2> of a <loop_joint> state its frame in both links."""
        kind, is_closing = element.attributes.get("type", ""), element.tag == "loop_joint"
        kinds, sides = (CLOSINGS, "link1 link2") if is_closing else (KINDS, "parent child")
        if kind not in kinds:
            self.problems.add(f"{element} must be of type {', '.join(kinds)}, got {kind!r}.")
        ends = {side: element.find(side) for side in sides.split()}
        if several := [f"<{side}>" for side in ends if len(element.all(side)) > 1]:
            self.problems.add(f"{element} must have one {' and one '.join(several)}, got several.")
        parent, child = (self._name_of_link(element, *end) for end in ends.items())
        origins = ends.values() if is_closing else (element.find("origin"), None)
        place, child_place = map(self._origin, origins)
        dynamics = element.find("dynamics")
        joint = RobotJoint(
            *(element, name, kind, kinds.get(kind, ""), parent, child, place, child_place),
            axis=self._numbers(element.find("axis"), "xyz", "1 0 0", 3),
            limits=self._limits(element.find("limit"), kind),
            mimic=self._mimic(element.find("mimic")),
            damping=self._number(dynamics, "damping"),
            friction=self._number(dynamics, "friction"),
        )
        self.check_direction(joint)
        if kind in ("planar", "floating") and joint.limits != NO_LIMITS:
            self.left_out.append(f"<limit> of {name}")
        return joint

    def _read_extension(self, element: Element) -> None:
        """Read an element of Gazebo or Drake: springs, and inertias of rotors."""
        named = element.find("joint") if element.tag == "transmission" else element
        joint = self.joints.get("" if named is None else name_of(named))
        if element.tag == SPRING:
            self.add_spring(element)
        elif element.tag == "gazebo" and joint:
            joint.stiffness = scalar_in(element, "springStiffness", str(joint.stiffness))
            joint.rest = scalar_in(element, "springReference", str(joint.rest))
        elif element.tag == "transmission" and joint:
            for actuator in element.all("actuator"):
                self.add_rotor(joint, actuator)

    def _name_of_link(self, element: Element, side: str, end: Element | None) -> str:
        name = "" if end is None else end.attributes.get("link", "")
        if not name:
            self.problems.add(f'{element} has no <{side} link="...">.')
        elif name not in self.links:
            self.problems.add(f"{element} has the {side} link {name!r}, which does not exist.")
        return name

    def _origin(self, origin: Element | None) -> Pose:
        """Return the pose of an <origin>, or of <link1> or <link2> in a <loop_joint>."""
        position = self._numbers(origin, "xyz", "0 0 0", 3)
        if origin is not None and "quat_xyzw" in origin.attributes:
            quaternion = self._numbers(origin, "quat_xyzw", "0 0 0 1", 4)
            if "rpy" in origin.attributes or not has_direction(quaternion):
                self.problems.add(
                    f"{origin} must have one orientation: rpy, or quat_xyzw not zero."
                )
                return ORIGIN
            return quaternion_rotation(quaternion), position
        angles = self._numbers(origin, "rpy", "0 0 0", 3)
        if self.quarter_turns and origin is not None and angles.any():
            angles = np.array([*map(quarter_turn, origin.attributes["rpy"].split())])
        return space_fixed_rotation(angles), position

    def _limits(self, element: Element | None, kind: str) -> Limits:
        values = [
            self._number(element, key) if element and key in element.attributes else None
            for key in ("lower", "upper", "velocity", "effort")
        ]
        if kind == "continuous":  # its limits mean nothing
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
        """Return numbers, or the default if they are missing or wrong."""
        found: Any = element and self.problems.check(element.numbers, attribute, default, count)
        return np.array(default.split(), float) if found is None else found

    # -- the whole ------------------------------------------------------------------

    def _check_names(self) -> None:
        counts = Counter(joint.child for joint in self.joints.values())
        for link in (name for name, count in counts.items() if count > 1 and name in self.links):
            joints = [str(joint.element) for joint in self.joints.values() if joint.child == link]
            self.problems.add(
                f"{self.links[link].element} is the child of {' and of '.join(joints)}. A URDF is "
                "a tree: close loops by <loop_joint>, or with LoopJoint afterwards."
            )

    def _check_tree(self) -> None:
        """Find the root and the order of the joints; add problems of roots and cycles."""
        children = {joint.child for joint in self.joints.values()}
        roots = [name for name in self.links if name not in children]
        if len(roots) > 1:
            listing = enumerate_some([str(self.links[name].element) for name in roots], 10)
            self.problems.add(f"one link must be the root, but no joint leads to {listing}.")
        self.roots = roots[:1]
        self.ordered = self.from_root(roots[0]) if roots else []
        reached = {*roots, *(joint.child for joint in self.ordered)}
        reached |= {joint.child for root in roots[1:] for joint in self.from_root(root)}
        if stray := [str(link.element) for name, link in self.links.items() if name not in reached]:
            self.problems.add(
                f"joints lead from the root to no {enumerate_some(stray, 10)}: they form a cycle."
            )


def quarter_turn(text: str) -> float:
    """Return an angle, exact if it is a multiple of a quarter turn to its written decimals."""
    value, decimals = float(text), -int(Decimal(text).as_tuple().exponent)
    nearest = round(value / (np.pi / 2)) * np.pi / 2
    is_rounded = decimals >= DECIMALS and abs(value - nearest) <= 0.5 * 10.0**-decimals
    return nearest if is_rounded else value
