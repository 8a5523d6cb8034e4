"""Joint wrenches at the states of a simulation, by jointwrench, PyDy or anybody else."""

from collections.abc import Iterable
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
    # PyDy's states are coordinates, speeds, and impulses of its linear outputs
    more = () if simulated is None else tuple(simulated.states)[len(names) :]
    instants, rows = read_states(times, states, names, split, more)
    own = rows[..., : len(names)]
    numbers = ValueReader("constants", model.constants).numbers(constants)
    signals = SpecifiedFunctions(model.specifieds, (), specifieds).sampled(instants, own)
    if simulated is not None:
        known = dict.fromkeys(simulated.constants_symbols, 1.0) | simulated.constants
        numbers = {s: known[s] for s in model.constants if s in known} | numbers
        signals = _sampled_by_pydy(simulated, model.specifieds, instants, rows) | signals
    evaluate = model.cached_evaluator(("udot", "joint_wrenches"), checks=CHECKS)
    q, u = (np.ascontiguousarray(x) for x in np.split(own, [split], axis=-1))
    return evaluate(q, u, numbers, signals, instants)


def _sampled_by_pydy(
    system: Any, symbols: Iterable[Expr], times: np.ndarray, states: np.ndarray
) -> dict[Expr, np.ndarray]:
    """Return PyDy's specified quantities at states (..., N, n); the default is 0.

    Each has the shape (..., N).  PyDy's functions ``f(x, t)`` receive its full state; impulses
    that ``states`` does not contain are NaN there.
    """
    missing = len(system.states) - states.shape[-1]
    rows = np.pad(states, [(0, 0)] * (states.ndim - 1) + [(0, missing)], constant_values=np.nan)
    still = np.zeros(rows.shape[:-1])
    values: dict[Expr, np.ndarray] = dict.fromkeys(system.specifieds_symbols, still)
    given = system.specifieds
    if "symbols" in given and "values" in given:  # the other one of PyDy's formats
        given = {tuple(given["symbols"]): given["values"]}
    for key, value in given.items():
        own = key if isinstance(key, tuple) else (key,)
        columns = _sampled(f"specifieds[{key}]", value, len(own), times, rows)
        values.update(zip(own, columns, strict=True))
    return {s: values[s] for s in symbols if s in values}


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
