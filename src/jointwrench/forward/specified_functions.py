"""Specified quantities of a simulation: numbers, functions of time, feedback of the state."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr

from ..checks.arguments import describe
from ..checks.numbers import real_array
from ..mechanics.evaluation.value_arguments import (
    UserValue,
    ValueReader,
    can_be_called_with,
    signature_of,
)

#: Names of an argument that is the time, which distinguish PyDy's order (x, t) from ours, (t, x).
TIME_NAMES = {"t", "time"}

#: The values of specified quantities by symbol, shape () or (k,).
Values = dict[Expr, Any]


class SpecifiedFunction(NamedTuple):
    """A user's function of t or (t, x) that returns one or more specified quantities.

    ``order`` has the indices of its arguments in (time, state); it is empty for a function of t.
    """

    given: UserValue
    order: tuple[int, ...]

    @property
    def has_feedback(self) -> bool:
        return bool(self.order)

    def at(self, time: float, state: np.ndarray) -> Iterable[tuple[Expr, np.ndarray]]:
        """Return the value of each symbol, shape () or (k,) for k states."""
        what, function, expected = self.given.name, self.given.value, self.given.shape
        expected = (*expected, *state.shape[1:]) if self.has_feedback else expected
        both = time, state
        values = real_array(what, function(*(both[k] for k in self.order or (0,))))
        if values.shape != expected:
            given = f" for states of shape {state.shape}" if self.has_feedback else ""
            raise ValueError(
                f"`{what}` must return shape {expected}{given}, got shape {values.shape}."
            )
        return zip(self.given.symbols, [values] if self.given.is_single else values, strict=True)


class SpecifiedFunctions:
    """The specified quantities of `ForwardDynamics.rhs` as functions of time and state."""

    def __init__(self, symbols: Sequence[Expr], needed: Iterable[Expr], given: Any) -> None:
        self._numbers: Values = {}
        self._sources: list[SpecifiedFunction] = []
        for entry in ValueReader("specifieds", symbols, needed).entries(given):
            if callable(entry.value):
                self._sources.append(SpecifiedFunction(entry, _order(entry)))
            else:
                self._numbers |= _numbers(entry)
        self.has_feedback = any(source.has_feedback for source in self._sources)

    def at(self, time: float, state: np.ndarray) -> Values:
        """Return the values at one time, for a state (n_x,) or k of them (n_x, k)."""
        values = dict(self._numbers)
        for source in self._sources:
            values.update(source.at(time, state))
        return values

    def sampled(self, times: np.ndarray, states: np.ndarray) -> Values:
        """Return the values, shape () or (..., N), at states (..., N, n_x) of motions."""
        shape, width = states.shape[:-1], states.shape[-1]
        values = {s: np.empty(shape) for source in self._sources for s in source.given.symbols}
        for k, time in enumerate(times if self._sources else ()):
            state = states[..., k, :]
            columns = state if state.ndim == 1 else state.reshape(-1, width).T
            for source in self._sources:
                for symbol, value in source.at(float(time), columns):
                    values[symbol][..., k] = value.reshape(shape[:-1]) if value.ndim else value
        return {**self._numbers, **values}


def _numbers(entry: UserValue) -> Values:
    """Return the numbers of an entry by symbol; arrays over time are refused."""
    numbers = real_array(entry.name, entry.value)
    if numbers.shape != entry.shape:
        raise ValueError(
            f"`{entry.name}` must have shape {entry.shape}, got shape {numbers.shape}. Use a "
            "function of time for what changes, for instance scipy.interpolate.CubicSpline(times, "
            "values)."
        )
    return dict(zip(entry.symbols, numbers.reshape(-1).tolist(), strict=True))


def has_name_of_time(function: Any, argument: int) -> bool:
    """Whether the first (0) or second (1) argument of a function is named "t" or "time"."""
    signature = signature_of(function)
    names = [] if signature is None else [*signature.parameters]
    return not TIME_NAMES.isdisjoint(names[argument : argument + 1])


def _order(entry: UserValue) -> tuple[int, ...]:
    """Return the indices in (time, state) of a function's arguments; empty for time only."""
    signature = signature_of(entry.value)
    if signature is None or can_be_called_with(signature, 1):
        return ()
    if not can_be_called_with(signature, 2):
        raise TypeError(
            f"`{entry.name}` must be a function of time, f(t), or of time and state, f(t, x), got "
            f"{describe(entry.value)} with the signature {signature}. Use lambda t, x: ..."
        )
    return (1, 0) if has_name_of_time(entry.value, 1) else (0, 1)
