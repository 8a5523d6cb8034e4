"""The points and frames whose motion a user asks for, and the observer of the motion."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from sympy.physics.vector import Point, ReferenceFrame

from ....checks.arguments import check_name, check_sequence, describe, find_named
from ...spatial.observer import ObserverFrame
from ...sympy_objects import is_particle
from ..loads import LinkIndex
from ..tree import Tree
from .massless_links import MasslessLinks

#: Points, frames, observer and axes, as users specify them.
Places: TypeAlias = tuple[Any, Any, Any, Any]


@dataclass(frozen=True, eq=False)
class PointsAndFrames:
    """Points and frames by name, their observer, and the frame of components.

    Attributes
    ==========

    tree : Tree
        The tree of the bodies with additional massless links for points and frames.
    points, frames : mapping of str to int
        The link of each point and of each frame; for a frame of ground it is None.
    observer : int or None
        The link relative to which motion is observed; None is ground.
    frame : int or None
        The link in whose frame components are returned; None is ground.
    given : tuple
        The user's arguments ``relative_to`` and ``frame``.
    """

    tree: Tree
    points: Mapping[str, int]
    frames: Mapping[str, LinkIndex]
    observer: LinkIndex
    frame: LinkIndex
    given: tuple[Any, Any]

    @property
    def given_points(self) -> dict[str, Point]:
        """The points of sympy by name."""
        return {name: self.tree.links[index].origin for name, index in self.points.items()}

    @property
    def given_frames(self) -> dict[str, ReferenceFrame]:
        """The frames of sympy by name."""
        return {
            name: self.tree.frame if index is None else self.tree.links[index].own_frame
            for name, index in self.frames.items()
        }

    def of_others(self, tree: Tree, places: Places, label: str | None = None) -> "PointsAndFrames":
        """Return different points and frames, by default with the present observer.

        The present frame is the default if the user names neither an observer nor a frame.
        """
        points, frames, relative_to, frame = places
        if relative_to is None:
            relative_to, frame = self.given[0], self.given[1] if frame is None else frame
        own = points, frames, relative_to, frame
        return read_points_and_frames(tree, own, self, label)


def read_points_and_frames(
    tree: Tree, places: Places, before: PointsAndFrames | None = None, label: str | None = None
) -> PointsAndFrames:
    """Return points, frames and their observer as links of an extended tree.

    Parameters
    ==========

    tree : Tree
        The tree of the bodies.
    places : tuple
        The user's arguments points, frames, relative_to and frame.  By default the points are the
        mass centres of all bodies, and the frames are the frames of all rigid bodies.
    before : PointsAndFrames, optional
        Earlier points and frames, whose names the user's arguments may contain.
    label : str, optional
        The user's argument of a single point or frame, for messages.
    """
    points, frames, relative_to, frame = places
    own_points = {} if before is None else before.given_points
    numbered = _numbered((link.body.name, link.own_frame) for link in tree.links)
    own_frames = {n: own for n, own in numbered if n not in tree.geometry.frame_names}
    own_frames |= {} if before is None else before.given_frames
    extended = MasslessLinks(tree)
    bodies = [link.body for link in tree.links]
    if points is None:
        points = dict(_numbered((body.name, body.masscenter) for body in bodies))
    if frames is None:
        oriented = (link for link in tree.links if not link.is_unoriented)
        rigid = (x for x in oriented if not is_particle(x.body))
        frames = dict(_numbered((link.body.name, link.frame) for link in rigid))
    known = tree.geometry
    found = {
        name: extended.add_point(known.point(point, label or "points", own_points))
        for name, point in _check_named("points", points)
    }
    frames_label = label or "frames"
    turning = {
        name: extended.add_frame(known.frame(own, frames_label, own_frames), argument=frames_label)
        for name, own in _check_named("frames", frames)
    }
    observer = None if relative_to is None else _observer(extended, tree, relative_to)
    axes = observer
    if frame is not None:
        axes = extended.add_frame(known.frame(frame, own=own_frames), argument="frame")
    return PointsAndFrames(extended.tree, found, turning, observer, axes, (relative_to, frame))


def _numbered(pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield pairs of a name and an object; repeated names get a number."""
    counts = Counter[str]()
    for name, place in pairs:
        counts[name] += 1
        yield name if counts[name] == 1 else f"{name} #{counts[name]}", place


def _check_named(argument: str, places: Any) -> list[tuple[str, Any]]:
    """Return pairs of a name and an object from a user's dict or list.

    An object may also be the name of an object of the model, which the caller replaces.  Names in
    a list must be unique.
    """
    if isinstance(places, Mapping):
        return [(check_name(argument, name), place) for name, place in places.items()]
    expected = f"a dict of names to {argument}, or a list of {argument} or their names"
    if isinstance(places, ReferenceFrame):  # in sympy, iteration yields its unit vectors
        raise TypeError(f"`{argument}` must be {expected}, got {describe(places)}.")
    items = check_sequence(argument, places, expected)
    pairs = [(getattr(place, "name", place), place) for place in items]
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(
            f"`{argument}` must have a name each, got {twice[0]!r} twice. Use a dict of names to "
            f"{argument}."
        )
    return pairs


def _observer(places: MasslessLinks, tree: Tree, given: Any) -> LinkIndex:
    """Return the link of an observer, which can be a body, a body-fixed frame or ObserverFrame."""
    if isinstance(given, ObserverFrame):
        return places.add_frame(given.frame, given.attachment)
    if isinstance(given, ReferenceFrame):
        return places.add_rigid_frame(given)
    bodies = list(tree.index_of_body)
    body = bodies[find_named("relative_to", given, bodies, "body")]
    if is_particle(body):
        raise ValueError(
            f"`relative_to` must be a body with a frame, got the particle {body.name}. Use "
            "ObserverFrame(frame, particle.masscenter, ...) with the observer's frame."
        )
    return places.add_frame(body.frame, body.masscenter)
