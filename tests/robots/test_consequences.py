"""What a file has and is not read is reported with its consequence, in every format."""

import importlib
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from numeric import relative_error
from osim_texts import body, document, joint
from refusals import refused
from robots import random_motion

from jointwrench.musculoskeletal import read_osim
from jointwrench.robots import read_mjcf, read_sdf, read_urdf

INERTIAL = (
    "<inertial><origin xyz='.1 .02 .1' rpy='.1 .2 .3'/><mass value='1'/>"
    "<inertia ixx='.03' iyy='.04' izz='.05' ixy='.001' ixz='.002' iyz='.003'/></inertial>"
)
URDF = (
    "<robot name='r'><link name='base'/>"
    + "".join(f"<link name='l{k}'>{INERTIAL}</link>" for k in "123")
    + "<joint name='a' type='revolute'><parent link='base'/><child link='l1'/>"
    "<origin xyz='0 0 1' rpy='.1 .2 .3'/><axis xyz='0 .6 .8'/>"
    "<limit lower='-2' upper='2' effort='9' velocity='9'/><dynamics damping='.1'/></joint>"
    "<joint name='b' type='prismatic'><parent link='l1'/><child link='l2'/><origin xyz='.4 0 0'/>"
    "<axis xyz='1 0 0'/><limit lower='-2' upper='2' effort='9' velocity='9'/></joint>"
    "<joint name='c' type='continuous'><parent link='l2'/><child link='l3'/><origin xyz='.4 0 0'/>"
    "<axis xyz='0 0 1'/></joint></robot>"
)
DRAKE = "drake:linear_spring_damper"
SPRING = {"body_A": "name='l1'", "p_AP": "value='0 .1 .2'", "body_B": "name='l3'"}
SPRING |= {"p_BQ": "value='.2 0 0'", "free_length": "value='.1'", "stiffness": "value='20'"}
SPRING["damping"] = "value='2'"
POINTS = f"<{DRAKE}>{''.join(f'<{DRAKE}_{x} {y}/>' for x, y in SPRING.items())}</{DRAKE}>"
ROTOR = (
    "<transmission name='t'><type>SimpleTransmission</type><joint name='a'/><actuator name='m'>"
    "<drake:gear_ratio value='50'/><drake:rotor_inertia value='1e-4'/></actuator></transmission>"
)
BUSHING = (
    "<frame name='f' link='l1' xyz='0 0 0' rpy='0 0 0'/><drake:linear_bushing_rpy>"
    "<drake:bushing_frameA name='f'/><drake:bushing_frameC name='l3'/>"
    + "".join(
        f"<drake:bushing_{x}_{y} value='1 2 3'/>"
        for x in ("torque", "force")
        for y in ("stiffness", "damping")
    )
    + "</drake:linear_bushing_rpy>"
)


