"""Mass matrix and bias: how the generalized forces depend on the accelerations."""

from ..arithmetic.graph import Scalar, replaced
from .contributions import accelerations, velocities
from .derivation import Derivation
from .newton_euler import (
    body_wrenches,
    generalized_forces,
    inward_joint_wrenches,
    outward_kinematics,
)


def mass_matrix(derivation: Derivation) -> list[list[Scalar]]:
    """Return the mass matrix: the generalized forces per unit of each acceleration.

    Column k is what the recursion yields for a system without weight, load and
    velocity in which only the k-th speed accelerates, by one.
    """
    graph, tree = derivation.graph, derivation.tree
    demanded = body_wrenches(graph, tree, outward_kinematics(graph, tree))
    forces = generalized_forces(graph, tree, inward_joint_wrenches(graph, tree, demanded, {}))
    inertial = [forces[speed] for speed in tree.speeds]
    zero, one = graph.scalar(0), graph.scalar(1)
    still = dict.fromkeys([*velocities(derivation), *accelerations(derivation)], zero)
    rest = replaced(inertial, still)
    columns = []
    for acceleration in tree.accelerations:
        column = replaced(inertial, {**still, acceleration: one})
        columns.append([entry - offset for entry, offset in zip(column, rest, strict=True)])
    size = range(len(columns))
    return [[columns[min(i, k)][max(i, k)] for k in size] for i in size]


def bias(derivation: Derivation) -> list[Scalar]:
    """Return the generalized forces without accelerations of the speeds."""
    tree = derivation.tree
    forces = [derivation.forces[speed] for speed in tree.speeds]
    zero = derivation.graph.scalar(0)
    return replaced(forces, dict.fromkeys(tree.accelerations, zero))
