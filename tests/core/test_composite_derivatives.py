"""Derivatives from composite bodies: of every wrench and power, and of generalized forces."""

import numpy as np
import pytest
from bodies import rigid_body, system_of
from long_models import held_tip, tree
from marks import few, slow
from numbered_arms import ROBOTS, robot
from numeric import complex_steps, relative_error, run
from random_systems import random_system
from slope_laws import check_first
from sympy import sin
from sympy.physics.mechanics import Force, Particle, PinJoint, Torque, dynamicsymbols
from test_extra_joints import general_system

from jointwrench import InverseDynamics
from jointwrench.mechanics.arithmetic.output import Output
from jointwrench.mechanics.dynamics.outputs.output_derivatives import check_wrt
from jointwrench.mechanics.dynamics.recursion.composite_derivatives import composite_seeds
from jointwrench.mechanics.dynamics.recursion.scalar_tree import external_wrenches
from jointwrench.mechanics.dynamics.regrouping import regroup
from jointwrench.models.coupled_joint import CoupledJoint

JOINTS = ("pin", "prismatic", "cylindrical", "planar", "spherical", "quaternion", "weld")
LOADS = ("force", "torque", "spring", "strut")


def loaded():
    """Return a chain with a force of ground and a spring on every body."""
    system, bodies = tree("skew", 4, "symbols")
    ground, q = system.frame, system.q
    for k, own in enumerate(bodies):
        system.add_loads(Force(own.masscenter, 7 * ground.x), Torque(own, -q[0] * q[k] * own.y))
    return InverseDynamics(system)


#: Trees with all joints, on ground or free, under loads that depend on several joints.
KINDS = {
    **{k: lambda k=k: random_system(k, 4, joints=JOINTS, loads=LOADS).inverse() for k in range(6)},
    "free": lambda: InverseDynamics(tree("skew", 4, "decimals", is_free=True)[0]),
    "branches": lambda: InverseDynamics(
        tree("skew", 5, "symbols", inner=lambda k: (-1, 0, 1, 0, 3)[k])[0]
    ),
    "slides": lambda: InverseDynamics(tree("slide", 4, "symbols")[0]),
    "mixed": lambda: InverseDynamics(tree("mixed", 4, "symbols")[0]),
    "coupled": lambda: InverseDynamics(general_system("coupled")[0]),
    "loaded": loaded,
    "arm": lambda: robot(ROBOTS["Puma 560"]),
    "contact": lambda: (lambda system, loops: InverseDynamics(system, loops=loops))(
        *held_tip("skew", 4, "symbols")
    ),
}
CHEAP = (0, 1, "mixed", "loaded")


def random_values(known):
    """Return a number for every input; quaternions have the length one."""
    random = np.random.default_rng(4)
    values = {x: random.uniform(0.3, 1.2) for own in known.inputs.values() for x in own}
    for group in known.derivation.tree.unit_quaternions:
        length = np.sqrt(sum(values[x] ** 2 for x in group))
        values |= {x: values[x] / length for x in group}
    return values


@pytest.mark.parametrize("is_regrouped", [False, True])
@pytest.mark.parametrize("kind", few(KINDS, *CHEAP))
def test_seeds_are_derivatives(kind, is_regrouped):
    """Each known derivative is a complex step of the value that it belongs to."""
    known = KINDS[kind]().model.outputs
    derivation, states = known.derivation, [*known.inputs["q"], *known.inputs["u"]]
    states += known.inputs["udot"]
    bodies = derivation.scalars
    bodies = bodies.with_inertias(regroup(bodies)) if is_regrouped else bodies
    loads = external_wrenches(bodies, derivation.loads)
    seeds = composite_seeds(bodies, derivation.motions, loads, states)
    assert seeds
    assert len(seeds) == len(states) or kind == "coupled"
    values, at = {}, random_values(known)
    for k, pairs in enumerate(seeds.values()):
        for name, own in zip(("value", "slope"), zip(*pairs, strict=True), strict=True):
            values[f"{name} {k}"] = Output.from_scalars(f"{name} {k}", (len(own),), own)
    program = known.program(values.values())
    found, steps = run(program, at), complex_steps(program, at, list(seeds))
    for k in range(len(seeds)):
        expected = steps[f"value {k}"][:, k]
        assert relative_error(found[f"slope {k}"], expected) < 1e-11, list(seeds)[k]


@pytest.mark.parametrize("kind", few(KINDS, 0, "mixed"))
def test_first_slopes(kind):
    """The law of slopes, for the derivatives that forward sweeps make of the seeds."""
    model = KINDS[kind]()
    values = random_values(model.model.outputs)
    check_first(model, ["generalized_forces"], values, 1e-9, ["composite"], ["q", "u", "udot"])


def test_states_of_several_joints_have_no_seeds():
    """A crank, and a bead that it drives: both move with the crank's angle."""
    q, u = dynamicsymbols("q u")
    ground, crank, bead = rigid_body("ground"), rigid_body("crank", 2, 1, 1, 1), Particle("bead")
    pin = PinJoint("pin", ground, crank, q, u, joint_axis=ground.z)
    drive = CoupledJoint("drive", ground, bead, [], translation=[sin(q), 0, 0])
    idyn = InverseDynamics(system_of(ground, pin, drive))
    known = idyn.model.outputs
    derivation, acceleration = known.derivation, known.inputs["udot"][0]
    seeds = composite_seeds(derivation.scalars, derivation.motions, {}, [q, u, acceleration])
    assert not seeds
    check_first(idyn, ["generalized_forces"], random_values(known), 1e-12, ["composite"])


@pytest.mark.parametrize(("count", "most"), [(6, 2200), *slow([(12, 7900)])])
def test_operations(count, most):
    """The number of operations grows with the pairs of a joint and one beyond it."""
    idyn = InverseDynamics(tree("twist", count, "symbols")[0])
    program = idyn.model.outputs.cheapest(["generalized_forces"], None, ["q", "u", "udot"])
    assert program.cost() <= most


def test_the_cheapest_way_is_chosen():
    outputs, names = robot(ROBOTS["Franka Panda"]).model.outputs, ["generalized_forces"]
    programs = outputs.alternatives(names, check_wrt(["q", "u"], outputs.inputs))
    costs = [program.cost() for program in programs]
    assert len(costs) == 3
    assert outputs.cheapest(names, None, ["q", "u"]).cost() == min(costs) < 0.8 * max(costs)
