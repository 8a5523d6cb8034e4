"""`read_urdf`: robots of ROS."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from .. import ModelFromFile
from ..checks.arguments import check_choice, check_mapping
from ..checks.numbers import check_bools
from ..records.model_elements import NONPHYSICAL
from ..records.xml_tree import read_xml, source_name
from .packages import Packages, find_file
from .robot_elements import MISSING_LEADERS
from .robot_tree import RobotTree
from .urdf_elements import UrdfElements


def read_urdf(
    source: str | PathLike[str],
    floating: bool = False,
    *,
    gravity: Sequence[Any] = (0, 0, -9.81),
    symbolic: bool = False,
    damping: bool = False,
    friction: bool = False,
    springs: bool = False,
    merge_fixed: bool = False,
    nonphysical: str = "refuse",
    missing_leaders: str = "refuse",
    quarter_turns: bool = False,
    packages: Packages = None,
    arguments: Mapping[str, str] | None = None,
) -> ModelFromFile:
    """Read a robot from URDF or xacro as a `ModelFromFile`; xacro needs the extra ``xacro``.

    Coordinates and speeds of pins and slides have the name of their joint, those of other joints
    the name with a suffix: ``root_joint_x`` ... ``root_joint_qw``, ``root_joint_vx`` ...
    ``root_joint_wx``; for planar joints ``_angle``, ``_x``, ``_y``, along x and y after the
    shortest rotation of z to the normal.  A joint that mimics another one has no coordinate: it is
    in ``.dependent``, and the force of the other joint moves both.

    Parameters
    ==========

    source : str or path
        The file, ``package://name/path`` or the text.  Meshes are not needed.
    floating : bool
        Whether the root link moves freely, by the joint ``root_joint``: a `FreeJoint` with
        a quaternion.  Otherwise it is welded to ground by it; a root link without
        inertia is ground itself, and so is ``world``, which joints may name without such a link.
    gravity : sequence of 3 scalars
        Acceleration of gravity in the root link's frame (floating: in ground's).
    symbolic : bool
        Whether masses, mass centres and inertias are symbols, whose numbers are then in
        ``.constants``: for instance ``m_link1``, ``cx_link1`` and ``Ixy_link1``, the last one
        about the mass centre, in the link's frame, as an entry of the inertia matrix.
    damping, friction, springs : bool
        Whether the joints' damping ``-d u``, dry friction ``-f sign(u)`` and springs are loads,
        with the springs and dampers between points.  They are then not part of the generalized
        forces and joint wrenches.
    merge_fixed : bool
        Whether links on fixed joints become parts of their parent links: fewer bodies and
        operations, but no wrench of a fixed joint.
    nonphysical : {"refuse", "keep"}
        What to do with impossible masses and inertias: a negative mass, a principal moment of
        inertia that is negative or larger than the sum of the other two, no mass on a moving joint.
    missing_leaders : {"refuse", "free"}
        What to do with joints that mimic a missing joint, or one without exactly one degree of
        freedom: refuse the file, or give them their own coordinate.
    quarter_turns : bool
        Whether angles that are multiples of a quarter turn rounded to four or more decimals
        (1.5708, 3.14159265359) are replaced by exact ones: formulas are shorter, and axes are
        exactly parallel.  Otherwise the file's numbers are used unchanged.
    packages : dict of str to path, or iterable of path, optional
        Folders of ROS packages by name, or folders that contain them; those of ROS_PACKAGE_PATH are
        also used.
    arguments : dict of str to str, optional
        Arguments of the xacro file.

    Raises
    ======

    TypeError, FileNotFoundError
        If ``source`` is neither text nor a path, or there is no such file or package.
    ImportError
        If a xacro file is given and xacrodoc is not installed.
    ValueError
        If it is not well-formed XML, or for all problems of elements, each with its line: unknown
        types of joints, missing links, several roots, cycles, missing masses, impossible inertias.

    See Also
    ========

    read_sdf, read_mjcf, read_osim : Other formats.

    Notes
    =====

    *Loops.*  URDF describes trees.  A closing joint is stated by ``<loop_joint name="..."
    type="spherical">``, as in Isaac Sim, or with type fixed, revolute or prismatic and an ``<axis
    xyz="..."/>`` in the frame of the first link; ``<link1 link="..." xyz="..." rpy="..."/>`` and
    ``<link2 .../>`` state its frame in both links; the wrench acts on the second link.  It becomes
    a LoopJoint in ``.loops``; the dependent coordinates of the System are the last ones that loops
    can determine, so that the others are at no dead centre in ``.reference``.

    ``<origin quat_xyzw="...">`` of URDF 1.1 is read in place of ``rpy``.

    *Extensions.*  Gazebo's ``springStiffness`` and ``springReference`` of a joint and Drake's
    ``drake:linear_spring_damper`` are read as springs, the latter also as a damper; Drake's
    ``drake:rotor_inertia`` times the squared ``drake:gear_ratio`` is a flywheel on ground that
    rotates with its joint, as ``joint_armature``.  Other extensions are in ``.left_out``; a warning
    names those that change forces.

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
    ModelFromFile(pendulum: 1 body, 1 joint, 1 speed)
    >>> model.inverse_dynamics().generalized_forces
    Matrix([[9.81*sin(hinge(t)) + 0.7*Derivative(u_hinge(t), t)]])
    """
    check_choice("nonphysical", nonphysical, NONPHYSICAL)
    check_choice("missing_leaders", missing_leaders, MISSING_LEADERS)
    wanted = {"damping": damping, "friction": friction, "springs": springs}
    check_bools(floating=floating, symbolic=symbolic, merge_fixed=merge_fixed, **wanted)
    check_bools(quarter_turns=quarter_turns)
    check_mapping("arguments", arguments)
    found = find_file(source, packages)
    title, robot = source_name(found), read_xml(found)
    if any(element.tag.startswith("xacro:") for element in robot.walk()):
        from .xacro_files import expand_xacro

        robot = read_xml(expand_xacro(found, packages, arguments or {}))
    elements = UrdfElements(robot, missing_leaders=missing_leaders, quarter_turns=quarter_turns)
    elements.raise_problems("a URDF", title, nonphysical)
    (root,) = elements.roots
    if not floating and (elements.links[root].inertial.is_massless or merge_fixed):
        elements.ground = root
    made = RobotTree(elements, floating, symbolic, merge_fixed)
    name = robot.attributes.get("name", title)
    return made.model(name, gravity, title, wanted, _pinocchio_order(made))


def _pinocchio_order(made: RobotTree) -> tuple[str, ...]:
    """Return the joints that move, sorted by name where the tree branches."""
    root = [*made.root_joints.values()] if made.floating else []
    order = made.elements.from_root(made.elements.roots[0], by_name=True)
    return (*root, *(x.name for x in order if x.name in made.joints and x.kind != "weld"))
