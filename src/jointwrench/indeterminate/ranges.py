"""`ranges`: the least and the greatest forces that balance allows under limits."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr

from .. import InverseDynamics
from ..checks.arguments import check_instances, enumerate_some
from ..checks.tolerances import CANCELLED, ROUNDING, TINY
from ..extend import MotionReader, check_idyn
from .limit import Limit
from .limit_rows import LimitPoses, LimitRows, rows_of
from .linear_programs import extremes
from .statics import Forces, Statics


class Ranges:
    """The least and the greatest forces of a model at each sample; made by `ranges`.

    Where balance determines a force, both are equal; where nothing bounds it, they are infinite;
    where no forces obey all limits, all are NaN.

    Attributes
    ==========

    feasible : numpy.ndarray of bool, shape (...)
        Whether forces exist that obey balance and all limits.
    contradictions : tuple of str, or array of them, shape (...)
        For each sample names of limits that cannot hold together, empty if some forces obey all:
        limits of determined forces that are violated, or else a minimal set of limits.  Where no
        limit is to blame: the speeds whose forces nothing supplies, or that forces are NaN at the
        state (a singular one, or of missing numbers).

    See Also
    ========

    ranges : Makes it.
    """

    def __init__(self, statics: Statics, forces: Forces, rows: Sequence[LimitRows]) -> None:
        self._statics, self._forces = statics, forces
        self._names = [name for own in rows for name in own.names]
        self._polytopes, self._known = _Polytopes(forces, rows), dict[int, np.ndarray]()
        _, self._blame = self._polytopes.extremes(np.zeros((0, forces.values.shape[1])))
        is_balanced = forces.are_finite & ~forces.is_short.any(axis=-1)
        self._is_feasible = is_balanced & ~self._blame.any(axis=-1)

    @property
    def feasible(self) -> Any:
        """Whether forces exist that obey balance and all limits, shape (...)."""
        return self._is_feasible.reshape(self._forces.batch)

    @cached_property
    def contradictions(self) -> Any:
        """The names of limits that cannot hold together, a tuple for each sample."""
        found: Any = np.empty(len(self._blame), dtype=object)
        forces, speeds = self._forces, self._statics.tree.speeds
        for k, blame in enumerate(self._blame):
            own = [f"nothing supplies {speeds[i]}" for i in np.flatnonzero(forces.is_short[k])]
            if not forces.are_finite[k]:
                own = ["forces are NaN"]
            found[k] = tuple(own or dict.fromkeys(self._names[i] for i in np.flatnonzero(blame)))
        return found.reshape(self._forces.batch) if self._forces.batch else found[0]

    def joint_wrench(self, joint: Any) -> np.ndarray:
        """Return the least and the greatest components of a joint's wrench, shape (..., 2, 6).

        The wrench acts on the joint's child, by its parent, about its child point, in the child's
        frame; ``joint`` is a joint, LoopJoint or Contact, or its name.
        """
        return self._of(self._columns("joint", joint, 6))

    @property
    def generalized_forces(self) -> np.ndarray:
        """The least and the greatest generalized forces, shape (..., 2, n), in the order of u."""
        return self._of(self._statics.all_columns["generalized_forces"])

    def load(self, symbol: Expr | str) -> np.ndarray:
        """Return the least and the greatest value of a ``solve_for`` symbol, shape (..., 2)."""
        return self._of(self._columns("symbol", symbol, 1))[..., 0]

    def _columns(self, argument: str, source: Any, count: int) -> list[int]:
        columns = self._statics.columns_of(argument, source)
        if len(columns) != count:
            kind = "a joint" if count == 6 else "a symbol of solve_for or a speed"
            raise ValueError(f"`{argument}` must be {kind}, got {source}.")
        return columns

    def _of(self, columns: Sequence[int]) -> np.ndarray:
        if new := [k for k in columns if k not in self._known]:
            ends, _ = self._polytopes.extremes(np.eye(self._forces.values.shape[1])[new])
            ends = np.where(self._is_feasible[:, None, None], ends, np.nan)
            self._known |= dict(zip(new, ends.swapaxes(0, 1), strict=True))
        found = np.stack([self._known[k] for k in columns], axis=-1)
        return found.reshape(*self._forces.batch, 2, len(columns))

    def __repr__(self) -> str:
        names = enumerate_some(dict.fromkeys(self._names)) or "none"
        return f"Ranges({self._is_feasible.sum()} of {len(self._is_feasible)} feasible; {names})"


class _Polytopes:
    """The admissible undetermined forces z of each sample: ``rows z <= tops``."""

    def __init__(self, forces: Forces, limits: Sequence[LimitRows]) -> None:
        self._forces = forces
        samples, _, d = forces.changes.shape
        parts = [self._of_limit(own, samples) for own in limits]
        empty = (np.zeros((samples, 0, d)), np.zeros((samples, 0)), np.zeros((samples, 0)))
        rows, tops, sizes = (np.concatenate(x, axis=1) for x in zip(empty, *parts, strict=True))
        # a row that no undetermined force changes would be rounding divided by its own length
        lengths = np.linalg.norm(rows, axis=-1)
        self._moves = lengths > 0
        self._fails = ~self._moves & (tops < -ROUNDING * sizes)
        shares = np.where(self._moves, lengths, 1.0)
        # in one unit of force for each sample, so that tolerances are relative
        self._unit = np.where(self._moves, sizes / shares, 0.0).max(axis=-1, initial=0.0)
        self._unit = np.where(self._unit > TINY, self._unit, 1.0)[:, None]
        self._rows = np.where(self._moves[..., None], rows / shares[..., None], 0.0)
        self._tops = np.where(self._moves, tops / shares / self._unit, 1.0)
        self._sizes = np.where(self._moves, np.maximum(sizes / shares / self._unit, CANCELLED), 0.0)
        # combinations on which no limit acts are unbounded, and do not enter the programmes
        self._touched = np.flatnonzero((self._rows != 0).any(axis=(0, 1)))

    def _of_limit(self, own: LimitRows, samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows, tops and the sizes of the terms of both."""
        forces, coefficients = self._forces, own.coefficients
        values, changes = forces.values[:, own.columns], forces.changes[:, own.columns]
        rows = coefficients @ changes
        terms = (abs(coefficients) @ abs(changes)).max(axis=-1, initial=0.0)
        is_rounding = np.linalg.norm(rows, axis=-1) <= CANCELLED * terms
        rows = np.where(is_rounding[..., None], 0.0, rows)
        tops = own.tops - (coefficients @ values[..., None])[..., 0]
        sizes = abs(own.tops) + (abs(coefficients) @ forces.sizes[:, own.columns, None])[..., 0]
        shape = samples, len(own.names)
        return rows, np.broadcast_to(tops, shape), np.broadcast_to(sizes, shape)

    def extremes(self, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends (samples, targets, 2) of linear functions of forces, and who fails."""
        forces, touched = self._forces, self._touched
        values, changes = forces.values @ targets.T, targets @ forces.changes
        ends = np.repeat(values[..., None], 2, axis=-1)
        free = np.delete(changes, touched, axis=-1)
        ends[(free != 0).any(axis=-1)] = -np.inf, np.inf
        blame = self._fails.copy()
        is_open = forces.are_finite & ~blame.any(axis=-1)
        if len(touched) and is_open.any():
            parts = self._rows[..., touched], self._tops, self._sizes, changes[..., touched]
            found, shares = extremes(*(x[is_open] for x in parts))
            ends[is_open] += found * self._unit[is_open][..., None]
            blame[is_open] = np.isnan(shares) | (
                shares > ROUNDING * shares.max(axis=-1, keepdims=True, initial=TINY)
            )
        return ends, blame


def ranges(
    idyn: InverseDynamics,
    motion: Any,
    limits: Iterable[Limit] = (),
    outputs: Iterable[str] = (),
    constants: Mapping[Any, Any] | None = None,
    specifieds: Mapping[Any, Any] | None = None,
    times: Any = None,
) -> Ranges:
    """Return the least and the greatest forces of a model that balance and limits allow.

    Mechanics of rigid bodies leaves forces of redundant joints undetermined (``undetermined`` names
    them), but not without bounds where contacts only push, surfaces slip, cables only pull, and
    motors have limits.  Each force is a linear function of the undetermined ones, so that its range
    is an interval, which two linear programmes find.

    Parameters
    ==========

    idyn : InverseDynamics
        The model; a choice of its undetermined forces by ``redundancy`` has no effect.
    motion : Trajectory, or tuple of arrays (q, u, udot)
        The motion, or states of shape (..., n).
    limits : iterable of Limit
        The inequalities.
    outputs : iterable of {"joint_wrenches", "generalized_forces"}
        Ranges to find at once; others are found when they are asked for.
    constants, specifieds, times : optional
        As for what `InverseDynamics.compile` returns; ``solve_for`` symbols need no values.

    Returns
    =======

    Ranges
        With ``joint_wrench``, ``generalized_forces``, `load`, ``feasible`` and ``contradictions``.

    Raises
    ======

    TypeError, ValueError
        If an argument has another type, a limit names no force of the model, the model has
        frictions, or functions that are known by numbers only leave the number of undetermined
        forces undecided.

    Notes
    =====

    Ranges are exact for linear limits; friction in space has a polygon inside its circle.  Every
    choice of undetermined forces that obeys the limits, such as one by stiffness, is inside.  A
    range is no estimate: see the page *Conventions* for those of a person who walks.

    See Also
    ========

    Limit : The inequalities.
    InverseDynamics : Its ``redundancy={joint: compliance}`` chooses forces by stiffness.

    Examples
    ========

    A box of 20 N that two fingers squeeze with friction 0.4: at least 25 N, without an upper end.

    >>> from sympy.physics.mechanics import PrismaticJoint, RigidBody, System
    >>> import jointwrench as jw
    >>> ground, box = RigidBody("ground"), RigidBody("box", mass=2)
    >>> slide = RigidBody("slide", mass=0)
    >>> system = System.from_newtonian(ground)
    >>> system.add_joints(PrismaticJoint("x", ground, slide, joint_axis=ground.x),
    ...                   PrismaticJoint("y", slide, box, joint_axis=slide.y))
    >>> system.apply_uniform_gravity(-10 * ground.y)
    >>> places = {"left": -box.x / 10, "right": box.x / 10}
    >>> fingers = [jw.Contact(n, ground, box, box.masscenter.locatenew(n, x), [ground.x, ground.y])
    ...            for n, x in places.items()]
    >>> idyn = jw.InverseDynamics(system, loops=fingers, actuated=[])
    >>> limits = [jw.Limit.contact("left", ground.x, friction=0.4),
    ...           jw.Limit.contact("right", -ground.x, friction=0.4)]
    >>> jw.ranges(idyn, ([0, 0], [0, 0], [0, 0]), limits).joint_wrench("left")[:, 0].round(2)
    array([25., inf])

    A left finger of at most 20 N cannot hold it:

    >>> limits += [jw.Limit("left", "fx", high=20)]
    >>> found = jw.ranges(idyn, ([0, 0], [0, 0], [0, 0]), limits)
    >>> bool(found.feasible), found.contradictions
    (False, ('left slips', 'right slips', 'left fx at most 20'))
    """
    check_idyn(idyn)
    known = check_instances("limits", limits, Limit, "an iterable of Limit")
    names = check_instances("outputs", outputs, str, "names of outputs")
    for name in names:
        if name not in ("joint_wrenches", "generalized_forces"):
            raise ValueError(
                f"`outputs` must be among joint_wrenches and generalized_forces, got {name!r}."
            )
    statics = idyn.model.cached(("statics",), lambda: Statics(idyn))
    states, own_times = MotionReader(idyn.model.inputs).read(motion)
    given = {"constants": constants, "specifieds": specifieds}
    given["times"] = own_times if times is None else times
    forces = statics.forces(states, given)
    poses = LimitPoses(idyn, known, statics)
    poses.evaluate(states, given)
    rows = [rows_of(limit, k, statics, poses) for k, limit in enumerate(known)]
    found = Ranges(statics, forces, rows)
    for name in names:
        found._of(statics.all_columns[name])
    return found
