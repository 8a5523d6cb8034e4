"""The deduction of the connections of a model without joints from its motion.

A body is joined to the body relative to which it moves least: the connections are the spanning tree
whose joints have the least total number of degrees of freedom.  If several trees have this number,
the author's statements of points and frames select one, or the user must specify the connections.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from sympy import Expr
from sympy.physics.vector import Point

from ....checks.arguments import enumerate_some
from ....checks.tolerances import COUPLED, NO_MOTION
from ...arithmetic.generic_state import connected_blocks
from ..deduced_structure import Deduced, Triples
from .least_tree import Edge, LeastTree
from .solids import Solid, Solids

#: The largest number of connections in a message, unless three lists have more.
MOST = 150


class DeducedConnections:
    """The deduced connections of solids, with the reasons of choices and the open questions.

    A convention is a choice between several trees that the author's statements support: the user
    is warned of it.  A doubt is a question that the model does not answer: joint wrenches cannot be
    computed without the user's connections.

    Parameters
    ==========

    solids : Solids
        The bodies of the model, welded bodies as one, and their relative motions.
    speeds : sequence of Expr
        The speeds of the model, for messages.
    is_open : bool
        Whether the user has specified no loop joints, which requires a search for loops.
    """

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
        """Return the connections (parent, child, point), the welds, conventions and doubts."""
        return Deduced(
            self._triples(self._tree.parents),
            self._solids.welds,
            tuple(self._conventions),
            tuple(self._doubts),
            reported=set(),
        )

    def _triples(self, parents: dict[int, int]) -> Triples:
        """Return a tree, as the index of each child's parent, as (parent, child, point)."""
        pairs = ((self._solids.all[parents[k]], self._solids.all[k]) for k in sorted(parents))
        return Triples(
            (one.body, other.body, self._joint_point(one, other)) for one, other in pairs
        )

    # -- choices ---------------------------------------------------------------------------------

    def _compare(self) -> None:
        """Add a doubt or a convention for each edge of the tree that another edge could replace.

        The candidates join the two parts of the tree that remain without the edge.  An edge between
        solids whose relative position is unknown cannot be ruled out: it is a doubt if its known
        part, the rotation, has no more freedom.  Edges of equal freedom are a doubt if their
        evidence is as strong, otherwise a convention.
        """
        solids, tree = self._solids, self._tree
        freedom, evidence, is_known = solids.freedom, tree.evidence, solids.is_known
        chosen, open_edges = dict[Edge, list[Edge]](), dict[Edge, list[Edge]]()
        for edge in tree.edges:
            across = tree.across(edge)
            across[edge] = False
            unknown = across & ~is_known & (freedom <= freedom[edge])
            if unknown.any() or not is_known[edge]:
                open_edges[edge] = _edges(unknown)
                continue
            rivals = _edges(across & is_known & ~solids.is_apart & (freedom == freedom[edge]))
            own, others = evidence[edge], [evidence[x] for x in rivals]
            if rivals and max(others) >= own:
                open_edges[edge] = rivals
            elif rivals and not self._is_free(edge) and self._needs_word(edge, rivals):
                chosen[edge] = rivals
        self._doubts += [
            f"{self._bodies(edges + rivals)} can be joined in several ways: "
            f"{self._candidates(choices)}"
            for edges, rivals, choices in _by_pin(open_edges)
        ]
        self._conventions += [
            "; ".join(self._reason(edge, chosen[edge]) for edge in edges)
            + f"; {self._pairs(rivals)} could be joined as well: {self._candidates(choices)}"
            for edges, rivals, choices in _by_pin(chosen)
        ]

    def _needs_word(self, edge: Edge, rivals: Sequence[Edge]) -> bool:
        """Whether the choice of an edge is uncertain and the user must be warned of it.

        It is certain if the child's point and frame were both stated relative to the parent and no
        statement supports a rival.
        """
        tree = self._tree
        is_certain = tree.located[edge] and tree.turned[edge]
        return not is_certain or any(tree.is_stated[x] for x in rivals)

    def _is_free(self, edge: Edge) -> bool:
        """Whether an edge joins a floating body to ground, in space or in a plane."""
        solids, (inner, outer) = self._solids, edge
        most = 6 if solids.all[outer].is_oriented else 3
        is_planar = solids.turning[edge] == 1 and solids.freedom[edge] == 3
        return inner == 0 and (solids.freedom[edge] == most or bool(is_planar))

    def _reason(self, edge: Edge, rivals: Sequence[Edge]) -> str:
        """Return the reason for which an edge was preferred to its rivals, for a message.

        Evidence is a bit mask (see `LeastTree`): the reason is the highest bit that the best rival
        does not have.
        """
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
        """Return the lists of connections among which the user can choose, as code to paste.

        Each choice replaces the first edge of a pair by the second.  If there are many choices, the
        last ones are listed by their new pair of bodies only.
        """
        count = max(3, MOST // len(self._tree.parents))
        trees = [self._tree.parents, *(dict(self._tree.pairs(*x)) for x in choices[:count])]
        lists = [f"connections={self._triples(tree)}" for tree in trees]
        if rest := dict.fromkeys(new for _, new in choices[count:]):
            pairs = ", ".join(self._pairs([new]) for new in rest)
            lists.append(f"the first list with one of these pairs in place of another: {pairs}")
        return " or ".join(lists)

    # -- doubts ----------------------------------------------------------------------------------

    def _check_located(self, child: Solid, parent: Solid) -> None:
        """Add a doubt if a child was located from bodies relative to which it moves more.

        There is no doubt if the child's own points lead to the parent's mass centre, or if they
        lead from ground to a point that is fixed in the parent.
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
        if any(solids.freedom[own, index[x]] <= least for x in near):  # reported by _compare
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
        """Add a doubt for joints whose motions are coupled: by gears, ropes or linkages.

        Without coupling, the joints' degrees of freedom add up to the number of independent motions
        of all bodies.  The rows of a matrix are the joints' motions by unit speeds.  Joints are
        coupled if their rows occur in a linear dependency, which is a vector of the left null
        space.
        """
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
        """Add a doubt for each loop: the model does not define at which joint it is open.

        A point at rest that is fixed in a moving body, without rolling, shows a loop.  So does a
        point that was located along two paths: if its two positions disagree at a random state, or
        agree in every pose although the paths cross bodies that no edge joins.
        """
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
        """Whether the positions between two points cross two bodies that no edge joins.

        The positions form a cycle: from ``there`` to ``here`` by the steps that located the points,
        and back by the repeated step.  Two consecutive steps do not cross bodies if they are fixed
        in one body or in bodies that an edge joins.  A step that is fixed in no body is ignored.
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
        """Return the point of a joint, nearest to the parent among the points fixed in both bodies.

        If the bodies share no fixed point, it is a point at which their velocities are equal, and
        if there is none, the child's last own point on the way to the parent.
        """
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
    """Return the edges that a boolean matrix marks."""
    return [(int(i), int(j)) for i, j in np.argwhere(chosen)]


def _by_pin(
    found: dict[Edge, list[Edge]],
) -> Iterator[tuple[list[Edge], list[Edge], list[tuple[Edge, Edge]]]]:
    """Yield groups of edges with their rivals and the pairs (edge, rival).

    Edges are in one group if they or their rivals share a body other than ground, for instance
    those of several bodies on one pin.  Each group is one question to the user.
    """
    pairs = [*found.items()][::-1]
    bodies = [{k for x in (edge, *rivals) for k in x if k} for edge, rivals in pairs]
    for rows, _ in connected_blocks(bodies):
        chosen = [pairs[k] for k in rows]
        choices = [(edge, x) for edge, rivals in chosen for x in rivals]
        yield [edge for edge, _ in chosen[::-1]], [*dict.fromkeys(x for _, x in choices)], choices


def _basis(motion: np.ndarray, complement: bool = False) -> np.ndarray:
    """Return an orthonormal basis of a matrix's row space, or of its orthogonal complement."""
    _, sizes, rows = np.linalg.svd(motion, full_matrices=complement)
    rank = int((sizes**2 > NO_MOTION * max(1.0, sizes.max(initial=0) ** 2)).sum())
    return rows[rank:] if complement else rows[:rank]
