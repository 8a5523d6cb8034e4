"""Bodies that move as one in a model without joints, and the freedom of their relative motions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from sympy.physics.vector import Point, ReferenceFrame

from ....checks.tolerances import NO_MOTION, STATED
from ...sympy_objects import Body, is_particle
from .stated_motion import HERE, EvaluatedMotion, Numbers

#: A body, or the inertial frame for ground.
BodyOrGround: TypeAlias = Body | ReferenceFrame

#: The largest motion by a speed that is none.
SMALLEST_MOTION = np.finfo(float).tiny


@dataclass(eq=False)
class Solid:
    """Ground, or a body with all bodies that are fixed in it.

    A particle has the frames of the step that leads to it from ground: those of its massless rod.
    ``twist`` is that of `EvaluatedMotion`, with the rod's angular velocity.
    """

    body: BodyOrGround
    center: Point | None
    group: ReferenceFrame | None
    twist: Numbers
    is_oriented: bool = True
    parts: list[Body] = field(default_factory=list)

    @property
    def is_particle(self) -> bool:
        return is_particle(self.body)


class Solids:
    """The solids of a model, ground first, and their relative motions.

    Attributes
    ==========

    anchors : list
        The points of ground: at rest, and the positions of bodies from them change as bodies move.
    contacts : list
        The other points at rest: a body rolls there, or its motion contradicts that.
    ends : list
        The points at which ways from bodies end: anchors, else contacts, else mass centres.
    at_rest, welds : list, dict
        The bodies that do not move relative to ground; to another body, each with that.
    all : list
        The solids, ground first, without those that are welded.
    freedom, is_known : ndarray
        The rank of the motion of each pair of solids, shape (solids, solids), and whether positions
        lead from one to the other; if not, the rank of their relative rotation.
    turning : ndarray
        The rank of the relative rotation of each pair.
    """

    def __init__(self, motion: EvaluatedMotion, bodies: Sequence[Body]) -> None:
        self.motion = motion
        self._find_ground([body.masscenter for body in bodies])
        count = max((x.shape[1] for x in motion.twists.values()), default=2)
        self.ground = Solid(motion.inertial, None, motion.inertial, np.zeros((6, count)))
        found = [self._solid(body) for body in bodies]
        self._put_on_rods([x for x in found if x.is_particle])
        self._weld([self.ground, *found])

    # -- ground and rods -----------------------------------------------------------------------

    def _find_ground(self, centers: Sequence[Point]) -> None:
        motion = self.motion
        near = {x: motion.way(x, centers)[-1] for x in motion.places}
        still = motion.resting_points
        of_ground = [x for x in still if motion.moves_along(near[x], x)]
        if not of_ground:  # its velocity may have been forgotten
            others = (x for x in motion.places if x not in centers and x not in still)
            of_ground = [x for x in others if motion.moves_along(near[x], x)]
        self.anchors = self._nearest([x for x in of_ground if x not in centers] or of_ground)
        self.contacts = [x for x in still if x not in of_ground]
        self.ends = self.anchors or self.contacts or centers

    def _nearest(self, points: Iterable[Point]) -> list[Point]:
        """Return the points at rest without those on the axes of bodies.

        Those of ground are nearest to it by the frames of the steps from them, or steps in its own
        frame lead to one that is.
        """
        motion, found = self.motion, list[Point]()

        def depth(point: Point) -> int:
            terms = (x for other in motion.neighbours(point) for x in motion.terms(point, other))
            return max((motion.count_rotations(group) for group, _ in terms), default=0)

        for point in sorted(points, key=depth):
            way = motion.way(point, found)
            groups = {group for step in pairwise(way) for group, _ in motion.terms(*step)}
            if len(way) == 1 or groups <= {motion.inertial}:
                found.append(point)
        return found

    def _solid(self, body: Body) -> Solid:
        motion, particle = self.motion, is_particle(body)
        group = None if particle else motion.groups.get(body.frame)
        twist = motion.twists[body].copy()
        return Solid(body, body.masscenter, group, twist, not particle, [body])

    def _put_on_rods(self, particles: Sequence[Solid]) -> None:
        """Give particles the frames of the first step on the way to ground, if they are one."""
        for solid in particles:
            way = self.motion.way(solid.center, [x for x in self.ends if x is not solid.center])
            first = next((x for x in (self.motion.terms(*y) for y in pairwise(way)) if x), [])
            groups = {group for group, _ in first}
            fixed = {group for group, is_fixed in first if is_fixed}
            for group in groups if len(groups) == 1 else fixed if len(fixed) == 1 else ():
                solid.group, solid.is_oriented = group, True
        oriented = [x for x in particles if x.group is not None]
        spins = self.motion.spins([x.group for x in oriented])
        for solid, spin in zip(oriented, spins, strict=True):
            solid.twist[:3] = spin

    # -- motions of solids relative to others ----------------------------------------------------

    def _set_motions(self, solids: Sequence[Solid]) -> None:
        """Set twists about one point, of which differences are relative twists, and places.

        Motions by each speed and lengths are of the size of one.
        """
        twists = np.array([x.twist[:, :-1] for x in solids])
        self._is_lost = np.isnan(twists).any(axis=(1, 2))
        twists = np.nan_to_num(twists)
        places = np.array([self._place(x) for x in solids])
        size = abs(places).max(initial=0) or 1.0
        places, twists[:, 3:] = places / size, twists[:, 3:] / size
        twists[:, 3:] -= np.cross(twists[:, :3], places[..., None], axis=1)
        twists /= np.maximum(abs(twists).max(axis=(0, 1)), SMALLEST_MOTION)
        self._twists, self._places = twists, places
        self._is_point = np.array([not x.is_oriented for x in solids])
        roots = [self.motion.components.get(x.center, x) for x in solids]
        own = np.array([roots.index(root) for root in roots])
        same = own[:, None] == own
        anchored = {self.motion.components[x] for x in (*self.anchors, *self.contacts)}
        is_grounded = np.array([root in anchored for root in roots])
        #: Whether nothing states where two solids are relative to each other, but for ground.
        self.is_apart = ~same & is_grounded & is_grounded[:, None]
        is_plain = abs(twists[:, :3]).max(axis=(1, 2)) < STATED
        self.is_known = same | is_plain[:, None] | is_plain
        self.is_known &= ~(self._is_lost[:, None] | self._is_lost)

    def _weld(self, solids: Sequence[Solid]) -> None:
        """Join bodies that do not move relative to others: to rigid ones, the inner ones first."""
        self._set_motions(solids)
        products = self._products(solids)
        is_still = (np.trace(products, axis1=2, axis2=3) < STATED**2) & self.is_known
        self.at_rest, self.welds = list[Body](), dict[Body, Body]()
        ways = {x: len(self.way(x.center)) for x in solids[1:]}
        first = [0]
        order = sorted(solids[1:], key=lambda x: (x.is_particle, not x.is_oriented, ways[x]))
        for k in map(solids.index, order):
            still = [i for i in first if is_still[i, k]]
            if not still or (len(still) > 1 and not solids[k].is_oriented):  # on an axis of bodies
                first.append(k)
                continue
            whole = still[0]
            solids[whole].parts.append(solids[k].body)
            if whole == 0:
                self.at_rest.append(solids[k].body)
            else:
                self.welds[solids[k].body] = solids[whole].body
        first.sort()
        self.all = [solids[k] for k in first]
        self._twists, self._places = self._twists[first], self._places[first]
        self._is_point = self._is_point[first]
        chosen = np.ix_(first, first)
        self.is_known, self.is_apart = self.is_known[chosen], self.is_apart[chosen]
        both = np.array([products[chosen], _spins(products[chosen])])
        self.freedom, self.turning = (np.linalg.eigvalsh(both) > NO_MOTION).sum(axis=-1)

    def relative(self, one: int, other: int) -> Numbers:
        """Return the motion of a solid relative to another by units of each speed, in rows."""
        return self._apart(one, np.array([other]))[0, :, :-1]

    def count_motions(self) -> int:
        """Return the number of independent motions of all solids."""
        motions = self._twists.reshape(-1, self._twists.shape[2])
        return int((np.linalg.eigvalsh(motions.T @ motions) > NO_MOTION).sum())

    def _apart(self, one: int, others: np.ndarray) -> Numbers:
        """Return the twists of solids relative to one, shape (others, 6, speeds + 1).

        Those of a body and a particle without a rod are velocities at the particle only.
        """
        apart = self._twists[others] - self._twists[one]
        at = np.where(self._is_point[one], self._places[one], self._places[others])
        is_point = self._is_point[one] | self._is_point[others]
        apart[is_point, 3:] += np.cross(apart[is_point, :3], at[is_point, :, None], axis=1)
        apart[is_point, :3] = 0
        return apart

    def _products(self, solids: Sequence[Solid]) -> Numbers:
        """Return the products of relative twists, which have their ranks."""
        products = np.empty((len(solids), len(solids), 6, 6))
        for k in range(len(solids)):
            apart = self._apart(k, np.arange(len(solids)))
            apart[~self.is_known[k], 3:] = 0
            products[k] = apart @ apart.swapaxes(1, 2)
        products[self._is_lost] = products[:, self._is_lost] = np.eye(6)
        return products

    def _place(self, solid: Solid) -> Numbers:
        places = self.motion.places
        return places[solid.center][HERE] if solid.center in places else np.zeros(3)

    @cached_property
    def _inner(self) -> dict[Point, Point]:
        return self.motion.next_points(self.ends)

    def way(self, point: Point) -> list[Point]:
        """Return the points from one to ground; to the next mass centre if none leads there."""
        way = [point]
        while (inner := self._inner.get(way[-1], way[-1])) is not way[-1]:
            way.append(inner)
        return way

    @cached_property
    def fixed(self) -> dict[Solid, set[Point]]:
        """The points that are fixed in each solid."""
        found = {}
        for solid in self.all:
            origins = self.anchors if solid is self.ground else [solid.center]
            found[solid] = {p for x in origins for p in self.motion.fixed_points(solid.group, x)}
        return found

    def velocity(self, solid: Solid, point: Point) -> Numbers | None:
        """Return the velocity of a solid at a point by speeds, None if positions are unknown."""
        if solid is self.ground:
            return solid.twist[3:]
        arm = self.motion.arm(point, solid.center)
        if arm is None:
            return None
        return solid.twist[3:] + np.cross(solid.twist[:3], arm[HERE][:, None], axis=0)

    def touches(self, point: Point, one: Solid, other: Solid) -> bool:
        """Whether two solids have the same velocity at a point: one rolls on the other."""
        inner, outer = self.velocity(one, point), self.velocity(other, point)
        if one.is_particle or other.is_particle or inner is None or outer is None:
            return False
        return bool(abs(inner - outer).max() < STATED)

    def solids_at(self, point: Point) -> list[Solid]:
        return [x for x in self.all if point in self.fixed[x]]

    def nearest_solid(self, point: Point) -> Solid | None:
        """Return the outermost solid in which the first point on the way to ground is fixed."""
        for here in self.way(point):
            if held := self.solids_at(here):
                return held[-1]
        return None

    def moves(self, point: Point, solid: Solid) -> bool:
        """Whether the velocity of a point is that of a body there, in which it is not fixed."""
        velocity = self.velocity(solid, point)
        if solid is self.ground or solid.is_particle or velocity is None:
            return False
        (stated,) = self.motion.velocities([self.motion.velocity_of(point)])
        return bool(abs(stated - velocity).max() < STATED)


def _spins(products: Numbers) -> Numbers:
    """Return the products of relative angular velocities only."""
    found = np.zeros_like(products)
    found[..., :3, :3] = products[..., :3, :3]
    return found
