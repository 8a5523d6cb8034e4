"""The examples print the formulas of the textbooks, and numbers that fit."""

import json
import re

import numpy as np
import pytest
from example_scripts import EXAMPLES, example
from scipy.integrate import trapezoid
from sympy import Matrix, cos, pi, simplify, sin, zeros
from sympy.physics.mechanics import dynamicsymbols

pytestmark = pytest.mark.slow  # CI and the documentation run all of them
ELEMENTARY = sorted(path.stem for path in (EXAMPLES / "elementary").glob("*.py"))


def run(name, *arguments):
    """Return what the main() of an example returns."""
    return example(name).main(*arguments)


def d(function, order=1):
    return function.diff(dynamicsymbols._t, order)


def assert_equal(wrench, *expected):
    assert simplify(wrench - Matrix(expected)) == zeros(6, 1)


def assert_close(wrench, *expected):
    assert [float(entry) for entry in wrench] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_there_is_one_for_each_fictitious_wrench():
    assert ELEMENTARY == ["centrifugal_record", "coriolis_slider", "dalembert_arm", "euler_motor"]


@pytest.mark.parametrize("name", ELEMENTARY)
def test_all_observers_agree_on_the_joint_wrench(name, capsys):
    assert run(f"elementary/{name}")["agrees"] is True
    assert re.search(r"agrees with the observer at rest: True$", capsys.readouterr().out)


def test_euler_motor():
    result = run("elementary/euler_motor")
    e, m, inertia, phi = result["symbols"]
    assert_equal(result["wrench"], 0, -m * e * d(phi, 2), 0, 0, 0, -inertia * d(phi, 2))
    forces = -m * e * d(phi) ** 2, m * e * d(phi, 2), 0
    assert_equal(result["joint"], *forces, 0, 0, (inertia + m * e**2) * d(phi, 2))
    acceleration = 10 - 0.05 * float(4 * pi) ** 2
    assert_close(result["number"], 0, -1.5 * 0.02 * acceleration, 0, 0, 0, -0.004 * acceleration)


def test_centrifugal_record():
    result = run("elementary/centrifugal_record")
    r, m, omega = result["symbols"]
    assert_equal(result["wrench"], m * omega**2 * r, 0, 0, 0, 0, 0)
    assert_equal(result["joint"], -m * omega**2 * r, 0, 0, 0, 0, 0)
    assert_close(result["number"], 0.002 * float(10 * pi / 9) ** 2 * 0.146, 0, 0, 0, 0, 0)


def test_coriolis_slider():
    result = run("elementary/coriolis_slider")
    m, omega, s = result["symbols"]
    assert_equal(result["wrench"], 0, -2 * m * omega * d(s), 0, 0, 0, 0)
    radial = m * (d(s, 2) - omega**2 * s)
    assert_equal(result["joint"], radial, 2 * m * omega * d(s), 0, 0, 0, 0)
    assert_close(result["number"], 0, -1.2, 0, 0, 0, 0)


def test_dalembert_arm():
    result = run("elementary/dalembert_arm")
    length, m, g, beta, p = result["symbols"]
    assert_equal(result["wrench"], -m * d(p, 2), 0, 0, 0, 0, 0)
    moment = m * length * (d(p, 2) * cos(beta) + g * sin(beta))
    assert_equal(result["joint"], m * d(p, 2), m * g, 0, 0, 0, moment)
    assert_close(result["number"], 6, 0, 0, 0, 0, 0)
    assert_close(result["held"], -6, 2 * 9.81, 0, 0, 0, 0)


def test_floating_base(capsys):
    """Nothing holds a diver in the air; a motion that needs support gets it."""
    result = run("floating_base")
    assert result["drift"] < 1e-8
    assert result["norm"] < 1e-8
    assert abs(result["twist"]) > 0.5
    assert abs(result["shoulder"]).max() > 100
    assert abs(result["residual"]).max() < 1e-9 * abs(result["shoulder"]).max()
    assert result["torque_error"] < 1e-9
    assert abs(result["wrong_residual"]).max() > 10
    assert result["report"].success
    assert result["report"].max_accelerations < 1e-10
    assert result["report"].max_relative < 1e-7
    assert "residual of the base" in capsys.readouterr().out


