"""``M a = f + J^T lambda`` with ``J a = g``: factored once, solved for any f and g.

The multipliers lambda are eliminated first, ``(J M^-1 J^T) lambda = g - J M^-1 f``, and one step of
iterative refinement follows, so that the error grows with the condition number of J and not with
its square.  If M is singular, or may become so, the regular ``K = M + J^T W J`` replaces it; the
weights W are the mass and the inertia of the model.  Redundant equations are replaced by
orthonormal rows of the same span, chosen while numbers are computed.

References
==========

.. [1] M. Benzi, G. H. Golub, J. Liesen, Numerical solution of saddle point problems, Acta
   Numerica 14 (2005) 1-137, sections 3.5 and 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from ...arithmetic.decisions import GenericState
from ...arithmetic.factorization import Factorization, chosen_rows, dot
from ...arithmetic.graph import Graph, Scalar, total
from ...arithmetic.linear import solve
from ...mechanism.tree import TopologyError, Tree

#: Rows of a matrix.
Matrix = Sequence[Sequence[Scalar]]


@dataclass(frozen=True)
class Measures:
    """Factors for rows and columns that convert all to translations, rotations by a length."""

    rows: list[Scalar]
    columns: list[Scalar]
    mass: Scalar

    def alike(self, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        """Return the coefficients of constraints after conversion to translations."""
        shares = [column.reciprocal() for column in self.columns]
        return [
            [x * (r * share) for x, share in zip(row, shares, strict=True)]
            for r, row in zip(self.rows, rows, strict=True)
        ]


class Masses(Protocol):
    """A mass matrix M that is factored."""

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return the solution a of ``M a = f`` for a right side f."""

    def times(self, accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Return ``M a``."""


class MassMatrix:
    """A mass matrix by its entries, eliminated in an order."""

    # It is not symmetric where loads depend on accelerations.

    def __init__(
        self,
        graph: Graph,
        matrix: Matrix,
        order: Sequence[int],
        state: GenericState,
        is_symmetric: bool | None = None,
    ) -> None:
        self.matrix, self._graph, self._state, self._order = matrix, graph, state, order
        self.is_symmetric = _is_symmetric(matrix, state) if is_symmetric is None else is_symmetric

    @cached_property
    def _factors(self) -> "Factorization | _Unsymmetric":
        return _factored(self._graph, self.matrix, self._order, self._state, self.is_symmetric)

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return the solution a of ``M a = f`` for a right side f."""
        return self._factors.solve(right)

    def times(self, accelerations: Sequence[Scalar]) -> list[Scalar]:
        """Return ``M a``."""
        return [dot(row, accelerations) for row in self.matrix]

    def weighted(self, rows: Matrix, weights: Sequence[Scalar]) -> "MassMatrix":
        """Return ``M + J^T W J``."""
        full = [list(row) for row in self.matrix]
        for weight, row in zip(weights, rows, strict=True):
            used = [k for k, x in enumerate(row) if not x.is_zero]
            for place, i in enumerate(used):
                share = weight * row[i]
                for k in used[place:]:
                    full[i][k] = full[k][i] = full[i][k] + share * row[k]
        return MassMatrix(self._graph, full, least_fill(full), self._state, self.is_symmetric)


def _factored(
    graph: Graph, matrix: Matrix, order: Sequence[int], state: GenericState, is_symmetric: bool
) -> "Factorization | _Unsymmetric":
    return Factorization(matrix, order) if is_symmetric else _Unsymmetric(graph, matrix, state)


class Balance:
    """Accelerations and multipliers of constraints ``J a`` from forces, with the mass matrix M."""

    # M is positive semidefinite; only a `MassMatrix` may be singular. Ranks are decided at the
    # state, an assembled one.

    def __init__(
        self,
        graph: Graph,
        masses: Masses,
        rows: Sequence[Sequence[Scalar]],
        state: GenericState,
        measures: Measures,
        may_be_singular: bool = False,
    ) -> None:
        self._graph, self._masses, self._given, self._state = graph, masses, rows, state
        self._measures = measures
        self.is_symmetric = not isinstance(masses, MassMatrix) or masses.is_symmetric
        self._rank = state.rank(rows) if rows else 0
        self._rows: Sequence[Sequence[Scalar]] = rows
        if self.is_redundant:
            self._alike = measures.alike(rows)
            self._units, self._shares = self._unit_rows()
            columns = measures.columns
            self._rows = [
                [x * column for x, column in zip(unit, columns, strict=True)]
                for unit in self._units
            ]
        self._weights = self._weights_of_rows() if rows and may_be_singular else []
        if self._weights:
            assert isinstance(masses, MassMatrix)
            masses = masses.weighted(self._rows, self._weights)
        self._factors = masses
        self._responses = [masses.solve(row) for row in self._rows]
        system = [[dot(row, response) for response in self._responses] for row in self._rows]
        order = range(len(system))
        self._eliminated = _factored(graph, system, order, state, self.is_symmetric)

    @property
    def is_redundant(self) -> bool:
        """Whether some constraints follow from others: multipliers are those of least norm."""
        return self._rank < len(self._given)

    def _unit_rows(self) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
        """Return orthonormal rows that span the converted constraints, and their coefficients."""
        graph, count = self._graph, len(self._given)
        joined = [
            [*row, *(graph.scalar(int(i == k)) for k in range(count))]
            for i, row in enumerate(self._alike)
        ]
        width = len(self._measures.columns)
        found = chosen_rows(joined, width, self._rank)
        return [row[:width] for row in found], [row[width:] for row in found]

    def _weights_of_rows(self) -> list[Scalar]:
        """Return a mass for rows of translations, and its inertia at a length for rotations."""
        mass = self._measures.mass
        if self.is_redundant:
            return [mass] * len(self._rows)
        return [mass * unit * unit for unit in self._measures.rows]

    def solve(
        self, forces: Sequence[Scalar], changes: Sequence[Scalar] = ()
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return the accelerations a and the multipliers for forces f and changes g."""
        if not self._given:
            return self._factors.solve(forces), []
        if self.is_redundant:
            alike = [g * row for g, row in zip(changes, self._measures.rows, strict=True)]
            changes = [dot(share, alike) for share in self._shares]
        found = self._once(forces, changes)
        more = self._once(*self._left(forces, changes, *found))
        accelerations, multipliers = (
            [x + y for x, y in zip(*pair, strict=True)] for pair in zip(found, more, strict=True)
        )
        return accelerations, self._shortest(multipliers) if self.is_redundant else multipliers

    def _left(
        self,
        forces: Sequence[Scalar],
        changes: Sequence[Scalar],
        accelerations: Sequence[Scalar],
        multipliers: Sequence[Scalar],
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return the residuals of both equations."""
        columns = zip(*self._rows, strict=True)
        rests = [
            force + dot(column, multipliers) - taken
            for force, column, taken in zip(
                forces, columns, self._masses.times(accelerations), strict=True
            )
        ]
        errors = [g - dot(row, accelerations) for row, g in zip(self._rows, changes, strict=True)]
        return rests, errors

    def _once(
        self, forces: Sequence[Scalar], changes: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Return both, as far as rounding allows."""
        for weight, row, change in zip(self._weights, self._rows, changes, strict=False):
            forces = [f + x * (weight * change) for f, x in zip(forces, row, strict=True)]
        free = self._factors.solve(forces)
        known = [g - dot(row, free) for row, g in zip(self._rows, changes, strict=True)]
        multipliers = self._eliminated.solve(known)
        pairs = list(zip(self._responses, multipliers, strict=True))
        accelerations = [total([a, *(x[k] * y for x, y in pairs)]) for k, a in enumerate(free)]
        return accelerations, multipliers

    def _shortest(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """Return the least-norm multipliers equivalent to those of the unit rows."""
        shares = [[dot(row, unit) for row in self._alike] for unit in self._units]
        found = solve(self._graph, shares, multipliers, self._state).values
        return [x * row for x, row in zip(found, self._measures.rows, strict=True)]


class _Unsymmetric:
    """Solves a system whose matrix is not symmetric: loads depend on accelerations of others."""

    def __init__(self, graph: Graph, matrix: Matrix, state: GenericState) -> None:
        self._graph, self._matrix, self._state = graph, matrix, state

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """Return the solution for a right side."""
        return solve(self._graph, self._matrix, right, self._state).values


def _is_symmetric(matrix: Matrix, state: GenericState) -> bool:
    pairs = ((row[k], matrix[k][i]) for i, row in enumerate(matrix) for k in range(i))
    return all(x.ref == y.ref or state.is_zero(x - y) for x, y in pairs)


def least_fill(matrix: Sequence[Sequence[Scalar]]) -> list[int]:
    """Return the order of least fill: next is the one coupled with the fewest others."""
    near = [{k for k, x in enumerate(row) if not x.is_zero} for row in matrix]
    left, order = set(range(len(matrix))), list[int]()
    while left:
        k = min(left, key=lambda i: (len(near[i] & left), i))
        left.remove(k)
        order.append(k)
        for i in near[k] & left:
            near[i] |= near[k]
    return order


def tips_first(model: Tree) -> list[int]:
    """Return the indices of the speeds, those of the outermost links first."""
    outermost = {u: i for i, link in enumerate(model.links) for u in link.motion.speeds}
    idle = model.idle_speeds
    if idle and not model.constraints:
        raise TopologyError(
            model.argument,
            [
                f"the speed {speed} moves no body, so that its derivative is not determined."
                for speed in idle
            ],
        )
    places = [outermost.get(speed, len(model.links)) for speed in model.speeds]
    return sorted(range(len(places)), key=places.__getitem__)[::-1]
