"""Stick figures, animations and pictures of observers: what is drawn is where it is."""

import pickle
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from bodies import rigid_body, system_of
from matplotlib.lines import Line2D
from matplotlib.text import Text
from mpl_toolkits.mplot3d.proj3d import proj_transform
from numpy.testing import assert_allclose
from PIL import Image
from refusals import refusal, refused
from sympy.physics.mechanics import PinJoint, RigidBody, dynamicsymbols

import jointwrench as jw
from jointwrench.drawing.palette import BLUE, CYCLE, ORANGE
from jointwrench.drawing.scale_key import round_size
from jointwrench.drawing.shapes import arc, arrow
from jointwrench.gait.body_models import planar_body
from jointwrench.motion.trajectory import Trajectory
from jointwrench.pictures import animate, plot_contributions, plot_wrenches
from jointwrench.pictures.figure_lines import skeleton_of
from jointwrench.pictures.stick_figure import Selection, StickFigure, plot_stick_figure
from jointwrench.recordings.force_plate import ForcePlate

T = np.linspace(0, 1, 51)
NUMBERS = {"l_0": 0.5, "l_1": 0.4, "m_0": 1.0, "m_1": 1.0, "I_0": 0.1, "I_1": 0.1}
LENGTHS = {"l_0": 0.5, "l_1": 0.4}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def chain():
    return jw.SerialChain.planar(2, gravity=(0, -9.81, 0))


@pytest.fixture(scope="module")
def motion():
    return Trajectory.from_samples(T, np.stack([0.5 * np.sin(3 * T), 0.8 * np.cos(2 * T)], -1))


@pytest.fixture(scope="module")
def result(chain, motion):
    idyn = jw.InverseDynamics(chain.system)
    used = {symbol: NUMBERS[symbol.name] for symbol in idyn.constants}
    outputs = ["generalized_forces", "joint_wrenches", "contributions"]
    return idyn.compile(outputs, backend="numpy")(motion, constants=used)


@pytest.fixture(scope="module")
def plate():
    return ForcePlate.from_center_of_pressure(
        T, np.tile([0.0, 20.0, 0.0], (51, 1)), np.stack([T, 0 * T, 0 * T], -1)
    )


def test_placement_joints_that_point_to_ground(motion):
    ground, rod = rigid_body("ground"), RigidBody("rod")
    system = system_of(ground, PinJoint("pin", rod, ground, parent_point=-rod.y, joint_axis=rod.z))
    single = Trajectory.from_samples(T, 0.3 * T)
    centers = skeleton_of(system, single, {}, None).centers
    assert_allclose(centers[:, 0, 0], np.sin(0.3 * T), atol=1e-9)  # the rod turns against the pin


def test_placement_refuses(chain, motion):
    refused(lambda: skeleton_of("leg", motion, {}, None), "model", TypeError)
    refused(lambda: skeleton_of(chain, Trajectory.from_samples(T, T), {}, None), "motion")
    refused(lambda: skeleton_of(chain, motion, {}, None), "constants")
    ground, a, b = rigid_body("ground"), RigidBody("a"), RigidBody("b")
    system = system_of(ground, PinJoint("loose", a, b))
    single = Trajectory.from_samples(T, T)
    refused(lambda: skeleton_of(system, single, {}, None), "model", jw.TopologyError)


def test_shapes_arrow():
    tail, vector = np.array([1.0, 0, 0]), np.array([0, 2.0, 0])
    path, heads = arrow(tail, vector, 0.5, np.array([0, 0, 1.0]))
    assert_allclose(path, [[1, 0, 0], [1, 1.5, 0]])
    assert_allclose(heads, [[[0.8, 1.5, 0], [1, 2, 0], [1.2, 1.5, 0]]])


def test_shapes_the_head_of_a_short_arrow_leaves_a_shaft():
    path, heads = arrow(np.zeros(3), np.array([0.1, 0, 0]), 0.5, np.array([0, 0, 1.0]))
    assert 0 < path[1, 0] < 0.1
    assert_allclose(heads[0, 1], [0.1, 0, 0])


