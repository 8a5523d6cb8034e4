"""Models that turn: what the page says, and that a browser shows it."""

import json
import re
import shutil
import subprocess
from html import escape
from pathlib import Path

import numpy as np
import pytest
from bodies import rigid_body, system_of
from refusals import refused
from sympy import sin
from sympy.physics.mechanics import (
    KanesMethod,
    Particle,
    PinJoint,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
)

from jointwrench import Contact, InverseDynamics, Segment, SerialChain, Trajectory
from jointwrench.pictures import interactive_view, plot_wrenches

TIMES = np.linspace(0, 1, 11)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


class Model:
    """Two links that fall, with the wrenches of their joints."""

    def __init__(self):
        self.chain = SerialChain.planar(2, gravity=(0, -9.81, 0))
        idyn = InverseDynamics(self.chain.system)
        angles = np.stack([0.3 + TIMES, np.cos(TIMES)], axis=-1)
        self.motion = Trajectory.from_samples(TIMES, angles)
        self.constants = dict.fromkeys(self.chain.constants, 0.5)
        evaluate = idyn.compile(("joint_wrenches", "generalized_forces"), backend="numpy")
        motion = self.motion.q, self.motion.u, self.motion.udot
        self.result = evaluate(*motion, self.constants, times=TIMES)

    def view(self, **options):
        given = {"constants": self.constants, **options}
        return interactive_view(self.chain, self.motion, self.result, **given)


@pytest.fixture(scope="module")
def model():
    return Model()


def data_of(view):
    return json.loads(re.search(r"var data = (\{.*\});\n", view.html).group(1))


def test_it_begins_where_most_is_to_be_seen():
    """Arms that start on one line are bent later."""
    chain = SerialChain.planar(2)
    angles = np.stack([2 * np.pi * TIMES, np.sin(np.pi * TIMES)], axis=-1)
    motion = Trajectory.from_samples(TIMES, angles)
    data = data_of(interactive_view(chain, motion, constants={"l_0": 1.0, "l_1": 1.0}))
    assert data["start"] == 5  # of eleven: bent most
    assert not data["follows"]  # whole turns about a point are in the picture


def test_model_without_joints():
    q, u = dynamicsymbols("q u")
    N, A, O = ReferenceFrame("N"), ReferenceFrame("A"), Point("O")
    A.orient_axis(N, q, N.z)
    A.set_ang_vel(N, u * N.z)
    O.set_vel(N, 0)
    end = O.locatenew("end", -0.5 * A.y)
    end.v2pt_theory(O, N, A)
    bob = Particle("bob", end, 2)
    kane = KanesMethod(N, [q], [u], [q.diff() - u], bodies=[bob], forcelist=[(end, -20 * N.y)])
    idyn = InverseDynamics.from_kane(kane, [(N, bob, O)])
    motion = Trajectory.from_formulas(idyn, {q: idyn.time**2}, TIMES)
    data = data_of(interactive_view(idyn, motion, idyn.compile(backend="numpy")(motion)))
    angle = motion.q[:, 0]
    along = np.array(data["bodies"])[:, 0, 1]
    down = np.stack([np.sin(angle), -np.cos(angle), 0 * angle], -1)
    assert along == pytest.approx(0.5 * down, abs=1e-4)
    force = np.array(data["forces"]["force"]["vectors"])[:, 0]
    rate, pull = motion.u[:, 0], np.cross([0, 0, 1.0], down)
    wanted = 2 * 0.5 * (motion.udot * pull - rate[:, None] ** 2 * down) + [0, 20, 0]
    assert force == pytest.approx(wanted, rel=1e-3, abs=1e-3)
    axes = plot_wrenches(idyn.compile(backend="numpy")(motion), joints=[bob])
    assert axes[0, 0].get_title("left") == "force on bob, by $N$,\nin each child's frame"
    assert data_of(interactive_view(kane, motion))["bodies"] == data["bodies"]


