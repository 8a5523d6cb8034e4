"""Observability of coordinates from markers: undetermined coordinates, and effects of noise."""

import numpy as np

from ..checks.tolerances import DEPENDENT, SINGULAR, UNDETERMINED
from .marker_record import MarkerRecord

#: The step of central differences in each coordinate, in radians or the model's unit of length.
STEP = 1e-4


def find_unobservable(record: MarkerRecord, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return a boolean mask of the coordinates that the markers do not determine, shape (M, n).

    ``q`` (M, n) are the fitted coordinates at the instants with the indices ``rows`` (M,).
    """
    # A coordinate is undetermined if it has a share in a null vector of all conditions together:
    # the Jacobian of residuals, the projector on the constraints' rows, and the unit rows of
    # coordinates that are prescribed or have a target. In columns the null space is on the left.
    _, columns, jacobian = record.columns(q, rows)
    scale = _column_norms((columns**2).sum(axis=1))
    blocked = np.broadcast_to(~record.free | (record.q_weights > 0), q.shape)[:, None]
    own, constraints = (np.where(blocked, 0.0, x / scale[:, None]) for x in (columns, jacobian))
    effects = own, np.linalg.pinv(constraints, SINGULAR) @ constraints, np.eye(q.shape[1]) * blocked
    _, sizes, vectors = np.linalg.svd(np.concatenate(effects, axis=1), full_matrices=False)
    is_unobservable = sizes <= DEPENDENT * sizes.max(axis=-1, keepdims=True)
    return (is_unobservable[..., None] & (np.abs(vectors) > UNDETERMINED)).any(axis=1)


def compute_compliances(record: MarkerRecord, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the derivatives dq/df of the least-squares coordinates at q, shape (M, n, n).

    A force f on the coordinates adds -f to the gradient of half the squares.
    """
    # With the Hessian H of half the Lagrangian (curvature of residuals and constraints included)
    # and P the projector on the tangents of constraints, the compliance is P (P H P + 1 - P)^-1 P.
    # Coordinates that rest at bounds do not move. Curvature is by central differences of J^T r.
    residuals, columns, jacobian = record.columns(q, rows)
    residuals, eye = residuals[:, None], np.eye(q.shape[1])
    gradient = (residuals @ columns)[:, 0] + record.q_weights * (q - record.q_targets[rows])
    normal = columns.swapaxes(1, 2) @ columns + np.diag(record.q_weights)
    is_at_bound = (q <= record.lower) & (gradient > 0) | (q >= record.upper) & (gradient < 0)
    blocked, scale = ~record.free | is_at_bound, _column_norms(np.einsum("mii->mi", normal))
    constraints = np.where(blocked[:, None], 0.0, jacobian / scale[:, None])
    inverse = np.linalg.pinv(constraints, SINGULAR)
    multipliers = (gradient / scale)[:, None] @ inverse

    def force(near: np.ndarray) -> np.ndarray:
        _, columns, jacobian = record.columns(near, rows)
        return (residuals @ columns - multipliers @ jacobian)[:, 0]

    found = np.stack([force(q + x) - force(q - x) for x in STEP * eye], axis=-1) / (2 * STEP)
    squares = scale[:, :, None] * scale[:, None]
    matrix = (normal + (found + found.swapaxes(1, 2)) / 2) / squares
    allowed = eye * ~blocked[:, None] - inverse @ constraints
    return allowed @ np.linalg.inv(allowed @ matrix @ allowed + eye - allowed) @ allowed / squares


def _column_norms(squares: np.ndarray) -> np.ndarray:
    """Return the root of sums of squares, (M, n): the scale of each coordinate, 1 where it is 0."""
    return np.sqrt(np.where(squares > 0, squares, 1.0))
