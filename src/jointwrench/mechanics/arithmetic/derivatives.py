"""Derivatives on the graph, by forward sweeps and by adjoint sweeps.

A *forward sweep* propagates the derivatives along one direction of the inputs to all values.  An
*adjoint sweep* propagates the derivatives of one value with respect to all operations back to the
inputs.  Both use the derivatives of single operations with respect to their operands.  Second
derivatives are forward sweeps of a gradient.

The components of a vector in a rotated frame, ``x cos a + y sin a`` and ``y cos a - x sin a``, are
each other's derivatives with respect to a: the derivative of a rotation needs no further sine,
cosine or product.

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

from ...checks.arguments import enumerate_some
from ...checks.tolerances import MOST_OPERATIONS
from .choices import Branch, Rate, branches, choice
from .graph import Graph, Scalar
from .local_derivatives import LocalDerivatives
from .operations import Constant, Input, references

#: The operation of undetermined values, whose derivatives are undetermined as well.
NAN = Constant(nan)


class ForwardSweep:
    """The derivatives of a graph's values along one direction of the inputs.

    Parameters
    ==========

    graph : Graph
        The graph of the values.
    slope : function
        Returns the derivative of an input along the direction.
    slopes : LocalDerivatives, optional
        The derivatives of operations, which several sweeps can share.
    known : dict of int to Scalar, optional
        Derivatives of operations that are known already, by reference.
    """

    def __init__(
        self,
        graph: Graph,
        slope: Callable[[Expr], Scalar],
        slopes: LocalDerivatives | None = None,
        known: dict[int, Scalar] | None = None,
    ) -> None:
        self._graph = graph
        self._slope = slope
        self._slopes = slopes or LocalDerivatives(graph)
        self._zero = zero = Rate(graph.scalar(0))
        self._known: defaultdict[int, Rate] = defaultdict(lambda: zero)
        self._known.update((ref, Rate(value)) for ref, value in (known or {}).items())

    def of(self, scalars: Iterable[Scalar], moving: Iterable[int] | None = None) -> list[Scalar]:
        """Return the derivatives of scalars; operations that are not in ``moving`` have derivative
        zero.
        """
        scalars = list(scalars)
        if moving is None:
            moving = self._graph.needed((scalar.ref for scalar in scalars), self._known)
        for ref in moving:
            self._known[ref] = self._derivative(ref)
        slopes = [self._known.get(abs(scalar.ref), self._zero).scalar for scalar in scalars]
        return [-x if own.ref < 0 else x for own, x in zip(scalars, slopes, strict=True)]

    def _derivative(self, ref: int) -> Rate:
        """Return the derivative of an operation from its operands' derivatives."""
        operation = self._graph.operations[ref]
        if isinstance(operation, Input):
            return Rate(self._slope(operation.symbol))
        if operation == NAN:
            return Rate(self._graph.scalar(nan))
        if all(self._known[inner].is_zero for inner in references(operation)):
            return self._zero
        if found := branches(operation):
            return self._choice(found)
        parts = (slope.times(self._known[inner]) for inner, slope in self._slopes.of(ref))
        return reduce(Rate.plus, parts, self._zero)

    def _choice(self, found: Sequence[Branch]) -> Rate:
        """Return the derivative of a choice, which is the derivative of the chosen value."""
        rates = [(self._signed(ref), condition) for ref, condition in found]
        ref = choice(self._graph, [(rate.scalar.ref, condition) for rate, condition in rates])
        is_chosen = any(rate.is_zero or rate.is_chosen for rate, _ in rates)
        return Rate(Scalar(self._graph, ref), is_chosen, all(rate.is_finite for rate, _ in rates))

    def _signed(self, ref: int) -> Rate:
        """Return the derivative of a signed reference."""
        if ref == 0:
            return self._zero
        return self._known[ref] if ref > 0 else -self._known[-ref]


#: Known derivatives by symbol: pairs of a value and its derivative with respect to the symbol.
Seeds: TypeAlias = Mapping[Expr, Sequence[tuple[Scalar, Scalar]]]


def jacobian(
    graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr], seeds: Seeds | None = None
) -> list[list[Scalar]]:
    """Return the derivatives of values (rows) by symbols (columns), from forward sweeps.

    ``seeds`` are derivatives of intermediate values that are known already.
    """
    slopes, refs = LocalDerivatives(graph), [value.ref for value in values]
    known_by = [_known(seeds.get(symbol, ()) if seeds else ()) for symbol in symbols]
    always = set.intersection(*map(set, known_by)) if known_by else ()
    moved_by, everything = _find_dependence(graph, refs, symbols, always), (1 << len(symbols)) - 1
    moved = [list[int]() for _ in symbols]
    for ref, mask in moved_by.items():
        left = mask & everything
        while left:
            moved[left.bit_length() - 1].append(ref)
            left ^= 1 << (left.bit_length() - 1)
    columns = []
    for symbol, known, moving in zip(symbols, known_by, moved, strict=True):
        if known:
            moving = graph.needed(refs, moved_by.keys() - set(moving) | known.keys())
        sweep = ForwardSweep(graph, _derivatives_along(graph, symbol), slopes, known)
        columns.append(sweep.of(values, moving))
    return [[column[k] for column in columns] for k in range(len(values))]


