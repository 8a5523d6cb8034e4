"""The rows of limits, ``row @ forces <= top``, at the poses of a motion."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy.physics.vector import Vector

from .. import ExternalWrench, InverseDynamics
from ..checks.tolerances import ROUNDING
from ..extend import check_oriented, check_path
from ..records.wrench_components import COMPONENTS
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
    """Positions of points and rotations of frames in a motion, on ground."""

    def __init__(self, idyn: InverseDynamics, limits: Sequence[Limit], statics: Statics) -> None:
        tree = statics.tree
        self._points = dict[str, Any](origin=tree.ground_origin)
        self._frames = {"ground": tree.frame}
        for k, limit in enumerate(limits):
            joint = statics.joint_of(limit.source)
            if joint is not None and (isinstance(limit, ContactLimit) or limit.frame):
                self._frames[f"own{k}"] = tree.wrench_frames[statics.joints.index(joint)]
            if limit.frame:
                self._frames[f"frame{k}"] = check_oriented("frame", limit.frame, tree.frame)
            if isinstance(limit, ContactLimit):
                self._enter_contact(k, limit, joint, tree.assigned.gravity)
        self._idyn = idyn

    def _enter_contact(self, k: int, limit: ContactLimit, joint: Any, gravity: Any) -> None:
        """Add the points of a contact limit, which is number ``k``, or raise a ValueError.

        The points are the reference point, the corners of the sole, and a point whose position from
        the ground origin is the normal.  The normal must have a direction, and a contact at a point
        can have no sole.
        """
        normal = -(gravity or Vector(0)) if limit.normal is None else limit.normal
        if normal == Vector(0):
            raise ValueError(
                f"`normal` of the contact {limit.name} must have a direction, since the model has "
                "no gravity against which it would push. Use Limit.contact(..., normal=ground.z)."
            )
        for _, frame in normal.args:
            check_oriented("normal", frame, self._frames["ground"])
        for corner in limit.sole:
            check_path("sole", corner, self._points["origin"])
        if limit.sole and getattr(joint, "kind", "") == "contact":
            raise ValueError(
                f"`sole` must be of a joint that transmits moments, but {joint.name} is a Contact "
                "at a point. Use a LoopJoint of the kind 'weld', or several contacts."
            )
        self._points[f"normal{k}"] = self._points["origin"].locatenew(f"normal{k}", normal)
        self._points[f"about{k}"] = joint.child_point if joint else self._points["origin"]
        self._points |= {f"sole{k}_{n}": corner for n, corner in enumerate(limit.sole)}

    def evaluate(self, states: Sequence[Any], given: dict[str, Any]) -> None:
        """Find all poses in a motion."""
        if len(self._points) + len(self._frames) > 2:
            kinematics = self._idyn.kinematics(self._points, self._frames)
            names: Any = ["positions", "orientations"]
            found = kinematics.compile(names, backend="numpy")(*states, **given)
            places = found.positions.reshape(-1, len(self._points), 3).swapaxes(0, 1)
            turns = found.orientations.reshape(-1, len(self._frames), 3, 3).swapaxes(0, 1)
            self._places = dict(zip(self._points, places - places[:1], strict=True))
            self._turns = dict(zip(self._frames, turns, strict=True))

    def place(self, name: str) -> np.ndarray:
        """Return a point's positions (samples, 3) from the ground origin."""
        return self._places[name]

    def turn(self, name: str) -> np.ndarray:
        """Return a frame's rotations (samples, 3, 3), ``v_ground = R @ v_frame``."""
        return self._turns.get(name, self._turns["ground"])


