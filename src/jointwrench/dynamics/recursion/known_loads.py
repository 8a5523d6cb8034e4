"""Known loads as wrenches on links, in the scalars of a graph."""

from ...arithmetic.vectors import Vec, zero
from ...mechanism.loads import AppliedLoad, Loads
from .rigid_body import BodyWrench
from .scalar_tree import ScalarTree


def load_wrench(tree: ScalarTree, load: AppliedLoad) -> BodyWrench:
    """Return a load as a wrench on its link, about the link's origin."""
    vector = tree.express(load.parts, load.link)
    if load.position is None:
        return BodyWrench(zero(tree.graph), vector)
    return BodyWrench(vector, Vec.enter(tree.graph, load.position).cross(vector))


def external_wrenches(tree: ScalarTree, loads: Loads) -> dict[int, BodyWrench]:
    """Return the sum of the known loads on each link that has any, about its origin."""
    wrenches: dict[int, BodyWrench] = {}
    for load in loads.applied:
        wrench = load_wrench(tree, load)
        before = wrenches.get(load.link)
        wrenches[load.link] = wrench if before is None else before + wrench
    return wrenches
