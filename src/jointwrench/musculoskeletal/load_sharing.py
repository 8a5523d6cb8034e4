"""Muscle forces by static optimization: the least sum of squared stresses, within bounds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr

from .. import Evaluator, InverseDynamics, Result
from ..checks.arguments import check_instance, check_mapping, enumerate_some
from ..checks.numbers import check_bool, check_positive, finite_array
from ..checks.pickles import Pickled
from ..checks.tolerances import ROUNDING
from .bounded_least_norm import solve_least_norm
from .muscle_driven import MuscleDriven
from .muscle_equations import MuscleEquations, equations_of_model, equations_of_symbols

MODELS = "a model with muscles, an InverseDynamics or an Evaluator"


@dataclass(frozen=True, eq=False)
class MuscleForces(Pickled):
    """The result of `static_optimization`, for all samples.

    Parameters
    ==========

    muscles : tuple of Expr or str
        The load symbols, or the names of a model's muscles.
    forces, stresses : numpy.ndarray, shape (..., number of muscles)
        The force of each muscle, and the force divided by the muscle's area.
    moment_arms : numpy.ndarray, shape (..., n, number of muscles)
        The generalized forces per unit of each muscle's force.
    unsupplied : numpy.ndarray, shape (..., n)
        The generalized forces of the motion minus those of muscles and reserves; zero at feasible
        samples, for the speeds that muscles have to supply.
    feasible : numpy.ndarray of bool, shape (...)
        Whether muscles and reserves can supply the generalized forces within their bounds.
    reserves : numpy.ndarray, shape (..., n)
        The generalized forces that reserve actuators supply.
    specifieds : dict of symbol to numpy.ndarray
        The forces by symbol, or the muscles' loads on the bodies, for evaluations.
    evaluated : function
        The function from ``specifieds`` to the evaluation of the motion, for ``result``.

    See Also
    ========

    static_optimization : Computes muscle forces.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
    >>> driven = jw.musculoskeletal.MuscleDriven(model, ["soleus_r", "tib_ant_r"])
    >>> still = (*np.zeros((3, 10)),)
    >>> jw.musculoskeletal.static_optimization(driven, still, speeds=["ankle_angle_r"])
    MuscleForces(soleus_r, tib_ant_r: 1 of 1 samples feasible)
    """

    muscles: tuple[Any, ...]
    forces: np.ndarray
    stresses: np.ndarray
    moment_arms: np.ndarray
    unsupplied: np.ndarray
    feasible: np.ndarray
    reserves: np.ndarray
    specifieds: dict[Expr, np.ndarray]
    evaluated: Callable[[dict[Expr, np.ndarray]], Result]

    def __repr__(self) -> str:
        count = int(self.feasible.sum())
        return (
            f"MuscleForces({enumerate_some(self.muscles, 3)}: {count} of {self.feasible.size} "
            "samples feasible)"
        )

    @property
    def activations(self) -> np.ndarray:
        """The activations of a model's muscles, equal to ``stresses``."""
        return self.stresses

    @cached_property
    def result(self) -> Result:
        """The evaluation of the motion with the muscles: joint wrenches act between the bones.

        Its generalized forces are the sum of those of reserve actuators, the unsupplied ones, and
        those that guide moving path points.
        """
        return self.evaluated(self.specifieds)

    @cached_property
    def without(self) -> Result:
        """The evaluation without the muscles: joint wrenches are resultants with muscle forces."""
        return self.evaluated({symbol: 0 * x for symbol, x in self.specifieds.items()})


