"""Linear systems whose coefficients are scalars of a graph, solved without fixed pivots.

A pivot that is selected when the operations are generated can vanish at some states although the
system is regular there.  So no pivots are selected at that time:

1. A system is divided into parts without common unknowns, and a part into blocks that are solved
   one after the other (matching of unknowns with equations, then strongly connected components;
   equations without an unknown form the overdetermined block, which comes first) [1]_.
2. One equation for one unknown is a division.
3. Blocks are orthogonalised (modified Gram-Schmidt on the system with its right side, without
   square roots), which is stable also for nearly singular blocks [2]_.  By columns this yields the
   least-squares solution of contradictory equations, by rows the least-norm solution of
   underdetermined ones [3]_.  Regular blocks are orthogonalised by columns: a gate that is nearly
   closed makes a column small and its unknown large, and rows would spread its rounding errors over
   all unknowns.  Cramer's rule would cost a little less, but its residual grows with the condition
   number.
4. If a block is both contradictory and underdetermined, as many orthogonal rows as its rank span
all
   its rows; the longest remaining row is selected at run time.
5. Lengths of rows and columns are compared in the units that the caller specifies, so that the
   result does not depend on the units of the model.
6. Where a block is singular at run time, that is where only roundoff is left of a column relative
to
   its size, its unknowns are NaN.

References
==========

.. [1] A. Pothen, C.-J. Fan, Computing the block triangular form of a sparse
   matrix, ACM Trans. Math. Software 16 (1990) 303-324.
.. [2] A. Bjorck, Solving linear least squares problems by Gram-Schmidt
   orthogonalization, BIT 7 (1967) 1-21.
.. [3] A. Bjorck, Numerical methods for least squares problems, SIAM (1996),
   section 2.4: least norm by the same method.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import NamedTuple

import numpy as np

from .digits import Digits
from .factorization import dot, nan_if_rounding, orthogonalise, orthonormal_rows
from .generic_state import ONE, GenericState, connected_blocks
from .graph import Graph, Scalar, total

#: Largest number of equations that are solved by Cramer's rule where that is requested.
MOST_BY_DETERMINANTS = 3


class Solution(NamedTuple):
    """The solution of a linear system, of least norm if it is underdetermined.

    Attributes
    ==========

    values : list of Scalar
        The unknowns.
    residuals : list of Scalar
        The right side minus the left side of each equation, by least squares.
    open : list of dict of int to Digits
        A basis of the combinations of unknowns that the equations leave undetermined, at the
        generic state: the coefficients of unknowns by index; others are zero.
    """

    values: list[Scalar]
    residuals: list[Scalar]
    open: list[dict[int, Digits]]

    @property
    def is_open(self) -> list[bool]:
        """Whether each unknown is undetermined."""
        found = {k for own in self.open for k, x in own.items() if not x.is_zero}
        return [k in found for k in range(len(self.values))]


class _Block(NamedTuple):
    """The indices of equations (rows) and of the unknowns (columns) for which they are solved."""

    rows: list[int]
    columns: list[int]


@dataclass(frozen=True)
class _System:
    """A linear system with the units of its equations and unknowns.

    Attributes
    ==========

    graph, state : Graph, GenericState
        The graph, and the state at which ranks are determined.
    matrix, right : list
        The coefficients by rows, and the right sides.
    row_units, column_units : list of Scalar
        The units of equations and of unknowns.
    column_sizes : list of Scalar, optional
        Upper bounds of the squared columns, with equations in their units.
    by_determinants : bool
        Whether small blocks are solved by Cramer's rule.
    """

    graph: Graph
    state: GenericState
    matrix: list[list[Scalar]]
    right: list[Scalar]
    row_units: list[Scalar]
    column_units: list[Scalar]
    column_sizes: list[Scalar] | None = None
    by_determinants: bool = False

    @property
    def columns(self) -> list[list[Scalar]]:
        """The coefficients of each unknown."""
        return [*map(list, zip(*self.matrix, strict=True))]

    def part(self, block: _Block, right: Sequence[Scalar]) -> "_System":
        """Return the system of a block's equations and unknowns, with other right sides."""
        return replace(
            self,
            matrix=[[self.matrix[i][j] for j in block.columns] for i in block.rows],
            right=list(right),
            row_units=[self.row_units[i] for i in block.rows],
            column_units=[self.column_units[j] for j in block.columns],
            column_sizes=self.column_sizes and [self.column_sizes[j] for j in block.columns],
        )

    def with_equal_row_units(self) -> "_System":
        """Return the system with all equations divided by their units."""
        if _are_equal(self.row_units):
            return self
        shares = [unit.reciprocal() for unit in self.row_units]
        matrix = [[x * share for x in row] for share, row in zip(shares, self.matrix, strict=True)]
        right = [x * share for x, share in zip(self.right, shares, strict=True)]
        ones = [self.graph.scalar(1)] * len(right)
        return replace(self, matrix=matrix, right=right, row_units=ones)

    def with_equal_column_units(self) -> "_System":
        """Return the system for unknowns that are divided by their units."""
        if _are_equal(self.column_units):
            return self
        return replace(self, matrix=[self.in_own_units(row) for row in self.matrix])

    def column_bounds(self) -> list[Scalar]:
        """Return upper bounds of the squared columns; default: the squared columns themselves.

        All rows must have the same unit.
        """
        if self.column_sizes is None:
            return [dot(column, column) for column in self.columns]
        unit = self.row_units[0]
        return [size * (unit * unit) for size in self.column_sizes]

    def row_bounds(self) -> list[Scalar]:
        """Return upper bounds of the squared rows; default: the squared rows themselves.

        All columns must have the same unit.
        """
        if self.column_sizes is None:
            return [dot(row, row) for row in self.matrix]
        pairs = list(zip(self.column_sizes, self.column_units, strict=True))
        are_like = _are_equal(self.column_units)
        whole = total(size if are_like else size * (unit * unit) for size, unit in pairs)
        return [whole * (unit * unit) for unit in self.row_units]

    def in_own_units(self, values: Sequence[Scalar]) -> list[Scalar]:
        """Return values, one per unknown, times the units of the unknowns if these differ.

        So the solution of `with_equal_column_units` becomes that of this system.
        """
        if _are_equal(self.column_units):
            return list(values)
        return [x * unit for x, unit in zip(values, self.column_units, strict=True)]


