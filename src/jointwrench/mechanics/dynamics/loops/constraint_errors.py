"""Wrenches and constraint equations of loop joints and contacts, in scalars of a graph.

Both kinds of joints are loop closures: joints between two links that the tree already connects.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sympy import Matrix, S

from ...arithmetic.derivatives import ForwardSweep
from ...arithmetic.graph import Scalar
from ...arithmetic.vectors import Vec, zero
from ...mechanism.loads import LinkIndex
from ...mechanism.loop_closures import LoopClosure
from ..recursion.rigid_body import BodyMotion, BodyWrench, Wrenches
from ..recursion.scalar_tree import ScalarTree


def unit_wrenches(tree: ScalarTree, closing: LoopClosure) -> list[Wrenches]:
    """Return the wrenches on both links of a unit of each force, then of each moment.

    Wrenches are about the link's origin, in the link's frame; a wrench on ground is missing.
    """
    parent, child = closing.parent, closing.child
    at = {child: tree.express(closing.child_position, child)}
    at[parent] = _place_on_parent(tree, closing, at[child])
    directions = {link: _directions(tree, closing, link) for link in at if link is not None}
    if parent is not None:
        directions[parent] = [-vector for vector in directions[parent]]
    on_links = {link: _wrenches_along(closing, x, at[link]) for link, x in directions.items()}
    return [dict(zip(on_links, own, strict=True)) for own in zip(*on_links.values(), strict=True)]


def _wrenches_along(closing: LoopClosure, vectors: list[Vec], arm: Vec) -> Iterator[BodyWrench]:
    """Yield the wrenches of a closure's forces at an arm from the origin, then of its moments."""
    for k, vector in enumerate(vectors):
        if k < len(closing.forces):
            yield BodyWrench(vector, arm.cross(vector))
        else:
            yield BodyWrench(zero(vector.x.graph), vector)


def _directions(tree: ScalarTree, closing: LoopClosure, link: LinkIndex) -> list[Vec]:
    """Return the directions of a closure's forces, then of its moments, in a link's frame."""
    moments = [tree.express(parts, link) for parts in closing.moments]
    return _force_directions(tree, closing, link) + moments


def _force_directions(tree: ScalarTree, closing: LoopClosure, link: LinkIndex) -> list[Vec]:
    """Return the directions of a closure's forces in a link's frame; for a rod, along the rod."""
    if closing.length is None:
        return [tree.express(parts, link) for parts in closing.forces]
    along = _apart(tree, closing) * tree.graph.scalar(closing.length).reciprocal()
    return [tree.rotate(along, closing.parent, link)]


def _apart(tree: ScalarTree, closing: LoopClosure) -> Vec:
    """Return the position of the child's point from the parent's, in the parent's frame."""
    assert closing.parent_position is not None
    own = tree.express(closing.child_position, closing.child)
    own = tree.place(own, closing.child, closing.parent)
    return own - tree.express(closing.parent_position, closing.parent)


def _place_on_parent(tree: ScalarTree, closing: LoopClosure, on_child: Vec) -> Vec:
    """Return the position of the force's point of action on the parent, in the parent's frame."""
    # It is where the child's point is. If both points coincide, the parent's own point saves
    # operations; the force of a rod may act at either end, because both are on its line of action.
    if closing.parent is None:
        return zero(tree.graph)  # wrenches on ground are not computed
    is_together = len(closing.forces) == 3 or closing.length is not None
    if closing.parent_position is not None and is_together:
        return tree.express(closing.parent_position, closing.parent)
    return tree.place(on_child, closing.child, closing.parent)


def unit_wrench_on_child(tree: ScalarTree, closing: LoopClosure) -> list[BodyWrench]:
    """Return a closure's unit wrenches on its child, about the child's point in its frame."""
    vectors = _directions(tree, closing, closing.child)
    return [*_wrenches_along(closing, vectors, zero(tree.graph))]


def position_errors(tree: ScalarTree, closing: LoopClosure) -> list[Scalar]:
    """Return the residuals of a closure's position equations, one for each force and moment."""
    # A force has the distance from the parent's point to the child's point along its direction; a
    # moment has the scalar product of two directions that must stay orthogonal. A contact does not
    # constrain positions, so its residuals are zero. The residual of a rod with the vector r
    # between its ends is (r . r / length - length) / 2; its derivative is the direction r / length.
    graph, parent = tree.graph, closing.parent
    if closing.parent_position is None:
        return [graph.scalar(0)] * closing.size
    apart = _apart(tree, closing)
    distances = [x.dot(apart) for x in _force_directions(tree, closing, parent)]
    if closing.length is not None:
        return [(distances[0] - graph.scalar(closing.length)) * graph.scalar(S.Half)]
    cosines = [
        tree.express(one, parent).dot(tree.express(other, parent)) for one, other in closing.pairs
    ]
    return distances + cosines


def alignment_errors(tree: ScalarTree, closing: LoopClosure) -> list[Scalar]:
    """Return the differences of unit vectors that coincide if both bodies are aligned."""
    # The position equations only require right angles. These also hold after half a rotation and
    # after a cyclic exchange of axes, which `assembled_state` avoids by these further equations.
    pairs = [[tree.express(x, closing.parent) for x in pair] for pair in closing.pairs]
    found = (along - x.cross(y) for (x, _), (y, along) in pairwise(pairs))
    return [x for vector in found for x in vector.components]


