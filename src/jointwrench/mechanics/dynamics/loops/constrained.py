"""The forces of constraints, and a state of the assembled mechanism."""

from collections.abc import Sequence

from ...arithmetic.generic_state import GenericState
from ...mechanism.tree import TopologyError
from ..recursion.scalar_tree import ScalarTree
from .assembled import (
    assembled_state,
    binding_equations,
    check_agreement,
    check_velocities,
    own_rows,
)
from .constraint_forces import unknown_closings, unknown_multipliers
from .unknowns import Unknown, without_zeros


def constraint_unknowns(tree: ScalarTree) -> tuple[list[Unknown], GenericState]:
    """Return the forces of closings or constraint equations, and a state for decisions."""
    constraints = tree.symbolic.constraints
    check_velocities(tree)
    forces = unknown_closings(tree) if constraints.closings else unknown_multipliers(tree)
    state = _state(tree, forces)
    forces = without_zeros(forces, state)
    if constraints.closings:
        check_agreement(tree, forces, state)
    return forces, state


def are_binding(tree: ScalarTree, state: GenericState) -> bool:
    """Return whether the constraint equations of velocities bind forces of the tree's joints."""
    return state.decide(lambda some: bool(binding_equations(tree, own_rows(tree, some))))


def _state(tree: ScalarTree, unknowns: Sequence[Unknown]) -> GenericState:
    """Return a state of the assembled mechanism; raise an error with the contradiction if none."""
    try:
        return assembled_state(tree)
    except TopologyError:
        if tree.symbolic.constraints.closings:
            state = assembled_state(tree, with_own=False)
            check_agreement(tree, without_zeros(unknowns, state), state)
        raise
