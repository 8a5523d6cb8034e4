"""Torques and all joint wrenches against Pinocchio (`pin.rnea`, `data.f`)."""

import numpy as np
import pytest
from numeric import evaluate_matrix, relative_error, run
from sympy.physics.mechanics import dynamicsymbols
from tables import build_system, state

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
