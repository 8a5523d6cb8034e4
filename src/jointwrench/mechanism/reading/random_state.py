"""Numbers for everything in a model at one random instant, with their rates of change.

Two statements about a motion that agree at a random state agree everywhere, but
for a set of models that nobody has.  Numbers tell that in a fraction of the time
that formulas take.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from sympy import Add, Basic, Derivative, Expr, Mul, Pow, Symbol, cos, sin
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.physics.vector import ReferenceFrame, Vector

from ...spatial.paths import orientations_between
from ..time_derivative import TimeDerivative

#: Functions of time and constants: what gets a random number.
LEAVES = (Symbol, AppliedUndef, Derivative)

Numbers = list[float]
Square = list[Numbers]


class UndefinedError(ValueError):
    """An expression that is no finite real number at the random state."""


class RandomState:
    """Gives every symbol and function of time a fixed random number.

    The rates of change are those by the kinematical differential equations.

    Parameters
    ==========

    derivative : TimeDerivative
        The solved kinematical differential equations.
    """

    def __init__(self, derivative: TimeDerivative) -> None:
        self._derivative = derivative
        self._random = Random(20200710)
        self._values: dict[Basic, float] = {}
        self._rates: dict[Basic, float] = {derivative.time: 1.0}
        self._moving = {  # each coordinate with the formula of its rate
            unknown.expr: rate
            for unknown, rate in derivative.rates.items()
            if isinstance(unknown, Derivative) and unknown.expr.is_Function
        }

    def on_unit_norm(self, matrix: MatrixBase) -> "RandomState":
        """Return the state with the functions of time in a matrix together of norm one.

        Raises
        ======

        UndefinedError
            If there are constants: their values may be related, too.
        """
        leaves = matrix.atoms(*LEAVES) - {self._derivative.time}
        if any(isinstance(leaf, Symbol) for leaf in leaves):
            raise UndefinedError("unknown relations between constants")
        values = {leaf: self.value(leaf) for leaf in sorted(leaves, key=str)}
        norm = math.hypot(*values.values())
        new = RandomState(self._derivative)
        new._values = {leaf: value / norm for leaf, value in values.items()}
        return new

    # -- scalars ----------------------------------------------------------------

    def value(self, expression: Any) -> float:
        """Return an expression as a number (not checked to be real and finite)."""
        if expression not in self._values:
            self._values[expression] = self._value(expression)
        return self._values[expression]

    def rate(self, expression: Any) -> float:
        """Return the time derivative of an expression as a number."""
        if expression not in self._rates:
            self._rates[expression] = self._rate(expression)
        return self._rates[expression]

    def _value(self, expression: Expr) -> float:
        if expression.is_Number:
            return float(expression)
        if isinstance(expression, LEAVES):
            given = self._derivative.rates.get(expression, expression)
            is_free = given == expression
            return self._random.uniform(0.5, 1.5) if is_free else self.value(given)
        numbers = [self.value(argument) for argument in _arguments(expression)]
        if isinstance(expression, Add):
            return sum(numbers)
        if isinstance(expression, Mul):
            return math.prod(numbers)
        if isinstance(expression, Pow):
            return numbers[0] ** numbers[1]
        if isinstance(expression, (sin, cos)):
            return _FUNCTIONS[expression.func](numbers[0])
        return self._by_sympy(expression)

    def _rate(self, expression: Expr) -> float:
        if expression.is_Number or isinstance(expression, Symbol):
            return 0.0
        if expression in self._moving:
            return self.value(self._moving[expression])
        if isinstance(expression, Add):
            return sum(self.rate(term) for term in expression.args)
        if isinstance(expression, Mul):
            total, before = 0.0, 1.0
            for factor in expression.args:
                value = self.value(factor)
                total = total * value + before * self.rate(factor)
                before *= value
            return total
        if isinstance(expression, Pow) and expression.exp.is_Number:
            rate, exponent = self.rate(expression.base), float(expression.exp)
            return rate and exponent * self.value(expression.base) ** (exponent - 1) * rate
        if isinstance(expression, sin):
            return math.cos(self.value(expression.args[0])) * self.rate(expression.args[0])
        if isinstance(expression, cos):
            return -math.sin(self.value(expression.args[0])) * self.rate(expression.args[0])
        return self.value(self._derivative.of(expression))

    def _by_sympy(self, expression: Expr) -> float:
        """Return the value of a function that needs more than arithmetic."""
        leaves = sorted(expression.atoms(*LEAVES), key=str)
        number = expression.xreplace({leaf: Add(self.value(leaf)) for leaf in leaves}).evalf()
        if not number.is_real:
            raise UndefinedError(f"{number} is no real number")
        return float(number)

    # -- vectors and orientations -----------------------------------------------------

    def values(self, entries: Iterable[Any]) -> Numbers:
        """Return the entries of a matrix as numbers.

        Raises
        ======

        UndefinedError
            If one of them is not real and finite at this state.
        """
        return _finite(self.value, entries)

    def rates(self, entries: Iterable[Any]) -> Numbers:
        """Return the time derivatives of the entries of a matrix as numbers.

        Raises
        ======

        UndefinedError
            If one of them is not real and finite at this state.
        """
        return _finite(self.rate, entries)

    def rotation(self, frame: ReferenceFrame, other: ReferenceFrame) -> tuple[Square, Square]:
        """Return the matrix to a frame's components from another's, and its rate of change."""
        turn, rate = unit(), [[0.0] * 3 for _ in range(3)]
        for matrix in orientations_between(frame, other):
            entries = list(matrix)
            stage, changing = square(self.values(entries)), square(self.rates(entries))
            rate = plus(product(rate, stage), product(turn, changing))
            turn = product(turn, stage)
        return turn, rate

    def components(self, vector: Vector, frame: ReferenceFrame) -> Numbers:
        """Return a vector's components in a frame."""
        total = [0.0] * 3
        for matrix, own in vector.args:
            values = self.values(matrix)
            part = values if own is frame else applied(self.rotation(frame, own)[0], values)
            total = [a + b for a, b in zip(total, part, strict=True)]
        return total

    def change(self, vector: Vector, frame: ReferenceFrame) -> Numbers:
        """Return the components of a vector's time derivative in a frame."""
        total = [0.0] * 3
        for matrix, own in vector.args:
            rates = self.rates(matrix)
            if own is not frame:
                turn, turning = self.rotation(frame, own)
                moved, turned = applied(turn, rates), applied(turning, self.values(matrix))
                rates = [a + b for a, b in zip(moved, turned, strict=True)]
            total = [a + b for a, b in zip(total, rates, strict=True)]
        return total


