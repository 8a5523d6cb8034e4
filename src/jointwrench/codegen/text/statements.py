"""The operations of a program as text of a programming language, and where its inputs stand.

Sums and products are written directly, since large systems have tens of
thousands of them.  Anything else goes through one of sympy's code printers, one
small expression at a time, whose arguments have been replaced by dummies.  No
symbol of the user's gets to a printer, so neither does its name.

"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from sympy import Dummy, Expr, Pow, Rational
from sympy.core.function import Application
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import BooleanAtom
from sympy.printing.codeprinter import CodePrinter

from ...arithmetic.graph import ArgumentPart, Call, Constant, Input, Product, Sum, references
from ...arithmetic.interpret import SYMPY
from ...arithmetic.program import Program


@dataclass(frozen=True, order=True)
class InputPlace:
    """Where an input stands: in which group, at which position in it."""

    group: int
    index: int


class Layout:
    """The arrays that go into and come out of a compiled program; a symbol has one place."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.groups = program.groups
        self.places: dict[Expr, InputPlace] = {}
        for number, group in enumerate(self.groups):
            for index, symbol in enumerate(group.symbols):
                if symbol in self.places:
                    raise ValueError(f"`program` must have each input once, got {symbol} twice.")
                self.places[symbol] = InputPlace(number, index)

    def place(self, ref: int) -> InputPlace:
        """Return the place of an input by its reference."""
        operation = self.program.operations[ref]
        assert isinstance(operation, Input)
        return self.places[operation.symbol]

    @cached_property
    def per_call(self) -> frozenset[int]:
        """The numbers of the groups that have one value per call."""
        return frozenset(k for k, group in enumerate(self.groups) if group.per == "call")

    def comment(self, place: InputPlace) -> str:
        """Return what the reader of the code gets to know about an input."""
        return f"{self.groups[place.group].name}[{place.index}]"


#: Functions (logical ones are among them), comparisons, and the pieces of a Piecewise.
_PRINTABLE = (Application, Pow, Relational, ExprCondPair)


class Statements:
    """A program's operations as text.

    Computed values are named ``z0, z1, ...`` and used inputs ``x0, x1, ...``, both in the order of
    the program.  The printer must print a `Dummy` as its bare name.
    """

    def __init__(
        self,
        layout: Layout,
        printer: CodePrinter,
        not_a_number: str,
        infinity: str,
        suffix: str = "",
    ) -> None:
        self._suffix = suffix  # of numbers
        self._printer = printer
        self._special = {"nan": not_a_number, "inf": infinity}
        self._operations = layout.program.operations
        self._names: dict[int, str] = {}
        counts = {"x": count(), "z": count()}
        for ref, operation in self._operations.items():
            if isinstance(operation, Constant):
                self._names[ref] = self._number(operation.value)
            else:
                letter = "x" if isinstance(operation, Input) else "z"
                self._names[ref] = f"{letter}{next(counts[letter])}"

    def _number(self, value: Expr) -> str:
        try:
            number = float(value)
        except TypeError:  # complex
            number = math.inf
        if math.isinf(number) and value.is_finite:
            raise ValueError(
                f"The outputs contain the number {value}, which is no real number of double "
                f"precision, so that they cannot be compiled."
            )
        text = repr(number)
        return self._special.get(text, text + self._suffix)

    def name(self, ref: int) -> str:
        """Return the name of a value."""
        return self._names[ref]

    def text(self, ref: int) -> str:
        """Return the text that computes a value."""
        return self._operation(self._operations[ref])

    def signed(self, ref: int) -> str:
        """Return the text of a signed reference."""
        if ref == 0:
            return f"0.0{self._suffix}"
        return self._names[ref] if ref > 0 else f"-{self._names[-ref]}"

    def _operation(self, operation: Any) -> str:
        names = self._names
        if isinstance(operation, Sum):
            sign = "+" if operation.right > 0 else "-"
            return f"{names[operation.left]} {sign} {names[abs(operation.right)]}"
        if isinstance(operation, Product):
            return f"{names[operation.left]}*{names[operation.right]}"
        if operation.function is Pow and self._is_minus_one(operation.arguments[1]):
            return f"1.0{self._suffix}/{self.signed(operation.arguments[0])}"
        return self._call(operation)

    def _is_minus_one(self, ref: int) -> bool:
        return ref < 0 and self._operations[-ref] == Constant(Rational(1))

    def _call(self, call: Call) -> str:
        if not _can_be_printed(call):
            raise _not_supported(call)
        atoms = {ref: self._atom(ref) for ref in references(call)}
        try:
            text = self._printer.doprint(SYMPY.value(call, atoms))
        except NotImplementedError:
            raise _not_supported(call) from None
        return " ".join(text.split())

    def _atom(self, ref: int) -> Expr:
        """Return what stands for a value in an expression that is to be printed.

        Exact fractions stay, because a square root is told by its exponent.
        """
        operation = self._operations[ref]
        if isinstance(operation, Constant) and isinstance(operation.value, Rational):
            return operation.value
        return Dummy(self._names[ref], real=True)


def _can_be_printed(call: Call | ArgumentPart) -> bool:
    """Whether a call is of functions of scalars and conditions alone.

    What binds a symbol, such as a Sum or an Integral, is none: its symbol is no value.
    """
    return issubclass(call.function, _PRINTABLE) and all(
        _can_be_printed(argument)
        if isinstance(argument, ArgumentPart)
        else isinstance(argument, (int, BooleanAtom))
        for argument in call.arguments
    )


def _not_supported(call: Call) -> ValueError:
    return ValueError(
        f"The outputs contain the function {call.function.__name__}, which cannot be compiled. "
        "Use expr.doit() or expr.rewrite(...) to express it in elementary functions or a "
        "Piecewise, a function of time in its place that is given as a specified quantity, or "
        "backend='numpy', which has more functions."
    )
