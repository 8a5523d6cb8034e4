"""Errors of a mechanism with loops: dependent states follow from independent ones."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Expr

from .. import Evaluator, Result
from ..checks.arguments import enumerate_some
from .covariances import Source
from .sources import MeasuredSource

#: The groups of states in a motion.
STATES = ("q", "u", "udot")


class ClosedLoops:
    """The dependent states of an evaluated motion, which follow from the model's constraints."""

    def __init__(self, closed: Any, evaluate: Evaluator, result: Result) -> None:
        self._closed, known = closed, result._known_inputs()
        values = {**known.samples, **known.constants}
        names = [name for name in STATES if name in evaluate.inputs]
        known_names = [name for name in names if values.keys() >= {*evaluate.inputs[name]}]
        self._levels = [name for k, name in enumerate(known_names) if name == names[k]]
        self._groups = {name: evaluate.inputs[name] for name in self._levels}
        others = {"specifieds": evaluate.inputs.get("specifieds", ()), "constants": known.constants}
        self._inputs, self._times = {**self._groups, **others}, known.times
        self._nominal = self._arguments(values)
        self.states = [symbol for own in self._groups.values() for symbol in own]
        is_dependent = self._closed.is_dependent[: len(self.states)]
        self._places = np.flatnonzero(is_dependent)
        self.dependent = [self.states[k] for k in self._places]
        self._independent = [self.states[k] for k in np.flatnonzero(~is_dependent)]

    def _arguments(self, values: Mapping[Expr, Any]) -> dict[str, Any]:
        """Return the arguments of the solver for values by symbol."""
        return dict.fromkeys(STATES) | group_arguments(self._inputs, values, self._times)

    def are_affected_by(self, sources: Iterable[Source]) -> bool:
        """Whether errors of some sources change the constraints."""
        return any(not self._closed.inputs.isdisjoint(source.symbols) for source in sources)

    def close(self, values: Mapping[Expr, Any]) -> dict[Expr, Any]:
        """Return values of all inputs with dependent states solved for, near the nominal motion."""
        solved = self._closed.solve(**self._arguments(values), guess=self._nominal["q"])
        pairs = zip(self._groups.values(), solved, strict=False)
        states = {x: own[..., k] for symbols, own in pairs for k, x in enumerate(symbols)}
        return {**values, **states}

    def extend(self, sources: Iterable[Source]) -> list[Source]:
        """Return sources whose errors also change the dependent states, to first order."""
        # dx_dep = T_ind dx_ind + T_p dp, with the tangents T of the constraint manifold
        sources = [self._without_dependent(source) for source in sources]
        known = {*self._independent}
        symbols = dict.fromkeys(x for source in sources for x in source.symbols if x not in known)
        by_states, by_inputs = self._closed.tangents(**self._nominal, inputs=symbols)
        jacobian = np.concatenate([by_states, by_inputs], axis=-1)[..., self._places, :]
        columns = {x: k for k, x in enumerate([*self._independent, *symbols])}
        return [self._extend(x, jacobian[..., [columns[s] for s in x.symbols]]) for x in sources]

    def _without_dependent(self, source: Source) -> Source:
        """Return a source without the errors of dependent states, which independent ones cause."""
        if not isinstance(source, MeasuredSource):
            return source
        kept = [k for k, symbol in enumerate(source.symbols) if symbol not in self.dependent]
        symbols = tuple(source.symbols[k] for k in kept)
        return Source(source.name, symbols, source.root[..., kept, :])

    def _extend(self, source: Source, jacobian: np.ndarray) -> Source:
        """Return a source with errors of dependent states, by their Jacobian."""
        moving = jacobian @ source.root
        if not moving.any():
            return source
        own = np.broadcast_to(source.root, (*moving.shape[:-2], *source.root.shape[-2:]))
        root = np.concatenate([own, moving], axis=-2)
        return Source(source.name, (*source.symbols, *self.dependent), root)


def group_arguments(
    inputs: Mapping[str, Iterable[Expr]], values: Mapping[Expr, Any], times: Any
) -> dict[str, Any]:
    """Return the keyword arguments of an evaluator for values of its inputs by symbol."""
    given: dict[str, Any] = {"times": times}
    for name, symbols in inputs.items():
        own = {symbol: values[symbol] for symbol in symbols if symbol in values}
        if name == "constants":  # the same at all samples
            given[name] = {symbol: float(np.ravel(value)[0]) for symbol, value in own.items()}
        elif name == "specifieds":
            given[name] = own
        elif name != "times":
            given[name] = np.stack(np.broadcast_arrays(*own.values()), axis=-1) if own else None
    return given


def find_closed_loops(evaluate: Evaluator, result: Result) -> ClosedLoops | None:
    """Return the closed loops of an evaluator's model; None for a model without constraints."""
    closed = evaluate._closed_motion
    return None if closed is None else ClosedLoops(closed(), evaluate, result)


def check_model(evaluate: Evaluator, sources: Iterable[Source]) -> None:
    """Refuse sources that change the constraints of an evaluator without its model."""
    code = None if evaluate._motion_check is None else evaluate._motion_check.code
    if evaluate._closed_motion is not None or code is None:
        return
    used = {evaluate.inputs[group][k] for group, k in code.used}
    if moving := [source.name for source in sources if not used.isdisjoint(source.symbols)]:
        raise ValueError(
            "`evaluate` must have its model for errors that move closed loops, "
            f"{enumerate_some(moving)}, which pickling and saving remove. Use it in the process "
            "that compiled it."
        )
