"""Checks that every speed moves some mass.

A massless body, such as the cross of a universal joint or a welded tip, is allowed if each speed
moves some mass.  If a speed moves none, or two speeds have the same effect, the mass matrix is
singular, and only constraints can determine the motion.
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
    """Raise a TopologyError if speeds move no mass that other speeds do not move as well.

    The mass matrix is examined only if a body may not resist a motion of its joint, or if two
    speeds may have the same effect.  All symbols then have random values, which need not be
    physical: a matrix that is singular there is singular for all values.  Speeds that belong to no
    joint, such as the activation of a muscle, need not move mass.
    """
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
    """Return whether the mass matrix may be singular at some states."""
    return bool(tree.idle_speeds) or not _is_surely_regular(tree)


def _is_resisted(tree: ScalarTree) -> bool:
    """Return whether each joint moves a body with inertia in all of the joint's motions.

    Bodies beyond a joint only add to the inertia ``S^T I S`` of its own body, so it is enough to
    examine one body at a time.
    """
    return has_own_speeds(tree) and all(tree.resisted)


def _is_surely_regular(tree: Tree) -> bool:
    """Return whether each link has mass and full inertia, and all partial velocities differ."""
    links = [link for link in tree.links if link.motion.speeds]
    return all(map(_is_regular, links)) and _are_independent(links)


def _are_independent(links: Sequence[Link]) -> bool:
    """Return whether the partial velocities of joints are linearly independent."""
    count = len({speed for link in links for speed in link.motion.speeds})
    if count < sum(len(link.motion.speeds) for link in links):  # some move several joints
        return _rank_of_partials(links) == count
    several = [link for link in links if len(link.motion.speeds) > 1]
    return all(_rank_of_partials([link]) == len(link.motion.speeds) for link in several)


def _rank_of_partials(links: Sequence[Link]) -> int:
    """Return the rank of the partial velocities of some joints."""
    speeds = list(dict.fromkeys(speed for link in links for speed in link.motion.speeds))
    graph, rows = Graph(), []
    for motion in (link.motion for link in links):
        own = {u: [*motion.angular_partial(u), *motion.linear_partial(u)] for u in motion.speeds}
        columns = [own.get(speed, [S.Zero] * 6) for speed in speeds]
        rows += [row for row in zip(*columns, strict=True) if any(row)]
    return GenericState(graph).rank([[graph.scalar(entry) for entry in row] for row in rows])


def _is_regular(link: Link) -> bool:
    """Return whether a body certainly has mass and inertia about every axis, unlike a thin rod."""
    if link.mass.is_zero or link.is_point_mass:
        return False
    graph = Graph()
    entries = [[graph.scalar(entry) for entry in row] for row in link.inertia.tolist()]
    return GenericState(graph).rank(entries) == 3


def _speeds_without_mass(derivation: Derivation) -> list[Expr]:
    """Return the speeds that move links but add nothing to the rank of the mass matrix."""
    speeds = derivation.tree.speeds
    moving = {speed for link in derivation.tree.links for speed in link.motion.speeds}
    kept = [k for k, speed in enumerate(speeds) if speed in moving]
    entries = mass_matrix(derivation.scalars, derivation.scalars.inertias)
    matrix = [[entries[i][k] for k in kept] for i in kept]
    moving_mass = GenericState(derivation.graph).decide(lambda state: _independent(state, matrix))
    return [speeds[i] for k, i in enumerate(kept) if k not in moving_mass]


def _independent(state: GenericState, matrix: Sequence[Sequence[Scalar]]) -> set[int]:
    """Return the indices of independent rows, or of all rows if that cannot be decided."""
    rows = state.rows(matrix)
    return set(independent(rows) if is_decidable(rows) else range(len(rows)))


def _has_pivots(derivation: Derivation) -> bool:
    """Return whether all pivots of the mass matrix are certainly nonzero, from the tips inwards.

    A pivot costs the same in trees of any length, unlike the rank of the whole matrix.
    """
    from .recursion.articulated import ArticulatedTree

    tree = derivation.scalars
    if not has_own_speeds(tree):
        return False
    state = GenericState(derivation.graph)
    return has_pivots(state, lambda: ArticulatedTree(tree, regroup(tree)).pivots)


def has_pivots(state: GenericState, made: Callable[[], Sequence[Scalar]]) -> bool:
    """Return whether the pivots that ``made`` returns are nonzero at nearly all states.

    A ZeroDivisionError of ``made`` means that they are not.
    """
    try:
        pivots = made()
    except ZeroDivisionError:
        return False

    def are_nonzero(state: GenericState) -> bool:
        return all(x.is_finite and x.significance for x in state.of(pivots))

    return state.decide(are_nonzero)
