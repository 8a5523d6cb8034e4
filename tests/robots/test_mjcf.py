"""`read_mjcf` against MuJoCo: `mj_inverse`, `cfrc_int`, mass matrix; what is read and refused."""

import sys
from pathlib import Path

import numpy as np
import pytest
from marks import slow
from numeric import relative_error
from refusals import refusal, refused
from robots import random_motion
from test_urdf_robots import wrench_on

from jointwrench import Limits, ModelFromFile, Trajectory
from jointwrench.pictures import plot_stick_figure
from jointwrench.robots import read_mjcf

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")

TOLERANCE = 1e-9
BODY = (
    "<inertial pos='0.1 -0.2 0.05' quat='0.9 0.1 -0.3 0.2' mass='1.5' diaginertia='0.3 0.2 0.4'/>"
)


def model_of(bodies, rest="", name="test"):
    return (
        f"<mujoco model='{name}'><compiler angle='radian'/><option gravity='1 -2 -9'/>"
        f"<default><joint damping='0.4' axis='0 1 0'/></default>"
        f"<worldbody>{bodies}</worldbody>{rest}</mujoco>"
    )


#: An arm with several joints in one body, references, anchors, springs, rotors, a welded body and
#: defaults; joints of which "two" follows "one" by a polynomial, "three" follows "two", and "four"
#: leads by the name; a four-bar closed at the pose that MuJoCo connects, where the anchor is where
#: the rod is; two arms of a floating trunk that hold one bar.
NAMES = ("arm", "floating", "coupled", "connected", "at_sites", "welded")
FOLDER = Path(__file__).parents[1] / "data" / "mjcf"
ARM, FLOATING, COUPLED, CONNECTED, AT_SITES, WELDED = (
    (FOLDER / f"{name}.xml").read_text(encoding="utf-8") for name in NAMES
)


class Theirs:
    """MuJoCo's model at one state, without its own constraint forces."""

    def __init__(self, text):
        self.model = mujoco.MjModel.from_xml_string(text)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.model)

    def inverse(self, vectors):
        self.data.qpos, self.data.qvel, self.data.qacc = vectors[:3]
        mujoco.mj_inverse(self.model, self.data)
        mujoco.mj_rnePostConstraint(self.model, self.data)
        return self.data.qfrc_inverse.copy()


@pytest.mark.parametrize(
    "text", [ARM, FLOATING, *slow([COUPLED])], ids=["arm", "floating", "coupled"]
)
def test_trees(text):
    model, theirs = read_mjcf(text), Theirs(text)
    q, u, udot = random_motion(model)
    outputs = ("generalized_forces", "mass_matrix")
    found = model.inverse_dynamics().compile(outputs, backend="numpy")(q, u, udot)
    there = model.to_mujoco(q, u, udot)
    back = model.from_mujoco(there.q, there.u, there.udot, theirs.inverse(there))
    assert relative_error(found.generalized_forces, back.forces) < TOLERANCE
    assert back.u == pytest.approx(u)
    mass_matrix = np.zeros((theirs.model.nv,) * 2)
    mujoco.mj_fullM(theirs.model, theirs.data, mass_matrix)
    for column, unit in zip(found.mass_matrix.T, np.eye(len(u)), strict=True):
        pushed = mass_matrix @ model.to_mujoco(q, 0 * u, unit).udot
        assert relative_error(column, model.from_mujoco(there.q, qfrc=pushed).forces) < TOLERANCE

    rigid = read_mjcf(text, passive=False)  # springs and dampers are parts of its wrenches
    evaluate = rigid.inverse_dynamics().compile(backend="numpy")
    found = evaluate(q, u, udot)
    ours, wrenches = [], []
    for number in range(1, theirs.model.nbody):
        body = rigid.bodies[theirs.model.body(number).name]
        (joint,) = [x for x in rigid.joints.values() if x.child is body]
        origin = rigid.origins[body.name].pos_from(joint.child_point)
        arm = np.array(origin.to_matrix(body.frame), dtype=float)[:, 0]
        force, moment = np.split(found.joint_wrench(joint), 2)
        ours.append([*force, *(moment - np.cross(arm, force))])
        wrenches.append(wrench_on(theirs.data, theirs.model, number))
    assert relative_error(np.array(ours), np.array(wrenches)) < TOLERANCE
    batch = evaluate([q] * 2, [u] * 2, [udot] * 2)
    converted = rigid.to_mujoco([q] * 2, [u] * 2, [udot] * 2, result=batch).wrenches
    assert converted.shape == (2, theirs.model.nbody, 6)
    assert relative_error(converted[1], theirs.data.cfrc_int) < TOLERANCE


TEXTS = [CONNECTED, *slow([AT_SITES, WELDED])]


