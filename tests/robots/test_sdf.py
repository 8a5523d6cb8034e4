"""`read_sdf`: frames, scopes and loops, against `read_urdf`, which Pinocchio has tested."""

from itertools import product

import numpy as np
import pytest
from marks import slow
from numeric import relative_error
from refusals import refused
from robots import evaluated, random_motion
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench import LoopJoint
from jointwrench.robots import read_sdf, read_urdf

INERTIAL = """<inertial><pose>0.1 0 0.2 0 0 0</pose><mass>2</mass><inertia><ixx>0.5</ixx>
<iyy>0.6</iyy><izz>0.7</izz></inertia></inertial>"""
URDF_INERTIAL = """<inertial><origin xyz='0.1 0 0.2'/><mass value='2'/>
<inertia ixx='0.5' iyy='0.6' izz='0.7' ixy='0' ixz='0' iyz='0'/></inertial>"""


def model_of(*parts, version="1.7", name="m"):
    return f"<sdf version='{version}'><model name='{name}'>{''.join(parts)}</model></sdf>"


def link(name, pose="", rest=INERTIAL):
    return f"<link name='{name}'>{pose}{rest}</link>"


def joint(name, parent, child, kind="revolute", rest="", axis="<axis><xyz>0 1 0</xyz></axis>"):
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f"<joint name='{name}' type='{kind}'>{ends}{axis}{rest}</joint>"


# -- random trees ------------------------------------------------------------------------------


def place(numbers):
    return Rotation.random(random_state=numbers.integers(1 << 30)), numbers.uniform(-1, 1, 3)


def compose(one, other):
    return one[0] * other[0], one[1] + one[0].apply(other[1])


def relative(base, other):
    turn = base[0].inv()
    return turn * other[0], turn.apply(other[1] - base[1])


def pose_of(where, base, numbers):
    """Return a pose as text in one of the ways in which it can be written."""
    turn, position = where
    angles = turn.as_euler("xyz")
    form = numbers.integers(3)
    told, extra = [angles, np.degrees(angles), turn.as_quat()][form], ""
    if form:
        extra = ["degrees='true'", "rotation_format='quat_xyzw'"][form - 1]
    to = f"relative_to='{base}'" if base else ""
    listing = " ".join(f"{x:.17g}" for x in (*position, *told))
    return f"<pose {to} {extra}>{listing}</pose>"


def random_robot(seed, count=5):
    """Return one robot as URDF and as SDF, whose frames are placed in any others."""
    numbers = np.random.default_rng(seed)
    where = {"__model__": place(numbers)}  # of frames in the world
    urdf, sdf, frames = [], [], ["__model__"]
    for k in range(count):
        frame, base = f"frame{k}", numbers.choice(frames)
        where[frame] = place(numbers)
        pose = pose_of(relative(where[base], where[frame]), base, numbers)
        sdf.append(f"<frame name='{frame}' attached_to='{base}'>{pose}</frame>")
        frames.append(frame)
    for k in range(count):
        own, base = f"link{k}", numbers.choice(frames)
        where[own] = place(numbers)
        pose = pose_of(relative(where[base], where[own]), base, numbers)
        sdf.append(link(own, pose))
        frames.append(own)
        urdf.append(f"<link name='{own}'>{URDF_INERTIAL}</link>")
        if not k:
            continue
        parent, name = f"link{numbers.integers(k)}", f"joint{k}"
        seen = numbers.choice(["", "__model__", parent, f"frame{numbers.integers(count)}"])
        axis, kind = numbers.uniform(-1, 1, 3), numbers.choice(["revolute", "prismatic"])
        # the frame of the joint is that of the child: URDF has no other one
        expressed = relative(where[own], where[seen])[0].apply(axis) if seen else axis
        text = " ".join(f"{x:.17g}" for x in axis)
        to = f"expressed_in='{seen}'" if seen else ""
        dynamics = "<dynamics><damping>0.3</damping><friction>0.2</friction></dynamics>"
        about = f"<axis><xyz {to}>{text}</xyz>{dynamics}</axis>"
        sdf.append(joint(name, parent, own, kind, axis=about))
        turn, position = relative(where[parent], where[own])
        vectors = turn.as_euler("xyz"), position, expressed
        rpy, xyz, axis = (" ".join(f"{x:.17g}" for x in vector) for vector in vectors)
        urdf.append(
            f"<joint name='{name}' type='{kind}'><origin xyz='{xyz}' rpy='{rpy}'/>"
            f"<axis xyz='{axis}'/><parent link='{parent}'/><child link='{own}'/>"
            "<dynamics damping='0.3' friction='0.2'/></joint>"
        )
    base = pose_of(where["__model__"], "", numbers)
    numbers.shuffle(sdf)
    return f"<robot name='r'>{''.join(urdf)}</robot>", model_of(base, *sdf, version="1.9"), where


