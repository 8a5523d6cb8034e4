"""Against Pinocchio: torques and all joint wrenches (`pin.rnea`, `data.f`), motions (`pin.aba`)."""

import importlib.metadata

import numpy as np
import pytest
from numeric import evaluate_matrix, relative_error, run
from sympy.physics.mechanics import PinJoint, TorqueActuator, dynamicsymbols
from tables import build_system, state

from jointwrench.forward_dynamics import ForwardDynamics
from jointwrench.inverse_dynamics import InverseDynamics

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")

TOLERANCE = 1e-10
GRAVITY = np.array([1.0, -2.0, -9.0])


def random_table(numbers, kinds, branched):
    """Return a table of joints with random placements, axes, masses and inertias."""
    joints = []
    for index, kind in enumerate(kinds):
        inner = numbers.integers(0, index) if branched and index else index - 1
        factor = numbers.uniform(-0.5, 0.5, (3, 3))
        axis = numbers.normal(size=3)
        joints.append(
            {
                "name": f"j{index}",
                "parent": f"j{inner}" if index else "world",
                "type": kind,
                "axis": axis / np.linalg.norm(axis),
                "placement": {"p": numbers.normal(size=3), "R": random_rotation(numbers)},
                "mass": numbers.uniform(0.5, 2),
                "com": numbers.normal(size=3),
                "inertia_com": np.trace(factor @ factor.T) * np.eye(3) - factor @ factor.T,
            }
        )
    return joints


def random_rotation(numbers):
    q, r = np.linalg.qr(numbers.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


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
@pytest.mark.parametrize("seed", range(10))
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
    "ur5_robot.urdf": False,
    "panda.urdf": False,  # with fingers that slide
    "xarm7.urdf": False,
    "bolt.urdf": True,
    "hyq_no_sensors.urdf": True,
    "simple_humanoid.urdf": True,
}


def read_robot(name, floats):
    """Return Pinocchio's model of a file."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("needs example-robot-data (pip install example-robot-data)")
    path = next(file.locate() for file in files if file.name == name)
    model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floats else []))
    model.gravity.linear = GRAVITY
    return model


def table_of(model):
    """Return Pinocchio's model as a table of joints."""
    data, rows = model.createData(), []
    pin.computeJointJacobians(model, data, pin.neutral(model))
    for k in range(1, model.njoints):
        joint, body = model.joints[k], model.inertias[k]
        jacobian = pin.getJointJacobian(model, data, k, pin.LOCAL)
        twist = jacobian[:, joint.idx_v]
        kind = "free" if joint.nv == 6 else "revolute" if twist[3:].any() else "prismatic"
        placement = model.jointPlacements[k]
        rows.append(
            {
                "name": f"j{k}",
                "parent": f"j{model.parents[k]}" if model.parents[k] else "world",
                "type": kind,
                "axis": twist[3:] if kind == "revolute" else twist[:3],
                "placement": {"p": placement.translation, "R": placement.rotation},
                "mass": body.mass,
                "com": body.lever,
                "inertia_com": body.inertia,
            }
        )
    return rows


@pytest.mark.parametrize("name", ROBOTS)
def test_accelerations_of_robots(name):
    """With a motor in every pin; Pinocchio has a floating base's velocity in the base's frame."""
    floats, model, numbers = ROBOTS[name], read_robot(name, ROBOTS[name]), np.random.default_rng(3)
    system = build_system(table_of(model), GRAVITY)
    torques = np.zeros(model.nv)
    motors = {}
    for k, joint in enumerate(system.joints, start=1):
        if isinstance(joint, PinJoint):
            torque = dynamicsymbols(f"tau{k}")
            system.add_actuators(TorqueActuator.at_pin_joint(torque, joint))
            motors[torque] = torques[model.joints[k].idx_v] = numbers.uniform(-1, 1)
    q, v = numbers.uniform(-1, 1, (2, model.nv))
    theirs, ours = (q, v), (q, v)
    rotation, base = np.eye(3), slice(0, 3)
    if floats:
        quaternion = pin.Quaternion(random_rotation(numbers))
        rotation = quaternion.matrix()
        x, y, z, w = quaternion.coeffs()
        theirs = np.concatenate([q[:3], [x, y, z, w], q[6:]]), v
        ours = np.concatenate([q[:3], [w, x, y, z], q[6:]]), v.copy()
        ours[1][base] = rotation @ v[base]
    expected = pin.aba(model, model.createData(), *theirs, torques)
    if floats:
        expected[base] = rotation @ (expected[base] + np.cross(v[3:6], v[base]))
    evaluate = ForwardDynamics(system).compile(("udot", "qdot"), backend="numpy")
    found = evaluate(*ours, specifieds=motors)
    assert relative_error(found.udot, expected) < 1e-9
    if floats:  # along the path that Pinocchio integrates
        step = 1e-6
        moved = pin.integrate(model, theirs[0], step * v)
        x, y, z, w = (moved - theirs[0])[3:7] / step
        assert found.qdot[3:7] == pytest.approx([w, x, y, z], abs=1e-5)
        assert found.qdot[:3] == pytest.approx((moved - theirs[0])[:3] / step, abs=1e-5)


# -- derivatives --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, floats in ROBOTS.items() if not floats])
def test_derivatives_of_robots(name):
    """Of torques in q, u and udot, and of accelerations in q and u."""
    model, numbers = read_robot(name, False), np.random.default_rng(4)
    system = build_system(table_of(model), GRAVITY)
    q, u, _ = motion = numbers.uniform(-1, 1, (3, model.nv))
    data, still = model.createData(), np.zeros(model.nv)
    idyn, values = InverseDynamics(system), state(system, *motion)
    names = ("q", "u", "udot")
    found = run(idyn._programs.cheapest(["generalized_forces"], None, names), values)
    expected = pin.computeRNEADerivatives(model, data, *motion)
    for group, slopes in zip(names, expected, strict=True):
        symmetric = np.triu(slopes) + np.triu(slopes, 1).T if group == "udot" else slopes
        assert relative_error(found[f"generalized_forces_wrt_{group}"], symmetric) < 1e-9
    fdyn = ForwardDynamics(system)
    found = run(fdyn._programs.cheapest(["udot"], None, names[:2]), values)
    expected = pin.computeABADerivatives(model, data, q, u, still)
    for group, slopes in zip(names[:2], expected[:2], strict=True):
        assert relative_error(found[f"udot_wrt_{group}"], slopes) < 1e-9
