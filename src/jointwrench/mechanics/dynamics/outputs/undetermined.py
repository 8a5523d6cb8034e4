"""The forces that the motion does not determine."""

from collections.abc import Sequence
from typing import Any

from ....records.wrench_components import COMPONENTS
from ...arithmetic.graph import Scalar
from ..derivation import Derivation
from .wrench_outputs import wrenches_on_children


def undetermined(derivation: Derivation) -> dict[Any, tuple[str, ...]]:
    """Return the names of undetermined components by joint, loop joint, speed and load."""
    supply, tree = derivation.supply, derivation.tree
    names: dict[Any, Sequence[str]] = dict.fromkeys(tree.all_joints, COMPONENTS)
    changes: list[Sequence[Scalar]] = []
    if not derivation.is_placed:
        names = {}
    else:
        wrenches = wrenches_on_children(derivation, supply.open_wrenches, supply.open_values)
        changes = [wrench.scalars for wrench in wrenches]
    for source in (*tree.speeds, *derivation.request.solve_for):
        if values := supply.open_of(source):
            names[source] = ("value",)
            changes.append(values)
    open_ = {
        source: tuple(name for name, is_open in zip(own, supply.changes(x), strict=True) if is_open)
        for (source, own), x in zip(names.items(), changes, strict=True)
    }
    return {source: components for source, components in open_.items() if components}
