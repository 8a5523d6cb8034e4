"""Joint wrenches about any point and in any frame, as scalars and as formulas."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sympy import Expr
from sympy.physics.vector import Point, ReferenceFrame

from ...arithmetic.graph import Scalar
from ...arithmetic.vectors import Mat, Vec
from ...mechanism.tree import Tree
from ...spatial.wrench import Wrench
from ..derivation import Derivation
from ..recursion.rigid_body import BodyWrench
from .wrench_outputs import Parts, joint_wrench_parts


class JointWrenchScalars(NamedTuple):
    """The components of a joint wrench, with their frame and the point of the moment."""

    scalars: list[Scalar]
    frame: ReferenceFrame
    point: Point

    def wrench(self, components: Iterable[Expr]) -> Wrench:
        """Return the Wrench that has these components."""
        return Wrench.from_matrix(list(components), self.frame, self.point)


def joint_wrench_scalars(
    derivation: Derivation,
    number: int,
    about: Point | str | None = None,
    frame: ReferenceFrame | str | None = None,
    parts: Callable[[Derivation], Parts] = joint_wrench_parts,
) -> JointWrenchScalars:
    """Return the wrench of the joint with an index, about a point, in a frame.

    ``parts`` makes the wrenches of all joints.  The wrench is rotated before NaN replaces
    undetermined components, so components that are determined in the requested frame are kept.
    Points and frames are as they were when the model was read.
    """
    both = (wrenches[number] for wrenches in parts(derivation))
    values, changes = (_transfer(derivation, own, number, about, frame) for own in both)
    return values._replace(scalars=derivation.nan_if_undetermined(values.scalars, changes.scalars))


def undetermined_components(
    derivation: Derivation,
    number: int,
    about: Point | str | None,
    frame: ReferenceFrame | str | None,
) -> list[bool]:
    """Return a list of bool, true for the undetermined components of a joint wrench.

    The components are about a point and in a frame; ``number`` is the index of the joint.
    """
    _, changes = joint_wrench_parts(derivation)
    found = _transfer(derivation, changes[number], number, about, frame)
    return derivation.supply.changes(found.scalars)


def _transfer(
    derivation: Derivation,
    wrench: BodyWrench,
    number: int,
    about: Point | str | None,
    frame: ReferenceFrame | str | None,
) -> JointWrenchScalars:
    """Return a wrench on the child of a joint about another point, in another frame."""
    tree, graph = derivation.tree, derivation.graph
    own, joint = tree.wrench_frames[number], tree.all_joints[number]
    target, point = tree.geometry.wrench_frame(frame, joint, own), joint.child_point
    place = point if about is None else tree.geometry.point(about)
    halves = (express_in(tree, half, own, target) for half in (wrench.force, wrench.moment))
    wrench = BodyWrench(*halves)
    for step in tree.geometry.steps(place, point).values():
        for components, source in step.args:
            wrench = wrench.about(express_in(tree, Vec.enter(graph, components), source, target))
    return JointWrenchScalars(wrench.scalars, target, place)


def express_in(tree: Tree, vector: Vec, source: ReferenceFrame, target: ReferenceFrame) -> Vec:
    """Return the components of a vector in another frame, rotated from frame to frame."""
    for stage in reversed(tree.geometry.stages(target, source).values()):
        vector = Mat.enter(vector.x.graph, stage) @ vector
    return vector
