"""The frames and points of a model as two trees on ground, by what was stated for them.

A step between neighbouring points is cut where it changes frames, so that it has one frame: two
points that are the same steps away from a third one are at one spot.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from sympy import Symbol
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ...adapters.private_sympy import stated_orientations, stated_positions
from ...spatial.components import is_constant
from ...spatial.paths import points_around

#: A group of frames, a spot or a point.
Place = TypeVar("Place")


def _inwards(start: Place | None, inner: Callable[[Place], Place | None]) -> Iterator[Place]:
    """Yield what leads to ground."""
    while start is not None:
        yield start
        start = inner(start)


class FrameTree:
    """Which frames do not turn relative to each other, and from which each group was turned."""

    def __init__(self, inertial: ReferenceFrame, time: Symbol) -> None:
        self._time, self._groups = time, dict[ReferenceFrame, ReferenceFrame]()
        self._inner = dict[ReferenceFrame | None, ReferenceFrame]()
        self._depths = dict[ReferenceFrame, int]()
        self.group(inertial)
        #: The frames that are oriented in the inertial one.
        self.placed = [*self._groups]

    def group(self, frame: ReferenceFrame) -> ReferenceFrame:
        """Return the frame nearest to ground among those that do not turn relative to one."""
        if frame not in self._groups:  # the inertial one, or not oriented in it
            self._groups[frame], self._depths[frame] = frame, 0
            waiting = [frame]
            for here in waiting:  # grows meanwhile
                group = self._groups[here]
                for other, turn in stated_orientations(here).items():
                    if other not in self._groups:
                        waiting.append(other)
                        if is_constant(turn, self._time):
                            self._groups[other] = group
                        else:
                            self._groups[other], self._inner[other] = other, group
                            self._depths[other] = self._depths[group] + 1
        return self._groups[frame]

    def outward(self, frame: ReferenceFrame) -> int:
        """Return how many turns lead from ground to a frame."""
        return self._depths[self.group(frame)]

    def chain(self, group: ReferenceFrame | None) -> Iterator[ReferenceFrame]:
        """Return the groups of frames from which one was turned, towards ground."""
        return _inwards(self._inner.get(group), self._inner.get)


@dataclass(eq=False)
class Spot:
    """Where points are: one step away from a spot nearer to ground, in one group of frames.

    A contact, at which a body rolls, is fixed in no body, though it may be on ground.
    """

    inner: "Spot | None" = None
    group: ReferenceFrame | None = None
    is_fixed: bool = False
    is_contact: bool = False

    def begin(self, group: ReferenceFrame | None) -> "Spot":
        """Return the spot nearest to ground that is fixed in a group of frames together with this.

        Bodies of one group that begin at the same spot do not move relative to each other.
        """
        spot = self
        while spot.inner and spot.is_fixed and spot.group is group:
            if spot.inner.is_contact and spot.inner.group is not group:
                break
            spot = spot.inner
        return spot

    @property
    def ways(self) -> "Iterator[Spot]":
        """The spots on the way to ground, this one first."""
        return _inwards(self, lambda spot: spot.inner)


class PointTree:
    """The spots of points; ``own`` are the groups of frames of bodies, by their mass centres."""

    def __init__(
        self, frames: FrameTree, time: Symbol, own: Mapping[Point, ReferenceFrame | None]
    ) -> None:
        self._frames, self._time, self._own = frames, time, own
        self._steps: dict[object, Spot] = {}
        self.spots: dict[Point, Spot] = {}
        self.points: dict[Spot, list[Point]] = {}
        self._inner: dict[Point, Point] = {}

    def grow(self, root: Point, ground: ReferenceFrame | None = None) -> Spot:
        """Add all points to which positions lead from one, perhaps of ground; return its spot."""
        self._put(root, Spot(None, ground, ground is not None))
        for here in points_around(root):
            for other in stated_positions(here):
                if other not in self.spots:
                    self._inner[other], step = here, stated_positions(other)[here]
                    self._put(other, self._away(self.spots[here], step, self._own.get(other)))
        return self.spots[root]

    def way(self, point: Point) -> Iterator[Point]:
        """Return the points on the way to ground, a point first."""
        return _inwards(point, self._inner.get)

    def _put(self, point: Point, spot: Spot) -> None:
        self.spots[point] = spot
        self.points.setdefault(spot, []).append(point)

    def _away(self, spot: Spot, step: Vector, own: ReferenceFrame | None) -> Spot:
        """Return the spot that is a step away: turn by turn outwards, last in the body's frame."""

        def order(part: tuple[object, ReferenceFrame]) -> tuple[bool, int]:
            return self._frames.group(part[1]) is own, self._frames.outward(part[1])

        for components, frame in sorted(step.args, key=order):
            if not components.is_zero_matrix:
                step_to = spot, frame, tuple(components)
                if step_to not in self._steps:
                    is_fixed = is_constant(components, self._time)
                    there = self._steps[step_to] = Spot(spot, self._frames.group(frame), is_fixed)
                    self._steps[there, frame, tuple(-components)] = spot
                spot = self._steps[step_to]
        return spot
