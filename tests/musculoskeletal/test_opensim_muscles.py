"""Static optimization and joint reactions against OpenSim 4.6 on its walking trial."""

import numpy as np
import pytest
import walking_trial
from numpy.testing import assert_allclose

import jointwrench as jw

#: What OpenSim 4.6 (AnalyzeTool) makes of the trial at three instants: activations of the muscles
#: and controls of the actuators; forces and moments of joints on bodies, about the joints.  The
#: coordinates are those of the inverse kinematics, rounded, every 1/64 s and at 6 Hz.
TIMES = [0.578125, 0.890625, 1.203125]
CONTROLS = [
    (
        *(0.10981, 0.06475, 0.01, 0.11086, 0.01, 0.01, 0.12484, 0.01, 0.14043, 0.2515),
        *(0.20546, 0.01, 0.55561, 0.01, 0.01, 0.87821, 0.10892, 0.01, 0.23682, 0.28286),
        *(0.00047, 0.27121, 0.01087, 0.07091, -0.04315, -0.13348, 0.01053, -0.00453),
    ),
    (
        *(0.16787, 0.05108, 0.01, 0.01592, 0.01, 0.01, 0.25244, 0.19433, 0.01, 0.01),
        *(0.01, 0.01, 0.03744, 0.02418, 0.01358, 0.01, 0.01, 0.03523, 0.05386, -0.14734),
        *(-0.09122, 0.32976, 0.00166, 0.00369, -0.02299, 0.00071, -0.00791, 0.00261),
    ),
    (
        *(0.18255, 0.23353, 0.01, 0.71017, 0.01, 0.01, 0.92369, 0.3241, 0.01, 0.02406),
        *(0.03214, 0.01, 0.06485, 0.01, 0.01, 0.03743, 0.01, 0.06741, 0.23767, 0.28671),
        *(0.17897, 0.39599, 0.09274, 0.00637, -0.12049, -0.01744, -0.01393, 0.00517),
    ),
]
#: By joint and frame (None is the child body's), and -1 where they act on the parent body.
REACTIONS = {
    ("hip_r", "N", 1): [
        (19.505, -370.36, 66.182, -5.76, -1.301, 0.109),
        (102.429, -1012.157, 100.136, -35.193, -3.162, 0.017),
        (-1487.244, -2084.402, 237.883, -30.879, 1.387, 0.927),
    ],
    ("knee_r", None, 1): [
        (-44.829, -669.181, 43.124, -0.447, 2.27, 1.466),
        (224.415, -1741.379, 129.202, -13.132, 3.812, 7.505),
        (227.959, -3672.822, 260.347, -48.498, 3.674, 15.568),
    ],
    ("ankle_l", "tibia_l", -1): [
        (26.951, 3493.925, 210.09, 20.866, 1.866, 0.045),
        (-45.321, 157.781, -6.392, -1.697, -0.574, -0.026),
        (-59.396, 307.141, -6.872, -3.41, -0.689, -0.052),
    ],
}
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
    for (joint, frame, sign), theirs in REACTIONS.items():
        ours = found.result.joint_wrench(joint, frame=frame)
        assert_allclose(sign * ours, theirs, atol=0.02)
