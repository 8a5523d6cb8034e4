"""A walking trial of OpenSim's pipeline: coordinates, forces, muscles and joint reactions."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import walking_trial
from numpy.testing import assert_allclose

import jointwrench as jw

DATA = Path(__file__).parents[1] / "data"
THEIRS = json.loads((DATA / "opensim_walk.json").read_text(encoding="utf-8"))
#: Rows by the numbers of frames.
OPENSIM, FORCES = (dict(THEIRS[name]) for name in ("coordinates", "forces"))
TIMES, CONTROLS, REACTIONS = (THEIRS[name] for name in ("times", "controls", "reactions"))
LENGTHS = [1, 2]  # the columns that are no angles
#: The strengths of OpenSim's actuators: two forces at a place of the pelvis, a moment on it and one
#: of torso and pelvis; and of those of coordinates, in the order of the controls.
PELVIS, BACK, RESERVES = (200.0, 400.0, 200.0), 50.0, 10.0
COORDINATES = [f"{q}_{side}" for q in ("hip_flexion", "knee_angle", "ankle_angle") for side in "rl"]


@pytest.fixture(scope="module")
def trial():
    """The model, what was found, and the weights."""
    model, tasks = walking_trial.model(), walking_trial.tasks()
    markers = walking_trial.markers().in_metres()
    options = {"weights": tasks.weights, "targets": tasks.targets, "times": np.arange(151) / 60}
    smoothing = jw.signals.Smoothing(cutoff=6.0)
    found = jw.inverse_kinematics(model, markers, smoothing=smoothing, **options)
    return model, markers, tasks.weights, found


@pytest.fixture(scope="module")
def grounded():
    """What computes forces of coordinates, and the wrenches of the plates by their names."""
    model = jw.musculoskeletal.read_osim(walking_trial.FOLDER / "subject01.osim")
    reactions = [jw.ExternalWrench(model.system, x.body, x.name) for x in walking_trial.loads()]
    idyn = model.inverse_dynamics()
    return idyn, idyn.compile("generalized_forces", backend="numpy"), reactions


def specifieds_of(reactions, loads, times):
    parts = (x.specifieds(y.plate.at(times)) for x, y in zip(reactions, loads, strict=True))
    return {name: rows for part in parts for name, rows in part.items()}


def test_coordinates_are_those_of_opensim(trial):
    """Its accuracy of 1e-5 leaves some hundredths of a degree; its squares are never less."""
    model, markers, weights, found = trial
    assert found.converged.all()
    assert found.coordinates == tuple(model.coordinates)
    rows = [*OPENSIM]
    theirs = np.array([*OPENSIM.values()])
    ours = np.degrees(found.q[rows])
    ours[:, LENGTHS] = found.q[rows][:, LENGTHS]
    limits = np.full(10, 0.06)
    limits[LENGTHS] = 0.0002
    assert (np.abs(ours - theirs) < limits).all()
    q = np.radians(theirs)
    q[:, LENGTHS] = theirs[:, LENGTHS]
    kinematics = model.kinematics(points={n: model.markers[n] for n in found.markers}, frames={})
    still = np.zeros(10)
    places = kinematics.compile("positions")(q, still, still).positions
    seen = np.stack([markers[name][rows] for name in found.markers], axis=1)
    own = np.array([weights[name] for name in found.markers])
    sums = [(x**2) @ own for x in (found.residuals[rows], np.linalg.norm(places - seen, axis=-1))]
    assert (sums[0] <= sums[1] * (1 + 1e-9)).all()
    assert_allclose(*sums, rtol=1e-5)


def test_generalized_forces_are_those_of_opensim(trial, grounded):
    """From markers to forces, by filter="opensim"; another one is off by newtons."""
    *_, found = trial
    idyn, evaluate, reactions = grounded
    specifieds, errors = specifieds_of(reactions, walking_trial.loads(), found.times), {}
    for name in ("opensim", "winter"):
        motion = jw.Trajectory.from_samples(
            found.times, found.q, idyn=idyn, cutoff=6.0, filter=name, degrees=False
        )
        forces = evaluate(motion, specifieds=specifieds).generalized_forces
        errors[name] = np.abs(forces[[*FORCES]] - [*FORCES.values()])
    assert errors["opensim"].max() < 0.3
    assert errors["winter"].max() > 5


def test_plates_on_the_wrong_feet_are_told(trial, grounded):
    *_, found = trial
    _, evaluate, reactions = grounded
    specifieds = specifieds_of(reactions, walking_trial.loads()[::-1], found.times)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(found.motion, specifieds=specifieds)
    texts = [str(each.message) for each in caught]
    for text, foot in zip(texts, ("calcn_r", "calcn_l"), strict=True):
        assert f"on {foot}) cannot be the force there: its force passes the foot at 0." in text


def test_a_start_finds_itself_whichever_way_somebody_walks(trial):
    """A turn of the laboratory by half about z: upside down for the model's own pose."""
    model, markers, weights, found = trial
    part = {name: markers[name][60:62] * [-1, -1, 1] for name in found.markers}
    again = jw.inverse_kinematics(model, part, weights=weights, times=[0, 1])
    turn = np.mod(again.q[:, 0] - found.q[60:62, 0], 2 * np.pi)
    assert_allclose(turn, np.pi, atol=1e-5)
    assert_allclose(again.q[:, 1:3], -found.q[60:62, 1:3], atol=1e-5)
    assert_allclose(again.q[:, 3:], found.q[60:62, 3:], atol=1e-5)


