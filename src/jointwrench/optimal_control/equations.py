"""The equations of motion in implicit form, ``0 = f(x', x, r, p)``, and the objective."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sympy import Add, Expr, Function, Integral, S, Symbol, expand_mul

from ..extend import Derivation, Graph, Scalar, check_real


class Equations:
    """The equations of a model: kinematic ones, Fr + Fr* = 0, and its constraints.

    Equations that hold for every motion are omitted.  Constraints are equations between positions
    if there are any, else between velocities.

    Attributes
    ==========

    states : tuple of Expr
        The coordinates and the speeds.
    multipliers : tuple of Expr
        The multipliers of loop joints or of the model's own constraints, functions of time.
    symbols : list of Expr
        The inputs of the equations, with the multipliers.
    count : int
        The number of equations.
    argument, time : str and Symbol
        The name of the model's argument in messages, and its time.
    """

    # ``_multiplier_forces`` are the generalized forces of a unit of each multiplier; ``_forces``
    # exclude them.

    def __init__(self, derivation: Derivation) -> None:
        self._graph, tree = derivation.graph, derivation.tree
        unknowns = enumerate(derivation.supply.unknowns)
        columns = {k: x.column for k, x in unknowns if x.is_effective}
        demanded = list(derivation.demanded.values())
        kept = [
            row
            for row, force in enumerate(demanded)
            if not (force.is_zero and all(column[row].is_zero for column in columns.values()))
        ]
        self._coordinates, self.argument, self.time = tree.coordinates, tree.argument, tree.time
        self._rates = [self._graph.scalar(rate) for rate in tree.rates]
        self._forces = [-demanded[row] for row in kept]
        self._multiplier_forces = {
            Function(f"lambda_{k}")(tree.time): [column[row] for row in kept]
            for k, column in columns.items()
        }
        self._constraints = [x for x in _constraints(derivation) if not x.is_zero]
        equations = [*self._rates, *self._forces, *self._constraints]
        refs = (abs(x.ref) for x in chain(equations, *self._multiplier_forces.values()))
        self.states, self.count = (*tree.coordinates, *tree.speeds), len(equations)
        self.multipliers = tuple(self._multiplier_forces)
        self.symbols = [*self._graph.inputs_of(refs), *self.multipliers]

    def substitute_into(self, graph: Graph) -> list[Scalar]:
        """Return the equations in another graph, with the values that it binds to the inputs."""

        def substituted(scalars: Iterable[Scalar]) -> list[Scalar]:
            refs = self._graph.substitute([scalar.ref for scalar in scalars], graph)
            return [Scalar(graph, ref) for ref in refs]

        own = [graph.scalar(q.diff(self.time)) for q in self._coordinates]
        kinematics = [x - rate for x, rate in zip(own, substituted(self._rates), strict=True)]
        total = substituted(self._forces)
        for multiplier, column in self._multiplier_forces.items():
            value, units = graph.scalar(multiplier), substituted(column)
            total = [force + unit * value for force, unit in zip(total, units, strict=True)]
        return [*kinematics, *total, *substituted(self._constraints)]


def _constraints(derivation: Derivation) -> Iterator[Scalar]:
    """Yield a constraint residual for each multiplier, and for each speed that moves no body."""
    if not derivation.tree.constraints:
        return
    unknowns = derivation.supply.unknowns
    rows = list(zip(*derivation.constraint_errors[:2], strict=True))
    pushed = [row for row, x in zip(rows, unknowns, strict=False) if x.is_effective]
    rest = rows[len(unknowns) :]  # the model's own positions, of contacts too; idle speeds
    own = [position for position, _ in rest if not position.is_zero]
    rolling = [velocity for position, velocity in pushed if position.is_zero]
    yield from (position for position, _ in pushed if not position.is_zero)
    yield from own if len(own) == len(rolling) else rolling  # positions would not drift
    yield from (velocity for position, velocity in rest if position.is_zero)


@dataclass(frozen=True)
class Objective:
    """An objective: the integral of ``integrand`` over time, plus ``rest`` without time.

    The rest depends on constants and on states at instants.
    """

    integrand: Expr
    rest: Expr

    @classmethod
    def split(cls, expression: Any, time: Symbol) -> "Objective":
        """Return the Objective of an expression that may contain ``Integral(f, t)``."""
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
