"""The state vectors of Pinocchio and MuJoCo, and their conversion, also for batches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Matrix, lambdify
from sympy.physics.mechanics import PlanarJoint, System
from sympy.physics.mechanics.joint import Joint

from ..checks.numbers import check_finite_or_nan, real_array
from ..models.free_joint import FreeJoint
from ..models.quaternion_joint import QuaternionJoint


class StateVectors(NamedTuple):
    """The vectors of a motion and its forces; None for missing vectors.

    Attributes
    ==========

    q, u, udot : numpy.ndarray, shapes (..., n_q), (..., n) and (..., n)
        Coordinates, speeds and accelerations.
    forces : numpy.ndarray, shape (..., n)
        Generalized forces.
    wrenches : numpy.ndarray, shape (..., joints, 6)
        The joint wrenches of `ModelFromFile.to_pinocchio`, or the wrenches of bodies of
        `ModelFromFile.to_mujoco`.
    """

    q: np.ndarray
    u: np.ndarray | None = None
    udot: np.ndarray | None = None
    forces: np.ndarray | None = None
    wrenches: np.ndarray | None = None


Change = Callable[[StateVectors], StateVectors]

#: Speeds, accelerations and forces; None for missing vectors.
Vectors = tuple[np.ndarray | None, ...]


@dataclass(frozen=True)
class JointConvention:
    """The conversion of one joint's entries in the vectors to another package and back.

    Attributes
    ==========

    coordinates, speeds : Matrix
        The joint's coordinates and speeds here.
    export, import_ : function of StateVectors
        The conversions to and from the package.
    extra : int
        The number of additional coordinates in the package.
    """

    coordinates: Matrix
    speeds: Matrix
    export: Change
    import_: Change
    extra: int = 0


class Follower:
    """The conversion of a dependent joint, which is an independent joint in the package.

    Parameters
    ==========

    formula : Expr
        The joint's coordinate, of coordinates of this model.
    rates : mapping of Expr to Expr
        The speeds of this model's coordinates.
    is_circle : bool
        Whether the package uses the cosine and the sine of the coordinate.
    """

    # The force of the joint in the package adds to the forces of the joints that move it, by equal
    # virtual work.

    def __init__(self, formula: Expr, rates: Mapping[Expr, Expr], is_circle: bool) -> None:
        self.extra = int(is_circle)
        leaders = [q for q in rates if formula.has(q)] or [*rates][:1]
        self.coordinates, self.speeds = Matrix(leaders), Matrix([rates[q] for q in leaders])
        derivatives = [formula.diff(q) for q in leaders]
        hessian = [[slope.diff(q) for q in leaders] for slope in derivatives]
        self._value, self._derivatives, self._hessian = (
            lambdify([leaders], x) for x in (formula, derivatives, hessian)
        )

    def derivatives(self, q: np.ndarray) -> np.ndarray:
        """Return the joint's derivatives by the coordinates that move it, (..., leaders)."""
        return _stack(self._derivatives(np.moveaxis(q, -1, 0)), q)

    def export(self, own: StateVectors) -> StateVectors:
        """Return the joint's entries in the package from its leaders' entries, without a force."""
        # q = f(l), u = f' u_l, udot = f' udot_l + u_l^T f'' u_l
        q, u, udot, forces, _ = own
        along = np.moveaxis(q, -1, 0)
        hessian = np.stack([_stack(row, q) for row in self._hessian(along)], axis=-1)
        derivatives = self.derivatives(q)
        moved = None if u is None else (derivatives * u).sum(-1, keepdims=True)
        rate = None
        if u is not None and udot is not None:
            bent = np.einsum("...i,...ij,...j", u, hessian, u)
            rate = ((derivatives * udot).sum(-1) + bent)[..., None]
        none = None if forces is None else 0 * forces[..., :1]
        found = StateVectors(_stack([self._value(along)], q), moved, rate, none)
        return _export_circle(found) if self.extra else found


def _stack(values: Sequence[Any], q: np.ndarray) -> np.ndarray:
    """Return numbers or arrays of samples, stacked along a new last axis."""
    return np.stack([value + 0 * q[..., 0] for value in values], axis=-1)


