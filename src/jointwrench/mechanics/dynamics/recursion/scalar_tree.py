"""A tree in the scalars of a graph, with each body entered once, and the loads on its links."""

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import NamedTuple

from sympy import Expr

from ...arithmetic.generic_state import GenericState, is_decidable
from ...arithmetic.graph import Graph, Scalar, replace_inputs
from ...arithmetic.vectors import Mat, Vec, merge_rotations, vector_sum, zero
from ...mechanism.loads import AppliedLoad, LinkIndex, Loads, VectorPart
from ...mechanism.tree import Link, Tree
from .rigid_body import BodyWrench, Inertia


class Transform:
    """Converts components across a joint, between the frames of the inner and the outer body.

    Attributes
    ==========

    attachment : Vec
        The position of the joint's inner attachment point from the inner body's origin, in its
        frame.
    offset : Vec
        The position of the outer body's origin from there, in the inner body's frame.
    """

    def __init__(self, graph: Graph, link: Link) -> None:
        self._stages = merge_rotations(Mat.enter(graph, stage) for stage in link.motion.rotations)
        self._back = [stage.transpose for stage in reversed(self._stages)]
        self.attachment = Vec.enter(graph, link.attachment)
        self.offset = Vec.enter(graph, link.motion.offset)

    @property
    def arm(self) -> Vec:
        """The position of the outer body's origin from the inner body's, in the inner frame."""
        return self.attachment + self.offset

    def outward(self, vector: Vec) -> Vec:
        """Return the outer body's components of a vector from the inner body's components."""
        for stage in self._stages:
            vector = stage @ vector
        return vector

    def inward(self, vector: Vec) -> Vec:
        """Return the inner body's components of a vector from the outer body's components."""
        for stage in self._back:
            vector = stage @ vector
        return vector

    def wrench_inward(self, wrench: BodyWrench, arm: Vec) -> BodyWrench:
        """Return a wrench on the outer body about another point, in the inner frame.

        ``arm`` is the position of the outer body's origin from that point, in the inner frame.
        """
        force = self.inward(wrench.force)
        return BodyWrench(force, self.inward(wrench.moment) + arm.cross(force))

    def turned_inward(self, matrix: Mat) -> Mat:
        """Return a symmetric matrix of the outer frame in the inner frame."""
        for stage in self._back:
            matrix = matrix.rotated(stage)
        return matrix

    def inertia_inward(self, inertia: Inertia) -> Inertia:
        """Return an inertia about the inner body's origin, in the inner frame."""
        for stage in self._back:
            inertia = inertia.rotated(stage)
        return inertia.about(self.arm)


class PartialVelocity(NamedTuple):
    """The partial velocities of a body and of its origin relative to the inner body."""

    angular: Vec
    linear: Vec

    def power(self, wrench: BodyWrench) -> Scalar:
        """Return the power of a wrench about the origin per unit of the speed."""
        return self.angular.dot(wrench.moment) + self.linear.dot(wrench.force)


