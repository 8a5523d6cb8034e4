"""Values of a graph's scalars in doubles, at many states together.

They are for iterations such as Newton's method, not for decisions about zeros.
"""

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

#: The functions that numpy evaluates; sympy evaluates all others, state by state.
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    Pow: np.power,
    **dict.fromkeys(
        (Select, Gate), lambda left, right, one, other: np.where(left.real > right.real, one, other)
    ),
    AbsorbingProduct: lambda one, other, gate: np.where(one * gate, one * other, 0),
    Certain: lambda left, right, value: value,
    # numpy's inverse functions begin with arc
    **{f: getattr(np, f"arc{x[1:]}" if x.startswith("a") else x) for f, x in ANALYTIC.items()},
}


@dataclass(frozen=True)
class ScaledValue:
    """A value at several states, with the size of the terms that sum to it.

    Sizes are roots of sums of squares, which rotations do not change; sums of absolute values would
    grow with each rotation.

    Attributes
    ==========

    value : numpy.ndarray, shape (states,)
        The value, complex where roots of negative numbers occur.
    scale : numpy.ndarray, shape (states,)
        The size of its terms.
    """

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
    """The values of a graph's scalars at several states, in doubles.

    Parameters
    ==========

    graph : Graph
        The graph of the scalars.
    given : mapping of Expr to numpy.ndarray, optional
        Values of inputs, shape (count,); other inputs are random.
    count : int
        The number of states.
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
        """Return a copy of these states with other values of some inputs."""
        states = DoubleStates(self._graph, {**self._values, **values}, self._count)
        states._random, states._drawn = self._random, self._drawn
        return states

    def samples(self, scalars: Iterable[Scalar]) -> list[ScaledValue]:
        """Return the values of scalars at the states."""
        refs = [scalar.ref for scalar in scalars]
        with np.errstate(all="ignore"):
            return self._graph.evaluate(refs, self._arithmetic, self._samples)

    def _rounded(self, found: Digits) -> ScaledValue:
        """Return a number in which larger numbers cancelled, with their size."""
        own = _number(self._count, found.value)
        return ScaledValue(
            own.value, np.maximum(own.scale, float(found.spread / (SHIFT * ROUNDOFF)))
        )

    def _draw(self, symbol: Any) -> ScaledValue:
        """Return the values of an input, drawn at the first request if none are given."""
        if symbol not in self._values and symbol not in self._drawn:
            drawn = [0.5 + self._random.random() for _ in range(self._count)]
            self._drawn[symbol] = np.array(drawn, complex)
        value = self._values[symbol] if symbol in self._values else self._drawn[symbol]
        return ScaledValue(value, abs(value))

    def matrix(self, rows: Sequence[Sequence[Scalar]]) -> np.ndarray:
        """Return the values of a matrix of scalars, shape (states, rows, columns)."""
        indices = [(i, k) for i, row in enumerate(rows) for k, x in enumerate(row) if x.ref]
        values = np.zeros((self._count, len(rows), len(rows[0]) if rows else 0), complex)
        samples = self.samples(rows[i][k] for i, k in indices)
        for (i, k), sample in zip(indices, samples, strict=True):
            values[:, i, k] = sample.value
        return values


@lru_cache(maxsize=4096)
def _number(count: int, value: Any) -> ScaledValue:
    """Return a number at all states."""
    number = np.full(count, complex(value))
    return ScaledValue(number, abs(number))


def _call(count: int, function: Any, arguments: list[Any]) -> ScaledValue:
    """Return a function of values at all states, by numpy if possible, else by sympy."""
    if function in FUNCTIONS and all(isinstance(item, ScaledValue) for item in arguments):
        value = FUNCTIONS[function](*(sample.value for sample in arguments))
        return ScaledValue(value, _scale(function, value, arguments))
    at = [lambda own, k=k: own.value[k] for k in range(count)]
    value = np.array([evaluate_by_sympy(function, arguments, ScaledValue, own) for own in at])
    return ScaledValue(value, abs(value))


def _scale(function: Any, value: np.ndarray, arguments: Sequence[ScaledValue]) -> np.ndarray:
    """Return the size of a function's terms, roughly: errors of arguments carry over unchanged."""
    if function is Pow:  # relative errors carry over
        return abs(value) * arguments[0].scale / abs(arguments[0].value)
    errors = sum(sample.scale - abs(sample.value) for sample in arguments)
    return abs(value) + np.maximum(1, abs(value)) * errors


def keep_part(function: Any, arguments: list[Any]) -> tuple[Any, list[Any]]:
    """Return a non-scalar part of arguments as a pair that `evaluate_by_sympy` understands."""
    return function, arguments


def evaluate_by_sympy(
    function: Any, arguments: Sequence[Any], kind: type, number: Callable[[Any], Any]
) -> complex:
    """Return a function of numbers as evaluated by sympy; NaN if sympy has no value.

    Arguments of the class ``kind`` are values; ``number`` returns the number of one of them.
    """

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
    except (TypeError, ValueError, AttributeError):  # no number, or a comparison of complex numbers
        return complex("nan")