def test_shapes_in_space_a_head_is_seen_from_everywhere():
    _, heads = arrow(np.zeros(3), np.array([1.0, 2, 3]), 0.5)
    first, second = (np.cross(*(head[[0, 2]] - head[1])) for head in heads)
    assert_allclose(first @ second, 0, atol=1e-12)


def test_shapes_arc_turns_by_the_right_hand_rule():
    path, heads = arc(np.zeros(3), np.array([0, 0, 3.0]), 0.5, 0.1, np.array([0, 0, 1.0]))
    assert_allclose(np.linalg.norm(path, axis=1), 0.5)
    assert (np.cross(path[:-1], path[1:])[:, 2] > 0).all()
    assert np.cross(path[-1], heads[0, 1])[2] > 0
    assert_allclose(arc(np.ones(3), np.zeros(3), 0.5, 0.1, None).path, 1)


@pytest.mark.parametrize(("largest", "wanted"), [(743, 500), (0.2, 0.2), (0.0199, 0.01)])
def test_shapes_round_size(largest, wanted):
    assert round_size(largest) == pytest.approx(wanted)


def texts_of(ax):
    """Return all that is written in Axes, what stands above them included."""
    return [text.get_text() for text in ax.findobj(Text)]


def test_stick_figure_segments_are_where_the_joints_are(chain, motion):
    path = StickFigure(chain, motion, constants=LENGTHS).shapes(20)["body"].path
    a, b = motion.q[20, 0], motion.q[20].sum()
    knee = 0.5 * np.array([-np.sin(a), np.cos(a)])
    tip = knee + 0.4 * np.array([-np.sin(b), np.cos(b)])
    assert_allclose(path[[0, 1, 3, 4]], [[0, 0], knee, knee, tip], atol=1e-12)
    assert np.isnan(path[2]).all()


def test_stick_figure_arrows_are_the_forces_in_ground(chain, motion, result):
    figure = StickFigure(chain, motion, result, constants=LENGTHS)
    path, heads = figure.shapes(20)["force"]
    force = result.joint_wrench("S_1", frame=chain.ground.frame)[20, :2]
    tail_of_knee, tip_of_knee = path[3], heads[1, 1]
    assert_allclose(tip_of_knee - tail_of_knee, figure.force_scale * force, atol=1e-12)


def test_stick_figure_arcs_turn_as_the_moments(chain, motion, result):
    figure = StickFigure(chain, motion, result, constants=LENGTHS)
    moment = result.joint_wrench("S_0", components="mz")[20]
    path = figure.shapes(20)["moment"].path[:40]
    turn = path[0, 0] * path[5, 1] - path[0, 1] * path[5, 0]
    assert np.sign(turn) == np.sign(moment)
    radius = figure.moment_scale * abs(moment)
    assert_allclose(np.linalg.norm(path, axis=1), radius)


def test_stick_figure_ground_reaction_is_at_its_center(chain, motion, result, plate):
    figure = StickFigure(chain, motion, result, plate, LENGTHS)
    assert_allclose(figure.shapes(20)["ground"].path[0], [T[20], 0], atol=1e-12)


def test_stick_figure_axes(chain, motion, result, plate):
    ax = plot_stick_figure(
        chain, motion, result, ground=plate, constants=LENGTHS, times=[0, 0.5, 1], spacing=0.5
    )
    assert len(ax.lines) == 3 * 5
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x, each figure 0.5 m further", "y / m")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0.00 s", "0.50 s", "1.00 s"]
    assert ax.get_aspect() == 1
    low, high = ax.get_xlim()
    for line in ax.lines:
        x = line.get_xdata()
        assert low <= np.nanmin(x)
        assert np.nanmax(x) <= high
    assert {"0.00 s", "0.50 s", "1.00 s", "0.2 m"} <= {*texts_of(ax)}


