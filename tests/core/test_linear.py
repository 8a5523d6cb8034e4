"""Small linear systems in the scalars of a graph."""

import numpy as np
import pytest
from numeric import evaluate
from sympy import Max, Rational, symbols

from jointwrench.mechanics.arithmetic.generic_state import GenericState
from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.linear import solve

a, b, c, d, x, y = symbols("a b c d x y")
VALUES = {a: 0.7, b: -1.3, c: 0.4, d: 2.1, x: 0.3, y: -0.9}


def solve_symbolic(matrix, right, **options):
    """Return the solution and the residuals as formulas."""
    graph = Graph()
    rows = [[graph.scalar(entry) for entry in row] for row in matrix]
    solution = solve(graph, rows, [graph.scalar(entry) for entry in right], **options)
    scalars = [*solution.values, *solution.residuals]
    formulas = graph.to_sympy([scalar.ref for scalar in scalars])
    return formulas[: len(matrix[0])], formulas[len(matrix[0]) :]


def numbers(expressions, values=VALUES):
    known = {}
    return np.array([evaluate(graph_entry + 0 * x, values, known) for graph_entry in expressions])


def matrix_of_numbers(matrix, values=VALUES):
    return np.array([numbers([a * 0 + entry for entry in row], values) for row in matrix])


SYSTEMS = [
    [[a]],
    [[a, b], [c, d]],
    [[0, b], [c, d]],
    [[0, 2, 0], [0, 0, -1], [3, 0, 0]],
    [[a, b, 1], [b, c, 0], [1, 0, d]],
    [[1, 0, 0], [a, 2, 0], [b, c, 3]],
    [[a, b, 1, 2], [b, c, 0, a], [1, 0, d, c], [x, 1, y, a]],
    [[a, b, 0, 0, 1], [0, 0, c, d, 0], [0, 0, d, a, 0], [b, c, x, y, 0], [0, a, 1, 1, d]],
]


@pytest.mark.parametrize("matrix", SYSTEMS)
@pytest.mark.parametrize("by_determinants", [False, True])
def test_solution(matrix, by_determinants):
    right = [x, y, x * y, x + y, a * x][: len(matrix)]
    values, residuals = solve_symbolic(matrix, right, by_determinants=by_determinants)
    expected = np.linalg.solve(matrix_of_numbers(matrix), numbers(right))
    assert numbers(values) == pytest.approx(expected, rel=1e-12)
    assert residuals == [0] * len(matrix)


@pytest.mark.parametrize(
    "state", [{a: 0, b: 1, c: 1, d: 0}, {a: 0, b: -2, c: 0.5, d: 3}, {a: 1, b: 1e-13, c: 0, d: -1}]
)
@pytest.mark.parametrize("rows", [[[a, b], [c, d]], [[a, b, 0], [c, d, 1], [1, 0, a]], SYSTEMS[6]])
def test_no_entry_has_to_be_there(rows, state):
    """Any pivot may vanish as long as the system is regular."""
    values = {**VALUES, **state}
    array = matrix_of_numbers(rows, values)
    assert np.linalg.cond(array) < 1e3
    right = [x, y, x * y, x + y][: len(rows)]
    found = numbers(solve_symbolic(rows, right)[0], values)
    rest = array @ found - numbers(right, values)
    assert np.abs(rest).max() < 1e-14 * np.linalg.norm(array) * np.linalg.norm(found)


def test_a_state_at_which_the_system_is_singular_is_not_a_number():
    (first, second), _ = solve_symbolic([[a, b], [c, d]], [x, y])
    still = {a: 1, b: 2, c: 2, d: 4}
    assert not first.subs(still).is_finite
    assert not second.subs(still).is_finite


def test_more_equations_than_unknowns():
    """The solution of least squares, and what it leaves of the equations that share unknowns."""
    matrix = [[a, 0, 0], [b, 0, 0], [c, d, 0], [0, 0, 2], [0, 0, 0]]
    right = [x, y, 1, a, b]
    values, residuals = solve_symbolic(matrix, right)
    first = np.linalg.lstsq(matrix_of_numbers(matrix)[:2, :1], numbers(right)[:2], rcond=None)[0][0]
    expected = [first, (1 - VALUES[c] * first) / VALUES[d], VALUES[a] / 2]
    assert numbers(values) == pytest.approx(expected)
    left = numbers(right) - matrix_of_numbers(matrix) @ expected
    assert numbers(residuals) == pytest.approx(left)
    assert residuals[2:4] == [0, 0]
    assert residuals[4] == b


