"""What markers determine: open coordinates, and how noise of the markers moves the others."""

import numpy as np

from ..checks.tolerances import DEPENDENT, OPEN, SINGULAR
from .marker_record import MarkerRecord

#: Step of central differences in radians, or in parts of what counts as one.
STEP = 1e-4


def find_unobservable(record: MarkerRecord, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return which coordinates the markers of some rows leave open at q, shape (M, n)."""
    _, columns, jacobian = record.columns(q, rows)
    scale = _column_norms((columns**2).sum(axis=1))
    blocked = np.broadcast_to(~record.free | (record.q_weights > 0), q.shape)[:, None]
    own, constraints = (np.where(blocked, 0.0, x / scale[:, None]) for x in (columns, jacobian))
    effects = own, np.linalg.pinv(constraints, SINGULAR) @ constraints, np.eye(q.shape[1]) * blocked
    _, sizes, vectors = np.linalg.svd(np.concatenate(effects, axis=1), full_matrices=False)
    is_unobservable = sizes <= DEPENDENT * sizes.max(axis=-1, keepdims=True)
    return (is_unobservable[..., None] & (np.abs(vectors) > OPEN)).any(axis=1)


def compute_compliances(record: MarkerRecord, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return how least squares at q move with forces on the coordinates, shape (M, n, n)."""
    # The inverse of half the second derivatives of the squares: exact, the curvature of residuals
    # and constraints included. Coordinates that rest at bounds do not move.
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
    """Return the effect of a unit of each coordinate on residuals, 1 if it has none, (M, n)."""
    return np.sqrt(np.where(squares > 0, squares, 1.0))
