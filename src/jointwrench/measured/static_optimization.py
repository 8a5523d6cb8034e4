"""Muscle forces by static optimisation: the least sum of squared stresses, within bounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear, nnls
from sympy import Expr

from ..checks.arguments import check_instance, enumerate_some
from ..checks.numbers import real_array
from ..checks.tolerances import ROUNDING
from ..methods.inverse_dynamics import InverseDynamics

MUSCLES = "a mapping of load symbols to an area, or to (area, least force, largest force)"


@dataclass(frozen=True, eq=False)
class MuscleForces:
    """What `static_optimization` returns, for all samples.

    Parameters
    ==========

    muscles : tuple of Expr
        The load symbols.
    forces : numpy.ndarray, shape (..., number of muscles)
        The force of each muscle.
    stresses : numpy.ndarray, shape (..., number of muscles)
        The same divided by the muscles' areas.
    moment_arms : numpy.ndarray, shape (..., n, number of muscles)
        The generalized forces that a unit of each muscle's force supplies.
    unsupplied : numpy.ndarray, shape (..., n)
        The generalized forces that the motion asks for beyond the muscles': of the
        speeds that muscles have to supply zero, but where they cannot.
    feasible : numpy.ndarray of bool, shape (...)
        Whether they can.
    """

    muscles: tuple[Expr, ...]
    forces: np.ndarray
    stresses: np.ndarray
    moment_arms: np.ndarray
    unsupplied: np.ndarray
    feasible: np.ndarray

    def __repr__(self) -> str:
        count = int(self.feasible.sum())
        return (
            f"MuscleForces({enumerate_some(self.muscles)}: {count} of {self.feasible.size} "
            "samples feasible)"
        )

    @property
    def specifieds(self) -> dict[Expr, np.ndarray]:
        """The forces by their symbols, for evaluations of the same model: joint contact forces."""
        return {symbol: self.forces[..., k] for k, symbol in enumerate(self.muscles)}


def static_optimization(
    idyn: InverseDynamics,
    motion: Any,
    muscles: Mapping[Any, Any],
    constants: Mapping[Any, Any] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    speeds: Iterable[Any] | None = None,
) -> MuscleForces:
    """Return the muscle forces that supply a motion with the least sum of squared stresses.

    At each instant it is the solution of::

        minimise    sum (force / area)^2
        subject to  moment_arms * forces = generalized forces of the motion
                    least force <= force <= largest force

    Parameters
    ==========

    idyn : InverseDynamics
        A model in whose loads the muscles' forces stand linearly, as known loads
        (not in ``solve_for``).
    motion : Trajectory, or (q, u, udot)
        The motion; arrays of shapes (..., n_q), (..., n) and (..., n).
    muscles : dict of symbol to number or (number, number, number)
        The force of each muscle, or group of muscles, with its cross-section area, or
        whatever forces are to be divided by, such as the largest isometric one; and the
        least and largest force.  Default of these: 0 and infinite; a muscle pulls.
    constants, specifieds : dict, optional
        The numbers of all other symbols, as for an evaluation.
    speeds : iterable of speeds, optional
        The speeds whose generalized forces the muscles have to supply.  Default: those on
        which a muscle does work.

    Returns
    =======

    MuscleForces
        Where muscles cannot supply the motion, their forces leave the least sum of squares
        of generalized forces unsupplied, and ``feasible`` is False there.

    Raises
    ======

    TypeError
        If the model is no InverseDynamics, or muscles or the motion are of the wrong type.
    ValueError
        If a muscle is no known load, does no work or is not linear, an area is not positive,
        bounds are the wrong way round, or a speed is unknown.

    Notes
    =====

    With the forces as ``specifieds=`` of an evaluation, joint wrenches are those between the
    bones.  For that the muscles' symbols must be functions of time (``dynamicsymbols``).

    Generalized forces of different units (moments, forces) are weighed as they are
    where a motion is infeasible.

    Examples
    ========

    An elbow with a flexor of 4 cm moment arm and 4 cm^2, and another one of 2 cm and 6 cm^2:

    >>> from sympy.physics.mechanics import (PinJoint, RigidBody, System, TorqueActuator,
    ...     dynamicsymbols, inertia)
    >>> from jointwrench import InverseDynamics, static_optimization
    >>> ground, arm = RigidBody("ground"), RigidBody("arm", mass=1.5)
    >>> arm.central_inertia = inertia(arm.frame, 0, 0, 0.02)
    >>> elbow = PinJoint("elbow", ground, arm, child_point=-0.2 * arm.x, joint_axis=ground.z)
    >>> system = System.from_newtonian(ground)
    >>> system.add_joints(elbow)
    >>> system.apply_uniform_gravity(-9.81 * ground.y)
    >>> biceps, brachialis = dynamicsymbols("biceps brachialis")
    >>> moment = 0.04 * biceps + 0.02 * brachialis
    >>> system.add_actuators(TorqueActuator(moment, ground.z, arm.frame, ground.frame))
    >>> found = static_optimization(InverseDynamics(system), ([0.0], [0.0], [0.0]),
    ...     {biceps: 4e-4, brachialis: 6e-4})
    >>> found.forces.round(3)
    array([47.088, 52.974])
    >>> round(float(found.forces @ [0.04, 0.02]), 9)
    2.943

    References
    ==========

    .. [1] R. D. Crowninshield, R. A. Brand, A physiologically based criterion of muscle force
       prediction in locomotion, J. Biomech. 14 (1981), 793-801.
    .. [2] C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, SIAM 1995, chapter 23.
    """
    check_instance("idyn", idyn, InverseDynamics, "an InverseDynamics")
    symbols, areas, bounds = _muscles(idyn, muscles)
    wanted, arms = _linear_map(idyn, _states(motion), symbols, constants, specifieds)
    rows = _rows(idyn, arms, speeds)
    matrices, rights = arms[..., rows, :] * areas, wanted[..., rows]
    stresses = np.full((*wanted.shape[:-1], len(symbols)), np.nan)
    for place in np.ndindex(wanted.shape[:-1]):
        if np.isfinite(matrices[place]).all() and np.isfinite(rights[place]).all():
            stresses[place] = _least_stresses(matrices[place], rights[place], bounds / areas)
    forces = stresses * areas
    left = wanted - (arms @ forces[..., None])[..., 0]
    scale = abs(rights).max(axis=-1, initial=0) + ROUNDING
    missing = abs(left[..., rows]).max(axis=-1, initial=0)
    return MuscleForces(symbols, forces, stresses, arms, left, missing <= ROUNDING * scale)


def _muscles(
    idyn: InverseDynamics, muscles: Any
) -> tuple[tuple[Expr, ...], np.ndarray, np.ndarray]:
    """Return the muscles' symbols, areas (m,) and bounds (2, m)."""
    check_instance("muscles", muscles, Mapping, MUSCLES, "Use for instance {biceps: 4e-4}.")
    known = {*idyn.specifieds, *idyn.constants}
    areas, bounds = [], []
    for symbol, value in muscles.items():
        if symbol not in known:
            raise ValueError(
                f"`muscles` must be known loads of the model, got {symbol}. Use symbols that "
                "stand in its loads and not in solve_for."
            )
        numbers = np.atleast_1d(real_array("muscles", value)).astype(float)
        if numbers.shape not in ((1,), (3,)):
            raise ValueError(f"`muscles` must be {MUSCLES}, got {value!r} for {symbol}.")
        area, least, most = numbers if len(numbers) == 3 else (numbers[0], 0.0, np.inf)
        if not (area > 0 and np.isfinite(area) and least < most):
            raise ValueError(
                f"`muscles` must have positive areas, and least forces below the largest, got "
                f"{value!r} for {symbol}."
            )
        areas.append(area)
        bounds.append((least, most))
    if not areas:
        raise ValueError(f"`muscles` must be {MUSCLES}, got none.")
    return tuple(muscles), np.array(areas), np.array(bounds).T


