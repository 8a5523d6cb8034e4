"""The bodies to which points and frames of a model without joints belong."""

from collections.abc import Iterable, Sequence

from sympy.physics.mechanics.loads import LoadBase
from sympy.physics.vector import Point, ReferenceFrame

from ...sympy_objects import Body
from ..deduced_structure import ConstraintSites
from .solids import BodyOrGround, Solid, Solids


def deduced_sites(solids: Solids) -> ConstraintSites:
    """Return the points and frames of bodies at which constraints may act.

    A body's points are sorted: first those on the way from its mass centre to ground, up to the
    first point that is fixed in another body, then all points that are fixed in the body, then the
    mass centre's neighbours farther from ground.  A point that is fixed in no body is last among
    the points of the nearest body on its way to ground.
    """
    motion, placed = solids.motion, [*solids.motion.rotations]
    frames: dict[Body | None, Sequence[ReferenceFrame]] = {}
    points: dict[BodyOrGround, list[Point]] = {motion.inertial: _in_order(solids, solids.ground)}
    for solid in solids.all[1:]:
        own = getattr(solid.body, "frame", None)
        beside = [x for x in placed if motion.groups[x] is solid.group]
        frames[solid.body] = [*dict.fromkeys(x for x in (own, *beside) if x in placed)]
        found = list[Point]()
        for point in solids.way(solid.center):
            if point not in solids.fixed[solid] and solids.solids_at(point):
                break
            found.append(point)
        beyond = [x for x in motion.neighbours(solid.center) if x not in found]
        beyond = [x for x in beyond if solid.center in solids.way(x)]
        points[solid.body] = [*found, *_in_order(solids, solid), *beyond]
    for point in motion.places:
        near = None if solids.solids_at(point) else solids.nearest_solid(point)
        if near is not None and near is not solids.ground:
            points[near.body].append(point)
    unique = {body: [*dict.fromkeys(own)] for body, own in points.items()}
    return ConstraintSites(unique, {**frames, None: placed})


def _in_order(solids: Solids, solid: Solid) -> list[Point]:
    """Return the points that are fixed in a solid, in the order of the model's points."""
    return [x for x in solids.motion.places if x in solids.fixed[solid]]


def find_load_bodies(
    solids: Solids, loads: Iterable[LoadBase]
) -> dict[Point | ReferenceFrame, Body]:
    """Return the bodies on which loads on massless rods and at contacts act, by load location.

    Points and frames that are fixed in a rigid body or in ground are left out: `Owners` finds their
    bodies.  A location is also left out if several bodies are possible.
    """
    found: dict[Point | ReferenceFrame, Body] = {}
    for location in dict.fromkeys(load.location for load in loads):
        if isinstance(location, Point):
            own = _load_bodies_at(solids, location)
        else:
            group = solids.motion.groups.get(location)
            own = [x for x in solids.all if group is not None and x.group is group]
            own = own if all(x.is_particle for x in own) else []
        if len(own) == 1:
            found[location] = own[0].body
    return found


def _load_bodies_at(solids: Solids, point: Point) -> list[Solid]:
    """Return the solids on which a force at a point may act, none for points of rigid bodies.

    At a contact these are the rolling bodies, on a massless rod the particles, and elsewhere the
    nearest solid, if it has the point's velocity there.
    """
    if point not in solids.motion.places:
        return []
    if point in solids.contacts:
        rolling = [x for x in solids.all[1:] if solids.touches(point, solids.ground, x)]
        if rolling:
            return rolling
    found = solids.solids_at(point)
    if found:
        return found if all(x.is_particle for x in found) else []
    near = solids.nearest_solid(point)
    return [near] if near is not None and solids.moves(point, near) else []
