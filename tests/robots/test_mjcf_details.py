"""`read_mjcf`: switches, what motors add, meshes that are not there, rotors in identification."""

import warnings

import numpy as np
import pytest
from marks import slow
from numeric import relative_error
from refusals import refusal, refused
from robots import random_motion

from jointwrench import TopologyError
from jointwrench.identification import base_parameters, identify
from jointwrench.robots import read_mjcf

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo (pip install mujoco)")

IS_NEW = hasattr(mujoco.MjModel, "actuator_armature")
needs_new = pytest.mark.skipif(not IS_NEW, reason="needs motors with armature (MuJoCo 4)")
INERTIAL = "<inertial pos='0.2 0.1 -0.5' mass='2' diaginertia='0.2 0.3 0.4'/>"


def model_of(bodies, rest="", option="", compiler=""):
    return (
        f"<mujoco><compiler angle='radian' {compiler}/><option gravity='1 -2 -9'>{option}</option>"
        f"<worldbody>{bodies}</worldbody>{rest}</mujoco>"
    )


def arm(upper="", lower="", own="", option="", rest=""):
    """Return two hinges with a spring and dampers; ``own`` stands in both."""
    bodies = (
        f"<body name='upper' pos='0 0 1' gravcomp='0.7'><joint name='a' axis='0 1 0' damping='0.3' "
        f"stiffness='2' {own} {upper}/>{INERTIAL}<body name='lower' pos='0.1 0 -1' gravcomp='0.4'>"
        f"<joint name='b' axis='1 0.2 0' damping='0.1' {own} {lower}/>{INERTIAL}</body></body>"
    )
    return model_of(bodies, rest, option)


def forces(text, **options):
    """Return ours and those of `mj_inverse` at one motion, and the model."""
    model, theirs = read_mjcf(text, **options), mujoco.MjModel.from_xml_string(text)
    motion, data = random_motion(model), mujoco.MjData(theirs)
    data.qpos, data.qvel, data.qacc = motion
    mujoco.mj_inverse(theirs, data)
    ours = model.inverse_dynamics().compile(backend="numpy")(*motion).generalized_forces
    return ours, data.qfrc_inverse, model


SPRINGS_OFF, DAMPERS_OFF = "<flag spring='disable'/>", "<flag damper='disable'/>"
MOTORS = (
    "<actuator><motor name='m' joint='a' gear='3' armature='0.02' damping='0.05'/>"
    "<motor name='n' joint='a' gear='-2' armature='0.01'/>"
    "<position name='p' jointinparent='b' kp='3' damping='0.2'/></actuator>"
)


@pytest.mark.filterwarnings("ignore:`source`. forces will differ")
@pytest.mark.parametrize(
    ("parts", "left_out"),
    [
        pytest.param({}, (), id="plain"),
        pytest.param({"own": "actuatorgravcomp='true'"}, (), id="motors compensate gravity"),
        pytest.param({"upper": "actuatorgravcomp='true'"}, ("of lower",), id="motors of one"),
        pytest.param({"option": SPRINGS_OFF}, (), id="springs off"),
        pytest.param({"option": DAMPERS_OFF}, (), id="dampers off"),
        pytest.param({"option": "<flag spring='disable' damper='disable'/>"}, (), id="both off"),
        pytest.param({"option": "<flag gravity='disable'/>"}, (), id="gravity off"),
        pytest.param({"option": "<flag invdiscrete='enable'/>"}, ("invdiscrete",), id="discrete"),
        pytest.param({"rest": MOTORS}, ("actuator m", "n", "p"), id="motors", marks=needs_new),
        pytest.param({"upper": "springyield='9'"}, ("of a",), id="yield", marks=needs_new),
    ],
)
def test_what_acts_in_joints(parts, left_out):
    """All is as in `mj_inverse`, or has a name."""
    ours, theirs, model = forces(arm(**parts))
    names = list(model.left_out)
    assert len(names) == len(left_out)
    assert all(end in name for name, end in zip(names, left_out, strict=True))
    if "invdiscrete" not in left_out and "of lower" not in left_out:
        assert relative_error(ours, theirs) < 1e-12


