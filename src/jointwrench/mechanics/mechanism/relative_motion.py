"""The motion of a joint's outer body relative to the inner body.

It is read from public properties of a sympy `Joint`, so that user-defined joints work as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, pairwise
from typing import NamedTuple

from sympy import Derivative, Expr, ImmutableDenseMatrix, Matrix, eye, sqrt
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import CylindricalJoint, PinJoint, PlanarJoint
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame

from ..arithmetic.expression_derivatives import ExpressionDerivatives
from ..arithmetic.generic_state import GenericState
from ..arithmetic.graph import Graph, Scalar
from ..arithmetic.vectors import Mat
from ..spatial.components import after_rotations, body_frame, vector_components
from ..spatial.paths import angular_velocity_in, orientations_between, position_from
from ..sympy_objects import Body
from .time_derivative import TimeDerivative


@dataclass(frozen=True)
class Side:
    """One side of a joint: a body, its frame, and the joint's interframe and point on it."""

    body: Body
    frame: ReferenceFrame
    interframe: ReferenceFrame
    point: Point

    @classmethod
    def parent(cls, joint: Joint) -> "Side":
        frame = body_frame(joint.parent, joint.parent_interframe)
        return cls(joint.parent, frame, joint.parent_interframe, joint.parent_point)

    @classmethod
    def child(cls, joint: Joint) -> "Side":
        frame = body_frame(joint.child, joint.child_interframe)
        return cls(joint.child, frame, joint.child_interframe, joint.child_point)


#: Joints whose axis has the same components in both interframes.
AXIS_JOINTS = (PinJoint, CylindricalJoint, PlanarJoint)


@dataclass(frozen=True)
class RelativeMotion:
    """The motion of a joint's outer body relative to the inner body, which is nearer to ground.

    The parent of the joint can be either body.

    Attributes
    ==========

    rotations : tuple of matrix
        Matrices that, applied in order, convert components in the inner frame to the outer frame:
        constant ones at both ends and, between them, that of the joint or of neighbouring frames.
    angular_velocity, angular_acceleration : matrix
        Of the outer body relative to the inner body, in the outer body's frame.
    offset, offset_velocity, offset_acceleration : matrix
        The position of the outer attachment point from the inner one, and its derivatives in the
        inner body, in the inner body's frame.
    speeds : tuple of Expr
        The speeds that move the joint: its own, and others that the kinematical differential
        equations mix with them.
    """

    rotations: tuple[ImmutableDenseMatrix, ...]
    angular_velocity: ImmutableDenseMatrix
    angular_acceleration: ImmutableDenseMatrix
    offset: ImmutableDenseMatrix
    offset_velocity: ImmutableDenseMatrix
    offset_acceleration: ImmutableDenseMatrix
    speeds: tuple[Expr, ...]

    @classmethod
    def at_rest(cls) -> "RelativeMotion":
        zero = ImmutableDenseMatrix.zeros(3, 1)
        return cls((), zero, zero, zero, zero, zero, ())

    @property
    def expressions(self) -> tuple[ImmutableDenseMatrix, ...]:
        angular = (self.angular_velocity, self.angular_acceleration)
        linear = (self.offset, self.offset_velocity, self.offset_acceleration)
        return (*self.rotations, *angular, *linear)

    def angular_partial(self, speed: Expr) -> ImmutableDenseMatrix:
        """Return the partial angular velocity for a speed, in the outer body's frame."""
        return self._partials[speed][0]

    def linear_partial(self, speed: Expr) -> ImmutableDenseMatrix:
        """Return the partial velocity of the offset for a speed, in the inner body's frame."""
        return self._partials[speed][1]

    def depends_on_speed(self, speed: Expr) -> bool:
        """Whether the velocities contain a symbol, such as an auxiliary speed."""
        return self.angular_velocity.has(speed) or self.offset_velocity.has(speed)

    @cached_property
    def _partials(self) -> dict[Expr, tuple[ImmutableDenseMatrix, ImmutableDenseMatrix]]:
        velocities = self.angular_velocity, self.offset_velocity
        found = {}
        for speed in self.speeds:
            slope = ExpressionDerivatives(speed).of
            angular, linear = (components.applyfunc(slope) for components in velocities)
            found[speed] = angular, linear
        return found


def motion_across(
    joint: Joint | None, inner: Side, outer: Side, derivative: TimeDerivative
) -> RelativeMotion:
    """Return the motion of a joint's outer side relative to the inner side.

    ``joint=None``: the motion follows from points and frames only.
    """
    spin = _spin(joint, inner, outer, derivative)
    own = spin.components, derivative(spin.components)
    angular = [after_rotations(components, spin.to_outer) for components in own]
    linear = _offset(inner, outer, spin, derivative)
    w, al, r, v, a = map(ImmutableDenseMatrix, (*angular, *linear))
    speeds = speeds_in(derivative, angular[0], linear[1], joint=joint)
    return RelativeMotion(_rotations(joint, inner, outer), w, al, r, v, a, speeds)


