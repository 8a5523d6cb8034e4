"""Equations for the dependent coordinates and speeds of a model with constraints."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from sympy import Expr

from ...checks.arguments import enumerate_some
from ..arithmetic.decisions import GenericState
from ..arithmetic.derivatives import jacobian
from ..arithmetic.graph import Scalar
from ..arithmetic.program import Output
from ..mechanism.tree import Tree
from .derivation import Derivation
from .loops.assembled import assembled_state, position_equations
from .loops.constraint_errors import constraint_errors


class Dependence:
    """Equations for the dependent coordinates and speeds."""

    # Dependent are those of q and u that depend on the others; names are what each position
    # equation belongs to. Positions: errors and their derivatives by all coordinates; velocities:
    # errors of velocities and accelerations with zeros for dependent entries that are given as
    # zero, and the coefficients of all speeds.

    def __init__(self, derivation: Derivation) -> None:
        tree, scalars, graph = derivation.tree, derivation.scalars, derivation.graph
        self.dependent = {
            "q": _dependent(tree, tree.coordinates, tree.constraints.coordinates),
            "u": _dependent(tree, tree.speeds, tree.constraints.independent),
        }
        anywhere = GenericState(graph)
        equations = [
            (name, error)
            for name, error in position_equations(scalars)
            if not anywhere.is_zero(error)
        ]
        self.names = [name for name, _ in equations]
        errors = [error for _, error in equations]
        _, velocities, accelerations = constraint_errors(scalars, derivation.motions)
        position_slopes = jacobian(graph, errors, tree.coordinates)
        velocity_slopes = jacobian(graph, velocities, tree.speeds)
        self._scalars, self._slopes = scalars, {"q": position_slopes, "u": velocity_slopes}
        self.positions = (
            Output.from_scalars("errors", (len(errors),), errors),
            matrix_output("slopes", position_slopes, len(tree.coordinates)),
        )
        self.velocities = (
            matrix_output("errors", [velocities, accelerations], len(velocities)),
            matrix_output("slopes", velocity_slopes, len(tree.speeds)),
        )

    @cached_property
    def checked(self) -> "Dependence":
        """These equations, if they determine what the model declares dependent."""
        tree = self._scalars.symbolic
        if tree.constraints:
            state = assembled_state(self._scalars)
            self._check(tree, "q", state, self._slopes["q"], tree.coordinates)
            self._check(tree, "u", state, self._slopes["u"], tree.speeds)
        return self

    def _check(
        self,
        tree: Tree,
        group: str,
        state: GenericState,
        slopes: list[list[Scalar]],
        symbols: Sequence[Expr],
    ) -> None:
        """Raise an error if the equations do not determine the dependent entries."""
        places = [k for k, is_dependent in enumerate(self.dependent[group]) if is_dependent]
        own = [[row[k] for k in places] for row in slopes]
        needed = state.rank(slopes)
        if needed == state.rank(own) == len(places):
            return
        names = enumerate_some(symbols[k] for k in places) or "none"
        what = {"q": "coordinates", "u": "speeds"}[group]
        fix = f"system.{group}_ind = [...] and system.{group}_dep = [...]"
        if tree.system is None:
            more = ", configuration_constraints=[...]" if group == "q" else ""
            fix = f"KanesMethod(..., {group}_ind=[...], {group}_dependent=[...]{more})"
        raise ValueError(
            f"`{tree.argument}` must name {needed} dependent {what} that follow from the others by "
            f"the constraints, got {names}. Use {fix}."
        )


def _dependent(tree: Tree, symbols: Sequence[Expr], independent: Sequence[Expr]) -> np.ndarray:
    is_bound = bool(tree.constraints)
    return np.array([is_bound and symbol not in independent for symbol in symbols], bool)


def matrix_output(name: str, rows: Sequence[Sequence[Scalar]], width: int) -> Output:
    """Return a matrix as an output."""
    entries = [entry for row in rows for entry in row]
    return Output.from_scalars(name, (len(rows), width), entries)
