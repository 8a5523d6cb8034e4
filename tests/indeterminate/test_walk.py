"""A walk on two measured plates: their forces are in the ranges, which are wide."""

import numpy as np
import pytest
import walking_trial

import jointwrench as jw

CUTOFF = 6.0


@pytest.mark.slow
def test_measured_forces_are_inside_wide_ranges():
    folder = walking_trial.FOLDER
    model = jw.musculoskeletal.read_osim(folder / "subject01.osim")
    loads = jw.recordings.read_external_loads(folder / "walk_grf.xml")
    plates = [jw.ExternalWrench(model.system, x.body, x.name, components="fx fy mz") for x in loads]
    motors = [u for u in model.system.u if "pelvis" not in str(u)]
    symbols = [symbol for plate in plates for symbol in plate.symbols]
    idyn = jw.InverseDynamics(model.system, solve_for=symbols, actuated=motors)
    assert len(idyn.model.derivation.supply.solution.open) == 3  # not all columns: it has splines
    assert not {"lumbar", "ground_pelvis"} & {str(x) for x in idyn.undetermined}

    markers = walking_trial.markers().in_metres()
    times = np.arange(len(markers.times)) / 60
    smoothing = jw.signals.Smoothing(cutoff=CUTOFF)
    fitted = jw.inverse_kinematics(
        model, markers, weights=walking_trial.tasks().weights, times=times, smoothing=smoothing
    )
    measured = [x.plate.filtered(CUTOFF).at(times).wrench[:, [0, 1, 5]] for x in loads]
    mass = sum(float(body.mass) for body in model.system.bodies if body.mass.is_number)
    both = np.minimum(*(x[:, 1] for x in measured)) > 0.1 * mass * 9.81
    both[[0, 1, -2, -1]] = False  # where smoothing knows one side only: residuals of 170 N
    assert both.sum() > 30

    limits = []
    for load, plate in zip(loads, plates, strict=True):
        (body,) = (x for x in model.system.bodies if x.name == load.body)
        heel = model.origins[load.body]
        ends = [heel.locatenew(f"{x}_{load.name}", x * body.x) for x in (-0.02, 0.27)]
        limits.append(jw.Limit.contact(plate, friction=0.8, sole=ends))
    motion = fitted.motion
    states = motion.q[both], motion.u[both], motion.udot[both]
    found = jw.ranges(idyn, states, limits, times=times[both])
    assert found.feasible.all()
    for plate, own in zip(plates, measured, strict=True):
        for symbol, values in zip(plate.symbols, own[both].T, strict=True):
            least, greatest = found.load(symbol).T
            assert ((values > least) & (values < greatest)).mean() >= 0.96
    hip = [str(u) for u in idyn.speeds].index("u_hip_flexion_r(t)")
    least, greatest = found.generalized_forces[:, :, hip].T
    assert 6 < (greatest - least).mean() / mass < 8
