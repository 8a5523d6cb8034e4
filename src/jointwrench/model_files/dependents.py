"""Which coordinates the loops of a model determine."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from sympy import Expr
from sympy.physics.mechanics import System

from ..arithmetic.derivatives import jacobian
from ..arithmetic.doubles import DoubleStates
from ..arithmetic.graph import Graph, Scalar
from ..dynamics.assembled import position_equations
from ..dynamics.scalar_tree import ScalarTree
from ..dynamics.unknowns import unknown_closings
from ..mechanism.reading.system_reader import read_system

#: What is left of closed loops; which part of singular values counts as zero; how far to look.
CLOSED, SINGULAR, REACH = 1e-8, 1e-7, 0.1


def close_loops(system: System, loops: Sequence[Any], reference: np.ndarray) -> None:
    """Say to a System which coordinates and speeds its loops determine: the last ones they can.

    The scalar part of each quaternion is among the coordinates.

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

    The System gets no constraint equations: the loops say all, and sympy's formulas for them are
    long.
    """
    if not loops:
        return
    tree = ScalarTree(graph := Graph(), read_system(system, (), tuple(loops)))
    coordinates = tree.tree.coordinates
    errors = [error for _, error in position_equations(tree)]
    slopes = jacobian(graph, errors, coordinates)
    columns = [unknown.column for unknown in unknown_closings(tree)]

    def at(pose: np.ndarray, rows: Sequence[Sequence[Scalar]]) -> np.ndarray:
        values = {q: np.array([value]) for q, value in zip(coordinates, pose, strict=True)}
        return DoubleStates(graph, values).matrix(rows)[0].real

    numbers = np.random.default_rng(1)
    start = reference + numbers.uniform(-REACH, REACH, len(reference))  # singular nowhere by design
    found = least_squares(
        lambda pose: at(pose, [errors])[0],
        start,
        lambda pose: at(pose, slopes),
        **dict.fromkeys(("xtol", "ftol", "gtol"), 1e-15),
    )
    if abs(found.fun).max() > CLOSED:
        names = ", ".join(repr(loop.name) for loop in loops)
        raise ValueError(
            f"`source` must have loops that close, but the constraints {names} cannot be closed "
            f"near the pose of the file: the least error is {abs(found.fun).max():.3g}. Correct "
            "their places or the default values."
        )
    for group, rows in (("q", slopes), ("u", columns)):
        symbols, candidates = list(getattr(system, group)), list(_candidates(system, group))
        places = [symbols.index(symbol) for symbol in candidates]
        chosen = {candidates[k] for k in _independent(at(found.x, rows).T[places])}
        setattr(system, f"{group}_ind", [x for x in symbols if x not in chosen])
        setattr(system, f"{group}_dep", [x for x in symbols if x in chosen])


def _candidates(system: System, group: str) -> Iterator[Expr]:
    """Yield coordinates or speeds from the last joint on, a quaternion's scalar part first."""
    for joint in reversed(system.joints):
        if group == "u":
            yield from reversed(joint.speeds)
        elif len(joint.coordinates) > len(joint.speeds):
            *others, scalar, x, y, z = joint.coordinates
            yield from (scalar, z, y, x, *reversed(others))
        else:
            yield from reversed(joint.coordinates)


def _independent(rows: np.ndarray) -> list[int]:
    """Return the first rows that are independent of those before them."""
    chosen: list[int] = []
    largest = np.linalg.norm(rows, 2)
    for k in range(len(rows)):
        values = np.linalg.svd(rows[[*chosen, k]], compute_uv=False)
        if len(values) == len(chosen) + 1 and values[-1] > SINGULAR * largest:
            chosen.append(k)
    return chosen