@pytest.mark.parametrize("switch", ["frictionloss", "constraint"])
def test_friction_that_is_off(switch):
    off = f"<flag {switch}='disable'/>"
    acting = tuple(f"friction of {x}, which acts: friction=False" for x in "ab")
    for option, left_out in (("", acting), (off, ())):
        text = arm(own="frictionloss='0.5'", option=option)
        assert read_mjcf(text).left_out == left_out
        ours, theirs, _ = forces(text, friction=True)
        assert relative_error(ours, theirs) < 1e-12


def test_compensation_follows_the_gravity_that_is_given():
    """A part of each weight, in whatever direction that is."""
    ours, _, _ = forces(arm(), gravity=(3, 1, 0))
    _, theirs, _ = forces(arm().replace("gravity='1 -2 -9'", "gravity='3 1 0'"))
    assert relative_error(ours, theirs) < 1e-12
    left_out = read_mjcf(arm(), passive=False).left_out
    assert left_out[-1] == "compensation of the gravity of lower"


DRIVES = (
    "<actuator><motor name='m' joint='a' gear='3'/><position name='p' joint='b' kp='3' kv='1'/>"
    "<motor name='off' joint='b' group='2'/></actuator>"
)


def test_motors_that_compensate_gravity_by_their_controls():
    """What they compensate comes on top of what controls ask for; those of group 2 are off."""
    text = arm(own="actuatorgravcomp='true'", rest=DRIVES)
    text = text.replace("<option ", "<option actuatorgroupdisable='2' ")
    model, theirs = read_mjcf(text, actuators="control"), mujoco.MjModel.from_xml_string(text)
    assert list(model.controls) == ["m", "p"]
    assert model.left_out == ("actuator off",)
    (q, u, _), data = random_motion(model), mujoco.MjData(theirs)
    data.qpos, data.qvel, data.ctrl[:2] = q, u, (0.3, -0.2)
    mujoco.mj_forward(theirs, data)
    values = dict(zip(model.controls.values(), (0.3, -0.2), strict=True))
    evaluate = model.forward_dynamics().compile(backend="numpy")
    assert evaluate(q, u, specifieds=values).udot == pytest.approx(data.qacc, rel=1e-9)
    everything_off = text.replace("></option>", "><flag actuation='disable'/></option>")
    assert not read_mjcf(everything_off, actuators="control").controls


def test_welds_without_rotation():
    """A weld of torque scale zero is a ball to MuJoCo."""
    bodies = f"<body name='a'><joint name='a' type='ball'/>{INERTIAL}</body>"
    weld = "<equality><weld name='w' body1='a' torquescale='{}'/></equality>"
    kinds = [read_mjcf(model_of(bodies, weld.format(x))).loops[0].kind for x in (0, 1)]
    assert kinds == ["spherical", "weld"]


FIELD = "<hfield name='h' nrow='99999' ncol='99999' size='1 1 1 1'/>"
CONNECT = "<connect body1='lower' anchor='{}'/>"

# -- loops ----------------------------------------------------------------------------

MOTOR = "<actuator><motor joint='{}'/></actuator>"
TENDON = (
    "<tendon><fixed name='t'><joint joint='{}' coef='2'/></fixed></tendon>"
    "<actuator><motor tendon='t'/></actuator>"
)


@pytest.mark.parametrize(
    ("rest", "independent"),
    [
        ("", "crank"),
        (MOTOR.format("rod"), "rod"),
        (TENDON.format("rocker"), "rocker"),
        (MOTOR.format("crank") + MOTOR.format("rocker"), "crank"),
    ],
)
def test_joints_with_motors_stay_independent(rest, independent):
    """Of a four-bar linkage, whose last joints are dependent otherwise."""
    model = read_mjcf(four_bar(1, rest))
    assert [*model.system.q_ind] == [model.coordinates[independent]]
    assert [*model.system.u_ind] == [model.speeds[independent]]


def test_balls_are_dependent_rather_than_hinges():
    """A rod that holds two hinges: it turns about itself, and one of the hinges is free."""
    model = read_mjcf(
        model_of(
            f"""<body name='rod'><joint name='ball' type='ball'/>{INERTIAL}</body>
            <body name='a' pos='0.5 0 0'><joint name='a' axis='0 1 0'/>{INERTIAL}
              <body name='b' pos='0 0 0.5'><joint name='b' axis='0 1 0.3'/>{INERTIAL}</body>
            </body>""",
            "<equality><connect body1='b' body2='rod' anchor='-0.4 0.1 0.2'/></equality>",
        )
    )
    assert len(model.system.q_dep) == 4
    assert model.coordinates["a"] in model.system.q_ind
    assert model.speeds["a"] in model.system.u_ind


