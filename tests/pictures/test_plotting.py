"""Pictures: what is drawn is the data, labelled with units; what cannot be drawn is refused."""

import sys
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose, assert_array_equal
from refusals import refused
from sympy.physics.mechanics import PinJoint, RigidBody

from jointwrench import Trajectory
from jointwrench.pictures import plot_trajectories, plot_wrenches

TIMES = np.linspace(0, 2, 30)


def arcs(count=2, dimension=2):
    """Return positions and speeds of points on circles that are passed ever faster."""
    angle, rate = TIMES**2, 2 * TIMES
    radii = np.arange(1, count + 1)[:, None]
    columns = [radii * np.cos(angle), radii * np.sin(angle), radii * angle][:dimension]
    climb = np.sqrt(2) if dimension == 3 else 1
    return np.stack(columns, axis=-1), climb * radii * rate


def wrench_samples(rng, joints=3):
    return rng.normal(size=(len(TIMES), joints, 6))


def test_trajectories_colour_is_the_speed():
    positions, speeds = arcs()
    ax = plot_trajectories(positions, speeds)
    ax.figure.canvas.draw()
    assert len(ax.collections) == 2
    for lines, path, speed in zip(ax.collections, positions, speeds, strict=True):
        assert_allclose(lines.get_segments(), np.stack([path[:-1], path[1:]], axis=1), atol=1e-15)
        assert_allclose(lines.get_array(), (speed[:-1] + speed[1:]) / 2)
        assert lines.get_clim() == (speeds.min(), speeds.max())


def test_trajectories_labels_units_and_scale():
    options = {"labels": ["C_1", "C_2"], "units": {"length": "mm"}}
    ax = plot_trajectories(*arcs(), **options)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x / mm", "y / mm")
    assert ax.collections[0].colorbar is None
    assert ax.collections[-1].colorbar.ax.get_ylabel() == "speed / (m/s)"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$C_{1}$", "$C_{2}$"]
    assert ax.get_aspect() == 1


def test_trajectories_without_speeds_every_point_has_its_colour():
    positions, _ = arcs()
    ax = plot_trajectories(positions)
    paths, starts = ax.lines[:2], ax.lines[2:]
    assert paths[0].get_color() != paths[1].get_color()
    for line, start, path in zip(paths, starts, positions, strict=True):
        assert_array_equal(line.get_xydata(), path)
        assert_array_equal(start.get_xydata(), path[:1])
        assert start.get_color() == line.get_color()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["point 0", "point 1"]


def test_trajectories_of_a_motion_are_its_coordinates_over_time():
    motion = Trajectory(TIMES, *np.random.default_rng(1).normal(size=(3, len(TIMES), 2)))
    ax = plot_trajectories(motion)
    assert [line.get_label() for line in ax.lines] == ["$q_{0}$", "$q_{1}$"]
    for line, q in zip(ax.lines, motion.q.T, strict=True):
        assert np.array_equal(line.get_xydata(), np.stack([TIMES, q], -1))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("coloured", [True, False])
def test_trajectories_all_paths_are_in_sight(coloured, dimension):
    positions, speeds = arcs(dimension=dimension)
    for order in (slice(None), slice(None, None, -1)):
        ax = plot_trajectories(positions[order], speeds[order] if coloured else None)
        assert len(ax.collections) == (2 if coloured else 0)
        for k, name in enumerate("xyz"[:dimension]):
            low, high = getattr(ax, f"get_{name}lim")()
            assert getattr(ax, f"get_{name}label")() == f"{name} / m"
            assert low <= positions[..., k].min()
            assert positions[..., k].max() <= high


def test_trajectories_what_was_in_space_before_stays_in_sight():
    _, ax = plt.subplots(subplot_kw={"projection": "3d"})
    ax.plot([0, 99], [0, 0], [0, 0])
    plot_trajectories(*arcs(dimension=3), ax=ax)
    assert ax.get_xlim()[1] >= 99


def test_trajectories_draws_into_the_given_axes():
    _, given = plt.subplots()
    given.plot([0, 1], [0, 1], color="red")
    ax = plot_trajectories(arcs()[0], ax=given)
    assert ax is given
    _, *paths = ax.lines[:3]
    assert [path.get_color() for path in paths] == [line.get_color() for line in ax.lines[3:]]
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("is_masked", [True, False])
def test_trajectories_missing_samples_leave_a_gap(is_masked):
    positions, speeds = arcs(count=1)
    mask = np.zeros(positions.shape, dtype=bool)
    mask[0, 10] = True
    missing = np.ma.masked_array(positions, mask)
    ax = plot_trajectories(missing if is_masked else missing.filled(np.nan), speeds)
    assert len(ax.collections[0].get_segments()) == len(TIMES) - 3
    assert len(ax.collections[0].get_array()) == len(TIMES) - 3


def test_trajectories_input_is_left_alone():
    positions, speeds = arcs()
    before = positions.copy(), speeds.copy()
    plot_trajectories(positions, speeds)
    assert_array_equal(positions, before[0])
    assert_array_equal(speeds, before[1])


