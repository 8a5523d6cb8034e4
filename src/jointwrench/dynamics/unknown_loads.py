"""Loads that the motion determines: the inverse of the user's own forward model."""

from collections.abc import Iterable, Sequence

from sympy import Expr, Symbol
from sympy.core.function import AppliedUndef

from ..arithmetic.generic import GenericStates
from ..arithmetic.graph import Input, Scalar
from ..arithmetic.linear import SingularError, solve
from ..checks.arguments import check_instance, check_sequence
from ..mechanism.loads import Loads
from .external_loads import external_wrenches
from .newton_euler import generalized_forces, inward_joint_wrenches
from .rigid_body import BodyWrench
from .scalar_tree import ScalarTree

#: By speed.
Forces = dict[Expr, Scalar]


def check_symbols(solve_for: Iterable[Expr]) -> tuple[Expr, ...]:
    """Return the unknowns as a tuple of different symbols."""
    if isinstance(solve_for, (Symbol, AppliedUndef)):
        raise TypeError(f"`solve_for` must be an iterable, got {solve_for}. Use [{solve_for}].")
    unknowns = check_sequence("solve_for", solve_for, "an iterable of symbols")
    expected, fix = "an iterable of symbols or functions of time", "chain.actuation"
    for unknown in unknowns:
        kinds = Symbol, AppliedUndef
        check_instance("solve_for", unknown, kinds, expected, f"Use for instance {fix}.")
    if len(set(unknowns)) < len(unknowns):
        raise ValueError(f"`solve_for` must name each symbol once, got {unknowns}.")
    return tuple(unknowns)


def check_unknowns(tree: ScalarTree, loads: Loads, unknowns: Iterable[Expr]) -> None:
    """Refuse unknowns on which more than the loads depends; call before loads enter.

    Raises
    ======

    ValueError
        With the name of the symbol.
    """
    model = tree.tree
    known = {op.symbol for op in tree.graph.operations if isinstance(op, Input)}
    known |= {model.time, *model.coordinates, *model.speeds, *model.accelerations}
    positions = [load.position for load in loads.applied if load.position is not None]
    for unknown in unknowns:
        if unknown in known or any(position.has(unknown) for position in positions):
            raise ValueError(
                f"`solve_for` must name symbols that stand in loads alone, but {unknown} "
                "also stands in the motion, the masses, the positions or the gravity. Use a "
                "symbol of its own for the load."
            )


def solve_loads(
    tree: ScalarTree, loads: Loads, unknowns: Sequence[Expr], forces: Forces
) -> tuple[dict[Expr, Scalar], Forces]:
    """Solve the generalized forces for the load symbols that supply them.

    Parameters
    ==========

    tree : ScalarTree
        The bodies and joints.
    loads : Loads
        The known loads, in which the symbols stand.
    unknowns : sequence of Expr
        The symbols.
    forces : dict of Expr to Scalar
        The generalized forces that the motion asks for with all symbols at zero.

    Returns
    =======

    values : dict of Expr to Scalar
        The symbols' values; where they act on more speeds than they are many, the
        solution of least squares.
    rest : dict of Expr to Scalar
        The generalized forces that they leave.

    Raises
    ======

    ValueError
        If a symbol stands in no load, does not enter linearly, or is not
        determined.
    """
    states = GenericStates(tree.graph)
    columns = [
        states.without_zeros(_supplied_per_unit(tree, loads, unknown, unknowns).values())
        for unknown in unknowns
    ]
    _check_effect(unknowns, columns)
    matrix = list(zip(*columns, strict=True))
    try:
        solution = solve(tree.graph, matrix, list(forces.values()))
    except SingularError as error:
        moved = [u for u, row in zip(forces, matrix, strict=True) if _has_entry(row)]
        raise ValueError(_undetermined(unknowns, moved, error.rank)) from error
    values = dict(zip(unknowns, solution.values, strict=True))
    return values, dict(zip(forces, solution.residuals, strict=True))


def _supplied_per_unit(
    tree: ScalarTree, loads: Loads, unknown: Expr, unknowns: Sequence[Expr]
) -> Forces:
    """Return the generalized forces that a unit of a load symbol supplies."""
    per_unit = loads.per_unit(unknown)
    if not per_unit.applied:
        raise ValueError(
            f"`solve_for` must name symbols of the system's loads, but no load depends on "
            f"{unknown}. Use symbols from system.loads or system.actuators."
        )
    if per_unit.depend_on(unknowns):
        raise ValueError(
            f"`solve_for` must name symbols that enter the loads linearly, but the load "
            f"of {unknown} is not linear in {', '.join(map(str, unknowns))}."
        )
    still = [BodyWrench.zero(tree.graph) for _ in tree.inertias]
    wrenches = inward_joint_wrenches(tree, still, external_wrenches(tree, per_unit))
    return {speed: -force for speed, force in generalized_forces(tree, wrenches).items()}


def _check_effect(unknowns: Sequence[Expr], columns: Sequence[Sequence[Scalar]]) -> None:
    """Refuse unknowns that do no work on any motion."""
    pairs = zip(unknowns, columns, strict=True)
    idle = [str(unknown) for unknown, column in pairs if not _has_entry(column)]
    if idle:
        raise ValueError(
            f"`solve_for` must name loads that act on the motion, but {', '.join(idle)} does no "
            "work on any speed. Leave it out: nothing determines it."
        )


def _has_entry(scalars: Iterable[Scalar]) -> bool:
    return any(not scalar.is_zero for scalar in scalars)


def _undetermined(unknowns: Sequence[Expr], speeds: Sequence[Expr], rank: int) -> str:
    return (
        f"`solve_for` must have symbols that the motion determines, but "
        f"{', '.join(map(str, unknowns))} act with rank {rank} on the "
        f"{len(speeds)} speeds {', '.join(map(str, speeds))}. Leave out symbols, or give some "
        "of them as known loads."
    )
