"""Coordinates' derivatives from equations that mix them."""

import pytest
from numeric import evaluate_matrix
from sympy import Matrix, Rational, cos, pi, sin, symbols
from sympy.physics.mechanics import ReferenceFrame, dynamicsymbols

from jointwrench.mechanics.mechanism.reading.kinematic_equations import solve_rates

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


@pytest.mark.parametrize("order", ["123", "313", "132", "321"])
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
