"""The examples of closed loops and of simulation print what mechanics says."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import trapezoid

pytestmark = pytest.mark.slow  # CI and the documentation run all of them
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, *arguments):
    """Import an example and return what its main() returns."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main(*arguments)


def test_stewart_platform_carries_its_weight(capsys):
    _, result, forces = run("stewart_platform")
    assert "the balls carry 117.720 N, the weight is 117.720 N" in capsys.readouterr().out
    assert np.isfinite(result.joint_wrenches).all()
    assert forces.mean(axis=0) == pytest.approx(forces.mean(), rel=0.02)  # six equal legs


def test_four_bar_draws_a_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    motion, result = run("four_bar", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    torque, speed = result.generalized_forces[:, 0], motion.u[:, 0]
    work = trapezoid(torque * speed, motion.times)
    assert work == pytest.approx(0, abs=1e-3 * abs(torque * speed).max())  # over a whole turn
    assert "open: fz, mx, my" in capsys.readouterr().out


def test_simulate_and_react(tmp_path):
    pytest.importorskip("matplotlib")
    result, motion, reactions = run("simulate_and_react", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").exists()
    rail = result.joint_wrench("rail")
    assert rail[:, 0] == pytest.approx(0, abs=1e-9)  # nothing along it
    assert abs(motion.energy_drift).max() < 1e-6
    assert reactions.joint_wrenches.shape == (301, 4, 6)


def test_wedge_and_screw(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    angles, up, down = run("wedge_and_screw", tmp_path / "picture.png")
    phi = np.arctan(0.15)
    assert up == pytest.approx(1000 * np.tan(angles + phi), rel=1e-12)
    assert down == pytest.approx(1000 * np.tan(angles - phi), rel=1e-12)
    assert "self-locking up to 8 degrees; phi is 8.53" in capsys.readouterr().out


def test_a_motor_gives_what_the_bearings_of_a_crank_lose(tmp_path):
    """With the sums of both to the accuracy of 720 instants."""
    pytest.importorskip("matplotlib")
    result, work, more = run("crank_losses", tmp_path / "picture.png")
    assert np.isfinite(result.friction).all()
    assert sum(work.values()) == pytest.approx(more, rel=0.01)
    assert min(work.values()) > 1


def test_jamming_drawer(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    places, pulls, gains, torque = run("jamming_drawer", tmp_path / "picture.png")
    assert (
        "no equilibrium was found for this direction of sliding in guide" in capsys.readouterr().out
    )
    moves = places < 0.4 - 1e-9
    assert pulls[moves] == pytest.approx(10 / (1 - places[moves] / 0.4), rel=1e-10)
    assert np.isnan(pulls[~moves]).all()
    assert gains == pytest.approx(places / 0.4, rel=1e-12)
    pulled = 300 * 0.45 / 1.6  # on each hinge, across
    assert torque == pytest.approx(0.3 * (0.006 * 2 * pulled + 0.008 * 300), rel=1e-9)
