"""The operations of a program as text of a programming language, and the positions of inputs.

Sums and products, of which there are many, are written directly; other operations by sympy's code
printers on dummies, so that no name of a user's symbol reaches a printer.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from sympy import Dummy, Expr, Pow, Rational
from sympy.core.function import Application
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import BooleanAtom
from sympy.printing.codeprinter import CodePrinter

from ...arithmetic.graph import ArgumentPart, Call, Constant, Input, Product, Sum, references
from ...arithmetic.operations import SYMPY
from ...arithmetic.program import Program


@dataclass(frozen=True, order=True)
class InputPlace:
    """The position of an input: the index of its group and its index in the group."""

    group: int
    index: int


class Layout:
    """The input and output arrays of a compiled program; each symbol has one position."""

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
        """Return the position of the input with this reference."""
        operation = self.program.operations[ref]
        assert isinstance(operation, Input)
        return self.places[operation.symbol]

    @cached_property
    def per_call(self) -> frozenset[int]:
        """The indices of the groups that have one value per call."""
        return frozenset(k for k, group in enumerate(self.groups) if group.per == "call")

    def comment(self, place: InputPlace) -> str:
        """Return the comment on an input."""
        return f"{self.groups[place.group].name}[{place.index}]"


#: Functions, also logical ones, comparisons, and the pieces of a Piecewise.
_PRINTABLE = (Application, Pow, Relational, ExprCondPair)


class Statements:
    """A program's operations as text: values are ``z0, z1, ...``, used inputs ``x0, x1, ...``."""

    def __init__(
        self, layout: Layout, printer: CodePrinter, nan: str, inf: str, suffix: str = ""
    ) -> None:
        self._suffix = suffix  # of numbers
        self._printer = printer
        self._special = {"nan": nan, "inf": inf}
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
        """Return a number as text."""
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
        """Return the name of a value, or the text of a number."""
        return self._names[ref]

    def text(self, ref: int) -> str:
        """Return the text that computes a value."""
        operation, names = self._operations[ref], self._names
        if isinstance(operation, Sum):
            sign = "+" if operation.right > 0 else "-"
            return f"{names[operation.left]} {sign} {names[abs(operation.right)]}"
        if isinstance(operation, Product):
            return f"{names[operation.left]}*{names[operation.right]}"
        assert isinstance(operation, Call)
        if operation.function is Pow:
            base, exponent = operation.arguments
            if exponent < 0 and self._operations[-exponent] == Constant(Rational(1)):
                return f"1.0{self._suffix}/{self.signed(base)}"
        return self._call(operation)

    def signed(self, ref: int) -> str:
        """Return the name of a value, with a minus sign for its negative."""
        if ref == 0:
            return f"0.0{self._suffix}"
        return self._names[ref] if ref > 0 else f"-{self._names[-ref]}"

    def _call(self, call: Call) -> str:
        """Return the text of a function call."""
        try:
            if not _can_be_printed(call):
                raise NotImplementedError
            atoms = {ref: self._atom(ref) for ref in references(call)}
            return " ".join(self._printer.doprint(SYMPY.value(call, atoms)).split())
        except NotImplementedError:
            raise ValueError(
                f"The outputs contain the function {call.function.__name__}, which cannot be "
                "compiled. Use expr.doit() or expr.rewrite(...) to express it in elementary "
                "functions or a Piecewise, a function of time in its place that is given as a "
                "specified quantity, or backend='numpy', which has more functions."
            ) from None

    def _atom(self, ref: int) -> Expr:
        """Return an operand for the printer: a fraction, exact because it may be a root, or a
        dummy.
        """
        operation = self._operations[ref]
        if isinstance(operation, Constant) and isinstance(operation.value, Rational):
            return operation.value
        return Dummy(self._names[ref], real=True)


def _can_be_printed(call: Call | ArgumentPart) -> bool:
    """Return whether a call has only scalars and conditions; a Sum or Integral binds a symbol."""
    return issubclass(call.function, _PRINTABLE) and all(
        _can_be_printed(argument)
        if isinstance(argument, ArgumentPart)
        else isinstance(argument, (int, BooleanAtom))
        for argument in call.arguments
    )
