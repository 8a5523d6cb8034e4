"""The groups of inputs and the outputs of inverse dynamics."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sympy import Expr

from ....records.laboratory import COMPONENTS
from ...arithmetic.graph import Scalar, replaced, total
from ...arithmetic.groups import Group
from ...arithmetic.program import Output
from ...arithmetic.vectors import Mat, Vec
from ...mechanism.closing import Closing
from ...mechanism.tree import Link
from ..constraint_wrenches import constraint_part
from ..derivation import Derivation
from ..loops.constraint_errors import unit_wrench_on_child
from ..recursion.rigid_body import BodyWrench
from ..regrouping import regroup
from .contributions import PARTS, grouped_parts
from .regressor import actuator_regressor, regressor, without_mass
from .sections import section_wrench

#: What the groups of inputs hold, by the names of the arguments that give their values.
TITLES = {
    "q": "generalized coordinates",
    "u": "generalized speeds",
    "udot": "time derivatives of the generalized speeds",
    "constants": "constants",
    "specifieds": "specified quantities",
    "times": "time",
}


def input_groups(
    symbols: Mapping[str, Iterable[Expr]], names: Iterable[str] = tuple(TITLES)
) -> tuple[Group, ...]:
    """Return groups of inputs in their order; those that are not given are empty."""
    return tuple(
        Group(
            name,
            TITLES[name],
            tuple(symbols.get(name, ())),
            "call" if name == "constants" else "sample",
        )
        for name in names
    )


def undetermined(derivation: Derivation) -> dict[Any, tuple[str, ...]]:
    """Return the undetermined components: by joint, closing joint, speed and load."""
    supply, tree = derivation.supply, derivation.tree
    names: dict[Any, Sequence[str]] = dict.fromkeys(tree.all_joints, COMPONENTS)
    changes: list[Sequence[Scalar]] = []
    if not derivation.is_placed:
        names = {}
    else:
        wrenches = _on_children(derivation, supply.open_wrenches, supply.open_values)
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


def _generalized_forces(derivation: Derivation) -> Output:
    forces = [derivation.forces[speed] for speed in derivation.tree.speeds]
    zero = derivation.graph.scalar(0)
    changes = [next(iter(derivation.supply.open_of(u)), zero) for u in derivation.tree.speeds]
    return force_output(derivation.nan_where_open(forces, changes))


def force_output(forces: Sequence[Scalar]) -> Output:
    """Return generalized forces, in the order of the speeds, as an output."""
    title, entry = "generalized forces", "generalized force"
    return column_output("generalized_forces", forces, title, entry, 1)


def column_output(
    name: str, values: Sequence[Scalar], title: str, entry: str, mass_dimension: int
) -> Output:
    """Return an output of one axis; entries are labelled by ``entry`` and their index."""
    labels = [f"{entry} {k}" for k in range(len(values))]
    return Output.from_scalars(name, (len(values),), values, title, labels, mass_dimension)


def wrench_parts(derivation: Derivation, name: str) -> tuple[list[BodyWrench], list[BodyWrench]]:
    """Return the wrenches of an output on all children, and their undetermined parts."""
    check_places(derivation)
    make, supply = WRENCHES[name], derivation.supply
    found = make(derivation, derivation.joint_wrenches, supply.solution.values)
    if name == "joint_wrenches":  # those of the tree's joints hold such loads already
        for load in derivation.law_loads:
            if not load.is_in_tree:
                k = derivation.tree.all_joints.index(load.joint)
                found[k] = found[k] + load.on_child * load.value
    return found, make(derivation, supply.open_wrenches, supply.open_values)


def _wrenches(name: str, title: str, derivation: Derivation) -> Output:
    return _wrench_output(derivation, name, title, *wrench_parts(derivation, name))


_joint_wrenches = partial(_wrenches, "joint_wrenches", "joint wrenches (force, moment)")


def _section_wrenches(derivation: Derivation) -> Output:
    check_places(derivation)
    sections = derivation.request.sections
    if not sections:
        raise ValueError(
            "`sections` must be given for their wrenches. Use InverseDynamics(..., "
            "sections=[Section(...)])."
        )
    parts = [section_wrench(derivation, section) for section in sections]
    return _wrench_output(
        derivation,
        "section_wrenches",
        "wrenches in sections (force, moment)",
        [wrench for wrench, _ in parts],
        [added for _, added in parts],
        "section",
    )


def _contributions(derivation: Derivation) -> Output:
    check_places(derivation)
    tree, values, added = derivation.tree, [], []
    for joint in tree.joints:
        index = tree.index_of_joint[joint]
        for part, change in grouped_parts(derivation, index):
            values.extend(on_child(derivation, index, part).scalars)
            added.extend(on_child(derivation, index, change).scalars)
    shape = (len(tree.joints), len(PARTS), 6)
    title = f"parts of the joint wrenches ({', '.join(PARTS)})"
    entries = derivation.nan_where_open(values, added)
    return Output.from_scalars("contributions", shape, entries, title, mass_dimension=1)


def check_places(derivation: Derivation) -> None:
    """Raise an error for joint wrenches if it is unknown where constraints or loads act."""
    if not derivation.is_placed:
        raise ValueError(
            "`loops` must say where the model's constraint forces act, since joint wrenches "
            "depend on it. Use InverseDynamics(..., loops=[...]) with a LoopJoint(name, parent, "
            "child, kind, parent_point, child_point) for a closed loop, a Contact(name, parent, "
            "child, point, directions) for a wheel or a skate; or ask for generalized_forces and "
            "multipliers alone."
        )
    for place, bodies in derivation.loads.doubtful.items():
        raise ValueError(
            f"`owners` must say on which body the load on {place} acts, since joint wrenches "
            f"depend on it: {', '.join(bodies)}. Use InverseDynamics(..., "
            f"owners={{{place}: {bodies[-1]}}}), or ask for generalized_forces alone."
        )


def _constraint_parts(
    derivation: Derivation, wrenches: Sequence[BodyWrench], values: Sequence[Scalar]
) -> list[BodyWrench]:
    tree = derivation.tree
    found = _on_children(derivation, wrenches, values)
    pairs = zip(tree.joint_links, found[: len(tree.joints)], strict=True)
    parts = [_constraint_part(derivation, link, wrench) for link, wrench in pairs]
    return parts + found[len(tree.joints) :]  # closings transmit nothing else


def _constraint_part(derivation: Derivation, link: Link, wrench: BodyWrench) -> BodyWrench:
    towards_child = replace(link, motion=link.child_motion or link.motion)
    return constraint_part(derivation.graph, towards_child, wrench)


def bearing_wrench(derivation: Derivation, joint: Any, is_open: bool = False) -> BodyWrench:
    """Return a joint's constraint wrench on its child, or the undetermined part of that."""
    supply = derivation.supply
    wrenches, values = derivation.joint_wrenches, supply.solution.values
    if is_open:
        wrenches, values = supply.open_wrenches, supply.open_values
    for closing in derivation.closings:
        if closing.joint is joint:
            return closing_wrench(derivation, closing, values)
    index = derivation.tree.index_of_joint[joint]
    wrench = on_child(derivation, index, wrenches[index])
    return _constraint_part(derivation, derivation.tree.links[index], wrench)


