"""The examples of closed loops and of simulation print what mechanics says."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import trapezoid

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, *arguments):
    """Import an example and return what its main() returns."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main(*arguments)


@pytest.mark.slow  # three large kernels are compiled; CI runs these
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