def _offset(
    inner: Side, outer: Side, spin: "Spin", derivative: TimeDerivative
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the offset and its two derivatives in the inner body, in the inner body's frame."""
    # An offset with constant components in the outer interframe (a reversed joint) has the
    # derivatives r' + w x r and r'' + al x r + 2 w x r' + w x (w x r), which are shorter.
    vector = position_from(outer.point, inner.point)
    offset = vector_components(vector, inner.frame)
    frames = [frame for _, frame in vector.args]
    if frames != [outer.interframe] or not spin.is_of_inner:
        velocity = derivative(offset)
        return offset, velocity, derivative(velocity)
    rates = derivative(vector_components(vector, outer.interframe))
    constant = orientations_between(inner.frame, inner.interframe)
    rotations = *orientations_between(inner.interframe, outer.interframe), *constant
    first, second = (after_rotations(x, rotations) for x in (rates, derivative(rates)))
    w, al = (after_rotations(x, constant) for x in (spin.components, derivative(spin.components)))
    turning = w.cross(offset)
    acceleration = second + al.cross(offset) + w.cross(2 * first + turning)
    return offset, first + turning, acceleration


def speeds_in(
    derivative: TimeDerivative, *velocities: Matrix, joint: Joint | None = None
) -> tuple[Expr, ...]:
    """Return a joint's speeds, then the other speeds that occur in its velocities.

    Kinematical differential equations that mix speeds cause the latter.
    """
    found = {atom for v in velocities for atom in v.atoms(AppliedUndef, Derivative)}
    own = () if joint is None else tuple(u for u in joint.speeds if u in derivative.order)
    others = (found & derivative.order.keys()) - {*own}
    return (*own, *sorted(others, key=derivative.order.__getitem__))


def _rotations(joint: Joint | None, inner: Side, outer: Side) -> tuple[ImmutableDenseMatrix, ...]:
    path = inner.frame, inner.interframe, outer.interframe, outer.frame
    if joint is None:
        stages = [x for near, far in pairwise(path) for x in orientations_between(far, near)]
    else:  # frames inside a joint form one rotation
        stages = [far.dcm(near) for near, far in pairwise(path)]
    return tuple(ImmutableDenseMatrix(stage) for stage in stages if stage != eye(3))


class Spin(NamedTuple):
    """The angular velocity of the outer side relative to the inner side.

    Attributes
    ==========

    components : matrix
        The components in the interframe in which they are shortest.  Their derivatives are those of
        the vector in either body, since ``w x w = 0``.
    to_outer : list of matrix
        The rotations from that interframe to the outer frame.
    is_of_inner : bool
        Whether the interframe is the inner one.
    """

    components: Matrix
    to_outer: list[MatrixBase]
    is_of_inner: bool


def _spin(joint: Joint | None, inner: Side, outer: Side, derivative: TimeDerivative) -> Spin:
    """Return the angular velocity across a joint, in speeds."""
    velocity = angular_velocity_in(outer.interframe, inner.interframe)
    to_outer = orientations_between(outer.frame, outer.interframe)
    frame, is_of_inner = outer.interframe, False
    if joint is not None and type(joint) in AXIS_JOINTS:
        frame, is_of_inner = joint.parent_interframe, True
    elif [other for _, other in velocity.args] == [inner.interframe]:
        frame, is_of_inner = inner.interframe, True
        to_outer = [*orientations_between(outer.interframe, inner.interframe), *to_outer]
    return Spin(derivative.in_speeds(vector_components(velocity, frame)), to_outer, is_of_inner)


def is_unit_quaternion(rotation: ImmutableDenseMatrix, coordinates: Sequence[Expr]) -> bool:
    """Whether a matrix is the rotation of a unit quaternion whose components are coordinates."""
    # The matrix is a rotation if the four have length 1. If they have length 2, it is the same
    # rotation (a normalised quaternion) or no rotation.
    if len(coordinates) != 4:
        return False
    graph, length = Graph(), sqrt(sum(q**2 for q in coordinates))
    at_lengths = ({q: size * q / length for q in coordinates} for size in (1, 2))
    unit, double = (Mat.enter(graph, rotation.xreplace(values)) for values in at_lengths)
    if not _is_rotation(unit):
        return False
    changes = [x for row in (double - unit).rows for x in row.components]
    return _are_zero(changes) or not _is_rotation(double)


def _is_rotation(matrix: Mat) -> bool:
    pairs = combinations_with_replacement(matrix.rows, 2)
    products = [one.dot(other) for one, other in pairs]
    one = products[0].graph.scalar(1)
    return _are_zero([x - one if k in (0, 3, 5) else x for k, x in enumerate(products)])


def _are_zero(values: Sequence[Scalar]) -> bool:
    return all(value.is_zero for value in GenericState(values[0].graph).of(values))
