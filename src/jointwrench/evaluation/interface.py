"""What goes into an Evaluator and what comes out: all that is left of the program."""

from dataclasses import dataclass

import numpy as np
from sympy import Expr

from ..arithmetic.program import Group, Output, Program
from .packed import Pattern
from .result_derivatives import CompiledDerivative, CompiledDerivatives


@dataclass(frozen=True)
class Interface:
    """The inputs and outputs of a compiled program; ``shapes`` are for one sample."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    groups: tuple[Group, ...]
    used: frozenset[Expr]
    derivatives: CompiledDerivatives

    @classmethod
    def of(cls, program: Program) -> "Interface":
        """Return the interface of a program."""
        names = tuple(output.name for output in program.outputs)
        shapes = tuple(output.shape for output in program.outputs)
        used = frozenset(program.used_inputs)
        return cls(names, shapes, program.groups, used, _derivatives(program))


def _derivatives(program: Program) -> CompiledDerivatives:
    patterns = {output.name: _pattern(output) for output in program.outputs}
    derivatives = (
        CompiledDerivative(output.name, output.derivative_of, patterns[output.name])
        for output in program.outputs
        if output.derivative_of is not None
    )
    packed = {output.name: patterns[output.name] for output in program.outputs if output.packed}
    return CompiledDerivatives(derivatives, packed)


def _pattern(output: Output) -> Pattern:
    """Return what of an output is not zero for all inputs."""
    if output.packed:
        return Pattern(output.packed.shape, np.array(output.packed.places, int))
    return Pattern(output.shape, np.flatnonzero(output.refs))
