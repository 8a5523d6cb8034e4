"""Open-loop forward simulation, by scipy's integrator."""

from collections.abc import Callable

import numpy as np
from scipy.integrate import DOP853, solve_ivp

#: Returns the derivatives of states of shape (N, k) at times of shape (N,).
StateDerivatives = Callable[[np.ndarray, np.ndarray], np.ndarray]


class _StoppedError(ArithmeticError):
    """An error at which the simulation cannot continue."""


def integrate(
    derivatives: StateDerivatives,
    start: np.ndarray,
    times: np.ndarray,
    rtol: float,
    atol: np.ndarray,
    max_steps: int,
) -> tuple[np.ndarray, int, str]:
    """Return states (N, k) at N times, the number of steps, and a message of failure, else "".

    States at times that the simulation does not reach are NaN.
    """

    def derivative(time: float, state: np.ndarray) -> np.ndarray:
        rates = derivatives(np.array([time]), state[None])[0]
        if not np.isfinite(rates).all():
            raise _StoppedError(
                f"The equations of motion are singular or not finite at the time {time:g}."
            )
        return rates

    instants, nodes, message = [times[0]], [start], ""
    with np.errstate(all="ignore"):
        try:
            solver = DOP853(derivative, times[0], start, times[-1], rtol=rtol, atol=atol)
            while solver.status == "running":
                if len(nodes) > max_steps:
                    raise _StoppedError(
                        f"It reached the time {solver.t:g} in the {max_steps} steps of `max_steps`."
                    )
                problem = solver.step()
                if solver.status == "failed":
                    raise _StoppedError(f"{problem} It reached the time {solver.t:g}.")
                instants.append(solver.t)
                nodes.append(solver.y)
        except _StoppedError as error:
            message = str(error)
        states = np.full((len(times), len(start)), np.nan)
        states[0] = start
        reached = (times > times[0]) & (times <= instants[-1])
        if reached.any():
            before = np.searchsorted(instants, times[reached], side="right") - 1
            places = np.array(instants)[before], np.array(nodes)[before]
            states[reached] = _resume(derivatives, *places, times[reached], rtol, atol)
    return states, len(nodes) - 1, message


def _resume(
    derivatives: StateDerivatives,
    starts: np.ndarray,
    states: np.ndarray,
    times: np.ndarray,
    rtol: float,
    atol: np.ndarray,
) -> np.ndarray:
    """Return the states at some times, integrated together from the solver's last steps before."""
    # This is as accurate as the steps, unlike the solver's interpolation.
    spans = times - starts

    def derivative(part: float, flat: np.ndarray) -> np.ndarray:
        rates = derivatives(starts + part * spans, flat.reshape(states.shape))
        return (spans[:, None] * rates).ravel()

    options = {"rtol": rtol, "atol": np.tile(atol, len(times))}
    solution = solve_ivp(derivative, (0, 1), states.ravel(), "DOP853", **options)
    return solution.y[:, -1].reshape(states.shape) if solution.success else np.nan * states
