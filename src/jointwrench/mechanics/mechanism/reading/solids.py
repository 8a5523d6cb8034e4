"""Which points are fixed in which body, by its own points: the one question of deduction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sympy.physics.vector import ReferenceFrame

from ...sympy_objects import Body, is_particle
from .point_tree import Spot

#: A body, or the inertial frame for ground.
Carrier: TypeAlias = Body | ReferenceFrame


@dataclass(frozen=True, eq=False)
class Solid:
    """A body or ground, the frames that do not turn relative to it, and where its centre is.

    A particle at a constant step in one frame sits on a massless rod, which has that frame.
    """

    body: Carrier
    group: ReferenceFrame | None
    center: Spot

    @property
    def is_particle(self) -> bool:
        return is_particle(self.body)

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
    """The ground, the bodies that are not welded to another or to it, and what is fixed in them.

    Ground begins at each of the ``roots``.
    """

    def __init__(self, ground: Solid, roots: Iterable[Spot], solids: Sequence[Solid]) -> None:
        self.ground = ground
        self._parts = {(ground.group, root): ground for root in roots}
        #: The bodies that do not move relative to another one or ground, each with that.
        self.welds: Mapping[Body, Carrier] = self._welded(solids)
        self.all = [solid for solid in solids if solid.body not in self.welds]
        self._beginning: dict[Spot, list[Solid]] = {}
        for solid in self.all:
            self._beginning.setdefault(solid.begin, []).append(solid)

    def _welded(self, solids: Sequence[Solid]) -> Mapping[Body, Carrier]:
        """Weld bodies to a rigid one, if any, and the first on the way from ground.

        A particle at a mass centre belongs to that body.
        """
        rigid = [solid for solid in solids if not solid.is_particle]
        centers = {solid.body.masscenter: solid for solid in reversed(rigid)}
        welds: dict[Body, Carrier] = {}
        for solid in sorted(solids, key=lambda x: (x.is_particle, x.length)):
            carrier = self._parts.setdefault((solid.group, solid.begin), solid)
            if solid.is_particle and carrier is not self.ground:
                carrier = centers.get(solid.body.masscenter, carrier)
            if carrier is not solid:
                welds[solid.body] = welds.get(carrier.body, carrier.body)
        return welds

    def beginning_at(self, spot: Spot) -> Sequence[Solid]:
        return self._beginning.get(spot, ())

    def along(self, spot: Spot) -> Solid | None:
        """Return in what the step from a spot towards ground is written."""
        inner = spot if spot.inner is None else spot.inner.begin(spot.group)
        return self._parts.get((spot.group, inner))

    def carrying(self, spot: Spot) -> Solid | None:
        """Return in what a spot is fixed, beyond where that begins."""
        return self.along(spot) if spot.is_fixed else None

    def is_on_ground(self, spot: Spot) -> bool:
        return self.carrying(spot) is self.ground

    def holding(self, spot: Spot) -> list[Solid]:
        """Return in what a spot is fixed, and the bodies whose mass centres are there."""
        hubs = [x for x in self.beginning_at(spot) if x.is_hub]
        return [x for x in (self.carrying(spot), *hubs) if x is not None]

    def nearest(self, spot: Spot) -> Solid:
        """Return what holds the first spot on the way to ground."""
        return next((x for at in spot.ways for x in self.holding(at)), self.ground)
