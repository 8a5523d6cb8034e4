"""Speeds from coordinates over time, by the System's kinematical differential equations."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Derivative, Dummy, Expr, Function, Matrix, Symbol

from ..checks.messages import warn
from ..checks.tolerances import CONTRADICTION, ROUNDING, THREE_DIGITS
from ..mechanics.arithmetic.array_functions import array_function, solve_rows
from ..mechanics.evaluation.value_arguments import ValueReader
from ..mechanics.methods.system_method import SystemMethod

#: Names of coordinates and their derivatives in the error for values that are not finite.
DERIVATIVES = ("coordinate", "derivative of", "second derivative of")


class SpeedEquations:
    """The speeds and their derivatives as functions of the coordinates and their derivatives.

    The kinematical equations are linear in the speeds: ``U u + a = 0`` and, differentiated,
    ``U udot + b = 0``, where a depends on t, q and qdot, and b also on qddot and u.
    """

    def __init__(
        self,
        idyn: SystemMethod,
        constants: Mapping[Symbol, float] | None = None,
        more_expressions: Iterable[Expr] = (),
    ) -> None:
        idyn.check_unchanged()
        self._coordinates, self._names = tuple(idyn.coordinates), tuple(idyn.speeds)
        kdes, self._speeds = kinematical_equations(idyn)
        self.numbers = constant_numbers(idyn, [*more_expressions, *kdes], constants)
        equations, speeds = Matrix(kdes).xreplace(self.numbers), Matrix(self._speeds)
        time = idyn.time
        derivatives = [[q.diff(time, k) for q in self._coordinates] for k in range(3)]
        still, steady = dict.fromkeys(speeds, 0), dict.fromkeys(speeds.diff(time), 0)
        state, self._count = [[time], *derivatives, self._speeds], len(kdes)
        self._factors = array_function(state, list(equations.jacobian(speeds)))
        self._terms_at_rest = array_function(state, list(equations.xreplace(still)))
        self._velocity_terms = array_function(state, list(equations.diff(time).xreplace(steady)))

    def speeds(
        self, times: np.ndarray, q: np.ndarray, rates: np.ndarray, second_derivatives: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return u and udot, (..., n) each, from coordinates and their derivatives (..., n_q)."""
        width, derivatives = len(self._speeds), (q, rates, second_derivatives)
        for what, array in zip(DERIVATIVES, derivatives, strict=True):
            check_finite_motion(what, self._coordinates, times, array)
        state = [times[..., None], *derivatives]
        none = np.zeros((*times.shape, width))
        factors = self._factors(*state, none).reshape(*times.shape, self._count, width)
        u = _solve(times, factors, -self._terms_at_rest(*state, none))
        check_finite_motion("speed", self._names, times, u)
        udot = _solve(times, factors, -self._velocity_terms(*state, u))
        check_finite_motion("derivative of", self._names, times, udot)
        return u, udot


def _solve(times: np.ndarray, factors: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the solutions (..., columns) of linear equations at each time.

    More equations than unknowns must be consistent, else an error names the time.
    """
    rows, columns = factors.shape[-2:]
    if rows == columns:
        return solve_rows(factors, right)
    if not np.isfinite(factors).all():
        return np.full((*times.shape, columns), np.nan)
    solution = (np.linalg.pinv(factors) @ right[..., None])[..., 0]
    violation = np.abs((factors @ solution[..., None])[..., 0] - right).max(axis=-1)
    wrong = violation > CONTRADICTION * (1 + np.abs(right).max(axis=-1))
    if wrong.any():
        raise ValueError(
            f"`motion` must satisfy the kinematical differential equations of the {rows} "
            f"coordinates with {columns} speeds, but its formulas contradict each other at the "
            f"time {times[wrong].flat[0]:g}."
        )
    return solution


def check_finite_motion(
    quantity: str, names: Iterable[Any], times: np.ndarray, values: np.ndarray
) -> None:
    """Refuse values (..., n) that are not finite, with the name of the column and the time."""
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        *row, column = wrong[0]
        raise ValueError(
            f"`motion` must be finite, but the {quantity} {list(names)[column]} is "
            f"{values[tuple(wrong[0])]} at the time {times[tuple(row)]:g}."
        )


def warn_of_drift(
    idyn: SystemMethod, constants: Any, times: np.ndarray, states: np.ndarray, measured: np.ndarray
) -> None:
    """Warn if the rates of coordinates differ from those that their speeds demand.

    ``states``, shape (N, n_q + n), are coordinates and speeds, ``measured``, shape (N, n_q), the
    rates of the coordinates.
    """
    rates, inner = idyn.model.tree.rates, slice(2, -2)  # a spline is less exact at its ends
    numbers = constant_numbers(idyn, rates, constants)
    group = [idyn.time, *idyn.coordinates, *idyn.speeds]
    demanded = array_function([group], [rate.xreplace(numbers) for rate in rates])
    needed = demanded(np.hstack([times[:, None], states]))
    errors = np.abs(measured - needed)[inner]
    rounding = ROUNDING * np.abs(states[:, : len(rates)]).max(axis=0) / np.diff(times).min()
    fastest = np.abs(needed[inner]).max(axis=0, initial=0.0)
    wrong = np.argwhere(errors > THREE_DIGITS * fastest + rounding)
    if wrong.size:
        row, column = wrong[errors[tuple(wrong.T)].argmax()] + (2, 0)
        warn(
            "the motion does not have the speeds that constraints demand: "
            f"{idyn.coordinates[column]} changes by {measured[row, column]:.3g} a second at the "
            f"time {times[row]:g}, its speed demands {needed[row, column]:.3g}. Constraints of "
            "speeds do not determine positions. Give positions that fit, or use "
            "ForwardDynamics(...).simulate."
        )


def kinematical_equations(idyn: SystemMethod) -> tuple[list[Expr], list[Expr]]:
    """Return kinematical equations for all speeds, and the symbols of the speeds.

    A speed that is a derivative gets a new symbol and an equation that defines it.
    """
    if not idyn.speeds:
        raise ValueError("`idyn` must be of a system that can move, got one without speeds.")
    if idyn.system is None:  # a model that was made from a KanesMethod
        pairs = zip(idyn.model.tree.coordinates, idyn.model.tree.rates, strict=True)
        kdes = [x for coordinate, rate in pairs if (x := coordinate.diff(idyn.time) - rate) != 0]
    else:
        kdes = list(idyn.system.kdes)
    speeds = []
    for speed in idyn.speeds:
        if isinstance(speed, Derivative):
            symbol = Function(f"rate_{Dummy().dummy_index}")(idyn.time)
            kdes.append(symbol - speed)
            speed = symbol
        speeds.append(speed)
    return kdes, speeds


def constant_numbers(
    idyn: SystemMethod, expressions: Iterable[Expr], constants: Any
) -> dict[Expr, float]:
    """Return the values of the symbols in expressions, from the user's ``constants``."""
    found = {s for expression in expressions for s in expression.free_symbols}
    needed = found - {idyn.time}
    symbols = tuple(dict.fromkeys((*idyn.constants, *sorted(needed, key=str))))
    values = ValueReader("constants", symbols, needed).numbers(constants)
    return {symbol: value for symbol, value in values.items() if symbol in needed}