@pytest.mark.parametrize("seed", [2, *slow([0, 1])])
def test_frames_of_random_trees(seed):
    urdf, sdf, where = random_robot(seed)
    options = {"damping": True, "friction": True}
    ours, theirs = read_sdf(sdf, **options), read_urdf(urdf, floating=True, **options)
    places = ours.kinematics().compile(("positions", "orientations"))(ours.reference)
    for name in ours.bodies:
        turn, position = where[name]
        assert places.position(name) == pytest.approx(position)
        assert places.orientation(name) == pytest.approx(turn.as_matrix())
    motion = random_motion(theirs)
    order = [list(theirs.coordinates).index(name) for name in ours.coordinates]
    rows = [list(theirs.speeds).index(name) for name in ours.speeds]
    moved = motion[0][order], motion[1][rows], motion[2][rows]
    found = evaluated(ours, *moved).generalized_forces
    assert relative_error(found, evaluated(theirs, *motion).generalized_forces[rows]) < 1e-9


# -- joints -------------------------------------------------------------------------------------


def test_every_type_of_joint():
    text = model_of(
        *(link(name) for name in "abcdefgh"),
        joint("one", "world", "a", "continuous"),
        joint("two", "a", "b", "prismatic"),
        joint("three", "b", "c", "fixed", axis=""),
        joint("four", "c", "d", "ball", axis=""),
        joint("five", "d", "e", "screw", "<screw_thread_pitch>0.5</screw_thread_pitch>"),
        joint("six", "e", "f", "screw", "<thread_pitch>-4</thread_pitch>"),
        joint("seven", "f", "g", "universal", "<axis2><xyz>0 0 1</xyz></axis2>"),
        joint("eight", "g", "h", "revolute2", "<axis2><xyz>1 0 0</xyz></axis2>"),
    )
    model = read_sdf(text)
    named = "one two four_wx four_wy four_wz five six seven_axis seven_axis2 eight_axis eight_axis2"
    assert list(model.speeds) == named.split()
    assert model.left_out == ()
    q = np.array(model.reference)
    names = list(model.coordinates)
    for name in ("five", "six"):
        q[names.index(name)] = 1.5
    kin = model.kinematics(points={x: model.origins[x] for x in "def"})
    moved = kin.compile("positions")(q)
    assert moved.position("e") - moved.position("d") == pytest.approx([0, 0.5 * 1.5 / 2 / np.pi, 0])
    assert moved.position("f") - moved.position("e") == pytest.approx([0, 1.5 / 4, 0])
    slopes = model.inverse_dynamics().compile("mass_matrix")(q, *np.zeros((2, len(model.speeds))))
    assert np.linalg.eigvalsh(slopes.mass_matrix)[0] > 0


def test_two_axes_are_two_pins():
    """A universal joint is two pins in series, as a URDF with a link between has them."""
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0.2</xyz></axis2>"
    ours = read_sdf(model_of(link("a"), joint("j", "world", "a", "universal", axis=axes)))
    theirs = read_urdf(
        f"<robot name='r'><link name='w'/><link name='c'/><link name='a'>{URDF_INERTIAL}</link>"
        "<joint name='x' type='continuous'><parent link='w'/><child link='c'/><axis xyz='1 0 0'/>"
        "</joint><joint name='y' type='continuous'><parent link='c'/><child link='a'/>"
        "<axis xyz='0 1 0.2'/></joint></robot>"
    )
    motion = random_motion(theirs)
    found, expected = (evaluated(x, *motion).generalized_forces for x in (ours, theirs))
    assert found == pytest.approx(expected)
    assert list(ours.bodies) == ["j_cross", "a"]


