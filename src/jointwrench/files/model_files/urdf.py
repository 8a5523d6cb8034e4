"""`read_urdf`: robots as ROS has them."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation
from sympy import Expr, sign
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint

from ...checks.arguments import check_choice, check_mapping
from ...checks.numbers import check_bools
from ...models.actuators import add_joint_force
from ..xml_tree import read_xml, source_name
from .elements import NONPHYSICAL, Inertial
from .model import ModelFromFile
from .model_builder import ModelBuilder, coordinate, exact, unit_vector
from .packages import Packages, expand_xacro, find_file, is_xacro
from .urdf_elements import KINDS, MISSING_LEADERS, UrdfElements, UrdfJoint

#: The joint between ground and the root link; with more underscores where the file has it.
ROOT = "root_joint"


def read_urdf(
    source: str | PathLike[str],
    floating: bool = False,
    *,
    gravity: Sequence[Any] = (0, 0, -9.81),
    symbolic: bool = False,
    damping: bool = False,
    friction: bool = False,
    merge_fixed: bool = False,
    nonphysical: str = "refuse",
    missing_leaders: str = "refuse",
    quarter_turns: bool = False,
    packages: Packages = None,
    arguments: Mapping[str, str] | None = None,
) -> ModelFromFile:
    """Read a robot from URDF, or from xacro (extra ``xacro``: xacrodoc).

    Parameters
    ==========

    source : str or path
        The file, ``package://name/path`` or the text itself.  Meshes are not needed.
    floating : bool
        Whether the root link moves freely, by the joint ``root_joint``: a `FreeJoint` with
        a quaternion.  Otherwise it is welded to ground by it; a root link without
        inertia is ground itself.
    gravity : sequence of 3 scalars
        Acceleration of gravity in the root link's frame (floating: in ground's).
    symbolic : bool
        Whether masses, mass centres and inertias are symbols, whose numbers are then in
        ``.constants``: for instance ``m_link1``, ``cx_link1`` and ``Ixy_link1``, the last one
        about the mass centre, in the link's frame, as an entry of the inertia matrix.
    damping, friction : bool
        Whether the joints' damping ``-d u`` and dry friction ``-f sign(u)`` are loads.  They
        are then not part of the generalized forces and joint wrenches.
    merge_fixed : bool
        Whether links on fixed joints become parts of the links that carry them: fewer
        bodies and operations, but no wrench of a fixed joint.
    nonphysical : {"refuse", "keep"}
        What to do with masses and inertias that no body can have: a negative mass, a
        principal moment of inertia that is negative or larger than the other two together,
        nothing at all on a joint that moves.
    missing_leaders : {"refuse", "free"}
        What to do with joints that mimic one that is not there, or one without exactly one
        freedom: refuse the file, or give them a coordinate of their own.
    quarter_turns : bool
        Whether angles that are multiples of a quarter turn, rounded to the four or more decimals
        with which they are written (1.5708, 3.14159265359), are those: formulas are shorter, and
        axes are exactly parallel.  Otherwise the file's numbers are taken as they stand.
    packages : dict of str to path, or iterable of path, optional
        Folders of ROS packages by name, or folders in which they are; those of
        ROS_PACKAGE_PATH as well.
    arguments : dict of str to str, optional
        Of the xacro file.

    Returns
    =======

    ModelFromFile
        Coordinates and speeds of pins and slides have the name of their joint, those of
        others it with an ending: ``root_joint_x`` ... ``root_joint_qw``, ``root_joint_vx`` ...
        ``root_joint_wx``; planar ones ``_angle``, ``_x``, ``_y``: along what the shortest turn
        of z to the normal makes of x and y.  A joint that mimics another one has none: its
        coordinate is in ``.dependent``, and the force of the other one moves both.

    Raises
    ======

    TypeError
        If ``source`` is neither text nor a path.
    FileNotFoundError
        If there is no such file or package.
    ImportError
        If a xacro file is given and xacrodoc is not installed.
    ValueError
        If it is no well-formed XML, or for all that is wrong with the elements, each with its
        line: unknown types of joints, links that are not there, several roots, cycles,
        missing masses, inertias that no body can have.

    See Also
    ========

    read_mjcf, read_osim : Other formats.
    ModelFromFile : What it returns.

    Examples
    ========

    >>> import jointwrench as jw
    >>> model = jw.read_urdf('''
    ... <robot name="pendulum">
    ...   <link name="wall"/>
    ...   <joint name="hinge" type="continuous">
    ...     <parent link="wall"/> <child link="rod"/> <axis xyz="0 1 0"/>
    ...   </joint>
    ...   <link name="rod">
    ...     <inertial>
    ...       <origin xyz="0 0 -0.5"/> <mass value="2"/>
    ...       <inertia ixx="0.2" iyy="0.2" izz="0" ixy="0" ixz="0" iyz="0"/>
    ...     </inertial>
    ...   </link>
    ... </robot>''')
    >>> model
    ModelFromFile(pendulum: 1 bodies, 1 joints, 1 speeds)
    >>> model.inverse_dynamics().generalized_forces
    Matrix([[9.81*sin(hinge(t)) + 0.7*Derivative(u_hinge(t), t)]])
    """
    check_choice("nonphysical", nonphysical, NONPHYSICAL)
    check_choice("missing_leaders", missing_leaders, MISSING_LEADERS)
    check_bools(floating=floating, symbolic=symbolic, damping=damping, friction=friction)
    check_bools(merge_fixed=merge_fixed, quarter_turns=quarter_turns)
    check_mapping("arguments", arguments)
    found = find_file(source, packages)
    title, robot = source_name(found), read_xml(found)
    if is_xacro(robot):
        robot = read_xml(expand_xacro(found, packages, arguments or {}))
    elements = UrdfElements(robot, missing_leaders, bool(quarter_turns))
    elements.raise_problems("a URDF", title, nonphysical)
    made = _Robot(elements, floating, symbolic, merge_fixed)
    system = made.build(gravity)
    left_out = [*elements.left_out, *made.add_resistances(system, damping, friction)]
    dependent = made.model_builder.dependent
    free = [name for name in made.joints if name in made.model_builder.coordinates]
    return ModelFromFile(
        source=robot.attributes.get("name", title),
        **made.model_builder.parts(system),
        limits={name: elements.joints[name].limits for name in (*free, *dependent)},
        left_out=tuple(left_out),
        origins=made.origins,
        kinds={name: elements.joints[name].type for name in made.joints},
        dependent=dependent,
        reference=made.model_builder.neutral,
        pinocchio_order=made.in_pinocchio(),
    )


class _Carrier(NamedTuple):
    """The link that carries another one, and where the other one's frame is in its frame."""

    link: str
    rotation: np.ndarray
    position: np.ndarray


