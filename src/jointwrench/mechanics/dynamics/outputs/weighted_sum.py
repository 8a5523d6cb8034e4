"""The weighted sum of a program's outputs, with its gradient and its Hessian."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from sympy import Abs, Dummy, Expr, Heaviside, Max, Min, Piecewise, sign

from ....checks.arguments import enumerate_some
from ...arithmetic.derivatives import NAN, hessian
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Call, Graph, Input, Scalar, total
from ...arithmetic.output import Group, Output, Wrt
from ...arithmetic.program import Program

#: Functions that have corners or jumps.
CORNERED = (Abs, Max, Min, Piecewise, sign, Heaviside)

#: Number of operations beyond which a function is named without its arguments.
LARGEST_SHOWN = 12


@dataclass(frozen=True)
class WeightedSum:
    """The weighted outputs and the sparsity of the Hessian.

    Attributes
    ==========

    shapes : dict of str to tuple of int
        The shapes of the outputs.
    variables : tuple of Expr
        The variables, in the order of the gradient.
    places : tuple of (int, int)
        The rows and columns of the nonzeros in the lower triangle of the Hessian.
    corners : tuple of str
        The functions that are not smooth.
    """

    shapes: dict[str, tuple[int, ...]]
    variables: tuple[Expr, ...]
    places: tuple[tuple[int, int], ...]
    corners: tuple[str, ...]


def weighted_sum(
    program: Program, wrt: Iterable[Expr], by_weights: bool = False
) -> tuple[Program, WeightedSum]:
    """Return the program of the outputs' weighted sum, and its description.

    The weights are the last group of inputs; with ``by_weights`` they are also the last variables.
    """
    _check_determined(program)
    refs = [ref for output in program.outputs for ref in output.refs]
    weights = [Dummy(f"weight_{k}", real=True) for k in range(len(refs))]
    groups = (*program.groups, Group("weights", "weights of the outputs", tuple(weights)))
    graph = Graph(s for group in groups if group.per == "sample" for s in group.symbols)
    values = (Scalar(graph, ref) for ref in program.graph.substitute(refs, graph))
    pairs = zip(map(graph.scalar, weights), values, strict=True)
    value = total([graph.scalar(0), *(weight * own for weight, own in pairs)])
    variables = tuple(dict.fromkeys([*wrt, *weights] if by_weights else wrt))
    names = [output.name for output in program.outputs]
    gradient, triangle = _slopes(graph, value, variables, groups, names)
    words = "nonzeros of the lower triangle of its Hessian"
    outputs = [
        Output.from_scalars("weighted_sum", (), [value], "weighted sum of the outputs"),
        Output.from_scalars("gradient", (len(variables),), gradient, "its gradient"),
        Output.from_scalars("hessian", (len(triangle),), triangle.values(), words),
    ]
    shapes = {output.name: output.shape for output in program.outputs}
    known = WeightedSum(shapes, variables, tuple(triangle), corners([value], variables))
    return Program(graph, outputs, groups), known


def adjoint_program(program: Program) -> Program:
    """Return the program of the weighted sum's gradients by groups of inputs, and their
    derivatives.

    Names are those of CasADi: the outputs are adj_q and so on; further inputs are the outputs
    themselves, such as out_mass_matrix, on which nothing depends, and their weights by columns,
    such as adj_mass_matrix.
    """
    given = [group for group in program.groups if group.symbols]
    whole, known = weighted_sum(program, (s for group in given for s in group.symbols), True)
    groups, weights = [*program.groups], iter(whole.inputs["weights"])
    outputs = [(o.name, prod(o.shape[:1]), prod(o.shape[1:])) for o in program.outputs]
    for name, rows, columns in outputs:
        nothing = tuple(Dummy() for _ in range(rows * columns))
        groups.append(Group(f"out_{name}", f"values of output {name}", nothing))
    for name, rows, columns in outputs:
        own = [next(weights) for _ in range(rows * columns)]
        by_columns = tuple(x for k in range(columns) for x in own[k::columns])
        groups.append(Group(f"adj_{name}", f"weights of output {name}", by_columns))
    gradient = dict(zip(known.variables, whole.output("gradient").refs, strict=True))
    hessian = dict(zip(known.places, whole.output("hessian").refs, strict=True))
    order = {symbol: k for k, symbol in enumerate(known.variables)}

    def second(one: Expr, other: Expr) -> int:
        j, i = sorted((order.get(one, -1), order.get(other, -1)))
        return hessian.get((i, j), 0)

    found = []
    for group in given:
        name, symbols = f"adj_{group.name}", group.symbols
        refs = tuple(gradient[symbol] for symbol in symbols)
        found.append(Output(name, (len(refs),), refs, f"gradient by {group.title}"))
    for output, group in zip(list(found), given, strict=True):
        for other in groups:
            shape = *output.shape, len(other.symbols)
            refs = tuple(second(a, b) for a in group.symbols for b in other.symbols)
            slopes = Output(f"{output.name}_wrt_{other.name}", shape, refs)
            wrt = Wrt(other.name, other.symbols)
            found.append(replace(slopes, derivative_of=output.name, wrt=wrt))
    return Program(whole.graph, found, groups)


def _slopes(
    graph: Graph,
    value: Scalar,
    variables: Sequence[Expr],
    groups: Sequence[Group],
    outputs: Sequence[str],
) -> tuple[list[Scalar], dict[tuple[int, int], Scalar]]:
    """Return the gradient, and the nonzeros of the Hessian's lower triangle by row and column.

    Sweeps along coordinates come first, since they leave least for speeds, and these for
    accelerations.
    """
    order = {symbol: k for k, symbol in enumerate(variables)}
    swept = [symbol for group in groups for symbol in group.symbols if symbol in order]
    gradient, rows = hessian(graph, value, swept, outputs)
    state = GenericState(graph, is_rounded=False)
    by_place = {}
    for i, row in enumerate(rows):
        for j, entry in enumerate(state.without_zeros(row)):
            if not entry.is_zero:
                one, two = order[swept[i]], order[swept[j]]
                by_place[max(one, two), min(one, two)] = entry
    slopes = dict(zip(swept, state.without_zeros(gradient), strict=True))
    return [slopes[symbol] for symbol in variables], dict(sorted(by_place.items()))


def _check_determined(program: Program) -> None:
    """Raise an error for outputs with undetermined entries."""
    for output in program.outputs:
        labels = output.labels or [f"number {k}" for k in range(len(output.refs))]
        is_open = [program.operations.get(abs(ref)) == NAN for ref in output.refs]
        if any(is_open):
            names = [label for label, own in zip(labels, is_open, strict=True) if own]
            raise ValueError(
                f"`outputs` must be determined for their second derivatives, but of "
                f"{output.name!r} mechanics leaves {len(names)} open: {enumerate_some(names)}. "
                "Use InverseDynamics(..., redundancy={joint: compliance}), or "
                "other outputs."
            )


def corners(values: Sequence[Scalar], variables: Iterable[Expr]) -> tuple[str, ...]:
    """Return the functions of variables that have corners or jumps, as texts."""
    graph, found = values[0].graph, dict[str, None]()
    moving = {graph.scalar(symbol).ref for symbol in variables}
    for ref in graph.needed(abs(value.ref) for value in values):
        operation = graph.operations[ref]
        if not (isinstance(operation, Call) and operation.function in CORNERED):
            continue
        inner = graph.needed([ref])
        if not moving.isdisjoint(inner):
            size = sum(not isinstance(graph.operations[k], Input) for k in inner)
            is_shown = size <= LARGEST_SHOWN
            found[str(graph.to_sympy([ref])[0] if is_shown else operation.function.__name__)] = None
    return tuple(found)
