"""The code that tells by how much a motion violates a model's constraints."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..arithmetic.graph import Scalar
from ..arithmetic.groups import Group
from ..arithmetic.program import Output, Program
from ..arithmetic.term_sizes import squared_terms
from ..codegen.text.statements import Layout
from ..dynamics.derivation import exclusive
from ..dynamics.outputs.inverse_outputs import input_groups
from ..dynamics.outputs.model_outputs import ModelOutputs
from .backends.numpy_backend import numpy_recipe
from .closing_look import LEVELS, ClosingLook, ErrorCode

#: Outputs that mean the same where a motion violates the constraints.
KINEMATIC = frozenset(
    (
        *("mass_matrix", "inverse_mass_matrix", "bias", "conditioning", "constraint_errors"),
        *("kinetic_energies", "body_powers", "energy", "qdot", "sliding_speeds"),
    )
)


def closing_look(
    outputs: ModelOutputs,
    names: Iterable[str],
    groups: Sequence[Group],
    numbers: Mapping[Any, Any],
) -> ClosingLook:
    """Return the look of an evaluator of some outputs, of groups of inputs without numbers."""
    tree = outputs.derivation.tree
    has_forces = outputs.may_be_forces and not KINEMATIC.issuperset(names)
    errors = ClosingErrors(outputs, groups, numbers) if tree.constraints else None
    return ClosingLook(errors, tree.is_turning.tolist(), tree.quaternion_columns, has_forces)


class ClosingErrors:
    """Makes the code for an evaluator of a model, whose groups of inputs it takes."""

    def __init__(
        self, outputs: ModelOutputs, groups: Sequence[Group], numbers: Mapping[Any, Any]
    ) -> None:
        self._outputs, self._groups, self._numbers = outputs, tuple(groups), numbers
        self._derivation = outputs.derivation  # what `exclusive` locks
        self._code: ErrorCode | None = None

    @exclusive
    def __call__(self) -> ErrorCode:
        """Return the code, which is made once."""
        if self._code is None:
            program = self._program()
            places = {
                symbol: (group.name, k)
                for group in self._groups
                for k, symbol in enumerate(group.symbols)
            }
            used = tuple(places[symbol] for symbol in program.used_inputs)
            _, source, modules = numpy_recipe(Layout(program))
            self._code = ErrorCode(source, modules, program.outputs[0].shape, used)
        return self._code

    def _program(self) -> Program:
        derivation, groups = self._derivation, self._outputs.inputs
        levels = derivation.constraint_errors[: sum(name in groups for name in LEVELS)]
        entries = [entry for level in levels for entry in level]
        errors = Output.from_scalars("errors", (len(levels), len(levels[0])), entries)
        program = Program(derivation.graph, [errors], input_groups(groups, groups))
        program = program.with_numbers(self._numbers)  # in a graph of its own
        graph, (errors,) = program.graph, program.outputs
        squares = squared_terms(graph, [Scalar(graph, ref) for ref in errors.refs])
        terms = Output.from_scalars("terms", errors.shape, squares)
        return Program(graph, [errors, terms], self._groups)
