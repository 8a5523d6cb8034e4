"""Names that one can guess, arrays that lie across."""

import pickle
import re

import numpy as np
import pytest
from bodies import rigid_body, system_of
from refusals import refusal, refused
from sympy import symbols
from sympy.physics.mechanics import PinJoint, RigidBody

import jointwrench as jw
from jointwrench.checks.messages import SYNONYMS, did_you_mean
from jointwrench.mechanics.dynamics.outputs.inverse_outputs import OUTPUTS


@pytest.fixture(scope="module")
def leg():
    names = ("thigh", "shank", "foot")
    segments = [jw.Segment(name, *symbols(f"l_{name} m_{name}")) for name in names]
    return jw.SerialChain(segments, gravity=(0, -9.81, 0))


@pytest.fixture(scope="module")
def idyn(leg):
    return jw.InverseDynamics(leg.system)


@pytest.fixture(scope="module")
def constants(idyn):
    return dict.fromkeys(idyn.constants, 1.0)


@pytest.fixture(scope="module")
def evaluate(idyn):
    return idyn.compile(backend="numpy")


@pytest.fixture(scope="module")
def result(idyn, evaluate, constants):
    q, u, udot = np.random.default_rng(0).normal(size=(3, 7, len(idyn.speeds)))
    return evaluate(q, u, udot, constants)


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("torques", "generalized_forces"),
        ("forces", "generalized_forces"),
        ("wrenches", "joint_wrenches"),
        ("M", "mass_matrix"),
        ("Joint Wrenches", "joint_wrenches"),
        ("generalised_forces", "generalized_forces"),
        ("joint_wrench", "joint_wrenches"),
        ("mass", "mass_matrix"),
        ("xyz", None),
        ("", None),
    ],
)
def test_suggestions(wanted, meant):
    text = did_you_mean(wanted, OUTPUTS)
    assert text == ("" if meant is None else f" Did you mean {meant!r}?")


def test_of_names_that_contain_it_the_shortest_is_meant():
    assert did_you_mean("tip", ["tipj_parent_point", "tip_origin"]) == " Did you mean 'tip_origin'?"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SerialChian", "Did you mean 'SerialChain'?"),
        ("read_c3d", "It is jointwrench.recordings.read_c3d."),
        ("optimal_control", "write_casadi(...) gives a model to CasADi's Opti"),
    ],
)
def test_import_of_a_name_that_is_elsewhere_or_misspelt(name, text):
    calls = {f"from jointwrench import {name}": ImportError, f"jw.{name}": AttributeError}
    for call, kind in calls.items():
        with pytest.raises(kind, match=re.escape(f"jointwrench has no '{name}'. {text}")):
            exec(call, {"jw": jw})


def test_synonyms_are_of_outputs_and_segments():
    segments = {"thigh", "shank", "foot", "upper_arm", "forearm", "hand"}
    assert SYNONYMS.keys() <= {*OUTPUTS, "udot", *segments}


def test_outputs_of_inverse_and_forward_dynamics(leg, idyn):
    refused(lambda: idyn.compile("torques"), "outputs")
    refused(lambda: idyn.program("M"), "outputs")
    refused(lambda: jw.ForwardDynamics(leg.system).compile("qddot"), "outputs")


def test_outputs_of_results(result):
    with refusal(None, AttributeError):
        _ = result.torques
    with refusal(None, AttributeError):
        _ = result.xyz


def test_outputs_of_programs_and_formulas(idyn):
    refused(lambda: idyn.program().closed_form("forces"), "name")
    refused(lambda: idyn.formula("torques"), "what")
    refused(lambda: idyn.formula("knee"), "what")


def test_outputs_out(idyn, evaluate, constants):
    q, u, udot = np.zeros((3, len(idyn.speeds)))
    refused(lambda: evaluate(q, u, udot, constants, out={"wrenches": q}), "out")


def test_joints_and_bodies_by_what_a_clinician_says(idyn, result):
    for lookup in (idyn.joint_wrench, idyn.constraint_wrench, result.joint_wrench):
        refused(lambda: lookup("knee"), "joint")
    refused(lambda: idyn.dynamic_wrench("Foot"), "body")


def test_joints_and_bodies_a_joint_by_the_body_that_it_carries():
    ground, rod = rigid_body("ground"), RigidBody("rod")
    idyn = jw.InverseDynamics(system_of(ground, PinJoint("hinge", ground, rod)))
    assert idyn.joint_wrench("rod").equals(idyn.joint_wrench("hinge"))
    assert idyn.dynamic_wrench("rod_frame").equals(idyn.dynamic_wrench(rod))
    refused(lambda: idyn.joint_wrench("rob"), "joint")
    zeros = np.zeros((3, 1))
    result = idyn.compile(backend="numpy")(*zeros, dict.fromkeys(idyn.constants, 1.0))
    pickled = pickle.loads(pickle.dumps(result))
    for known in (result, pickled):
        assert np.array_equal(known.joint_wrench("rod"), known.joint_wrench("hinge"))


def test_joints_and_bodies_segments_and_columns(leg):
    refused(lambda: leg.apply(jw.Wrench(leg.tip), "thighs"), "segment")
    table = jw.Table(np.arange(2.0), ("knee_fx", "knee_fy"), np.zeros((2, 2)))
    refused(lambda: table["knee_fz"], None, KeyError)


def test_points_and_frames_found(leg, idyn, result):
    point, frame = leg.joint_points[1], leg.frames[0]
    named, seen = {"about": point.name, "frame": frame.name}, {"about": point, "frame": frame}
    wrenches = (result.joint_wrench("foot", **given) for given in (named, seen))
    assert np.array_equal(*wrenches)
    assert idyn.joint_wrench("foot", **named).point is point
    assert str(idyn.formula("foot", **named)) == str(idyn.formula("foot", **seen))


def test_points_and_frames_refused(idyn, result):
    for lookup in (idyn.joint_wrench, idyn.formula, result.joint_wrench):
        refused(lambda: lookup("foot", about="P1"), "about")
        refused(lambda: lookup("foot", frame="shanks"), "frame")


def test_points_and_frames_of_one_name():
    chain = jw.SerialChain.planar(2)
    chain.tip.locatenew("P_0", chain.frames[1].x)
    refused(lambda: jw.InverseDynamics(chain.system).joint_wrench("S_1", about="P_0"), "about")


def test_transposed_inputs(idyn, evaluate, constants):
    q = np.zeros((len(idyn.speeds), 100))
    refused(lambda: evaluate(q, q, q, constants), "q")
    u = np.zeros((2, len(idyn.speeds), 100))
    refused(lambda: evaluate(q.T, u, u, constants), "u")


def test_transposed_samples(idyn):
    times, q = np.linspace(0, 1, 50), np.zeros((len(idyn.speeds), 50))
    refused(lambda: jw.Trajectory.from_samples(times, q, idyn=idyn), "coordinates")


def test_transposed_what_is_wrong_otherwise_is_not_called_so(evaluate):
    refused(lambda: evaluate(np.zeros((4, 100)), 0, 0), "q")
