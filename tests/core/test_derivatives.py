"""Derivatives on the graph are those of the formulas."""

import pytest
from sympy import Abs, Max, Piecewise, Rational, cos, exp, sin, sqrt, symbols, tanh
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.arithmetic.derivatives import ForwardSweep
from jointwrench.mechanics.arithmetic.graph import Graph

x, y, a = symbols("x y a", real=True)
VALUES = {x: 0.7, y: -1.3, a: 0.4}
SLOPES = {x: 2, y: x + a, a: 0}


def slope_of(expression):
    graph = Graph()
    sweep = ForwardSweep(graph, lambda symbol: graph.scalar(SLOPES[symbol]))
    (slope,) = graph.to_sympy([sweep.of([graph.scalar(expression)])[0].ref])
    return slope


@pytest.mark.parametrize(
    "expression",
    [
        x * y - a * x**2 + 3,
        1 / (x - y) + x**-3 - y / x,
        sin(x * y) * cos(a - x) - sin(-y),
        sqrt(x + a) - (x + 2) ** (y * a) + x ** Rational(1, 3),
        exp(-x) * tanh(x - y) ** 2,
        Abs(y) * x - Max(x, 3 * x, y),
        Piecewise((x * y, x > y), (a, True)),
        Piecewise((a, x < y), (x**3, True)),
    ],
)
def test_forward_sweep(expression):
    expected = sum(expression.diff(s) * SLOPES[s] for s in SLOPES)
    assert float(slope_of(expression).subs(VALUES)) == pytest.approx(
        float(expected.subs(VALUES)), rel=1e-12
    )


def test_what_does_not_change_has_the_slope_zero():
    assert slope_of(sin(a) * 3 + a ** Rational(1, 2) - exp(a**2)) == 0


def test_a_graph_that_grows():
    graph, q = Graph(), dynamicsymbols("q")
    sweep = ForwardSweep(graph, lambda leaf: graph.scalar(leaf.diff(dynamicsymbols._t)))
    first = graph.scalar(sin(q))
    assert graph.to_sympy([sweep.of([first])[0].ref]) == [q.diff() * cos(q)]
    second = first * first
    assert graph.to_sympy([sweep.of([second])[0].ref])[0].expand() == 2 * q.diff() * sin(q) * cos(q)
