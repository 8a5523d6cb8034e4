"""From links and joints of a robot's file to bodies, joints and loops."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sympy import Expr, sign
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point

from .. import LoopJoint, ModelFromFile
from ..extend import ModelBuilder, exact, vector_of
from ..records.model_elements import ORIGIN, BodyFrame, Inertial, Pose, invert_pose, list_left_out
from .robot_elements import SCALAR, RobotElements, RobotJoint, RobotSpring

#: The joint between ground and the root link; with more underscores where the file has it.
ROOT = "root_joint"


class RobotTree:
    """Bodies, joints and loops that are made from a robot's links and joints.

    Attributes
    ==========

    elements : RobotElements
        The links and joints of the file.
    floating : bool
        Whether root links move freely.
    ground : str
        The link that is ground itself.
    model_builder : ModelBuilder
        The builder of the model.
    carriers : dict of str to BodyFrame
        The body to which each link belongs, and the link's pose in this body.
    bodies : dict of str to RigidBody
        The bodies by the names of their links.
    joints : dict of str to Joint
        The joints by name.
    root_joints : dict of str to str
        The names of the joints between ground and the root links, by root link.
    loops : list of LoopJoint
        The joints that close loops.
    """

    def __init__(
        self, elements: RobotElements, floating: bool, symbolic: bool, merge_fixed: bool
    ) -> None:
        self.elements, self.floating, self.ground = elements, floating, elements.ground
        self.model_builder = ModelBuilder(self.ground or "ground", symbolic)
        self.carriers = {root: BodyFrame(root) for root in elements.roots}
        for joint in elements.ordered:
            is_merged = joint.kind == "weld" and merge_fixed
            outer = self._frame(joint.parent, joint.place).offset(*invert_pose(joint.child_place))
            self.carriers[joint.child] = outer if is_merged else BodyFrame(joint.child)
        self.bodies = self._bodies()
        self.joints: dict[str, Joint] = {}
        self.root_joints: dict[str, str] = {}
        self._add_joints()
        self.loops = [self._closing(joint) for joint in elements.closings]

    def _frame(self, link: str, place: Pose) -> BodyFrame:
        return self.carriers[link].offset(*place)

    def _bodies(self) -> dict[str, RigidBody]:
        """Return the bodies by name, each with the mass distribution of all its links."""
        inertials: dict[str, Inertial] = {}
        for name, (link, *place) in self.carriers.items():
            own = self.elements.links[name].inertial.seen_from(*place)
            inertials[link] = inertials[link] + own if link in inertials else own
        bodies = {self.ground: self.model_builder.builder.ground}
        for link, inertial in inertials.items():
            if link != self.ground:
                is_ideal = link in self.elements.ideal
                bodies[link] = self.model_builder.add_body(link, inertial, is_ideal)
        return bodies

    def _add_joints(self) -> None:
        """Add the joints of root links on ground, then the joints and rotors of the tree."""
        free = [root for root in self.elements.roots if root != self.ground]
        for root in free:
            name = ROOT if len(free) == 1 else f"{ROOT}_{root}"
            while name in self.elements.joints:
                name += "_"
            self.root_joints[root] = name
            ends = self.model_builder.builder.ground, self.bodies[root]
            if self.floating:
                self.model_builder.add_joint("free", name, *ends)
            else:
                place = self.elements.places.get(root, ORIGIN)
                self.model_builder.add_joint("weld", name, *ends, place)
        for joint in self.elements.ordered:
            if self.carriers[joint.child].body == joint.child:
                self.joints[joint.name] = self._add_joint(joint)
            if joint.armature and joint.kind in SCALAR:
                self.model_builder.add_rotor(joint.name, joint.armature, self._position(joint))
            elif joint.armature:
                self.elements.losses.append(f"rotor's inertia of {joint.name}")

    def _add_joint(self, joint: RobotJoint) -> Joint:
        """Add a joint between the bodies of its links to the model, and return it."""
        kind, builder, child_place = joint.kind, self.model_builder, joint.child_place
        inner = self._frame(joint.parent, joint.place)
        if kind == "planar":  # the normal is sympy's x
            turn = _with_normal_first(joint.axis), np.zeros(3)
            inner, child_place = inner.offset(*turn), turn
        ends = joint.name, self.bodies[inner.body], self.bodies[joint.child], inner[1:], child_place
        if kind not in SCALAR:
            return builder.add_joint(kind, *ends)
        formula = None if joint.mimic is None else self._position(joint)
        return builder.add_joint(
            kind, *ends, axis=joint.axis, pitch=exact(joint.pitch), formula=formula
        )

    def _closing(self, joint: RobotJoint) -> LoopJoint:
        ends = []
        for link, place in ((joint.parent, joint.place), (joint.child, joint.child_place)):
            frame = self._frame(link, place)
            ends.append((self.bodies[frame.body], (frame.rotation, frame.position)))
        return self.model_builder.add_loop(joint.name, joint.kind, ends, axis=joint.axis)

    def _position(self, joint: RobotJoint) -> Expr:
        """Return the coordinate of a joint with one freedom, or its formula if it mimics one."""
        mimic = self.elements.leader_of(joint)
        return exact(mimic.multiplier) * ModelBuilder.coordinate(mimic.joint) + exact(mimic.offset)

    @property
    def origins(self) -> dict[str, Point]:
        """The origins of the links' frames."""
        builder = self.model_builder
        return {
            name: builder.builder.origins[self.bodies[name]]
            if name == link
            else builder.add_point(name, self.bodies[link], position)
            for name, (link, _, position) in self.carriers.items()
        }

    def _add_resistances(self, system: System, wanted: dict[str, bool]) -> None:
        """Add the wanted damping, friction and springs to a System, and list all omitted ones."""
        elements = self.elements
        parts: list[RobotJoint | RobotSpring] = [*elements.closings, *elements.springs]
        parts[:0] = [joint for joint in elements.ordered if joint.name in self.joints]
        for what, is_wanted in wanted.items():
            name, rest = "stiffness" if what == "springs" else what, list[str]()
            for part in (part for part in parts if getattr(part, name)):
                if not is_wanted or part.kind not in (*SCALAR, "spring"):
                    rest.append(part.name)
                elif isinstance(part, RobotSpring):
                    self._add_spring(system, part, name)
                else:
                    self._add_resistance(system, part, name)
            line = f"{what} of {', '.join(rest)}"
            if rest and is_wanted:
                elements.losses.append(line)
            elif rest:
                elements.leave_out(line, "springs=True reads them" if what == "springs" else "")

    def _add_spring(self, system: System, spring: RobotSpring, what: str) -> None:
        """Add the force of a spring, or of its damper, along the line between two points."""
        pairs = zip(spring.links, spring.positions, strict=True)
        frames = [self._frame(link, (np.eye(3), position)) for link, position in pairs]
        ends = [(self.bodies[frame.body], frame.position) for frame in frames]
        number = getattr(spring, what)
        self.model_builder.add_line_force(system, spring.name, what, ends, number, spring.rest)

    def _add_resistance(self, system: System, joint: RobotJoint, what: str) -> None:
        """Add the force of a damper, of dry friction or of a spring in a joint.

        If the joint mimics another joint, its motion is a formula of the leader's motion.
        """
        mimic = self.elements.leader_of(joint)
        speed = exact(mimic.multiplier) * self.model_builder.speeds[mimic.joint]
        factor = self.model_builder.number(f"{what}_{joint.name}", getattr(joint, what))
        motion = {
            "damping": speed,
            "friction": sign(speed),
            "stiffness": self._position(joint) - exact(joint.rest),
        }[what]
        kind = "pin" if joint.kind == "screw" else joint.kind
        own = self.joints[joint.name]
        self.model_builder.add_joint_force(system, own, kind, joint.axis, -factor * motion)

    def model(
        self,
        source: str,
        gravity: Sequence[Any],
        place: str,
        wanted: dict[str, bool],
        pinocchio_order: tuple[str, ...] = (),
    ) -> ModelFromFile:
        """Return the model that is read from a file, with its wanted resistances."""
        builder, elements = self.model_builder, self.elements
        system = builder.builder.build(gravity)
        weight = vector_of(gravity, system.frame)
        for name in elements.weightless:
            if self.carriers[name].body == name:
                builder.add_weight(system, self.bodies[name], -weight)
            else:
                elements.losses.append(f"<gravity> of {name}")
        self._add_resistances(system, wanted)
        reference, ignored = builder.close_loops(system, self.loops, [self._reference()], place)
        free = [name for name in self.joints if name in builder.coordinates]
        return ModelFromFile(
            source=source,
            **builder.parts(system),
            loops=tuple(self.loops),
            limits={name: elements.joints[name].limits for name in (*free, *builder.dependent)},
            left_out=list_left_out(elements.losses, [*elements.left_out, *ignored], place),
            origins=self.origins,
            kinds={name: elements.joints[name].type for name in self.joints},
            dependent=builder.dependent,
            reference=reference,
            pinocchio_order=pinocchio_order,
        )

    def _reference(self) -> np.ndarray:
        """Return the coordinates of the pose in the file."""
        reference, names = self.model_builder.neutral, [*self.model_builder.coordinates]
        for root, joint in self.root_joints.items():
            if self.floating and root in self.elements.places:
                from scipy.spatial.transform import Rotation  # slow to import

                turn, position = self.elements.places[root]
                quaternion = np.roll(Rotation.from_matrix(turn).as_quat(), 1)
                first = names.index(f"{joint}_x")
                reference[first : first + 7] = [*position, *quaternion]
        return reference


def _with_normal_first(axis: np.ndarray) -> np.ndarray:
    """Return the rotation matrix with the columns normal, x' and y' of a planar joint.

    The axes x' and y' follow from x and y by the shortest rotation of z to the normal.
    """
    from scipy.spatial.transform import Rotation  # slow to import

    normal = axis / np.linalg.norm(axis)
    x, y, z = normal  # older versions of scipy align no single vector
    turn = Rotation.from_quat([-y, x, 0, 1 + z] if z > -1 else [0, 1, 0, 0])
    return np.column_stack([normal, *turn.as_matrix().T[:2]])
