"""A random assembled state of a mechanism, and the checks of its constraint equations.

A model may have its own constraint equations (of KanesMethod or System) and the user's loop joints
and contacts.  At an assembled state both must bind the same directions of motion.
"""

from collections.abc import Collection, Sequence
from functools import partial
from operator import mul

from sympy import Expr

from ....checks.arguments import enumerate_some
from ...arithmetic.derivatives import cheapest_jacobian
from ...arithmetic.digits import Digits
from ...arithmetic.generic_state import ZERO, DigitRows, GenericState, find_unspanned, null_space
from ...arithmetic.graph import Scalar, replace_inputs, total
from ...arithmetic.manifold import NotAssembledError, find_state
from ...mechanism.tree import TopologyError
from ..recursion.scalar_tree import ScalarTree
from .constraint_errors import alignment_errors, position_errors
from .constraint_forces import unknown_closings, unknown_multipliers, velocity_coefficients
from .unknowns import Unknown, without_zeros


def assembled_state(tree: ScalarTree, with_own: bool = True) -> GenericState:
    """Return a random state that satisfies all position equations, or raise a TopologyError.

    Without ``with_own`` the model's own holonomic constraints are ignored.
    """
    constraints = tree.symbolic.constraints
    errors = [error for _, error in position_equations(tree, with_own)]
    aligned = [x for closing in constraints.closings for x in alignment_errors(tree, closing)]
    model = tree.symbolic
    try:
        return find_state(
            tree.graph, errors, model.coordinates, model.turning, aligned, tree.volumes
        )
    except NotAssembledError as error:
        raise TopologyError(
            "loops" if constraints.closings else tree.symbolic.argument,
            [
                "no state was found at which the position constraints hold. Check the points, "
                "frames and lengths of the loops, and that they agree with the model's own "
                "holonomic constraints."
            ],
        ) from error


def position_equations(tree: ScalarTree, with_own: bool = True) -> list[tuple[str, Scalar]]:
    """Return the position equations of the mechanism: names, and scalars that must vanish.

    The equations are those of the loop joints, the model's own holonomic constraints (unless
    ``with_own`` is False) and the norms of unit quaternions.  Contacts constrain no position.
    """
    constraints, graph = tree.symbolic.constraints, tree.graph
    equations = list[tuple[str, Scalar]]()
    for closing in constraints.closings:
        equations += [(closing.joint.name, error) for error in position_errors(tree, closing)]
    for k, equation in enumerate(constraints.position if with_own else ()):
        equations.append((f"holonomic constraint {k}", graph.scalar(equation)))
    for quaternion in tree.symbolic.unit_quaternions:
        parts = [graph.scalar(component) for component in quaternion]
        equations.append(("unit quaternion", total(x * x for x in parts) - graph.scalar(1)))
    return equations


def check_velocities(tree: ScalarTree) -> None:
    """Raise a ValueError for a velocity constraint without speeds or not linear in the speeds."""
    # An equation is linear if its coefficients neither depend on accelerations nor change when
    # the speeds are replaced by other numbers.
    graph, model = tree.graph, tree.symbolic
    equations, anywhere = model.constraints.velocity, GenericState(graph)
    values = [graph.scalar(equation) for equation in equations]
    rows = velocity_coefficients(tree, equations)
    others = {speed: graph.scalar(k + 1) for k, speed in enumerate(model.speeds)}
    slopes = cheapest_jacobian(graph, values, model.accelerations)
    for equation, value, full, changes in zip(equations, values, rows, slopes, strict=True):
        row = [x for x in full if not x.is_zero]
        changes += [x - y for x, y in zip(row, replace_inputs(row, others), strict=True)]
        is_idle = all(anywhere.are_zero(row)) and not anywhere.is_zero(value)
        if is_idle or not all(anywhere.are_zero(changes)):
            raise ValueError(
                f"`{model.argument}` must have velocity constraints that are linear in the "
                f"speeds, got {_short(equation)}. Use an equation of velocities, and the "
                "holonomic constraints for one of positions."
            )


def check_agreement(tree: ScalarTree, unknowns: list[Unknown], state: GenericState) -> None:
    """Raise a TopologyError if loops disagree with the model's own equations or change nothing."""
    problems = _granted(tree, unknowns)
    problems += state.decide(partial(_disagreements, tree, unknowns))
    if problems:
        raise TopologyError("loops", problems)


def _disagreements(tree: ScalarTree, unknowns: list[Unknown], state: GenericState) -> list[str]:
    """Return the problems of loops that disagree with the model's own constraint equations.

    Both are rows of coefficients of the speeds.  An own equation that is no combination of the
    loops' rows lacks its loop; a loop whose row is no combination of own equations lacks a
    constraint in the model.
    """
    constraints = tree.symbolic.constraints
    own, named = own_rows(tree, state), state.rows([unknown.column for unknown in unknowns])
    binding = binding_equations(tree, own)
    unexplained = [binding[k][0] for k in find_unspanned(named, [row for _, row in binding])]
    problems = [
        f"no loop corresponds to {described(equation)}. Add its LoopJoint or Contact to "
        "loops=[...]; if it only prescribes a motion, leave it out, and evaluate that motion."
        for equation in dict.fromkeys(unexplained)
    ]
    missing = {unknowns[k].source.joint.name for k in find_unspanned(own, named)}
    if missing and constraints.velocity:
        problems.append(
            f"the model has no constraint for {enumerate_some(sorted(missing))}. Use "
            "system.add_holonomic_constraints(*loop.holonomic_constraints) for a loop joint, "
            "system.add_nonholonomic_constraints(*contact.velocity_constraints) for a contact."
        )
    return problems