def _solved_loads(derivation: Derivation) -> Output:
    supply, solved = derivation.supply, derivation.solved
    changes = [supply.open_of(symbol)[0] for symbol in solved]
    values = derivation.nan_where_open(list(solved.values()), changes)
    return column_output("solved_loads", values, "solved loads", "solved load", 1)


def _unsupplied(derivation: Derivation) -> Output:
    is_rest = derivation.request.motors(derivation.tree) is None  # the joints supply it
    zero, left = derivation.graph.scalar(0), derivation.supply.solution.residuals
    values = [zero if is_rest else value for value in left]
    title = "generalized forces that nothing supplies"
    return column_output("unsupplied", values, title, "unsupplied force", 1)


def _multipliers(derivation: Derivation) -> Output:
    motors = {*derivation.tree.speeds, *derivation.request.solve_for}
    supply = derivation.supply
    triples = zip(supply.unknowns, supply.solution.values, supply.open_values, strict=True)
    kept = [(v, change) for x, v, change in triples if x.source not in motors]
    values = derivation.nan_where_open([v for v, _ in kept], [change for _, change in kept])
    title = "multipliers of the constraints"
    return column_output("multipliers", values, title, "multiplier", 1)


def _conditioning(derivation: Derivation) -> Output:
    from .conditioning import conditioning

    title = "independence of the unknown forces (1 orthogonal, 0 singular)"
    value = conditioning(derivation)
    return Output.from_scalars("conditioning", (), [value], title, ["conditioning"], 0)


def _constraint_errors(derivation: Derivation) -> Output:
    levels = derivation.constraint_errors
    values = [value for level in levels for value in level]
    names = ("position", "velocity", "acceleration")
    labels = [f"{name} error {k}" for name in names for k in range(len(levels[0]))]
    title = "errors of the constraints (position, velocity, acceleration)"
    shape = (3, len(levels[0]))
    return Output.from_scalars("constraint_errors", shape, values, title, labels, 0)


def _mass_matrix(derivation: Derivation) -> Output:
    from ..accelerations import effective_mass_matrix

    rows = effective_mass_matrix(derivation, regroup(derivation.scalars))
    entries, shape = [entry for row in rows for entry in row], (len(rows), len(rows))
    return Output.from_scalars("mass_matrix", shape, entries, "mass matrix", mass_dimension=1)


