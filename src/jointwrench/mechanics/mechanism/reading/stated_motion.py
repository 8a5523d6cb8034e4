"""The positions, orientations and velocities that a model states, in numbers at one state.

Whether a point or frame is fixed in a body is decided by its motion at a random state, not by the
symbolic form in which the user wrote it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise, product
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from sympy import Expr
from sympy.core.function import AppliedUndef
from sympy.matrices import MatrixBase
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ....checks.arguments import shorten
from ....checks.tolerances import FIXED, SAME_RATE, STATED, THREE_DIGITS_TWICE
from ...adapters.private_sympy import (
    stated_angular_velocities,
    stated_orientations,
    stated_positions,
)
from ...spatial.paths import angular_velocity_in, follow, own_velocity, path_to_any, reach
from ...sympy_objects import Body, is_particle
from .kinematics_check import stated_velocity
from .random_state import STEP, Manifold, RandomState, UndefinedError

#: An array of components in the inertial frame.
Numbers: TypeAlias = np.ndarray

#: Indices of the instants of positions and rotations: shortly before, at, and after the state.
BEFORE, HERE, AFTER = range(3)


class EvaluatedMotion:
    """The motion of a model's points, frames and bodies at one random state, in numbers.

    The state is assembled if an assembled state is found, and quaternions have unit norm.
    Positions and orientations are also evaluated shortly before and after the state, with the same
    constants.  All vectors have inertial components.  Each reading of a model evaluates its
    expressions only once, in one batch, and then compares statements by this object.

    Parameters
    ==========

    inertial : ReferenceFrame
        The inertial frame.
    bodies : sequence of body
        The bodies.
    state : RandomState
        The random numbers.
    manifold : Manifold
        The model's constraint equations.
    frames : iterable of ReferenceFrame, optional
        Further frames to evaluate, such as those in loads.
    zeros : mapping, optional
        The auxiliary speeds and their derivatives, with zeros.

    Attributes
    ==========

    steps : dict
        The stated positions: for a pair (here, there) the Vector of ``there`` from ``here``, once
        for each pair of neighbours.
    rotations : dict
        For each oriented frame the matrices that convert its components to inertial ones, shape
        (3, 3, 3), first axis: instants.
    groups : dict
        For each oriented frame the first frame that does not rotate relative to it.
    components : dict
        For each point a point that represents its connected component: all points that stated
        positions connect.
    places : dict
        For each point its positions from the representative of its component, shape (3, 3), first
        axis: instants.
    contradictions, repeated : list
        Pairs of neighbours that close a loop of positions: those whose positions disagree at the
        state, and those whose positions agree at all three instants.
    twists : dict
        For each body the angular velocity and the mass centre's velocity, shape (6, speeds + 2).
        Columns are as in `RandomState.by_each_speed`: the change by a unit of each speed, zero
        speeds, the state's speeds.  NaN where unknown.
    """

    def __init__(
        self,
        inertial: ReferenceFrame,
        bodies: Sequence[Body],
        state: RandomState,
        manifold: Manifold,
        frames: Iterable[ReferenceFrame] = (),
        zeros: Mapping[Expr, Expr] = MappingProxyType({}),
    ) -> None:
        self.inertial, self._bodies, self._zeros = inertial, bodies, zeros
        self._manifold = manifold
        # For each oriented frame its inner frame, in which it was oriented, and the stated matrix
        # that converts components to the inner frame.
        self._inner: dict[ReferenceFrame, tuple[ReferenceFrame | None, MatrixBase | None]] = {}
        self._inner[inertial] = None, None
        for frame in (*frames, *(x.frame for x in bodies if not is_particle(x))):
            self._orient(frame)
        self._at = {body.masscenter: body for body in bodies}
        self._from, self._near = dict[Point, Point](), dict[Point, list[Point]]()
        self.steps = self._read_steps()
        self.state = self._find_state(state, manifold)
        self.groups = self._grouped()
        self.places: dict[Point, Numbers] = {}
        self.components: dict[Point, Point] = {}
        self.contradictions: list[tuple[Point, Point]] = []
        self.repeated: list[tuple[Point, Point]] = []
        for body in bodies:
            self._place(body.masscenter)
        self._terms = dict[tuple[Point, Point], list[tuple[ReferenceFrame, bool]]]()
        spins = self.spins([None if is_particle(body) else body.frame for body in bodies])
        shifts = self.velocities([self.velocity_of(body.masscenter) for body in bodies])
        self.twists = dict(zip(bodies, np.concatenate([spins, shifts], axis=1), strict=True))

    # -- reading ---------------------------------------------------------------------------

    def _read_steps(self) -> dict[tuple[Point, Point], Vector]:
        """Return the stated position of each point from its neighbours, once for each pair.

        Steps in frames without orientation are omitted.
        """
        steps, seen = dict[tuple[Point, Point], Vector](), set[Point]()
        for body in self._bodies:
            starts = [] if body.masscenter in seen else [body.masscenter]
            for there, _ in reach(starts, stated_positions):
                seen.add(there)
                for here, step in stated_positions(there).items():
                    is_known = all([self._orient(frame) for _, frame in step.args])
                    if is_known and (there, here) not in steps:
                        steps[here, there] = step
        return steps

    def _orient(self, frame: ReferenceFrame) -> bool:
        """Return whether a frame is oriented; add the frames on its path to a known frame."""
        if frame not in self._inner:
            path = path_to_any(frame, self._inner, stated_orientations)
            for outer, inner in [*pairwise(path or ())][::-1]:
                self._inner[outer] = inner, stated_orientations(inner)[outer]
        return frame in self._inner

    def velocity_of(self, point: Point) -> Vector | None:
        """Return the stated velocity of a point in the inertial frame; None if it is unknown."""
        try:
            return stated_velocity(point, self.inertial)
        except ValueError:  # sympy knows no velocity
            return None

    # -- evaluation --------------------------------------------------------------------------

    def _find_state(self, state: RandomState, manifold: Manifold) -> RandomState:
        """Return the first state at which rotations and steps are defined, and evaluate them.

        Assembled states come first.  If no instant defines all steps, a state at which all
        rotations are defined suffices; undefined positions are NaN.
        """
        states, turns = [state], [turn for _, turn in self._inner.values() if turn is not None]
        if manifold.position:
            turning = frozenset(x for turn in turns for x in turn.atoms(AppliedUndef))
            with suppress(ValueError):  # no assembled state was found
                states.insert(0, state.on_manifold(Manifold(manifold.position, (), turning)))
        for some, is_whole in product(states, (True, False)):
            for instant in some.instants():
                with suppress(UndefinedError):
                    return self._evaluate(instant, turns, is_whole)
        raise UndefinedError("the orientations of bodies are not finite and real at random states")

    def _evaluate(
        self, state: RandomState, turns: Sequence[MatrixBase], is_whole: bool
    ) -> RandomState:
        """Set rotations and step components at a state; return it, with unit quaternions.

        If they are not finite and real, an UndefinedError is raised; without ``is_whole`` only the
        rotations must be.
        """
        parts = {id(matrix): matrix for step in self.steps.values() for matrix, _ in step.args}
        entries = [x for matrix in (*turns, *parts.values()) for x in matrix]
        numbers = state.around(entries)
        rotations = _matrices(numbers, len(turns))
        off = abs(rotations @ rotations.swapaxes(2, 3) - np.eye(3)).max(axis=(1, 2, 3), initial=0)
        if (off > THREE_DIGITS_TWICE).any():  # random quaternions have no unit norm
            for k in np.flatnonzero(off > THREE_DIGITS_TWICE):
                state = state.with_unit_norm(turns[int(k)])
            numbers = state.around(entries)
            rotations = _matrices(numbers, len(turns))
        if not np.isfinite(numbers if is_whole else rotations).all():
            raise UndefinedError("not finite and real")
        still, rows = np.broadcast_to(np.eye(3), (3, 3, 3)), iter(rotations)
        self.rotations: dict[ReferenceFrame, Numbers] = {}
        for frame, (inner, turn) in self._inner.items():
            own = still if turn is None else next(rows)
            self.rotations[frame] = own if inner is None else self.rotations[inner] @ own
        values = numbers[9 * len(turns) :].reshape(-1, 3, 3).transpose(0, 2, 1)
        self._values = dict(zip(parts, values, strict=True))
        return state

    def spins(self, frames: Sequence[ReferenceFrame | None]) -> Numbers:
        """Return the frames' stated inertial angular velocities, shape (frames, 3, speeds + 2).

        Columns are as in `velocities`.  The result is zero for None, and NaN where unknown.
        """
        # The stated angular velocity between two neighbours is evaluated once, although it is a
        # term of the angular velocities of all frames farther from the inertial frame.
        stated = {self.inertial: (self.inertial, Vector(0))}
        for frame in (x for x in frames if x is not None):
            around = stated_angular_velocities(frame)
            ends = [self.inertial] if self.inertial in around else stated
            path = path_to_any(frame, ends, stated_angular_velocities)
            for outer, inner in pairwise(path or ()):
                stated.setdefault(outer, (inner, stated_angular_velocities(outer)[inner]))
        order = dict(zip(stated, self.velocities([x for _, x in stated.values()]), strict=True))
        known = {self.inertial: order[self.inertial]}

        def total(frame: ReferenceFrame) -> Numbers:
            if frame not in known:
                known[frame] = total(stated[frame][0]) + order[frame]
            return known[frame]

        still = known[self.inertial]
        lost = np.full_like(known[self.inertial], np.nan)
        return np.array([still if x is None else total(x) if x in stated else lost for x in frames])

    def velocities(self, vectors: Sequence[Vector | None]) -> Numbers:
        """Return the inertial components of vectors by speeds, shape (vectors, 3, speeds + 2).

        Columns are the change by a unit of each speed, zero speeds, and the state's speeds.  NaN
        for None, and where frames are not oriented.
        """
        # Vectors share component matrices, each of which is evaluated once in each frame.
        parts: dict[tuple[int, ReferenceFrame], int] = {}
        matrices, chosen = list[MatrixBase](), list[list[int] | None]()
        for vector in vectors:
            own = list[int]()
            for matrix, frame in () if vector is None else vector.args:
                key = id(matrix), frame
                if key not in parts:
                    parts[key] = len(matrices)
                    matrices.append(matrix)
                own.append(parts[key])
            is_known = vector is not None and all(x in self.rotations for _, x in vector.args)
            chosen.append(own if is_known else None)
        values = self.state.by_each_speed([x for matrix in matrices for x in matrix])
        turns = [self.rotations[x][HERE] if x in self.rotations else np.eye(3) for _, x in parts]
        terms = np.reshape(turns, (-1, 3, 3)) @ values.reshape(-1, 3, values.shape[1])
        sums = np.full((len(vectors), *terms.shape[1:]), np.nan)
        for k, rows in enumerate(chosen):
            if rows is not None:
                sums[k] = terms[rows].sum(axis=0)
        return sums

    def _grouped(self) -> dict[ReferenceFrame, ReferenceFrame]:
        """Return each frame's representative: the first frame that rotates equally in a short time.

        Frames that do not rotate relative to each other rotate equally in the inertial frame.
        """
        frames = [*self.rotations]
        turned = np.array([self.rotations[x][AFTER] for x in frames]) @ np.linalg.inv(
            np.array([self.rotations[x][BEFORE] for x in frames])
        )
        found: dict[ReferenceFrame, ReferenceFrame] = {}
        first = list[int]()
        for k, frame in enumerate(frames):
            apart = abs(turned[first] - turned[k]).max(
                axis=(1, 2), initial=np.inf if not first else 0
            )
            alike = np.flatnonzero(apart < FIXED)
            if not alike.size:
                first.append(k)
            found[frame] = frames[first[alike[0]]] if alike.size else frame
        return found

    def step(self, here: Point, there: Point) -> Numbers:
        """Return the stated position of ``there`` from its neighbour ``here``.

        The shape is (3, 3), first axis: instants.
        """
        sign, key = (1, (here, there)) if (here, there) in self.steps else (-1, (there, here))
        total = np.zeros((3, 3))
        for matrix, frame in self.steps[key].args:
            total += (self.rotations[frame] @ self._values[id(matrix)][..., None])[..., 0]
        return sign * total

    def neighbours(self, point: Point) -> list[Point]:
        """Return the points that one stated position connects with a point."""
        if point not in self._near:
            around = stated_positions(point)
            found = [x for x in around if (point, x) in self.steps or (x, point) in self.steps]
            self._near[point] = found
        return self._near[point]

    def _place(self, root: Point) -> None:
        """Set the positions of all points that stated positions connect with a point.

        The search is breadth-first.  A step to a point that has a position closes a loop of
        positions, which are compared afterwards.
        """
        if root in self.places:
            return
        self.places[root], self.components[root], waiting = np.zeros((3, 3)), root, [root]
        closing = dict[frozenset[Point], tuple[Point, Point]]()
        for here in waiting:  # the loop appends points
            for other in self.neighbours(here):
                if other not in self.places:
                    self.places[other] = self.places[here] + self.step(here, other)
                    self.components[other], self._from[other] = root, here
                    waiting.append(other)
                elif self._from.get(other) is not here and self._from.get(here) is not other:
                    closing[frozenset((here, other))] = here, other
        for here, other in closing.values():
            apart = abs(self.places[here] + self.step(here, other) - self.places[other])
            if np.nanmax(apart[HERE], initial=0) > STATED:
                self.contradictions.append((here, other))
            elif np.nanmax(apart, initial=0) < FIXED:
                self.repeated.append((here, other))

    # -- rates of poses --------------------------------------------------------------------------

    @cached_property
    def turning(self) -> dict[ReferenceFrame, Numbers]:
        """The angular velocity of each frame as the rate of its orientation, shape (3,).

        It is computed from differences of the orientations at the instants, in inertial
        components, and does not depend on stated angular velocities.
        """
        found, inners = {self.inertial: np.zeros(3)}, self._inner.items()
        pairs = [(frame, inner) for frame, (inner, _) in inners if inner is not None]
        own, outer = ([self.rotations[pair[k]] for pair in pairs] for k in (0, 1))
        # R converts components in a frame to its inner frame.  W = R' R^T is the cross product
        # matrix of the angular velocity.
        turns = np.reshape(outer, (-1, 3, 3, 3)).swapaxes(2, 3) @ np.reshape(own, (-1, 3, 3, 3))
        spins = (turns[:, AFTER] - turns[:, BEFORE]) @ turns[:, HERE].swapaxes(1, 2) / (2 * STEP)
        for (frame, inner), spin in zip(pairs, spins, strict=True):
            axial = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
            found[frame] = found[inner] + self.rotations[inner][HERE] @ axial
        return found

    def is_connected(self, point: Point, other: Point) -> bool:
        """Whether stated positions connect two points."""
        own = self.components.get(point)
        return own is not None and own is self.components.get(other)

    def stated_rotations(self) -> Iterator[tuple[ReferenceFrame, ReferenceFrame, Numbers]]:
        """Yield pairs of oriented frames with the first frame's stated angular velocity.

        The velocity is observed in the second frame and has inertial components at the state's
        speeds.
        """
        stated = {
            frozenset((frame, other)): (frame, other, vector)
            for frame in self.rotations
            for other, vector in stated_angular_velocities(frame).items()
            if other in self.rotations
        }
        values = self.velocities([vector for *_, vector in stated.values()])[..., -1]
        yield from ((x, y, z) for (x, y, _), z in zip(stated.values(), values, strict=True))

    # -- questions ---------------------------------------------------------------------------

    def arm(self, point: Point, origin: Point) -> Numbers | None:
        """Return the position of a point from ``origin``, shape (3, 3), first axis: instants.

        The result is None if no stated positions connect the two points.
        """
        if not self.is_connected(point, origin):
            return None
        return self.places[point] - self.places[origin]

    def fixed_points(self, group: ReferenceFrame | None, origin: Point) -> list[Point]:
        """Return the points whose position from ``origin`` is constant in a group's frame."""
        if group is None or origin not in self.places:
            return [origin]
        points = [x for x, root in self.components.items() if root is self.components[origin]]
        arms = np.array([self.places[x] for x in points]) - self.places[origin]
        inverse = np.linalg.inv(self.rotations[group])
        before, after = ((inverse[k] @ arms[:, k].T).T for k in (BEFORE, AFTER))
        still = abs(after - before).max(axis=1) < FIXED
        return [x for x, is_fixed in zip(points, still, strict=True) if is_fixed]

    def terms(self, here: Point, there: Point) -> list[tuple[ReferenceFrame, bool]]:
        """Return the groups of a step's nonzero parts, and whether each part is constant."""
        key = (here, there) if (here, there) in self.steps else (there, here)
        if key not in self._terms:
            found = self._terms[key] = []
            for matrix, frame in self.steps[key].args:
                values = self._values[id(matrix)]
                if abs(values[HERE]).max() > 0:
                    is_fixed = bool(abs(values[AFTER] - values[BEFORE]).max() < FIXED)
                    found.append((self.groups[frame], is_fixed))
        return self._terms[key]

    def between(self, here: Point, there: Point) -> list[Point]:
        """Return the points between two points, both included, by the steps that placed them.

        These steps form a tree, whose root represents the component; the path leads through the
        point at which the paths to the root meet.
        """
        ways = follow(here, self._from), follow(there, self._from)
        meet = next(x for x in ways[0] if x in ways[1])
        first, last = (way[: way.index(meet)] for way in ways)
        return [*first, meet, *last[::-1]]

    def statement(self, body: Body) -> str:
        """Return a text of a body's stated angular velocity, or else its mass centre's velocity."""
        if not is_particle(body):
            spin = angular_velocity_in(body.frame, self.inertial)
            if spin != 0:
                return f"{body.frame}.ang_vel_in({self.inertial}) is {shorten(spin)}"
        center = body.masscenter
        return f"{center}.vel({self.inertial}) is {shorten(self.velocity_of(center))}"

    def way(self, point: Point, ends: Collection[Point]) -> list[Point]:
        """Return the points on the shortest way from a point to the nearest end, both included.

        Without a way the result has only the point itself.
        """
        return path_to_any(point, ends, self.neighbours) or [point]

    @cached_property
    def resting_points(self) -> list[Point]:
        """The points whose stated velocity is zero if auxiliary speeds are zero."""
        stated = ((x, own_velocity(x, self.inertial)) for x in self.places)
        return [
            point
            for point, velocity in stated
            if velocity is not None
            and all(matrix.xreplace(self._zeros).is_zero_matrix for matrix, _ in velocity.args)
        ]

    def moves_along(self, center: Point, point: Point) -> bool:
        """Whether a mass centre's position from a point changes at its stated velocity.

        Speeds satisfy the velocity constraints if the model has configuration constraints.
        """
        motion = self.constrained if self._manifold.position else self
        arm, body = motion.arm(center, point), self._at[center]
        if arm is None:
            return False
        stated, rate = motion.twists[body][3:, -1], rate_of(arm)
        return bool(abs(stated - rate).max() < SAME_RATE * max(1.0, abs(stated).max()))

    @cached_property
    def constrained(self) -> "EvaluatedMotion":
        """The motion of the points and bodies at speeds that satisfy the velocity constraints.

        Without velocity constraints, or if the motion is undefined at these speeds, it is this
        object.  Fixed points are not searched in it: a point that only constraints keep at rest is
        not fixed.
        """
        velocity = self._manifold.velocity
        with suppress(ValueError):  # undefined at these speeds
            if not velocity:
                return self
            state = self.state.with_velocities(velocity)
            return EvaluatedMotion(self.inertial, self._bodies, state, Manifold(), (), self._zeros)
        return self

    def count_rotations(self, frame: ReferenceFrame) -> int:
        """Return the number of rotations from the inertial frame to a frame."""
        pairs = pairwise(self.inner_frames(frame))
        return sum(self.groups[here] is not self.groups[inner] for here, inner in pairs)

    def inner_frames(self, frame: ReferenceFrame | None) -> Iterator[ReferenceFrame]:
        """Yield a frame, the frame in which it was oriented, and so on to the inertial frame."""
        while frame in self._inner and frame is not None:
            yield frame
            frame = self._inner[frame][0]


def rate_of(arm: Numbers) -> Numbers:
    """Return the rate of a position from its values at the three instants, shape (3,)."""
    return (arm[AFTER] - arm[BEFORE]) / (2 * STEP)


def _matrices(numbers: Numbers, count: int) -> Numbers:
    """Return the first ``9 * count`` entries as matrices, shape (count, instants, 3, 3)."""
    return numbers[: 9 * count].reshape(count, 3, 3, 3).transpose(0, 3, 1, 2)
