"""Derivatives of joint wrenches and generalized forces with respect to the states of the joints.

A state of one joint changes the motion of the link beyond it and of all links that follow.
Relative to that link these form one composite body: its mass m, first moment h and moments J, their
rates h' and J', and the angular momentum L, all about the link's origin, velocities relative to the
origin's velocity.  If the link's angular velocity w, angular acceleration al and acceleration a
change, the wrench of its joint changes by

    dF = m da + dalpha x h + 2 dw x h'

    dM = J dalpha + h x da + J' dw + dw x L,    dalpha = dal + w x dw.

The generalized forces of joints further inwards change by products of this change with a row that
is passed on inwards, like the columns of the mass matrix.  Adjoint sweeps need an operation per
link and force, the composite bodies only one per link.

References
==========

.. [1] J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms,
   Robotics: Science and Systems, 2018.
.. [2] S. Singh, R. P. Russell, P. M. Wensing, Efficient analytical derivatives of rigid-body
   dynamics using spatial vector algebra, IEEE Robotics and Automation Letters 7 (2022) 1776-1783.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sympy import Expr

from ...arithmetic.derivatives import Seeds, jacobian
from ...arithmetic.graph import Scalar
from ...arithmetic.vectors import Mat, Vec, zero
from .newton_euler import body_wrenches, inward_joint_wrenches
from .rigid_body import BodyMotion, BodyWrench, Inertia, Wrenches
from .scalar_tree import PartialVelocity, ScalarTree, Transform


@dataclass(frozen=True)
class MotionChange:
    """The derivative of a link's motion with respect to a state, in the link's frame.

    Attributes
    ==========

    spin : Vec
        The change dw of the angular velocity.
    turning : Vec
        ``dalpha = dal + w x dw``, with the change dal of the angular acceleration.
    acceleration : Vec
        The change da of the acceleration of the link's origin.
    """

    spin: Vec
    turning: Vec
    acceleration: Vec


@dataclass(frozen=True)
class Row:
    """The derivative of a generalized force with respect to the motion of a link.

    Attributes
    ==========

    spin : Vec
        The coefficients of `MotionChange.spin`.
    wrench : BodyWrench
        The coefficients of the acceleration (as a force) and of the turning (as a moment).
    """

    spin: Vec
    wrench: BodyWrench

    def times(self, change: MotionChange) -> Scalar:
        """Return the derivative of the generalized force for a change of the link's motion."""
        rest = PartialVelocity(change.turning, change.acceleration).power(self.wrench)
        return self.spin.dot(change.spin) + rest

    def inward(self, transform: Transform, velocity: Vec) -> "Row":
        """Return the row for the inner link; ``velocity`` as for `Composite.inward`."""
        # da_outer = da + dalpha x r + 2 dw x r'
        wrench = transform.wrench_inward(self.wrench, transform.arm)
        own = (velocity + velocity).cross(wrench.force)
        return Row(transform.inward(self.spin) + own, wrench)


@dataclass(frozen=True)
class Composite:
    """A link with all bodies beyond it, as one body about the link's origin, in its frame.

    Velocities are relative to that of the origin.

    Attributes
    ==========

    inertia : Inertia
        The inertial parameters.
    rate : Inertia
        Their rates of change.
    angular_momentum : Vec
        The angular momentum.
    """

    inertia: Inertia
    rate: Inertia
    angular_momentum: Vec

    @classmethod
    def of(cls, inertia: Inertia, w: Vec) -> "Composite":
        """Return the composite of one body that has the angular velocity w."""
        # h' = w x h,  J' = [w]x J - J [w]x,  L = J w
        inertia = replace(inertia, point=None)
        rate = Inertia(w.x.graph.scalar(0), w.cross(inertia.first_moment), _rate(inertia, w))
        return cls(inertia, rate, inertia.moments @ w)

    def __add__(self, other: "Composite") -> "Composite":
        momentum = self.angular_momentum + other.angular_momentum
        return Composite(self.inertia + other.inertia, self.rate + other.rate, momentum)

    def inward(self, transform: Transform, velocity: Vec) -> "Composite":
        """Return the composite about the inner link's origin, in the inner link's frame.

        ``velocity`` is that of this link's origin relative to the inner link's origin, in that
        frame.
        """
        # h_i' = h' + m r',  L_i = L + h x r' + r x h_i',  J_i' = J' + B(r, h') + B(r', h_i),
        # B(a, b) = 2 (a . b) 1 - a b^T - b a^T
        inertia, rate = transform.inertia_inward(self.inertia), self.rate
        moved = replace(inertia, mass=rate.mass, moments=Mat([zero(velocity.x.graph)] * 3))
        rate = transform.inertia_inward(rate)
        first_rate = rate.first_moment + velocity * inertia.mass
        moments = rate.moments + moved.about(velocity).moments
        own = transform.inward(self.inertia.first_moment).cross(velocity)
        own = own + transform.arm.cross(first_rate)
        momentum = transform.inward(self.angular_momentum) + own
        return Composite(inertia, Inertia(rate.mass, first_rate, moments), momentum)

    def wrench_change(self, change: MotionChange) -> BodyWrench:
        """Return the change of the joint's wrench with the link's motion, about its origin."""
        wrench = self.inertia.momentum(change.turning, change.acceleration)
        twice = self.rate.first_moment + self.rate.first_moment
        gyric = self.rate.moments @ change.spin + change.spin.cross(self.angular_momentum)
        return wrench + BodyWrench(change.spin.cross(twice), gyric)

    def row(self, partial: PartialVelocity) -> Row:
        """Return the derivative of a speed's generalized force by the link's motion."""
        twice = self.rate.first_moment + self.rate.first_moment
        spin = self.rate.moments @ partial.angular + self.angular_momentum.cross(partial.angular)
        return Row(spin + twice.cross(partial.linear), self.inertia.momentum(*partial))


