"""Free-body diagrams read back: what artists and texts say is what the model's numbers are."""

import re
from itertools import combinations

import numpy as np
import pytest
from linkages import slider_crank
from marks import slow
from numeric import arguments_of
from random_systems import random_system
from sympy import Symbol
from sympy.physics.mechanics import Particle
from ten_systems import SYSTEMS

import jointwrench as jw
from jointwrench.pictures.actions import BodyNumbers, actions_on, state_of

plt = pytest.importorskip("matplotlib.pyplot")

#: What counts as nothing of the largest, the rounding of texts, and pixels by which they may touch.
NOTHING, ROUNDED, TOUCH = 1e-9, 5.1e-3, 1.0
VIEWS = {"xy": ([0, 1], 1), "xz": ([0, 2], -1), "yz": ([1, 2], 1)}
UNITS = {"force": "N", "moment": "N m", "length": "m"}
NUMBER = re.compile(r"(\$[\d.]+ \\times 10\^{-?\d+}\$|\d[\d,.]*) (N m|N|m)( in this| about|\b)")


def book(number):
    """One of ten systems of textbooks."""
    idyn, rng = SYSTEMS[number]().idyn, np.random.default_rng(number)
    states = [rng.uniform(0.3, 1.0, len(x)) for x in (idyn.q, idyn.u, idyn.u)]
    values = {x: rng.uniform(0.5, 1.5) for x in idyn.constants}
    places = {x: 0.7 for x in map(Symbol, ["l", "r", "h"]) if x not in values}
    return idyn, states, values | places, {}, 0.3


def linkage(_):
    system, rail = slider_crank(1.0, Symbol("force"))
    idyn = jw.InverseDynamics(system, loops=[rail])
    states = idyn.close_motion(*np.array([[[0.5, -0.8]], [[20, 0]], [[0, 0]]]))
    return idyn, [x[0] for x in states], {"force": 1500.0}, {}, None


def tree(seed):
    model = random_system(seed)
    idyn, values = jw.InverseDynamics(model.system), model.inputs
    *states, _, specified, time = arguments_of(idyn, values)
    constants = {s: x for s, x in values.items() if s.is_Symbol and s != idyn.time}
    return idyn, states, constants, specified, time


MODELS = {f"book {k}": (book, k) for k in range(10)} | {"linkage": (linkage, 0)}
MODELS |= {f"tree {k}": (tree, k) for k in range(30)}
QUICK = ("book 3", "book 4", "linkage", "tree 4")


@pytest.fixture(params=QUICK, scope="module")
def model(request):
    make, number = MODELS[request.param]
    return make(number)


@pytest.fixture(params=["xy"], scope="module")
def picture(request, model):
    """Return the Axes of all bodies, what acts on them, and the view."""
    idyn, states, constants, specified, time = model
    grid = jw.pictures.plot_free_body(
        idyn, states, None, constants, specified, at=time, view=request.param
    )
    result = state_of(idyn, tuple(states), time, constants, specified)
    bodies = list(dict.fromkeys(link.body for link in idyn.model.tree.links))
    numbers = [BodyNumbers(idyn, result, body, constants) for body in bodies]
    grid[0, 0].figure.canvas.draw()
    yield grid[0], numbers, VIEWS[request.param]
    plt.close("all")


def seen(quantity, view):
    """Return the visible part of a vector: two components, or the one about the normal."""
    axes, sign = view
    vector = np.nan_to_num(quantity.vector)
    return sign * vector[3 - sum(axes)] if quantity.is_moment else vector[axes]


def cross(one, other):
    return one[0] * other[1] - one[1] * other[0]


def drawn(picture):
    """Yield what is visible: Axes, quantity, and the line that shows it."""
    grid, numbers, view = picture
    acting = [[*actions_on(x)] for x in numbers]
    shown = [(x.unit, np.linalg.norm(seen(x, view))) for own in acting for x in own]
    largest = {unit: max((y for x, y in shown if x == unit), default=0) for unit in UNITS}
    for ax, own in zip(grid, acting, strict=True):
        for k, x in enumerate(own):
            if np.linalg.norm(seen(x, view)) > NOTHING * largest[x.unit]:
                yield ax, x, marked(ax.lines, f"{x.unit} {k}")


def marked(artists, gid):
    """Return the only artist with a mark, None if there is none."""
    found = [artist for artist in artists if artist.get_gid() == gid]
    assert len(found) < 2
    return found[0] if found else None


def test_forces_begin_at_their_points_to_one_scale(picture):
    """Of all panels; heads end where shafts point to."""
    scales, (_, _, (axes, _)) = [], picture
    for ax, x, path in drawn(picture):
        whole = np.linalg.norm(np.nan_to_num(x.vector))
        part = seen(x, picture[2])
        if x.unit != "force" or np.linalg.norm(part) <= 1e-6 * whole:
            continue
        assert path is not None, x
        start = path.get_xydata()[0]
        np.testing.assert_allclose(start, x.location[axes], atol=1e-12)
        tip = marked(ax.patches, f"{path.get_gid()} head").get_xy()[1]
        pixels = np.diff(ax.transData.transform([start, tip]), axis=0)[0]
        assert pixels / np.linalg.norm(pixels) == pytest.approx(
            part / np.linalg.norm(part), abs=1e-9
        )
        scales.append(np.linalg.norm(pixels) / np.linalg.norm(part))
    assert scales == pytest.approx([scales[0]] * len(scales), rel=1e-6) if scales else True