def four_bar(length, rest="", end=1.8):
    """Return a linkage whose lengths are multiples of one; the rocker ends where it is told."""
    inertial = f"<inertial pos='{length} 0 0' mass='1' diaginertia='0.1 0.2 0.3'/>"
    return model_of(
        f"""<body name='crank'><joint name='crank' axis='0 1 0'/>{inertial}
          <body name='rod' pos='{length} 0 0' euler='0 -1.2 0'>
            <joint name='rod' axis='0 1 0'/>
            <site name='tip' pos='{2 * length} 0 0'/>{inertial}</body></body>
        <body name='rocker' pos='{2 * length} 0 0' euler='0 -1.1 0'>
          <joint name='rocker' axis='0 1 0'/>
          <site name='end' pos='{end * length} 0 0'/>{inertial}</body>""",
        f"<equality><connect name='pin' site1='tip' site2='end'/></equality>{rest}",
    )


@pytest.mark.parametrize("length", [1e-9, 1e6])
def test_loops_close_in_any_unit(length):
    own = "<equality><weld name='fixed' body1='box' body2='rail'/></equality>" + MOTOR.format("rod")
    slides = "".join(f"<joint type='slide' axis='{axis}'/>" for axis in ("1 0 0", "0 1 0", "0 0 1"))
    box = "<body name='box'><joint type='slide'/><geom size='1'/></body>"
    rail = f"<body name='rail'>{slides}<joint axis='0 0 1'/>{INERTIAL}</body>"
    text = four_bar(length, own).replace("<worldbody>", f"<worldbody>{box}{rail}")
    names = [q.name for q in read_mjcf(text).system.q_dep]
    assert names == [*(f"joint{k}" for k in (1, 2, 3, 4)), "crank", "rocker"]
    refused(lambda: read_mjcf(four_bar(length, end=9)), "source")


HEIGHTS = model_of(
    f"""<body name='crank' pos='0 0 0.1'><joint name='a' axis='0 0 1'/>{INERTIAL}
      <body name='rod' pos='0.2 0 0.2'><joint name='b' axis='0 0 1'/>{INERTIAL}
        <site name='tip' pos='0.3 0.2 0'/></body></body>
    <body name='rocker' pos='0.5 0 0.3'><joint name='c' axis='0 0 1'/>{INERTIAL}
      <site name='end' pos='0 0.2 0'/></body>""",
    "<equality><connect name='pin' site1='tip' site2='end'/></equality>",
)


def test_loops_whose_heights_are_rounded():
    """0.1 + 0.2 and 0.3: what no coordinate changes holds as well as its numbers let it."""
    model = read_mjcf(HEIGHTS)
    assert model.inverse_dynamics().undetermined[model.loops[0]] == ("fz",)
    apart = read_mjcf(HEIGHTS.replace("0.5 0 0.3", "0.5 0 0.3000000000001"))
    refused(apart.inverse_dynamics, "loops", TopologyError)


def test_loops_that_close_near_a_keyframe():
    """A height of 1 + q^2 - q^3 / 2 has its least near q = 0 and vanishes near 2.36."""
    text = model_of(
        f"""<body name='wheel'><joint name='q'/>{INERTIAL}</body>
        <body name='block'><joint name='z' type='slide'/>{INERTIAL}<site name='own'/></body>
        <site name='base'/>""",
        """<equality><joint joint1='z' joint2='q' polycoef='1 0 1 -0.5 0'/>
          <connect name='height' site1='own' site2='base'/></equality>""",
    )
    refused(lambda: read_mjcf(text), "source")
    key = "<keyframe><key qpos='0.1 0'/><key name='up' qpos='2.4 0'/></keyframe></mujoco>"
    model = read_mjcf(text.replace("</mujoco>", key))
    assert model.reference == pytest.approx([2.4])
    assert {name: [*pose] for name, pose in model.poses.items()} == {"key0": [0.1], "up": [2.4]}
    assert not model.system.q_ind


# -- meshes ---------------------------------------------------------------------------

