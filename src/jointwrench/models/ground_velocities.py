"""Velocities of points in ground, computed from body to body instead of by sympy.

Sympy's sums over many frames are slow.  Here a point's velocity is stored as one short vector for
each body between the point and ground, an angular velocity only in its body's frame.
"""

from collections.abc import Iterable, Sequence
from itertools import starmap

from sympy import Add, Expr, ImmutableMatrix, Mul, S
from sympy.physics.mechanics import RigidBody
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ..mechanics.spatial.paths import angular_velocity_in, orientations_between, position_from


class GroundVelocities:
    """The velocities in ground of a tree's bodies and points, set joint by joint."""

    def __init__(self, ground: RigidBody) -> None:
        self._frame = ground.frame
        self._spins: dict[RigidBody, Sequence[Expr]] = {ground: (S.Zero,) * 3}
        self._joint_points = {ground: ground.masscenter}

    def has(self, body: RigidBody) -> bool:
        """Return whether the velocities of a body are set."""
        return body in self._spins

    def cross_joint(self, joint: Joint, points: Iterable[Point]) -> None:
        """Set the velocities of points on a joint's outer body from its inner body's motion."""
        # w_outer = w_inner + w_rel and v_end = v_start + v_rel + w_parent x slide
        inner, outer, sign = joint.parent, joint.child, 1
        start, end = joint.parent_point, joint.child_point
        if self.has(outer):
            inner, outer, start, end, sign = outer, inner, end, start, -1
        turn = angular_velocity_in(outer.frame, inner.frame)
        inherited = _express(self._spins[inner], inner.frame, outer.frame)
        pairs = zip(inherited, _components(turn, outer.frame), strict=True)
        self._spins[outer], self._joint_points[outer] = [a + b for a, b in pairs], end
        velocity = start.vel(self._frame)
        slide = position_from(end, start)
        if slide != 0:
            velocity += sign * joint.child_point.vel(joint.parent.frame)
            velocity += self._cross_with_arm(joint.parent, slide)
        end.set_vel(self._frame, velocity)
        for point in points:
            self.set_velocity(point, outer)

    def set_velocity(self, point: Point, body: RigidBody) -> None:
        """Set the velocity in ground of a point that is fixed in a body."""
        known = self._joint_points[body]
        if point is not known:
            velocity = Vector(0)  # a sum would compare all present terms with zero again
            velocity.args += known.vel(self._frame).args
            velocity.args += self._cross_with_arm(body, position_from(point, known)).args
            point.set_vel(self._frame, velocity)

    def _cross_with_arm(self, body: RigidBody, arm: Vector) -> Vector:
        """Return the angular velocity times an arm, in the body's frame."""
        a, b, c = self._spins[body]
        x, y, z = _components(arm, body.frame)
        pairs = [((z, b), (-y, c)), ((x, c), (-z, a)), ((y, a), (-x, b))]
        cross_product = [Add(*starmap(_multiply, row)) for row in pairs]
        return Vector([(ImmutableMatrix(cross_product), body.frame)])


def _components(vector: Vector, frame: ReferenceFrame) -> Sequence[Expr]:
    """Return the components of a vector in a frame, expressed from neighbour to neighbour."""
    parts = [_express(list(matrix), own, frame) for matrix, own in vector.args]
    return [Add(*column) for column in zip(*parts, strict=True)] or (S.Zero,) * 3


def _express(
    components: Sequence[Expr], frame: ReferenceFrame, other: ReferenceFrame
) -> Sequence[Expr]:
    """Return the components in another frame of a vector from its components in a frame."""
    if frame is not other:
        for matrix in orientations_between(other, frame):
            components = [Add(*map(_multiply, row, components)) for row in matrix.tolist()]
    return components


def _multiply(factor: Expr, term: Expr) -> Expr:
    """Return a product in which no number is multiplied into nested sums of speeds."""
    if not (factor and term):
        return S.Zero  # sympy would first check whether all parts of the other factor are finite
    number, total = term.as_coeff_Mul()
    if factor.is_Number and total.is_Add and factor * number != 1:
        return Mul(factor * number, total, evaluate=False)
    return factor * term
