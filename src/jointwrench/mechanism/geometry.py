"""Where points are and how frames are oriented, as it was at one moment.

Sympy's frames can be oriented and its points be set anew at any time, and then
tell of another model than the one that was read.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

import numpy as np
from sympy import Expr, ImmutableDenseMatrix, Matrix, eye
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ..checks.arguments import check_frame, check_point
from ..spatial.connections import check_oriented, check_path
from ..spatial.paths import Place, Relation, along, orientations, positions, shortest_path

#: Returns the values of expressions, shape (..., number of expressions).
Evaluate = Callable[[list[Expr]], np.ndarray]

#: The direction cosine matrices between the frames on a path.
Stages = dict[tuple[ReferenceFrame, ReferenceFrame], Matrix]


class Geometry:
    """The positions and orientations that points and frames had when this was made.

    Those that had no connection then are looked up in sympy when they are asked
    for, from themselves to the nearest one that had.

    Parameters
    ==========

    points : iterable of Point
        Some points; those that they are connected with are kept as well.
    frames : iterable of ReferenceFrame
        Some frames; those that they are connected with are kept as well.
    """

    def __init__(self, points: Iterable[Point], frames: Iterable[ReferenceFrame]) -> None:
        self._positions = _connected(points, positions)
        self._orientations = _connected(frames, orientations)

    def dcm(self, frame: ReferenceFrame, other: ReferenceFrame) -> ImmutableDenseMatrix:
        """Return the matrix that takes components in ``other`` to components in ``frame``.

        Raises
        ======

        ValueError
            If no path of orientations leads from one to the other.
        """
        product = eye(3)
        for stage in self._stages(frame, other).values():
            product = product * stage
        return ImmutableDenseMatrix(product)

    def rotation(
        self, frame: ReferenceFrame, other: ReferenceFrame, evaluate: Evaluate
    ) -> np.ndarray:
        """Return the values of `dcm`, shape (..., 3, 3).

        Raises
        ======

        TypeError
            If ``frame`` is no ReferenceFrame.
        ValueError
            If no path of orientations leads from one to the other.
        """
        return _rotations([self._stages(frame, other)], evaluate)[0]

    def position(
        self, point: Point, origin: Point, frame: ReferenceFrame, evaluate: Evaluate
    ) -> np.ndarray:
        """Return a point's position from another one, components in a frame, shape (..., 3).

        Raises
        ======

        TypeError
            If ``point`` is no Point.
        ValueError
            If no path of positions leads from one to the other.
        """
        parts = self._position(point, origin).args
        values = evaluate([x for components, _ in parts for x in components])
        arms = values.reshape(*values.shape[:-1], len(parts), 3, 1)
        turned = _rotations([self._stages(frame, own) for _, own in parts], evaluate)
        zero = np.zeros((*values.shape[:-1], 3))
        return sum((r @ arms[..., k, :, :] for k, r in enumerate(turned)), zero[..., None])[..., 0]

    def _stages(self, frame: ReferenceFrame, other: ReferenceFrame) -> Stages:
        neighbours = _kept_or(self._orientations, orientations)
        path = shortest_path(check_frame("frame", frame), other, neighbours)
        if path is None:
            return {(frame, other): check_oriented("frame", frame, other).dcm(other)}
        return {(here, there): neighbours(here)[there] for here, there in pairwise(path)}

    def _position(self, point: Point, origin: Point) -> Vector:
        neighbours = _kept_or(self._positions, positions)
        path = shortest_path(check_point("about", point), origin, neighbours)
        return check_path("about", point, origin) if path is None else along(path, neighbours)


def _connected(
    places: Iterable[Place], neighbours: Relation[Place]
) -> dict[Place, Mapping[Place, Vector]]:
    """Return the neighbours of some places, of their neighbours, and so on."""
    waiting = list(places)
    found: dict[Place, Mapping[Place, Vector]] = {}
    for place in waiting:  # grows meanwhile
        if place not in found:
            found[place] = dict(neighbours(place))
            waiting += found[place]
    return found


def _kept_or(
    kept: Mapping[Place, Mapping[Place, Vector]], neighbours: Relation[Place]
) -> Relation[Place]:
    return lambda place: kept[place] if place in kept else neighbours(place)


def _rotations(paths: list[Stages], evaluate: Evaluate) -> list[np.ndarray]:
    """Return the product of the matrices on each path, shape (..., 3, 3)."""
    stages = {edge: stage for path in paths for edge, stage in path.items()}
    values = evaluate([entry for stage in stages.values() for entry in stage])
    matrices = values.reshape(*values.shape[:-1], len(stages), 3, 3)
    by_edge = {edge: matrices[..., k, :, :] for k, edge in enumerate(stages)}
    products = []
    for path in paths:
        product = np.broadcast_to(np.eye(3), (*values.shape[:-1], 3, 3))
        for edge in path:
            product = product @ by_edge[edge]
        products.append(product)
    return products