def test_a_link_without_weight_has_none_after_its_mass_changed():
    text = model_of(link("a", "<gravity>false</gravity>"), joint("one", "world", "a"))
    model = read_sdf(text)
    model.bodies["a"].mass = 7
    still = [np.zeros(len(x)) for x in (model.coordinates, model.speeds, model.speeds)]
    evaluate = model.inverse_dynamics().compile("joint_wrenches", backend="numpy")
    assert np.abs(evaluate(*still).joint_wrenches).max() == 0


def test_springs_weights_and_mimics():
    spring = "<spring_reference>0.3</spring_reference><spring_stiffness>5</spring_stiffness>"
    axis = f"<axis><xyz>0 1 0</xyz><dynamics>{spring}</dynamics></axis>"
    mimic = "<mimic joint='one'><multiplier>2</multiplier><offset>0.1</offset>"
    follower = f"<axis><xyz>0 1 0</xyz>{mimic}<reference>0.4</reference></mimic></axis>"
    links = link("a", "<gravity>false</gravity>"), link("b")
    joints = joint("one", "world", "a", axis=axis), joint("two", "a", "b", axis=follower)
    text = model_of(*links, *joints, version="1.11")
    model = read_sdf(text, springs=True)
    leader = model.coordinates["one"]
    assert model.dependent["two"].subs(leader, 0.5) == pytest.approx(2 * 0.5 - 0.7)
    with pytest.warns(UserWarning, match="springs of one"):
        plain, heavy = map(read_sdf, (text, text.replace("<gravity>false</gravity>", "")))
    assert plain.left_out == ("changes forces: springs of one: springs=True reads them",)
    motion = random_motion(model)
    models = model, plain, heavy
    sprung, free, weighed = (evaluated(x, *motion).generalized_forces[0] for x in models)
    (q,) = motion[0]
    assert sprung - free == pytest.approx(5 * (q - 0.3))
    # about y, gravity along -z, the mass centre at (0.1, 0, 0.2)
    assert weighed - free == pytest.approx(-2 * 9.81 * (0.1 * np.cos(q) + 0.2 * np.sin(q)))


def test_limits():
    limit = "<limit><lower>-1</lower><upper>1e16</upper><effort>-1</effort><velocity>inf</velocity>"
    axis = f"<axis><xyz>0 1 0</xyz>{limit}</limit></axis>"
    model = read_sdf(model_of(link("a"), joint("one", "world", "a", axis=axis)))
    assert model.limits == {"one": jw.Limits(lower=-1.0)}


# -- loops ---------------------------------------------------------------------------------------

BARS = (("a", 0, 0, 1), ("b", 1, 0, 1), ("c", 2, 0, 1))
FOUR_BAR = (
    *(link(name, f"<pose>{x} {y} 0 0 0 0</pose>") for name, x, y, _ in BARS),
    joint("one", "world", "a", axis="<axis><xyz>0 0 1</xyz></axis>"),
    joint("two", "a", "b", axis="<axis><xyz>0 0 1</xyz></axis>"),
    joint("three", "world", "c", axis="<axis><xyz>0 0 1</xyz></axis>"),
)
CLOSING = "<pose relative_to='b'>1.5 0.5 0 0 0 0</pose>"


