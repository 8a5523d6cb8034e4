"""The equations of motion in first order and implicit form, ``0 = f(x', x, r, p)``."""

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, Function

from ..arithmetic.graph import Graph, Input, Scalar
from ..dynamics.closing_forces import constraint_errors
from ..dynamics.derivation import Derivation
from ..dynamics.unknowns import Unknown


@dataclass(frozen=True, eq=False)
class EquationsOfMotion:
    """What a motion must obey, beside the kinematical differential equations.

    The multipliers of constraints are inputs like any other; each constraint is an
    equation between positions where there is one, and between velocities elsewhere.

    Attributes
    ==========

    derivation : Derivation
        The inverse dynamics of the model without motors.
    multipliers : tuple of Expr
        Functions of time: the forces and moments of closing joints, or the multipliers of
        the model's own constraints.
    values : list of Scalar
        ``Fr + Fr* + J^T multipliers`` of each speed, then the errors of the constraints;
        equations that hold for every motion are left out.
    """

    derivation: Derivation
    multipliers: tuple[Expr, ...]
    values: list[Scalar]

    @classmethod
    def of(cls, derivation: Derivation) -> "EquationsOfMotion":
        """Return the equations of a model."""
        graph, time = derivation.graph, derivation.tree.time
        forces = [-force for force in derivation.demanded.values()]
        multipliers = []
        for k, unknown in enumerate(derivation.supply.unknowns):
            if is_effective(unknown):
                multipliers.append(Function(f"lambda_{k}")(time))
                value = graph.scalar(multipliers[-1])
                pairs = zip(forces, unknown.column, strict=True)
                forces = [force + entry * value for force, entry in pairs]
        values = [*forces, *_constraints(derivation)]
        return cls(derivation, tuple(multipliers), [x for x in values if not x.is_zero])

    @property
    def graph(self) -> Graph:
        """Holds all operations."""
        return self.derivation.graph

    @property
    def states(self) -> tuple[Expr, ...]:
        """The coordinates q, then the speeds u."""
        return (*self.derivation.tree.coordinates, *self.derivation.tree.speeds)

    @property
    def rates(self) -> list[Scalar]:
        """The time derivatives of the coordinates as the kinematical equations have them."""
        return [self.graph.scalar(rate) for rate in self.derivation.tree.rates]

    @property
    def symbols(self) -> list[Expr]:
        """The inputs on which the equations depend."""
        refs = [abs(scalar.ref) for scalar in (*self.values, *self.rates)]
        operations = (self.graph.operations[ref] for ref in self.graph.needed(refs))
        return [operation.symbol for operation in operations if isinstance(operation, Input)]


def is_effective(unknown: Unknown) -> bool:
    """Whether a constraint binds any speed, as the third one of a planar contact does not."""
    return any(not entry.is_zero for entry in unknown.column)


def _constraints(derivation: Derivation) -> Iterator[Scalar]:
    """Yield an error for each multiplier, and for each speed that moves no body."""
    if not derivation.tree.constraints:
        return
    positions, velocities, _ = constraint_errors(derivation.scalars, derivation.motions)
    unknowns = derivation.supply.unknowns
    for k, (position, velocity) in enumerate(zip(positions, velocities, strict=True)):
        if k >= len(unknowns):  # of contacts' positions, which their velocities imply; idle speeds
            if position.is_zero:
                yield velocity
        elif is_effective(unknowns[k]):
            yield velocity if position.is_zero else position
