"""The spanning tree of bodies with the least total freedom of its joints."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from sympy.physics.vector import Point

from .solids import Solid, Solids

#: A connection, by the indices of its solids.
Edge = tuple[int, int]


class LeastTree:
    """The spanning tree of solids with the least freedom of all joints, and what could replace it.

    Evidence singles out one of several edges of equal freedom, in this order: a body was located in
    the other's frame; they have a point in common; a body's frame was oriented in the other's.
    """

    def __init__(self, solids: Solids) -> None:
        self._solids, self._motion = solids, solids.motion
        self._all, self._index = solids.all, {x: k for k, x in enumerate(solids.all)}
        self._groups: dict[object, list[Solid]] = {}
        for solid in self._all:
            self._groups.setdefault(solid.group, []).append(solid)
        self.near = {x: self._located_from(x) for x in self._all[1:]}
        self.located = self._matrix({x: self._holding(x) for x in self._all[1:]})
        self.turned = self._matrix({x: self._oriented_in(x) for x in self._all[1:]})
        #: The edges that anything supports, also that a body begins at the other's mass centre.
        self.is_stated = (self.located + self.turned + self._at_centers()) > 0
        self.evidence = 4 * self.located + 2 * self._meeting() + self.turned
        self.edges = self._least()
        self.parents = dict(self.outwards())

    def _matrix(self, named: dict[Solid, Sequence[Solid]]) -> np.ndarray:
        found = np.zeros(self._solids.freedom.shape, int)
        for one, others in named.items():
            for other in others:
                i, j = self._index[one], self._index[other]
                found[i, j] = found[j, i] = 1
        return found

    # -- evidence --------------------------------------------------------------------------------

    def _located_from(self, solid: Solid) -> tuple[list[Solid], Point | None]:
        """Return what may hold a solid by the first step that leads to it, and the step's start.

        A step in several frames hides a pin, or more: each body that has one of them may hold it.
        """
        motion, way = self._motion, self.way(solid)
        for here, there in pairwise(way):
            terms = motion.terms(here, there)
            rest = [x for x, is_fixed in terms if x is not solid.group or not is_fixed]
            near = [x for group in rest for x in self._groups.get(group, ()) if x is not solid]
            if not (near or terms):
                near = [x for x in self._all if any(there is y.masscenter for y in x.parts)]
            if near:
                return near, there
        ends = *self._solids.anchors, *self._solids.contacts
        return [self._solids.ground] if way[-1] in ends else [], None

    def _holding(self, solid: Solid) -> Sequence[Solid]:
        """Return the solid in whose frames the first step to another was written, if it is one."""
        near, start = self.near[solid]
        if len(near) > 1:
            near = [x for x in near if start in self._solids.fixed[x]]
        return near if start is not None and len(near) == 1 else []

    def _at_centers(self) -> np.ndarray:
        """Return which solids begin at the mass centres of others."""
        beside = dict[Solid, Sequence[Solid]]()
        for solid in self._all[1:]:
            own, others = self.own_points(self.way(solid), solid), [*self._all]
            others.remove(solid)
            beside[solid] = [x for x in others if any(y.masscenter in own for y in x.parts)]
        return self._matrix(beside)

    def own_points(self, way: Sequence[Point], solid: Solid) -> list[Point]:
        """Return the points on a way to which steps in a solid's own frames lead."""
        found = [way[0]]
        for here, there in pairwise(way):
            if any(term != (solid.group, True) for term in self._motion.terms(here, there)):
                break
            found.append(there)
        return found

    def _oriented_in(self, solid: Solid) -> Sequence[Solid]:
        for frame in self._motion.inner_frames(solid.group):
            group = self._motion.groups[frame]
            if group is not solid.group and group in self._groups:
                return self._groups[group]
        return []

    def _meeting(self) -> np.ndarray:
        """Return which solids have a point in common, or roll on ground."""
        solids = self._solids
        points = {x: k for k, x in enumerate(self._motion.places)}
        is_fixed = np.zeros((len(self._all), len(points)))
        for k, solid in enumerate(self._all):
            is_fixed[k, [points[x] for x in solids.fixed[solid] if x in points]] = 1
        found = np.array(is_fixed @ is_fixed.T > 0, int)
        for k, solid in enumerate(self._all):
            if any(solids.touches(x, solids.ground, solid) for x in solids.contacts):
                found[0, k] = found[k, 0] = 1
        return found

    def way(self, solid: Solid) -> list[Point]:
        """Return the points from a solid's mass centre to ground, or to the next body."""
        own = [x.masscenter for x in solid.parts]
        if self._solids.anchors or not any(x in self._solids.ends for x in own):
            return self._solids.way(solid.center)
        return self._motion.way(solid.center, [x for x in self._solids.ends if x not in own])

    # -- the tree --------------------------------------------------------------------------------

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each edge: known ones first, then by freedom, then by evidence."""
        return (8 * self._solids.freedom + 7 - self.evidence) + 100 * ~self._solids.is_known

    def _least(self) -> list[Edge]:
        """Return the edges of the tree with the least weight (Kruskal's algorithm)."""
        rows, columns = np.triu_indices(len(self._all), 1)
        of, tree = np.arange(len(self._all)), list[Edge]()
        for k in np.argsort(self.weights[rows, columns], kind="stable"):
            i, j = int(rows[k]), int(columns[k])
            if of[i] != of[j]:
                of[of == of[j]] = of[i]
                tree.append((i, j))
        return tree

    def outwards(self, without: Edge | None = None, more: Edge | None = None) -> Iterator[Edge]:
        """Yield (child, parent) from ground outwards, perhaps with one edge in place of another."""
        edges = [edge for edge in self.edges if edge != without] + ([more] if more else [])
        near: dict[int, list[int]] = {}
        for i, j in edges:
            near.setdefault(i, []).append(j)
            near.setdefault(j, []).append(i)
        waiting, seen = [0], {0}
        for here in waiting:  # grows meanwhile
            for there in near.get(here, ()):
                if there not in seen:
                    seen.add(there)
                    waiting.append(there)
                    yield there, here

    def across(self, edge: Edge) -> np.ndarray:
        """Return which edges join the two parts of the tree without one edge."""
        inner = {0, *(child for child, _ in self.outwards(without=edge))}
        is_inner = np.array([k in inner for k in range(len(self._all))])
        return np.triu(is_inner[:, None] != is_inner)
