"""Where the inputs of a program stand in the arrays of the compiled function."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr

from ...arithmetic.graph import Input
from ...arithmetic.program import Program

#: The groups of inputs, in the order of the compiled function's arguments, and
#: what they hold.  Only these words, never a symbol's name, get into the code.
GROUPS = {
    "q": "generalized coordinates",
    "u": "generalized speeds",
    "udot": "time derivatives of the generalized speeds",
    "constants": "constants",
    "specifieds": "specified quantities",
    "times": "time",
}

#: The position of the group that has one value per call instead of one per sample.
CONSTANTS = list(GROUPS).index("constants")

#: What evaluates a batch, in any backend.  Its arguments are the number of
#: samples, the flat input arrays of all groups, their strides from row to row (0
#: is one row for all samples), and the flat output arrays that it fills.
Kernel = Callable[[int, tuple[Any, ...], tuple[int, ...], tuple[Any, ...]], None]


@dataclass(frozen=True, order=True)
class Place:
    """Where an input stands: in which group, at which position in it."""

    group: int
    index: int

    @property
    def comment(self) -> str:
        """What the reader of the code gets to know about it."""
        return f"{list(GROUPS)[self.group]}[{self.index}]"


class Layout:
    """The arrays that go into and come out of a compiled program.

    Parameters
    ==========

    program : Program
        The program.  Groups of inputs that it lacks are taken as empty.

    Raises
    ======

    ValueError
        If the program has a group of another name, if a symbol is in two places,
        or if the graph and the groups disagree on whether an input is constant.
    """

    def __init__(self, program: Program) -> None:
        unknown = [group for group in program.inputs if group not in GROUPS]
        if unknown:
            raise ValueError(
                f"`program` must have inputs in the groups {', '.join(GROUPS)} only, "
                f"got the group {unknown[0]!r}."
            )
        self.program = program
        self.groups = tuple(program.inputs.get(group, ()) for group in GROUPS)
        self.places: dict[Expr, Place] = {}
        for number, symbols in enumerate(self.groups):
            for index, symbol in enumerate(symbols):
                if symbol in self.places:
                    raise ValueError(f"`program` must have each input once, got {symbol} twice.")
                self.places[symbol] = Place(number, index)
        self._check_constants()

    def _check_constants(self) -> None:
        varying = self.program.graph.varying
        for ref, operation in self.program.operations.items():
            if not isinstance(operation, Input):
                continue
            place = self.places[operation.symbol]
            if varying[ref] == (place.group == CONSTANTS):
                raise ValueError(
                    f"`program` has {operation.symbol} in the group {list(GROUPS)[place.group]!r}, "
                    f"but its graph takes it as {'varying' if varying[ref] else 'constant'}. "
                    f"Use Graph(varying=...) with all inputs that change from sample to sample."
                )

    def place(self, ref: int) -> Place:
        """Return the place of an input by its reference."""
        operation = self.program.operations[ref]
        assert isinstance(operation, Input)
        return self.places[operation.symbol]

    @cached_property
    def used(self) -> frozenset[Expr]:
        """The inputs on which an output depends."""
        return frozenset(self.program.used_inputs)

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of symbols in each group."""
        return tuple(len(symbols) for symbols in self.groups)
