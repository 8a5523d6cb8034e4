"""Value numbering: every value once, signs and numbers folded away."""

import pickle

import numpy as np
import pytest
import sympy as sm
from numeric import evaluate
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.arithmetic.graph import Constant, Graph, Product, Sum, total

x, y, z = sm.symbols("x y z")


@pytest.fixture
def graph():
    return Graph()


def same(graph, left, right):
    return graph.scalar(left).ref == graph.scalar(right).ref


def test_a_value_is_stored_once(graph):
    a, b = graph.scalar(x), graph.scalar(y)
    assert (a * b).ref == (b * a).ref
    assert (a + b).ref == (b + a).ref
    assert (a - b).ref == -(b - a).ref
    assert ((-a) * b).ref == -(a * b).ref
    assert ((-a) * (-b)).ref == (a * b).ref
    operations = graph.operations
    assert sum(isinstance(op, Product) for op in operations) == 1
    assert sum(isinstance(op, Sum) for op in operations) == 2


def test_signs_leave_sine_and_cosine(graph):
    assert same(graph, sm.sin(-x), -sm.sin(x))
    assert same(graph, sm.cos(-x), sm.cos(x))
    assert graph.scalar(sm.sin(y - x)).ref == -graph.scalar(sm.sin(x - y)).ref
    graph.bind(z, graph.scalar(0))
    assert [graph.scalar(wave(z)).ref for wave in (sm.sin, sm.cos)] == [0, graph.scalar(1).ref]


def test_zeros_and_ones(graph):
    a, zero, one = graph.scalar(x), graph.scalar(0), graph.scalar(1)
    assert zero.is_zero
    assert (a * zero).is_zero
    assert (a - a).is_zero
    assert (a + zero).ref == (zero + a).ref == (a * one).ref == a.ref
    assert graph.scalar(0.0).is_zero
    assert same(graph, sm.Float(1.0), sm.Integer(1))


def test_numbers_are_folded(graph):
    third, half = graph.scalar(sm.Rational(1, 3)), graph.scalar(sm.Rational(1, 2))
    product = third * half
    assert graph.operations[product.ref] == Constant(sm.Rational(1, 6))
    assert (graph.scalar(-2) * half).ref == -graph.scalar(1).ref
    assert (graph.scalar(4).reciprocal()).ref == graph.scalar(sm.Rational(1, 4)).ref
    assert same(graph, sm.cos(sm.pi / 3), sm.Rational(1, 2))


def test_long_numbers_are_not_folded_further(graph):
    value, root = graph.scalar(1), graph.scalar(sm.sqrt(2) + sm.sqrt(3) + 1)
    for _ in range(10):
        value = value * root + root
    (formula,) = graph.to_sympy([value.ref])
    assert len(graph.operations) > 5
    assert float(formula) == pytest.approx(
        sum(float(sm.sqrt(2) + sm.sqrt(3) + 1) ** k for k in range(1, 11)) + 4.146264369941972**10
    )


def test_repr_shows_the_value(graph):
    assert repr(-graph.scalar(x)) == "Scalar(-x)"


@pytest.mark.parametrize(
    "expression",
    [
        x**5 - y**-3,
        (x + y) ** 4 / (x - 2 * y) ** 2,
        x ** sm.Rational(1, 2) + y**z,
        sm.exp(-x) * sm.sin(x * y) ** 2 - sm.cos(3),
        -x / (y * z) + 2 / z - sm.Rational(2, 3),
        (x - y) * (y - x),
        1 / (x * y) ** 2 + x**-1,
    ],
)
def test_values_of_formulas(graph, expression):
    values = {x: 1.3, y: 0.4, z: 0.7}
    (formula,) = graph.to_sympy([graph.scalar(expression).ref])
    assert evaluate(formula, values) == pytest.approx(evaluate(expression, values), rel=1e-14)


def test_powers_by_squaring(graph):
    graph.scalar(x**16)
    assert sum(isinstance(op, Product) for op in graph.operations) == 4


def test_condition_of_a_piecewise(graph):
    expression = sm.Piecewise((x + y, x > y), (2 * x * y, True))
    (formula,) = graph.to_sympy([graph.scalar(expression).ref])
    assert formula.subs({x: 2, y: 1}) == 3
    assert formula.subs({x: 1, y: 2}) == 4


