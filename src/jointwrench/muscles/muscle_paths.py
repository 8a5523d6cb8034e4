"""Taut strings through points and over surfaces, for many poses at once, as OpenSim pulls them.

Which surface a path touches, between which of its points, differs from pose to pose: poses are
taken together as long as they have the same nodes in the same order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..checks.tolerances import SETTLED, SHORTEST
from .muscle import Muscle, PathWrap, WrapObject
from .surfaces import WrapAction, Wrapping

#: How often several surfaces are looked at in turn, at most: by OpenSim, for the shortest path.
MOST_ROUNDS, GEODESIC_ROUNDS = 8, 40


class Frames(NamedTuple):
    """Rotation matrices (N, 3, 3), from a body's frame to ground, and its origins (N, 3)."""

    rotations: np.ndarray
    origins: np.ndarray

    def of(self, rows: np.ndarray) -> "Frames":
        """Return those of some poses."""
        return Frames(self.rotations[rows], self.origins[rows])

    def within(self, over: WrapObject) -> "Frames":
        """Return those of a surface on the body."""
        return Frames(self.rotations @ over.rotation, self.outward(over.position))

    def outward(self, places: np.ndarray) -> np.ndarray:
        """Return places in the frames as places in ground, (N, 3)."""
        return self.origins + (self.rotations @ places[..., None])[..., 0]

    def inward(self, places: np.ndarray) -> np.ndarray:
        """Return places in ground as places in the frames, (N, 3)."""
        return np.einsum("nij,ni->nj", self.rotations, places - self.origins)


class Node(NamedTuple):
    """Something that a path goes through: a point, or one end of what lies on a surface.

    ``number`` is that of the point or of the wrap; ``end`` 0 or 1 on a surface, None for a point.
    """

    number: int
    body: str
    surface: str | None = None
    end: int | None = None


@dataclass(frozen=True, eq=False)
class Strand:
    """The paths of some poses that go through the same nodes: where these are, in ground.

    ``rows`` (N,): which poses; ``places`` (nodes, N, 3); ``arcs`` (wraps, N): lengths on surfaces;
    ``earlier`` (wraps, 2, N, 3): the ends on surfaces to which straight pieces are drawn, NaN for
    none; ``outcomes`` (wraps, N): the last `WrapAction` of each wrap.
    """

    rows: np.ndarray
    nodes: tuple[Node, ...]
    places: np.ndarray
    arcs: np.ndarray
    earlier: np.ndarray
    outcomes: np.ndarray

    def of(self, chosen: np.ndarray) -> "Strand":
        """Return the paths of some of the poses; ``chosen`` (N,) of bool."""
        return replace(
            self,
            rows=self.rows[chosen],
            places=self.places[:, chosen],
            arcs=self.arcs[:, chosen],
            earlier=self.earlier[:, :, chosen],
            outcomes=self.outcomes[:, chosen],
        )

    @property
    def is_on_surface(self) -> list[bool]:
        """Whether each piece between neighbours lies on a surface."""
        pairs = zip(self.nodes[:-1], self.nodes[1:], strict=True)
        return [a.surface is not None and a.surface == b.surface for a, b in pairs]

    @property
    def steps(self) -> np.ndarray:
        """What leads from each node to the next one, (nodes - 1, N, 3)."""
        places = [
            place if node.end is None else self.earlier[node.number, node.end]
            for node, place in zip(self.nodes, self.places, strict=True)
        ]
        return np.diff(places, axis=0)

    @property
    def lengths(self) -> np.ndarray:
        """The lengths of the paths, (N,)."""
        pieces = np.linalg.norm(self.steps, axis=2)
        pieces[self.is_on_surface] = 0
        used = {node.number for node in self.nodes if node.end is not None}
        return pieces.sum(0) + self.arcs[sorted(used)].sum(0)

    def without(self, wrap: int) -> "Strand":
        """Return the paths without one of the surfaces."""
        keep = [k for k, node in enumerate(self.nodes) if node.end is None or node.number != wrap]
        return replace(self, nodes=tuple(self.nodes[k] for k in keep), places=self.places[keep])


def strands(
    muscle: Muscle,
    active: np.ndarray,
    places: np.ndarray,
    bodies: Mapping[str, Frames],
    geodesic: bool = False,
) -> Iterator[Strand]:
    """Yield a muscle's paths in some poses, those of one kind together.

    ``active`` (points, N): when each is one; ``places`` (points, N, 3), in ground; ``bodies``:
    their frames by names.
    """
    frames = [bodies[wrap.over.body].within(wrap.over) for wrap in muscle.wraps]
    for pattern in np.unique(active, axis=1).T:
        rows = np.flatnonzero((active == pattern[:, None]).all(axis=0))
        there = np.flatnonzero(pattern)
        nodes = [Node(int(k), muscle.points[k].body) for k in there]
        bare = through_points(nodes, places[there][:, rows], len(muscle.wraps))
        own = [x.of(rows) for x in frames]
        for strand in settled(bare, muscle.wraps, own, geodesic) if frames else [bare]:
            yield replace(strand, rows=rows[strand.rows])


def through_points(nodes: Sequence[Node], places: np.ndarray, wraps: int) -> Strand:
    """Return the paths through points alone; ``places`` (nodes, N, 3)."""
    count = places.shape[1]
    outcomes = np.full((wraps, count), WrapAction.FREE)
    arcs, earlier = np.zeros((wraps, count)), np.full((wraps, 2, count, 3), np.nan)
    return Strand(np.arange(count), tuple(nodes), places, arcs, earlier, outcomes)


