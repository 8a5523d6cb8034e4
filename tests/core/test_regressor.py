"""Forces are coefficients times inertial parameters, plus what known loads ask for."""

import numpy as np
import pytest
from bodies import rigid_body, system_of
from linkages import slider_crank
from marks import slow
from numeric import evaluate, run
from random_systems import closed_system
from refusals import refused
from sympy import Symbol
from sympy.physics.mechanics import Particle, PinJoint

from jointwrench import ForwardDynamics, InverseDynamics, SerialChain

PAIRS = {
    "generalized_forces": ("regressor", "known_loads"),
    "joint_wrenches": ("joint_wrench_regressor", "known_wrenches"),
}


def parameters(idyn, values):
    return np.array([evaluate(p.value, values) for p in idyn.inertial_parameters])


def check(idyn, values, forces=PAIRS):
    """Compare both sides of the linear equation."""
    needed = [name for force in forces for name in (force, *PAIRS[force])]
    outputs, own = run(idyn.program(needed), values), parameters(idyn, values)
    for force in forces:
        slopes, rest = (outputs[name] for name in PAIRS[force])
        size = np.nanmax(abs(outputs[force]), initial=1)
        np.testing.assert_allclose(slopes @ own + rest, outputs[force], 1e-9, 1e-9 * size)
    return outputs


@pytest.mark.parametrize(("number", "is_planar"), [(9, False), (4, True), *slow([(8, True)])])
def test_closed_chains(number, is_planar):
    """What mechanics leaves open is NaN in the coefficients, too."""
    chain = closed_system(number, planar=is_planar)
    idyn = chain.inverse()
    outputs = check(idyn, chain.inputs)
    is_open = np.isnan(outputs["joint_wrenches"])
    assert np.array_equal(np.isnan(outputs["joint_wrench_regressor"]).all(-1), is_open)
    assert is_open.any() == (is_planar or bool(idyn.undetermined))


def test_actuators():
    """Friction and rotors of a tree act at their own speeds."""
    idyn = InverseDynamics(SerialChain.planar(2).system)
    evaluate_it = idyn.compile("actuator_regressor", backend="numpy")
    found = evaluate_it([[0.1, 0.2]] * 2, [[3, -4], [0, 5]], [[7, 8], [9, 10]])
    rows = [[[3, 1, 7], [-4, -1, 8]], [[0, 0, 9], [5, 1, 10]]]
    expected = np.zeros((2, 2, 6))
    expected[:, 0, :3], expected[:, 1, 3:] = np.swapaxes(rows, 0, 1)
    np.testing.assert_array_equal(found.actuator_regressor, expected)


@pytest.mark.usefixtures("numpy_by_default")
def test_friction_in_a_closed_loop_reaches_the_motor():
    """It is what a damper in the passive joint of a slider-crank costs, by power."""
    system, slider = slider_crank(1, 0)
    idyn = InverseDynamics(system, loops=[slider])
    q, u, udot = idyn.close_motion([1, -1.5], [2, 0], [3, 0])
    found = idyn.compile("actuator_regressor", backend="numpy")(q, u, udot).actuator_regressor
    ratio = u[1] / u[0]
    expected = [u[0], 1, udot[0], ratio * u[1], ratio * np.sign(u[1]), ratio * udot[1]]
    np.testing.assert_allclose(found, [expected, np.zeros(6)], 1e-12)


def test_names_and_definitions():
    m, length = Symbol("m"), Symbol("l")
    ground, bob, moment = rigid_body("ground"), Particle("bob", mass=m), m * length**2 / 12
    rod = rigid_body("rod", m, moment, 0, moment)
    arm = length / 2 * rod.y
    pin = PinJoint("pin", ground, rod, child_point=arm, joint_axis=ground.z)
    system = system_of(ground, pin, PinJoint("second", rod, bob, parent_point=arm))
    found = InverseDynamics(system).inertial_parameters
    kinds = ["m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Izx"]
    assert [p.name for p in found[:10]] == [f"{kind} rod" for kind in kinds]
    assert [p.body for p in found] == [rod] * 10 + [bob] * 10
    assert (found[0].value, found[2].value) == (m, -m * length / 2)
    assert (found[6].value - m * length**2 / 3).simplify() == 0
    words = (
        "mass of rod times the y coordinate of its mass centre, from the point {} in the frame {}"
    )
    assert found[2].definition == words.format(pin.child_point.name, "rod_frame")
    assert found[12].name == "my bob"


def test_the_model_stays_what_it_is():
    """Symbols that stand in for the parameters are no inputs; other outputs keep their cost."""
    chain = SerialChain.planar(2)
    idyn, other = InverseDynamics(chain.system), InverseDynamics(chain.system)
    other.program(["regressor", "joint_wrench_regressor"])
    assert other.inputs == idyn.inputs
    assert other.count_ops() == idyn.count_ops()
    assert other.mass_matrix == idyn.mass_matrix


def test_forward_dynamics_has_none():
    fdyn = ForwardDynamics(SerialChain.planar(1).system)
    refused(lambda: fdyn.compile("regressor"), "outputs")