def rows_of(limit: Limit, k: int, statics: Statics, poses: LimitPoses) -> LimitRows:
    """Return the rows of a limit, which is number ``k``."""
    if isinstance(limit, ContactLimit):
        return _rows_of_contact(limit, k, statics, poses)
    columns, row = statics.columns_of("limits", limit.source), np.ones((1, 1))
    if limit.component is None and len(columns) == 6:
        columns = [_of_motor(limit, statics.joints[columns[0] // 6], statics)]
    elif limit.component is not None:
        if len(columns) == 1:
            raise ValueError(f"`component` must be None for {limit.name}, which has one value.")
        row = np.eye(6)[None, COMPONENTS.index(limit.component)]
        if limit.frame is not None:
            turn = poses.turn(f"own{k}").swapaxes(-1, -2) @ poses.turn(f"frame{k}")
            row = np.concatenate([turn @ row[0, :3], turn @ row[0, 3:]], axis=-1)
    bounds = (1.0, limit.high, "at most"), (-1.0, limit.low, "at least")
    signs, tops, words = zip(*(own for own in bounds if np.isfinite(own[1])), strict=True)
    coefficients = np.array(signs)[:, None] * row[:, None]
    names = [f"{limit.name} {word} {top:g}" for word, top in zip(words, tops, strict=True)]
    return LimitRows(columns, coefficients, np.multiply(signs, tops), names)


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
    forces, names = [-normal], ["lifts off"]
    if limit.friction is not None:
        across, other = _tangents(normal)
        shrunk = limit.friction * np.cos(np.pi / limit.sides)
        for angle in np.pi * (2 * np.arange(limit.sides) + 1) / limit.sides:
            forces.append(np.cos(angle) * across + np.sin(angle) * other - shrunk * normal)
        names += ["slips"] * limit.sides
    moments = [np.zeros_like(x) for x in forces]
    for corner, along in _sides(limit, k, normal, poses):
        moments.append(along)
        forces.append(np.cross(along, poses.place(f"about{k}") - corner))
        names.append("tips")
    parts = np.broadcast_arrays(*forces, *moments)
    both = (parts[: len(names)], parts[len(names) :])
    coefficients = np.concatenate([np.stack(x, axis=1) @ poses.turn(f"own{k}") for x in both], -1)
    columns = statics.columns_of("limits", limit.source)
    if isinstance(limit.source, ExternalWrench):
        coefficients = coefficients[..., [COMPONENTS.index(x) for x in limit.source.components]]
    elif len(columns) == 1:
        raise ValueError(f"`contact` must be a joint or an ExternalWrench, got {limit.name}.")
    texts = [f"{limit.name} {x}" for x in names]
    return LimitRows(columns, coefficients, np.zeros(len(names)), texts)


def _sides(
    limit: ContactLimit, k: int, normal: np.ndarray, poses: LimitPoses
) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    """Return a corner of each side of a sole with the direction about which it would tip."""
    if not limit.sole:
        return ()
    corners = [poses.place(f"sole{k}_{n}") for n in range(len(limit.sole))]
    flat = np.array([x - _dot(x, normal) * normal for x in corners])
    edges = np.roll(flat, -1, axis=0) - flat
    lengths = np.linalg.norm(edges, axis=-1, keepdims=True)
    if not (lengths > ROUNDING * lengths.max(axis=0)).all():
        raise ValueError(f"`sole` of {limit.name} must have different corners across its normal.")
    edges = edges / lengths
    if len(corners) == 2:
        return zip(corners, np.cross(normal, edges), strict=True)
    turns = _dot(np.cross(edges, np.roll(edges, -1, axis=0)), normal)
    if not ((turns > -ROUNDING).all(axis=0) | (turns < ROUNDING).all(axis=0)).all():
        raise ValueError(f"`sole` of {limit.name} must be convex, with its corners in their order.")
    return zip(corners, -np.sign(turns.sum(axis=0)) * edges, strict=True)


def _tangents(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two directions across a normal, along the axes of ground where that is possible."""
    axes = np.eye(3)[abs(normal).argmin(axis=-1)]
    one = _unit(axes - _dot(normal, axes) * normal)
    return one, np.cross(normal, one)


def _dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return (left * right).sum(axis=-1, keepdims=True)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
