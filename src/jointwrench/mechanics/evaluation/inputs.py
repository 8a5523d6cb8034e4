"""The inputs of an evaluation, from which results at other points and in other frames follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import hints
from ...checks.arguments import check_mapping
from ...checks.numbers import finite_number

if TYPE_CHECKING:
    from sympy import Symbol


@dataclass(frozen=True, eq=False)
class Inputs:
    """The values of inputs in an evaluation, as far as they are known.

    Attributes
    ==========

    samples : mapping of Expr to numpy.ndarray
        Values over the batch, which broadcast against each other.
    constants : mapping of Expr to float
        Values of constants.
    speeds : tuple of Expr
        The generalized speeds.
    times : numpy.ndarray or None
        The times of the samples.
    """

    samples: Mapping[hints.Expr, np.ndarray]
    constants: Mapping[hints.Expr, float]
    speeds: tuple[hints.Expr, ...] = ()
    times: np.ndarray | None = None

    def missing(self, expressions: Iterable[hints.Expr]) -> set[hints.Expr]:
        """Return the symbols in expressions that have no value."""
        from ..spatial.components import leaves  # imports sympy

        return leaves(expressions) - {*self.samples, *self.constants}

    def knows(self, expressions: Iterable[hints.Expr]) -> bool:
        """Return whether all symbols in expressions have a value."""
        return not self.missing(expressions)

    def arguments(self, evaluate: Any) -> dict[str, Any]:
        """Return the arguments that an evaluator of the same model needs for its outputs."""
        known: dict[hints.Expr, Any] = {**self.samples, **self.constants}
        needed, given = evaluate.used_inputs, dict[str, Any]()
        for name, symbols in evaluate.inputs.items():
            if name in ("constants", "specifieds"):
                given[name] = {symbol: known[symbol] for symbol in symbols if symbol in needed}
            elif name != "times":
                columns = [known.get(symbol, 0.0) for symbol in symbols]
                given[name] = np.stack(np.broadcast_arrays(*columns), -1) if columns else None
        return {**given, "times": self.times}

    def evaluate(
        self, expressions: Sequence[hints.Expr], more: Mapping[hints.Expr, float] | None = None
    ) -> np.ndarray:
        """Return the values of expressions, shape (..., number of expressions).

        ``more`` are constants by symbol or name that the evaluation did not need.
        """
        from sympy import Float

        from ..arithmetic.array_functions import array_function
        from ..spatial.components import find_time, leaves

        constants = {**self.constants, **self._more_constants(expressions, more)}
        numbers = {symbol: Float(value) for symbol, value in constants.items()}
        plain = [expression.xreplace(numbers) for expression in expressions]
        found = leaves(plain)
        _check_known(found - self.samples.keys(), find_time(self.speeds))
        used = [symbol for symbol in self.samples if symbol in found]
        batch = np.broadcast_shapes(*(np.shape(x) for x in self.samples.values()))
        columns = [np.broadcast_to(self.samples[symbol], batch) for symbol in used]
        stacked = np.stack(columns, -1) if columns else np.empty((*batch, 0))
        return array_function([used], plain)(stacked)

    def _more_constants(
        self, expressions: Iterable[hints.Expr], given: Mapping[Any, float] | None
    ) -> dict[hints.Expr, float]:
        """Return further constants by symbol; refuse values that differ from the evaluation's."""
        from ..spatial.components import leaves  # imports sympy

        symbols = {str(s): s for s in (*self.constants, *leaves(expressions)) if s.is_Symbol}
        found = {}
        for key, value in check_mapping("constants", given).items():
            symbol = symbols.get(key, key) if isinstance(key, str) else key
            found[symbol] = number = finite_number("constants", symbol, value)
            if self.constants.get(symbol, number) != number:
                raise ValueError(
                    f"`constants` must have the value of the evaluation, {self.constants[symbol]}, "
                    f"for {symbol}, got {number}. Leave it out, or evaluate with another value."
                )
        return found

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> Inputs:
        """Return the inputs after a function has changed the batch axes of all values."""
        times = () if self.times is None else (self.times,)
        whole = np.broadcast_arrays(*times, *self.samples.values())
        changed = [function(values) for values in whole]
        samples = dict(zip(self.samples, changed[len(times) :], strict=True))
        return replace(self, samples=samples, times=changed[0] if times else None)


def _check_known(unknown: set[hints.Expr], time: Symbol) -> None:
    """Raise an error if symbols have no value, with the argument that can supply it."""
    functions = {leaf for leaf in unknown if not leaf.is_Symbol}
    text = ", ".join(sorted(map(str, functions or unknown)))
    if functions:
        raise ValueError(
            f"`specifieds` must have had a value for {text}, which is needed here. "
            "Use evaluate(..., specifieds={...})."
        )
    if time in unknown:
        raise ValueError(
            "`times` must have been given, since this depends on time. "
            "Use evaluate(..., times=times)."
        )
    if unknown:
        raise ValueError(
            f"`constants` must have a value for {text}, which is needed here and was not "
            "given. Use constants={...}."
        )
