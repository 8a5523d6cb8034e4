"""The parts of joint wrenches that constraints supply."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...arithmetic.graph import Scalar
from ...arithmetic.output import Output
from ...mechanism.tree import Link
from ..constraint_wrenches import constraint_part
from ..derivation import Derivation
from ..recursion.rigid_body import BodyWrench
from .wrench_outputs import (
    Parts,
    check_locations,
    closing_wrench,
    wrench_on_child,
    wrench_output,
    wrenches_on_children,
)


def constraint_wrenches_output(derivation: Derivation) -> Output:
    title = "wrenches of the joints' constraints (force, moment)"
    parts = constraint_wrench_parts(derivation)
    return wrench_output(derivation, "constraint_wrenches", title, *parts)


def constraint_wrench_parts(derivation: Derivation) -> Parts:
    """Return the constraint wrenches on all children, and their undetermined parts."""
    check_locations(derivation)
    supply = derivation.supply
    found = _constraint_parts(derivation, derivation.joint_wrenches, supply.solution.values)
    return found, _constraint_parts(derivation, supply.open_wrenches, supply.open_values)


def _constraint_parts(
    derivation: Derivation, wrenches: Sequence[BodyWrench], values: Sequence[Scalar]
) -> list[BodyWrench]:
    """Return the constraint wrenches on all children, from wrenches on links and unknowns."""
    tree = derivation.tree
    found = wrenches_on_children(derivation, wrenches, values)
    pairs = zip(tree.joint_links, found[: len(tree.joints)], strict=True)
    parts = [_constraint_part(derivation, link, wrench) for link, wrench in pairs]
    return parts + found[len(tree.joints) :]  # loop joints transmit only constraint forces


def _constraint_part(derivation: Derivation, link: Link, wrench: BodyWrench) -> BodyWrench:
    """Return the constraint part of a joint's wrench on its child."""
    towards_child = replace(link, motion=link.child_motion or link.motion)
    return constraint_part(derivation.graph, towards_child, wrench)


def bearing_wrench(derivation: Derivation, joint: Any, is_open: bool = False) -> BodyWrench:
    """Return a joint's constraint wrench on its child, or its undetermined part."""
    supply = derivation.supply
    wrenches, values = derivation.joint_wrenches, supply.solution.values
    if is_open:
        wrenches, values = supply.open_wrenches, supply.open_values
    for closing in derivation.closings:
        if closing.joint is joint:
            return closing_wrench(derivation, closing, values)
    index = derivation.tree.index_of_joint[joint]
    wrench = wrench_on_child(derivation, index, wrenches[index])
    return _constraint_part(derivation, derivation.tree.links[index], wrench)
