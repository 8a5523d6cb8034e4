"""Least squares over bodies that can exist: positive masses, moments of inertia to match.

The parameters of each body are made of ten real numbers (`pseudo_inertia`), so that no
search ever leaves what is physical.  Friction and rotor inertia are not negative.
"""

import numpy as np
import scipy.optimize

from ...checks.tolerances import FOUND
from .pseudo_inertia import changed, factor_of, slopes

#: Steps of the search; what the equations show is found within some tens of them.
MOST = 200


def consistent(
    matrix: np.ndarray, right: np.ndarray, start: np.ndarray, is_real: np.ndarray, attachment: float
) -> np.ndarray:
    """Return physical parameters that solve ``matrix @ parameters = right`` by least squares.

    Errors of the equations have the variance one; ``start`` is physical.  ``is_real`` bodies have
    ten parameters each; those of others, as of rotors, and behind them those of actuators only stay
    where they are not negative.  ``attachment`` weighs squared changes of a body's ten numbers: it
    holds where it started what the equations do not show.
    """
    bodies = [slice(10 * k, 10 * k + 10) for k in np.flatnonzero(is_real)]
    factors = [factor_of(start[own]) for own in bodies]
    is_body = np.zeros(len(start), dtype=bool)
    for own in bodies:
        is_body[own] = True
    first = np.where(is_body, 0, np.maximum(start, 0))
    root = np.sqrt(attachment) * np.eye(len(start))[is_body]

    def parameters(x: np.ndarray) -> np.ndarray:
        values = x.copy()
        for own, factor in zip(bodies, factors, strict=True):
            values[own] = changed(factor, x[own])
        return values

    def residuals(x: np.ndarray) -> np.ndarray:
        return np.concatenate([matrix @ parameters(x) - right, root @ x])

    def jacobian(x: np.ndarray) -> np.ndarray:
        change = np.eye(len(x))
        for own, factor in zip(bodies, factors, strict=True):
            change[own, own] = slopes(factor, x[own])
        return np.vstack([matrix @ change, root])

    lower = np.where(is_body, -np.inf, 0)
    options = {"ftol": FOUND, "xtol": FOUND, "gtol": None, "max_nfev": MOST}
    found = scipy.optimize.least_squares(
        residuals, first, jacobian, bounds=(lower, np.inf), **options
    )
    return parameters(found.x)
