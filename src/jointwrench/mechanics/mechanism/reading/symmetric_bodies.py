"""Rotating bodies whose frames have no orientation: wheels that are defined by a speed alone.

Users may leave out the angle of a body of revolution.  Another frame, in which its inertia is given
and constant, replaces its own; only rates of change account for the relative rotation.
"""

from sympy import ImmutableDenseMatrix, Matrix, eye
from sympy.physics.vector import ReferenceFrame

from ...adapters.private_sympy import stated_orientations
from ...spatial.components import position_components, vector_components
from ...spatial.equality import are_zero
from ...spatial.paths import angular_velocity_in, shortest_path
from ...sympy_objects import Body, is_particle
from ..relative_motion import RelativeMotion, Side, speeds_in
from ..time_derivative import TimeDerivative


def stand_in(body: Body, frame: ReferenceFrame, inertial: ReferenceFrame) -> ReferenceFrame:
    """Return the frame for a body's components: its own, if that is oriented."""
    if is_particle(body) or is_oriented(frame, inertial):
        return frame
    frames = (side for _, *sides in body.inertia[0].args for own in sides for _, side in own.args)
    other = next((x for x in frames if is_oriented(x, inertial)), None)
    if other is None:
        raise ValueError(
            f"the orientation of {frame} is not known. Use {frame}.orient_axis(...), or give the "
            f"inertia of {body}, if it is a body of revolution, in the frame in which it rotates."
        )
    moment = body.central_inertia.to_matrix(other)
    spin = vector_components(angular_velocity_in(frame, other), other)
    turning = ImmutableDenseMatrix(3, 3, lambda i, j: spin.cross(eye(3)[:, j])[i])
    if not all(are_zero(turning * moment - moment * turning)):
        raise ValueError(
            f"the orientation of {frame} is not known, and the inertia of {body} changes as it "
            f"turns in {other}. Use {frame}.orient_axis(...), with a coordinate for its angle."
        )
    return other


def turning_motion(inner: Side, outer: Side, derivative: TimeDerivative) -> RelativeMotion:
    """Return the motion of a body relative to another one, with frames that replace theirs.

    The frames are those of the components, the interframes the bodies' own: time derivatives in
    these are those of the components plus a cross product with the relative angular velocity.
    """

    def change(side: Side, components: Matrix) -> Matrix:
        turning = _angular_velocity(side.frame, side.interframe, side.frame, derivative)
        return derivative(components) + turning.cross(components)

    spin = _angular_velocity(outer.interframe, inner.interframe, outer.frame, derivative)
    offset = position_components(outer.point, inner.point, inner.frame)
    velocity = change(inner, offset)
    rotation = outer.frame.dcm(inner.frame)
    vectors = spin, change(outer, spin), offset, velocity, change(inner, velocity)
    w, al, r, v, a = map(ImmutableDenseMatrix, vectors)
    rotations = () if rotation == eye(3) else (ImmutableDenseMatrix(rotation),)
    return RelativeMotion(rotations, w, al, r, v, a, speeds_in(derivative, spin, velocity))


def _angular_velocity(
    frame: ReferenceFrame, other: ReferenceFrame, onto: ReferenceFrame, derivative: TimeDerivative
) -> Matrix:
    if frame is other:
        return Matrix.zeros(3, 1)
    return derivative.in_speeds(vector_components(angular_velocity_in(frame, other), onto))


def is_oriented(frame: ReferenceFrame, inertial: ReferenceFrame) -> bool:
    return shortest_path(frame, inertial, stated_orientations) is not None
