"""`read_sdf`: robots of Gazebo and Drake."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from .. import ModelFromFile
from ..checks.arguments import check_choice
from ..checks.numbers import check_bools
from ..records.model_elements import NONPHYSICAL
from ..records.xml_tree import is_text, read_xml, source_name
from .packages import Packages, find_file, opened_folders
from .robot_elements import MISSING_LEADERS
from .robot_tree import RobotTree
from .sdf_elements import SdfElements

#: The acceleration of gravity without a world.
GRAVITY = (0, 0, -9.81)


def read_sdf(
    source: str | PathLike[str],
    floating: bool = True,
    *,
    gravity: Sequence[Any] | None = None,
    symbolic: bool = False,
    damping: bool = False,
    friction: bool = False,
    springs: bool = False,
    merge_fixed: bool = False,
    nonphysical: str = "refuse",
    missing_leaders: str = "refuse",
    packages: Packages = None,
) -> ModelFromFile:
    """Read robots from SDF, version 1.5 or later, closed loops included, as `ModelFromFile`.

    Names are those of the file.  In nested models, included models and models of a world they have
    a scope, as in ``arm::hand``; ground is ``world``.  A joint of type ``universal`` or
    ``revolute2`` is two pins on a massless body: ``joint_axis`` and ``joint_axis2`` on
    ``joint_cross``.

    Parameters
    ==========

    source : str or path
        The file, ``model://name/path`` or the text.  Meshes are not needed.
    floating : bool
        Whether links without a joint to a parent move freely, as in SDF, by the joint
        ``root_joint`` (for several such links ``root_joint_link``): a `FreeJoint` with a
        quaternion. Otherwise they are welded to ground in the pose of the file.
    gravity : sequence of 3 scalars, optional
        Acceleration of gravity in the world's frame.  Default: that of the file's world, or (0, 0,
        -9.81).
    symbolic : bool
        Whether masses, mass centres and inertias are symbols, as for `read_urdf`.
    damping, friction, springs : bool
        Whether the joints' damping, dry friction and springs are loads, with Drake's springs and
        dampers between points, and not part of the generalized forces and joint wrenches.
    merge_fixed : bool
        Whether links on fixed joints become parts of their parent links.
    nonphysical : {"refuse", "keep"}
        What to do with impossible masses and inertias, as for `read_urdf`.
    missing_leaders : {"refuse", "free"}
        What to do with joints that mimic a missing joint, as for `read_urdf`.
    packages : dict of str to path, or iterable of path, optional
        As for `read_urdf`: the folders of models for ``model://`` and <include>.

    Raises
    ======

    TypeError, FileNotFoundError
        If ``source`` is neither text nor a path, or a file or a folder does not exist.
    ValueError
        If it is not well-formed XML, or for all problems of elements, each with its line: unknown
        types of joints, missing or circular frames, impossible inertias, loops that cannot be
        closed.

    See Also
    ========

    read_urdf, read_mjcf : Other formats.

    Notes
    =====

    *Loops.*  The first joint in the file that leads to a link is one of the tree; a further one
    (fixed, revolute, continuous, prismatic or ball) is a LoopJoint in ``.loops``.  The dependent
    coordinates of the System are the last ones that loops can determine, so that the others are at
    no dead centre in ``.reference``, the file's pose.

    *Extensions.*  Drake's rotors and springs are read as by `read_urdf`.

    *By the format*, a link without <inertial> has the mass 1 and the moments of inertia 1;
    poses before version 1.7 are relative to the model, those of joints to their child.

    References
    ==========

    .. [1] Open Robotics, SDFormat specification, http://sdformat.org/spec

    Examples
    ========

    >>> import jointwrench as jw
    >>> model = jw.robots.read_sdf('''
    ... <sdf version="1.7"><model name="pendulum">
    ...   <link name="rod">
    ...     <inertial>
    ...       <pose>0 0 -0.5 0 0 0</pose> <mass>2</mass>
    ...       <inertia><ixx>0.2</ixx><iyy>0.2</iyy><izz>0</izz></inertia>
    ...     </inertial>
    ...   </link>
    ...   <joint name="hinge" type="continuous">
    ...     <parent>world</parent> <child>rod</child> <axis><xyz>0 1 0</xyz></axis>
    ...   </joint>
    ... </model></sdf>''')
    >>> model
    ModelFromFile(pendulum: 1 body, 1 joint, 1 speed)
    >>> model.inverse_dynamics().generalized_forces
    Matrix([[9.81*sin(hinge(t)) + 0.7*Derivative(u_hinge(t), t)]])
    """
    check_choice("nonphysical", nonphysical, NONPHYSICAL)
    check_choice("missing_leaders", missing_leaders, MISSING_LEADERS)
    wanted = {"damping": damping, "friction": friction, "springs": springs}
    check_bools(floating=floating, symbolic=symbolic, merge_fixed=merge_fixed, **wanted)
    found = find_file(source, packages)
    title, root = source_name(found), read_xml(found)
    path = None if is_text(found) else Path(found)
    folder = "" if path is None else str(path.parent)
    folders = folder, packages, opened_folders(path, packages)
    elements = SdfElements(root, *folders, missing_leaders=missing_leaders)
    elements.raise_problems("an SDF", title, nonphysical)
    made = RobotTree(elements, floating, symbolic, merge_fixed)
    if gravity is None:
        gravity = elements.gravity if len(elements.gravity) else GRAVITY
    model = root.find("model") or root.find("world") or root
    return made.model(model.attributes.get("name", title), gravity, title, wanted)
