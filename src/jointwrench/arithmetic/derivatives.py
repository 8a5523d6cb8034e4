"""Derivatives on the graph: of all values along one direction of the inputs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Dummy, Expr, cos, sin

from .graph import Graph, Part, Scalar, total
from .interpret import Arithmetic


@dataclass(frozen=True)
class Tangent:
    """A value with its slope, the derivative along one direction of the inputs."""

    value: Scalar
    slope: Scalar

    def __add__(self, other: "Tangent") -> "Tangent":
        return Tangent(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other: "Tangent") -> "Tangent":
        return Tangent(self.value - other.value, self.slope - other.slope)

    def __mul__(self, other: "Tangent") -> "Tangent":
        slope = self.slope * other.value + self.value * other.slope
        return Tangent(self.value * other.value, slope)

    def __neg__(self) -> "Tangent":
        return Tangent(-self.value, -self.slope)


class ForwardSweep:
    """The derivatives of a graph's values along one direction of the inputs.

    Parameters
    ==========

    graph : Graph
        The graph; it may grow meanwhile, and gets the derivatives.
    slope : callable
        Returns how fast an input (a symbol, a function of time) changes.
    """

    def __init__(self, graph: Graph, slope: Callable[[Expr], Scalar]) -> None:
        self._graph = graph
        self._tangents: dict[int, Tangent] = {}
        zero = graph.scalar(0)
        self._arithmetic = Arithmetic(
            symbol=lambda symbol: Tangent(graph.scalar(symbol), slope(symbol)),
            number=lambda number: Tangent(graph.scalar(number), zero),
            call=self._call,
            part=lambda function, arguments: Part(function, tuple(arguments)),
        )

    def of(self, scalars: Iterable[Scalar]) -> list[Scalar]:
        """Return the derivatives of values."""
        refs = [scalar.ref for scalar in scalars]
        tangents = self._graph.evaluate(refs, self._arithmetic, self._tangents)
        return [tangent.slope for tangent in tangents]

    def _call(self, function: Any, arguments: list[Any]) -> Tangent:
        if function in (sin, cos):
            return self._wave(function, *arguments)
        graph = self._graph
        inner: dict[Dummy, Tangent] = {}

        def plain(argument: Any) -> Any:
            """Return an argument in sympy: numbers as they are, real symbols for other values."""
            if isinstance(argument, Part):
                return argument.function(*map(plain, argument.arguments))
            if not isinstance(argument, Tangent):
                return argument
            if argument.value.is_number:
                return graph.to_sympy([argument.value.ref])[0]
            symbol = Dummy(real=True)
            graph.bind(symbol, argument.value)
            inner[symbol] = argument
            return symbol

        formula = function(*map(plain, arguments))
        slopes = (graph.scalar(formula.diff(x)) * inner[x].slope for x in inner)
        return Tangent(graph.scalar(formula), total((graph.scalar(0), *slopes)))

    def _wave(self, function: Any, angle: Tangent) -> Tangent:
        """Return a sine or cosine, which are too many to ask sympy."""
        graph, ref = self._graph, angle.value.ref
        sine, cosine = (Scalar(graph, graph.call(wave, [ref])) for wave in (sin, cos))
        if function is sin:
            return Tangent(sine, cosine * angle.slope)
        return Tangent(cosine, -(sine * angle.slope))


def jacobian(graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr]) -> list[list[Scalar]]:
    """Return the derivative of each value with respect to each symbol."""
    zero, one = graph.scalar(0), graph.scalar(1)

    def sweep(symbol: Expr) -> ForwardSweep:
        return ForwardSweep(graph, lambda leaf: one if leaf == symbol else zero)

    columns = [sweep(symbol).of(values) for symbol in symbols]
    return [[column[k] for column in columns] for k in range(len(values))]
