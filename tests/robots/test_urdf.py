"""`read_urdf`: what is read, in whose conventions, and what is refused."""

import numpy as np
import pytest
import sympy.physics.mechanics as me
from marks import slow
from numeric import relative_error
from refusals import refusal, refused
from robots import evaluated, random_motion
from sympy import Symbol
from sympy.physics.vector import Point, ReferenceFrame
from urdf_texts import INERTIA, LIMIT, joint, link, robot

from jointwrench import FreeJoint, Limits, QuaternionJoint, Trajectory
from jointwrench.model_files.conventions import StateVectors, find_convention
from jointwrench.models.coupled_joint import CoupledJoint
from jointwrench.pictures import plot_stick_figure
from jointwrench.robots import read_urdf


def with_heavy_base(text):
    """Return the text of a robot that may float."""
    return text.replace("<link name='base'/>\n", link("base", 5))


ARM = robot(
    link("a", 1, more="<visual/><collision/>"),
    link("b", 2),
    link("c", 3),
    joint("one", "revolute", "base", "a", "0 1 1", LIMIT + "<dynamics damping='2' friction='3'/>"),
    joint("two", "prismatic", "a", "b", "3 1 -1", LIMIT + "<dynamics damping='0.5'/>"),
    joint("flange", "fixed", "b", "c"),
    "<transmission name='motor'/>",
)

#: Every type of joint; "three" mimics "two", which mimics "slide".
HAND = robot(
    *(link(name, k + 1) for k, name in enumerate("abcdef")),
    joint("plane", "planar", "base", "a"),
    joint("one", "continuous", "a", "b", "0 1 1"),
    joint("two", "revolute", "b", "c", "0 1 -1", LIMIT + "<mimic joint='slide' offset='0.2'/>"),
    joint("slide", "prismatic", "b", "d", "3 1 1", LIMIT),
    joint("three", "prismatic", "d", "e", "0 1 0", LIMIT + "<mimic joint='two' multiplier='-2'/>"),
    joint("away", "floating", "d", "f"),
)


def wheel(tensor="", mass=1, more=""):
    """Return the text of a robot of one body that turns, by its <inertia>."""
    return robot(link("a", mass, tensor or INERTIA), joint("one", "continuous", "base", "a"), more)


def tensor_of(xx, yy, zz, xy=0):
    return f"<inertia ixx='{xx}' iyy='{yy}' izz='{zz}' ixy='{xy}' ixz='0' iyz='0'/>"


def moments_of(text):
    body = read_urdf(text).bodies["a"]
    return np.array(body.central_inertia.to_matrix(body.frame), dtype=float)


def test_world_is_a_link_without_an_element():
    """In files for drake."""
    named = robot(joint("rail", "prismatic", "world", "a"), link("a", 2), base="")
    model = read_urdf(named)
    assert model.joints["rail"].parent.name == "world"
    assert repr(model) == repr(read_urdf(named.replace("<link", "<link name='world'/><link", 1)))


def test_everything_has_its_name():
    model = read_urdf(ARM)
    assert repr(model) == (
        "ModelFromFile(r: 3 bodies, 3 joints, 2 speeds; left out: 4, see .left_out)"
    )
    assert list(model.bodies) == ["a", "b", "c"]
    assert [*map(type, model.joints.values())] == [me.PinJoint, me.PrismaticJoint, me.WeldJoint]
    assert model.kinds == {"one": "revolute", "two": "prismatic", "flange": "fixed"}
    assert list(model.coordinates) == list(model.speeds) == ["one", "two"]
    assert list(model.coordinates.values()) == list(model.system.q)
    assert model.limits["two"] == Limits(lower=-2, upper=3, speed=4, force=5)
    shapes = "<visual> of a", "<collision> of a"
    assert model.left_out == (*shapes, "damping of one, two", "friction of one")
    assert model.system.bodies[0].name == "base"
    assert set(model.origins) == {"base", "a", "b", "c"}
    assert model.constants == {}


