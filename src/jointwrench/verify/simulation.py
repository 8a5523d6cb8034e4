"""Open-loop forward simulation under forces that are given functions of time."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import DOP853

from ..arrays import sizes
from ..trajectory import States
from .forward import CompiledModel

#: Returns the prescribed states, the forces Q and the given values at times of shape (N,).
Inputs = Callable[[np.ndarray], tuple[States, np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Simulation:
    """The states that a simulation reached.

    Attributes
    ==========

    q, u : numpy.ndarray, shapes (N, n_q) and (N, n)
        The coordinates and speeds at the times; NaN where it did not get to.
    success : bool
        Whether it reached the last time.
    message : str
        Why it did not.
    steps : int
        How many steps it took.
    """

    q: np.ndarray
    u: np.ndarray
    success: bool
    message: str
    steps: int


class _StoppedError(ArithmeticError):
    """The simulation cannot go on."""


def simulate(
    model: CompiledModel,
    inputs: Inputs,
    prescribed: States,
    times: np.ndarray,
    tolerance: float,
    max_steps: int,
) -> Simulation:
    """Simulate from the first of the prescribed states to the last time.

    Parameters
    ==========

    model : CompiledModel
        The equations of motion.
    inputs : function
        The forces and given values at any time.
    prescribed : States
        Where the simulation starts, and how large each state gets.
    times : numpy.ndarray, shape (N,)
        Increasing.
    tolerance : float
        Relative, and absolute in parts of the size of each state.
    max_steps : int
        When to give up.
    """
    width = prescribed.q.shape[1]
    expected = np.hstack([prescribed.q, prescribed.u])
    reached = np.full_like(expected, np.nan)
    reached[0] = expected[0]
    run = _Run(_Equations(model, inputs, width), times, reached)
    message = ""
    try:
        with np.errstate(all="ignore"):
            run.to_end(tolerance, tolerance * sizes(expected), max_steps)
    except _StoppedError as error:
        message = str(error)
    return Simulation(reached[:, :width], reached[:, width:], not message, message, run.steps)


class _Equations:
    """The derivatives of states ``[q, u]`` of shape (K, n_q + n) at times of shape (K,)."""

    def __init__(self, model: CompiledModel, inputs: Inputs, width: int) -> None:
        self._model, self._inputs, self._width = model, inputs, width

    def __call__(self, times: np.ndarray, states: np.ndarray) -> np.ndarray:
        _, forces, given = self._inputs(times)
        at = times[:, None], states[:, : self._width], states[:, self._width :], given
        udot = self._model.accelerations(*at, forces=forces).sum(axis=0)
        derivatives = np.hstack([self._model.rates(*at), udot])
        if not np.isfinite(derivatives).all():
            raise _StoppedError(
                "The equations of motion are singular or not finite at the time "
                f"{times[~np.isfinite(derivatives).all(axis=1)][0]:g}."
            )
        return derivatives


class _Run:
    """One simulation, which fills in the states that it reaches."""

    def __init__(self, equations: _Equations, times: np.ndarray, reached: np.ndarray) -> None:
        self._equations, self._times, self._reached = equations, times, reached
        self.steps = 0

    def to_end(self, rtol: float, atol: np.ndarray, max_steps: int) -> None:
        """Step to the last time."""
        first, last = self._times[[0, -1]]
        solver = DOP853(self._derivative, first, self._reached[0], last, rtol=rtol, atol=atol)
        while solver.status == "running":
            if self.steps == max_steps:
                raise _StoppedError(
                    f"It got to the time {solver.t:g} in the {max_steps} steps of `max_steps`."
                )
            start = solver.y
            problem = solver.step()
            if solver.status == "failed":
                raise _StoppedError(f"{problem} It got to the time {solver.t:g}.")
            self.steps += 1
            inside = (self._times > solver.t_old) & (self._times <= solver.t)
            if inside.any():
                self._reached[inside] = self._within(solver.t_old, start, self._times[inside])

    def _derivative(self, time: float, state: np.ndarray) -> np.ndarray:
        return self._equations(np.array([time]), state[None])[0]

    def _within(self, time: float, start: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return the states at times within a step, by shorter steps from its start.

        They are as accurate as the step, unlike the solver's interpolation.
        """
        spans = times - time
        slopes = np.zeros((DOP853.n_stages, len(times), len(start)))
        for stage, (weights, fraction) in enumerate(zip(DOP853.A, DOP853.C, strict=True)):
            states = start + spans[:, None] * np.tensordot(weights, slopes, 1)
            slopes[stage] = self._equations(time + fraction * spans, states)
        return start + spans[:, None] * np.tensordot(DOP853.B, slopes, 1)
