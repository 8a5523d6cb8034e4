"""Joint wrenches as simulators report them: the calls of the page *Whose joint wrench is this?*"""

from pathlib import Path

import numpy as np
import pytest
from numeric import relative_error
from osim_texts import body, document, joint
from robots import random_motion
from sympy.physics.mechanics import ReferenceFrame

from jointwrench.musculoskeletal import read_osim
from jointwrench.robots import read_mjcf, read_urdf

pytestmark = pytest.mark.slow  # test_urdf_robots asks for frame="joint" by default
TOLERANCE = 1e-9
GRAVITY = (0.0, 0.0, -9.81)
PLACES = {"shoulder": "0.4 0.1 -0.3", "elbow": "-0.5 0.7 0.2"}
LINKS = ("upper", "fore")

DATA = Path(__file__).parents[1] / "data"
URDF, MJCF = (
    (DATA / name).read_text(encoding="utf-8") for name in ("two_links.urdf", "mjcf/two_links.xml")
)


def states(model, count=100):
    """Return q, u, udot and the results of the states."""
    motion = random_motion(model, count)
    return (*motion, model.inverse_dynamics().compile("joint_wrenches", backend="numpy")(*motion))


def test_mujoco():
    """With a rotor's inertia, which loads no joint, and a damper, which is part of the wrench."""
    mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")
    model = read_mjcf(MJCF, passive=False)
    theirs = mujoco.MjModel.from_xml_string(MJCF)
    data, fore = mujoco.MjData(theirs), model.bodies["fore"]
    site = model.origins["fore"].locatenew("s", 0.1 * fore.x + 0.2 * fore.y + 0.05 * fore.z)
    axes = ReferenceFrame("S")
    axes.orient_quaternion(fore.frame, np.array([3, 2, 1, 0]) / 14**0.5)
    *motion, found = states(model)
    wrenches, sensors = [], []
    for data.qpos[:], data.qvel[:], data.qacc[:] in zip(*motion, strict=True):
        mujoco.mj_inverse(theirs, data)
        wrenches.append(data.cfrc_int.copy())
        sensors.append(data.sensordata.copy())
    assert relative_error(model.to_mujoco(*motion, result=found).wrenches, wrenches) < TOLERANCE
    measured = found.joint_wrench("elbow", about=site, frame=axes)
    assert relative_error(measured, np.array(sensors)) < TOLERANCE


def test_drake():
    """With a damper and the inertia of rotors, neither of which changes the wrench."""
    drake = pytest.importorskip("pydrake.all", reason="needs Drake (pip install drake)")
    model, plant = read_urdf(URDF, gravity=GRAVITY), drake.MultibodyPlant(0.0)
    drake.Parser(plant).AddModelsFromString(URDF, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.mutable_gravity_field().set_gravity_vector(GRAVITY)
    for name in PLACES:
        rotor = plant.AddJointActuator(f"{name}_motor", plant.GetJointByName(name))
        rotor.set_default_rotor_inertia(0.1)
    plant.Finalize()
    context = plant.CreateDefaultContext()
    numbers = [plant.GetJointByName(name).index() for name in PLACES]
    *motion, found = states(model)
    rows = []
    for q, u, udot in zip(*motion, strict=True):
        plant.SetPositions(context, q)
        plant.SetVelocities(context, u)
        known = drake.MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, known)
        torques = plant.CalcInverseDynamics(context, udot, known)
        plant.get_actuation_input_port().FixValue(context, torques)
        reactions = plant.get_reaction_forces_output_port().Eval(context)
        rows.append([[*reactions[k].translational(), *reactions[k].rotational()] for k in numbers])
    ours = np.stack([found.joint_wrench(name, frame="joint") for name in PLACES], axis=1)
    assert relative_error(ours, np.array(rows)) < TOLERANCE


