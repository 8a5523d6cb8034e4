"""`read_urdf` of robots against Pinocchio and MuJoCo: torques, all joint wrenches, mass matrix."""

import numpy as np
import pytest
from numeric import relative_error
from robots import GRAVITY, random_motion, robot_file, without_meshes

from jointwrench import read_urdf

TOLERANCE = 1e-9
OUTPUTS = ("generalized_forces", "joint_wrenches", "mass_matrix")

#: Files of example-robot-data, whether the base floats, and whether fixed links are merged.
ROBOTS = {
    "panda": (False, False),  # with fingers that slide
    "solo12": (True, False),
    "ur5_robot": (False, True),
    "xarm7": (False, False),
    "kinova": (False, False),  # continuous joints
    "z1": (False, True),
    "bolt": (True, True),
    "go2": (True, False),
    "hyq_no_sensors": (True, False),
    "anymal-kinova": (True, True),
    "simple_humanoid": (True, False),
    "g1_29dof_rev_1_0": (True, True),
    "talos_reduced": (True, False),
    "romeo": (True, False),  # hands without mass
}
IN_MUJOCO = ("panda", "ur5_robot", "xarm7", "z1", "kinova", "so101", "baxter")


def quick(names, count):
    """Return names as parameters, all but the first few slow."""
    return [
        name if k < count else pytest.param(name, marks=pytest.mark.slow)
        for k, name in enumerate(names)
    ]


@pytest.mark.parametrize("name", quick(ROBOTS, 2))
def test_against_pinocchio(name):
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
    path, (floating, merge_fixed) = robot_file(name), ROBOTS[name]
    options = {"merge_fixed": merge_fixed, "gravity": GRAVITY, "nonphysical": "keep"}
    model = read_urdf(path, floating, **options)
    free = [pin.JointModelFreeFlyer()] if floating else []
    theirs = pin.buildModelFromUrdf(str(path), *free)
    theirs.gravity.linear = np.array(GRAVITY)
    data = theirs.createData()

    q, u, udot = random_motion(model)
    found = model.inverse_dynamics().compile(OUTPUTS, backend="numpy")(q, u, udot)
    there = model.to_pinocchio(q, u, udot, found.generalized_forces)
    torques = pin.rnea(theirs, data, there.q, there.u, there.udot)
    back = model.from_pinocchio(there.q, there.u, there.udot, torques)
    assert relative_error(found.generalized_forces, back.forces) < TOLERANCE
    for before, after in zip((q, u, udot), back, strict=False):
        assert after == pytest.approx(before, abs=1e-12)

    joints = [joint for joint in model.joints if theirs.existJointName(joint)]
    assert len(joints) == theirs.njoints - 1
    ours = np.array([found.joint_wrench(joint) for joint in joints])
    wrenches = np.array([data.f[theirs.getJointId(joint)].vector for joint in joints])
    assert relative_error(ours, wrenches) < TOLERANCE

    pin.crba(theirs, data, there.q)
    mass_matrix = np.triu(data.M) + np.triu(data.M, 1).T
    still = np.zeros(len(u))
    for column, unit in zip(found.mass_matrix.T, np.eye(len(u)), strict=True):
        moved = model.to_pinocchio(q, still, unit, column)
        if not model.dependent:
            assert relative_error(moved.forces, mass_matrix @ moved.udot) < TOLERANCE
        back = model.from_pinocchio(moved.q, tau=mass_matrix @ moved.udot)
        assert relative_error(column, back.forces) < TOLERANCE


@pytest.mark.parametrize("name", quick(IN_MUJOCO, 1))
def test_against_mujoco(name):
    """MuJoCo welds fixed links together, and takes what mimics as a constraint: left out here."""
    mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")
    text = without_meshes(robot_file(name))
    model = read_urdf(text, gravity=GRAVITY, nonphysical="keep")
    theirs = mujoco.MjModel.from_xml_string(text)
    theirs.opt.gravity = GRAVITY
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    theirs.dof_damping[:] = 0
    data = mujoco.MjData(theirs)

    q, u, udot = random_motion(model)
    found = model.inverse_dynamics().compile(OUTPUTS, backend="numpy")(q, u, udot)
    data.qpos, data.qvel, data.qacc = model.to_mujoco(q, u, udot)[:3]
    mujoco.mj_inverse(theirs, data)
    mujoco.mj_rnePostConstraint(theirs, data)
    back = model.from_mujoco(data.qpos, data.qvel, data.qacc, data.qfrc_inverse)
    assert relative_error(found.generalized_forces, back.forces) < TOLERANCE
    for before, after in zip((q, u, udot), back, strict=False):
        assert after == pytest.approx(before, abs=1e-12)

    joints = [theirs.joint(k).name for k in range(theirs.njnt)]
    ours = np.array([found.joint_wrench(joint) for joint in joints])
    bodies = [theirs.joint(joint).bodyid[0] for joint in joints]
    wrenches = np.array([wrench_on(data, theirs, body) for body in bodies])
    assert relative_error(ours, wrenches) < TOLERANCE

    mass_matrix = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, data, mass_matrix)
    for column, unit in zip(found.mass_matrix.T, np.eye(len(u)), strict=True):
        forces = mass_matrix @ model.to_mujoco(q, 0 * u, unit).udot
        assert relative_error(column, model.from_mujoco(data.qpos, qfrc=forces).forces) < TOLERANCE


def wrench_on(data, model, index):
    """Return the wrench on a body by its parent, about and in the body's frame."""
    moment, force = np.split(data.cfrc_int[index], 2)
    center = data.subtree_com[model.body_rootid[index]]
    moment = moment + np.cross(center - data.xpos[index], force)
    back = data.xmat[index].reshape(3, 3).T
    return [*(back @ force), *(back @ moment)]
