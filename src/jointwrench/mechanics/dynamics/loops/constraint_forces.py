"""Unknown forces of loop closures, and multipliers of constraint equations."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from sympy import Expr

from ...arithmetic.derivatives import cheapest_jacobian
from ...arithmetic.graph import Scalar
from ...mechanism.loads import unit_vectors
from ...mechanism.loop_closures import LoopClosure
from ..recursion.rigid_body import Wrenches
from ..recursion.scalar_tree import ScalarTree
from .constraint_errors import unit_wrenches
from .unknowns import Unknown, supplied_by


def unknown_closings(tree: ScalarTree) -> list[Unknown]:
    """Return the unknown forces and moments of all loop closures, in their order."""
    return [
        Unknown(closing, supplied_in_loop(tree, closing, wrenches), wrenches)
        for closing in tree.symbolic.constraints.closings
        for wrenches in unit_wrenches(tree, closing)
    ]


def triangular(tree: ScalarTree, closing: LoopClosure) -> LoopClosure:
    """Return a loop closure with the force directions that have no power at the most speeds.

    The directions are free if there are three forces.  Candidates are the axes of ground and of the
    links in the loop: forces along them often act on few joints, so that the equations are nearly
    triangular.  Every other loop closure is returned unchanged.
    """
    if len(closing.forces) != 3 or closing.length is not None:
        return closing

    def zeros(one: LoopClosure) -> int:
        columns = (supplied_in_loop(tree, one, own) for own in unit_wrenches(tree, one))
        return sum(entry.is_zero for column in columns for entry in column)

    ends = (link for link in (closing.child, closing.parent) if link is not None)
    links = dict.fromkeys(link for end in ends for link in tree.path_to_ground(end))
    turned = [replace(closing, forces=unit_vectors(link)) for link in (None, *links)]
    return max([closing, *turned], key=zeros)


def unknown_multipliers(tree: ScalarTree) -> list[Unknown]:
    """Return the unknown multipliers of the model's own constraint equations.

    Their points of action are not known, so they have no wrenches on links.
    """
    rows = velocity_coefficients(tree, tree.symbolic.constraints.velocity)
    pairs = zip(tree.symbolic.constraints.velocity, rows, strict=True)
    return [Unknown(equation, row, {}) for equation, row in pairs]


def velocity_coefficients(tree: ScalarTree, equations: Iterable[Expr]) -> list[list[Scalar]]:
    """Return the coefficient of each speed in equations that are linear in the speeds."""
    scalars = [tree.graph.scalar(equation) for equation in equations]
    return cheapest_jacobian(tree.graph, scalars, tree.symbolic.speeds)


def supplied_in_loop(tree: ScalarTree, closing: LoopClosure, wrenches: Wrenches) -> list[Scalar]:
    """Return the generalized forces that the two wrenches of a loop closure supply."""
    # The wrenches are opposite, so they cancel inside the link at which both paths meet.
    links = chain(*tree.apart(closing.child, closing.parent))
    return supplied_by(tree, wrenches, links)
