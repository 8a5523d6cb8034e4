"""The kinetic energy of each body, and the potential energy of all."""

from sympy import S
from sympy.physics.mechanics import LinearSpring

from ...arithmetic.graph import Scalar, total
from ...arithmetic.vectors import Vec
from ..derivation import Derivation
from ..loops.constraint_errors import origin_velocities


def kinetic_energies(derivation: Derivation) -> list[Scalar]:
    """Return the kinetic energy of each body in the inertial frame."""
    # T = (v . p + w . L) / 2, about the body's origin
    tree, half = derivation.scalars, derivation.graph.scalar(S.Half)
    velocities = origin_velocities(tree, derivation.motions)
    found = []
    for inertia, motion, velocity in zip(
        tree.inertias, derivation.motions, velocities, strict=True
    ):
        spin = motion.angular_velocity
        momentum = inertia.momentum(spin, velocity)
        found.append((velocity.dot(momentum.force) + spin.dot(momentum.moment)) * half)
    return found


def energies(derivation: Derivation) -> list[Scalar]:
    """Return the kinetic and the potential energy of all bodies in the inertial frame.

    The potential energy is that of uniform gravity, zero at the ground origin, and of the System's
    LinearSpring actuators, zero at their equilibrium length.  Other loads have no known potential.
    """
    graph = derivation.graph
    terms = kinetic_energies(derivation), _potentials(derivation)
    return [total([graph.scalar(0), *own]) for own in terms]


def _potentials(derivation: Derivation) -> list[Scalar]:
    """Return the terms of the potential energy."""
    tree, graph = derivation.scalars, derivation.graph
    gravity = tree.express(derivation.loads.gravity_parts, None)
    terms = []
    for index, link in enumerate(derivation.tree.links):
        if not (gravity.is_zero or link.mass.is_zero):
            place = tree.place(Vec.enter(graph, link.masscenter), index, None)
            terms.append(-(gravity.dot(place) * graph.scalar(link.mass)))
    system = derivation.tree.system
    for actuator in () if system is None else system.actuators:
        if isinstance(actuator, LinearSpring):
            strain = actuator.pathway.length - actuator.equilibrium_length
            terms.append(graph.scalar(actuator.stiffness * strain**2 / 2))
    return terms
