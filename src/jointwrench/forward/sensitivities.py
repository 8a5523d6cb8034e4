"""Sensitivities of simulated motions to initial states and constants: variational equations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import prod
from typing import Any

import numpy as np
from sympy import Dummy, Expr

from ..checks.arguments import check_choice, enumerate_some
from ..mechanics.arithmetic.graph import Graph, Scalar, total
from ..mechanics.arithmetic.output import Output
from ..mechanics.arithmetic.program import Program
from ..mechanics.dynamics.outputs.output_derivatives import check_wrt
from ..mechanics.evaluation.compilation import compile_program
from ..mechanics.evaluation.evaluator import Evaluator
from .forward_model import ForwardModel
from .right_hand_side import RATES, RightHandSide


class VariationalEquations(RightHandSide):
    """The equations of motion together with those of the sensitivities S = dx/dp.

    The latter are ``S' = df/dx S + df/dp``.  A state has the coordinates, their sensitivities (a
    row for each p), the speeds, and their sensitivities.
    """

    # Sensitivities are multiplied by the size of p, so that the integrator's tolerances do not
    # depend on the unit of p.

    is_variational = True

    def __init__(self, plain: RightHandSide, wrt: Any) -> None:
        self.plain, self.model = plain, plain.model
        self._specifieds = plain._specifieds
        self._groups = self._checked(wrt)
        parameters = [p for group in self._groups.values() for p in group]
        start = len(self._groups["q"]) + len(self._groups["u"])
        self._inputs, self._acting = tuple(parameters[start:]), slice(start, None)
        numbers = self.model.numbers(plain.constants)
        self._units = np.array([abs(numbers.get(p, 1.0)) or 1.0 for p in parameters])
        self._moved = np.array([[float(x == p) for x in plain.names] for p in parameters])
        self._evaluate: Evaluator = self.model.cached(
            (RATES, "variational", tuple(parameters)),
            lambda: compile_program(_variational(self.model, parameters)),
        )
        units = self._evaluate.inputs["constants"][len(self.model.constants) :]
        sizes = self._units[self._acting].tolist()
        self.constants = {**plain.constants, **dict(zip(units, sizes, strict=True))}
        whole, parts = ("", *(f" by {p}" for p in parameters)), np.split(plain.names, [plain.split])
        first, second = ([f"{x}{end}" for end in whole for x in part] for part in parts)
        self.names, self.split, self.size = (*first, *second), len(first), len(first + second)

    def _checked(self, wrt: Any) -> dict[str, list[Expr]]:
        """Return the parameters p by group of inputs; of states, only the independent ones."""
        model, constraints = self.model, self.model.constraints
        known = {"q": model.coordinates, "u": model.speeds}
        if constraints:
            known = {"q": constraints.coordinates, "u": constraints.independent}
        known |= {name: model.inputs[name] for name in ("constants", "specifieds")}
        chosen = {p for item in check_wrt(wrt, known, (), "sensitivities") for p in item.symbols}
        if self._specifieds.has_feedback:
            raise ValueError(
                "`specifieds` must be numbers and functions of time for sensitivities, got a "
                "function of the state, whose derivatives are unknown. Use a load that is an "
                "expression of coordinates and speeds."
            )
        return {name: [p for p in group if p in chosen] for name, group in known.items()}

    def start(self, time: float, states: np.ndarray) -> np.ndarray:
        """Return initial states, shape (n_x,) or (k, n_x), extended by their sensitivities."""
        slopes = np.broadcast_to(self._moved, (*states.shape[:-1], *self._moved.shape))
        return self._flat(self._closed(time, states, slopes * self._units[:, None]))

    def projected(self, time: float, states: np.ndarray) -> np.ndarray:
        """Return states on the constraints, with sensitivities tangent to them.

        Independent entries are unchanged.
        """
        rows = self._rows(states)
        own = self.plain.projected(time, rows[..., 0, :])
        return self._flat(self._closed(time, own, rows[..., 1:, :]))

    def _closed(self, time: float, states: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Return rows of states and sensitivities; dependent ones follow from independent ones."""
        if constraints := self.model.constraints:
            free = {*constraints.coordinates, *constraints.independent}
            kept = [k for k, x in enumerate(self.plain.names) if x in free]
            given = self.plain.closing_values(time, states)
            q, u = np.split(states, [self.plain.split], axis=-1)
            by_states, by_inputs = self.model.tangents(q, u, given, self._inputs)
            slopes = slopes[..., kept] @ np.swapaxes(by_states, -2, -1)
            own = by_inputs * self._units[self._acting]
            slopes[..., self._acting, :] += np.swapaxes(own, -2, -1)
        return np.concatenate([states[..., None, :], slopes], axis=-2)

    def _rows(self, states: np.ndarray) -> np.ndarray:
        """Return states (..., size) as rows (..., 1 + p, n_x): x, then its sensitivities."""
        shape = (*states.shape[:-1], 1 + len(self._units), -1)
        parts = np.split(states, [self.split], axis=-1)
        return np.concatenate([part.reshape(shape) for part in parts], axis=-1)

    def _flat(self, rows: np.ndarray) -> np.ndarray:
        parts = np.split(rows, [self.plain.split], axis=-1)
        return np.concatenate([part.reshape(*rows.shape[:-2], -1) for part in parts], axis=-1)

    def separate(self, states: np.ndarray) -> "tuple[np.ndarray, Sensitivities]":
        """Return the states, shape (..., n_x), and their `Sensitivities`."""
        rows = self._rows(states)
        slopes = np.swapaxes(rows[..., 1:, :], -2, -1) / self._units
        return rows[..., 0, :], Sensitivities(self.plain, self._groups, slopes)

    def event(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return an event function for states with sensitivities, from one for states alone."""

        @wraps(function)  # with its `terminal` and `direction`
        def event(time: float, state: np.ndarray) -> Any:
            return function(time, self._rows(state)[0])

        return event


def _variational(model: ForwardModel, parameters: Sequence[Expr]) -> Program:
    """Return the program of the rates of states and sensitivities.

    The sizes of the parameters are further constants.
    """
    names, split = (*model.coordinates, *model.speeds), len(model.coordinates)
    units = {p: Dummy(real=True) for p in parameters if p not in names}
    program = model.program(RATES, derivatives=("q", "u", *units))
    slopes = [[Dummy(real=True) for _ in names] for _ in parameters]
    more = {
        "q": [x for row in slopes for x in row[:split]],
        "u": [x for row in slopes for x in row[split:]],
        "constants": units.values(),
    }
    groups = [replace(x, symbols=(*x.symbols, *more.get(x.name, ()))) for x in program.groups]
    graph = Graph(s for group in groups if group.per == "sample" for s in group.symbols)
    rates, by = _entered(program, graph)
    rows = [rates]
    for parameter, row in zip(parameters, slopes, strict=True):
        directions = dict(zip(names, row, strict=True))
        directions |= {p: unit for p, unit in units.items() if p == parameter}
        parts = [[x * graph.scalar(d) for x in by[s]] for s, d in directions.items()]
        rows.append([total(entries) for entries in zip(*parts, strict=True)])
    halves = [x for row in rows for x in row[:split]], [x for row in rows for x in row[split:]]
    outputs = [
        Output.from_scalars(name, (len(half),), half, f"{name} and its slopes")
        for name, half in zip(RATES, halves, strict=True)
    ]
    return Program(graph, outputs, groups)


def _entered(program: Program, graph: Graph) -> tuple[list[Scalar], dict[Expr, list[Scalar]]]:
    """Return a program's rates in another graph, and their derivatives by symbol."""
    rates: list[Scalar] = []
    by: dict[Expr, list[Scalar]] = {}
    for output in program.outputs:
        values = [Scalar(graph, ref) for ref in program.graph.substitute(output.refs, graph)]
        if output.wrt is None:
            rates += values
        else:
            symbols = output.wrt.symbols
            for k, symbol in enumerate(symbols):
                by.setdefault(symbol, []).extend(values[k :: len(symbols)])
    return rates, by


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """The sensitivities of states along a motion.

    Attributes
    ==========

    rhs : RightHandSide
        The equations of motion.
    groups : mapping of str to list of Expr
        The parameters by group of inputs.
    slopes : numpy.ndarray, shape (..., N, n_x, number of parameters)
        The derivatives of the states.
    """

    rhs: RightHandSide
    groups: Mapping[str, list[Expr]]
    slopes: np.ndarray

    def of(self, output: str, wrt: Any, times: np.ndarray, states: np.ndarray) -> np.ndarray:
        """Return an output's total derivative along the motion; see `Simulation.derivative`."""
        own = ("q", "u")
        check_choice("output", output, (*own, *self.rhs.model.outputs.names))
        items = check_wrt(wrt, self.groups, argument="wrt")
        parameters = [p for group in self.groups.values() for p in group]
        chosen = [p for item in items for p in item.symbols]
        if not chosen:
            raise ValueError(
                f"`wrt` must be among the sensitivities of the simulation, got {wrt!r}. They are "
                f"{enumerate_some(parameters, 12)}. Use simulate(..., sensitivities=...)."
            )
        columns = self.slopes[..., [parameters.index(p) for p in chosen]]
        if output in own:
            return np.split(columns, [self.rhs.split], axis=-2)[own.index(output)]
        inputs = tuple(p for p in parameters if p not in self.rhs.names)
        result = self.rhs.outputs((output,), times, states, derivatives=(*own, *inputs))
        slopes = result.derivative(output, own)
        shape = slopes.shape[states.ndim - 1 : -1]
        found = slopes.reshape(*states.shape[:-1], prod(shape), -1) @ columns
        found = found.reshape(*states.shape[:-1], *shape, len(chosen))
        for k, p in enumerate(chosen):
            if p in inputs:
                found[..., k] += result.derivative(output, p)[..., 0]
        return found
