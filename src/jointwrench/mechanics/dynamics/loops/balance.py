"""Accelerations and multipliers of constrained mechanisms, by one factorization of the mass matrix.

The equations ``M a = f + J^T lambda`` and ``J a = g`` are solved for any forces f and any g, with
the mass matrix M and the constraint Jacobian J.

Elimination of the accelerations leaves ``(J M^-1 J^T) lambda = g - J M^-1 f``.  The condition
number of this matrix grows with the square of the condition number of J, so the matrix is not
computed.
Instead the rows of J are made conjugate one after the other, like the orthogonal vectors of Gram
and Schmidt.  One step of iterative refinement of ``J a = g`` follows.  Then the error grows only
with the condition number of J, and not with the ratio of the masses.  All results are NaN where J
is numerically singular.

If M is singular, or may become singular, the regular matrix ``K = M + J^T W J`` replaces M, and
both equations are refined.  The weights W are the mass and the inertia of the model.  Redundant
constraint equations are replaced by orthonormal rows with an equal span, which are selected at run
time.

References
==========

.. [1] M. Benzi, G. H. Golub, J. Liesen, Numerical solution of saddle point problems, Acta
   Numerica 14 (2005) 1-137, sections 3.5 and 5.
"""

from collections.abc import Collection, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...arithmetic.factorization import (
    Factorization,
    Matrix,
    dot,
    nan_if_rounding,
    orthonormal_rows,
)
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Graph, Scalar, total
from ...arithmetic.linear import solve
from ...mechanism.tree import TopologyError, Tree

if TYPE_CHECKING:
    from ..recursion.articulated import ArticulatedTree

Row = Sequence[Scalar]
#: A mass matrix with its factors ``M = L^T D L``.
Masses: TypeAlias = "MassMatrix | ArticulatedTree"
#: Accelerations and multipliers, or the residuals of their two equations.
Both = tuple[list[Scalar], list[Scalar]]


class Measures(NamedTuple):
    """Units that make the coefficients of translations and rotations comparable.

    A rotation counts as the translation at the end of the model's own length.

    Attributes
    ==========

    rows : list of Scalar
        The factor of each constraint equation that converts it to a translation.
    columns : list of Scalar
        The unit of each speed: the model's own length if the speed rotates a body, else one.
    mass : Scalar
        The mass of the whole model.
    largest : sequence of Scalar
        Upper bounds of the squared norms of converted rows; empty if the norms are used instead.
    """

    rows: list[Scalar]
    columns: list[Scalar]
    mass: Scalar
    largest: Row = ()

    def alike(self, rows: Matrix) -> list[list[Scalar]]:
        """Return the coefficients of constraint equations after conversion to translations."""
        shares = [column.reciprocal() for column in self.columns]
        return [
            [x * (r * share) for x, share in zip(row, shares, strict=True)]
            for r, row in zip(self.rows, rows, strict=True)
        ]

    def square(self, row: Row) -> Scalar:
        """Return the squared norm of a row in units of the first column."""
        # Columns in the first column's unit need no conversion, which saves operations.
        first = self.columns[0]
        pairs = zip(row, self.columns, strict=True)
        alike = [x if unit.ref == first.ref else x * (first / unit) for x, unit in pairs]
        return dot(alike, alike)

    def largest_squares(self, rows: Matrix) -> list[Scalar]:
        """Return upper bounds of the squared norms of rows, in units of the first column."""
        if not self.largest:
            return [self.square(row) for row in rows]
        shares = [self.columns[0] / unit for unit in self.rows]
        return [x * share * share for x, share in zip(self.largest, shares, strict=True)]


class MassMatrix:
    """A mass matrix that is stored by its entries, and factored when it is first used.

    The matrix is not symmetric if loads depend on accelerations.
    """

    def __init__(
        self,
        graph: Graph,
        matrix: Matrix,
        order: Sequence[int],
        state: GenericState,
        is_symmetric: bool | None = None,
        doubtful: Collection[int] = (),
    ) -> None:
        self.matrix, self._graph, self._state, self._order = matrix, graph, state, order
        self._doubtful = doubtful
        self.is_symmetric = _is_symmetric(matrix, state) if is_symmetric is None else is_symmetric

    @cached_property
    def _factors(self) -> Factorization:
        return Factorization(self.matrix, self._order, self._doubtful)

    def solve(self, right: Row) -> list[Scalar]:
        """Return the solution a of ``M a = f`` for a right side f."""
        if self.is_symmetric:
            return self._factors.solve(right)
        return solve(self._graph, self.matrix, right, self._state).values

    def eliminate(self, right: Row) -> list[Scalar]:
        """Return ``L^-T f`` for a right side f; M must be symmetric."""
        return self._factors.eliminate(right)

    def divide_by_pivots(self, reduced: Row) -> list[Scalar]:
        """Return ``D^-1 x`` for a right side x after `eliminate`."""
        return self._factors.divide_by_pivots(reduced)

    def substitute_back(self, scaled: Row) -> list[Scalar]:
        """Return ``L^-1 x`` for a right side x after `divide_by_pivots`."""
        return self._factors.substitute_back(scaled)

    def times(self, accelerations: Row) -> list[Scalar]:
        """Return the product ``M a`` with accelerations a."""
        return [dot(row, accelerations) for row in self.matrix]

    def weighted(self, rows: Matrix, weights: Row) -> "MassMatrix":
        """Return the mass matrix ``M + J^T W J`` for rows J and a diagonal matrix of weights W."""
        full = [list(row) for row in self.matrix]
        for weight, row in zip(weights, rows, strict=True):
            used = [k for k, x in enumerate(row) if not x.is_zero]
            for place, i in enumerate(used):
                share = weight * row[i]
                for k in used[place:]:
                    full[i][k] = full[k][i] = full[i][k] + share * row[k]
        order = least_fill(full)
        return MassMatrix(self._graph, full, order, self._state, self.is_symmetric, self._doubtful)


