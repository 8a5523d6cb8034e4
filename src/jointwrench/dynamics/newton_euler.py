"""The recursive Newton-Euler algorithm on a tree, in three stages.

1. `outward_kinematics`: from ground outwards, how every body moves.
2. `body_wrenches`: what changes every body's momentum.
3. `inward_joint_wrenches`: from the tips inwards, what every joint transmits.

`generalized_forces` then projects the joints' wrenches on their free directions.

Every vector lives as three scalars in its own body's frame; every wrench of a
body is about the body's *origin*, the attachment point of the joint that leads
to ground.  Uniform gravity enters once, as an upward acceleration of ground.

References
==========

.. [1] J. Y. S. Luh, M. W. Walker, R. P. C. Paul, On-line computational scheme
   for mechanical manipulators, J. Dyn. Sys. Meas. Control 102 (1980) 69-76.
.. [2] W. Khalil, J.-F. Kleinfinger, Minimum operations and minimum parameters
   of the dynamic models of tree structure robots, IEEE J. Robotics Automation
   3 (1987) 517-526.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr

from ..arithmetic.graph import Graph, Scalar
from ..arithmetic.vectors import Mat, Vec, vector_sum, zero
from ..mechanism.tree import Link, Tree


@dataclass(frozen=True)
class Motion:
    """How a body moves in the inertial frame; components in the body's frame.

    Attributes
    ==========

    angular_velocity : Vec
        Angular velocity w.
    angular_acceleration : Vec
        Angular acceleration al.
    acceleration : Vec
        Acceleration of the body's origin, minus gravity.
    spread : Mat
        ``[al]x + [w]x [w]x``: maps the position of a point from the origin to
        the point's acceleration relative to the origin's.
    squares : Vec
        Squares of the components of w.
    products : Vec
        ``w_y w_z, w_z w_x, w_x w_y``.
    """

    angular_velocity: Vec
    angular_acceleration: Vec
    acceleration: Vec
    spread: Mat
    squares: Vec
    products: Vec

    @classmethod
    def build(cls, w: Vec, al: Vec, acceleration: Vec) -> "Motion":
        """Return the motion for an angular velocity and two accelerations."""
        squares = Vec(w.x * w.x, w.y * w.y, w.z * w.z)
        products = Vec(w.y * w.z, w.z * w.x, w.x * w.y)
        spread = Mat(
            [
                Vec(-(squares.y + squares.z), products.z - al.z, products.y + al.y),
                Vec(products.z + al.z, -(squares.x + squares.z), products.x - al.x),
                Vec(products.y - al.y, products.x + al.x, -(squares.x + squares.y)),
            ]
        )
        return cls(w, al, acceleration, spread, squares, products)


@dataclass(frozen=True)
class BodyWrench:
    """A force and a moment about a body's origin; components in the body's frame."""

    force: Vec
    moment: Vec

    def __add__(self, other: "BodyWrench") -> "BodyWrench":
        return BodyWrench(self.force + other.force, self.moment + other.moment)

    def __sub__(self, other: "BodyWrench") -> "BodyWrench":
        return BodyWrench(self.force - other.force, self.moment - other.moment)

    def __neg__(self) -> "BodyWrench":
        return BodyWrench(-self.force, -self.moment)

    @classmethod
    def zero(cls, graph: Graph) -> "BodyWrench":
        """Return the wrench without force and moment."""
        return cls(zero(graph), zero(graph))


class Transform:
    """Takes components across a joint, between the inner and the outer body's frame."""

    def __init__(self, graph: Graph, link: Link) -> None:
        self._stages = [Mat.enter(graph, stage) for stage in link.motion.rotations]
        self._back = [stage.transpose for stage in reversed(self._stages)]
        #: Position of the joint's inner attachment point from the inner body's
        #: origin, and of the outer body's origin from there; inner frame.
        self.attachment = Vec.enter(graph, link.attachment)
        self.offset = Vec.enter(graph, link.motion.offset)

    @property
    def arm(self) -> Vec:
        """Position of the outer body's origin from the inner one's, inner frame."""
        return self.attachment + self.offset

    def outward(self, vector: Vec) -> Vec:
        """Return the components in the outer body's frame."""
        for stage in self._stages:
            vector = stage @ vector
        return vector

    def inward(self, vector: Vec) -> Vec:
        """Return the components in the inner body's frame."""
        for stage in self._back:
            vector = stage @ vector
        return vector

    def wrench_inward(self, wrench: BodyWrench, arm: Vec) -> BodyWrench:
        """Return a wrench about the point from which ``arm`` leads, inner frame."""
        force = self.inward(wrench.force)
        return BodyWrench(force, self.inward(wrench.moment) + arm.cross(force))


