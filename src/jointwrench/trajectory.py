"""Motions of a System over time: coordinates, speeds and accelerations at the same instants."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from sympy import Derivative, Dummy, Expr, Function, I, Matrix, Symbol
from sympy.core.function import AppliedUndef

from .arrays import array_function, solve_rows
from .checks import check_instance, check_scalar, describe
from .codegen.arguments import real_array
from .codegen.values import Names, constant_values
from .inverse_dynamics import InverseDynamics

#: Relative violation of the kinematical differential equations that is rounding.
INCONSISTENT = 1e-9


class States(NamedTuple):
    """What a motion is at some instants; the leading axes ``...`` are those of the times.

    Attributes
    ==========

    q : numpy.ndarray, shape (..., n_q)
        Generalized coordinates, in the order of ``system.q``.
    u : numpy.ndarray, shape (..., n)
        Generalized speeds, in the order of ``system.u``.
    udot : numpy.ndarray, shape (..., n)
        The time derivatives of the speeds.
    """

    q: np.ndarray
    u: np.ndarray
    udot: np.ndarray


class Motion(Protocol):
    """Anything that knows the states at given times."""

    def at(self, times: Any) -> tuple[Any, Any, Any]:
        """Return q, u, udot at times of shape (N,), in arrays of shape (N, ...)."""


class PrescribedMotion:
    """A motion whose coordinates are formulas of time.

    The derivatives of the coordinates are those of the formulas; the speeds and
    their derivatives follow from the System's kinematical differential
    equations.  All of it is exact but for rounding.

    Parameters
    ==========

    idyn : InverseDynamics
        The model that moves.
    formulas : mapping of coordinate to expression
        A formula of the System's time for every coordinate: a sympy expression
        or a number.  It may contain the model's constants.
    constants : mapping of Symbol to number, optional
        Values of the constants that the formulas or the kinematical
        differential equations contain.

    Raises
    ======

    TypeError
        If an argument has the wrong type, or a formula is no scalar.
    ValueError
        If a coordinate has no formula or is unknown, if a formula contains
        anything but time and constants, or if a constant has no value.

    Examples
    ========

    >>> import numpy as np
    >>> from sympy import sin
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> from jointwrench.chain import SerialChain
    >>> from jointwrench.inverse_dynamics import InverseDynamics
    >>> from jointwrench.trajectory import PrescribedMotion
    >>> chain, t = SerialChain.planar(2), dynamicsymbols._t
    >>> q_0, q_1 = chain.coordinates
    >>> motion = PrescribedMotion(InverseDynamics(chain.system), {q_0: sin(t), q_1: 2 * t})
    >>> q, u, udot = motion.at([0.0, 0.5, 1.0])
    >>> u.shape
    (3, 2)
    >>> bool(np.allclose(u[:, 0], np.cos([0.0, 0.5, 1.0])))
    True
    """

    def __init__(
        self,
        idyn: InverseDynamics,
        formulas: Mapping[Expr, Any],
        constants: Mapping[Symbol, float] | None = None,
    ) -> None:
        check_instance("idyn", idyn, InverseDynamics, "an InverseDynamics")
        self._idyn = idyn
        path = _formulas(idyn, formulas)
        kdes, self._speeds = kinematics(idyn)
        time = idyn.time
        numbers = _numbers(idyn, [*path, *kdes], constants)
        derivatives = [[f.xreplace(numbers).diff(time, k) for f in path] for k in range(3)]
        self._path = array_function([[time]], [f for fs in derivatives for f in fs])
        self._set_kinematics(Matrix(kdes).xreplace(numbers))

    def _set_kinematics(self, kdes: Matrix) -> None:
        """Split the equations and their derivatives, ``U u + rest`` and ``U udot + rest``."""
        time, speeds = self._idyn.time, Matrix(self._speeds)
        factors = kdes.jacobian(speeds)
        if factors.has(*speeds):
            raise ValueError(
                "`idyn` must be of a system whose kinematical differential equations are "
                f"linear in the speeds, got {list(kdes)}."
            )
        q = list(self._idyn.coordinates)
        rates = [coordinate.diff(time) for coordinate in q]
        seconds = [coordinate.diff(time, 2) for coordinate in q]
        still = dict.fromkeys(speeds, 0)
        steady = dict.fromkeys(speeds.diff(time), 0)
        state = [[time], q, rates, seconds, self._speeds]
        self._factors = array_function(state, list(factors))
        self._at_rest = array_function(state, list(kdes.xreplace(still)))
        self._unaccelerated = array_function(state, list(kdes.diff(time).xreplace(steady)))

    def __repr__(self) -> str:
        names = ", ".join(map(str, self._idyn.coordinates))
        return f"PrescribedMotion({names})"

    def at(self, times: Any) -> States:
        """Return the states at some times.

        Parameters
        ==========

        times : array_like, shape (...)
            The times.

        Returns
        =======

        States
            ``(q, u, udot)``: arrays of shapes (..., n_q), (..., n), (..., n).

        Raises
        ======

        TypeError
            If the times are no real numbers.
        ValueError
            If a time or a state is not finite, or if the formulas of more
            coordinates than speeds contradict each other.
        """
        times = real_array("times", times)
        if not np.isfinite(times).all():
            raise ValueError(f"`times` must be finite, got {describe(times)}.")
        q, rates, seconds = np.split(self._path(times[..., None]), 3, axis=-1)
        idyn, width = self._idyn, len(self._speeds)
        _check_finite("coordinate", idyn.coordinates, times, q)
        _check_finite("derivative of", idyn.coordinates, times, rates)
        _check_finite("second derivative of", idyn.coordinates, times, seconds)
        state, none = [times[..., None], q, rates, seconds], np.zeros((*times.shape, width))
        factors = self._factors(*state, none).reshape(*times.shape, -1, width)
        u = _solve(times, factors, -self._at_rest(*state, none))
        _check_finite("speed", idyn.speeds, times, u)
        udot = _solve(times, factors, -self._unaccelerated(*state, u))
        _check_finite("derivative of", idyn.speeds, times, udot)
        return States(q, u, udot)


def _solve(times: np.ndarray, factors: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve linear equations for every time; there may be more than unknowns."""
    rows, columns = factors.shape[-2:]
    if rows == columns:
        return solve_rows(factors, right)
    if not np.isfinite(factors).all():
        return np.full((*times.shape, columns), np.nan)
    solution = (np.linalg.pinv(factors) @ right[..., None])[..., 0]
    violation = np.abs((factors @ solution[..., None])[..., 0] - right).max(axis=-1)
    wrong = violation > INCONSISTENT * (1 + np.abs(right).max(axis=-1))
    if wrong.any():
        raise ValueError(
            f"`motion` must obey the kinematical differential equations of the {rows} coordinates "
            f"with {columns} speeds, but its formulas contradict each other at the time "
            f"{times[wrong].flat[0]:g}."
        )
    return solution


