"""What holds for nearly all values of the inputs: zeros that only numbers show, and ranks.

Rotations there and back leave sums that cancel whatever the angles are.  No
formula tells; numbers at random states do, if three things are minded.

- Every value comes with its *scale*, a bound of what rounding can have left of it:
  zero means small compared with that, not small.
- Only analytic functions vanish everywhere if they vanish at random states.  A
  gate such as ``Max(0, q - 2)`` does not, so that nothing that contains one is
  ever taken for zero.
- Several states are asked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import Any

import numpy as np
from sympy import (
    Add,
    Expr,
    Float,
    Mul,
    Pow,
    S,
    acos,
    asin,
    asinh,
    atan,
    cos,
    cosh,
    exp,
    log,
    sin,
    sinh,
    tan,
    tanh,
)

from .graph import Graph, Scalar
from .interpret import Arithmetic

#: How many random states are looked at.
STATES = 3

#: A value that is smaller than this part of its scale at all states is zero.
ROUNDING = 1e-11

#: Functions that are zero everywhere if they are zero at random states.
ANALYTIC: dict[Any, Callable[..., np.ndarray]] = {
    Add: lambda *terms: sum(terms),
    Mul: lambda *factors: np.prod(factors, axis=0),
    Pow: np.power,
    acos: np.arccos,
    asin: np.arcsin,
    asinh: np.arcsinh,
    atan: np.arctan,
    cos: np.cos,
    cosh: np.cosh,
    exp: np.exp,
    log: np.log,
    sin: np.sin,
    sinh: np.sinh,
    tan: np.tan,
    tanh: np.tanh,
}


@dataclass(frozen=True)
class Sample:
    """A value at the random states.

    Attributes
    ==========

    value : numpy.ndarray, shape (number of states,)
        The value, complex where roots of negative numbers are.
    scale : numpy.ndarray, shape (number of states,)
        What rounding errors are to be compared with.
    is_analytic : bool
        Whether only analytic functions of the inputs are in it.
    """

    value: np.ndarray
    scale: np.ndarray
    is_analytic: bool = True

    def __add__(self, other: "Sample") -> "Sample":
        analytic = self.is_analytic and other.is_analytic
        return Sample(self.value + other.value, self.scale + other.scale, analytic)

    def __sub__(self, other: "Sample") -> "Sample":
        return self + -other

    def __mul__(self, other: "Sample") -> "Sample":
        scale = abs(self.value) * other.scale + self.scale * abs(other.value)
        return Sample(self.value * other.value, scale, self.is_analytic and other.is_analytic)

    def __neg__(self) -> "Sample":
        return Sample(-self.value, self.scale, self.is_analytic)

    @property
    def is_zero(self) -> bool:
        """Whether the value is surely zero for all inputs."""
        is_small = abs(self.value) <= ROUNDING * self.scale
        return self.is_analytic and bool(np.all(is_small & np.isfinite(self.value)))


class GenericStates:
    """The values of a graph at some random states, which are the same for all who ask.

    Parameters
    ==========

    graph : Graph
        The graph; it may grow meanwhile.
    given : mapping of Expr to numpy.ndarray, shape (count,), optional
        The values of some inputs; all others are random numbers.
    count : int
        The number of states.
    """

    def __init__(
        self,
        graph: Graph,
        given: Mapping[Expr, np.ndarray] | None = None,
        count: int = STATES,
    ) -> None:
        self._graph = graph
        self._values = dict(given or {})
        self.count = count
        self._samples: dict[int, Sample] = {}
        self._random = Random(20200710)
        self._arithmetic = Arithmetic(
            symbol=self._draw,
            number=partial(_number, count),
            call=partial(_call, count),
            part=_part,
        )

    def of(self, scalar: Scalar) -> Sample:
        """Return a value at the random states."""
        return self.samples([scalar])[0]

    def samples(self, scalars: Iterable[Scalar]) -> list[Sample]:
        """Return values at the random states."""
        refs = [scalar.ref for scalar in scalars]
        return self._graph.evaluate(refs, self._arithmetic, self._samples)

    def _draw(self, symbol: Any) -> Sample:
        if symbol not in self._values:
            drawn = [0.5 + self._random.random() for _ in range(self.count)]
            self._values[symbol] = np.array(drawn, complex)
        value = self._values[symbol]
        return Sample(value, abs(value))

    def with_values(self, values: Mapping[Expr, np.ndarray]) -> "GenericStates":
        """Return the same states but for the values of some inputs."""
        states = GenericStates(self._graph, {**self._values, **values}, self.count)
        states._random = self._random
        return states

    def is_zero(self, scalar: Scalar) -> bool:
        """Return whether a value is zero for all inputs."""
        return scalar.is_zero or self.of(scalar).is_zero

    def without_zeros(self, scalars: Iterable[Scalar]) -> list[Scalar]:
        """Return values with exact zeros in place of those that are zero for all inputs."""
        zero = self._graph.scalar(0)
        return [zero if self.is_zero(scalar) else scalar for scalar in scalars]

    def matrix(self, rows: Sequence[Sequence[Scalar]]) -> tuple[np.ndarray, bool]:
        """Return a matrix at the states, shape (states, rows, columns), and if it is analytic."""
        samples = [self.samples(row) for row in rows]
        shape = (len(rows), len(rows[0]) if rows else 0, self.count)
        values = np.array([[x.value for x in row] for row in samples], complex).reshape(shape)
        is_analytic = all(sample.is_analytic for row in samples for sample in row)
        return np.moveaxis(values, -1, 0), is_analytic

    def rank(self, rows: Sequence[Sequence[Scalar]]) -> int:
        """Return the rank of a matrix; the full one where it may vary or cannot be told."""
        array, is_analytic = self.matrix(rows)
        full = min(array.shape[1:])
        if not full or not is_analytic or not np.isfinite(array).all():
            return full
        return max(int(np.linalg.matrix_rank(scaled(matrix), 1e-9)) for matrix in array)


def scaled(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix whose rows, then columns have a largest entry of one (or are zero)."""
    for axis in (1, 0):
        largest = abs(matrix).max(axis=axis, keepdims=True)
        matrix = matrix / np.where(largest == 0, 1, largest)
    return matrix


