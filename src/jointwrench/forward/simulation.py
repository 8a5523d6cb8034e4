"""`Simulation` and `SimulationBatch`: simulated motions; states of other integrators."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr

from ..checks.arguments import symbol_name
from ..checks.display import plural
from ..checks.numbers import real_array
from ..mechanics.evaluation.motion_arguments import MotionReader
from ..motion.states import States
from ..motion.trajectory import Trajectory
from ..records.samples import check_times
from .right_hand_side import RightHandSide

if TYPE_CHECKING:
    from .sensitivities import Sensitivities


class SimulatedMotions:
    """The base of simulated motions: energies, drifts and sensitivities."""

    rhs: RightHandSide
    times: np.ndarray
    q: np.ndarray
    u: np.ndarray
    _sensitivities: "Sensitivities | None"

    @property
    def _states(self) -> np.ndarray:
        return np.concatenate([self.q, self.u], axis=-1)

    def _outputs(self, name: str) -> np.ndarray:
        return self.rhs.outputs((name,), self.times, self._states).outputs[name]

    def derivative(self, output: str, wrt: Any) -> np.ndarray:
        """Return the sensitivity of a state or an output at each sample.

        It is the total derivative, shape (..., N, shape of the output, size of wrt), along the
        changed motion.  ``output`` is ``"q"``, ``"u"``, or one of `ForwardDynamics`, such as
        ``"udot"``, ``"joint_wrenches"`` or ``"energy"``; ``wrt`` is ``"q"`` or ``"u"`` (the initial
        values of independent ones), ``"constants"``, ``"specifieds"`` (a constant added to them),
        or symbols of these; groups have the entries that were requested of the simulation.

        Raises
        ======

        TypeError, ValueError
            If the output is unknown, or ``wrt`` was not requested: use ``simulate(...,
            sensitivities=[...])``.

        Examples
        ========

        The derivative of a stone's fall in one unit of time with respect to gravity:

        >>> from sympy import Symbol
        >>> from sympy.physics.mechanics import Particle, PrismaticJoint, RigidBody, System
        >>> import jointwrench as jw
        >>> g, ground, stone = Symbol("g"), RigidBody("ground"), Particle("stone", mass=1)
        >>> system = System.from_newtonian(ground)
        >>> system.add_joints(PrismaticJoint("down", ground, stone))
        >>> system.apply_uniform_gravity(g * ground.x)
        >>> fdyn = jw.ForwardDynamics(system)
        >>> motion = fdyn.simulate([0, 1], [0], [0], {g: 9.81}, sensitivities=[g])
        >>> motion.derivative("q", g)[-1].round(9)
        array([[0.5]])
        """
        if self._sensitivities is None:
            raise ValueError(
                "`sensitivities` must have been requested of the simulation. Use simulate(..., "
                f"sensitivities=[{wrt!r}])."
            )
        return self._sensitivities.of(output, wrt, self.times, self._states)

    @cached_property
    def energy(self) -> np.ndarray:
        """Kinetic and potential energy, shape (..., N, 2).

        The potential energy is that of uniform gravity and linear springs.
        """
        return self._outputs("energy")

    @property
    def energy_drift(self) -> np.ndarray:
        """The change of the total energy since the start, shape (..., N).

        It is the work of loads without potential energy, plus integration errors.
        """
        whole = self.energy.sum(axis=-1)
        return whole - whole[..., :1]

    @cached_property
    def constraint_drift(self) -> np.ndarray:
        """The output ``"constraint_errors"`` along the motion, shape (..., N, 3, m)."""
        return self._outputs("constraint_errors")


class Simulation(SimulatedMotions, Trajectory):
    """The motion from one initial state: a `Trajectory` with energies and events.

    Made by `ForwardDynamics.simulate`.  Between the samples it uses the integrator's interpolation,
    not splines.

    Attributes
    ==========

    times, q, u, udot, names
        As for `Trajectory`.
    event_times, event_states : tuple of numpy.ndarray
        For each event the times at which it occurred, shape (E,), and the states [q, u] then, shape
        (E, n_q + n).
    """

    def __init__(
        self,
        rhs: RightHandSide,
        times: np.ndarray,
        states: np.ndarray,
        dense: Any = None,
        events: Sequence[tuple[np.ndarray, np.ndarray]] = (),
        sensitivities: "Sensitivities | None" = None,
    ) -> None:
        self.rhs, self._sensitivities = rhs, sensitivities
        names = tuple(map(symbol_name, rhs.model.coordinates))
        path = dense and (lambda instants: _states(rhs, instants, dense(instants).T))
        super().__init__(times, *_states(rhs, times, states), names, path)
        self.event_times = tuple(np.asarray(when, float) for when, _ in events)
        self.event_states = tuple(np.reshape(which, (-1, rhs.size)) for _, which in events)


class SimulationBatch(SimulatedMotions):
    """The motions from several initial states, at the same instants.

    Made by `ForwardDynamics.simulate`.  It can be given to evaluators; its members are
    `Simulation`s: ``batch[7]``, and so on.

    Attributes
    ==========

    times : numpy.ndarray, shape (N,)
        The instants.
    q, u, udot : numpy.ndarray, shape (k, N, n_q), (k, N, n), (k, N, n)
        Coordinates, speeds and the time derivatives of the speeds.
    """

    def __init__(
        self,
        rhs: RightHandSide,
        times: np.ndarray,
        states: np.ndarray,
        sensitivities: "Sensitivities | None" = None,
    ) -> None:
        self.rhs, self.times, self._sensitivities = rhs, times, sensitivities
        self.q, self.u, self.udot = _states(rhs, times, states)

    def __repr__(self) -> str:
        span = f"{plural(len(self.times), 'samples')} from {self.times[0]:g} to {self.times[-1]:g}"
        return f"SimulationBatch({len(self)} motions: {span})"

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, member: int) -> Simulation:
        whole = self._sensitivities
        slopes = whole and replace(whole, slopes=whole.slopes[member])
        return Simulation(self.rhs, self.times, self._states[member], sensitivities=slopes)

    def __iter__(self) -> Iterator[Simulation]:
        return (self[k] for k in range(len(self)))


def _states(rhs: RightHandSide, times: np.ndarray, states: np.ndarray) -> States:
    split = len(rhs.model.coordinates)
    udot = rhs.outputs(("qdot", "udot"), times, states).udot
    return States(states[..., :split], states[..., split:], udot)


def read_states(
    times: Any, states: Any, names: tuple[Expr, ...], split: int, more: tuple[Expr, ...] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Return times (N,) and states (..., N, n_x) of PyDy, odeint, solve_ivp, or a motion.

    Rows may have values of ``more`` symbols after those of ``names``, as PyDy's states have.
    """
    if hasattr(states, "t") and hasattr(states, "y"):
        own, values = states.t, np.asarray(states.y).T
    elif hasattr(states, "q") and hasattr(states, "u"):
        parts, own = MotionReader({"q": names[:split], "u": names[split:]}).read(states, "states")
        values = np.concatenate(parts, axis=-1)
    else:
        own, values = None, real_array("states", states).astype(float)
    if times is None and own is None:
        raise ValueError("`times` must be given for an array of states, got None.")
    instants = check_times("times", own if times is None else times, least=1)
    width, count = len(names), len(instants)
    if values.ndim < 2 or values.shape[-2:] not in ((count, width), (count, width + len(more))):
        fix = " Use states.T." if values.shape == (width, count) else ""
        raise ValueError(
            f"`states` must have shape ({count}, {width}): a row of {split} coordinates and "
            f"{width - split} speeds per time, got shape {values.shape}.{fix}"
        )
    if (wrong := np.argwhere(~np.isfinite(values))).size:
        *_, row, column = wrong[0]
        name, value = (*names, *more)[column], values[tuple(wrong[0])]
        raise ValueError(
            f"`states` must be finite, but {name} is {value} at the time {instants[row]:g}."
        )
    return instants, values
