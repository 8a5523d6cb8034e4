"""The mass matrix with what loads ask for that depend on accelerations: added mass."""

from collections.abc import Sequence

from ..arithmetic.decisions import GenericState
from ..arithmetic.derivatives import jacobian
from ..arithmetic.graph import Scalar, replaced
from .derivation import Derivation
from .loops.unknowns import supplied_by
from .recursion.known_loads import external_wrenches
from .recursion.mass_matrix import mass_matrix
from .recursion.rigid_body import Inertia


def effective_mass_matrix(derivation: Derivation, bodies: Sequence[Inertia]) -> list[list[Scalar]]:
    """Return by how much the generalized forces grow with each acceleration."""
    matrix = mass_matrix(derivation.scalars, bodies)
    added = added_mass(derivation)
    if not added:
        return matrix
    pairs = zip(matrix, added, strict=True)
    return [[x + y for x, y in zip(row, more, strict=True)] for row, more in pairs]


def added_mass(derivation: Derivation) -> list[list[Scalar]]:
    """Return what loads add to the mass matrix; nothing if none depends on accelerations."""
    model, graph = derivation.tree, derivation.graph
    known = derivation.loads.at_zero(derivation.request.solve_for)
    wrenches = external_wrenches(derivation.scalars, known)
    accelerations = {graph.scalar(x).ref for x in model.accelerations}
    components = [x.ref for wrench in wrenches.values() for x in wrench.scalars]
    if accelerations.isdisjoint(graph.needed(components)):
        return []
    forces = supplied_by(derivation.scalars, wrenches)
    rows = [[-x for x in row] for row in jacobian(graph, forces, model.accelerations)]
    state, others = GenericState(graph), (graph.scalar(k + 2) for k in range(len(rows)))
    moved = dict(zip(model.accelerations, others, strict=True))
    changes = (x - y for row in rows for x, y in zip(row, replaced(row, moved), strict=True))
    if not all(map(state.is_zero, changes)):
        raise ValueError(
            f"`{model.argument}` must have loads that are linear in the accelerations, so that the "
            "accelerations can be solved for. Use InverseDynamics for the forces of a given motion."
        )
    return [state.without_zeros(row) for row in rows]
