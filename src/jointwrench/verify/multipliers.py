"""Equations of motion with multipliers, solved in numbers."""

import numpy as np

from ..arithmetic.array_functions import solve_rows
from ..checks.tolerances import SINGULAR


def accelerations(
    mass_matrix: np.ndarray, slopes: np.ndarray, forces: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Return udot, where ``M udot = forces + J^T (multipliers)`` and ``J udot = right``.

    Shapes are (N, n, n), (N, m, n), (N, n) and (N, m).  Equations may follow from
    others: they count once.  What is singular yields NaN.
    """
    n = mass_matrix.shape[-1]
    if not slopes.shape[1]:
        return solve_rows(mass_matrix, forces)
    # in units of each speed in which its inertia is one, and each equation's row
    inertia = np.abs(np.diagonal(mass_matrix, axis1=1, axis2=2))
    units = 1 / np.sqrt(np.where(inertia > 0, inertia, 1.0))
    mass_matrix = units[:, :, None] * mass_matrix * units[:, None]
    slopes = slopes * units[:, None]
    size = np.linalg.norm(slopes, axis=2)
    size = np.where(size > 0, size, 1.0)
    rows, values, is_kept = _independent(slopes / size[..., None], right / size)
    rest = np.where(is_kept, 0, 1)[..., None] * np.eye(rows.shape[1])
    both = np.block([[mass_matrix, rows.swapaxes(1, 2)], [rows, rest]])
    return units * solve_rows(both, np.hstack([units * forces, values]))[:, :n]


def _independent(
    slopes: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return equations of orthonormal rows for others, and which of them say something."""
    is_finite = np.isfinite(slopes).all(axis=(1, 2))
    known = np.where(is_finite[:, None, None], slopes, 0)
    columns, sizes, rows = np.linalg.svd(known, full_matrices=False)
    is_kept = sizes > SINGULAR * sizes[:, :1]
    parts = (columns.swapaxes(1, 2) @ right[..., None])[..., 0]
    values = np.where(is_kept, parts / np.where(is_kept, sizes, 1), 0)
    values[~is_finite] = np.nan
    return rows * is_kept[..., None], values, is_kept
