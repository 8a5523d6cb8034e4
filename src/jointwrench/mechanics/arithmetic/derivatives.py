"""Derivatives on the graph: along one direction of the inputs, or of one value in all of them.

Second derivatives of a value are those of its gradient along each input.  All follow from the
slopes of single operations.  A *forward sweep* propagates the derivatives along one direction of
the inputs to all values; an *adjoint sweep* propagates one value's derivatives with respect to all
others back to the inputs.

A vector's components in a rotated frame, ``x cos a + y sin a`` and ``y cos a - x sin a``, are each
other's slopes: the derivative of a rotation needs no further sine, cosine or product.

References
==========

.. [1] A. Griewank, A. Walther, Evaluating Derivatives: Principles and Techniques of
   Algorithmic Differentiation, 2nd ed., SIAM 2008.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from operator import or_
from typing import TypeAlias

from sympy import Expr, nan

from .graph import Graph, Scalar
from .guarded import CHOICES, Guard, Guarded, branches, choice
from .operations import Call, Constant, Input, references
from .slopes import LocalSlopes

#: What is not determined; its derivative is not, either.
NAN = Constant(nan)


class ForwardSweep:
    """The derivatives of a graph's values along one direction of the inputs."""

    # How fast an input changes is its slope; known are derivatives by other means.

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
        self._zero = zero = Guarded(graph.scalar(0))
        self._known: defaultdict[int, Guarded] = defaultdict(lambda: zero)
        self._known.update((ref, Guarded(value)) for ref, value in (known or {}).items())

    def of(self, scalars: Iterable[Scalar], moving: Iterable[int] | None = None) -> list[Scalar]:
        """Return the derivatives of values; those not in ``moving`` have the derivative zero."""
        scalars = list(scalars)
        if moving is None:
            moving = self._graph.needed((scalar.ref for scalar in scalars), self._known)
        for ref in moving:
            self._known[ref] = self._derivative(ref)
        return [self._signed(scalar.ref).settled.scalar for scalar in scalars]

    def _derivative(self, ref: int) -> Guarded:
        operation = self._graph.operations[ref]
        if isinstance(operation, Input):
            return Guarded(self._slope(operation.symbol))
        if operation == NAN:
            return Guarded(self._graph.scalar(nan))
        if all(self._known[inner].is_zero for inner in references(operation)):
            return self._zero
        if isinstance(operation, Call) and operation.function in CHOICES:
            return self._choice(operation)
        rates = [(slope, self._known[inner]) for inner, slope in self._slopes.of(ref)]
        if not self._slopes.are_smooth(ref):
            parts = [slope.times(rate, False) for slope, rate in rates]
        else:  # selected once, not in each product
            settled = [(slope, rate.settled) for slope, rate in rates]
            parts = [slope.times(rate, rate.is_settled) for slope, rate in settled]
        return reduce(Guarded.__add__, parts, self._zero)

    def _choice(self, call: Call) -> Guarded:
        """Return the chosen value's derivative."""
        rates = [(self._signed(ref), condition) for ref, condition in branches(call)]
        found = [(rate.settled.scalar.ref, condition) for rate, condition in rates]
        guard: Guard = True
        for rate, condition in reversed(rates):
            guard = self._slopes.conditions.guard(condition, rate.guard, guard)
        return Guarded(Scalar(self._graph, choice(self._graph, found)), guard)

    def _signed(self, ref: int) -> Guarded:
        if ref == 0:
            return self._zero
        return self._known[ref] if ref > 0 else -self._known[-ref]


#: Derivatives of some values with respect to some symbols, by other means.
Seeds: TypeAlias = Mapping[Expr, Sequence[tuple[Scalar, Scalar]]]


def jacobian(
    graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr], seeds: Seeds | None = None
) -> list[list[Scalar]]:
    """Return each value's derivative by each symbol, by sweeps; ``seeds`` are known derivatives."""
    slopes, refs = LocalSlopes(graph), [value.ref for value in values]
    known_by = [_known(seeds.get(symbol, ()) if seeds else ()) for symbol in symbols]
    always = set.intersection(*map(set, known_by)) if known_by else ()
    moved_by = _dependence(graph, refs, symbols, always)
    columns = []
    for k, (symbol, known) in enumerate(zip(symbols, known_by, strict=True)):
        still = {ref for ref, moving in moved_by.items() if not moving >> k & 1}
        sweep = ForwardSweep(graph, _along(graph, symbol), slopes, known)
        columns.append(sweep.of(values, graph.needed(refs, still | known.keys())))
    return [[column[k] for column in columns] for k in range(len(values))]


