"""Articulated-body inertias: accelerations of a long tree, in a cost that grows linearly.

The articulated inertia of a link is its apparent inertia with the bodies beyond it on their free
joints.  Accelerations are relative to those at constant speeds.

References
==========

.. [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, chapter 7.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr

from ...arithmetic.factorization import Factorization
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Graph, Scalar
from ...arithmetic.vectors import Mat, Vec, zero
from .newton_euler import generalized_forces, inward_joint_wrenches
from .rigid_body import BodyWrench, Inertia
from .scalar_tree import PartialVelocity, ScalarTree, Transform


@dataclass(frozen=True)
class ArticulatedInertia:
    """The wrench that an acceleration requires, about a body's origin, in its frame.

    The force is ``linear a + coupling al``, the moment ``coupling^T a + angular al``.
    """

    linear: Mat
    coupling: Mat
    angular: Mat

    @classmethod
    def of(cls, graph: Graph, inertia: Inertia) -> "ArticulatedInertia":
        """Return the articulated inertia of a body without outer bodies."""
        nothing, m, (x, y, z) = graph.scalar(0), inertia.mass, inertia.first_moment.components
        linear = [Vec(m, nothing, nothing), Vec(nothing, m, nothing), Vec(nothing, nothing, m)]
        coupling = [Vec(nothing, z, -y), Vec(-z, nothing, x), Vec(y, -x, nothing)]
        return cls(Mat(linear), Mat(coupling), inertia.moments)

    def __add__(self, other: "ArticulatedInertia") -> "ArticulatedInertia":
        return ArticulatedInertia(
            self.linear + other.linear, self.coupling + other.coupling, self.angular + other.angular
        )

    def __matmul__(self, motion: PartialVelocity) -> BodyWrench:
        force = self.linear @ motion.linear + self.coupling @ motion.angular
        moment = self.coupling.transpose @ motion.linear + self.angular @ motion.angular
        return BodyWrench(force, moment)

    def without(
        self, state: GenericState, wrenches: Sequence[BodyWrench], shares: Sequence[BodyWrench]
    ) -> "ArticulatedInertia":
        """Return the inertia with its joint free: minus ``wrench share^T`` for each speed."""
        linear, coupling, angular = self.linear, self.coupling, self.angular
        for wrench, share in zip(wrenches, shares, strict=True):
            linear = _minus_product(linear, wrench.force, share.force)
            coupling = _minus_product(coupling, wrench.force, share.moment)
            angular = _minus_product(angular, wrench.moment, share.moment)
        parts = [_symmetric(linear).rows, coupling.rows, _symmetric(angular).rows]
        kept = ([Vec(*state.without_zeros(row.components)) for row in rows] for rows in parts)
        return ArticulatedInertia(*map(Mat, kept))

    def inward(self, transform: Transform) -> "ArticulatedInertia":
        """Return the inertia about the inner body's origin, in the inner body's frame."""
        linear, turned = transform.turned_inward(self.linear), _turned(transform, self.coupling)
        angular, arm = transform.turned_inward(self.angular), transform.arm
        pairs = zip(turned.rows, linear.rows, strict=True)
        coupling = Mat([row - own.cross(arm) for row, own in pairs])
        # C' = C - B^T [r]x + [r]x B'
        back = [column.cross(arm) for column in turned.transpose.rows]
        forth = Mat([arm.cross(column) for column in coupling.transpose.rows]).transpose.rows
        rows = zip(angular.rows, back, forth, strict=True)
        angular = Mat([own - one + other for own, one, other in rows])
        return ArticulatedInertia(linear, coupling, _symmetric(angular))


def _turned(transform: Transform, matrix: Mat) -> Mat:
    """Return the matrix ``R M R^T`` in the inner body's frame."""
    half = Mat([transform.inward(row) for row in matrix.rows])  # (R M^T)^T = M R^T
    return Mat([transform.inward(row) for row in half.transpose.rows]).transpose


def _minus_product(matrix: Mat, left: Vec, right: Vec) -> Mat:
    """Return the matrix ``M - left right^T``."""
    pairs = zip(matrix.rows, left.components, strict=True)
    return Mat([row - right * factor for row, factor in pairs])


