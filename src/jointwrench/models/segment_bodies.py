"""From a Segment to its body and joint in a tree."""

from collections.abc import Sequence

from sympy import Matrix
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point

from .segment import AXES, Segment, cyclic_axes
from .tree_builder import TreeBuilder, named_frame


def add_segment(
    builder: TreeBuilder,
    segment: Segment,
    parent: RigidBody,
    parent_point: Point,
    states: tuple[Sequence[str], Sequence[str]],
    joint: str | None = None,
    point_names: tuple[str, str, str] | None = None,
) -> tuple[RigidBody, Point]:
    """Add the body and the joint of a segment; return the body and its distal end.

    It hangs on ``parent`` at ``parent_point``; ``states`` are the names of the joint's coordinates
    and speeds, ``point_names`` those of proximal joint, mass centre and distal end.
    """
    name = segment.name
    start, center, end = point_names or (f"{name}_start", f"{name}_center", f"{name}_end")
    frame = segment.inertia_frame() or named_frame(name)
    vector, inertia = segment.mass_center_vector(frame), segment.inertia_dyadic(frame)
    body = builder.add_body(name, segment.mass, vector, inertia, frame, (start, center))
    tip = builder.add_point(end, body, segment.distal_vector(frame))
    axis = [int(axis == segment.axis) for axis in AXES]
    rotation = _planar_rotation(segment.axis) if segment.joint == "planar" else None
    builder.add_joint(
        *(segment.joint, joint or segment.joint_name or name, parent, body, *states),
        axis=axis if segment.joint in ("pin", "prismatic", "cylindrical") else None,
        parent_point=parent_point,
        parent_interframe=rotation,
        child_interframe=rotation,
    )
    return body, tip


def _planar_rotation(axis: str) -> Matrix:
    """Return the matrix of a frame with x along an axis of the body, y and z cyclic.

    Sympy's planar joint turns about x of its interframes and slides in y and z.
    """
    return Matrix([[int(name == other) for name in AXES] for other in cyclic_axes(axis)]).T
