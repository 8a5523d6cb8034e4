"""Does every speed move some mass?

A massless body is welcome as long as something with mass moves with each speed:
the cross of a universal joint, a welded tip.  Where nothing does, the mass matrix
is singular, and no forward dynamics can return the motion.
"""

import numpy as np
import scipy.linalg
from sympy import Expr
from sympy.physics.mechanics import Particle

from ..arithmetic.generic import GenericStates
from ..arithmetic.graph import Graph
from ..checks.arguments import enumerate_some
from ..mechanism.tree import Link, TopologyError
from .derivation import Derivation
from .mass_matrix import mass_matrix

#: Entries of the scaled mass matrix that are smaller count as zero.
NO_MASS = 1e-9


def check_mass_distribution(derivation: Derivation, with_particles: bool = False) -> None:
    """Refuse a model in which some speeds move no mass.

    Parameters
    ==========

    derivation : Derivation
        Of the model.
    with_particles : bool
        Whether speeds that do nothing but turn a Particle are refused, too: their
        accelerations are open.

    Raises
    ======

    TopologyError
        If the mass matrix is singular; with the names of the speeds.

    Notes
    =====

    Only models with a body of no mass or without a full inertia are examined, at
    random states with random values of all symbols, which need not be physical:
    what is singular there is so for all values.  Joints that turn a Particle may do
    so about itself: it has no orientation, so that no force depends on that.  A speed
    of no joint (the activation of a muscle) need not move anything.
    """
    if all(_is_regular(link) for link in derivation.tree.links):
        return
    speeds = _speeds_without_mass(derivation, with_particles)
    if speeds:
        names = enumerate_some(speeds)
        raise TopologyError(
            derivation.tree.argument,
            [
                f"the mass distribution is singular: the speeds {names} move no mass that the "
                "other speeds do not move as well. Give the bodies that they move mass and inertia "
                "(also about the axis of a pin), or replace their joints by a WeldJoint."
            ],
        )


def _is_regular(link: Link) -> bool:
    """Whether a body surely has mass and an inertia about every axis."""
    return not link.mass.is_zero and not link.is_point_mass and not _is_singular(link)


def _is_singular(link: Link) -> bool:
    """Whether an inertia is that of no body with a volume, such as a rod without thickness."""
    graph = Graph()
    entries = [[graph.scalar(entry) for entry in row] for row in link.inertia.tolist()]
    inertias, _ = GenericStates(graph).matrix(entries)
    return bool((abs(np.linalg.det(inertias)) <= NO_MASS).any())


def _speeds_without_mass(derivation: Derivation, with_particles: bool) -> list[Expr]:
    """Return speeds that add nothing to the rank of the mass matrix (and turn no particle)."""
    turning = {
        speed
        for link in derivation.tree.links
        if isinstance(link.body, Particle) and not link.mass.is_zero
        for speed in link.motion.speeds
    }
    speeds = derivation.tree.speeds
    moving = {speed for link in derivation.tree.links for speed in link.motion.speeds}
    examined = moving if with_particles else moving - turning
    kept = [k for k, speed in enumerate(speeds) if speed in examined]
    entries = mass_matrix(derivation.scalars, derivation.scalars.inertias)
    matrices, _ = GenericStates(derivation.graph).matrix(
        [[entries[i][k] for k in kept] for i in kept]
    )
    if not np.isfinite(matrices).all():
        return []  # nothing can be said at these states
    found = min((_dependent(matrix) for matrix in matrices), key=len)
    return [speeds[kept[k]] for k in found]


def _dependent(matrix: np.ndarray) -> list[int]:
    """Return rows of a symmetric matrix that depend on the others."""
    if not matrix.size:
        return []
    scale = np.sqrt(abs(matrix).max(axis=1))
    scale[scale == 0] = 1
    _, triangle, order = scipy.linalg.qr(matrix / np.outer(scale, scale), pivoting=True)
    return sorted(order[abs(np.diag(triangle)) <= NO_MASS].tolist())
