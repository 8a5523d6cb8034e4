"""Muscle forces by static optimisation: the least sum of squared stresses, within bounds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr

from .. import Evaluator, InverseDynamics, Result
from ..checks.arguments import check_instance, check_mapping, enumerate_some
from ..checks.numbers import check_bool, check_positive, real_array
from ..checks.tolerances import ROUNDING
from .muscle_driven import MuscleDriven
from .muscle_equations import MuscleEquations, equations_of_model, equations_of_symbols
from .shortest_within import shortest_within

MODELS = "a model with muscles, an InverseDynamics or an Evaluator"


@dataclass(frozen=True, eq=False)
class MuscleForces:
    """What `static_optimization` returns, for all samples.

    Parameters
    ==========

    muscles : tuple of Expr or str
        The load symbols, or the names of a model's muscles.
    forces, stresses : numpy.ndarray, shape (..., number of muscles)
        The force of each muscle, and the same divided by the muscles' areas.
    moment_arms : numpy.ndarray, shape (..., n, number of muscles)
        The generalized forces that a unit of each muscle's force supplies.
    unsupplied : numpy.ndarray, shape (..., n)
        The generalized forces that the motion asks for beyond the muscles': of the speeds that
        muscles have to supply zero, but where they cannot.
    feasible : numpy.ndarray of bool, shape (...)
        Whether they can.
    reserves : numpy.ndarray, shape (..., n)
        The generalized forces that reserve actuators supply.
    specifieds : dict of symbol to numpy.ndarray
        The forces by their symbols, or what the muscles do to the bodies, for evaluations.
    evaluated : function
        What evaluates the motion with such values, for ``result``.

    See Also
    ========

    static_optimization : Makes it.

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
        """The parts of their strengths that a model's muscles give: the same as ``stresses``."""
        return self.stresses

    @cached_property
    def result(self) -> Result:
        """The evaluation of the motion with the muscles: joint wrenches are what bones feel.

        Its generalized forces are what reserve actuators supply, what nobody does, and what guides
        a path's point that moves in its body.
        """
        return self.evaluated(self.specifieds)

    @cached_property
    def without(self) -> Result:
        """The same without the muscles: joint wrenches are resultants of bones and muscles."""
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

    At each instant it is the solution of::

        minimise    sum (force / area)^2
        subject to  moment_arms * forces = generalized forces of the motion
                    least force <= force <= largest force

    Parameters
    ==========

    idyn : OsimModel, MuscleDriven, InverseDynamics or Evaluator
        A model of `read_osim` with the muscles of its file, a `MuscleDriven` of some of them; or a
        model in whose loads the muscles' forces stand linearly, as known loads (not in
        ``solve_for``), or what evaluates it.  Each is compiled once.
    motion : Trajectory, or (q, u, udot)
        The motion; arrays of shapes (..., n_q), (..., n) and (..., n).
    muscles : dict of symbol to number or (number, number, number), optional
        The force of each muscle, or group of muscles, with its cross-section area, or whatever
        forces are to be divided by; and the least and largest force, by default 0 and infinite.
        Left out for a model that has its own: those have activations, forces divided by the largest
        isometric ones, between the bounds of the file (0.01 and 1).
    constants, specifieds : dict, optional
        The numbers of all other symbols, as for an evaluation.
    speeds : iterable of speeds, optional
        Whose generalized forces the muscles have to supply.  Default: on which one does work.
    reserves : dict of speed or name to number, optional
        Speeds at which an actuator helps, with the force or moment that counts as much as a
        muscle's full activation: small ones are used where muscles cannot do it alone.
    strengths : array_like, shape (..., muscles) or (muscles,), optional
        By what the muscles' areas, and with them the bounds of forces, are multiplied at each
        instant.  Default: 1.
    physiology : bool
        Whether a model's muscles give what lengths and velocities of their fibres leave of the
        isometric forces (see `Muscle.strength`), or all of these.

    Raises
    ======

    TypeError
        If the model is none of these, or muscles or the motion are of the wrong type.
    ValueError
        If a muscle is no known load, does no work or is not linear, an area is not positive, bounds
        are the wrong way round, a speed is unknown, or curves for physiology are.

    See Also
    ========

    read_osim : Muscles from a file.

    Notes
    =====

    Where muscles cannot supply the motion, their forces leave the least sum of squares of
    generalized forces unsupplied, moments and forces weighed as they are, and ``feasible`` is
    False.

    ``.result`` of the `MuscleForces` has the joint wrenches between the bones; for it symbols of
    muscles must be functions of time (``dynamicsymbols``).  For a model with muscles it is
    OpenSim's StaticOptimization, ``physiology`` its ``use_muscle_physiology``
    (:doc:`/recipes/muscles`), ``reserves`` are CoordinateActuators with these optimal forces;
    ``.result`` is its JointReaction.

    Examples
    ========

    An elbow with a flexor of 4 cm moment arm and 4 cm^2, and another one of 2 cm and 6 cm^2:

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
    helped = {
        equations.place_of("reserves", speed): check_positive("reserves", optimal)
        for speed, optimal in check_mapping("reserves", reserves).items()
    }
    wanted, arms, areas = equations.wanted, equations.arms, _areas(equations, strengths)
    rows, count = sorted({*equations.rows(speeds), *helped}), len(equations.muscles)
    units = np.zeros((len(equations.speeds), len(helped)))
    units[[*helped], range(len(helped))] = [*helped.values()]
    aids = np.broadcast_to(units, (*wanted.shape[:-1], *units.shape))
    columns = np.concatenate([arms * areas[..., None, :], aids], axis=-1)
    bounds = np.outer([-np.inf, np.inf], np.ones(columns.shape[-1]))
    bounds[:, :count] = equations.bounds / equations.areas
    solved = _shortest(columns[..., rows, :], wanted[..., rows], bounds)
    stresses = solved[..., :count]
    forces, supplied = stresses * areas, solved[..., count:] @ units.T
    left = wanted - (arms @ forces[..., None])[..., 0] - supplied
    scale = abs(wanted[..., rows]).max(axis=-1, initial=0) + ROUNDING
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
    """Return the equations of load symbols, or of the muscles of a model from a file."""
    if muscles is None and hasattr(model, "muscle_driven"):
        model = model.muscle_driven
    if isinstance(model, MuscleDriven):
        if muscles is not None:
            raise ValueError(
                "`muscles` must be left out for a model that has muscles of its own. Use "
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
    """Return the muscles' areas, perhaps in other proportions at each instant, (..., m)."""
    left = equations.areas if equations.strengths is None else equations.areas * equations.strengths
    if strengths is None:
        return left
    given = real_array("strengths", strengths).astype(float)
    wanted = (*equations.wanted.shape[:-1], len(equations.muscles))
    if given.shape not in (wanted, wanted[-1:]) or not (given > 0).all():
        raise ValueError(
            f"`strengths` must be positive and have shape {wanted} or {wanted[-1:]}, got shape "
            f"{given.shape}."
        )
    return left * given


def _shortest(matrices: np.ndarray, rights: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return solutions (..., m); NaN where there is no number in the problem."""
    finite = np.isfinite(matrices).all(axis=(-1, -2)) & np.isfinite(rights).all(axis=-1)
    found = np.full((*finite.shape, matrices.shape[-1]), np.nan)
    limits = np.broadcast_to(bounds[:, None], (2, int(finite.sum()), matrices.shape[-1]))
    found[finite] = shortest_within(matrices[finite], rights[finite], limits)
    return found
