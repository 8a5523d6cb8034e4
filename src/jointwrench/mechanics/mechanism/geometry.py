"""A copy of the positions of points and the orientations of frames when a model was read.

Those in sympy's objects may change later and then belong to another model.
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
from ..spatial.paths import PointOrFrame, Relation, check_oriented, check_path, reach, shortest_path
from ..sympy_objects import check_frame, check_point

#: A function that returns the values of expressions, shape (..., number of expressions).
Evaluate = Callable[[list[Expr]], np.ndarray]

#: Numbers by frame or by point, with the batch axes first.
Arrays: TypeAlias = dict[PointOrFrame, np.ndarray]


class Geometry:
    """The stored positions and orientations of points and frames, and of all connected with them.

    Those of other points and frames are read from sympy when they are needed.
    """

    def __init__(self, points: Iterable[Point], frames: Iterable[ReferenceFrame]) -> None:
        self._positions = _connected(points, stated_positions)
        self._orientations = _connected(frames, stated_orientations)
        self._between: dict[tuple[ReferenceFrame, ReferenceFrame], list[ReferenceFrame]] = {}

    def point(
        self, point: Any, argument: str = "about", own: Mapping[str, Any] = MappingProxyType({})
    ) -> Point:
        """Return the Point that an argument is or names, also by a name in ``own``."""
        return check_point(argument, _by_name(argument, point, self._positions, "points", own))

    def frame(
        self, frame: Any, argument: str = "frame", own: Mapping[str, Any] = MappingProxyType({})
    ) -> ReferenceFrame:
        """Return the ReferenceFrame that an argument is or names, also by a name in ``own``."""
        found = _by_name(argument, frame, self._orientations, "frames", own)
        return check_frame(argument, found)

    def wrench_frame(self, frame: Any, joint: Any, own: ReferenceFrame) -> ReferenceFrame:
        """Return the frame for a joint wrench's components: the argument, or ``own`` for None.

        The name "joint" means the joint's child interframe.
        """
        interframe = getattr(joint, "child_interframe", None) or own  # connections have none
        return own if frame is None else self.frame(frame, own={"joint": interframe})

    @property
    def frame_names(self) -> set[str]:
        return {frame.name for frame in self._orientations}

    def frames_about(self, frame: ReferenceFrame, other: ReferenceFrame) -> list[ReferenceFrame]:
        """Return all frames: first two frames and the frames between them, then the others.

        Between them are also the intermediate frames of rotations about three axes.
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
    """Return the point or frame that is specified by itself or by a name.

    Names are searched first in the mapping ``own``, then among the ``known`` points or frames.
    """
    if not isinstance(wanted, str):
        return wanted
    if wanted in own:
        return own[wanted]
    found = [place for place in known if place.name == wanted]
    if len(found) == 1:
        return found[0]
    # Interframes that sympy's joints make are found by name, but not suggested.
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
    """Return the neighbours of points or frames and, in turn, of all that are connected."""
    return {place: dict(neighbours(place)) for place, _ in reach(places, neighbours)}


def _stored_or_current(
    kept: Mapping[PointOrFrame, Mapping[PointOrFrame, Vector]], neighbours: Relation[PointOrFrame]
) -> Relation[PointOrFrame]:
    return lambda place: kept[place] if place in kept else neighbours(place)
