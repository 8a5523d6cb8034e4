"""Linear systems whose coefficients are scalars of a graph, solved without pivots.

A pivot that is chosen when the operations are written down vanishes at some
states, where the system may be as regular as anywhere.  So nothing is chosen:

1. A system falls apart into blocks that are solved one after the other (matching
   of unknowns with equations, then strongly connected components; equations that
   no unknown is left for make the overdetermined block, which comes first).
2. One equation for one unknown is a division.
3. Blocks are orthogonalised column by column (modified Gram-Schmidt on the system
   with its right side, without square roots): stable without any choice, also
   where the block is nearly singular, and the solution of least squares where
   equations contradict each other.  Cramer's rule would cost a little less, but
   its residual grows with the condition number.

References
==========

.. [1] A. Pothen, C.-J. Fan, Computing the block triangular form of a sparse
   matrix, ACM Trans. Math. Software 16 (1990) 303-324.
.. [2] A. Bjorck, Solving linear least squares problems by Gram-Schmidt
   orthogonalization, BIT 7 (1967) 1-21.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

import numpy as np

from .generic import GenericStates
from .graph import Graph, Scalar, total


class SingularError(ValueError):
    """A linear system that leaves unknowns open."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        super().__init__(f"The linear system has only rank {rank}.")


@dataclass(frozen=True)
class Solution:
    """What solves a linear system.

    Attributes
    ==========

    values : list of Scalar
        The unknowns.
    residuals : list of Scalar
        What each equation's right side has in excess of its left side: zero where
        the equations are as many as their unknowns, else what is left of them by
        least squares.
    """

    values: list[Scalar]
    residuals: list[Scalar]


@dataclass(frozen=True)
class _Block:
    """Equations with the unknowns for which they are solved."""

    rows: list[int]
    columns: list[int]


def solve(graph: Graph, matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar]) -> Solution:
    """Solve ``matrix x = right``, with as many equations as unknowns or more.

    Parameters
    ==========

    graph : Graph
        Where the operations go.
    matrix : sequence of rows of Scalar
        The coefficients; those that are zero for all inputs should be zeros.
    right : sequence of Scalar
        The right side.

    Raises
    ======

    SingularError
        If the coefficients leave unknowns open at all states.
    """
    states = GenericStates(graph)
    count = len(matrix[0]) if matrix else 0
    pattern = np.array([[not x.is_zero for x in row] for row in matrix]).reshape(-1, count)
    partners = _partners(pattern)
    if states.rank(matrix) < count or len(partners) < count:
        raise SingularError(min(states.rank(matrix), len(partners)))
    found: dict[int, Scalar] = {}
    residuals = list(right)
    for block in _blocks(pattern, partners):
        entries = [[matrix[i][j] for j in block.columns] for i in block.rows]
        known = [_without(right[i], matrix[i], found) for i in block.rows]
        solved = dict(zip(block.columns, _solve_block(graph, entries, known), strict=True))
        for i, rest in zip(block.rows, known, strict=True):
            is_settled = len(block.rows) == len(block.columns)
            residuals[i] = graph.scalar(0) if is_settled else _without(rest, matrix[i], solved)
        found |= solved
    return Solution([found[j] for j in range(count)], residuals)


def _without(right: Scalar, row: Sequence[Scalar], found: dict[int, Scalar]) -> Scalar:
    """Return the right side of an equation without the terms of unknowns that are found."""
    for column, value in found.items():
        if not row[column].is_zero:
            right = right - row[column] * value
    return right


# -- blocks -------------------------------------------------------------------


def _partners(pattern: np.ndarray) -> dict[int, int]:
    """Return an equation for each unknown as far as possible, no equation twice."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not pattern.size:
        return {}
    rows = maximum_bipartite_matching(csr_array(pattern.astype(float)), perm_type="row")
    return {column: int(row) for column, row in enumerate(rows) if row >= 0}


def _blocks(pattern: np.ndarray, partners: dict[int, int]) -> Iterator[_Block]:
    """Return blocks in an order in which each needs only unknowns of those before."""
    surplus = _surplus(pattern, partners)
    columns = [j for j in partners if partners[j] in surplus]
    if columns:
        yield _Block(sorted(surplus), columns)
    left = {row: column for column, row in partners.items() if row not in surplus}
    needs = {
        i: {partners[j] for j in np.flatnonzero(pattern[i]).tolist()} & left.keys() for i in left
    }
    yield from (_Block(rows, [left[i] for i in rows]) for rows in _strong_components(needs))


def _surplus(pattern: np.ndarray, partners: dict[int, int]) -> set[int]:
    """Return the equations that have to do with one that has no unknown of its own."""
    found = {i for i in range(len(pattern)) if i not in partners.values() and pattern[i].any()}
    waiting = list(found)
    for row in waiting:  # grows meanwhile
        others = {partners[j] for j in np.flatnonzero(pattern[row]).tolist()} - found
        found |= others
        waiting += others
    return found


def _strong_components(needs: dict[int, set[int]]) -> Iterator[list[int]]:
    """Return sets of equations that need each other, those that are needed first."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rows = sorted(needs)
    if not rows:
        return
    links = np.array([[other in needs[row] for other in rows] for row in rows])
    _, labels = connected_components(csr_array(links), connection="strong")
    label = dict(zip(rows, labels.tolist(), strict=True))
    before: dict[int, set[int]] = {k: set() for k in label.values()}
    for row, others in needs.items():
        before[label[row]] |= {label[other] for other in others} - {label[row]}
    for component in TopologicalSorter(before).static_order():
        yield [row for row in rows if label[row] == component]


# -- one block ------------------------------------------------------------------


def _solve_block(graph: Graph, matrix: list[list[Scalar]], right: list[Scalar]) -> list[Scalar]:
    """Return the solution, that of least squares where there are more equations."""
    if len(right) == 1:
        return [right[0] * matrix[0][0].reciprocal()]
    columns = [*map(list, zip(*matrix, strict=True)), list(right)]
    count = len(columns) - 1
    shares: list[list[Scalar]] = []  # of each column in those behind it
    for k, column in enumerate(columns[:-1]):
        square = _dot(column, column)
        if square.is_zero:
            raise SingularError(k)
        inverse = square.reciprocal()
        shares.append([_dot(column, other) * inverse for other in columns[k + 1 :]])
        for share, other in zip(shares[k], columns[k + 1 :], strict=True):
            other[:] = [x - share * y for x, y in zip(other, column, strict=True)]
    values: list[Scalar] = [graph.scalar(0)] * count
    for k in reversed(range(count)):
        *factors, value = shares[k]
        for factor, known in zip(factors, values[k + 1 :], strict=True):
            value = value - factor * known
        values[k] = value
    return values


def _dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    return total(x * y for x, y in zip(left, right, strict=True))