def _finite(function: Callable[[Any], float], entries: Iterable[Any]) -> Numbers:
    try:
        numbers = [function(entry) for entry in entries]
        is_finite = all(map(math.isfinite, numbers))
    except (ArithmeticError, TypeError) as error:  # math.isfinite refuses complex numbers
        raise UndefinedError(str(error)) from error
    if not is_finite:
        raise UndefinedError("not finite")
    return numbers


_FUNCTIONS: dict[Any, Callable[[float], float]] = {sin: math.sin, cos: math.cos}


def _arguments(expression: Expr) -> Sequence[Any]:
    return expression.args if isinstance(expression, (Add, Mul, Pow, sin, cos)) else ()


# -- three by three ---------------------------------------------------------------


def unit() -> Square:
    """Return the unit matrix."""
    return [[float(i == j) for j in range(3)] for i in range(3)]


def square(entries: Sequence[float]) -> Square:
    """Return nine entries as three rows."""
    return [list(entries[i : i + 3]) for i in (0, 3, 6)]


def plus(left: Square, right: Square) -> Square:
    """Return a sum."""
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(left, right, strict=True)]


def transposed(matrix: Square) -> Square:
    """Return the transpose."""
    return [list(column) for column in zip(*matrix, strict=True)]


def applied(matrix: Square, vector: Numbers) -> Numbers:
    """Return a matrix times a vector."""
    a, b, c = vector
    return [row[0] * a + row[1] * b + row[2] * c for row in matrix]


def product(left: Square, right: Square) -> Square:
    """Return a matrix times another."""
    columns = transposed(right)
    return transposed([applied(left, column) for column in columns])


def cross(left: Numbers, right: Numbers) -> Numbers:
    """Return the cross product."""
    (a, b, c), (x, y, z) = left, right
    return [b * z - c * y, c * x - a * z, a * y - b * x]
