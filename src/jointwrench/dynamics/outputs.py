"""The arrays that go into and come out of a derivation: groups of inputs, and outputs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from sympy import Expr

from ..arithmetic.graph import Scalar, replaced
from ..arithmetic.program import Group, Output
from ..arithmetic.vectors import Mat, Vec
from ..mechanism.tree import Link
from .constraint_wrenches import constraint_part
from .derivation import Derivation
from .mass_matrix import mass_matrix
from .rigid_body import BodyWrench

#: What the groups of inputs hold, by the names of the arguments that give their values.
TITLES = {
    "q": "generalized coordinates",
    "u": "generalized speeds",
    "udot": "time derivatives of the generalized speeds",
    "constants": "constants",
    "specifieds": "specified quantities",
    "times": "time",
}


def input_groups(symbols: Mapping[str, Iterable[Expr]]) -> tuple[Group, ...]:
    """Return all groups of inputs in their order; those that are not given are empty."""
    return tuple(
        Group(
            name, title, tuple(symbols.get(name, ())), "call" if name == "constants" else "sample"
        )
        for name, title in TITLES.items()
    )


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
    return force_output([derivation.forces[speed] for speed in derivation.tree.speeds])


def force_output(forces: Sequence[Scalar]) -> Output:
    """Return generalized forces, in the order of the speeds, as an output."""
    labels = [f"generalized force {k}" for k in range(len(forces))]
    return Output.from_scalars(
        "generalized_forces", (len(forces),), forces, "generalized forces", labels
    )


def _joint_wrenches(derivation: Derivation) -> Output:
    return _wrench_output(
        "joint_wrenches", "joint wrenches (force, moment)", _on_children(derivation)
    )


def _constraint_wrenches(derivation: Derivation) -> Output:
    pairs = zip(derivation.tree.joint_links, _on_children(derivation), strict=True)
    parts = [
        constraint_part(derivation.graph, _towards_child(link), wrench) for link, wrench in pairs
    ]
    return _wrench_output(
        "constraint_wrenches", "wrenches of the joints' constraints (force, moment)", parts
    )


def _solved_loads(derivation: Derivation) -> Output:
    values = list(derivation.solved.values())
    labels = [f"solved load {k}" for k in range(len(values))]
    return Output.from_scalars("solved_loads", (len(values),), values, "solved loads", labels)


def _mass_matrix(derivation: Derivation) -> Output:
    rows = mass_matrix(derivation.scalars)
    entries = [entry for row in rows for entry in row]
    return Output.from_scalars("mass_matrix", (len(rows), len(rows)), entries, "mass matrix")


def _bias(derivation: Derivation) -> Output:
    """Return the generalized forces without accelerations of the speeds."""
    tree, zero = derivation.tree, derivation.graph.scalar(0)
    forces = [derivation.forces[speed] for speed in tree.speeds]
    still = replaced(forces, dict.fromkeys(tree.accelerations, zero))
    title = "generalized forces without accelerations"
    return Output.from_scalars("bias", (len(still),), still, title)


OUTPUTS: dict[str, Callable[[Derivation], Output]] = {
    "generalized_forces": _generalized_forces,
    "joint_wrenches": _joint_wrenches,
    "constraint_wrenches": _constraint_wrenches,
    "solved_loads": _solved_loads,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
}


def _wrench_output(name: str, title: str, wrenches: Sequence[BodyWrench]) -> Output:
    scalars = [scalar for wrench in wrenches for scalar in wrench.scalars]
    labels = [
        f"joint {k}, {vector} {axis}"
        for k in range(len(wrenches))
        for vector in ("force", "moment")
        for axis in "xyz"
    ]
    return Output.from_scalars(name, (len(wrenches), 6), scalars, title, labels)


def _on_children(derivation: Derivation) -> list[BodyWrench]:
    """Return the wrenches on the children of the System's joints, about the child points."""
    tree = derivation.tree
    indices = [tree.index_of_joint[joint] for joint in tree.joints]
    return [on_child(derivation, index, derivation.joint_wrenches[index]) for index in indices]


def _towards_child(link: Link) -> Link:
    """Return a link whose motion is that of its joint's child relative to the parent."""
    return link if link.child_motion is None else replace(link, motion=link.child_motion)


def on_child(derivation: Derivation, index: int, wrench: BodyWrench) -> BodyWrench:
    """Return a wrench on a link as one on its joint's child, about the child point."""
    link, graph = derivation.tree.links[index], derivation.graph
    if not link.is_reversed:
        return wrench.about(Vec.enter(graph, link.wrench_point))
    transform = derivation.scalars.transforms[index]
    on_inner = -transform.wrench_inward(wrench, transform.offset)
    to_child = Mat.enter(graph, derivation.tree.rotation_to_child(link))
    return BodyWrench(to_child @ on_inner.force, to_child @ on_inner.moment)
