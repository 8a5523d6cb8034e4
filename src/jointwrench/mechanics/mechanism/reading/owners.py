"""The bodies to which points and frames belong."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from sympy import ImmutableDenseMatrix, Symbol
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import Torque
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ....checks.arguments import check_instance, describe, enumerate_some
from ...spatial.components import is_constant, position_components, vector_components
from ...spatial.paths import is_placed, position_from
from ...sympy_objects import Body, is_particle
from ..loads import LinkIndex, VectorPart
from ..tree import Link, Tree

#: The user's choice of the body on which loads at a point or on a frame act; the inertial frame
#: represents ground.
UserOwners: TypeAlias = Mapping[Point | ReferenceFrame, Body | ReferenceFrame]

#: A predicate for a position's components: whether a point with this position counts as the body's.
ComponentRule = Callable[[MatrixBase], bool]


class OwnerError(ValueError):
    """Raised if a point or a frame belongs to no body, or not to the body that a user named."""


def check_owners(owners: Any) -> UserOwners:
    """Return the user's owners of loads after a check of types; an empty dict for None."""
    if owners is None:
        return {}
    expected = "a dict of points and frames of loads to bodies"
    check_instance("owners", owners, Mapping, expected, "Use owners={point: body}.")
    for place, body in owners.items():
        check_instance("owners", place, (Point, ReferenceFrame), expected)
        check_instance("owners", body, (*Body.__args__, ReferenceFrame), expected)
    return owners


def link_of(tree: Tree, body: Body | ReferenceFrame) -> LinkIndex:
    """Return the index of a body's link; None for ground, a ValueError for unknown bodies."""
    if body in tree.index_of_body:
        return tree.index_of_body[body]
    if not is_particle(body) and getattr(body, "frame", body) is tree.frame:
        return None
    names = enumerate_some([str(known) for known in tree.index_of_body])
    raise ValueError(f"{body} is none of the model's bodies ({names}).")


def rod_frames(owners: UserOwners, time: Symbol) -> dict[Body, ReferenceFrame]:
    """Return the frame of each massless rod that transmits loads to a particle.

    A particle has no orientation, so a user who assigns a distant load to a particle implies a
    rod between the two.  A particle can have several loads only if their frames do not rotate
    relative to each other; otherwise an OwnerError is raised.
    """
    rods: dict[Body, ReferenceFrame] = {}
    for place, body in owners.items():
        if is_particle(body) and (rod := _rod_frame(body, place, time)) is not None:
            known = rods.setdefault(body, rod)
            if not is_constant(known.dcm(rod), time):
                raise OwnerError(
                    f"loads act on the particle {body} in the frames {known} and {rod}, which "
                    "rotate relative to each other. Use a RigidBody without mass for each rod."
                )
    return rods


def _rod_frame(
    particle: Body, place: Point | ReferenceFrame, time: Symbol
) -> ReferenceFrame | None:
    """Return the frame of the rod from a particle to a load; None for a load at the particle.

    It is the first frame of the stated position in which that position is constant.
    """
    if isinstance(place, ReferenceFrame):
        return place
    position = position_from(place, particle.masscenter)
    frames = [frame for components, frame in position.args if not components.is_zero_matrix]
    for frame in frames:
        if is_constant(vector_components(position, frame), time):
            return frame
    if frames:
        raise OwnerError(
            f"the load at {place} acts on the particle {particle}, but {place} is not fixed on a "
            f"rod of {particle}. Use a RigidBody without mass in whose frame {place} is fixed."
        )
    return None


