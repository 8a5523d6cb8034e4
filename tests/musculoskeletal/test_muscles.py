"""Slopes of models with sympy's muscles, whose curves hold unevaluated expressions."""

import numpy as np
import pytest
import sympy.physics.biomechanics as bm
import sympy.physics.mechanics as me
from bodies import rigid_body, system_of
from slope_laws import check_first
from sympy import Float

from jointwrench import InverseDynamics

FORMULATIONS = ("RIGID_TENDON", "FIBER_LENGTH_EXPLICIT", "TENDON_FORCE_EXPLICIT")


def limb(formulation="RIGID_TENDON"):
    """Return a rod on a pin with a muscle to ground, and the bodies on which the muscle ends."""
    ground, rod = rigid_body("ground"), rigid_body("rod", 2, 0, 0.1, 0.1)
    joint = me.PinJoint("J", ground, rod, child_point=-0.5 * rod.x, joint_axis=ground.z)
    system = system_of(ground, joint)
    start = ground.masscenter.locatenew("start", 0.3 * ground.y)
    end = rod.masscenter.locatenew("end", -0.3 * rod.x)
    muscle = bm.MusculotendonDeGroote2016.with_defaults(
        "muscle",
        me.LinearPathway(start, end),
        bm.FirstOrderActivationDeGroote2016.with_defaults("activation"),
        musculotendon_dynamics=bm.MusculotendonFormulation[formulation],
        tendon_slack_length=Float(0.15),
        peak_isometric_force=Float(500.0),
        optimal_fiber_length=Float(0.2),
    )
    system.add_actuators(muscle)
    return system, {start: ground, end: rod}


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_slopes_of_every_formulation(formulation):
    system, owners = limb(formulation)
    idyn = InverseDynamics(system, owners=owners)
    values = {x: 0.5 for group in idyn.inputs.values() for x in group}
    check_first(idyn, ["generalized_forces"], values, 1e-12)


def test_c_code_with_slopes_for_casadi(tmp_path):
    system, owners = limb()
    idyn = InverseDynamics(system, owners=owners)
    (path,) = idyn.write_casadi(tmp_path / "limb.c", "generalized_forces")
    assert "Unevaluated" not in path.read_text()


def test_curve_that_nobody_evaluated():
    ground, cart = rigid_body("ground"), me.RigidBody("cart")
    q = me.dynamicsymbols("q")
    system = system_of(ground, me.PrismaticJoint("slider", ground, cart, coordinates=q))
    curve = bm.TendonForceLengthDeGroote2016.with_defaults(q)
    system.add_loads(me.Force(cart.masscenter, -curve * ground.x))
    idyn = InverseDynamics(system)
    evaluate = idyn.compile(
        "generalized_forces", constants={"cart_mass": 1.0}, derivatives="q", backend="numpy"
    )
    slope = evaluate([1.02], [0], [0]).derivative("generalized_forces", "q")[0, 0]
    c0, c1, c3 = 0.2, 0.995, 33.93669377311689  # De Groote et al. 2016, table of the tendon
    assert slope == pytest.approx(c0 * c3 * np.exp(c3 * (1.02 - c1)), rel=1e-12)
