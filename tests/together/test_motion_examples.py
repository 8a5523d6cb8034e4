"""The examples with measured motions: their numbers are those of people, and checked."""

import numpy as np
import pytest
from example_scripts import example

import jointwrench as jw

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.slow  # CI and the documentation run all of them


@pytest.fixture
def script(request, monkeypatch):
    """An example that saves nothing."""
    module = example(request.param)
    monkeypatch.setattr(module, "save", lambda *_: None)
    return module


@pytest.mark.parametrize("script", ["gait"], indirect=True)
def test_gait(script, tmp_path, capsys):
    curves, others, cycles, report = script.main(tmp_path)
    assert "11 of them incomplete" in capsys.readouterr().out
    assert np.diff(cycles) == pytest.approx([1.2, 1.2], abs=0.03)  # s, from step to step
    hip, knee, ankle = (curves[x] for x in ("hip_flexion", "knee_flexion", "ankle_dorsiflexion"))
    # What textbooks show for walking, in degrees, N m/kg and W/kg.
    assert -10 < hip.min() < 0
    assert 20 < hip.max() < 30
    assert 55 < knee.max() < 70
    assert -30 < ankle.min() < -15
    assert 5 < ankle.max() < 15
    assert 0.4 < curves["knee_extension_moment"].max() < 0.8
    assert 1.3 < curves["ankle_plantarflexion_moment"].max() < 1.9
    assert 3 < curves["ankle_power"].max() < 5
    assert 0.3 < curves["hip_power"].max() < 1
    assert report.accelerations.max_relative < 1e-12
    assert report.max_relative < 1e-5
    # Segment by segment the same markers, whose distances vary by centimetres, give nearly this.
    for joint, limit in (("hip", 0.025), ("knee", 0.01), ("ankle", 0.02)):  # N m/kg
        names = curves.of_joint(joint)
        angle, moment = (curves[names[k]] - others[names[k]] for k in ("angle", "moment"))
        assert 0 < np.abs(angle).max() < 0.3  # degrees
        assert limit / 10 < np.sqrt(np.mean(moment**2)) < limit


@pytest.mark.parametrize("script", ["uncertain_gait"], indirect=True)
def test_uncertain_gait(script, tmp_path, capsys):
    found, drawn = script.main(tmp_path, draws=300)
    assert "ankle" in capsys.readouterr().out
    rows = slice(21, 141)  # one stride
    for joint, least, most in (("hip", 0.03, 0.11), ("knee", 0.06, 0.08), ("ankle", 0.06, 0.08)):
        first, second = (
            np.abs(script.moments_of(x.standard_deviation, joint))[rows] for x in (found, drawn)
        )
        assert second == pytest.approx(first, rel=5 / np.sqrt(600), abs=1e-4)
        assert least < first.max() < most  # N m/kg
        shares = script.shares_of(found, joint)
        assert sum(shares.values()) == pytest.approx(100)
        stance = {name: share[rows][20:60].mean() for name, share in shares.items()}
        largest = sorted(stance, key=stance.get)[-2:]
        assert "centre of pressure" in largest
        assert any(name.startswith(joint) for name in largest)


@pytest.mark.parametrize("script", ["whole_trial"], indirect=True)
def test_whole_trial(script, capsys):
    trial, found = script.main()
    assert "residual force at the pelvis: 4 % of that of the plates" in capsys.readouterr().out
    assert 0.02 < trial.fitted.rms.min() < trial.fitted.rms.max() < 0.04  # m
    forces, deviations = (x.generalized_forces for x in (found.result, found.standard_deviation))
    largest = ("hip_flexion_r", -57, 5), ("knee_angle_r", -63, 6), ("ankle_angle_r", -130, 5)
    for name, moment, deviation in largest:
        column = trial.column(name)
        row = np.argmax(np.abs(forces[:, column]))
        assert forces[row, column] == pytest.approx(moment, abs=2)  # N m
        assert deviations[row, column] == pytest.approx(deviation, rel=0.15)
        shares = script.shares_of(found, column)
        assert sum(share[row] for share in shares.values()) == pytest.approx(100)
        assert shares["centre of pressure"][row] > 30
        assert shares["marker noise"][row] < 5


