"""Specified quantities of a simulation: numbers, functions of time, feedback of the state."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.arguments import check_instance, describe
from ..checks.numbers import real_array
from ..evaluation.values import Names

#: Names of a second argument that is the time: such a function has PyDy's order (x, t).
TIME_NAMES = ("t", "time")

#: The values of specified quantities by symbol, shape () or (k,).
Values = dict[Expr, Any]


@dataclass(frozen=True)
class SpecifiedFunction:
    """A function of (t, x) that gives the values of one or more specified quantities.

    A ``is_single`` one returns one value, rather than one for each symbol of a tuple.
    """

    what: str
    symbols: tuple[Expr, ...]
    is_single: bool
    function: Callable[[float, np.ndarray], Any]
    takes_state: bool

    def at(self, time: float, state: np.ndarray) -> Iterable[tuple[Expr, np.ndarray]]:
        """Return the value of each symbol, shape () or (k,) for k states."""
        own = () if self.is_single else (len(self.symbols),)
        expected = (*own, *state.shape[1:]) if self.takes_state else own
        values = real_array(self.what, self.function(time, state))
        if values.shape != expected:
            given = f" for states of shape {state.shape}" if self.takes_state else ""
            raise ValueError(
                f"`{self.what}` must return shape {expected}{given}, got shape {values.shape}."
            )
        rows = [values] if self.is_single else values
        return zip(self.symbols, rows, strict=True)


class SpecifiedFunctions:
    """The specified quantities as functions of time and state.

    Given are by symbol or name a number, a function of time, or one of time and state (t, x); by a
    tuple of c symbols an array of c numbers or such a function that returns c values.
    """

    def __init__(self, symbols: Sequence[Expr], needed: Iterable[Expr], given: Any) -> None:
        expected, fix = "a mapping of symbols to values", "Use {symbol: value}."
        given = check_instance("specifieds", {} if given is None else given, Mapping, expected, fix)
        names = Names("specifieds", symbols, needed)
        pairs = [
            (symbol, (key, k))
            for key in given
            for k, symbol in enumerate(key if isinstance(key, tuple) else (key,))
        ]
        by_key: dict[Any, list[Expr]] = {key: [] for key in given}
        for place, (key, _) in names.collect(pairs).items():
            by_key[key].append(names.symbols[place])
        self._numbers: Values = {}
        self._sources: list[SpecifiedFunction] = []
        for key, value in given.items():
            self._add(f"specifieds[{key}]", key, tuple(by_key[key]), value)
        self.take_state = any(source.takes_state for source in self._sources)

    def _add(self, what: str, key: Any, symbols: tuple[Expr, ...], value: Any) -> None:
        is_single = not isinstance(key, tuple)
        if callable(value):
            takes_state = _takes_state(what, value)
            function = value if takes_state else lambda time, state: value(time)
            self._sources.append(SpecifiedFunction(what, symbols, is_single, function, takes_state))
            return
        numbers = real_array(what, value)
        expected = () if is_single else (len(symbols),)
        if numbers.shape != expected:
            raise ValueError(
                f"`{what}` must have shape {expected}, got shape {numbers.shape}. Use a function "
                "of time for what changes, for instance scipy.interpolate.CubicSpline(times, "
                "values)."
            )
        self._numbers |= dict(zip(symbols, numbers.reshape(-1).tolist(), strict=True))

    def at(self, time: float, state: np.ndarray) -> Values:
        """Return the values at one time, for a state (n_x,) or k of them (n_x, k)."""
        values = dict(self._numbers)
        for source in self._sources:
            values.update(source.at(time, state))
        return values

    def sampled(self, times: np.ndarray, states: np.ndarray) -> Values:
        """Return the values, shape () or (..., N), at states (..., N, n_x) of motions."""
        shape, width = states.shape[:-1], states.shape[-1]
        values = {s: np.empty(shape) for source in self._sources for s in source.symbols}
        for k, time in enumerate(times if self._sources else ()):
            state = states[..., k, :]
            columns = state if state.ndim == 1 else state.reshape(-1, width).T
            for source in self._sources:
                for symbol, value in source.at(float(time), columns):
                    values[symbol][..., k] = value.reshape(shape[:-1]) if value.ndim else value
        return {**self._numbers, **values}


def _takes_state(what: str, function: Callable[..., Any]) -> bool:
    """Whether a function has to be called with (t, x), rather than with t alone."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # some functions written in C have none
        return False
    if _takes(signature, 1):
        return False
    names = list(signature.parameters)
    if not _takes(signature, 2) or names[1] in TIME_NAMES:
        raise TypeError(
            f"`{what}` must be a function of time, f(t), or of time and state, f(t, x), got "
            f"{describe(function)} with the signature {signature}. Use lambda t, x: ..."
        )
    return True


def _takes(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True
