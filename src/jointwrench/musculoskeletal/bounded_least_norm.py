"""Least-norm solutions of linear equations within bounds, for batches of problems."""

import numpy as np

from ..checks.tolerances import ARMIJO, CANCELLED, ROUNDING

#: Numbers of Newton steps, and of halvings of a step, before an active-set method is used.
MOST_STEPS, MOST_HALVINGS = 60, 12


def solve_least_norm(matrices: np.ndarray, rights: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the shortest x (N, m) within bounds with ``matrix x = right``.

    Arrays have the shapes ``matrices`` (N, r, m), ``rights`` (N, r) and ``bounds`` (2, N, m).
    Without a solution, x minimises ``|matrix x - right|``.
    """
    # The dual problem has r unknowns and no bounds: x = clip(matrix^T y), where y maximises the
    # concave function y.right - (p.x - |x|^2 / 2) with p = matrix^T y.  The function is piecewise
    # quadratic, so Newton's method ends exactly in the correct piece.  `solve_one` solves the other
    # problems, such as those without a solution.
    size = np.linalg.norm(matrices, axis=2)
    size[size == 0] = 1.0
    rows, aims = matrices / size[..., None], rights / size
    y = _newton(rows @ np.swapaxes(rows, 1, 2), aims)
    found = np.empty((len(rows), rows.shape[2]))
    scale = np.abs(aims).max(axis=1, initial=0) + ROUNDING
    waiting = np.arange(len(rows))
    for _ in range(MOST_STEPS):
        own, limits = rows[waiting], bounds[:, waiting]
        x = np.clip(_unbounded(own, y[waiting]), *limits)
        left = aims[waiting] - (own @ x[..., None])[..., 0]
        more = ~(np.abs(left).max(axis=1, initial=0) <= CANCELLED * scale[waiting])
        found[waiting[~more]] = x[~more]
        if not more.any():
            return found
        waiting, own, x, left = (part[more] for part in (waiting, own, x, left))
        limits = limits[:, more]
        free = own * ((x > limits[0]) & (x < limits[1]))[:, None, :]
        step = _newton(free @ np.swapaxes(own, 1, 2), left)
        y[waiting] = _line_search(own, aims[waiting], limits, y[waiting], step, left)
    for k in waiting:
        found[k] = solve_one(matrices[k], rights[k], bounds[:, k])
    return found


def _newton(hessian: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return Newton steps (N, r), regularised because the function may be flat."""
    flat = ROUNDING * np.eye(hessian.shape[1])
    return np.linalg.solve(hessian + flat, slope[..., None])[..., 0]


def _unbounded(rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.einsum("nrm,nr->nm", rows, y)


def _line_search(
    rows: np.ndarray,
    aims: np.ndarray,
    bounds: np.ndarray,
    y: np.ndarray,
    step: np.ndarray,
    slope: np.ndarray,
) -> np.ndarray:
    """Return y (N, r) after the longest halved step that increases the dual function enough."""

    def value(at: np.ndarray) -> np.ndarray:
        pull = _unbounded(rows, at)
        x = np.clip(pull, *bounds)
        return np.einsum("nr,nr->n", at, aims) - (pull * x - x**2 / 2).sum(1)

    start, rise = value(y), np.einsum("nr,nr->n", slope, step)
    part = np.ones(len(y))
    for _ in range(MOST_HALVINGS):
        gain = value(y + part[:, None] * step) - start
        short = gain < ARMIJO * part * rise - CANCELLED * np.abs(start)
        if not short.any():
            break
        part = np.where(short, part / 2, part)
    return y + part[:, None] * step


def solve_one(matrix: np.ndarray, right: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the shortest x (m,) of one problem by active-set methods, as `solve_least_norm`."""
    shortest, *_ = np.linalg.lstsq(matrix, right, rcond=ROUNDING)
    error = abs(matrix @ shortest - right).max(initial=0)
    if error > ROUNDING * abs(right).max(initial=0):
        return _solve_nearest(matrix, right, bounds)
    if (shortest >= bounds[0]).all() and (shortest <= bounds[1]).all():
        return shortest
    found = _move_within(matrix, shortest, bounds)
    return _solve_nearest(matrix, right, bounds) if found is None else found


def _solve_nearest(matrix: np.ndarray, right: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return the shortest minimiser of ``|matrix x - right|`` within bounds."""
    from scipy.optimize import lsq_linear  # slow to import

    nearest = np.clip(lsq_linear(matrix, right, bounds, method="bvls").x, *bounds)
    shortest = np.linalg.pinv(matrix, rcond=ROUNDING) @ (matrix @ nearest)
    found = _move_within(matrix, shortest, bounds)
    return nearest if found is None else found


def _move_within(matrix: np.ndarray, shortest: np.ndarray, bounds: np.ndarray) -> np.ndarray | None:
    """Return the shortest x within bounds with ``matrix x = matrix shortest``, or None."""
    # x = shortest + N z with a basis N of the null space; the least |z| under the bounds is Lawson
    # and Hanson's least distance problem (LDP), solved by non-negative least squares.
    from scipy.optimize import nnls  # slow to import

    _, values, rows = np.linalg.svd(matrix)
    null = rows[int((values > ROUNDING * values.max(initial=0)).sum()) :].T
    limits = np.concatenate([bounds[0] - shortest, shortest - bounds[1]])
    is_finite = np.isfinite(limits)
    limits, sides = limits[is_finite], np.concatenate([null, -null])[is_finite]
    scale = abs(limits).max(initial=0) or 1.0
    stacked = np.vstack([sides.T, limits / scale])
    aim = np.append(np.zeros(null.shape[1]), 1.0)
    solution, distance = nnls(stacked, aim)
    if distance <= ROUNDING:
        return None
    residual = aim - stacked @ solution
    z = -residual[:-1] / residual[-1] * scale
    return np.clip(shortest + null @ z, *bounds)
