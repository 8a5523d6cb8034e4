"""From coordinates over time to speeds: the System's kinematical differential equations."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Derivative, Dummy, Expr, Function, Matrix, Symbol

from ..arithmetic.array_functions import array_function, solve_rows
from ..checks.tolerances import CONTRADICTION
from ..evaluation.values import ValueReader
from ..methods.system_method import SystemMethod


class SpeedEquations:
    """Speeds and their derivatives from coordinates and theirs, for many instants.

    ``also``: more expressions whose constants must have values; all of these are in ``numbers``.
    """

    def __init__(
        self,
        idyn: SystemMethod[Any],
        constants: Mapping[Symbol, float] | None = None,
        also: Iterable[Expr] = (),
    ) -> None:
        idyn.check_unchanged()
        self._coordinates, self._names = tuple(idyn.coordinates), tuple(idyn.speeds)
        kdes, self._speeds = kinematical_equations(idyn)
        self.numbers = constant_numbers(idyn, [*also, *kdes], constants)
        self._set_functions(idyn.time, Matrix(kdes).xreplace(self.numbers))

    def _set_functions(self, time: Symbol, kdes: Matrix) -> None:
        """Split the equations and their derivatives, ``U u + rest`` and ``U udot + rest``."""
        speeds, self._count = Matrix(self._speeds), len(kdes)
        factors = kdes.jacobian(speeds)
        q = list(self._coordinates)
        rates = [coordinate.diff(time) for coordinate in q]
        second_derivatives = [coordinate.diff(time, 2) for coordinate in q]
        still = dict.fromkeys(speeds, 0)
        steady = dict.fromkeys(speeds.diff(time), 0)
        state = [[time], q, rates, second_derivatives, self._speeds]
        self._factors = array_function(state, list(factors))
        self._at_rest = array_function(state, list(kdes.xreplace(still)))
        self._unaccelerated = array_function(state, list(kdes.diff(time).xreplace(steady)))

    def speeds(
        self, times: np.ndarray, q: np.ndarray, rates: np.ndarray, second_derivatives: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return u and udot, shape (..., n), of coordinates and their derivatives (..., n_q)."""
        width = len(self._speeds)
        check_finite_motion("coordinate", self._coordinates, times, q)
        check_finite_motion("derivative of", self._coordinates, times, rates)
        check_finite_motion("second derivative of", self._coordinates, times, second_derivatives)
        state = [times[..., None], q, rates, second_derivatives]
        none = np.zeros((*times.shape, width))
        factors = self._factors(*state, none).reshape(*times.shape, self._count, width)
        u = _solve(times, factors, -self._at_rest(*state, none))
        check_finite_motion("speed", self._names, times, u)
        udot = _solve(times, factors, -self._unaccelerated(*state, u))
        check_finite_motion("derivative of", self._names, times, udot)
        return u, udot


def _solve(times: np.ndarray, factors: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve linear equations for every time; there may be more than unknowns."""
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
            f"`motion` must obey the kinematical differential equations of the {rows} coordinates "
            f"with {columns} speeds, but its formulas contradict each other at the time "
            f"{times[wrong].flat[0]:g}."
        )
    return solution


def check_finite_motion(
    what: str, names: Iterable[Any], times: np.ndarray, values: np.ndarray
) -> None:
    """Refuse values of shape (..., n) that are not finite; name the column and the time."""
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        *place, column = wrong[0]
        raise ValueError(
            f"`motion` must be finite, but the {what} {list(names)[column]} is "
            f"{values[tuple(wrong[0])]} at the time {times[tuple(place)]:g}."
        )


def kinematical_equations(idyn: SystemMethod[Any]) -> tuple[list[Expr], list[Expr]]:
    """Return kinematical differential equations for all speeds, and symbols for the speeds.

    A speed that is itself the derivative of a coordinate gets a symbol and an
    equation of its own.
    """
    if not idyn.speeds:
        raise ValueError("`idyn` must be of a system that can move, got one without speeds.")
    if idyn.system is None:  # a model that was made from a KanesMethod
        pairs = zip(idyn.model.tree.coordinates, idyn.model.tree.rates, strict=True)
        kdes = [coordinate.diff(idyn.time) - rate for coordinate, rate in pairs]
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
    idyn: SystemMethod[Any], expressions: Iterable[Expr], given: Any
) -> dict[Expr, float]:
    """Return the values of the constants in expressions."""
    found = {s for expression in expressions for s in expression.free_symbols}
    needed = found - {idyn.time}
    symbols = tuple(dict.fromkeys((*idyn.constants, *sorted(needed, key=str))))
    values = ValueReader("constants", symbols, needed).numbers(given)
    return {symbol: value for symbol, value in values.items() if symbol in needed}
