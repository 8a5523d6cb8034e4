"""Loop joints and contacts in the scalars of a graph: what they transmit, and what they ask for."""

from collections.abc import Sequence

from sympy import Matrix

from ..arithmetic.derivatives import ForwardSweep
from ..arithmetic.graph import Scalar
from ..arithmetic.vectors import Vec, zero
from ..mechanism.closing import Closing
from ..mechanism.loads import LinkIndex
from .rigid_body import BodyWrench, Motion
from .scalar_tree import ScalarTree

#: A wrench on each of some links, about its origin.
Wrenches = dict[int, BodyWrench]


def unit_wrenches(tree: ScalarTree, closing: Closing) -> list[Wrenches]:
    """Return what a unit of each force, then of each moment, does to the bodies."""
    parent, child = closing.parent, closing.child
    at = {child: tree.express(closing.child_place, child)}
    at[parent] = _place_on_parent(tree, closing, at[child])
    signs = {child: 1, parent: -1}
    wrenches = []
    for number, directions in enumerate((*closing.forces, *closing.moments)):
        on_links: Wrenches = {}
        for link, sign in signs.items():
            if link is not None:
                vector = tree.express(directions, link)
                vector = vector if sign > 0 else -vector
                is_force = number < len(closing.forces)
                on_links[link] = (
                    BodyWrench(vector, at[link].cross(vector))
                    if is_force
                    else BodyWrench(zero(tree.graph), vector)
                )
        wrenches.append(on_links)
    return wrenches


def _place_on_parent(tree: ScalarTree, closing: Closing, on_child: Vec) -> Vec:
    """Return where on the parent the child's point is.

    That is the parent's own point where both stay together, which saves operations.
    """
    if closing.parent is None:
        return zero(tree.graph)  # nobody asks what acts on ground
    if closing.parent_place is not None and len(closing.forces) == 3:
        return tree.express(closing.parent_place, closing.parent)
    return tree.place(on_child, closing.child, closing.parent)


def unit_wrench_on_child(tree: ScalarTree, closing: Closing) -> list[BodyWrench]:
    """Return a unit of each force and moment on the child about its point, in its frame."""
    vectors = [
        tree.express(directions, closing.child)
        for directions in (*closing.forces, *closing.moments)
    ]
    nothing, count = zero(tree.graph), len(closing.forces)
    forces = [BodyWrench(vector, nothing) for vector in vectors[:count]]
    return forces + [BodyWrench(nothing, vector) for vector in vectors[count:]]


def position_errors(tree: ScalarTree, closing: Closing) -> list[Scalar]:
    """Return by how much the child is out of place: zero where the loop is closed.

    For each force the distance of the child's point from the parent's along its
    direction, for each moment the scalar product of directions that are to be
    normal.  A contact has no place: its errors are zero.
    """
    graph, parent = tree.graph, closing.parent
    if closing.parent_place is None:
        return [graph.scalar(0)] * closing.size
    own = tree.express(closing.child_place, closing.child)
    apart = tree.place(own, closing.child, parent) - tree.express(closing.parent_place, parent)
    distances = [tree.express(direction, parent).dot(apart) for direction in closing.forces]
    cosines = [
        tree.express(one, parent).dot(tree.express(other, parent)) for one, other in closing.pairs
    ]
    return distances + cosines


def slip_velocities(tree: ScalarTree, motions: Sequence[Motion], closing: Closing) -> list[Scalar]:
    """Return the velocity of a contact's child relative to its parent along each direction."""
    place = tree.express(closing.child_place, closing.child)
    velocities = origin_velocities(tree, motions)
    slip = _velocity_at(tree, motions, velocities, closing.child, place)
    if closing.parent is not None:
        on_parent = tree.place(place, closing.child, closing.parent)
        other = _velocity_at(tree, motions, velocities, closing.parent, on_parent)
        slip = slip - tree.rotate(other, closing.parent, closing.child)
    return [tree.express(direction, closing.child).dot(slip) for direction in closing.forces]


def _velocity_at(
    tree: ScalarTree,
    motions: Sequence[Motion],
    velocities: Sequence[Vec],
    link: LinkIndex,
    place: Vec,
) -> Vec:
    if link is None:
        return zero(tree.graph)
    return velocities[link] + motions[link].angular_velocity.cross(place)


def origin_velocities(tree: ScalarTree, motions: Sequence[Motion]) -> list[Vec]:
    """Return the velocity of every link's origin in the inertial frame, in the link's frame."""
    velocities: list[Vec] = []
    for link, transform in zip(tree.tree.links, tree.transforms, strict=True):
        velocity = Vec.enter(tree.graph, link.motion.offset_velocity)
        if link.inner is not None:
            spin = motions[link.inner].angular_velocity
            velocity = velocity + velocities[link.inner] + spin.cross(transform.arm)
        velocities.append(transform.outward(velocity))
    return velocities


def time_derivatives(tree: ScalarTree) -> ForwardSweep:
    """Return what takes derivatives with respect to time, by the kinematical equations."""
    model, graph = tree.tree, tree.graph
    rates = dict(zip(model.coordinates, model.rates, strict=True))
    rates |= dict(zip(model.speeds, model.accelerations, strict=True))
    rates[model.time] = 1

    def slope(leaf: object) -> Scalar:
        return graph.scalar(rates[leaf] if leaf in rates else model.derivative.of(leaf))

    return ForwardSweep(graph, slope)


def constraint_errors(tree: ScalarTree, motions: Sequence[Motion]) -> list[list[Scalar]]:
    """Return by how much a motion violates the constraints: positions, velocities, accelerations.

    The equations are those of the closings, or the model's own where it has no
    closings: those of positions first.  Contacts say nothing of places, so that the
    model's own position equations follow them; no closing says anything of speeds that
    move no body, so that the model's equations with such are the last.
    """
    constraints, derivatives, graph = tree.tree.constraints, time_derivatives(tree), tree.graph
    positions: list[Scalar] = []
    velocities: list[Scalar] = []
    for closing in constraints.closings:
        own = position_errors(tree, closing)
        positions += own
        moving = slip_velocities(tree, motions, closing) if closing.is_contact else None
        velocities += derivatives.of(own) if moving is None else moving
    if not constraints.closings:
        rest = len(constraints.velocity) - len(constraints.position)
        positions += [graph.scalar(x) for x in constraints.position] + [graph.scalar(0)] * rest
        velocities += [graph.scalar(x) for x in constraints.velocity]
    elif any(closing.is_contact for closing in constraints.closings):
        own = [graph.scalar(x) for x in constraints.position]
        positions, velocities = positions + own, velocities + derivatives.of(own)
    if constraints.closings and (idle := tree.tree.idle_speeds):
        equations = tree.tree.derivative.in_speeds(Matrix(constraints.velocity))
        own = [graph.scalar(x) for x in equations if x.has(*idle)]
        positions, velocities = positions + [graph.scalar(0)] * len(own), velocities + own
    return [positions, velocities, derivatives.of(velocities)]