def transforms(graph: Graph, tree: Tree) -> tuple[Transform, ...]:
    """Return the transform across each link's joint, in the order of the links."""
    return tuple(Transform(graph, link) for link in tree.links)


def outward_kinematics(graph: Graph, tree: Tree, gravity: Vec | None = None) -> tuple[Motion, ...]:
    """Return the motion of every link, from ground outwards.

    Parameters
    ==========

    graph : Graph
        Where the operations go.
    tree : Tree
        The bodies and joints.
    gravity : Vec, optional
        Acceleration of free fall, components in the inertial frame.

    Returns
    =======

    tuple of Motion
        In the order of ``tree.links``.
    """
    still = zero(graph)
    ground = Motion.build(still, still, still if gravity is None else -gravity)
    motions: list[Motion] = []
    for link, transform in zip(tree.links, transforms(graph, tree), strict=True):
        inner = ground if link.inner is None else motions[link.inner]
        motions.append(_move_across(graph, link, transform, inner))
    return tuple(motions)


def _move_across(graph: Graph, link: Link, transform: Transform, inner: Motion) -> Motion:
    """Return the motion of a link, given that of the body it is joined to.

    With Omega and rho the relative angular velocity and offset,
    w' = w + Omega,  al' = al + dOmega/dt + w x Omega,
    a' = a + U (attachment + rho) + 2 w x drho/dt + d2rho/dt2.
    """
    relative = link.motion
    velocity = Vec.enter(graph, relative.offset_velocity)
    acceleration = vector_sum(
        [
            inner.acceleration,
            inner.spread @ transform.arm,
            inner.angular_velocity.cross(velocity + velocity),
            Vec.enter(graph, relative.offset_acceleration),
        ]
    )
    omega = Vec.enter(graph, relative.angular_velocity)
    w = transform.outward(inner.angular_velocity)
    al = transform.outward(inner.angular_acceleration)
    return Motion.build(
        w + omega,
        al + w.cross(omega) + Vec.enter(graph, relative.angular_acceleration),
        transform.outward(acceleration),
    )


def body_wrenches(graph: Graph, tree: Tree, motions: Sequence[Motion]) -> tuple[BodyWrench, ...]:
    """Return the dynamic wrench of every link about its origin.

    It is the wrench that the body's motion asks for: force ``m a_C`` and rate of
    change of angular momentum.  Where the motions contain gravity it is the
    dynamic wrench minus the weight.
    """
    pairs = zip(tree.links, motions, strict=True)
    return tuple(_body_wrench(graph, link, motion) for link, motion in pairs)


def _body_wrench(graph: Graph, link: Link, motion: Motion) -> BodyWrench:
    mass = graph.scalar(link.mass)
    center = Vec.enter(graph, link.masscenter)
    if link.is_point_mass:
        force = (motion.acceleration + motion.spread @ center) * mass
        return BodyWrench(force, center.cross(force))
    first_moment = center * mass
    force = motion.acceleration * mass + motion.spread @ first_moment
    inertia = inertia_about_origin(graph, link, first_moment)
    moment = rotation_moment(inertia, motion) + first_moment.cross(motion.acceleration)
    return BodyWrench(force, moment)