def _bias(derivation: Derivation) -> Output:
    """Return what the tree demands without accelerations of the speeds, whoever supplies it."""
    tree, zero = derivation.tree, derivation.graph.scalar(0)
    demanded = derivation.demanded_by_tree
    forces = [demanded[speed] for speed in tree.speeds]
    still = replaced(forces, dict.fromkeys(tree.accelerations, zero))
    title = "generalized forces without accelerations"
    return Output.from_scalars("bias", (len(still),), still, title, mass_dimension=1)


def _kinetic_energies(derivation: Derivation) -> Output:
    from .energy import kinetic_energies

    values = kinetic_energies(derivation)
    return column_output("kinetic_energies", values, "kinetic energies", "body", 1)


def _body_powers(derivation: Derivation) -> Output:
    from .body_powers import body_powers

    check_places(derivation)
    return body_powers(derivation)


def motor_power(derivation: Derivation) -> Output:
    """Return the power of motors and solved loads; closing wrenches have none."""
    left = dict(zip(derivation.tree.speeds, derivation.supply.solution.residuals, strict=True))
    if derivation.request.motors(derivation.tree) is None:
        left = {}  # the joints supply it
    graph = derivation.graph
    parts = [
        (force - left[u] if u in left else force) * graph.scalar(u)
        for u, force in derivation.demanded.items()
    ]
    title = "power of motors and solved loads"
    return Output.from_scalars("motor_power", (), [total(parts)], title, ["motor power"], 1)


OUTPUTS: dict[str, Callable[[Derivation], Output]] = {
    "generalized_forces": _generalized_forces,
    "joint_wrenches": _joint_wrenches,
    "constraint_wrenches": partial(
        _wrenches, "constraint_wrenches", "wrenches of the joints' constraints (force, moment)"
    ),
    "section_wrenches": _section_wrenches,
    "contributions": _contributions,
    "solved_loads": _solved_loads,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
    "unsupplied": _unsupplied,
    "multipliers": _multipliers,
    "conditioning": _conditioning,
    "constraint_errors": _constraint_errors,
    "kinetic_energies": _kinetic_energies,
    "body_powers": _body_powers,
    "regressor": partial(regressor, "regressor", _generalized_forces),
    "known_loads": partial(without_mass, "known_loads", _generalized_forces),
    "actuator_regressor": partial(actuator_regressor, "actuator_regressor", _generalized_forces),
    "joint_wrench_regressor": partial(regressor, "joint_wrench_regressor", _joint_wrenches),
    "known_wrenches": partial(without_mass, "known_wrenches", _joint_wrenches),
}


def _wrench_output(
    derivation: Derivation,
    name: str,
    title: str,
    wrenches: Sequence[BodyWrench],
    changes: Sequence[BodyWrench],
    place: str = "joint",
) -> Output:
    values, added = ([x for y in some for x in y.scalars] for some in (wrenches, changes))
    labels = [
        f"{place} {k}, {vector} {axis}"
        for k in range(len(wrenches))
        for vector in ("force", "moment")
        for axis in "xyz"
    ]
    entries = derivation.nan_where_open(values, added)
    return Output.from_scalars(name, (len(wrenches), 6), entries, title, labels, 1)


def _on_children(
    derivation: Derivation, wrenches: Sequence[BodyWrench], values: Sequence[Scalar]
) -> list[BodyWrench]:
    """Return wrenches on the children of all joints, from those on links and values of unknowns."""
    tree = derivation.tree
    indices = [tree.index_of_joint[joint] for joint in tree.joints]
    found = [on_child(derivation, index, wrenches[index]) for index in indices]
    return found + [closing_wrench(derivation, x, values) for x in derivation.closings]


def closing_wrench(
    derivation: Derivation, closing: Closing, values: Sequence[Scalar]
) -> BodyWrench:
    """Return the wrench of a closing on its child, about the child point."""
    own = derivation.supply.belonging_to(closing, values)
    result = BodyWrench.zero(derivation.graph)
    for unit, value in zip(unit_wrench_on_child(derivation.scalars, closing), own, strict=True):
        result = result + unit * value
    return result


def on_child(derivation: Derivation, index: int, wrench: BodyWrench) -> BodyWrench:
    """Return a wrench on a link as one on its joint's child, about the child point."""
    link, graph = derivation.tree.links[index], derivation.graph
    if not link.is_reversed:
        return wrench.about(Vec.enter(graph, link.wrench_point))
    transform = derivation.scalars.transforms[index]
    on_inner = -transform.wrench_inward(wrench, transform.offset)
    to_child = Mat.enter(graph, derivation.tree.rotation_to_child(link))
    return BodyWrench(to_child @ on_inner.force, to_child @ on_inner.moment)


#: Which outputs hold wrenches on the children of joints, and what makes them of wrenches on links.
WRENCHES = {"joint_wrenches": _on_children, "constraint_wrenches": _constraint_parts}
