"""What goes into an Evaluator and what comes out: all that is left of the program."""

from dataclasses import dataclass

from sympy import Expr

from ...arithmetic.program import Group, Program


@dataclass(frozen=True)
class Interface:
    """The inputs and outputs of a compiled program.

    Attributes
    ==========

    names : tuple of str
        The names of the outputs.
    shapes : tuple of tuple of int
        Their shapes for one sample.
    groups : tuple of Group
        The groups of inputs.
    used : frozenset of Expr
        The inputs on which an output depends.
    """

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    groups: tuple[Group, ...]
    used: frozenset[Expr]

    @classmethod
    def of(cls, program: Program) -> "Interface":
        """Return the interface of a program."""
        names = tuple(output.name for output in program.outputs)
        shapes = tuple(output.shape for output in program.outputs)
        return cls(names, shapes, program.groups, frozenset(program.used_inputs))
