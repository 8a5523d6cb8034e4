"""Equations for the dependent coordinates and speeds of a model with constraints."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from sympy import Expr

from ...checks.arguments import enumerate_some, symbol_name
from ..arithmetic.derivatives import jacobian
from ..arithmetic.generic_state import GenericState
from ..arithmetic.graph import Scalar
from ..arithmetic.output import Output
from ..mechanism.tree import Tree
from .derivation import Derivation
from .loops.assembled import assembled_state, position_equations
from .loops.constraint_errors import constraint_errors, kinds_of_rows


class Dependence:
    """Equations for the dependent coordinates and speeds of a model.

    Equations that are identically zero are omitted.

    Attributes
    ==========

    dependent : dict of str to numpy.ndarray of bool
        For "q" and "u" whether each coordinate or speed is dependent.
    kinds : dict of str to list of str
        For "q" and "u" the kind of unit of each equation.
    names : list of str
        The loop joint or constraint of each position equation.
    positions : tuple of Output
        The errors of the position equations, and their derivatives by all coordinates.
    velocities : tuple of Output
        The errors of velocities and of accelerations, to be evaluated with zeros for dependent
        entries, and the coefficients of all speeds.
    """

    def __init__(self, derivation: Derivation) -> None:
        tree, scalars, graph = derivation.tree, derivation.scalars, derivation.graph
        self._scalars = scalars
        self.dependent = {
            "q": _dependent(tree, tree.coordinates, tree.constraints.coordinates),
            "u": _dependent(tree, tree.speeds, tree.constraints.independent),
        }
        equations, self.kinds = position_equations(scalars), dict[str, list[str]]()
        errors, kept = self._binding("q", [error for _, error in equations])
        self.names = [equations[k][0] for k in kept]
        _, velocities, accelerations = constraint_errors(scalars, derivation.motions)
        velocities, kept = self._binding("u", velocities)
        accelerations = [accelerations[k] for k in kept]
        position_slopes = jacobian(graph, errors, tree.coordinates)
        velocity_slopes = jacobian(graph, velocities, tree.speeds)
        self._slopes = {"q": position_slopes, "u": velocity_slopes}
        self.positions = (
            Output.from_scalars("errors", (len(errors),), errors),
            matrix_output("slopes", position_slopes, len(tree.coordinates)),
        )
        self.velocities = (
            matrix_output("errors", [velocities, accelerations], len(velocities)),
            matrix_output("slopes", velocity_slopes, len(tree.speeds)),
        )

    @property
    def inputs(self) -> frozenset[Expr]:
        """The symbols on which the equations depend."""
        refs = [*self.positions[0].refs, *self.velocities[0].refs]
        return frozenset(self._scalars.graph.inputs_of(refs))

    def _binding(self, group: str, errors: list[Scalar]) -> tuple[list[Scalar], list[int]]:
        """Return the equations that are not identically zero, and their indices."""
        zeros = GenericState(self._scalars.graph).are_zero(errors)
        kinds = kinds_of_rows(self._scalars, len(errors))
        kept = [k for k, is_zero in enumerate(zeros) if not is_zero]
        self.kinds[group] = [kinds[k] for k in kept]
        return [errors[k] for k in kept], kept

    @cached_property
    def checked(self) -> "Dependence":
        """These equations; an error if the model declares other dependent entries than they
        determine.
        """
        tree = self._scalars.symbolic
        if not tree.constraints:
            return self
        state, problems = assembled_state(self._scalars), list[tuple[str, str, str]]()
        for group, symbols in (("q", tree.coordinates), ("u", tree.speeds)):
            problems += self._lacks(tree, group, state, symbols)
        if problems:
            what, given, fixes = zip(*problems, strict=True)
            fix = "; ".join(fixes) if tree.system else f"KanesMethod(..., {', '.join(fixes)})"
            raise ValueError(
                f"`{tree.argument}` must name {' and '.join(what)}, which the constraints "
                f"determine, got {' and '.join(given)}. Use {fix}."
            )
        return self

    def _lacks(
        self, tree: Tree, group: str, state: GenericState, symbols: Sequence[Expr]
    ) -> Iterator[tuple[str, str, str]]:
        """Yield the missing and the stated dependent symbols of a group, and the fix, as texts.

        Nothing is yielded if the group's equations determine exactly its dependent symbols.
        """
        slopes = self._slopes[group]
        places = [k for k, is_dependent in enumerate(self.dependent[group]) if is_dependent]
        needed = state.rank(slopes)
        if needed == state.rank([[row[k] for k in places] for row in slopes]) == len(places):
            return
        names = enumerate_some(symbols[k] for k in places) or "none"
        last = _determined(state, slopes)
        one, other = (
            ", ".join(symbol_name(x) for k, x in enumerate(symbols) if (k in last) is is_dependent)
            for is_dependent in (False, True)
        )
        fix = f"system.{group}_ind, system.{group}_dep = [{one}], [{other}]"
        if tree.system is None:
            more = ", configuration_constraints=[...]" if group == "q" else ""
            fix = f"{group}_ind=[...], {group}_dependent=[...]{more}"
        noun = {"q": "coordinate", "u": "speed"}[group] + "s" * (needed != 1)
        yield f"{needed} dependent {noun}", names, fix


def _determined(state: GenericState, slopes: list[list[Scalar]]) -> set[int]:
    """Return the last columns whose unknowns the equations determine."""
    found: list[int] = []
    for k in reversed(range(len(slopes[0]) if slopes else 0)):
        if state.rank([[row[j] for j in (*found, k)] for row in slopes]) > len(found):
            found.append(k)
    return {*found}


def _dependent(tree: Tree, symbols: Sequence[Expr], independent: Sequence[Expr]) -> np.ndarray:
    """Return a boolean mask of the symbols that are dependent."""
    is_bound = bool(tree.constraints)
    return np.array([is_bound and symbol not in independent for symbol in symbols], bool)


def matrix_output(name: str, rows: Sequence[Sequence[Scalar]], width: int) -> Output:
    """Return a matrix of scalars with ``width`` columns as an output."""
    entries = [entry for row in rows for entry in row]
    return Output.from_scalars(name, (len(rows), width), entries)