def _rate(inertia: Inertia, w: Vec) -> Mat:
    """Return the rate of the moments of a body that rotates with w: ``[w]x J - J [w]x``."""
    j, (x, y, z) = [row.components for row in inertia.moments.rows], w.components
    xx, yy = y * j[0][2] - z * j[0][1], z * j[0][1] - x * j[1][2]
    xx, yy = xx + xx, yy + yy
    xy = z * (j[0][0] - j[1][1]) + y * j[1][2] - x * j[0][2]
    yz = x * (j[1][1] - j[2][2]) + z * j[0][2] - y * j[0][1]
    xz = y * (j[2][2] - j[0][0]) + x * j[0][1] - z * j[1][2]
    return Mat([Vec(xx, xy, xz), Vec(xy, yy, yz), Vec(xz, yz, -(xx + yy))])


def composite_seeds(
    tree: ScalarTree, motions: Sequence[BodyMotion], loads: Wrenches, states: Iterable[Expr]
) -> Seeds:
    """Return the derivatives of joint wrenches and of the powers of outer joints, by state.

    A short forward sweep leads from them to the generalized forces.  Only states that occur in a
    single joint have such derivatives.  ``loads`` are the known loads on links.
    """
    owners = _owners(tree, states)
    return _Sweep(tree, motions, loads).seeds(owners) if owners else {}