def test_stick_figure_tells_on_whom_by_whom_and_the_scale(chain, motion, result, plate):
    options = {"constants": LENGTHS, "times": 0.5, "units": {"moment": "N cm"}}
    options["ax"] = plt.subplots()[1]
    ax = plot_stick_figure(chain, motion, result, ground=plate, **options)
    title, *samples = [text for text in texts_of(ax) if "joint" in text or "ground" in text]
    assert title == "t = 0.50 s\nOn each child body, by its parent, about the joint"
    figure = StickFigure(chain, motion, result, plate, LENGTHS, Selection(times=0.5))
    sizes = {kind: round_size(0.8 * size) for kind, size in figure.largest.items()}
    force, moment = f"joint force, {sizes['force']:g} N", f"joint moment, {sizes['moment']:g} N cm"
    assert samples == [force, "ground reaction, 10 N", moment]
    key = ax.artists[0]
    drawn = next(line for line in key.findobj(Line2D))
    length = np.ptp(drawn.get_xdata()) + figure.head
    assert_allclose(length, figure.force_scale * sizes["force"])


def test_stick_figure_tells_instants_apart(chain, motion):
    def seen(**options):
        ax = plot_stick_figure(chain, motion, constants=LENGTHS, **options)
        bodies = [line for line in ax.lines if line.get_label() == "_body"]
        tags = [text for text in texts_of(ax) if text.endswith(" s")]
        return [*dict.fromkeys(tags)], [line.get_alpha() for line in bodies]

    assert seen(times=0.5) == (["t = 0.50 s"], [1])
    assert seen(times=[1, 0]) == (["0.00 s", "1.00 s"], [0.45, 1])
    assert seen(times=[0, 1], spacing=1) == (["0.00 s", "1.00 s"], [1, 1])


def test_stick_figure_the_path_of_the_end(chain, motion):
    ax = plot_stick_figure(chain, motion, constants=LENGTHS, times=[0.2, 0.6])
    figure = StickFigure(chain, motion, constants=LENGTHS)
    assert_allclose(ax.lines[0].get_xydata(), figure.segments[10:31, 1, 1, :2])


def test_stick_figure_labels_of_joints(chain, motion, result):
    options = {"constants": LENGTHS, "times": 0.5}
    ax = plot_stick_figure(chain, motion, result, labels=["A", "B"], **options)
    assert {"$A$", "$B$"} <= {*texts_of(ax)}


def test_stick_figure_given_axes_and_joints(chain, motion, result):
    _, ax = plt.subplots()
    figure = StickFigure(chain, motion, result, None, LENGTHS, Selection(joints=["S_1"]))
    assert len(figure.shapes(0)["force"].path) == 2
    assert plot_stick_figure(chain, motion, constants=LENGTHS, ax=ax) is ax


def test_stick_figure_in_space(chain, motion, result):
    ax = plot_stick_figure(chain, motion, result, constants=LENGTHS, view="3d", times=0.5)
    assert ax.name == "3d"
    assert [line.get_label() for line in ax.lines[3:]] == ["_force", "_moment"]
    assert any(text.startswith("joint force, ") for text in texts_of(ax))


def test_stick_figure_axes_and_samples_in_space(chain, motion, result):
    """What is seen of an arrow across the view is as long as its sample says."""
    ax = plot_stick_figure(chain, motion, result, constants=LENGTHS, view="3d", times=0.5)
    figure = StickFigure(chain, motion, result, None, LENGTHS, Selection("3d", times=0.5))
    axes = next(line for line in ax.lines if line.get_label() == "_turning")
    ends = np.transpose(axes.get_data_3d())[:2]
    half = np.array([0, 0, 0.05 * figure.size])
    assert_allclose(ends, figure.joints[25, 0] + [-half, half])
    ax.view_init(elev=90, azim=-90)  # x and y across
    ax.get_figure().draw_without_rendering()
    corners = proj_transform([0, 1], [0, 0], [0, 0], ax.get_proj())[:2]
    pixels = np.ptp(ax.transData.transform(np.transpose(corners)), axis=0)[0]
    sample = next(line for line in ax.artists[0].findobj(Line2D))
    seen = np.ptp(sample.get_transform().transform(sample.get_xydata())[:, 0])
    assert_allclose(seen, pixels * np.ptp(sample.get_xdata()), rtol=1e-6)


