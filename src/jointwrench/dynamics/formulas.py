"""What a derivation says, as sympy Wrenches: formulas for people who want to read them."""

from collections.abc import Iterable
from typing import Any

from ..arithmetic.program import Output
from ..arithmetic.vectors import Vec
from ..checks.arguments import Body
from ..observer import ObserverFrame
from ..wrench import Wrench
from .contributions import Contribution, motion_parts, observed_parts, supplied_parts
from .derivation import Derivation
from .outputs import check_places, on_child


def joint_formula(derivation: Derivation, output: Output, number: int) -> Wrench:
    """Return the wrench of a joint by its number, from an output that holds six entries a joint."""
    tree = derivation.tree
    refs = output.refs[6 * number : 6 * number + 6]
    components = derivation.graph.to_sympy(refs)
    point = tree.all_joints[number].child_point
    return Wrench.from_matrix(components, tree.wrench_frames[number], point)


def dynamic_formula(derivation: Derivation, body: Body) -> Wrench:
    """Return the rate of change of a body's momentum, about its mass centre."""
    index = derivation.tree.index_of_body[body]
    if index is None:
        return Wrench(body.masscenter)
    link = derivation.tree.links[index]
    center = Vec.enter(derivation.graph, link.masscenter)
    wrench = derivation.net_wrenches[index].about(center)
    components = derivation.graph.to_sympy([scalar.ref for scalar in wrench.scalars])
    return Wrench.from_matrix(components, link.frame, body.masscenter)


def contribution_formulas(
    derivation: Derivation, joint: Any, observer: ObserverFrame | None
) -> dict[str, Wrench]:
    """Return where the wrench of a joint comes from; the parts sum to it."""
    check_places(derivation)
    index = derivation.tree.index_of_joint[joint]
    supplied = list(supplied_parts(derivation, index))
    if observer is None:
        motion = motion_parts(derivation, index)
        return _on_child(derivation, index, supplied[:1] + motion + supplied[1:])
    parts = _on_child(derivation, index, supplied)
    seen = observed_parts(derivation, index, observer)
    return {"gravity": parts.pop("gravity"), **seen, **parts}


def _on_child(
    derivation: Derivation, index: int, parts: Iterable[Contribution]
) -> dict[str, Wrench]:
    """Return wrenches on a joint's link as Wrenches on its child, by unique names."""
    link = derivation.tree.links[index]
    wrenches: dict[str, Wrench] = {}
    for name, part, added in parts:
        count = sum(known.split(" #")[0] == name for known in wrenches)
        unique = f"{name} #{count + 1}" if count else name
        both = (on_child(derivation, index, x).scalars for x in (part, added))
        refs = [scalar.ref for scalar in derivation.shown(*both)]
        wrenches[unique] = Wrench.from_matrix(
            derivation.graph.to_sympy(refs), link.child_frame, link.joint.child_point
        )
    return wrenches
