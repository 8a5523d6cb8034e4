"""Where the inputs of a program stand in the arrays of the compiled function."""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr

from ...arithmetic.graph import Input
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