def test_moments_turn_about_their_points_to_one_scale(picture):
    scales, (_, _, (axes, _)) = [], picture
    for ax, x, path in drawn(picture):
        if x.is_moment and path is not None:
            arms = path.get_xydata() - x.location[axes]
            radii, part = np.linalg.norm(arms, axis=1), seen(x, picture[2])
            assert radii == pytest.approx(radii[0], rel=1e-9)
            assert np.sign(cross(arms[0], arms[1])) == np.sign(part)
            pixels = np.ptp(ax.transData.transform([[0, 0], [radii[0], 0]]), axis=0)[0]
            scales.append(pixels / abs(part))
    assert scales == pytest.approx([scales[0]] * len(scales), rel=1e-6) if scales else True


def test_texts_have_the_numbers(picture):
    """Each visible force and moment has its name, its magnitude and what is visible of it."""
    for ax, x, path in drawn(picture):
        if path is None:  # rounding
            continue
        part, whole = np.linalg.norm(seen(x, picture[2])), np.linalg.norm(x.vector)
        texts = [t.get_text() for t in ax.texts if t.get_text().startswith(x.name)]
        found = [read(text) for text in texts if f" {UNITS[x.unit]}" in text]
        if not np.isfinite(whole):
            wanted = {"seen": part}
        elif 1e-3 * whole < part < (1 - 1e-3) * whole:
            wanted = {"whole": whole, "seen": part}
        else:
            wanted = {"whole": whole}
        assert any(
            own["unit"] == UNITS[x.unit]
            and all(own.get(key) == pytest.approx(y, rel=ROUNDED) for key, y in wanted.items())
            for own in found
        ), (x, texts)


def read(text):
    """Return the numbers of a text with the unit."""
    found = {}
    for number, unit, where in NUMBER.findall(text):
        plain = re.sub(r"\$([\d.]+) \\times 10\^{(-?\d+)}\$", r"\1e\2", number)
        found["seen" if where else "whole"] = float(plain.replace(",", ""))
        found["unit"] = unit
    return found


def test_distances_are_as_long_as_they_say(picture):
    """From a point to a point of the body, in true length, or in the plane."""
    grid, numbers, (axes, _) = picture
    for ax, own in zip(grid, numbers, strict=True):
        points = [*own.points().values()]
        lengths = []
        for line in (x for x in ax.lines if str(x.get_gid()).startswith("length ")):
            ends = [
                min(points, key=lambda p: np.linalg.norm(p[axes] - end))
                for end in line.get_xydata()
            ]
            np.testing.assert_allclose(line.get_xydata(), np.array(ends)[:, axes], atol=1e-12)
            step = ends[1] - ends[0]
            lengths.append((np.linalg.norm(step), np.linalg.norm(step[axes])))
        for text in (t.get_text() for t in ax.texts if re.match(r"[\d$][^a-z]* m\b", t.get_text())):
            said = read(text)
            whole, part = said["whole"], said.get("seen", said["whole"])
            sought = (whole, part) if "seen" in said else whole
            near = [np.allclose(sought, x, rtol=ROUNDED) for x in lengths]
            assert any(near), (text, lengths)


def test_no_text_covers_another_one(picture):
    for ax in picture[0]:
        boxes = [(t.get_text(), t.get_window_extent()) for t in ax.texts]
        for (a, one), (b, other) in combinations(boxes, 2):
            width = min(one.x1, other.x1) - max(one.x0, other.x0)
            height = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert min(width, height) <= TOUCH, (a, b)


def test_no_path_hides_another_one(picture):
    """Of two on one line, one is beside the other."""
    for ax in picture[0]:
        paths = [x for x in ax.lines if str(x.get_gid())[:6] in ("force ", "moment")]
        paths = [x for x in paths if len(x.get_xdata()) in (2, 40)]
        dense = []
        for path in paths:
            points = path.get_transform().transform(path.get_xydata())
            parts = np.linspace(0, 1, 40)[:, None]
            dense.append(points if len(points) > 2 else points[0] + parts * np.diff(points, axis=0))
        for one, other in combinations(dense, 2):
            gaps = np.linalg.norm(one[:, None] - other, axis=-1)
            hidden = max(np.mean(gaps.min(axis=k) < 2) for k in (0, 1))
            assert hidden < 0.5


def test_a_particle_is_a_point_with_all_that_acts_there(picture):
    for ax, own in zip(picture[0], picture[1], strict=True):
        if isinstance(own.body, Particle):
            starts = [x.get_xydata()[0] for x in ax.lines if str(x.get_gid()).startswith("force")]
            assert not any(str(x.get_gid()).startswith("length") for x in ax.lines)
            joints = [x.location for x in actions_on(own) if x.kind == "joint"]
            np.testing.assert_allclose(joints, np.zeros_like(joints), atol=1e-12)
            assert starts or not joints


CHECKS = [check for name, check in [*globals().items()] if name.startswith("test_")]
MORE = [(x, view) for x in MODELS for view in VIEWS if x not in QUICK or view != "xy"]


@pytest.mark.parametrize(("model", "picture"), slow(MORE), indirect=True)
def test_other_models_and_views(picture):
    for check in CHECKS:
        check(picture)
