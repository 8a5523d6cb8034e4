"""The origin of ground: a point at rest from which positions of joints on ground are measured."""

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
    """Return the position of a point from an origin, zero for the origin itself."""
    return Vector(0) if point is origin else position_from(point, origin)


def ground_points(tree: Tree, state: RandomState | None = None) -> dict[int, ImmutableDenseMatrix]:
    """Return the positions of links' inner points on ground from the ground origin, by link index.

    The components are in the inertial frame.  If a ``state`` is specified, a component is NaN if
    its rate at this state contradicts the link's velocity: the point at rest changes (rolling) or
    does not exist.
    """
    places: dict[int, ImmutableDenseMatrix] = {}
    for index, link in enumerate(tree.links):
        if link.inner is None and tree.ground_origin is not None:
            try:
                position = position_from_origin(link.inner_side.point, tree.ground_origin)
            except ValueError:  # no position is stated: only speeds define its motion
                continue
            components = list(vector_components(position, tree.frame))
            for k in [] if state is None else _contradicting_components(link, position, state):
                components[k] = nan
            places[index] = ImmutableDenseMatrix(components)
    return places


def _contradicting_components(link: Link, position: Vector, state: RandomState) -> list[int]:
    """Return the indices of components of a position whose rates contradict a link's velocity.

    The position is that of a point of the link on ground; components are in the inertial frame.
    """
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
    """Return a point of ground as the origin of positions, None if no point is at rest.

    The first choice is a point from which the positions of all links on ground change with the
    links' velocities.  If there is none, it is the first point whose velocity is zero.

    Parameters
    ==========

    links : sequence of Link
        The links of the tree.
    points : iterable of Point
        The points at which links are joined to ground.
    loads : iterable of Force or Torque
        The loads, whose points may be points of ground.
    frame : ReferenceFrame
        The inertial frame.
    state : RandomState
        The state at which rates and velocities are compared.
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
    """Whether a link's position from an origin changes with the link's velocity.

    This includes links without a stated position from the origin.
    """
    try:
        return not _contradicting_components(link, position_from_origin(link.origin, origin), state)
    except ValueError:  # no position is stated
        return True


def _is_at_rest(point: Point, frame: ReferenceFrame) -> bool:
    try:
        return bool(stated_velocity(point, frame) == 0)
    except ValueError:  # sympy finds no velocity
        return False
