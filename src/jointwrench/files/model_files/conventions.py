"""The vectors of Pinocchio and MuJoCo, and how ours become those: whole batches at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Matrix, lambdify
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import PlanarJoint, System
from sympy.physics.mechanics.joint import Joint

from ...checks.numbers import known_or_missing, real_array
from ...models.free_joint import FreeJoint
from ...models.quaternion_joint import QuaternionJoint


class StateVectors(NamedTuple):
    """What describes a motion and its forces; None for what was not given.

    Attributes
    ==========

    q, u, udot : numpy.ndarray, shapes (..., n_q), (..., n) and (..., n)
        Coordinates, speeds and accelerations.
    forces : numpy.ndarray, shape (..., n)
        Generalized forces.
    """

    q: np.ndarray
    u: np.ndarray | None = None
    udot: np.ndarray | None = None
    forces: np.ndarray | None = None


Change = Callable[[StateVectors], StateVectors]


@dataclass(frozen=True)
class JointConvention:
    """How a joint's part of the vectors looks elsewhere, where it has ``extra`` coordinates more.

    ``outward`` and ``inward`` lead from ours to theirs and back, in `StateVectors` of the joint.
    """

    coordinates: Matrix
    speeds: Matrix
    outward: Change
    inward: Change
    extra: int = 0


class Follower:
    """The part of a joint that another one moves, which has its own coordinate elsewhere.

    Its force there is one of the joint that moves it here: by the virtual work of both.  The
    coordinate is a ``formula`` of one of ours; ``rates`` are the speeds of our coordinates.
    """

    def __init__(self, formula: Expr, rates: Mapping[Expr, Expr]) -> None:
        leader = next(iter(formula.atoms(AppliedUndef)), next(iter(rates)))
        slopes = formula.diff(leader), formula.diff(leader, 2)
        self.coordinates, self.speeds = Matrix([leader]), Matrix([rates[leader]])
        self.value, self.slope, self.bend = (lambdify(leader, x) for x in (formula, *slopes))

    def outward(self, own: StateVectors) -> StateVectors:
        """Return its part from that of the joint that moves it; without a force."""
        q, u, udot, forces = own
        slope, bend = self.slope(q), self.bend(q)
        return StateVectors(
            self.value(q) + 0 * q,
            None if u is None else slope * u,
            None if udot is None or u is None else slope * udot + bend * u**2,
            None if forces is None else 0 * forces,
        )


class Convention:
    """The vectors of another package, in the order of ``forms``, for the joints of a System."""

    def __init__(self, system: System, forms: Sequence[JointConvention | Follower]) -> None:
        coordinates, speeds = list(system.q), list(system.u)
        self._sizes = len(coordinates), len(speeds)
        self._parts: list[tuple[JointConvention | Follower, list[int], list[int]]] = []
        for form in forms:
            q = [coordinates.index(x) for x in form.coordinates]
            u = [speeds.index(x) for x in form.speeds]
            self._parts.append((form, q, u))

    def outward(self, vectors: StateVectors) -> StateVectors:
        """Return ours as theirs."""
        _check(vectors, self._sizes, StateVectors._fields)
        parts = [form.outward(_part(vectors, q, u)) for form, q, u in self._parts]
        joined = (
            None if vector is None else np.concatenate([part[k] for part in parts], axis=-1)
            for k, vector in enumerate(vectors)
        )
        return StateVectors(*joined)  # type: ignore[arg-type]  # q is never missing

    def inward(self, **theirs: Any) -> StateVectors:
        """Return theirs, by what they are called there, as ours."""
        vectors, slices = state_vectors(**theirs), list(self._slices())
        sizes = (slices[-1][0][-1] + 1, slices[-1][1][-1] + 1) if slices else (0, 0)
        _check(vectors, sizes, [*theirs])
        shape = vectors.q.shape[:-1]
        for name, vector in zip(theirs, vectors, strict=True):
            if vector is not None and vector.shape[:-1] not in ((), shape):
                raise ValueError(f"`{name}` must be of {shape} samples, got {vector.shape[:-1]}.")
        others = (None if x is None else np.zeros((*shape, self._sizes[1])) for x in vectors[1:])
        ours = StateVectors(np.zeros((*shape, self._sizes[0])), *others)
        for (form, q, u), where in zip(self._parts, slices, strict=True):
            if isinstance(form, JointConvention):
                part = form.inward(_part(vectors, *where))
                for whole, own, places in zip(ours, part, (q, u, u, u), strict=True):
                    if whole is not None:
                        whole[..., places] = own
        if ours.forces is not None and vectors.forces is not None:
            for (form, q, u), (_, place) in zip(self._parts, slices, strict=True):
                if isinstance(form, Follower):
                    ours.forces[..., u] += form.slope(ours.q[..., q]) * vectors.forces[..., place]
        return ours

    def _slices(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the places of each joint in their vectors."""
        q_start = u_start = 0
        for form, q, u in self._parts:
            more = form.extra if isinstance(form, JointConvention) else 0
            q_end, u_end = q_start + len(q) + more, u_start + len(u)
            yield list(range(q_start, q_end)), list(range(u_start, u_end))
            q_start, u_start = q_end, u_end


