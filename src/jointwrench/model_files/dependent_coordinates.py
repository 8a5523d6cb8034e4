"""The choice of dependent coordinates in a model with loops."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from sympy import Expr
from sympy.physics.mechanics import System

from ..checks.tolerances import (
    DEAD_CENTER,
    EXACTLY_CLOSED,
    NEARLY_CLOSED,
    REGULAR,
    ROUNDED_DATA,
    ROUNDED_POINTS,
    SINGULAR_POSE,
)
from ..mechanics.arithmetic.derivatives import jacobian
from ..mechanics.arithmetic.double_states import DoubleStates
from ..mechanics.arithmetic.graph import Graph, Scalar
from ..mechanics.dynamics.recursion.scalar_tree import ScalarTree
from ..mechanics.mechanism.loop_joint import LoopJoint
from ..mechanics.mechanism.reading.system_reader import read_system
from ..mechanics.mechanism.tree import TopologyError
from ..mechanics.spatial.components import vector_of

#: The distance of a generic state from a pose, in radians or relative to the model's length.
REACH = 0.1


def close_loops(
    system: System,
    loops: list[Any],
    poses: Sequence[np.ndarray],
    place: str,
    preferred: Sequence[Collection[Expr]] = (),
) -> tuple[np.ndarray, list[str]]:
    """Set the dependent coordinates and speeds of a System with loops.

    Return the first of the ``poses`` near which the loops close, in the order of ``system.q``, and
    texts of redundant parts of loops that were removed since rounded positions contradict them.
    ``place`` names the pose in messages; coordinates in ``preferred`` stay independent if possible,
    the later groups more so.
    """
    # Dependent are the last possible coordinates for which the others are not at a dead centre in
    # the closed pose nearest to the first pose. A quaternion's scalar part is one of them. The
    # System gets no constraint equations: the loops define them, and sympy's formulas are long.
    if not loops:
        return poses[0], []
    try:
        equations = _Equations(system, loops)
    except TopologyError as error:
        _, _, words = str(error).partition("\n")
        raise ValueError(
            f"`source` must have loops that fit together, but of {place}\n{words}"
        ) from None
    removed: list[str] = []
    pose, state, left = _find_nearest(equations, poses)
    if left <= ROUNDED_POINTS and (surplus := equations.find_surplus(state)):
        removed = _relax(loops, surplus)
        equations = _Equations(system, loops)
        pose, state, left = _find_nearest(equations, poses)
    if left > NEARLY_CLOSED:
        names = ", ".join(repr(loop.name) for loop in loops)
        cause = " Rounded data can be the cause." if left <= ROUNDED_DATA else ""
        raise ValueError(
            f"`source` must have loops that close, but the constraints {names} cannot be "
            f"satisfied near the pose of {place}: the smallest error is {left:.3g} of the "
            f"lengths in them. Correct their positions or the default values.{cause}"
        )
    closed, left = equations.close_near(pose, 0)
    at_pose = equations.jacobians_at(closed if left <= NEARLY_CLOSED else state)
    before = list(system.q)
    for group, matrix in equations.jacobians_at(state).items():
        symbols, candidates = list(getattr(system, group)), list(_list_candidates(system, group))
        candidates.sort(
            key=lambda x: max((k for k, own in enumerate(preferred, 1) if x in own), default=0)
        )
        order = [symbols.index(symbol) for symbol in candidates]
        rows, here = matrix.T[order], at_pose[group].T[order]
        chosen = {candidates[k] for k in _choose_dependent(rows, here)}
        setattr(system, f"{group}_ind", [x for x in symbols if x not in chosen])
        setattr(system, f"{group}_dep", [x for x in symbols if x in chosen])
    return pose[[before.index(q) for q in system.q]], removed


class _Equations:
    """The position constraints of loops and their Jacobians, scaled by the model's length."""

    def __init__(self, system: System, loops: Sequence[Any]) -> None:
        from ..mechanics.dynamics.loops.assembled import position_equations
        from ..mechanics.dynamics.loops.constraint_forces import unknown_closings

        self._graph = Graph()
        tree = ScalarTree(self._graph, read_system(system, (), tuple(loops)))
        self.coordinates, self._speeds = tree.symbolic.coordinates, tree.symbolic.speeds
        self._errors = [error for _, error in position_equations(tree)]
        sizes = [(len(x.forces), len(x.moments)) for x in tree.symbolic.constraints.closings]
        ends = np.cumsum([size for pair in sizes for size in pair])
        parts = np.split(np.arange(len(self._errors)), ends)[:-1]
        self._groups = list(zip(parts[::2], parts[1::2], strict=True))
        self._distances = parts[::2]
        self._jacobian = jacobian(self._graph, self._errors, self.coordinates)
        self._columns = [unknown.column for unknown in unknown_closings(tree)]
        stages = [stage for link in tree.symbolic.links for stage in link.motion.rotations]
        turning = [any(stage.has(q) for stage in stages) for q in self.coordinates]
        self._slides = ~np.array(turning, dtype=bool)
        partials = [item for found in tree.partial_velocities for item in found.items()]
        turned = {u for u, x in partials if not all(w.is_zero for w in x.angular.components)}
        self._slips = np.array([u not in turned for u in self._speeds], dtype=bool)

    def find_surplus(self, state: np.ndarray) -> dict[int, np.ndarray]:
        """Return the independent directions of ball joints that are redundant up to rounded data.

        They are rows (directions, 3) by the index of the loop.
        """
        # Each loop's Jacobian is compared with the row space of the loops before it. Directions
        # within that space whose residuals contradict it are rounding of the file's positions.
        units = np.where(self._slides, self._length_at(state), 1)
        slopes = self._compute(state, self._jacobian)[0] * units
        errors, scales = self.errors_at(state)
        known, left, found = slopes[:0], errors[:0], dict[int, np.ndarray]()
        for k, (forces, moments) in enumerate(self._groups):
            own, open_ = slopes[forces] / scales[forces, None], errors[forces] / scales[forces]
            explained = own @ np.linalg.pinv(known, rcond=ROUNDED_POINTS)
            turns, sizes, _ = np.linalg.svd(own - explained @ known)
            sizes = np.append(sizes, [0] * (len(own) - len(sizes))) / (abs(own).max(initial=0) or 1)
            is_own = sizes > ROUNDED_POINTS
            doubts = abs(turns.T[~is_own] @ (open_ - explained @ left)).max(initial=0)
            doubts = max(doubts, sizes[~is_own].max(initial=0))
            if not moments.size and len(own) == 3 and doubts > NEARLY_CLOSED:
                found[k] = turns.T[is_own]
                own, open_ = found[k] @ own, found[k] @ open_
            known = np.vstack([known, own, slopes[moments]])
            left = np.concatenate([left, open_, errors[moments]])
        return found

    def errors_at(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the residuals of the equations at a pose, and the sizes of their terms."""
        values, sizes = self._compute(pose, [self._errors])
        scales = np.ones(len(self._errors))
        for places in self._distances:
            scales[places] = sizes[0][places].max(initial=0) or 1
        return values[0], scales

    def jacobians_at(self, pose: np.ndarray) -> dict[str, np.ndarray]:
        """Return scaled Jacobians at a pose: "q" of positions, "u" of constraint forces."""
        given = {"q": (self._jacobian, self._slides), "u": (self._columns, self._slips)}
        found = {group: (self._compute(pose, rows)[0], own) for group, (rows, own) in given.items()}
        return {group: self._scale_by_levers(*pair)[0] for group, pair in found.items()}

    def _scale_by_levers(self, rows: np.ndarray, slides: np.ndarray) -> tuple[np.ndarray, float]:
        """Return rows scaled by each loop's largest lever arm, and the median lever arm."""
        levers = [abs(rows[own][:, ~slides]).max(initial=0) for own in self._distances]
        length = float(np.median([lever for lever in levers if lever] or [1]))
        rows = rows * np.where(slides, length, 1)
        for own, lever in zip(self._distances, levers, strict=True):
            rows[own] /= lever or length
        return rows, length

    def _length_at(self, pose: np.ndarray) -> float:
        return self._scale_by_levers(self._compute(pose, self._jacobian)[0], self._slides)[1]

    def _compute(
        self, pose: np.ndarray, rows: Sequence[Sequence[Scalar]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of a matrix at a pose, and the sizes of the terms in its entries."""
        given = zip(self.coordinates, pose, strict=True)
        states = DoubleStates(self._graph, {q: np.array([value]) for q, value in given})
        samples = [states.samples(row) for row in rows]
        values = np.array([[x.value[0].real for x in row] for row in samples])
        return values, np.array([[x.scale[0] for x in row] for row in samples])

    def close_near(self, pose: np.ndarray, reach: float = REACH) -> tuple[np.ndarray, float]:
        """Return an assembled pose and its largest residual, from a random pose within a reach."""
        from scipy.optimize import least_squares  # slow to import

        units = np.where(self._slides, self._length_at(pose), 1)
        if not len(pose):  # a search over nothing is an error with numpy 2.2 and older
            return self._polish(pose, units)
        drawn = np.random.default_rng(1).uniform(-reach, reach, len(pose))
        start = pose + drawn * units
        scales = self.errors_at(start)[1]
        found = least_squares(
            lambda x: self.errors_at(start + x * units)[0] / scales,
            np.zeros(len(pose)),
            lambda x: self._compute(start + x * units, self._jacobian)[0] * units / scales[:, None],
            **dict.fromkeys(("xtol", "ftol", "gtol"), EXACTLY_CLOSED),
        )
        return self._polish(start + found.x * units, units)

    def _polish(self, pose: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, float]:
        """Return a pose after Newton's steps while these improve it, and its largest residual."""
        # At the limit of a loop's reach the equations have a double root: each step halves the
        # distance from it, and a least-squares search ends too early.
        errors, scales = self.errors_at(pose)
        left = float((abs(errors) / scales).max())
        while left > EXACTLY_CLOSED:
            slopes = self._compute(pose, self._jacobian)[0] * units / scales[:, None]
            step = np.linalg.lstsq(slopes, errors / scales, rcond=EXACTLY_CLOSED)[0]
            errors, scales = self.errors_at(pose - step * units)
            if (rest := float((abs(errors) / scales).max())) >= left:
                break
            pose, left = pose - step * units, rest
        return pose, left


def _find_nearest(
    equations: _Equations, poses: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the first pose near which loops close, or the best, its closed state, the residual."""
    found = list[tuple[np.ndarray, np.ndarray, float]]()
    for pose in poses:
        found.append((pose, *equations.close_near(pose)))
        if found[-1][2] <= NEARLY_CLOSED:
            break
    return min(found, key=lambda x: x[2])


def _relax(loops: list[Any], surplus: dict[int, np.ndarray]) -> list[str]:
    """Reduce loop joints to independent directions; return texts of the removed parts."""
    removed = []
    for k, directions in surplus.items():
        loop = loops[k]
        removed.append(
            f"a part of {loop.name}, which others hold to {ROUNDED_POINTS:.0e} of the lengths"
        )
        loops[k] = None
        if len(directions):
            kind = ("point_on_plane", "point_on_line")[len(directions) - 1]
            axis = directions[0] if len(directions) == 1 else np.cross(*directions)
            ends = loop.parent, loop.child, kind, loop.parent_point, loop.child_point
            frame = loop.parent_interframe
            direction = vector_of(axis.tolist(), frame)
            loops[k] = LoopJoint(loop.name, *ends, parent_interframe=frame, joint_axis=direction)
    loops[:] = filter(None, loops)
    return removed


def _list_candidates(system: System, group: str) -> Iterator[Expr]:
    """Yield coordinates or speeds from the last joint on, a quaternion's scalar part first."""
    for joint in reversed(system.joints):
        symbols = [*reversed(joint.speeds if group == "u" else joint.coordinates)]
        if len(symbols) > len(joint.speeds):
            symbols.insert(0, symbols.pop(3))
        yield from symbols


def _choose_dependent(rows: np.ndarray, at_pose: np.ndarray) -> list[int]:
    """Return the indices of the first independent rows: of the dependent coordinates."""
    # The other coordinates must determine the motion at the pose, which fails at a dead centre:
    # then the null space of the Jacobian, restricted to them, is singular.
    sizes = np.linalg.svd(rows, compute_uv=False)
    largest = sizes.max(initial=0)
    rank, chosen = int((sizes > SINGULAR_POSE * largest).sum()), list[int]()
    axes, there, _ = np.linalg.svd(at_pose)
    is_regular = rank and there[rank - 1] > SINGULAR_POSE * there[0]  # else dead for all of them
    motions = axes[:, rank if is_regular else len(axes) :]
    for least in (REGULAR, SINGULAR_POSE):
        for k in range(len(rows)):
            if len(chosen) < rank and k not in chosen:
                values = np.linalg.svd(rows[[*chosen, k]], compute_uv=False)
                rest = np.linalg.svd(np.delete(motions, [*chosen, k], axis=0), compute_uv=False)
                is_alive = least < REGULAR or rest.min(initial=1) > DEAD_CENTER
                if values[-1] > least * largest and is_alive:
                    chosen.append(k)
    return chosen