def test_exchanged_markers_are_named(trial):
    model, markers, weights, found = trial
    part = {name: markers[name][::10] for name in found.markers}
    part["R.Heel"], part["L.Heel"] = part["L.Heel"], part["R.Heel"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        jw.inverse_kinematics(model, part, weights=weights, times=np.arange(16))
    texts = [str(each.message) for each in caught]
    assert any("'R.Heel' is 0.3" in text for text in texts)
    assert any("'L.Heel' is 0.3" in text for text in texts)
    part = {name: markers[name][::10] for name in found.markers}
    part["R.ASIS"], part["L.ASIS"] = part["L.ASIS"], part["R.ASIS"]
    belongs = [f"'{a}.ASIS' is 0.26.*.* the point of '{b}.ASIS'" for a, b in ("RL", "LR")]
    with pytest.warns(UserWarning, match=belongs[0]), pytest.warns(UserWarning, match=belongs[1]):
        jw.inverse_kinematics(model, part, weights=weights, times=np.arange(16))
    assert not any("Acromium" in text for text in texts)


def cross(place, force):
    return np.concatenate([force, np.cross(place, force)], axis=-1)


@pytest.fixture(scope="module")
def optimized(trial):
    """The muscle forces, with plates and with the first four actuators as OpenSim has them."""
    model, *_, fitted = trial
    turns = [name not in ("pelvis_tx", "pelvis_ty") for name in model.coordinates]
    degrees = np.where(turns, np.degrees(fitted.q), fitted.q).round(5)
    own = jw.musculoskeletal.read_osim(walking_trial.FOLDER / "subject01.osim")
    loads = walking_trial.loads()
    loaded = {body: jw.ExternalWrench(own.system, body, body) for body in BODIES}
    loaded |= {load.body: jw.ExternalWrench(own.system, load.body, load.name) for load in loads}
    driven = jw.musculoskeletal.MuscleDriven(own)
    motion = jw.Trajectory.from_samples(
        np.arange(151) / 64,
        np.where(turns, np.radians(degrees), degrees),
        idyn=driven.inverse_dynamics,
        degrees=False,
        cutoff=6.0,
        filter="opensim",
    ).at(TIMES)
    states = motion.q, motion.u, motion.udot
    kinematics = own.kinematics(points=own.origins, frames={n: own.bodies[n].frame for n in BODIES})
    seen = kinematics.compile(("positions", "orientations"), backend="numpy")(*states)
    wrenches = {load.body: load.plate.at(TIMES).wrench for load in loads}
    specifieds = {}
    for body, wrench in {**wrenches, **_actuators(kinematics, seen)}.items():
        specifieds |= loaded[body].specifieds(wrench)
    reserves = dict.fromkeys(COORDINATES, RESERVES)
    return jw.musculoskeletal.static_optimization(
        driven, states, specifieds=specifieds, speeds=COORDINATES, reserves=reserves
    )


BODIES = "pelvis", "torso"


def _actuators(kinematics, seen):
    """Return the wrenches of the actuators on pelvis and torso, about ground's origin."""
    controls, origin = np.array(CONTROLS), [*kinematics.points].index("pelvis")
    turn = dict(zip(BODIES, np.moveaxis(seen.orientations, 1, 0), strict=True))
    ahead, up, around, back = (controls[:, k, None] for k in range(18, 22))
    up_in_pelvis = np.array([0.1, 2.0, 0.1]) / np.linalg.norm([0.1, 2.0, 0.1])
    offsets = [-0.07, 0, 0], [-0.07, 0.01, 0.02]
    places = [seen.positions[:, origin] + turn["pelvis"] @ x for x in offsets]
    axis = np.array([0, 0.2, 1]) / np.linalg.norm([0, 0.2, 1])
    moment = np.hstack([np.zeros((3, 3)), BACK * back * (turn["torso"] @ axis)])
    pelvis = cross(places[0], PELVIS[0] * ahead * [1, 0, 0])
    pelvis += cross(places[1], PELVIS[1] * up * (turn["pelvis"] @ up_in_pelvis))
    pelvis += PELVIS[2] * around * [0, 0, 0, 0, 0, 1]
    return {"pelvis": pelvis - moment, "torso": moment}


def test_static_optimization_is_that_of_opensim(optimized):
    theirs = np.array(CONTROLS)
    assert_allclose(optimized.activations, theirs[:, :18], atol=5e-5)
    speeds = [speed.name for speed in optimized.result.speeds]
    rows = [speeds.index(f"u_{name}") for name in COORDINATES]
    assert_allclose(optimized.reserves[:, rows] / RESERVES, theirs[:, 22:], atol=5e-5)
    assert optimized.feasible.all()
    assert_allclose(optimized.unsupplied, 0, atol=0.01)  # controls have five digits


def test_joint_reactions_are_those_of_opensim(optimized):
    for (joint, frame, sign), theirs in REACTIONS:
        ours = optimized.result.joint_wrench(joint, frame=frame)
        assert_allclose(sign * ours, theirs, atol=0.02)