def test_every_type_of_joint():
    model = read_urdf(HAND)
    kinds = [me.PlanarJoint, me.PinJoint, CoupledJoint, me.PrismaticJoint, CoupledJoint, FreeJoint]
    assert {type(x) for x in model.joints.values()} == set(kinds)
    slide = model.coordinates["slide"]
    assert model.dependent["two"] == slide + 0.2
    assert model.dependent["three"] == -2 * slide - 0.4
    assert list(model.coordinates)[:3] == ["plane_angle", "plane_x", "plane_y"]
    assert list(model.speeds)[-6:] == [f"away_{x}" for x in ("vx", "vy", "vz", "wx", "wy", "wz")]
    assert model.limits["one"] == Limits()
    assert model.reference.tolist() == [0.0] * 8 + [1.0, 0, 0, 0]


@pytest.mark.parametrize(("shape", "mimics"), [(None, "revolute"), (4, "continuous")])
def test_every_type_of_joint_in_pinocchio(shape, mimics):
    """It has no word for one joint that moves two: the forces of both are one here."""
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
    text = HAND.replace("'two' type='revolute'", f"'two' type='{mimics}'")
    model, theirs = read_urdf(text), pin.buildModelFromXML(text)
    model.from_pinocchio(pin.neutral(theirs))
    data = theirs.createData()
    q, u, udot = random_motion(model, shape)
    forces = evaluated(model, q, u, udot).generalized_forces
    there = model.to_pinocchio(q, u, udot)
    assert there.forces is None
    rows = zip(*map(np.atleast_2d, there[:3]), strict=True)
    torques = np.array([pin.rnea(theirs, data, *row) for row in rows])
    torques = torques if shape else torques[0]
    back = model.from_pinocchio(there.q, there.u, there.udot, torques)
    assert relative_error(forces, back.forces) < 1e-12
    for before, after in zip((q, u, udot), back, strict=False):
        assert after == pytest.approx(before, abs=1e-12)
    step = 1e-6  # along the path that Pinocchio integrates
    along = model.to_pinocchio(q, u)
    steps = zip(np.atleast_2d(along.q), step * np.atleast_2d(along.u), strict=True)
    moved = [pin.integrate(theirs, *row) for row in steps]
    rates = (model.from_pinocchio(np.reshape(moved, along.q.shape)).q - q) / step
    own = [list(model.coordinates).index(x) for x in ("plane_x", "plane_y", "away_x", "away_z")]
    speeds = [list(model.speeds).index(x) for x in ("plane_x", "plane_y", "away_vx", "away_vz")]
    assert rates[..., own] == pytest.approx(u[..., speeds], abs=1e-4)


def test_forces_become_those_of_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
    text = HAND.replace("<mimic joint='slide' offset='0.2'/>", "").replace(
        "<mimic joint='two' multiplier='-2'/>", ""
    )
    text = with_heavy_base(text)
    theirs = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    model = read_urdf(text, floating=True)
    q, u, udot = random_motion(model)
    there = model.to_pinocchio(q, u, udot, evaluated(model, q, u, udot).generalized_forces)
    torques = pin.rnea(theirs, theirs.createData(), there.q, there.u, there.udot)
    assert relative_error(there.forces, torques) < 1e-12
    order = list(theirs.names)[1:]
    assert order == list(model.pinocchio_order)
    assert model.to_pinocchio(q, u, udot, joints=order).u == pytest.approx(there.u)


def test_planar_joint_in_mujoco():
    """Two slides and a hinge there, about an axis; principal axes were inexact before 3.14."""
    mujoco = pytest.importorskip("mujoco", "3.14", reason="needs MuJoCo 3.14 (pip install mujoco)")
    text = robot(link("a"), joint("plane", "planar", "base", "a", "1 2 -0.5"))
    model, theirs = read_urdf(text), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    q, u, udot = random_motion(model)
    data.qpos, data.qvel, data.qacc = model.to_mujoco(q, u, udot)[:3]
    mujoco.mj_inverse(theirs, data)
    back = model.from_mujoco(data.qpos, qfrc=data.qfrc_inverse)
    assert relative_error(evaluated(model, q, u, udot).generalized_forces, back.forces) < 1e-9
    assert back.u is None


