"""From one body's frame to the next one's, across the joint between them."""

from ...arithmetic.graph import Graph
from ...arithmetic.vectors import Mat, Vec
from ...mechanism.tree import Link
from .rigid_body import BodyWrench, Inertia


class Transform:
    """Takes components across a joint, between the inner and the outer body's frame."""

    def __init__(self, graph: Graph, link: Link) -> None:
        self._stages = [Mat.enter(graph, stage) for stage in link.motion.rotations]
        self._back = [stage.transpose for stage in reversed(self._stages)]
        #: Position of the joint's inner attachment point from the inner body's
        #: origin, and of the outer body's origin from there; inner frame.
        self.attachment = Vec.enter(graph, link.attachment)
        self.offset = Vec.enter(graph, link.motion.offset)

    @property
    def arm(self) -> Vec:
        """Position of the outer body's origin from the inner one's, inner frame."""
        return self.attachment + self.offset

    def outward(self, vector: Vec) -> Vec:
        """Return the components in the outer body's frame."""
        for stage in self._stages:
            vector = stage @ vector
        return vector

    def inward(self, vector: Vec) -> Vec:
        """Return the components in the inner body's frame."""
        for stage in self._back:
            vector = stage @ vector
        return vector

    def wrench_inward(self, wrench: BodyWrench, arm: Vec) -> BodyWrench:
        """Return a wrench about the point from which ``arm`` leads, inner frame."""
        force = self.inward(wrench.force)
        return BodyWrench(force, self.inward(wrench.moment) + arm.cross(force))

    def turned_inward(self, matrix: Mat) -> Mat:
        """Return a symmetric matrix of components in the inner body's frame."""
        for stage in self._back:
            matrix = matrix.turned(stage)
        return matrix

    def inertia_inward(self, inertia: Inertia) -> Inertia:
        """Return an inertia about the inner body's origin, in its frame."""
        for stage in self._back:
            inertia = inertia.turned(stage)
        return inertia.about(self.arm)
