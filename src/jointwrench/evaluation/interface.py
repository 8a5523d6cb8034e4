"""What goes into an Evaluator and what comes out: all that is left of the program."""

from dataclasses import dataclass

from sympy import Expr

from ..arithmetic.program import Group, Program
from .compiled_outputs import CompiledOutput, CompiledOutputs


@dataclass(frozen=True)
class Interface:
    """The inputs and outputs of a compiled program; ``shapes`` are for one sample."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    groups: tuple[Group, ...]
    used: frozenset[Expr]
    outputs: CompiledOutputs

    @classmethod
    def of(cls, program: Program) -> "Interface":
        """Return the interface of a program."""
        names = tuple(output.name for output in program.outputs)
        shapes = tuple(output.shape for output in program.outputs)
        outputs = CompiledOutputs(map(CompiledOutput.of, program.outputs))
        used = frozenset(program.used_inputs)
        return cls(names, shapes, program.groups, used, outputs)