def test_stick_figure_of_a_tree():
    body = planar_body(1.75, 70.0)
    still = Trajectory.from_samples(T, np.tile(0.1 * np.sin(T)[:, None], 13))
    fig = StickFigure(body.system, still, constants={str(s): v for s, v in body.constants.items()})
    assert fig.segments.shape == (51, 12, 2, 3)
    ax = plot_stick_figure(body.system, still, constants=body.constants)
    assert sum(line.get_label() == "_body" for line in ax.lines) == 5
    sides = [line for line in ax.lines if line.get_label() in ("_left", "_right")]
    assert [line.get_color() for line in sides] == [BLUE, ORANGE] * 5


@pytest.mark.parametrize(
    ("name", "kind"),
    [("shank_l", "left"), ("foot_right", "right"), ("r", "body"), ("left", "body")],
)
def test_stick_figure_sides_are_those_of_suffixes(name, kind):
    ground, rod = RigidBody("ground"), rigid_body(name)
    system = system_of(ground, PinJoint("pin", ground, rod, child_point=rod.frame.y))
    still = Trajectory.from_samples(T, np.zeros((len(T), 1)))
    assert [*StickFigure(system, still).shapes(0)] == [kind]


def test_stick_figure_refuses(chain, motion, result, plate):
    with refusal("ax"):
        plot_stick_figure(chain, motion, constants=LENGTHS, view="3d", ax=plt.subplots()[1])
    for name in ("motion", "result", "ground"):
        arguments = {"motion": motion, "constants": LENGTHS, name: "m"}
        refused(lambda: plot_stick_figure(chain, **arguments), name, TypeError)
    with refusal("result"):
        plot_stick_figure(chain, motion.between(0, 0.5), result, constants=LENGTHS)
    with refusal("ground"):
        plot_stick_figure(chain, motion.between(0, 0.5), ground=plate, constants=LENGTHS)
    later = ForcePlate(plate.times + 0.5, plate.force)
    refused(lambda: plot_stick_figure(chain, motion, ground=later, constants=LENGTHS), "ground")


def test_animation_gif(chain, motion, result, tmp_path, capsys):
    small = {"constants": LENGTHS, "fps": 5}
    animate(chain, motion, result, **small).save(tmp_path / "a.gif", dpi=30, progress=True)
    assert "| 6/6 [" in capsys.readouterr().err
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == 6
        assert image.info["duration"] == 200


def test_animation_moves(chain, motion, result):
    moving = animate(chain, motion, result, constants=LENGTHS, fps=2, speed=0.5)
    assert len(moving.to_jshtml(fps=5, default_mode="once")) > 1000
    ax = moving._fig.axes[0]
    figure = StickFigure(chain, motion, result, constants=LENGTHS)
    assert_allclose(ax.lines[0].get_xydata(), figure.shapes(50)["body"].path)
    assert any(text.startswith("t = 1.00 s, 0.5 × real time\nOn each") for text in texts_of(ax))
    assert "<img" in moving._repr_html_()


def test_animation_in_space(chain, motion, tmp_path):
    small = {"constants": LENGTHS, "view": "3d", "fps": 2, "dpi": 30}
    with pytest.deprecated_call(match="save"):
        animate(chain, motion, path=tmp_path / "a.gif", **small)
    assert (tmp_path / "a.gif").stat().st_size > 500