def test_classical_kane(capsys):
    """What ground gives the table vertically carries all weights but for the bob's swing."""
    result = run("classical_kane")
    assert result["forces"] == pytest.approx(result["expected"], rel=1e-10)
    q, u, udot = -0.4, 0.6, -1.0
    rise = 0.6 * (udot * sin(q) + u**2 * cos(q))  # of a bob at -l cos(q3)
    assert result["wrenches"][0, 2] == pytest.approx(float(result["weight"] + 0.4 * rise))
    assert "on the bob" in capsys.readouterr().out


def test_rolling_disc(capsys):
    """Nothing but the table holds the disc, and it takes no energy."""
    result = run("rolling_disc")
    assert result["force"] == pytest.approx(result["newton"], abs=1e-9)
    assert abs(result["free"]).max() < 1e-9
    assert abs(result["unsupplied"]).max() < 1e-9
    assert abs(result["generalized_forces"]).max() < 1e-9
    assert result["height"] < 1e-8
    assert result["energy"] == pytest.approx(result["energy"][0], rel=1e-8)
    assert result["friction"].max() == pytest.approx(0.434, abs=1e-3)
    assert "normal force 10.45 to 15.16 N" in capsys.readouterr().out


@pytest.mark.needs("jax")
def test_policy_gradient(capsys):
    result = run("policy_gradient")
    assert result["costs"][-1] < 0.1 < 3 < result["costs"][0]
    assert result["upright"].mean() > 0.8
    assert "within 0.2 rad of upright" in capsys.readouterr().out


@pytest.mark.needs("torch")
def test_learned_residual(capsys):
    result = run("learned_residual")
    assert result["masses"] == pytest.approx([3, 1.5], abs=0.02)
    assert result["error"] < 0.15
    assert "torques of other motions" in capsys.readouterr().out


@pytest.mark.needs("numba")
def test_numba_ode(capsys):
    result = run("numba_ode")
    assert result["drift"] < 1e-4
    assert result["spread"] > 1
    assert "ns per evaluation" in capsys.readouterr().out


def test_panda(capsys):
    robot, motion, result = run("panda")
    assert "C code for the torques" in capsys.readouterr().out
    assert robot.left_out == ()
    limits = [robot.limits[name] for name in robot.coordinates]
    assert all(
        (x.lower < q.min()) & (q.max() < x.upper) for x, q in zip(limits, motion.q.T, strict=True)
    )
    resting = result.joint_wrench("panda_flange")[[0, -1], :3]
    assert np.linalg.norm(resting, axis=-1) == pytest.approx(0.73 * 9.81)
    assert np.ptp(result.generalized_forces[:, 0][[0, -1]]) < 1e-12  # gravity is along its axis


def test_held_load(capsys):
    """All observers find what inverse dynamics does; the one on the forearm sees no motion."""
    found, wanted = run("held_load")
    for terms in found.values():
        assert terms["hand"] == pytest.approx(wanted, abs=1e-12)
        fictitious = sum(terms[x] for x in ("d'Alembert", "Euler", "centrifugal", "Coriolis"))
        assert terms["observed dynamic"] == pytest.approx(
            terms["hand"] + terms["weight"] + fictitious, abs=1e-12
        )
    assert abs(found["forearm"]["observed dynamic"]).max() < 1e-12
    assert abs(found["trunk"]["Coriolis"]).max() > 1
    assert abs(found["ground"]["Euler"]).max() == 0
    assert "seen from the trunk" in capsys.readouterr().out


def test_prosthesis_and_orthosis(tmp_path):
    """A couple between two segments changes nothing beyond them."""
    module = example("prosthesis_and_orthosis")
    own, prosthetic, whole, rest, spring, limbs = module.main(tmp_path)
    assert (tmp_path / "prosthesis_and_orthosis.png").is_file()
    for name, values in whole.items():
        if name.endswith("_moment") and "ankle" not in name:
            np.testing.assert_allclose(rest[name], values, atol=1e-9, err_msg=name)
    carried = whole["ankle_right_plantarflexion_moment"] - rest["ankle_right_plantarflexion_moment"]
    size = np.linalg.norm(spring[:, 3:], axis=-1) / limbs.person.mass
    assert np.abs(carried).max() > 0.2
    assert (np.abs(carried) <= size + 1e-6).all()
    foot, shank = ("foot_left", "shank_left")
    masses = {segment.name: segment.mass for segment in limbs.segments("left")}
    assert sum(masses[n] - module.PROSTHESIS[n][0] for n in (foot, shank)) > 0.5
    assert np.abs(prosthetic["ankle_left_power"] - own["ankle_left_power"]).max() > 0


