"""The part of a joint wrench that the joint's constraint supplies."""

from collections.abc import Sequence
from itertools import combinations

from .components import Vec, zero
from .graph import Graph
from .linear import ZERO_COEFFICIENT, value_at_random_state
from .newton_euler import BodyWrench, Transform
from .tree import Link


def constraint_part(graph: Graph, link: Link, wrench: BodyWrench) -> BodyWrench:
    """Return a joint wrench on a child without what acts along the free directions.

    The link's motion must be that of the joint's child relative to the parent.

    Raises
    ======

    ValueError
        If a speed of the joint turns and shifts the link at once.
    """
    transform = Transform(graph, link)
    turns, shifts = [], []
    for speed in link.motion.speeds:
        turn = Vec.enter(graph, link.motion.angular_partial(speed))
        shift = Vec.enter(graph, link.motion.linear_partial(speed))
        if not turn.is_zero and not shift.is_zero:
            raise ValueError(
                f"`joint` {link.joint.name!r} has the speed {speed}, which turns and shifts "
                f"{link.joint.child} at once, so that its constraint wrench is not unique. Use "
                "joint_wrench."
            )
        turns += [] if turn.is_zero else [turn]
        shifts += [] if shift.is_zero else [shift]
    return BodyWrench(
        _normal_force(graph, transform, shifts, wrench.force),
        _normal_part(graph, turns, wrench.moment),
    )


def _normal_force(graph: Graph, transform: Transform, shifts: Sequence[Vec], force: Vec) -> Vec:
    """Return the part of a force normal to shifts, which stand in the inner frame."""
    if not shifts:
        return force
    return transform.outward(_normal_part(graph, shifts, transform.inward(force)))


def _normal_part(graph: Graph, directions: Sequence[Vec], vector: Vec) -> Vec:
    """Return the part of a vector that is normal to all directions."""
    if not directions:
        return vector
    for first, second, third in combinations(directions, 3):
        if abs(value_at_random_state(graph, first.cross(second).dot(third))) > ZERO_COEFFICIENT:
            return zero(graph)
    for first, second in combinations(directions, 2):
        normal = first.cross(second)
        if abs(value_at_random_state(graph, normal.dot(normal))) > ZERO_COEFFICIENT:
            return _along(normal, vector)
    return vector - _along(directions[0], vector)


def _along(direction: Vec, vector: Vec) -> Vec:
    """Return the part of a vector along a direction."""
    return direction * (direction.dot(vector) * direction.dot(direction).reciprocal())
