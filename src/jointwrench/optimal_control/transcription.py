"""Differential equations as algebraic ones between neighbouring nodes of a time grid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sympy import Dummy, Expr, S

from ..extend import Graph, Group, Output, Program, Scalar, adjoint_jacobian, weighted_sum
from .equations import Equations

#: How rates are approximated.
METHODS = ("backward euler", "midpoint")

#: What the groups of inputs hold, by their names.
TITLES = {
    "states": "states at a node",
    "neighbours": "states at the neighbouring node",
    "inputs": "input trajectories at a node",
    "next_inputs": "input trajectories at the neighbouring node",
    "constants": "constants",
    "counts": "intervals since the start",
}

#: Rows and columns.
Places = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The order in which a solver has what stands in the equations."""

    # Inputs have no time derivatives in them; the interval between nodes is the last constant.
    # Slopes are wanted to the free inputs and constants.

    states: tuple[Expr, ...]
    inputs: tuple[Expr, ...]
    constants: tuple[Expr, ...]
    free_inputs: tuple[Expr, ...]
    free_constants: tuple[Expr, ...]


class Transcription:
    """The equations of motion between each node and its neighbour, by finite differences."""

    # ``"backward euler"`` has rates from the node before, all else at the node; ``"midpoint"`` has
    # rates from the node behind, all else halfway between the two, and multipliers at the node.
    # ``residual`` has (M) kinematical equations, dynamical ones, then ``others``, which are to
    # vanish or to keep to bounds; ``cost`` is the ``integrand`` times the interval. Derivatives
    # that are not zero for all inputs come with their places: the row, and the column among states,
    # neighbour's states, free inputs, neighbour's free inputs (of the midpoint), free constants.

    def __init__(
        self,
        equations: Equations,
        others: Iterable[Expr],
        unknowns: Unknowns,
        method: str,
        integrand: Expr = S.Zero,
    ) -> None:
        is_midpoint = method == "midpoint"
        sides = [_dummies(unknowns.states) for _ in range(2)]
        inputs = [_dummies(unknowns.inputs) for _ in range(2)]
        varying = [tuple(x.values()) for x in (*sides, *inputs)]
        count = Dummy(real=True)
        self._symbols = (*varying, unknowns.constants, (count,))
        self._graph = graph = Graph([count, *(s for group in varying for s in group)])
        # functions of time and their rates stand for what they are between two nodes
        time, interval = equations.time, unknowns.constants[-1]
        half, frequency = graph.scalar(S.Half), graph.scalar(1 / interval)
        graph.bind(time, graph.scalar(count) * graph.scalar(interval))
        for state in unknowns.states:
            x, y = (graph.scalar(side[state]) for side in sides)
            graph.bind(state, (x + y) * half if is_midpoint else x)
            graph.bind(state.diff(time), (y - x if is_midpoint else x - y) * frequency)
        for symbol in unknowns.inputs:
            x, y = (graph.scalar(side[symbol]) for side in inputs)
            is_mean = is_midpoint and symbol not in equations.supplied
            graph.bind(symbol, (x + y) * half if is_mean else x)
        states = [symbol for side in sides for symbol in side.values()]
        used = inputs if is_midpoint else inputs[:1]
        free = [side[symbol] for side in used for symbol in unknowns.free_inputs]
        #: With respect to what slopes are wanted, in the order of the columns.
        self._free = [*states, *free, *unknowns.free_constants]
        self._values = [*equations.entered(graph), *map(graph.scalar, others)]
        self._cost = graph.scalar(integrand) * graph.scalar(interval)

    @property
    def residual(self) -> Program:
        """The equations' values."""
        return self._program(residual=self._values)

    @property
    def cost(self) -> Program:
        """What an interval adds to the objective."""
        return self._program(cost=[self._cost])

    def slopes(self) -> tuple[Program, Places]:
        """Return the derivatives of the equations."""
        return self._slopes("slopes", self._values)

    def cost_slopes(self) -> tuple[Program, Places]:
        """Return the derivatives of the cost."""
        return self._slopes("cost_slopes", [self._cost])

    def curvature(self) -> tuple[Program, Places]:
        """Return second derivatives, the lower triangle, of a weighted sum, the cost last."""
        program = self._program(residual=self._values, cost=[self._cost])
        whole, known = weighted_sum(program, self._free)
        return Program(whole.graph, [whole.output("hessian")], whole.groups), known.places

    def _slopes(self, name: str, values: Sequence[Scalar]) -> tuple[Program, Places]:
        rows = adjoint_jacobian(self._graph, values, self._free)
        places = [(k, c) for k, row in enumerate(rows) for c, x in enumerate(row) if x.ref]
        return self._program(**{name: [rows[k][c] for k, c in places]}), places

    def _program(self, **values: Sequence[Scalar]) -> Program:
        outputs = [
            Output.from_scalars(name, (len(own),), own, name) for name, own in values.items()
        ]
        pairs = zip(TITLES.items(), self._symbols, strict=True)
        groups = [
            Group(group, title, symbols, "call" if group == "constants" else "sample")
            for (group, title), symbols in pairs
        ]
        return Program(self._graph, outputs, groups)


def _dummies(symbols: Iterable[Expr]) -> dict[Expr, Dummy]:
    return {symbol: Dummy(real=True) for symbol in symbols}
