"""Derivatives on the graph: along one direction of the inputs, or of one value in all of them.

The second ones of a value are its gradient's along each input.  All follow from the
slopes of single operations.  A *forward sweep* carries the derivatives along one
direction of the inputs to all values; an *adjoint sweep* carries one value's derivatives
with respect to all others back to the inputs.

A vector's components in a turned frame, ``x cos a + y sin a`` and ``y cos a - x sin a``,
are each other's slopes: a rotation costs its derivative no sine, cosine or
product of its own.

References
==========

.. [1] A. Griewank, A. Walther, Evaluating Derivatives: Principles and Techniques of
   Algorithmic Differentiation, 2nd ed., SIAM 2008.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple, TypeAlias

from sympy import Dummy, Expr, Heaviside, cos, nan, sign, sin

from .graph import Graph, Scalar, total
from .operations import ArgumentPart, Call, Constant, Input, Operation, Product, Sum, references

#: What is not determined; its derivative is not, either.
NAN = Constant(nan)


class Slope(NamedTuple):
    """How fast an operation changes with an earlier one, all else fixed."""

    ref: int
    value: Scalar


#: Functions that change at a jump alone.
STEPS = (sign, Heaviside)


class LocalSlopes:
    """The slopes of the operations of a graph; each is derived once.

    ``flat_steps``: jumps have none, as beside them; else infinite ones, as sympy has them.
    """

    def __init__(self, graph: Graph, flat_steps: bool = False) -> None:
        self._graph = graph
        self._flat = STEPS if flat_steps else ()
        self._known: dict[int, tuple[Slope, ...]] = {}

    def of(self, ref: int) -> tuple[Slope, ...]:
        """Return the slopes of an operation with respect to those that it refers to."""
        if ref not in self._known:
            self._known[ref] = tuple(self._derive(self._graph.operations[ref]))
        return self._known[ref]

    def _derive(self, operation: Operation) -> Iterable[Slope]:
        if isinstance(operation, Sum):
            return self._rotation(operation) or self._sum(operation)
        if isinstance(operation, Product):
            left, right = self._scalar(operation.left), self._scalar(operation.right)
            if operation.left == operation.right:
                return (Slope(operation.left, left + right),)
            return Slope(operation.left, right), Slope(operation.right, left)
        return self._call(operation) if isinstance(operation, Call) else ()

    def _sum(self, operation: Sum) -> tuple[Slope, Slope]:
        one = self._graph.scalar(1)
        right = one if operation.right > 0 else -one
        return Slope(operation.left, one), Slope(abs(operation.right), right)

    def _rotation(self, operation: Sum) -> tuple[Slope, ...] | None:
        """Return the slopes of ``x cos a + y sin a``, None for anything else."""
        for one, x in self._waves(operation.left):
            for two, y in self._waves(abs(operation.right)):
                first, second = self._call_of(one), self._call_of(two)
                if first.arguments != second.arguments or first.function is second.function:
                    continue
                factor, other = self._scalar(y), self._scalar(two)
                if operation.right < 0:
                    factor, other = -factor, -other
                turned = self._scalar(two) * self._scalar(x) - self._scalar(one) * factor
                slope = turned if first.function is sin else -turned
                angle = Slope(first.arguments[0], slope)
                return Slope(x, self._scalar(one)), Slope(y, other), angle
        return None

    def _waves(self, ref: int) -> Iterator[tuple[int, int]]:
        """Yield the sines and cosines that are factors of a value, with the other factor."""
        operation = self._graph.operations[ref]
        if isinstance(operation, Product):
            for wave, factor in permutations((operation.left, operation.right)):
                call = self._graph.operations[wave]
                if isinstance(call, Call) and call.function in (sin, cos):
                    yield wave, factor

    def _call_of(self, ref: int) -> Call:
        call = self._graph.operations[ref]
        assert isinstance(call, Call)
        return call

    def _call(self, call: Call) -> Iterator[Slope]:
        graph = self._graph
        if call.function in (sin, cos):  # too many to ask sympy
            (angle,) = call.arguments
            if call.function is sin:
                yield Slope(angle, self._scalar(graph.call(cos, [angle])))
            else:
                yield Slope(angle, -self._scalar(graph.call(sin, [angle])))
            return
        if call.function in self._flat:
            return
        inner: dict[Dummy, int] = {}

        def plain(argument: Any) -> Any:
            """Return an argument in sympy: numbers as they are, real symbols for other values."""
            if isinstance(argument, ArgumentPart):
                return argument.function(*map(plain, argument.arguments))
            if not isinstance(argument, int):
                return argument
            if argument == 0 or isinstance(graph.operations[abs(argument)], Constant):
                return graph.to_sympy([argument])[0]
            symbol = Dummy(real=True)
            graph.bind(symbol, self._scalar(argument))
            inner[symbol] = argument
            return symbol

        formula = call.function(*map(plain, call.arguments))
        for symbol, ref in inner.items():
            slope = graph.scalar(formula.diff(symbol))
            yield Slope(abs(ref), slope if ref > 0 else -slope)

    def _scalar(self, ref: int) -> Scalar:
        return Scalar(self._graph, ref)


class ForwardSweep:
    """The derivatives of a graph's values along one direction of the inputs.

    ``slope`` returns how fast an input changes; ``known`` are derivatives by other means.
    """

    def __init__(
        self,
        graph: Graph,
        slope: Callable[[Expr], Scalar],
        slopes: LocalSlopes | None = None,
        known: dict[int, Scalar] | None = None,
    ) -> None:
        self._graph = graph
        self._slope = slope
        self._slopes = slopes or LocalSlopes(graph)
        self._known = dict(known or {})
        self._zero = graph.scalar(0)

    def of(self, scalars: Iterable[Scalar]) -> list[Scalar]:
        """Return the derivatives of values."""
        scalars = list(scalars)
        for ref in self._graph.needed((scalar.ref for scalar in scalars), self._known):
            self._known[ref] = self._derivative(ref)
        return [self._signed(scalar.ref) for scalar in scalars]

    def _derivative(self, ref: int) -> Scalar:
        operation = self._graph.operations[ref]
        if isinstance(operation, Input):
            return self._slope(operation.symbol)
        if operation == NAN:
            return self._graph.scalar(nan)
        if not any(self._known[inner].ref for inner in references(operation)):
            return self._zero
        parts = (slope * self._known[inner] for inner, slope in self._slopes.of(ref))
        return total((self._zero, *parts))

    def _signed(self, ref: int) -> Scalar:
        if ref == 0:
            return self._zero
        return self._known[ref] if ref > 0 else -self._known[-ref]


#: Derivatives of some values with respect to some symbols, by other means.
Seeds: TypeAlias = Mapping[Expr, Sequence[tuple[Scalar, Scalar]]]


def jacobian(
    graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr], seeds: Seeds | None = None
) -> list[list[Scalar]]:
    """Return the derivative of each value (rows) by each symbol (columns), by forward sweeps.

    ``seeds`` has by symbol the values whose derivatives are known, with these.
    """
    slopes = LocalSlopes(graph)

    def sweep(symbol: Expr) -> ForwardSweep:
        pairs = (seeds or {}).get(symbol, ())
        known = {abs(v.ref): slope if v.ref > 0 else -slope for v, slope in pairs if v.ref}
        return ForwardSweep(graph, _along(graph, symbol), slopes, known)

    columns = [sweep(symbol).of(values) for symbol in symbols]
    return [[column[k] for column in columns] for k in range(len(values))]


def adjoint_jacobian(
    graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr]
) -> list[list[Scalar]]:
    """Return the derivative of each value with respect to each symbol, by adjoint sweeps."""
    slopes, inputs = LocalSlopes(graph), [graph.scalar(symbol).ref for symbol in symbols]
    active = _depending(graph, [value.ref for value in values], inputs)
    zero = graph.scalar(0)
    rows = []
    for value in values:
        if graph.operations[abs(value.ref)] == NAN:
            rows.append([value] * len(symbols))
            continue
        adjoints = _adjoints(graph, value, active, slopes)
        rows.append([adjoints.get(ref, zero) for ref in inputs])
    return rows


def hessian(
    graph: Graph, value: Scalar, symbols: Sequence[Expr]
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """Return a value's gradient, and the lower triangle of its Hessian, row by row.

    The gradient is an adjoint sweep's, its derivatives those of a forward sweep for each symbol,
    through what depends on this one and those behind it.  Corners and jumps are taken as what is
    beside them.
    """
    slopes, inputs = LocalSlopes(graph, flat_steps=True), [graph.scalar(s).ref for s in symbols]
    adjoints = _adjoints(graph, value, _depending(graph, [value.ref], inputs), slopes)
    zero = graph.scalar(0)
    gradient = [adjoints.get(ref, zero) for ref in inputs]
    columns = [
        ForwardSweep(graph, _along(graph, symbol), slopes).of(gradient[k:])
        for k, symbol in enumerate(symbols)
    ]
    return gradient, [[columns[j][i - j] for j in range(i + 1)] for i in range(len(symbols))]


def _along(graph: Graph, symbol: Expr) -> Callable[[Expr], Scalar]:
    """Return how fast inputs change where one of them changes by one."""
    zero, one = graph.scalar(0), graph.scalar(1)
    return lambda leaf: one if leaf == symbol else zero


def _adjoints(
    graph: Graph, value: Scalar, active: set[int], slopes: LocalSlopes
) -> dict[int, Scalar]:
    """Return the derivatives of a value with respect to the operations that it depends on."""
    start = graph.scalar(1 if value.ref > 0 else -1)
    adjoints = {abs(value.ref): start}
    for ref in sorted(active.intersection(graph.needed([value.ref])), reverse=True):
        outer = adjoints.get(ref)
        if outer is None:
            continue
        for inner, slope in slopes.of(ref):
            if inner in active:
                part = outer * slope
                adjoints[inner] = adjoints[inner] + part if inner in adjoints else part
    return adjoints


def _depending(graph: Graph, roots: Iterable[int], inputs: Iterable[int]) -> set[int]:
    """Return the operations needed for ``roots`` that depend on some inputs."""
    found = set(inputs)
    for ref in graph.needed(roots):
        if not found.isdisjoint(references(graph.operations[ref])):
            found.add(ref)
    return found
