"""Calls of functions as C code."""

from typing import Any

from sympy import Piecewise, nan
from sympy.printing.c import C99CodePrinter

from .call_printer import CallPrinter

# What the C library has otherwise than sympy, or not at all.
_HELPERS = {
    "sign": """\
static double sign(double x)
{
    return x > 0 ? 1 : (x < 0 ? -1 : x);
}

""",
    "maximum": """\
static double maximum(double x, double y)
{
    return x > y || isnan(x) ? x : y;
}

""",
    "minimum": """\
static double minimum(double x, double y)
{
    return x < y || isnan(x) ? x : y;
}

""",
    "heaviside": """\
static double heaviside(double x, double at_zero)
{
    return x < 0 ? 0 : (x > 0 ? 1 : (isnan(x) ? x : at_zero));
}

""",
    "mod": """\
/* The remainder with the sign of the divisor. */
static double mod(double x, double y)
{
    const double remainder = fmod(x, y);
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

""",
}


class CCallPrinter(CallPrinter, C99CodePrinter):
    """Prints calls of functions as C code."""

    _power = "pow"

    def __init__(self) -> None:
        super().__init__()
        self._called: set[str] = set()

    @property
    def helpers(self) -> str:
        """The definitions of the functions that all calls printed so far rely on."""
        return "".join(text for name, text in _HELPERS.items() if name in self._called)

    def _call(self, function: str, *arguments: Any) -> str:
        self._called.add(function)
        return super()._call(function, *arguments)

    def _print_sign(self, expr: Any) -> str:
        return self._call("sign", *expr.args)

    def _print_Piecewise(self, expr: Any) -> str:
        if expr.args[-1].cond != True:  # noqa: E712 (a sympy value)
            expr = Piecewise(*expr.args, (nan, True))
        return super()._print_Piecewise(expr)