def _are_equal(units: Sequence[Scalar]) -> bool:
    """Return whether all units are the same scalar."""
    return len({unit.ref for unit in units}) < 2


class Scales(NamedTuple):
    """Natural units of the equations and of the unknowns of a system.

    Attributes
    ==========

    rows, columns : list of Scalar
        The units of the equations and of the unknowns.
    sizes : list of Scalar, optional
        Upper bounds of the squared columns, with equations in their units.
    """

    rows: list[Scalar]
    columns: list[Scalar]
    sizes: list[Scalar] | None = None


def solve(
    graph: Graph,
    matrix: Sequence[Sequence[Scalar]],
    right: Sequence[Scalar],
    state: GenericState | None = None,
    scales: Scales | None = None,
    by_determinants: bool = False,
) -> Solution:
    """Return the solution of ``matrix x = right``, by least squares and least norm if necessary.

    Coefficients that are identically zero should be zeros; ranks are determined at ``state``.  With
    ``by_determinants`` small blocks are solved by Cramer's rule, which is shorter to read but
    divides by determinants that vanish at some states.
    """
    state = state or GenericState(graph)
    count, one = len(matrix[0] if matrix else scales.columns if scales else ()), graph.scalar(1)
    system = _System(
        graph,
        state,
        [list(row) for row in matrix],
        list(right),
        *(scales or Scales([one] * len(right), [one] * count)),
        by_determinants,
    )
    values, residuals = [graph.scalar(0)] * count, list(right)
    unused, found = set(range(count)), []
    filled = [{j for j, x in enumerate(row) if not x.is_zero} for row in matrix]
    for block in starmap(_Block, connected_blocks(filled)):
        solved = _solve_connected(system.part(block, [right[i] for i in block.rows]))
        unused -= set(block.columns)
        for j, value in zip(block.columns, solved.values, strict=True):
            values[j] = value
        for i, rest in zip(block.rows, solved.residuals, strict=True):
            residuals[i] = rest
        found += [{block.columns[k]: x for k, x in own.items()} for own in solved.open]
    found += [{j: ONE} for j in sorted(unused)]
    return Solution(values, residuals, found)