def test_symbols_have_the_numbers_of_the_file():
    numbers, symbols = (read_urdf(ARM, symbolic=x, damping=True) for x in (False, True))
    assert symbols.constants[Symbol("m_b")] == 2
    assert symbols.constants[Symbol("damping_one")] == 2
    assert len(symbols.constants) == 3 * 10 + 2
    q, u, udot = random_motion(numbers)
    expected = evaluated(numbers, q, u, udot)
    found = evaluated(symbols, q, u, udot)
    assert relative_error(found.joint_wrenches, expected.joint_wrenches) < 1e-12


def test_damping_and_friction_are_loads():
    plain, damped = read_urdf(ARM), read_urdf(ARM, damping=True, friction=True)
    q, u, udot = random_motion(plain)
    expected = [2 * u[0] + 3 * np.sign(u[0]), 0.5 * u[1]]
    forces = [evaluated(model, q, u, udot).generalized_forces for model in (damped, plain)]
    assert forces[0] - forces[1] == pytest.approx(expected)
    assert damped.left_out == plain.left_out[:2]


def test_damping_of_what_mimics_and_of_a_plane():
    damped = "<dynamics damping='2'/>"
    text = HAND.replace("offset='0.2'/>", f"offset='0.2'/>{damped}").replace(
        "<child link='a'/>", f"<child link='a'/>{damped}"
    )
    with pytest.warns(UserWarning, match="what acts there is left out: damping of plane"):
        models = read_urdf(text), read_urdf(text, damping=True)
    q, u, udot = random_motion(models[0])
    plain, more = (evaluated(model, q, u, udot).generalized_forces for model in models)
    slide = list(models[0].speeds).index("slide")
    expected = np.zeros(len(u))
    expected[slide] = 2 * u[slide]
    assert more - plain == pytest.approx(expected, abs=1e-12)
    assert models[1].left_out == ("changes forces: damping of plane",)


@pytest.mark.parametrize("floating", [False, True])
def test_merged_links_move_the_same(floating):
    text = with_heavy_base(ARM)
    kept, merged = (read_urdf(text, floating, merge_fixed=x) for x in (False, True))
    assert list(kept.joints) == ["root_joint", "one", "two", "flange"]
    assert list(merged.joints) == ["root_joint", "one", "two"][1 - floating :]
    assert "c" not in merged.bodies
    arm = merged.origins["c"].pos_from(merged.origins["b"])
    assert arm.to_matrix(merged.bodies["b"].frame) == pytest.approx(np.array([[0.1, 0.2, 0.3]]).T)
    q, u, udot = random_motion(kept)
    results = [evaluated(model, q, u, udot) for model in (kept, merged)]
    assert relative_error(*(x.generalized_forces for x in results)) < 1e-12
    assert relative_error(*(x.joint_wrench("two") for x in results)) < 1e-12


def test_flanges_and_heavy_roots_are_welded():
    text = robot(link("tool", 2), joint("flange", "fixed", "base", "tool"))
    wrench = evaluated(read_urdf(text, gravity=(0, 0, -10)), [], [], []).joint_wrench("flange")
    assert np.linalg.norm(wrench[:3]) == pytest.approx(20)
    text = robot(base=link("a"))
    model = read_urdf(text)
    assert list(model.joints) == ["root_joint"]
    assert evaluated(model, [], [], []).joint_wrench("root_joint")[2] == pytest.approx(9.81)
    assert list(read_urdf(text, merge_fixed=True).bodies) == []


def test_files_and_packages(tmp_path, monkeypatch):
    folder = tmp_path / "arm_description"
    folder.mkdir()
    (folder / "arm.urdf").write_bytes(b"\xef\xbb\xbf" + ARM.encode())
    inside = "package://arm_description/arm.urdf"
    files = (folder / "arm.urdf", None), (str(folder / "arm.urdf"), None)
    known = (inside, {"arm_description": folder}), (inside, [tmp_path]), (inside, [folder])
    for source, packages in (*files, *known):
        assert list(read_urdf(source, packages=packages).bodies) == ["a", "b", "c"]
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    assert read_urdf(inside).source == "r"


