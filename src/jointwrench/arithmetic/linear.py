"""Linear systems whose coefficients are scalars of a graph, solved without pivots.

A pivot that is chosen when the operations are written down vanishes at some
states, where the system may be as regular as anywhere.  So nothing is chosen:

1. A system falls apart into parts that have no unknown in common, and a part into
   blocks that are solved one after the other (matching of unknowns with equations,
   then strongly connected components; equations that no unknown is left for make
   the overdetermined block, which comes first).
2. One equation for one unknown is a division.
3. Blocks are orthogonalised (modified Gram-Schmidt on the system with its right
   side, without square roots): stable without any choice, also where the block is
   nearly singular.  Column by column that yields the solution of least squares
   where equations contradict each other, row by row the shortest one where
   unknowns stay open; where neither is the case, the cheaper of the two is taken.
   Cramer's rule would cost a little less, but its residual grows with the
   condition number.
4. Where both is the case, the directions in which nothing can be supplied become
   unknowns of their own, so that no equation contradicts the others any more.

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
from dataclasses import dataclass
from graphlib import TopologicalSorter

import numpy as np
import scipy.linalg

from .generic import GenericStates, scaled
from .graph import Graph, Scalar, total

#: Entries of unit vectors of open combinations that are smaller are zero.
CLOSED = 1e-9


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
        The unknowns; where equations leave them open, the shortest solution.
    residuals : list of Scalar
        What each equation's right side has in excess of its left side: zero where
        the equations can be met, else what is left of them by least squares.
    open : numpy.ndarray, shape (states, unknowns, combinations)
        Combinations of unknowns that the equations leave open.
    sines : list of Scalar
        Squared sines of the angle between what an unknown (or an equation) adds and
        all before it: the system is singular where one of them vanishes.
    """

    values: list[Scalar]
    residuals: list[Scalar]
    open: np.ndarray
    sines: list[Scalar]

    @property
    def is_open(self) -> np.ndarray:
        """Whether each unknown is left open."""
        return np.any(abs(self.open) > CLOSED, axis=(0, 2))


@dataclass(frozen=True)
class _Block:
    """Equations with the unknowns for which they are solved."""

    rows: list[int]
    columns: list[int]


@dataclass(frozen=True)
class _System:
    """A linear system, all of whose unknowns are connected with each other."""

    graph: Graph
    states: GenericStates
    matrix: list[list[Scalar]]
    right: list[Scalar]

    @property
    def columns(self) -> list[list[Scalar]]:
        """The coefficients of each unknown."""
        return [*map(list, zip(*self.matrix, strict=True))]

    @property
    def pattern(self) -> np.ndarray:
        """Where coefficients are."""
        return np.array([[not x.is_zero for x in row] for row in self.matrix])


def solve(
    graph: Graph,
    matrix: Sequence[Sequence[Scalar]],
    right: Sequence[Scalar],
    states: GenericStates | None = None,
) -> Solution:
    """Solve ``matrix x = right``, by least squares and by least norm where that is needed.

    Parameters
    ==========

    graph : Graph
        Where the operations go.
    matrix : sequence of rows of Scalar
        The coefficients; those that are zero for all inputs should be zeros.
    right : sequence of Scalar
        The right side.
    states : GenericStates, optional
        The states at which ranks are looked at; default: any.
    """
    states = states or GenericStates(graph)
    count = len(matrix[0]) if matrix else 0
    values, residuals, sines = [graph.scalar(0)] * count, list(right), []
    unused, found = set(range(count)), []
    for block in _connected(matrix):
        part = _System(
            graph,
            states,
            [[matrix[i][j] for j in block.columns] for i in block.rows],
            [right[i] for i in block.rows],
        )
        solved = _solve_connected(part)
        unused -= set(block.columns)
        sines += solved.sines
        for j, value in zip(block.columns, solved.values, strict=True):
            values[j] = value
        for i, rest in zip(block.rows, solved.residuals, strict=True):
            residuals[i] = rest
        found.append(_embedded(solved.open, block.columns, count))
    of_unused = np.eye(count)[:, sorted(unused)]
    found.append(np.broadcast_to(of_unused, (states.count, *of_unused.shape)))
    return Solution(values, residuals, np.concatenate(found, axis=2), sines)


