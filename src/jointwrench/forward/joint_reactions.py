"""Joint wrenches at the states of a simulation, by jointwrench, PyDy or anybody else."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.numbers import real_array
from ..mechanics.evaluation.evaluator import CHECKS
from ..mechanics.evaluation.result import Result
from ..mechanics.evaluation.value_arguments import ValueReader
from .forward_model import ForwardModel
from .simulation import read_states
from .specified_functions import SpecifiedFunctions


def joint_reactions(
    model: ForwardModel, simulated: Any, times: Any, states: Any, constants: Any, specifieds: Any
) -> Result:
    """Return the accelerations and joint wrenches along a simulation.

    ``simulated`` is PyDy's System that has simulated the model, or None.  The other
    arguments are those of `ForwardDynamics.reactions`.
    """
    names, split = (*model.coordinates, *model.speeds), len(model.coordinates)
    values = PydyValues(simulated) if simulated is not None else None
    more = values.states[len(names) :] if values else ()
    instants, rows = read_states(times, states, names, split, more)
    own = rows[..., : len(names)]
    numbers = ValueReader("constants", model.constants).numbers(constants)
    signals = SpecifiedFunctions(model.specifieds, (), specifieds).sampled(instants, own)
    if values:
        numbers = values.constants(model.constants) | numbers
        signals = values.specifieds(model.specifieds, instants, rows) | signals
    evaluate = model.cached_evaluator(("udot", "joint_wrenches"), checks=CHECKS)
    q, u = (np.ascontiguousarray(x) for x in np.split(own, [split], axis=-1))
    return evaluate(q, u, numbers, signals, instants)


class PydyValues:
    """The values of a ``pydy.system.System`` at present, with PyDy's defaults for missing ones.

    Attributes
    ==========

    states : tuple of Expr
        The columns of PyDy's states: coordinates, speeds, and impulses of its linear outputs.
    """

    def __init__(self, system: Any) -> None:
        self._system = system
        self.states = tuple(system.states)

    def constants(self, symbols: Iterable[Expr]) -> dict[Expr, float]:
        """Return the values of those symbols that are constants of the System; the default is 1."""
        values = dict.fromkeys(self._system.constants_symbols, 1.0) | self._system.constants
        return {s: values[s] for s in symbols if s in values}

    def specifieds(
        self, symbols: Iterable[Expr], times: np.ndarray, states: np.ndarray
    ) -> dict[Expr, np.ndarray]:
        """Return the specified quantities at states (..., N, n); the default is 0.

        Each has the shape (..., N).  PyDy's functions ``f(x, t)`` receive its full state; impulses
        that ``states`` does not contain are NaN there.
        """
        missing = len(self.states) - states.shape[-1]
        rows = np.pad(states, [(0, 0)] * (states.ndim - 1) + [(0, missing)], constant_values=np.nan)
        still = np.zeros(rows.shape[:-1])
        values: dict[Expr, np.ndarray] = dict.fromkeys(self._system.specifieds_symbols, still)
        for key, value in self._by_symbols().items():
            own = key if isinstance(key, tuple) else (key,)
            columns = _sampled(f"specifieds[{key}]", value, len(own), times, rows)
            values.update(zip(own, columns, strict=True))
        return {s: values[s] for s in symbols if s in values}

    def _by_symbols(self) -> Mapping[Any, Any]:
        """Return the values by symbol or tuple of symbols, from either of PyDy's formats."""
        given = self._system.specifieds
        if "symbols" in given and "values" in given:
            return {tuple(given["symbols"]): given["values"]}
        return given


def _sampled(
    argument: str, value: Any, count: int, times: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Return ``count`` columns (count, ..., N) of a number, an array, or a function f(x, t)."""
    columns = np.empty((count, *rows.shape[:-1]))
    for place in np.ndindex(rows.shape[:-1]):
        at = value(rows[place].copy(), float(times[place[-1]])) if callable(value) else value
        numbers = real_array(argument, at)
        if numbers.size != count:
            raise ValueError(
                f"`{argument}` must have {count} values, got shape {numbers.shape}. Use a number "
                "for each symbol, or a function f(x, t) that returns these."
            )
        columns[(slice(None), *place)] = numbers.reshape(-1)
    if not np.isfinite(columns).all() and np.isnan(rows).any():
        raise ValueError(
            f"`{argument}` must be finite, but it depends on states that `states` does not "
            "contain. Use all columns of system.integrate()."
        )
    return columns
