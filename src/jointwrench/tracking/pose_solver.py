"""`PoseSolver`: the coordinates at which points and frames of a model reach their targets."""

from collections.abc import Mapping
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..checks.arguments import check_choice, check_known, check_mapping, check_name, check_name_list
from ..checks.display import plural
from ..checks.numbers import (
    check_bool,
    check_finite_or_nan,
    check_integer,
    check_positive,
    shaped_array,
)
from ..checks.pickles import Pickled
from .found_poses import FoundPoses
from .initial_guesses import choose_start_range, read_limits, read_start
from .kinematics_cache import get_kinematics, get_model_mapping
from .levenberg_marquardt import Targets
from .marker_observations import read_axes, tracked_bodies
from .pose_search import PoseSearch
from .tracked_model import TrackedModel


class PoseSolver(Pickled):
    """A solver for the coordinates at which points and frames of a model reach their targets.

    The model may have loops, unit quaternions and coupled joints; their constraints hold exactly.
    Of the poses that reach the targets it selects the pose nearest to the start, or along a path to
    the previous pose.

    Parameters
    ==========

    model : System, or object with a ``system``
        A System, a model of `read_urdf` and the like, a `SerialChain`, an `InverseDynamics`, a
        `Kinematics`.
    points : mapping of str to Point, or iterable of str, optional
        The points that have targets, by new names; names alone stand for the origins of bodies in a
        model from a file.
    frames : mapping of str to ReferenceFrame, or iterable of str, optional
        The frames that have targets; names alone stand for the frames of bodies.
    weights : mapping of str to float, optional
        Weights of targets that are only approached: ``weight * distance**2`` and ``weight *
        angle**2`` are minimised.  Targets without a weight must be reached; if all have a weight,
        ``settled`` shows whether the minimum was found.
    bounds : mapping of coordinate or name to (lower, upper), optional
        Bounds of coordinates, in radians.  Default: the limits in the model's file. ``bounds={}``
        removes them.
    prescribed : mapping of coordinate or name to number, optional
        Coordinates with fixed values.  Default: the coordinates that the model's file locks.
    targets : mapping of coordinate or name to (value, weight), optional
        A preferred posture among the poses that reach the targets of points and frames: ``weight *
        (q - value)**2`` is minimised, together with the squares of all changes from the start, of
        weight 1, in which one radian counts like the model's length.  None stands for the value in
        the model's file.
    constants : mapping, optional
        Values of the symbols on which positions depend.  Default: ``model.constants``.

    Raises
    ======

    TypeError
        If an argument is of the wrong type.
    ValueError
        If there are neither points nor frames, or names are unknown; if angles seem to be in
        degrees; if values are wrong.

    See Also
    ========

    inverse_kinematics : For measured markers over time, by the same method.

    Notes
    =====

    The Levenberg-Marquardt method finds a pose that reaches the targets; steps along such poses
    then minimise the other terms.  The minimum is local: another branch of solutions may be better.
    Coordinates at a bound do not move.  Results are reproducible: the initial guesses are the same
    in every call.

    References
    ==========

    .. [1] C. W. Wampler, Manipulator inverse kinematic solutions based on vector formulations and
       damped least-squares methods, IEEE Transactions on Systems, Man, and Cybernetics 16 (1986),
       93-101.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> arm = jw.SerialChain.planar(3)
    >>> lengths = {"l_0": 1.0, "l_1": 1.0, "l_2": 1.0}
    >>> reach = jw.PoseSolver(arm, {"tip": arm.tip}, constants=lengths)
    >>> found = reach({"tip": [[1.0, 2.0, 0.0], [0.0, 4.0, 0.0]]})
    >>> found
    FoundPoses(3 coordinates: 1 of 2 reached)
    >>> found.unreached_reasons[1]
    'out of reach: tip 1 away'
    """

    def __init__(
        self,
        model: Any,
        points: Any = None,
        frames: Any = None,
        *,
        weights: Mapping[str, float] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        prescribed: Mapping[Any, float] | None = None,
        targets: Mapping[Any, tuple[Any, float]] | None = None,
        constants: Mapping[Any, float] | None = None,
    ) -> None:
        own_points = _read_named("points", points, getattr(model, "origins", {}))
        bodies = {name: body.frame for name, body in tracked_bodies(model).items()}
        own_frames = _read_named("frames", frames, bodies)
        if not own_points and not own_frames:
            raise ValueError(
                "`points` or `frames` must name the points or frames with targets, got none. Use "
                "for instance points={'tip': point}."
            )
        numbers = {**get_model_mapping(model, "constants"), **check_mapping("constants", constants)}
        kinematics = get_kinematics(model, own_points, own_frames)
        self.tracked = TrackedModel(kinematics, [*own_points], [*own_frames], numbers)
        self.points, self.frames = self.tracked.points, self.tracked.frames
        given = check_mapping("weights", weights)
        check_known("weights", given, (*self.points, *self.frames), "name points and frames among")
        self.weights = {name: check_positive(f"weights[{name}]", x) for name, x in given.items()}
        coordinates = self.coordinates = self.tracked.coordinates
        limits = read_limits(model, self.tracked, bounds, prescribed, coordinates.names)
        lower, upper, free, (reference,) = limits
        preferences = check_mapping("targets", targets)
        self._q_targets = coordinates.read_targets("targets", preferences, reference, 1)
        reference = np.clip(reference, lower, upper)
        start_range = choose_start_range(model, coordinates, reference)
        own = self.tracked, lower, upper, free
        self.search = PoseSearch(*own, reference=reference, start_range=start_range)

    def __repr__(self) -> str:
        names = (*self.points, *(x for x in self.frames if x not in self.points))
        return f"PoseSolver({plural(len(self.coordinates), 'coordinates')}, of {', '.join(names)})"

    def __call__(
        self,
        places: Mapping[str, Any] | None = None,
        orientations: Mapping[str, Any] | None = None,
        *,
        start: Any = None,
        follow: bool = False,
        restarts: int = 24,
    ) -> FoundPoses:
        """Return the poses that reach targets, for a batch of targets.

        Parameters
        ==========

        places : mapping of str to array_like of shape (..., 3)
            Target positions of points, in the axes of ground (``system.frame``) from its origin
            (``system.fixed_point``).  Components that are NaN are free.
        orientations : mapping of str to array_like of shape (..., 3, 3) or (..., 4)
            Target orientations of frames: matrices, ``v_ground = R @ v_frame``, or quaternions,
            scalar part first.  A column of NaN leaves the direction of this axis free.
        start : array_like, shape (n_q,) or (..., n_q), optional
            The pose from which to start.  Default: the reference pose of the file, or zeros, within
            bounds.
        follow : bool
            Whether targets are a path, shape (N, ...): the search for each starts only from the
            previous pose, since other initial guesses might be far away.
        restarts : int
            The number of further initial guesses for a target that is not reached: the random poses
            nearest to it.

        Raises
        ======

        TypeError
            If an argument is of the wrong type.
        ValueError
            If targets are missing or unknown, or shapes do not match; if ``start`` is not a pose of
            the model; if a path has more than one axis.
        CompilationError
            If the solver was not built with the package, and cannot be compiled.

        See Also
        ========

        FoundPoses : The returned poses.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> reach = jw.PoseSolver(robot, ["panda_hand"], ["panda_hand"])
        >>> down = np.diag([1.0, -1.0, -1.0])
        >>> path = np.linspace([0.4, -0.2, 0.3], [0.4, 0.2, 0.3], 50)
        >>> found = reach({"panda_hand": path}, {"panda_hand": down}, follow=True)
        >>> bool(found.reached.all()), found.q.shape
        (True, (50, 7))
        """
        check_bool("follow", follow)
        restarts = check_integer("restarts", restarts, 0)
        seen, weights, batch = self._read_targets(places, orientations)
        if follow and len(batch) != 1:
            raise ValueError(f"`follow` must have targets of one axis, (N, ...), got {batch}.")
        targets = self._build_targets(seen, weights, self._read_starts(start, batch))
        fit = self.search.find(targets.of(slice(1 if follow else None)), restarts)
        if follow and len(seen):
            own = np.repeat(fit.q, len(seen), axis=0)
            fit = self.search.fit(own[:, None], targets._replace(previous=own), follows=True)
            targets = targets._replace(previous=np.concatenate([targets.previous[:1], fit.q[:-1]]))
        return FoundPoses(
            q=fit.q.reshape(*batch, len(self.coordinates)),
            coordinates=self.coordinates.names,
            reached=(fit.reached & self.search.has_reached_targets(targets, fit.q)).reshape(batch),
            settled=fit.converged.reshape(batch),
            search=self.search,
            targets=targets,
            restarts=restarts,
            follows=follow,
        )

    def write_c(
        self, path: Any, steps: int = 10, precision: Literal["double", "float"] = "double"
    ) -> tuple[Path, Path]:
        """Write C code of the solver for controllers, and return its two files.

        Its function ``stem_poses`` (of a file ``stem.c``) uses one start, at most ``steps`` steps
        to reach the targets and as many along poses that reach them, and all numbers of this
        solver.  It needs only a C compiler with the mathematical library, and allocates no memory;
        the header documents the order of ``targets``.

        The ``precision`` "float" is for processors without double precision: poses are then
        accurate to some 1e-4 of the model's length.

        Raises
        ======

        TypeError, ValueError
            If ``path`` is not the path of a C file, ``steps`` is not a positive number, or the
            precision is unknown.

        See Also
        ========

        Kinematics.write_c : Positions and Jacobians.

        Examples
        ========

        >>> import pathlib, tempfile
        >>> import jointwrench as jw
        >>> arm = jw.SerialChain.planar(2)
        >>> reach = jw.PoseSolver(arm, {"tip": arm.tip}, constants={"l_0": 1.0, "l_1": 1.0})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     source, header = reach.write_c(pathlib.Path(folder) / "arm.c", steps=5)
        ...     "int arm_poses(const double *targets" in header.read_text()
        True
        """
        from ..mechanics.codegen.text.export import check_c_path  # only controllers need them
        from .pose_export import write_poses

        check_choice("precision", precision, ("double", "float"))
        steps, search = check_integer("steps", steps), self.search
        known = np.ones((1, *self.tracked.point_rows.shape))
        targets = self._build_targets(0 * known, known, search.reference[None])
        return write_poses(search, targets, check_c_path(path), steps, precision)

    # -- targets ------------------------------------------------------------------------------

    def _read_targets(self, places: Any, orientations: Any) -> tuple[np.ndarray, np.ndarray, tuple]:
        """Return targets (M, k, 3), a boolean mask of their known components, the batch axes."""
        given = {
            "places": (self.points, check_mapping("places", places)),
            "orientations": (self.frames, check_mapping("orientations", orientations)),
        }
        parts = []
        for argument, (names, own) in given.items():
            check_known(argument, own, names, "name among")
            if missing := [name for name in names if name not in own]:
                raise ValueError(f"`{argument}` must have a target of {missing[0]!r}, got none.")
            for name in names:
                what = f"{argument}[{name}]"
                if argument == "places":
                    places = shaped_array(what, own[name], ..., 3)
                    parts.append(check_finite_or_nan(what, places)[..., None, :])
                else:
                    parts.append(read_axes(what, own[name], "..."))
        try:
            batch = np.broadcast_shapes(*(part.shape[:-2] for part in parts))
        except ValueError:
            shapes = ", ".join(str(part.shape[:-2]) for part in parts)
            raise ValueError(f"`places` must have the same batch axes, got {shapes}.") from None
        whole = [np.broadcast_to(part, (*batch, *part.shape[-2:])) for part in parts]
        seen = np.concatenate(whole, axis=-2).reshape(-1, *self.tracked.point_rows.shape)
        known = np.isfinite(seen)
        return np.where(known, seen, 0.0), known, batch

    def _build_targets(self, seen: np.ndarray, known: np.ndarray, previous: np.ndarray) -> Targets:
        """Return the least-squares problem of targets near starts."""
        places, weights = np.zeros((2, len(seen), self.tracked.position_size))
        places[:, self.tracked.point_rows] = seen
        weights[:, self.tracked.point_rows] = known * self._weights
        q_targets, q_weights = self._q_targets
        q_targets = np.repeat(q_targets, len(seen), axis=0)
        return Targets(places, weights, q_targets, q_weights, self._change_weights, previous)

    @cached_property
    def _change_weights(self) -> np.ndarray:
        """The weights of changes of coordinates, (n,): a radian counts like the model's length."""
        return self.search.free * np.where(self.coordinates.is_angle, 1.0, self.search.length**-2)

    @cached_property
    def _weights(self) -> np.ndarray:
        """The weights of points and of frames' axes, (k, 1); negative if they must be reached."""
        own = [self.weights.get(name, -(self.search.length**-2)) for name in self.points]
        own += [self.weights.get(name, -1.0) / 2 for name in self.frames for _ in range(3)]
        return np.array(own)[:, None]

    def _read_starts(self, start: Any, batch: tuple[int, ...]) -> np.ndarray:
        """Return the initial guesses of all samples within bounds, shape (M, n)."""
        search = self.search
        if start is None:
            return np.broadcast_to(search.reference, (prod(batch), len(search.reference)))
        begin = np.maximum(read_start(self.tracked, start, batch), search.lower)
        return np.where(search.free, np.minimum(begin, search.upper), search.reference)


def _read_named(argument: str, given: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return points or frames by name, from a mapping or from names of the model's bodies."""
    if given is None or isinstance(given, Mapping):
        return {check_name(argument, name): x for name, x in (given or {}).items()}
    names = check_name_list(argument, given)
    fix = "" if known else f" Use {argument}={{name: ...}}."
    check_known(argument, names, known, "name bodies among", fix)
    return {name: known[name] for name in names}
