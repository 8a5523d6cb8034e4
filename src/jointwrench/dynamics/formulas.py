"""What a derivation says, as sympy Wrenches: formulas for people who want to read them."""

from collections.abc import Iterable
from typing import Any

from sympy.physics.vector import Point, ReferenceFrame

from ..arithmetic.program import Output
from ..arithmetic.vectors import Vec
from ..checks.arguments import Body
from ..observer import ObserverFrame
from ..wrench import Wrench
from .contributions import motion_parts, observed_parts, supplied_parts
from .derivation import Derivation
from .outputs import on_child
from .rigid_body import BodyWrench


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
    return _formula(derivation, body.masscenter, link.frame, wrench)


def contribution_formulas(
    derivation: Derivation, joint: Any, observer: ObserverFrame | None
) -> dict[str, Wrench]:
    """Return where the wrench of a joint comes from; the parts sum to it."""
    index = derivation.tree.index_of_joint[joint]
    supplied = list(supplied_parts(derivation, index))
    if observer is None:
        motion = motion_parts(derivation, index)
        return _on_child(derivation, index, supplied[:1] + motion + supplied[1:])
    parts = _on_child(derivation, index, supplied)
    seen = observed_parts(derivation, index, observer)
    return {"gravity": parts.pop("gravity"), **seen, **parts}


def _on_child(
    derivation: Derivation, index: int, parts: Iterable[tuple[str, BodyWrench]]
) -> dict[str, Wrench]:
    """Return wrenches on a joint's link as Wrenches on its child, by unique names."""
    link = derivation.tree.links[index]
    wrenches: dict[str, Wrench] = {}
    for name, part in parts:
        count = sum(known.split(" #")[0] == name for known in wrenches)
        unique = f"{name} #{count + 1}" if count else name
        wrench = on_child(derivation, index, part)
        place = link.joint.child_point, link.child_frame
        wrenches[unique] = _formula(derivation, *place, wrench)
    return wrenches


def _formula(
    derivation: Derivation, point: Point, frame: ReferenceFrame, wrench: BodyWrench
) -> Wrench:
    refs = [scalar.ref for scalar in wrench.scalars]
    return Wrench.from_matrix(derivation.graph.to_sympy(refs), frame, point)
