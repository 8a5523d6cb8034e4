"""The points and frames of a System's bodies at which constraints may act."""

from collections.abc import Callable, Mapping
from typing import Any

from sympy.physics.vector import Point, ReferenceFrame

from ...adapters.private_sympy import stated_orientations, stated_positions
from ...spatial.components import is_constant
from ...spatial.paths import reach
from ...sympy_objects import Body, is_particle
from ..deduced_structure import ConstraintSites
from ..tree import Tree


def joint_sites(tree: Tree) -> ConstraintSites:
    """Return the points and frames that are fixed in each body of a System and in its ground.

    They follow from positions and orientations that were stated between neighbours, and are sorted
    by their number of steps from the body's frame, or from its mass centre and joint.
    """
    time = tree.time

    def turned(frame: ReferenceFrame) -> list[ReferenceFrame]:
        """Return the neighbours of a frame with a constant orientation in it."""
        near = stated_orientations(frame)
        return [other for other, matrix in near.items() if is_constant(matrix, time)]

    frames: dict[Body | None, list[ReferenceFrame]] = {
        link.body: _connected([] if is_particle(link.body) else [link.body.frame], turned)
        for link in tree.links
    }
    on_ground = _connected([tree.frame], turned)
    points: dict[Body | ReferenceFrame, list[Point]] = {}
    for body, own, starts in (
        (tree.frame, on_ground, [tree.ground_origin]),
        *((x.body, frames[x.body], [x.body.masscenter, x.origin]) for x in tree.links),
    ):

        def shifted(point: Point, own: list[ReferenceFrame] = own) -> list[Point]:
            """Return the neighbours of a point with a constant position from it in a body."""
            near: Mapping[Point, Any] = stated_positions(point)
            return [
                other
                for other, step in near.items()
                if all(frame in own and is_constant(x, time) for x, frame in step.args)
            ]

        points[body] = _connected([x for x in starts if x is not None], shifted)
    everything = [*on_ground, *(frame for own in frames.values() for frame in own)]
    return ConstraintSites(points, {**frames, None: everything})


def _connected(starts: list[Any], neighbours: Callable[[Any], list[Any]]) -> list[Any]:
    """Return all points or frames that a relation connects with some starts, nearest first."""
    return [place for place, _ in reach(starts, neighbours)]
