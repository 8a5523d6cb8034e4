"""Points, frames and axes fixed in bodies, given in the ways of sympy's joints."""

from typing import Any

from sympy import ImmutableDenseMatrix, Matrix, S, pi, sqrt
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import Particle, RigidBody
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols

from ..checks.arguments import Body, check_instance
from ..spatial.components import is_constant, vector_components
from ..spatial.equality import agree
from ..spatial.paths import check_oriented, check_path


def attached_point(argument: str, value: Any, name: str, body: Body) -> Point:
    """Return a point of a body, given as in sympy's joints: Point, Vector or None."""
    if value is None:
        return body.masscenter
    check_instance(argument, value, (Point, Vector), "a Point, a Vector or None")
    is_point = isinstance(value, Point)
    arm = check_path(argument, value, body.masscenter) if is_point else value
    if isinstance(body, Particle):
        if not agree(arm, Vector(0)):
            raise ValueError(f"`{argument}` must be the Particle {body} itself. Leave it out.")
        return value if is_point else body.masscenter
    fixed_components(argument, arm, body.frame)
    return value if is_point else body.masscenter.locatenew(f"{name}_{body.name}_joint", arm)


def attached_frame(argument: str, value: Any, name: str, body: RigidBody) -> ReferenceFrame:
    """Return a frame of a body, given as in sympy's joints: ReferenceFrame, Vector or None.

    A Vector becomes the x axis, by the shortest turn of the body's frame.
    """
    if value is None:
        return body.frame
    check_instance(argument, value, (ReferenceFrame, Vector), "a ReferenceFrame, a Vector or None")
    if isinstance(value, Vector):
        return _aligned_frame(argument, value, body.frame, f"{name}_{body.name}_int_frame")
    check_oriented(argument, value, body.frame)
    _check_fixed(argument, value.dcm(body.frame), body.frame)
    return value


def _aligned_frame(
    argument: str, vector: Vector, frame: ReferenceFrame, name: str
) -> ReferenceFrame:
    along = nonzero_components(argument, vector, frame)[0]
    axis, angle = frame.x.cross(vector), frame.x.angle_between(vector)
    if agree(axis, Vector(0)):
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
    """Return the components of a vector that is fixed in a frame and points somewhere."""
    components = fixed_components(argument, vector, frame)
    if agree(vector, Vector(0)):
        raise ValueError(f"`{argument}` must have a direction, got the zero vector.")
    return components


def _check_fixed(argument: str, components: MatrixBase, frame: ReferenceFrame) -> None:
    if not is_constant(components, dynamicsymbols._t):
        raise ValueError(
            f"`{argument}` must be fixed in {frame}, but it moves there. Use components in {frame}."
        )


def normal_of(axis: MatrixBase) -> MatrixBase:
    """Return a unit vector at right angles to an axis: x to y, y to z, z to x."""
    first = next(i for i in range(3) if not axis[i].is_zero)
    zeros = [i for i in ((first + 1) % 3, (first + 2) % 3) if axis[i].is_zero]
    if zeros:
        return Matrix([int(i == zeros[0]) for i in range(3)])
    return unit(Matrix([1, 0, 0]).cross(axis))


def unit(components: MatrixBase) -> MatrixBase:
    """Return the components of the unit vector along a vector."""
    square = sum((entry**2 for entry in components), S.Zero)
    return components if square == 1 else ImmutableDenseMatrix(components) / sqrt(square)