def _connected(matrix: Sequence[Sequence[Scalar]]) -> Iterator[_Block]:
    """Return the unknowns that equations connect, with these equations."""
    waiting = {i: {j for j, x in enumerate(row) if not x.is_zero} for i, row in enumerate(matrix)}
    while waiting:
        first = next(iter(waiting))
        rows, columns = {first}, waiting.pop(first)
        while more := {i for i, own in waiting.items() if own & columns}:
            rows |= more
            columns = columns.union(*(waiting.pop(i) for i in more))
        if columns:
            yield _Block(sorted(rows), sorted(columns))


def _embedded(vectors: np.ndarray, columns: Sequence[int], count: int) -> np.ndarray:
    """Return vectors of some unknowns as vectors of all."""
    full = np.zeros((vectors.shape[0], count, vectors.shape[2]), vectors.dtype)
    full[:, columns] = vectors
    return full


def _solve_connected(system: _System) -> Solution:
    rank = min(system.states.rank(system.matrix), len(_partners(system.pattern)))
    if rank == len(system.matrix[0]):
        return _least_squares(system)
    if rank == len(system.matrix):
        values, sines = _shortest(system)
        residuals = [system.graph.scalar(0)] * rank
    else:
        values, residuals, sines = _completed(system, rank)
    return Solution(values, residuals, _null_space(system.states, system.matrix, rank), sines)


def _null_space(states: GenericStates, matrix: Sequence[Sequence[Scalar]], rank: int) -> np.ndarray:
    """Return unit combinations of unknowns that no equation sees, shape (states, unknowns, k)."""
    arrays, _ = states.matrix(matrix)
    count = arrays.shape[2]
    if not np.isfinite(arrays).all():  # nothing can be told: all may be open
        return np.broadcast_to(np.eye(count), (len(arrays), count, count))
    bases = []
    for array in arrays:
        size = abs(array).max(axis=0)
        _, _, adjoint = np.linalg.svd(scaled(array / size))
        basis = adjoint[rank:].conj().T / size[:, None]
        bases.append(basis / np.linalg.norm(basis, axis=0))
    return np.array(bases)


def _least_squares(system: _System) -> Solution:
    """Solve block after block; the equations leave no unknown open."""
    graph, matrix, right = system.graph, system.matrix, system.right
    pattern = system.pattern
    found: dict[int, Scalar] = {}
    residuals, sines = list(right), list[Scalar]()
    for block in _blocks(pattern, _partners(pattern)):
        entries = [[matrix[i][j] for j in block.columns] for i in block.rows]
        known = [_without(right[i], matrix[i], found) for i in block.rows]
        is_settled = len(block.rows) == len(block.columns)
        values, own = _solve_block(_System(graph, system.states, entries, known), is_settled)
        solved = dict(zip(block.columns, values, strict=True))
        sines += own if len(block.rows) > 1 else _sines_of_entry(system, block)
        for i, rest in zip(block.rows, known, strict=True):
            residuals[i] = graph.scalar(0) if is_settled else _without(rest, matrix[i], solved)
        found |= solved
    values = [found[j] for j in range(len(matrix[0]))]
    return Solution(values, residuals, np.zeros((system.states.count, len(values), 0)), sines)


def _sines_of_entry(system: _System, block: _Block) -> list[Scalar]:
    """Return the squares of an entry in parts of those of its whole column and row."""
    (i,), (j,) = block.rows, block.columns
    row, column = system.matrix[i], system.columns[j]
    square = row[j] * row[j]
    return [square * dot(line, line).reciprocal() for line in (row, column)]


