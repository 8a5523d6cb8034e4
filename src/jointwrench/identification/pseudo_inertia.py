"""The pseudo-inertia of a body, positive definite for every possible body.

It is the integral of ``r r^T dm`` over the body, with the positions r = (x, y, z, 1) of its mass
elements: the ten inertial parameters as a 4 x 4 matrix.

References
==========

.. [1] P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically
   consistent inertial parameter identification, IEEE Robotics Autom. Lett. 3 (2018) 60-67.
"""

import numpy as np

from ..checks.tolerances import ROUNDING, SLENDER


def pseudo_inertia(parameters: np.ndarray) -> np.ndarray:
    """Return the pseudo-inertia, shape (4, 4), of ten parameters m, m c, Ixx ... Izx."""
    xx, yy, zz, xy, yz, zx = parameters[4:]
    moments = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    result = np.empty((4, 4), parameters.dtype)
    result[:3, :3] = np.trace(moments) / 2 * np.eye(3) - moments
    result[3, :3] = result[:3, 3] = parameters[1:4]
    result[3, 3] = parameters[0]
    return result


def is_physical(parameters: np.ndarray) -> bool:
    """Return whether a body with ten inertial parameters can exist, without negative masses."""
    pseudo = pseudo_inertia(parameters)
    return bool(pseudo[3, 3] >= 0 and np.linalg.eigvalsh(_scale(pseudo)[0])[0] > -ROUNDING)


def _scale(pseudo: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a pseudo-inertia scaled to a unit diagonal, and the scales.

    Flat bodies get a small extent, so that no diagonal element is zero.
    """
    sizes = abs(np.diag(pseudo))
    sizes[:3] = np.maximum(sizes[:3], SLENDER * max(sizes[:3]))
    scale = np.sqrt(sizes)
    divisor = np.where(scale == 0, 1, scale)
    return pseudo / np.outer(divisor, divisor), scale


def factorise(parameters: np.ndarray) -> np.ndarray:
    """Return the upper triangular U of a pseudo-inertia ``U U^T``; flat bodies get an extent."""
    pseudo = pseudo_inertia(parameters)
    places = np.arange(3)
    sizes = pseudo[places, places]
    least = SLENDER * (max(sizes) if max(sizes) > 0 else pseudo[3, 3])
    pseudo[places, places] = np.maximum(sizes, least)
    scaled, scale = _scale(pseudo)
    values, vectors = np.linalg.eigh(scaled)
    scaled = vectors * np.maximum(values, SLENDER) @ vectors.T
    return np.linalg.cholesky((scaled * np.outer(scale, scale))[::-1, ::-1])[::-1, ::-1]


#: The pseudo-inertia of one unit of each of the ten parameters, shape (10, 4, 4); it is linear.
BASIS = np.stack([pseudo_inertia(unit) for unit in np.eye(10)])
