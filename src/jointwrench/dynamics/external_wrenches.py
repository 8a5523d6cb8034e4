"""Known loads as wrenches on links, in the scalars of a graph."""

from sympy.matrices import MatrixBase
from sympy.physics.vector import ReferenceFrame, Vector

from ..arithmetic.graph import Graph
from ..arithmetic.vectors import Mat, Vec, vector_sum, zero
from ..mechanism.reading.loads import AppliedLoad, Loads
from ..mechanism.reading.owners import LinkIndex, Owners
from ..mechanism.tree import Tree
from .newton_euler import BodyWrench, transforms


class Expresser:
    """Expresses sympy vectors in the frame of a link, from joint to joint.

    Going from joint to joint shares all rotations with the recursion and never
    multiplies the direction cosine matrices of a whole chain.
    """

    def __init__(self, graph: Graph, tree: Tree, owners: Owners) -> None:
        self._graph = graph
        self._tree = tree
        self._transforms = transforms(graph, tree)
        self._holders: dict[ReferenceFrame, tuple[LinkIndex, MatrixBase]] = {}
        for index in (None, *range(len(tree.links))):
            fixed = tree.frame_of(index)
            for frame in owners.frames_of(index):
                self._holders[frame] = (index, fixed.dcm(frame))

    def express(self, vector: Vector, link: LinkIndex) -> Vec:
        """Return the components of a vector in the frame of a link (None: of ground)."""
        parts = [
            self._rotate(self._enter(components, frame), self._holder(frame)[0], link)
            for components, frame in vector.args
        ]
        return vector_sum(parts) if parts else zero(self._graph)

    def wrench(self, load: AppliedLoad) -> BodyWrench:
        """Return a load as a wrench on its link, about the link's origin."""
        vector = self.express(load.vector, load.link)
        if load.position is None:
            return BodyWrench(zero(self._graph), vector)
        return BodyWrench(vector, Vec.enter(self._graph, load.position).cross(vector))

    def _enter(self, components: MatrixBase, frame: ReferenceFrame) -> Vec:
        rotation = Mat.enter(self._graph, self._holder(frame)[1])
        return rotation @ Vec.enter(self._graph, components)

    def _holder(self, frame: ReferenceFrame) -> tuple[LinkIndex, MatrixBase]:
        """Return the link in which a frame is fixed, and the rotation to its frame.

        Frames of no body count as frames that move relative to ground.
        """
        if frame not in self._holders:
            inertial = self._tree.frame
            try:
                rotation = inertial.dcm(frame)
            except ValueError as error:
                raise ValueError(
                    f"`system` has a load with components in the frame {frame}, which is not "
                    f"connected with {inertial}. Orient it in a frame of the system."
                ) from error
            self._holders[frame] = (None, rotation)
        return self._holders[frame]

    def _rotate(self, vector: Vec, start: LinkIndex, end: LinkIndex) -> Vec:
        down, up = self._to_ground(start), self._to_ground(end)
        while down and up and down[-1] == up[-1]:
            down.pop()
            up.pop()
        for index in down:
            vector = self._transforms[index].inward(vector)
        for index in reversed(up):
            vector = self._transforms[index].outward(vector)
        return vector

    def _to_ground(self, index: LinkIndex) -> list[int]:
        """Return the links from one to ground, itself first."""
        path = []
        while index is not None:
            path.append(index)
            index = self._tree.links[index].inner
        return path


def external_wrenches(expresser: Expresser, loads: Loads) -> dict[int, BodyWrench]:
    """Return the sum of the known loads on each link that has any, about its origin."""
    wrenches: dict[int, BodyWrench] = {}
    for load in loads.applied:
        wrench = expresser.wrench(load)
        before = wrenches.get(load.link)
        wrenches[load.link] = wrench if before is None else before + wrench
    return wrenches