def test_wrenches_forces_left_and_moments_right(rng):
    wrenches = wrench_samples(rng)
    axes = plot_wrenches(TIMES, wrenches)
    assert axes.shape == (3, 2)
    for joint in range(3):
        for column in (0, 1):
            curves = [line for line in axes[joint, column].lines if line.get_label()[0] == "$"]
            for component, line in enumerate(curves):
                assert_array_equal(line.get_xdata(), TIMES)
                assert_array_equal(line.get_ydata(), wrenches[:, joint, 3 * column + component])


def test_wrenches_labels_and_units(rng):
    units = {"force": "kN"}
    axes = plot_wrenches(TIMES, wrench_samples(rng, 2), joints=["hip", "knee"], units=units)
    assert axes[0, 0].get_ylabel() == "hip\nforce / kN"
    assert axes[1, 0].get_ylabel() == "knee\nforce / kN"
    assert axes[0, 1].get_ylabel() == "moment / (N m)"
    assert axes[1, 0].get_xlabel() == axes[1, 1].get_xlabel() == "time / s"
    for column, letter in enumerate("fm"):
        texts = [text.get_text() for text in axes[0, column].get_legend().get_texts()]
        assert texts == [f"${letter}_{axis}$" for axis in "xyz"]
    axes = plot_wrenches(TIMES, wrench_samples(rng, 1), units={"time": "ms", "moment": "N mm"})
    assert (axes[0, 0].get_xlabel(), axes[0, 1].get_ylabel()) == ("time / ms", "moment / (N mm)")
    assert axes[0, 0].get_ylabel() == "joint 0\nforce / N"


def test_wrenches_bands_reach_two_standard_deviations(rng):
    wrenches = wrench_samples(rng, 2)
    deviations = np.abs(wrench_samples(rng, 2))
    deviations[3, 1, 5] = np.nan  # leaves a gap
    found = SimpleNamespace(standard_deviation=SimpleNamespace(joint_wrenches=deviations))
    for given in (found, found.standard_deviation, deviations):
        axes = plot_wrenches(TIMES, wrenches, uncertainty=given)
        band = axes[1, 1].collections[-1]
        assert_allclose(band.get_facecolor()[0, :3], to_rgb(axes[1, 1].lines[-1].get_color()))
        drawn = np.concatenate([path.vertices for path in band.get_paths()])
        value, deviation = wrenches[:, 1, 5], deviations[:, 1, 5]
        for row, time in enumerate(TIMES):
            heights = drawn[np.isclose(drawn[:, 0], time), 1]
            if row == 3:
                assert not heights.size
                continue
            ends = value[row] + 2 * deviation[row] * np.array([-1, 1])
            assert_allclose([heights.min(), heights.max()], ends)
    texts = [text.get_text() for text in axes[0, 0].get_legend().get_texts()]
    assert texts[3:] == ["± 2 standard deviations"]
    refused(lambda: plot_wrenches(TIMES, wrenches, uncertainty=-deviations), "uncertainty")


def test_wrenches_some_joints_of_a_result_are_drawn_in_their_order(rng):
    joints = [PinJoint(x, RigidBody(f"{x}_in"), RigidBody(f"{x}_out")) for x in ("hip", "knee")]
    result = SimpleNamespace(joint_wrenches=wrench_samples(rng, 2), joints=joints)
    axes = plot_wrenches(TIMES, result, joints=["knee", joints[0]])
    assert axes[0, 0].get_ylabel() == "knee\nforce / N"
    assert "knee_out" in axes[0, 0].get_title("left")
    assert_array_equal(axes[1, 1].lines[-1].get_ydata(), result.joint_wrenches[:, 0, 5])
    assert plot_wrenches(TIMES, result, joints=["knee"]).shape == (1, 2)
    named = plot_wrenches(TIMES, result, joints=["Hüfte", "Knie"])
    assert named[1, 0].get_ylabel() == "Knie\nforce / N"
    refused(lambda: plot_wrenches(TIMES, result, joints=["kne"]), "joints")
    refused(lambda: plot_wrenches(TIMES, result, joints=[]), "joints")


def test_wrenches_draws_into_the_given_axes(rng):
    _, given = plt.subplots(2, 2)
    axes = plot_wrenches(TIMES, wrench_samples(rng, 2), axes=given)
    assert all(mine is yours for mine, yours in zip(axes.flat, given.flat, strict=True))
    assert len(plt.get_fignums()) == 1


def axes_of(*shape, **options):
    return plt.subplots(*shape, subplot_kw=options)[1]


@pytest.mark.parametrize(
    ("call", "argument", "error"),
    [
        (lambda: plot_trajectories("motion"), "positions", TypeError),
        (lambda: plot_trajectories(arcs()[0], ax=axes_of(projection="3d")), "ax", ValueError),
        (lambda: plot_trajectories(arcs(dimension=3)[0], ax=axes_of()), "ax", ValueError),
        (lambda: plot_wrenches([0], np.zeros((1, 1, 6)), axes=axes_of(1, 2)), "axes", ValueError),
        (lambda: plot_wrenches(np.zeros(0), np.zeros((0, 1, 6))), "times", ValueError),
    ],
)
def test_refused(call, argument, error):
    refused(call, argument, error)


@pytest.mark.parametrize(
    "plot", [lambda: plot_trajectories(arcs()[0]), lambda: plot_wrenches([0], np.zeros((1, 1, 6)))]
)
def test_says_what_to_install(plot, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    refused(plot, None, ImportError)