#: One change of the text each, and the simulators that know what is added.
CHANGES = [
    ("", "", "all"),
    ("xyz='.1 .02 .1'", "xyz='.1 .2 .1'", "all"),
    ("rpy='.1 .2 .3'/><mass", "rpy='.1 .2 1'/><mass", "all"),
    ("<mass value='1'/>", "<mass value='2'/>", "all"),
    ("ixx='.03' iyy='.04' izz='.05'", "ixx='.04' iyy='.05' izz='.06'", "all"),
    ("ixy='.001' ixz='.002' iyz='.003'", "ixy='.002' ixz='.003' iyz='.001'", "all"),
    ("xyz='0 0 1' rpy='.1", "xyz='0 0 1' rpy='.5", "all"),
    ("xyz='.4 0 0'", "xyz='.4 .1 0'", "all"),
    ("xyz='0 .6 .8'", "xyz='0 .6 -.8'", "all"),
    ("xyz='0 .6 .8'", "xyz='0 1.2 1.6'", "all"),
    ("<axis xyz='1 0 0'/>", "", "all"),
    ("type='prismatic'", "type='revolute'", "all"),
    ("type='continuous'", "type='fixed'", "all"),
    ("damping='.1'", "damping='.7'", "all"),
    ("damping='.1'", "damping='.1' armature='.2'", "all"),
    ("damping='.1'", "damping='.1' spring_stiffness='3'", "all"),
    ("lower='-2'", "lower='-1'", "all"),
    ("<robot name='r'", "<robot name='r' version='1.1'", "all"),
    ("</link>", f"{INERTIAL.replace('inertial', 'payload')}</link>", "all"),
    ("</robot>", f"{POINTS}</robot>", "pydrake"),
    ("</robot>", f"{ROTOR}</robot>", "pydrake"),
    ("</robot>", f"{BUSHING}</robot>", "pydrake"),
    ("</robot>", "<mujoco><compiler settotalmass='20'/></mujoco></robot>", "mujoco"),
    ("</robot>", "<mujoco><compiler balanceinertia='true'/></mujoco></robot>", "mujoco"),
    ("</robot>", "<mujoco><option gravity='0 0 -1'/></mujoco></robot>", "mujoco"),
    ("</robot>", "<mujoco><option density='1000' viscosity='1'/></mujoco></robot>", "mujoco"),
    ("</robot>", "<gazebo reference='l2'><selfCollide>1</selfCollide></gazebo></robot>", "all"),
]


def pinocchio_torques(text, model, motion):
    pin = importlib.import_module("pinocchio")
    theirs = pin.buildModelFromXML(text)
    there = model.to_pinocchio(*motion)
    torques = pin.rnea(theirs, theirs.createData(), there.q, there.u, there.udot)
    return torques + theirs.damping * there.u


def mujoco_torques(text, model, motion):
    mujoco = importlib.import_module("mujoco")
    theirs = mujoco.MjModel.from_xml_string(text)
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(theirs)
    data.qpos, data.qvel, data.qacc = model.to_mujoco(*motion)[:3]
    mujoco.mj_inverse(theirs, data)
    return data.qfrc_inverse


def drake_torques(text, model, motion):
    drake = importlib.import_module("pydrake.all")
    plant = drake.MultibodyPlant(0.0)
    drake.Parser(plant).AddModelsFromString(text, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, motion[0])
    plant.SetVelocities(context, motion[1])
    known = drake.MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, known)
    return plant.CalcInverseDynamics(context, motion[2], known)


SIMULATORS = {"pinocchio": pinocchio_torques, "mujoco": mujoco_torques, "pydrake": drake_torques}


@pytest.mark.parametrize(("old", "new", "known"), CHANGES)
def test_what_changes_a_simulators_torque_is_read_or_warned_of(old, new, known):
    """One change of a text at a time: never a silent difference."""
    text = URDF.replace(old, new, 1)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model = read_urdf(text, damping=True, springs=True)
    assert bool(found) == any("changes forces" in line for line in model.left_out)
    motion = random_motion(model)
    evaluate = model.inverse_dynamics().compile("generalized_forces", backend="numpy")
    own = evaluate(*motion).generalized_forces
    for simulator in SIMULATORS if known == "all" else (known,):
        if find_spec(simulator) is not None:
            theirs = SIMULATORS[simulator](text, model, motion)
            assert relative_error(own, theirs) < 1e-9 or found, simulator


def test_springs_left_out_are_warned_of():
    """Of joints and between points, in URDF and SDF."""
    spring = "<springStiffness>5</springStiffness><springReference>.2</springReference>"
    text = URDF.replace("</robot>", f"<gazebo reference='a'>{spring}</gazebo>{POINTS}</robot>")
    with pytest.warns(UserWarning, match="left out: springs of a, spring0: springs=True reads"):
        plain = read_urdf(text)
    springs = "changes forces: springs of a, spring0: springs=True reads them"
    assert plain.left_out == (springs, "damping of a, spring0")
    motion = random_motion(plain)
    joints = URDF.replace("</robot>", f"<gazebo reference='a'>{spring}</gazebo></robot>")
    models = read_urdf(joints, springs=True), plain
    sprung, free = (
        x.inverse_dynamics().compile(backend="numpy")(*motion).generalized_forces for x in models
    )
    assert sprung - free == pytest.approx([5 * (motion[0][0] - 0.2), 0, 0])


