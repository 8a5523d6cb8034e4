"""The least and the greatest values of linear functions on polytopes, for many samples.

``D z <= g`` with rows of length one (or zero, which are no rows).  The solver is in C; without it,
scipy's HiGHS does the same, some thousand times as slowly.
"""

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..checks.messages import warn
from ..checks.tolerances import ROUNDING
from ..mechanics.codegen.toolchain.compiler import CompilationError, NoCompilerWarning
from ..mechanics.codegen.toolchain.library import VISIBLE, load_library


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
    if (solver := _solver()) is None:
        for k, own in enumerate(zip(*arrays, strict=True)):
            ends[k], shares[k] = _by_scipy(*own)
        return ends, shares
    count, k, d = rows.shape
    workspace = np.empty(_workspace(k, d))
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (*arrays, ends, shares, workspace)]
    solver(count, k, d, targets.shape[1], *pointers)
    return ends, shares


def _workspace(k: int, d: int) -> int:
    """Return the size of the workspace in doubles."""
    n, most = d + 1, k + 2 * d + 1
    return most * n + n * n + most + 3 * n + 2 * (2 * most + n) + n + most // 8 + 1


@cache
def _solver() -> Any:
    """Return the function ``extremes`` of ``simplex.c``; None without a compiler."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_ssize_t] * 4, *[ctypes.c_void_p] * 7)
    try:
        from ._simplex import ADDRESS  # type: ignore[import-not-found]
    except ImportError:
        text = (Path(__file__).parent / "simplex.c").read_text("utf-8")
        try:
            ADDRESS = load_library(f"#define LINKAGE {VISIBLE}\n{text}", ["-O3"], "extremes")
        except CompilationError:
            warn(
                "`ranges` finds no C compiler, so that scipy solves its linear programmes, more "
                "slowly. Install gcc or clang, or set CC.",
                NoCompilerWarning,
            )
            return None
    return kind(int(ADDRESS))


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