def _part(vectors: StateVectors, q: list[int], u: list[int]) -> StateVectors:
    own = [None if x is None else x[..., u] for x in vectors[1:]]
    return StateVectors(vectors.q[..., q], *own)


def state_vectors(**given: Any) -> StateVectors:
    """Return coordinates and what else is given, by the names of arguments, as arrays."""
    first, *_ = given
    vectors = (
        None
        if x is None and name != first
        else known_or_missing(name, real_array(name, x).astype(float))
        for name, x in given.items()
    )
    return StateVectors(*vectors)  # type: ignore[arg-type]  # the first one is never missing


def _check(vectors: StateVectors, sizes: tuple[int, int], names: Sequence[str]) -> None:
    q_size, u_size = sizes
    for name, vector, size in zip(names, vectors, (q_size, u_size, u_size, u_size), strict=True):
        if vector is not None and vector.shape[-1:] != (size,):
            raise ValueError(f"`{name}` must have shape (..., {size}), got {vector.shape}.")
    if vectors.udot is not None and vectors.u is None:
        raise ValueError(
            f"`{names[1]}` must be given with `{names[2]}`, which depends on it. Give both."
        )


# -- forms ----------------------------------------------------------------------------


def pinocchio_form(joint: Joint, kind: str) -> JointConvention:
    """Return the form of a joint in Pinocchio."""
    if isinstance(joint, FreeJoint) and joint.rotation == "quaternion":
        return JointConvention(joint.coordinates, joint.speeds, _free_outward, _free_inward)
    if isinstance(joint, QuaternionJoint):
        return JointConvention(joint.coordinates, joint.speeds, _ball_outward, _ball_inward)
    if isinstance(joint, PlanarJoint):
        return JointConvention(joint.coordinates, joint.speeds, _planar_outward, _planar_inward, 1)
    if kind == "continuous":
        return JointConvention(joint.coordinates, joint.speeds, _circle_outward, _circle_inward, 1)
    return _scalar_form(joint, "Pinocchio")


def mujoco_form(joint: Joint) -> JointConvention:
    """Return the form of a joint in MuJoCo."""
    if isinstance(joint, FreeJoint) and joint.rotation == "quaternion":
        return JointConvention(joint.coordinates, joint.speeds, _normalised(3), _unchanged)
    if isinstance(joint, QuaternionJoint):
        return JointConvention(joint.coordinates, joint.speeds, _normalised(0), _unchanged)
    if isinstance(joint, PlanarJoint):  # two slides and a hinge
        return JointConvention(joint.coordinates, joint.speeds, _rolled(-1), _rolled(1))
    return _scalar_form(joint, "MuJoCo")


def _scalar_form(joint: Joint, package: str) -> JointConvention:
    if len(joint.coordinates) > 1:
        raise ValueError(
            f"the joint {joint.name!r} must have a counterpart in {package}, but {joint} has "
            f"{len(joint.coordinates)} coordinates of its own. Convert them by hand."
        )
    return JointConvention(joint.coordinates, joint.speeds, _unchanged, _unchanged)


def _unchanged(own: StateVectors) -> StateVectors:
    return own


def _normalised(start: int) -> Change:
    """Return what gives the quaternion that starts at a place unit length."""

    def change(own: StateVectors) -> StateVectors:
        return own._replace(q=np.append(own.q[..., :start], _unit(own.q[..., start:]), axis=-1))

    return change


