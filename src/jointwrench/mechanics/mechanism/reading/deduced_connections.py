"""The connections of a KanesMethod's bodies, by what its points and frames state.

The rules are those of the documentation's page on models without joints, in its order.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TypeAlias

import numpy as np
from sympy import Expr
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
from .solids import Solid, Solids

#: A body, or the inertial frame for ground.
Carrier: TypeAlias = Body | ReferenceFrame


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
        solids = [self._solid(body) for body in bodies]
        self.at_rest = [x.body for x in solids if self._is_fixed(x)]
        self._movers = [solid for solid in solids if solid.body not in self.at_rest]
        self._solids = Solids(self._movers)
        self._rolling = self._find_contacts()

    @property
    def welds(self) -> Mapping[Body, Body]:
        """The bodies that do not move relative to another one, each with that."""
        return self._solids.welds

    def connections(self, is_open: bool) -> Deduced:
        """Return on what each body hangs; loops are closed by the user, unless ``is_open``."""
        if is_open:
            self._look_for_loops()
        connections = Triples(map(self._connection, self._solids.all))
        return Deduced(connections, self.welds, tuple(self._conventions), tuple(self._doubts))

    # -- from where points come: from a point at rest, or the innermost body's mass centre ----

    def _place(self) -> None:
        for body in self._bodies:
            if body.masscenter not in self._points.spots:
                around = [*points_around(body.masscenter)]
                still = [point for point in reversed(around) if self._is_at_rest(point)]
                if still:
                    root = still[0] if len(still) == 1 else min(still, key=self._doubt_of_ground)
                    self._ground[self._points.grow(root)] = root
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

    def _is_on_ground(self, spot: Spot) -> bool:
        return spot.begin(self._inertial) in self._ground

    def _look_for_loops(self) -> None:
        """Doubt the tree if a point at rest is fixed in a body that moves there."""
        for point, spot in self._points.spots.items():
            if self._ground.get(spot) is point:
                there = [x for x in self._solids.beginning_at(spot) if not is_particle(x.body)]
            elif not self._is_on_ground(spot) and self._is_at_rest(point):
                there = [x for x in map(self._solids.near, spot.ways) if x is not None][:1]
            else:
                continue
            moving = [x.body for x in there if not self._moves_with(x.body, point)]
            if moving:
                self._doubts.append(
                    f"{point} is at rest, but {_names(moving)} moves there: a loop, which could be "
                    "open at any joint"
                )

    # -- what is fixed in a body, and what rolls ------------------------------------------

    def _solid(self, body: Body) -> Solid:
        center = self._points.spots[body.masscenter]
        if not is_particle(body):
            return Solid(body, self._frames.group(body.frame), center)
        return Solid(body, center.group if center.is_fixed else None, center)

    def _is_fixed(self, solid: Solid) -> bool:
        does_not_turn = is_particle(solid.body) or solid.group is self._inertial
        return does_not_turn and self._is_on_ground(solid.center)

    def _find_contacts(self) -> dict[Solid, Point]:
        """Return the bodies that roll, each with its contact.

        That is fixed in no body, though it may be in the frame of one: of the fork of a wheel.
        """
        slipping = [
            spot
            for spot, point in self._ground.items()
            for other in self._solids.beginning_at(spot)
            if not (is_particle(other.body) or self._moves_with(other.body, point))
        ]
        self._mark_contacts(slipping, True)
        found = {x: at for x in self._solids.all if (at := self._contact(x)) is not None}
        loops = [spot for spot in slipping if self._ground[spot] not in found.values()]
        self._mark_contacts(loops, False)
        return found

    def _mark_contacts(self, spots: Sequence[Spot], is_contact: bool) -> None:
        for spot in spots:
            spot.is_contact = is_contact
        if spots:
            self._solids = Solids(self._movers)  # they begin elsewhere now

    def _contact(self, solid: Solid) -> Point | None:
        """Return the point at rest about which a body turns at each instant, if it rolls there."""
        *between, root = solid.begin.ways
        if root not in self._ground or self._is_on_ground(solid.begin):
            return None
        if any(solid not in (found or [solid]) for found in map(self._solids.holding, between)):
            return None
        return self._ground[root] if self._moves_with(solid.body, self._ground[root]) else None

    def _moves_with(self, body: Body, point: Point) -> bool:
        """Whether a point has the velocity that the body's own point has there."""
        state, frame = self._state, self._inertial
        if is_particle(body):
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

    # -- on which body a load acts at a place that is fixed in none -----------------------------

    def owners(self, loads: Iterable[LoadBase]) -> dict[Point | ReferenceFrame, Body]:
        """Return the bodies on which loads on massless rods and at contacts act, by their places.

        Those of points and frames that are fixed in rigid bodies or ground are not looked for.
        """
        rods = [solid for solid in self._solids.all if is_particle(solid.body)]
        rigid = {solid.group for solid in self._solids.all if solid not in rods}
        found = {}
        for place in dict.fromkeys(load.location for load in loads):
            if isinstance(place, Point):
                owner = self._owner_at(place)
            else:
                group = self._frames.group(place)
                own = (
                    []
                    if group in {*rigid, self._inertial}
                    else [x for x in rods if x.group is group]
                )
                owner = own[0].body if len(own) == 1 else None
            if owner is not None:
                found[place] = owner
        return found

    def _owner_at(self, point: Point) -> Body | None:
        rolling = [solid.body for solid, contact in self._rolling.items() if contact is point]
        if rolling:
            return rolling[0] if len(rolling) == 1 else None
        spot = self._points.spots.get(point)
        if spot is None or self._is_on_ground(spot):
            return None
        carrier = self._solids.near(spot)
        if carrier is not None:
            return carrier.body if is_particle(carrier.body) else None
        first = next((x for at in spot.ways if (x := self._solids.near(at)) is not None), None)
        return first.body if first is not None and self._moves_with(first.body, point) else None

    # -- where it may touch others -------------------------------------------------------------

    @property
    def handles(self) -> Handles:
        """By what constraints may hold bodies: their points, and frames, each body's own first."""
        frames: dict[Body | None, list[ReferenceFrame]] = {}
        for solid in self._solids.all:
            own = [] if is_particle(solid.body) else [solid.body.frame]
            beside = (x for x in self._frames.placed if self._frames.group(x) is solid.group)
            frames[solid.body] = [*dict.fromkeys([*own, *beside])]
        return Handles(self._places(), {**frames, None: self._frames.placed})

    def _places(self) -> dict[Carrier, list[Point]]:
        """Return the points of each body, and of ground: fixed ones, or where it may roll."""
        points = self._points
        found: dict[Carrier, list[Point]] = {
            self._inertial: [x for x, spot in points.spots.items() if self._is_on_ground(spot)]
        }
        for solid in self._solids.all:
            own = {solid, None}

            def is_free(spot: Spot, own: set[Solid | None] = own) -> bool:
                return self._solids.near(spot) in own and own.issuperset(
                    self._solids.beginning_at(spot)
                )

            spots = dict.fromkeys([solid.begin])
            if not self._is_on_ground(solid.begin):
                spots |= dict.fromkeys(takewhile(is_free, solid.begin.ways))
            passed = [point for spot in spots for point in points.points.get(spot, ())]
            around = stated_positions(solid.body.masscenter)
            outward = [x for x in around if solid.center in [*points.spots[x].ways]]
            found[solid.body] = [*passed, *outward]
        for point, spot in points.spots.items():
            near = next((x for at in spot.ways if (x := self._solids.near(at)) is not None), None)
            if near is not None:
                found[near.body].append(point)
        return {carrier: [*dict.fromkeys(own)] for carrier, own in found.items()}

    # -- on what a body hangs, and at which point -------------------------------------------

    def _connection(self, solid: Solid) -> tuple[Carrier, Body, Point]:
        if solid in self._rolling:
            return self._inertial, solid.body, self._rolling[solid]
        return self._parent(solid), solid.body, self._point(solid)

    def _point(self, solid: Solid) -> Point:
        """Return the last point on a body's way that is fixed in it, or another one there."""
        there = self._points.points.get(solid.begin, ())
        passing = {x.body.masscenter for x in self._solids.all if not x.is_hub}
        on_way = (x for x in self._points.way(solid.body.masscenter) if x in there)
        others = (point for point in there if point not in passing)
        return next(on_way, next(others, solid.body.masscenter))

    def _parent(self, solid: Solid) -> Carrier:
        for spot in solid.begin.ways:
            found = self._at(solid, spot)
            if found is not None:
                return found
        root = self._roots.get(spot, solid.body)
        root = self._solids.welds.get(root, root)
        return self._inertial if root is solid.body else root

    def _at(self, solid: Solid, spot: Spot) -> Carrier | None:
        """Return what holds a body at a spot, if anything does."""
        carrier, beside = self._solids.carrying(spot), self._solids.beginning_at(spot)
        beside = [other for other in beside if other is not solid]
        joined = beside if carrier is None else [carrier, *beside]
        for group in self._frames.chain(solid.group):
            for other in joined:
                if other.group is group:
                    is_clear = other is carrier or other.is_hub
                    return self._chosen(solid, other, spot, [] if is_clear else joined)
        if carrier is not None:
            return self._chosen(solid, carrier, spot, beside)
        hubs = [x for x in beside if x.is_hub and self._is_no_child(x, solid)]
        if self._is_on_ground(spot):
            return self._one_of(solid, [self._inertial, *(x.body for x in hubs)], spot)
        if hubs:
            return self._one_of(solid, [x.body for x in hubs], spot)
        rail = self._solids.along(spot)
        if rail is not None and rail is not solid:
            return rail.body
        is_rail_fixed = (
            spot.group is self._inertial and spot.inner and self._is_on_ground(spot.inner)
        )
        return self._inertial if is_rail_fixed else None

    def _is_no_child(self, hub: Solid, solid: Solid) -> bool:
        return hub in self._rolling or solid.group not in self._frames.chain(hub.group)

    def _chosen(self, solid: Solid, other: Solid, spot: Spot, joined: Iterable[Solid]) -> Body:
        """Return the body that holds another one; a convention where others could, too."""
        rest = [x.body for x in joined if x is not other]
        if other.begin is spot and self._is_on_ground(spot):
            rest = [self._inertial, *rest]
        if rest and joined:
            self._conventions.append(
                f"{solid.body} hangs on {other.body} at {self._name(spot)}, where "
                f"{_names(rest)} could hold it, too"
            )
        return other.body

    def _one_of(self, solid: Solid, carriers: Sequence[Carrier], spot: Spot) -> Carrier:
        if len(carriers) > 1:
            where = self._name(spot)
            self._doubts.append(f"{solid.body} could hang on {_names(carriers)} at {where}")
        return carriers[0]

    def _name(self, spot: Spot) -> str:
        points = self._points.points.get(spot, ())
        return str(next(iter(points), "a point without a name"))


def _names(carriers: Iterable[Carrier]) -> str:
    return enumerate_some([str(carrier) for carrier in carriers])
