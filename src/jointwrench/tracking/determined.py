"""What markers determine: open coordinates, and how noise of the markers moves the others."""

import numpy as np

from ..checks.tolerances import DEPENDENT, OPEN
from .levenberg_marquardt import Linearised, row_space, scaled_slopes, tangents
from .marker_record import MarkerRecord

#: Step of central differences in radians, or in parts of what counts as one.
STEP = 1e-4


def open_coordinates(record: MarkerRecord, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return which coordinates the markers of some rows leave open at q, shape (M, n)."""
    _, columns = record.columns(q, rows)
    squares = (columns**2).sum(axis=1)
    scale = np.sqrt(np.where(squares > 0, squares, 1.0))
    blocked = np.broadcast_to(~record.free | (record.observed.target_weights > 0), q.shape)
    parts = [scaled_slopes(columns, scale, blocked)]
    if record.tracked.is_constrained:
        slopes = scaled_slopes(record.tracked.constraints(q)[1], scale, blocked)
        parts.append(row_space(slopes)[2])
    parts.append(np.eye(q.shape[1]) * blocked[:, None, :])
    matrix = np.concatenate(parts, axis=1)
    _, sizes, vectors = np.linalg.svd(matrix, full_matrices=False)
    is_open = sizes <= DEPENDENT * sizes.max(axis=-1, keepdims=True)
    return (is_open[..., None] & (np.abs(vectors) > OPEN)).any(axis=1)


def compliances(record: MarkerRecord, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return how least squares at q move with forces on the coordinates, shape (M, n, n)."""
    # The inverse of half the second derivatives of the squares: exact, the curvature of residuals
    # and constraints included. Coordinates that rest at bounds do not move.
    at = record.linearised(q, rows)
    scale, blocked = at.scale, record.squares.blocked(q, at.gradient)
    forbidden = tangents(at.slopes, scale, blocked)
    curved = at.normal + _curvature(record, q, rows, at, blocked)
    matrix = curved / (scale[:, :, None] * scale[:, None, :])
    allowed = np.eye(q.shape[1]) * ~blocked[:, None]
    rest = np.eye(q.shape[1]) * blocked[:, None]
    if forbidden is not None:
        allowed, rest = allowed - forbidden, rest + forbidden
    inverse = allowed @ np.linalg.inv(allowed @ matrix @ allowed + rest) @ allowed
    return inverse / (scale[:, :, None] * scale[:, None, :])


def _curvature(
    record: MarkerRecord, q: np.ndarray, rows: np.ndarray, at: Linearised, blocked: np.ndarray
) -> np.ndarray:
    """Return what residuals and multipliers of constraints add to the normal matrix, (M, n, n)."""
    misses, _ = record.columns(q, rows)
    multipliers = None
    if record.tracked.is_constrained:
        slopes = scaled_slopes(at.slopes, at.scale, blocked)
        left, inverse, right = row_space(slopes)
        parts = inverse * (right @ (at.gradient / at.scale)[..., None])[..., 0]
        multipliers = (left @ parts[..., None])[..., 0]

    def force(near: np.ndarray) -> np.ndarray:
        found = (misses[:, None] @ record.columns(near, rows)[1])[:, 0]
        if multipliers is not None:
            found -= (multipliers[:, None] @ record.tracked.constraints(near)[1])[:, 0]
        return found

    steps = STEP * np.eye(q.shape[1])
    found = np.stack([force(q + x) - force(q - x) for x in steps], axis=-1) / (2 * STEP)
    return (found + found.swapaxes(1, 2)) / 2