@lru_cache(maxsize=4096)
def _number(count: int, value: Any) -> Sample:
    number = np.full(count, complex(value))
    return Sample(number, abs(number))


def _part(function: Any, arguments: list[Any]) -> tuple[Any, list[Any]]:
    return function, arguments


def _call(count: int, function: Any, arguments: list[Any]) -> Sample:
    if function in ANALYTIC and all(isinstance(item, Sample) for item in arguments):
        with np.errstate(all="ignore"):
            value = ANALYTIC[function](*(sample.value for sample in arguments))
            scale = _scale(function, value, arguments)
        return Sample(value, scale, all(sample.is_analytic for sample in arguments))
    value = np.array([_by_sympy(function, arguments, k) for k in range(count)])
    return Sample(value, abs(value), is_analytic=False)


def _scale(function: Any, value: np.ndarray, arguments: Sequence[Sample]) -> np.ndarray:
    """Return the scale of a function, roughly: most change as much as their arguments."""
    if function is Pow:  # relative errors stay what they are
        return abs(value) * arguments[0].scale / abs(arguments[0].value)
    errors = sum(sample.scale - abs(sample.value) for sample in arguments)
    return abs(value) + np.maximum(1, abs(value)) * errors


def _by_sympy(function: Any, arguments: Sequence[Any], state: int) -> complex:
    """Return the value of any function at one of the states; NaN if sympy has none."""
    try:
        value = function(*(_plain(item, state) for item in arguments))
        number = value.evalf()
        return complex(number if number.is_Number else value.doit().evalf())
    except (TypeError, ValueError, AttributeError):  # no number, or no order of complex ones
        return complex("nan")


def _plain(item: Any, state: int) -> Any:
    """Return an argument at one of the states as sympy has it."""
    if isinstance(item, tuple):
        function, arguments = item
        return function(*(_plain(argument, state) for argument in arguments))
    if isinstance(item, Sample):
        value = item.value[state]
        return Float(value.real) + (S.ImaginaryUnit * Float(value.imag) if value.imag else 0)
    return item
