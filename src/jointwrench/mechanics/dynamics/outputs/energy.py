"""The kinetic energy and the powers of each body, and the potential energy of all."""

from sympy import S
from sympy.physics.mechanics import LinearSpring

from ...arithmetic.graph import Scalar, total
from ...arithmetic.output import Output
from ...arithmetic.vectors import Vec
from ..derivation import Derivation
from ..loops.constraint_errors import origin_velocities
from .contributions import summed_parts, supplied_parts
from .force_outputs import column_output
from .wrench_outputs import check_locations

#: First words of the names of contributions: of gravity, of loads, and of other joints.
ACTING = (("gravity",), ("load",), ("joint", "body"))


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


def body_powers_output(derivation: Derivation) -> Output:
    """Return the powers on each body of gravity, loads, outer joints and its inner joint."""
    check_locations(derivation)
    # P = F . v + M . w, about the body's origin
    velocities = origin_velocities(derivation.scalars, derivation.motions)
    values: list[Scalar] = []
    added: list[Scalar] = []
    for index, velocity in enumerate(velocities):
        spin = derivation.motions[index].angular_velocity
        balancing = summed_parts(derivation, supplied_parts(derivation, index), ACTING)
        acting = [(-x, -y) for x, y in balancing]
        acting.append((derivation.joint_wrenches[index], derivation.supply.open_wrenches[index]))
        for powers, wrenches in zip((values, added), zip(*acting, strict=True), strict=True):
            powers += [velocity.dot(x.force) + spin.dot(x.moment) for x in wrenches]
    shape, entries = (len(velocities), 4), derivation.nan_if_undetermined(values, added)
    title = "power on each body (gravity, loads, other joints, the joint that leads to ground)"
    return Output.from_scalars("body_powers", shape, entries, title, mass_dimension=1)


def kinetic_energies_output(derivation: Derivation) -> Output:
    values = kinetic_energies(derivation)
    return column_output("kinetic_energies", values, "kinetic energies", "body", 1)
