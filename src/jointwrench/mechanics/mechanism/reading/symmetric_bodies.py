"""Rotating bodies whose frames have no orientation: wheels with a speed but without an angle.

The angle of a body of revolution does not influence its dynamics, and users may omit it.  A frame
in which the body's inertia is stated and constant then replaces the body's frame for components;
only time derivatives depend on the rotation between the two frames.
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
    """Return the frame for a body's components: its own frame if oriented, else a replacement.

    The replacement is the first oriented frame in the stated inertia.  A ValueError is raised if
    there is none, or if the inertia is not constant in it.
    """
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
    # The rate of the inertia in the replacement is W I - I W, with the cross product matrix W.
    turning = ImmutableDenseMatrix(3, 3, lambda i, j: spin.cross(eye(3)[:, j])[i])
    if not all(are_zero(turning * moment - moment * turning)):
        raise ValueError(
            f"the orientation of {frame} is not known, and the inertia of {body} changes as it "
            f"turns in {other}. Use {frame}.orient_axis(...), with a coordinate for its angle."
        )
    return other


def turning_motion(inner: Side, outer: Side, derivative: TimeDerivative) -> RelativeMotion:
    """Return the motion of a body relative to its inner body, with replaced frames.

    Each side's ``frame`` has the components, its ``interframe`` rotates with the body.  The time
    derivative of a vector in a body is the derivative of the components plus the cross product of
    the frame's angular velocity, relative to the body, with the vector.
    """

    def change(side: Side, components: Matrix) -> Matrix:
        """Return the derivative of a vector, observed in a side's body, in its frame."""
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
    """Return the angular velocity of ``frame`` in ``other``, in speeds, components in ``onto``."""
    if frame is other:
        return Matrix.zeros(3, 1)
    return derivative.in_speeds(vector_components(angular_velocity_in(frame, other), onto))


def is_oriented(frame: ReferenceFrame, inertial: ReferenceFrame) -> bool:
    """Whether stated orientations connect a frame with the inertial frame."""
    return shortest_path(frame, inertial, stated_orientations) is not None
