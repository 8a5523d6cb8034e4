"""Against Pinocchio: torques and all joint wrenches (`pin.rnea`, `data.f`), motions (`pin.aba`)."""

import re

import numpy as np
import pytest
from marks import few, slow
from numeric import evaluate_matrix, relative_error, run
from robots import random_motion, robot_file
from spatial import random_table
from sympy.physics.mechanics import PinJoint, TorqueActuator, dynamicsymbols
from tables import build_system, state

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.robots import read_urdf

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")

TOLERANCE = 1e-10
GRAVITY = np.array([1.0, -2.0, -9.0])


def build_model(joints):
    """Return the same table as a Pinocchio model, and the number of each joint in it."""
    kinds = {
        "revolute": pin.JointModelRevoluteUnaligned,
        "prismatic": pin.JointModelPrismaticUnaligned,
    }
    model, ids = pin.Model(), {"world": 0}
    model.gravity = pin.Motion(GRAVITY, np.zeros(3))
    for row in joints:
        placement = pin.SE3(row["placement"]["R"], row["placement"]["p"])
        if row["type"] == "spherical":
            joint = pin.JointModelSpherical()
        else:
            joint = kinds[row["type"]](row["axis"])
        number = ids[row["name"]] = model.addJoint(
            ids[row["parent"]], joint, placement, row["name"]
        )
        body = pin.Inertia(row["mass"], row["com"], row["inertia_com"])
        model.appendBodyToJoint(number, body, pin.SE3.Identity())
    return model, ids


def pinocchio_joint(joint, values):
    """Return Pinocchio's q, v, a of a joint, and the map from our speeds to v."""
    time = dynamicsymbols._t
    numbers = [[values[x] for x in symbols] for symbols in (joint.coordinates, joint.speeds)]
    accelerations = [values[u.diff(time)] for u in joint.speeds]
    if len(joint.speeds) == 1:
        return numbers[0], numbers[1], accelerations, np.eye(1)
    child, parent = joint.child_interframe, joint.parent_interframe
    rotation = evaluate_matrix(parent.dcm(child), values)
    spin = child.ang_vel_in(parent).to_matrix(child)
    rates = {q.diff(time): u for q, u in zip(joint.coordinates, joint.speeds, strict=True)}
    jacobian = evaluate_matrix(spin.jacobian(joint.speeds), values)
    growth = evaluate_matrix(spin.diff(time).xreplace(rates), values)[:, 0]
    quaternion = pin.Quaternion(rotation).coeffs()
    return quaternion, jacobian @ numbers[1], growth, jacobian


@pytest.mark.parametrize("branched", [False, True], ids=["chain", "tree"])
@pytest.mark.parametrize("seed", few(range(20), 1, 3))
def test_random(seed, branched):
    numbers = np.random.default_rng([seed, branched])
    kinds = numbers.choice(["revolute", "revolute", "prismatic", "spherical"], 1 + seed % 6)
    table = random_table(numbers, kinds, branched)
    system = build_system(table, GRAVITY)
    n = len(system.u)
    values = state(system, *numbers.uniform(-1, 1, (3, n)))
    ours = run(InverseDynamics(system).program(), values)

    model, ids = build_model(table)
    parts = [pinocchio_joint(joint, values) for joint in system.joints]
    data = model.createData()
    torques = pin.rnea(model, data, *(np.concatenate([p[k] for p in parts]) for k in range(3)))
    expected, start = [], 0
    for *_, jacobian in parts:
        size = len(jacobian)
        expected.append(jacobian.T @ torques[start : start + size])
        start += size
    wrenches = np.array([data.f[ids[joint.name]].vector for joint in system.joints])
    assert relative_error(ours["generalized_forces"], np.concatenate(expected)) < TOLERANCE
    assert relative_error(ours["joint_wrenches"], wrenches) < TOLERANCE


# -- forward dynamics of robots -----------------------------------------------------------------

#: Files of example-robot-data, and whether the base floats.
ROBOTS = {
    "ur5_robot": False,
    "panda": False,
    "xarm7": False,
    "bolt": True,
    "hyq_no_sensors": True,
    "simple_humanoid": True,
}


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