def _rolled(shift: int) -> Change:
    """Return what shifts the entries of each vector cyclically."""

    def change(own: StateVectors) -> StateVectors:
        q, *others = (None if x is None else np.roll(x, shift, axis=-1) for x in own)
        return StateVectors(q, *others)  # type: ignore[arg-type]  # q is never missing

    return change


def _circle_outward(own: StateVectors) -> StateVectors:
    return own._replace(q=np.append(np.cos(own.q), np.sin(own.q), axis=-1))


def _circle_inward(own: StateVectors) -> StateVectors:
    return own._replace(q=np.arctan2(own.q[..., 1:], own.q[..., :1]))


def _ball_outward(own: StateVectors) -> StateVectors:
    return own._replace(q=np.roll(_unit(own.q), -1, axis=-1))


def _ball_inward(own: StateVectors) -> StateVectors:
    return own._replace(q=np.roll(own.q, 1, axis=-1))


def _free_outward(own: StateVectors) -> StateVectors:
    """The linear parts in the child's frame: ``v' = R^T v``, ``a' = R^T a - w x v'``."""
    quaternion = _unit(own.q[..., 3:])
    back = quaternion * [1, -1, -1, -1]
    u, udot, forces = (_with_turned_start(x, back) for x in own[1:])
    if udot is not None and u is not None:
        udot[..., :3] -= np.cross(u[..., 3:], u[..., :3])
    q = np.append(own.q[..., :3], np.roll(quaternion, -1, axis=-1), axis=-1)
    return StateVectors(q, u, udot, forces)


def _free_inward(own: StateVectors) -> StateVectors:
    quaternion = np.roll(own.q[..., 3:], 1, axis=-1)
    udot = own.udot
    if udot is not None and own.u is not None:
        udot = udot.copy()
        udot[..., :3] += np.cross(own.u[..., 3:], own.u[..., :3])
    q = np.append(own.q[..., :3], quaternion, axis=-1)
    turned = (_with_turned_start(x, quaternion) for x in (own.u, udot, own.forces))
    return StateVectors(q, *turned)


def _planar_outward(own: StateVectors) -> StateVectors:
    """Ours are (angle, x, y); theirs x, y, cosine, sine and (x, y, angle) in the child's frame."""
    angle = own.q[..., :1]
    u, udot, forces = (_with_turned_plane(x, -angle, 1, 0) for x in own[1:])
    if udot is not None and u is not None:
        udot[..., :2] -= u[..., 2:] * _quarter_turn(u[..., :2])
    q = np.concatenate([own.q[..., 1:], np.cos(angle), np.sin(angle)], axis=-1)
    return StateVectors(q, u, udot, forces)


def _planar_inward(own: StateVectors) -> StateVectors:
    angle = np.arctan2(own.q[..., 3:], own.q[..., 2:3])
    udot = own.udot
    if udot is not None and own.u is not None:
        udot = udot.copy()
        udot[..., :2] += own.u[..., 2:] * _quarter_turn(own.u[..., :2])
    q = np.append(angle, own.q[..., :2], axis=-1)
    turned = (_with_turned_plane(x, angle, 0, 1) for x in (own.u, udot, own.forces))
    return StateVectors(q, *turned)


def _with_turned_plane(
    vector: np.ndarray | None, angle: np.ndarray, start: int, new_start: int
) -> np.ndarray | None:
    """Return (angle, x, y) or (x, y, angle) with the plane's part turned and at a new place."""
    if vector is None:
        return None
    plane = vector[..., start : start + 2]
    turned = np.cos(angle) * plane + np.sin(angle) * _quarter_turn(plane)
    rest = vector[..., 2:] if start == 0 else vector[..., :1]
    return np.concatenate([turned, rest] if new_start == 0 else [rest, turned], axis=-1)


def _quarter_turn(plane: np.ndarray) -> np.ndarray:
    return np.stack([-plane[..., 1], plane[..., 0]], axis=-1)


def _with_turned_start(vector: np.ndarray | None, quaternion: np.ndarray) -> np.ndarray | None:
    """Return six entries with the first three turned by a quaternion."""
    if vector is None:
        return None
    scalar, axis, start = quaternion[..., :1], quaternion[..., 1:], vector[..., :3]
    twice = 2 * np.cross(axis, start)
    turned = start + scalar * twice + np.cross(axis, twice)
    return np.append(turned, vector[..., 3:], axis=-1)


def _unit(quaternion: np.ndarray) -> np.ndarray:
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
