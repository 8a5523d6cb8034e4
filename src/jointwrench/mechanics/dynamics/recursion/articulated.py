"""Articulated-body inertias: accelerations of a long tree, in a cost that grows linearly.

The articulated inertia of a link is what it feels like to whoever pushes it, with
the bodies beyond it hanging on their free joints.  Accelerations count here beyond
those at which all speeds stay constant.

References
==========

.. [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, chapter 7.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr

from ...arithmetic.decisions import GenericState
from ...arithmetic.factorization import Factorization
from ...arithmetic.graph import Graph, Scalar
from ...arithmetic.vectors import Mat, Vec, zero
from .rigid_body import BodyWrench, Inertia
from .scalar_tree import PartialVelocity, ScalarTree, Transform


@dataclass(frozen=True)
class ArticulatedInertia:
    """What wrench an acceleration asks for, about a body's origin, in its frame."""

    # The force is linear a + coupling al, the moment coupling^T a + angular al.

    linear: Mat
    coupling: Mat
    angular: Mat

    @classmethod
    def of(cls, graph: Graph, inertia: Inertia) -> "ArticulatedInertia":
        """Return that of a body on which nothing hangs."""
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
        """Return what is left where joints give way: minus ``wrench share^T`` of each."""
        linear, coupling, angular = self.linear, self.coupling, self.angular
        for wrench, share in zip(wrenches, shares, strict=True):
            linear = _minus_product(linear, wrench.force, share.force)
            coupling = _minus_product(coupling, wrench.force, share.moment)
            angular = _minus_product(angular, wrench.moment, share.moment)
        parts = [_symmetric(linear).rows, coupling.rows, _symmetric(angular).rows]
        kept = ([Vec(*state.without_zeros(row.components)) for row in rows] for rows in parts)
        return ArticulatedInertia(*map(Mat, kept))

    def inward(self, transform: Transform) -> "ArticulatedInertia":
        """Return the same about the inner body's origin, in its frame."""
        turned = ArticulatedInertia(
            transform.turned_inward(self.linear),
            _turned(transform, self.coupling),
            transform.turned_inward(self.angular),
        )
        arm = transform.arm
        coupling = Mat(
            [
                row - own.cross(arm)
                for row, own in zip(turned.coupling.rows, turned.linear.rows, strict=True)
            ]
        )
        # C' = C - B^T [r]x + [r]x B'
        back = [column.cross(arm) for column in turned.coupling.transpose.rows]
        forth = Mat([arm.cross(column) for column in coupling.transpose.rows]).transpose.rows
        rows = zip(turned.angular.rows, back, forth, strict=True)
        angular = Mat([own - one + other for own, one, other in rows])
        return ArticulatedInertia(turned.linear, coupling, _symmetric(angular))


def _turned(transform: Transform, matrix: Mat) -> Mat:
    half = Mat([transform.inward(row) for row in matrix.rows])  # (R M^T)^T = M R^T
    return Mat([transform.inward(row) for row in half.transpose.rows]).transpose


def _minus_product(matrix: Mat, left: Vec, right: Vec) -> Mat:
    pairs = zip(matrix.rows, left.components, strict=True)
    return Mat([row - right * factor for row, factor in pairs])


def _symmetric(matrix: Mat) -> Mat:
    """Return a symmetric matrix by its upper entries; what computes the others is not needed."""
    return Mat.symmetric(lambda i, k: matrix.rows[min(i, k)].components[max(i, k)])


def applies_to(tree: ScalarTree) -> bool:
    """Whether each speed moves one joint alone."""
    users = Counter(speed for moved in tree.partial_velocities for speed in moved)
    return set(users) == set(tree.symbolic.speeds) and set(users.values()) <= {1}


