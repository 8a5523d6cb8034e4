"""Positions of points and orientations of frames at one moment.

Sympy's can be changed at any time, and then belong to another model than was read.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from sympy import Expr, ImmutableDenseMatrix, Matrix, eye
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ...checks.arguments import check_known
from ..adapters.private_sympy import stated_orientations, stated_positions
from ..spatial.body_rotations import frames_of_rotations
from ..spatial.paths import PointOrFrame, Relation, check_oriented, check_path, shortest_path
from ..sympy_objects import check_frame, check_point

#: Returns the values of expressions, shape (..., number of expressions).
Evaluate = Callable[[list[Expr]], np.ndarray]

#: Numbers by frame or by point, with the batch axes first.
Arrays: TypeAlias = dict[PointOrFrame, np.ndarray]


class Geometry:
    """A snapshot of the positions and orientations of points and frames.

    It stores everything connected with the given ones; others are looked up in sympy from these.
    """

    def __init__(self, points: Iterable[Point], frames: Iterable[ReferenceFrame]) -> None:
        self._positions = _connected(points, stated_positions)
        self._orientations = _connected(frames, stated_orientations)
        self._between: dict[tuple[ReferenceFrame, ReferenceFrame], list[ReferenceFrame]] = {}

    def point(
        self, point: Any, argument: str = "about", own: Mapping[str, Any] = MappingProxyType({})
    ) -> Point:
        """Return the Point of an argument, which is a Point or a name."""
        return check_point(argument, _by_name(argument, point, self._positions, "points", own))

    def frame(
        self, frame: Any, argument: str = "frame", own: Mapping[str, Any] = MappingProxyType({})
    ) -> ReferenceFrame:
        """Return the ReferenceFrame of an argument, which is a frame or a name."""
        found = _by_name(argument, frame, self._orientations, "frames", own)
        return check_frame(argument, found)

    def wrench_frame(self, frame: Any, joint: Any, own: ReferenceFrame) -> ReferenceFrame:
        """Return the frame of an argument for a joint's wrench, whose usual frame is ``own``."""
        interframe = getattr(joint, "child_interframe", None) or own  # connections have none
        return own if frame is None else self.frame(frame, own={"joint": interframe})

    @property
    def frame_names(self) -> set[str]:
        return {frame.name for frame in self._orientations}

    def frames_about(self, frame: ReferenceFrame, other: ReferenceFrame) -> list[ReferenceFrame]:
        """Return two frames and those between them, then all others.

        Those between them include the intermediate frames of rotations about three axes.
        """
        found = [frame]
        for (here, there), matrix in self.stages(frame, other).items():
            if (here, there) not in self._between:
                self._between[here, there] = frames_of_rotations(here, there, matrix)
            found += [*self._between[here, there], there]
        return list(dict.fromkeys([*found, *self._orientations]))

    def dcm(self, frame: ReferenceFrame, other: ReferenceFrame) -> ImmutableDenseMatrix:
        """Return the matrix that converts components in ``other`` to components in ``frame``."""
        product = eye(3)
        for stage in self.stages(frame, other).values():
            product = product * stage
        return ImmutableDenseMatrix(product)

    def poses(
        self,
        frame: ReferenceFrame,
        origin: Point,
        evaluate: Evaluate,
        frames: Iterable[ReferenceFrame] = (),
        points: Iterable[Point] = (),
    ) -> tuple[Arrays[ReferenceFrame], Arrays[Point]]:
        """Return rotations (..., 3, 3) of frames and positions (..., 3) of points, in numbers.

        Rotations convert components in each frame to ``frame``; positions are from ``origin``, in
        ``frame``.  ``evaluate`` returns the values of expressions; it is called once.
        """
        steps: dict[tuple[Point, Point], Vector] = {}
        for point in points:
            steps |= self.steps(point, origin)
        stages: dict[tuple[ReferenceFrame, ReferenceFrame], Matrix] = {}
        for other in (*frames, *(own for step in steps.values() for _, own in step.args)):
            stages |= self.stages(frame, other)
        components = [matrix for step in steps.values() for matrix, _ in step.args]
        values = evaluate([x for matrix in (*stages.values(), *components) for x in matrix])
        batch, turned = values.shape[:-1], 9 * len(stages)
        turns = iter(np.moveaxis(values[..., :turned].reshape(*batch, -1, 3, 3), -3, 0))
        arms = iter(np.moveaxis(values[..., turned:].reshape(*batch, -1, 3, 1), -3, 0))
        rotations = {frame: np.broadcast_to(np.eye(3), (*batch, 3, 3))}
        for (here, there), turn in zip(stages, turns, strict=True):
            rotations[there] = rotations[here] @ turn
        places = {origin: np.zeros((*batch, 3))}
        for (near, far), step in steps.items():
            shifts = ((rotations[own] @ next(arms))[..., 0] for _, own in step.args)
            places[far] = sum(shifts, places[near])
        return rotations, places

    def stages(
        self, frame: ReferenceFrame, other: ReferenceFrame
    ) -> dict[tuple[ReferenceFrame, ReferenceFrame], Matrix]:
        """Return direction cosine matrices of neighbours; their product is ``frame.dcm(other)``."""
        neighbours = _stored_or_current(self._orientations, stated_orientations)
        path = shortest_path(check_frame("frame", frame), other, neighbours)
        if path is None:
            return {(frame, other): check_oriented("frame", frame, other).dcm(other)}
        return {(here, there): neighbours(here)[there] for here, there in pairwise(path)}

    def steps(self, point: Point, origin: Point) -> dict[tuple[Point, Point], Vector]:
        """Return the relative positions of neighbours on the path from the origin to a point."""
        neighbours = _stored_or_current(self._positions, stated_positions)
        path = shortest_path(check_point("about", point), origin, neighbours)
        if path is None:
            return {(origin, point): check_path("about", point, origin)}
        return {(near, far): neighbours(far)[near] for near, far in pairwise(path[::-1])}


def _by_name(
    argument: str, wanted: Any, known: Iterable[Any], kind: str, own: Mapping[str, Any]
) -> Any:
    """Return the point or frame of a name, among the user's ``own`` and known ones."""
    if not isinstance(wanted, str):
        return wanted
    if wanted in own:
        return own[wanted]
    found = [place for place in known if place.name == wanted]
    if len(found) == 1:
        return found[0]
    # Joints make frames that nobody has asked for: they are found, and not proposed.
    names = [*own, *(place.name for place in known if not place.name.endswith("_int_frame"))]
    if found:
        own_class = "Point" if isinstance(found[0], Point) else "ReferenceFrame"
        raise ValueError(
            f"`{argument}` must be one of the model's {kind}, got {wanted!r}, the name of "
            f"{len(found)} {kind}. Use the {own_class} itself."
        )
    check_known(argument, [wanted], names, f"be one of the model's {kind}")


def _connected(
    places: Iterable[PointOrFrame], neighbours: Relation[PointOrFrame]
) -> dict[PointOrFrame, Mapping[PointOrFrame, Vector]]:
    """Return the neighbours of some places, of their neighbours, and so on."""
    waiting = list(places)
    found: dict[PointOrFrame, Mapping[PointOrFrame, Vector]] = {}
    for place in waiting:  # grows meanwhile
        if place not in found:
            found[place] = dict(neighbours(place))
            waiting += found[place]
    return found


def _stored_or_current(
    kept: Mapping[PointOrFrame, Mapping[PointOrFrame, Vector]], neighbours: Relation[PointOrFrame]
) -> Relation[PointOrFrame]:
    return lambda place: kept[place] if place in kept else neighbours(place)
