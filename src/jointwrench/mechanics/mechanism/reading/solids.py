"""Rigid groups of bodies in a model without joints, and the freedom of their relative motions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from sympy.physics.vector import Point, ReferenceFrame

from ....checks.tolerances import NO_MOTION, STATED
from ...spatial.paths import follow, reach
from ...sympy_objects import Body, is_particle
from .stated_motion import HERE, EvaluatedMotion, Numbers

#: A body, or the inertial frame for ground.
BodyOrGround: TypeAlias = Body | ReferenceFrame

#: A divisor for the motions of a speed that moves nothing, in place of zero.
SMALLEST_MOTION = np.finfo(float).tiny


@dataclass(eq=False)
class Solid:
    """Ground, or a body with all bodies that are fixed in it.

    A particle has the orientation of its massless rod, the step of positions that leads to it from
    ground.

    Attributes
    ==========

    body : RigidBody, Particle or ReferenceFrame
        The body; the inertial frame for ground.
    center : Point or None
        The body's mass centre; None for ground.
    group : ReferenceFrame or None
        The frame that represents all frames which rotate with the solid; None if none is known.
    twist : ndarray
        The angular velocity, for a particle of its rod, and the velocity of the mass centre, as in
        `EvaluatedMotion.twists`.
    is_oriented : bool
        Whether the solid has an orientation, which a particle without a rod has not.
    parts : list
        The bodies of the solid; empty for ground.
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

    motion : EvaluatedMotion
        The stated motion in numbers.
    anchors : list
        The points that are fixed in ground: they are at rest, and positions of mass centres from
        them change at the rate of the stated velocities.
    contacts : list
        The other points with zero velocity: a body rolls there, or positions and velocities
        contradict each other.
    ends : list
        The points at which ways from bodies end: anchors, else contacts, else mass centres.
    ground : Solid
        The solid of ground.
    at_rest : list
        The bodies that do not move relative to ground.
    welds : dict
        The bodies that do not move relative to a moving body, with this body.
    all : list
        The solids, ground first; welded bodies are parts of their solid.
    freedom : ndarray
        The degrees of freedom of each pair of solids: the rank of their relative twist, shape
        (solids, solids).  Where `is_known` is False, the rank of their relative rotation.
    is_known : ndarray
        A boolean mask of the pairs whose relative position is known or does not matter.
    is_apart : ndarray
        A boolean mask of the pairs whose relative position is stated only by way of ground.
    turning : ndarray
        The rank of the relative rotation of each pair.
    fixed : dict
        The points that are fixed in each solid.
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
        """Set the points of ground and the contacts, from the mass centres of all bodies.

        Zero velocity does not suffice for a point of ground: contact points of wheels have it as
        well.  From a point of ground, the nearest mass centre also moves at its stated velocity.
        """
        motion = self.motion
        near = {x: motion.way(x, centers)[-1] for x in motion.places}
        still = motion.resting_points
        of_ground = [x for x in still if motion.moves_along(near[x], x)]
        if not of_ground:  # the user may not have set the velocity of the fixed point
            others = (x for x in motion.places if x not in centers and x not in still)
            of_ground = [x for x in others if motion.moves_along(near[x], x)]
        self.anchors = self._nearest([x for x in of_ground if x not in centers] or of_ground)
        self.contacts = [x for x in still if x not in of_ground]
        self.ends = self.anchors or self.contacts or centers

    def _nearest(self, points: Iterable[Point]) -> list[Point]:
        """Return the points at rest that are located in ground, not on axes of moving bodies.

        A point on a rotation axis is also at rest, but steps from it are written in frames that
        rotate.  Therefore points are sorted by the number of rotations from the inertial frame.
        The first point of each connected component is accepted, and further points if steps in
        the inertial frame lead to an accepted point.
        """
        motion, found = self.motion, list[Point]()

        def depth(point: Point) -> int:
            terms = (x for other in motion.neighbours(point) for x in motion.terms(point, other))
            return max((motion.count_rotations(group) for group, _ in terms), default=0)

        for point in sorted(points, key=depth):
            way = motion.way(point, found)
            groups = {group for step in pairwise(way) for group, _ in motion.terms(*step)}
            if len(way) == 1 or groups <= {motion.inertial}:  # a single point: no way
                found.append(point)
        return found

    def _solid(self, body: Body) -> Solid:
        """Return the solid of one body; a particle has no rod yet."""
        motion, particle = self.motion, is_particle(body)
        group = None if particle else motion.groups.get(body.frame)
        twist = motion.twists[body].copy()
        return Solid(body, body.masscenter, group, twist, not particle, [body])

    def _put_on_rods(self, particles: Sequence[Solid]) -> None:
        """Set the orientation of particles to that frame which expresses the step to ground.

        This is the first step of nonzero length.  If it is written in several frames, its only
        constant part determines the rod; without such a part the particle remains a point.
        """
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
        """Set the normalised twists and mass centres of solids, and the masks of known pairs.

        All twists are about the same point of space, so that their differences are relative twists.
        Lengths are divided by the largest coordinate of a mass centre, and the motions of each
        speed by their largest component, so that ranks do not depend on units.
        """
        twists = np.array([x.twist[:, :-1] for x in solids])
        self._is_lost = np.isnan(twists).any(axis=(1, 2))
        twists = np.nan_to_num(twists)
        places = np.array([self._place(x) for x in solids])
        size = abs(places).max(initial=0) or 1.0
        places, twists[:, 3:] = places / size, twists[:, 3:] / size
        # From the mass centre's velocity to the velocity of the solid at the origin.
        twists[:, 3:] -= np.cross(twists[:, :3], places[..., None], axis=1)
        twists /= np.maximum(abs(twists).max(axis=(0, 1)), SMALLEST_MOTION)
        self._twists, self._places = twists, places
        self._is_point = np.array([not x.is_oriented for x in solids])
        roots = [self.motion.components.get(x.center, x) for x in solids]
        own = np.array([roots.index(root) for root in roots])
        same = own[:, None] == own
        anchored = {self.motion.components[x] for x in (*self.anchors, *self.contacts)}
        is_grounded = np.array([root in anchored for root in roots])
        self.is_apart = ~same & is_grounded & is_grounded[:, None]
        # A solid that does not rotate has the same velocity everywhere: its position is not needed.
        is_plain = abs(twists[:, :3]).max(axis=(1, 2)) < STATED
        self.is_known = same | is_plain[:, None] | is_plain
        self.is_known &= ~(self._is_lost[:, None] | self._is_lost)

    def _weld(self, solids: Sequence[Solid]) -> None:
        """Merge bodies that do not move relative to each other, and set the ranks of all pairs.

        Rigid bodies near ground come first, so that particles and outer bodies become parts of
        inner rigid bodies.
        """
        self._set_motions(solids)
        products = self._products(solids)
        is_still = (np.trace(products, axis1=2, axis2=3) < STATED**2) & self.is_known
        self.at_rest, self.welds = list[Body](), dict[Body, Body]()
        ways = {x: len(self.way(x.center)) for x in solids[1:]}
        first = [0]
        order = sorted(solids[1:], key=lambda x: (x.is_particle, not x.is_oriented, ways[x]))
        for k in map(solids.index, order):
            still = [i for i in first if is_still[i, k]]
            # A particle on the common axis of several bodies does not move relative to any of
            # them: it is ambiguous and remains a solid.
            if not still or (len(still) > 1 and not solids[k].is_oriented):
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
        # Eigenvalues of A A^T are squared singular values of A; their number is the rank.
        both = np.array([products[chosen], _spins(products[chosen])])
        self.freedom, self.turning = (np.linalg.eigvalsh(both) > NO_MOTION).sum(axis=-1)

    def relative(self, one: int, other: int) -> Numbers:
        """Return the normalised twist of the solid ``other`` relative to the solid ``one``.

        It has shape (6, speeds), a column for a unit of each speed.
        """
        return self._apart(one, np.array([other]))[0, :, :-1]

    def count_motions(self) -> int:
        """Return the number of independent motions of all solids."""
        motions = self._twists.reshape(-1, self._twists.shape[2])
        return int((np.linalg.eigvalsh(motions.T @ motions) > NO_MOTION).sum())

    def _apart(self, one: int, others: np.ndarray) -> Numbers:
        """Return the twists of ``others`` relative to ``one``, shape (others, 6, speeds + 1).

        A particle without a rod has no orientation: the pair's relative motion is the velocity at
        the particle, without rotation.
        """
        apart = self._twists[others] - self._twists[one]
        at = np.where(self._is_point[one], self._places[one], self._places[others])
        is_point = self._is_point[one] | self._is_point[others]
        apart[is_point, 3:] += np.cross(apart[is_point, :3], at[is_point, :, None], axis=1)
        apart[is_point, :3] = 0
        return apart

    def _products(self, solids: Sequence[Solid]) -> Numbers:
        """Return the products ``A A^T`` of all pairs' relative twists ``A``.

        The shape is (solids, solids, 6, 6).  A product has the rank of its twist.  For pairs of
        unknown relative position, velocities are zero.  Solids of unknown velocity get full rank,
        so that they are joined last.
        """
        products = np.empty((len(solids), len(solids), 6, 6))
        for k in range(len(solids)):
            apart = self._apart(k, np.arange(len(solids)))
            apart[~self.is_known[k], 3:] = 0
            products[k] = apart @ apart.swapaxes(1, 2)
        products[self._is_lost] = products[:, self._is_lost] = np.eye(6)
        return products

    def _place(self, solid: Solid) -> Numbers:
        """Return the position of a mass centre in its component; zero for ground."""
        places = self.motion.places
        return places[solid.center][HERE] if solid.center in places else np.zeros(3)

    @cached_property
    def _inner(self) -> dict[Point, Point | None]:
        """The next point from each point on the shortest way to the nearest of the `ends`."""
        return dict(reach(self.ends, self.motion.neighbours))

    def way(self, point: Point) -> list[Point]:
        """Return the points on the shortest way from a point to the nearest of the `ends`.

        Both points are included.  If no positions lead to an end, the result has only the point.
        """
        return follow(point, self._inner)

    @cached_property
    def fixed(self) -> dict[Solid, set[Point]]:
        """The points that are fixed in each solid."""
        found = {}
        for solid in self.all:
            origins = self.anchors if solid is self.ground else [solid.center]
            found[solid] = {p for x in origins for p in self.motion.fixed_points(solid.group, x)}
        return found

    def velocity(self, solid: Solid, point: Point) -> Numbers | None:
        """Return the velocity of a solid's material at a point, shape (3, speeds + 2).

        The columns are those in `EvaluatedMotion.twists`, the components inertial.  The result is
        None if the position of the point from the solid is unknown.
        """
        if solid is self.ground:
            return solid.twist[3:]
        arm = self.motion.arm(point, solid.center)
        if arm is None:
            return None
        return solid.twist[3:] + np.cross(solid.twist[:3], arm[HERE][:, None], axis=0)

    def touches(self, point: Point, one: Solid, other: Solid) -> bool:
        """Whether two rigid solids have equal velocities at a point, where they roll or pivot."""
        inner, outer = self.velocity(one, point), self.velocity(other, point)
        if one.is_particle or other.is_particle or inner is None or outer is None:
            return False
        return bool(abs(inner - outer).max() < STATED)

    def solids_at(self, point: Point) -> list[Solid]:
        """Return the solids in which a point is fixed, ground first."""
        return [x for x in self.all if point in self.fixed[x]]

    def nearest_solid(self, point: Point) -> Solid | None:
        """Return the solid of the first point on the way to ground that is fixed in any solid.

        If that point is fixed in several solids, the last of them in `all` is returned.
        """
        for here in self.way(point):
            if held := self.solids_at(here):
                return held[-1]
        return None

    def moves(self, point: Point, solid: Solid) -> bool:
        """Whether the stated velocity of a point equals the velocity of a body's material there.

        The point need not be fixed in the body: the contact point of a wheel moves in the wheel.
        """
        velocity = self.velocity(solid, point)
        if solid is self.ground or solid.is_particle or velocity is None:
            return False
        (stated,) = self.motion.velocities([self.motion.velocity_of(point)])
        return bool(abs(stated - velocity).max() < STATED)


def _spins(products: Numbers) -> Numbers:
    """Return products of relative twists without their velocities, whose rank is of rotation."""
    found = np.zeros_like(products)
    found[..., :3, :3] = products[..., :3, :3]
    return found