def _symmetric(matrix: Mat) -> Mat:
    """Return a symmetric matrix made of the upper entries of a matrix."""
    return Mat.symmetric(lambda i, k: matrix.rows[min(i, k)].components[max(i, k)])


class ArticulatedTree:
    """The mass matrix M of a tree, factored from the tips inwards, joint by joint.

    No pivot may be the number zero.
    """

    def __init__(self, tree: ScalarTree, bodies: Sequence[Inertia]) -> None:
        self._tree, self._bodies = tree, bodies
        state = GenericState(tree.graph, is_rounded=False)
        inertias = [ArticulatedInertia.of(tree.graph, body) for body in bodies]
        self._joints: dict[int, _Joint] = {}
        for index in reversed(range(len(inertias))):
            joint = self._joints[index] = _Joint(tree, index, inertias[index])
            inner = tree.symbolic.links[index].inner
            if inner is not None:
                # I_inner += X^T (I - I S (S^T I S)^-1 S^T I) X
                left = inertias[index].without(state, joint.wrenches, joint.shares)
                inertias[inner] = inertias[inner] + left.inward(tree.transforms[index])

    @property
    def pivots(self) -> list[Scalar]:
        """The inertia of each speed with all outer joints free, from the tips inwards."""
        return [pivot for joint in self._joints.values() for pivot in joint.pivots]

    def accelerations(self, required: Sequence[BodyWrench]) -> list[Scalar]:
        """Return the accelerations, given the wrenches that links require at zero ones."""
        still = dict.fromkeys(self._speeds, self._tree.graph.scalar(0))
        return self.substitute_back(self.divide_by_pivots(self._eliminate(list(required), still)))

    def solve(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """Return the accelerations a of ``M a = f`` for generalized forces f."""
        return self.substitute_back(self.divide_by_pivots(self.eliminate(forces)))

    def eliminate(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """Return the generalized forces after elimination from the tips inwards."""
        still = [BodyWrench.zero(self._tree.graph)] * len(self._bodies)
        return self._eliminate(still, dict(zip(self._speeds, forces, strict=True)))

    def divide_by_pivots(self, reduced: Sequence[Scalar]) -> list[Scalar]:
        """Return the accelerations of the joints as if their inner bodies were at rest."""
        left = dict(zip(self._speeds, reduced, strict=True))
        found = [joint.free_accelerations(left) for joint in self._joints.values()]
        free = {speed: value for own in found for speed, value in own.items()}
        return [free[speed] for speed in self._speeds]

    def times(self, accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Return ``M a``."""
        tree, values = self._tree, dict(zip(self._speeds, accelerations, strict=True))
        moving: list[PartialVelocity] = []
        for index in range(len(self._bodies)):
            moving.append(self._with_joint_motion(index, self._inner_motion(index, moving), values))
        pairs = zip(self._bodies, moving, strict=True)
        wrenches = inward_joint_wrenches(tree, [body.momentum(*own) for body, own in pairs], {})
        return [*generalized_forces(tree, wrenches).values()]

    @property
    def _speeds(self) -> Sequence[Expr]:
        return self._tree.symbolic.speeds

    def _eliminate(self, required: list[BodyWrench], forces: Mapping[Expr, Scalar]) -> list[Scalar]:
        """Return the generalized forces left after elimination, for required wrenches."""
        tree, found = self._tree, dict[Expr, Scalar]()
        for index, joint in self._joints.items():  # from the tips inwards
            found |= joint.remaining_forces(required[index], forces)
            inner, transform = tree.symbolic.links[index].inner, tree.transforms[index]
            if inner is not None:
                passed = joint.passed_on(required[index], joint.free_accelerations(found))
                required[inner] = required[inner] + transform.wrench_inward(passed, transform.arm)
        return [found[speed] for speed in self._speeds]

    def substitute_back(self, free: Sequence[Scalar]) -> list[Scalar]:
        """Return the accelerations of all joints, given those for inner bodies at rest."""
        # udot = (S^T I S)^-1 (f - S^T W - S^T I a),  a' = a + S udot
        own, values = dict(zip(self._speeds, free, strict=True)), dict[Expr, Scalar]()
        moving: list[PartialVelocity] = []
        for index in range(len(self._bodies)):
            motion = self._inner_motion(index, moving)
            values |= self._joints[index].accelerations(motion, own)
            moving.append(self._with_joint_motion(index, motion, values))
        return [values[speed] for speed in self._speeds]

    def _inner_motion(self, index: int, moving: Sequence[PartialVelocity]) -> PartialVelocity:
        """Return the motion of a link due to its inner link."""
        inner, transform = self._tree.symbolic.links[index].inner, self._tree.transforms[index]
        if inner is None:
            return PartialVelocity(zero(self._tree.graph), zero(self._tree.graph))
        motion = moving[inner]
        linear = transform.outward(motion.linear + motion.angular.cross(transform.arm))
        return PartialVelocity(transform.outward(motion.angular), linear)

    def _with_joint_motion(
        self, index: int, motion: PartialVelocity, values: Mapping[Expr, Scalar]
    ) -> PartialVelocity:
        """Return the motion of a link with the motion of its joint added."""
        for speed, partial in self._tree.partial_velocities[index].items():
            motion = PartialVelocity(
                motion.angular + partial.angular * values[speed],
                motion.linear + partial.linear * values[speed],
            )
        return motion


class _Joint:
    """A free joint in the articulated recursion.

    Attributes
    ==========

    wrenches : list of BodyWrench
        The wrench ``I S`` on the link per unit acceleration of each speed.
    shares : list of BodyWrench
        The rows of ``(S^T I S)^-1 S^T I``, by speed.
    """

    def __init__(self, tree: ScalarTree, index: int, inertia: ArticulatedInertia) -> None:
        self._partials = tree.partial_velocities[index]
        self.wrenches = [inertia @ partial for partial in self._partials.values()]
        rows = [[p.power(w) for w in self.wrenches] for p in self._partials.values()]
        numbers = map(tree.symbolic.speeds.index, self._partials)
        doubtful = [k for k, number in enumerate(numbers) if number in tree.doubtful]
        self._factors = Factorization(rows, range(len(rows)), doubtful)
        self.shares = self._solved(self.wrenches)

    @property
    def pivots(self) -> list[Scalar]:
        """The inertia of each speed with later speeds of the joint free."""
        return self._factors.pivots

    def _solved(self, wrenches: Sequence[BodyWrench]) -> list[BodyWrench]:
        """Return ``(S^T I S)^-1`` times rows of wrenches."""
        components = zip(*(wrench.scalars for wrench in wrenches), strict=True)
        solved = zip(*map(self._factors.solve, components), strict=True)
        return [BodyWrench(Vec(*row[:3]), Vec(*row[3:])) for row in solved]

    def remaining_forces(
        self, required: BodyWrench, forces: Mapping[Expr, Scalar]
    ) -> dict[Expr, Scalar]:
        """Return the generalized forces minus those that the required wrench takes."""
        return {speed: forces[speed] - p.power(required) for speed, p in self._partials.items()}

    def free_accelerations(self, left: Mapping[Expr, Scalar]) -> dict[Expr, Scalar]:
        """Return the accelerations due to generalized forces if the inner body is at rest."""
        solved = self._factors.solve([left[speed] for speed in self._partials])
        return dict(zip(self._partials, solved, strict=True))

    def passed_on(self, required: BodyWrench, free: Mapping[Expr, Scalar]) -> BodyWrench:
        """Return the wrench that is passed on inwards if the joint accelerates freely."""
        for wrench, value in zip(self.wrenches, free.values(), strict=True):
            required = required + wrench * value
        return required

    def accelerations(
        self, motion: PartialVelocity, free: Mapping[Expr, Scalar]
    ) -> dict[Expr, Scalar]:
        """Return the accelerations of the joint, given the motion due to the inner body."""
        shares = (motion.linear.dot(s.force) + motion.angular.dot(s.moment) for s in self.shares)
        pairs = zip(self._partials, shares, strict=True)
        return {speed: free[speed] - share for speed, share in pairs}
