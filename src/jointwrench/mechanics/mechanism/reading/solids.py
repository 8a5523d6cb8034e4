"""Which points are fixed in which body, by its own points: the one question of deduction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy.physics.vector import ReferenceFrame

from ...sympy_objects import Body, is_particle
from .point_tree import Spot


@dataclass(frozen=True, eq=False)
class Solid:
    """A body, the frames that do not turn relative to it, and the spot of its mass centre.

    A particle at a constant step in one frame sits on a massless rod, which has that frame.
    """

    body: Body
    group: ReferenceFrame | None
    center: Spot

    @property
    def begin(self) -> Spot:
        """Where its points begin, on the way from ground."""
        return self.center.begin(self.group)

    @property
    def length(self) -> int:
        """How many steps lead from where it begins to its mass centre."""
        return [*self.center.ways].index(self.begin)

    @property
    def is_hub(self) -> bool:
        """Whether its mass centre is where it begins, as that of a wheel, a gimbal or a cart."""
        return self.begin is self.center


class Solids:
    """The bodies of a model that are not welded to others, and what is fixed in them."""

    def __init__(self, solids: Sequence[Solid]) -> None:
        self.welds = _welds(solids)
        self.all = [solid for solid in solids if solid.body not in self.welds]
        self._parts = {(solid.group, solid.begin): solid for solid in self.all}
        self._beginning: dict[Spot, list[Solid]] = {}
        for solid in self.all:
            self._beginning.setdefault(solid.begin, []).append(solid)

    def beginning_at(self, spot: Spot) -> Sequence[Solid]:
        return self._beginning.get(spot, ())

    def along(self, spot: Spot) -> Solid | None:
        """Return the body in whose frame the step from a spot towards ground is written."""
        if spot.inner is None:
            return None
        return self._parts.get((spot.group, spot.inner.begin(spot.group)))

    def carrying(self, spot: Spot) -> Solid | None:
        """Return the body in which a spot is fixed, beyond where it begins."""
        return self.along(spot) if spot.is_fixed else None

    def holding(self, spot: Spot) -> list[Solid]:
        """Return the body in which a spot is fixed, and those whose mass centres are there."""
        carrier, hubs = self.carrying(spot), [x for x in self.beginning_at(spot) if x.is_hub]
        return hubs if carrier is None else [carrier, *hubs]

    def near(self, spot: Spot) -> Solid | None:
        return next(iter(self.holding(spot)), None)


def _welds(solids: Sequence[Solid]) -> Mapping[Body, Body]:
    """Return the bodies that do not move relative to another one, each with that.

    It is a rigid one, if any, and the first on the way from ground; a particle at a mass centre
    belongs to that body.
    """
    rigid_first = sorted(solids, key=lambda solid: (is_particle(solid.body), solid.length))
    parts: dict[object, Body] = {}
    rigid = [solid.body for solid in rigid_first if not is_particle(solid.body)]
    centers = {body.masscenter: body for body in reversed(rigid)}
    welds: dict[Body, Body] = {}
    for solid in rigid_first:
        carrier = parts.setdefault((solid.group, solid.begin), solid.body)
        if is_particle(solid.body):
            carrier = centers.get(solid.body.masscenter, carrier)
        if carrier is not solid.body:
            welds[solid.body] = welds.get(carrier, carrier)
    return welds
