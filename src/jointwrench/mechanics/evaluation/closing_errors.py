"""The code that tells by how much a motion violates a model's constraints."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..arithmetic.graph import Scalar, total
from ..arithmetic.groups import Group
from ..arithmetic.program import Output, Program
from ..arithmetic.term_sizes import squared_terms
from ..codegen.text.statements import Layout
from ..dynamics.derivation import Derivation, exclusive
from ..dynamics.loops.scaling import length_of, mass_of, units_of_speeds
from ..dynamics.outputs.inverse_outputs import input_groups
from ..dynamics.outputs.model_outputs import ModelOutputs
from ..dynamics.recursion.scalar_tree import external_wrenches
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
            errors, program = self._programs()
            places = {
                symbol: (group.name, k)
                for group in self._groups
                for k, symbol in enumerate(group.symbols)
            }
            used = tuple(places[symbol] for symbol in errors.used_inputs)
            _, source, modules = numpy_recipe(Layout(program))
            shapes = tuple(output.shape for output in program.outputs)
            self._code = ErrorCode(source, modules, shapes, used)
        return self._code

    def _programs(self) -> tuple[Program, Program]:
        """Return the program of errors and their terms, and that of sizes of motions as well."""
        derivation, groups = self._derivation, self._outputs.inputs
        levels = derivation.constraint_errors[: sum(name in groups for name in LEVELS)]
        shape = len(levels), len(levels[0])
        units, accelerations = _sizes(derivation)
        given = [
            Output.from_scalars("errors", shape, [x for level in levels for x in level]),
            Output.from_scalars("units", (len(units),), units),
            Output.from_scalars("accelerations", (len(accelerations),), accelerations),
        ]
        program = Program(derivation.graph, given, input_groups(groups, groups))
        program = program.with_numbers(self._numbers)  # in a graph of its own
        graph = program.graph
        errors, units, own = ([Scalar(graph, ref) for ref in x.refs] for x in program.outputs)
        known = total(squared_terms(graph, own))
        outputs = [
            program.outputs[0],
            Output.from_scalars("terms", shape, squared_terms(graph, errors)),
            Output.from_scalars("sizes", (len(units) + 1,), [known, *units]),
        ]
        return Program(graph, outputs[:2], self._groups), Program(graph, outputs, self._groups)


def _sizes(derivation: Derivation) -> tuple[list[Scalar], list[Scalar]]:
    """Return the model's length with units of speeds, and what gravity and loads accelerate."""
    tree, known, zero = derivation.scalars, derivation.loads, derivation.graph.scalar(0)
    unknown = *derivation.request.solve_for, *derivation.tree.accelerations
    length, share = length_of(tree), mass_of(tree).reciprocal()
    accelerations = [zero, *tree.express(known.gravity_parts, None).components]
    for wrench in external_wrenches(tree, known.at_zero(unknown)).values():
        accelerations += [x * share for x in wrench.force.components]
        accelerations += [x * share / length for x in wrench.moment.components]
    return [length, *units_of_speeds(tree)], accelerations