def test_what_is_shown(model):
    data = data_of(model.view(up="z", speed=0.5))
    assert data["times"] == pytest.approx(TIMES)
    lines, turn = np.array(data["bodies"]), model.motion.q[:, 0]
    assert np.linalg.norm(np.diff(lines, axis=2), axis=-1) == pytest.approx(0.5, rel=1e-4)
    assert np.array(data["joints"])[:, 0] == pytest.approx(0)
    along = lines[:, 0, 1] / 0.5
    assert along == pytest.approx(np.stack([-np.sin(turn), np.cos(turn), 0 * turn], -1), abs=1e-4)
    force = np.array(data["forces"]["force"]["vectors"])
    sizes = np.linalg.norm(model.result.joint_wrenches[..., :3], axis=-1)
    assert np.linalg.norm(force, axis=-1) == pytest.approx(sizes, rel=1e-4)
    moments = np.array(data["moments"])
    assert moments[..., 2] == pytest.approx(model.result.joint_wrenches[..., 5], rel=1e-3, abs=1e-9)
    assert (data["up"], data["speed"]) == ("z", 0.5)
    key = {entry["kind"]: entry for entry in data["key"]}
    assert set(key) == {"force", "moment", "turning", "path", "names", "body"}
    assert data["names"] == ["S_0", "S_1"]
    axis = data["axes"][1]
    assert axis["kind"] == "turning"
    assert np.array(axis["ways"]) == pytest.approx(np.tile([0, 0, 1], (11, 1)))
    assert np.array(axis["places"]) == pytest.approx(np.array(data["joints"])[:, 1])
    assert data["ends"] == [1]
    shown, unit = re.fullmatch(r"joint force, ([\d.]+) (\w+)", key["force"]["text"]).groups()
    assert unit == "N"
    assert key["force"]["length"] == pytest.approx(float(shown) * data["forceScale"])


def test_long_motions_are_thinned(model):
    times = np.linspace(0, 1, 2001)
    motion = Trajectory.from_samples(times, np.stack([times, times], axis=-1))
    data = data_of(interactive_view(model.chain, motion, constants=model.constants))
    assert len(data["times"]) == 300
    assert (data["times"][0], data["times"][-1]) == (0, 1)
    assert data["moments"] is None


def test_what_is_unknown_is_left_out(model):
    result = model.result
    wrenches = result.joint_wrenches.copy()
    wrenches[3, 1, :3] = np.nan
    unknown = type(result)({"joint_wrenches": wrenches}, result.joints, inputs=result.inputs)
    data = data_of(interactive_view(model.chain, model.motion, unknown, constants=model.constants))
    assert None in data["forces"]["force"]["vectors"][3][1]
    assert None not in data["forces"]["force"]["vectors"][2][1]


@pytest.mark.parametrize("determined", [[], [0], range(11)])
def test_what_is_open_hides_nothing_that_is_known(model, determined):
    """Across a planar linkage of hinges forces are determined in no pose, or in some."""
    result = model.result
    wrenches = result.joint_wrenches.copy()
    wrenches[~np.isin(range(11), determined), 1, 2:5] = np.nan
    open_across = type(result)({"joint_wrenches": wrenches}, result.joints, inputs=result.inputs)
    options = {"constants": model.constants}
    data = data_of(interactive_view(model.chain, model.motion, open_across, **options))
    forces = np.array(data["forces"]["force"]["vectors"], dtype=float)
    assert np.linalg.norm(forces[:, 1], axis=-1) == pytest.approx(
        np.linalg.norm(wrenches[:, 1, :2], axis=-1), rel=1e-3
    )
    assert np.isfinite(np.array(data["moments"], dtype=float)).all()


def test_a_notebook_and_a_file(model, tmp_path):
    view = model.view(title="</title><script>alert(1)</script>")
    assert "<script>alert" not in view.html
    assert view._repr_html_().startswith("<iframe")
    assert repr(view).startswith("InteractiveView(0.")
    view.save(tmp_path / "view.html")
    assert (tmp_path / "view.html").read_text(encoding="utf-8") == view.html
    refused(lambda: view.save(tmp_path / "none" / "view.html"), "path", FileNotFoundError)
    assert "http" not in re.sub(r"// three\.js.*", "", view.html).split("var data")[1]


@pytest.mark.parametrize("name", ["</script><script>", "<!--<script>", "__THREE__", "__TITLE__"])
def test_names_are_text_and_nothing_else(name):
    def view(name):
        chain = SerialChain([Segment(name, 0.4, 2.5, axis="z")], gravity=(0, -9.81, 0))
        return interactive_view(chain, Trajectory.from_samples(TIMES, TIMES[:, None]), title=name)

    hostile, plain = view(name), view("arm")
    assert name in repr(data_of(hostile))
    assert repr(data_of(hostile)).replace(name, "arm") == repr(data_of(plain))
    for text in ("<script", "</script", "<!--", "three.js"):
        assert hostile.html.count(text) == plain.html.count(text)
    assert f"<title>{escape(name)}</title>" in hostile.html


