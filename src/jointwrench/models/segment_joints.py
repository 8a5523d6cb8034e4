"""From a Segment to its body, joint, velocities and actuators, each by itself."""

from sympy import Expr, Matrix, Symbol, latex
from sympy.physics.mechanics import (
    CylindricalJoint,
    PinJoint,
    PlanarJoint,
    PrismaticJoint,
    RigidBody,
    SphericalJoint,
    TorqueActuator,
    WeldJoint,
)
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame, Vector, cross

from ..wrench import Wrench
from .free_joint import FreeJoint
from .quaternion_joint import QuaternionJoint
from .segment import AXES, Segment, basis_vector

# The freedoms of each joint in the order of its speeds: rotation or translation.
FREEDOMS = {
    "pin": ("rotation",),
    "prismatic": ("translation",),
    "cylindrical": ("rotation", "translation"),
    "planar": ("rotation", "translation", "translation"),
    "spherical": ("rotation", "rotation", "rotation"),
    "quaternion": ("rotation", "rotation", "rotation"),
    "free": ("translation", "translation", "translation", "rotation", "rotation", "rotation"),
    "weld": (),
}

# Joints whose freedoms turn about the axes of the child's frame.
BALL_JOINTS = {
    "spherical": SphericalJoint,
    "quaternion": QuaternionJoint,
    "free": FreeJoint,
}


def coordinate_count(kind: str) -> int:
    """Return how many coordinates a kind of joint has; a quaternion is one more."""
    return len(FREEDOMS[kind]) + (kind == "quaternion")


def make_body(segment: Segment, proximal: Point, center: Point, distal: Point) -> RigidBody:
    """Return the body of a segment; place its points and fix them in its frame."""
    frame = segment.inertia_frame() or _named_frame(segment.name)
    center.set_pos(proximal, segment.mass_center_vector(frame))
    distal.set_pos(proximal, segment.distal_vector(frame))
    for point in (proximal, center, distal):
        point.set_vel(frame, 0)
    inertia = (segment.inertia_dyadic(frame), center)
    return RigidBody(segment.name, center, frame, segment.mass, inertia)


def make_joint(
    segment: Segment,
    bodies: tuple[RigidBody, RigidBody],
    points: tuple[Point, Point],
    q: list[Expr],
    u: list[Expr],
) -> Joint:
    """Return the joint of a segment; bodies and points are (parent, child)."""
    parent, child = bodies
    names = dict(zip(("parent_point", "child_point"), points, strict=True))
    axis = basis_vector(parent.frame, segment.axis)
    if segment.joint == "pin":
        return PinJoint(segment.name, parent, child, *q, *u, joint_axis=axis, **names)
    if segment.joint == "prismatic":
        return PrismaticJoint(segment.name, parent, child, *q, *u, joint_axis=axis, **names)
    if segment.joint == "cylindrical":
        return CylindricalJoint(segment.name, parent, child, *q, *u, joint_axis=axis, **names)
    if segment.joint in BALL_JOINTS:
        return BALL_JOINTS[segment.joint](segment.name, parent, child, q, u, **names)
    if segment.joint == "weld":
        return WeldJoint(segment.name, parent, child, **names)
    return PlanarJoint(
        segment.name,
        parent,
        child,
        q[0],
        q[1:],
        u[0],
        u[1:],
        parent_interframe=_planar_interframe(segment, parent),
        child_interframe=_planar_interframe(segment, child),
        **names,
    )


def set_ground_velocities(
    joint: Joint, tip: Point, turning: Vector, ground: ReferenceFrame
) -> Vector:
    """Set the velocities of a segment's points in ground; return its angular velocity.

    ``turning`` is the angular velocity of the parent. Both are kept in one
    frame, the body's: sympy's own sums over many frames would be slow here,
    and asking a Point for a velocity that isn't set makes it warn of choices.
    """
    frame, point = joint.child.frame, joint.child_point
    velocity = joint.parent_point.vel(ground)
    slide = point.pos_from(joint.parent_point)
    if slide != 0:
        velocity += point.vel(joint.parent.frame) + cross(turning, slide)
    turning = turning.express(frame) + frame.ang_vel_in(joint.parent.frame).express(frame)
    for other in (point, joint.child.masscenter, tip):
        other.set_vel(ground, velocity + cross(turning, other.pos_from(point)))
    return turning


def actuate(
    segment: Segment, joint: Joint, symbols: list[Expr]
) -> tuple[list[TorqueActuator], list]:
    """Return the torque actuators and the loads of a joint, one symbol per freedom."""
    actuators, loads = [], []
    axes, freedoms = _actuator_axes(segment, joint), FREEDOMS[segment.joint]
    for symbol, axis, freedom in zip(symbols, axes, freedoms, strict=True):
        if freedom == "rotation":
            actuators.append(TorqueActuator(symbol, axis, joint.child.frame, joint.parent.frame))
        else:
            loads.extend(_force_pair(symbol * axis, joint))
    return actuators, loads


def _actuator_axes(segment: Segment, joint: Joint) -> list[Vector]:
    """Return the direction of each freedom's actuator, positive on the child."""
    if segment.joint in BALL_JOINTS:
        turns = [basis_vector(joint.child.frame, name) for name in AXES]
        slides = [basis_vector(joint.parent.frame, name) for name in AXES]
        return [*slides, *turns] if segment.joint == "free" else turns
    count = len(FREEDOMS[segment.joint])
    names = _cyclic(segment.axis) if segment.joint == "planar" else (segment.axis,) * count
    return [basis_vector(joint.parent.frame, name) for name in names]


def _force_pair(force: Vector, joint: Joint) -> list:
    """Return the loads of a force on the child at its joint point, and of its opposite.

    The opposite acts on the parent at the same place, which isn't fixed in the
    parent if the joint slides: Wrench adds the moment of that.
    """
    on_child = Wrench(joint.child_point, force)
    return [*on_child.to_loads(joint.child), *(-on_child).to_loads(joint.parent)]


def _planar_interframe(segment: Segment, body: RigidBody) -> ReferenceFrame:
    """Return a frame fixed in a body, x along the joint's axis, y and z cyclic.

    Sympy's planar joint turns about x of the interframes and slides in y and z.
    """
    if segment.axis == "x":
        return body.frame
    frame = _named_frame(f"{segment.name}_{body.name}_int_frame")
    rows = [[int(name == axis) for name in AXES] for axis in _cyclic(segment.axis)]
    frame.orient_dcm(body.frame, Matrix(rows))
    return frame


def _named_frame(name: str) -> ReferenceFrame:
    """Return a frame whose LaTeX is valid for names with several underscores."""
    letters = latex(Symbol(name))
    return ReferenceFrame(name, latexs=[rf"\mathbf{{\hat{{{letters}}}_{c}}}" for c in AXES])


def _cyclic(axis: str) -> tuple[str, ...]:
    """Return the names of the axes in cyclic order, starting with ``axis``."""
    start = AXES.index(axis)
    return AXES[start:] + AXES[:start]