def test_derivative_of_an_expression(graph):
    q = dynamicsymbols("q")
    time = dynamicsymbols._t
    assert same(graph, sm.Derivative(q**2, time), 2 * q * q.diff(time))


def test_bound_symbols(graph):
    graph.bind(x, graph.scalar(y) * graph.scalar(z))
    assert same(graph, x + 1, y * z + 1)


def test_division_by_zero(graph):
    with pytest.raises(ZeroDivisionError, match="divides by zero"):
        graph.scalar(0).reciprocal()


def test_assumptions_are_kept(graph):
    mass = sm.Symbol("m", positive=True)
    (formula,) = graph.to_sympy([graph.scalar(2 * mass).ref])
    assert formula.free_symbols == {mass}


def test_needed_leaves_out_the_rest(graph):
    a, b = graph.scalar(x), graph.scalar(y)
    wanted, _ = a + b, a * b
    assert graph.needed([wanted.ref]) == [a.ref, b.ref, wanted.ref]
    assert graph.needed([0]) == []


def test_constants_do_not_vary():
    time = dynamicsymbols._t
    graph, q = Graph(varying=[time]), dynamicsymbols("q")
    for expression, varies in ((x * y, False), (x * q, True), (sm.sin(time), True)):
        assert graph.varying[graph.scalar(expression).ref] is varies
    assert graph.varying[graph.scalar(q.diff(time)).ref]


def test_substitute_folds_what_becomes_a_number(graph):
    value = graph.scalar((x + y) * z - 2 / x)
    target = Graph()
    target.bind(z, target.scalar(0))
    target.bind(x, target.scalar(4))
    (moved,) = graph.substitute([value.ref], target)
    assert target.to_sympy([moved]) == [sm.Rational(-1, 2)]


@pytest.mark.parametrize("factor", [1, 2, sm.Rational(1, 3), y])
def test_constants_are_not_computed_from_sine_and_cosine(factor):
    """A varying angle's are not there yet; and 1/y would have -0.9999999999999999 as exponent."""
    graph = Graph(varying=[x])
    waves = [graph.scalar(factor * wave(x)) for wave in (sm.sin, sm.cos)]
    squares = [wave * wave for wave in waves]
    whole, inverse = squares[0] + squares[1], graph.scalar(y).reciprocal()
    needed = graph.cheapest_operations([value.ref for value in (*squares, whole, inverse)])
    own = graph.scalar(y).ref
    assert needed[whole.ref] == (Product(own, own) if factor == y else Constant(factor**2))


def test_total(graph):
    (formula,) = graph.to_sympy([total(graph.scalar(s) for s in (x, y, -z)).ref])
    assert formula == x + y - z


def test_random_expressions_keep_their_values():
    """Sums and products of anything, entered in any order, against plain numbers."""
    numbers = np.random.default_rng(1)
    graph, values = Graph(), {x: 0.7, y: -1.1, z: 0.4}
    pool = [(graph.scalar(s), values[s]) for s in (x, y, z)]
    pool += [(graph.scalar(k), float(k)) for k in (0, 1, -1, sm.Rational(1, 3))]
    for _ in range(300):
        (a, left), (b, right) = (pool[k] for k in numbers.integers(0, len(pool), 2))
        kind = numbers.integers(0, 4)
        results = [(a + b, left + right), (a - b, left - right), (a * b, left * right)]
        scalar, value = [*results, (-a, -left)][kind]
        if abs(value) < 1e3:
            pool.append((scalar, value))
    formulas = graph.to_sympy([scalar.ref for scalar, _ in pool])
    for formula, (_, value) in zip(formulas, pool, strict=True):
        assert evaluate(formula, values) == pytest.approx(value, rel=1e-9, abs=1e-9)


def test_pickled_graph_grows_on():
    graph = Graph()
    x, y = sm.symbols("x y")
    product = graph.scalar(x * y)
    other = pickle.loads(pickle.dumps(graph))
    assert other.scalar(x * y).ref == product.ref
    with other.lock:
        assert other.to_sympy([other.scalar(x * y + 1).ref]) == [x * y + 1]