def test_loops():
    """The last joint that leads to a link closes a loop: as <loop_joint> does in a URDF."""
    last = joint("four", "b", "c", "{kind}", CLOSING, "<axis><xyz>0 0 1</xyz></axis>")
    ours = read_sdf(model_of(*FOUR_BAR, last.format(kind="revolute")))
    (loop,) = ours.loops
    assert isinstance(loop, LoopJoint)
    assert (loop.name, loop.kind, loop.parent.name, loop.child.name) == ("four", "pin", "b", "c")
    links = "".join(f"<link name='{x[0]}'>{URDF_INERTIAL}</link>" for x in BARS)
    theirs = read_urdf(
        f"<robot name='r'><link name='w'/>{links}"
        "<joint name='one' type='continuous'><parent link='w'/><child link='a'/><axis xyz='0 0 1'/>"
        "</joint><joint name='two' type='continuous'><parent link='a'/><child link='b'/>"
        "<origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint><joint name='three' type='continuous'>"
        "<parent link='w'/><child link='c'/><origin xyz='2 0 0'/><axis xyz='0 0 1'/></joint>"
        "<loop_joint name='four' type='revolute'><link1 link='b' xyz='1.5 0.5 0'/>"
        "<link2 link='c' xyz='0.5 0.5 0'/><axis xyz='0 0 1'/></loop_joint></robot>"
    )
    results = []
    for model in (ours, theirs):
        idyn, (q, u, udot) = model.inverse_dynamics(), np.array([[0.2, 0, 0]] * 3)
        motion = idyn.close_motion(q, u, udot)
        result = idyn.compile(backend="numpy")(*motion)
        results.append((*motion, result.generalized_forces, result.joint_wrench("four")))
    for found, expected in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert results[0][3][0] != 0

    balls = read_sdf(model_of(*FOUR_BAR, last.format(kind="ball")))
    assert balls.loops[0].kind == "spherical"
    assert balls.left_out == ("<axis> of four",)
    pitch = "<screw_thread_pitch>1</screw_thread_pitch></joint>"
    screw = last.format(kind="screw").replace("</joint>", pitch)
    refused(lambda: read_sdf(model_of(*FOUR_BAR, screw)), "source")


def test_loop_in_which_nothing_moves():
    """The joint that closes nothing is named."""
    both = (joint(x, "world", "a", kind) for x, kind in (("weld", "fixed"), ("pin", "revolute")))
    model = read_sdf(model_of(link("a"), *both))
    with pytest.raises(ValueError, match="'pin' closes nothing"):
        model.inverse_dynamics()


@pytest.mark.parametrize(
    ("order", "gap"), [("acb", 1e-6), *slow(product(("abc", "acb", "cab"), (0, 1e-6)))]
)
def test_what_is_independent_is_not_at_a_dead_centre(order, gap):
    """A stretched slider-crank of rounded lengths closes near its file's pose, on both sides."""
    axis = "<axis><xyz>{}</xyz></axis>"
    joints = {
        "a": joint("a", "world", "crank", axis=axis.format("0 0 1")),
        "b": joint("b", "crank", "rod", axis=axis.format("0 0 1")),
        "c": joint("c", "world", "slider", "prismatic", axis=axis.format("1 0 0")),
    }
    places = {"crank": 0, "rod": 0.5, "slider": 1.7 - gap}
    links = [link(name, f"<pose>{x} 0 0 0 0 0</pose>") for name, x in places.items()]
    pin = "<pose relative_to='rod'>1.2 0 0 0 0 0</pose>"
    last = joint("d", "rod", "slider", rest=pin, axis=axis.format("0 0 1"))
    model = read_sdf(model_of(*links, *(joints[x] for x in order), last))
    idyn, away = model.inverse_dynamics(), np.random.default_rng(0).uniform(-0.01, 0.01, (20, 3))
    near = model.reference + away
    found, *_ = idyn.close_motion(near, guess=near)
    assert abs(found - model.reference).max() < 0.1


def test_a_ring_without_ground():
    """Links in a circle: the first one is free, the joint that leads to it closes the circle."""
    links = (link(name, f"<pose>{x} {y} 0 0 0 0</pose>") for name, x, y in ("a00", "b10", "c01"))
    joints = joint("one", "a", "b"), joint("two", "b", "c"), joint("three", "c", "a")
    text = model_of(*links, *joints)
    model = read_sdf(text)
    assert list(model.joints) == ["root_joint", "one", "two"]
    assert [x.name for x in model.loops] == ["three"]
    assert next(iter(model.speeds)) == "root_joint_vx"


# -- scopes ---------------------------------------------------------------------------------------


