"""The equations of motion in implicit form, ``0 = f(x', x, r, p)``, and the objective."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from sympy import Add, Derivative, Expr, Function, Integral, S, Symbol, expand_mul

from ..extend import Derivation, Graph, Scalar, check_real, leaves


@dataclass(frozen=True, eq=False)
class EquationsOfMotion:
    """Equations of a motion: ``rates`` of coordinates, ``forces`` Fr + Fr*, and ``constraints``."""

    # Multipliers, of closing joints or of the model's own constraints, are inputs, functions of
    # time. ``supplied`` are the forces of a unit of each; ``forces`` exclude them. Constraints
    # are equations between positions, if there are any, else between velocities; those that hold
    # for every motion are omitted.

    derivation: Derivation
    rates: list[Scalar]
    forces: list[Scalar]
    supplied: dict[Expr, list[Scalar]]
    constraints: list[Scalar]

    @classmethod
    def of(cls, derivation: Derivation) -> "EquationsOfMotion":
        """Return the equations of a model."""
        tree, unknowns = derivation.tree, derivation.supply.unknowns
        columns = {k: x.column for k, x in enumerate(unknowns) if x.is_effective}
        forces = list(derivation.demanded.values())
        kept = [
            row
            for row, force in enumerate(forces)
            if not (force.is_zero and all(column[row].is_zero for column in columns.values()))
        ]
        return cls(
            derivation,
            [derivation.graph.scalar(rate) for rate in tree.rates],
            [-forces[row] for row in kept],
            {
                Function(f"lambda_{k}")(tree.time): [column[row] for row in kept]
                for k, column in columns.items()
            },
            [error for error in _constraints(derivation) if not error.is_zero],
        )

    @property
    def argument(self) -> str:
        """The name of the user's argument."""
        return self.derivation.tree.argument

    @property
    def time(self) -> Symbol:
        """The time."""
        return self.derivation.tree.time

    @property
    def states(self) -> tuple[Expr, ...]:
        """The coordinates q, then the speeds u."""
        return (*self.derivation.tree.coordinates, *self.derivation.tree.speeds)

    @property
    def count(self) -> int:
        """The number of equations."""
        return len(self.rates) + len(self.forces) + len(self.constraints)

    @property
    def symbols(self) -> list[Expr]:
        """The inputs on which the equations depend."""
        graph, columns = self.derivation.graph, self.supplied.values()
        scalars = [*self.rates, *self.forces, *self.constraints, *(x for c in columns for x in c)]
        return [*graph.inputs_of(abs(x.ref) for x in scalars), *self.supplied]

    def entered(self, graph: Graph) -> list[Scalar]:
        """Return all equations in another graph, with the inputs' values there."""
        tree = self.derivation.tree
        own = [graph.scalar(q.diff(tree.time)) for q in tree.coordinates]
        rates = self._moved(self.rates, graph)
        forces = self._moved(self.forces, graph)
        for multiplier, column in self.supplied.items():
            value, units = graph.scalar(multiplier), self._moved(column, graph)
            forces = [force + unit * value for force, unit in zip(forces, units, strict=True)]
        kinematics = [x - rate for x, rate in zip(own, rates, strict=True)]
        return [*kinematics, *forces, *self._moved(self.constraints, graph)]

    def _moved(self, scalars: Sequence[Scalar], graph: Graph) -> list[Scalar]:
        refs = self.derivation.graph.substitute([scalar.ref for scalar in scalars], graph)
        return [Scalar(graph, ref) for ref in refs]


@dataclass(frozen=True, eq=False)
class SymbolicEquations:
    """Given equations: expressions that must be zero."""

    expressions: list[Expr]
    states: tuple[Expr, ...]
    time: Symbol
    argument: ClassVar[str] = "equations"
    supplied: ClassVar[dict[Expr, list[Scalar]]] = {}

    @property
    def count(self) -> int:
        """The number of equations."""
        return len(self.expressions)

    @property
    def symbols(self) -> list[Expr]:
        """The inputs on which the equations depend, in a reproducible order."""
        found = leaves(self.expressions)
        rates = {x for x in found if isinstance(x, Derivative) and x.expr in self.states}
        return sorted(found - rates, key=str)

    def entered(self, graph: Graph) -> list[Scalar]:
        """Return all equations in a graph, with the inputs' values there."""
        return [graph.scalar(expression) for expression in self.expressions]


#: Common attributes: argument, time, states, count, symbols, supplied, entered.
Equations: TypeAlias = EquationsOfMotion | SymbolicEquations


def _constraints(derivation: Derivation) -> Iterator[Scalar]:
    """Yield an error for each multiplier, and for each speed that moves no body."""
    if not derivation.tree.constraints:
        return
    positions, velocities, _ = derivation.constraint_errors
    unknowns = derivation.supply.unknowns
    for k, (position, velocity) in enumerate(zip(positions, velocities, strict=True)):
        if k >= len(unknowns):  # positions of contacts, which follow from velocities; idle speeds
            if position.is_zero:
                yield velocity
        elif unknowns[k].is_effective:
            yield velocity if position.is_zero else position


@dataclass(frozen=True)
class Objective:
    """The integral of an expression over time, plus another one of constants and instants."""

    integrand: Expr
    rest: Expr

    @classmethod
    def of(cls, expression: Any, time: Symbol) -> "Objective":
        """Return the parts of an expression with ``Integral(f, t)`` in it."""
        integrand, rest = S.Zero, S.Zero
        for term in Add.make_args(expand_mul(check_real("obj", expression), deep=False)):
            integrals = term.atoms(Integral)
            if not integrals:
                rest += term
                continue
            integral = integrals.pop()
            factor = (term / integral).cancel() if integrals else term / integral
            if integrals or factor.has(Integral, time) or integral.limits != ((time,),):
                raise ValueError(
                    f"`obj` must be a sum of Integral(f, {time}), times constants, and of terms at "
                    f"instants, got {term}. Use functions obj and obj_grad."
                )
            integrand += factor * integral.function
        return cls(integrand, rest)
