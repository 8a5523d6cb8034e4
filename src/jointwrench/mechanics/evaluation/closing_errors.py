"""The code that tells by how much a motion violates constraints, and whether speeds lack mass."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...checks.arguments import symbol_name
from ...checks.on_demand import OnDemand
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
from ..mechanism.tree import Tree
from .backends.numpy_backend import numpy_recipe
from .closing_look import LEVELS, ClosingLook
from .look_code import LookCode
from .mass_look import MassLook

inertial_conditioning = OnDemand("mechanics.dynamics.outputs.conditioning", "inertial_conditioning")

#: Outputs that mean the same where a motion violates the constraints.
KINEMATIC = frozenset(
    (
        *("mass_matrix", "inverse_mass_matrix", "bias", "conditioning", "constraint_errors"),
        *("kinetic_energies", "body_powers", "energy", "qdot", "sliding_speeds"),
    )
)

#: Outputs of forward dynamics that need no accelerations.
OF_STATES = frozenset(("constraint_errors", "energy", "qdot", "sliding_speeds"))


def closing_look(
    outputs: ModelOutputs,
    names: Iterable[str],
    groups: Sequence[Group],
    numbers: Mapping[Any, Any],
) -> ClosingLook:
    """Return the look of an evaluator of some outputs, of groups of inputs without numbers."""
    tree = outputs.derivation.tree
    has_forces = outputs.may_be_forces and not KINEMATIC.issuperset(names)
    given = outputs, groups, numbers
    errors = _OnDemand(_code_of_errors, *given) if tree.constraints else None
    look = None
    if outputs.solves_motion and not OF_STATES.issuperset(names) and (own := _masses(tree, groups)):
        look = MassLook(_OnDemand(_code_of_independence, *given), own)
    return ClosingLook(errors, tree.is_turning.tolist(), tree.quaternion_columns, has_forces, look)


def _masses(tree: Tree, groups: Sequence[Group]) -> list[tuple[int, str]]:
    """Return the places and names of constants on which masses and moments of inertia depend."""
    own = [[link.mass, *(link.inertia[k, k] for k in range(3))] for link in tree.links]
    symbols = {symbol for entries in own for x in entries for symbol in x.free_symbols}
    constants = next(group.symbols for group in groups if group.name == "constants")
    return [(k, symbol_name(x)) for k, x in enumerate(constants) if x in symbols]


class _OnDemand:
    """Makes code for an evaluator of a model, whose groups of inputs it takes, once."""

    def __init__(
        self,
        make: Callable[[ModelOutputs, Sequence[Group], Mapping[Any, Any]], LookCode],
        outputs: ModelOutputs,
        groups: Sequence[Group],
        numbers: Mapping[Any, Any],
    ) -> None:
        self._make, self._given = make, (outputs, tuple(groups), numbers)
        self._derivation = outputs.derivation  # what `exclusive` locks
        self._code: LookCode | None = None

    @exclusive
    def __call__(self) -> LookCode:
        """Return the code."""
        if self._code is None:
            self._code = self._make(*self._given)
        return self._code


def _code_of_errors(
    outputs: ModelOutputs, groups: Sequence[Group], numbers: Mapping[Any, Any]
) -> LookCode:
    """Return the code of errors, of their terms, and of sizes of motions."""
    levels = outputs.derivation.constraint_errors[: sum(name in outputs.inputs for name in LEVELS)]
    shape = len(levels), len(levels[0])
    units, accelerations = _sizes(outputs.derivation)
    program = _with_numbers(
        outputs,
        numbers,
        Output.from_scalars("errors", shape, [x for level in levels for x in level]),
        Output.from_scalars("units", (len(units),), units),
        Output.from_scalars("accelerations", (len(accelerations),), accelerations),
    )
    graph = program.graph
    errors, units, own = ([Scalar(graph, ref) for ref in x.refs] for x in program.outputs)
    known = total(squared_terms(graph, own))
    found = [
        program.outputs[0],
        Output.from_scalars("terms", shape, squared_terms(graph, errors)),
        Output.from_scalars("sizes", (len(units) + 1,), [known, *units]),
    ]
    return _code(Program(graph, found, groups), Program(graph, found[:2], groups))


def _code_of_independence(
    outputs: ModelOutputs, groups: Sequence[Group], numbers: Mapping[Any, Any]
) -> LookCode:
    """Return the code of how independent speeds are by inertia."""
    share = inertial_conditioning(outputs.derivation)
    program = _with_numbers(outputs, numbers, Output.from_scalars("share", (), [share]))
    program = Program(program.graph, program.outputs, groups)
    return _code(program, program)


def _with_numbers(outputs: ModelOutputs, numbers: Mapping[Any, Any], *found: Output) -> Program:
    """Return the program of some outputs with numbers for constants, in a graph of its own."""
    groups = input_groups(outputs.inputs, outputs.inputs)
    return Program(outputs.derivation.graph, found, groups).with_numbers(numbers)


def _code(program: Program, needed: Program) -> LookCode:
    """Return the code of a program, and the places of inputs without which it says nothing."""
    places = {
        symbol: (group.name, k)
        for group in program.groups
        for k, symbol in enumerate(group.symbols)
    }
    _, source, modules = numpy_recipe(Layout(program))
    shapes = tuple(output.shape for output in program.outputs)
    return LookCode(source, modules, shapes, tuple(places[x] for x in needed.used_inputs))


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