def settled(
    strand: Strand, wraps: Sequence[PathWrap], frames: Sequence[Frames], geodesic: bool
) -> Iterator[Strand]:
    """Yield the paths after they were laid over surfaces, whose frames are given.

    With several surfaces each is looked at in turn until no length changes.  What is not
    ``geodesic`` has OpenSim's errors: its estimate on a cylinder that is alone, and straight pieces
    to where other surfaces were touched in the first round.
    """
    orders = {tuple(range(len(wraps))): [strand]}
    before = np.full(len(strand.rows), np.inf)
    limit = SHORTEST if geodesic else SETTLED
    most = GEODESIC_ROUNDS if geodesic else MOST_ROUNDS
    for turn in range(most if len(wraps) > 1 else 1):
        laid = {
            order: [x for own in strands for x in _laid(own, order, wraps, frames, geodesic)]
            for order, strands in orders.items()
        }
        orders = {}
        for order, strands in laid.items():
            for own in strands:
                lengths = own.lengths
                rests = np.abs(lengths - before[own.rows]) < limit
                before[own.rows] = lengths
                yield from _some(own, rests)
                for moving in _some(own, ~rests):
                    swapped = _is_swapped(moving) if turn == 0 and len(wraps) > 1 else None
                    if swapped is None:
                        orders.setdefault(order, []).append(moving)
                        continue
                    for other in _some(moving, ~swapped):
                        orders.setdefault(order, []).append(other)
                    for other in _some(moving, swapped):
                        turned = (order[1], order[0], *order[2:])
                        orders.setdefault(turned, []).append(other.without(0))
    for strands in orders.values():
        yield from strands


def _some(strand: Strand, chosen: np.ndarray) -> Iterator[Strand]:
    """Yield a part of the poses, if there are any in it."""
    if chosen.all():
        yield strand
    elif chosen.any():
        yield strand.of(chosen)


def _is_swapped(strand: Strand) -> np.ndarray:
    """Return for which poses the second surface comes first from now on: the first was passed by.

    Without the second one, in which an end of the path is.
    """
    first, second = strand.outcomes[:2]
    return (first == WrapAction.FREE) & (second == WrapAction.INSIDE)


def _laid(
    strand: Strand,
    order: Sequence[int],
    wraps: Sequence[PathWrap],
    frames: Sequence[Frames],
    geodesic: bool,
) -> list[Strand]:
    """Return the paths after a look at each surface."""
    strands = [strand]
    for k in order:
        strands = [new for own in strands for new in _over(own, k, wraps[k], frames[k], geodesic)]
    return strands


def _over(
    strand: Strand, k: int, wrap: PathWrap, frames: Frames, geodesic: bool
) -> Iterator[Strand]:
    """Yield the paths after they were laid over a surface anew, where they touch it."""
    bare = replace(strand.without(k), outcomes=strand.outcomes.copy())
    here = frames.of(bare.rows)
    within = [
        j
        for j, node in enumerate(bare.nodes)
        if node.end is None and wrap.first <= node.number <= wrap.last
    ]
    best = np.full(len(bare.rows), np.inf)  # the least change of length so far
    chosen = np.full(len(bare.rows), -1)
    outcome = bare.outcomes[k].copy()
    tried: dict[int, Wrapping] = {}
    on_surface = bare.is_on_surface
    inside = [here.inward(place) for place in bare.places]
    for j in range(within[0], within[-1]) if within and wrap.over.is_active else ():
        if on_surface[j]:
            continue
        tried[j] = found = wrap.over.surface.wrap(
            inside[j], inside[j + 1], geodesic or len(bare.arcs) > 1
        )
        legs = np.linalg.norm(inside[j] - found.first, axis=1)
        legs += np.linalg.norm(inside[j + 1] - found.last, axis=1)
        change = legs + found.length - np.linalg.norm(inside[j + 1] - inside[j], axis=1)
        open_ = best > -np.inf
        outcome = np.where(open_, found.contact, outcome)
        change = np.where(found.contact == WrapAction.CERTAIN, -np.inf, change)
        change = np.where(found.contact >= WrapAction.POSSIBLE, change, np.inf)
        better = open_ & (change < best)
        best, chosen = np.where(better, change, best), np.where(better, j, chosen)
    bare.outcomes[k] = outcome
    for j in np.unique(chosen):
        (part,) = _some(bare, chosen == j)
        yield part if j < 0 else _with(part, k, j, wrap, here, tried[j], chosen == j, geodesic)


def _with(
    strand: Strand,
    k: int,
    j: int,
    wrap: PathWrap,
    frames: Frames,
    found: Wrapping,
    chosen: np.ndarray,
    geodesic: bool,
) -> Strand:
    """Return paths that touch a surface behind their node j."""
    ends = np.stack([frames.of(chosen).outward(x[chosen]) for x in (found.first, found.last)])
    nodes = [Node(k, wrap.over.body, wrap.over.name, end) for end in (0, 1)]
    arcs = strand.arcs.copy()
    arcs[k] = found.length[chosen]
    earlier = strand.earlier.copy()
    earlier[k] = ends if geodesic else np.where(np.isnan(earlier[k]), ends, earlier[k])
    return replace(
        strand,
        nodes=(*strand.nodes[: j + 1], *nodes, *strand.nodes[j + 1 :]),
        places=np.insert(strand.places, [j + 1], ends, axis=0),
        arcs=arcs,
        earlier=earlier,
    )
