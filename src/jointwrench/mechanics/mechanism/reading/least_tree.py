"""The spanning tree of bodies whose joints have the fewest degrees of freedom in total."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from sympy.physics.vector import Point

from ...spatial.paths import reach
from .solids import Solid, Solids

#: A connection, as the indices of its two solids; ground has the index 0.
Edge = tuple[int, int]


class LeastTree:
    """The spanning tree of solids whose joints have the least total freedom, and its alternatives.

    An edge joins two solids.  Among edges of equal freedom the author's statements decide.  Each
    kind of statement is a bit of the edge's evidence, the strongest first: 4 if one body was
    located in the other body's frame, 2 if the bodies have a common point, 1 if one body's frame
    was oriented in the other body's frame.

    Attributes
    ==========

    near : dict
        For each solid the solids in whose frames the first step to it was stated, and the point at
        which the step begins.
    located, turned : ndarray
        Whether one of two solids was located or oriented in the other, as 0 or 1, shape (solids,
        solids).
    is_stated : ndarray
        Whether any statement supports an edge, which includes a body located from the other body's
        mass centre.
    evidence : ndarray
        The evidence of each edge as a sum of bits.
    edges : list of Edge
        The edges of the tree.
    parents : dict
        The parent of each solid in the tree, by index.
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
        self.is_stated = (self.located + self.turned + self._at_centers()) > 0
        self.evidence = 4 * self.located + 2 * self._meeting() + self.turned
        self.edges = self._least()
        self.parents = dict(self.pairs())

    def _matrix(self, named: dict[Solid, Sequence[Solid]]) -> np.ndarray:
        """Return pairs of solids as a symmetric matrix of 0 and 1."""
        found = np.zeros(self._solids.freedom.shape, int)
        for one, others in named.items():
            for other in others:
                i, j = self._index[one], self._index[other]
                found[i, j] = found[j, i] = 1
        return found

    # -- evidence --------------------------------------------------------------------------------

    def _located_from(self, solid: Solid) -> tuple[list[Solid], Point | None]:
        """Return a solid's possible parents by the step to its location, and the step's start.

        A step is a position that was stated between two points.  On the way from the solid's mass
        centre to ground, the first step that is not fixed in the solid crosses its joint.  A step
        with parts in several frames skips the joint's point: each body with one of these frames may
        be the parent.  A zero step has no frames: the parents are the bodies whose mass centre is
        at its start.  If all steps are fixed in the solid and end at a point at rest, the parent is
        ground, without a start.
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
        """Return the solid in whose frames the step to a location was stated, else an empty list.

        Among several possible parents only those are left in which the step's first point is fixed.
        The list is empty if the parent is not unique.
        """
        near, start = self.near[solid]
        if len(near) > 1:
            near = [x for x in near if start in self._solids.fixed[x]]
        return near if start is not None and len(near) == 1 else []

    def _at_centers(self) -> np.ndarray:
        """Return the matrix of pairs in which own points of one lead to the other's mass centre."""
        beside = dict[Solid, Sequence[Solid]]()
        for solid in self._all[1:]:
            own, others = self.own_points(self.way(solid), solid), [*self._all]
            others.remove(solid)
            beside[solid] = [x for x in others if any(y.masscenter in own for y in x.parts)]
        return self._matrix(beside)

    def own_points(self, way: Sequence[Point], solid: Solid) -> list[Point]:
        """Return the first points of a way, up to the first step that is not fixed in a solid."""
        found = [way[0]]
        for here, there in pairwise(way):
            if any(term != (solid.group, True) for term in self._motion.terms(here, there)):
                break
            found.append(there)
        return found

    def _oriented_in(self, solid: Solid) -> Sequence[Solid]:
        """Return the solids in whose frame a solid's frame was oriented, directly or via frames."""
        for frame in self._motion.inner_frames(solid.group):
            group = self._motion.groups[frame]
            if group is not solid.group and group in self._groups:
                return self._groups[group]
        return []

    def _meeting(self) -> np.ndarray:
        """Return the matrix of pairs with a common fixed point, or of ground and a rolling body."""
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
        """Return the points from a solid's mass centre to ground, or to the next body.

        The next body's mass centre ends the way if the model has no point of ground.
        """
        own = [x.masscenter for x in solid.parts]
        if self._solids.anchors or not any(x in self._solids.ends for x in own):
            return self._solids.way(solid.center)
        return self._motion.way(solid.center, [x for x in self._solids.ends if x not in own])

    # -- the tree --------------------------------------------------------------------------------

    @cached_property
    def weights(self) -> np.ndarray:
        """The weights of edges, by knowledge, freedom and evidence, in this order.

        Evidence is at most 7 and freedom at most 6: an edge whose relative position is unknown
        weighs more than any known edge, and one degree of freedom more than all evidence.
        """
        return (8 * self._solids.freedom + 7 - self.evidence) + 100 * ~self._solids.is_known

    def _least(self) -> list[Edge]:
        """Return the edges of the spanning tree with the least weight by Kruskal's algorithm.

        Edges are taken in the order of their weights if they join two separate subtrees.
        """
        rows, columns = np.triu_indices(len(self._all), 1)
        of, tree = np.arange(len(self._all)), list[Edge]()
        for k in np.argsort(self.weights[rows, columns], kind="stable"):
            i, j = int(rows[k]), int(columns[k])
            if of[i] != of[j]:
                of[of == of[j]] = of[i]
                tree.append((i, j))
        return tree

    def pairs(self, without: Edge | None = None, more: Edge | None = None) -> Iterator[Edge]:
        """Yield the pairs (child, parent) of the tree from ground, parents first.

        The tree is changed by the removal of the edge ``without`` and the addition of ``more``.
        Solids that are not connected with ground are left out.
        """
        edges = [edge for edge in self.edges if edge != without] + ([more] if more else [])
        near: dict[int, list[int]] = {}
        for i, j in edges:
            near.setdefault(i, []).append(j)
            near.setdefault(j, []).append(i)
        found = reach([0], lambda here: near.get(here, ()))
        yield from ((there, here) for there, here in found if here is not None)

    def across(self, edge: Edge) -> np.ndarray:
        """Return the boolean matrix of edges that could replace an edge of the tree.

        They join the two subtrees that remain without the edge.  The matrix is upper triangular and
        includes the edge.
        """
        inner = {0, *(child for child, _ in self.pairs(without=edge))}
        is_inner = np.array([k in inner for k in range(len(self._all))])
        return np.triu(is_inner[:, None] != is_inner)