def generic_rank(state: GenericState, matrix: list[list[Scalar]]) -> int:
    """Return the rank of a matrix at a state, but at most the rank that its zeros allow.

    The bound matters if the rank at the state may vary or cannot be decided.
    """
    return min(state.rank(matrix), len(_match_unknowns(_find_nonzeros(matrix))))


def _find_nonzeros(matrix: list[list[Scalar]]) -> np.ndarray:
    """Return a boolean mask of the entries that are not the number zero."""
    return np.array([[not x.is_zero for x in row] for row in matrix])


def _solve_connected(system: _System) -> Solution:
    """Return the solution of a system that cannot be divided."""
    rank = generic_rank(system.state, system.matrix)
    if rank == len(system.matrix[0]):
        return _solve_determined(system)
    if rank == len(system.matrix):
        values, residuals = _solve_least_norm(system), [system.graph.scalar(0)] * rank
    else:
        values, residuals = _solve_deficient(system, rank)
    return Solution(values, residuals, [dict(enumerate(x)) for x in _null_space(system, rank)])


def _null_space(system: _System, rank: int) -> list[list[Digits]]:
    """Return combinations of columns that vanish; all columns if that cannot be decided."""
    found = system.state.null_space(system.matrix)
    count = len(system.matrix[0])
    if len(found) == count - rank:
        return found
    for_any = system.state.with_random_functions.null_space(system.matrix)
    return for_any if len(for_any) == count - rank else found


def _solve_determined(system: _System) -> Solution:
    """Return the solution of equations that determine all unknowns, solved block after block."""
    graph, matrix, right = system.graph, system.matrix, system.right
    pattern = _find_nonzeros(matrix)
    found: dict[int, Scalar] = {}
    residuals = list(right)
    for block in _blocks(pattern, _match_unknowns(pattern)):
        known = [_subtract_known(right[i], matrix[i], found) for i in block.rows]
        values = _solve_block(system.part(block, known))
        solved = dict(zip(block.columns, values, strict=True))
        is_settled = len(block.rows) == len(block.columns)
        for i, rest in zip(block.rows, known, strict=True):
            residuals[i] = (
                graph.scalar(0) if is_settled else _subtract_known(rest, matrix[i], solved)
            )
        found |= solved
    return Solution([found[j] for j in range(len(matrix[0]))], residuals, [])


def _solve_deficient(system: _System, rank: int) -> tuple[list[Scalar], list[Scalar]]:
    """Return unknowns and residuals of a system that is contradictory and underdetermined.

    The unknowns are combinations of orthonormal rows that span all rows.
    """
    like = system.with_equal_column_units().with_equal_row_units()
    largest = None if system.by_determinants else total(like.row_bounds())
    units = orthonormal_rows(like.matrix, len(like.matrix[0]), rank, largest)
    shares = [[dot(row, unit) for unit in units] for row in like.matrix]
    ones = [system.graph.scalar(1)] * rank
    sizes = None if largest is None else [largest] * rank
    own = replace(like, matrix=shares, column_units=ones, column_sizes=sizes)
    values = _solve_least_squares(own)
    found = system.in_own_units([dot(column, values) for column in zip(*units, strict=True)])
    rests = [x - dot(row, found) for row, x in zip(system.matrix, system.right, strict=True)]
    return found, rests


def _subtract_known(right: Scalar, row: Sequence[Scalar], found: dict[int, Scalar]) -> Scalar:
    """Return the right side of an equation minus the terms of the unknowns found so far."""
    for column, value in found.items():
        if not row[column].is_zero:
            right = right - row[column] * value
    return right


# -- blocks -------------------------------------------------------------------


