"""Joint wrenches on the children of joints, from the wrenches on links."""

from collections.abc import Sequence
from itertools import product

from ...arithmetic.graph import Scalar
from ...arithmetic.output import Output
from ...arithmetic.vectors import Mat, Vec
from ...mechanism.deduced_structure import DeducedLoops, check_deduced
from ...mechanism.loop_closures import LoopClosure
from ..derivation import Derivation
from ..recursion.rigid_body import BodyWrench

#: Wrenches on all children, and their undetermined parts.
Parts = tuple[list[BodyWrench], list[BodyWrench]]


def joint_wrenches_output(derivation: Derivation) -> Output:
    """Return all joint wrenches, shape (joints, 6), each on its child in the child's frame."""
    parts = joint_wrench_parts(derivation)
    return wrench_output(derivation, "joint_wrenches", "joint wrenches (force, moment)", parts)


def joint_wrench_parts(derivation: Derivation) -> Parts:
    """Return the joint wrenches on all children, and their undetermined parts."""
    check_locations(derivation)
    supply = derivation.supply
    found = wrenches_on_children(derivation, derivation.joint_wrenches, supply.solution.values)
    for load in derivation.law_loads:  # wrenches of the tree's joints include them already
        if not load.is_in_tree:
            k = derivation.tree.all_joints.index(load.joint)
            found[k] = found[k] + load.on_child * load.value
    return found, wrenches_on_children(derivation, supply.open_wrenches, supply.open_values)


def wrench_output(
    derivation: Derivation, name: str, title: str, parts: Parts, place: str = "joint"
) -> Output:
    """Return wrenches as an output (count, 6), with NaN in undetermined components.

    ``parts`` are the wrenches and their undetermined parts.
    """
    values, added = ([x for y in some for x in y.scalars] for some in parts)
    wrenches = parts[0]
    components = product(range(len(wrenches)), ("force", "moment"), "xyz")
    labels = [f"{place} {k}, {vector} {axis}" for k, vector, axis in components]
    entries = derivation.nan_if_undetermined(values, added)
    return Output.from_scalars(name, (len(wrenches), 6), entries, title, labels, 1)


def check_locations(derivation: Derivation) -> None:
    """Raise an error if it is unknown where constraints or loads act on bodies."""
    if not derivation.is_placed:
        closed = derivation.tree.deduced.closed if derivation.tree.deduced else DeducedLoops()
        doubts = "".join(f"\n- {doubt}" for doubt in closed.doubts)
        raise ValueError(
            "`loops` must say where the model's constraint forces act, since joint wrenches "
            f"depend on it{':' if doubts else '.'}{doubts}{chr(10) if doubts else ' '}"
            f"Use InverseDynamics(..., loops=[{', '.join((*closed.written, '...'))}]) with a "
            "LoopJoint(name, parent, child, kind, parent_point, child_point) for a closed loop, a "
            "Contact(name, parent, child, point, directions) for a wheel, a skate or the teeth of "
            "two gears; leave out the constraint of a belt or cable, apply its tension as loads, "
            "and use solve_for=[tension]; or ask for generalized_forces and multipliers alone."
        )
    if derivation.tree.deduced:
        check_deduced(derivation.tree.deduced)
    if doubtful := derivation.loads.doubtful:
        listed = "; ".join(f"{place}: {' or '.join(who)}" for place, who in doubtful.items())
        owners = ", ".join(f"{place}: {who[-1]}" for place, who in doubtful.items())
        raise ValueError(
            "`owners` must say on which body the loads on these act, since joint wrenches depend "
            f"on it: {listed}. Use InverseDynamics(..., owners={{{owners}}}) with "
            f"{derivation.tree.frame} for ground, or ask for generalized_forces alone."
        )


def wrenches_on_children(
    derivation: Derivation, wrenches: Sequence[BodyWrench], values: Sequence[Scalar]
) -> list[BodyWrench]:
    """Return the wrenches on all children, from the wrenches on links and values of unknowns."""
    tree = derivation.tree
    indices = [tree.index_of_joint[joint] for joint in tree.joints]
    found = [wrench_on_child(derivation, index, wrenches[index]) for index in indices]
    return found + [closing_wrench(derivation, x, values) for x in derivation.closings]


def closing_wrench(
    derivation: Derivation, closing: LoopClosure, values: Sequence[Scalar]
) -> BodyWrench:
    """Return the wrench of a loop joint on its child, about the child point."""
    from ..loops.constraint_errors import unit_wrench_on_child

    own = derivation.supply.belonging_to(closing, values)
    result = BodyWrench.zero(derivation.graph)
    for unit, value in zip(unit_wrench_on_child(derivation.scalars, closing), own, strict=True):
        result = result + unit * value
    return result


def wrench_on_child(derivation: Derivation, index: int, wrench: BodyWrench) -> BodyWrench:
    """Return the wrench of a joint on its child about the child point, from that on its link."""
    link, graph = derivation.tree.links[index], derivation.graph
    if not link.is_reversed:
        return wrench.about(Vec.enter(graph, link.wrench_point))
    transform = derivation.scalars.transforms[index]
    on_inner = -transform.wrench_inward(wrench, transform.offset)
    to_child = Mat.enter(graph, derivation.tree.rotation_to_child(link))
    return BodyWrench(to_child @ on_inner.force, to_child @ on_inner.moment)
