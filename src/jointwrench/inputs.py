"""What an evaluation was called with, so that its results can be looked at from elsewhere."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr, Float, S
from sympy.core.function import AppliedUndef, Derivative

from .arrays import array_function


@dataclass(frozen=True, eq=False)
class Inputs:
    """The values of the symbols at the samples of an evaluation.

    Parameters
    ==========

    samples : mapping of Expr to numpy.ndarray
        Coordinates, speeds, their derivatives and specified quantities: arrays
        that broadcast to the batch's shape.
    constants : mapping of Expr to float
        The constants that are known.
    speeds : tuple of Expr
        The generalized speeds, in their order.
    times : numpy.ndarray or None
        The instants, if they were given.
    """

    samples: Mapping[Expr, np.ndarray]
    constants: Mapping[Expr, float]
    speeds: tuple[Expr, ...] = ()
    times: np.ndarray | None = None

    def evaluate(
        self, expressions: Sequence[Expr], more: Mapping[Expr, float] | None = None
    ) -> np.ndarray:
        """Return the values of expressions, shape (..., number of expressions).

        Parameters
        ==========

        expressions : sequence of Expr
            Scalars in the symbols of the samples and constants.
        more : mapping of Expr to float, optional
            Constants that are not known here.

        Raises
        ======

        ValueError
            If an expression contains a symbol without a value.
        """
        constants = {**self.constants, **_by_symbol(expressions, more or {})}
        numbers = {symbol: Float(value) for symbol, value in constants.items()}
        plain = [expression.xreplace(numbers) for expression in expressions]
        used = [s for s in self.samples if any(e.has(s) for e in plain)]
        _check_known(plain, used)
        batch = np.broadcast_shapes(*(np.shape(x) for x in self.samples.values()))
        columns = [np.broadcast_to(self.samples[s], batch) for s in used]
        stacked = np.stack(columns, -1) if columns else np.empty((*batch, 0))
        return array_function([used], plain)(stacked)

    def speed(self, speed: Expr) -> np.ndarray:
        """Return the values of a generalized speed, shape of the batch."""
        return self.samples[speed]

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> "Inputs":
        """Return the inputs after a function has changed the batch axes of each sample."""
        samples = {symbol: function(values) for symbol, values in self.samples.items()}
        times = None if self.times is None else function(self.times)
        return Inputs(samples, self.constants, self.speeds, times)


def _by_symbol(expressions: Iterable[Expr], given: Mapping[Any, float]) -> dict[Expr, float]:
    """Return values by symbol; they may be given by name."""
    symbols = {str(s): s for e in expressions for s in e.free_symbols}
    return {symbols.get(key, key) if isinstance(key, str) else key: x for key, x in given.items()}


def _check_known(expressions: Iterable[Expr], used: Iterable[Expr]) -> None:
    placeholders = dict.fromkeys(used, S.Zero)
    left = [expression.xreplace(placeholders) for expression in expressions]
    unknown = {s for e in left for s in e.atoms(AppliedUndef, Derivative)}
    unknown |= {s for e in left for s in e.free_symbols if not _is_time(s, unknown)}
    if unknown:
        names = ", ".join(sorted(map(str, unknown)))
        raise ValueError(
            f"`constants` must have a value for {names}, which this needs and the evaluation did "
            "not have. Use constants={...}."
        )


def _is_time(symbol: Expr, functions: Iterable[Expr]) -> bool:
    return any(symbol in function.free_symbols for function in functions)
