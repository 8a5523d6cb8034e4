"""The loops of a KanesMethod, by what its constraint equations say of its points.

At a state at which the constraints hold, an equation is about a body's material at a point if it
says that this does not move along a direction, relative to ground or to another body.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from sympy import Matrix, expand
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ....checks.arguments import shorten
from ....checks.tolerances import ROUNDING
from ...spatial.components import is_constant
from ...spatial.paths import position_from
from ...sympy_objects import Body, is_particle
from ..closing import Constraints
from ..contact import Contact
from ..deduced import DeducedLoops
from ..loop_connection import LoopConnection
from ..loop_joint import LoopJoint
from ..tree import Tree
from .kinematics_check import stated_velocity
from .random_state import Manifold, RandomState

#: The points at which bodies, or ground, may touch others.
Places = Mapping[Body | ReferenceFrame, Sequence[Point]]

#: The frames that do not turn relative to bodies, and, by None, all others.
Frames = Mapping[Body | None, Sequence[ReferenceFrame]]


@dataclass(frozen=True, eq=False)
class Touch:
    """A point of a body, and how its material moves there relative to another one or to ground.

    ``velocity`` and ``spin`` have a column for each speed, and one for what moves without any.
    """

    parent: Body
    child: Body
    point: Point
    other: Point | None  # the parent's own point there
    arm: np.ndarray  # from the child's mass centre
    velocity: np.ndarray
    spin: np.ndarray
    sizes: np.ndarray  # of what the velocity is a sum of

    def __str__(self) -> str:
        return f"{self.child} on {self.parent} at {self.point}"

    @property
    def bodies(self) -> tuple[Body, Body]:
        return self.parent, self.child

    def is_at(self, other: "Touch") -> bool:
        """Whether two touches are of the same bodies at the same place."""
        apart, size = abs(self.arm - other.arm).max(), abs(self.arm).max()
        return self.bodies == other.bodies and bool(apart <= ROUNDING * size)


class Push(NamedTuple):
    """A constraint's force at a touch: its direction, also by components in the inertial frame."""

    touch: Touch
    along: Vector
    components: np.ndarray
    is_of_child: bool

    def is_same_as(self, other: "Push") -> bool:
        """Whether two forces act between the same bodies along the same line."""
        one, apart = self.touch, self.touch.arm - other.touch.arm
        sizes = np.linalg.norm([self.components, one.arm, other.touch.arm], axis=1)
        limit = ROUNDING * sizes[0]
        return (
            one.bodies == other.touch.bodies
            and abs(np.cross(self.components, other.components)).max()
            <= limit * np.linalg.norm(other.components)
            and abs(np.cross(apart, self.components)).max() <= limit * sizes[1:].sum()
        )


def deduced_loops(
    tree: Tree,
    constraints: Constraints,
    places: Places,
    frames: Frames,
    anywhere: RandomState,
) -> DeducedLoops:
    """Return loop joints and contacts that say where all constraints act, or why not.

    Forces have the directions of axes of the ``frames``, or those in which an equation pushes.
    """
    manifold = Manifold(constraints.position, (), tree.turning)
    try:
        state = anywhere.where(manifold) if manifold.position else anywhere
    except ValueError:  # not assembled, so that equations must say it in any pose
        state = anywhere
    own = tree, constraints, frames, places
    told = state.first_told(lambda instant: [_Equations(*own, instant).loops()])
    return told[0] if told else DeducedLoops()


