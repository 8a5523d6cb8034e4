"""Points, frames and axes fixed in bodies, specified as for sympy's joints."""

from types import NoneType
from typing import Any

from sympy import ImmutableDenseMatrix, Matrix, S, pi, sqrt
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ...checks.arguments import check_instance
from ..spatial.components import is_constant, vector_components
from ..spatial.equality import are_equal
from ..spatial.paths import check_oriented, check_path
from ..sympy_objects import Body, is_particle


def check_joint_point(argument: str, value: Any, body: Body) -> Vector:
    """Return the position of a body's point from the mass centre, as a Vector.

    The argument is a Point, such a position, or None for the mass centre.
    """
    if value is None:
        return Vector(0)
    check_instance(argument, value, (Point, Vector), "a Point, a Vector or None")
    arm = check_path(argument, value, body.masscenter) if isinstance(value, Point) else value
    if isinstance(body, RigidBody):
        for _, own in arm.args:
            check_oriented(argument, own, body.frame)
    return arm


def check_interframe(argument: str, value: Any, body: Body) -> None:
    """Raise an error for an interframe that sympy's joints would not accept."""
    kinds = (ReferenceFrame, Vector, NoneType)
    check_instance(argument, value, kinds, "a ReferenceFrame, a Vector or None")
    if value is None:
        return
    if is_particle(body):  # has no frame in which a vector could have components
        if isinstance(value, Vector):
            raise ValueError(
                f"`{argument}` must be a ReferenceFrame or None, since the Particle {body} has "
                "no frame of its own for a vector."
            )
        return
    for own in [value] if isinstance(value, ReferenceFrame) else [x for _, x in value.args]:
        check_oriented(argument, own, body.frame)


def attached_point(argument: str, value: Any, name: str, body: Body) -> Point:
    """Return the Point fixed in a body that an argument of a joint specifies.

    The argument is a Point, a Vector from the mass centre, or None for the mass centre.
    """
    arm, is_point = check_joint_point(argument, value, body), isinstance(value, Point)
    if value is None:
        return body.masscenter
    if is_particle(body):
        if not are_equal(arm, Vector(0)):
            raise ValueError(f"`{argument}` must be the Particle {body} itself. Leave it out.")
        return value if is_point else body.masscenter
    fixed_components(argument, arm, body.frame)
    return value if is_point else body.masscenter.locatenew(f"{name}_{body.name}_joint", arm)


def attached_frame(argument: str, value: Any, name: str, body: RigidBody) -> ReferenceFrame:
    """Return the interframe of a joint, which is fixed in a body.

    The argument is a ReferenceFrame, a Vector along the interframe's x axis, or None for the body's
    frame.
    """
    check_interframe(argument, value, body)
    if value is None:
        return body.frame
    if isinstance(value, Vector):
        return _aligned_frame(argument, value, body.frame, f"{name}_{body.name}_int_frame")
    _check_fixed(argument, value.dcm(body.frame), body.frame)
    return value


def _aligned_frame(
    argument: str, vector: Vector, frame: ReferenceFrame, name: str
) -> ReferenceFrame:
    """Return a frame with its x axis along a vector, rotated by the smallest angle."""
    along = nonzero_components(argument, vector, frame)[0]
    axis, angle = frame.x.cross(vector), frame.x.angle_between(vector)
    if are_equal(axis, Vector(0)):
        if not along.is_negative:
            return frame
        axis, angle = frame.z, pi
    aligned = ReferenceFrame(name)
    aligned.orient_axis(frame, axis.express(frame), angle)
    return aligned


def fixed_components(argument: str, vector: Vector, frame: ReferenceFrame) -> MatrixBase:
    """Return the components of a vector that is fixed in a frame."""
    for _, own in vector.args:
        check_oriented(argument, own, frame)
    components = vector_components(vector, frame)
    _check_fixed(argument, components, frame)
    return components


def nonzero_components(argument: str, vector: Vector, frame: ReferenceFrame) -> MatrixBase:
    """Return the components of a nonzero vector that is fixed in a frame."""
    components = fixed_components(argument, vector, frame)
    if are_equal(vector, Vector(0)):
        raise ValueError(f"`{argument}` must have a direction, got the zero vector.")
    return components


def _check_fixed(argument: str, components: MatrixBase, frame: ReferenceFrame) -> None:
    if not is_constant(components, dynamicsymbols._t):
        raise ValueError(
            f"`{argument}` must be fixed in {frame}, but it moves there. Use components in {frame}."
        )


def normal_of(axis: MatrixBase) -> MatrixBase:
    """Return a unit vector normal to an axis: y for x, z for y, x for z."""
    first = next(i for i in range(3) if not axis[i].is_zero)
    zeros = [i for i in ((first + 1) % 3, (first + 2) % 3) if axis[i].is_zero]
    if zeros:
        return Matrix([int(i == zeros[0]) for i in range(3)])
    return unit(Matrix([1, 0, 0]).cross(axis))


def unit(components: MatrixBase) -> MatrixBase:
    """Return the components of the unit vector along a vector."""
    square = sum((entry**2 for entry in components), S.Zero)
    return components if square == 1 else ImmutableDenseMatrix(components) / sqrt(square)