def test_animation_refuses(chain, motion, monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib.animation", None)
        refused(lambda: animate(chain, motion, constants=LENGTHS), None, ImportError)
    monkeypatch.setattr("matplotlib.animation.FFMpegWriter.isAvailable", lambda: False)
    moving = animate(chain, motion, constants=LENGTHS, fps=1)
    assert moving.to_jshtml()  # matplotlib warns if none of its frames was drawn
    with refusal(None, RuntimeError):
        moving.save(tmp_path / "a.mp4")
    refused(lambda: moving.save(tmp_path / "a.avi"), "path")


def test_wrenches_of_a_result_only_what_is_not_zero(result):
    axes = plot_wrenches(result)
    assert axes[1, 0].get_ylabel() == "$S_{1}$\nforce / N"
    moment = axes[0, 1].lines[1]
    assert_allclose(moment.get_ydata(), result.joint_wrench("S_0", components="mz"))
    assert_allclose(moment.get_xdata(), T)
    drawn = [[line.get_label() for line in ax.lines[1:]] for ax in axes.flat]
    assert drawn == [["$f_x$", "$f_y$"], ["$m_z$"]] * 2
    for column, names in zip(axes.T, drawn, strict=False):
        assert [text.get_text() for text in column[0].get_legend().get_texts()] == names


def test_wrenches_of_a_result_chosen_components(result):
    axes = plot_wrenches(result, components="fz mz")
    drawn = [[line.get_label() for line in ax.lines[1:]] for ax in axes.flat]
    assert drawn == [["$f_z$"], ["$m_z$"]] * 2
    assert plot_wrenches(result, components="mz").shape == (2, 1)


def test_wrenches_of_a_result_another_frame(chain, result):
    axes = plot_wrenches(result, frame=chain.ground.frame)
    wanted = result.joint_wrench("S_1", frame=chain.ground.frame, components="fx")
    assert_allclose(axes[1, 0].lines[1].get_ydata(), wanted)
    told = [ax.get_title("left").endswith("in frame $N$") for ax in axes.flat]
    assert told == [True, *[False] * (axes.size - 1)]
    with refusal("uncertainty"):
        plot_wrenches(result, uncertainty=result, frame=chain.ground.frame)


def test_wrenches_of_a_result_titles(result):
    axes = plot_wrenches(result)
    titles = [ax.get_title("left") for ax in axes.flat]
    assert titles[0] == "force on $S_{0}$, by ground,\nin each child's frame"
    assert titles[3] == "moment on $S_{1}$, by $S_{0}$,\nabout $P_{1}$"
    assert sum("frame" in title for title in titles) == 1
    title = plot_wrenches(pickle.loads(pickle.dumps(result)))[0, 1].get_title("left")
    assert title == "moment on the child, by the parent"


def test_wrenches_of_a_result_each_has_its_own_scale_and_zero_has_none():
    wrenches = np.ones((3, 5, 6)) * np.array([1, 0.8, 0.3, 0.001, 0])[:, None]
    column = plot_wrenches(np.arange(3), wrenches, components="fx")[:, 0]
    tops = [ax.get_ylim()[1] for ax in column[:4]]
    assert_allclose(tops, 1.05 * np.array([1, 0.8, 0.3, 0.001]), rtol=1e-6)
    assert not any(ax.get_title("right") for ax in column)
    assert column[4].get_yticks().tolist() == [0]


def test_wrenches_of_a_result_refuses(result, chain, motion):
    refused(lambda: plot_wrenches(T), "times", TypeError)
    timeless = jw.Result(result.outputs, result.joints)
    refused(lambda: plot_wrenches(timeless), "result")
    refused(lambda: plot_wrenches(result.over_cycles([0, 0.5, 1])), "result")


def test_wrenches_of_a_result_one_cycle(result):
    cycles = result.over_cycles([0, 0.5, 1])
    axes = plot_wrenches(cycles.times[1], cycles.joint_wrenches[1])
    assert_allclose(axes[0, 1].lines[1].get_xdata(), cycles.times[1])


def test_contributions_the_stack_sums_to_the_whole(result):
    axes = plot_contributions(result, "S_0")
    assert [ax.get_ylabel()[:5] for ax in axes.flat] == ["$f_x$", "$f_y$", "$m_z$"]
    moment = axes[2, 0]
    drawn = [np.concatenate([x.vertices for x in c.get_paths()]) for c in moment.collections]
    whole = result.joint_wrench("S_0", components="mz")
    assert_allclose(moment.lines[-1].get_ydata(), whole)
    for row, time in enumerate(T):
        heights = [x[np.isclose(x[:, 0], time), 1] for x in drawn]
        ends = [h.max() + h.min() for h in heights]
        sizes = [h.max() - h.min() for h in heights]
        total = sum(np.sign(end) * size for end, size in zip(ends, sizes, strict=True))
        assert_allclose(total, whole[row], atol=1e-12)


def test_contributions_legend_and_title(result):
    ax = plot_contributions(result, "S_1", "fy", units={"force": "kN"})[0, 0]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["gravity", "acceleration", "velocity", "sum"]
    assert ax.get_title("left") == "force on $S_{1}$, by $S_{0}$,\nin frame $S_{1}$"
    assert ax.get_ylabel() == "$f_y$ / kN"
    outputs = {"joint_wrenches": result.joint_wrenches}
    without = jw.Result(outputs, result.joints, inputs=result.inputs)
    refused(lambda: plot_contributions(without, "S_0"), None, AttributeError)


def test_the_ground_reaction_is_linked_with_the_foot(chain, motion, result):
    """Here the foot is above the plate: a line leads from one to the other."""
    beside = np.stack([0 * T - 0.1, 0 * T, 0 * T], -1)
    load = ForcePlate.from_center_of_pressure(T, np.tile([0.0, 20.0, 0.0], (51, 1)), beside)
    figure = StickFigure(chain, motion, result, load, LENGTHS)
    center, nearest = figure.shapes(20)["link"].path
    lines = figure.segments[20, :, :, :2]
    on_lines = [a + s * (b - a) for a, b in lines for s in np.linspace(0, 1, 200)]
    distances = np.linalg.norm(np.array(on_lines) - center, axis=1)
    assert_allclose(np.linalg.norm(nearest - center), distances.min(), atol=1e-4)


def test_a_thigh_ends_where_the_knee_is():
    """Whatever point of the thigh a coupled joint counts from: here it is the hip."""
    ground, thigh, shank = rigid_body("ground"), RigidBody("thigh"), RigidBody("shank")
    hip = PinJoint("hip", ground, thigh, child_point=0.2 * thigh.y, joint_axis=ground.z)
    angle = dynamicsymbols("angle")
    ends = {"parent_point": hip.child_point, "child_point": 0.3 * shank.y}
    path = {"translation": [0.1 * angle, -0.4, 0], "rotations": [(angle, "z")]}
    knee = jw.CoupledJoint("knee", thigh, shank, angle, **ends, **path)
    system = system_of(ground, hip, knee)
    motion = Trajectory.from_samples([0, 1, 2, 3, 4, 5], np.full((6, 2), [0.0, 0.5]))
    thigh_line, shank_line = StickFigure(system, motion).segments[0, :, :, :2]
    assert_allclose(thigh_line, [[0, 0], [0.05, -0.4]], atol=1e-12)
    assert_allclose(shank_line[0], [0.05, -0.4], atol=1e-12)


def slotted_lever():
    """Return a lever that a crank drives by its slot, and one turn of it in a closed motion."""
    ground, crank, lever = rigid_body("ground"), RigidBody("crank"), RigidBody("lever")
    drive = PinJoint("drive", ground, crank, child_point=-0.05 * crank.x, joint_axis=ground.z)
    ends = {"parent_point": -0.25 * ground.y, "child_point": -0.2 * lever.x}
    pivot = PinJoint("pivot", ground, lever, **ends, joint_axis=ground.z)
    far = {"child_point": 0.05 * crank.x, "joint_axis": lever.x}
    slot = jw.LoopJoint("slot", lever, crank, "point_on_line", **far)
    system = system_of(ground, drive, pivot)
    system.add_holonomic_constraints(*slot.holonomic_constraints)
    system.q_ind, system.q_dep = drive.coordinates, pivot.coordinates
    system.u_ind, system.u_dep = drive.speeds, pivot.speeds
    idyn, angles = jw.InverseDynamics(system, loops=[slot]), np.linspace(0, 6, 21)
    start = np.stack([angles, 0 * angles + 1.2], axis=-1)
    return idyn, Trajectory(angles, *idyn.close_motion(start, 0 * start, 0 * start))


def farthest(figure, k):
    """Return the distance of the farthest point of the figure from its first one."""
    return np.linalg.norm(figure.segments[k] - figure.segments[k, 0, 0], axis=-1).max()


def test_a_rod_is_as_long_as_its_inertia_says():
    """Whichever side of its joint is ground; a load beyond its end makes it longer."""
    for is_reversed in (False, True):
        moment = 2 * 0.5**2 / 12
        ground, rod = rigid_body("ground"), rigid_body("rod", 2, 0, moment, moment)
        ends = {f"{'parent' if is_reversed else 'child'}_point": -0.25 * rod.x}
        bodies = (rod, ground) if is_reversed else (ground, rod)
        system = system_of(ground, PinJoint("pin", *bodies, joint_axis=bodies[0].z, **ends))
        motion = Trajectory.from_samples(T, np.sin(T)[:, None])
        assert farthest(StickFigure(system, motion), 7) == pytest.approx(0.5)
        tip = rod.masscenter.locatenew("tip", 0.4 * rod.x)
        tip.set_vel(rod.frame, 0)
        system.add_loads((tip, 3 * ground.y))
        for model in (system, jw.InverseDynamics(system)):
            assert farthest(StickFigure(model, motion), 7) == pytest.approx(0.65)


def test_bodies_reach_what_closes_their_loops_in_every_sample():
    idyn, motion = slotted_lever()
    result = idyn.compile(backend="numpy")(motion, constants=dict.fromkeys(idyn.constants, 1.0))
    for given in ((idyn, motion), (idyn.system, motion, result)):
        figure = StickFigure(*given)
        angles = motion.q[:, 0]
        slot = 0.1 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
        reaching = np.isclose(figure.segments[:, :, 1], slot[:, None]).all(axis=-1).sum(axis=1)
        assert (reaching == 2).all()
        low, high = figure.limits()
        assert (low <= slot[:, :2].min(axis=0)).all()
        assert (high >= slot[:, :2].max(axis=0)).all()


def test_rounding_is_not_drawn(chain, motion, result):
    """Pins that transmit no moment have none in the picture, whatever rounding left."""
    wrenches = result.joint_wrenches.copy()
    wrenches[..., 5] = 1e-16 * np.sign(wrenches[..., 5])
    axes = plot_wrenches(T, wrenches)
    assert [len(ax.lines) - 1 for ax in axes.flat] == [2, 0, 2, 0]


@pytest.fixture
def legs():
    def path(x, y):
        return np.stack([x + 0.3 * T, y + 0 * T], axis=-1)

    def leg(side, ahead):
        pelvis = jw.gait.MarkerSegment("pelvis", path(0, 1.1), path(0, 0.9), 0, 0, 0)
        name, ends = f"thigh_{side}", (path(0, 0.9), path(ahead, 0.5))
        joint = f"hip_{side}"
        return [pelvis, jw.gait.MarkerSegment(name, *ends, 7.0, 0.4, 0.1, joint=joint)]

    segments = [leg("left", 0.2), leg("right", -0.1)]
    return segments, [jw.gait.segment_wrenches(T, chain) for chain in segments]


def test_marker_segments_where_they_are_and_what_acts(legs):
    """Segments that follow their markers, of two legs that share their pelvis."""
    segments, results = legs
    both = [segment for chain in segments for segment in chain]
    figure = StickFigure(both, T, results)
    assert figure.names == ["pelvis", "hip_left", "hip_right"]
    assert_allclose(figure.segments[-1, 3], [[0.3, 0.9, 0], [0.2, 0.5, 0]])
    forces = figure.forces["force"][1]
    assert_allclose(forces[5, :, 1], [2 * 7 * 9.81, 7 * 9.81, 7 * 9.81], rtol=1e-6)


def test_marker_segments_pelvis_and_markers():
    """A pelvis without a length is two lines to the hips; markers are points in metres."""
    still = np.tile(np.eye(3), (len(T), 1, 1))
    pelvis = jw.gait.MarkerSegment(
        "pelvis", *np.tile([0.0, 0, 1], (2, len(T), 1)), 0, 0, np.zeros(3), rotations=still
    )
    both = []
    for side, y in (("left", 0.1), ("right", -0.1)):
        ends = np.tile([[[0, y, 0.9]], [[0, y, 0.5]]], (1, len(T), 1))
        options = {"joint": f"hip_{side}", "rotations": still}
        thigh = jw.gait.MarkerSegment(f"thigh_{side}", *ends, 7, 0.4, np.ones(3), **options)
        both += [pelvis, thigh]
    seen = np.tile([[0, 120, 1000], [0, np.nan, np.nan]], (len(T), 1, 1))
    markers = jw.recordings.Markers(T, ("LASI", "RASI"), seen, {"Units": "mm"})
    view = jw.pictures.interactive_view
    page = view(both, T, markers=markers, up="z").html
    assert '"markers": [[[0.0, 0.12, 1.0], [0.0, null, null]],' in page
    assert "[[0.0, 0.0, 1.0], [0.0, 0.1, 0.9]], [[0.0, 0.0, 1.0], [0.0, -0.1, 0.9]]]" in page
    refused(lambda: view(both, T, markers=3), "markers", TypeError)
    refused(lambda: view(both, T, markers=markers.between(0, 0.5)), "markers")


def test_marker_segments_refuses(legs):
    segments, results = legs
    refused(lambda: plot_stick_figure(segments[0], T[:9], results[0]), "motion")
    refused(lambda: plot_stick_figure(segments[0], T, [results[0], results[0]]), "result")
    refused(lambda: plot_stick_figure([segments[0][0], 3], T, results[0]), "model", TypeError)


def test_own_pictures_get_the_same_colours():
    with plt.style.context("jointwrench.figures"):
        _, ax = plt.subplots()
        lines = [ax.plot([0, 1])[0].get_color() for _ in CYCLE]
    assert tuple(lines) == CYCLE


def test_views_begin_where_forces_are_large():
    """Before the foot bears weight there is little to be seen."""
    chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    idyn = jw.InverseDynamics(chain.system)
    motion = jw.Trajectory.from_samples(T, np.zeros((len(T), 1)))
    result = idyn.compile(backend="numpy")(motion, constants={"l_0": 1, "m_0": 0.1, "I_0": 0.1})
    push = np.stack([0 * T, 800.0 * (T > 0.41), 0 * T], axis=-1)
    plate = ForcePlate.from_center_of_pressure(T, push, np.tile([0.1, 0.0, 0.0], (len(T), 1)))
    page = jw.pictures.interactive_view(chain, motion, result, ground=plate).html
    assert '"start": 21,' in page


def test_moments_that_are_rounding_are_not_drawn():
    """A rod that hangs straight bears no moment, whatever its last digits are."""
    chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    motion = jw.Trajectory.from_samples(T, np.full((len(T), 1), np.pi + 1e-13))
    numbers = {"l_0": 1.0, "m_0": 3.0, "I_0": 0.1}
    result = jw.InverseDynamics(chain.system).compile(backend="numpy")(motion, constants=numbers)
    assert 0 < np.abs(result.joint_wrenches[..., 5]).max() < 1e-9
    figure = StickFigure(chain, motion, result)
    assert figure.largest["moment"] == 0
    assert figure.largest["force"] == pytest.approx(3 * 9.81)
