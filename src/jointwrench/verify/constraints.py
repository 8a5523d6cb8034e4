"""The constraint equations of a model in sympy, and its accelerations under them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from sympy import Expr, Matrix
from sympy.physics.mechanics import KanesMethod
from sympy.physics.vector import Vector

from ..checks.tolerances import SINGULAR
from ..mechanics.adapters.private_sympy import KaneParts
from ..mechanics.arithmetic.array_functions import solve_rows
from ..mechanics.methods.inverse_dynamics import InverseDynamics


class ConstraintEquations(NamedTuple):
    """Constraint equations of positions and of velocities, and their names."""

    position: tuple[Expr, ...] = ()
    velocity: tuple[Expr, ...] = ()
    position_names: tuple[str, ...] = ()
    velocity_names: tuple[str, ...] = ()


def read_kane_constraints(kane: KanesMethod) -> ConstraintEquations:
    """Return the constraint equations of a KanesMethod."""
    own = KaneParts.of(kane)
    return _with_numbers(own.position, own.velocity)


def read_constraints(idyn: InverseDynamics) -> ConstraintEquations:
    """Return the constraint equations of a model, or of its loop joints if it has none."""
    own = idyn.model.tree.constraints
    if own.velocity:
        return _with_numbers(own.position, own.velocity)
    # the tree already satisfies the equations of a granted loop
    closing = [loop for loop in idyn.loops if not loop.is_redundant_in_tree]
    position = [(x, loop.name) for loop in closing for x in loop.holonomic_constraints]
    velocity = [(x, loop.name) for loop in closing for x in loop.velocity_constraints]
    pairs = [[pair[k] for pair in some] for k in range(2) for some in (position, velocity)]
    return ConstraintEquations(*map(tuple, pairs))


def _with_numbers(position: Iterable[Expr], velocity: Iterable[Expr]) -> ConstraintEquations:
    groups = tuple(position), tuple(velocity)
    names = (tuple(f"constraint {k}" for k in range(len(group))) for group in groups)
    return ConstraintEquations(*groups, *names)


def loop_partials(idyn: InverseDynamics, speeds: list[Expr], rates: Mapping[Expr, Expr]) -> Matrix:
    """Return the generalized forces of units of the loops' wrench components, a row for each."""
    # By virtual power they are partial velocities: column j of the 6 rows of a loop is the partial
    # velocity of the child relative to the parent at the child's point, then the partial angular
    # velocity, in the frame of the wrench's components in idyn.
    frames = idyn.model.tree.wrench_frames[len(idyn.joints) :]
    rows: list[Expr] = []
    for closing, frame in zip(idyn.model.tree.constraints.closings, frames, strict=True):
        from ..mechanics.mechanism.loop_connection import velocities_at

        joint, at_rest = closing.joint, (Vector(0), Vector(0))  # ground
        pairs = (closing.child, joint.child), (closing.parent, joint.parent)
        (v, w), (v_parent, w_parent) = (
            at_rest if link is None else velocities_at(body, joint.child_point, idyn.frame)
            for link, body in pairs
        )
        for vector in (v - v_parent, w - w_parent):
            rows += [entry.xreplace(rates) for entry in vector.to_matrix(frame)]
    return Matrix(len(rows), 1, rows).jacobian(speeds)


def solve_accelerations(
    mass_matrix: np.ndarray, jacobian: np.ndarray, forces: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Return udot (N, n) of ``M udot = forces + J^T (multipliers)`` and ``J udot = right``.

    The shapes are (N, n, n), (N, m, n), (N, n) and (N, m).  Redundant constraint equations are
    allowed; singular samples are NaN.
    """
    n = mass_matrix.shape[-1]
    if not jacobian.shape[1]:
        return solve_rows(mass_matrix, forces)
    # scaled to units in which each speed's inertia and each equation's row have size one
    inertia = np.abs(np.diagonal(mass_matrix, axis1=1, axis2=2))
    units = 1 / np.sqrt(np.where(inertia > 0, inertia, 1.0))
    mass_matrix = units[:, :, None] * mass_matrix * units[:, None]
    jacobian = jacobian * units[:, None]
    size = np.linalg.norm(jacobian, axis=2)
    size = np.where(size > 0, size, 1.0)
    rows, values, is_kept = _reduce_rows(jacobian / size[..., None], right / size)
    rest = np.where(is_kept, 0, 1)[..., None] * np.eye(rows.shape[1])
    both = np.block([[mass_matrix, rows.swapaxes(1, 2)], [rows, rest]])
    return units * solve_rows(both, np.hstack([units * forces, values]))[:, :n]


def _reduce_rows(
    jacobian: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return equivalent equations with orthonormal rows, and a mask of rows that are not zero."""
    is_finite = np.isfinite(jacobian).all(axis=(1, 2))
    known = np.where(is_finite[:, None, None], jacobian, 0)
    columns, sizes, rows = np.linalg.svd(known, full_matrices=False)
    is_kept = sizes > SINGULAR * sizes[:, :1]
    parts = (columns.swapaxes(1, 2) @ right[..., None])[..., 0]
    values = np.where(is_kept, parts / np.where(is_kept, sizes, 1), 0)
    values[~is_finite] = np.nan
    return rows * is_kept[..., None], values, is_kept
