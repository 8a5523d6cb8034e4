"""`MuscleGeometry`: lengths and moment arms of a model's muscles, for batches of poses."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr, lambdify
from sympy.physics.vector import Point

from ..checks.arguments import (
    check_different,
    check_known,
    check_mapping,
    check_name_list,
    enumerate_some,
)
from ..checks.numbers import shaped_array
from ..checks.pickles import Pickled
from ..extend import vector_of
from .muscle import Muscle, PathPoint
from .muscle_paths import Frames, Node, Strand, find_strands

OUTPUTS = ("positions", "orientations", "jacobians", "angular_jacobians")

#: The loads (..., 6) of a muscle on bodies, by name of the body.
Pulls = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class MusclePaths(Pickled):
    """The paths of muscles in some poses; the result of a `MuscleGeometry`.

    Parameters
    ==========

    muscles : tuple of str
        The names of the muscles.
    lengths : numpy.ndarray, shape (..., muscles)
        The lengths from end to end, tendons included.
    moment_arms : numpy.ndarray, shape (..., n, muscles)
        The generalized force at each speed per unit of tension: the negative derivative of the
        length with respect to the coordinate whose rate is the speed.
    pulls : tuple of dict of str to numpy.ndarray of shape (..., 6)
        The loads of each muscle on bodies per unit of tension: force, then moment about the origin
        of the body's frame, with components in ground.

    See Also
    ========

    MuscleGeometry : Computes paths.

    Examples
    ========

    >>> import jointwrench as jw
    >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
    >>> paths = jw.musculoskeletal.MuscleGeometry(model, ["soleus_r"])([0.0] * 10)
    >>> paths.lengths.round(4)
    array([0.2931])
    >>> ankle = [*model.coordinates].index("ankle_angle_r")
    >>> paths.moment_arms[ankle].round(4)  # positive angles lift the foot, soleus lowers it
    array([-0.0508])
    """

    muscles: tuple[str, ...]
    lengths: np.ndarray
    moment_arms: np.ndarray
    pulls: tuple[Pulls, ...]

    def __repr__(self) -> str:
        return f"MusclePaths({enumerate_some(self.muscles)}: {self.lengths[..., 0].size} poses)"


class MuscleGeometry(Pickled):
    """Lengths and moment arms of a model's muscles.

    Parameters
    ==========

    model : OsimModel
        A model of `read_osim` that has muscles.
    muscles : iterable of str, optional
        The names of the muscles to include.  Default: all.

    Raises
    ======

    ValueError
        If the model has no muscles, or no muscle of that name.

    See Also
    ========

    MuscleDriven : The muscles as loads.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
    >>> geometry = jw.musculoskeletal.MuscleGeometry(model, ["soleus_r", "tib_ant_r"])
    >>> geometry(np.zeros((3, 10))).moment_arms.shape  # poses, speeds, muscles
    (3, 10, 2)

    Notes
    =====

    Paths are OpenSim's: through points, some of which are active only while a coordinate is within
    a range, and over surfaces.  OpenSim wraps the first piece that must go round a surface, and
    repeats this for several surfaces until the length changes by less than 0.5 mm.  If a path jumps
    from one side of a surface to the other, length and moment arms jump.

    OpenSim's paths on surfaces (4.6) are not exactly the shortest paths, for which moment arms
    would be the negative derivatives of the length.  If a cylinder is a path's only surface,
    OpenSim estimates the positions of the contact points along the axis; on an ellipsoid the path
    lies in a plane; and with several surfaces straight pieces lead to the contact points of the
    first iteration.

    References
    ==========

    .. [1] S. L. Delp, J. P. Loan, A graphics-based software system to develop and analyze models
       of musculoskeletal structures, Comput. Biol. Med. 25 (1995), 21-34.
    """

    def __init__(self, model: Any, muscles: Iterable[str] | None = None) -> None:
        known = getattr(model, "muscles", {})
        if not known:
            raise ValueError(f"`model` must be a model with muscles, got {model!r}.")
        names = list(known) if muscles is None else list(check_name_list("muscles", muscles))
        check_different("muscles", names, "be different")
        check_known("muscles", names, known, "be names of muscles among")
        if not names:
            raise ValueError("`muscles` must be at least one, got none. Leave it out for all.")
        self.muscles: dict[str, Muscle] = {name: known[name] for name in names}
        used = {body for name in names for body in known[name].bodies}
        self.bodies = tuple(name for name in model.bodies if name in used)
        self._q = tuple(model.coordinates.values())
        self._moving = _moving_points(model, self.muscles)
        points = {name: model.origins[name] for name in self.bodies} | self._moving
        frames = {name: model.bodies[name].frame for name in self.bodies}
        kinematics = model.kinematics(points=points, frames=frames)
        self.constants = kinematics.constants
        self._evaluate = kinematics.compile(OUTPUTS)
        self._speeds = len(model.speeds)

    def __repr__(self) -> str:
        return f"MuscleGeometry({enumerate_some(self.muscles)})"

    def __call__(self, q: Any, constants: Mapping[Any, Any] | None = None) -> MusclePaths:
        """Return the `MusclePaths` in poses q (..., n_q).

        ``constants`` are the values of symbols in the positions of points.
        """
        poses = shaped_array("q", q, ..., len(self._q))
        rows = poses.reshape(math.prod(poses.shape[:-1]), poses.shape[-1])
        values = check_mapping("constants", constants).items()
        numbers = {symbol: x for symbol, x in values if symbol in self.constants}
        still = np.zeros((len(rows), self._speeds))
        posed = _PosedBodies(self, rows, self._evaluate(rows, still, still, constants=numbers))
        found = zip(*(posed.evaluate(muscle) for muscle in self.muscles.values()), strict=True)
        shape, count, (lengths, arms, pulls) = poses.shape[:-1], len(self.muscles), found
        return MusclePaths(
            tuple(self.muscles),
            np.stack(lengths, axis=-1).reshape(*shape, count),
            np.stack(arms, axis=-1).reshape(*shape, self._speeds, count),
            tuple({body: x.reshape(*shape, 6) for body, x in own.items()} for own in pulls),
        )

    @cached_property
    def _conditions(self) -> Mapping[Expr, Any]:
        """The formulas in conditions of points, as functions of the coordinates."""
        points = (p for muscle in self.muscles.values() for p in muscle.points if p.condition)
        formulas = dict.fromkeys(p.condition.formula for p in points if p.condition)
        return {x: lambdify([self._q], x, "numpy") for x in formulas}


def _moving_points(model: Any, muscles: Mapping[str, Muscle]) -> dict[str, Point]:
    """Return the points that move in their bodies, by name: "muscle/point"."""
    found = {}
    for muscle in muscles.values():
        for point in muscle.points:
            if point.is_moving:
                shift = vector_of(point.location, model.bodies[point.body].frame)
                name = f"{muscle.name}/{point.name}"
                found[name] = model.origins[point.body].locatenew(name, shift)
    return found


class _PosedBodies:
    """The bodies of a model in some poses, with the lengths and loads of muscles between them."""

    def __init__(self, geometry: MuscleGeometry, poses: np.ndarray, result: Any) -> None:
        self._geometry, self._poses = geometry, poses
        count = len(geometry.bodies)
        still = Frames(np.broadcast_to(np.eye(3), (len(poses), 3, 3)), np.zeros((len(poses), 3)))
        self._frames = {
            name: Frames(result.orientations[:, k], result.positions[:, k])
            for k, name in enumerate(geometry.bodies)
        }
        self._frames["ground"] = still
        self._jacobians = {
            name: np.hstack([result.jacobians[:, k], result.angular_jacobians[:, k]])
            for k, name in enumerate(geometry.bodies)
        }
        self._moving = {
            name: (result.positions[:, k], result.jacobians[:, k])
            for k, name in enumerate(geometry._moving, count)
        }

    def evaluate(self, muscle: Muscle) -> tuple[np.ndarray, np.ndarray, Pulls]:
        """Return a muscle's lengths (N,), moment arms (N, n) and pulls on bodies (N, 6)."""
        used = (name for name in self._geometry.bodies if name in muscle.bodies)
        pulls = {name: np.zeros((len(self._poses), 6)) for name in used}
        lengths, arms = self._add_strand_loads(muscle, pulls)
        for name, pull in pulls.items():
            arms += np.einsum("nik,ni->nk", self._jacobians[name], pull)
        return lengths, arms, pulls

    def _add_strand_loads(self, muscle: Muscle, pulls: Pulls) -> tuple[np.ndarray, np.ndarray]:
        """Add the loads of a path to the bodies' pulls; return lengths, and arms of moving points.

        A point that moves in its body has an own velocity; the force on it does additional work.
        """
        count = len(self._poses)
        lengths, arms = np.zeros(count), np.zeros((count, self._geometry._speeds))
        for strand in self._strands(muscle):
            lengths[strand.rows] = strand.lengths
            for node, place, force in _node_forces(strand):
                if node.body == "ground":
                    continue
                rows = strand.rows
                lever = place - self._frames[node.body].origins[rows]
                pulls[node.body][rows] += np.hstack([force, np.cross(lever, force)])
                point = muscle.points[node.number] if node.end is None else None
                if point is not None and point.is_moving:
                    own = self._moving[f"{muscle.name}/{point.name}"][1][rows]
                    linear, angular = np.split(self._jacobians[node.body][rows], 2, axis=1)
                    carried = linear + np.cross(angular, lever[:, :, None], axis=1)
                    arms[rows] += np.einsum("nik,ni->nk", own - carried, force)
        return lengths, arms

    def _strands(self, muscle: Muscle) -> Iterable[Strand]:
        """Yield the muscle's paths, grouped by the nodes through which they go."""
        active = np.array([self._is_active(point) for point in muscle.points])
        places = np.stack([self._find_position(muscle, point) for point in muscle.points])
        return find_strands(muscle, active, places, self._frames)

    def _is_active(self, point: PathPoint) -> np.ndarray:
        if point.condition is None:
            return np.ones(len(self._poses), dtype=bool)
        formula = self._geometry._conditions[point.condition.formula]
        return point.condition.holds(np.broadcast_to(formula(self._poses.T), len(self._poses)))

    def _find_position(self, muscle: Muscle, point: PathPoint) -> np.ndarray:
        if point.is_moving:
            return self._moving[f"{muscle.name}/{point.name}"][0]
        location = np.array([float(x) for x in point.location])
        return self._frames[point.body].to_ground(location)


def _node_forces(strand: Strand) -> Iterable[tuple[Node, np.ndarray, np.ndarray]]:
    """Yield each node with its positions and the forces on it per unit of tension, (N, 3)."""
    for k, step in enumerate(strand.steps):
        near, far = strand.nodes[k], strand.nodes[k + 1]
        if near.body == far.body:
            continue
        with np.errstate(invalid="ignore"):
            along = step / np.linalg.norm(step, axis=1)[:, None]
        yield near, strand.positions[k], along
        yield far, strand.positions[k + 1], -along
