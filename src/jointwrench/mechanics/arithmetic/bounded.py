"""Values that are surely not zero at a state, proved in doubles with bounds of their errors.

By the standard model of rounding, a sum or product of doubles is off by half a unit in the last
place at most.  The bounds count a whole unit, which covers the rounding of the bounds themselves.
What is not proved here is decided in many digits.
"""

from collections.abc import Callable, Sequence
from math import cos, inf, sin
from typing import Any

from sympy import Expr, Pow, S
from sympy import cos as cosine
from sympy import sin as sine

from ...checks.tolerances import UNDERFLOW
from .digits import Digits
from .graph import Graph
from .operations import Call, Constant, Input, Operation, Product, Sum

#: A unit in the last place of one.
UNIT = 2.0**-52

#: The largest angle whose sine the C library rounds to the last place.
LARGEST_ANGLE = 1e6

ONE = Constant(S.One)

WAVES = {sine: sin, cosine: cos}

#: A value, and the bound of its error.
Bounded = tuple[float, float]

UNBOUNDED = 0.0, inf


class BoundedState:
    """Values of a graph's operations at one state, with bounds of their errors."""

    def __init__(
        self, graph: Graph, draw: Callable[[Expr], Digits], number: Callable[[Expr], Digits]
    ) -> None:
        self._graph, self._draw, self._number = graph, draw, number
        self._known: dict[int, Bounded] = {0: (0.0, 0.0)}

    def are_nonzero(self, refs: Sequence[int]) -> list[bool]:
        """Return whether each value is surely not zero."""
        known, operations = self._known, self._graph.operations
        for ref in self._graph.needed(refs, known):
            value, bound = self._evaluate(operations[ref])
            known[ref] = value, bound * (1 + 4 * UNIT) + UNDERFLOW
        return [abs(known[abs(ref)][0]) > 2 * known[abs(ref)][1] for ref in refs]

    def _evaluate(self, operation: Operation) -> Bounded:
        known = self._known
        if isinstance(operation, Product):
            (x, a), (y, b) = known[operation.left], known[operation.right]
            value = x * y
            return value, (abs(x) + a) * b + a * abs(y) + abs(value) * UNIT
        if isinstance(operation, Sum):
            (x, a), (y, b) = known[operation.left], known[abs(operation.right)]
            value = x + y if operation.right > 0 else x - y
            return value, a + b + abs(value) * UNIT
        if isinstance(operation, Input):
            return _rounded(self._draw(operation.symbol))
        if isinstance(operation, Constant):
            return _rounded(self._number(operation.value))
        return self._call(operation) if isinstance(operation, Call) else UNBOUNDED

    def _call(self, call: Call) -> Bounded:
        first = call.arguments[0]
        if not isinstance(first, int):
            return UNBOUNDED
        x, a = self._known[abs(first)]
        x = x if first > 0 else -x
        if call.function in WAVES and abs(x) < LARGEST_ANGLE:
            return WAVES[call.function](x), a + 2 * UNIT
        if call.function is Pow and a < abs(x) / 2 and self._is_minus_one(call.arguments[1]):
            return 1 / x, 2 * a / (x * x) + UNIT / abs(x)
        return UNBOUNDED

    def _is_minus_one(self, ref: Any) -> bool:
        return isinstance(ref, int) and ref < 0 and self._graph.operations[-ref] == ONE


def _rounded(number: Digits) -> Bounded:
    """Return a number in double precision; complex and infinite ones have no bound."""
    value = complex(number.value)
    if value.imag or not number.is_finite:
        return UNBOUNDED
    return value.real, float(number.spread) + abs(value.real) * UNIT
