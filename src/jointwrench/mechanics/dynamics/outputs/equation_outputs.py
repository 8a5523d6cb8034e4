"""The equations of motion and the errors of the constraints as outputs."""

from ...arithmetic.graph import replace_inputs
from ...arithmetic.output import Output
from ..accelerations import effective_mass_matrix
from ..derivation import Derivation
from ..regrouping import regroup


def mass_matrix_output(derivation: Derivation) -> Output:
    """Return the mass matrix of the tree with added mass, shape (n, n)."""
    rows = effective_mass_matrix(derivation, regroup(derivation.scalars))
    entries, shape = [entry for row in rows for entry in row], (len(rows), len(rows))
    return Output.from_scalars("mass_matrix", shape, entries, "mass matrix", mass_dimension=1)


def bias_output(derivation: Derivation) -> Output:
    """Return the generalized forces that the tree requires at zero accelerations, shape (n,)."""
    tree, zero = derivation.tree, derivation.graph.scalar(0)
    demanded = derivation.demanded_by_tree
    forces = [demanded[speed] for speed in tree.speeds]
    still = replace_inputs(forces, dict.fromkeys(tree.accelerations, zero))
    title = "generalized forces without accelerations"
    return Output.from_scalars("bias", (len(still),), still, title, mass_dimension=1)


def constraint_errors_output(derivation: Derivation) -> Output:
    """Return the errors of the constraints, shape (3, m): positions, velocities, accelerations."""
    levels = derivation.constraint_errors
    values = [value for level in levels for value in level]
    names = ("position", "velocity", "acceleration")
    labels = [f"{name} error {k}" for name in names for k in range(len(levels[0]))]
    title = "errors of the constraints (position, velocity, acceleration)"
    shape = (3, len(levels[0]))
    return Output.from_scalars("constraint_errors", shape, values, title, labels, 0)