def static_optimization(
    idyn: Any,
    motion: Any,
    muscles: Mapping[Any, Any] | None = None,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    speeds: Iterable[Any] | None = None,
    reserves: Mapping[Any, float] | None = None,
    strengths: Any = None,
    physiology: bool = False,
) -> MuscleForces:
    """Return the muscle forces that supply a motion with the least sum of squared stresses.

    At each instant the forces solve::

        minimise    sum (force / area)^2
        subject to  moment_arms * forces = generalized forces of the motion
                    least force <= force <= largest force

    Parameters
    ==========

    idyn : OsimModel, MuscleDriven, InverseDynamics or Evaluator
        A model of `read_osim` with all muscles of its file, or a `MuscleDriven` with some of them.
        Or a model whose known loads (not in ``solve_for``) are linear in symbols of muscle forces,
        or its evaluator.  Each model is compiled once.
    motion : Trajectory, or (q, u, udot)
        The motion; arrays of shapes (..., n_q), (..., n) and (..., n).
    muscles : dict of symbol to number or (number, number, number), optional
        The symbol of each muscle, or group of muscles, with its cross-section area or another
        divisor, and optionally the least and largest force (default: 0 and infinite).  Omit it for
        a model with muscles: their stresses are activations, which are forces divided by maximal
        isometric forces, within the bounds of the file (0.01 and 1).
    constants, specifieds : dict, optional
        The values of all other symbols, as for an evaluation.
    speeds : iterable of speeds, optional
        Speeds whose generalized forces the muscles have to supply.  Default: the speeds at which a
        muscle does work.
    reserves : dict of speed or name to number, optional
        Speeds with an additional actuator, and the force or moment that costs as much as a muscle's
        full activation: actuators with small values act only where muscles are not sufficient.
    strengths : array_like, shape (..., muscles) or (muscles,), optional
        Factors of the muscles' areas and of the bounds of forces at each instant.  Default: 1.
    physiology : bool
        Whether fibre lengths and velocities limit the forces of a model's muscles (see
        `Muscle.strength`).

    Raises
    ======

    TypeError
        If the model, muscles or the motion have the wrong type.
    ValueError
        If a muscle is not a known load, does no work or is not linear, an area is not positive,
        bounds are reversed, or a speed or a curve for physiology is unknown.

    See Also
    ========

    read_osim : Reads muscles from a file.

    Notes
    =====

    Where muscles cannot supply the motion, their forces minimise the sum of squares of the
    unsupplied generalized forces, without weights, and ``feasible`` is False.

    ``.result`` of the `MuscleForces` has the joint wrenches between the bones; it needs symbols of
    muscles that are functions of time (``dynamicsymbols``).  For a model with muscles this function
    corresponds to OpenSim's StaticOptimization, ``physiology`` to its ``use_muscle_physiology``,
    ``reserves`` to CoordinateActuators with these optimal forces, and ``.result`` to JointReaction.
    See the page *Muscle forces and joint contact forces*.

    Examples
    ========

    An elbow with a flexor of 4 cm moment arm and 4 cm^2, and another flexor of 2 cm and 6 cm^2:

    >>> from sympy.physics.mechanics import (PinJoint, RigidBody, System, TorqueActuator,
    ...     dynamicsymbols, inertia)
    >>> import jointwrench as jw
    >>> ground, arm = RigidBody("ground"), RigidBody("arm", mass=1.5)
    >>> arm.central_inertia = inertia(arm.frame, 0, 0, 0.02)
    >>> elbow = PinJoint("elbow", ground, arm, child_point=-0.2 * arm.x, joint_axis=ground.z)
    >>> system = System.from_newtonian(ground)
    >>> system.add_joints(elbow)
    >>> system.apply_uniform_gravity(-9.81 * ground.y)
    >>> biceps, brachialis = dynamicsymbols("biceps brachialis")
    >>> moment = 0.04 * biceps + 0.02 * brachialis
    >>> system.add_actuators(TorqueActuator(moment, ground.z, arm.frame, ground.frame))
    >>> idyn, areas = jw.InverseDynamics(system), {biceps: 4e-4, brachialis: 6e-4}
    >>> found = jw.musculoskeletal.static_optimization(idyn, ([0.0], [0.0], [0.0]), areas)
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
    check_mapping("reserves", reserves)
    check_bool("physiology", physiology)
    equations = _equations(idyn, motion, muscles, constants, specifieds, physiology)
    optima = {
        equations.index_of("reserves", speed): check_positive("reserves", optimal)
        for speed, optimal in check_mapping("reserves", reserves).items()
    }
    required, arms, areas = equations.required, equations.arms, _areas(equations, strengths)
    rows, count = sorted({*equations.rows(speeds), *optima}), len(equations.muscles)
    units = np.zeros((len(equations.speeds), len(optima)))
    units[[*optima], range(len(optima))] = [*optima.values()]
    # unknowns are stresses of muscles and activations of reserves, with the same cost
    actuators = np.broadcast_to(units, (*required.shape[:-1], *units.shape))
    columns = np.concatenate([arms * areas[..., None, :], actuators], axis=-1)
    bounds = np.outer([-np.inf, np.inf], np.ones(columns.shape[-1]))
    bounds[:, :count] = equations.bounds / equations.areas
    solved = _solve_samples(columns[..., rows, :], required[..., rows], bounds)
    stresses = solved[..., :count]
    forces, supplied = stresses * areas, solved[..., count:] @ units.T
    left = required - (arms @ forces[..., None])[..., 0] - supplied
    scale = abs(required[..., rows]).max(axis=-1, initial=0) + ROUNDING
    missing = abs(left[..., rows]).max(axis=-1, initial=0)
    return MuscleForces(
        muscles=equations.muscles,
        forces=forces,
        stresses=stresses,
        moment_arms=arms,
        unsupplied=left,
        feasible=missing <= ROUNDING * scale,
        reserves=supplied,
        specifieds=equations.loads(forces),
        evaluated=equations.evaluated,
    )


def _equations(
    model: Any, motion: Any, muscles: Any, constants: Any, specifieds: Any, physiology: bool
) -> MuscleEquations:
    """Return the equations of a model's muscles, or of the load symbols in ``muscles``."""
    if muscles is None and hasattr(model, "muscle_driven"):
        model = model.muscle_driven
    if isinstance(model, MuscleDriven):
        if muscles is not None:
            raise ValueError(
                "`muscles` must be left out for a model with its own muscles. Use "
                "MuscleDriven(model, names) for some of them."
            )
        return equations_of_model(model, motion, constants, specifieds, physiology)
    check_instance("idyn", model, (InverseDynamics, Evaluator), MODELS)
    if physiology:
        raise ValueError(
            "`physiology` must be False for load symbols, got True. Use strengths= for numbers of "
            "your own."
        )
    return equations_of_symbols(model, motion, muscles, constants, specifieds)


def _areas(equations: MuscleEquations, strengths: Any) -> np.ndarray:
    """Return the muscles' effective areas (..., m): areas times available and user's strengths."""
    available = 1.0 if equations.strengths is None else equations.strengths
    if strengths is None:
        return equations.areas * available
    shape = (*equations.required.shape[:-1], len(equations.muscles))
    factors = finite_array("strengths", strengths, shape, shape[-1:])
    if not (factors > 0).all():
        raise ValueError(f"`strengths` must be positive, got {factors.min():g}.")
    return equations.areas * available * factors


def _solve_samples(matrices: np.ndarray, rights: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the bounded least-norm solutions (..., m); NaN for problems that contain NaN."""
    finite = np.isfinite(matrices).all(axis=(-1, -2)) & np.isfinite(rights).all(axis=-1)
    found = np.full((*finite.shape, matrices.shape[-1]), np.nan)
    limits = np.broadcast_to(bounds[:, None], (2, int(finite.sum()), matrices.shape[-1]))
    found[finite] = solve_least_norm(matrices[finite], rights[finite], limits)
    return found