class Balance:
    """The factored equations ``M a = f + J^T lambda``, ``J a = g`` of a mechanism.

    M must be positive semidefinite, and only a `MassMatrix` may be singular.  ``rows`` is J.  Ranks
    are decided at ``state``, which must be an assembled state.
    """

    def __init__(
        self,
        graph: Graph,
        masses: Masses,
        rows: Matrix,
        state: GenericState,
        measures: Measures,
        may_be_singular: bool = False,
    ) -> None:
        self._graph, self._masses, self._given, self._state = graph, masses, rows, state
        self._measures = measures
        self.is_symmetric = not isinstance(masses, MassMatrix) or masses.is_symmetric
        self._rank = state.rank(rows) if rows else 0
        self._rows: Matrix = rows
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
        self._elimination: _Conjugate | _Eliminated
        if self.is_symmetric:
            compared = None if self.is_redundant else measures
            self._elimination = _Conjugate(masses, self._rows, compared)
        else:
            self._elimination = _Eliminated(graph, masses, self._rows, state)

    @property
    def is_redundant(self) -> bool:
        """Whether constraint equations are dependent; multipliers then have the least norm."""
        return self._rank < len(self._given)

    def _unit_rows(self) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
        """Return orthonormal rows that span the converted constraints, and their coefficients.

        The coefficients express each orthonormal row as a combination of the converted rows.
        """
        # An identity matrix is appended to the rows, which records the combinations.
        graph, count = self._graph, len(self._given)
        joined = [
            [*row, *(graph.scalar(int(i == k)) for k in range(count))]
            for i, row in enumerate(self._alike)
        ]
        width = len(self._measures.columns)
        largest = total(self._measures.largest or [dot(row, row) for row in self._alike])
        found = orthonormal_rows(joined, width, self._rank, largest)
        return [row[:width] for row in found], [row[width:] for row in found]

    def _weights_of_rows(self) -> list[Scalar]:
        """Return the weights W: the mass for rows of translations, an inertia for rotations."""
        mass = self._measures.mass
        if self.is_redundant:
            return [mass] * len(self._rows)
        return [mass * unit * unit for unit in self._measures.rows]

    def solve(self, forces: Row, changes: Row = ()) -> Both:
        """Return the accelerations a and the multipliers lambda for ``forces`` f and ``changes`` g.

        The first solution is refined once: its residuals are solved for corrections.
        """
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

    def _left(self, forces: Row, changes: Row, accelerations: Row, multipliers: Row) -> Both:
        """Return the residuals of ``M a = f + J^T lambda`` and of ``J a = g``.

        The first residual counts as zero if a symmetric M was factored itself, without weights.
        """
        rests = [self._graph.scalar(0)] * len(forces)
        if self._weights or not self.is_symmetric:
            taken = self._masses.times(accelerations)
            triples = zip(forces, zip(*self._rows, strict=True), taken, strict=True)
            rests = [force + dot(column, multipliers) - own for force, column, own in triples]
        errors = [g - dot(row, accelerations) for row, g in zip(self._rows, changes, strict=True)]
        return rests, errors

    def _once(self, forces: Row, changes: Row) -> Both:
        """Return accelerations and multipliers without refinement."""
        # K a = f + J^T lambda + J^T W g, since J^T W J a = J^T W g is added to the equations of M.
        for weight, row, change in zip(self._weights, self._rows, changes, strict=False):
            forces = [f + x * (weight * change) for f, x in zip(forces, row, strict=True)]
        return self._elimination.solve(forces, changes)

    def _shortest(self, multipliers: Row) -> list[Scalar]:
        """Return the least-norm multipliers of all rows from the multipliers of the unit rows."""
        shares = [[dot(row, unit) for row in self._alike] for unit in self._units]
        found = solve(self._graph, shares, multipliers, self._state).values
        return [x * row for x, row in zip(found, self._measures.rows, strict=True)]


