"""Conversion of the arguments of pictures: a model in any form, and a motion in any form."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr
from sympy.physics.mechanics import KanesMethod, LagrangesMethod

from .. import InverseDynamics, TopologyError
from ..checks.arguments import check_sequence
from ..checks.numbers import finite_array
from ..extend import LoopConnection, MotionReader, check_idyn, system_of

#: What a motion is.
MOTION = "a Trajectory, a Simulation, or q, u and udot"


def inverse_dynamics_of(
    argument: str, model: Any, loops: Iterable[LoopConnection] = ()
) -> InverseDynamics:
    """Return the InverseDynamics of a System, a method of sympy, or an object with a System."""
    if isinstance(model, KanesMethod | LagrangesMethod):
        return InverseDynamics.from_kane(model)
    if isinstance(model, InverseDynamics):
        return check_idyn(model)
    system, own = system_of(model, argument), getattr(model, "loops", ())
    try:
        return InverseDynamics(system, loops=[*own, *loops])
    except TopologyError as error:
        raise TopologyError(argument, error.problems) from None


class SampledMotion(NamedTuple):
    """The coordinates of a motion, (N, n), and its instants, or numbers of samples."""

    times: np.ndarray
    q: np.ndarray
    has_times: bool = True


def states_of(motion: Any) -> Any:
    """Return the argument ``motion``, an object with times or arrays of q, u and udot."""
    if hasattr(motion, "times"):
        return motion
    fix = "Use Trajectory(times, *prescribed.at(times)) for a PrescribedMotion."
    if isinstance(motion, np.ndarray):
        fix = "Use Trajectory.from_samples(times, q) for coordinates in an array."
    given = check_sequence("motion", motion, MOTION)
    if isinstance(motion, np.ndarray) or len(given) != 3:
        raise ValueError(f"`motion` must be {MOTION}, got {len(given)} arrays. {fix}")
    states = tuple(finite_array("motion", x) for x in given)
    if len({x.shape[:-1] for x in states}) > 1 or states[0].ndim not in (1, 2):
        shapes = ", ".join(str(x.shape) for x in states)
        raise ValueError(f"`motion` must be {MOTION} of shape (n,) or (N, n), got {shapes}.")
    return states


def is_state(motion: Any) -> bool:
    """Whether a motion consists of one state."""
    return isinstance(motion, tuple) and motion[0].ndim == 1


def motion_of(motion: Any, coordinates: Sequence[Expr], times: Any = None) -> SampledMotion:
    """Return the coordinates of a model's motion, and its times."""
    given = states_of(motion)
    if hasattr(given, "times"):
        MotionReader({"q": coordinates}).check_names(given)
        found = SampledMotion(np.asarray(given.times), np.asarray(given.q))
    else:
        q = np.atleast_2d(given[0])
        has_times = np.shape(times) in ((), (len(q),)) and times is not None
        instants = np.reshape(times, -1) if has_times else np.arange(len(q))
        found = SampledMotion(instants, q, has_times)
    if (count := found.q.shape[1]) != len(coordinates):
        raise ValueError(f"`motion` must have {len(coordinates)} coordinates, got {count}.")
    return found