def binding_equations(
    tree: ScalarTree, own: DigitRows
) -> list[tuple[Expr | str, Sequence[Digits]]]:
    """Return the model's own equations that restrict bodies: names and coefficients of the speeds.

    ``own`` has the coefficients of all own equations.
    """
    # Idle speeds move no body, and an equation that only defines one needs no force. Several
    # equations with idle speeds may still restrict bodies together: by the combinations in which
    # the idle speeds cancel. These replace the equations.
    model, equations = tree.symbolic, tree.symbolic.constraints.velocity
    idle = [model.speeds.index(speed) for speed in model.idle_speeds]
    mixed, found = [], list[tuple[Expr | str, Sequence[Digits]]]()
    for equation, row in zip(equations, own, strict=True):
        if any(not row[k].is_zero for k in idle):
            mixed.append(row)
        else:
            found.append((equation, row))
    if mixed:
        names = enumerate_some(map(str, model.idle_speeds))
        together = (
            f"the equation for other speeds that follows from the {len(mixed)} constraints of "
            f"the model with {names}, which move no body"
        )
        combinations = null_space([[row[k] for row in mixed] for k in idle])
        rows = [combined_rows(shares, mixed) for shares in combinations]
        found += [(together, row) for row in rows if not all(x.is_zero for x in row)]
    return found


def combined_rows(shares: Collection[Digits], rows: DigitRows) -> list[Digits]:
    """Return the sum of rows, each multiplied by its share."""
    columns = zip(*rows, strict=True)
    return [sum(map(mul, shares, column), ZERO) for column in columns]


def own_rows(tree: ScalarTree, state: GenericState) -> DigitRows:
    """Return the coefficients of the speeds in the model's own equations at the state."""
    return state.rows([unknown.column for unknown in unknown_multipliers(tree)])


def _granted(tree: ScalarTree, unknowns: list[Unknown]) -> list[str]:
    """Return the problems of contacts that the model's velocities satisfy already.

    If no force of a contact has power at any speed, the equations of motion do not contain the
    contact's forces: they are part of the wrench of the joint on ground.
    """
    sources = {unknown.source for unknown in unknowns if unknown.source.is_contact}
    moving = {x.source for x in unknowns if not all(entry.is_zero for entry in x.column)}
    problems = []
    for closing in sorted(sources - moving, key=lambda source: source.joint.name):
        ends = [link for link in (closing.child, closing.parent) if link is not None]
        joint = tree.symbolic.links[tree.path_to_ground(ends[0])[-1]].joint
        touching = tree.symbolic.links[ends[0]]
        fix = "Leave it out"
        if joint is not touching.joint:
            fix += f", or connect ground to {touching.body} to get its force at the contact"
        problems.append(
            f"the contact {closing.joint.name!r} closes nothing: the model's velocities satisfy "
            f"it already, and the wrench of the joint {joint.name!r} on ground contains its "
            f"force. {fix}."
        )
    return problems


def described(equation: Expr | str) -> str:
    """Return the name of a constraint equation for a message."""
    if isinstance(equation, str):
        return equation
    return f"the constraint {_short(equation)} of the model"


def _short(equation: object) -> str:
    """Return the text of an equation, cut after 80 characters."""
    text = str(equation)
    return text if len(text) <= 80 else f"{text[:77]}..."


def constraint_unknowns(tree: ScalarTree) -> tuple[list[Unknown], GenericState]:
    """Return the unknown constraint forces of a model, and the assembled state for decisions.

    The unknowns are the forces of loop joints and contacts.  A model without these has the
    multipliers of its constraint equations instead.  Constraints that are not valid raise an error.
    """
    constraints = tree.symbolic.constraints
    check_velocities(tree)
    forces = unknown_closings(tree) if constraints.closings else unknown_multipliers(tree)
    state = _state(tree, forces)
    forces = without_zeros(forces, state)
    if constraints.closings:
        check_agreement(tree, forces, state)
    return forces, state


def are_binding(tree: ScalarTree, state: GenericState) -> bool:
    """Whether the model's own velocity constraints restrict bodies, and so need forces."""
    return state.decide(lambda some: bool(binding_equations(tree, own_rows(tree, some))))


def _state(tree: ScalarTree, unknowns: Sequence[Unknown]) -> GenericState:
    """Return an assembled state of the mechanism, or raise a TopologyError with the reason."""
    # Without an assembled state, loops and own constraints may contradict each other. A state of
    # the loops suffices to find the equation that disagrees, which makes a better message.
    try:
        return assembled_state(tree)
    except TopologyError:
        if tree.symbolic.constraints.closings:
            state = assembled_state(tree, with_own=False)
            check_agreement(tree, without_zeros(unknowns, state), state)
        raise