def test_a_spring_stays_where_another_element_of_gazebo_says_nothing_of_it():
    spring = "<gazebo reference='a'><springStiffness>5</springStiffness></gazebo>"
    reference = "<gazebo reference='a'><springReference>.2</springReference></gazebo>"
    other = "<gazebo reference='a'><provideFeedback>1</provideFeedback></gazebo>"
    texts = [f"{spring}{reference}", f"{reference}{spring}{other}", ""]
    motion = random_motion(read_urdf(URDF))
    models = (read_urdf(URDF.replace("</robot>", f"{x}</robot>"), springs=True) for x in texts)
    results = (x.inverse_dynamics().compile(backend="numpy")(*motion) for x in models)
    first, second, free = (x.generalized_forces for x in results)
    assert first - free == pytest.approx([5 * (motion[0][0] - 0.2), 0, 0])
    assert second == pytest.approx(first)


def test_inertias_of_rotors_count_with_the_squared_gear_ratio():
    """As a flywheel at the speed of the joint, which loads no body."""
    plain, more = read_urdf(URDF), read_urdf(URDF.replace("</robot>", f"{ROTOR}</robot>"))
    motion = random_motion(plain)
    ours, expected = (x.inverse_dynamics().compile(backend="numpy")(*motion) for x in (more, plain))
    added = ours.generalized_forces - expected.generalized_forces
    assert added == pytest.approx([1e-4 * 50**2 * motion[2][0], 0, 0], abs=1e-12)
    assert list(more.bodies) == [*plain.bodies, "a_rotor"]
    planar = URDF.replace("type='prismatic'", "type='planar'")
    rotor = ROTOR.replace("name='a'", "name='b'")
    with pytest.warns(UserWarning, match="rotor's inertia of b"):
        read_urdf(planar.replace("</robot>", f"{rotor}</robot>"))


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        ("<gravity>0</gravity>", "<gravity> of l2: a link without weight"),
        ("<turnGravityOff>true</turnGravityOff>", "<turnGravityOff> of l2: a link without weight"),
        ("<kinematic>1</kinematic>", "<kinematic> of l2: a link that forces do not move"),
        ("<dampingFactor>0.1</dampingFactor>", "<dampingFactor> of l2: drag of a link"),
        ("<plugin filename='libBuoyancy.so'/>", "<plugin> of l2: forces of a plugin"),
        ("<gravity>1</gravity>", ""),
        ("<turnGravityOff>false</turnGravityOff>", ""),
        ("<plugin filename='libcamera.so'/>", ""),
        ("<sensor><plugin filename='libwind.so'/></sensor>", ""),
    ],
)
def test_what_gazebo_does_to_forces(inner, line):
    """Switches that are off do nothing, and neither do sensors."""
    text = URDF.replace("</robot>", f"<gazebo reference='l2'>{inner}</gazebo></robot>")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        left_out = read_urdf(text).left_out
    assert [str(x.message).count(line[:20]) for x in found] == [1] * bool(line)
    assert [x for x in left_out if "changes" in x] == [f"changes forces: {line}"] * bool(line)


def test_joints_of_drake_are_refused():
    """Without them a link would move freely."""
    ends = "<parent link='l1'/><child link='l2'/>"
    text = URDF.replace(
        "</robot>", f"<drake:joint name='j' type='ball'>{ends}</drake:joint></robot>"
    )
    refused(lambda: read_urdf(text), "source")
    planar = "<drake:joint name='j' type='planar'><drake:parent>l</drake:parent></drake:joint>"
    text = f"<sdf version='1.7'><model name='m'><link name='l'/>{planar}</model></sdf>"
    refused(lambda: read_sdf(text), "source")
    wrong = POINTS.replace("'l3'", "'l9'")
    refused(lambda: read_urdf(URDF.replace("</robot>", f"{wrong}</robot>")), "source")