def slip_velocity(tree: ScalarTree, motions: Sequence[BodyMotion], closing: LoopClosure) -> Vec:
    """Return the velocity of the child's point relative to the surface, in the child's frame."""
    place = tree.express(closing.child_position, closing.child)
    velocities = origin_velocities(tree, motions)
    slip = _velocity_at(tree, motions, velocities, closing.child, place)
    if closing.parent is not None:
        on_parent = tree.place(place, closing.child, closing.parent)
        other = _velocity_at(tree, motions, velocities, closing.parent, on_parent)
        slip = slip - tree.rotate(other, closing.parent, closing.child)
    if closing.surface_velocity:
        slip = slip - tree.express(closing.surface_velocity, closing.child)
    return slip


def driven_velocity(tree: ScalarTree, closing: LoopClosure) -> Vec | None:
    """Return the prescribed velocity of the child's point in the child's frame, or None.

    It is the velocity of a moving surface, or the rate of a rod's length along the rod.
    """
    if closing.surface_velocity:
        return tree.express(closing.surface_velocity, closing.child)
    rate = 0 if closing.length is None else closing.length.diff(tree.symbolic.time)
    if rate == 0:
        return None
    (along,) = _force_directions(tree, closing, closing.child)
    return along * tree.graph.scalar(rate)


def _velocity_at(
    tree: ScalarTree,
    motions: Sequence[BodyMotion],
    velocities: Sequence[Vec],
    link: LinkIndex,
    place: Vec,
) -> Vec:
    """Return the velocity of the point at ``place`` on a link, in the link's frame."""
    if link is None:
        return zero(tree.graph)
    return velocities[link] + motions[link].angular_velocity.cross(place)


def origin_velocities(tree: ScalarTree, motions: Sequence[BodyMotion]) -> list[Vec]:
    """Return the velocity of every link's origin in the inertial frame, in the link's frame."""
    velocities: list[Vec] = []
    for link, transform in zip(tree.symbolic.links, tree.transforms, strict=True):
        velocity = Vec.enter(tree.graph, link.motion.offset_velocity)
        if link.inner is not None:
            spin = motions[link.inner].angular_velocity
            velocity = velocity + velocities[link.inner] + spin.cross(transform.arm)
        velocities.append(transform.outward(velocity))
    return velocities


def time_derivatives(tree: ScalarTree) -> ForwardSweep:
    """Return the forward sweep of derivatives with respect to time.

    Rates of coordinates follow from the kinematical differential equations.
    """
    model, graph = tree.symbolic, tree.graph
    rates = dict(zip(model.coordinates, model.rates, strict=True))
    rates |= dict(zip(model.speeds, model.accelerations, strict=True))
    rates[model.time] = 1

    def slope(leaf: object) -> Scalar:
        return graph.scalar(rates[leaf] if leaf in rates else model.derivative.of(leaf))

    return ForwardSweep(graph, slope)


def constraint_errors(tree: ScalarTree, motions: Sequence[BodyMotion]) -> list[list[Scalar]]:
    """Return the residuals of constraints in a motion: positions, velocities, accelerations."""
    derivatives = time_derivatives(tree)
    positions, velocities = _errors_of_states(tree, motions, derivatives)
    return [positions, velocities, derivatives.of(velocities)]


def velocity_errors(tree: ScalarTree, motions: Sequence[BodyMotion]) -> list[Scalar]:
    """Return the residuals of the velocity equations of all constraints in a motion."""
    return _errors_of_states(tree, motions, time_derivatives(tree))[1]


def _errors_of_states(
    tree: ScalarTree, motions: Sequence[BodyMotion], derivatives: ForwardSweep
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the residuals of position equations and of velocity equations, row by row.

    A velocity equation without position equation has the position residual zero.
    """
    # A model without loop closures has its own equations, position equations first. All other
    # models have the closures' equations. Contacts do not constrain positions, so the model's own
    # position equations follow if there is a contact. No closure constrains idle speeds, which move
    # no body, so the model's own equations with idle speeds are last.
    constraints, graph = tree.symbolic.constraints, tree.graph
    positions: list[Scalar] = []
    velocities: list[Scalar] = []
    for closing in constraints.closings:
        own = position_errors(tree, closing)
        positions += own
        if closing.is_contact:
            slip = slip_velocity(tree, motions, closing)
            velocities += [tree.express(x, closing.child).dot(slip) for x in closing.forces]
        else:
            velocities += derivatives.of(own)
    if not constraints.closings:
        rest = len(constraints.velocity) - len(constraints.position)
        positions += [graph.scalar(x) for x in constraints.position] + [graph.scalar(0)] * rest
        velocities += [graph.scalar(x) for x in constraints.velocity]
    elif any(closing.is_contact for closing in constraints.closings):
        own = [graph.scalar(x) for x in constraints.position]
        positions, velocities = positions + own, velocities + derivatives.of(own)
    if constraints.closings and (idle := tree.symbolic.idle_speeds):
        equations = tree.symbolic.derivative.in_speeds(Matrix(constraints.velocity))
        own = [graph.scalar(x) for x in equations if x.has(*idle)]
        positions, velocities = positions + [graph.scalar(0)] * len(own), velocities + own
    return positions, velocities


def kinds_of_rows(tree: ScalarTree, count: int) -> list[str]:
    """Return the kind of each residual: "length", "cosine", or "own" for the model's equations."""
    kinds = list[str]()
    for closing in tree.symbolic.constraints.closings:
        kinds += ["length"] * len(closing.forces) + ["cosine"] * len(closing.moments)
    return kinds + ["own"] * (count - len(kinds))
