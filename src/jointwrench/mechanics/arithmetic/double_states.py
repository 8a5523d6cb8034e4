"""Values of a graph in doubles at many states at once, for numbers, not for decisions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import Any

import numpy as np
from sympy import Expr, Float, Pow, S

from ...checks.tolerances import ROUNDOFF, SHIFT
from .digits import ANALYTIC, Digits
from .graph import Graph, Scalar
from .operations import Arithmetic
from .piecewise import AbsorbingProduct, Certain, Gate, Select

#: Functions that numpy has; sympy evaluates all others, state by state.
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    Pow: np.power,
    **dict.fromkeys(
        (Select, Gate), lambda left, right, one, other: np.where(left.real > right.real, one, other)
    ),
    AbsorbingProduct: lambda one, other, gate: np.where(one * gate, one * other, 0),
    Certain: lambda left, right, value: value,
    # inverse ones begin with arc
    **{f: getattr(np, f"arc{x[1:]}" if x.startswith("a") else x) for f, x in ANALYTIC.items()},
}


@dataclass(frozen=True)
class ScaledValue:
    """A value at some states, and the size of its terms: arrays of shape (states,)."""

    # Complex where roots of negative numbers are. Sizes are roots of sums of squares, which
    # rotations leave as they are; plain sums of them would grow with each.

    value: np.ndarray
    scale: np.ndarray

    def __add__(self, other: "ScaledValue") -> "ScaledValue":
        value = self.value + other.value
        return ScaledValue(value, np.maximum(abs(value), np.hypot(self.scale, other.scale)))

    def __sub__(self, other: "ScaledValue") -> "ScaledValue":
        return self + -other

    def __mul__(self, other: "ScaledValue") -> "ScaledValue":
        scale = np.hypot(abs(self.value) * other.scale, self.scale * abs(other.value))
        return ScaledValue(self.value * other.value, scale)

    def __neg__(self) -> "ScaledValue":
        return ScaledValue(-self.value, self.scale)


class DoubleStates:
    """The values of a graph at ``count`` states, in doubles.

    ``given`` has values of inputs as arrays (count,); other inputs are random.
    """

    def __init__(
        self, graph: Graph, given: Mapping[Expr, np.ndarray] | None = None, count: int = 1
    ) -> None:
        self._graph = graph
        self._values = dict(given or {})
        self._count = count
        self._samples = {ref: self._rounded(found) for ref, found in graph.rounded.items()}
        self._random, self._drawn = Random(20200710), dict[Any, np.ndarray]()
        number, call = partial(_number, count), partial(_call, count)
        self._arithmetic = Arithmetic(self._draw, number, call, part=keep_part)

    def with_values(self, values: Mapping[Expr, np.ndarray]) -> "DoubleStates":
        """Return the same states with other values of some inputs."""
        states = DoubleStates(self._graph, {**self._values, **values}, self._count)
        states._random, states._drawn = self._random, self._drawn
        return states

    def samples(self, scalars: Iterable[Scalar]) -> list[ScaledValue]:
        """Return values at the states."""
        refs = [scalar.ref for scalar in scalars]
        with np.errstate(all="ignore"):
            return self._graph.evaluate(refs, self._arithmetic, self._samples)

    def _rounded(self, found: Digits) -> ScaledValue:
        """Return a number that remains after cancellation, with the size of its terms."""
        own = _number(self._count, found.value)
        return ScaledValue(
            own.value, np.maximum(own.scale, float(found.spread / (SHIFT * ROUNDOFF)))
        )

    def _draw(self, symbol: Any) -> ScaledValue:
        if symbol not in self._values and symbol not in self._drawn:
            drawn = [0.5 + self._random.random() for _ in range(self._count)]
            self._drawn[symbol] = np.array(drawn, complex)
        value = self._values[symbol] if symbol in self._values else self._drawn[symbol]
        return ScaledValue(value, abs(value))

    def matrix(self, rows: Sequence[Sequence[Scalar]]) -> np.ndarray:
        """Return a matrix at the states, shape (states, rows, columns)."""
        samples = self.samples(entry for row in rows for entry in row)
        shape = (len(rows), len(rows[0]) if rows else 0, self._count)
        values = np.array([sample.value for sample in samples], complex).reshape(shape)
        return np.moveaxis(values, -1, 0)


@lru_cache(maxsize=4096)
def _number(count: int, value: Any) -> ScaledValue:
    number = np.full(count, complex(value))
    return ScaledValue(number, abs(number))


def _call(count: int, function: Any, arguments: list[Any]) -> ScaledValue:
    if function in FUNCTIONS and all(isinstance(item, ScaledValue) for item in arguments):
        value = FUNCTIONS[function](*(sample.value for sample in arguments))
        return ScaledValue(value, _scale(function, value, arguments))
    at = [lambda own, k=k: own.value[k] for k in range(count)]
    value = np.array([evaluate_by_sympy(function, arguments, ScaledValue, own) for own in at])
    return ScaledValue(value, abs(value))


def _scale(function: Any, value: np.ndarray, arguments: Sequence[ScaledValue]) -> np.ndarray:
    """Return the rough scale of a function: most change as much as their arguments."""
    if function is Pow:  # relative errors stay what they are
        return abs(value) * arguments[0].scale / abs(arguments[0].value)
    errors = sum(sample.scale - abs(sample.value) for sample in arguments)
    return abs(value) + np.maximum(1, abs(value)) * errors


def keep_part(function: Any, arguments: list[Any]) -> tuple[Any, list[Any]]:
    """Return a part of arguments that is not a scalar, for `by_sympy`."""
    return function, arguments


def evaluate_by_sympy(
    function: Any, arguments: Sequence[Any], kind: type, number: Callable[[Any], Any]
) -> complex:
    """Return the value of any function; NaN if sympy has none.  Values of a kind are numbers."""

    def known(item: Any) -> Any:
        if isinstance(item, tuple):
            inner, parts = item
            return inner(*map(known, parts))
        if not isinstance(item, kind):
            return item
        value = complex(number(item))
        return Float(value.real) + (S.ImaginaryUnit * Float(value.imag) if value.imag else 0)

    try:
        value = function(*map(known, arguments))
        found = value.evalf()
        return complex(found if found.is_Number else value.doit().evalf())
    except (TypeError, ValueError, AttributeError):  # no number, or no order of complex ones
        return complex("nan")
