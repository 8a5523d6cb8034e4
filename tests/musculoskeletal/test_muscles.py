"""Slopes of models with sympy's muscles, whose curves hold unevaluated expressions."""

import numpy as np
import pytest
from bodies import rigid_body
from sympy import Float
from sympy.physics.biomechanics import (
    FirstOrderActivationDeGroote2016,
    MusculotendonDeGroote2016,
    MusculotendonFormulation,
    TendonForceLengthDeGroote2016,
)
from sympy.physics.mechanics import (
    Force,
    LinearPathway,
    PinJoint,
    PrismaticJoint,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

from jointwrench import ForwardDynamics, InverseDynamics

FORMULATIONS = ("RIGID_TENDON", "FIBER_LENGTH_EXPLICIT", "TENDON_FORCE_EXPLICIT")


def limb(formulation="RIGID_TENDON"):
    """Return a rod on a pin with a muscle to ground, and the bodies on which the muscle ends."""
    ground, rod = rigid_body("ground"), RigidBody("rod", mass=2)
    rod.central_inertia = inertia(rod.frame, 0, 0.1, 0.1)
    system = System.from_newtonian(ground)
    system.add_joints(PinJoint("J", ground, rod, child_point=-0.5 * rod.x, joint_axis=ground.z))
    start = ground.masscenter.locatenew("start", 0.3 * ground.y)
    end = rod.masscenter.locatenew("end", -0.3 * rod.x)
    muscle = MusculotendonDeGroote2016.with_defaults(
        "muscle",
        LinearPathway(start, end),
        FirstOrderActivationDeGroote2016.with_defaults("activation"),
        musculotendon_dynamics=MusculotendonFormulation[formulation],
        tendon_slack_length=Float(0.15),
        peak_isometric_force=Float(500.0),
        optimal_fiber_length=Float(0.2),
    )
    system.add_actuators(muscle)
    return system, {start: ground, end: rod}


def differences(function, x, step=1e-6):
    """Return central differences of a function of one number."""
    return (function(x + step) - function(x - step)) / (2 * step)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_slopes_of_every_formulation(formulation):
    system, owners = limb(formulation)
    idyn = InverseDynamics(system, owners=owners)
    (specified,) = idyn.specifieds
    constants = {symbol: 0.5 for symbol in idyn.constants}
    evaluate = idyn.compile(
        "generalized_forces",
        constants=constants,
        derivatives=["q", "u", "specifieds"],
        backend="numpy",
    )

    def torque(q=0.3, u=0.4, value=0.6):
        return evaluate([q], [u], [0.0], specifieds={specified: value})

    def forces(**given):
        return torque(**given).generalized_forces[0]

    found = [torque().derivative("generalized_forces", w)[0, 0] for w in ("q", "u", "specifieds")]
    expected = [
        differences(lambda q: forces(q=q), 0.3),
        differences(lambda u: forces(u=u), 0.4),
        differences(lambda value: forces(value=value), 0.6),
    ]
    assert np.abs(expected)[[0, 2]].min() > 1
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_linearized_limb_follows_its_muscle():
    system, owners = limb()
    fdyn = ForwardDynamics(system, owners=owners)
    (specified,) = fdyn.specifieds
    constants, given = {symbol: 0.5 for symbol in fdyn.constants}, {specified: 0.6}
    found = fdyn.linearize([0.3], [0.0], constants=constants, specifieds=given)
    evaluate = fdyn.compile("udot", backend="numpy")

    def udot(q):
        return evaluate([q], [0.0], constants=constants, specifieds=given).udot[0]

    np.testing.assert_allclose(found.A[1, 0], differences(udot, 0.3), rtol=1e-7)


def test_c_code_with_slopes_for_casadi(tmp_path):
    system, owners = limb()
    idyn = InverseDynamics(system, owners=owners)
    (path,) = idyn.write_casadi(tmp_path / "limb.c", "generalized_forces")
    assert "Unevaluated" not in path.read_text()


def test_curve_that_nobody_evaluated():
    ground, cart = rigid_body("ground"), RigidBody("cart")
    q = dynamicsymbols("q")
    system = System.from_newtonian(ground)
    system.add_joints(PrismaticJoint("slider", ground, cart, coordinates=q))
    curve = TendonForceLengthDeGroote2016.with_defaults(q)
    system.add_loads(Force(cart.masscenter, -curve * ground.x))
    idyn = InverseDynamics(system)
    evaluate = idyn.compile(
        "generalized_forces", constants={"cart_mass": 1.0}, derivatives="q", backend="numpy"
    )
    slope = evaluate([1.02], [0], [0]).derivative("generalized_forces", "q")[0, 0]
    c0, c1, c3 = 0.2, 0.995, 33.93669377311689  # De Groote et al. 2016, table of the tendon
    assert slope == pytest.approx(c0 * c3 * np.exp(c3 * (1.02 - c1)), rel=1e-12)
