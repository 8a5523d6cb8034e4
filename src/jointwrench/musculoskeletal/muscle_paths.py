"""Taut strings through points and over surfaces, for many poses together, as in OpenSim.

The surfaces that a path touches depend on the pose.  Poses whose paths have the same nodes in the
same order are computed together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..checks.tolerances import PATH_FOUND
from .muscle import Muscle, PathWrap, WrapObject
from .surfaces import WrapAction, Wrapping

#: OpenSim's largest number of iterations over several surfaces.
MOST_ROUNDS = 8


class Frames(NamedTuple):
    """Rotation matrices (N, 3, 3), from a body's frame to ground, and its origins (N, 3)."""

    rotations: np.ndarray
    origins: np.ndarray

    def select(self, rows: np.ndarray) -> "Frames":
        """Return the frames in selected poses."""
        return Frames(self.rotations[rows], self.origins[rows])

    def of_surface(self, over: WrapObject) -> "Frames":
        """Return the frames of a surface on the body."""
        return Frames(self.rotations @ over.rotation, self.to_ground(over.position))

    def to_ground(self, positions: np.ndarray) -> np.ndarray:
        """Return points in the frames, (3,) or (N, 3), as points in ground, (N, 3)."""
        return self.origins + (self.rotations @ positions[..., None])[..., 0]

    def from_ground(self, positions: np.ndarray) -> np.ndarray:
        """Return points in ground (N, 3) as points in the frames, (N, 3)."""
        return np.einsum("nij,ni->nj", self.rotations, positions - self.origins)


class Node(NamedTuple):
    """A node of a path: a path point, or an end of the piece on a surface.

    Attributes
    ==========

    number : int
        Index of the path point, or of the wrap.
    body : str
        The name of the body.
    surface : str or None
        The name of the surface; None for a path point.
    end : int or None
        0 for the first, 1 for the last point on the surface; None for a path point.
    """

    number: int
    body: str
    surface: str | None = None
    end: int | None = None


@dataclass(frozen=True, eq=False)
class Strand:
    """The paths through the same nodes, in N poses.

    Attributes
    ==========

    rows : numpy.ndarray of int, shape (N,)
        Indices of the poses.
    nodes : tuple of Node
        The nodes from end to end.
    positions : numpy.ndarray, shape (nodes, N, 3)
        The nodes in ground.
    arcs : numpy.ndarray, shape (wraps, N)
        Lengths on surfaces.
    earlier : numpy.ndarray, shape (wraps, 2, N, 3)
        Ends on surfaces in the first iteration, to which straight pieces lead; NaN without contact.
    outcomes : numpy.ndarray, shape (wraps, N)
        The last `WrapAction` of each wrap.
    """

    rows: np.ndarray
    nodes: tuple[Node, ...]
    positions: np.ndarray
    arcs: np.ndarray
    earlier: np.ndarray
    outcomes: np.ndarray

    def select(self, chosen: np.ndarray) -> "Strand":
        """Return the paths in the poses of a boolean mask ``chosen`` (N,)."""
        own = (self.positions, self.arcs, self.outcomes)
        positions, arcs, outcomes = (x[:, chosen] for x in own)
        earlier = self.earlier[:, :, chosen]
        return Strand(self.rows[chosen], self.nodes, positions, arcs, earlier, outcomes)

    @property
    def is_on_surface(self) -> list[bool]:
        """Whether each piece between neighbouring nodes lies on a surface."""
        return [a.surface is not None and a.surface == b.surface for a, b in pairwise(self.nodes)]

    @property
    def steps(self) -> np.ndarray:
        """The vectors from each node to the next one, (nodes - 1, N, 3)."""
        positions = [
            place if node.end is None else self.earlier[node.number, node.end]
            for node, place in zip(self.nodes, self.positions, strict=True)
        ]
        return np.diff(positions, axis=0)

    @property
    def lengths(self) -> np.ndarray:
        """The lengths of the paths, (N,)."""
        pieces = np.linalg.norm(self.steps, axis=2)
        pieces[self.is_on_surface] = 0
        used = {node.number for node in self.nodes if node.end is not None}
        return pieces.sum(0) + self.arcs[sorted(used)].sum(0)

    def without(self, wrap: int) -> "Strand":
        """Return the paths without the nodes on the surface of a wrap (an index)."""
        own = [k for k, node in enumerate(self.nodes) if node.end is None or node.number != wrap]
        return replace(self, nodes=tuple(self.nodes[k] for k in own), positions=self.positions[own])


def find_strands(
    muscle: Muscle, active: np.ndarray, positions: np.ndarray, bodies: Mapping[str, Frames]
) -> Iterator[Strand]:
    """Yield a muscle's paths, grouped by their nodes.

    ``active`` is a boolean mask (points, N) of points, ``positions`` (points, N, 3) are in ground,
    and ``bodies`` has the frames of bodies.
    """
    frames = [bodies[wrap.over.body].of_surface(wrap.over) for wrap in muscle.wraps]
    for pattern in np.unique(active, axis=1).T:
        rows = np.flatnonzero((active == pattern[:, None]).all(axis=0))
        used = np.flatnonzero(pattern)
        nodes = tuple(Node(int(k), muscle.points[k].body) for k in used)
        shape = len(frames), len(rows)
        ends = np.full((shape[0], 2, shape[1], 3), np.nan)
        outcomes = np.full(shape, WrapAction.FREE)
        through = positions[used][:, rows]
        bare = Strand(np.arange(len(rows)), nodes, through, np.zeros(shape), ends, outcomes)
        own = [x.select(rows) for x in frames]
        for strand in wrap_strand(bare, muscle.wraps, own) if frames else [bare]:
            yield replace(strand, rows=rows[strand.rows])


