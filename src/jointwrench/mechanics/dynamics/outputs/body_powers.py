"""The kinetic energy of each body, and the powers of all wrenches on it."""

from ...arithmetic.graph import Scalar
from ...arithmetic.output import Output
from ..derivation import Derivation
from ..loops.constraint_errors import origin_velocities
from ..recursion.rigid_body import BodyWrench
from .contributions import supplied_parts
from .energy import kinetic_energies
from .force_outputs import column_output
from .wrench_outputs import check_locations

#: First words of the names of contributions: of gravity, of loads, and of other joints.
ACTING = (("gravity",), ("load",), ("joint", "body"))


def body_powers_output(derivation: Derivation) -> Output:
    """Return the powers on each body of gravity, loads, outer joints and its inner joint."""
    check_locations(derivation)
    # P = F . v + M . w, about the body's origin
    velocities = origin_velocities(derivation.scalars, derivation.motions)
    nothing = BodyWrench.zero(derivation.graph)
    values: list[Scalar] = []
    added: list[Scalar] = []
    for index, velocity in enumerate(velocities):
        spin = derivation.motions[index].angular_velocity
        pairs = [(name.split()[0], x, y) for name, x, y in supplied_parts(derivation, index)]
        groups = [[pair for pair in pairs if pair[0] in words] for words in ACTING]
        # contributions balance loads
        known = [-sum((x for _, x, _ in own), nothing) for own in groups]
        open_ = [-sum((y for _, _, y in own), nothing) for own in groups]
        known.append(derivation.joint_wrenches[index])
        open_.append(derivation.supply.open_wrenches[index])
        values += [velocity.dot(x.force) + spin.dot(x.moment) for x in known]
        added += [velocity.dot(x.force) + spin.dot(x.moment) for x in open_]
    shape, entries = (len(velocities), 4), derivation.nan_if_undetermined(values, added)
    title = "power on each body (gravity, loads, other joints, the joint that leads to ground)"
    return Output.from_scalars("body_powers", shape, entries, title, mass_dimension=1)


def kinetic_energies_output(derivation: Derivation) -> Output:
    values = kinetic_energies(derivation)
    return column_output("kinetic_energies", values, "kinetic energies", "body", 1)