def test_nothing_drawn_beside_the_model(model):
    """No joints are drawn; titles and units of other types are told."""
    assert '"forces"' in model.view(joints=[]).html
    for name, wrong in {"title": 3, "units": 3, "joints": "up"}.items():
        refused(lambda: model.view(**{name: wrong}), name, TypeError)


#: What somebody does in the browser, and what the page says then.
VISIT = (Path(__file__).parents[1] / "data" / "visit.html").read_text(encoding="utf-8")


BROWSER = next(filter(shutil.which, BROWSERS), BROWSERS[0])


@pytest.mark.needs(program=BROWSER)
def test_in_a_browser(model, tmp_path):
    page = tmp_path / "view.html"
    page.write_text(model.view().html.replace("</body>", VISIT), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--window-size=800,600", "--dump-dom"]
    done = subprocess.run(
        [BROWSER, *options, page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    title = re.search("<title>(.*?)</title>", done.stdout).group(1)
    assert title == "t = 0.500 s; zoomed 2.00; drawn; forces hidden; S_0,S_1 block"
    assert 'data-ready="yes"' in done.stdout


def test_a_base_that_moves_as_given():
    t, height = dynamicsymbols._t, dynamicsymbols("height")
    ground, lift, rod = rigid_body("ground"), RigidBody("lift", mass=0), RigidBody("rod", mass=1)
    lift.central_inertia, rod.central_inertia = 0 * (lift.x | lift.x), rod.x | rod.x
    lift.frame.orient_axis(ground.frame, ground.y, t)
    lift.masscenter.set_pos(ground.masscenter, height * ground.y)
    system = system_of(ground, PinJoint("pin", lift, rod, child_point=rod.y, joint_axis=lift.z))
    idyn = InverseDynamics(system)
    motion = Trajectory.from_formulas(idyn, {system.q[0]: sin(t)}, TIMES)
    numbers = {height: TIMES**2, height.diff(t): 2 * TIMES, height.diff(t, 2): 2 * np.ones(11)}
    result = idyn.compile(backend="numpy")(motion, specifieds=numbers)
    data = data_of(interactive_view(system, motion, result))
    rows = np.array(data["joints"]).reshape(len(TIMES), -1, 3)
    np.testing.assert_allclose(rows[:, 0], TIMES[:, None] ** 2 * [0, 1, 0], atol=1e-3)


def test_a_kanes_method_with_a_skate():
    (x, y, psi), (v, r, w) = dynamicsymbols("x y psi"), dynamicsymbols("v r w")
    N, A, O = ReferenceFrame("N"), ReferenceFrame("A"), Point("O")
    A.orient_axis(N, psi, N.z)
    A.set_ang_vel(N, r * N.z)
    O.set_vel(N, 0)
    skate = O.locatenew("skate", x * N.x + y * N.y)
    skate.set_vel(N, v * A.x + w * A.y)
    center = skate.locatenew("center", A.x)
    center.v2pt_theory(skate, N, A)
    sledge = RigidBody("sledge", center, A, 1, (A.z | A.z, center))
    slides = v * A.x + w * A.y - x.diff() * N.x - y.diff() * N.y
    kdes = [slides.dot(N.x), slides.dot(N.y), psi.diff() - r]
    held = {"u_dependent": [w], "velocity_constraints": [w]}
    kane = KanesMethod(N, [x, y, psi], [v, r], kdes, bodies=[sledge], **held)
    edge = Contact("edge", RigidBody("ground", O, N, 0), sledge, skate, [A.y])
    idyn = InverseDynamics.from_kane(kane, [(N, sledge, skate)], loops=[edge])
    q, u, udot = np.ones((3, len(TIMES), 3))
    u[:, 2] = udot[:, 2] = 0  # the skate does not slide sideways
    motion = Trajectory(TIMES, q, u, udot)
    data = data_of(interactive_view(idyn, motion, idyn.compile(backend="numpy")(motion)))
    assert data["names"] == ["sledge", "edge"]
    assert np.shape(data["bodies"])[:2] == (len(TIMES), 2)
