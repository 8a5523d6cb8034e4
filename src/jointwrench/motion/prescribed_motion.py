"""`PrescribedMotion`: a motion whose coordinates are formulas of time."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Derivative, Expr, I, Symbol
from sympy.core.function import AppliedUndef

from ..checks.arguments import check_instance, coordinate_name, describe, symbol_name
from ..checks.numbers import real_array
from ..checks.pickles import Pickled
from ..mechanics.arithmetic.array_functions import array_function
from ..mechanics.methods.inverse_dynamics import InverseDynamics, check_idyn
from ..mechanics.sympy_objects import check_real
from .speeds import SpeedEquations
from .states import States


class PrescribedMotion(Pickled):
    """A motion whose coordinates are expressions of time.

    The expressions are differentiated; the speeds and their derivatives follow from the System's
    kinematical differential equations.  All are exact up to roundoff.

    Parameters
    ==========

    idyn : InverseDynamics
        The model that moves.
    formulas : mapping of coordinate to expression
        For every coordinate a sympy expression of the System's time, or a number.  It may contain
        the model's constants.
    constants : mapping of Symbol to number, optional
        Values of the constants in the formulas and in the kinematical differential equations.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, a coordinate has no formula or is unknown, a formula
        contains anything but time and constants or is not a scalar, or a constant has no value.

    See Also
    ========

    Trajectory.from_formulas : Samples of the motion.

    Examples
    ========

    >>> import numpy as np
    >>> from sympy import sin
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> import jointwrench as jw
    >>> chain, t = jw.SerialChain.planar(2), dynamicsymbols._t
    >>> q_0, q_1 = chain.coordinates
    >>> motion = jw.PrescribedMotion(jw.InverseDynamics(chain.system), {q_0: sin(t), q_1: 2 * t})
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
        self._idyn = check_idyn(idyn)
        path = check_formulas("formulas", idyn, formulas)
        self._kinematics = SpeedEquations(idyn, constants, more_expressions=path)
        time, numbers = idyn.time, self._kinematics.numbers
        derivatives = [[f.xreplace(numbers).diff(time, k) for f in path] for k in range(3)]
        self._path = array_function([[time]], [f for fs in derivatives for f in fs])

    def __repr__(self) -> str:
        names = ", ".join(map(str, self._idyn.coordinates))
        return f"PrescribedMotion({names})"

    def at(self, times: Any) -> States:
        """Return the `States` ``(q, u, udot)`` at ``times`` of shape (...).

        The arrays have the shapes (..., n_q), (..., n) and (..., n).

        Raises
        ======

        TypeError, ValueError
            If a time is not a real number, or a time or a state is not finite; if there are more
            coordinates than speeds and their formulas contradict each other.

        See Also
        ========

        States : The returned tuple.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
        >>> jw.PrescribedMotion(idyn, {"q_0": 2 * idyn.time}).at([0.0, 1.0]).q
        array([[0.],
               [2.]])
        """
        times = real_array("times", times)
        if not np.isfinite(times).all():
            raise ValueError(f"`times` must be finite, got {describe(times)}.")
        q, rates, second_derivatives = np.split(self._path(times[..., None]), 3, axis=-1)
        return States(q, *self._kinematics.speeds(times, q, rates, second_derivatives))


def check_formulas(argument: str, idyn: InverseDynamics, formulas: Any) -> list[Expr]:
    """Return the checked formula of each coordinate, in the model's order of coordinates."""
    expected, fix = "a mapping of coordinates to formulas", "Use {q: sin(t), ...}."
    check_instance(argument, formulas, Mapping, expected, fix)
    coordinates = list(idyn.coordinates)
    known = {name: q for q in coordinates for name in (str(q), getattr(q, "name", q), q)}
    names = ", ".join(map(str, coordinates))
    values: dict[Expr, Any] = {}
    for q, value in formulas.items():
        key = q if q in known else coordinate_name(q, map(symbol_name, coordinates))
        if key not in known:
            raise ValueError(
                f"`{argument}` must have formulas of the coordinates {names} only, got {q}, "
                "which is not one of them (or has other assumptions). Use idyn.coordinates."
            )
        if known[key] in values:
            raise ValueError(f"`{argument}` must have each coordinate once, {known[key]} is twice.")
        values[known[key]] = value
    if missing := [str(q) for q in coordinates if q not in values]:
        is_closed = [*idyn.model.tree.constraints.position_expressions]
        more = ", ..." if missing[1:] else ""
        samples = ", or a Trajectory and its closed(idyn), which solves for the dependent ones"
        raise ValueError(
            f"`{argument}` must have a formula of each coordinate, {', '.join(missing)} have none. "
            f"Use {{{missing[0]}: ...{more}}}{samples if is_closed else ''}."
        )
    checked = [check_real(f"{argument}[{q}]", values[q]) for q in coordinates]
    for coordinate, formula in zip(coordinates, checked, strict=True):
        check_function_of_time(f"{argument}[{coordinate}]", formula, idyn, idyn.constants)
    return checked


def check_function_of_time(
    argument: str, formula: Expr, idyn: InverseDynamics, constants: Iterable[Symbol] = ()
) -> None:
    """Refuse a formula that contains anything but the System's time and ``constants``."""
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
