"""Least squares over bodies that can exist: positive masses, moments of inertia to match.

The parameters of each body are made of ten real numbers (`pseudo_inertia`), so that no
search ever leaves what is physical.  Friction and rotor inertia are not negative.
"""

from collections.abc import Iterator

import numpy as np
import scipy.linalg
import scipy.optimize

from .pseudo_inertia import changed, factor_of, slopes

#: Steps of the search; what the equations show is found within some tens of them.
MOST = 200


def consistent(
    matrix: np.ndarray, right: np.ndarray, start: np.ndarray, bodies: int, attachment: float
) -> np.ndarray:
    """Return physical parameters that solve ``matrix @ parameters = right`` by least squares.

    Parameters
    ==========

    matrix, right : numpy.ndarray, shapes (M, parameters), (M,)
        Equations whose errors have the variance one.
    start : numpy.ndarray, shape (parameters,)
        Physical parameters to start from.
    bodies : int
        The number of bodies, ten parameters each; behind them stand those of actuators.
    attachment : float
        The weight of squared changes of the ten numbers of each body: it holds where it
        started what the equations do not show.
    """
    count = 10 * bodies
    factors = [factor_of(row) for row in start[:count].reshape(-1, 10)]
    first = np.concatenate([np.zeros(count), np.maximum(start[count:], 0)])
    root = np.sqrt(attachment) * np.eye(count, len(first))

    def each(x: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        return zip(factors, x[:count].reshape(-1, 10), strict=True)

    def parameters(x: np.ndarray) -> np.ndarray:
        return np.concatenate([*(changed(*own) for own in each(x)), x[count:]])

    def residuals(x: np.ndarray) -> np.ndarray:
        return np.concatenate([matrix @ parameters(x) - right, root @ x])

    def jacobian(x: np.ndarray) -> np.ndarray:
        blocks = [slopes(*own) for own in each(x)]
        return np.vstack([matrix @ scipy.linalg.block_diag(*blocks, np.eye(len(x) - count)), root])

    lower = np.where(np.arange(len(first)) < count, -np.inf, 0)
    options = {"ftol": 1e-10, "xtol": 1e-10, "gtol": None, "max_nfev": MOST}
    found = scipy.optimize.least_squares(
        residuals, first, jacobian, bounds=(lower, np.inf), **options
    )
    return parameters(found.x)
