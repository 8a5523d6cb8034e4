"""`read_mjcf`: tendons and couplings, limits of actuators against MuJoCo."""

from itertools import product

import numpy as np
import pytest
from marks import slow
from numeric import relative_error
from robots import evaluated, random_motion

from jointwrench.robots import read_mjcf

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")
needs_four = pytest.mark.skipif(
    not hasattr(mujoco.MjModel, "tendon_stiffnesspoly"), reason="needs MuJoCo 4"
)

INERTIAL = "<inertial pos='0.1 0.05 -0.3' mass='2' diaginertia='0.2 0.3 0.4'/>"
BODIES = f"""<site name='hook' pos='0.3 0.2 1.4'/>
<body name='upper' pos='0 0 1'><joint name='a' axis='0 1 0' ref='0.1' {{joint}}/>{INERTIAL}
  <site name='knee' pos='0.1 0 -0.4'/><site name='pin' pos='0 0.1 -0.5'/>
  <body name='lower' pos='0.1 0 -1'><joint name='b' axis='1 0.2 0'/>{INERTIAL}
    <body name='rod' pos='0 0 -0.5'><joint name='c' type='slide' axis='0 0.3 1'/>{INERTIAL}
      <site name='tip' pos='0.05 0 -0.2'/></body></body></body>
<body name='wheel' pos='1 0 0'><joint name='d' axis='0 1 0.1'/>{INERTIAL}</body>"""
FIXED = """<fixed name='t' {own}><joint joint='a' coef='1.5'/><joint joint='b' coef='-0.7'/>
<joint joint='c' coef='2'/></fixed>"""  # in one branch: its armature has no others
SPATIAL = """<spatial name='t' {own}><site site='hook'/><site site='knee'/><site site='pin'/>
<pulley divisor='2'/><site site='pin'/><site site='tip'/></spatial>"""


def model_of(tendon="", own="", rest="", joint="", flags=""):
    return (
        f"<mujoco><option gravity='1 -2 -9'>{flags}</option><worldbody>"
        f"{BODIES.format(joint=joint)}</worldbody><tendon>{tendon.format(own=own)}</tendon>{rest}"
        "</mujoco>"
    )


def accelerations(text, controls=None, seed=3, **options):
    """Return ours and those of MuJoCo, and the generalized forces of both, at one state."""
    model, theirs = read_mjcf(text, **options), mujoco.MjModel.from_xml_string(text)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    q, u, udot = random_motion(model, seed=seed)
    data, there = mujoco.MjData(theirs), model.to_mujoco(q, u, udot)
    data.qpos, data.qvel = there[:2]
    given = {symbol: controls[name] for name, symbol in model.controls.items()}
    data.ctrl = [controls[theirs.actuator(k).name] for k in range(theirs.nu)]
    mujoco.mj_forward(theirs, data)
    ours = model.forward_dynamics().compile("udot", backend="numpy")(q, u, specifieds=given).udot
    return ours, model.from_mujoco(there.q, there.u, data.qacc).udot, model


def torques(text, **options):
    """Return the generalized forces, ours and those of `mj_inverse`."""
    model, theirs = read_mjcf(text, **options), mujoco.MjModel.from_xml_string(text)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EQUALITY
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    motion = random_motion(model)
    there, data = model.to_mujoco(*motion), mujoco.MjData(theirs)
    data.qpos, data.qvel, data.qacc = there[:3]
    mujoco.mj_inverse(theirs, data)
    found = evaluated(model, *motion).generalized_forces
    return found, model.from_mujoco(there.q, there.u, there.udot, data.qfrc_inverse).forces, model


ACTS = {
    "spring": "stiffness='3'",
    "relaxed": "stiffness='3' springlength='0.2'",
    "slack": "stiffness='3' springlength='0.2 9'",
    "range": "stiffness='3' springlength='0.1 0.3'",
    "damper": "damping='0.7'",
    "rotor": "armature='0.4'",
    "all": "stiffness='3' damping='0.7' armature='0.4' springlength='0.2'",
}


TENDONS = {"fixed": FIXED, "spatial": SPATIAL}
QUICK = [("fixed", "slack"), ("fixed", "range"), ("spatial", "all")]


@pytest.mark.parametrize(
    ("tendon", "own"), [*QUICK, *slow(x for x in product(TENDONS, ACTS) if x not in QUICK)]
)
def test_what_acts_along_tendons(tendon, own):
    found, expected, model = torques(model_of(TENDONS[tendon], ACTS[own]))
    assert relative_error(found, expected) < 1e-9
    assert not model.left_out


