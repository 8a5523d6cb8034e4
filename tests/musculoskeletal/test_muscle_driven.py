"""Muscles of a model from a file: their forces and what bones feel, against OpenSim."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refusal, refused

import jointwrench as jw
from jointwrench.musculoskeletal import static_optimization
from jointwrench.musculoskeletal.bounded_least_norm import solve_least_norm, solve_one

DATA = Path(__file__).parents[1] / "data"
OPENSIM = json.loads((DATA / "opensim_static_optimization.json").read_text())
MOTION = [np.array(OPENSIM[name]) for name in ("q", "u", "udot")]
HELP = 2.0


@pytest.fixture(scope="module")
def driven():
    return jw.musculoskeletal.MuscleDriven(jw.musculoskeletal.read_osim(DATA / "muscles.osim"))


@pytest.fixture(scope="module")
def found(driven):
    helped = dict.fromkeys(driven.inverse_dynamics.speeds, HELP)
    return static_optimization(driven, MOTION, reserves=helped)


def test_activations_are_those_of_opensim(found):
    shown = "MuscleForces(via, moving, over_cylinder and 5 more: 12 of 12 samples feasible)"
    assert repr(found) == shown
    assert_allclose(found.activations, OPENSIM["activations"], atol=1e-5)
    assert_allclose(found.reserves, OPENSIM["reserves"], atol=1e-5)
    assert found.activations.max() > 0.15
    assert_allclose(found.forces, 900 * found.activations)


def test_joint_wrenches_with_muscles_are_those_of_opensim(found):
    """A thousandth of the peaks, and two in a thousand of the small moment at the knee."""
    theirs = np.array(OPENSIM["joint_wrenches"])
    peaks = np.abs(theirs).max(axis=0)
    errors = np.abs(found.result.joint_wrenches - theirs).max(axis=0)
    assert (errors < 2e-3 * peaks).all()
    assert_allclose(found.result.joint_wrench("hip"), theirs[:, 0], atol=1e-4)
    without = found.without.joint_wrench("knee")
    assert np.abs(theirs[:, 1, 1] - without[:, 1]).max() > 50


def test_forces_by_lengths_and_velocities_are_those_of_opensim(driven):
    """Its use_muscle_physiology, with muscles by Thelen and by Millard."""
    theirs = OPENSIM["physiology"]
    helped = dict.fromkeys(driven.inverse_dynamics.speeds, HELP)
    own = static_optimization(driven, MOTION, reserves=helped, physiology=True)
    assert_allclose(own.activations, theirs["activations"], atol=1e-5)
    assert_allclose(own.reserves, theirs["reserves"], atol=1e-5)
    wrenches = np.array(theirs["joint_wrenches"])
    assert np.abs(own.result.joint_wrenches - wrenches).max() < 1e-3
    assert own.activations.max() > 0.4
    half = static_optimization(
        driven, MOTION, reserves=helped, physiology=True, strengths=np.full(8, 0.5)
    )
    assert_allclose(half.forces / half.activations, own.forces / own.activations / 2, rtol=1e-9)


def test_the_muscles_and_reserves_supply_the_motion(driven, found):
    supplied = (found.moment_arms @ found.forces[..., None])[..., 0] + found.reserves
    assert_allclose(supplied, found.without.generalized_forces, atol=1e-9)
    assert_allclose(found.unsupplied, 0, atol=1e-9)
    specifieds = driven.specifieds(MOTION[0], found.forces)
    again = driven.inverse_dynamics.compile()(*MOTION, specifieds=specifieds)
    assert_allclose(again.joint_wrenches, found.result.joint_wrenches, rtol=1e-12)
    hip = slice(0, 3)  # the point that moves on the lower body is guided at the knee
    left = found.result.generalized_forces[:, hip]
    assert_allclose(left, found.reserves[:, hip], atol=1e-4)


def test_bounds_and_strengths(driven):
    """Activations keep their bounds; forces are in proportion to strengths."""
    helped = dict.fromkeys(["rotation", "adduction", "flexion", "knee"], 1e-6)
    weak = static_optimization(driven, MOTION, reserves=helped)
    assert (weak.activations >= 0.01).all()
    assert (weak.activations <= 1).all()
    assert np.isclose(weak.activations, 0.01).any()
    strengths = np.random.default_rng(1).uniform(0.5, 2, (12, 8))
    strong = static_optimization(driven, MOTION, speeds=["knee"], strengths=strengths)
    assert strong.feasible.all()
    assert_allclose(strong.unsupplied[:, 3], 0, atol=1e-9)
    assert_allclose(strong.forces, 900 * strengths * strong.activations)


def test_a_model_is_its_own_muscle_driven(found):
    model = jw.musculoskeletal.read_osim(DATA / "muscles.osim")
    reserves = dict.fromkeys(model.coordinates, HELP)
    first, second = (static_optimization(model, MOTION, reserves=reserves) for _ in range(2))
    assert model.muscle_driven is model.muscle_driven
    assert_allclose(first.forces, found.forces)
    assert_allclose(second.forces, found.forces)


def test_some_muscles(found):
    model = jw.musculoskeletal.read_osim(DATA / "muscles.osim")
    some = jw.musculoskeletal.MuscleDriven(model, ["via", "moving"])
    assert repr(some) == "MuscleDriven(2 muscles on 2 bodies)"
    helped = dict.fromkeys(model.coordinates, 10.0)
    two = static_optimization(some, MOTION, reserves=helped)
    assert two.muscles == ("via", "moving")
    refused(lambda: jw.musculoskeletal.MuscleDriven(model), "model")


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"muscles": {"via": 1.0}}, "muscles"),
        ({"speeds": ["elbow"]}, "speeds"),
        ({"speeds": []}, "speeds"),
        ({"reserves": {"elbow": 1.0}}, "reserves"),
        ({"reserves": {"knee": 0.0}}, "reserves"),
        ({"strengths": np.ones(3)}, "strengths"),
        ({"strengths": -np.ones(8)}, "strengths"),
    ],
)
def test_wrong_arguments(driven, options, argument):
    refused(lambda: static_optimization(driven, MOTION, **options), argument)
    with refusal("reserves", TypeError):
        static_optimization(driven, MOTION, reserves=["knee"])
    with refusal("physiology", TypeError):
        static_optimization(driven, MOTION, physiology=1)


def test_many_problems_at_once_are_those_one_by_one():
    """Random ones with active bounds; one without solution; one of rank three."""
    rng = np.random.default_rng(7)
    matrices = rng.normal(size=(60, 6, 20)) * rng.uniform(1, 1000, 20)
    inside = rng.uniform(-0.5, 1.5, (60, 20)).clip(0.01, 1)
    rights = (matrices @ inside[..., None])[..., 0]
    rights[0] *= 100
    matrices[1, 3:] = matrices[1, :3]
    rights[1, 3:] = rights[1, :3]
    bounds = np.stack([np.full((60, 20), 0.01), np.ones((60, 20))])
    found = solve_least_norm(matrices, rights, bounds)
    one = [solve_one(*parts, bounds[:, 0]) for parts in zip(matrices, rights, strict=True)]
    assert_allclose(found, one, atol=1e-8)
    assert (np.isclose(found, 0.01) | np.isclose(found, 1)).mean() > 0.2
    assert_allclose((matrices[1:] @ found[1:, :, None])[..., 0], rights[1:], rtol=1e-9)
