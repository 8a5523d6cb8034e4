"""What drives a forward simulation along a prescribed motion: forces, loads, constants."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sympy import Expr

from ..array_checks import real_array
from ..arrays import array_function
from ..checks import check_instance, describe
from ..codegen.values import Names, constant_values, specified_values
from ..inverse_dynamics import InverseDynamics
from ..trajectory import Motion, PrescribedMotion, States, check_of_time
from .forward import ForwardModel


class Drive:
    """The prescribed motion, the forces it asks for, and all that is given to the model."""

    def __init__(
        self,
        idyn: InverseDynamics,
        model: ForwardModel,
        motion: Any,
        constants: Any,
        specifieds: Any,
        backend: str,
    ) -> None:
        self._idyn, self._model = idyn, model
        self._numbers = _numbers(idyn, model, constants)
        self._path = _path(idyn, motion, self._numbers)
        self._signals = _Signals(idyn, model, specifieds, self._numbers)
        self._evaluate = idyn.compile(("generalized_forces", "solved_loads"), backend=backend)

    def at(self, times: np.ndarray) -> tuple[States, np.ndarray, np.ndarray]:
        """Return the states, the forces Q (N, n), and the given values (N, k) at some times."""
        states = _states(self._idyn, self._path, times)
        signals = self._signals.at(times)
        result = self._evaluate(
            *states,
            constants={s: x for s, x in self._numbers.items() if s in self._idyn.constants},
            specifieds={s: x for s, x in signals.items() if s in self._idyn.specifieds},
            times=times,
        )
        values: dict[Expr, Any] = {**self._numbers, **signals, **result.solved_loads}
        given = np.empty((len(times), len(self._model.given)))
        for k, symbol in enumerate(self._model.given):
            given[:, k] = values[symbol]
        return states, result.generalized_forces, given


class _Signals:
    """The functions of time in the loads."""

    def __init__(
        self,
        idyn: InverseDynamics,
        model: ForwardModel,
        specifieds: Any,
        numbers: Mapping[Expr, float],
    ) -> None:
        given = {} if specifieds is None else specifieds
        check_instance("specifieds", given, Mapping, "a mapping of symbols to values")
        needed = [s for s in model.functions if s not in idyn.solve_for]
        symbols = tuple(dict.fromkeys((*idyn.specifieds, *needed)))
        self._names = Names("specifieds", symbols, needed)
        self._sources = {key: _source(idyn, key, given[key], numbers) for key in given}
        keys = [k for key in given for k in (key if isinstance(key, tuple) else (key,))]
        self._positions = sorted(self._names.collect((key, None) for key in keys))

    def at(self, times: np.ndarray) -> dict[Expr, np.ndarray]:
        """Return the values at some times, each of shape (N,)."""
        values = specified_values(self._names, self._sources, times)
        signals = {
            self._names.symbols[k]: np.broadcast_to(values.columns[k], len(times))
            for k in self._positions
        }
        for symbol, signal in signals.items():
            _check_finite(f"specifieds[{symbol}]", times, signal)
        return signals


def _source(
    idyn: InverseDynamics, key: Any, value: Any, numbers: Mapping[Expr, float]
) -> float | Callable[[float], Any]:
    """Return a specified quantity as a number or as a function of a float."""
    if isinstance(value, Expr):
        check_of_time(f"specifieds[{key}]", value, idyn, numbers)
        formula = array_function([[idyn.time]], [value.xreplace(dict(numbers))])
        return lambda time: formula(np.array([time]))[0]
    if callable(value) or np.ndim(value) == 0:
        return value
    raise TypeError(
        f"`specifieds[{key}]` must be a number, a formula of time or a function of time, got "
        f"{describe(value)}. Use for instance scipy.interpolate.CubicSpline(times, values)."
    )


def _numbers(idyn: InverseDynamics, model: ForwardModel, given: Any) -> dict[Expr, float]:
    """Return the values of the constants by symbol."""
    needed = [s for s in model.constants if s not in idyn.solve_for]
    names = Names("constants", tuple(dict.fromkeys((*idyn.constants, *needed))), needed)
    values = constant_values(names, given)
    found = names.collect((given or {}).items())
    return {names.symbols[k]: float(values[k]) for k in sorted(found)}


def _path(idyn: InverseDynamics, motion: Any, numbers: Mapping[Expr, float]) -> Motion:
    """Return what gives the states at any time."""
    if isinstance(motion, Mapping):
        known = {symbol: x for symbol, x in numbers.items() if symbol in idyn.constants}
        return PrescribedMotion(idyn, motion, known)
    if callable(getattr(motion, "at", None)):
        return motion
    raise TypeError(
        "`motion` must be a mapping of coordinates to formulas of time, or have a method "
        f"at(times) that returns q, u, udot, got {describe(motion)}. Use {{q: sin(t), ...}}."
    )


def _states(idyn: InverseDynamics, path: Motion, times: np.ndarray) -> States:
    """Return the states at some times, checked."""
    n = len(idyn.speeds)
    shapes = [(len(times), k) for k in (len(idyn.coordinates), n, n)]
    arrays = [real_array("motion.at(times)", array) for array in path.at(times)]
    if [array.shape for array in arrays] != shapes:
        raise ValueError(
            f"`motion` must return q, u, udot of the shapes {shapes}, got "
            f"{[array.shape for array in arrays]}."
        )
    for name, array in zip(States._fields, arrays, strict=True):
        _check_finite(f"motion.at(times).{name}", times, array)
    return States(*arrays)


def _check_finite(argument: str, times: np.ndarray, values: np.ndarray) -> None:
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        value, time = values[tuple(wrong[0])], times[wrong[0][0]]
        raise ValueError(f"`{argument}` must be finite, got {value} at the time {time:g}.")
