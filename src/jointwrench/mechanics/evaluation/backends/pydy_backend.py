"""A program as C by PyDy's own generator, in a loop over samples.

PyDy gets the program's operations as sub-expressions.  Its own search for sub-expressions starts
from explicit expressions, which grow so fast with each body that it does not end for large models.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import sympy as sm

from ...adapters.private_pydy import c_source
from ...arithmetic.operations import SYMPY, Call, Constant, Input
from ...codegen.text.printers import CCallPrinter
from ...codegen.text.statements import Layout, Statements

_LOOP = """

#include <stddef.h>

#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int evaluate_arrays(ptrdiff_t samples, double **inputs, const ptrdiff_t *strides, double **outputs)
{{
    for (ptrdiff_t k = 0; k < samples; k++)
        evaluate({arguments});
    return 0;
}}
"""

#: Bound of the integers that PyDy's printer may write as C.
_LARGEST = 2**31


def pydy_recipe(layout: Layout) -> tuple[Any, ...]:
    """Return the recipe of `codes.PydyCode`: backend and source."""
    program, operations = layout.program, layout.program.operations
    ours = Statements(layout, CCallPrinter(), "NAN", "INFINITY")  # refuses functions that C lacks
    groups = [
        {symbol: _symbol(f"x{number}_{k}") for k, symbol in enumerate(group.symbols)}
        for number, group in enumerate(layout.groups)
    ]
    names = {symbol: name for group in groups for symbol, name in group.items()}
    computed: list[tuple[sm.Symbol, sm.Expr]] = []

    def kept(name: str, value: sm.Expr) -> sm.Symbol:
        computed.append((_symbol(name), value))
        return computed[-1][0]

    def call(function: Any, arguments: list[Any]) -> Any:
        """Return a call as an expression that PyDy's printer writes with its meaning in sympy."""
        meant = _REWRITTEN.get(function, function)
        if function not in (sm.Max, sm.Min):
            return meant(*arguments)
        return reduce(lambda x, y: kept(f"pair_{len(computed)}", meant(x, y)), arguments)

    arithmetic = replace(SYMPY, symbol=names.__getitem__, number=_number, call=call)
    values: dict[int, Any] = {}
    for ref, operation in operations.items():
        if isinstance(operation, Call):
            ours.text(ref)
        value = arithmetic.value(operation, values)
        is_short = isinstance(operation, (Input, Constant))
        values[ref] = value if is_short else kept(ours.name(ref), value)
    outputs = [
        sm.ImmutableDenseMatrix(len(x.refs), 1, [arithmetic.signed(ref, values) for ref in x.refs])
        for x in program.outputs
    ]
    arguments = [f"inputs[{k}] + k*strides[{k}]" for k in range(len(groups))]
    arguments += [f"outputs[{k}] + k*{len(x.refs)}" for k, x in enumerate(program.outputs)]
    source = c_source([[*group.values()] for group in groups], computed, outputs)
    return "pydy", source + _LOOP.format(arguments=", ".join(arguments))


def _symbol(name: str) -> sm.Symbol:
    return sm.Symbol(name, extended_real=True)


def _number(value: sm.Expr) -> sm.Expr:
    is_short = isinstance(value, sm.Rational) and max(abs(value.p), value.q) < _LARGEST
    return value if is_short else value.evalf(17)


def _power(base: sm.Expr, exponent: sm.Expr) -> sm.Expr:  # C's cbrt is real for negative numbers
    return sm.Pow(base, sm.Float(exponent) if exponent == sm.Rational(1, 3) else exponent)


def _larger(x: sm.Expr, y: sm.Expr) -> sm.Expr:  # NaN if one is
    return sm.Piecewise((x, x > y), (y, y > x), (x / 2 + y / 2, True))


def _smaller(x: sm.Expr, y: sm.Expr) -> sm.Expr:
    return sm.Piecewise((x, x < y), (y, y < x), (x / 2 + y / 2, True))


#: Rewritings of functions that C lacks or defines differently from sympy, also for NaN.
_REWRITTEN: dict[Any, Callable[..., sm.Expr]] = {
    sm.DiracDelta: lambda x: sm.Piecewise((sm.oo, sm.Eq(x, 0)), (0, True)),
    sm.Heaviside: lambda x, at_zero: sm.Piecewise((0, x < 0), (1, x > 0), (at_zero + x, True)),
    sm.KroneckerDelta: lambda *given: sm.KroneckerDelta(*given).rewrite(sm.Piecewise),
    sm.Max: _larger,
    sm.Min: _smaller,
    sm.Mod: lambda x, y: x - y * sm.floor(x / y),
    sm.Piecewise: lambda *given: sm.Piecewise(*given, (sm.nan, True)),
    sm.Pow: _power,
    sm.sign: lambda x: sm.Piecewise((1, x > 0), (-1, x < 0), (x, True)),
}