class _Conjugate:
    """Combinations of the rows of J for which ``J M^-1 J^T`` is diagonal."""

    # With M = L^T D L, the rows y_i of J L^-1 are made orthogonal with respect to D^-1: from row i
    # the multiples share_ik y_k of all earlier rows k are subtracted. A row that is only roundoff
    # shows that J is singular. It is compared with the upper bound of the row of J in `Measures`,
    # because rows of J L^-1 have about the size of rows of J for any masses.

    def __init__(self, masses: Masses, rows: Matrix, measures: Measures | None) -> None:
        self._masses = masses
        reduced = [masses.eliminate(row) for row in rows]
        largest = measures.largest_squares(rows) if measures else []
        #: Rows with the fewest entries come first, because they add the fewest to later rows.
        self._order = sorted(range(len(rows)), key=lambda k: sum(not x.is_zero for x in reduced[k]))
        self._directions = dict[int, _Direction]()
        for place, k in enumerate(self._order):
            scaled = masses.divide_by_pivots(reduced[k])
            inverse, shares = dot(reduced[k], scaled).reciprocal(), dict[int, Scalar]()
            if measures:
                inverse = nan_if_rounding(inverse, measures.square(reduced[k]), largest[k])
            for i in self._order[place + 1 :]:
                coupling = dot(reduced[i], scaled)
                if not coupling.is_zero:
                    share = shares[i] = coupling * inverse
                    reduced[i] = _minus(reduced[i], reduced[k], share)
            self._directions[k] = _Direction(reduced[k], scaled, inverse, shares)

    def solve(self, forces: Row, changes: Row) -> Both:
        """Return the accelerations and multipliers for forces f and changes g."""
        # ``free`` is L a: first without constraints, then with the constraint forces. Multipliers
        # of the conjugate rows follow in one pass, multipliers of the rows of J in a pass back.
        free = self._masses.divide_by_pivots(self._masses.eliminate(forces))
        left, multipliers = list(changes), dict[int, Scalar]()
        for k, (row, _, inverse, shares) in self._directions.items():
            for i, share in shares.items():
                left[i] = left[i] - share * left[k]
            multipliers[k] = (left[k] - dot(row, free)) * inverse
        scaled = [own.scaled for own in self._directions.values()]
        parts = list(zip(scaled, multipliers.values(), strict=True))
        free = [total([x, *(y[i] * own for y, own in parts)]) for i, x in enumerate(free)]
        for k in reversed(self._order):
            for i, share in self._directions[k].shares.items():
                multipliers[k] = multipliers[k] - share * multipliers[i]
        return self._masses.substitute_back(free), [multipliers[k] for k in range(len(changes))]


class _Direction(NamedTuple):
    """A conjugate row y of the constraint Jacobian, with the products in which it occurs.

    Attributes
    ==========

    row : list of Scalar
        The row y.
    scaled : list of Scalar
        ``D^-1 y``.
    inverse : Scalar
        ``1 / (y D^-1 y)``.
    shares : dict of int to Scalar
        The factors with which y is subtracted from later rows, by their indices.
    """

    row: list[Scalar]
    scaled: list[Scalar]
    inverse: Scalar
    shares: dict[int, Scalar]


def _minus(row: Row, other: Row, share: Scalar) -> list[Scalar]:
    """Return a row minus ``share`` times the row ``other``."""
    return [x - share * y for x, y in zip(row, other, strict=True)]


class _Eliminated:
    """The matrix ``J M^-1 J^T`` of the multipliers, for a mass matrix that is not symmetric."""

    # Conjugate rows need a symmetric M, so the matrix is computed here.

    def __init__(self, graph: Graph, masses: Masses, rows: Matrix, state: GenericState) -> None:
        self._masses, self._rows = masses, rows
        self._responses = [masses.solve(row) for row in rows]
        self._system = [[dot(row, response) for response in self._responses] for row in rows]
        self._solve = partial(solve, graph, self._system, state=state)

    def solve(self, forces: Row, changes: Row) -> Both:
        """Return the accelerations and multipliers for forces f and changes g."""
        free = self._masses.solve(forces)
        known = [g - dot(row, free) for row, g in zip(self._rows, changes, strict=True)]
        multipliers = self._solve(known).values
        pairs = list(zip(self._responses, multipliers, strict=True))
        return [total([a, *(x[k] * y for x, y in pairs)]) for k, a in enumerate(free)], multipliers


def _is_symmetric(matrix: Matrix, state: GenericState) -> bool:
    """Whether a matrix of scalars is symmetric at the state."""
    pairs = ((row[k], matrix[k][i]) for i, row in enumerate(matrix) for k in range(i))
    return all(x.ref == y.ref or state.is_zero(x - y) for x, y in pairs)


def least_fill(matrix: Matrix) -> list[int]:
    """Return the elimination order of a symmetric matrix that creates few new entries.

    The next variable is always the variable that is coupled with the fewest remaining variables.
    """
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
    """Return the indices of the speeds from the outermost link to ground, or raise an error.

    This order creates no new entries in the mass matrix of a tree.  The error is a TopologyError
    for a speed that moves no body in a model without constraints.
    """
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