XACRO = ARM.replace("name='r'", "name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'").replace(
    "<link name='base'/>",
    "<xacro:arg name='tip' default='c'/><xacro:property name='w' value='7'/><link name='base'/>"
    "<link name='$(arg tip)0'><inertial><mass value='${w}'/>" + INERTIA + "</inertial></link>"
    "<joint name='t' type='fixed'><parent link='base'/><child link='$(arg tip)0'/></joint>",
)


def test_xacro(tmp_path):
    pytest.importorskip("xacrodoc", reason="needs xacrodoc (pip install 'jointwrench[xacro]')")
    assert read_urdf(XACRO).bodies["c0"].mass == 7
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(XACRO)
    model = read_urdf(path, arguments={"tip": "d"}, packages={"arm": tmp_path})
    assert model.bodies["d0"].mass == 7


def including(what):
    return XACRO.replace("value='7'/>", f"value='7'/>{what}")


def test_xacro_opens_files_of_its_folder_its_package_and_known_packages_alone(tmp_path):
    pytest.importorskip("xacrodoc", reason="needs xacrodoc (pip install 'jointwrench[xacro]')")
    own, other = tmp_path / "robot" / "urdf", tmp_path / "other"
    own.mkdir(parents=True), other.mkdir()
    part = "<robot xmlns:xacro='a'><xacro:property name='w' value='9'/></robot>"
    for folder in (own, own.parent, other):
        (folder / "part.xacro").write_text(part)
        (folder / "part.yaml").write_text("w: 9")
    path = own / "arm.urdf.xacro"

    def mass(what, **options):
        path.write_text(including(what))
        return read_urdf(path, **options).bodies["c0"].mass

    beside, above = (f"<xacro:include filename='{x}/part.xacro'/>" for x in (".", ".."))
    there = f"<xacro:include filename='{other}/part.xacro'/>"
    data = f"<xacro:property name='w' value=\"${{xacro.load_yaml('{other}/part.yaml')['w']}}\"/>"
    assert mass(beside) == 9
    for outside in (above, there, data):
        refused(lambda: mass(outside), "source")
    assert mass(there, packages={"other": other}) == mass(data, packages={"other": other}) == 9
    (own.parent / "package.xml").write_text("<package><name>robot</name></package>")
    assert mass(above) == 9


@pytest.mark.parametrize(
    "what",
    [
        "<xacro:include filename='$(find nowhere)/a'/>",
        "<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>",
        *slow(["<xacro:property name='w' value='${9**9**9}'/>"]),  # it computes for three seconds
        "<xacro:property name='w' value='${undefined}'/>",
    ],
)
def test_xacro_that_cannot_be_expanded(what, monkeypatch):
    pytest.importorskip("xacrodoc", reason="needs xacrodoc (pip install 'jointwrench[xacro]')")
    monkeypatch.setattr("jointwrench.robots.xacro_files.LONGEST", 3)
    refused(lambda: read_urdf(including(what)), "source")


