"""The rows of limits, ``row @ forces <= top``, at the poses of a motion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy.physics.vector import Vector

from ..checks.tolerances import ROUNDING
from ..mechanics.methods.inverse_dynamics import InverseDynamics
from ..records.wrench_components import COMPONENTS
from ..tracking.external_wrench import ExternalWrench
from .limit import ContactLimit, Limit
from .statics import Statics


@dataclass(frozen=True)
class LimitRows:
    """Inequalities of some forces: coefficients (samples or 1, rows, columns), tops and names."""

    columns: list[int]
    coefficients: np.ndarray
    tops: np.ndarray
    names: list[str]


class LimitPoses:
    """Positions of points, directions and rotations of frames in a motion, all on ground."""

    def __init__(self, idyn: InverseDynamics, limits: Sequence[Limit], statics: Statics) -> None:
        self._origin: Any = statics.tree.system.fixed_point if statics.tree.system else None
        self._tree = statics.tree
        self.points, self.frames = {"origin": self._origin}, dict[str, Any]()
        for k, limit in enumerate(limits):
            joint = self.joint_of(limit, statics)
            is_contact = isinstance(limit, ContactLimit)
            if joint is not None and (is_contact or limit.frame is not None):
                place = statics.joints.index(joint)
                self.frames[f"own{k}"] = self._tree.wrench_frames[place]
            if isinstance(limit, ContactLimit):
                self._enter_contact(k, limit, joint)
            elif limit.frame is not None:
                self.frames[f"frame{k}"] = limit.frame
        self._kinematics = (
            idyn.kinematics(self.points, self.frames)
            if self.frames or len(self.points) > 1
            else None
        )

    def joint_of(self, limit: Limit, statics: Statics) -> Any:
        """Return the joint of a limit; None for a force or an ExternalWrench."""
        if isinstance(limit.source, ExternalWrench):
            return None
        columns = statics.columns_of("limits", limit.source)
        return statics.joints[columns[0] // 6] if len(columns) == 6 else None

    def _enter_contact(self, k: int, limit: ContactLimit, joint: Any) -> None:
        normal = limit.normal
        if normal is None:
            normal = -(self._tree.assigned.gravity or Vector(0))
        if normal == Vector(0):
            raise ValueError(
                f"`normal` of the contact {limit.name} must have a direction, since the model has "
                "no gravity against which it would push. Use Limit.contact(..., normal=ground.z)."
            )
        self.points[f"normal{k}"] = self._origin.locatenew(f"normal{k}", normal)
        if limit.sole and getattr(joint, "kind", "") == "contact":
            raise ValueError(
                f"`sole` must be of a joint that transmits moments, but {joint.name} is a Contact "
                "at a point. Use a LoopJoint of the kind 'weld', or several contacts."
            )
        if limit.sole and joint is not None:
            self.points[f"about{k}"] = joint.child_point
        for n, corner in enumerate(limit.sole):
            self.points[f"sole{k}_{n}"] = corner

    def evaluate(self, states: Sequence[Any], given: dict[str, Any]) -> None:
        """Find all poses in a motion."""
        if self._kinematics is not None:
            names: Any = ["positions", "orientations"][: 1 + bool(self.frames)]
            found = self._kinematics.compile(names, backend="numpy")(*states, **given)
            positions = found.positions.reshape(-1, len(self.points), 3)
            self._places = dict(zip(self.points, positions.swapaxes(0, 1), strict=True))
            if self.frames:
                turns = found.orientations.reshape(-1, len(self.frames), 3, 3)
                self._turns = dict(zip(self.frames, turns.swapaxes(0, 1), strict=True))

    def place(self, name: str) -> np.ndarray:
        """Return a point's positions (samples, 3) from the ground origin."""
        return (
            self._places[name] - self._places["origin"]
            if name in self._places
            else np.zeros((1, 3))
        )

    def turn(self, name: str) -> np.ndarray:
        """Return a frame's rotations (samples, 3, 3), ``v_ground = R @ v_frame``."""
        return self._turns[name] if name in self.frames else np.eye(3)[None]


