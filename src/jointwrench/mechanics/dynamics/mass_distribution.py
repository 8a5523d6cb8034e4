"""Does every speed move some mass?

A massless body, such as the cross of a universal joint or a welded tip, is allowed if each speed
moves some mass.  If one does not, or two speeds are equivalent, the mass matrix is singular, and
only constraints can determine the motion.
"""

from collections.abc import Callable, Sequence

from sympy import Expr, S

from ...checks.arguments import enumerate_some
from ..arithmetic.generic_state import GenericState, independent, is_decidable
from ..arithmetic.graph import Graph, Scalar
from ..mechanism.tree import Link, TopologyError, Tree
from .derivation import Derivation
from .recursion.mass_matrix import mass_matrix
from .recursion.scalar_tree import ScalarTree, has_own_speeds
from .regrouping import regroup


def check_mass_distribution(derivation: Derivation) -> None:
    """Raise a TopologyError that names the speeds that move no mass."""
    # Only models in which a body alone does not resist all motions of its joint, or two speeds do
    # the same, are examined, at random values of all symbols, which need not be physical: what is
    # singular there is so for all. A speed of no joint (the activation of a muscle) need not move
    # anything.
    tree = derivation.scalars
    if _is_resisted(tree) or _is_surely_regular(tree.symbolic) or _has_pivots(derivation):
        return
    speeds = _speeds_without_mass(derivation)
    if speeds:
        names = enumerate_some(speeds)
        raise TopologyError(
            derivation.tree.argument,
            [
                f"the mass distribution is singular: the speeds {names} move no mass that the "
                "other speeds do not move as well. Give the bodies that they move mass and "
                "inertia (also about the axis of a pin), replace their joints by a WeldJoint, or "
                "leave out redundant coordinates."
            ],
        )


def can_be_singular(tree: Tree) -> bool:
    """Whether the mass matrix may be singular somewhere."""
    return bool(tree.idle_speeds) or not _is_surely_regular(tree)


def _is_resisted(tree: ScalarTree) -> bool:
    """Whether each joint moves a body with inertia in all of the joint's motions."""
    # What hangs on a body adds to its inertia, never takes from it: S^T I S of the body alone is
    # less than what the joint moves. So one body at a time tells, however many there are.
    return has_own_speeds(tree) and all(tree.resisted)


def _is_surely_regular(tree: Tree) -> bool:
    """Whether each link has mass and full inertia, and no speed moves links as others do."""
    links = [link for link in tree.links if link.motion.speeds]
    return all(map(_is_regular, links)) and _are_independent(links)


def _are_independent(links: Sequence[Link]) -> bool:
    """Whether the partial velocities of joints are independent."""
    count = len({speed for link in links for speed in link.motion.speeds})
    if count < sum(len(link.motion.speeds) for link in links):  # some move several joints
        return _rank_of_partials(links) == count
    several = [link for link in links if len(link.motion.speeds) > 1]
    return all(_rank_of_partials([link]) == len(link.motion.speeds) for link in several)


def _rank_of_partials(links: Sequence[Link]) -> int:
    speeds = list(dict.fromkeys(speed for link in links for speed in link.motion.speeds))
    graph, rows = Graph(), []
    for link in links:
        motion, none = link.motion, [S.Zero] * 6
        columns = [
            [*motion.angular_partial(speed), *motion.linear_partial(speed)]
            if speed in motion.speeds
            else none
            for speed in speeds
        ]
        rows += [row for row in zip(*columns, strict=True) if any(row)]
    return GenericState(graph).rank([[graph.scalar(entry) for entry in row] for row in rows])


def _is_regular(link: Link) -> bool:
    """Whether a body surely has mass and an inertia about every axis, unlike a thin rod."""
    if link.mass.is_zero or link.is_point_mass:
        return False
    graph = Graph()
    entries = [[graph.scalar(entry) for entry in row] for row in link.inertia.tolist()]
    return GenericState(graph).rank(entries) == 3


def _speeds_without_mass(derivation: Derivation) -> list[Expr]:
    """Return speeds that move links but add nothing to the rank of the mass matrix."""
    speeds = derivation.tree.speeds
    moving = {speed for link in derivation.tree.links for speed in link.motion.speeds}
    kept = [k for k, speed in enumerate(speeds) if speed in moving]
    entries = mass_matrix(derivation.scalars, derivation.scalars.inertias)
    matrix = [[entries[i][k] for k in kept] for i in kept]
    moving_mass = GenericState(derivation.graph).decide(lambda state: _independent(state, matrix))
    return [speeds[i] for k, i in enumerate(kept) if k not in moving_mass]


def _independent(state: GenericState, matrix: Sequence[Sequence[Scalar]]) -> set[int]:
    """Return the indices of independent rows, or of all if undecided."""
    rows = state.rows(matrix)
    return set(independent(rows) if is_decidable(rows) else range(len(rows)))


def _has_pivots(derivation: Derivation) -> bool:
    """Whether all pivots of the mass matrix from the tips inwards are surely nonzero."""
    from .recursion.articulated import ArticulatedTree

    # Each costs the same, however long the tree, which the rank of the whole matrix does not.
    tree = derivation.scalars
    if not has_own_speeds(tree):
        return False
    state = GenericState(derivation.graph)
    return has_pivots(state, lambda: ArticulatedTree(tree, regroup(tree)).pivots)


def has_pivots(state: GenericState, made: Callable[[], Sequence[Scalar]]) -> bool:
    """Whether all pivots are surely nonzero at nearly all states alike; making them may fail."""
    try:
        pivots = made()
    except ZeroDivisionError:
        return False

    def are_nonzero(state: GenericState) -> bool:
        return all(x.is_finite and x.significance for x in state.of(pivots))

    return state.decide(are_nonzero)
