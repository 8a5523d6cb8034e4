"""The least and the greatest values of linear functions on polytopes, for many samples.

``D z <= g`` with rows of length one (or zero, which are no rows).  The solver is in C; without it,
scipy's HiGHS does the same, some thousand times as slowly.
"""

from functools import cache
from typing import Any

import numpy as np

from ..checks.messages import warn
from ..checks.tolerances import ROUNDING


def extremes(
    rows: np.ndarray, tops: np.ndarray, sizes: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends (samples, targets, 2), NaN if there are none, and shares (samples, k).

    ``rows`` (samples, k, d), ``tops`` and ``sizes`` (samples, k), ``targets`` (samples, t, d).
    Shares are positive for rows of a minimal set that cannot hold together, otherwise zero.
    """
    ends = np.full((*targets.shape[:2], 2), np.nan)
    shares = np.zeros(tops.shape)
    arrays = [np.ascontiguousarray(x, float) for x in (rows, tops, sizes, targets)]
    if (solve := _solver()) is not None:
        solve(*arrays, ends, shares, np.empty(_workspace_size(*rows.shape[1:])))
        return ends, shares
    for k, own in enumerate(zip(*arrays, strict=True)):
        ends[k], shares[k] = _by_scipy(*own)
    return ends, shares


def _workspace_size(k: int, d: int) -> int:
    """Return the size of the solver's workspace in doubles."""
    n, most = d + 1, k + 2 * d + 1
    return most * n + n * n + most + 3 * n + 2 * (2 * most + n) + n + most // 8 + 1


@cache
def _solver() -> Any:
    """Return the solver in C; None if it was not built with the package."""
    try:
        from ._simplex import solve  # type: ignore[import-not-found]
    except ImportError:
        warn(
            "`ranges` has no solver in C: the extension module jointwrench.indeterminate._simplex "
            "was not built with the package, and scipy solves linear programmes more slowly. "
            "Install jointwrench again where there is a C compiler."
        )
        return None
    return solve


def _by_scipy(
    rows: np.ndarray, tops: np.ndarray, sizes: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends and the shares of one sample."""
    from scipy.optimize import linprog

    count, d = rows.shape
    ends, shares = np.full((len(targets), 2), np.nan), np.zeros(count)
    with_slack = np.hstack([rows, -sizes[:, None]])
    bounds = [(None, None)] * d + [(0, None)]
    found = linprog(np.append(np.zeros(d), 1), with_slack, tops, bounds=bounds, method="highs")
    if found.status:
        return ends, np.full(count, np.nan)
    if found.fun > ROUNDING:
        return ends, np.maximum(-found.ineqlin.marginals, 0)
    relaxed = tops + sizes * found.fun
    for k, target in enumerate(targets):
        for side, sign in enumerate((1, -1)):
            own = linprog(sign * target, rows, relaxed, bounds=(None, None), method="highs")
            ends[k, side] = sign * own.fun if own.status == 0 else -sign * np.inf
    return ends, shares
