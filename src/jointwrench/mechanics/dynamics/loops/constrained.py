"""The unknown forces of a model's constraints, and an assembled state of its mechanism."""

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
    """Return the unknown constraint forces of a model, and the assembled state for decisions.

    The unknowns are the forces of loop joints and contacts.  A model without these has the
    multipliers of its constraint equations instead.  Constraints that are not valid raise an error.
    """
    constraints = tree.symbolic.constraints
    check_velocities(tree)
    forces = unknown_closings(tree) if constraints.closings else unknown_multipliers(tree)
    state = _state(tree, forces)
    forces = without_zeros(forces, state)
    if constraints.closings:
        check_agreement(tree, forces, state)
    return forces, state


def are_binding(tree: ScalarTree, state: GenericState) -> bool:
    """Whether the model's own velocity constraints restrict bodies, and so need forces."""
    return state.decide(lambda some: bool(binding_equations(tree, own_rows(tree, some))))


def _state(tree: ScalarTree, unknowns: Sequence[Unknown]) -> GenericState:
    """Return an assembled state of the mechanism, or raise a TopologyError with the reason."""
    # Without an assembled state, loops and own constraints may contradict each other. A state of
    # the loops suffices to find the equation that disagrees, which makes a better message.
    try:
        return assembled_state(tree)
    except TopologyError:
        if tree.symbolic.constraints.closings:
            state = assembled_state(tree, with_own=False)
            check_agreement(tree, without_zeros(unknowns, state), state)
        raise
