"""Kernels that measure errors of constraints and how independent speeds are by inertia."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..arithmetic.graph import Scalar, total
from ..arithmetic.output import Group
from ..arithmetic.program import Output, Program
from ..arithmetic.term_sizes import squared_terms
from ..codegen.text.statements import Layout
from ..dynamics.derivation import Derivation, exclusive
from ..dynamics.loops.scaling import length_of, mass_of, units_of_speeds
from ..dynamics.outputs.inverse_outputs import input_groups
from ..dynamics.outputs.model_outputs import ModelOutputs
from ..dynamics.recursion.scalar_tree import external_wrenches
from .backends.numpy_backend import numpy_recipe
from .check_kernels import CheckKernel
from .closure_check import LEVELS


@exclusive
def make_closure_kernel(
    outputs: ModelOutputs, groups: Sequence[Group], numbers: Mapping[Any, Any]
) -> CheckKernel:
    """Return the kernel of constraint errors, of sizes of their terms and of motions."""
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
        Output.from_scalars("cancelled", shape, squared_terms(graph, errors, True)),
    ]
    return _code(Program(graph, found, groups), Program(graph, found[:2], groups))


@exclusive
def make_independence_kernel(
    outputs: ModelOutputs, groups: Sequence[Group], numbers: Mapping[Any, Any]
) -> CheckKernel:
    """Return the kernel of inertial conditioning, which is 0 for a singular mass matrix."""
    from ..dynamics.outputs.conditioning import inertial_conditioning

    share = inertial_conditioning(outputs.derivation)
    program = _with_numbers(outputs, numbers, Output.from_scalars("share", (), [share]))
    program = Program(program.graph, program.outputs, groups)
    return _code(program, program)


def _with_numbers(outputs: ModelOutputs, numbers: Mapping[Any, Any], *found: Output) -> Program:
    """Return the program of outputs with numbers in place of constants, in a separate graph."""
    groups = input_groups(outputs.inputs, outputs.inputs)
    return Program(outputs.derivation.graph, found, groups).with_numbers(numbers)


def _code(program: Program, needed: Program) -> CheckKernel:
    """Return the kernel of a program; it needs the inputs that the program ``needed`` uses."""
    places = {
        symbol: (group.name, k)
        for group in program.groups
        for k, symbol in enumerate(group.symbols)
    }
    _, source, modules = numpy_recipe(Layout(program))
    shapes = tuple(output.shape for output in program.outputs)
    return CheckKernel(source, modules, shapes, tuple(places[x] for x in needed.used_inputs))


def _sizes(derivation: Derivation) -> tuple[list[Scalar], list[Scalar]]:
    """Return the model's length and the units of speeds; and accelerations due to gravity and
    loads.
    """
    tree, known, zero = derivation.scalars, derivation.loads, derivation.graph.scalar(0)
    unknown = *derivation.request.solve_for, *derivation.tree.accelerations
    length, share = length_of(tree), mass_of(tree).reciprocal()
    accelerations = [zero, *tree.express(known.gravity_parts, None).components]
    for wrench in external_wrenches(tree, known.at_zero(unknown)).values():
        accelerations += [x * share for x in wrench.force.components]
        accelerations += [x * share / length for x in wrench.moment.components]
    return [length, *units_of_speeds(tree)], accelerations
