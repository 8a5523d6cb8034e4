"""Orientations, velocities and kinematical equations that joints have in common."""

from sympy import ImmutableDenseMatrix, Matrix, Rational, sqrt
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import ReferenceFrame, Vector, dynamicsymbols

from ..spatial.components import body_frame


def orient_by_quaternion(child: ReferenceFrame, parent: ReferenceFrame, quaternion: Matrix) -> None:
    """Orient a frame by a quaternion of any norm but zero, scalar part first."""
    norm = sqrt(sum(entry**2 for entry in quaternion))
    child.orient_quaternion(parent, tuple(entry / norm for entry in quaternion))


def quaternion_kdes(quaternion: Matrix, speeds: Matrix) -> Matrix:
    """Return ``q' - q w / 2``, w being the angular velocity in the turning frame."""
    q0, q1, q2, q3 = quaternion
    w1, w2, w3 = speeds
    product = (
        -q1 * w1 - q2 * w2 - q3 * w3,
        q0 * w1 + q2 * w3 - q3 * w2,
        q0 * w2 + q3 * w1 - q1 * w3,
        q0 * w3 + q1 * w2 - q2 * w1,
    )
    return quaternion.diff(dynamicsymbols._t) - Matrix(product) * Rational(1, 2)


def rate_kdes(coordinates: Matrix, speeds: Matrix) -> Matrix:
    return speeds - coordinates.diff(dynamicsymbols._t)


def vector_of(components: Matrix, frame: ReferenceFrame) -> Vector:
    return Vector([(ImmutableDenseMatrix(components), frame)])


def set_velocities(joint: Joint, velocity: Vector) -> None:
    """Set the velocities of a joint's points, and of the child's mass centre, in the parent.

    ``velocity`` is that of the child's point.
    """
    parent = body_frame(joint.parent, joint.parent_interframe)
    child = body_frame(joint.child, joint.child_interframe)
    joint.parent_point.set_vel(parent, 0)
    joint.child_point.set_vel(child, 0)
    joint.child_point.set_vel(parent, velocity)
    joint.child.masscenter.v2pt_theory(joint.child_point, parent, child)
