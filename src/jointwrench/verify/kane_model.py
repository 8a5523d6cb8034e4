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
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import KanesMethod, RigidBody
from sympy.physics.vector import ReferenceFrame, Vector

from ..adapters.private_sympy import KaneParts
from ..arithmetic.array_functions import array_function
from ..checks.arguments import check_instance, check_time
from ..methods.inverse_dynamics import InverseDynamics
from ..motion.speeds import kinematical_equations
from ..spatial.leaves import leaves
from .constraints import (
    ConstraintEquations,
    accelerations,
    equations_of,
    equations_of_kane,
    loop_partials,
)

# The last model of each InverseDynamics, and the equations that the user gave for it.
_kept: WeakKeyDictionary[InverseDynamics, tuple[Any, "KaneCheck"]] = WeakKeyDictionary()


def forward_model(idyn: InverseDynamics, kane: KanesMethod | None = None) -> "KaneCheck":
    """Return the equations of motion of a model; they are formed and compiled once.

    Only the bodies and loads of ``idyn`` are used, nothing that it derived; or those of ``kane``, a
    model of the same coordinates and speeds: of one with constraints those of its tree.
    """
    check_time("idyn", idyn.time, idyn.coordinates)
    if kane is not None and KaneParts.of(_check_kane(kane, idyn)).dependent_speeds:
        return KaneCheck(idyn, _without_constraints(kane), equations_of_kane(kane))
    given = None if kane is None else (kane, *_equations(kane))
    kept = _kept.get(idyn)
    if kept is None or kept[0] != given:
        kept = _kept[idyn] = given, KaneCheck(idyn, kane or _kane(idyn), equations_of(idyn))
    return kept[1]


