"""Forward dynamics by sympy's KanesMethod, for arrays of numbers.

It shares nothing with the recursion but the model itself, and so serves as its
independent check.
"""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sympy import Derivative, Expr, Matrix, S, Symbol
from sympy.physics.mechanics import KanesMethod
from sympy.physics.vector import ReferenceFrame

from ..arithmetic.array_functions import array_function, solve_rows
from ..checks.arguments import check_instance, check_time
from ..inverse_dynamics import InverseDynamics
from ..motion.speeds import kinematics
from ..spatial.leaves import leaves

# The last model of each InverseDynamics, and the equations that the user gave for it.
_kept: WeakKeyDictionary[InverseDynamics, tuple[Any, "ForwardModel"]] = WeakKeyDictionary()


def forward_model(idyn: InverseDynamics, kane: KanesMethod | None = None) -> "ForwardModel":
    """Return the equations of motion of a model; they are formed and compiled once.

    Parameters
    ==========

    idyn : InverseDynamics
        Its bodies and loads are what is modelled; nothing that it derived is used.
    kane : KanesMethod, optional
        A model of the same coordinates and speeds instead; its equations are
        formed if they are not yet.

    Raises
    ======

    TypeError
        If ``kane`` is of another type.
    ValueError
        If the model cannot move, if a load depends on accelerations, if
        ``dynamicsymbols._t`` is not the model's time, or if ``kane`` has other
        coordinates or speeds, or constraints.
    """
    check_time("idyn", idyn.time, idyn.coordinates)
    given = None if kane is None else (_check_kane(kane, idyn), *_equations(kane))
    kept = _kept.get(idyn)
    if kept is None or kept[0] != given:
        kept = _kept[idyn] = given, ForwardModel(kane or _kane(idyn), idyn.time)
    return kept[1]


class ForwardModel:
    """Equations of motion and powers as functions of arrays.

    Every call takes the times, the states, the values of `given`, and forces or
    accelerations: shapes (N,), (N, n_q + n), (N, number of given) and (N, n).

    Attributes
    ==========

    constants : tuple of Symbol
        All constants in the equations, sorted by name.
    functions : tuple of Expr
        All functions of time in the equations that are no coordinate or speed,
        sorted by name.
    """

    def __init__(self, kane: KanesMethod, time: Symbol) -> None:
        q, u, frame = list(kane.q), list(kane.u), kane._inertial
        udot, to_speeds = [speed.diff(time) for speed in u], kane.kindiffdict()
        mass_matrix, forcing = _equations(kane)
        _check_forcing(forcing, {*q, *u})
        rates = [to_speeds[coordinate.diff(time)] for coordinate in q]
        equations = [*rates, *mass_matrix, *forcing]
        energy = sum(body.kinetic_energy(frame) for body in kane.bodies).xreplace(to_speeds)
        powers = [energy.diff(time), _power(kane.loads or (), frame)]
        powers = [power.xreplace(to_speeds) for power in powers]
        others = leaves([*equations, *powers]) - {time, *q, *u, *udot}
        names = sorted(others, key=str)
        self.constants = tuple(s for s in names if isinstance(s, Symbol))
        self.functions = tuple(s for s in names if not isinstance(s, Symbol))
        self._widths = len(q), len(u)
        groups = [[time], [*q, *u], list(self.given)]
        self._equations = array_function(groups, equations)
        self._powers = array_function([*groups, udot], powers)

    @property
    def given(self) -> tuple[Expr, ...]:
        """The constants and functions, in the order of the arrays of given values."""
        return self.constants + self.functions

    def derivatives(
        self, times: np.ndarray, states: np.ndarray, given: np.ndarray, forces: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what the coordinates and speeds change by.

        It is the derivatives of the coordinates, shape (N, n_q), and those of the
        speeds in two parts, shape (N, n) each: what the model's own loads and
        inertia contribute, and what the generalized forces Q do.  They are NaN
        where the mass matrix is singular.
        """
        n_q, n = self._widths
        values = self._equations(times[:, None], states, given)
        rates, mass_matrix, forcing = np.split(values, [n_q, n_q + n * n], axis=1)
        mass_matrix = mass_matrix.reshape(-1, n, n)
        return rates, solve_rows(mass_matrix, forcing), solve_rows(mass_matrix, forces)

    def powers(
        self, times: np.ndarray, states: np.ndarray, given: np.ndarray, udot: np.ndarray
    ) -> np.ndarray:
        """Return the rate of the kinetic energy and the power of the loads, shape (N, 2)."""
        return self._powers(times[:, None], states, given, udot)


def _kane(idyn: InverseDynamics) -> KanesMethod:
    """Return a KanesMethod of the model, which is not changed."""
    kdes, speeds = kinematics(idyn)
    return KanesMethod(
        idyn.frame,
        q_ind=list(idyn.coordinates),
        u_ind=speeds,
        kd_eqs=kdes,
        bodies=idyn.bodies,
        forcelist=list(idyn.loads) or None,
        explicit_kinematics=False,
    )


def _equations(kane: KanesMethod) -> tuple[Matrix, Matrix]:
    """Return the mass matrix and the forcing."""
    try:
        return kane.mass_matrix, kane.forcing
    except ValueError:  # they are not formed yet
        kane.kanes_equations()
        return kane.mass_matrix, kane.forcing


def _power(loads: Iterable[Sequence[Any]], frame: ReferenceFrame) -> Expr:
    """Return the power of the loads in the inertial frame."""
    power = S.Zero
    for place, vector in loads:
        is_torque = isinstance(place, ReferenceFrame)
        power += vector.dot(place.ang_vel_in(frame) if is_torque else place.vel(frame))
    return power


def _check_kane(kane: Any, idyn: InverseDynamics) -> KanesMethod:
    check_instance("kane", kane, KanesMethod, "a sympy.physics.mechanics.KanesMethod")
    pairs = [("coordinates", idyn.coordinates, kane.q), ("speeds", idyn.speeds, kane.u)]
    for what, expected, found in pairs:
        for one, other in zip_longest(expected, found):
            if one != other:
                raise ValueError(
                    f"`kane` must have the {what} of `idyn` in their order, got "
                    f"{other or 'nothing'} in the place of {one or 'nothing'}. "
                    f"Use KanesMethod(..., q_ind=idyn.coordinates, u_ind=idyn.speeds)."
                )
    if not (kane._qdot_u_map and kane.bodies):
        raise ValueError(
            "`kane` must have bodies and kinematical differential equations. "
            "Use KanesMethod(..., kd_eqs=[...], bodies=[...])."
        )
    # KanesMethod tells of its dependent and auxiliary speeds in no public way
    if hidden := [*kane._qdep, *kane._udep, *kane._uaux]:
        raise ValueError(
            "`kane` must have no dependent or auxiliary coordinates and speeds, got "
            f"{', '.join(map(str, hidden))}. Use one without constraints."
        )
    return kane


def _check_forcing(forcing: Matrix, states: set[Expr]) -> None:
    derivatives = (leaf for leaf in leaves(forcing) if isinstance(leaf, Derivative))
    if found := sorted(str(leaf) for leaf in derivatives if leaf.expr in states):
        raise ValueError(
            f"`idyn` must be of a system whose loads do not depend on accelerations, but they "
            f"contain {', '.join(found)}. Use bodies with mass and inertia instead."
        )