MESH = "<asset><mesh name='shape' file='shape.obj'/></asset>"
GEOM = "<geom name='g' type='mesh' mesh='shape'/>"
BODY = "<body name='{}'><joint/>{}</body>"
ROUND = "<geom name='h' size='1'/>"
PAIR = "<contact><pair geom1='g' geom2='h'/></contact>"


@pytest.mark.parametrize(
    ("bodies", "rest"),
    [
        (BODY.format("a", INERTIAL + GEOM), ""),
        (BODY.format("a", INERTIAL + GEOM.replace("mesh'", "box'", 1)), ""),
        (GEOM + BODY.format("a", INERTIAL), ""),
        (f"{BODY.format('a', INERTIAL + GEOM)}{BODY.format('b', INERTIAL + ROUND)}", PAIR),
        (BODY.format("a", "<geom size='0.1' mass='2'/>" + GEOM.replace("/", " mass='0'/")), ""),
    ],
    ids=["mesh", "fitted", "world", "pair", "no mass"],
)
@pytest.mark.filterwarnings("ignore:`source`. forces .* contact of g with h in the reference")
def test_missing_meshes_that_only_look(bodies, rest):
    """Other elements may name them: their places stay, without mass."""
    model = read_mjcf(model_of(bodies, MESH + rest))
    assert [body.mass for body in model.bodies.values()] == [2] * len(model.bodies)
    assert "contact of g" in model.left_out[0]  # of nothing that MuJoCo could see


@pytest.mark.parametrize(
    ("bodies", "compiler"),
    [
        (BODY.format("a", GEOM), ""),
        (BODY.format("a", GEOM.replace("mesh'", "box'", 1)), ""),
        (BODY.format("a", INERTIAL + GEOM + "<geom size='1'/>"), "inertiafromgeom='true'"),
        (BODY.format("a", INERTIAL + GEOM) + "<body name='b'><joint/></body>", ""),
    ],
    ids=["mesh", "fitted", "inertia of all geoms", "another fault"],
)
def test_missing_meshes_that_have_mass(bodies, compiler):
    refused(lambda: read_mjcf(model_of(bodies, MESH, compiler=compiler)), "source")


# -- identification -------------------------------------------------------------------

#: The third body moves in a plane by three joints; only the first has no rotor.
CHAIN = model_of(
    f"""<body name='one'><joint name='a' axis='0 0.3 1'/>{INERTIAL}
      <body name='two' pos='0.3 0 0'><joint name='b' armature='0.1' axis='0 1 0'/>{INERTIAL}
        <body name='three' pos='0.4 0 0'><joint name='x' type='slide' axis='1 0 0'/>
          <joint name='y' type='slide' axis='0 1 0' armature='0.7'/>
          <joint name='z' axis='0 0 1' armature='0.2'/>{INERTIAL}</body></body></body>"""
)


def test_base_parameters_of_rotors_and_between_joints():
    """A rotor is one inertia about its axis; between the joints of a body is nothing at all."""
    idyn = read_mjcf(CHAIN, symbolic=True).inverse_dynamics()
    base = base_parameters(idyn)
    known = {x.name for x in idyn.inertial_parameters if x.is_known}
    assert len(known) == 3 * 9 + 2 * 10
    assert not known & {str(x) for formula in base.formulas for x in formula.free_symbols}
    assert known.isdisjoint(base.independent)
    motion = random_motion(read_mjcf(CHAIN), 60)
    columns = idyn.compile("regressor", backend="numpy")(*motion).regressor.reshape(300, -1)
    sought = [k for k, x in enumerate(idyn.inertial_parameters) if not x.is_known]
    sizes = np.linalg.svd(columns[:, sought], compute_uv=False)
    assert len(base) == 22 == np.count_nonzero(sizes > 1e-9 * sizes[0])
    rigid = base_parameters(read_mjcf(CHAIN.replace("armature", "damping")).inverse_dynamics())
    assert len(rigid) == 19