@needs_four
def test_polynomial_springs_and_dampers_are_left_out():
    """Of a tendon, its motor, a joint and a ball, by name; the linear parts are read."""
    own, ball = "stiffness='3 2' damping='0.7 1'", "<joint name='e' type='ball' damping='1 2'/>"
    motor = "<actuator><motor name='m' joint='b' damping='0.1 0.2'/></actuator>"
    text = model_of(FIXED, own, motor, own).replace("<joint name='d' axis='0 1 0.1'/>", ball)
    bent = [f"polynomial {x} of {y}" for y in "at" for x in ("stiffness", "damping")]
    bent[2:2] = ["polynomial damping of b", "polynomial damping of e"]
    with pytest.warns(UserWarning, match=", ".join(bent[:5])):
        model = read_mjcf(text)
    assert model.left_out == (*(f"changes forces: {x}" for x in bent), "actuator m")
    for more in ("3 2", "0.7 1", "0.1 0.2", "1 2"):
        text = text.replace(f"'{more}'", f"'{more.split()[0]}'")
    linear = read_mjcf(text)
    motion = random_motion(model)
    found, expected = (evaluated(x, *motion).generalized_forces for x in (model, linear))
    assert found == pytest.approx(expected)


def test_friction_along_tendons():
    text = model_of(FIXED, "frictionloss='0.3'")
    plain, _, model = torques(text)
    assert model.left_out == ("friction of t, which acts: friction=False",)
    rough, _, model = torques(text, friction=True)
    assert not model.left_out
    _, u, _ = random_motion(model)
    names = [*model.speeds]
    factors = np.array([{"a": 1.5, "b": -0.7, "c": 2}.get(name, 0) for name in names])
    assert rough - plain == pytest.approx(0.3 * factors * np.sign(factors @ u))


COUPLED = {
    "constant": "<tendon name='e' tendon1='t' polycoef='0.3'/>",
    "itself": "<tendon name='e' tendon1='t'/>",
    "another": "<tendon name='e' tendon1='t' tendon2='s' polycoef='0.1 0.5 0.2'/>",
    "with a joint": "<joint joint1='d' joint2='a' polycoef='0 2 0.3'/>"
    "<tendon name='e' tendon1='t' polycoef='0.3'/>",
}


@pytest.mark.parametrize("key", [*slow(["constant"]), "itself", *slow(["another"]), "with a joint"])
def test_tendons_that_equalities_couple(key):
    """The equality holds in MuJoCo at our motion, whose torques are those of MuJoCo's tree."""
    equality, other = COUPLED[key], "<fixed name='s'><joint joint='d' coef='2'/></fixed>"
    text = model_of(FIXED + other, rest=f"<equality>{equality}</equality>")
    found, expected, model = torques(text)
    assert relative_error(found, expected) < 1e-9
    count = equality.count("tendon1") + equality.count("joint1")
    assert (len(model.dependent), len(model.speeds)) == (count, 4 - count)

    theirs = mujoco.MjModel.from_xml_string(text)
    data, there = mujoco.MjData(theirs), model.to_mujoco(*random_motion(model))
    data.qpos, data.qvel, data.qacc = there[:3]
    mujoco.mj_forward(theirs, data)
    is_equality = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    errors = data.efc_pos[is_equality]
    assert len(errors) == count
    assert errors == pytest.approx(0, abs=1e-12)
    rows = np.zeros((data.nefc, theirs.nv))
    rows.flat[:] = data.efc_J if data.efc_J.size == rows.size else _dense(theirs, data)
    assert rows[is_equality] @ there.u == pytest.approx(0, abs=1e-9)


def _dense(model, data):
    rows = np.zeros((data.nefc, model.nv))
    for row in range(data.nefc):
        first, count = data.efc_J_rowadr[row], data.efc_J_rownnz[row]
        rows[row, data.efc_J_colind[first : first + count]] = data.efc_J[first : first + count]
    return rows.ravel()


