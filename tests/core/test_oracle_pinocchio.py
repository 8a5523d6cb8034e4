"""Forward dynamics of robots against Pinocchio (`pin.aba`)."""

import re

import numpy as np
import pytest
from marks import slow
from numeric import relative_error
from robots import random_motion, robot_file
from sympy.physics.mechanics import PinJoint, TorqueActuator, dynamicsymbols

from jointwrench.robots import read_urdf

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")

GRAVITY = np.array([1.0, -2.0, -9.0])


#: Files of example-robot-data, and whether the base floats.
ROBOTS = {"ur5_robot": False, "panda": False, "xarm7": False}
ROBOTS |= {"bolt": True, "hyq_no_sensors": True, "simple_humanoid": True}


@pytest.mark.parametrize(
    "name", ["panda", *slow(["ur5_robot", "bolt", "xarm7", "hyq_no_sensors", "simple_humanoid"])]
)
def test_accelerations_of_robots(name):
    """With a motor in every pin; Pinocchio has a floating base's velocity in the base's frame."""
    floats, numbers = ROBOTS[name], np.random.default_rng(3)
    text = re.sub("<mimic.*?/>", "", robot_file(name).read_text())  # pin.aba knows none
    theirs = pin.buildModelFromXML(text, *([pin.JointModelFreeFlyer()] if floats else []))
    theirs.gravity.linear = np.array(GRAVITY)
    options = {"merge_fixed": True, "gravity": GRAVITY, "nonphysical": "keep"}
    model = read_urdf(text, floats, **options)
    forces, motors = np.zeros(len(model.speeds)), {}
    for k, speed in enumerate(model.speeds):
        if isinstance(model.joints.get(speed), PinJoint):
            torque = dynamicsymbols(f"tau{k}")
            actuator = TorqueActuator.at_pin_joint(torque, model.joints[speed])
            model.system.add_actuators(actuator)
            motors[torque] = forces[k] = numbers.uniform(-1, 1)
    q, u, _ = random_motion(model)
    there = model.to_pinocchio(q, u, forces=forces)
    udot = pin.aba(theirs, theirs.createData(), there.q, there.u, there.forces)
    expected = model.from_pinocchio(there.q, there.u, udot).udot
    found = model.forward_dynamics().compile(("udot", "qdot"), backend="numpy")(
        q, u, specifieds=motors
    )
    assert relative_error(found.udot, expected) < 1e-9
    if floats:  # along the path that Pinocchio integrates
        step = 1e-6
        moved = model.from_pinocchio(pin.integrate(theirs, there.q, step * there.u))
        assert found.qdot == pytest.approx((moved.q - q) / step, abs=1e-5)
