"""Derivatives of single operations with respect to their operands, and where they exist."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import permutations
from math import factorial
from typing import Any, NamedTuple

from sympy import (
    Abs,
    Dummy,
    Equality,
    Expr,
    Heaviside,
    LessThan,
    Max,
    Min,
    Mod,
    Or,
    Pow,
    Rational,
    S,
    Unequality,
    asin,
    atan,
    ceiling,
    cos,
    factorial2,
    floor,
    frac,
    nan,
    sign,
    sin,
    sinc,
    sinh,
    tan,
    tanh,
)

from .graph import Graph, Scalar
from .guarded import CHOICES, Conditions, Guard, Guarded, both, either
from .operations import ArgumentPart, Call, Operation, Product, Sum, references
from .piecewise import Certain, Gate

#: Functions that change at a jump alone.
STEPS = (sign, Heaviside)

#: Functions with finite slopes, whatever their argument is.
SMOOTH = (sin, cos, tanh, atan)

#: Functions that are zero where their argument is.
VANISHING = (Abs, asin, atan, sign, sin, sinh, tan, tanh)


def _slope_of_sinc(x: Expr) -> Expr:
    """Return (cos x - sinc x) / x, near zero as a series."""
    series: Expr = S.Zero
    for k in range(8, -1, -1):
        series = Rational((-1) ** k, 2**k * factorial(k) * factorial2(2 * k + 3)) + x**2 * series
    return -x * Gate(x**2, 1, (sinc(x) - cos(x)) / x**2, series)


#: Slopes by each argument that sympy does not have, or not for all arguments; beside jumps.
RULES: dict[Any, Callable[..., Sequence[Expr]]] = {
    floor: lambda x: [S.Zero],
    ceiling: lambda x: [S.Zero],
    frac: lambda x: [S.One],
    Mod: lambda x, y: [S.One, -floor(x / y)],
    sinc: lambda x: [_slope_of_sinc(x)],
    Certain: lambda left, right, value: [S.Zero, S.Zero, S.One],
}


class Slope(NamedTuple):
    """The partial derivative of an operation with respect to an operand."""

    ref: int
    value: Guarded


class Trait(NamedTuple):
    """Known properties of a value: whether it and its slopes are finite, where it is not zero."""

    is_finite: bool
    support: Guard


class LocalSlopes:
    """The slopes of operations, each derived once; at jumps none if flat, else infinite ones."""

    def __init__(self, graph: Graph, flat_steps: bool = False) -> None:
        self._graph = graph
        self._flat = STEPS if flat_steps else ()
        self._known: dict[int, tuple[Slope, ...]] = {}
        self._traits = {0: Trait(True, False)}
        self.conditions = Conditions()

    def of(self, ref: int) -> tuple[Slope, ...]:
        """Return the slopes of an operation with respect to its operands."""
        if ref not in self._known:
            self._known[ref] = tuple(self._derive(self._graph.operations[ref]))
        return self._known[ref]

    def are_smooth(self, ref: int) -> bool:
        """Whether the slopes of an operation are finite where its value is."""
        operation = self._graph.operations[ref]
        return not isinstance(operation, Call) or operation.function in SMOOTH

    def trait(self, ref: int) -> Trait:
        """Return known properties of a value; smooth functions of inputs are finite."""
        ref = abs(ref)
        if ref not in self._traits:
            for k in self._graph.needed([ref], self._traits):
                self._traits[k] = self._trait(self._graph.operations[k])
        return self._traits[ref]

    def _trait(self, operation: Operation) -> Trait:
        inner = [self._traits[ref] for ref in references(operation)]
        if isinstance(operation, Call):
            is_finite = operation.function in SMOOTH and all(x.is_finite for x in inner)
            return Trait(is_finite, self._support(operation))
        if not inner:
            return Trait(True, True)
        join = either if isinstance(operation, Sum) else both
        return Trait(all(x.is_finite for x in inner), join(*(x.support for x in inner)))

    def _support(self, call: Call) -> Guard:
        """Return where a function is not zero, or may be so."""
        function, (first, *rest) = call.function, call.arguments
        if function in CHOICES:
            pieces, nowhere = self.conditions.pieces(call)
            return reduce(either, (both(g, self.trait(ref).support) for ref, g in pieces), nowhere)
        if function in (Max, Min) and 0 in call.arguments:
            others = [ref for ref in call.arguments if ref]
            return self._reached(function, self._one_of(function, others), 0)
        if function is Heaviside:
            return self._reached(Max, first, 0)
        is_power = function is Pow and rest[0] > 0
        if function in VANISHING or (is_power and self._scalar(rest[0]).is_number):
            return self.trait(first).support
        return True

    def _one_of(self, function: Any, refs: Sequence[int]) -> int:
        return refs[0] if len(refs) == 1 else self._graph.call(function, refs)

    def _reached(self, function: Any, ref: int, other: int) -> Guard:
        """Return where a value is not less than another one; of Min, not greater."""
        pair = (other, ref) if function is Max else (ref, other)
        return self.conditions.guard(ArgumentPart(Gate, pair), False, True)

    def _derive(self, operation: Operation) -> Iterable[Slope]:
        if isinstance(operation, Sum):
            one = Guarded(self._graph.scalar(1))
            plain = Slope(operation.left, one), _slope(operation.right, one)
            return self._rotation(operation) or plain
        if isinstance(operation, Product):
            left, right = self._value(operation.left), self._value(operation.right)
            if operation.left == operation.right:
                return (Slope(operation.left, left + right),)
            return Slope(operation.left, right), Slope(operation.right, left)
        return self._call(operation) if isinstance(operation, Call) else ()

    def _rotation(self, operation: Sum) -> tuple[Slope, ...] | None:
        """Return the slopes of ``x cos a + y sin a``, None for anything else."""
        for one, x, first in self._waves(operation.left):
            for two, y, second in self._waves(abs(operation.right)):
                if first.arguments != second.arguments or first.function is second.function:
                    continue
                factor, other = self._scalar(y), self._value(two)
                if operation.right < 0:
                    factor, other = -factor, -other
                turned = self._scalar(two) * self._scalar(x) - self._scalar(one) * factor
                slope = turned if first.function is sin else -turned
                guard = either(self.trait(x).support, self.trait(y).support)
                angle = Slope(first.arguments[0], Guarded(slope, guard))
                return Slope(x, self._value(one)), Slope(y, other), angle
        return None

    def _waves(self, ref: int) -> Iterator[tuple[int, int, Call]]:
        """Yield the sines and cosines that are factors of a value, with the other factor."""
        operation = self._graph.operations[ref]
        if isinstance(operation, Product):
            for wave, factor in permutations((operation.left, operation.right)):
                call = self._graph.operations[wave]
                if isinstance(call, Call) and call.function in (sin, cos):
                    yield wave, factor, call

    def _call(self, call: Call) -> Iterator[Slope]:
        graph = self._graph
        if call.function in (sin, cos):  # too many to ask sympy
            (angle,) = call.arguments
            if call.function is sin:
                yield Slope(angle, self._value(graph.call(cos, [angle])))
            else:
                yield Slope(angle, -self._value(graph.call(sin, [angle])))
        elif call.function in CHOICES:
            yield from self._choice(call)
        elif call.function not in self._flat:
            for ref, slope in self._formulas(call):
                yield _slope(ref, Guarded(graph.scalar(slope), self._where(call, ref)))

    def _choice(self, call: Call) -> Iterator[Slope]:
        """Yield one for each value, where it is chosen, and NaN where none is."""
        one, unknown = self._graph.scalar(1), self._graph.scalar(nan)
        pieces, nowhere = self.conditions.pieces(call)
        for ref, guard in pieces:
            if ref:
                yield _slope(ref, Guarded(one, guard))
                yield _slope(ref, Guarded(unknown, nowhere))

    def _formulas(self, call: Call) -> Iterator[tuple[int, Expr]]:
        """Yield the derivative of a function by each of its arguments."""
        graph, inner = self._graph, dict[Expr, int]()

        def plain(argument: Any) -> Any:
            """Return an argument in sympy: numbers unchanged, real symbols for other values."""
            if isinstance(argument, ArgumentPart):
                return argument.function(*map(plain, argument.arguments))
            if not isinstance(argument, int):
                return argument
            if self._scalar(argument).is_number:
                return graph.to_sympy([argument])[0]
            symbol = Dummy(real=True)
            graph.bind(symbol, self._scalar(argument))
            inner[symbol] = argument
            return symbol

        arguments = [*map(plain, call.arguments)]
        if call.function in RULES:
            slopes = zip(arguments, RULES[call.function](*arguments), strict=True)
            yield from ((inner[x], slope) for x, slope in slopes if x in inner)
        else:
            formula = call.function(*arguments)
            yield from ((ref, formula.diff(symbol)) for symbol, ref in inner.items())

    def _where(self, call: Call, ref: int) -> Guard:
        """Return where a function has a slope."""
        function, arguments = call.function, call.arguments
        if function in (Max, Min) and arguments.count(ref) == 1:
            others = [other for other in arguments if other != ref]
            return self._reached(function, ref, self._one_of(function, others))
        if function in STEPS:
            return self.conditions.guard(ArgumentPart(Equality, (ref, 0)))
        if function is Pow and ref == arguments[1]:  # 0**n is 0 for all n > 0
            other = ArgumentPart(Unequality, (arguments[0], 0)), ArgumentPart(LessThan, (ref, 0))
            return self.conditions.guard(ArgumentPart(Or, other))
        return True

    def _value(self, ref: int) -> Guarded:
        return Guarded(self._scalar(ref), self.trait(ref).support)

    def _scalar(self, ref: int) -> Scalar:
        return Scalar(self._graph, ref)


def _slope(ref: int, value: Guarded) -> Slope:
    return Slope(abs(ref), value if ref > 0 else -value)
