"""Calls of functions as C code."""

from typing import Any

from sympy import Piecewise, nan
from sympy.codegen.ast import float32, real
from sympy.printing.c import C99CodePrinter

from .call_printer import CallPrinter
from .precision import PRECISIONS, Precision

# What the C library has otherwise than sympy, or not at all.
_HELPERS = {
    "sign": """\
static real sign(real x)
{{
    return x > 0 ? 1 : (x < 0 ? -1 : x);
}}

""",
    "maximum": """\
static real maximum(real x, real y)
{{
    return x > y || isnan(x) ? x : y;
}}

""",
    "minimum": """\
static real minimum(real x, real y)
{{
    return x < y || isnan(x) ? x : y;
}}

""",
    "heaviside": """\
static real heaviside(real x, real at_zero)
{{
    return x < 0 ? 0 : (x > 0 ? 1 : (isnan(x) ? x : at_zero));
}}

""",
    "mod": """\
/* The remainder with the sign of the divisor. */
static real mod(real x, real y)
{{
    const real remainder = fmod{suffix}(x, y);
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}}

""",
}


class CCallPrinter(CallPrinter, C99CodePrinter):
    """Prints calls of functions as C code."""

    _power = "pow"

    def __init__(self, precision: Precision = PRECISIONS["double"]) -> None:
        super().__init__({"type_aliases": {real: float32}} if precision.suffix else {})
        self._suffix = precision.suffix
        self._called: set[str] = set()

    @property
    def helpers(self) -> str:
        """The definitions of the functions that all calls printed so far rely on."""
        called = (text for name, text in _HELPERS.items() if name in self._called)
        return "".join(called).format(suffix=self._suffix)

    def _call(self, function: str, *arguments: Any) -> str:
        self._called.add(function)
        return super()._call(function + ("" if function in _HELPERS else self._suffix), *arguments)

    def _print_Rational(self, expr: Any) -> str:
        return super()._print_Rational(expr) + self._suffix

    _print_Integer = _print_Rational

    def _print_sign(self, expr: Any) -> str:
        return self._call("sign", *expr.args)

    def _print_Piecewise(self, expr: Any) -> str:
        if expr.args[-1].cond != True:  # noqa: E712 (a sympy value)
            expr = Piecewise(*expr.args, (nan, True))
        return super()._print_Piecewise(expr)
