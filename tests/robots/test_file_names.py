"""Coordinates of models from files have the files' names; ``q_name`` stands for ``name``."""

from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from sympy import sin
from sympy.physics.mechanics import dynamicsymbols

import jointwrench as jw
from jointwrench.checks.arguments import coordinate_name

T = np.linspace(0, 1, 30)
ARM = (Path(__file__).parents[1] / "data" / "two_pins.urdf").read_text(encoding="utf-8")
NAMES = ["shoulder", "elbow"]


@pytest.fixture(scope="module")
def arm():
    return jw.robots.read_urdf(ARM)


@pytest.fixture(scope="module")
def idyn(arm):
    return arm.inverse_dynamics()


def test_the_names_are_those_of_the_file_everywhere(arm, idyn):
    assert [x.name for x in arm.system.q] == list(arm.coordinates) == NAMES
    assert list(jw.Trajectory.from_samples(T, np.zeros((30, 2)), idyn=idyn).names) == NAMES
    assert "sin(elbow(t))" in str(idyn.generalized_forces)


@pytest.mark.parametrize("prefix", ["", "q_"])
def test_both_ways_to_name_a_coordinate(arm, idyn, prefix):
    shoulder, elbow = (prefix + name for name in NAMES)
    values = {elbow: np.cos(T), shoulder: np.sin(T)}
    motion = jw.Trajectory.from_samples(T, values, idyn=idyn)
    np.testing.assert_allclose(motion.q, np.stack([np.sin(T), np.cos(T)], -1), atol=1e-12)
    slopes = idyn.derivative("generalized_forces", elbow)
    assert slopes == idyn.derivative("generalized_forces", arm.coordinates["elbow"])
    evaluate = idyn.compile("generalized_forces", derivatives=["q"], backend="numpy")
    result = evaluate(motion)
    one = result.derivative("generalized_forces", elbow)
    expected = result.derivative("generalized_forces", arm.coordinates["elbow"])
    np.testing.assert_array_equal(one, expected)
    found = jw.propagation.uncertainty(evaluate, motion, {elbow: 0.1}).standard_deviation
    np.testing.assert_allclose(found.generalized_forces, 0.1 * abs(expected[..., 0]), atol=1e-12)
    t = dynamicsymbols._t
    path = jw.Trajectory.from_formulas(idyn, {shoulder: sin(t), elbow: t}, T)
    np.testing.assert_allclose(path.q[:, 1], T)
    hand = arm.origins["fore"].locatenew("hand", arm.bodies["fore"].y)
    kin = arm.kinematics(points={"hand": hand})
    places = kin.compile("positions", backend="numpy")(path.q).position("hand")
    options = {"bounds": {elbow: (-0.1, 1.1)}, "start": [0.0, 0.1]}
    seen = jw.inverse_kinematics(kin, {"hand": places}, times=T, **options)
    np.testing.assert_allclose(seen.motion.q, path.q, atol=1e-5)
    named = jw.Trajectory(T, path.q[:, ::-1], path.u, path.udot, names=[elbow, shoulder])
    refused(lambda: evaluate(named), "q")


def test_names_that_would_be_taken_for_another():
    assert coordinate_name("q_knee", ["q_knee", "knee"]) == "q_knee"
    assert coordinate_name("q_knee", ["knee"]) == "knee"
    assert coordinate_name("q_hip", ["knee"]) == "q_hip"
    assert coordinate_name(dynamicsymbols("q_knee"), ["knee"]) == "knee"
    twice = {"knee": [0.0, 1.0], "q_knee": [0.0, 1.0], "hip": [0.0, 1.0]}
    text = ARM.replace("elbow", "knee").replace("shoulder", "hip")
    idyn = jw.robots.read_urdf(text).inverse_dynamics()
    refused(lambda: jw.Trajectory.from_samples([0.0, 1.0], twice, idyn=idyn), "coordinates")


def test_orientations_go_out_and_in_as_they_are(arm, idyn):
    """``v_ground = R @ v_frame``: for results, formulas, and markers' inverse kinematics."""
    q = np.random.default_rng(1).uniform(-1, 1, (30, 2))
    fore = arm.bodies["fore"]
    hand = arm.origins["fore"].locatenew("hand", 0.3 * fore.x + 0.1 * fore.y - 0.2 * fore.z)
    moved = arm.kinematics(points={"hand": hand, "fore": arm.origins["fore"]})
    result = moved.compile(("positions", "orientations"), backend="numpy")(q)
    turn = result.orientation("fore")
    assert turn.shape == (30, 3, 3)
    arrow = result.position("hand") - result.position("fore")
    np.testing.assert_allclose(turn @ [0.3, 0.1, -0.2], arrow, atol=1e-12)
    formula = arm.kinematics().orientation("fore")
    for expression in (formula, arm.system.frame.dcm(fore.frame)):
        numbers = expression.subs(dict(zip(arm.system.q, q[0], strict=True)))
        np.testing.assert_allclose(np.array(numbers, float), turn[0], atol=1e-12)
    found = jw.inverse_kinematics(arm, None, orientations={"fore": turn}, times=T)
    again = moved.compile("orientations", backend="numpy")(found.motion.q).orientation("fore")
    np.testing.assert_allclose(again, turn, atol=1e-6)
