"""Calls of functions as C code."""

from typing import Any

from sympy import Piecewise, nan
from sympy.printing.c import C99CodePrinter

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
    "modulo": """\
/* The remainder with the sign of the divisor. */
static double modulo(double x, double y)
{
    const double remainder = fmod(x, y);
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

""",
}


class CallPrinter(C99CodePrinter):
    """Prints calls of functions so that they mean in C what they mean in sympy.

    For real arguments; a NaN stays a NaN.
    """

    def __init__(self) -> None:
        super().__init__()
        self._helpers: set[str] = set()

    @property
    def helpers(self) -> str:
        """The definitions of the functions that all calls printed so far rely on."""
        return "".join(text for name, text in _HELPERS.items() if name in self._helpers)

    def _helper(self, name: str, *arguments: str) -> str:
        self._helpers.add(name)
        return f"{name}({', '.join(arguments)})"

    def _print_Dummy(self, expr: Any) -> str:
        return expr.name

    def _print_Rational(self, expr: Any) -> str:
        return repr(float(expr))

    _print_Integer = _print_Rational  # the integers of C are small

    def _print_sign(self, expr: Any) -> str:
        return self._helper("sign", self._print(expr.args[0]))

    def _print_Max(self, expr: Any) -> str:
        return self._extreme("maximum", expr.args)

    def _print_Min(self, expr: Any) -> str:
        return self._extreme("minimum", expr.args)

    def _extreme(self, helper: str, arguments: tuple[Any, ...]) -> str:
        first, *others = map(self._print, arguments)
        for other in others:
            first = self._helper(helper, first, other)
        return first

    def _print_Heaviside(self, expr: Any) -> str:
        return self._helper("heaviside", *map(self._print, expr.args))

    def _print_Mod(self, expr: Any) -> str:
        return self._helper("modulo", *map(self._print, expr.args))

    def _print_Pow(self, expr: Any) -> str:
        base, exponent = expr.args
        if exponent.is_Rational and exponent.q == 2 and abs(exponent.p) == 1:
            root = f"sqrt({self._print(base)})"
            return root if exponent.p > 0 else f"(1.0/{root})"
        return f"pow({self._print(base)}, {self._print(exponent)})"

    def _print_KroneckerDelta(self, expr: Any) -> str:
        return self._print(expr.rewrite(Piecewise))

    def _print_Piecewise(self, expr: Any) -> str:
        if expr.args[-1].cond != True:  # noqa: E712 (a sympy value)
            expr = Piecewise(*expr.args, (nan, True))
        return super()._print_Piecewise(expr)
