"""What a single joint says of the motion that it allows.

All of it comes from the public properties of a sympy `Joint`, so that user
defined joints work as well: the orientation of the interframes to each other,
the angular velocity of one in the other, and the position of one attachment
point from the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Derivative, Expr, ImmutableDenseMatrix, Matrix, Symbol, eye
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import CylindricalJoint, Particle, PinJoint, PlanarJoint
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame, Vector

from .checks import Body

#: Joints whose axis has the same components in both interframes.
AXIS_JOINTS = (PinJoint, CylindricalJoint, PlanarJoint)


@dataclass(frozen=True)
class Side:
    """One of the two sides of a joint: a body with its attachment to the joint."""

    body: Body
    frame: ReferenceFrame
    interframe: ReferenceFrame
    point: Point

    @classmethod
    def parent(cls, joint: Joint) -> "Side":
        """Return the parent's side of a joint."""
        frame = body_frame(joint.parent, joint.parent_interframe)
        return cls(joint.parent, frame, joint.parent_interframe, joint.parent_point)

    @classmethod
    def child(cls, joint: Joint) -> "Side":
        """Return the child's side of a joint."""
        frame = body_frame(joint.child, joint.child_interframe)
        return cls(joint.child, frame, joint.child_interframe, joint.child_point)


def body_frame(body: Body, interframe: ReferenceFrame) -> ReferenceFrame:
    """Return the frame of a body; a particle has none and takes its joint's."""
    return interframe if isinstance(body, Particle) else body.frame


@dataclass(frozen=True)
class TimeDerivative:
    """Differentiates with respect to time, coordinates' derivatives in speeds.

    Attributes
    ==========

    time : Symbol
        The time.
    rates : mapping of Derivative to Expr
        The time derivative of each coordinate in terms of speeds and
        coordinates (the solved kinematical differential equations).
    """

    time: Symbol
    rates: Mapping[Derivative, Expr]

    def __call__(self, components: Matrix) -> Matrix:
        """Return the time derivative of components."""
        return self.in_speeds(components.diff(self.time))

    def of(self, expression: Expr) -> Expr:
        """Return the time derivative of a scalar."""
        return expression.diff(self.time).xreplace(dict(self.rates))

    def in_speeds(self, components: Matrix) -> Matrix:
        """Return components with the speeds in place of the coordinates' derivatives."""
        if not components.has(Derivative):
            return components
        return components.xreplace(dict(self.rates))


@dataclass(frozen=True)
class RelativeMotion:
    """How the outer body of a joint moves relative to the inner one.

    *Inner* is the body nearer to ground, *outer* the one farther from it; the
    parent of the joint can be either.

    Attributes
    ==========

    rotations : tuple of 3 x 3 matrices
        Direction cosine matrices whose successive application takes the
        components of a vector from the inner body's frame to the outer body's
        frame: two constant rotations and the joint's own between them, without
        the trivial ones.
    angular_velocity, angular_acceleration : 3 x 1 matrix
        Of the outer body in the inner one, and its time derivative in the outer
        body; components in the outer body's frame.
    offset, offset_velocity, offset_acceleration : 3 x 1 matrix
        Position of the outer attachment point from the inner one and its time
        derivatives in the inner body; components in the inner body's frame.
    speeds : tuple of Expr
        The generalized speeds of the joint.
    """

    rotations: tuple[ImmutableDenseMatrix, ...]
    angular_velocity: ImmutableDenseMatrix
    angular_acceleration: ImmutableDenseMatrix
    offset: ImmutableDenseMatrix
    offset_velocity: ImmutableDenseMatrix
    offset_acceleration: ImmutableDenseMatrix
    speeds: tuple[Expr, ...]

    def angular_partial(self, speed: Expr) -> ImmutableDenseMatrix:
        """Return the partial angular velocity, in the outer body's frame."""
        return partial(self.angular_velocity, speed)

    def linear_partial(self, speed: Expr) -> ImmutableDenseMatrix:
        """Return the partial velocity of the offset, in the inner body's frame."""
        return partial(self.offset_velocity, speed)


def partial(components: ImmutableDenseMatrix, speed: Expr) -> ImmutableDenseMatrix:
    """Return the partial derivative of components with respect to a speed."""
    if not components.has(speed):
        return ImmutableDenseMatrix.zeros(3, 1)
    return components.diff(speed)


def relative_motion(
    joint: Joint, inner: Side, outer: Side, derivative: TimeDerivative
) -> RelativeMotion:
    """Return how the outer side of a joint moves relative to the inner one."""
    velocity = derivative.in_speeds(_angular_velocity(joint, inner, outer))
    offset = _components(outer.point.pos_from(inner.point), inner.frame)
    offset_velocity = derivative(offset)
    return RelativeMotion(
        rotations=_rotations(inner, outer),
        angular_velocity=ImmutableDenseMatrix(velocity),
        angular_acceleration=ImmutableDenseMatrix(derivative(velocity)),
        offset=ImmutableDenseMatrix(offset),
        offset_velocity=ImmutableDenseMatrix(offset_velocity),
        offset_acceleration=ImmutableDenseMatrix(derivative(offset_velocity)),
        speeds=tuple(joint.speeds),
    )


def _rotations(inner: Side, outer: Side) -> tuple[ImmutableDenseMatrix, ...]:
    stages = (
        inner.interframe.dcm(inner.frame),
        outer.interframe.dcm(inner.interframe),
        outer.frame.dcm(outer.interframe),
    )
    return tuple(ImmutableDenseMatrix(stage) for stage in stages if stage != eye(3))


def _angular_velocity(joint: Joint, inner: Side, outer: Side) -> Matrix:
    """Return the components in the outer body's frame."""
    velocity = outer.interframe.ang_vel_in(inner.interframe)
    if type(joint) in AXIS_JOINTS:
        components = velocity.to_matrix(joint.parent_interframe)
    else:
        components = velocity.to_matrix(outer.interframe)
    return outer.frame.dcm(outer.interframe) * components


def _components(vector: Vector, frame: ReferenceFrame) -> Matrix:
    return Matrix(vector.to_matrix(frame))


def is_constant(components: Matrix) -> bool:
    """Whether components depend on symbols alone and not on time."""
    return not components.has(AppliedUndef, Derivative)