def _match_unknowns(pattern: np.ndarray) -> dict[int, int]:
    """Return a matching of unknowns with equations, as large as possible."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not pattern.size:
        return {}
    rows = maximum_bipartite_matching(csr_array(pattern.astype(float)), perm_type="row")
    return {column: int(row) for column, row in enumerate(rows) if row >= 0}


def _blocks(pattern: np.ndarray, partners: dict[int, int]) -> Iterator[_Block]:
    """Yield blocks in an order in which each needs only the unknowns of earlier blocks."""
    surplus = _find_overdetermined(pattern, partners)
    columns = [j for j in partners if partners[j] in surplus]
    if columns:
        yield _Block(sorted(surplus), columns)
    left = sorted((row, column) for column, row in partners.items() if row not in surplus)
    rows, columns = ([pair[k] for pair in left] for k in range(2))
    for own in group_interdependent(pattern[np.ix_(rows, columns)]):
        yield _Block([rows[k] for k in own], [columns[k] for k in own])


def _find_overdetermined(pattern: np.ndarray, partners: dict[int, int]) -> set[int]:
    """Return the equations that are connected with an equation without matched unknown."""
    found = {i for i in range(len(pattern)) if i not in partners.values() and pattern[i].any()}
    waiting = list(found)
    for row in waiting:  # the list grows during the loop
        others = {partners[j] for j in np.flatnonzero(pattern[row]).tolist()} - found
        found |= others
        waiting += others
    return found


def group_interdependent(needs: np.ndarray) -> list[list[int]]:
    """Return groups of rows that need each other, in an order in which earlier groups come first.

    ``needs[i, j]``: row i needs the value of row j.  The groups are the strongly connected
    components.
    """
    reached = needs | np.eye(len(needs), dtype=bool)
    for k in range(len(needs)):
        reached |= np.outer(reached[:, k], reached[k])
    groups: dict[bytes, list[int]] = {}
    for k, own in enumerate(reached):
        groups.setdefault(own.tobytes(), []).append(k)
    return sorted(groups.values(), key=lambda group: int(reached[group[0]].sum()))


# -- one block ------------------------------------------------------------------


def _solve_block(system: _System) -> list[Scalar]:
    """Return the unknowns of a block."""
    if len(system.right) == 1:
        (entry,), (value,) = system.matrix[0], system.right
        inverse = entry.reciprocal()
        if not system.by_determinants and system.column_sizes:
            inverse = nan_if_rounding(inverse, entry * entry, *system.column_bounds())
        return [value * inverse]
    count = len(system.matrix[0])
    if system.by_determinants and len(system.matrix) == count <= MOST_BY_DETERMINANTS:
        return _by_determinants(system)
    return _solve_least_squares(system)


def _by_determinants(system: _System) -> list[Scalar]:
    """Return the unknowns by Cramer's rule."""
    inverse = _determinant(system.matrix).reciprocal()
    pairs = list(zip(system.matrix, system.right, strict=True))
    replaced = ([[*row[:k], x, *row[k + 1 :]] for row, x in pairs] for k in range(len(pairs)))
    return [_determinant(rows) * inverse for rows in replaced]


def _determinant(rows: Sequence[Sequence[Scalar]]) -> Scalar:
    """Return a determinant, expanded by the minors of the first row."""
    first, *others = rows
    if not others:
        return first[0]
    minors = [_determinant([[*row[:k], *row[k + 1 :]] for row in others]) for k in range(len(rows))]
    terms = (x * minor for x, minor in zip(first, minors, strict=True))
    return total(-term if k % 2 else term for k, term in enumerate(terms))


def _solve_least_squares(system: _System) -> list[Scalar]:
    """Return the least-squares solution, orthogonalised by columns."""
    system = system.with_equal_row_units()
    vectors = [*system.columns, list(system.right)]
    count = len(vectors) - 1
    largest = () if system.by_determinants else system.column_bounds()
    shares, _ = orthogonalise(vectors, count, len(system.right), largest)
    values = [system.graph.scalar(0)] * count
    for k in reversed(range(count)):
        *factors, value = shares[k]
        for factor, known in zip(factors, values[k + 1 :], strict=True):
            value = value - factor * known
        values[k] = value
    return values


def _solve_least_norm(system: _System) -> list[Scalar]:
    """Return the least-norm solution, orthogonalised by rows."""
    like, count = system.with_equal_column_units(), len(system.matrix[0])
    vectors = [[*row, right] for row, right in zip(like.matrix, like.right, strict=True)]
    order = sorted(
        range(len(vectors)), key=lambda k: sum(not x.is_zero for x in vectors[k][:count])
    )
    vectors = [vectors[k] for k in order]
    rows = [] if system.by_determinants else like.row_bounds()
    largest = [rows[k] for k in order] if rows else []
    _, inverses = orthogonalise(vectors, len(vectors), count, largest)
    values = [system.graph.scalar(0)] * count
    for (*direction, right), inverse in zip(reversed(vectors), reversed(inverses), strict=True):
        length = (right - dot(direction, values)) * inverse
        values = [x + y * length for x, y in zip(values, direction, strict=True)]
    return system.in_own_units(values)
