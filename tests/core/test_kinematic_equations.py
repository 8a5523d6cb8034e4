"""Coordinates' derivatives from equations that mix them."""

import numpy as np
import pytest
from numeric import evaluate_matrix
from sympy import (
    Abs,
    Derivative,
    Float,
    Matrix,
    Piecewise,
    Rational,
    Symbol,
    atan2,
    cos,
    exp,
    pi,
    sin,
    sqrt,
    symbols,
)
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import ReferenceFrame, dynamicsymbols

from jointwrench.mechanics.arithmetic.expression_slopes import Slopes
from jointwrench.mechanics.mechanism.reading.kinematic_equations import solve_rates
from jointwrench.mechanics.mechanism.time_derivative import TimeDerivative

T = dynamicsymbols._t
q, u = dynamicsymbols("q:3"), dynamicsymbols("u:3")
rates = Matrix(q).diff(T)


def solved(kdes, speeds=u):
    """Return the coordinates' derivatives."""
    values, problems = solve_rates(q, speeds, list(kdes), T)
    assert problems == []
    return [values[rate] for rate in rates]


def body_rates(order):
    """Return equations for the components of an angular velocity in the body's frame."""
    A, B = ReferenceFrame("A"), ReferenceFrame("B")
    B.orient_body_fixed(A, q, order)
    return Matrix(u) - B.ang_vel_in(A).to_matrix(B)


@pytest.mark.parametrize("order", ["123", "313", "132"])
def test_no_pivot_vanishes_where_the_equations_are_regular(order):
    """With the middle angle off its singularity, all others may be right angles."""
    kdes = body_rates(order)
    left = kdes.xreplace(dict(zip(rates, solved(kdes), strict=True)))
    speeds = dict(zip(u, (0.3, -0.4, 0.5), strict=True))
    for first, last in [(0, 0), (pi / 2, pi / 2), (0, pi / 2), (pi, 3 * pi / 2)]:
        angles = dict(zip(q, (first, Rational(7, 10), last), strict=True))
        assert abs(evaluate_matrix(left.xreplace(angles), speeds)).max() < 1e-12


def test_factors_that_depend_on_coordinates_and_time():
    first = cos(q[0]) * rates[0] + T * rates[1] - u[0]
    second = sin(q[0]) * rates[0] + 2 * rates[1] - u[1] + sin(T)
    third = rates[2] + rates[0] - u[2]
    result = solved([third, second, first])
    known = dict(zip(rates, result, strict=True))
    numbers = {q[0]: 0.3, T: 1.7, **dict(zip(u, (0.3, -0.4, 0.5), strict=True))}
    left = Matrix([first, second, third]).xreplace(known)
    assert abs(evaluate_matrix(left, numbers)).max() < 1e-12


def test_symbols_as_factors():
    a, b, c, d = symbols("a b c d")
    result = solved(
        [u[0] - a * rates[0] - b * rates[1], u[1] - c * rates[0] - d * rates[1], rates[2] - u[2]]
    )
    determinant = a * d - b * c
    assert result[0].equals((d * u[0] - b * u[1]) / determinant)


def test_derivative_that_is_itself_a_speed():
    speeds = [rates[0], u[1], u[2]]
    result = solved([u[1] - rates[0] - rates[1], u[2] - 2 * rates[2]], speeds)
    assert result == [rates[0], u[1] - rates[0], u[2] / 2]


class TestDerivatives:
    """Of relative motions, part by part; what they shall be is sympy's word."""

    def expressions(self):
        (x, y), t, a, n = dynamicsymbols("x y"), dynamicsymbols._t, *symbols("a n")
        shared = (sin(x) * cos(y) + a * t) ** 2
        return [
            shared * x / y + sqrt(shared + 1) + a,
            (x * y) ** n * y.diff() + n**x,
            Piecewise((x, x > 0), (y, True)) * exp(-t * x) * shared,
            atan2(y, x) - Abs(a) + 3,
        ]

    def test_with_respect_to_time(self):
        x, t = dynamicsymbols("x"), dynamicsymbols._t
        speeds = {x.diff(): 2 * dynamicsymbols("u")}
        derivative = TimeDerivative(t, speeds)
        for expression in self.expressions():
            expected = expression.diff(t).xreplace(speeds)
            assert agree(derivative.of(expression), expected)
            assert agree(*derivative(Matrix([expression])), expected)

    def test_with_respect_to_a_speed(self):
        u, slopes = dynamicsymbols("x"), Slopes(dynamicsymbols("x"))
        for expression in self.expressions():
            assert agree(slopes.of(expression), expression.diff(u))
        assert slopes.of(dynamicsymbols("y") + 1) == 0


def agree(one, other):
    """Whether two expressions have the same value at a random state."""
    numbers = np.random.default_rng(5)
    leaves = sorted((one - other).atoms(AppliedUndef, Derivative, Symbol), key=str)
    leaves.sort(key=lambda leaf: not leaf.is_Derivative)  # before what they are derivatives of
    here = {leaf: Float(numbers.uniform(0.5, 1.5)) for leaf in leaves}
    return abs((one - other).xreplace(here).doit().evalf()) < 1e-12
