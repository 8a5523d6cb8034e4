"""Static optimization and joint reactions against OpenSim 4.6 on its walking trial."""

import json
from pathlib import Path

import numpy as np
import pytest
import walking_trial
from numpy.testing import assert_allclose

import jointwrench as jw

DATA = Path(__file__).parents[1] / "data"
THEIRS = json.loads((DATA / "opensim_walk.json").read_text(encoding="utf-8"))
TIMES, CONTROLS, REACTIONS = (THEIRS[name] for name in ("times", "controls", "reactions"))
#: The strengths of OpenSim's actuators: two forces at a place of the pelvis, a moment on it and one
#: of torso and pelvis; and of those of coordinates, in the order of the controls.
PELVIS, BACK, RESERVES = (200.0, 400.0, 200.0), 50.0, 10.0
COORDINATES = [f"{q}_{side}" for q in ("hip_flexion", "knee_angle", "ankle_angle") for side in "rl"]


def cross(place, force):
    return np.concatenate([force, np.cross(place, force)], axis=-1)


@pytest.fixture(scope="module")
def found():
    """The muscle forces, with plates and with the first four actuators as OpenSim has them."""
    tasks, model = walking_trial.tasks(), walking_trial.model()
    seen = walking_trial.markers().in_metres()
    fitted = jw.inverse_kinematics(
        model, seen, weights=tasks.weights, targets=tasks.targets, times=np.arange(151) / 60
    )
    turns = [name not in ("pelvis_tx", "pelvis_ty") for name in model.coordinates]
    degrees = np.where(turns, np.degrees(fitted.q), fitted.q).round(5)
    own = jw.musculoskeletal.read_osim(walking_trial.FOLDER / "subject01.osim")
    driven = jw.musculoskeletal.MuscleDriven(own, bodies=[*own.bodies])
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
    names, wrenches = driven.geometry.bodies, np.zeros((3, len(own.bodies), 6))
    for load in walking_trial.loads():
        wrenches[:, names.index(load.body)] += load.plate.at(TIMES).wrench
    for body, wrench in _actuators(kinematics, seen).items():
        wrenches[:, names.index(body)] += wrench
    specifieds = driven.actions_of(wrenches, driven.geometry(motion.q).origins)
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
    places = [
        seen.positions[:, origin] + turn["pelvis"] @ x for x in ([-0.07, 0, 0], [-0.07, 0.01, 0.02])
    ]
    axis = np.array([0, 0.2, 1]) / np.linalg.norm([0, 0.2, 1])
    moment = np.hstack([np.zeros((3, 3)), BACK * back * (turn["torso"] @ axis)])
    pelvis = cross(places[0], PELVIS[0] * ahead * [1, 0, 0])
    pelvis += cross(places[1], PELVIS[1] * up * (turn["pelvis"] @ up_in_pelvis))
    pelvis += PELVIS[2] * around * [0, 0, 0, 0, 0, 1]
    return {"pelvis": pelvis - moment, "torso": moment}


def test_static_optimization_is_that_of_opensim(found):
    theirs = np.array(CONTROLS)
    assert_allclose(found.activations, theirs[:, :18], atol=5e-5)
    speeds = [speed.name for speed in found.result.speeds]
    rows = [speeds.index(f"u_{name}") for name in COORDINATES]
    assert_allclose(found.reserves[:, rows] / RESERVES, theirs[:, 22:], atol=5e-5)
    assert found.feasible.all()
    assert_allclose(found.unsupplied, 0, atol=0.01)  # controls have five digits


def test_joint_reactions_are_those_of_opensim(found):
    for (joint, frame, sign), theirs in REACTIONS:
        ours = found.result.joint_wrench(joint, frame=frame)
        assert_allclose(sign * ours, theirs, atol=0.02)
