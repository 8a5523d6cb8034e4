"""Pictures that a reviewer prints: texts of one size, none over another, nor over a curve."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from bodies import rigid_body, system_of
from marks import slow
from matplotlib.text import Text
from sympy.physics.mechanics import PinJoint

import jointwrench as jw
from jointwrench.pictures.free_body import COLORS

T = np.linspace(0, 1, 51)
NUMBERS = {"l_0": 0.5, "l_1": 0.4, "m_0": 1.0, "m_1": 1.0, "I_0": 0.1, "I_1": 0.1}
#: Pixels by which boxes of texts may touch.
TOUCH = 1.0


class Leg:
    """A leg that swings over a plate, with all that is drawn of it."""

    def __init__(self):
        leg = jw.gait.planar_leg(height=1.75, mass=70, trunk=True)
        self.chain, self.constants = leg.chain, leg.constants
        sway = np.stack([0.1 * np.sin(3 * T), T, 1 + 0 * T, 0.5 * np.sin(6 * T)], axis=-1)
        angles = np.concatenate([sway, -0.4 + 0.4 * sway[:, 3:], 0.3 * sway[:, :1]], axis=-1)
        idyn = jw.InverseDynamics(leg.chain.system)
        self.motion = jw.Trajectory.from_samples(T, angles, idyn=idyn)
        outputs = ["joint_wrenches", "contributions", "generalized_forces"]
        numbers = leg.constants_of(idyn)
        self.result = idyn.compile(outputs, backend="numpy")(self.motion, constants=numbers)
        push = np.stack([40 * np.sin(6 * T), 600 + 0 * T, 0 * T], axis=-1)
        place = np.stack([T + 0.1, 0 * T, 0 * T], axis=-1)
        self.plate = jw.recordings.ForcePlate.from_center_of_pressure(T, push, place)

    def figure(self, **options):
        given = {"ground": self.plate, "constants": self.constants, **options}
        return jw.pictures.plot_stick_figure(self.chain, self.motion, self.result, **given)

    def clinical(self):
        jw.gait.plot_gait_report(jw.gait.clinical_curves(self.result), label="a leg")


class Chain:
    """Two links with uneven moments, in letters with an index."""

    def __init__(self):
        self.chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
        idyn = jw.InverseDynamics(self.chain.system)
        angles = np.stack([np.sin(3 * T), 0.8 * np.cos(2 * T)], axis=-1)
        self.motion = jw.Trajectory.from_samples(T, angles)
        used = {symbol: NUMBERS[str(symbol)] for symbol in idyn.constants}
        self.result = idyn.compile(backend="numpy")(self.motion, constants=used)

    def figure(self, **options):
        given = {"constants": NUMBERS, "labels": ["P_0", "P_1"], **options}
        return jw.pictures.plot_stick_figure(self.chain, self.motion, self.result, **given)

    def free_bodies(self):
        idyn = jw.InverseDynamics(self.chain.system)
        used = {symbol: NUMBERS[str(symbol)] for symbol in idyn.constants}
        jw.pictures.plot_free_body(idyn, self.motion, None, used, at=0.3)

    def contribution_of_parts(self):
        idyn = jw.InverseDynamics(self.chain.system)
        used = {symbol: NUMBERS[str(symbol)] for symbol in idyn.constants}
        evaluate = idyn.compile("contributions", backend="numpy")
        jw.pictures.plot_contributions(evaluate(self.motion, constants=used), "S_0")


def free_wheel():
    """Draw a wheel, whose joint is at its mass centre, with a load at its rim."""
    ground, wheel = rigid_body("ground"), rigid_body("wheel", 3, 0.1, 0.1, 0.2)
    hub = PinJoint("hub", ground, wheel, joint_axis=ground.z)
    system = system_of(ground, hub, gravity=-9.81 * ground.y)
    rim = wheel.masscenter.locatenew("rim", 0.3 * wheel.x)
    rim.set_vel(wheel.frame, 0)
    system.add_loads((rim, 20 * ground.y - 5 * ground.x))
    jw.pictures.plot_free_body(jw.InverseDynamics(system), ([0.4], [1], [3]))


PICTURES = {
    "wrenches": lambda leg, chain: jw.pictures.plot_wrenches(chain.result),
    "long names": lambda leg, chain: jw.pictures.plot_wrenches(leg.result),
    "a row": lambda leg, chain: leg.figure(times=np.linspace(0, 1, 5), spacing=0.8),
    "instants": lambda leg, chain: chain.figure(times=[0, 0.4, 0.9]),
    "one instant": lambda leg, chain: leg.figure(times=0.3, joints=["hip", "knee", "ankle"]),
    "in space": lambda leg, chain: chain.figure(times=[0.2, 0.9], view="3d"),
    "contributions": lambda leg, chain: jw.pictures.plot_contributions(leg.result, "knee"),
    "parts": lambda leg, chain: chain.contribution_of_parts(),
    "clinical": lambda leg, chain: leg.clinical(),
    "free bodies": lambda leg, chain: chain.free_bodies(),
    "a wheel": lambda leg, chain: free_wheel(),
    "paths": lambda leg, chain: jw.pictures.plot_trajectories(
        np.stack([np.stack([np.sin(k * T), np.cos(5 * T)], -1) for k in (3, 4)]), labels=["A", "B"]
    ),
    "film": lambda leg, chain: jw.pictures.animate(
        leg.chain, leg.motion, leg.result, ground=leg.plate, constants=leg.constants, fps=2
    ),
}


@pytest.fixture(scope="module")
def models():
    return Leg(), Chain()


#: Those that differ most.
QUICK = ("long names", "one instant", "in space", "clinical", "free bodies", "film")


@pytest.fixture(params=[*QUICK, *slow(x for x in PICTURES if x not in QUICK)], scope="module")
def figure(request, models):
    kept = PICTURES[request.param](*models)
    drawn = plt.gcf()
    drawn.canvas.draw()
    yield drawn
    del kept
    plt.close("all")


def texts_of(figure):
    """Return what can be read in the plane of the paper: text, artist and box in pixels."""
    left_out = {text for ax in figure.axes for text in _not_flat(ax)}
    found = [x for x in figure.findobj(Text) if x.get_visible() and x.get_text().strip()]
    return [(x.get_text(), x, x.get_window_extent()) for x in found if x not in left_out]


def _not_flat(ax):
    """Return texts in space, and labels of ticks beyond the limits, which are not drawn."""
    if ax.name == "3d":
        axes = (ax.xaxis, ax.yaxis, ax.zaxis)
        return [*ax.texts, *(text for axis in axes for text in axis.findobj(Text))]
    if not ax.axison:
        return [text for axis in (ax.xaxis, ax.yaxis) for text in axis.findobj(Text)]
    beyond = []
    for axis, k, limits in ((ax.xaxis, 0, ax.get_xlim()), (ax.yaxis, 1, ax.get_ylim())):
        low, high = sorted(limits)
        labels = axis.get_ticklabels(which="both")
        beyond += [x for x in labels if not low <= x.get_position()[k] <= high]
    return beyond


def test_texts_do_not_overlap(figure):
    for (a, _, one), (b, _, other) in combinations(texts_of(figure), 2):
        width = min(one.x1, other.x1) - max(one.x0, other.x0)
        height = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert min(width, height) <= TOUCH, (a, b)


def test_texts_do_not_stand_over_curves(figure):
    texts = texts_of(figure)
    for ax in (x for x in figure.axes if x.name != "3d"):
        for line in ax.lines:
            if line.get_zorder() <= 0 or len(line.get_xdata()) < 2:
                continue
            path = line.get_transform().transform(line.get_xydata().astype(float))
            for text, _, box in texts:
                assert not _crosses(path, box), (text, line.get_label())


def _crosses(path, box):
    parts = np.linspace(0, 1, 2 + 400 // len(path))[:, None, None]
    points = (path[:-1] + parts * np.diff(path, axis=0)).reshape(-1, 2)
    low, high = np.array([box.x0, box.y0]) + TOUCH, np.array([box.x1, box.y1]) - TOUCH
    return ((points > low) & (points < high)).all(axis=1).any()


@pytest.mark.parametrize("figure", ["free bodies", *slow(["a wheel"])], indirect=True)
def test_names_stand_at_their_own_arrows(figure):
    """Nearer to a line of their kind than to one of another kind."""
    kinds = {"weight": COLORS["weight"], "load": COLORS["load"], "by": COLORS["joint"]}
    for ax in figure.axes:
        drawn = [x for x in ax.lines if x.get_zorder() == 3]
        points = (x.get_transform().transform(x.get_xydata().astype(float)) for x in drawn)
        paths = [(x.get_color(), own) for x, own in zip(drawn, points, strict=True)]
        for text in ax.texts:
            own = [color for word, color in kinds.items() if word in text.get_text().split()]
            own += [COLORS["joint"]] * (", by " in text.get_text())
            if own:
                gaps = [(_gap(path, text.get_window_extent()), color) for color, path in paths]
                assert min(gaps)[1] == own[-1], text


def _gap(path, box):
    parts = np.linspace(0, 1, 40)[:, None, None]
    points = (path[:-1] + parts * np.diff(path, axis=0)).reshape(-1, 2)
    low, high = np.array([box.x0, box.y0]), np.array([box.x1, box.y1])
    outside = np.maximum(np.maximum(low - points, points - high), 0)
    return np.linalg.norm(outside, axis=1).min()


def test_everything_is_on_the_page(figure):
    width, height = figure.bbox.size
    for text, _, box in texts_of(figure):
        assert box.x0 >= -TOUCH, text
        assert box.y0 >= -TOUCH, text
        assert box.x1 <= width + TOUCH, text
        assert box.y1 <= height + TOUCH, text


def test_fonts_are_of_one_size(figure):
    sizes = {x.get_fontsize(): text for text, x, _ in texts_of(figure)}
    assert len(sizes) == 1, sizes


def test_it_is_printed_as_lines(figure, tmp_path):
    """A file for print has no pixels in it."""
    figure.set_layout_engine("none")  # it is laid out already
    figure.savefig(tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert "<image" not in text
    assert text.count("<path") > 10