def _completed(system: _System, rank: int) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Solve where unknowns stay open and equations contradict each other.

    The directions in which the unknowns supply nothing are normal to all columns;
    with these as further columns, every right side can be met.
    """
    graph, states, matrix = system.graph, system.states, system.matrix
    columns = system.columns
    normals = _null_space(states, columns, rank)[0]
    missing = len(matrix) - rank
    order = scipy.linalg.qr(normals.T, mode="r", pivoting=True)[1]
    free, others = order[:missing].tolist(), sorted(order[missing:].tolist())
    seen = [[column[i] for i in others] for column in columns]
    directions = []
    for i in free:
        shares = solve(graph, seen, [-column[i] for column in columns], states).values
        direction = [graph.scalar(int(k == i)) for k in range(len(matrix))]
        for k, share in zip(others, shares, strict=True):
            direction[k] = share
        directions.append(direction)
    across = list(zip(*directions, strict=True))
    full = [[*row, *own] for row, own in zip(matrix, across, strict=True)]
    values, sines = _shortest(_System(graph, states, full, system.right))
    lacking = values[-missing:]
    residuals = [dot(own, lacking) for own in across]
    return values[:-missing], residuals, sines


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


def _solve_block(system: _System, is_square: bool) -> tuple[list[Scalar], list[Scalar]]:
    """Return the unknowns, and the squared sines of `Solution`."""
    if len(system.right) == 1:
        (entry,), (value,) = system.matrix[0], system.right
        return [value * entry.reciprocal()], []
    by_columns = _nearest(system)
    if not is_square:
        return by_columns
    by_rows = _shortest(system)  # tells of columns that vanish, as the other does of rows
    both = by_columns[0], by_rows[0]
    cheaper = min(both, key=lambda values: _cost(system.graph, values))
    return cheaper, by_columns[1] + by_rows[1]


def _cost(graph: Graph, values: Sequence[Scalar]) -> int:
    return len(graph.needed([value.ref for value in values]))


def _nearest(system: _System) -> tuple[list[Scalar], list[Scalar]]:
    """Return the solution of least squares, and squared sines."""
    vectors = [*system.columns, list(system.right)]
    count = len(vectors) - 1
    shares, _, sines = _orthogonalise(vectors, count, len(system.right))
    values = [system.graph.scalar(0)] * count
    for k in reversed(range(count)):
        *factors, value = shares[k]
        for factor, known in zip(factors, values[k + 1 :], strict=True):
            value = value - factor * known
        values[k] = value
    return values, sines


def _shortest(system: _System) -> tuple[list[Scalar], list[Scalar]]:
    """Return the solution of least norm of equations that can be met, and squared sines."""
    count = len(system.matrix[0])
    vectors = [[*row, right] for row, right in zip(system.matrix, system.right, strict=True)]
    vectors.sort(key=lambda vector: sum(not x.is_zero for x in vector[:count]))
    _, inverses, sines = _orthogonalise(vectors, len(vectors), count)
    values = [system.graph.scalar(0)] * count
    for (*direction, right), inverse in zip(reversed(vectors), reversed(inverses), strict=True):
        length = (right - dot(direction, values)) * inverse
        values = [x + y * length for x, y in zip(values, direction, strict=True)]
    return values, sines


def _orthogonalise(
    vectors: list[list[Scalar]], count: int, size: int
) -> tuple[list[list[Scalar]], list[Scalar], list[Scalar]]:
    """Make the first ``size`` entries of vectors orthogonal to those of ``count`` before them.

    Returns the shares of each vector in those behind it, the reciprocals of the
    squares of the vectors, and these in parts of what they were.
    """
    before = [dot(vector[:size], vector[:size]) for vector in vectors[:count]]
    shares: list[list[Scalar]] = []
    inverses, sines = [], []
    for k, vector in enumerate(vectors[:count]):
        square = dot(vector[:size], vector[:size])
        if square.is_zero:
            raise SingularError(k)
        inverses.append(square.reciprocal())
        sines.append(square * before[k].reciprocal())
        shares.append(
            [dot(vector[:size], other[:size]) * inverses[k] for other in vectors[k + 1 :]]
        )
        for share, other in zip(shares[k], vectors[k + 1 :], strict=True):
            other[:] = [x - share * y for x, y in zip(other, vector, strict=True)]
    return shares, inverses, sines


def dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """Return the sum of the products of one or more pairs of values."""
    return total(x * y for x, y in zip(left, right, strict=True))