def test_what_of_tendons_is_left_out():
    geoms = "<geom name='drum' size='.05' pos='0 .3 1' contype='0' conaffinity='0'/>"
    wrapped = "<spatial name='t'><site site='hook'/><geom geom='drum'/><site site='tip'/></spatial>"
    text = model_of(wrapped, rest="<actuator><motor name='m' tendon='t'/></actuator>")
    text = text.replace("<worldbody>", f"<worldbody>{geoms}")
    wraps = "tendon t, which wraps around geoms"
    with pytest.warns(UserWarning, match="left out: actuator m"):  # what the tendon does without it
        found = read_mjcf(text, actuators="control").left_out
    assert found == ("changes forces: actuator m", wraps)
    assert read_mjcf(text).left_out == (wraps, "actuator m")
    acting = ["stiffness='2'", "damping='2'", "range='0 1' limited='true'", "frictionloss='2'"]
    if hasattr(mujoco.MjModel, "tendon_stiffnesspoly"):
        acting += ["stiffness='0 2'", "damping='0 2'"]
    for acts in acting:
        own = text.replace("<spatial name='t'", f"<spatial name='t' {acts}")
        with pytest.warns(UserWarning, match=wraps):
            found = read_mjcf(own, friction=True)
        assert found.left_out == (f"changes forces: {wraps}", "actuator m")
    text = model_of(
        SPATIAL, "range='0 1' limited='true'", "<equality><tendon name='e' tendon1='t'/></equality>"
    )
    with pytest.warns(UserWarning, match="left out: equality e, range of t"):
        found = read_mjcf(text).left_out
    assert found == ("changes forces: equality e", "changes forces: range of t")


LIMITS = """<actuator>
<position name='p' joint='a' kp='8' gear='2' forcerange='-3 2' ctrlrange='-0.5 0.4' {group}/>
<motor name='m' joint='b' gear='-3' ctrllimited='true' ctrlrange='-1 2'/>
<motor name='n' joint='b' gear='5'/>
<general name='g' tendon='t' gaintype='affine' gainprm='2 0.1 0.3' biastype='affine'
  biasprm='0.5 -1 -0.2' forcerange='-1 1' forcelimited='true' gear='1.5'/></actuator>"""


@pytest.mark.parametrize("size", [*slow([0.1, 1]), 30])
@pytest.mark.parametrize("tendon", [FIXED, *slow([SPATIAL])], ids=["fixed", "spatial"])
def test_limits_of_actuators(tendon, size):
    """Within all limits, beyond some, and beyond all."""
    text = model_of(tendon, "actuatorfrcrange='-1.2 1.2'", LIMITS.format(group=""))
    text = text.replace(
        "name='b' ", "name='b' actuatorfrcrange='-20 20' actuatorfrclimited='true' "
    )
    signs = {"p": -1, "m": 1, "n": -1, "g": 1}
    controls = {name: size * sign for name, sign in signs.items()}
    found, expected, model = accelerations(text, controls, actuators="control")
    assert relative_error(found, expected) < 1e-9
    assert not model.left_out


def test_ranges_that_do_not_clip():
    """A force that is asked for has no limits, and a control of a switched-off clamp none."""
    text = model_of(rest=LIMITS.split("<motor")[0].format(group="") + "</actuator>")
    named = ("force range of p", "control range of p")
    assert read_mjcf(text, actuators="force").left_out == named[:1]
    assert read_mjcf(text, actuators="control", clip=False).left_out == named
    assert read_mjcf(text).left_out == ("actuator p",)
    free = text.replace("</option>", "<flag clampctrl='disable'/></option>")
    assert read_mjcf(free, actuators="control", clip=False).left_out == named[:1]


@pytest.mark.parametrize("actuators", [*slow(["leave"]), "control"])
def test_compiled_models(actuators):
    """An MjModel is read as its text, but for what stands in the text alone."""
    text = model_of(FIXED, ACTS["all"], LIMITS.format(group=""))
    ours = read_mjcf(text, actuators=actuators)
    model = read_mjcf(mujoco.MjModel.from_xml_string(text), actuators=actuators)
    assert repr(model) == repr(ours)
    assert model.left_out == ours.left_out
    motion = random_motion(model)
    given = {"specifieds": dict.fromkeys(model.controls.values(), 0.3)}
    found, expected = (evaluated(x, *motion, **given) for x in (model, ours))
    assert found.generalized_forces == pytest.approx(expected.generalized_forces)
    moved = mujoco.MjModel.from_xml_string(text)
    moved.body_mass *= 2  # what is changed by hand is read, too
    assert read_mjcf(moved).bodies["rod"].mass == 2 * ours.bodies["rod"].mass
