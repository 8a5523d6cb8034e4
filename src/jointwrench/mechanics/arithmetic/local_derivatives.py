"""Derivatives of single operations with respect to their operands."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from math import factorial
from typing import Any, NamedTuple

from sympy import (
    Abs,
    And,
    Dummy,
    Equality,
    Expr,
    Heaviside,
    Max,
    Min,
    Mod,
    Piecewise,
    Pow,
    Rational,
    S,
    asin,
    atan,
    ceiling,
    cos,
    factorial2,
    floor,
    frac,
    log,
    sign,
    sin,
    sinc,
    sinh,
    tan,
    tanh,
)

from .choices import Rate, branches, choice, factors
from .graph import Graph, Scalar
from .operations import ArgumentPart, Call, Operation, Product, Sum, references
from .piecewise import Certain, Gate

#: Functions that are constant between jumps.
STEPS = (sign, Heaviside)

#: Functions with finite derivatives for all arguments.
SMOOTH = (sin, cos, tanh, atan)

#: Functions that are zero where their argument is.
VANISHING = (Abs, asin, atan, sign, sin, sinh, tan, tanh)


def _slope_of_sinc(x: Expr) -> Expr:
    """Return the derivative of sinc, (cos x - sinc x) / x, as a series near zero."""
    series: Expr = S.Zero
    for k in range(8, -1, -1):
        series = Rational((-1) ** k, 2**k * factorial(k) * factorial2(2 * k + 3)) + x**2 * series
    return -x * Gate(x**2, 1, (sinc(x) - cos(x)) / x**2, series)


def _slopes_of_power(base: Expr, exponent: Expr) -> Sequence[Expr]:
    """Return the derivatives of a power by base and exponent, zero for 0**n with n > 0."""
    is_zero = And(Equality(base, 0), exponent > 0)
    by_exponent = Piecewise((0, is_zero), (base**exponent * log(base), True))
    return [exponent * base ** (exponent - 1), by_exponent]


#: Derivatives by each argument where sympy has none or not for all arguments.
RULES: dict[Any, Callable[..., Sequence[Expr]]] = {
    floor: lambda x: [S.Zero],
    ceiling: lambda x: [S.Zero],
    frac: lambda x: [S.One],
    Pow: _slopes_of_power,
    Mod: lambda x, y: [S.One, -floor(x / y)],
    sinc: lambda x: [_slope_of_sinc(x)],
    Certain: lambda left, right, value: [S.Zero, S.Zero, S.One],
}


class OperandDerivative(NamedTuple):
    """The partial derivative of an operation by the operand with reference ``ref``."""

    ref: int
    value: Rate


class LocalDerivatives:
    """The derivatives of operations with respect to their operands, each derived once.

    At jumps they are infinite, or zero with ``flat_steps``.
    """

    def __init__(self, graph: Graph, flat_steps: bool = False) -> None:
        self._graph = graph
        self._flat = STEPS if flat_steps else ()
        self._known: dict[int, tuple[OperandDerivative, ...]] = {}
        self._values = {0: Rate(graph.scalar(0))}

    def of(self, ref: int) -> tuple[OperandDerivative, ...]:
        """Return the derivatives of an operation by its operands; a choice has none here."""
        if ref not in self._known:
            self._known[ref] = tuple(self._derive(self._graph.operations[ref]))
        return self._known[ref]

    def adjoint_parts(self, ref: int, outer: Rate) -> Iterator[OperandDerivative]:
        """Yield the contributions of an operation's adjoint ``outer`` to the adjoints of its
        operands.
        """
        found = branches(self._graph.operations[ref])
        if not found:
            yield from (
                OperandDerivative(inner, outer.times(slope)) for inner, slope in self.of(ref)
            )
        for k, (inner, _) in enumerate(found):
            if inner:
                own = [(outer.scalar.ref * (i == k), x) for i, (_, x) in enumerate(found)]
                chosen = Scalar(self._graph, choice(self._graph, own))
                yield _slope(inner, Rate(chosen, True, outer.is_finite))

    def _value(self, ref: int) -> Rate:
        """Return a value as a factor of derivatives, with the properties of a `Rate`."""
        if abs(ref) not in self._values:
            for k in self._graph.needed([ref], self._values):
                self._values[k] = Rate(
                    self._scalar(k), *self._properties(self._graph.operations[k])
                )
        return self._values[ref] if ref >= 0 else -self._values[-ref]

    def _properties(self, operation: Operation) -> tuple[bool, bool]:
        """Return whether a choice may make an operation's value zero, and whether it is finite."""
        is_finite = all(self._values[ref].is_finite for ref in references(operation))
        if isinstance(operation, Sum):
            terms = references(operation)
            return all(self._values[ref].is_chosen for ref in terms), is_finite
        if found := factors(operation):
            chosen = (is_zero or self._value(ref).is_chosen for ref, is_zero in found.items())
            return any(chosen), is_finite
        if isinstance(operation, Call):
            return self._can_be_zeroed(operation), is_finite and operation.function in SMOOTH
        return False, True

    def _can_be_zeroed(self, call: Call) -> bool:
        """Return whether a choice may make the value of a function zero."""
        function, (first, *rest) = call.function, call.arguments
        if found := branches(call):
            return any(not ref or self._value(ref).is_chosen for ref, _ in found)
        if function is Heaviside or (function in (Max, Min) and 0 in call.arguments):
            return True
        is_power = function is Pow and rest[0] > 0 and self._scalar(rest[0]).is_number
        return (function in VANISHING or is_power) and self._value(first).is_chosen

    def _derive(self, operation: Operation) -> Iterable[OperandDerivative]:
        """Return the derivatives of an operation by its operands."""
        if isinstance(operation, Sum):
            one = Rate(self._graph.scalar(1))
            plain = OperandDerivative(operation.left, one), _slope(operation.right, one)
            return self._rotation(operation) or plain
        if found := factors(operation):
            values = [self._value(ref) for ref in found]
            absorbing = zip(values, found.values(), strict=True)
            values = [x._replace(is_chosen=is_zero or x.is_chosen) for x, is_zero in absorbing]
            others = values[::-1] if len(values) > 1 else [values[0].plus(values[0])]
            return map(_slope, found, others)
        return self._call(operation) if isinstance(operation, Call) else ()

    def _rotation(self, operation: Sum) -> tuple[OperandDerivative, ...] | None:
        """Return the derivatives of ``x cos a + y sin a`` by x, y and a; None for other sums."""
        for one, x, first in self._waves(operation.left):
            for two, y, second in self._waves(abs(operation.right)):
                if first.arguments != second.arguments or first.function is second.function:
                    continue
                factor, other = self._scalar(y), self._value(two)
                if operation.right < 0:
                    factor, other = -factor, -other
                turned = self._scalar(two) * self._scalar(x) - self._scalar(one) * factor
                slope = turned if first.function is sin else -turned
                traits = zip(self._value(x)[1:], self._value(y)[1:], strict=True)
                angle = OperandDerivative(first.arguments[0], Rate(slope, *map(all, traits)))
                return OperandDerivative(x, self._value(one)), OperandDerivative(y, other), angle
        return None

    def _waves(self, ref: int) -> Iterator[tuple[int, int, Call]]:
        """Yield each sine or cosine factor of a product, the other factor, and the call."""
        operation = self._graph.operations[ref]
        if isinstance(operation, Product):
            for wave, factor in permutations((operation.left, operation.right)):
                call = self._graph.operations[wave]
                if isinstance(call, Call) and call.function in (sin, cos):
                    yield wave, factor, call

    def _call(self, call: Call) -> Iterator[OperandDerivative]:
        """Yield the derivatives of a function by its arguments."""
        graph = self._graph
        if call.function in (sin, cos):  # sympy would be slow for so many
            (angle,) = call.arguments
            if call.function is sin:
                yield OperandDerivative(angle, self._value(graph.call(cos, [angle])))
            else:
                yield OperandDerivative(angle, -self._value(graph.call(sin, [angle])))
        elif call.function not in self._flat:
            is_chosen = call.function in (Max, Min, *STEPS)
            for ref, slope in self._formulas(call):
                is_finite = call.function in SMOOTH and self._value(ref).is_finite
                yield _slope(ref, Rate(graph.scalar(slope), is_chosen, is_finite))

    def _formulas(self, call: Call) -> Iterator[tuple[int, Expr]]:
        """Yield the derivatives of a function by its arguments as sympy expressions."""
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

    def _scalar(self, ref: int) -> Scalar:
        return Scalar(self._graph, ref)


def _slope(ref: int, value: Rate) -> OperandDerivative:
    return OperandDerivative(abs(ref), value if ref > 0 else -value)