def test_bullet(tmp_path):
    """At rest: of what velocities add, Bullet leaves out a part."""
    bullet = pytest.importorskip("pybullet", reason="needs Bullet (pip install pybullet)")
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    model, client = read_urdf(path, gravity=GRAVITY), bullet.connect(bullet.DIRECT)
    bullet.setGravity(*GRAVITY)
    bullet.setTimeStep(1e-9)
    arm = bullet.loadURDF(str(path), useFixedBase=True, flags=bullet.URDF_USE_INERTIA_FROM_FILE)
    q, u, udot = random_motion(model, 100)
    evaluate = model.inverse_dynamics().compile(backend="numpy")
    found, wrenches, turns = evaluate(q, 0 * u, udot), [], []
    for k in range(2):
        bullet.changeDynamics(arm, k, linearDamping=0, angularDamping=0)
        bullet.setJointMotorControl2(arm, k, bullet.VELOCITY_CONTROL, force=0)
        bullet.enableJointForceTorqueSensor(arm, k)
        turns.append(np.roll(bullet.getDynamicsInfo(arm, k)[4], 1))
    for place, torques in zip(q, found.generalized_forces, strict=True):
        for k in range(2):
            bullet.resetJointState(arm, k, place[k], 0.0)
            bullet.setJointMotorControl2(arm, k, bullet.TORQUE_CONTROL, force=torques[k])
        bullet.stepSimulation()
        wrenches.append([bullet.getJointState(arm, k)[2] for k in range(2)])
    bullet.disconnect(client)
    ours = []
    for name, link, turn in zip(PLACES, LINKS, turns, strict=True):
        axes, body = ReferenceFrame(f"{link}_inertial"), model.bodies[link]
        axes.orient_quaternion(body.frame, turn)
        ours.append(found.joint_wrench(name, about=body.masscenter, frame=axes))
    assert relative_error(np.stack(ours, axis=1), np.array(wrenches)) < 1e-7  # times of a step


def test_opensim(tmp_path):
    """Frames of joints are turned in both bodies; motors are part of the reaction."""
    opensim = pytest.importorskip("opensim", reason="needs OpenSim (pip install opensim)")
    path = tmp_path / "arm.osim"
    moments = (0.03, 0.02, 0.04, 0.001, 0.002, 0.003)
    bodies = "".join(body(name, 2, (0.1, 0.02, -0.03), moments) for name in LINKS)
    options = {"angles": (0.4, 0.1, -0.3), "own": (0.02, 0.03, 0.05)}
    shoulder = joint("PinJoint", "shoulder", "ground", (0.1, 0.2, 0.3), "upper", ("qs",), **options)
    elbow = joint("PinJoint", "elbow", "upper", (0.3, 0.0, 0.1), "fore", ("qe",), **options)
    turned = "</translation><orientation>0.3 -0.2 0.4</orientation>"
    joints = (shoulder + elbow).replace("</translation><orientation>0 0 0</orientation>", turned)
    path.write_text(document("arm", bodies, joints))
    theirs, model = opensim.Model(str(path)), read_osim(path)
    motors = {name: opensim.CoordinateActuator(name) for name in ("qs", "qe")}
    for motor in motors.values():
        motor.setOptimalForce(1.0)
        theirs.addForce(motor)
    state, numbers = theirs.initSystem(), np.random.default_rng(5)
    for motor in motors.values():
        motor.overrideActuation(state, True)
    q, u, torques = numbers.uniform(-1, 1, (3, 100, 2))
    udot, wrenches = np.zeros_like(q), []
    for k in range(100):
        coordinates = [theirs.getCoordinateSet().get(name) for name in motors]
        for i, (coordinate, motor) in enumerate(zip(coordinates, motors.values(), strict=True)):
            coordinate.setValue(state, q[k, i], False)
            coordinate.setSpeedValue(state, u[k, i])
            motor.setOverrideActuation(state, torques[k, i])
        theirs.realizeAcceleration(state)
        udot[k] = [coordinate.getAccelerationValue(state) for coordinate in coordinates]
        for name in PLACES:
            on = theirs.getJointSet().get(name)
            reaction, frame = on.calcReactionOnChildExpressedInGround(state), on.getChildFrame()
            for half in (reaction.get(1), reaction.get(0)):
                vector = opensim.Vec3(half)
                for axes in (theirs.getGround(), frame):
                    shown = theirs.getGround().expressVectorInAnotherFrame(state, vector, axes)
                    wrenches.append([shown.get(i) for i in range(3)])
    outputs = ("generalized_forces", "joint_wrenches")
    found = model.inverse_dynamics().compile(outputs, backend="numpy")(q, u, udot)
    assert relative_error(found.generalized_forces, torques) < TOLERANCE
    theirs_as_ours = np.array(wrenches).reshape(100, 2, 2, 2, 3)
    for k, name in enumerate(PLACES):
        for i, frame in enumerate((model.system.frame, "joint")):
            ours = found.joint_wrench(name, frame=frame).reshape(100, 2, 3)
            assert relative_error(ours, theirs_as_ours[:, k, :, i]) < TOLERANCE
