"""A point at rest, and the positions of bodies joined to ground from it."""

from collections.abc import Iterable, Sequence

import numpy as np
from sympy import ImmutableDenseMatrix, nan
from sympy.physics.mechanics import Force
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ...spatial.components import vector_components
from ...spatial.paths import connected_points, own_velocity, position_from
from ..tree import Link, Tree
from .kinematics_check import are_close, stated_velocity
from .random_state import RandomState


def position_from_origin(point: Point, origin: Point) -> Vector:
    """Return the position of a point from another one or itself."""
    return Vector(0) if point is origin else position_from(point, origin)


def ground_points(tree: Tree, state: RandomState | None = None) -> dict[int, ImmutableDenseMatrix]:
    """Return the positions of joints on ground, by their links.

    At a ``state`` components are NaN that change differently from the motion of the link, because
    the point at rest changes (rolling) or does not exist.
    """
    places: dict[int, ImmutableDenseMatrix] = {}
    for index, link in enumerate(tree.links):
        if link.inner is None and tree.ground_origin is not None:
            try:
                position = position_from_origin(link.inner_side.point, tree.ground_origin)
            except ValueError:  # not placed: speeds alone say how it moves
                continue
            components = list(vector_components(position, tree.frame))
            for k in [] if state is None else _contradicting_components(link, position, state):
                components[k] = nan
            places[index] = ImmutableDenseMatrix(components)
    return places


def _contradicting_components(link: Link, position: Vector, state: RandomState) -> list[int]:
    """Return the components of a position on ground that contradict the motion of the link."""
    frame = link.inner_side.frame

    def contradicting(instant: RandomState) -> list[int]:
        rate = instant.time_derivative(position, frame)
        stated = instant.values(link.motion.offset_velocity)
        length = float(np.linalg.norm(instant.components(position, frame)))
        return [k for k in range(3) if not are_close(rate[[k]], stated[[k]], size=length)]

    return state.first_defined(contradicting)


def find_fixed_point(
    links: Sequence[Link],
    points: Iterable[Point],
    loads: Iterable[LoadBase],
    frame: ReferenceFrame,
    state: RandomState,
) -> Point | None:
    """Return a point of ground from which positions are defined at a state, else any.

    ``points`` are those at which links are joined to ground; forces may act at points of ground,
    too.
    """
    ends = [link for link in links if link.inner is None]
    known = [*points, *(load.point for load in loads if isinstance(load, Force))]
    around = [point for link in ends for point in connected_points(link.origin)]
    at_rest = [point for point in known if _is_at_rest(point, frame)]
    at_rest += [point for point in around if own_velocity(point, frame) == 0]
    others = (point for point in around if own_velocity(point, frame) is None)
    consistent = (
        x for x in (*at_rest, *others) if all(_is_consistent(link, x, state) for link in ends)
    )
    return next(consistent, next(iter(at_rest), None))


def _is_consistent(link: Link, origin: Point, state: RandomState) -> bool:
    """Whether the position from a point, if there is one, changes as the link moves."""
    try:
        return not _contradicting_components(link, position_from_origin(link.origin, origin), state)
    except ValueError:  # not placed from there
        return True


def _is_at_rest(point: Point, frame: ReferenceFrame) -> bool:
    try:
        return bool(stated_velocity(point, frame) == 0)
    except ValueError:  # sympy knows no velocity
        return False
