"""Outputs of generalized forces, solved loads, unsupplied forces and multipliers."""

from collections.abc import Sequence

from ...arithmetic.graph import Scalar
from ...arithmetic.output import Output
from ..derivation import Derivation


def generalized_forces_output(derivation: Derivation) -> Output:
    """Return the generalized forces that joints supply, shape (n,)."""
    forces = [derivation.forces[speed] for speed in derivation.tree.speeds]
    zero = derivation.graph.scalar(0)
    changes = [next(iter(derivation.supply.open_of(u)), zero) for u in derivation.tree.speeds]
    return force_output(derivation.nan_if_undetermined(forces, changes))


def force_output(forces: Sequence[Scalar]) -> Output:
    """Return generalized forces in the order of the speeds as an output."""
    title, entry = "generalized forces", "generalized force"
    return column_output("generalized_forces", forces, title, entry, 1)


def column_output(
    name: str, values: Sequence[Scalar], title: str, entry: str, mass_dimension: int
) -> Output:
    """Return an output of one axis; entries are labelled by ``entry`` and their index."""
    labels = [f"{entry} {k}" for k in range(len(values))]
    return Output.from_scalars(name, (len(values),), values, title, labels, mass_dimension)


def solved_loads_output(derivation: Derivation) -> Output:
    """Return the loads that the motion determines, in the order of ``solve_for``."""
    supply, solved = derivation.supply, derivation.solved
    changes = [supply.open_of(symbol)[0] for symbol in solved]
    values = derivation.nan_if_undetermined(list(solved.values()), changes)
    return column_output("solved_loads", values, "solved loads", "solved load", 1)


def unsupplied_output(derivation: Derivation) -> Output:
    """Return the generalized forces that the motion requires and nothing supplies, shape (n,)."""
    is_rest = derivation.request.motors(derivation.tree) is None  # the joints supply it
    zero, left = derivation.graph.scalar(0), derivation.supply.solution.residuals
    values = [zero if is_rest else value for value in left]
    title = "generalized forces that nothing supplies"
    return column_output("unsupplied", values, title, "unsupplied force", 1)


def multipliers_output(derivation: Derivation) -> Output:
    """Return the multipliers of the constraints, in the order of the unknowns."""
    motors = {*derivation.tree.speeds, *derivation.request.solve_for}
    supply = derivation.supply
    triples = zip(supply.unknowns, supply.solution.values, supply.open_values, strict=True)
    kept = [(v, change) for x, v, change in triples if x.source not in motors]
    values = derivation.nan_if_undetermined([v for v, _ in kept], [change for _, change in kept])
    title = "multipliers of the constraints"
    return column_output("multipliers", values, title, "multiplier", 1)
