"""Small linear systems whose coefficients are scalars of a graph."""

from collections.abc import Sequence
from random import Random
from typing import Any

from sympy import Float, S

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
    """Solve ``matrix x = right`` by Gaussian elimination.

    Pivots are entries that do not vanish at a random state; numbers and sparse
    rows come first, so that a system that is diagonal or triangular in any
    order costs no more than its substitution.

    Raises
    ======

    SingularError
        If the matrix does not have full rank at a random state.
    """
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    left_rows, left_columns = set(range(size)), set(range(size))
    order: list[tuple[int, int]] = []
    while left_rows:
        pivot = _choose_pivot(graph, rows, left_rows, left_columns)
        if pivot is None:
            raise SingularError(rank=len(order))
        row, column = pivot
        left_rows.remove(row)
        left_columns.remove(column)
        order.append(pivot)
        inverse = rows[row][column].reciprocal()
        for other in left_rows:
            if not rows[other][column].is_zero:
                _eliminate(rows, other, row, column, inverse)
    return _substitute_back(rows, order)


def _choose_pivot(
    graph: Graph, rows: list[list[Scalar]], left_rows: set[int], left_columns: set[int]
) -> tuple[int, int] | None:
    candidates = []
    for i in sorted(left_rows):
        entries = [j for j in sorted(left_columns) if not rows[i][j].is_zero]
        for j in entries:
            size = abs(value_at_random_state(graph, rows[i][j]))
            if size > ZERO_COEFFICIENT:
                is_number = isinstance(graph.operations[abs(rows[i][j].ref)], Constant)
                candidates.append((len(entries), not is_number, -size, i, j))
    return min(candidates)[-2:] if candidates else None


def _eliminate(
    rows: list[list[Scalar]], other: int, row: int, column: int, inverse: Scalar
) -> None:
    factor = rows[other][column] * inverse
    for j, entry in enumerate(rows[row]):
        rows[other][j] = rows[other][j] - factor * entry
    rows[other][column] = factor - factor


def _substitute_back(rows: list[list[Scalar]], order: Sequence[tuple[int, int]]) -> list[Scalar]:
    solution: dict[int, Scalar] = {}
    for row, column in reversed(order):
        value = rows[row][-1]
        for known, known_value in solution.items():
            value = value - rows[row][known] * known_value
        solution[column] = value * rows[row][column].reciprocal()
    return [solution[column] for column in sorted(solution)]


def value_at_random_state(graph: Graph, scalar: Scalar) -> float:
    """Return a value with all inputs at fixed random numbers between 0.5 and 1.5."""
    random = Random(20200710)
    values: dict[int, Any] = {}
    for ref in graph.needed([scalar.ref]):
        if isinstance(graph.operations[ref], Input):
            values[ref] = Float(0.5 + random.random())
        else:
            values[ref] = S(graph.express(ref, values)).evalf()
    if scalar.is_zero:
        return 0.0
    return float(values[abs(scalar.ref)]) * (1 if scalar.ref > 0 else -1)
