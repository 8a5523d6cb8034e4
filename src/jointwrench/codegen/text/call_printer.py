"""Calls of functions as code: what is printed alike in every language."""

from functools import partial, reduce
from typing import Any, ClassVar

from sympy import Eq, Piecewise, Rational, oo
from sympy.printing.codeprinter import CodePrinter


class CallPrinter(CodePrinter):
    """Prints calls of functions so that they mean what they mean in sympy.

    For real arguments; a NaN stays a NaN.
    """

    #: What a power is called.
    _power: ClassVar[str]

    def _call(self, function: str, *arguments: Any) -> str:  # expressions, or printed ones
        return f"{function}({', '.join(map(self._print, arguments))})"

    def _in_pairs(self, function: str, arguments: tuple[Any, ...]) -> str:
        return reduce(partial(self._call, function), arguments[1:], self._print(arguments[0]))

    def _print_Dummy(self, expr: Any) -> str:
        return expr.name

    def _print_Rational(self, expr: Any) -> str:
        return repr(float(expr))

    _print_Integer = _print_Rational  # the integers of C are small

    def _print_Max(self, expr: Any) -> str:
        return self._in_pairs("maximum", expr.args)

    def _print_Min(self, expr: Any) -> str:
        return self._in_pairs("minimum", expr.args)

    def _print_Heaviside(self, expr: Any) -> str:
        return self._call("heaviside", *expr.args)

    def _print_DiracDelta(self, expr: Any) -> str:  # infinite at zero
        return self._print(Piecewise((oo, Eq(expr.args[0], 0)), (0, True)))

    def _print_Select(self, expr: Any) -> str:
        return self._print(expr.rewrite(Piecewise))

    def _print_Mod(self, expr: Any) -> str:
        return self._call("mod", *expr.args)

    def _print_Pow(self, expr: Any, **options: Any) -> str:
        base, exponent = expr.args
        if exponent in (Rational(1, 2), Rational(-1, 2)):
            root = self._call("sqrt", base)
            return root if exponent > 0 else f"(1.0/{root})"
        return self._call(self._power, base, exponent)

    def _print_KroneckerDelta(self, expr: Any) -> str:
        return self._print(expr.rewrite(Piecewise))