@pytest.mark.parametrize("script", ["gait"], indirect=True)
def test_gait_in_the_words_of_the_documentation(script):
    """The same with the forces given symbol by symbol."""
    times, markers, plate = script.read_trial()
    leg = script.build_leg(markers)
    Fx, Fy, Mz = symbols = jw.ExternalWrench(leg.chain, "foot", components="fx fy mz").symbols
    assert [str(s) for s in symbols] == ["ground_fx(t)", "ground_fy(t)", "ground_mz(t)"]
    idyn = jw.InverseDynamics(leg.chain.system)
    motion = jw.Trajectory.from_samples(
        times, script.coordinates_of(markers), cutoff=6.0, gaps="fill", max_gap=0.1
    )
    evaluate, forces = idyn.compile(backend="numpy"), {Fx: plate.fx, Fy: plate.fy, Mz: plate.mz}
    result = evaluate(motion, constants=leg.constants_of(idyn), specifieds=forces)
    # In mid-stance the ankle carries the ground reaction but for the weight of the foot.
    foot = result.joint_wrench("ankle", frame=leg.chain.ground.frame, components="fy")
    row = 55
    assert foot[row] == pytest.approx(-plate.fy[row], abs=0.0145 * 67.2 * 9.81 * 1.5)


@pytest.mark.parametrize("script", ["swinging_arm"], indirect=True)
def test_swinging_arm(script, tmp_path):
    errors, report = script.main(tmp_path)
    assert errors["upper_arm"] < 0.3  # N m, of four, from half a millimetre of noise
    assert errors["forearm"] < 0.08
    assert report.accelerations.max_relative < 1e-11
    assert report.max_relative < 1e-4


@pytest.mark.parametrize("script", ["identify_arm"], indirect=True)
def test_identify_arm(script, tmp_path, capsys):
    """The truth is within three standard errors; what was found predicts another motion."""
    result = script.main(tmp_path)
    assert result["base"].rank == 22
    exciting, everyday = (result["found"][name] for name in ("exciting", "everyday"))
    errors = abs(exciting.base_values - result["truth"]) / exciting.base_standard_errors
    assert errors.max() < 3.5
    assert everyday.base_standard_errors.max() > 100 * exciting.base_standard_errors.max()
    assert set(result["bodies"].is_physical.values()) == {True}
    assert (result["errors"]["identified"] < 1.15 * script.NOISE).all()
    assert (result["errors"]["drawing"] > 4 * script.NOISE).all()
    assert "condition number" in capsys.readouterr().out


def test_knee_contact(tmp_path, monkeypatch):
    """With muscles some four body weights at push-off; OpenSim has 3445 N from its own filter."""
    module = example("knee_contact")
    monkeypatch.setattr(module, "DRAWS", 3)
    found, likely, deviations = module.main(tmp_path / "knee.png")
    assert found.feasible.all()
    assert likely[0].max() == pytest.approx(3445, rel=0.05)
    assert 600 < likely[1].max() < 900
    assert (likely[0] > likely[1]).all()
    assert (deviations[:, likely[0].argmax()] > 1).all()
    assert (tmp_path / "knee.png").stat().st_size > 10_000


@pytest.mark.parametrize("script", ["identify_real_arm"], indirect=True)
def test_identify_real_arm(script, tmp_path, capsys):
    """Moves that it has not seen are predicted to 5 % of the noise, friction within its errors."""
    result = script.main(tmp_path)
    assert result["width"] == script.SMOOTH
    weighted, bodies = (result["left"][method] for method in ("wls", "consistent"))
    assert max(result["together"]) < 1.05
    assert max(weighted.max(), bodies.max()) < 1.08
    assert result["together"][1] < 1.02 * result["together"][0]
    assert set(result["found"]["consistent"].is_physical.values()) == {True}
    found = result["found"]["wls"]
    for kind, truth in {"offset": script.OFFSET, "viscous": script.VISCOUS}.items():
        names = [f"{kind} u_panda_joint{k}" for k in range(1, 8)]
        errors = [found.values[name] for name in names] - truth
        assert (abs(errors) < 4 * np.array([found.standard_errors[name] for name in names])).all()
    assert result["ratio"] > 3
    assert "the clock had steps" in capsys.readouterr().out


def test_osim_gait(tmp_path):
    """A swing's moments are those of textbooks, the muscles supply them, and it is drawn."""
    model, motion, result, found = example("osim_gait").main(tmp_path / "leg.png")
    assert (tmp_path / "leg.png").stat().st_size > 10_000
    knee = model.joints["knee_r"]
    slide = knee.child_point.pos_from(knee.parent_point).to_matrix(knee.parent_interframe)
    straight = slide.subs(model.coordinates["knee_angle_r"], 0.0)
    assert [float(x) for x in straight] == pytest.approx([-0.0045, -0.3960, 0], abs=5e-4)
    assert found.feasible.all()
    np.testing.assert_allclose(found.unsupplied[:, 2:], 0, atol=1e-9)
    moments = (found.moment_arms @ found.forces[..., None])[..., 0]
    np.testing.assert_allclose(moments, result.generalized_forces * [0, 0, 1, 1, 1], atol=1e-9)
    assert 30 < abs(result.generalized_forces[:, 3]).max() < 60
    jw.pictures.animate(model, motion, fps=10).save(tmp_path / "leg.gif")
    assert (tmp_path / "leg.gif").stat().st_size > 1000
