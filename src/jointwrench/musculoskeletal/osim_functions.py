"""Functions of OpenSim files as sympy formulas."""

from collections.abc import Callable, Sequence
from functools import partial
from math import factorial
from typing import Any

import numpy as np
from sympy import Expr, S, sin

from ..extend import Staircase, exact
from ..records.xml_tree import Element, numbers_in, scalar_in
from ..signals.filters import natural_spline


def read_function(element: Element, arguments: Sequence[Expr]) -> Expr:
    """Return the formula of a function of coordinates."""
    if element.tag not in FUNCTIONS:
        raise ValueError(f"{element} must be one of the functions {', '.join(FUNCTIONS)}.")
    return FUNCTIONS[element.tag](element, arguments)


def read_formula(
    element: Element,
    arguments: Sequence[Expr],
    wrapper: str = "function",
    default: Expr | None = None,
) -> Expr:
    """Return the formula of the function in an element.

    The function is in a child with the tag ``wrapper``, has this word as its name, or is a child
    itself.  Without a function the ``default`` is returned.
    """
    # in OpenSim's files tags of values begin with small letters, tags of objects with capitals
    inside = element.find(wrapper)
    found = [] if inside is None else inside.children
    if inside is None:
        found = [x for x in element.children if x.attributes.get("name") == wrapper]
        found += [x for x in element.children if x.tag in FUNCTIONS or x.tag[:1].isupper()]
    if found:
        return read_function(found[0], arguments)
    if default is None:
        raise ValueError(f"{element} has no <{wrapper}>.")
    return default


def _constant(element: Element, _: Sequence[Expr]) -> Expr:
    return exact(scalar_in(element, "value"))


def _linear(element: Element, arguments: Sequence[Expr]) -> Expr:
    *slopes, offset = numbers_in(element, "coefficients", len(arguments) + 1)
    terms = (exact(slope) * x for slope, x in zip(slopes, arguments, strict=True))
    return sum(terms, exact(offset))


def _polynomial(element: Element, arguments: Sequence[Expr]) -> Expr:
    x, value = _single(element, arguments), S.Zero
    for coefficient in numbers_in(element, "coefficients"):  # from the highest power
        value = value * x + exact(coefficient)
    return value


def _scaled_function(element: Element, arguments: Sequence[Expr]) -> Expr:
    return exact(scalar_in(element, "scale", "1")) * read_formula(element, arguments)


def _spline(element: Element, arguments: Sequence[Expr], smooth: bool = True) -> Expr:
    """Return the formula of a cubic or piecewise linear spline, with straight lines beyond it."""
    x, (knots, values) = _single(element, arguments), _points(element)
    if len(knots) == 2:
        slope = np.diff(values)[0] / np.diff(knots)[0]
        return exact(values[0]) + exact(slope) * (x - exact(knots[0]))
    curve = _simm_spline(knots, values) if smooth else natural_spline(knots, values, 1)
    return _make_piecewise(x, curve, 2)


def _sine(element: Element, arguments: Sequence[Expr]) -> Expr:
    keys = {"amplitude": "1", "omega": "1", "phase": "0", "offset": "0"}
    a, w, phase, offset = (exact(scalar_in(element, *pair)) for pair in keys.items())
    return a * sin(w * _single(element, arguments) + phase) + offset


def _gcv_spline(element: Element, arguments: Sequence[Expr]) -> Expr:
    """Return the formula of Woltring's natural spline through points."""
    order = int(scalar_in(element, "half_order", "3"))
    if order not in (1, 2, 3):
        raise ValueError(f"{element} must have <half_order> 1, 2 or 3, got {order}.")
    x, y = _points(element)
    if len(x) < 2 * order:
        raise ValueError(f"{element} must have at least {2 * order} points, got {len(x)}.")
    if variance := scalar_in(element, "error_variance", "0"):
        raise ValueError(f"{element} must have <error_variance> 0, got {variance:g}.")
    return _make_piecewise(_single(element, arguments), natural_spline(x, y, order), order)


#: The readers of functions, by tag.
FUNCTIONS: dict[str, Callable[[Element, Sequence[Expr]], Expr]] = {
    "Constant": _constant,
    "LinearFunction": _linear,
    "PolynomialFunction": _polynomial,
    "Sine": _sine,
    "MultiplierFunction": _scaled_function,
    "SimmSpline": _spline,
    "NaturalCubicSpline": _spline,
    "natCubicSpline": _spline,
    "GCVSpline": _gcv_spline,
    "PiecewiseLinearFunction": partial(_spline, smooth=False),
}


def _single(element: Element, arguments: Sequence[Expr]) -> Expr:
    if len(arguments) != 1:
        raise ValueError(f"{element} must be of one coordinate, got {len(arguments)}.")
    return arguments[0]


def _points(element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Return the checked points of a spline, x and y, (N,) each."""
    x, y = numbers_in(element, "x"), numbers_in(element, "y")
    if len(x) != len(y) or len(x) < 2:
        raise ValueError(
            f"{element} must have two or more points, as many <x> as <y>, got {len(x)} and "
            f"{len(y)}."
        )
    if (np.diff(x) <= 0).any():
        raise ValueError(f"{element} must have increasing <x>.")
    return x, y


def _simm_spline(x: np.ndarray, y: np.ndarray) -> Any:
    """Return the spline of Forsythe, Malcolm and Moler, as in SIMM."""
    from scipy.interpolate import make_interp_spline  # slow to import

    # The third derivative at each end is that of the cubic through the four points at this end; the
    # spline through three points is a parabola.
    first, last = (
        [(3, 6 * np.polyfit(x[four] - x[four][0], y[four], 3)[0] if len(x) > 3 else 0.0)]
        for four in (slice(4), slice(-4, None))
    )
    return make_interp_spline(x, y, k=3, bc_type=(first, last))


def _make_piecewise(x: Expr, spline: Any, order: int) -> Expr:
    """Return the formula of a spline; beyond its ends it has degree ``order`` - 1."""
    from scipy.interpolate import PPoly  # slow to import

    # One polynomial with piecewise constant coefficients: derivatives share the coefficients.
    curve = PPoly.from_spline(spline)
    knots, inner = np.unique(curve.x), np.diff(curve.x) > 0
    table = np.zeros((len(knots) + 1, len(curve.c) + 1))  # start and coefficients of each piece
    table[:, 0] = knots[0], *knots
    table[1:-1, 1:] = curve.c[::-1, inner].T
    derivatives = [curve.derivative(k) if k else curve for k in range(order)]
    for row in (0, -1):
        end = [f(knots[row]) / factorial(k) for k, f in enumerate(derivatives)]
        table[row, 1 : order + 1] = end
    start, *coefficients = (_make_staircase(x, knots, column) for column in table.T)
    value, h = S.Zero, x - start
    for coefficient in reversed(coefficients):
        value = value * h + coefficient
    return value


def _make_staircase(x: Expr, knots: np.ndarray, numbers: np.ndarray) -> Expr:
    """Return the formula of a piecewise constant function: the number of the piece with x."""
    pairs = zip(knots, numbers[1:], strict=True)
    return Staircase(x, exact(numbers[0]), *(exact(n) for pair in pairs for n in pair))