def _check_finite(what: str, names: Iterable[Expr], times: np.ndarray, values: np.ndarray) -> None:
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        *place, column = wrong[0]
        raise ValueError(
            f"`motion` must be finite, but the {what} {list(names)[column]} is "
            f"{values[tuple(wrong[0])]} at the time {times[tuple(place)]:g}."
        )


def kinematics(idyn: InverseDynamics) -> tuple[list[Expr], list[Expr]]:
    """Return kinematical differential equations for all speeds, and symbols for the speeds.

    A speed that is itself the derivative of a coordinate gets a symbol and an
    equation of its own.

    Raises
    ======

    ValueError
        If the System has no speeds.
    """
    if not idyn.speeds:
        raise ValueError("`idyn` must be of a system that can move, got one without speeds.")
    kdes, speeds = list(idyn.system.kdes), []
    for speed in idyn.speeds:
        if isinstance(speed, Derivative):
            symbol = Function(f"rate_{Dummy().dummy_index}")(idyn.time)
            kdes.append(symbol - speed)
            speed = symbol
        speeds.append(speed)
    return kdes, speeds


def _formulas(idyn: InverseDynamics, given: Any) -> list[Expr]:
    """Return the formula of each coordinate, in their order."""
    check_instance(
        "motion", given, Mapping, "a mapping of coordinates to formulas", "Use {q: sin(t), ...}."
    )
    values = _by_coordinate(list(idyn.coordinates), given)
    checked = []
    for coordinate in idyn.coordinates:
        formula = check_scalar(f"motion[{coordinate}]", values[coordinate])
        check_of_time(f"motion[{coordinate}]", formula, idyn, idyn.constants)
        checked.append(formula)
    return checked


def _by_coordinate(coordinates: list[Expr], given: Mapping[Any, Any]) -> dict[Expr, Any]:
    """Return the formulas by coordinate; they may be given by the coordinate's name."""
    known = {name: q for q in coordinates for name in (str(q), getattr(q, "name", q), q)}
    names = ", ".join(map(str, coordinates))
    values: dict[Expr, Any] = {}
    for key, value in given.items():
        if key not in known:
            raise ValueError(
                f"`motion` must have formulas of the coordinates {names} only, got {key}, which "
                "is none of them (or has other assumptions). Use idyn.coordinates."
            )
        if known[key] in values:
            raise ValueError(f"`motion` must have each coordinate once, {known[key]} is twice.")
        values[known[key]] = value
    if missing := [str(q) for q in coordinates if q not in values]:
        raise ValueError(
            f"`motion` must have a formula of each coordinate, {', '.join(missing)} have none. "
            f"Use {{{missing[0]}: ..., }}."
        )
    return values


def check_of_time(
    argument: str, formula: Expr, idyn: InverseDynamics, constants: Iterable[Symbol] = ()
) -> None:
    """Refuse a formula with anything but the System's time and some constants."""
    time = idyn.time
    if formula.has(I):
        raise ValueError(f"`{argument}` must be real, got {formula}. Use sympy.re(...).")
    if functions := sorted(map(str, formula.atoms(AppliedUndef, Derivative))):
        raise ValueError(
            f"`{argument}` must be a formula of time, got {formula} with the unknown functions "
            f"{', '.join(functions)}. Use formulas in their place."
        )
    unknown = sorted(formula.free_symbols - {time, *constants}, key=str)
    if str(time) in map(str, unknown):
        raise ValueError(
            f"`{argument}` must be a formula of the system's own time, but its {time} is another "
            f"symbol with other assumptions. Use {time} = {idyn.coordinates[0]}.args[0]."
        )
    if unknown:
        raise ValueError(
            f"`{argument}` must be a formula of the time {time}, got {formula} with "
            f"{', '.join(map(str, unknown))}. Use formula.subs({{{unknown[0]}: ...}})."
        )


def _numbers(idyn: InverseDynamics, expressions: Iterable[Expr], given: Any) -> dict[Expr, float]:
    """Return the values of the constants in expressions."""
    found = {s for expression in expressions for s in expression.free_symbols}
    needed = found - {idyn.time}
    symbols = tuple(dict.fromkeys((*idyn.constants, *sorted(needed, key=str))))
    values = constant_values(Names("constants", symbols, needed), given)
    return {s: float(v) for s, v in zip(symbols, values, strict=True) if s in needed}
