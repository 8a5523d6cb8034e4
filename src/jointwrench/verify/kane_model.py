"""Forward dynamics by sympy's KanesMethod, for arrays of numbers.

It shares only the model with the recursion of inverse dynamics, and therefore checks it
independently.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from sympy import Derivative, Expr, Matrix, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import KanesMethod, RigidBody
from sympy.physics.vector import ReferenceFrame, Vector

from ..checks.arguments import check_instance
from ..mechanics.adapters.private_sympy import KaneParts
from ..mechanics.arithmetic.array_functions import array_function
from ..mechanics.methods.inverse_dynamics import InverseDynamics
from ..mechanics.spatial.components import leaves
from ..mechanics.sympy_objects import check_time
from ..motion.speeds import kinematical_equations
from .constraints import (
    ConstraintEquations,
    loop_partials,
    read_constraints,
    read_kane_constraints,
    solve_accelerations,
)

# The last model of each InverseDynamics, with the equations of the user's KanesMethod.
_cache: WeakKeyDictionary[InverseDynamics, tuple[Any, "KaneCheck"]] = WeakKeyDictionary()


def forward_model(idyn: InverseDynamics, kane: KanesMethod | None = None) -> "KaneCheck":
    """Return the equations of motion of a model, formed and compiled once."""
    # Only the bodies and loads of idyn are used, not its derivation; or those of ``kane``, with the
    # same coordinates and speeds. If kane has constraints, its tree is formed without them.
    check_time("idyn", idyn.time, idyn.coordinates)
    if kane is not None and KaneParts.of(_check_kane(kane, idyn)).dependent_speeds:
        return KaneCheck(idyn, _without_constraints(kane), read_kane_constraints(kane))
    given = None if kane is None else (kane, *_equations(kane))
    cached = _cache.get(idyn)
    if cached is None or cached[0] != given:
        equations = read_constraints(idyn)
        cached = _cache[idyn] = given, KaneCheck(idyn, kane or _form_kane(idyn), equations)
    return cached[1]


class Instants(NamedTuple):
    """N times (N, 1), states (N, n_q + n), and constants and functions sorted by name (N, k)."""

    times: np.ndarray
    states: np.ndarray
    inputs: np.ndarray


class KaneCheck:
    """Kane's equations of a tree, its constraints and powers, as functions of arrays."""

    def __init__(
        self, idyn: InverseDynamics, kane: KanesMethod, constraints: ConstraintEquations
    ) -> None:
        q, u, frame, time = list(kane.q), list(kane.u), KaneParts.of(kane).inertial, idyn.time
        udot, to_speeds = [speed.diff(time) for speed in u], kane.kindiffdict()
        mass_matrix, forcing = _equations(kane)
        _check_forcing(forcing, {*q, *u})
        rates = [to_speeds[coordinate.diff(time)] for coordinate in q]
        energy = sum(body.kinetic_energy(frame) for body in kane.bodies).xreplace(to_speeds)
        powers = [energy.diff(time).xreplace(to_speeds), _form_power(kane, to_speeds)]
        position = [x.xreplace(to_speeds) for x in constraints.position]
        velocity = [x.xreplace(to_speeds) for x in constraints.velocity]
        jacobian, still = _jacobian(velocity, u), dict.fromkeys(udot, S.Zero)
        bias = [x.diff(time).xreplace({**to_speeds, **still}) for x in velocity]
        equations = [*rates, *mass_matrix, *forcing, *jacobian, *bias]
        closed = [*position, *_jacobian(position, q), *velocity]
        partials = list(loop_partials(idyn, u, to_speeds))
        known = _find_known_speeds(idyn)
        equations, powers, closed, partials = (
            [x.xreplace(known) for x in group] for group in (equations, powers, closed, partials)
        )
        others = leaves([*equations, *powers, *closed, *partials]) - {time, *q, *u, *udot}
        names = sorted(others, key=str)
        self.constants = tuple(s for s in names if isinstance(s, Symbol))
        self.functions = tuple(s for s in names if not isinstance(s, Symbol))
        self.inputs = self.constants + self.functions  # the columns of ``Instants.inputs``
        self.constraints = constraints
        self._widths = len(q), len(u)
        groups = [[time], [*q, *u], list(self.inputs)]
        self._equations = array_function(groups, equations)
        self._closed = array_function(groups, closed)
        self._partials = array_function(groups, partials)
        # Of instants and accelerations: the rate of the kinetic energy, and the power of loads.
        self.powers = array_function([*groups, udot], powers)

    def derivatives(
        self, at: Instants, forces: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the rates of coordinates, and accelerations due to the model and to forces."""
        rates, mass_matrix, forcing, jacobian, bias = self._terms(at)
        own = solve_accelerations(mass_matrix, jacobian, forcing, -bias)
        return rates, own, solve_accelerations(mass_matrix, jacobian, forces, 0 * bias)

    def _terms(self, at: Instants) -> tuple[np.ndarray, ...]:
        """Return q', M, f, J and b of the equations of motion with constraints."""
        # M u' = f + Q + J^T (multipliers) and J u' + b = 0
        (n_q, n), m = self._widths, len(self.constraints.velocity)
        ends = np.cumsum([n_q, n * n, n, m * n])
        values = np.split(self._equations(*at), ends, axis=1)
        rates, mass_matrix, forcing, jacobian, bias = values
        count = len(values[0])
        return rates, mass_matrix.reshape(-1, n, n), forcing, jacobian.reshape(count, m, n), bias

    def required_forces(self, at: Instants, udot: np.ndarray) -> np.ndarray:
        """Return the generalized forces of actuators and constraints together, shape (N, n)."""
        _, mass_matrix, forcing, _, _ = self._terms(at)
        return (mass_matrix @ udot[..., None])[..., 0] - forcing

    def constraint_errors(
        self, at: Instants, udot: np.ndarray
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return constraint residuals of positions, velocities and accelerations.

        Each comes with the sum of the absolute values of its terms, and that sum for unit states.
        """
        n_q, m = self._widths[0], len(self.constraints.position)
        _, _, _, jacobian, bias = self._terms(at)
        position, factors, velocity = np.split(self._closed(*at), np.cumsum([m, m * n_q]), axis=1)
        q, u = np.split(at.states, [n_q], axis=1)
        factors = abs(factors.reshape(len(q), m, n_q))
        rows = abs(jacobian).sum(axis=2)
        speeds, changes = jacobian * u[:, None], jacobian * udot[:, None]
        rest = velocity - speeds.sum(axis=2)
        return [
            (position, (factors * abs(q[:, None])).sum(axis=2), factors.sum(axis=2)),
            (velocity, abs(speeds).sum(axis=2) + abs(rest), rows),
            (changes.sum(axis=2) + bias, abs(changes).sum(axis=2) + abs(bias), rows),
        ]

    def loop_partials(self, at: Instants) -> np.ndarray:
        """Return the generalized forces of units of the loops' wrench components, (N, 6 l, n)."""
        values = self._partials(*at)
        return values.reshape(len(values), values.shape[1] // self._widths[1], self._widths[1])


def _form_kane(idyn: InverseDynamics) -> KanesMethod:
    """Return a new KanesMethod of a model, without a change of the model's objects."""
    kdes, speeds = kinematical_equations(idyn)
    parts = [*idyn.coordinates], speeds, kdes, idyn.bodies, [*idyn.loads]
    return _build_kane(idyn.frame, *parts)


def _without_constraints(kane: KanesMethod) -> KanesMethod:
    """Return a KanesMethod of the same model in which all speeds are independent."""
    kdes = [rate - value for rate, value in kane.kindiffdict().items()]
    parts = [*kane.q], [*kane.u], kdes, kane.bodies, kane.loads
    return _build_kane(KaneParts.of(kane).inertial, *parts)


def _build_kane(
    frame: ReferenceFrame, q: Any, u: Any, kdes: Any, bodies: Any, loads: Any
) -> KanesMethod:
    more = {"bodies": bodies, "forcelist": loads or None, "explicit_kinematics": False}
    return KanesMethod(frame, q_ind=q, u_ind=u, kd_eqs=kdes, **more)


def _find_known_speeds(idyn: InverseDynamics) -> dict[Expr, Expr]:
    """Return the formulas of auxiliary speeds, which are zero, and of prescribed speeds."""
    return {
        speed.diff(idyn.time, k): x.diff(idyn.time, k)
        for speed, x in idyn.model.tree.derivative.rates.items()
        if isinstance(speed, AppliedUndef)
        for k in range(3)
    }


def _jacobian(expressions: Sequence[Expr], symbols: Sequence[Expr]) -> list[Expr]:
    """Return the derivatives of expressions, row by row."""
    return list(Matrix(expressions).jacobian(symbols)) if expressions else []


def _equations(kane: KanesMethod) -> tuple[Matrix, Matrix]:
    """Return the mass matrix and the forcing of a KanesMethod, formed if necessary."""
    try:
        return kane.mass_matrix, kane.forcing
    except ValueError:  # they are not formed yet
        kane.kanes_equations()
        return kane.mass_matrix, kane.forcing


def _form_power(kane: KanesMethod, to_speeds: dict[Expr, Expr]) -> Expr:
    """Return the power of loads and of the motion that is prescribed at zero speeds."""
    frame, still, power = KaneParts.of(kane).inertial, dict.fromkeys(kane.u, S.Zero), S.Zero

    def prescribed(velocity: Vector) -> Vector:
        return velocity.xreplace(to_speeds).xreplace(still)

    for body in kane.bodies:
        velocity = body.masscenter.vel(frame).xreplace(to_speeds)
        if (own := prescribed(velocity)) != 0:
            power += body.mass * velocity.dt(frame).dot(own)
        if isinstance(body, RigidBody) and (own := prescribed(body.frame.ang_vel_in(frame))) != 0:
            spin = body.frame.ang_vel_in(frame).xreplace(to_speeds)
            power += body.central_inertia.dot(spin).dt(frame).dot(own)
    for place, vector in kane.loads or ():
        is_torque = isinstance(place, ReferenceFrame)
        velocity = place.ang_vel_in(frame) if is_torque else place.vel(frame)
        power += vector.dot(velocity) - vector.dot(prescribed(velocity))
    return power.xreplace(to_speeds)


def _check_kane(kane: Any, idyn: InverseDynamics) -> KanesMethod:
    """Return the argument ``kane``; refuse other coordinates, or missing parts."""
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
            "without them: joint wrenches replace them."
        )
    return kane


def _check_forcing(forcing: Matrix, states: set[Expr]) -> None:
    """Refuse loads that depend on accelerations."""
    derivatives = (leaf for leaf in leaves(forcing) if isinstance(leaf, Derivative))
    if found := sorted(str(leaf) for leaf in derivatives if leaf.expr in states):
        raise ValueError(
            f"`idyn` must be of a system whose loads do not depend on accelerations, but they "
            f"contain {', '.join(found)}. Use bodies with mass and inertia instead."
        )