def test_forces_and_constraints_of_opensim_are_warned_of():
    """Forces that are off, muscles and motors are no loads."""
    forces = "".join(
        f"<{tag} name='{tag.lower()}'>{more}</{tag}>"
        for tag, more in (
            ("BushingForce", ""),
            ("PointToPointSpring", "<appliesForce>false</appliesForce>"),
            ("CoordinateActuator", ""),
        )
    )
    pin = joint("PinJoint", "pin", "ground", (0, 1, 0), "rod", ("angle",))
    inertial = body("rod", 2, (0, -0.5, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    text = document("m", inertial, pin).replace(
        "</Model>", f"<ForceSet><objects>{forces}</objects></ForceSet></Model>"
    )
    with pytest.warns(UserWarning, match="left out: <BushingForce> of bushingforce: a force"):
        model = read_osim(text)
    bushing = "changes forces: <BushingForce> of bushingforce: a force"
    spring = "<PointToPointSpring> of pointtopointspring"
    assert model.left_out == (bushing, spring, "<CoordinateActuator> of coordinateactuator")


def test_springs_between_points_of_opensim():
    """The torque of a rod at rest is its weight and the spring's moment, by hand."""
    pin = joint("PinJoint", "pin", "ground", (0, 1, 0), "rod", ("angle",))
    inertial = body("rod", 2, (0, -0.5, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    spring = (
        "<PointToPointSpring name='s'><socket_body1>/ground</socket_body1>"
        "<socket_body2>/bodyset/rod</socket_body2><point1>0.4 1.2 0.1</point1>"
        "<point2>0 -0.8 0</point2><stiffness>300</stiffness><rest_length>0.3</rest_length>"
    )
    objects = f"<ForceSet><objects>{spring}</PointToPointSpring></objects></ForceSet></Model>"
    text = document("m", inertial, pin).replace("</Model>", objects)
    idyn, q = read_osim(text).inverse_dynamics(), 0.7
    end, arm = np.array([0.8 * np.sin(q), 1 - 0.8 * np.cos(q), 0]), np.array([0.4, 1.2, 0.1])
    pull = 300 * (np.linalg.norm(arm - end) - 0.3) * (arm - end) / np.linalg.norm(arm - end)
    moment = np.cross(end - [0, 1, 0], pull)[2] - 2 * 9.80665 * 0.5 * np.sin(q)
    assert idyn.compile()([q], [0], [0]).generalized_forces[0] == pytest.approx(-moment)
    wrong = text.replace("/bodyset/rod</socket_body2", "rid</socket_body2")
    refused(lambda: read_osim(wrong), "source")


def test_welds_of_sites():
    """The frames of both sites coincide: the site of a chain of three links turns by 10 degrees."""
    pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")
    chain = "<site name='s' pos='.1 0 0' euler='0 30 0'/>"
    for k in "cba":
        place = "0 0 0" if k == "a" else ".3 0 0"
        geom = "<geom size='.05' pos='.1 0 0' mass='1'/>"
        turn = f"<joint name='{k}' axis='0 1 0'/>"
        chain = f"<body name='{k}' pos='{place}'>{turn}{geom}{chain}</body>"
    world = "<site name='w' pos='.6 0 .1' euler='0 40 0'/>"
    weld = "<equality><weld site1='w' site2='s'/></equality>"
    model = read_mjcf(f"<mujoco><worldbody>{world}{chain}</worldbody>{weld}</mujoco>")
    q, _, _ = model.inverse_dynamics().close_motion(model.reference, *np.zeros((2, 3)))
    kinematics = model.kinematics(points={"s": model.loops[0].child_point}).compile("positions")
    assert sum(q) == pytest.approx(np.radians(10))
    assert kinematics(q).positions[0] == pytest.approx([0.6, 0, 0.1], abs=1e-9)
