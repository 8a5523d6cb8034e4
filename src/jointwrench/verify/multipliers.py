"""Equations of motion with multipliers, solved in numbers."""

import numpy as np

from ..arithmetic.array_functions import solve_rows

#: Singular values below, as a part of the largest, are those of equations that follow from others.
SINGULAR = 1e-10


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
    rows, values, is_kept = _independent(slopes, right)
    size = np.abs(mass_matrix).max(axis=(1, 2), initial=0)[:, None]
    rows, values = rows * size[..., None], values * size
    rest = np.where(is_kept, 0, 1)[..., None] * np.eye(rows.shape[1])
    both = np.block([[mass_matrix, rows.swapaxes(1, 2)], [rows, rest]])
    return solve_rows(both, np.hstack([forces, values]))[:, :n]


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