@pytest.mark.parametrize("method", ["ols", "consistent"])
def test_identified_rotors(method):
    """From the forces of `mj_inverse`; bodies that are none need no mass to start from."""
    model, theirs = read_mjcf(CHAIN), mujoco.MjModel.from_xml_string(CHAIN)
    motion, data = random_motion(model, 60), mujoco.MjData(theirs)
    rows = []
    for data.qpos, data.qvel, data.qacc in zip(*motion, strict=True):
        mujoco.mj_inverse(theirs, data)
        rows.append(data.qfrc_inverse.copy())
    found = identify(model.inverse_dynamics(), motion, rows, method=method)
    assert found.values["Izz y_rotor"] == pytest.approx(0.7, rel=1e-6)
    assert found.values["mx y_rotor"] == found.standard_errors["mx y_rotor"] == 0
    assert found.values["m three_after_x"] == 0
    assert "mx y_rotor" not in found.undetermined
    assert set(found.is_physical) == {"one", "two", "three"}
    assert max(found.rms.values()) < 1e-6


@pytest.mark.filterwarnings("ignore:.* flex .sheet. is not rigid")
def test_flexible_bodies_are_left_out():
    text = """<mujoco><worldbody><body name="a"><freejoint/><geom size=".1" contype="0"
        conaffinity="0"/></body><flexcomp type="grid" count="2 2 2" spacing=".1 .1 .1" name="sheet"
        dim="3"><contact contype="0" conaffinity="0"/></flexcomp></worldbody></mujoco>"""
    with pytest.warns(UserWarning, match="is left out: flex sheet"):
        assert read_mjcf(text).left_out == ("changes forces: flex sheet",)


@pytest.mark.parametrize("word", ["inf", "nan", "-inf"])
def test_refuses_infinite_numbers(tmp_path, monkeypatch, word):
    """MuJoCo compiles them; its warnings are this library's, not a file in the current folder."""
    monkeypatch.chdir(tmp_path)
    text = arm(lower=f"frictionloss='{word}'")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        refused(lambda: read_mjcf(text), "source")
    assert ["MuJoCo says" in str(x.message) for x in caught] == [True] * (word == "nan")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    "parts",
    [
        "<replicate count='100000000'>BODIES</replicate>",
        "<replicate count='99'><replicate count='99'>BODIES</replicate></replicate>",
        "<replicate count='9999'>BODIES</replicate>",
        "<replicate count=\"&#57;99\"><!-- > --><frame name='>'>BODIES</frame></replicate>",
        "<flexcomp name='f' type='grid' count='30 30 30' spacing='1 1 1'/>BODIES",
        "<replicate count='9'><include file='many.xml'/></replicate>",
    ],
)
def test_refuses_more_copies_than_mujoco_makes_in_seconds(tmp_path, parts):
    """Also of what is no XML to others, and in files that are included, once or in a circle."""
    body = "<body><joint/><geom size='1'/></body>"
    copied = "<include file='many.xml'/>" + 1200 * "<geom size='1'/>"
    (tmp_path / "many.xml").write_text(f"<mujoco>{copied}</mujoco>")
    path = tmp_path / "model.xml"
    worldbody = parts.replace("BODIES", 9 * body)
    path.write_text(f"<mujoco><!-- a -- b --><worldbody>{worldbody}</worldbody></mujoco>")
    refused(lambda: read_mjcf(path), "source")


def test_copies_that_are_few():
    body = f"<body><joint/>{INERTIAL}</body>"
    text = f"<replicate count='3' offset='1 0 0'>{body}</replicate>"
    grid = "<replicate count='9'><geom size='1' contype='0' conaffinity='0'/></replicate>"
    assert len(read_mjcf(model_of(text + 100 * grid)).bodies) == 3


def test_warnings_of_mujoco_name_the_file(tmp_path):
    """Those that it gives to Python, too; older versions have an error instead."""
    path = tmp_path / "twice.xml"
    path.write_text(model_of(f"<body><joint name='a'/><joint name='b'/>{INERTIAL}</body>"))
    said = r"of twice\.xml (MuJoCo says: Inertia matrix|it says: Nan)"
    with pytest.raises((UserWarning, ValueError), match=said):  # pytest raises what is warned
        read_mjcf(path)


@pytest.mark.parametrize(
    "text",
    [
        f"<mujoco><asset>{FIELD}</asset></mujoco>",
        arm(rest=f"<equality>{2 * CONNECT.format('0 0 0')}</equality>"),
        arm(rest=f"<equality>{CONNECT.format('')}</equality>"),
        arm(rest=f"<equality>{CONNECT.format('  ')}</equality>"),
    ],
    ids=["pictures that fill memory", "one loop twice", "no anchor", "an anchor of blanks"],
)
def test_what_does_not_reach_mujoco(text):
    """It throws at anchors without numbers what it does not catch, and ends no other model."""
    refused(lambda: read_mjcf(text), "source")


