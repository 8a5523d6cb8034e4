"""Models of sympy and PyDy: the accelerations of KanesMethod need no further forces."""

import numpy as np
import pytest
from bodies import rigid_body
from numeric import run
from pydy import models as pydy_models
from sympy import Derivative, lambdify, symbols
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import (
    Particle,
    PinJoint,
    PrismaticJoint,
    ReferenceFrame,
    RigidBody,
    System,
    TorqueActuator,
    dynamicsymbols,
    models,
)

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

T = dynamicsymbols._t


def connections_of(kane, bodies):
    """Return a chain: each body joined to the one before at its mass centre."""
    frame = kane._inertial
    inner = [frame, *bodies[:-1]]
    return [(p, c, c.masscenter) for p, c in zip(inner, bodies, strict=True)]


def check(kane, idyn, seed=0):
    """Forward by KanesMethod at a random state, and back: Q = 0, all loads being known."""
    rates = kane.kindiffdict()
    if not kane._fr:
        kane.kanes_equations(kane.bodies, kane.loads or None)
    numbers = np.random.default_rng(seed)
    mass, forcing = kane.mass_matrix.xreplace(rates), kane.forcing.doit().xreplace(rates)
    udot = list(kane.u.diff(T))
    groups = [g for name, g in idyn.inputs.items() if name != "udot"]
    known = {s for group in groups for s in group} | {*kane.q, *kane.u}
    leaves = (mass.free_symbols | forcing.free_symbols) - {T}
    known |= leaves
    known |= forcing.atoms(AppliedUndef, Derivative) - set(udot)
    values = {s: numbers.uniform(0.4, 1.2) for s in sorted(known, key=str)}
    symbols_ = list(values)
    evaluated = lambdify(symbols_, [mass, forcing])(*values.values())
    forward = np.linalg.solve(*(np.array(part, dtype=float) for part in evaluated))[:, 0]
    values |= dict(zip(udot, forward, strict=True))
    forces = run(idyn.program("generalized_forces"), values)["generalized_forces"]
    assert np.abs(forces).max() < 1e-9 * max(1, np.abs(evaluated[1]).max())


def read(kane):
    return InverseDynamics.from_kane(kane, connections_of(kane, list(kane.bodies)))


def test_pendulum_on_cart_of_sympy():
    kane = models.n_link_pendulum_on_cart(3, True, False)
    check(kane, read(kane))


def test_torques_on_massless_links_act_on_their_particles():
    kane = models.n_link_pendulum_on_cart(2, True, True)
    check(kane, InverseDynamics.from_kane(kane))


@pytest.mark.parametrize("gravity", [False, True])
def test_mass_spring_damper_of_sympy(gravity):
    kane = models.multi_mass_spring_damper(3, gravity, True)
    check(kane, read(kane))


def test_pendulum_on_cart_of_pydy():
    kane = pydy_models.n_link_pendulum_on_cart(2, True, False).eom_method
    check(kane, read(kane))


def test_mass_spring_damper_of_pydy():
    kane = pydy_models.multi_mass_spring_damper(2, True, True).eom_method
    check(kane, read(kane))


def test_cart_and_pendulum_of_sympys_system_tests():
    """As in the documentation of System."""
    g, l, mc, mp = symbols("g l mc mp")
    rail, cart = rigid_body("rail"), rigid_body("cart", mc)
    bob = Particle("bob", mass=mp)
    frame = ReferenceFrame("string")
    system = System.from_newtonian(rail)
    slider = PrismaticJoint("slider", rail, cart, joint_axis=rail.x)
    pin = PinJoint(
        "pin", cart, bob, joint_axis=cart.z, child_interframe=frame, child_point=l * frame.y
    )
    system.add_joints(slider, pin)
    system.apply_uniform_gravity(-g * rail.y)
    system.form_eoms()
    check(system.eom_method, InverseDynamics(system))


def test_double_pendulum_of_sympys_joint_tests():
    """With torques and friction at the joints."""
    l, g, c = symbols("l g c")
    ground, upper, lower = rigid_body("N"), RigidBody("U"), RigidBody("L")
    system = System.from_newtonian(ground)
    joints = [
        PinJoint("J1", ground, upper, child_point=l * upper.x, joint_axis=ground.z),
        PinJoint("J2", upper, lower, child_point=l * lower.x, joint_axis=upper.z),
    ]
    system.add_joints(*joints)
    system.apply_uniform_gravity(g * ground.x)
    for joint in joints:
        system.add_actuators(TorqueActuator.at_pin_joint(-c * joint.speeds[0], joint))
    system.form_eoms()
    check(system.eom_method, InverseDynamics(system))
