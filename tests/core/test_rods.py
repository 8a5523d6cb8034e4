"""Rods: two points at a fixed distance, with a force along the line between them."""

import numpy as np
import pytest
from bodies import massive_body, rigid_body, system_of
from linkages import closed
from refusals import refused
from sympy import Float
from sympy.physics.mechanics import Force, Particle, PrismaticJoint, System, dynamicsymbols

from jointwrench import ForwardDynamics, InverseDynamics, LoopJoint
from jointwrench.mechanics.mechanism.tree import TopologyError

T = dynamicsymbols._t


def carts(*masses):
    """Return particles on rails along x, as a System, and the particles."""
    ground = rigid_body("ground")
    system = System.from_newtonian(ground)
    bobs = [Particle(f"cart{k}", mass=mass) for k, mass in enumerate(masses)]
    for k, bob in enumerate(bobs):
        frame = ground.frame
        joint = PrismaticJoint(f"rail{k}", ground, bob, joint_axis=(frame.x, frame.y)[k])
        system.add_joints(joint)
    return system, ground, bobs


def test_two_particles_on_a_rod():
    """The ladder that slides: ends of mass 1 and 2 on x and y, pulled by 3 along x at 3-4-5."""
    system, ground, bobs = carts(1, 2)
    system.add_loads(Force(bobs[0].masscenter, 3 * ground.x))
    rod = LoopJoint("rod", *bobs, "rod", length=5)
    fdyn = ForwardDynamics(closed(system, rod), loops=[rod])
    result = fdyn.compile(("udot", "multipliers"), backend="numpy")([3.0, 4.0], [0.0, 0.0])
    # it pushes the second along (-3, 4) / 5: ax = 3 + 3 f / 5, ay = 2 f / 5, 3 ax + 4 ay = 0
    np.testing.assert_allclose(result.multipliers, [-45 / 17], rtol=1e-14)
    np.testing.assert_allclose(result.udot, [3 - 27 / 17, -18 / 17], rtol=1e-14)


def test_winch():
    """A rope of prescribed length holds a mass: tension m (g - l''), power tension times l'."""
    ground, load = rigid_body("ground"), rigid_body("load", 2, 0, 0, 0)
    shaft, length = PrismaticJoint("shaft", ground, load, joint_axis=-ground.z), dynamicsymbols("l")
    system = system_of(ground, shaft, gravity=-9.81 * ground.z)
    rope = LoopJoint("rope", ground, load, "rod", length=length)
    idyn = InverseDynamics(system, loops=[rope], actuated=())
    given = {length: 3.0, length.diff(T): 0.5, length.diff(T, 2): 0.7}
    assert set(idyn.specifieds) == given.keys()
    names = ("joint_wrenches", "multipliers", "constraint_errors", "unsupplied")
    result = idyn.compile(names, backend="numpy")([3.0], [0.5], [0.7], specifieds=given)
    tension = 2 * (9.81 - 0.7)
    np.testing.assert_allclose(result.multipliers, [-tension])
    np.testing.assert_allclose(result.joint_wrench(rope, frame=ground.frame)[:3], [0, 0, tension])
    np.testing.assert_allclose(result.constraint_errors, 0, atol=1e-15)
    assert result.joint_power(rope) == pytest.approx(-tension * 0.5)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 2.5e9])
def test_twin_rods_share_what_nobody_knows(unit):
    """The equations are of squares of the distance alone, which have to tell the model's size."""
    ground, load = rigid_body("ground"), rigid_body("load", 2, 0, 0, 0)
    shaft, unit = PrismaticJoint("shaft", ground, load, joint_axis=-ground.z), Float(unit)
    system = system_of(ground, shaft, gravity=-9.81 * ground.z)
    one, two = (
        LoopJoint(name, ground, load, "rod", x * ground.x, x * load.x, length=3 * unit)
        for name, x in (("one", unit), ("two", -unit))
    )
    idyn = InverseDynamics(system, loops=[one, two], actuated=())
    assert idyn.undetermined == {system.joints[0]: ("my",), one: ("fz",), two: ("fz",)}
    twin = LoopJoint("twin", ground, load, "rod", unit * ground.x, unit * load.x, length=3 * unit)
    refused(lambda: InverseDynamics(system, loops=[one, twin], actuated=()), "loops", TopologyError)


# -- refusals ------------------------------------------------------------------------------------


def test_refuses_lengths():
    bodies = rigid_body("ground"), massive_body("load")
    for length in (None, 0, -1.5, 1j):
        refused(lambda: LoopJoint("L", *bodies, "rod", length=length), "length")


def test_refuses_a_length_that_the_motion_changes():
    system, ground, bobs = carts(1)
    rod = LoopJoint("rod", ground, bobs[0], "rod", ground.y, length=system.q[0])
    refused(lambda: InverseDynamics(system, loops=[rod], actuated=()), "loops", TopologyError)
