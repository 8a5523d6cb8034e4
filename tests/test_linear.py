"""Small linear systems in the scalars of a graph."""

import numpy as np
import pytest
from numeric import evaluate
from sympy import Matrix, symbols

from jointwrench.graph import Graph
from jointwrench.linear import SingularError, solve, value_at_random_state, without_zeros

a, b, c, d, x, y = symbols("a b c d x y")


def solve_symbolic(matrix, right):
    graph = Graph()
    rows = [[graph.scalar(entry) for entry in row] for row in matrix]
    solution = solve(graph, rows, [graph.scalar(entry) for entry in right])
    return graph.to_sympy([scalar.ref for scalar in solution])


@pytest.mark.parametrize(
    "matrix",
    [
        [[a]],
        [[a, b], [c, d]],
        [[0, b], [c, d]],
        [[0, 2, 0], [0, 0, -1], [3, 0, 0]],
        [[a, b, 1], [b, c, 0], [1, 0, d]],
        [[1, 0, 0], [a, 2, 0], [b, c, 3]],
    ],
)
def test_solution(matrix):
    values = {a: 0.7, b: -1.3, c: 0.4, d: 2.1, x: 0.3, y: -0.9}
    right = [x, y, x * y][: len(matrix)]
    solution = [evaluate(entry, values) for entry in solve_symbolic(matrix, right)]
    numbers = np.array(Matrix(matrix).subs(values), dtype=float)
    expected = np.linalg.solve(numbers, [evaluate(entry, values) for entry in right])
    assert solution == pytest.approx(expected, rel=1e-12)


def test_diagonal_costs_no_more_than_its_divisions():
    assert solve_symbolic([[2, 0], [0, a]], [x, y]) == [x / 2, y / a]


@pytest.mark.parametrize(
    ("matrix", "rank"),
    [([[a, b], [2 * a, 2 * b]], 1), ([[0, 0], [0, 0]], 0), ([[a, 0], [b, 0]], 1)],
)
def test_singular(matrix, rank):
    with pytest.raises(SingularError, match=f"has only rank {rank}") as caught:
        solve_symbolic(matrix, [x, y])
    assert caught.value.rank == rank


def test_zeros_that_only_numbers_show():
    graph = Graph()
    one = graph.scalar(a) * graph.scalar(x + y)
    hidden = one - graph.scalar(a) * graph.scalar(x) - graph.scalar(a) * graph.scalar(y)
    assert not hidden.is_zero
    kept, removed, zero = without_zeros(graph, [one, hidden, graph.scalar(0)])
    assert kept.ref == one.ref
    assert removed.is_zero
    assert zero.is_zero
    value = value_at_random_state(graph, one)
    assert 0.5 < value < 4.5
    assert value_at_random_state(graph, -one) == -value