def wrap_strand(
    strand: Strand, wraps: Sequence[PathWrap], frames: Sequence[Frames]
) -> Iterator[Strand]:
    """Yield the paths after wrapping over surfaces with some ``frames``, grouped by their nodes."""
    # OpenSim wraps over the surfaces one after the other, until no length changes.  The paths have
    # OpenSim's errors: its estimate on a single cylinder, and straight pieces that lead to the
    # contact points of the first iteration.
    orders = {tuple(range(len(wraps))): [strand]}
    before = np.full(len(strand.rows), np.inf)
    for turn in range(MOST_ROUNDS if len(wraps) > 1 else 1):
        laid, orders = orders, {}
        for order, strands in laid.items():
            for k in order:
                over = partial(_wrap_over, k=k, wrap=wraps[k], frames=frames[k])
                strands = [new for own in strands for new in over(own)]
            for own in strands:
                lengths = own.lengths
                rests = np.abs(lengths - before[own.rows]) < PATH_FOUND
                before[own.rows] = lengths
                yield from _select_poses(own, rests)
                for moving in _select_poses(own, ~rests):
                    swapped = np.zeros(len(moving.rows), bool)
                    if turn == 0 and len(wraps) > 1:
                        # OpenSim exchanges the first two surfaces after the first iteration if the
                        # path did not touch the first one, and an end is inside the second one.
                        first, second = moving.outcomes[:2]
                        swapped = (first == WrapAction.FREE) & (second == WrapAction.INSIDE)
                    for other in _select_poses(moving, ~swapped):
                        orders.setdefault(order, []).append(other)
                    for other in _select_poses(moving, swapped):
                        turned = (order[1], order[0], *order[2:])
                        orders.setdefault(turned, []).append(other.without(0))
    for strands in orders.values():
        yield from strands


def _select_poses(strand: Strand, chosen: np.ndarray) -> Iterator[Strand]:
    """Yield the paths in the poses of a boolean mask, or nothing if the mask is empty."""
    if chosen.all():
        yield strand
    elif chosen.any():
        yield strand.select(chosen)


def _wrap_over(strand: Strand, k: int, wrap: PathWrap, frames: Frames) -> Iterator[Strand]:
    """Yield the paths after wrapping over surface k, without its earlier contact.

    Of all straight pieces between the wrap's points, OpenSim wraps the first one that intersects
    the surface, or the one with the least change of length.
    """
    bare = strand.without(k)
    bare = bare.select(np.arange(len(bare.rows)))  # a copy
    here = frames.select(bare.rows)
    numbers = [node.number if node.end is None else -1 for node in bare.nodes]
    within = [j for j, number in enumerate(numbers) if wrap.first <= number <= wrap.last]
    best = np.full(len(bare.rows), np.inf)  # least change of length over the pieces
    chosen = np.full(len(bare.rows), -1)
    outcome = bare.outcomes[k].copy()
    tried: dict[int, Wrapping] = {}
    inside = [here.from_ground(place) for place in bare.positions]
    pieces = range(within[0], within[-1]) if within and wrap.over.is_active else ()
    on_surface, shortest = bare.is_on_surface, len(bare.arcs) > 1
    for j in (j for j in pieces if not on_surface[j]):
        start, end = inside[j : j + 2]
        tried[j] = found = wrap.over.surface.wrap(start, end, shortest)
        steps = start - found.first, end - found.last, end - start
        legs, more, straight = (np.linalg.norm(step, axis=1) for step in steps)
        change = legs + more + found.length - straight
        open_ = best > -np.inf
        outcome = np.where(open_, found.contact, outcome)
        change = np.where(found.contact == WrapAction.CERTAIN, -np.inf, change)
        change = np.where(found.contact >= WrapAction.POSSIBLE, change, np.inf)
        better = open_ & (change < best)
        best, chosen = np.where(better, change, best), np.where(better, j, chosen)
    bare.outcomes[k] = outcome
    for j in np.unique(chosen):
        rows = chosen == j
        (part,) = _select_poses(bare, rows)
        if j < 0:
            yield part
            continue
        ends = [here.select(rows).to_ground(x[rows]) for x in (tried[j].first, tried[j].last)]
        nodes = [Node(k, wrap.over.body, wrap.over.name, end) for end in (0, 1)]
        part.arcs[k] = tried[j].length[rows]
        part.earlier[k] = np.where(np.isnan(part.earlier[k]), ends, part.earlier[k])
        nodes = [*part.nodes[: j + 1], *nodes, *part.nodes[j + 1 :]]
        positions = np.insert(part.positions, [j + 1], ends, axis=0)
        yield replace(part, nodes=tuple(nodes), positions=positions)
