"""Results of GaitAnalysisToolKit for a walking trial; other programs' as sampled motions."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sympy import Symbol

import jointwrench as jw
from jointwrench.motion.trajectory import Trajectory
from jointwrench.recordings.force_plate import ForcePlate
from jointwrench.tracking.external_wrench import ExternalWrench

DATA = Path(__file__).parents[1] / "data"
SEGMENTS = {"thigh": ("hip", "knee"), "shank": ("knee", "ankle"), "foot": ("heel", "mt5")}


def read(name):
    path = DATA / "gait_toolkit" / name
    return np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="utf-8")


@pytest.fixture(scope="module")
def chain():
    """Markers drift against each other: each segment moves freely and none has a length."""
    sizes = ((x, Symbol(f"m_{x}"), Symbol(f"I_{x}")) for x in SEGMENTS)
    segments = [jw.Segment(x, 0, mass, inertia=own, joint="planar") for x, mass, own in sizes]
    return jw.SerialChain(segments, gravity=(0, -9.81, 0))


@pytest.fixture(scope="module")
def result(chain):
    inputs, table = read("inputs.csv"), read("segments.csv")
    reaction = ExternalWrench(chain, "foot", components="fx fy mz")
    idyn = jw.InverseDynamics(chain.system)
    constants = {}
    for row in table:
        constants[f"m_{row['segment']}"] = row["mass_frac"]
        constants[f"I_{row['segment']}"] = row["I_per_bodymass"]
    still = np.zeros((3, len(inputs), 3))
    poses = [still, *(pose(inputs, row) for row in table)]
    motions = [relative_motion(a, b) for a, b in itertools.pairwise(poses)]
    states = (np.concatenate([m[k] for m in motions], axis=-1) for k in range(3))
    zero = np.zeros(len(inputs))
    force = np.stack([inputs["fp_fx_N_per_kg"], inputs["fp_fy_N_per_kg"], zero], -1)
    moment = np.stack([zero, zero, inputs["fp_mz_origin_Nm_per_kg"]], -1)
    plate = ForcePlate(inputs["time_s"], force, moment)
    given = {"constants": constants, "specifieds": reaction.specifieds(plate)}
    return idyn.compile(backend="numpy")(Trajectory(inputs["time_s"], *states), **given)


def relative_motion(parent, child):
    """Return angle, x and y in the parent's axes, and their derivatives; both have these, too."""
    poses = child - parent
    w, al = parent[1, :, 0], parent[2, :, 0]
    r, v, a = poses[..., 1] + 1j * poses[..., 2]  # a rotation is a product
    v = v - 1j * w * r
    a = a - 1j * al * r + w**2 * r - 2j * w * v
    turned = np.exp(-1j * parent[0, :, 0]) * np.stack([r, v, a])
    return np.stack([poses[..., 0], turned.real, turned.imag], axis=-1)


def pose(inputs, row):
    """Return the motion of a segment: its angle and its mass centre, and their derivatives."""
    name = row["segment"]
    first, second = SEGMENTS[name]
    share = row["com_frac"]
    ends = ([inputs[f"{name}_v{x}_mps"] for x in "xy"] for name in (first, second))
    velocity = [(1 - share) * one + share * other for one, other in zip(*ends, strict=True)]

    def column(text):
        return inputs[f"{name}_{text}"]

    return np.array(
        [
            np.stack([column("theta_rad"), column("com_x_m"), column("com_y_m")], -1),
            np.stack([column("omega_radps"), *velocity], -1),
            np.stack([column("alpha_radps2"), column("com_ax_mps2"), column("com_ay_mps2")], -1),
        ]
    )


@pytest.mark.parametrize(
    ("joint", "segment"), [("hip", "thigh"), ("knee", "shank"), ("ankle", "foot")]
)
def test_forces_and_moments(chain, result, joint, segment):
    inputs, expected = read("inputs.csv"), read("results.csv")
    sign = {row["segment"]: row["joint_sign"] for row in read("segments.csv")}[segment]
    marker = np.stack([inputs[f"{joint}_x_m"], inputs[f"{joint}_y_m"], 0 * inputs["time_s"]], -1)
    about, frame = (chain.ground.masscenter, marker), chain.ground.frame
    fx, fy, mz = result.joint_wrench(segment, about=about, frame=frame, components="fx fy mz").T
    assert_allclose(fx, expected[f"{joint}_Fx_N_per_kg"], rtol=0, atol=1e-8)
    assert_allclose(fy, expected[f"{joint}_Fy_N_per_kg"], rtol=0, atol=1e-8)
    assert_allclose(sign * mz, expected[f"{joint}_moment_Nm_per_kg"], rtol=0, atol=1e-8)


def test_angles():
    inputs, expected = read("inputs.csv"), read("results.csv")
    # knee flexion is the shank behind the thigh: its angle falls
    knee = -(inputs["shank_theta_rad"] - inputs["thigh_theta_rad"])
    assert_allclose(knee, expected["knee_angle_rad"], atol=1e-12)


# -- other programs' results as sampled motions ------------------------------------