@pytest.mark.parametrize("text", TEXTS, ids=["connect", "sites", "weld"])
def test_loops(text):
    """What closes a loop is a load on MuJoCo's tree: the rest is what motors supply."""
    model, theirs = read_mjcf(text), Theirs(text)
    (loop,) = model.loops
    idyn = model.inverse_dynamics()
    q, u, udot = random_motion(model)
    near = model.reference + (q - model.reference) / 5
    motion = idyn.close_motion(near, u, udot, guess=model.reference)
    outputs = ("generalized_forces", "joint_wrenches", "constraint_errors")
    found = idyn.compile(outputs, backend="numpy")(*motion)
    assert np.abs(found.constraint_errors).max() < 1e-9
    is_planar = loop.kind == "spherical"
    assert (loop in idyn.undetermined) is is_planar

    there = model.to_mujoco(*motion)
    demanded = theirs.inverse(there)
    body = theirs.model.body(loop.child.name).id
    other = theirs.model.body(loop.parent.name).id
    frame = theirs.data.xmat[body].reshape(3, 3)
    arm = loop.child_point.pos_from(model.origins[loop.child.name]).to_matrix(loop.child.frame)
    place = theirs.data.xpos[body] + frame @ np.array(arm, dtype=float)[:, 0]
    force, moment = np.split(np.nan_to_num(found.joint_wrench(loop)), 2)  # open ones do no work
    supplied = np.zeros(theirs.model.nv)
    for sign, number in ((1, body), (-1, other)):
        jacobians = np.zeros((2, 3, theirs.model.nv))
        mujoco.mj_jac(theirs.model, theirs.data, *jacobians, place, number)
        supplied += sign * (frame @ force @ jacobians[0] + frame @ moment @ jacobians[1])
    motors = model.to_mujoco(*motion, found.generalized_forces).forces
    assert relative_error(motors + supplied, demanded) < TOLERANCE


def test_pictures_have_the_loops():
    pytest.importorskip("matplotlib")
    model = read_mjcf(CONNECTED)
    q = np.tile(model.reference, (2, 1))
    motion = Trajectory([0, 1], q, 0 * q, 0 * q)
    lines = plot_stick_figure(model, motion, view="xz", times=[0]).lines
    places = [np.isfinite(line.get_xdata()).sum() for line in lines]
    assert 2 * 3 in places  # crank, rod, rocker


def test_everything_has_its_name():
    model = read_mjcf(ARM)
    assert isinstance(model, ModelFromFile)
    assert repr(model) == (
        "ModelFromFile(test: 7 bodies, 7 joints, 7 speeds; left out: 1, see .left_out)"
    )
    assert list(model.coordinates)[:4] == ["yaw", "reach", "pitch", "elbow"]
    assert list(model.coordinates)[4:] == [f"ball_{x}" for x in ("qw", "qx", "qy", "qz")]
    assert set(model.bodies) == {
        *("upper_after_yaw", "upper_after_reach", "upper", "fore", "tool", "wrist", "yaw_rotor")
    }
    assert model.kinds["ball"] == "ball"
    assert model.limits["elbow"] == Limits(-1, 2, None, 4)
    assert model.limits["yaw"] == Limits()
    assert model.reference[:4] == pytest.approx([0.4, -0.2, 0.1, 0])
    assert model.left_out == ("friction of pitch, which acts: friction=False",)
    assert set(model.origins) == {"world", "upper", "fore", "tool", "wrist"}


def test_what_is_left_out_has_a_name():
    text = model_of(
        f"""<geom name='floor' type='plane' size='1 1 1'/>
        <body name='a' mocap='true'/>
        <body name='b'><joint name='ball' type='ball' stiffness='2' armature='0.1'/>{BODY}
        <geom size='0.1'/></body>
        <body name='c' gravcomp='1'><joint name='hinge' stiffness='3'/>{BODY}</body>""",
        """<tendon><fixed name='cord'><joint joint='hinge' coef='2'/></fixed></tendon>
        <equality><tendon name='taut' tendon1='cord'/>
        <connect name='off' body1='b' anchor='0 0 0' active='false'/></equality>
        <actuator><motor name='drive' joint='hinge'/></actuator>
        <sensor><jointpos name='encoder' joint='hinge'/></sensor>""",
    ).replace("<option ", "<option density='1' ")
    told = (
        "contact of floor with geom1 in the reference pose, forces of the fluid, armature of ball"
    )
    with pytest.warns(UserWarning, match=f"forces will differ .* left out: {told}. Add loads"):
        model = read_mjcf(text, passive=False)
    assert model.left_out == (
        *(f"changes forces: {what}" for what in told.split(", ")),
        "contact of floor, geom1",
        "sensor encoder",
        "equality off",
        "motion (mocap) of a",
        *(
            f"{what} of {name}, which acts: passive=False"
            for name in ("ball", "hinge")
            for what in ("stiffness", "damping")
        ),
        "compensation of the gravity of c",
        "actuator drive",
    )
    assert "(3 of them change forces)" in repr(model)
    with pytest.warns(UserWarning, match=f"{told}, stiffness of ball. Add"):  # what options ask for
        assert not any("of hinge" in line for line in read_mjcf(text).left_out)
    assert model.system.loads  # the weights


