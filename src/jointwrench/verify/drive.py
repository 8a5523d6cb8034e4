"""The inputs of a forward simulation that follows a prescribed motion: forces and values."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from sympy import Expr

from ..checks.arguments import check_mapping, describe
from ..checks.numbers import real_array
from ..mechanics.arithmetic.array_functions import array_function
from ..mechanics.evaluation.compilation import Evaluator
from ..mechanics.evaluation.motion_arguments import MotionReader
from ..mechanics.evaluation.result import Result
from ..mechanics.evaluation.value_arguments import ValueReader
from ..mechanics.methods.inverse_dynamics import InverseDynamics
from ..motion.states import Motion, States
from .kane_model import KaneCheck


class Driven(NamedTuple):
    """The prescribed states, the forces Q (N, n), and the model's other inputs (N, k)."""

    states: States
    forces: np.ndarray
    inputs: np.ndarray


class Drive:
    """The prescribed motion, the forces that it requires, and the model's other inputs."""

    def __init__(
        self,
        idyn: InverseDynamics,
        model: KaneCheck,
        motion: Any,
        constants: Any,
        specifieds: Any,
        backend: Literal["auto", "c", "numpy", "pydy"],
    ) -> None:
        self._idyn, self._given = idyn, model.inputs
        self._widths = len(idyn.coordinates), len(idyn.speeds), len(idyn.speeds)
        reader = _value_reader("constants", idyn, idyn.constants, model.constants)
        self._numbers = reader.numbers(constants)
        self._known = {s: x for s, x in self._numbers.items() if s in idyn.constants}
        self._path = _read_motion(idyn, motion, self._known)
        sources = check_mapping("specifieds", specifieds).items()
        self._sources = {key: self._source(key, value) for key, value in sources}
        self._signals = _value_reader("specifieds", idyn, idyn.specifieds, model.functions)
        self._backend = backend
        self._evaluate = idyn.compile(("generalized_forces", "solved_loads"), backend=backend)

    def loop_wrenches(self, times: np.ndarray) -> np.ndarray:
        """Return the wrenches of loop joints and contacts, shape (N, 6 times their number)."""
        evaluate = self._idyn.compile("joint_wrenches", backend=self._backend)
        *_, result = self._evaluate_at(evaluate, times)
        return result.joint_wrenches[:, len(self._idyn.joints) :].reshape(len(times), -1)

    def at(self, times: np.ndarray) -> Driven:
        """Return the states, forces and inputs of the model at times of shape (N,)."""
        states, signals, result = self._evaluate_at(self._evaluate, times)
        values: dict[Expr, Any] = {**self._numbers, **signals, **result.solved_loads}
        given = [np.broadcast_to(values[symbol], len(times)) for symbol in self._given]
        columns = np.array(given, dtype=float).reshape(-1, len(times)).T
        return Driven(states, result.generalized_forces, columns)

    def _evaluate_at(self, evaluate: Evaluator, times: np.ndarray) -> tuple[States, Any, Result]:
        """Return the states, the values of specified functions, and the result of an evaluator."""
        states = self._states(times)
        columns = self._signals.columns(self._sources, times)
        signals = {symbol: np.broadcast_to(x, len(times)) for symbol, x in columns.items()}
        for symbol, signal in signals.items():
            _check_finite(f"specifieds[{symbol}]", times, signal)
        specifieds = {s: x for s, x in signals.items() if s in self._idyn.specifieds}
        result = evaluate(*states, constants=self._known, specifieds=specifieds, times=times)
        return states, signals, result

    def _states(self, times: np.ndarray) -> States:
        """Return the prescribed states at some times; refuse wrong shapes and values not finite."""
        sizes = [(len(times), width) for width in self._widths]
        arrays = [real_array("motion.at(times)", array) for array in self._path.at(times)]
        if (found := [array.shape for array in arrays]) != sizes:
            raise ValueError(f"`motion` must return q, u, udot of the shapes {sizes}, got {found}.")
        for name, array in zip(States._fields, arrays, strict=True):
            _check_finite(f"motion.at(times).{name}", times, array)
        return States(*arrays)

    def _source(self, key: Any, value: Any) -> float | Callable[[float], Any]:
        """Return a specified quantity as a number or as a function of time, a float."""
        if isinstance(value, Expr):
            from ..motion.prescribed_motion import check_function_of_time

            check_function_of_time(f"specifieds[{key}]", value, self._idyn, self._numbers)
            formula = array_function([[self._idyn.time]], [value.xreplace(self._numbers)])
            return lambda time: formula(np.array([time]))[0]
        if callable(value) or np.ndim(value) == 0:
            return value
        raise TypeError(
            f"`specifieds[{key}]` must be a number, a formula of time or a function of time, got "
            f"{describe(value)}. Use for instance scipy.interpolate.CubicSpline(times, values), or "
            "ExternalWrench.functions(plate) for a force plate."
        )


def _value_reader(
    argument: str, idyn: InverseDynamics, known: Iterable[Expr], of_model: Iterable[Expr]
) -> ValueReader:
    """Return a reader of values of ``known`` symbols and of symbols that the model needs."""
    needed = [symbol for symbol in of_model if symbol not in idyn.solve_for]
    return ValueReader(argument, tuple(dict.fromkeys((*known, *needed))), needed)


def _read_motion(idyn: InverseDynamics, motion: Any, numbers: Mapping[Any, float]) -> Motion:
    """Return the user's motion as an object with a method ``at(times)``."""
    if isinstance(motion, Mapping):
        from ..motion.prescribed_motion import PrescribedMotion, check_formulas

        check_formulas("motion", idyn, motion)
        return PrescribedMotion(idyn, motion, numbers)
    if callable(getattr(motion, "at", None)):
        MotionReader(idyn.model.inputs).check_names(motion)
        return motion
    raise TypeError(
        "`motion` must be a mapping of coordinates to formulas of time, or have a method "
        f"at(times) that returns q, u, udot, got {describe(motion)}. Use {{q: sin(t), ...}}."
    )


def _check_finite(argument: str, times: np.ndarray, values: np.ndarray) -> None:
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        value, time = values[tuple(wrong[0])], times[wrong[0][0]]
        raise ValueError(f"`{argument}` must be finite, got {value} at the time {time:g}.")