class ScalarTree:
    """A tree in scalars of a graph.

    Attributes
    ==========

    graph : Graph
        The graph.
    symbolic : Tree
        The tree with sympy expressions.
    transforms : tuple of Transform
        The transform across the joint of each link.
    inertias : tuple of Inertia
        The inertia of each link.
    partial_velocities : tuple of dict
        The partial velocities of each link in its frame, by the speeds of its joint.
    """

    def __init__(self, graph: Graph, tree: Tree) -> None:
        self.graph = graph
        self.symbolic = tree
        self.transforms = tuple(Transform(graph, link) for link in tree.links)
        self.inertias = tuple(Inertia.of(graph, link) for link in tree.links)
        pairs = zip(tree.links, self.transforms, strict=True)
        self.partial_velocities = tuple(_partial_velocities(graph, *pair) for pair in pairs)

    @property
    def turning_speeds(self) -> set[Expr]:
        """The speeds that rotate a link."""
        pairs = (pair for partials in self.partial_velocities for pair in partials.items())
        return {speed for speed, partial in pairs if not partial.angular.is_zero}

    @cached_property
    def resisted(self) -> list[bool]:
        """Whether each body resists all motions of its joint without the bodies beyond."""
        state, found = GenericState(self.graph), list[bool]()
        for inertia, moved in zip(self.inertias, self.partial_velocities, strict=True):
            momenta = [inertia.momentum(*partial) for partial in moved.values()]
            rows = [[partial.power(x) for x in momenta] for partial in moved.values()]
            evaluated = state.rows(rows)
            found.append(not rows or (is_decidable(evaluated) and state.rank(rows) == len(rows)))
        return found

    @property
    def volumes(self) -> list[Scalar]:
        """The triple product of the axes of each joint that rotates about three axes.

        It is zero in gimbal lock.
        """
        turns = ([x.angular for x in moved.values()] for moved in self.partial_velocities)
        axes = ([x for x in own if not x.is_zero] for own in turns)
        return [own[0].dot(own[1].cross(own[2])) for own in axes if len(own) == 3]

    @cached_property
    def doubtful(self) -> frozenset[int]:
        """The indices of speeds that may move nothing in some poses, as in gimbal lock.

        These are the speeds of bodies that do not resist them by themselves, and the three
        rotations of a link if the triple product of their axes varies with the pose, so that it may
        vanish.
        """
        graph, state, found = self.graph, GenericState(self.graph), set[int]()
        numbers = {speed: k for k, speed in enumerate(self.symbolic.speeds)}
        others = {q: graph.scalar(q) + 1 for q in self.symbolic.coordinates}
        if has_own_speeds(self):
            pairs = zip(self.partial_velocities, self.resisted, strict=True)
            found |= {numbers[u] for moved, is_resisted in pairs if not is_resisted for u in moved}
        for moved in self.partial_velocities:
            axes = {u: x.angular for u, x in moved.items() if u in numbers}
            axes = {numbers.pop(u): axis for u, axis in axes.items() if not axis.is_zero}
            if len(axes) == 3:
                one, other, last = axes.values()
                volume = one.dot(other.cross(last))
                if not state.is_zero(volume - replace_inputs([volume], others)[0]):
                    found |= axes.keys()
        return frozenset(found)

    def with_inertias(self, inertias: Sequence[Inertia]) -> "ScalarTree":
        """Return the tree with other inertias of the links."""
        tree = copy(self)
        tree.inertias = tuple(inertias)
        for name in ("resisted", "doubtful"):
            tree.__dict__.pop(name, None)
        return tree

    def express(self, parts: Iterable[VectorPart], link: LinkIndex) -> Vec:
        """Return the components of a vector in the frame of a link (None: of ground).

        The vector is rotated from joint to joint, so that all rotations are shared with the
        recursion and no direction cosine matrices of a whole chain are multiplied.
        """
        vectors = []
        for part in parts:
            vector = Mat.enter(self.graph, part.rotation) @ Vec.enter(self.graph, part.components)
            vectors.append(self.rotate(vector, part.link, link))
        return vector_sum(vectors) if vectors else zero(self.graph)

    def rotate(self, vector: Vec, start: LinkIndex, end: LinkIndex) -> Vec:
        """Return a vector's components in the frame of ``end``.

        ``vector`` has the components in the frame of ``start``.
        """
        down, up = self.apart(start, end)
        for index in down:
            vector = self.transforms[index].inward(vector)
        for index in reversed(up):
            vector = self.transforms[index].outward(vector)
        return vector

    def apart(self, start: LinkIndex, end: LinkIndex) -> tuple[list[int], list[int]]:
        """Return the paths of two links inwards, each up to the link where they meet."""
        down, up = list[int](), list[int]()
        while start != end:
            if start is not None and (end is None or start > end):  # inner links stand first
                down.append(start)
                start = self.symbolic.links[start].inner
            elif end is not None:
                up.append(end)
                end = self.symbolic.links[end].inner
        return down, up

    def place(self, position: Vec, start: LinkIndex, end: LinkIndex) -> Vec:
        """Return the position of a point from the origin of ``end``, in its frame.

        ``position`` is the point's position from the origin of ``start``, in that link's frame.
        """
        down, up = self.apart(start, end)
        for index in down:
            position = self.transforms[index].inward(position) + self.arm(index)
        for index in reversed(up):
            position = self.transforms[index].outward(position - self.arm(index))
        return position

    def arm(self, index: int) -> Vec:
        """Return the position of a link's origin from the inner link's or the ground origin."""
        arm = self.transforms[index].arm
        if self.symbolic.links[index].inner is not None:
            return arm
        places = self.symbolic.constraints.ground_points
        if index not in places:
            raise ValueError(
                f"the position of {self.symbolic.links[index].body} relative to ground is "
                "unknown. Use Point.set_pos to set that of its mass centre from a point of "
                "ground."
            )
        return Vec.enter(self.graph, places[index]) + arm

    def path_to_ground(self, index: LinkIndex) -> list[int]:
        """Return the links from a link to ground, the link itself first."""
        path = []
        while index is not None:
            path.append(index)
            index = self.symbolic.links[index].inner
        return path


def _partial_velocities(
    graph: Graph, link: Link, transform: Transform
) -> dict[Expr, PartialVelocity]:
    """Return the partial velocities of a link in its frame, by the speeds of its joint."""
    return {
        speed: PartialVelocity(
            Vec.enter(graph, link.motion.angular_partial(speed)),
            transform.outward(Vec.enter(graph, link.motion.linear_partial(speed))),
        )
        for speed in link.motion.speeds
    }


def load_wrench(tree: ScalarTree, load: AppliedLoad) -> BodyWrench:
    """Return a load as a wrench on its link, about the link's origin."""
    vector = tree.express(load.parts, load.link)
    if load.position is None:
        return BodyWrench(zero(tree.graph), vector)
    return BodyWrench(vector, Vec.enter(tree.graph, load.position).cross(vector))


def external_wrenches(tree: ScalarTree, loads: Loads) -> dict[int, BodyWrench]:
    """Return the sum of the known loads on each link that has any, about its origin."""
    wrenches: dict[int, BodyWrench] = {}
    for load in loads.applied:
        wrench = load_wrench(tree, load)
        before = wrenches.get(load.link)
        wrenches[load.link] = wrench if before is None else before + wrench
    return wrenches


def has_own_speeds(tree: ScalarTree) -> bool:
    """Return whether each speed moves exactly one joint."""
    users = Counter(speed for moved in tree.partial_velocities for speed in moved)
    return set(users) == set(tree.symbolic.speeds) and set(users.values()) <= {1}
