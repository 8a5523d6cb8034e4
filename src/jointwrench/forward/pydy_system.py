"""PyDy's interfaces of a model: a System, and a right-hand side ``rhs(x, t, r, p)``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.arguments import check_instance, check_sequence
from ..checks.numbers import real_array
from ..mechanics.adapters.private_pydy_system import SymbolicSystem
from ..mechanics.evaluation.evaluator import TOLD
from ..mechanics.evaluation.values import ValueReader
from .forward_model import ForwardModel
from .right_hand_side import RATES
from .specified_functions import has_name_of_time


def ode_function(model: ForwardModel, constants: Any, specifieds: Any) -> Callable[..., Any]:
    """Return a function like that of PyDy's `generate_ode_function`."""
    evaluate = model.compiled(RATES, told=TOLD)
    used = evaluate.used_inputs
    numbers = _order("constants", model.constants, used, constants)
    signals = _order("specifieds", model.specifieds, used, specifieds)
    split, width = len(model.coordinates), len(model.coordinates) + len(model.speeds)
    count = 2 if model.specifieds else 1

    def rhs(x: Any, t: float, *arguments: Any) -> np.ndarray:
        if len(arguments) != count:
            expected = "x, t, r, p" if count == 2 else "x, t, p"
            raise TypeError(f"`rhs` must be called as rhs({expected}), got {2 + len(arguments)}.")
        state = real_array("x", x)
        if state.shape != (width,):
            raise ValueError(f"`x` must have shape ({width},), got shape {state.shape}.")
        values = _by_symbol("p", numbers, arguments[-1])
        inputs = _signals(signals, arguments[0], state, t) if count == 2 else {}
        result = evaluate(state[:split], state[split:], values, inputs, t)
        return np.concatenate([result.qdot, result.udot])

    return rhs


def _order(
    argument: str, symbols: Sequence[Expr], used: Iterable[Expr], given: Any
) -> tuple[Expr, ...]:
    """Return symbols in the order in which arrays have their values."""
    if given is None:
        return tuple(symbols)
    order = check_sequence(argument, given, "a sequence of symbols")
    for symbol in order:
        check_instance(argument, symbol, (str, Expr), "symbols or their names")
    return tuple(ValueReader(argument, symbols, used).in_order(order))


def _by_symbol(argument: str, symbols: tuple[Expr, ...], given: Any) -> dict[Expr, Any]:
    """Return values by symbol, of a dict (more keys do no harm) or of an array."""
    if isinstance(given, Mapping):
        return {symbol: given[symbol] for symbol in symbols if symbol in given}
    values = real_array(argument, given)
    if values.shape != (len(symbols),):
        raise ValueError(
            f"`{argument}` must have shape ({len(symbols)},), for "
            f"{', '.join(map(str, symbols)) or 'nothing'}, got shape {values.shape}."
        )
    return dict(zip(symbols, values.tolist(), strict=True))


def _signals(symbols: tuple[Expr, ...], given: Any, x: np.ndarray, t: float) -> dict[Expr, Any]:
    """Return specified quantities by symbol, of an array, a dict, or a function of (x, t)."""

    def called(function: Any) -> Any:
        return function(t, x) if has_name_of_time(function, 0) else function(x, t)

    if callable(given):
        return _by_symbol("r", symbols, called(given))
    if not isinstance(given, Mapping):
        return _by_symbol("r", symbols, given)
    values: dict[Expr, Any] = {}
    for key, value in given.items():
        own = key if isinstance(key, tuple) else (key,)
        numbers = real_array(f"r[{key}]", called(value) if callable(value) else value)
        if numbers.size != len(own):
            raise ValueError(f"`r[{key}]` must have {len(own)} values, got shape {numbers.shape}.")
        values.update(zip(own, numbers.reshape(-1).tolist(), strict=True))
    return values


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
        return self.integrated(self.eom_method.model.ode_function(specifieds=order))
