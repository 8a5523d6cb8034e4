"""Forward/inverse cross-checks: do the computed forces make the System move as prescribed?"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from ..array_checks import real_array
from ..arrays import sizes
from ..checks import check_instance, describe
from ..inverse_dynamics import InverseDynamics
from ..trajectory import Motion, States
from .drive import Drive
from .forward import CompiledModel, ForwardModel
from .residuals import CrosscheckReport, Residual
from .simulation import simulate

#: Tolerances that make sense in double precision.
TOLERANCES = (1e-13, 1e-2)


def crosscheck(
    idyn: InverseDynamics,
    motion: Mapping[Expr, Any] | Motion,
    times: Any,
    constants: Mapping[Symbol, float] | None = None,
    specifieds: Mapping[Expr, Any] | None = None,
    *,
    tolerance: float = 1e-12,
    max_steps: int = 10_000,
    backend: str = "numpy",
) -> CrosscheckReport:
    """Check inverse dynamics against forward dynamics that is derived independently.

    The System's equations of motion are formed anew by KanesMethod.  The forces
    that inverse dynamics computes for the motion are applied to them, and the
    simulated motion must be the prescribed one.

    Parameters
    ==========

    idyn : InverseDynamics
        What is checked.
    motion : mapping of coordinate to expression, or Motion
        A formula of time for every coordinate, as for `PrescribedMotion`, or an
        object whose ``at(times)`` returns ``q, u, udot`` for times of shape (N,)
        with shapes (N, n_q), (N, n), (N, n).
    times : array_like, shape (N,)
        At least two increasing times; the simulation goes from the first to the
        last.
    constants : mapping of Symbol or name to number, optional
        A value for each of ``idyn.constants``; those that are not in the
        System's equations of motion may be left out.
    specifieds : mapping of Expr to value, optional
        A value for every function of time in the loads: a number, a formula of
        the System's time, or a function that takes a time as a float.
    tolerance : float
        Relative and absolute tolerance of the simulation, in parts of each
        state's largest prescribed value.
    max_steps : int
        The simulation gives up after as many steps.
    backend : {"numpy", "c", "auto"}
        Which compiled form of ``idyn`` is checked, as for
        `InverseDynamics.compile`.

    Returns
    =======

    CrosscheckReport
        The residuals.  Large residuals and a failed simulation are told there;
        they raise nothing.

    Raises
    ======

    TypeError
        If an argument has the wrong type.
    ValueError
        If times are not increasing or not finite; if coordinates, constants or
        specifieds are missing or unknown, or their values not finite; if the
        System cannot move.

    Notes
    =====

    The simulation has no feedback, so that rounding grows on unstable motions
    (a limb held upright) by a factor of ``exp(time / time constant)``: keep the
    time short, or look at the accelerations, which do not drift.

    Checked are the generalized forces and the solved loads.  Constraint
    reactions do no work and leave no trace here.

    The loads of the System are read when this is called: if they, or a mass,
    changed after ``idyn`` was made, the residuals show it.

    Examples
    ========

    >>> from sympy import sin
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> from jointwrench.chain import SerialChain
    >>> from jointwrench.inverse_dynamics import InverseDynamics
    >>> from jointwrench.verify import crosscheck
    >>> chain, t = SerialChain.planar(1, gravity=(0, -9.81, 0)), dynamicsymbols._t
    >>> report = crosscheck(
    ...     InverseDynamics(chain.system),
    ...     {chain.coordinates[0]: sin(3 * t)},
    ...     times=[0, 0.5, 1],
    ...     constants={"l_0": 0.4, "m_0": 2, "I_0": 0.1},
    ... )
    >>> print(report)
    forward/inverse cross-check at 3 times from 0 to 1
    residual          largest  relative   at time  in
    coordinates    ...  q_0(t)
    speeds         ...  u_0(t)
    accelerations  ...  Derivative(u_0(t), t)
    power balance  ...  power
    simulation: DOP853, tolerance 1e-12, ... steps
    >>> report.max_relative < 1e-9
    True
    """
    check_instance("idyn", idyn, InverseDynamics, "an InverseDynamics")
    instants = _check_times(times)
    _check_tolerance(tolerance)
    _check_steps(max_steps)
    model = ForwardModel(idyn)
    drive = Drive(idyn, model, motion, constants, specifieds, backend)
    return _report(idyn, model, drive, instants, tolerance, max_steps)


def _report(
    idyn: InverseDynamics,
    model: ForwardModel,
    drive: Drive,
    times: np.ndarray,
    tolerance: float,
    max_steps: int,
) -> CrosscheckReport:
    states, forces, given = drive.at(times)
    forward = model.compile()
    simulation = simulate(forward, drive.at, states, times, tolerance, max_steps)
    return CrosscheckReport(
        times=times,
        prescribed=states,
        generalized_forces=forces,
        coordinates=_drift(simulation.q, states.q, idyn.coordinates),
        speeds=_drift(simulation.u, states.u, idyn.speeds),
        accelerations=_accelerations(idyn, forward, times, states, forces, given),
        power=_power(forward, times, states, forces, given),
        success=simulation.success,
        message=simulation.message,
        tolerance=tolerance,
        steps=simulation.steps,
    )


# -- residuals ----------------------------------------------------------------


def _drift(simulated: np.ndarray, prescribed: np.ndarray, names: Iterable[Expr]) -> Residual:
    return Residual(simulated - prescribed, sizes(prescribed), tuple(map(str, names)))


def _accelerations(
    idyn: InverseDynamics,
    forward: CompiledModel,
    times: np.ndarray,
    states: States,
    forces: np.ndarray,
    given: np.ndarray,
) -> Residual:
    own, driven = forward.accelerations(times[:, None], states.q, states.u, given, forces=forces)
    terms = np.concatenate([own, driven, states.udot])
    names = tuple(str(acceleration) for acceleration in idyn.accelerations)
    return Residual(own + driven - states.udot, sizes(terms), names)


def _power(
    forward: CompiledModel,
    times: np.ndarray,
    states: States,
    forces: np.ndarray,
    given: np.ndarray,
) -> Residual:
    powers = forward.powers(times[:, None], states.q, states.u, given, udot=states.udot)
    energy_rate, supplied = powers.T
    work = (forces * states.u).sum(axis=-1)
    terms = np.concatenate([energy_rate, supplied, (np.abs(forces * states.u)).sum(axis=-1)])
    return Residual((work + supplied - energy_rate)[:, None], sizes(terms[:, None]), ("power",))


# -- arguments ------------------------------------------------------------------


def _check_times(times: Any) -> np.ndarray:
    instants = real_array("times", times)
    if instants.ndim != 1 or len(instants) < 2:
        raise ValueError(
            f"`times` must have shape (N,) with at least two times, got shape {instants.shape}. "
            "Use for instance numpy.linspace(0, 1, 101)."
        )
    if not np.isfinite(instants).all():
        raise ValueError(f"`times` must be finite, got {describe(times)}.")
    if (wrong := np.flatnonzero(np.diff(instants) <= 0)).size:
        before, after = instants[wrong[0] : wrong[0] + 2]
        raise ValueError(f"`times` must increase, but {after:g} follows {before:g}.")
    return instants


def _check_tolerance(tolerance: Any) -> None:
    check_instance("tolerance", tolerance, (int, float), "a number")
    if not TOLERANCES[0] <= tolerance <= TOLERANCES[1]:
        raise ValueError(
            f"`tolerance` must be between {TOLERANCES[0]:g} and {TOLERANCES[1]:g}, got {tolerance}."
        )


def _check_steps(max_steps: Any) -> None:
    check_instance("max_steps", max_steps, int, "an integer")
    if max_steps < 1:
        raise ValueError(f"`max_steps` must be at least 1, got {max_steps}.")
