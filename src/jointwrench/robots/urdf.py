"""`read_urdf`: robots as ROS has them."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from sympy import sign
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point

from .. import ModelFromFile
from ..checks.arguments import check_choice, check_mapping
from ..checks.numbers import check_bools
from ..extend import ModelBuilder, exact
from ..records.model_elements import NONPHYSICAL, BodyFrame, Inertial
from ..records.xml_tree import read_xml, source_name
from .packages import Packages, expand_xacro, find_file, is_xacro
from .urdf_elements import KINDS, MISSING_LEADERS, SCALAR, UrdfElements, UrdfJoint

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
    """Read a robot from URDF, or from xacro (extra ``xacro``: xacrodoc), as `ModelFromFile`.

    Coordinates and speeds of pins and slides have the name of their joint, those of others it with
    an ending: ``root_joint_x`` ... ``root_joint_qw``, ``root_joint_vx`` ... ``root_joint_wx``;
    planar ones ``_angle``, ``_x``, ``_y``: along what the shortest turn of z to the normal makes of
    x and y.  A joint that mimics another one has none: its coordinate is in ``.dependent``, and the
    force of the other one moves both.

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

    Raises
    ======

    TypeError, FileNotFoundError
        If ``source`` is neither text nor a path, or there is no such file or package.
    ImportError
        If a xacro file is given and xacrodoc is not installed.
    ValueError
        If it is no well-formed XML, or for all that is wrong with the elements, each with its line:
        unknown types of joints, links that are not there, several roots, cycles, missing masses,
        inertias that no body can have.

    See Also
    ========

    read_mjcf, read_osim : Other formats.

    Examples
    ========

    >>> import jointwrench as jw
    >>> model = jw.robots.read_urdf('''
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
    system = made.model_builder.builder.build(gravity)
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
        pinocchio_order=made.pinocchio_order,
    )


class _Robot:
    """Links and joints on the way to a System; ``carriers``: which link carries one, and where."""

    def __init__(
        self, elements: UrdfElements, floating: bool, symbolic: bool, merge_fixed: bool
    ) -> None:
        self.elements, self.floating, root = elements, floating, elements.root
        is_ground = elements.links[root].inertial.is_nothing or merge_fixed
        self.ground = root if is_ground and not floating else ""
        self.root_joint = ROOT
        while self.root_joint in elements.joints:
            self.root_joint += "_"
        self.model_builder = ModelBuilder(self.ground or "ground", symbolic)
        self.carriers = {root: BodyFrame(root)}
        for joint in elements.ordered:
            is_merged = joint.type == "fixed" and merge_fixed
            outer = self.carriers[joint.parent].offset(*joint.place)
            self.carriers[joint.child] = outer if is_merged else BodyFrame(joint.child)
        self.bodies = self._bodies()
        self.joints: dict[str, Joint] = {}
        self._add_joints()

    def _bodies(self) -> dict[str, RigidBody]:
        inertials: dict[str, Inertial] = {}
        for name, (link, *place) in self.carriers.items():
            own = self.elements.links[name].inertial.seen_from(*place)
            inertials[link] = inertials[link] + own if link in inertials else own
        bodies = {self.ground: self.model_builder.builder.ground}
        for link, inertial in inertials.items():
            if link != self.ground:
                bodies[link] = self.model_builder.add_body(link, inertial)
        return bodies

    def _add_joints(self) -> None:
        if not self.ground:
            ends = self.bodies[""], self.bodies[self.elements.root]
            kind = "free" if self.floating else "weld"
            self.model_builder.add_joint(kind, self.root_joint, *ends)
        for joint in self.elements.ordered:
            if self.carriers[joint.child].body == joint.child:
                self.joints[joint.name] = self._add_joint(joint)

    def _add_joint(self, joint: UrdfJoint) -> Joint:
        kind, builder, turn = KINDS[joint.type], self.model_builder, np.eye(3)
        if kind == "planar":  # the normal is sympy's x
            turn = _with_normal_first(joint.axis)
        inner = self.carriers[joint.parent]
        place = inner.offset(*joint.place).offset(turn, np.zeros(3))[1:]
        ends = kind, joint.name, self.bodies[inner.body], self.bodies[joint.child], place
        if kind not in SCALAR:
            return builder.add_joint(*ends, (turn, np.zeros(3)))
        if joint.mimic is None:
            return builder.add_joint(*ends, axis=joint.axis)
        mimic = self.elements.leader_of(joint)
        multiplier, offset = exact(mimic.multiplier), exact(mimic.offset)
        formula = multiplier * ModelBuilder.coordinate(mimic.joint) + offset
        return builder.add_follower(*ends, axis=joint.axis, formula=formula)

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

    @property
    def pinocchio_order(self) -> tuple[str, ...]:
        """The joints that move, sorted by name where the tree branches."""
        root = [self.root_joint] if self.floating else []
        order = self.elements.from_root(by_name=True)
        return (*root, *(x.name for x in order if x.name in self.joints and x.type != "fixed"))

    def add_resistances(self, system: System, damping: bool, friction: bool) -> Iterator[str]:
        """Add damping and friction to a System; yield the names of what is left out."""
        joints = [joint for joint in self.elements.ordered if joint.name in self.joints]
        for what, is_wanted in {"damping": damping, "friction": friction}.items():
            given = [(joint, value) for joint in joints if (value := getattr(joint, what))]
            rest = []
            for joint, value in given:
                if not is_wanted or KINDS[joint.type] not in SCALAR:
                    rest.append(joint.name)
                    continue
                mimic, axis = self.elements.leader_of(joint), joint.axis
                speed = exact(mimic.multiplier) * self.model_builder.speeds[mimic.joint]
                factor = self.model_builder.number(f"{what}_{joint.name}", value)
                force = -factor * (speed if what == "damping" else sign(speed))
                own = self.joints[joint.name]
                self.model_builder.add_joint_force(system, own, KINDS[joint.type], axis, force)
            if rest:
                yield f"{what} of {', '.join(rest)}"


def _with_normal_first(axis: np.ndarray) -> np.ndarray:
    """Return a rotation matrix: the normal, and what the turn of z to it makes of x and y."""
    from scipy.spatial.transform import Rotation  # slow to import

    normal = axis / np.linalg.norm(axis)
    x, y, z = normal  # older versions of scipy align no single vector
    turn = Rotation.from_quat([-y, x, 0, 1 + z] if z > -1 else [0, 1, 0, 0])
    return np.column_stack([normal, *turn.as_matrix().T[:2]])