def _states(motion: Any) -> tuple[Any, ...]:
    """Return q, u and udot."""
    states = getattr(motion, "q", None), getattr(motion, "u", None), getattr(motion, "udot", None)
    if all(state is not None for state in states):
        return states
    if not isinstance(motion, (tuple, list)) or len(motion) != 3:
        kind = type(motion).__name__
        raise TypeError(f"`motion` must be a Trajectory or (q, u, udot), got {kind}.")
    return tuple(motion)


def _linear_map(
    idyn: InverseDynamics,
    states: tuple[Any, ...],
    symbols: tuple[Expr, ...],
    constants: Mapping[Any, Any] | None,
    specifieds: Mapping[Any, Any] | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return generalized forces without muscles (..., n), and per unit of each (..., n, m)."""
    evaluate = idyn.compile("generalized_forces")

    def forces(muscles: np.ndarray) -> np.ndarray:
        values = dict(zip(symbols, map(float, muscles), strict=True))
        given = {"constants": dict(constants or {}), "specifieds": dict(specifieds or {})}
        for symbol, value in values.items():
            group = "specifieds" if symbol in idyn.specifieds else "constants"
            given[group][symbol] = value
        return np.asarray(evaluate(*states, **given).generalized_forces)

    units = np.eye(len(symbols))
    rest = forces(np.zeros(len(symbols)))
    columns = [rest - forces(unit) for unit in units]
    for symbol, unit, column in zip(symbols, units, columns, strict=True):
        change = rest - forces(-2 * unit) + 2 * column
        scale = abs(rest).max(initial=0) + abs(column).max(initial=0)
        if (abs(change) > ROUNDING * scale).any():
            raise ValueError(f"`muscles` must enter the loads linearly, but {symbol} does not.")
        if not (abs(column) > ROUNDING**2 * scale).any() and np.isfinite(column).all():
            raise ValueError(
                f"`muscles` must do work, but {symbol} supplies no generalized force. Leave it out."
            )
    return rest, np.stack(columns, axis=-1)


def _rows(idyn: InverseDynamics, arms: np.ndarray, speeds: Iterable[Any] | None) -> list[int]:
    """Return the places of the speeds that muscles have to supply."""
    own = list(idyn.speeds)
    if speeds is None:
        largest = np.nanmax(abs(arms), axis=(*range(arms.ndim - 2), -1), initial=0)
        return [k for k, size in enumerate(largest) if size > ROUNDING * largest.max()]
    chosen = list(speeds)
    if strangers := [x for x in chosen if x not in own]:
        raise ValueError(f"`speeds` must be speeds of the model, got {strangers[0]}.")
    return [own.index(x) for x in chosen]


def _least_stresses(matrix: np.ndarray, right: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the shortest x within bounds with ``matrix x = right``, or as near to it as can be."""
    shortest, *_ = np.linalg.lstsq(matrix, right, rcond=ROUNDING)
    error = abs(matrix @ shortest - right).max(initial=0)
    if error > ROUNDING * abs(right).max(initial=0):
        return _nearest(matrix, right, bounds)
    if (shortest >= bounds[0]).all() and (shortest <= bounds[1]).all():
        return shortest
    found = _within(matrix, shortest, bounds)
    return _nearest(matrix, right, bounds) if found is None else found


def _nearest(matrix: np.ndarray, right: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the shortest x within bounds of those that bring ``matrix x`` nearest to its aim."""
    nearest = np.clip(lsq_linear(matrix, right, bounds, method="bvls").x, *bounds)
    shortest = np.linalg.pinv(matrix, rcond=ROUNDING) @ (matrix @ nearest)
    found = _within(matrix, shortest, bounds)
    return nearest if found is None else found


def _within(matrix: np.ndarray, shortest: np.ndarray, bounds: np.ndarray) -> np.ndarray | None:
    """Return the shortest x within bounds with the same ``matrix x``; None if there is none.

    With z in the null space N it is ``x = shortest + N z``, of least distance ``|z|`` under
    the inequalities: a problem of non-negative least squares (Lawson and Hanson's LDP).
    """
    _, values, rows = np.linalg.svd(matrix)
    null = rows[int((values > ROUNDING * values.max(initial=0)).sum()) :].T
    limits = np.concatenate([bounds[0] - shortest, shortest - bounds[1]])
    is_finite = np.isfinite(limits)
    limits, sides = limits[is_finite], np.concatenate([null, -null])[is_finite]
    scale = abs(limits).max(initial=0) or 1.0
    stacked = np.vstack([sides.T, limits / scale])
    aim = np.append(np.zeros(null.shape[1]), 1.0)
    solution, distance = nnls(stacked, aim)
    if distance <= ROUNDING:
        return None
    residual = aim - stacked @ solution
    z = -residual[:-1] / residual[-1] * scale
    return np.clip(shortest + null @ z, *bounds)