def test_switched_off():
    flags = "<flag gravity='disable' equality='disable'/></option>"
    text = CONNECTED.replace("<option gravity='1 -2 -9'/>", f"<option gravity='1 -2 -9'>{flags}")
    model = read_mjcf(text)
    assert model.loops == ()
    evaluate = model.inverse_dynamics().compile(("joint_wrenches",), backend="numpy")
    assert np.abs(evaluate([0, 0, 0], [0, 0, 0], [0, 0, 0]).joint_wrenches).max() == 0


SERVO = model_of(
    f"""<body name='a'><joint name='turn'/>{BODY}
    <body name='b'><joint name='push' type='slide'/>{BODY}</body></body>""",
    """<actuator><motor name='m' joint='turn' gear='3'/>
    <position name='p' joint='push' kp='20' kv='2' gear='0.5'/>
    <velocity name='v' joint='push' kv='4'/>
    <general name='filtered' joint='turn' dyntype='filter'/></actuator>""",
)


def test_actuators():
    with pytest.warns(UserWarning, match="actuator filtered"):
        model, theirs = read_mjcf(SERVO, actuators="control"), Theirs(SERVO)
    assert list(model.controls) == ["m", "p", "v"]
    assert model.left_out == ("changes forces: actuator filtered",)
    q, u, _ = random_motion(model)
    values = dict(zip(model.controls.values(), (0.3, -0.2, 0.7), strict=True))
    evaluate = model.forward_dynamics().compile(backend="numpy")
    theirs.data.qpos, theirs.data.qvel, theirs.data.ctrl[:3] = q, u, list(values.values())
    mujoco.mj_forward(theirs.model, theirs.data)
    assert evaluate(q, u, specifieds=values).udot == pytest.approx(theirs.data.qacc, rel=1e-9)


def test_forces_of_actuators_are_unknowns():
    model = read_mjcf(SERVO, actuators="force")
    motors = [model.controls[name] for name in ("m", "p")]
    idyn = model.inverse_dynamics(solve_for=motors)
    q, u, udot = random_motion(model)
    rest = {model.controls["v"]: 0, model.controls["filtered"]: 0}
    found = idyn.compile(("solved_loads",), backend="numpy")(q, u, udot, specifieds=rest)
    demanded = Theirs(SERVO).inverse((q, u, udot))
    for motor, gear, force in zip(motors, (3, 0.5), demanded, strict=True):
        assert gear * found.solved_loads[motor] == pytest.approx(force)


def test_files(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(ARM.replace("model='test'", ""))
    assert repr(read_mjcf(path)).startswith("ModelFromFile(MuJoCo Model: 7 bodies")


LOOKS = "<asset><mesh name='shape' file='shape.obj'/><texture name='t' type='2d' file='t.png'/>" + (
    "<material name='m' texture='t'/></asset>"
)


def test_missing_meshes_do_not_matter():
    geoms = "<geom type='mesh' mesh='shape' material='m'/><site material='m'/>"
    text = model_of(f"<body name='a'><joint/>{BODY}{geoms}</body>", LOOKS)
    assert read_mjcf(text).bodies["a"].mass == 1.5
    with refusal("source"):
        read_mjcf(text.replace(BODY, ""))  # its mass is not known


WRONG = {
    "broken": "<mujoco><worldbody>",
    "massless": model_of("<body name='a'><joint/></body>"),
    "no joint": model_of(f"<body><joint type='rotary'/>{BODY}</body>"),
    "negative": ARM.replace("mass='1.5'", "mass='-1'"),
    "impossible": ARM.replace("0.3 0.2 0.4", "0.3 0.2 0.6"),
    "coupled in a circle": COUPLED.replace("'three' joint2='four'", "'one' joint2='three'"),
    "too far to close": AT_SITES.replace("pos='1.8 0 0'", "pos='9 0 0'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(name):
    refused(lambda: read_mjcf(WRONG[name]), "source")


def test_wrong_arguments(monkeypatch):
    refused(lambda: read_mjcf("nothing.xml"), "source", FileNotFoundError)
    refused(lambda: read_mjcf(3), "source", TypeError)
    refused(lambda: read_mjcf(ARM, actuators="motor"), "actuators")
    monkeypatch.setitem(sys.modules, "mujoco", None)
    refused(lambda: read_mjcf(ARM), None, ImportError)
