"""The arrays that can be computed from a derivation."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..arithmetic.graph import replaced
from ..arithmetic.program import Output
from ..arithmetic.vectors import Mat, Vec
from ..mechanism.relative_motion import relative_motion
from ..mechanism.side import Side
from ..mechanism.tree import Link, Tree
from .constraint_wrenches import constraint_part
from .derivation import Derivation
from .mass_matrix import mass_matrix
from .rigid_body import BodyWrench


def make_output(derivation: Derivation, name: str) -> Output:
    """Return an output by its name.

    Raises
    ======

    ValueError
        If the name is not among `OUTPUTS`.
    """
    if name not in OUTPUTS:
        raise ValueError(f"`outputs` must be among {', '.join(OUTPUTS)}, got {name!r}.")
    return OUTPUTS[name](derivation)


def _generalized_forces(derivation: Derivation) -> Output:
    forces = [derivation.forces[speed] for speed in derivation.tree.speeds]
    return Output.from_scalars("generalized_forces", (len(forces),), forces)


def _joint_wrenches(derivation: Derivation) -> Output:
    return _wrench_output("joint_wrenches", _on_children(derivation))


def _constraint_wrenches(derivation: Derivation) -> Output:
    tree = derivation.tree
    links = [tree.links[tree.index_of_joint[joint]] for joint in tree.joints]
    pairs = zip(links, _on_children(derivation), strict=True)
    parts = [
        constraint_part(derivation.graph, _towards_child(tree, link), wrench)
        for link, wrench in pairs
    ]
    return _wrench_output("constraint_wrenches", parts)


def _solved_loads(derivation: Derivation) -> Output:
    values = list(derivation.solved.values())
    return Output.from_scalars("solved_loads", (len(values),), values)


def _mass_matrix(derivation: Derivation) -> Output:
    rows = mass_matrix(derivation.scalars)
    entries = [entry for row in rows for entry in row]
    return Output.from_scalars("mass_matrix", (len(rows), len(rows)), entries)


def _bias(derivation: Derivation) -> Output:
    """Return the generalized forces without accelerations of the speeds."""
    tree, zero = derivation.tree, derivation.graph.scalar(0)
    forces = [derivation.forces[speed] for speed in tree.speeds]
    still = replaced(forces, dict.fromkeys(tree.accelerations, zero))
    return Output.from_scalars("bias", (len(still),), still)


OUTPUTS: dict[str, Callable[[Derivation], Output]] = {
    "generalized_forces": _generalized_forces,
    "joint_wrenches": _joint_wrenches,
    "constraint_wrenches": _constraint_wrenches,
    "solved_loads": _solved_loads,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
}


def _wrench_output(name: str, wrenches: Sequence[BodyWrench]) -> Output:
    scalars = [scalar for wrench in wrenches for scalar in wrench.scalars]
    return Output.from_scalars(name, (len(wrenches), 6), scalars)


def _on_children(derivation: Derivation) -> list[BodyWrench]:
    """Return the wrenches on the children of the System's joints, about the child points."""
    tree = derivation.tree
    indices = [tree.index_of_joint[joint] for joint in tree.joints]
    return [on_child(derivation, index, derivation.joint_wrenches[index]) for index in indices]


def _towards_child(tree: Tree, link: Link) -> Link:
    """Return a link whose motion is that of its joint's child relative to the parent."""
    if not link.is_reversed:
        return link
    joint = link.joint
    motion = relative_motion(joint, Side.parent(joint), Side.child(joint), tree.derivative)
    return replace(link, motion=motion)


def on_child(derivation: Derivation, index: int, wrench: BodyWrench) -> BodyWrench:
    """Return a wrench on a link as one on its joint's child, about the child point."""
    link, graph = derivation.tree.links[index], derivation.graph
    if not link.is_reversed:
        return wrench.about(Vec.enter(graph, link.wrench_point))
    transform = derivation.scalars.transforms[index]
    on_inner = -transform.wrench_inward(wrench, transform.offset)
    to_child = Mat.enter(graph, derivation.tree.rotation_to_child(link))
    return BodyWrench(to_child @ on_inner.force, to_child @ on_inner.moment)
