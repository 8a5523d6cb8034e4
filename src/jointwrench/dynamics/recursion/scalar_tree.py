"""A tree in the scalars of a graph; each body is entered once."""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import NamedTuple

from sympy import Expr

from ...arithmetic.graph import Graph, Scalar
from ...arithmetic.vectors import Mat, Vec, vector_sum, zero
from ...mechanism.loads import LinkIndex, VectorPart
from ...mechanism.tree import Link, Tree
from .rigid_body import BodyWrench, Inertia
from .transform import Transform


class PartialVelocity(NamedTuple):
    """What a speed does to a body relative to the inner one, per unit; in the body's frame.

    ``linear`` is the partial velocity of the body's origin.
    """

    angular: Vec
    linear: Vec

    def power(self, wrench: BodyWrench) -> Scalar:
        """Return the power of a wrench about the origin per unit of the speed."""
        return self.angular.dot(wrench.moment) + self.linear.dot(wrench.force)


class ScalarTree:
    """A tree whose bodies are scalars of a graph.

    For each link it has the transform across its joint, its inertia, and partial velocities by the
    speeds that move its joint.
    """

    def __init__(self, graph: Graph, tree: Tree) -> None:
        self.graph = graph
        self.tree = tree
        self.transforms = tuple(Transform(graph, link) for link in tree.links)
        self.inertias = tuple(Inertia.of(graph, link) for link in tree.links)
        pairs = zip(tree.links, self.transforms, strict=True)
        self.partial_velocities = tuple(_partial_velocities(graph, *pair) for pair in pairs)

    def with_inertias(self, inertias: Sequence[Inertia]) -> "ScalarTree":
        """Return the tree with other inertias."""
        tree = copy(self)
        tree.inertias = tuple(inertias)
        return tree

    def express(self, parts: Iterable[VectorPart], link: LinkIndex) -> Vec:
        """Return the components of a vector in the frame of a link (None: of ground).

        Going from joint to joint shares all rotations with the recursion and never
        multiplies the direction cosine matrices of a whole chain.
        """
        vectors = []
        for part in parts:
            vector = Mat.enter(self.graph, part.rotation) @ Vec.enter(self.graph, part.components)
            vectors.append(self.rotate(vector, part.link, link))
        return vector_sum(vectors) if vectors else zero(self.graph)

    def rotate(self, vector: Vec, start: LinkIndex, end: LinkIndex) -> Vec:
        """Return components in the frame of ``end`` for those in the frame of ``start``."""
        down, up = self.apart(start, end)
        for index in down:
            vector = self.transforms[index].inward(vector)
        for index in reversed(up):
            vector = self.transforms[index].outward(vector)
        return vector

    def apart(self, start: LinkIndex, end: LinkIndex) -> tuple[list[int], list[int]]:
        """Return the paths of two links to where they meet."""
        down, up = self.path_to_ground(start), self.path_to_ground(end)
        while down and up and down[-1] == up[-1]:
            down.pop()
            up.pop()
        return down, up

    def place(self, position: Vec, start: LinkIndex, end: LinkIndex) -> Vec:
        """Return a point's position from the origin of ``end``, in its frame; None is ground.

        It is given from the origin of ``start``, in its frame.
        """
        down, up = self.apart(start, end)
        for index in down:
            position = self.transforms[index].inward(position) + self.arm(index)
        for index in reversed(up):
            position = self.transforms[index].outward(position - self.arm(index))
        return position

    def arm(self, index: int) -> Vec:
        """Return a link's origin from that of the inner one, or from the ground origin."""
        arm = self.transforms[index].arm
        if self.tree.links[index].inner is not None:
            return arm
        places = self.tree.constraints.ground_places
        if index not in places:
            raise ValueError(
                f"the place of {self.tree.links[index].body} relative to ground is not known. "
                "Use Point.set_pos to place its mass centre from a point of ground."
            )
        return Vec.enter(self.graph, places[index]) + arm

    def path_to_ground(self, index: LinkIndex) -> list[int]:
        """Return the links from one to ground, itself first."""
        path = []
        while index is not None:
            path.append(index)
            index = self.tree.links[index].inner
        return path


def _partial_velocities(
    graph: Graph, link: Link, transform: Transform
) -> dict[Expr, PartialVelocity]:
    return {
        speed: PartialVelocity(
            Vec.enter(graph, link.motion.angular_partial(speed)),
            transform.outward(Vec.enter(graph, link.motion.linear_partial(speed))),
        )
        for speed in link.motion.speeds
    }
