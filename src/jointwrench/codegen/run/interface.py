"""What goes into an Evaluator and what comes out: all that is left of the program."""

from dataclasses import dataclass
from typing import Any

from sympy import Expr

from ..text.layout import CONSTANTS, GROUPS, Layout


@dataclass(frozen=True)
class Interface:
    """The inputs and outputs of a compiled program.

    Attributes
    ==========

    names : tuple of str
        The names of the outputs.
    shapes : tuple of tuple of int
        Their shapes for one sample.
    groups : tuple of tuple of Expr
        The symbols of each group of inputs, in the order of `GROUPS`.
    used : frozenset of Expr
        The inputs on which an output depends.
    """

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    groups: tuple[tuple[Any, ...], ...]
    used: frozenset[Expr]

    @classmethod
    def of(cls, layout: Layout) -> "Interface":
        """Return the interface of a program."""
        outputs = layout.program.outputs
        names, shapes = tuple(o.name for o in outputs), tuple(o.shape for o in outputs)
        return cls(names, shapes, layout.groups, layout.used)

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of symbols in each group."""
        return tuple(len(symbols) for symbols in self.groups)

    @property
    def constants(self) -> tuple[Any, ...]:
        """The symbols that have one value per call."""
        return self.groups[CONSTANTS]

    @property
    def specifieds(self) -> tuple[Any, ...]:
        """The symbols of the specified quantities."""
        return self.groups[list(GROUPS).index("specifieds")]

    @property
    def uses_specifieds(self) -> bool:
        """Whether an output depends on a specified quantity."""
        return not self.used.isdisjoint(self.specifieds)

    @property
    def uses_time(self) -> bool:
        """Whether an output depends on time explicitly."""
        return not self.used.isdisjoint(self.groups[-1])
