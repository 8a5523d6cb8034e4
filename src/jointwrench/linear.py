"""Small linear systems whose coefficients are scalars of a graph."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from sympy import Expr, Float, S

from .graph import Constant, Graph, Input, Scalar

#: Coefficients smaller than this at a random point count as zero.
ZERO_COEFFICIENT = 1e-9


class SingularError(ValueError):
    """A linear system that has no unique solution."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        super().__init__(f"The linear system has only rank {rank}.")


def solve(
    graph: Graph, matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar]
) -> list[Scalar]:
    """Solve ``matrix x = right`` by Gaussian elimination, block by independent block.

    Pivots are entries that do not vanish at a random state; numbers and sparse
    rows come first, so that a system that is diagonal or triangular in any
    order costs no more than its substitution.

    Raises
    ======

    SingularError
        If the matrix does not have full rank at a random state.
    """
    solution: dict[int, Scalar] = {}
    rank, is_singular = 0, False
    for rows, columns in _blocks(matrix):
        entries = [[matrix[i][j] for j in columns] for i in rows]
        block = _Block(graph, entries, [right[i] for i in rows])
        rank += block.eliminate()
        is_singular |= not len(rows) == len(columns) == len(block.order)
        if not is_singular:
            solution.update(zip(columns, block.substitute_back(), strict=True))
    if is_singular:
        raise SingularError(rank)
    return [solution[column] for column in sorted(solution)]


def _blocks(matrix: Sequence[Sequence[Scalar]]) -> Iterator[tuple[list[int], list[int]]]:
    """Return rows and columns that belong together by entries that are not zero."""
    left = set(range(len(matrix)))
    rows_of: dict[int, list[int]] = {j: [] for j in range(len(matrix))}
    for i, row in enumerate(matrix):
        for j, entry in enumerate(row):
            if not entry.is_zero:
                rows_of[j].append(i)
    while left:
        rows: set[int] = set()
        columns: set[int] = set()
        waiting = {min(left)}
        while waiting:
            i = waiting.pop()
            rows.add(i)
            found = {j for j, entry in enumerate(matrix[i]) if not entry.is_zero} - columns
            columns |= found
            waiting |= {k for j in found for k in rows_of[j]} - rows
        left -= rows
        yield sorted(rows), sorted(columns)


class _Block:
    """A linear system with its value at a random state, by which pivots are chosen."""

    def __init__(
        self, graph: Graph, matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar]
    ) -> None:
        self.graph = graph
        self.rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
        numbers = iter(values_at_random_state(graph, [x for row in matrix for x in row]))
        self.numbers = [[next(numbers) for _ in row] for row in matrix]
        self.order: list[tuple[int, int]] = []

    def eliminate(self) -> int:
        """Bring the system to triangular form; return its rank."""
        left_rows = set(range(len(self.rows)))
        left_columns = set(range(len(self.numbers[0])))
        while pivot := self._choose_pivot(left_rows, left_columns):
            row, column = pivot
            left_rows.remove(row)
            left_columns.remove(column)
            self.order.append(pivot)
            inverse = self.rows[row][column].reciprocal()
            for other in left_rows:
                if not self.rows[other][column].is_zero:
                    self._subtract(other, row, column, inverse)
        return len(self.order)

    def _choose_pivot(self, rows: set[int], columns: set[int]) -> tuple[int, int] | None:
        candidates = []
        for i in sorted(rows):
            entries = [j for j in sorted(columns) if not self.rows[i][j].is_zero]
            for j in entries:
                size = abs(self.numbers[i][j])
                if size > ZERO_COEFFICIENT:
                    ref = abs(self.rows[i][j].ref)
                    is_number = isinstance(self.graph.operations[ref], Constant)
                    candidates.append((len(entries), not is_number, -size, i, j))
        return min(candidates)[-2:] if candidates else None

    def _subtract(self, other: int, row: int, column: int, inverse: Scalar) -> None:
        factor = self.rows[other][column] * inverse
        ratio = self.numbers[other][column] / self.numbers[row][column]
        for j, entry in enumerate(self.rows[row]):
            self.rows[other][j] = self.rows[other][j] - factor * entry
        for j, number in enumerate(self.numbers[row]):
            self.numbers[other][j] -= ratio * number
        self.rows[other][column] = factor - factor
        self.numbers[other][column] = 0.0

    def substitute_back(self) -> list[Scalar]:
        """Return the solution, in the order of the columns."""
        solution: dict[int, Scalar] = {}
        for row, column in reversed(self.order):
            value = self.rows[row][-1]
            for known, known_value in solution.items():
                value = value - self.rows[row][known] * known_value
            solution[column] = value * self.rows[row][column].reciprocal()
        return [solution[column] for column in sorted(solution)]


def without_zeros(graph: Graph, scalars: Sequence[Scalar]) -> list[Scalar]:
    """Return values with exact zeros in place of those that vanish at a random state.

    Rotations there and back leave zeros that only numbers show.
    """
    zero = graph.scalar(0)
    pairs = zip(scalars, values_at_random_state(graph, scalars), strict=True)
    return [scalar if abs(value) > ZERO_COEFFICIENT else zero for scalar, value in pairs]


def value_at_random_state(graph: Graph, scalar: Scalar) -> float:
    """Return a value with all inputs at fixed random numbers between 0.5 and 1.5."""
    return values_at_random_state(graph, [scalar])[0]


def values_at_random_state(graph: Graph, scalars: Sequence[Scalar]) -> list[float]:
    """Return values with all inputs at fixed random numbers between 0.5 and 1.5."""
    random = Random(20200710)
    values: dict[int, Any] = {}
    for ref in graph.needed([scalar.ref for scalar in scalars]):
        if isinstance(graph.operations[ref], Input):
            values[ref] = Float(0.5 + random.random())
        else:
            values[ref] = _number(S(graph.express(ref, values)))
    signed = [(values.get(abs(scalar.ref), 0), scalar.ref) for scalar in scalars]
    return [_real(value) * (1 if ref > 0 else -1) for value, ref in signed]


def _number(value: Expr) -> Expr:
    """Return a number; the curves of muscles need ``doit``."""
    number = value.evalf()
    return number if number.is_Number else value.doit().evalf()


def _real(value: Any) -> float:
    """Return a number as it is; real and imaginary part added where roots became imaginary."""
    number = complex(value)
    return number.real + number.imag


def rank(rows: Iterable[Sequence[float]]) -> int:
    """Return the rank of a matrix of numbers of about the size of one."""
    left, found = [list(row) for row in rows], 0
    while pivot := max(
        ((abs(x), i, j) for i, row in enumerate(left) for j, x in enumerate(row)), default=None
    ):
        size, i, j = pivot
        if size <= ZERO_COEFFICIENT:
            break
        found += 1
        top = left.pop(i)
        factors = [row[j] / top[j] for row in left]
        left = [
            [x - factor * y for x, y in zip(row, top, strict=True)]
            for row, factor in zip(left, factors, strict=True)
        ]
    return found