class Convention:
    """The conversion of a System's vectors to another package, with joints as in ``forms``."""

    def __init__(self, system: System, forms: Sequence[JointConvention | Follower]) -> None:
        coordinates, speeds = list(system.q), list(system.u)
        self._sizes = len(coordinates), len(speeds)
        q = ([coordinates.index(x) for x in form.coordinates] for form in forms)
        u = ([speeds.index(x) for x in form.speeds] for form in forms)
        self._parts = list(zip(forms, q, u, strict=True))

    def export(self, vectors: StateVectors) -> StateVectors:
        """Return the package's vectors from this model's."""
        vectors = _check(vectors, self._sizes, StateVectors._fields[:4])
        parts = [form.export(_take_part(vectors, q, u)) for form, q, u in self._parts]
        joined = (
            None if x is None else np.concatenate([x[..., :0], *(part[k] for part in parts)], -1)
            for k, x in enumerate(vectors[:4])
        )
        return StateVectors(*joined)  # type: ignore[arg-type]  # q is never missing

    def import_(self, **theirs: Any) -> StateVectors:
        """Return this model's vectors from vectors of the package, by the package's names."""
        slices = list(self._slices())
        sizes = (slices[-1][0][-1] + 1, slices[-1][1][-1] + 1) if slices else (0, 0)
        vectors = _check(state_vectors(**theirs), sizes, [*theirs])
        shape = vectors.q.shape[:-1]
        others = (None if x is None else np.zeros((*shape, self._sizes[1])) for x in vectors[1:4])
        ours = StateVectors(np.zeros((*shape, self._sizes[0])), *others)
        for (form, q, u), where in zip(self._parts, slices, strict=True):
            if isinstance(form, JointConvention):
                part = form.import_(_take_part(vectors, *where))
                for whole, piece, places in zip(ours[:4], part[:4], (q, u, u, u), strict=True):
                    if whole is not None:
                        whole[..., places] = piece
        own, forces = ours.forces, vectors.forces
        for (form, q, u), (_, place) in zip(self._parts, slices, strict=True):
            if isinstance(form, Follower) and own is not None and forces is not None:
                own[..., u] += form.derivatives(ours.q[..., q]) * forces[..., place]
        return ours

    def _slices(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the indices of each joint in the package's coordinates and speeds."""
        q_start = u_start = 0
        for form, q, u in self._parts:
            is_one = isinstance(form, Follower)
            q_end = q_start + (1 if is_one else len(q)) + form.extra
            u_end = u_start + (1 if is_one else len(u))
            yield list(range(q_start, q_end)), list(range(u_start, u_end))
            q_start, u_start = q_end, u_end


def _take_part(vectors: StateVectors, q: list[int], u: list[int]) -> StateVectors:
    return StateVectors(vectors.q[..., q], *_map_vectors(vectors[1:4], lambda x: x[..., u]))


def state_vectors(**given: Any) -> StateVectors:
    """Return arguments by name as StateVectors; only the first, the coordinates, is required."""
    first, *_ = given
    vectors = (
        check_finite_or_nan(name, real_array(name, x).astype(float))
        if name == first or x is not None
        else None
        for name, x in given.items()
    )
    return StateVectors(*vectors)  # type: ignore[arg-type]  # the first one is never missing


def _check(vectors: StateVectors, sizes: tuple[int, int], names: Sequence[str]) -> StateVectors:
    """Return vectors of some sizes, broadcast to the batch of the coordinates; else refuse them."""
    shape, found = vectors.q.shape[:-1], list[Any]()
    for name, vector, size in zip(names, vectors[:4], (*sizes, *sizes[1:] * 2), strict=True):
        if vector is not None and vector.shape[-1:] != (size,):
            raise ValueError(f"`{name}` must have shape (..., {size}), got {vector.shape}.")
        if vector is not None and vector.shape[:-1] not in ((), shape):
            raise ValueError(
                f"`{name}` must have samples of shape {shape}, got {vector.shape[:-1]}."
            )
        found.append(None if vector is None else np.broadcast_to(vector, (*shape, size)))
    if vectors.udot is not None and vectors.u is None:
        raise ValueError(
            f"`{names[1]}` must be given with `{names[2]}`, which depends on it. Use both."
        )
    return StateVectors(*found)


# -- forms ----------------------------------------------------------------------------


def find_convention(joint: Joint, package: str, kind: str) -> JointConvention:
    """Return the conversion of a joint of a type (``kind``) in the file to a package."""
    if isinstance(joint, FreeJoint):
        kind = "free" if joint.rotation == "quaternion" else ""
    elif isinstance(joint, QuaternionJoint):
        kind = "ball"
    elif isinstance(joint, PlanarJoint):
        kind = "planar"
    changes = CHANGES.get((package, kind))
    if len(joint.coordinates) > 1 and changes is None:
        raise ValueError(
            f"the joint {joint.name!r} must have a counterpart in {package}, but {joint} has "
            f"{len(joint.coordinates)} coordinates of its own. Convert them by hand."
        )
    return JointConvention(joint.coordinates, joint.speeds, *(changes or (_keep, _keep)))


def _keep(own: StateVectors) -> StateVectors:
    return own


def _normalise_from(start: int, shift: int = 0) -> Change:
    """Return a conversion of the quaternion at the end of q, from an index on.

    It becomes a unit quaternion whose entries are shifted cyclically.
    """

    def change(own: StateVectors) -> StateVectors:
        quaternion = np.roll(_normalise(own.q[..., start:]), shift, axis=-1)
        return own._replace(q=np.append(own.q[..., :start], quaternion, axis=-1))

    return change


def _roll_by(shift: int) -> Change:
    """Return a conversion that shifts the entries of each vector cyclically."""
    rolled = partial(np.roll, shift=shift, axis=-1)  # q, the first one, is never missing
    return lambda own: StateVectors(*_map_vectors(own[:4], rolled))  # type: ignore[arg-type]


def _export_circle(own: StateVectors) -> StateVectors:
    return own._replace(q=np.append(np.cos(own.q), np.sin(own.q), axis=-1))


def _import_circle(own: StateVectors) -> StateVectors:
    cosine, sine = np.split(_normalise(own.q), 2, axis=-1)
    return own._replace(q=np.arctan2(sine, cosine))


def _export_free(own: StateVectors) -> StateVectors:
    """Return a free joint's vectors with their linear parts in the child's frame.

    The linear velocity and acceleration are ``v' = R^T v`` and ``a' = R^T a - w x v'``.
    """
    q = _normalise_from(3, -1)(own).q
    inverse = np.roll(q[..., 3:], 1, axis=-1) * [1, -1, -1, -1]
    vectors = _rotate_linear(own[1:4], partial(_rotate, inverse), 3)
    return StateVectors(q, *_add_cross(vectors, 3, -1))


def _import_free(own: StateVectors) -> StateVectors:
    q = _normalise_from(3, 1)(own).q
    vectors = _rotate_linear(_add_cross(own[1:4], 3, 1), partial(_rotate, q[..., 3:]), 3)
    return StateVectors(q, *vectors)


def _export_planar(own: StateVectors) -> StateVectors:
    """Return the state of a planar joint in the form of Pinocchio.

    Coordinates (angle, x, y) become (x, y, cosine, sine); speeds become the velocity along x and y
    of the child's frame, and the rate of the angle.
    """
    angle = own.q[..., :1]
    vectors = _rotate_linear(_roll_by(-1)(own)[1:4], partial(_rotate_in_plane, -angle), 2)
    q = np.concatenate([own.q[..., 1:], np.cos(angle), np.sin(angle)], axis=-1)
    return StateVectors(q, *_add_cross(vectors, 2, -1))


def _import_planar(own: StateVectors) -> StateVectors:
    angle = _import_circle(StateVectors(own.q[..., 2:])).q
    vectors = _rotate_linear(_add_cross(own[1:4], 2, 1), partial(_rotate_in_plane, angle), 2)
    return _roll_by(1)(StateVectors(np.append(own.q[..., :2], angle, axis=-1), *vectors))


def _rotate_linear(vectors: Vectors, turn: Callable[..., np.ndarray], size: int) -> Vectors:
    """Return vectors with their linear parts, the first ``size`` entries, rotated."""
    return _map_vectors(vectors, lambda x: np.append(turn(x[..., :size]), x[..., size:], axis=-1))


def _map_vectors(vectors: Vectors, change: Callable[[np.ndarray], np.ndarray]) -> Vectors:
    return tuple(None if x is None else change(x) for x in vectors)


def _add_cross(vectors: Vectors, size: int, sign: int) -> Vectors:
    """Return vectors in the child's frame with ``sign * w x v`` added to linear accelerations."""
    u, udot, forces = vectors
    if u is None or udot is None:
        return vectors
    v, w = u[..., :size], u[..., size:]
    cross = np.cross(w, v) if size == 3 else w * _quarter_turn(v)
    return u, np.append(udot[..., :size] + sign * cross, udot[..., size:], axis=-1), forces


def _rotate(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    scalar, axis = quaternion[..., :1], quaternion[..., 1:]
    twice = 2 * np.cross(axis, vector)
    return vector + scalar * twice + np.cross(axis, twice)


def _rotate_in_plane(angle: np.ndarray, plane: np.ndarray) -> np.ndarray:
    return np.cos(angle) * plane + np.sin(angle) * _quarter_turn(plane)


def _quarter_turn(plane: np.ndarray) -> np.ndarray:
    return np.stack([-plane[..., 1], plane[..., 0]], axis=-1)


def _normalise(vector: np.ndarray) -> np.ndarray:
    """Return vectors of unit length: quaternions, or pairs of a cosine and a sine."""
    sizes = np.linalg.norm(vector, axis=-1, keepdims=True)
    if not sizes.all():
        raise ValueError(
            "`q` must have unit quaternions, and a cosine and a sine of each angle on a "
            "circle, got zeros. Use pinocchio.neutral(model), or robot.reference."
        )
    return vector / sizes


#: The arguments of JointConvention by package and kind of joint: export, import_, and extra.
CHANGES: dict[tuple[str, str], Any] = {
    ("Pinocchio", "free"): (_export_free, _import_free),
    ("Pinocchio", "ball"): (_normalise_from(0, -1), _normalise_from(0, 1)),
    ("Pinocchio", "planar"): (_export_planar, _import_planar, 1),
    ("Pinocchio", "continuous"): (_export_circle, _import_circle, 1),
    ("MuJoCo", "free"): (_normalise_from(3), _normalise_from(3)),
    ("MuJoCo", "ball"): (_normalise_from(0), _normalise_from(0)),
    ("MuJoCo", "planar"): (_roll_by(-1), _roll_by(1)),  # two slides and a hinge
}
