"""Generalized forces and joint wrenches against MuJoCo (`mj_inverse`, `cfrc_int`).

MuJoCo's free joint has the velocity of the body's origin in the world's frame and the angular
velocity in the body's frame, its ball joint the angular velocity in the body's frame: those are
the speeds of FreeJoint(rotation="quaternion") and QuaternionJoint.
"""

import numpy as np
import pytest
from marks import slow
from spatial import quaternion_of, random_table
from tables import build_system

from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")

TOLERANCE = 1e-9
GRAVITY = np.array([1.0, -2.0, -9.0])
JOINTS = {
    "free": "<freejoint name='{name}'/>",
    "ball": "<joint name='{name}' type='ball'/>",
    "revolute": "<joint name='{name}' type='hinge' axis='{axis}'/>",
    "prismatic": "<joint name='{name}' type='slide' axis='{axis}'/>",
}


def text(values):
    return " ".join(f"{value:.17g}" for value in np.ravel(values))


def body_text(table, row):
    """Return the XML of a body with those behind it."""
    i = row["inertia_com"]
    moments = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    placement = row["placement"]
    joint = JOINTS[row["type"]].format(name=row["name"], axis=text(row["axis"]))
    behind = "".join(body_text(table, other) for other in table if other["parent"] == row["name"])
    return (
        f"<body name='{row['name']}' pos='{text(placement['p'])}' "
        f"quat='{text(quaternion_of(placement['R']))}'>{joint}"
        f"<inertial pos='{text(row['com'])}' mass='{row['mass']:.17g}' "
        f"fullinertia='{text(moments)}'/>{behind}</body>"
    )


def build_model(table):
    bodies = "".join(body_text(table, row) for row in table if row["parent"] == "world")
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><option gravity='{text(GRAVITY)}'><flag contact='disable'/></option>"
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )


def wrench_on(data, model, body):
    """Return the wrench on a body by its parent, about and in the body's frame."""
    index = model.body(body).id
    moment, force = np.split(data.cfrc_int[index], 2)
    center = data.subtree_com[model.body_rootid[index]]
    moment = moment + np.cross(center - data.xpos[index], force)
    back = data.xmat[index].reshape(3, 3).T
    return [*(back @ force), *(back @ moment)]


@pytest.mark.parametrize("base", ["free", "ball"])
@pytest.mark.parametrize("seed", [1, *slow([0, 2, 3, 4, 5])])
def test_random(seed, base):
    numbers = np.random.default_rng([seed, base == "free"])
    others = numbers.choice(["ball", "revolute", "prismatic", "free"], seed)
    table = random_table(numbers, [base, *others], branched=seed % 2)
    system, model = build_system(table, GRAVITY), build_model(table)
    data = mujoco.MjData(model)
    q, u, udot = (numbers.uniform(-1, 1, len(x)) for x in (system.q, system.u, system.u))
    order, start = [], [0, 0]
    for row, joint in zip(table, system.joints, strict=True):
        width, freedoms = len(joint.coordinates), len(joint.speeds)
        q_first, u_first = model.joint(row["name"]).qposadr[0], model.joint(row["name"]).dofadr[0]
        data.qpos[q_first : q_first + width] = q[start[0] : start[0] + width]
        if row["type"] in ("ball", "free"):  # ours are of any norm
            quaternion = data.qpos[q_first + width - 4 : q_first + width]
            quaternion /= np.linalg.norm(quaternion)
        order.extend(range(u_first, u_first + freedoms))
        start = [start[0] + width, start[1] + freedoms]
    data.qvel[order], data.qacc[order] = u, udot
    mujoco.mj_inverse(model, data)
    mujoco.mj_rnePostConstraint(model, data)

    result = InverseDynamics(system).compile(backend="numpy")(q, u, udot)
    wrenches = np.array([wrench_on(data, model, row["name"]) for row in table])
    scale = max(1, np.abs(wrenches).max())
    expected = data.qfrc_inverse[order]
    np.testing.assert_allclose(result.generalized_forces, expected, atol=TOLERANCE * scale)
    np.testing.assert_allclose(result.joint_wrenches, wrenches, atol=TOLERANCE * scale)
