"""Printers of sympy expressions as code, of C and of other languages, and types of C's numbers."""

from functools import partial, reduce
from typing import Any, ClassVar, NamedTuple

from sympy import Eq, Piecewise, Rational, nan, oo
from sympy.codegen.ast import float32, real
from sympy.printing.c import C99CodePrinter
from sympy.printing.codeprinter import CodePrinter

from .templates import functions_of


class Precision(NamedTuple):
    """A type of C: its name, its size in bytes, an integer of that size, and suffix of numbers."""

    real: str
    bytes: int
    integer: str
    suffix: str


#: The precisions by the names that users give.
PRECISIONS = {
    "double": Precision("double", 8, "long long", ""),
    "float": Precision("float", 4, "int", "f"),
}


class CallPrinter(CodePrinter):
    """Prints calls on real arguments with their meaning in sympy; NaN stays NaN."""

    #: The name of the power function.
    _power: ClassVar[str]

    def _call(self, function: str, *arguments: Any) -> str:
        """Return a call of a function; arguments are expressions or texts."""
        return f"{function}({', '.join(map(self._print, arguments))})"

    def _in_pairs(self, function: str, arguments: tuple[Any, ...]) -> str:
        """Return nested calls of a function of two arguments for several arguments."""
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

    _print_KroneckerDelta = _print_Certain = _print_AbsorbingProduct = _print_Select


class CCallPrinter(CallPrinter, C99CodePrinter):
    """Prints calls as C99, for a precision."""

    _power = "pow"

    def __init__(self, precision: Precision = PRECISIONS["double"]) -> None:
        super().__init__({"type_aliases": {real: float32}} if precision.suffix else {})
        self._suffix = precision.suffix
        self._called: set[str] = set()

    @property
    def helpers(self) -> str:
        """The definitions of the helper functions that the calls printed so far use."""
        known = functions_of("helpers", self._suffix)
        return "".join(text for name, text in known.items() if name in self._called)

    def _call(self, function: str, *arguments: Any) -> str:
        self._called.add(function)
        return super()._call(
            function + ("" if function in functions_of("helpers") else self._suffix), *arguments
        )

    def _print_Rational(self, expr: Any) -> str:
        return super()._print_Rational(expr) + self._suffix

    _print_Integer = _print_Rational

    def _print_sign(self, expr: Any) -> str:
        return self._call("sign", *expr.args)

    def _print_Piecewise(self, expr: Any) -> str:
        if expr.args[-1].cond != True:  # noqa: E712 (a sympy value)
            expr = Piecewise(*expr.args, (nan, True))
        return super()._print_Piecewise(expr)
