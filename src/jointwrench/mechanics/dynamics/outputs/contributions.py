"""The contributions to a joint wrench, the terms of one body's balance: outputs and formulas."""

from collections.abc import Iterable, Iterator
from types import NoneType
from typing import Any

from sympy import Derivative
from sympy.physics.vector import Point

from ....checks.arguments import check_instance
from ...arithmetic.output import Output
from ...arithmetic.vectors import Vec
from ...mechanism.loads import AppliedLoad, Loads
from ...spatial.observer import ObserverFrame
from ...spatial.wrench import Wrench
from ...sympy_objects import Body, check_time
from ..derivation import Derivation
from ..recursion.rigid_body import BodyWrench, with_values
from ..recursion.scalar_tree import load_wrench
from .wrench_outputs import check_locations, wrench_on_child

#: The name of a contribution, its wrench, and the part of it due to undetermined forces.
Contribution = tuple[str, BodyWrench, BodyWrench]


def check_observer(observer: Any) -> None:
    check_instance("observer", observer, (ObserverFrame, NoneType), "an ObserverFrame")


def supplied_parts(derivation: Derivation, index: int) -> Iterator[Contribution]:
    """Yield the contributions to a link's joint wrench that do not depend on the link's motion.

    Each is a wrench on the link about its origin that balances the weight, a known load, an outer
    joint, a welded body or a loop joint.
    """
    nothing = BodyWrench.zero(derivation.graph)
    tree, inertia = derivation.scalars, derivation.scalars.inertias[index]
    gravity = tree.express(derivation.loads.gravity_parts, index)
    weight = BodyWrench(gravity * inertia.mass, inertia.first_moment.cross(gravity))
    yield "gravity", -weight, nothing
    for _, name, wrench, added in attached_parts(derivation, index):
        yield name, wrench, added


def attached_parts(
    derivation: Derivation, index: int
) -> Iterator[tuple[Any, str, BodyWrench, BodyWrench]]:
    """Yield the wrenches that balance loads and outer joints of a link: (source, name, wrench,
    part).

    The last entry is the part due to undetermined forces.
    """
    tree = derivation.scalars
    of_laws = {load.symbol: load.value for load in derivation.law_loads}
    for load in derivation.loads.applied:
        if load.link == index:
            place, added = load.source.location, _added_to(derivation, load)
            wrench = load_wrench(tree, load)
            if of_laws:  # solved loads depend on them
                (wrench,) = with_values([wrench], of_laws)
            yield place, f"load on {place}", -wrench, -added
    for outer, link in enumerate(derivation.tree.links):
        if link.inner == index:
            transform = tree.transforms[outer]
            both = derivation.joint_wrenches[outer], derivation.supply.open_wrenches[outer]
            wrench, added = (transform.wrench_inward(x, transform.arm) for x in both)
            name = f"body {link.body}" if link.joint is None else f"joint {link.joint.name}"
            yield link.joint or link.body, name, wrench, added
    for closing in derivation.closings:
        if index in (closing.parent, closing.child):
            supply = derivation.supply
            wrench = supply.on_link(index, closing, supply.solution.values)
            added = supply.on_link(index, closing, supply.open_values)
            for own in derivation.law_loads:
                if own.joint is closing.joint:
                    wrench = wrench + own.unknown.wrenches[index] * own.value
            yield closing.joint, f"joint {closing.joint.name}", -wrench, -added


#: The contributions that every joint wrench has, with the first words of the names of their terms.
PARTS = {
    "gravity": ("gravity",),
    "acceleration": ("acceleration",),
    "velocity": ("velocity",),
    "loads": ("load",),
    "joints": ("joint", "body"),
}


def summed_parts(
    derivation: Derivation, parts: Iterable[Contribution], groups: Iterable[tuple[str, ...]]
) -> list[tuple[BodyWrench, BodyWrench]]:
    """Return the sum of the contributions that begin with the words of each group of words.

    The second entry of each is its undetermined part.
    """
    found, nothing, sums = list(parts), BodyWrench.zero(derivation.graph), []
    for words in groups:
        own = [(wrench, added) for name, wrench, added in found if name.split()[0] in words]
        sums.append((sum((x for x, _ in own), nothing), sum((x for _, x in own), nothing)))
    return sums


def contributions_output(derivation: Derivation) -> Output:
    """Return the contributions to all joint wrenches of the tree, shape (joints, 5, 6)."""
    check_locations(derivation)
    tree, values, added = derivation.tree, [], []
    for joint in tree.joints:
        index = tree.index_of_joint[joint]
        found = [*supplied_parts(derivation, index), *motion_parts(derivation, index)]
        for part, change in summed_parts(derivation, found, PARTS.values()):
            values.extend(wrench_on_child(derivation, index, part).scalars)
            added.extend(wrench_on_child(derivation, index, change).scalars)
    shape = (len(tree.joints), len(PARTS), 6)
    title = f"parts of the joint wrenches ({', '.join(PARTS)})"
    entries = derivation.nan_if_undetermined(values, added)
    return Output.from_scalars("contributions", shape, entries, title, mass_dimension=1)


def _added_to(derivation: Derivation, load: AppliedLoad) -> BodyWrench:
    """Return the part of a load that undetermined symbols add."""
    added = BodyWrench.zero(derivation.graph)
    for symbol in load.symbols.intersection(derivation.request.solve_for):
        value = derivation.supply.open_of(symbol)[0]
        for unit in Loads((load,)).per_unit(symbol).applied:
            added = added + load_wrench(derivation.scalars, unit) * value
    return added


def motion_parts(derivation: Derivation, index: int) -> list[Contribution]:
    """Return the contributions of accelerations and of velocities to a link's net wrench."""
    net, zero, tree = derivation.net_wrenches[index], derivation.graph.scalar(0), derivation.tree
    prescribed = [x for x in derivation.symbols if isinstance(x, Derivative)]
    fast = [x for x in prescribed if x.derivative_count > 1]
    standing = dict.fromkeys([*tree.speeds, *(x for x in prescribed if x not in fast)], zero)
    (velocity,) = with_values([net], dict.fromkeys([*tree.accelerations, *fast], zero))
    # a remainder is left if speeds are not homogeneous in the coordinates' rates
    rest, accelerated = with_values([velocity, net], standing)
    nothing = BodyWrench.zero(derivation.graph)
    return [("acceleration", accelerated - rest, nothing), ("velocity", velocity, nothing)]


def observed_parts(
    derivation: Derivation, index: int, observer: ObserverFrame
) -> dict[str, Wrench]:
    """Return the contributions to a joint wrench on its child, relative to an observer."""
    link = derivation.tree.links[index]
    found = observed_wrenches(derivation, index, observer, link.joint.child_point)
    return {name: -part if link.is_reversed else part for name, part in found.items()}


def observed_wrenches(
    derivation: Derivation, index: int, observer: ObserverFrame, point: Point
) -> dict[str, Wrench]:
    """Return the wrenches that change a link's momentum relative to an observer, by name.

    They are about ``point``: the observed rate of momentum, and minus the fictitious wrenches.
    """
    tree = derivation.tree
    check_time("observer", tree.time, tree.coordinates)
    body = tree.links[index].body
    fictitious = observer.fictitious_wrenches(body)
    parts = {
        "observed": observer.dynamic_wrench(body),
        "d'Alembert": -fictitious.dalembert,
        "Euler": -fictitious.euler,
        "centrifugal": -fictitious.centrifugal,
        "Coriolis": -fictitious.coriolis,
    }
    of_states = tree.derivative.of_states
    return {name: of_states(part.about(point)) for name, part in parts.items()}


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
