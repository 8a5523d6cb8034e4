"""PyDy's interfaces of a model: a System, and a right-hand side ``rhs(x, t, r, p)``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.arguments import check_instance, check_sequence
from ..checks.numbers import real_array
from ..mechanics.adapters.private_pydy_system import SymbolicSystem
from ..mechanics.evaluation.evaluator import CHECKS
from ..mechanics.evaluation.value_arguments import ValueReader
from .forward_model import ForwardModel
from .right_hand_side import RATES
from .specified_functions import has_name_of_time


def ode_function(model: ForwardModel, constants: Any, specifieds: Any) -> Callable[..., Any]:
    """Return a right-hand side ``rhs(x, t, r, p)`` as PyDy's `generate_ode_function` does."""
    evaluate = model.cached_evaluator(RATES, checks=CHECKS)
    used = evaluate.used_inputs
    numbers = _order("constants", model.constants, used, constants)
    signals = _SpecifiedReader(_order("specifieds", model.specifieds, used, specifieds))
    split, width = len(model.coordinates), len(model.coordinates) + len(model.speeds)
    count = 2 if model.specifieds else 1

    def rhs(x: Any, t: float, *arguments: Any) -> np.ndarray:
        """Return the rates of a state x at the time t; arguments are r (if any) and p."""
        if len(arguments) != count:
            expected = "x, t, r, p" if count == 2 else "x, t, p"
            raise TypeError(f"`rhs` must be called as rhs({expected}), got {2 + len(arguments)}.")
        state = real_array("x", x)
        if state.shape != (width,):
            raise ValueError(f"`x` must have shape ({width},), got shape {state.shape}.")
        values = _by_symbol("p", numbers, arguments[-1])
        inputs = signals.read(arguments[0], state, t) if count == 2 else {}
        rates = np.empty(width)
        out = {"qdot": rates[:split], "udot": rates[split:]}
        evaluate(state[:split], state[split:], values, inputs, t, out)
        return rates

    return rhs


def _order(
    argument: str, symbols: Sequence[Expr], used: Iterable[Expr], given: Any
) -> tuple[Expr, ...]:
    """Return symbols in the order in which the user's arrays have their values."""
    if given is None:
        return tuple(symbols)
    order = check_sequence(argument, given, "a sequence of symbols")
    for symbol in order:
        check_instance(argument, symbol, (str, Expr), "symbols or their names")
    return tuple(ValueReader(argument, symbols, used).check_symbols(order))


def _by_symbol(argument: str, symbols: tuple[Expr, ...], given: Any) -> dict[Expr, Any]:
    """Return values by symbol from a dict, which may have further keys, or from an array."""
    if isinstance(given, Mapping):
        return {symbol: given[symbol] for symbol in symbols if symbol in given}
    values = real_array(argument, given)
    if values.shape != (len(symbols),):
        raise ValueError(
            f"`{argument}` must have shape ({len(symbols)},), for "
            f"{', '.join(map(str, symbols)) or 'nothing'}, got shape {values.shape}."
        )
    return dict(zip(symbols, values.tolist(), strict=True))


class _SpecifiedReader:
    """A reader of specified quantities at a state: an array, a mapping, or a function of (x, t).

    It is called at each step of an integrator: names, which sympy prints slowly, and the order of a
    function's arguments are determined once.
    """

    def __init__(self, symbols: tuple[Expr, ...]) -> None:
        self._symbols = symbols
        self._reader = ValueReader("r", symbols)
        self._functions: dict[int, tuple[Any, bool]] = {}

    def read(self, given: Any, x: np.ndarray, t: float) -> dict[Expr, Any]:
        """Return the specified values at a state and a time, by symbol."""
        if callable(given):
            given = self._called(given, x, t)
        if not isinstance(given, Mapping):
            return _by_symbol("r", self._symbols, given)
        values: dict[Expr, Any] = {}
        for key, value in given.items():
            value = self._called(value, x, t) if callable(value) else value
            if isinstance(value, float) and not isinstance(key, tuple):
                values[key] = value
            else:
                values.update(self._several(key, value))
        return values

    def _called(self, function: Any, x: np.ndarray, t: float) -> Any:
        known, is_time_first = self._functions.get(id(function), (None, False))
        if known is not function:
            is_time_first = has_name_of_time(function, 0)
            self._functions[id(function)] = function, is_time_first
        return function(t, x) if is_time_first else function(x, t)

    def _several(self, key: Any, value: Any) -> Iterable[tuple[Expr, float]]:
        own, text = key if isinstance(key, tuple) else (key,), self._reader.text(key)
        numbers = real_array(text, value)
        if numbers.size != len(own):
            raise ValueError(f"`{text}` must have {len(own)} values, got shape {numbers.shape}.")
        return zip(own, numbers.reshape(-1).tolist(), strict=True)


class ForwardSystem(SymbolicSystem):
    """A `pydy.system.System` of a `ForwardDynamics`."""

    def generate_ode_function(self, **kwargs: Any) -> Callable[..., Any]:
        """Return `ForwardDynamics.ode_function`; PyDy's options of generators change nothing."""
        if getattr(self, "outputs", None):
            raise ValueError(
                "`outputs` must be left out: the right-hand side of ForwardDynamics has none. Use "
                "fdyn.reactions(times, states), or a pydy.system.System of a KanesMethod."
            )
        order = self.specifieds.get("symbols")
        return self.use_right_hand_side(self.eom_method.model.ode_function(specifieds=order))
