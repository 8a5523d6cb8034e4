"""Which coordinates the loops of a model determine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from sympy import Matrix, lambdify
from sympy.physics.mechanics import System, dynamicsymbols

#: What is left of closed loops; what of singular values counts as zero; how far to look.
CLOSED, SINGULAR, REACH = 1e-8, 1e-7, 0.1


def close_loops(system: System, loops: Sequence[Any], reference: np.ndarray) -> None:
    """Add the constraints of loops to a System, and say which coordinates they determine.

    Parameters
    ==========

    system : System
        A tree.
    loops : sequence of LoopJoint
        What closes loops.
    reference : numpy.ndarray, shape (n_q,)
        Coordinates near which the loops can be closed.

    Raises
    ======

    ValueError
        If they cannot.

    Notes
    =====

    Of each set of equations that are never independent only enough are added.  The last
    coordinates and speeds that the equations can determine are the dependent ones.
    """
    if not loops:
        return
    equations = Matrix([e for loop in loops for e in loop.holonomic_constraints])
    pose, slopes = _closed(equations, system.q, reference, loops)
    of_speeds = slopes @ _rates(system, pose)
    rows = _independent(of_speeds)
    system.add_holonomic_constraints(*(equations[k] for k in rows))
    for attribute, matrix in (("q", slopes), ("u", of_speeds)):
        states = list(getattr(system, attribute))
        chosen = {len(states) - 1 - k for k in _independent(matrix[rows].T[::-1])}
        free = [x for k, x in enumerate(states) if k not in chosen]
        setattr(system, f"{attribute}_ind", free)
        setattr(system, f"{attribute}_dep", [states[k] for k in sorted(chosen)])


def _closed(
    equations: Matrix, coordinates: Matrix, reference: np.ndarray, loops: Sequence[Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Return a pose near another one in which equations hold, and their derivatives there."""
    symbols = list(coordinates)
    errors = lambdify([symbols], list(equations), cse=True)
    slopes = lambdify([symbols], equations.jacobian(symbols), cse=True)
    numbers = np.random.default_rng(1)
    start = reference + numbers.uniform(-REACH, REACH, len(symbols))  # singular nowhere by design
    found = least_squares(errors, start, slopes, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    if abs(found.fun).max() > CLOSED:
        names = ", ".join(repr(loop.name) for loop in loops)
        raise ValueError(
            f"the constraints {names} cannot be closed near the pose of the file: the least error "
            f"is {abs(found.fun).max():.3g}. Correct their places or the default values."
        )
    return found.x, np.asarray(slopes(found.x), dtype=float)


def _rates(system: System, pose: np.ndarray) -> np.ndarray:
    """Return the coefficients of the speeds in the coordinates' time derivatives, (n_q, n)."""
    kdes, symbols = Matrix(system.kdes), list(system.q)
    rates = [q.diff(dynamicsymbols._t) for q in symbols]
    left, right = (
        np.asarray(lambdify([symbols], kdes.jacobian(x))(pose), dtype=float)
        for x in (rates, list(system.u))
    )
    return -np.linalg.solve(left, right)


def _independent(rows: np.ndarray) -> list[int]:
    """Return the first rows that are independent of those before them."""
    chosen: list[int] = []
    largest = np.linalg.norm(rows, 2)
    for k in range(len(rows)):
        values = np.linalg.svd(rows[[*chosen, k]], compute_uv=False)
        if len(values) == len(chosen) + 1 and values[-1] > SINGULAR * largest:
            chosen.append(k)
    return chosen