def inertia_about_origin(graph: Graph, link: Link, first_moment: Vec) -> Mat:
    """Return the inertia matrix about the origin (parallel axis theorem)."""
    inertia = Mat.enter(graph, link.inertia)
    if link.inertia_is_about_origin:
        return inertia
    center = Vec.enter(graph, link.masscenter)
    square = center.dot(first_moment)
    rows = []
    for i, row in enumerate(inertia.rows):
        shift = -(center * first_moment.components[i])
        entries = list((row + shift).components)
        entries[i] = entries[i] + square
        rows.append(Vec(*entries))
    return Mat(rows)


def rotation_moment(inertia: Mat, motion: Motion) -> Vec:
    """Return ``J al + w x J w`` with 15 products: M_x and its cyclic partners."""
    j = [row.components for row in inertia.rows]
    spread = [row.components for row in motion.spread.rows]
    squares, products = motion.squares.components, motion.products.components
    al = motion.angular_acceleration.components

    def component(x: int, y: int, z: int) -> Scalar:
        return (
            j[x][x] * al[x]
            + (j[z][z] - j[y][y]) * products[x]
            - j[x][y] * spread[z][x]
            + j[x][z] * spread[y][x]
            + j[y][z] * (squares[y] - squares[z])
        )

    return Vec(component(0, 1, 2), component(1, 2, 0), component(2, 0, 1))


def inward_joint_wrenches(
    graph: Graph,
    tree: Tree,
    wrenches: Sequence[BodyWrench],
    external: Mapping[int, BodyWrench],
) -> tuple[BodyWrench, ...]:
    """Return the wrench on every link by the body it is joined to, from the tips inwards.

    Parameters
    ==========

    graph : Graph
        Where the operations go.
    tree : Tree
        The bodies and joints.
    wrenches : sequence of BodyWrench
        The dynamic wrench of every link.
    external : mapping of int to BodyWrench
        The known loads on a link, by the link's index.

    Returns
    =======

    tuple of BodyWrench
        On each link, about its origin, in the order of ``tree.links``.

    Notes
    =====

    Balance of a link: dynamic = joint + external - (what it exerts on the links
    beyond it); action equals reaction.
    """
    demanded = list(wrenches)
    for index, load in external.items():
        demanded[index] = demanded[index] - load
    across = transforms(graph, tree)
    for index in reversed(range(len(tree.links))):
        inner = tree.links[index].inner
        if inner is not None:
            passed_on = across[index].wrench_inward(demanded[index], across[index].arm)
            demanded[inner] = demanded[inner] + passed_on
    return tuple(demanded)


def generalized_forces(
    graph: Graph, tree: Tree, joint_wrenches: Sequence[BodyWrench]
) -> dict[Expr, Scalar]:
    """Return the generalized force of every speed.

    It is the power of the joints' wrenches per unit of the speed: the wrenches
    projected on the partial velocities of the links relative to each other.
    """
    forces: dict[Expr, Scalar] = {}
    for speed, force in _projections(graph, tree, joint_wrenches):
        forces[speed] = forces[speed] + force if speed in forces else force
    for speed in tree.speeds:  # one may move nothing
        forces.setdefault(speed, graph.scalar(0))
    return forces


def _projections(
    graph: Graph, tree: Tree, joint_wrenches: Sequence[BodyWrench]
) -> Iterator[tuple[Expr, Scalar]]:
    across = transforms(graph, tree)
    for link, transform, wrench in zip(tree.links, across, joint_wrenches, strict=True):
        for speed in link.motion.speeds:
            spin = Vec.enter(graph, link.motion.angular_partial(speed))
            shift = transform.outward(Vec.enter(graph, link.motion.linear_partial(speed)))
            yield speed, spin.dot(wrench.moment) + shift.dot(wrench.force)
