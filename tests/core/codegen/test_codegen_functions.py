"""What functions mean in all backends: what they mean in sympy, for real values."""

import itertools
from functools import cache

import numpy as np
import pytest
import sympy as sm
from codegen_programs import build, m, q, t
from sympy import And, Equivalent, Implies, Not, Or, Piecewise, Xor

from jointwrench.mechanics.evaluation.compilation import compile_program

x, y, w = q
VALUES = (-2.5, -1.0, 0.0, 0.5, 1.0, 2.0)
STATES = np.array(list(itertools.product(VALUES, repeat=3)))[::11]


def if_then(condition):
    return Piecewise((x + m, condition), (y, True))


FUNCTIONS = {
    "ITE": if_then(sm.ITE(x > 0, y > 0, w > 0)),
    "ITE in logic": if_then(And(sm.ITE(x > 0, y > 0, w < m), Not(sm.ITE(y > x, w > 0, x > w)))),
    "ITE of ITE": if_then(
        sm.ITE(
            Or(x > sm.Max(x, y), And(sm.Eq(w, 1), w >= y)),
            Equivalent(y > 0, x > m),
            Xor(x > w, y > 1),
        )
    ),
    "And": if_then(And(x > 0, y >= 0, w < 1)),
    "Or": if_then(Or(x > 0, y >= 0, m < 0)),
    "Xor": if_then(Xor(x > 0, y > 0, w > 0, evaluate=False)),
    "Implies": if_then(Implies(x > 0, y > 0)),
    "Equivalent": if_then(Equivalent(x > 0, y > 0, w > 0)),
    "Eq, Ne": Piecewise((1, sm.Eq(x, y)), (2, sm.Ne(x, w)), (3, True)),
    "Eq of functions": Piecewise((x, sm.Eq(sm.floor(x), 1)), (y, True)),
    "condition on constants": if_then(m > 1),
    "Piecewise in Piecewise": if_then(Piecewise((x, y > 0), (w, True)) > 0),
    "Max, Min": sm.Max(x, y, w, 0.5) + sm.Min(x, y, sm.Rational(1, 2), m),
    "Abs": sm.Abs(x * y),
    "sign": sm.sign(x),
    "Heaviside": sm.Heaviside(x),
    "Heaviside at 0": sm.Heaviside(x, 1) + sm.Heaviside(y, w),
    "floor, ceiling": sm.floor(x) + 10 * sm.ceiling(y),
    "frac": sm.frac(x),
    "Mod": sm.Mod(x, 2) + sm.Mod(y, -2) + sm.Mod(w, 0.75),
    "atan2": sm.atan2(x + 5, y) + sm.atan2(w, -1),
    "factorial": sm.factorial(x**2 / 8 - sm.Rational(1, 2)),
    "KroneckerDelta": sm.KroneckerDelta(x, y),
    "SingularityFunction": sm.SingularityFunction(x, sm.Rational(1, 3), 1),
    "derivative of Max": sm.Derivative(sm.Max(x, 2 * y + sm.Rational(1, 3)), x),
    "derivative of atan2": sm.Derivative(sm.atan2(x, y + 5), x),
}


@cache
def compiled(backend):
    outputs = {"out": ((len(FUNCTIONS),), list(FUNCTIONS.values()))}
    return compile_program(build(outputs, {"q": q, "constants": [m]}), backend=backend)


@pytest.fixture(scope="module", params=["c", "numpy", "pydy"])
def found(request):
    evaluate = compiled(request.param)
    return dict(zip(FUNCTIONS, evaluate(STATES, constants={m: 1.5}).outputs["out"].T, strict=True))


@cache
def by_sympy(name):
    """Return the values of a function at the states."""
    values = [{m: 1.5, **dict(zip(q, map(sm.nsimplify, x), strict=True))} for x in STATES]
    function = FUNCTIONS[name].doit()
    return [float(function.subs(v)) for v in values]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_is_what_sympy_says(found, name):
    expected = by_sympy(name)
    np.testing.assert_allclose(found[name], expected, rtol=1e-12, atol=1e-13)
    assert len(set(expected)) > 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", range(3))
def test_no_number_is_as_little_one_by_pydy(column, bad):
    states = np.array([np.insert(row, column, bad) for row in STATES[:, :2]])
    ours, theirs = (compiled(x)(states, constants={m: 1.5}).outputs["out"] for x in ("c", "pydy"))
    for k, name in enumerate(FUNCTIONS):
        np.testing.assert_allclose(theirs[:, k], ours[:, k], 1e-12, 1e-13, err_msg=name)


@pytest.mark.parametrize("backend", ["c", "numpy", "pydy"])
def test_derivatives_of_absolute_values_are_those_of_real_numbers(backend):
    """Sympy takes functions of time for complex, with derivatives in real and imaginary parts."""
    entries = [sm.Derivative(sm.Abs(x), x), sm.Abs(x).diff(x), sm.Derivative(y * sm.Abs(x), x)]
    entries += [sm.Abs(x).diff(t), sm.Derivative(sm.Abs(x * y), t)]
    rates = [s.diff(t) for s in q]
    program = build({"out": ((5,), entries)}, {"q": q, "u": rates})
    evaluate = compile_program(program, backend=backend)
    values = evaluate([[0.5, 2, 0], [-3, 5, 0]], [[7, 0, 0], [7, 1, 0]]).outputs["out"]
    np.testing.assert_allclose(values, [[1, 1, 2, 7, 14], [-1, -1, -5, -7, -32]])
