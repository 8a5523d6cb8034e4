"""A tree in the scalars of a graph; each body is entered once."""

from collections.abc import Iterable
from typing import NamedTuple

from sympy import Expr

from ..arithmetic.graph import Graph, Scalar
from ..arithmetic.vectors import Mat, Vec, vector_sum, zero
from ..mechanism.loads import LinkIndex, Part
from ..mechanism.tree import Link, Tree
from .rigid_body import BodyWrench, Inertia
from .transform import Transform


class PartialVelocity(NamedTuple):
    """What a speed does to a body relative to the inner one, per unit; in the body's frame.

    Attributes
    ==========

    angular : Vec
        Partial angular velocity.
    linear : Vec
        Partial velocity of the body's origin.
    """

    angular: Vec
    linear: Vec

    def power(self, wrench: BodyWrench) -> Scalar:
        """Return the power of a wrench about the origin per unit of the speed."""
        return self.angular.dot(wrench.moment) + self.linear.dot(wrench.force)


class ScalarTree:
    """A tree whose bodies are scalars of a graph.

    Parameters
    ==========

    graph : Graph
        Where the operations go.
    tree : Tree
        The bodies and joints.

    Attributes
    ==========

    transforms : tuple of Transform
        Across each link's joint.
    inertias : tuple of Inertia
        Of each link's body.
    partial_velocities : tuple of dict of Expr to PartialVelocity
        Of each link, by the speeds that move its joint.
    """

    def __init__(self, graph: Graph, tree: Tree) -> None:
        self.graph = graph
        self.tree = tree
        self.transforms = tuple(Transform(graph, link) for link in tree.links)
        self.inertias = tuple(Inertia.of(graph, link) for link in tree.links)
        pairs = zip(tree.links, self.transforms, strict=True)
        self.partial_velocities = tuple(_partial_velocities(graph, *pair) for pair in pairs)

    def express(self, parts: Iterable[Part], link: LinkIndex) -> Vec:
        """Return the components of a vector in the frame of a link (None: of ground).

        Going from joint to joint shares all rotations with the recursion and never
        multiplies the direction cosine matrices of a whole chain.
        """
        vectors = []
        for part in parts:
            vector = Mat.enter(self.graph, part.rotation) @ Vec.enter(self.graph, part.components)
            vectors.append(self._rotate(vector, part.link, link))
        return vector_sum(vectors) if vectors else zero(self.graph)

    def _rotate(self, vector: Vec, start: LinkIndex, end: LinkIndex) -> Vec:
        down, up = self.path_to_ground(start), self.path_to_ground(end)
        while down and up and down[-1] == up[-1]:
            down.pop()
            up.pop()
        for index in down:
            vector = self.transforms[index].inward(vector)
        for index in reversed(up):
            vector = self.transforms[index].outward(vector)
        return vector

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