def test_xacro_without_its_library(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xacrodoc", None)
    refused(lambda: read_urdf(XACRO), None, ImportError)


def test_pictures_know_the_constants():
    pytest.importorskip("matplotlib")
    model = read_urdf(with_heavy_base(HAND), floating=True, symbolic=True)
    q, u, udot = random_motion(model, 5)
    motion = Trajectory(np.linspace(0, 0.1, 5), q, u, udot)
    axes = [plot_stick_figure(model, motion, view="3d", times=t) for t in ([0], [0, 0.05])]
    assert len(axes[1].lines) > len(axes[0].lines) > 0


# -- bad input ----------------------------------------------------------------------------------


def faults(text, **options):
    with refusal("source") as caught:
        read_urdf(text, **options)
    listing = str(caught.value).partition("but in the text:")[2]
    return listing.strip().removeprefix("- ").split("\n- ")


def test_what_a_joint_has_more_than_once_or_for_nothing():
    text = robot(link("a"), joint("plane", "planar", "base", "a"))
    limited = text.replace("</joint>", "<limit effort='1' velocity='2'/></joint>")
    assert read_urdf(limited).left_out == ("<limit> of plane",)
    twice = text.replace("</joint>", "<parent link='a'/></joint>")
    assert faults(twice) == ["<joint 'plane'> (line 5) must have one <parent>, got several."]


def test_all_faults_in_one_error():
    text = robot(
        link("a", -1),
        "<link name='b'><inertial><mass/></inertial></link>\n",
        link("c", 1, "<inertia ixx='1' iyy='1' izz='5' ixy='0' ixz='0' iyz='none'/>"),
        joint("one", "rotary", "base", "a"),
        joint("two", "revolute", "base", "a", "0 0 0"),
        "<joint name='three' type='fixed'><parent link='nowhere'/></joint>\n",
        "<link/>\n<link name='a'/>\n",
        joint("four", "revolute", "base", "b", "0 1"),
    )
    assert faults(text) == [
        "<mass> (line 5) has no 'value'.",
        "<inertial> (line 5) of <link 'b'> (line 5) has no <inertia>.",
        "<inertia> (line 6): 'iyz' must be a finite number, got 'none'.",
        "<link> (line 10) has no name.",
        "<link 'a'> (line 11) has the name of that on line 4.",
        "<joint 'one'> (line 7) must be of type fixed, revolute, continuous, prismatic, planar, "
        "floating, got 'rotary'.",
        "<joint 'two'> (line 8) has an <axis> without direction, [0. 0. 0.].",
        "<joint 'three'> (line 9) has the parent link 'nowhere', which does not exist.",
        "<joint 'three'> (line 9) has no <child link=\"...\">.",
        "<axis> (line 12): 'xyz' must be 3 finite numbers, got '0 1'.",
        "<link 'a'> (line 4) is the child of <joint 'one'> (line 7) and of <joint 'two'> "
        "(line 8). A URDF is a tree: close loops by <loop_joint>, or with LoopJoint afterwards.",
        "one link must be the root, but no joint leads to <link 'base'> (line 3), <link 'c'> "
        "(line 6).",
        "<inertial> (line 4) of <link 'a'> (line 4): the mass must not be negative, got -1.",
        "Use nonphysical='keep' to take such bodies as they are.",
    ]


def test_a_macro_that_was_not_expanded():
    (fault,) = faults(robot(link("a"), joint("x", "revolute", "base", "a", "0 0 ${up}")))
    assert fault.endswith("must be 3 finite numbers, got '0 0 ${up}'. Expand it by xacro first.")


def test_cycles():
    text = robot(link("a"), link("b"), joint("x", "fixed", "a", "b"), joint("y", "fixed", "b", "a"))
    assert faults(text) == [
        "joints lead from the root to no <link 'a'> (line 4), <link 'b'> (line 5): they form a "
        "cycle."
    ]
    assert faults(text.replace("<link name='base'/>", ""))[0].startswith("joints lead from the")


def test_inertias_that_no_body_can_have():
    for moments in ((1, 1, 2.1), (-1, 1, 1)):
        text = wheel(tensor_of(*moments))
        refused(lambda: read_urdf(text), "source")
        assert read_urdf(text, nonphysical="keep").bodies["a"].mass == 1


def test_joints_that_move_nothing():
    """A link without inertial may be a frame, or hold others: not the end of what moves."""
    text = robot(
        link("a"),
        "<link name='hand'/>\n<link name='tip'/>\n<link name='finger'/>\n",
        joint("one", "continuous", "base", "a"),
        joint("two", "revolute", "a", "hand"),
        joint("three", "fixed", "hand", "tip"),
        joint("four", "prismatic", "hand", "finger", more="<mimic joint='one'/>"),
    )
    assert faults(text) == [
        "<joint 'two'> (line 9) moves no mass: <link 'hand'> (line 5), <link 'tip'> (line 6), "
        "<link 'finger'> (line 7) without <inertial>. Make it fixed, or give them one.",
        "Use nonphysical='keep' to take such bodies as they are.",
    ]
    assert len(read_urdf(text, nonphysical="keep").speeds) == 2
    fixed = text.replace("'revolute'", "'fixed'")
    evaluate = read_urdf(fixed).inverse_dynamics().compile(backend="numpy")
    assert np.isfinite(evaluate([0.3], [0.1], [0.2]).generalized_forces).all()


def test_zeros_that_a_program_has_turned_are_zeros():
    moments = moments_of(wheel(tensor_of("-5e-20", 2, 2, "1e-21")))
    assert moments[0].tolist() == [0, 0, 0]
    assert moments == pytest.approx(np.diag([0, 2, 2]))


def test_inertia_of_something_small():
    """A cube of 0.1 um: what is small counts from the largest entry, not from a metre."""
    moments = moments_of(wheel(tensor_of(2e-33, 2e-33, 2e-33, 1e-34), 1e-18))
    assert np.trace(moments) == pytest.approx(6e-33, rel=1e-9, abs=0)
    assert np.linalg.eigvalsh(moments)[0] == pytest.approx(1.9e-33, rel=1e-9, abs=0)


#: Quarter turns in doubles and with fewer digits; angles whose cosine is nearly one.
ANGLES = "1.5707963267948966 1.57079632679 -3.1416", "3e-5 2e-10 1.5708", "4e-8 0.2 4.712388980"


@pytest.mark.parametrize("rpy", ANGLES)
def test_angles_are_those_of_the_file(rpy):
    """Nothing but the rounding of doubles is taken away: as Pinocchio has them."""
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio (pip install pin)")
    text = ARM.replace("rpy='0.5 0.2 0.3'", f"rpy='{rpy}'").replace("0 1 1", "2e-5 1e-10 1")
    model, theirs = read_urdf(text), pin.buildModelFromXML(text)
    q, u, udot = random_motion(model)
    torques = pin.rnea(theirs, theirs.createData(), q, u, udot)
    assert relative_error(evaluated(model, q, u, udot).generalized_forces, torques) < 1e-14


def rotation_of_joint(model, name):
    it = model.joints[name]
    return it.parent_interframe.dcm(it.parent.frame)


def test_quarter_turns():
    text = ARM.replace("rpy='0.5 0.2 0.3'", "rpy='1.5708 1.57079632679 -3.141593'")
    plain = rotation_of_joint(read_urdf(text), "one")
    turned = rotation_of_joint(read_urdf(text, quarter_turns=True), "one")
    assert turned.tolist() == np.round(np.array(plain, dtype=float)).astype(int).tolist()
    assert plain != turned
    for rpy in ("1.571 0 3.14", "1.5709 0 0", "1e-5 3e-5 0"):  # no rounded quarter turns
        text = ARM.replace("rpy='0.5 0.2 0.3'", f"rpy='{rpy}'")
        same = [rotation_of_joint(read_urdf(text, quarter_turns=x), "one") for x in (False, True)]
        assert same[0] == same[1]


def mimicking(leader, more=""):
    """Return the arm of which the first joint mimics a leader, and the second one the first."""
    text = ARM.replace("<axis xyz='0 1 1'/>", f"<axis xyz='0 1 1'/><mimic joint='{leader}'/>")
    return text.replace("<axis xyz='3 1 -1'/>", f"<axis xyz='3 1 -1'/><mimic joint='one' {more}/>")


LEADERS = [("nobody", "'nobody', which does not exist.")]
LEADERS.append(("flange", "<joint 'flange'> (line 9): both must have one freedom."))


@pytest.mark.parametrize(("leader", "words"), LEADERS)
def test_joints_without_leaders_move_by_themselves(leader, words):
    """And so do those that mimic these: twice the angle of a joint that has no leader."""
    text = mimicking(leader, "multiplier='2'")
    model = read_urdf(text, missing_leaders="free")
    assert f"<mimic> of one, which mimics {words}" in model.left_out
    assert list(model.coordinates) == ["one"]
    assert model.dependent == {"two": 2 * model.coordinates["one"]}
    (fault,) = faults(text)[:1]
    assert words.rstrip(".") in fault
    assert "Use missing_leaders='free' to move it by itself." in fault


def test_broken_and_other_xml():
    assert faults("<mujoco/>") == ["<mujoco> (line 1) is the root, which must be <robot>."]
    assert faults("<robot name='nothing'/>") == ["<robot 'nothing'> (line 1) has no <link>."]
    assert "mimics itself in the end" in faults(mimicking("two"))[0]


@pytest.mark.parametrize(
    ("source", "options", "argument", "error"),
    [
        ("\n\n" + ARM.replace("</robot>", "</link>"), {}, "source", ValueError),
        ("", {}, "source", ValueError),
        ("nothing.urdf", {}, "source", FileNotFoundError),
        ("package://nowhere/a.urdf", {"packages": {"arm": "."}}, "source", FileNotFoundError),
        (3, {}, "source", TypeError),
        (ARM, {"nonphysical": "x"}, "nonphysical", ValueError),
        (ARM, {"missing_leaders": "drop"}, "missing_leaders", ValueError),
    ],
)
def test_refused(source, options, argument, error):
    refused(lambda: read_urdf(source, **options), argument, error)


def test_a_file_with_the_name_of_the_root_joint():
    text = with_heavy_base(ARM).replace("name='one'", "name='root_joint'")
    assert list(read_urdf(text, floating=True).joints)[:2] == ["root_joint_", "root_joint"]


def test_quaternion_of_a_ball_in_pinocchio():
    joint = QuaternionJoint("ball", me.RigidBody("socket"), me.RigidBody("head"))
    form = find_convention(joint, "Pinocchio", "ball")
    quaternion = np.array([0.5, 0.1, 0.7, 0.5])
    there = form.export(StateVectors(2 * quaternion, np.arange(3)))
    assert there.q == pytest.approx([0.1, 0.7, 0.5, 0.5])
    assert there.u is not None
    for q in (there.q, 3 * there.q):
        assert form.import_(StateVectors(q)).q == pytest.approx(quaternion)
    refused(lambda: form.import_(StateVectors(np.zeros(4))), "q")


def test_vectors_of_a_robot_that_does_not_move():
    model = read_urdf(robot(link("a"), joint("weld", "fixed", "base", "a")))
    for there in (model.to_pinocchio([], [], []), model.to_mujoco([], [], [])):
        assert [x.shape for x in there[:3]] == 3 * [(0,)]


def test_joints_that_others_do_not_have():
    joint = me.SphericalJoint("ball", me.RigidBody("socket"), me.RigidBody("head"))
    for package in ("Pinocchio", "MuJoCo"):
        refused(lambda package=package: find_convention(joint, package, ""), None)


def test_wrong_vectors():
    model = read_urdf(ARM)
    refused(lambda: model.to_pinocchio([0, 0], [0, 0, 0]), "u")
    refused(lambda: model.to_pinocchio(np.zeros((3, 2)), np.zeros((2, 2))), "u")
    assert model.to_pinocchio(np.zeros((3, 2)), [1, 2]).u.shape == (3, 2)
    refused(lambda: model.to_mujoco([0, 0], udot=[0, 0]), "u")
    refused(lambda: model.from_pinocchio([0, 0], joints=["one"]), "joints")
    for convert in (model.to_pinocchio, model.to_mujoco):
        refused(lambda: convert([0, 0], result=np.zeros((3, 6))), "result", TypeError)


def test_a_robot_is_read_without_a_search_of_the_whole_model(monkeypatch):
    """Law: sympy's lists of all paths, which make long chains slow, are not asked for."""

    def refuse(place, *_):
        raise AssertionError(f"all paths from {place}")

    monkeypatch.setattr(Point, "_pdict_list", refuse)
    monkeypatch.setattr(ReferenceFrame, "_dict_list", refuse)
    assert read_urdf(ARM).inverse_dynamics().generalized_forces.shape == (2, 1)
