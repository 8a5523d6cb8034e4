"""States over time, as integrators return them."""

from typing import Any

import numpy as np
from sympy import Expr

from ..checks.numbers import real_array
from ..records.samples import check_times


def read_states(
    times: Any, states: Any, names: tuple[Expr, ...], split: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return times, shape (N,), and states, shape (N, n_x), of what an integrator returned.

    That is what PyDy's ``System.integrate()`` or ``odeint`` or ``solve_ivp`` returned, or a motion
    with ``times``, ``q`` and ``u``; ``split`` of the names are coordinates.
    """
    if hasattr(states, "t") and hasattr(states, "y"):
        own, values = states.t, np.asarray(states.y).T
    elif hasattr(states, "q") and hasattr(states, "u"):
        own = getattr(states, "times", None)
        values = np.concatenate([states.q, states.u], axis=-1)
    else:
        own, values = None, real_array("states", states).astype(float)
    if times is None and own is None:
        raise ValueError("`times` must be given for an array of states, got None.")
    instants = check_times("times", own if times is None else times, least=1)
    width, count = len(names), len(instants)
    if values.ndim < 2 or values.shape[-2:] != (count, width):
        fix = " Use states.T." if values.shape == (width, count) else ""
        raise ValueError(
            f"`states` must have shape ({count}, {width}): a row of {split} coordinates and "
            f"{width - split} speeds per time, got shape {values.shape}.{fix}"
        )
    if (wrong := np.argwhere(~np.isfinite(values))).size:
        *_, row, column = wrong[0]
        raise ValueError(
            f"`states` must be finite, but {names[column]} is {values[tuple(wrong[0])]} at the "
            f"time {instants[row]:g}."
        )
    return instants, values
