"""The pseudo-inertia of a body, positive definite for every body that can exist.

With positions r = (x, y, z, 1) of its parts it is the integral of ``r r^T dm``: what the
ten parameters say, as a 4 x 4 matrix.  Any other one is ``U C C^T U^T`` with its upper
triangular factor U and a triangular C; the logarithms of the diagonal of C and what
stands above it are ten numbers without a unit, each of which may be any real number:
`consistent` searches among them, so that it never leaves what is physical.

References
==========

.. [1] P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically
   consistent inertial parameter identification, IEEE Robotics Autom. Lett. 3 (2018) 60-67.
.. [2] C. Rucker, P. M. Wensing, Smooth parameterization of rigid-body inertia, IEEE
   Robotics Autom. Lett. 7 (2022) 2771-2778.
"""

import numpy as np
import scipy.optimize

from ...checks.tolerances import FOUND, ROUNDING, SLENDER
from ...dynamics.recursion.inertial_parameters import MOMENTS


def pseudo_inertia(parameters: np.ndarray) -> np.ndarray:
    """Return the pseudo-inertia, shape (4, 4), of ten parameters m, m c, Ixx ... Izx."""
    moments = np.empty((3, 3), parameters.dtype)
    for (i, k), value in zip(MOMENTS, parameters[4:], strict=True):
        moments[i, k] = moments[k, i] = value
    result = np.empty((4, 4), parameters.dtype)
    result[:3, :3] = np.trace(moments) / 2 * np.eye(3) - moments
    result[3, :3] = result[:3, 3] = parameters[1:4]
    result[3, 3] = parameters[0]
    return result


def parameters_of(pseudo: np.ndarray) -> np.ndarray:
    """Return the ten parameters of a pseudo-inertia."""
    spread = pseudo[:3, :3]
    moments = np.trace(spread) * np.eye(3) - spread
    return np.array([pseudo[3, 3], *pseudo[:3, 3], *(moments[place] for place in MOMENTS)])


def is_physical(parameters: np.ndarray) -> bool:
    """Return whether a body with these parameters can exist: no part has negative mass."""
    pseudo = pseudo_inertia(parameters)
    return bool(pseudo[3, 3] >= 0 and np.linalg.eigvalsh(_scaled(pseudo)[0])[0] > -ROUNDING)


def _scaled(pseudo: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix with a diagonal of ones, and what multiplies rows and columns of it.

    Where a body has next to no extent, entries are rounding beside those of other directions.
    """
    sizes = abs(np.diag(pseudo))
    sizes[:3] = np.maximum(sizes[:3], SLENDER * max(sizes[:3]))
    scale = np.sqrt(sizes)
    divisor = np.where(scale == 0, 1, scale)
    return pseudo / np.outer(divisor, divisor), scale


def factor_of(parameters: np.ndarray) -> np.ndarray:
    """Return the upper triangular factor U of a pseudo-inertia ``U U^T``, shape (4, 4).

    Thin rods and plates, and planar bodies without moments of inertia about other axes,
    get some extent in all directions.
    """
    pseudo = pseudo_inertia(parameters)
    places = np.arange(3)
    sizes = pseudo[places, places]
    least = SLENDER * (max(sizes) if max(sizes) > 0 else pseudo[3, 3])
    pseudo[places, places] = np.maximum(sizes, least)
    scaled, scale = _scaled(pseudo)
    values, vectors = np.linalg.eigh(scaled)
    scaled = vectors * np.maximum(values, SLENDER) @ vectors.T
    return np.linalg.cholesky((scaled * np.outer(scale, scale))[::-1, ::-1])[::-1, ::-1]


def changed(factor: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the parameters of a body after a change by any ten real numbers, zero for none.

    The first four are the logarithms of the diagonal.
    """
    change = np.diag(np.exp(numbers[:4]))
    change[np.triu_indices(4, 1)] = numbers[4:]
    both = factor @ change
    return parameters_of(both @ both.T)


def slopes(factor: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return the derivatives of `changed` by the numbers, shape (10, 10), by complex steps."""
    step = 1e-30
    columns = [changed(factor, numbers + 1j * step * unit).imag / step for unit in np.eye(10)]
    return np.array(columns).T


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
