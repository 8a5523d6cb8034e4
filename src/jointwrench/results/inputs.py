"""What an evaluation was called with, so that its results can be looked at from elsewhere."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Dummy, Expr, Float, Symbol
from sympy.core.function import AppliedUndef, Derivative

from ..arithmetic.array_functions import array_function
from ..checks.numbers import finite_number
from ..spatial.leaves import time_of


@dataclass(frozen=True, eq=False)
class Inputs:
    """The values of the symbols at the samples of an evaluation.

    Parameters
    ==========

    samples : mapping of Expr to numpy.ndarray
        Coordinates, speeds, their derivatives, specified quantities and the time,
        as far as they are known: arrays that broadcast to the batch's shape.
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
        more : mapping of Expr or str to float, optional
            Constants that are not known here.

        Raises
        ======

        TypeError
            If a constant is no real number.
        ValueError
            If an expression contains a symbol without a value, or if a constant is
            not finite or has another value here.
        """
        constants = {**self.constants, **self._more_constants(expressions, more or {})}
        numbers = {symbol: Float(value) for symbol, value in constants.items()}
        names = {symbol: Dummy() for symbol in self.samples}
        plain = [_with_names(expression.xreplace(numbers), names) for expression in expressions]
        _check_known(plain, names.values(), time_of(self.speeds))
        used = [symbol for symbol, name in names.items() if any(e.has(name) for e in plain)]
        batch = np.broadcast_shapes(*(np.shape(x) for x in self.samples.values()))
        columns = [np.broadcast_to(self.samples[s], batch) for s in used]
        stacked = np.stack(columns, -1) if columns else np.empty((*batch, 0))
        return array_function([[names[s] for s in used]], plain)(stacked)

    def _more_constants(
        self, expressions: Iterable[Expr], given: Mapping[Any, float]
    ) -> dict[Expr, float]:
        """Return more constants by symbol; they may be given by name."""
        symbols = {str(s): s for s in (*self.constants, *_free_symbols(expressions))}
        found = {}
        for key, value in given.items():
            symbol = symbols.get(key, key) if isinstance(key, str) else key
            found[symbol] = number = finite_number("constants", symbol, value)
            if self.constants.get(symbol, number) != number:
                raise ValueError(
                    f"`constants` must have the value of the evaluation, {self.constants[symbol]}, "
                    f"for {symbol}, got {number}. Leave it out, or evaluate with another value."
                )
        return found

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> "Inputs":
        """Return the inputs after a function has changed the batch axes of each sample."""
        samples = {symbol: function(values) for symbol, values in self.samples.items()}
        times = None if self.times is None else function(self.times)
        return Inputs(samples, self.constants, self.speeds, times)


def _free_symbols(expressions: Iterable[Expr]) -> set[Expr]:
    return {symbol for expression in expressions for symbol in expression.free_symbols}


def _with_names(expression: Expr, names: Mapping[Expr, Dummy]) -> Expr:
    """Return an expression with names for what varies: derivatives, functions, then the time."""
    for kind in (Derivative, AppliedUndef, Symbol):
        named = {old: new for old, new in names.items() if isinstance(old, kind)}
        expression = expression.xreplace(named)
        if kind is Derivative and expression.has(Derivative):
            return expression  # an unknown one
    return expression


def _check_known(expressions: Sequence[Expr], names: Iterable[Dummy], time: Symbol) -> None:
    unknown = {f for e in expressions for f in e.atoms(Derivative) or e.atoms(AppliedUndef)}
    if unknown:
        text = ", ".join(sorted(map(str, unknown)))
        raise ValueError(
            f"`specifieds` must have had a value for {text}, which this needs. "
            "Use evaluate(..., specifieds={...})."
        )
    left = _free_symbols(expressions) - set(names)
    if time in left:
        raise ValueError(
            "`times` must have been given, since this depends on time. "
            "Use evaluate(..., times=times)."
        )
    if left:
        text = ", ".join(sorted(map(str, left)))
        raise ValueError(
            f"`constants` must have a value for {text}, which this needs and the evaluation did "
            "not have. Use constants={...}."
        )