def test_both_legs(tmp_path, capsys):
    """The ankle's moments are those of the report; the page has both legs and both plates."""
    report, limbs, results, peaks = run("both_legs", tmp_path)
    for side in ("left", "right"):
        sagittal = report.curves[f"ankle_{side}_plantarflexion_moment"].max()
        assert sagittal <= peaks["ankle", side] <= 1.1 * sagittal
    page = (tmp_path / "both_legs.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r"var data = (\{.*\});\n", page).group(1))
    assert data["names"][::3] == ["hip_left", "hip_right"]
    assert np.shape(data["forces"]["ground"]["places"]) == (len(limbs.times), 2, 3)
    ankle = np.array(data["joints"][data["start"]][2])
    assert ankle == pytest.approx(limbs.centers["ankle_left"][data["start"]], abs=1e-3)
    assert results["left"].joints[3].name == "ankle_left"
    assert "right foot, 0.62 to 1.41 s" in capsys.readouterr().out


# -- closed loops, friction and simulation ----------------------------------------------------


def test_stewart_platform_carries_its_weight(capsys):
    _, result, forces = run("stewart_platform")
    assert "the balls carry 117.720 N, the weight is 117.720 N" in capsys.readouterr().out
    assert np.isfinite(result.joint_wrenches).all()
    assert forces.mean(axis=0) == pytest.approx(forces.mean(), rel=0.02)  # six equal legs


def test_four_bar_draws_a_picture(tmp_path, capsys):
    motion, result = run("four_bar", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    torque, speed = result.generalized_forces[:, 0], motion.u[:, 0]
    work = trapezoid(torque * speed, motion.times)
    assert work == pytest.approx(0, abs=1e-3 * abs(torque * speed).max())  # over a whole turn
    assert "open: fz, mx, my" in capsys.readouterr().out


def test_simulate_and_react(tmp_path):
    result, motion, reactions = run("simulate_and_react", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").exists()
    rail = result.joint_wrench("rail")
    assert rail[:, 0] == pytest.approx(0, abs=1e-9)  # nothing along it
    assert abs(motion.energy_drift).max() < 1e-6
    assert reactions.joint_wrenches.shape == (301, 4, 6)


def test_wedge_and_screw(tmp_path, capsys):
    angles, up, down = run("wedge_and_screw", tmp_path / "picture.png")
    phi = np.arctan(0.15)
    assert up == pytest.approx(1000 * np.tan(angles + phi), rel=1e-12)
    assert down == pytest.approx(1000 * np.tan(angles - phi), rel=1e-12)
    assert "self-locking up to 8 degrees; phi is 8.53" in capsys.readouterr().out


def test_a_motor_gives_what_the_bearings_of_a_crank_lose(tmp_path):
    """With the sums of both to the accuracy of 720 instants."""
    result, work, more = run("crank_losses", tmp_path / "picture.png")
    assert np.isfinite(result.friction).all()
    assert sum(work.values()) == pytest.approx(more, rel=0.01)
    assert min(work.values()) > 1


def test_jamming_drawer(tmp_path, capsys):
    places, pulls, gains, torque = run("jamming_drawer", tmp_path / "picture.png")
    printed = capsys.readouterr().out
    assert "no equilibrium was found for this direction of sliding in guide" in printed
    moves = places < 0.4 - 1e-9
    assert pulls[moves] == pytest.approx(10 / (1 - places[moves] / 0.4), rel=1e-10)
    assert np.isnan(pulls[~moves]).all()
    assert gains == pytest.approx(places / 0.4, rel=1e-12)
    pulled = 300 * 0.45 / 1.6  # on each hinge, across
    assert torque == pytest.approx(0.3 * (0.006 * 2 * pulled + 0.008 * 300), rel=1e-9)