def test_worlds_nested_and_included_models(tmp_path):
    hand = tmp_path / "models" / "hand"
    hand.mkdir(parents=True)
    palm = link("palm", "<pose>0 0 0.5 0 0 0</pose>")
    (hand / "model.sdf").write_text(
        model_of(palm, "<frame name='wrist' attached_to='palm'/>", "<sound/>")
    )
    inner = f"<model name='tool'><pose>0 0 0.1 0 0 0</pose>{link('tip')}</model>"
    text = (
        "<sdf version='1.8'><world name='lab'><gravity>0 0 -5</gravity><model name='table'>"
        f"<static>1</static>{link('top', '<pose>0 0 1 0 0 0</pose>')}</model><model name='arm'>"
        f"<pose relative_to='table'>1 0 1 0 0 0</pose>{link('base')}{inner}"
        "<include><uri>model://hand</uri><name>left</name><placement_frame>wrist</placement_frame>"
        "<pose>0 3 0 0 0 0</pose></include>"
        f"{joint('screwed', 'base', 'tool::tip', 'fixed', axis='')}"
        f"{joint('held', 'base', 'left::wrist')}</model></world></sdf>"
    )
    model = read_sdf(text, packages=[tmp_path / "models"])
    assert list(model.bodies) == ["arm::base", "arm::tool::tip", "arm::left::palm", "table::top"]
    assert list(model.coordinates)[-1] == "arm::held"
    assert next(iter(model.speeds)) == "root_joint_vx"
    assert model.left_out == ("<sound> of m",)
    found = model.kinematics().compile("positions")(model.reference)
    places = {"table::top": [0, 0, 1], "arm::base": [1, 0, 1], "arm::tool::tip": [1, 0, 1.1]}
    for name, expected in {**places, "arm::left::palm": [1, 3, 1]}.items():
        assert found.position(name) == pytest.approx(expected)
    still = np.zeros(len(model.speeds))
    forces = model.inverse_dynamics().compile()(model.reference, still, still).generalized_forces
    assert forces[list(model.speeds).index("root_joint_vz")] == pytest.approx(5 * 6)
    beside = tmp_path / "world.sdf"
    beside.write_text(text.replace("model://hand", "models/hand"))
    assert list(read_sdf(beside).bodies) == list(model.bodies)


def test_links_that_float_or_stand():
    text = model_of("<pose>1 2 3 0 0 0.5</pose>", link("a"), link("b"), joint("one", "a", "b"))
    assert list(read_sdf(text).coordinates)[:3] == [f"root_joint_{x}" for x in "xyz"]
    assert read_sdf(text).reference[:3] == pytest.approx([1, 2, 3])
    model = read_sdf(text, floating=False)
    assert list(model.coordinates) == ["one"]
    place = model.kinematics().compile(("positions", "orientations"))(model.reference)
    assert place.position("a") == pytest.approx([1, 2, 3])
    assert place.orientation("a") == pytest.approx(Rotation.from_euler("z", 0.5).as_matrix())
    assert read_sdf(text, symbolic=True).constants
    two = read_sdf(model_of(link("a"), link("b")))
    assert [*two.joints] == ["root_joint_a", "root_joint_b"]


def test_as_the_format_has_it():
    """No <inertial> means ones; frames of joints before 1.7 are told in other words."""
    assert read_sdf(model_of("<link name='a'/>")).bodies["a"].mass == 1
    axis = "<axis><xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame></axis>"
    older = joint("one", "world", "a", axis=axis)
    turned = link("a", "<pose>0 0 0 0 0 1.5707963267948966</pose>")
    one = read_sdf(model_of(turned, older, version="1.5"))
    newer = older.replace("<xyz>", "<xyz expressed_in='__model__'>")
    flag = "<use_parent_model_frame>1</use_parent_model_frame>"
    other = read_sdf(model_of(turned, newer.replace(flag, "")))
    results = [
        x.inverse_dynamics().compile()([0.3], [0.0], [0.0]).generalized_forces for x in (one, other)
    ]
    assert results[0] == pytest.approx(results[1])