def rows_of(limit: Limit, k: int, statics: Statics, poses: LimitPoses) -> LimitRows:
    """Return the rows of a limit, which is number ``k``."""
    if isinstance(limit, ContactLimit):
        return _rows_of_contact(limit, k, statics, poses)
    columns = statics.columns_of("limits", limit.source)
    if len(columns) == 6 and limit.component is None:
        columns = [_of_motor(limit, statics.joints[columns[0] // 6], statics)]
    elif len(columns) == 1 and limit.component is not None:
        raise ValueError(f"`component` must be None for {limit.name}, which has one value.")
    row = np.ones((1, 1))
    if limit.component is not None:
        row = np.eye(6)[None, COMPONENTS.index(limit.component)]
        if limit.frame is not None:
            turn = poses.turn(f"own{k}").swapaxes(-1, -2) @ poses.turn(f"frame{k}")
            row = np.concatenate([turn @ row[0, :3], turn @ row[0, 3:]], axis=-1)
    sides = [(1, limit.high, "at most"), (-1, -limit.low, "at least")]
    kept = [(sign, top, word) for sign, top, word in sides if np.isfinite(top)]
    return LimitRows(
        columns,
        np.stack([sign * row for sign, _, _ in kept], axis=1)
        if kept
        else np.zeros((1, 0, len(columns))),
        np.array([top for _, top, _ in kept]),
        [f"{limit.name} {word} {sign * top + 0.0:g}" for sign, top, word in kept],
    )


def _of_motor(limit: Limit, joint: Any, statics: Statics) -> int:
    speeds = [u for u in statics.tree.speeds if u in list(getattr(joint, "speeds", ()))]
    if len(speeds) != 1:
        raise ValueError(
            f"`component` must be one of {' '.join(COMPONENTS)} for the joint {joint.name}, which "
            f"has {len(speeds)} speeds, so that no generalized force is meant."
        )
    return statics.columns_of("limits", speeds[0])[0]


def _rows_of_contact(limit: ContactLimit, k: int, statics: Statics, poses: LimitPoses) -> LimitRows:
    """Return the rows of the force F and moment M about the reference point, both on ground."""
    # lifts off: -n F <= 0; slips: (t - mu n) F <= 0 for t around n; tips: for each side of the sole
    # with the direction m along it, m M_p = m M + (m x (r - p)) F <= 0 about a corner p
    normal = _unit(poses.place(f"normal{k}"))
    forces = [-normal]
    names = ["lifts off"]
    if limit.friction is not None:
        across, other = _tangents(normal)
        shrunk = limit.friction * np.cos(np.pi / limit.sides)
        for angle in np.pi * (2 * np.arange(limit.sides) + 1) / limit.sides:
            forces.append(np.cos(angle) * across + np.sin(angle) * other - shrunk * normal)
        names += ["slips"] * limit.sides
    moments = [np.zeros_like(x) for x in forces]
    if limit.sole:
        corners = [poses.place(f"sole{k}_{n}") for n in range(len(limit.sole))]
        for corner, along in _sides(limit, corners, normal):
            moments.append(along)
            forces.append(np.cross(along, poses.place(f"about{k}") - corner))
            names.append("tips")
    parts = np.broadcast_arrays(*forces, *moments)
    turn = poses.turn(f"own{k}")
    both = [np.stack(x, axis=1) @ turn for x in (parts[: len(names)], parts[len(names) :])]
    coefficients = np.concatenate(both, axis=-1)
    if isinstance(limit.source, ExternalWrench):
        kept = [COMPONENTS.index(x) for x in limit.source.components]
        columns = [statics.columns_of("limits", x)[0] for x in limit.source.symbols]
        coefficients = coefficients[..., kept]
    else:
        columns = statics.columns_of("limits", limit.source)
        if len(columns) == 1:
            raise ValueError(f"`contact` must be a joint or an ExternalWrench, got {limit.name}.")
    return LimitRows(
        columns, coefficients, np.zeros(len(names)), [f"{limit.name} {x}" for x in names]
    )


def _sides(
    limit: ContactLimit, corners: list[np.ndarray], normal: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return a corner of each side of a sole with the direction about which it would tip."""
    flat = [x - _dot(x, normal) * normal for x in corners]
    sides = [y - x for x, y in zip(flat, flat[1:] + flat[:1], strict=True)]
    lengths = np.array([np.linalg.norm(x, axis=-1) for x in sides])
    if not (lengths > ROUNDING * lengths.max(axis=0)).all():
        raise ValueError(f"`sole` of {limit.name} must have different corners across its normal.")
    if len(flat) == 2:
        along = _unit(np.cross(sides[0], normal))
        return [(corners[1], along), (corners[0], -along)]
    edges = [_unit(x) for x in sides]
    turns = np.array(
        [
            _dot(np.cross(x, y), normal)[..., 0]
            for x, y in zip(edges, edges[1:] + edges[:1], strict=True)
        ]
    )
    if not ((turns > -ROUNDING).all(axis=0) | (turns < ROUNDING).all(axis=0)).all():
        raise ValueError(f"`sole` of {limit.name} must be convex, with its corners in their order.")
    sign = -np.sign(turns.sum(axis=0))[:, None]
    return [(corner, sign * edge) for corner, edge in zip(corners, edges, strict=True)]


def _tangents(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two directions across a normal, along the axes of ground where that is possible."""
    axes = np.eye(3)[abs(normal).argmin(axis=-1)]
    one = _unit(axes - _dot(normal, axes) * normal)
    return one, np.cross(normal, one)


def _dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return (left * right).sum(axis=-1, keepdims=True)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