class _Sweep:
    """The composite bodies of a tree, and the derivatives of its joint wrenches."""

    def __init__(self, tree: ScalarTree, motions: Sequence[BodyMotion], loads: Wrenches) -> None:
        self._tree, self._motions, self._loads = tree, motions, loads
        self._inner = [link.inner for link in tree.symbolic.links]
        self._wrenches = inward_joint_wrenches(tree, body_wrenches(tree, motions), loads)
        self._velocities = [self._velocity(index) for index in range(len(motions))]
        self._composites = self._compose()

    def _velocity(self, index: int) -> Vec:
        """Return the velocity of a link's origin relative to the inner one, in the inner frame."""
        graph, inner = self._tree.graph, self._inner[index]
        own = Vec.enter(graph, self._tree.symbolic.links[index].motion.offset_velocity)
        if inner is None:
            return own
        return self._motions[inner].angular_velocity.cross(self._tree.transforms[index].arm) + own

    def _compose(self) -> list[Composite]:
        """Return the composite body of each link."""
        pairs = zip(self._tree.inertias, self._motions, strict=True)
        composites = [Composite.of(own, motion.angular_velocity) for own, motion in pairs]
        for index in reversed(range(len(composites))):
            if (inner := self._inner[index]) is not None:
                moved = composites[index].inward(
                    self._tree.transforms[index], self._velocities[index]
                )
                composites[inner] = composites[inner] + moved
        return composites

    def seeds(self, owners: Mapping[int, list[Expr]]) -> Seeds:
        """Return the derivatives of wrenches and powers by the states of the joints of links."""
        symbols = [symbol for own in owners.values() for symbol in own]
        changes = {index: self._motion_derivatives(index, own) for index, own in owners.items()}
        loads = self._load_changes(symbols)
        found: dict[Expr, list[tuple[Scalar, Scalar]]] = {symbol: [] for symbol in symbols}
        for index, own in changes.items():
            for symbol, change in own.items():
                loads[symbol] = carried = self._accumulate_loads(index, loads[symbol])
                wrench = self._composites[index].wrench_change(change)
                wrench = wrench - carried[index] if index in carried else wrench
                found[symbol] += zip(self._wrenches[index].scalars, wrench.scalars, strict=True)
        for index, partial in self._partials():
            power = partial.power(self._wrenches[index])
            for link, row in self._path_inward(index, self._composites[index].row(partial)):
                for symbol, change in changes.get(link, {}).items():
                    slope, carried = row.times(change), loads[symbol]
                    slope = slope - partial.power(carried[index]) if index in carried else slope
                    found[symbol].append((power, slope))
        return found

    def _partials(self) -> Iterator[tuple[int, PartialVelocity]]:
        """Yield the partial velocities of all speeds, with the index of the link."""
        for index, moved in enumerate(self._tree.partial_velocities):
            yield from ((index, partial) for partial in moved.values())

    def _path_inward(self, index: int, row: Row) -> Iterator[tuple[int, Row]]:
        """Yield the links between a link and ground, each with its own row."""
        while (inner := self._inner[index]) is not None:
            row = row.inward(self._tree.transforms[index], self._velocities[index])
            yield inner, row
            index = inner

    def _motion_derivatives(self, index: int, states: Sequence[Expr]) -> dict[Expr, MotionChange]:
        """Return the changes of a link's motion with the states of its joint."""
        motion, inner, graph = self._motions[index], self._inner[index], self._tree.graph
        parts = motion.angular_velocity, motion.angular_acceleration, motion.acceleration
        values = [x for part in parts for x in part.components]
        still = [] if inner is None else self._motions[inner].scalars
        pairs = [(x, graph.scalar(0)) for x in still]
        columns = zip(*jacobian(graph, values, states, dict.fromkeys(states, pairs)), strict=True)
        found = {}
        for symbol, column in zip(states, columns, strict=True):
            dw, dal, da = (Vec(*column[k : k + 3]) for k in (0, 3, 6))
            found[symbol] = MotionChange(dw, dal + motion.angular_velocity.cross(dw), da)
        return found

    def _load_changes(self, states: Sequence[Expr]) -> dict[Expr, Wrenches]:
        """Return the changes of the loads on links with each state, without zeros."""
        values = [x for wrench in self._loads.values() for x in wrench.scalars]
        columns = [*zip(*jacobian(self._tree.graph, values, states), strict=True)]
        found: dict[Expr, Wrenches] = {symbol: {} for symbol in states}
        for symbol, column in zip(states, columns, strict=False):
            for k, link in enumerate(self._loads):
                own = column[6 * k : 6 * k + 6]
                if any(not x.is_zero for x in own):
                    found[symbol][link] = BodyWrench(Vec(*own[:3]), Vec(*own[3:]))
        return found

    def _accumulate_loads(self, index: int, loads: Wrenches) -> Wrenches:
        """Return the sum of the loads on each link beyond ``index`` and farther out."""
        carried = {k: load for k, load in loads.items() if index in self._tree.path_to_ground(k)}
        for link in reversed(range(index + 1, len(self._inner))):
            inner, transform = self._inner[link], self._tree.transforms[link]
            if link in carried and inner is not None:
                moved = transform.wrench_inward(carried[link], transform.arm)
                carried[inner] = carried[inner] + moved if inner in carried else moved
        return carried


def _owners(tree: ScalarTree, states: Iterable[Expr]) -> dict[int, list[Expr]]:
    """Return the states that occur in the joint of one link and nowhere else, by link."""
    graph, symbolic = tree.graph, tree.symbolic
    places: dict[Expr, list[int | None]] = {symbol: [] for symbol in states}

    def enter(place: int | None, matrices: Iterable[Iterable[Expr]]) -> None:
        refs = [graph.scalar(entry).ref for matrix in matrices for entry in matrix]
        for symbol in graph.inputs_of(refs):
            if symbol in places:
                places[symbol].append(place)

    for index, link in enumerate(symbolic.links):
        enter(index, (*link.motion.expressions, link.attachment))
        enter(None, ([link.mass], link.masscenter, link.inertia))
    for part in symbolic.assigned.gravity_parts:
        enter(None, (part.components, part.rotation))
    owners: dict[int, list[Expr]] = {}
    for symbol, own in places.items():
        if len(own) == 1 and own[0] is not None:
            owners.setdefault(own[0], []).append(symbol)
    return owners