@pytest.mark.parametrize("error", [RuntimeError, mujoco.FatalError])
@pytest.mark.parametrize("step", ["from_string", "compile"])
def test_what_mujoco_fails_at_inside_is_refused(monkeypatch, error, step):
    class Spec:
        @classmethod
        def from_string(cls, text):
            return cls().failing("from_string")

        def compile(self):
            return self.failing("compile")

        def failing(self, own):
            if own == step:
                raise error("Caught an unknown exception!")
            return self

    monkeypatch.setattr(mujoco, "MjSpec", Spec)
    refused(lambda: read_mjcf(arm()), "source")


def parallel_rods(turn, decimals=8):
    """Return an arm whose plate two rods keep parallel, once too often, with rounded places."""
    offset, arm = 0.0075 * np.array([np.cos(0.3), 0, np.sin(0.3)]), np.array([-0.03, 0, 0.03])
    cosine, sine = np.cos(turn), np.sin(turn)
    plate = np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]]) @ offset
    bodies, sites = "", ""
    for name, side in (("front", 1), ("back", -1)):
        pin, goal = (np.round(side * x, decimals) for x in (plate, offset))
        rod = np.round(goal - arm - pin, decimals)
        bodies += (
            f"<body name='{name}' pos='{pin[0]} 0 {pin[2]}'><joint name='{name}' axis='0 1 0'/>"
            f"{INERTIAL}<site name='{name}1' pos='{rod[0]} 0 {rod[2]}'/></body>"
        )
        sites += f"<site name='{name}2' pos='{goal[0]} 0 {goal[2]}'/>"
    return model_of(
        f"{sites}<body name='arm'><joint name='hinge' axis='0 1 0'/>{INERTIAL}"
        f"<body name='plate' pos='-0.03 0 0.03'><joint name='drive' axis='0 1 0'/>{INERTIAL}"
        f"{bodies}"
        "</body></body>",
        "<equality><connect name='f' site1='front1' site2='front2'/>"
        "<connect name='b' site1='back1' site2='back2'/></equality>",
    )


@pytest.mark.parametrize(("turn", "decimals"), [(0.0036, 8), *slow([(0, 17)])])
def test_loops_that_are_redundant_but_for_rounding(turn, decimals):
    """As in ToddlerBot's neck: MuJoCo closes both loops to 1e-6 at all our poses."""
    text = parallel_rods(turn, decimals)
    model, theirs = read_mjcf(text), mujoco.MjModel.from_xml_string(text)
    is_rounded = decimals < 17
    named = ("a part of b, which others hold to 1e-06 of the lengths",)
    assert model.left_out == named * is_rounded
    idyn = model.inverse_dynamics()
    assert len(model.system.q_ind) == 1
    data = mujoco.MjData(theirs)
    q, u = np.zeros((2, 9, 4))
    own = list(model.coordinates).index(str(model.system.q_ind[0].func))
    q[:, own] = np.linspace(-0.6, 0.9, 9)
    motion = idyn.close_motion(q, u, u, guess=model.reference)
    for pose in motion[0]:
        data.qpos = model.to_mujoco(pose).q
        mujoco.mj_kinematics(theirs, data)
        for name in ("front", "back"):
            ends = (data.site(f"{name}{k}").xpos for k in (1, 2))
            assert np.abs(np.subtract(*ends)).max() < 1e-6 * 0.05


def test_a_loop_that_is_stretched():
    """Two rods whose end is as far away as they are long: there is no other pose."""
    text = model_of(
        f"<body name='a'><joint name='one' axis='0 1 0'/>{INERTIAL}<body name='b' pos='1 0 0'>"
        f"<joint name='two' axis='0 1 0'/>{INERTIAL}</body></body>",
        "<equality><connect name='c' body1='b' anchor='1 0 0'/></equality>",
    )
    assert read_mjcf(text).reference == pytest.approx(0)
    sites = text.replace("body1='b' anchor='1 0 0'", "site1='s' site2='t'").replace(
        "</worldbody>", "<site name='t' pos='2.1 0 0'/></worldbody>"
    )
    with refusal("source"):
        read_mjcf(sites.replace("</body></body>", "<site name='s' pos='1 0 0'/></body></body>"))