class Owners:
    """Finds all bodies to which a point or a frame could belong.

    These rules apply in order:

    1. The user's owner is the only candidate.
    2. Points and frames of a body or of its joints belong to the body.
    3. Other points and frames belong to the bodies in which they are fixed.
    4. Points that are fixed in no body belong to the bodies relative to which their position is a
       function of only time.

    A point that is fixed in several bodies welded to each other belongs to the body from whose
    points it was located.  If several candidates remain, the caller decides.
    """

    def __init__(self, tree: Tree, specified: UserOwners | None = None) -> None:
        self._tree = tree
        self._specified: dict[Point | ReferenceFrame, LinkIndex] = {}
        for place, body in (specified or {}).items():
            try:
                self._specified[place] = link_of(tree, body)
            except ValueError as error:
                raise ValueError(f"`owners` must name bodies of the model, but {error}") from error
        self._points: dict[Point, set[LinkIndex]] = {}
        self._frames: dict[ReferenceFrame, set[LinkIndex]] = {}
        # If the fixed point is also the mass centre of a moving body (a turntable), loads at the
        # point act on the body, not on ground.
        is_ground = all(tree.fixed_point is not link.body.masscenter for link in tree.links)
        self._add(None, tree.fixed_point if is_ground else None, tree.frame)
        self._centers: dict[Point, set[LinkIndex]] = {}
        for index, link in enumerate(tree.links):
            self._centers.setdefault(link.body.masscenter, set()).add(index)
        for body in tree.ground:
            self._add(None, body.masscenter, getattr(body, "frame", tree.frame))
        for index, link in enumerate(tree.links):
            inner, outer = link.inner_side, link.outer_side
            # A particle may share the frame of the body to which it is joined.  The frame
            # and the joint's interframe are then not the particle's.
            of_inner = tree.frame if link.inner is None else tree.links[link.inner].own_frame
            is_own = link.own_frame is not of_inner
            self._add(index, link.body.masscenter, link.own_frame if is_own else None)
            self._add(index, outer.point, outer.interframe if is_own else None)
            if link.joint is not None and inner.body is not outer.body:
                # The inertial frame can also be the frame of a moving body, whose interframes
                # then do not belong to the body.
                shared = tree.frame_of(link.inner) is tree.frame and link.inner is not None
                self._add(link.inner, inner.point, None if shared else inner.interframe)

    def _add(self, index: LinkIndex, point: Point | None, frame: ReferenceFrame | None) -> None:
        if point is not None:
            self._points.setdefault(point, set()).add(index)
        if frame is not None:
            self._frames.setdefault(frame, set()).add(index)

    def check_used(self, loads: Iterable[LoadBase]) -> None:
        """Raise a ValueError if the user named an owner of a point or frame without a load."""
        places = [load.location for load in loads]
        for place in self._specified:
            if place not in places:
                acting = enumerate_some(dict.fromkeys(map(str, places))) or "none"
                raise ValueError(
                    f"`owners` must name points and frames of loads ({acting}), got "
                    f"{describe(place)}. Use load.location."
                )

    def of_load(self, load: LoadBase) -> list[LinkIndex]:
        """Return the links on which a load could act, ground first.

        If there are none, an OwnerError is raised.  Of bodies that are welded to each other only
        one is returned.
        """
        place, is_torque = load.location, isinstance(load, Torque)
        if place in self._specified:
            return [self._check_owner(place, self._specified[place])]
        candidates = self._of_frame(place) if is_torque else self._of_point(place)
        if not candidates:
            what = "frame" if is_torque else "point"
            raise OwnerError(
                f"the {what} {place} belongs to none of the bodies. Use a point or frame of the "
                f"body on which the load acts, or name that body: owners={{{place}: body}}."
            )
        return sorted(
            self._one_of_welded(candidates), key=lambda index: -1 if index is None else index
        )

    def candidate_bodies(self, point: Point, near: LinkIndex) -> set[LinkIndex]:
        """Return the links to which a point could belong.

        If the point's stated position is constant in frames of the body ``near``, only this body
        is returned, which saves the search in all others.
        """
        if self._is_placed_in(point, near, self._is_constant):
            return {near}
        return self._of_point(point)

    def _one_of_welded(self, candidates: set[LinkIndex]) -> set[LinkIndex]:
        """Return one link for each group of welded candidates, preferably a link with mass.

        Links without a joint are welded to their inner link; their innermost link identifies the
        group.
        """
        groups: dict[LinkIndex, LinkIndex] = {}
        links = self._tree.links

        def is_massless(index: LinkIndex) -> bool:
            return index is not None and links[index].mass.is_zero is True

        for index in sorted(candidates, key=is_massless):
            first = index  # becomes the innermost link of the welded chain
            while first is not None and not links[first].joint and links[first].inner is not None:
                first = links[first].inner
            groups.setdefault(first, index)
        return set(groups.values())

    def _of_point(self, point: Point) -> set[LinkIndex]:
        """Return the links to which a point could belong by rules 2 to 4 of the class."""
        if point in self._centers:
            return self._centers[point]
        if point in self._points:
            return self._points[point]
        candidates = self._links_fixing(point) or {
            i for i in self._all_links if self._is_placed_in(point, i, self._is_prescribed)
        }
        if len(candidates) > 1 and self._are_welded(candidates):
            located = {i for i in candidates if self._is_located_in(point, i)}
            candidates = located or candidates
        return candidates

    def _of_frame(self, frame: ReferenceFrame) -> set[LinkIndex]:
        """Return the links in which a frame is fixed."""
        if frame in self._frames:
            return self._frames[frame]
        return {index for index in self._all_links if self._is_constant_orientation(frame, index)}

    def _check_owner(self, place: Point | ReferenceFrame, index: LinkIndex) -> LinkIndex:
        """Return the link of a user's owner, or raise an OwnerError if no load can act there.

        The position of a point in the owner must be known, and a frame on a particle must not
        rotate relative to the particle's frame.
        """
        name = self.name(index)
        if isinstance(place, Point):
            try:
                self.position(place, index)
            except ValueError as error:  # sympy finds no path
                raise OwnerError(
                    f"`owners` assigns the point {place} to {name}, but its position there is "
                    f"unknown. Use {place}.set_pos(...)."
                ) from error
        elif index is not None and is_particle(self._tree.links[index].body):
            own = self._tree.links[index].frame
            if not self._is_constant_orientation(place, index):
                raise OwnerError(
                    f"`owners` assigns the frame {place} to the particle {name}, which turns "
                    f"with {own} already, and {place} turns relative to {own}. Use a RigidBody."
                )
        return index

    def position(self, point: Point, index: LinkIndex) -> ImmutableDenseMatrix:
        """Return a point's position from a link's origin, in the link's frame.

        On ground, ``index`` None, it is the position from the fixed point, in the inertial frame.
        A ValueError is raised if the position is unknown.
        """
        if index is None:
            position = vector_components(self._from_ground(point), self._tree.frame)
            return ImmutableDenseMatrix(position)
        link = self._tree.links[index]
        from_center = position_components(point, link.body.masscenter, link.frame)
        return ImmutableDenseMatrix(from_center + link.masscenter)

    def parts(self, vector: Vector) -> tuple[VectorPart, ...]:
        """Return the parts of a vector, each with the link in which its frame is fixed."""
        return tuple(
            VectorPart(*self._link_of_frame(frame), matrix) for matrix, frame in vector.args
        )

    def _link_of_frame(self, frame: ReferenceFrame) -> tuple[LinkIndex, MatrixBase]:
        """Return a frame's link, and the matrix that converts components to the link's frame.

        For a frame of no body, or of several ones, the link is ground.
        """
        indices = self._frames.get(frame, set())
        index = next(iter(indices)) if len(indices) == 1 else None
        fixed = self._tree.frame_of(index)
        try:
            return index, fixed.dcm(frame)
        except ValueError as error:
            raise ValueError(
                f"`{self._tree.argument}` must have loads in frames of the model, got components "
                f"in the frame {frame}, which is not connected with {fixed}. Orient it in one of "
                "them."
            ) from error

    def _from_ground(self, point: Point) -> Vector:
        """Return the position of a point from the fixed point, or raise a ValueError."""
        if self._tree.fixed_point is None:
            raise ValueError("no fixed point is known")
        return position_from(point, self._tree.fixed_point)

    @property
    def _all_links(self) -> list[LinkIndex]:
        """Ground and all links in which points can be fixed: bodies with an oriented frame."""
        links = enumerate(self._tree.links)
        return [None, *(index for index, link in links if not link.is_unoriented)]

    def name(self, index: LinkIndex) -> str:
        return "ground" if index is None else str(self._tree.links[index].body)

    def _links_fixing(self, point: Point) -> set[LinkIndex]:
        """Return all links in which a point is fixed.

        If a point is fixed in two links, it is also fixed in all links between them.  Therefore
        the search starts from a link whose frames express the point's position with constants, and
        extends to neighbours only, instead of positions along whole chains.
        """
        start = next(
            (i for i in self._all_links if self._is_placed_in(point, i, self._is_constant)), -1
        )
        if start == -1:  # no position is written with constants in the frames of one body
            return {index for index in self._all_links if self._is_fixed(point, index)}
        found, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            for index in self._all_links:
                is_next = self._are_joined(here, index) and index not in found
                if is_next and self._is_fixed(point, index):
                    found.add(index)
                    waiting.append(index)
        return found

    def _is_prescribed(self, components: MatrixBase) -> bool:
        """Whether components contain no coordinates and speeds, only constants and time."""
        states = (*self._tree.coordinates, *self._tree.speeds)
        return not (states and components.has(*states))

    def _are_joined(self, one: LinkIndex, other: LinkIndex) -> bool:
        """Whether two links are neighbours: one of the two is the inner link."""
        links = self._tree.links
        return (other is not None and links[other].inner == one) or (
            one is not None and links[one].inner == other
        )

    def _are_welded(self, indices: set[LinkIndex]) -> bool:
        """Whether links form one rigid body: all except the first are fixed in their inner link."""
        links = [self._tree.links[index] for index in indices if index is not None]
        rigid = [link for link in links if link.inner in indices and _is_rigid(link)]
        return len(rigid) == len(indices) - 1

    def _is_located_in(self, point: Point, index: LinkIndex) -> bool:
        """Whether stated positions lead from a body's points to a point without any joint."""
        bodies = self._tree.ground if index is None else (self._tree.links[index].body,)
        places = [body.masscenter for body in bodies]
        if index is None and self._tree.fixed_point is not None:
            places.append(self._tree.fixed_point)
        return any(is_placed(point, place, self._joint_gaps) for place in places)

    @cached_property
    def _joint_gaps(self) -> set[frozenset[Point]]:
        """The pairs of points that joints connect: steps that lead to a different body."""
        sides = ((link.inner_side, link.outer_side) for link in self._tree.links if link.joint)
        return {frozenset((inner.point, outer.point)) for inner, outer in sides}

    def _is_placed_in(self, point: Point, index: LinkIndex, rule: ComponentRule) -> bool:
        """Whether the stated position of a point is written in frames of only one body.

        The components must satisfy the ``rule``, such as being constant.
        """
        try:
            if index is None:
                position = self._from_ground(point)
            else:
                position = position_from(point, self._tree.links[index].body.masscenter)
        except ValueError:  # sympy finds no path between the points
            return False
        return all(
            self._frames.get(frame) == {index} and rule(components)
            for components, frame in position.args
        )

    def _is_fixed(self, point: Point, index: LinkIndex) -> bool:
        """Whether the components of a point's position in a link's frame are constant."""
        try:
            return self._is_constant(self.position(point, index))
        except ValueError:  # sympy finds no path between the points or the frames
            return False

    def _is_constant_orientation(self, frame: ReferenceFrame, index: LinkIndex) -> bool:
        """Whether the orientation of a frame in a link's frame is constant."""
        try:
            return self._is_constant(frame.dcm(self._tree.frame_of(index)))
        except ValueError:  # the frames have no connection
            return False

    def _is_constant(self, components: MatrixBase) -> bool:
        return is_constant(components, self._tree.time)


def _is_rigid(link: Link) -> bool:
    """Whether a link does not move relative to its inner link."""
    motion = link.motion
    return motion.angular_velocity.is_zero_matrix and motion.offset_velocity.is_zero_matrix