class _Robot:
    """Links and joints on the way to a System."""

    def __init__(
        self, elements: UrdfElements, floating: bool, symbolic: bool, merge_fixed: bool
    ) -> None:
        self.elements, self.floating, root = elements, floating, elements.root
        self.merge_fixed = merge_fixed
        is_ground = elements.links[root].inertial.is_nothing or merge_fixed
        self.ground = root if is_ground and not floating else ""
        self.root_joint = ROOT
        while self.root_joint in elements.joints:
            self.root_joint += "_"
        self.model_builder = ModelBuilder(self.ground or "ground", symbolic)
        self.carriers = dict(self._carriers())
        self.bodies: dict[str, RigidBody] = {}
        self.joints: dict[str, Joint] = {}
        self._add_bodies()
        self._add_joints()
        self.origins = dict(self._origins())

    def _carriers(self) -> Iterator[tuple[str, _Carrier]]:
        known = {self.elements.root: _Carrier(self.elements.root, np.eye(3), np.zeros(3))}
        for joint in self.elements.ordered:
            carrier = _Carrier(joint.child, np.eye(3), np.zeros(3))
            if joint.type == "fixed" and self.merge_fixed:
                link, rotation, position = known[joint.parent]
                carrier = _Carrier(
                    link, rotation @ joint.rotation, position + rotation @ joint.position
                )
            known[joint.child] = carrier
        yield from known.items()

    def _add_bodies(self) -> None:
        inertials: dict[str, Inertial] = {}
        for name, (link, rotation, position) in self.carriers.items():
            own = self.elements.links[name].inertial.seen_from(rotation, position)
            inertials[link] = inertials[link] + own if link in inertials else own
        for link, inertial in inertials.items():
            is_ground = link == self.ground
            builder = self.model_builder.builder
            self.bodies[link] = (
                builder.ground if is_ground else self.model_builder.add_body(link, inertial)
            )

    def _add_joints(self) -> None:
        if not self.ground:
            kind, root = "free" if self.floating else "weld", self.bodies[self.elements.root]
            ends = self.model_builder.builder.ground, root
            self.model_builder.add_joint(kind, self.root_joint, *ends, np.eye(3), np.zeros(3))
        for joint in self.elements.ordered:
            link, rotation, position = self.carriers[joint.parent]
            if self.carriers[joint.child].link == joint.child:
                self.joints[joint.name] = self._add_joint(
                    joint,
                    self.bodies[link],
                    rotation @ joint.rotation,
                    position + rotation @ joint.position,
                )

    def _add_joint(
        self, joint: UrdfJoint, parent: RigidBody, rotation: np.ndarray, position: np.ndarray
    ) -> Joint:
        kind, child = KINDS[joint.type], self.bodies[joint.child]
        options: dict[str, Any] = {}
        place = joint.name, parent, child, rotation, position
        if joint.mimic is not None and kind in ("pin", "prismatic"):
            formula = self._formula(joint)
            return self.model_builder.add_follower(kind, *place, joint.axis, formula)
        if kind in ("pin", "prismatic"):
            options["axis"] = joint.axis
        if kind == "planar":  # the normal is sympy's x
            turn = _with_normal_first(joint.axis)
            options["child_rotation"] = turn
            place = joint.name, parent, child, rotation @ turn, position
        return self.model_builder.add_joint(kind, *place, **options)

    def _formula(self, joint: UrdfJoint) -> Expr:
        """Return the coordinate of a joint that mimics another one."""
        mimic = self.elements.leader_of(joint)
        return exact(mimic.multiplier) * coordinate(mimic.joint) + exact(mimic.offset)

    def _origins(self) -> Iterator[tuple[str, Any]]:
        builder = self.model_builder.builder
        for name, (link, _, position) in self.carriers.items():
            body = self.bodies[link]
            is_own = name == link
            place = [exact(x) for x in position]
            yield (
                name,
                builder.origins[body] if is_own else builder.add_point(name, body, place),
            )

    def in_pinocchio(self) -> tuple[str, ...]:
        """Return the joints that move, sorted by name where the tree branches."""
        root = [] if self.ground or not self.floating else [self.root_joint]
        order = (joint.name for joint in self.elements.from_root(by_name=True))
        return (*root, *(name for name in order if self._moves(name)))

    def _moves(self, name: str) -> bool:
        return name in self.joints and self.elements.joints[name].type != "fixed"

    def build(self, gravity: Sequence[Any]) -> System:
        """Return the System."""
        return self.model_builder.builder.build(gravity)

    def add_resistances(self, system: System, damping: bool, friction: bool) -> Iterator[str]:
        """Add damping and friction to a System; yield the names of what is left out."""
        wanted = {"damping": damping, "friction": friction}
        for what, is_wanted in wanted.items():
            values = {
                x.name: getattr(x, what) for x in self.elements.ordered if x.name in self.joints
            }
            given = {name: value for name, value in values.items() if value}
            added = [name for name in given if is_wanted and self._has_one_freedom(name)]
            for name in added:
                law = self._speed(name) if what == "damping" else sign(self._speed(name))
                factor = self.model_builder.number(f"{what}_{name}", given[name])
                self._add_force(system, name, -factor * law)
            if rest := [name for name in given if name not in added]:
                yield f"{what} of {', '.join(rest)}"

    def _has_one_freedom(self, name: str) -> bool:
        return KINDS[self.elements.joints[name].type] in ("pin", "prismatic")

    def _speed(self, name: str) -> Expr:
        """Return the speed of a joint with one freedom."""
        if name in self.model_builder.speeds:
            return self.model_builder.speeds[name]
        mimic = self.elements.leader_of(self.elements.joints[name])
        return exact(mimic.multiplier) * self.model_builder.speeds[mimic.joint]

    def _add_force(self, system: System, name: str, force: Expr) -> None:
        element = self.elements.joints[name]
        axis = unit_vector(element.axis)
        add_joint_force(system, self.joints[name], KINDS[element.type], axis, force)


def _with_normal_first(axis: np.ndarray) -> np.ndarray:
    """Return a rotation matrix: the normal, and what the turn of z to it makes of x and y."""
    normal = axis / np.linalg.norm(axis)
    x, y, z = normal  # older versions of scipy align no single vector
    turn = Rotation.from_quat([-y, x, 0, 1 + z] if z > -1 else [0, 1, 0, 0])
    return np.column_stack([normal, *turn.as_matrix().T[:2]])
