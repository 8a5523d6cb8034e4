"""Forward/inverse cross-checks: do the computed forces produce the prescribed motion?"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sympy import Expr, Symbol
from sympy.physics.mechanics import KanesMethod, LagrangesMethod

from ..checks.arguments import check_instance
from ..checks.numbers import check_integer
from ..checks.tolerances import CANCELLED, ROUNDOFF
from ..mechanics.adapters.private_sympy import KaneParts
from ..mechanics.mechanism.reading.statement_check import check_statements
from ..mechanics.methods.inverse_dynamics import InverseDynamics, check_idyn
from ..motion.states import Motion
from ..records.samples import check_times
from ..records.wrench_components import COMPONENTS
from .drive import Drive, Driven
from .kane_model import Instants, KaneCheck, forward_model
from .open_loop import integrate
from .residuals import CrosscheckReport, Residual

#: Tolerances that make sense in double precision.
TOLERANCES = (1e-13, 1e-2)


def crosscheck(
    idyn: InverseDynamics | KanesMethod | LagrangesMethod,
    motion: Mapping[Expr, Any] | Motion,
    times: Any,
    constants: Mapping[Symbol, float] | None = None,
    specifieds: Mapping[Expr, Any] | None = None,
    *,
    kane: KanesMethod | None = None,
    tolerance: float = 1e-12,
    max_steps: int = 10_000,
    backend: Literal["auto", "c", "numpy", "pydy"] = "numpy",
) -> CrosscheckReport:
    """Check inverse dynamics against independently derived forward dynamics.

    KanesMethod forms the model's equations of motion.  The forces that inverse dynamics computes
    for the motion are applied to them, and the simulated motion must equal the prescribed one. The
    `CrosscheckReport` has the residuals; large ones and a failed simulation raise no error.

    Parameters
    ==========

    idyn : InverseDynamics, KanesMethod or LagrangesMethod
        The model to check; a method is read by `InverseDynamics.from_kane`, and a KanesMethod is
        compared with its own equations.
    motion : mapping of coordinate to expression, or Motion
        An expression of time for every coordinate, as for `PrescribedMotion`, or an object whose
        ``at(times)`` returns ``q, u, udot`` for times of shape (N,) with shapes (N, n_q), (N, n),
        (N, n).
    times : array_like, shape (N,)
        At least two increasing times; the simulation runs from the first to the last.
    constants : mapping of Symbol or name to number, optional
        A value for each of ``idyn.constants``; those that are not in the
        System's equations of motion may be left out.
    specifieds : mapping of Expr to value, optional
        A value for every function of time in the loads: a number, an expression of the System's
        time, or a function that takes a time as a float.
    kane : KanesMethod, optional
        Existing equations of motion, such as ``system.eom_method``, in the same coordinates and
        speeds; they are formed if necessary.  From one with constraints, the bodies, loads and
        constraints are used. Default: they are formed once for each ``idyn``, which takes the most
        time.
    tolerance : float
        Relative and absolute tolerance of the simulation; the absolute one is relative to each
        state's largest prescribed value.
    max_steps : int
        The number of steps after which the simulation fails.
    backend : {"numpy", "c", "auto", "pydy"}
        The backend of ``idyn``, as for `InverseDynamics.compile`.

    Raises
    ======

    TypeError
        If an argument has the wrong type.
    TopologyError
        If, at a random state, the bodies, loads or loops that were read have a different power
        along virtual velocities from the velocities, frames and inertias of the model's objects.
    ValueError
        If times are not increasing or not finite; if coordinates, constants or specifieds are
        missing or unknown, or their values not finite; if the System cannot move; if ``kane`` has
        other coordinates or speeds than ``idyn``, or auxiliary ones; if the forces to check are
        undetermined; if there are frictions.

    See Also
    ========

    ForwardDynamics.simulate : Simulates without Kane's equations.

    Notes
    =====

    The simulation has no feedback, so that rounding errors of unstable motions (a limb held
    upright) grow by a factor of ``exp(time / time constant)``: keep the time short, or use the
    residuals of accelerations, which do not drift.

    The generalized forces and the solved loads are checked.  Constraint reactions in a tree are
    not, because they do no work.

    Constraints are those of the model, or of its loop joints and contacts if it lists none.  They
    add multipliers to KanesMethod's equations of the tree; the simulation is not stabilized, so
    that drift shows.  Forces that nothing supplies are also missing in the simulation, and change
    the accelerations.  The generalized forces of the wrenches in loop joints and contacts must
    equal those that the tree requires; undetermined components are not compared.

    A column whose prescribed values are zero up to rounding has an absolute residual instead of a
    relative one, such as the speeds about two axes of a body that rotates about the third.

    Examples
    ========

    >>> from sympy import sin
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> import jointwrench as jw
    >>> chain, t = jw.SerialChain.planar(1, gravity=(0, -9.81, 0)), dynamicsymbols._t
    >>> report = jw.crosscheck(
    ...     jw.InverseDynamics(chain.system),
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
    if isinstance(idyn, KanesMethod):
        own = None if KaneParts.of(idyn).auxiliary_speeds else idyn
        idyn, kane = InverseDynamics.from_kane(idyn), kane or own
    if isinstance(idyn, LagrangesMethod):
        idyn = InverseDynamics.from_kane(idyn)
    if check_idyn(idyn).model.request.laws:
        raise ValueError(
            "`idyn` must be without frictions, which Kane's equations do not have. Compare "
            "ForwardDynamics(..., frictions=[...]) with it instead."
        )
    instants = check_times("times", times)
    check_instance("tolerance", tolerance, (int, float), "a number")
    if not TOLERANCES[0] <= tolerance <= TOLERANCES[1]:
        raise ValueError(
            f"`tolerance` must be between {TOLERANCES[0]:g} and {TOLERANCES[1]:g}, got {tolerance}."
        )
    max_steps = check_integer("max_steps", max_steps)
    _check_determined(idyn)
    check_statements(idyn.model.tree, idyn.system)
    model = forward_model(idyn, kane)
    drive = Drive(idyn, model, motion, constants, specifieds, backend)
    driven = drive.at(instants)
    q, u, udot = driven.states
    prescribed = np.hstack([q, u])
    at = Instants(instants[:, None], prescribed, driven.inputs)
    _, own, supplied = model.derivatives(at, driven.forces)
    terms, span = np.concatenate([own, supplied, udot]), instants[-1] - instants[0]
    reach = np.repeat([_max_abs(q, span * u), _max_abs(u, span * terms)], [q.shape[1], u.shape[1]])
    scales = _column_scales(prescribed, reach)
    atol = tolerance * np.minimum(scales, reach) + 8 * ROUNDOFF * reach

    def derivatives(times: np.ndarray, states: np.ndarray) -> np.ndarray:
        _, forces, given = drive.at(times)
        rates, own, supplied = model.derivatives(Instants(times[:, None], states, given), forces)
        return np.hstack([rates, own + supplied])

    options = tolerance, atol, max_steps
    states, steps, message = integrate(derivatives, prescribed[0], instants, *options)
    names = [str(name) for name in (*idyn.coordinates, *idyn.speeds)]
    drift, n_q = states - prescribed, q.shape[1]
    free = own + supplied
    drifts = _check_constraints(model, at._replace(states=states), free)
    return CrosscheckReport(
        times=instants,
        prescribed=driven.states,
        generalized_forces=driven.forces,
        coordinates=Residual(drift[:, :n_q], scales[:n_q], tuple(names[:n_q])),
        speeds=Residual(drift[:, n_q:], scales[n_q:], tuple(names[n_q:])),
        accelerations=_build_residual(free - udot, terms, tuple(map(str, idyn.accelerations))),
        power=_check_power(model, at, driven, free),
        constraint_errors=_check_constraints(model, at, udot),
        constraint_drift={name: x for name, x in drifts.items() if name != "accelerations"},
        constraint_forces=_check_constraint_forces(idyn, model, at, driven, drive),
        success=not message,
        message=message,
        tolerance=tolerance,
        steps=steps,
    )


def _check_power(model: KaneCheck, at: Instants, driven: Driven, free: np.ndarray) -> Residual:
    """Return the residual of power, for KanesMethod's accelerations ``free`` (N, n)."""
    (_, u, udot), forces, _ = driven
    energy_rate, of_loads = model.powers(*at, udot).T
    if model.constraints.velocity:  # moving constraints also supply power
        forces = model.required_forces(at, free)
    works = forces * u
    terms = np.concatenate([energy_rate, of_loads, np.abs(works).sum(axis=1)])[:, None]
    balance = (works.sum(axis=1) + of_loads - energy_rate)[:, None]
    return _build_residual(balance, terms, ("power",))


def _check_constraints(model: KaneCheck, at: Instants, udot: np.ndarray) -> dict[str, Residual]:
    """Return the constraint residuals of states and accelerations, by level."""
    _, _, position, velocity = model.constraints
    names = {"positions": position, "velocities": velocity, "accelerations": velocity}
    found, span, moves = {}, np.ptp(at.times) or 1.0, 0.0
    states = (*np.split(at.states, [-udot.shape[1]], axis=1), udot)
    levels = zip(names.items(), states, model.constraint_errors(at, udot), strict=True)
    for (level, own), state, (errors, terms, rows) in levels:
        moves = _max_abs(state, np.array(moves / span))  # the scale where all terms are roundoff
        if own:
            reach = max(_max_abs(terms), moves * _max_abs(rows))
            found[level] = Residual(errors, _column_scales(terms, reach), own)
    return found


def _check_constraint_forces(
    idyn: InverseDynamics, model: KaneCheck, at: Instants, driven: Driven, drive: Drive
) -> Residual | None:
    """Return the generalized forces of loop wrenches minus those that the tree requires."""
    if not idyn.loops or idyn.model.tree.assigned.doubtful:
        return None
    wrenches, partials = drive.loop_wrenches(at.times[:, 0]), model.loop_partials(at)
    loops = [idyn.undetermined.get(loop, ()) for loop in idyn.loops]
    is_open = np.isnan(wrenches) & [name in own for own in loops for name in COMPONENTS]
    supplied = partials * np.where(is_open, 0, wrenches)[..., None]
    demand = model.required_forces(at, driven.states.udot)
    left = supplied.sum(axis=1) + driven.forces - demand
    is_effect = abs(partials) > CANCELLED * _max_abs(partials)
    unknown = np.where(is_effect & is_open[..., None], partials, 0).swapaxes(1, 2)
    # undetermined components take the values that fit best
    left -= (unknown @ np.linalg.pinv(unknown) @ left[..., None])[..., 0]
    terms = np.concatenate([demand, driven.forces, np.abs(supplied).sum(axis=1)])
    return _build_residual(left, terms, tuple(f"force of {speed}" for speed in idyn.speeds))


def _build_residual(values: np.ndarray, terms: np.ndarray, names: tuple[str, ...]) -> Residual:
    """Return a Residual whose scales are the sizes of the columns of terms."""
    return Residual(values, _column_scales(terms, _max_abs(terms)), names)


def _max_abs(*arrays: np.ndarray) -> float:
    """Return the largest finite absolute value of some arrays, 1 if all are zero."""
    return max(np.abs(x).max(initial=0.0, where=np.isfinite(x)) for x in arrays) or 1.0


def _column_scales(values: np.ndarray, reach: float | np.ndarray) -> np.ndarray:
    """Return the largest absolute value of each column, 1 if unknown or roundoff of ``reach``."""
    largest = np.abs(values).max(axis=0)
    return np.where(np.isfinite(largest) & (largest > CANCELLED * reach), largest, 1.0)


# -- arguments ------------------------------------------------------------------


def _check_determined(idyn: InverseDynamics) -> None:
    """Raise an error for undetermined forces, which are NaN."""
    forces = {*idyn.speeds, *idyn.solve_for}
    is_chosen = idyn.model.request.least_norm
    if found := [] if is_chosen else [x for x in idyn.undetermined if x in forces]:
        raise ValueError(
            "`idyn` must determine the forces to check, but those of "
            f"{', '.join(map(str, found))} are undetermined. Use InverseDynamics(..., "
            "redundancy={speed: compliance}), or fewer actuated speeds."
        )
