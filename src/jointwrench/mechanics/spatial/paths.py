"""Positions, orientations and angular velocities along the shortest path between two objects.

`Point.pos_from` and `ReferenceFrame.ang_vel_in` list every path that starts at
a point or a frame, and then pick the shortest one to the other.  In a chain of
200 bodies that takes 15 ms, although the two nearly always are neighbours.

The functions here search outwards and end at the other point or frame.  They
read what was set (by `set_pos`, `set_ang_vel`, `orient_axis` and the like).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from sympy import eye
from sympy.matrices import MatrixBase
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ..adapters.private_sympy import (
    stated_angular_velocities,
    stated_orientations,
    stated_positions,
    stated_velocities,
)
from ..sympy_objects import check_frame, check_point

PointOrFrame = TypeVar("PointOrFrame")

#: A function that returns the stated relations of a point or frame: Vectors or matrices, by the
#: other point or frame.
Relation: TypeAlias = Callable[[PointOrFrame], Mapping[PointOrFrame, Any]]


def position_from(point: Point, origin: Point) -> Vector:
    """Return the position of a point from an origin, equal to ``point.pos_from(origin)``."""
    path = shortest_path(point, origin, stated_positions)
    return Point.pos_from(point, origin) if path is None else sum_along(path, stated_positions)


def angular_velocity_in(frame: ReferenceFrame, other: ReferenceFrame) -> Vector:
    """Return the angular velocity of a frame, equal to ``frame.ang_vel_in(other)``."""
    path = shortest_path(frame, other, stated_angular_velocities)
    if path is None:
        return ReferenceFrame.ang_vel_in(frame, other)
    return sum_along(path, stated_angular_velocities)


class NearPoint(Point):
    """A Point whose ``pos_from`` takes the same time in a larger model."""

    def pos_from(self, otherpoint: Point) -> Vector:
        return position_from(self, otherpoint)


class NearFrame(ReferenceFrame):
    """A ReferenceFrame whose ``ang_vel_in`` takes the same time in a larger model."""

    def dcm(self, otherframe: ReferenceFrame) -> MatrixBase:
        return eye(3) if otherframe is self else super().dcm(otherframe)

    def ang_vel_in(self, otherframe: ReferenceFrame) -> Vector:
        return angular_velocity_in(self, otherframe)


def orientations_between(frame: ReferenceFrame, other: ReferenceFrame) -> list[MatrixBase]:
    """Return the matrices that, applied in order, convert components in ``other`` to ``frame``."""
    path = shortest_path(frame, other, stated_orientations)
    if path is None:
        return [frame.dcm(other)]  # which raises sympy's error
    return [stated_orientations(here)[there] for here, there in pairwise(path)][::-1]


def has_own_spin(frame: ReferenceFrame, other: ReferenceFrame) -> bool:
    """Whether the angular velocity of ``frame`` in ``other`` was stated, not derived."""
    return other in stated_angular_velocities(frame)


def own_velocity(point: Point, frame: ReferenceFrame) -> Vector | None:
    """Return the stated velocity of a point in a frame; None if sympy would derive it."""
    return stated_velocities(point).get(frame)


def reach(
    starts: Iterable[PointOrFrame], neighbours: Callable[[PointOrFrame], Iterable[PointOrFrame]]
) -> Iterator[tuple[PointOrFrame, PointOrFrame | None]]:
    """Yield each connected place, breadth first, and the place from which it was reached."""
    inner: dict[PointOrFrame, PointOrFrame | None] = dict.fromkeys(starts)
    waiting = [*inner]
    for here in waiting:  # grows meanwhile
        yield here, inner[here]
        for other in neighbours(here):
            if other not in inner:
                inner[other] = here
                waiting.append(other)


def follow(start: PointOrFrame, inner: Mapping[PointOrFrame, Any]) -> list[PointOrFrame]:
    """Return a place, the one from which it was reached, and so on to the first one."""
    way = [start]
    while (before := inner.get(way[-1])) is not None:
        way.append(before)
    return way


def connected_points(point: Point) -> Iterator[Point]:
    """Yield a point and all points that stated positions connect with it, nearest first."""
    return (here for here, _ in reach([point], stated_positions))


def is_placed(point: Point, origin: Point, gaps: Collection[frozenset[Point]]) -> bool:
    """Whether stated positions connect two points, without the relations in ``gaps``."""

    def neighbours(here: Point) -> Mapping[Point, Vector]:
        found = stated_positions(here)
        return {other: found[other] for other in found if frozenset((here, other)) not in gaps}

    return shortest_path(point, origin, neighbours) is not None


def shortest_path(
    start: PointOrFrame, end: PointOrFrame, neighbours: Relation[PointOrFrame]
) -> list[PointOrFrame] | None:
    """Return the points or frames on the shortest path, with both ends; None without a path."""
    return path_to_any(start, (end,), neighbours)


def path_to_any(
    start: PointOrFrame,
    ends: Collection[PointOrFrame],
    neighbours: Callable[[PointOrFrame], Iterable[PointOrFrame]],
) -> list[PointOrFrame] | None:
    """Return the points or frames on the shortest path to any of some ends; None without one."""
    inner: dict[PointOrFrame, PointOrFrame | None] = {}
    for here, before in reach([start], neighbours):
        inner[here] = before
        if here in ends:
            return follow(here, inner)[::-1]
    return None


def sum_along(path: list[PointOrFrame], neighbours: Relation[PointOrFrame]) -> Vector:
    """Return the sum of the stated Vectors between neighbours on a path."""
    if len(path) == 2:  # the usual case
        return neighbours(path[0])[path[1]]
    steps = [neighbours(here)[other] for here, other in pairwise(path)]
    return Vector([part for step in steps for part in step.args])


def check_path(argument: str, value: Any, other: Point) -> Vector:
    """Return the position of an argument, a Point, from ``other``; an error if it is unknown."""
    point = check_point(argument, value)
    try:
        return position_from(point, other)
    except ValueError:
        raise ValueError(
            f"`{argument}` must have a known position from {other}, got {point}, and no path of "
            f"positions connects {point} and {other}. Use {point}.set_pos({other}, ...)."
        ) from None


def check_oriented(argument: str, value: Any, other: ReferenceFrame) -> ReferenceFrame:
    """Return an argument that is a frame with a known orientation in ``other``."""
    frame = check_frame(argument, value)
    if shortest_path(frame, other, stated_orientations) is None:
        raise ValueError(
            f"`{argument}` must have a known orientation in {other}, got {frame}, and no path of "
            f"orientations connects {frame} and {other}. Use {frame}.orient_axis({other}, ...)."
        )
    return frame
