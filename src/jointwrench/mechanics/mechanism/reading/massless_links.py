"""Points and frames of a model as massless links of its tree."""

from collections.abc import Mapping
from dataclasses import replace

from sympy import S
from sympy.physics.mechanics import Particle
from sympy.physics.vector import Point, ReferenceFrame

from ...adapters.private_sympy import stated_orientations, stated_positions
from ...spatial.paths import PointOrFrame, Relation, path_to_any
from ..loads import LinkIndex
from ..relative_motion import Side, motion_across
from ..tree import AT_ORIGIN, Link, Tree
from .owners import Owners


class MasslessLinks:
    """Adds points and frames of a model to a tree, as links without mass.

    A point or frame that is fixed in a body becomes a link welded to the body.  A point or frame
    that moves relative to all bodies becomes a link of the nearest body to which stated positions
    or orientations lead, and these define the motion of the link.

    Attributes
    ==========

    tree : Tree
        The tree with all links that were added so far.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree, self._owners = tree, Owners(tree)
        self._added: list[Link] = []
        self._points: dict[Point, LinkIndex] = {}  # of the model
        self._frames: dict[ReferenceFrame, LinkIndex] = {tree.frame: None}
        for index, link in enumerate(tree.links):
            self._points.setdefault(link.body.masscenter, index)
            self._points.setdefault(link.origin, index)
            self._frames.setdefault(link.own_frame, index)
        for link in tree.links:
            self._points.setdefault(link.inner_side.point, link.inner)
        for point in (tree.ground_origin, *(body.masscenter for body in tree.ground)):
            if point is not None:
                self._points.setdefault(point, None)

    @property
    def tree(self) -> Tree:
        """The tree with the added links, which come after the links of bodies."""
        first, constraints = len(self._tree.links), self._tree.constraints
        on_ground = [first + k for k, link in enumerate(self._added) if link.inner is None]
        ground_points = {**constraints.ground_points, **dict.fromkeys(on_ground, AT_ORIGIN)}
        return replace(
            self._tree,
            links=(*self._tree.links, *self._added),
            constraints=replace(constraints, ground_points=ground_points),
        )

    def add_point(self, point: Point) -> int:
        """Return the index of a new link at a point, which does not rotate in its body."""
        nearest = _nearest_link("points", point, self._points, stated_positions)
        # Of several bodies that a point could belong to, ground or the innermost body is chosen.
        candidates = self._owners.candidate_bodies(point, nearest) or {nearest}
        index = min(candidates, key=lambda carrier: -1 if carrier is None else carrier)
        return self._add_link(index, self._tree.frame_of(index), point)

    def add_frame(
        self, frame: ReferenceFrame, origin: Point | None = None, argument: str = "frames"
    ) -> LinkIndex:
        """Return the index of a frame's link, with an optional origin; None for ground.

        Without an origin the link is at the origin of the body from which the frame is oriented.
        """
        if origin is None and frame in self._frames:
            return self._frames[frame]
        if frame is self._tree.frame and origin is self._tree.ground_origin:
            return None
        index = _nearest_link(argument, frame, self._frames, stated_orientations)
        return self._add_link(index, frame, self._origin(index) if origin is None else origin)

    def add_rigid_frame(self, frame: ReferenceFrame) -> LinkIndex:
        """Return the link of a body-fixed frame, with the body's mass centre as origin.

        A frame that rotates relative to all bodies raises a ValueError: the choice of its origin
        would change the velocities that an observer in the frame measures.
        """
        index = _nearest_link("relative_to", frame, self._frames, stated_orientations)
        if index is None:
            return self.add_frame(frame, self._tree.ground_origin)
        added = self.add_frame(frame, self._tree.links[index].body.masscenter)
        motion = self._added[-1].motion
        if motion.angular_velocity.is_zero_matrix is not True:
            raise ValueError(
                f"`relative_to` must be a frame that is fixed in a body, got {frame}, which "
                "turns relative to all of them, so that its origin matters. Use "
                "ObserverFrame(frame, point, ...)."
            )
        return added

    def _add_link(self, index: LinkIndex, frame: ReferenceFrame, point: Point) -> int:
        """Return the index of a new link with a frame and a point, joined to the link ``index``.

        The stated orientation of the frame and the stated position of the point define the motion.
        """
        own = self._tree.frame_of(index)
        body = Particle(point.name, point, S.Zero)
        inner = Side(body, own, own, self._origin(index))
        outer = Side(body, frame, frame, point)
        motion = motion_across(None, inner, outer, self._tree.derivative)
        link = Link(inner=index, inner_side=inner, outer_side=outer, motion=motion)
        self._added.append(link)
        return len(self._tree.links) + len(self._added) - 1

    def _origin(self, index: LinkIndex) -> Point:
        """Return the point from which positions of a link are measured; for None, of ground."""
        if index is not None:
            return self._tree.links[index].origin
        if self._tree.ground_origin is None:
            raise ValueError(
                "`points` must be placed from a point at rest, and none is known. Use "
                "Point.set_pos and Point.set_vel."
            )
        return self._tree.ground_origin


def _nearest_link(
    argument: str,
    place: PointOrFrame,
    known: Mapping[PointOrFrame, LinkIndex],
    neighbours: Relation[PointOrFrame],
) -> LinkIndex:
    """Return the link of the known point or frame that is nearest along stated relations.

    Without a path, raise a ValueError about the user's ``argument``.
    """
    path = path_to_any(place, known, neighbours)
    if path is None:
        is_point = isinstance(place, Point)
        what = "position" if is_point else "orientation"
        setter = "set_pos" if is_point else "orient_axis"
        raise ValueError(
            f"`{argument}` must have a known {what} in the model, got {place}, from which none "
            f"leads to a body. Use {place}.{setter}(...)."
        )
    return known[path[-1]]
