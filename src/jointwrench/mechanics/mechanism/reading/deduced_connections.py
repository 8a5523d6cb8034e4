"""The connections of a model without joints, as far as its motion determines them.

A body is joined to the body against which it moves least.  The tree with the least freedom of all
joints is the only one, or evidence of the author singles one of several out, or it is asked for.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from sympy import Expr
from sympy.physics.vector import Point

from ....checks.arguments import enumerate_some
from ....checks.tolerances import COUPLED, NO_MOTION
from ..deduced_structure import Deduced, Triples
from .least_tree import Edge, LeastTree
from .solids import Solid, Solids

#: The number of connections in all lists that a message shows, of three lists at least.
MOST = 150


class DeducedConnections:
    """The connections of solids, with the choices that evidence made and those that are open."""

    def __init__(self, solids: Solids, speeds: Sequence[Expr], is_open: bool) -> None:
        self._solids, self._motion, self._speeds = solids, solids.motion, speeds
        self._tree = LeastTree(solids)
        self._conventions, self._doubts = list[str](), list[str]()
        self._compare()
        for child, parent in self._tree.parents.items():
            self._check_located(solids.all[child], solids.all[parent])
        self._check_couplings()
        if is_open:
            self._check_loops()

    def found(self) -> Deduced:
        """Return the connections (parent, child, point)."""
        return Deduced(
            self._triples(self._tree.parents),
            self._solids.welds,
            tuple(self._conventions),
            tuple(self._doubts),
            reported=set(),
        )

    def _triples(self, parents: dict[int, int]) -> Triples:
        pairs = ((self._solids.all[parents[k]], self._solids.all[k]) for k in sorted(parents))
        return Triples(
            (one.body, other.body, self._joint_point(one, other)) for one, other in pairs
        )

    # -- choices ---------------------------------------------------------------------------------

    def _compare(self) -> None:
        """Report the edges of the tree that others could replace."""
        solids, tree = self._solids, self._tree
        freedom, evidence, is_known = solids.freedom, tree.evidence, solids.is_known
        chosen, asked = dict[Edge, list[Edge]](), dict[Edge, list[Edge]]()
        for edge in tree.edges:
            across = tree.across(edge)
            across[edge] = False
            unknown = across & ~is_known & (freedom <= freedom[edge])
            if unknown.any() or not is_known[edge]:
                asked[edge] = _edges(unknown)
                continue
            rivals = _edges(across & is_known & ~solids.is_apart & (freedom == freedom[edge]))
            own, others = evidence[edge], [evidence[x] for x in rivals]
            if rivals and max(others) >= own:
                asked[edge] = rivals
            elif rivals and not self._is_free(edge) and self._needs_word(edge, rivals):
                chosen[edge] = rivals
        self._doubts += [
            f"{self._bodies(edges + rivals)} can be joined in several ways: "
            f"{self._candidates(choices)}"
            for edges, rivals, choices in _by_pin(asked)
        ]
        self._conventions += [
            "; ".join(self._reason(edge, chosen[edge]) for edge in edges)
            + f"; {self._pairs(rivals)} could be joined as well: {self._candidates(choices)}"
            for edges, rivals, choices in _by_pin(chosen)
        ]

    def _needs_word(self, edge: Edge, rivals: Sequence[Edge]) -> bool:
        """Whether evidence of one kind only, or some for a rival, makes a choice uncertain."""
        tree = self._tree
        is_certain = tree.located[edge] and tree.turned[edge]
        return not is_certain or any(tree.is_stated[x] for x in rivals)

    def _is_free(self, edge: Edge) -> bool:
        """Whether an edge joins a body that floats to ground, in space or in a plane."""
        solids, (inner, outer) = self._solids, edge
        most = 6 if solids.all[outer].is_oriented else 3
        is_planar = solids.turning[edge] == 1 and solids.freedom[edge] == 3
        return inner == 0 and (solids.freedom[edge] == most or bool(is_planar))

    def _reason(self, edge: Edge, rivals: Sequence[Edge]) -> str:
        """Return why an edge was preferred to others."""
        own, best = int(self._tree.evidence[edge]), max(int(self._tree.evidence[x]) for x in rivals)
        evidence = own & ~best
        texts = {4: "one was located from the other", 2: "they have a point in common"}
        why = texts.get(1 << evidence.bit_length() - 1, "one was oriented in the other")
        return f"{self._pairs([edge])} are joined since {why}"

    def _pairs(self, edges: Sequence[Edge]) -> str:
        bodies = self._solids.all
        return enumerate_some([f"{bodies[i].body} and {bodies[j].body}" for i, j in edges])

    def _bodies(self, edges: Sequence[Edge]) -> str:
        order = dict.fromkeys(k for edge in edges for k in edge)
        return enumerate_some([str(self._solids.all[k].body) for k in order])

    def _candidates(self, choices: Sequence[tuple[Edge, Edge]]) -> str:
        """Return the connections of each choice, ready to paste; of many, the new pairs only."""
        count = max(3, MOST // len(self._tree.parents))
        trees = [self._tree.parents, *(dict(self._tree.outwards(*x)) for x in choices[:count])]
        lists = [f"connections={self._triples(tree)}" for tree in trees]
        if rest := dict.fromkeys(new for _, new in choices[count:]):
            pairs = ", ".join(self._pairs([new]) for new in rest)
            lists.append(f"the first list with one of these pairs in place of another: {pairs}")
        return " or ".join(lists)

    # -- doubts ----------------------------------------------------------------------------------

    def _check_located(self, child: Solid, parent: Solid) -> None:
        """Doubt a joint if its child was located from others, against which it moves more.

        Not if that is a point of the parent which other statements, too, have put there.
        """
        solids, tree = self._solids, self._tree
        near = tree.near[child][0]
        index = {x: k for k, x in enumerate(solids.all)}
        own = index[child]
        beside = [edge for edge in tree.edges if own in edge]
        joined = {solids.all[k] for edge in beside for k in edge} - {child}
        if not near or not joined.isdisjoint(near):
            return
        least = solids.freedom[own, index[parent]]
        if any(solids.freedom[own, index[x]] <= least for x in near):  # told as a choice
            return
        way = self._tree.own_points(tree.way(child), child)
        is_hub = any(x.masscenter in way for x in parent.parts)
        if not is_hub and not (near == [solids.ground] and way[-1] in solids.fixed[parent]):
            choices = [((min(own, index[parent]), max(own, index[parent])), (index[near[0]], own))]
            self._doubts.append(
                f"{child.body} was located from {enumerate_some([str(x.body) for x in near])}, but "
                f"moves least against {parent.body}: {self._candidates(choices)}"
            )

    def _check_couplings(self) -> None:
        """Doubt joints that move by speeds of others: gears, ropes, a frame that is kept level."""
        solids = self._solids
        if sum(solids.freedom[edge] for edge in self._tree.edges) == solids.count_motions():
            return
        rows = [_basis(solids.relative(*edge)) for edge in self._tree.edges]
        of = np.repeat(np.arange(len(rows)), [len(x) for x in rows])
        motions = np.vstack(rows) if rows else np.zeros((0, 1))
        left = _basis(motions.T, complement=True)
        coupled = [*dict.fromkeys(of[abs(left).max(axis=0, initial=0) > COUPLED].tolist())]
        if coupled:
            edges = [self._tree.edges[k] for k in coupled]
            moving = abs(motions[np.isin(of, coupled)]).max(axis=0) > COUPLED
            speeds = [x for x, moves in zip(self._speeds, moving, strict=False) if moves]
            children = [i if self._tree.parents.get(i) == j else j for i, j in edges]
            bodies = [solids.all[k].body for k in children]
            statements = enumerate_some([self._motion.statement(x) for x in bodies])
            self._doubts.append(
                f"the joints of {self._pairs(edges)} move together by {enumerate_some(speeds)} "
                f"({statements}), and the model does not say where the force of that coupling "
                "(a gear, a rope, a linkage) acts"
            )

    def _check_loops(self) -> None:
        """Doubt points at rest that are fixed in moving bodies, and positions that disagree."""
        solids = self._solids
        for point in solids.contacts:
            moving = [x for x in solids.all[1:] if not x.is_particle and point in solids.fixed[x]]
            rolling = [x for x in solids.all[1:] if solids.touches(point, solids.ground, x)]
            if moving and not rolling:
                names = enumerate_some([str(x.body) for x in moving])
                self._doubts.append(
                    f"{point} is at rest, but {names} moves there: a loop, which could be open at "
                    "any joint"
                )
        motion = self._motion
        found = [(x, "disagree") for x in motion.contradictions]
        found += [(x, "agree in every pose") for x in motion.repeated if self._is_loop(*x)]
        self._doubts += [
            f"{other} was located from {here} and from other points, which {how}: a loop, which "
            "could be open at any joint"
            for (here, other), how in found
        ]

    def _is_loop(self, here: Point, there: Point) -> bool:
        """Whether the steps between two points, and back, lead across bodies that are not joined.

        A step that is fixed in no body says nothing of that.
        """
        fixed, motion, held = self._solids.fixed, self._motion, list[list[int]]()
        for step in (*pairwise(motion.between(there, here)), (here, there)):
            held.append([k for k, x in enumerate(self._solids.all) if fixed[x].issuperset(step)])
        edges = {*self._tree.edges}
        near = [
            not (one and other)
            or any(a == b or (min(a, b), max(a, b)) in edges for a in one for b in other)
            for one, other in pairwise([*held, held[0]])
        ]
        return not all(near)

    # -- points ----------------------------------------------------------------------------------

    def _joint_point(self, parent: Solid, child: Solid) -> Point:
        """Return the point of a joint: the last one on the way that is fixed in both."""
        solids, ends = self._solids, [parent.center]
        is_ground = parent is solids.ground
        way = solids.way(child.center) if is_ground else self._motion.way(child.center, ends)
        both, own = solids.fixed[child] & solids.fixed[parent], self._tree.own_points(way, child)
        if both:
            there = [x for x in own if x in both]
            return there[-1] if there else next(x for x in self._motion.places if x in both)
        for point in (*solids.contacts, *way, *self._motion.places):
            if solids.touches(point, parent, child):
                return point
        return own[-1]


def _edges(chosen: np.ndarray) -> list[Edge]:
    return [(int(i), int(j)) for i, j in np.argwhere(chosen)]


def _by_pin(
    found: dict[Edge, list[Edge]],
) -> Iterator[tuple[list[Edge], list[Edge], list[tuple[Edge, Edge]]]]:
    """Yield edges with their rivals and the exchanges of one for another, by pins."""
    left = dict(found)
    while left:
        edge, rivals = left.popitem()
        edges, others, choices = [edge], [*rivals], [(edge, x) for x in rivals]
        touched = {k for x in (edge, *rivals) for k in x if k}
        while more := [x for x, own in left.items() if touched & {k for y in (x, *own) for k in y}]:
            for one in more:
                edges.append(one)
                others += left[one]
                choices += [(one, x) for x in left[one]]
                touched |= {k for x in (one, *left.pop(one)) for k in x if k}
        yield edges[::-1], [*dict.fromkeys(others)], choices


def _basis(motion: np.ndarray, complement: bool = False) -> np.ndarray:
    """Return orthonormal rows that span the rows of a matrix, or what is perpendicular to them."""
    _, sizes, rows = np.linalg.svd(motion, full_matrices=complement)
    rank = int((sizes**2 > NO_MOTION * max(1.0, sizes.max(initial=0) ** 2)).sum())
    return rows[rank:] if complement else rows[:rank]
