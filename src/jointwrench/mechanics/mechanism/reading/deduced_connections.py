"""The connections of a KanesMethod's bodies, by what its points and frames state.

The rules are those of the documentation's page on models without joints, in its order.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

import numpy as np
from sympy import Expr
from sympy.physics.mechanics import RigidBody
from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame

from ....checks.arguments import enumerate_some
from ...adapters.private_sympy import stated_positions
from ...spatial.paths import angular_velocity_in, points_around, position_from, velocity_as_set
from ...sympy_objects import Body, is_particle
from ..deduced import Deduced, Handles, Triples
from .kinematics_check import agree_in_numbers, stated_velocity
from .point_tree import FrameTree, PointTree, Spot
from .random_state import RandomState
from .solids import Carrier, Solid, Solids


class PointStatements:
    """What the points and frames of a model state of its bodies; auxiliary speeds are ``zeros``."""

    def __init__(
        self,
        inertial: ReferenceFrame,
        bodies: Sequence[Body],
        state: RandomState,
        zeros: Mapping[Expr, Expr],
    ) -> None:
        self._inertial, self._bodies, self._zeros = inertial, bodies, zeros
        self._state = state
        self._frames = FrameTree(inertial, state.time)
        rigid = [body for body in bodies if not is_particle(body)]
        own = {body.masscenter: self._frames.group(body.frame) for body in rigid}
        self._points = PointTree(self._frames, state.time, own)
        self._ground: dict[Spot, Point] = {}
        self._roots: dict[Spot, Body] = {}
        self._conventions: list[str] = []
        self._doubts: list[str] = []
        self._place()
        self._solids = self._read_solids()
        self._rolling = self._find_contacts()

    @property
    def at_rest(self) -> list[Body]:
        """The bodies that do not move relative to ground."""
        return [body for body, carrier in self._solids.welds.items() if carrier is self._inertial]

    @property
    def welds(self) -> Mapping[Body, Body]:
        """The bodies that do not move relative to another one, each with that."""
        return {x: own for x, own in self._solids.welds.items() if own is not self._inertial}

    def connections(self, is_open: bool) -> Deduced:
        """Return on what each body hangs; loops are closed by the user, unless ``is_open``."""
        if is_open:
            self._look_for_loops()
        inner = {x.body.masscenter for x in self._solids.all if not x.is_hub}
        hangs = ((self._parent(x), x.body, self._point(x, inner)) for x in self._solids.all)
        return Deduced(Triples(hangs), self.welds, tuple(self._conventions), tuple(self._doubts))

    # -- (b) from where points come: from one at rest, or the innermost body's mass centre ------

    def _place(self) -> None:
        for body in self._bodies:
            if body.masscenter not in self._points.spots:
                around = [*points_around(body.masscenter)]
                still = [point for point in reversed(around) if self._is_at_rest(point)]
                if still:
                    root = still[0] if len(still) == 1 else min(still, key=self._doubt_of_ground)
                    self._ground[self._points.grow(root, self._inertial)] = root
                else:
                    self._place_from_body([x for x in self._bodies if x.masscenter in around])

    def _is_at_rest(self, point: Point) -> bool:
        velocity = velocity_as_set(point, self._inertial)
        return velocity is not None and all(
            matrix.xreplace(self._zeros).is_zero_matrix for matrix, _ in velocity.args
        )

    def _doubt_of_ground(self, point: Point) -> tuple[bool, bool]:
        """Return why a point at rest may be of a body, on its axis: a contact, or without steps.

        Those of ground are in its frame.
        """
        near = stated_positions(point)
        rolling = (x for x in self._bodies if x.masscenter in near and not is_particle(x))
        groups = {self._frames.group(frame) for step in near.values() for _, frame in step.args}
        is_contact = any(
            self._moves_with(body, point)
            for body in rolling
            if any(frame is not body.frame for _, frame in near[body.masscenter].args)
        )
        return is_contact, self._inertial not in groups

    def _place_from_body(self, bodies: Sequence[Body]) -> None:
        rigid = [x for x in bodies if not is_particle(x)]
        turns = {x: self._frames.outward(x.frame) for x in rigid} or dict.fromkeys(bodies, 0)
        first = [body for body, count in turns.items() if count == min(turns.values())]
        self._roots[self._points.grow(first[0].masscenter)] = first[0]
        if len(bodies) < len(self._bodies):
            self._doubts.append(
                f"no position leads from {_names(bodies)} to a point at rest or to all others"
            )
        elif len(first) > 1:
            self._doubts.append(
                f"no position leads to a point at rest: each of {_names(first)} could hang on "
                f"{self._inertial}"
            )

    # -- (c, g, h) what is fixed in a body ---------------------------------------------------

    def _read_solids(self) -> Solids:
        ground, found = Solid(self._inertial, self._inertial, Spot()), list[Solid]()
        for body in self._bodies:
            center = self._points.spots[body.masscenter]
            on_rod = center.group if center.is_fixed else None
            group = on_rod if is_particle(body) else self._frames.group(body.frame)
            found.append(Solid(body, group, center))
        return Solids(ground, self._ground, found)

    # -- (c to h) on what a body hangs, and at which point -----------------------------------

    def _point(self, solid: Solid, inner: set[Point]) -> Point:
        """Return the last point on a body's way that is fixed in it, or another one there."""
        there = self._points.points.get(solid.begin, ())
        on_way = (x for x in self._points.way(solid.body.masscenter) if x in there)
        others = (point for point in there if point not in inner)
        found = next(on_way, next(others, solid.body.masscenter))
        return self._rolling.get(solid.body, found)

    def _parent(self, solid: Solid) -> Carrier:
        if solid.body in self._rolling:
            return self._inertial
        for spot in solid.begin.ways:
            if (holder := self._holder(solid, spot)) is not None:
                return holder.body
        root = self._solids.welds.get(self._roots[spot], self._roots[spot])
        return self._inertial if root is solid.body else root

    def _holder(self, solid: Solid, spot: Spot) -> Solid | None:
        """Return what holds a body at a spot, if anything does."""
        carrier, ground = self._solids.carrying(spot), self._solids.ground
        beside = [other for other in self._solids.beginning_at(spot) if other is not solid]
        joined = beside if carrier is None else [carrier, *beside]
        chain = self._frames.chain(solid.group)
        turned = next((x for group in chain for x in joined if x.group is group), None)
        holder = carrier if turned is None else turned
        if holder is None or holder is ground:
            hubs = [x for x in beside if x.is_hub and self._is_no_child(x, solid)]
            return self._first(solid, [*([ground] if holder else []), *hubs], spot)
        is_clear = holder is turned and (holder is carrier or holder.is_hub)
        if rest := [x.body for x in joined if x is not holder and not is_clear]:
            self._conventions.append(
                f"{solid.body} hangs on {holder.body} at {self._name(spot)}, where "
                f"{_names(rest)} could hold it, too"
            )
        return holder

    def _is_no_child(self, hub: Solid, solid: Solid) -> bool:
        return hub.body in self._rolling or solid.group not in self._frames.chain(hub.group)

    def _first(self, solid: Solid, equal: Sequence[Solid], spot: Spot) -> Solid | None:
        """Return the first of several that are equally near, or that on which a body slides."""
        if not equal:
            rail = self._solids.along(spot)
            return None if rail is solid else rail
        if len(equal) > 1:
            could = _names([x.body for x in equal])
            self._doubts.append(f"{solid.body} could hang on {could} at {self._name(spot)}")
        return equal[0]

    def _name(self, spot: Spot) -> str:
        points = self._points.points.get(spot, ())
        return str(next(iter(points), "a point without a name"))

    # -- (i) what rolls ------------------------------------------------------------------------

    def _find_contacts(self) -> dict[Carrier, Point]:
        """Return the bodies that roll, each with its contact.

        That is fixed in no body, though it may be in the frame of one: of the fork of a wheel.
        """
        slipping = [
            spot
            for spot, point in self._ground.items()
            for other in self._solids.beginning_at(spot)
            if not (other.is_particle or self._moves_with(other.body, point))
        ]
        self._mark_contacts(slipping, True)
        found = {x.body: at for x in self._solids.all if (at := self._contact(x)) is not None}
        loops = [spot for spot in slipping if self._ground[spot] not in found.values()]
        self._mark_contacts(loops, False)
        return found

    def _mark_contacts(self, spots: Sequence[Spot], is_contact: bool) -> None:
        for spot in spots:
            spot.is_contact = is_contact
        if spots:
            self._solids = self._read_solids()  # bodies begin elsewhere now

    def _contact(self, solid: Solid) -> Point | None:
        """Return the point at rest about which a body turns at each instant, if it rolls there."""
        own, (*between, root) = {solid, self._solids.ground}, solid.begin.ways
        if root not in self._ground or self._solids.is_on_ground(solid.begin):
            return None
        if any(held and own.isdisjoint(held) for held in map(self._solids.holding, between)):
            return None
        return self._ground[root] if self._moves_with(solid.body, self._ground[root]) else None

    def _moves_with(self, body: Carrier, point: Point) -> bool:
        """Whether a point has the velocity that the body's own point has there."""
        state, frame = self._state, self._inertial
        if not isinstance(body, RigidBody):
            return False
        try:
            spin = state.components(angular_velocity_in(body.frame, frame), frame)
            arm = state.components(position_from(point, body.masscenter), frame)
            at_center, stated = (
                state.components(stated_velocity(x, frame).xreplace(self._zeros), frame)
                for x in (body.masscenter, point)
            )
        except ValueError:  # undefined there, or not known
            return False
        return agree_in_numbers(at_center + np.cross(spin, arm), stated)

    # -- (j) what stays open -------------------------------------------------------------------

    def _look_for_loops(self) -> None:
        """Doubt the tree if a point at rest is fixed in a body that moves there."""
        solids = self._solids
        for point, spot in self._points.spots.items():
            there = list[Solid]()
            if self._ground.get(spot) is point:
                there = [x for x in solids.beginning_at(spot) if not x.is_particle]
            elif not solids.is_on_ground(spot) and self._is_at_rest(point):
                there = [x for x in [solids.nearest(spot)] if x is not solids.ground]
            moving = [x.body for x in there if not self._moves_with(x.body, point)]
            if moving:
                self._doubts.append(
                    f"{point} is at rest, but {_names(moving)} moves there: a loop, which could be "
                    "open at any joint"
                )

    # -- where loops may hold it -----------------------------------------------------------------

    @property
    def handles(self) -> Handles:
        """By what constraints may hold bodies: their points, and frames, each body's own first."""
        placed, frames = self._frames.placed, dict[Body | None, Sequence[ReferenceFrame]]()
        for solid in self._solids.all:
            beside = [x for x in placed if self._frames.group(x) is solid.group]
            own = getattr(solid.body, "frame", None)
            frames[solid.body] = [*dict.fromkeys(x for x in (own, *beside) if x in beside)]
        return Handles(self._places(), {**frames, None: placed})

    def _places(self) -> dict[Carrier, list[Point]]:
        """Return the points of each body, and of ground: fixed ones, or where it may roll."""
        solids = self._solids
        oriented = {None, *map(self._frames.group, self._frames.placed)}
        spots = {
            point: spot
            for point, spot in self._points.spots.items()
            if oriented.issuperset(at.group for at in spot.ways)
        }
        found: dict[Carrier, list[Point]] = {
            self._inertial: [x for x, spot in spots.items() if solids.is_on_ground(spot)]
        }
        for solid in solids.all:
            own = {solid, solids.ground}

            def is_free(spot: Spot, own: set[Solid] = own) -> bool:
                return own.issuperset([*solids.holding(spot)[:1], *solids.beginning_at(spot)])

            free = () if solids.is_on_ground(solid.begin) else solid.begin.ways
            passed = dict.fromkeys([solid.begin, *takewhile(is_free, free)])
            found[solid.body] = [x for at in passed for x in self._points.points.get(at, ())]
            around = stated_positions(solid.body.masscenter)
            found[solid.body] += [x for x in around if solid.center in self._points.spots[x].ways]
        for point, spot in spots.items():
            if (near := solids.nearest(spot)) is not solids.ground:
                found[near.body].append(point)
        return {body: [*dict.fromkeys(x for x in own if x in spots)] for body, own in found.items()}

    # -- on which body a load acts at a place that is fixed in none -----------------------------

    def owners(self, loads: Iterable[LoadBase]) -> dict[Point | ReferenceFrame, Body]:
        """Return the bodies on which loads on massless rods and at contacts act, by their places.

        Those of points and frames that are fixed in rigid bodies or ground are not looked for.
        """
        turning: dict[ReferenceFrame | None, list[Solid]] = {}
        for solid in (self._solids.ground, *self._solids.all):
            turning.setdefault(solid.group, []).append(solid)
        found = {}
        for place in dict.fromkeys(load.location for load in loads):
            if isinstance(place, Point):
                own = self._owners_at(place)
            else:
                own = turning.get(self._frames.group(place), [])
                own = own if all(x.is_particle for x in own) else []
            if len(own) == 1:
                found[place] = own[0].body
        return found

    def _owners_at(self, point: Point) -> list[Solid]:
        rolling = [x for x in self._solids.all if self._rolling.get(x.body) is point]
        if rolling or point not in self._points.spots:
            return rolling
        spot = self._points.spots[point]
        if held := self._solids.holding(spot)[:1]:
            return held if held[0].is_particle else []
        first = self._solids.nearest(spot)
        return [first] if self._moves_with(first.body, point) else []


def _names(bodies: Sequence[Carrier]) -> str:
    return enumerate_some([str(body) for body in bodies])
