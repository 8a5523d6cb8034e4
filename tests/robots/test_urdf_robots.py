"""`read_urdf` of robots against Pinocchio: torques, all joint wrenches, mass matrix."""

from functools import cache

import numpy as np
import pytest
from marks import few
from numeric import relative_error
from robots import GRAVITY, random_motion, robot_file

from jointwrench import PoseSolver
from jointwrench.robots import read_urdf

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


@cache
def read(name):
    """Return a robot, its inverse dynamics, and the same robot of Pinocchio with its data."""
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
    path, (floating, merge_fixed) = robot_file(name), ROBOTS[name]
    options = {"merge_fixed": merge_fixed, "gravity": GRAVITY, "nonphysical": "keep"}
    model = read_urdf(path, floating, **options)
    free = [pin.JointModelFreeFlyer()] if floating else []
    theirs = pin.buildModelFromUrdf(str(path), *free)
    theirs.gravity.linear = np.array(GRAVITY)
    return model, model.inverse_dynamics(), theirs, theirs.createData()


@pytest.mark.parametrize("name", few(ROBOTS, "panda"))
def test_against_pinocchio(name):
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
    model, idyn, theirs, data = read(name)
    q, u, udot = random_motion(model)
    found = idyn.compile(OUTPUTS, backend="numpy")(q, u, udot)
    there = model.to_pinocchio(q, u, udot, found.generalized_forces)
    torques = pin.rnea(theirs, data, there.q, there.u, there.udot)
    back = model.from_pinocchio(there.q, there.u, there.udot, torques)
    assert relative_error(found.generalized_forces, back.forces) < TOLERANCE
    for before, after in zip((q, u, udot), back, strict=False):
        assert after == pytest.approx(before, abs=1e-12)

    joints = [joint for joint in model.joints if theirs.existJointName(joint)]
    assert len(joints) == theirs.njoints - 1
    ours = np.array([found.joint_wrench(joint, frame="joint") for joint in joints])
    wrenches = np.array([data.f[theirs.getJointId(joint)].vector for joint in joints])
    assert relative_error(ours, wrenches) < TOLERANCE
    converted = model.to_pinocchio(q, joints=list(theirs.names)[1:], result=found).wrenches
    wrenches = np.array([data.f[k].vector for k in range(1, theirs.njoints)])
    assert relative_error(converted, wrenches) < TOLERANCE

    pin.crba(theirs, data, there.q)
    mass_matrix = np.triu(data.M) + np.triu(data.M, 1).T
    still = np.zeros(len(u))
    for column, unit in zip(found.mass_matrix.T, np.eye(len(u)), strict=True):
        moved = model.to_pinocchio(q, still, unit, column)
        if not model.dependent:
            assert relative_error(moved.forces, mass_matrix @ moved.udot) < TOLERANCE
        back = model.from_pinocchio(moved.q, tau=mass_matrix @ moved.udot)
        assert relative_error(column, back.forces) < TOLERANCE


@pytest.mark.parametrize("name", few(ROBOTS, "panda"))
def test_kinematics_against_pinocchio(name):
    """Of all links: frames, their twists, accelerations and Jacobians; and of the whole robot."""
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
    model, idyn, theirs, data = read(name)
    names = [name for name in model.bodies if theirs.existBodyName(name)]
    assert len(names) > 5
    points = {name: model.origins[name] for name in names}
    kin = idyn.kinematics(points, {name: model.bodies[name].frame for name in names})
    q, u, udot = random_motion(model)
    outputs = [name for name in kin.model.outputs.names if name != "energy"]
    found = kin.compile(outputs, backend="numpy")(q, u, udot)

    there, here = model.to_pinocchio(q, u, udot), pin.LOCAL_WORLD_ALIGNED
    pin.forwardKinematics(theirs, data, there.q, there.u, there.udot)
    pin.computeJointJacobians(theirs, data, there.q)
    units = np.eye(len(u))
    speeds = np.array([model.to_pinocchio(q, unit).u for unit in units]).T
    seen = []
    for link in names:
        frame = theirs.getFrameId(link)
        place = pin.updateFramePlacement(theirs, data, frame)
        twist = pin.getFrameVelocity(theirs, data, frame, here)
        change = pin.getFrameClassicalAcceleration(theirs, data, frame, here)
        jacobian = pin.getFrameJacobian(theirs, data, frame, here) @ speeds
        seen.append(
            {
                "positions": place.translation,
                "orientations": place.rotation,
                "velocities": twist.linear,
                "angular_velocities": twist.angular,
                "accelerations": change.linear,
                "angular_accelerations": change.angular,
                "jacobians": jacobian[:3],
                "angular_jacobians": jacobian[3:],
            }
        )
    pin.centerOfMass(theirs, data, there.q, there.u, there.udot)
    momentum = pin.computeCentroidalMomentum(theirs, data, there.q, there.u)
    base = theirs.inertias[0]  # at rest, no part of what moves there; merged with ground here
    share = 1.0 if ROBOTS[name][1] else data.mass[0] / (data.mass[0] + base.mass)
    center = share * data.com[0] + (1 - share) * base.lever
    angular = momentum.angular + np.cross(data.com[0] - center, momentum.linear)
    whole = {
        "center_of_mass": center,
        "center_of_mass_velocity": share * data.vcom[0],
        "center_of_mass_acceleration": share * data.acom[0],
        "momentum": np.concatenate([momentum.linear, angular]),
    }
    expected = {output: np.array([link[output] for link in seen]) for output in seen[0]}
    for output, values in {**expected, **whole}.items():
        assert relative_error(getattr(found, output), values) < 1e-12, output


def wrench_on(data, model, index):
    """Return the wrench on a body by its parent, about and in the body's frame."""
    moment, force = np.split(data.cfrc_int[index], 2)
    center = data.subtree_com[model.body_rootid[index]]
    moment = moment + np.cross(center - data.xpos[index], force)
    back = data.xmat[index].reshape(3, 3).T
    return [*(back @ force), *(back @ moment)]


@pytest.mark.slow
def test_poses_of_a_whole_body_are_reached_and_settle():
    """Hands and feet of a G1 at once; bounds end most steps along poses that reach them."""
    robot = read_urdf(robot_file("g1_29dof_rev_1_0"))
    sides = [f"{side}_{end}" for side in ("left", "right") for end in ("wrist_yaw", "ankle_roll")]
    ends = [f"{end}_link" for end in sides]
    reach, rng = PoseSolver(robot, ends, ends), np.random.default_rng(1)
    limits = [robot.limits[name] for name in robot.coordinates]
    q = rng.uniform([x.lower for x in limits], [x.upper for x in limits], (24, len(limits)))
    there = robot.kinematics().compile(["positions", "orientations"])(q)
    places = {end: there.position(end) for end in ends}
    found = reach(places, {end: there.orientation(end) for end in ends})
    assert found.reached.sum() >= 22
    assert found.settled.sum() >= 18
