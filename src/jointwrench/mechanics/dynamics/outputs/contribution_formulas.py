"""The contributions to a joint wrench, and the rate of change of momentum, as formulas."""

from collections.abc import Iterable
from typing import Any

from ...arithmetic.vectors import Vec
from ...spatial.observer import ObserverFrame
from ...spatial.wrench import Wrench
from ...sympy_objects import Body
from ..derivation import Derivation
from .contributions import Contribution, motion_parts, observed_parts, supplied_parts
from .wrench_outputs import check_locations, wrench_on_child


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
    """Return the contributions to a joint wrench by name; they sum to the joint wrench."""
    check_locations(derivation)
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
    """Return contributions on a link as Wrenches on the joint's child, by unique names."""
    link = derivation.tree.links[index]
    wrenches: dict[str, Wrench] = {}
    for name, part, added in parts:
        count = sum(known.split(" #")[0] == name for known in wrenches)
        unique = f"{name} #{count + 1}" if count else name
        both = (wrench_on_child(derivation, index, x).scalars for x in (part, added))
        refs = [scalar.ref for scalar in derivation.nan_if_undetermined(*both)]
        wrenches[unique] = Wrench.from_matrix(
            derivation.graph.to_sympy(refs), link.child_frame, link.joint.child_point
        )
    return wrenches