def test_diagonal_costs_no_more_than_its_divisions():
    assert solve_symbolic([[2, 0], [0, a]], [x, y])[0] == [x / 2, y / a]


@pytest.mark.parametrize(
    ("matrix", "rank"),
    [
        ([[a, b], [2 * a, 2 * b]], 1),
        ([[0, 0], [0, 0]], 0),
        ([[a, 0], [b, 0]], 1),
        ([[a, b, c], [a, b, c], [x, y, d]], 2),
        ([[a, b]], 1),
        ([[a * x, a * y, a], [b * x, b * y, b]], 1),
        ([[a, b, c, d], [b, c, d, a], [a + b, b + c, c + d, d + a]], 2),
        ([[a, b, 0, 0], [0, 0, c, d], [0, 0, 2 * c, 2 * d]], 2),
        ([[a, b, c], [x, y, a], [a + x, b + y, a + c], [a - x, b - y, c - a]], 2),
    ],
)
def test_open_and_contradicting(matrix, rank):
    """The shortest solution of least squares, and which combinations are left open."""
    right = [x, y, 1, a][: len(matrix)]
    values, residuals = solve_symbolic(matrix, right)
    array = matrix_of_numbers(matrix)
    shortest = np.linalg.pinv(array, rcond=1e-9) @ numbers(right)
    assert numbers(values) == pytest.approx(shortest, rel=1e-11, abs=1e-13)
    left = numbers(right) - array @ shortest
    assert numbers(residuals) == pytest.approx(left, rel=1e-11, abs=1e-13)
    graph = Graph()
    rows = [[graph.scalar(entry) for entry in row] for row in matrix]
    state = GenericState(graph)
    solution = solve(graph, rows, [graph.scalar(entry) for entry in right], state)
    assert len(solution.open) == len(matrix[0]) - rank
    for row in state.rows(rows):
        for own in solution.open:
            assert sum(row[k].value * x.value for k, x in own.items()) == pytest.approx(0)


def test_unknowns_of_which_nothing_is_known_are_open():
    graph = Graph()
    rows = [[graph.scalar(Max(0, s - 9)), graph.scalar(0)] for s in (a, b)]
    assert solve(graph, rows, [graph.scalar(x), graph.scalar(y)]).is_open == [False, True]


def test_a_gate_that_is_shut_at_the_random_states_is_no_zero():
    (found,), _ = solve_symbolic([[Max(0, a - 9)]], [x])
    assert found.subs({a: 11, x: 1}) == Rational(1, 2)


class TestGenericState:
    def state_of(self, expression):
        graph = Graph()
        return GenericState(graph), graph.scalar(expression)

    def test_zeros_that_only_numbers_show(self):
        graph = Graph()
        state = GenericState(graph)
        one = graph.scalar(a) * graph.scalar(x + y)
        hidden = one - graph.scalar(a) * graph.scalar(x) - graph.scalar(a) * graph.scalar(y)
        assert not hidden.is_zero
        kept, removed, zero = state.without_zeros([one, hidden, graph.scalar(0)])
        assert kept.ref == one.ref
        assert removed.is_zero
        assert zero.is_zero

    @pytest.mark.parametrize("small", [1e-10, 1e-30, 1e-200])
    def test_small_is_not_zero(self, small):
        state, scalar = self.state_of(small * a)
        assert not state.is_zero(scalar)

    def test_a_difference_of_large_numbers_is_zero(self):
        graph = Graph()
        left, right = graph.scalar(1e12 * a), graph.scalar(1e12)
        difference = left * graph.scalar(b) - right * graph.scalar(a) * graph.scalar(b)
        assert GenericState(graph).is_zero(difference)

    def test_symbols_of_one_name_are_different(self):
        other = symbols("a", positive=True)
        state, scalar = self.state_of(a - other)
        assert not state.is_zero(scalar)

    def test_imaginary_roots(self):
        graph = Graph()
        root = graph.scalar((a - 5) ** 0.5)
        state = GenericState(graph)
        assert not state.is_zero(root)
        assert state.is_zero(root * root - graph.scalar(a - 5))
