"""Direct collocation: differential equations as algebraic ones between neighbouring nodes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sympy import Dummy, Expr, S

from ..extend import Graph, Group, Output, Program, Scalar, adjoint_jacobian, weighted_sum
from .equations import Equations

#: Approximations of rates.
METHODS = ("backward euler", "midpoint")

#: The titles of the groups of inputs.
TITLES = {
    "states": "states at a node",
    "neighbours": "states at the neighbouring node",
    "inputs": "input trajectories at a node",
    "next_inputs": "input trajectories at the neighbouring node",
    "constants": "constants",
    "counts": "intervals since the start",
}

#: The rows and columns of nonzero derivatives.
Places = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The variables in the equations, in opty's order.

    Inputs are trajectories without time derivatives; the interval between nodes is the last
    constant.  Derivatives are taken with respect to states, free inputs and free constants.
    """

    states: tuple[Expr, ...]
    inputs: tuple[Expr, ...]
    constants: tuple[Expr, ...]
    free_inputs: tuple[Expr, ...]
    free_constants: tuple[Expr, ...]


class Transcription:
    """The equations of motion between each node and its neighbour, by finite differences.

    ``method`` "backward euler" takes rates as differences from the previous node and evaluates all
    else at the node; "midpoint" takes rates as differences to the next node and evaluates all else
    halfway between them, except multipliers, at the node.  The columns of derivatives are the
    states, the neighbour's states, free inputs, the neighbour's free inputs (for "midpoint"), and
    free constants.
    """

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
        # functions of time and their rates become expressions of two nodes
        time, interval = equations.time, unknowns.constants[-1]
        half, frequency = graph.scalar(S.Half), graph.scalar(1 / interval)
        graph.bind(time, graph.scalar(count) * graph.scalar(interval))
        for state in unknowns.states:
            x, y = (graph.scalar(side[state]) for side in sides)
            graph.bind(state, (x + y) * half if is_midpoint else x)
            graph.bind(state.diff(time), (y - x if is_midpoint else x - y) * frequency)
        for symbol in unknowns.inputs:
            x, y = (graph.scalar(side[symbol]) for side in inputs)
            is_mean = is_midpoint and symbol not in equations.multipliers
            graph.bind(symbol, (x + y) * half if is_mean else x)
        states = [symbol for side in sides for symbol in side.values()]
        used = inputs if is_midpoint else inputs[:1]
        free = [side[symbol] for side in used for symbol in unknowns.free_inputs]
        #: The variables of derivatives, in the order of the columns.
        self._free = [*states, *free, *unknowns.free_constants]
        self._values = [*equations.substitute_into(graph), *map(graph.scalar, others)]
        self._cost = graph.scalar(integrand) * graph.scalar(interval)

    @property
    def residual(self) -> Program:
        """The program of the residuals: kinematic and dynamic equations, then ``others``."""
        return self._program(residual=self._values)

    @property
    def cost(self) -> Program:
        """The program of an interval's cost: the integrand times the interval."""
        return self._program(cost=[self._cost])

    def jacobian(self) -> tuple[Program, Places]:
        """Return the program of the residuals' nonzero derivatives, with their places."""
        return self._jacobian("jacobian", self._values)

    def cost_gradient(self) -> tuple[Program, Places]:
        """Return the program of the cost's nonzero derivatives, with their places."""
        return self._jacobian("cost_gradient", [self._cost])

    def hessian(self) -> tuple[Program, Places]:
        """Return the program of the Hessian of the weighted residuals and cost, with places.

        It has the nonzero entries of the lower triangle; the weight of the cost is the last one.
        """
        program = self._program(residual=self._values, cost=[self._cost])
        whole, known = weighted_sum(program, self._free)
        return Program(whole.graph, [whole.output("hessian")], whole.groups), known.places

    def _jacobian(self, name: str, values: Sequence[Scalar]) -> tuple[Program, Places]:
        rows = adjoint_jacobian(self._graph, values, self._free)
        places = [(k, c) for k, row in enumerate(rows) for c, x in enumerate(row) if x.ref]
        return self._program(**{name: [rows[k][c] for k, c in places]}), places

    def _program(self, **values: Sequence[Scalar]) -> Program:
        """Return the program of scalars by the name of their output."""
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