def _known(pairs: Iterable[tuple[Scalar, Scalar]]) -> dict[int, Scalar]:
    return {abs(v.ref): slope if v.ref > 0 else -slope for v, slope in pairs if v.ref}


def _dependence(
    graph: Graph, refs: Iterable[int], symbols: Sequence[Expr], known: Container[int]
) -> dict[int, int]:
    """Return the symbols, as bits, on which each operation depends that some need."""
    inputs = {symbol: 1 << k for k, symbol in enumerate(symbols)}
    found: dict[int, int] = {}
    for ref in graph.needed(refs, known):
        operation = graph.operations[ref]
        if isinstance(operation, Input):
            found[ref] = inputs.get(operation.symbol, 0)
        else:
            inner = (found.get(own, 0) for own in references(operation))
            found[ref] = -1 if operation == NAN else reduce(or_, inner, 0)
    return found


def adjoint_jacobian(
    graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr]
) -> list[list[Scalar]]:
    """Return the derivative of each value with respect to each symbol, by adjoint sweeps."""
    slopes, inputs = LocalSlopes(graph), [graph.scalar(symbol).ref for symbol in symbols]
    active = _depending(graph, graph.needed(value.ref for value in values), inputs)
    rows = []
    for value in values:
        if graph.operations[abs(value.ref)] == NAN:
            rows.append([value] * len(symbols))
            continue
        rows.append(_gradient(graph, value, inputs, active, slopes))
    return rows


def decisive_jacobian(
    graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr]
) -> list[list[Scalar]]:
    """Return the same for decisions, not for computation: with the fewest sweeps."""
    by_sweeps = adjoint_jacobian if len(values) < len(symbols) else jacobian
    return by_sweeps(graph, values, symbols)


def hessian(
    graph: Graph, value: Scalar, symbols: Sequence[Expr]
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """Return a value's gradient, and the lower triangle of its Hessian, row by row."""
    # The gradient is an adjoint sweep's, its derivatives those of a forward sweep for each symbol,
    # through what depends on this one and those behind it. Corners and jumps are taken as what is
    # beside them.
    slopes, inputs = LocalSlopes(graph, flat_steps=True), [graph.scalar(s).ref for s in symbols]
    active = _depending(graph, graph.needed([value.ref]), inputs)
    gradient = _gradient(graph, value, inputs, active, slopes)
    columns = [
        ForwardSweep(graph, _along(graph, symbol), slopes).of(gradient[k:])
        for k, symbol in enumerate(symbols)
    ]
    return gradient, [[columns[j][i - j] for j in range(i + 1)] for i in range(len(symbols))]


def _along(graph: Graph, symbol: Expr) -> Callable[[Expr], Scalar]:
    """Return the derivatives of inputs with respect to one of them."""
    zero, one = graph.scalar(0), graph.scalar(1)
    return lambda leaf: one if leaf == symbol else zero


def _gradient(
    graph: Graph, value: Scalar, inputs: Sequence[int], active: set[int], slopes: LocalSlopes
) -> list[Scalar]:
    """Return the derivatives of a value with respect to inputs, through active operations."""
    zero = Guarded(graph.scalar(0))
    adjoints = {abs(value.ref): Guarded(graph.scalar(1 if value.ref > 0 else -1))}
    waiting = [-ref for ref in adjoints if ref in active]
    while waiting:  # the last operation first
        ref = -heappop(waiting)
        outer, is_finite = adjoints[ref], slopes.trait(ref).is_finite
        if is_finite:
            outer = adjoints[ref] = outer.settled
        # What counts everywhere is finite everywhere, and so are slopes of sums and products.
        counts = outer.is_settled and outer.guard is True and slopes.are_smooth(ref)
        for inner, slope in slopes.of(ref):
            if inner in active:
                if inner not in adjoints:
                    heappush(waiting, -inner)
                part = outer.times(slope, is_finite or counts)
                adjoints[inner] = adjoints.get(inner, zero) + part
    return [adjoints.get(ref, zero).settled.scalar for ref in inputs]


def _depending(graph: Graph, order: Iterable[int], inputs: Iterable[int]) -> set[int]:
    """Return the ordered operations that depend on some inputs, including these."""
    found = set(inputs)
    for ref in order:
        if not found.isdisjoint(references(graph.operations[ref])):
            found.add(ref)
    return found
