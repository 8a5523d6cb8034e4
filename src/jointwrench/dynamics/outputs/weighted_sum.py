"""The weighted sum of a program's outputs, with its gradient and its Hessian."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sympy import Abs, Dummy, Expr, Heaviside, Max, Min, Piecewise, sign

from ...arithmetic.decisions import GenericState
from ...arithmetic.derivatives import NAN, hessian
from ...arithmetic.graph import Call, Graph, Input, Scalar, total
from ...arithmetic.program import Group, Output, Program
from ...checks.arguments import enumerate_some

#: Functions that have corners or jumps.
CORNERED = (Abs, Max, Min, Piecewise, sign, Heaviside)

#: A function of more operations is told by its name alone.
LARGEST_TOLD = 12


@dataclass(frozen=True)
class WeightedSum:
    """What has weights, and what the numbers of the gradient and of the Hessian are.

    ``shapes`` are those of the outputs; ``places`` the rows and columns of the numbers of the
    Hessian's lower triangle that are not zero for all inputs; ``corners`` what is not smooth.
    """

    shapes: dict[str, tuple[int, ...]]
    variables: tuple[Expr, ...]
    places: tuple[tuple[int, int], ...]
    corners: tuple[str, ...]


def weighted_sum(program: Program, wrt: Iterable[Expr]) -> tuple[Program, WeightedSum]:
    """Return the program of the weighted sum of all outputs; their weights are the last group."""
    _check_determined(program)
    refs = [ref for output in program.outputs for ref in output.refs]
    weights = [Dummy(f"weight_{k}", real=True) for k in range(len(refs))]
    groups = (*program.groups, Group("weights", "weights of the outputs", tuple(weights)))
    graph = Graph(s for group in groups if group.per == "sample" for s in group.symbols)
    values = (Scalar(graph, ref) for ref in program.graph.substitute(refs, graph))
    pairs = zip(map(graph.scalar, weights), values, strict=True)
    value = total([graph.scalar(0), *(weight * own for weight, own in pairs)])
    variables = tuple(dict.fromkeys(wrt))
    gradient, triangle = _slopes(graph, value, variables, groups)
    outputs = [
        Output.from_scalars("weighted_sum", (), [value], "weighted sum of the outputs"),
        Output.from_scalars("gradient", (len(variables),), gradient, "its gradient"),
        Output.from_scalars(
            *("hessian", (len(triangle),), triangle.values()),
            "nonzeros of the lower triangle of its Hessian",
        ),
    ]
    shapes = {output.name: output.shape for output in program.outputs}
    corners = tuple(dict.fromkeys(_corners(graph, value, variables)))
    return (
        Program(graph, outputs, groups),
        WeightedSum(shapes, variables, tuple(triangle), corners),
    )


def _slopes(
    graph: Graph, value: Scalar, variables: Sequence[Expr], groups: Sequence[Group]
) -> tuple[list[Scalar], dict[tuple[int, int], Scalar]]:
    """Return the gradient, and what is not zero of the Hessian's lower triangle, by its place.

    Sweeps along coordinates leave the least to be done for speeds, and these for accelerations.
    """
    order = {symbol: k for k, symbol in enumerate(variables)}
    swept = [symbol for group in groups for symbol in group.symbols if symbol in order]
    gradient, rows = hessian(graph, value, swept)
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
    """Refuse outputs of which something is not determined."""
    for output in program.outputs:
        labels = output.labels or [f"number {k}" for k in range(len(output.refs))]
        is_open = [program.operations.get(abs(ref)) == NAN for ref in output.refs]
        if any(is_open):
            names = [label for label, own in zip(labels, is_open, strict=True) if own]
            raise ValueError(
                f"`outputs` must be determined for their second derivatives, but of "
                f"{output.name!r} mechanics leaves {len(names)} open: {enumerate_some(names)}. "
                "Use InverseDynamics(..., redundancy='least_norm'), or other outputs."
            )


def _corners(graph: Graph, value: Scalar, variables: Sequence[Expr]) -> Iterator[str]:
    """Yield the functions of variables that have corners or jumps."""
    moving = {graph.scalar(symbol).ref for symbol in variables}
    for ref in graph.needed([value.ref]):
        operation = graph.operations[ref]
        if isinstance(operation, Call) and operation.function in CORNERED:
            inner = graph.needed([ref])
            if not moving.isdisjoint(inner):
                size = sum(not isinstance(graph.operations[k], Input) for k in inner)
                is_told = size <= LARGEST_TOLD
                yield str(graph.to_sympy([ref])[0] if is_told else operation.function.__name__)