class KaneCheck:
    """Equations of motion, constraints and powers as functions of arrays.

    The equations of motion are those of the tree; constraints add multipliers, for which numbers
    are solved.  Every call takes the times, the states, the values of `given` (constants, then
    functions of time, both by name), and forces or accelerations: shapes (N,), (N, n_q + n), (N,
    number of given) and (N, n).
    """

    def __init__(
        self, idyn: InverseDynamics, kane: KanesMethod, constraints: ConstraintEquations
    ) -> None:
        q, u, frame, time = list(kane.q), list(kane.u), KaneParts.of(kane).inertial, idyn.time
        udot, to_speeds = [speed.diff(time) for speed in u], kane.kindiffdict()
        mass_matrix, forcing = _equations(kane)
        _check_forcing(forcing, {*q, *u})
        rates = [to_speeds[coordinate.diff(time)] for coordinate in q]
        energy = sum(body.kinetic_energy(frame) for body in kane.bodies).xreplace(to_speeds)
        others_power = _power(kane.loads or (), frame) + _power_of_givers(kane, to_speeds)
        powers = [energy.diff(time), others_power]
        powers = [power.xreplace(to_speeds) for power in powers]
        position = [x.xreplace(to_speeds) for x in constraints.position]
        velocity = [x.xreplace(to_speeds) for x in constraints.velocity]
        slopes, still = _jacobian(velocity, u), dict.fromkeys(udot, S.Zero)
        turns = [x.diff(time).xreplace({**to_speeds, **still}) for x in velocity]
        equations = [*rates, *mass_matrix, *forcing, *slopes, *turns]
        closed = [*position, *_jacobian(position, q), *velocity]
        partials = list(loop_partials(idyn, u, to_speeds))
        known = _known_speeds(idyn)
        equations, powers, closed, partials = (
            [x.xreplace(known) for x in group] for group in (equations, powers, closed, partials)
        )
        others = leaves([*equations, *powers, *closed, *partials]) - {time, *q, *u, *udot}
        names = sorted(others, key=str)
        self.constants = tuple(s for s in names if isinstance(s, Symbol))
        self.functions = tuple(s for s in names if not isinstance(s, Symbol))
        self.constraints = constraints
        self._widths = len(q), len(u)
        groups = [[time], [*q, *u], list(self.given)]
        self._equations = array_function(groups, equations)
        self._closed = array_function(groups, closed)
        self._partials = array_function(groups, partials)
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
        where the mass matrix is singular on what constraints leave free.
        """
        rates, mass_matrix, forcing, slopes, turns = self._terms(times, states, given)
        own = accelerations(mass_matrix, slopes, forcing, -turns)
        return rates, own, accelerations(mass_matrix, slopes, forces, 0 * turns)

    def _terms(
        self, times: np.ndarray, states: np.ndarray, given: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Return q' and ``M, f, J, b`` in ``M u' = f + Q + J^T (multipliers), J u' + b = 0``."""
        (n_q, n), m = self._widths, len(self.constraints.velocity)
        values = self._equations(times[:, None], states, given)
        ends = np.cumsum([n_q, n * n, n, m * n])
        rates, mass_matrix, forcing, slopes, turns = np.split(values, ends, axis=1)
        return (
            rates,
            mass_matrix.reshape(-1, n, n),
            forcing,
            slopes.reshape(len(times), m, n),
            turns,
        )

    def demand(
        self, times: np.ndarray, states: np.ndarray, given: np.ndarray, udot: np.ndarray
    ) -> np.ndarray:
        """Return the generalized forces of actuators and constraints together, shape (N, n)."""
        _, mass_matrix, forcing, _, _ = self._terms(times, states, given)
        return (mass_matrix @ udot[..., None])[..., 0] - forcing

    def constraint_errors(
        self, times: np.ndarray, states: np.ndarray, given: np.ndarray, udot: np.ndarray
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return what should vanish, and the size of its terms.

        It is that of positions, velocities and accelerations, in arrays (N, m).
        """
        n_q, m = self._widths[0], len(self.constraints.position)
        _, _, _, slopes, turns = self._terms(times, states, given)
        values = self._closed(times[:, None], states, given)
        position, factors, velocity = np.split(values, np.cumsum([m, m * n_q]), axis=1)
        q, u = np.split(states, [n_q], axis=1)
        reach = abs(factors.reshape(len(times), m, n_q) * q[:, None]).sum(axis=2)
        speeds, changes = slopes * u[:, None], slopes * udot[:, None]
        rest = velocity - speeds.sum(axis=2)
        return [
            (position, reach),
            (velocity, abs(speeds).sum(axis=2) + abs(rest)),
            (changes.sum(axis=2) + turns, abs(changes).sum(axis=2) + abs(turns)),
        ]

    def loop_partials(self, times: np.ndarray, states: np.ndarray, given: np.ndarray) -> np.ndarray:
        """Return the generalized forces of units of the loops' wrenches, (N, 6 loops, n)."""
        values = self._partials(times[:, None], states, given)
        return values.reshape(len(times), values.shape[1] // self._widths[1], self._widths[1])

    def powers(
        self, times: np.ndarray, states: np.ndarray, given: np.ndarray, udot: np.ndarray
    ) -> np.ndarray:
        """Return the rate of the kinetic energy and the power of the loads, shape (N, 2).

        With the loads counts whatever moves bodies by formula or as specified.
        """
        return self._powers(times[:, None], states, given, udot)


def _kane(idyn: InverseDynamics) -> KanesMethod:
    """Return a KanesMethod of the model, which is not changed."""
    kdes, speeds = kinematical_equations(idyn)
    return KanesMethod(
        idyn.frame,
        q_ind=list(idyn.coordinates),
        u_ind=speeds,
        kd_eqs=kdes,
        bodies=idyn.bodies,
        forcelist=list(idyn.loads) or None,
        explicit_kinematics=False,
    )


def _without_constraints(kane: KanesMethod) -> KanesMethod:
    """Return a KanesMethod of the same model in which all speeds are independent."""
    return KanesMethod(
        KaneParts.of(kane).inertial,
        q_ind=list(kane.q),
        u_ind=list(kane.u),
        kd_eqs=[rate - value for rate, value in kane.kindiffdict().items()],
        bodies=kane.bodies,
        forcelist=kane.loads or None,
        explicit_kinematics=False,
    )


def _known_speeds(idyn: InverseDynamics) -> dict[Expr, Expr]:
    """Return auxiliary speeds, which are zero, and those of joints that are driven by formula."""
    given = idyn.model.tree.derivative.rates
    speeds = {speed: x for speed, x in given.items() if isinstance(speed, AppliedUndef)}
    return {
        speed.diff(idyn.time, k): x.diff(idyn.time, k)
        for speed, x in speeds.items()
        for k in range(3)
    }


def _jacobian(expressions: Sequence[Expr], symbols: Sequence[Expr]) -> list[Expr]:
    """Return the derivatives of expressions, row by row."""
    return list(Matrix(expressions).jacobian(symbols)) if expressions else []


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


def _power_of_givers(kane: KanesMethod, to_speeds: dict[Expr, Expr]) -> Expr:
    """Return the power of what makes bodies move though all speeds are zero.

    It acts with what the motion asks for beyond the loads.
    """
    frame, still, power = KaneParts.of(kane).inertial, dict.fromkeys(kane.u, S.Zero), S.Zero

    def given(velocity: Vector) -> Vector:
        return velocity.xreplace(to_speeds).xreplace(still)

    for body in kane.bodies:
        velocity = body.masscenter.vel(frame).xreplace(to_speeds)
        if (own := given(velocity)) != 0:
            power += body.mass * velocity.dt(frame).dot(own)
        if isinstance(body, RigidBody) and (own := given(body.frame.ang_vel_in(frame))) != 0:
            spin = body.frame.ang_vel_in(frame).xreplace(to_speeds)
            power += body.central_inertia.dot(spin).dt(frame).dot(own)
    for place, vector in kane.loads or ():
        is_torque = isinstance(place, ReferenceFrame)
        power -= vector.dot(given(place.ang_vel_in(frame) if is_torque else place.vel(frame)))
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
    own = KaneParts.of(kane)
    if not (own.has_rates and kane.bodies):
        raise ValueError(
            "`kane` must have bodies and kinematical differential equations. "
            "Use KanesMethod(..., kd_eqs=[...], bodies=[...])."
        )
    if hidden := own.auxiliary_speeds:
        raise ValueError(
            f"`kane` must have no auxiliary speeds, got {', '.join(map(str, hidden))}. Use one "
            "without: joint wrenches take their place."
        )
    return kane


def _check_forcing(forcing: Matrix, states: set[Expr]) -> None:
    derivatives = (leaf for leaf in leaves(forcing) if isinstance(leaf, Derivative))
    if found := sorted(str(leaf) for leaf in derivatives if leaf.expr in states):
        raise ValueError(
            f"`idyn` must be of a system whose loads do not depend on accelerations, but they "
            f"contain {', '.join(found)}. Use bodies with mass and inertia instead."
        )