class _Equations:
    """Constraint equations as rows of coefficients of the speeds, all of the size of one."""

    def __init__(
        self,
        tree: Tree,
        constraints: Constraints,
        frames: Frames,
        places: Places,
        state: RandomState,
    ) -> None:
        self._tree, self._constraints, self._state = tree, constraints, state
        self._frames, self._places = frames, places
        self._bodies = [body for body in places if body is not tree.frame]
        self._ground = RigidBody("ground", tree.ground_origin, tree.frame)
        self._loops, self._written, self._doubts = list[LoopConnection](), list[str](), list[str]()
        states = [*state.by_speed()]
        moving = np.array([_motions(tree, x) for x in states])  # states, links, (v, w), xyz
        moving[:-1] -= moving[-1]
        self._motions = {
            link.body: moving[:, k].transpose(1, 2, 0) for k, link in enumerate(tree.links)
        }
        self._motions[self._ground] = np.zeros((2, 3, len(states)))
        own = _columns([x.values(constraints.velocity) for x in states])
        slopes = _columns([x.rates(constraints.position) for x in states])
        touches = [*self._all_touches()]
        units = np.max([x.sizes for x in touches], axis=0, initial=0)
        self._is_moved = units > 0
        self._is_moved[-1] = True
        self._units = np.where(units > 0, units, max(units) or 1)
        self._is_told = not own[:, ~self._is_moved].any()  # row by row
        if not self._is_told:
            own = _null_space(own[:, ~self._is_moved].T) @ own
        self.rows, self.slopes = map(self._scaled, (own, slopes))
        self._touches = [replace(x, velocity=self._part(x.velocity)) for x in touches]

    def _part(self, rows: np.ndarray) -> np.ndarray:
        """Return the columns of speeds that move bodies, each in the size of a velocity."""
        return (rows / self._units)[:, self._is_moved]

    def _scaled(self, rows: np.ndarray) -> np.ndarray:
        rows = self._part(rows)
        sizes = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(sizes > 0, sizes, 1)

    # -- what may touch what ---------------------------------------------------------------

    def _all_touches(self) -> Iterator[Touch]:
        """Yield the places of bodies on ground, and those at which two bodies are."""
        still = self._places.get(self._tree.frame, ())
        own = [(body, point) for body in self._bodies for point in self._places[body]]
        points = [*still, *(point for _, point in own)]
        places = np.array([self._position(point) for point in points]).reshape(-1, 3)
        apart = abs(places[:, None] - places).max(axis=2)
        near = apart <= ROUNDING * np.nanmax(abs(places), initial=0)
        for at, (child, point) in enumerate(own, len(still)):
            other = next((x for x, is_near in zip(still, near[at], strict=False) if is_near), None)
            yield from self._touch(self._ground, child, point, other)
        for pair in combinations(range(len(own)), 2):
            (parent, other), (child, point) = (own[k] for k in pair)
            if near[len(still) + pair[0], len(still) + pair[1]] and parent is not child:
                if not _turns(parent):
                    parent, other, child, point = child, point, parent, other
                yield from self._touch(parent, child, point, other)

    def _position(self, point: Point) -> np.ndarray:
        try:
            arm = position_from(point, self._ground.masscenter)
        except ValueError:  # no path
            return np.full(3, np.nan)
        return self._state.components(arm, self._tree.frame)

    def _touch(
        self, parent: Body, child: Body, point: Point, other: Point | None
    ) -> Iterator[Touch]:
        (velocity, size, arm), (moving, other_size, _) = (
            self._at(body, x) for body, x in ((child, point), (parent, other))
        )
        rest, sizes = velocity - moving, size + other_size
        can_act = _turns(parent) and (_turns(child) or not arm.any())
        if can_act and abs(rest).max() > ROUNDING * sizes.max():
            spin = self._motions[child][1] - self._motions[parent][1]
            yield Touch(parent, child, point, other, arm, rest, spin, sizes)

    def _at(self, body: Body, point: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return velocities of a body's material at a point, their terms' size, and its arm."""
        velocity, spin = self._motions[body]
        arm = np.zeros(3)
        if body is not self._ground:
            arm = self._state.components(position_from(point, body.masscenter), self._tree.frame)
        turned = np.linalg.norm(spin, axis=0) * np.linalg.norm(arm)
        return velocity + np.cross(spin.T, arm).T, np.linalg.norm(velocity, axis=0) + turned, arm

    # -- what the equations say -----------------------------------------------------------

    def loops(self) -> DeducedLoops:
        meeting = [x for x in self._touches if _rank(x.velocity) > 1]
        meeting = [x for x in meeting if _spans(self.rows, x.velocity)]
        known, chosen = self.rows[:0], list[Touch]()
        for touch in meeting:
            if not _spans(known, touch.velocity):
                chosen.append(touch)
                known = np.vstack([known, touch.velocity])
        for touch in chosen:
            rest = [x.velocity for x in chosen if x is not touch]
            others = [x for x in meeting if not x.is_at(touch)]
            rivals = [x for x in others if _spans(np.vstack([*rest, x.velocity]), known)]
            self._doubt("a constraint", [touch, *rivals])
            self._meet(touch)
        contacts: dict[Touch, list[Vector]] = {}
        for number, row in enumerate(self.rows):
            if not _spans(known, row[None]):
                pushes = self._pushes(number)
                pushes = [x for x in pushes if x.is_of_child] or pushes
                self._doubt(self._text(number), [x.touch for x in pushes])
                for push in pushes[:1]:
                    contacts.setdefault(push.touch, []).append(push.along)
                    known = np.vstack([known, row])
        for touch, directions in contacts.items():
            self._close(Contact, touch, touch.point, directions)
        return DeducedLoops(tuple(self._loops), tuple(self._written), tuple(self._doubts))

    def _doubt(self, what: str, touches: Sequence[Touch]) -> None:
        if not touches:
            self._doubts.append(f"{what} acts at no point that the model names")
        elif len(touches) > 1:
            where = (f"{x.child} at {x.point} (by {x.parent})" for x in touches)
            self._doubts.append(f"{what} could act on {' or '.join(where)}")

    def _text(self, number: int) -> str:
        if self._is_told:
            return f"the constraint {shorten(self._constraints.velocity[number])} = 0"
        return "the constraint that follows for the speeds that move bodies"

    def _pushes(self, number: int) -> list[Push]:
        """Return the forces that an equation may say: one for each line and pair of bodies."""
        found = list[Push]()
        if any(_spans(spin, self.rows[[number]]) for spin in self._spins()):
            return found  # a moment
        for touch in self._touches:
            if _spans(touch.velocity, self.rows[[number]]):
                push = next(self._pushing(touch, number), None)
                if push is not None and not any(map(push.is_same_as, found)):
                    found.append(push)
        return found

    def _spins(self) -> Iterator[np.ndarray]:
        """Yield how bodies turn, relative to ground or to each other."""
        for one, other in combinations([self._ground, *filter(_turns, self._bodies)], 2):
            spin = self._part(self._motions[other][1] - self._motions[one][1])
            if abs(spin).max() > 0:
                yield spin

    def _pushing(self, touch: Touch, number: int) -> Iterator[Push]:
        """Yield the directions along which a touch moves as an equation says."""
        row = self.rows[[number]]
        for vector, is_of_child in self._directions(touch, number):
            components = self._state.components(vector, self._tree.frame)
            moved = components @ touch.velocity
            limit = ROUNDING * abs(touch.velocity).max() * abs(components).max()
            if abs(moved).max() > limit and _spans(row, moved[None]):
                yield Push(touch, vector, components, is_of_child)

    def _directions(self, touch: Touch, number: int) -> Iterator[tuple[Vector, bool]]:
        own = self._frames.get(touch.child, ())
        for frame in dict.fromkeys([*own, touch.parent.frame, *chain(*self._frames.values())]):
            for axis in frame:
                yield axis, frame in own
        if self._is_told and not touch.arm.any():
            yield self._slope(touch.child, number), False
        if touch.parent is self._ground:
            for origin in self._places.get(self._tree.frame, ()):
                yield position_from(touch.point, origin), False

    def _slope(self, body: Body, number: int) -> Vector:
        """Return the sum of an equation's coefficients times a mass centre's partial velocities."""
        tree = self._tree
        equation = tree.derivative.in_speeds(Matrix([self._constraints.velocity[number]]))[0]
        velocity = stated_velocity(body.masscenter, tree.frame)
        terms = (
            equation.diff(u) * velocity.diff(u, tree.frame, var_in_dcm=False) for u in tree.speeds
        )
        return sum(terms, Vector(0))

    # -- what is made of it ---------------------------------------------------------------

    def _close(self, make: Callable[..., LoopConnection], touch: Touch, *arguments: Any) -> None:
        """Make a joint or contact, and the code that does it."""

        def code(x: Any) -> str:
            if isinstance(x, str):
                return f'"{x}"'
            if x is self._ground:
                return f'RigidBody("ground", {x.masscenter}, {x.frame})'
            return f"[{', '.join(map(str, x))}]" if isinstance(x, list) else str(x)

        every = str(touch), *touch.bodies, *arguments
        self._written.append(f"{make.__name__}({', '.join(map(code, every))})")
        self._loops.append(make(*every))

    def _meet(self, touch: Touch) -> None:
        """Close a loop at a point that does not move: where it meets another one, or rolls."""
        place = touch.other or self._place(touch)
        if place is None or not _spans(self.slopes, touch.velocity):
            axes = list(touch.parent.frame)
            pairs = zip(axes, self._axes(touch.parent) @ touch.velocity, strict=True)
            moved = [axis for axis, row in pairs if abs(row).max() > ROUNDING]
            is_whole = len(moved) == _rank(touch.velocity)
            self._close(Contact, touch, touch.point, moved if is_whole else axes)
            return
        axis = self._axis(touch)
        kind = "spherical" if axis is None else "pin"
        self._close(LoopJoint, touch, kind, place, touch.point, None, None, axis)

    def _axes(self, body: Body) -> np.ndarray:
        return np.array([self._state.components(x, self._tree.frame) for x in body.frame])

    def _axis(self, touch: Touch) -> Vector | None:
        """Return the axis of both bodies about which alone one turns relative to the other."""
        if not _turns(touch.child) or _rank(touch.spin) != 1:
            return None
        axis = _space(touch.spin.T)[0]
        own = zip(
            touch.parent.frame, self._axes(touch.parent), self._axes(touch.child), strict=True
        )
        for vector, *both in own:
            if abs(np.cross(both, axis)).max() <= ROUNDING and both[0] @ both[1] > 0:
                return vector
        return None

    def _place(self, touch: Touch) -> Vector | None:
        """Return where a point meets ground, by the equations."""
        if touch.parent is not self._ground:
            return None
        tree, place = self._tree, Vector(0)
        arm = position_from(touch.point, self._ground.masscenter)
        for axis in tree.frame:
            length = arm.dot(axis)
            equations = (f * sign for f in self._constraints.position for sign in (1, -1))
            fixed = (expand(length - x) for x in (0, *equations))
            known = next((x for x in fixed if is_constant(x, tree.time)), None)
            if known is None:
                return None
            place += known * axis
        return place


def _rank(rows: np.ndarray) -> int:
    return len(_space(rows))


def _motions(tree: Tree, state: RandomState) -> list[list[np.ndarray]]:
    """Return the velocity of the mass centre and the angular velocity of each link."""
    ground = np.eye(3), np.zeros(3), np.zeros(3)
    known, found = list[tuple[np.ndarray, ...]](), []
    for link in tree.links:
        turn, velocity, spin = ground if link.inner is None else known[link.inner]
        motion = link.motion
        arm = turn @ (state.values(link.attachment) + state.values(motion.offset))
        velocity = velocity + np.cross(spin, arm) + turn @ state.values(motion.offset_velocity)
        for stage in motion.rotations:
            turn = turn @ state.values(stage).reshape(3, 3).T
        spin = spin + turn @ state.values(motion.angular_velocity)
        known.append((turn, velocity, spin))
        found.append([velocity + np.cross(spin, turn @ state.values(link.masscenter)), spin])
    return found


def _turns(body: Body) -> bool:
    return not is_particle(body)


def _columns(values: Sequence[np.ndarray]) -> np.ndarray:
    """Return the columns of values at a unit of each speed, beyond the last for none."""
    return np.transpose([*(x - values[-1] for x in values[:-1]), values[-1]])


def _space(rows: np.ndarray) -> np.ndarray:
    """Return orthonormal rows that span the same space."""
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    return directions[sizes > ROUNDING * max(sizes, default=0)]


def _null_space(rows: np.ndarray) -> np.ndarray:
    """Return orthonormal combinations of columns that vanish."""
    return np.linalg.svd(rows)[2][len(_space(rows)) :]


def _spans(rows: np.ndarray, others: np.ndarray) -> bool:
    """Whether other rows are combinations of rows."""
    space = _space(rows)
    left = others - others @ space.T @ space
    return bool(abs(left).max(initial=0) <= ROUNDING * abs(others).max(initial=0))