def articulated_accelerations(
    tree: ScalarTree, bodies: Sequence[Inertia], wrenches: Sequence[BodyWrench]
) -> dict[Expr, Scalar]:
    """Return the accelerations, given what is asked of links while speeds are constant."""
    joints = _joints(tree, bodies, wrenches)
    found: dict[Expr, Scalar] = {}
    moving: list[PartialVelocity] = []
    still = PartialVelocity(zero(tree.graph), zero(tree.graph))
    for index, link in enumerate(tree.symbolic.links):
        inner_motion = still if link.inner is None else moving[link.inner]
        # udot = (S^T I S)^-1 (-S^T W - S^T I a),  a' = a + S udot
        motion = _carried(tree.transforms[index], inner_motion)
        values = joints[index].accelerations(motion)
        found |= values
        for speed, partial in tree.partial_velocities[index].items():
            motion = PartialVelocity(
                motion.angular + partial.angular * values[speed],
                motion.linear + partial.linear * values[speed],
            )
        moving.append(motion)
    return found


def articulated_pivots(tree: ScalarTree, bodies: Sequence[Inertia]) -> list[Scalar]:
    """Return the pivots of the mass matrix from the tips inwards; no one may be the number zero."""
    still = [BodyWrench.zero(tree.graph)] * len(bodies)
    joints = _joints(tree, bodies, still).values()
    return [pivot for joint in joints for pivot in joint.pivots]


def _joints(
    tree: ScalarTree, bodies: Sequence[Inertia], wrenches: Sequence[BodyWrench]
) -> dict[int, "_Joint"]:
    """Return the joint that leads to each link, with what the links beyond ask of it."""
    graph, state = tree.graph, GenericState(tree.graph, is_rounded=False)
    inertias = [ArticulatedInertia.of(graph, body) for body in bodies]
    wanted = list(wrenches)
    joints: dict[int, _Joint] = {}
    for index in reversed(range(len(inertias))):
        joint = joints[index] = _Joint(tree, index, inertias[index], wanted[index])
        inner, transform = tree.symbolic.links[index].inner, tree.transforms[index]
        if inner is not None:
            # I_inner += X^T (I - I S (S^T I S)^-1 S^T I) X
            left = inertias[index].without(state, joint.wrenches, joint.shares)
            inertias[inner] = inertias[inner] + left.inward(transform)
            passed_on = transform.wrench_inward(joint.yielding(wanted[index]), transform.arm)
            wanted[inner] = wanted[inner] + passed_on
    return joints


def _carried(transform: Transform, motion: PartialVelocity) -> PartialVelocity:
    linear = transform.outward(motion.linear + motion.angular.cross(transform.arm))
    return PartialVelocity(transform.outward(motion.angular), linear)


class _Joint:
    """A joint that gives way to what is asked of it."""

    def __init__(
        self, tree: ScalarTree, index: int, inertia: ArticulatedInertia, wanted: BodyWrench
    ) -> None:
        self._partials = tree.partial_velocities[index]
        self.wrenches = [inertia @ partial for partial in self._partials.values()]
        rows = [[p.power(w) for w in self.wrenches] for p in self._partials.values()]
        self._count = len(rows)
        self._factors = Factorization(rows, range(self._count))
        self._free = self._factors.solve([-p.power(wanted) for p in self._partials.values()])
        #: Of each speed, the wrench that its acceleration would take per unit of its force.
        self.shares = self._solved(self.wrenches)

    @property
    def pivots(self) -> list[Scalar]:
        """What each speed moves, those after it free."""
        return self._factors.pivots

    def _solved(self, wrenches: Sequence[BodyWrench]) -> list[BodyWrench]:
        columns = [
            self._factors.solve([wrench.scalars[k] for wrench in wrenches]) for k in range(6)
        ]
        return [
            BodyWrench(Vec(*(x[k] for x in columns[:3])), Vec(*(x[k] for x in columns[3:])))
            for k in range(self._count)
        ]

    def yielding(self, wanted: BodyWrench) -> BodyWrench:
        """Return what is passed on inwards where the joint accelerates freely."""
        for wrench, value in zip(self.wrenches, self._free, strict=True):
            wanted = wanted + wrench * value
        return wanted

    def accelerations(self, motion: PartialVelocity) -> dict[Expr, Scalar]:
        """Return the derivatives of the joint's speeds, given how the inner body moves it."""
        shares = (motion.linear.dot(s.force) + motion.angular.dot(s.moment) for s in self.shares)
        values = (free - share for free, share in zip(self._free, shares, strict=True))
        return dict(zip(self._partials, values, strict=True))