def _known(pairs: Iterable[tuple[Scalar, Scalar]]) -> dict[int, Scalar]:
    """Return the known derivatives of one symbol by the reference of the value."""
    return {abs(v.ref): slope if v.ref > 0 else -slope for v, slope in pairs if v.ref}


def _find_dependence(
    graph: Graph, refs: Iterable[int], symbols: Sequence[Expr], known: Container[int] = ()
) -> dict[int, int]:
    """Return for each needed operation a bit mask of the symbols on which it depends."""
    inputs = {symbol: 1 << k for k, symbol in enumerate(symbols)}
    found: dict[int, int] = {}
    for ref in graph.needed(refs, known):
        operation = graph.operations[ref]
        if isinstance(operation, Input):
            found[ref] = inputs.get(operation.symbol, 0)
        else:
            inner = (found.get(own, -1) for own in references(operation))
            found[ref] = -1 if operation == NAN else reduce(or_, inner, 0)
    return found


def _find_active(graph: Graph, values: Iterable[Scalar], symbols: Sequence[Expr]) -> set[int]:
    """Return the operations on which values depend and which depend on a symbol themselves."""
    found = _find_dependence(graph, [value.ref for value in values], symbols)
    return {ref for ref, mask in found.items() if mask}


def adjoint_jacobian(
    graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr]
) -> list[list[Scalar]]:
    """Return the derivatives of values (rows) by symbols (columns), from adjoint sweeps."""
    slopes, inputs = LocalDerivatives(graph), [graph.scalar(symbol).ref for symbol in symbols]
    active = _find_active(graph, values, symbols)
    return [
        [value] * len(symbols)
        if graph.operations[abs(value.ref)] == NAN
        else _gradient(graph, value, inputs, active, slopes)
        for value in values
    ]


def cheapest_jacobian(
    graph: Graph, values: Sequence[Scalar], symbols: Sequence[Expr]
) -> list[list[Scalar]]:
    """Return the derivatives of values (rows) by symbols (columns), from the fewest sweeps.

    For ranks and zeros, where the number of operations at run time does not matter.
    """
    by_sweeps = adjoint_jacobian if len(values) < len(symbols) else jacobian
    return by_sweeps(graph, values, symbols)


def hessian(
    graph: Graph, value: Scalar, symbols: Sequence[Expr], outputs: Sequence[str] = ()
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """Return the gradient of a scalar and the lower triangle of its Hessian, row by row.

    The gradient is an adjoint sweep.  Its derivatives are forward sweeps, one per symbol, each
    through the entries of the gradient from this symbol on.  At corners and jumps the derivatives
    beside them are taken.  ``outputs`` are the names of the outputs in the scalar, for the error.
    """
    slopes = LocalDerivatives(graph, flat_steps=True)
    inputs = [graph.scalar(symbol).ref for symbol in symbols]
    active = _find_active(graph, [value], symbols)
    gradient = _gradient(graph, value, inputs, active, slopes)
    columns = list[list[Scalar]]()
    for k, symbol in enumerate(symbols):
        sweep = ForwardSweep(graph, _derivatives_along(graph, symbol), slopes)
        columns.append(sweep.of(gradient[k:]))
        if len(graph.operations) > MOST_OPERATIONS:
            raise ValueError(
                f"`outputs` must have second derivatives of at most {MOST_OPERATIONS:,.0f} "
                f"operations, but those of {enumerate_some(outputs)} have more. Use fewer outputs "
                "or fewer variables of `second_derivatives`."
            )
    return gradient, [[columns[j][i - j] for j in range(i + 1)] for i in range(len(symbols))]


def _derivatives_along(graph: Graph, symbol: Expr) -> Callable[[Expr], Scalar]:
    """Return the function that gives the derivative of each input with respect to one symbol."""
    zero, one = graph.scalar(0), graph.scalar(1)
    return lambda leaf: one if leaf == symbol else zero


def _gradient(
    graph: Graph, value: Scalar, inputs: Sequence[int], active: set[int], slopes: LocalDerivatives
) -> list[Scalar]:
    """Return the derivatives of a scalar with respect to inputs, through ``active`` operations."""
    zero = Rate(graph.scalar(0))
    adjoints = {abs(value.ref): Rate(graph.scalar(1 if value.ref > 0 else -1))}
    waiting = [-ref for ref in adjoints if ref in active]
    while waiting:  # the last operation first
        ref = -heappop(waiting)
        for inner, part in slopes.adjoint_parts(ref, adjoints[ref]):
            if inner in active:
                if inner not in adjoints:
                    heappush(waiting, -inner)
                adjoints[inner] = adjoints.get(inner, zero).plus(part)
    return [adjoints.get(ref, zero).scalar for ref in inputs]