ONE, A = ("one", "world", "a"), link("a")
NINE = "<inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>9</izz></inertia></inertial>"
FROM_B = "<inertial><pose relative_to='b'>0 0 0 0 0 0</pose></inertial>"
WRONG = {
    "is the root with version '1.4'": model_of(A, version="1.4"),
    "has no <link>": model_of(),
    "must be of type fixed, revolute": model_of(A, joint(*ONE, "planar")),
    "the frame 'x' does not exist": model_of(link("a", "<pose relative_to='x'>0 0 0 0 0 0</pose>")),
    "the frame 'y' does not exist": model_of(A, joint("one", "y", "a")),
    "placed or attached relative to itself": model_of(
        link("a", "<pose relative_to='a'>0 0 0 0 0 0</pose>"), joint(*ONE)
    ),
    "must lead from a link, or world": model_of(A, joint("one", "a", "a")),
    "must have numbers, not auto='true'": model_of(link("a", rest="<inertial auto='true'/>")),
    "must not be relative to": model_of(link("a", rest=FROM_B)),
    "must have a quaternion that is not zero": model_of(
        link("a", "<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>")
    ),
    "an <axis> without direction": model_of(A, joint(*ONE, axis="<axis><xyz>0 0 0</xyz></axis>")),
    "has no <axis>": model_of(A, joint(*ONE, axis="")),
    "a <thread_pitch> that is not zero": model_of(
        A, joint(*ONE, "screw", "<thread_pitch>0</thread_pitch>")
    ),
    "must not merge": model_of(A, "<include merge='true'><uri>x</uri></include>"),
    "no principal moment of inertia may": model_of(link("a", rest=NINE)),
    "mimics 'x', which does not exist": model_of(
        A, joint(*ONE, axis="<axis><xyz>0 1 0</xyz><mimic joint='x'/></axis>")
    ),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_refused(words):
    refused(lambda: read_sdf(WRONG[words]), "source")


def test_files_that_include_themselves_or_no_model(tmp_path):
    path = tmp_path / "m.sdf"
    path.write_text(model_of(link("a"), "<include><uri>m.sdf</uri></include>"))
    refused(lambda: read_sdf(path), "source")
    (tmp_path / "world.sdf").write_text("<sdf version='1.7'><world name='w'/></sdf>")
    path.write_text(model_of(link("a"), "<include><uri>world.sdf</uri></include>"))
    refused(lambda: read_sdf(path), "source")
    refused(lambda: read_sdf("model://none/x.sdf"), "source", FileNotFoundError)


def test_gearboxes_and_what_has_no_meaning_here_are_left_out():
    gear = joint("gear", "a", "b", "gearbox", "<gearbox_ratio>2</gearbox_ratio>")
    joints = joint("one", "world", "a"), joint("two", "world", "b")
    text = model_of(link("a"), link("b"), *joints, gear, "<plugin name='p' filename='x'/>")
    with pytest.warns(UserWarning, match="left out: <joint 'gear'>"):
        named = read_sdf(text).left_out
    assert named[1] == "<plugin> of m"
    assert any("'gear'" in line for line in named)
    assert any("gearbox_ratio" in line for line in named)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cassie_v2", "cassie_reduced"])
def test_cassie(name):
    """A robot of example-robot-data with four loops: closed at other poses, and moving."""
    from robots import robot_file

    model = read_sdf(robot_file(name, "sdf"), damping=True, springs=True)
    assert len(model.loops) == 4
    idyn = model.inverse_dynamics()
    q, u, udot = random_motion(model)
    for part in (1e-5, 1e-3, 0.05):  # the right foot's linkage is at a dead centre but for rounding
        near = model.reference + (q - model.reference) * part
        motion = idyn.close_motion(near, u, udot, guess=model.reference)
    assert abs(idyn.compile("constraint_errors")(*motion).constraint_errors).max() < 1e-9
    free = model.forward_dynamics().compile("udot")(*motion[:2]).udot
    result = idyn.compile(("generalized_forces", "unsupplied"))(*motion[:2], free)
    weight = 9.81 * sum(float(body.mass) for body in model.bodies.values())
    assert abs(result.generalized_forces).max() < 1e-7 * weight
