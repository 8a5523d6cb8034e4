"""Evaluators in files: the same numbers, without sympy and without the model."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sympy import symbols
from sympy.physics.mechanics import Force, dynamicsymbols

import jointwrench as jw

VALUES = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04, "l_1": 0.4, "m_1": 1.0, "I_1": 0.02}
STATES = np.random.default_rng(0).normal(size=(3, 5, 2))


@pytest.fixture(scope="module")
def idyn():
    """Two links, pushed at the tip by a specified force and one of time."""
    chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    push, strength = dynamicsymbols("push"), symbols("k")
    direction = push * chain.ground.frame.x + strength * dynamicsymbols._t * chain.ground.frame.y
    chain.system.add_loads(Force(chain.tip, direction))
    return jw.InverseDynamics(chain.system)


def through_a_file(evaluate, path):
    evaluate.save(path)
    return jw.load(path)


@pytest.mark.parametrize("backend", ["auto", "numpy"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_same_numbers(idyn, tmp_path, backend, sparse):
    evaluate = idyn.compile(
        ["generalized_forces", "joint_wrenches"],
        {"m_1": VALUES["m_1"]},
        backend,
        derivatives=["q", "constants"],
        sparse=sparse,
    )
    loaded = through_a_file(evaluate, tmp_path / "chain.json")
    given = {
        "constants": {"k": 2.0, **{x: y for x, y in VALUES.items() if x != "m_1"}},
        "specifieds": {"push": np.arange(5.0)},
        "times": np.linspace(0, 1, 5),
    }
    one = {**given, "specifieds": {"push": 3.0}, "times": 0.5}
    for rows, own in ((slice(None), given), (0, one)):
        states = [x[rows] for x in STATES]
        before, after = evaluate(*states, **own), loaded(*states, **own)
        for name in evaluate.outputs:
            assert_array_equal(after.outputs[name], before.outputs[name])
        for wrt in ("q", "constants", "l_0"):
            slopes = [x.derivative("generalized_forces", wrt) for x in (before, after)]
            assert_array_equal(*slopes)
        assert_array_equal(after.joint_wrench("S_1"), before.joint_wrench("S_1"))
    assert loaded.outputs == evaluate.outputs
    assert loaded.shapes == evaluate.shapes
    assert loaded.backend == evaluate.backend
    assert str(loaded.inputs) == str(evaluate.inputs)
    assert {*map(str, loaded.used_inputs)} == {*map(str, evaluate.used_inputs)}
    assert_array_equal(*(x.derivative_sparsity("joint_wrenches", "q") for x in (evaluate, loaded)))


def test_a_loaded_one_is_saved_and_pickled_again(idyn, tmp_path):
    evaluate = idyn.compile("generalized_forces", {**VALUES, "k": 1.0})
    loaded = through_a_file(evaluate, tmp_path / "first.json")
    again = through_a_file(loaded, tmp_path / "second.json")
    sent = pickle.loads(pickle.dumps(again))
    given = {"specifieds": {"push": 1.0}, "times": 0.5}
    expected = evaluate(*STATES, **given).generalized_forces
    for other in (loaded, again, sent):
        assert_array_equal(other(*STATES, **given).generalized_forces, expected)
    for text in ("first", "second"):
        found = json.loads((tmp_path / f"{text}.json").read_text())
        assert (found["kind"], found["version"]) == ("jointwrench evaluator", 2)
    assert [*tmp_path.glob("*unfinished*")] == []


def test_what_is_wrong_is_said_by_name(idyn, tmp_path):
    loaded = through_a_file(idyn.compile("generalized_forces"), tmp_path / "chain.json")
    with pytest.raises(ValueError, match="`constants` must have a value for I_0"):
        loaded(*STATES, {"k": 1.0}, {"push": 1.0}, 0.5)
    with pytest.raises(ValueError, match="`specifieds` must name"):
        loaded(*STATES, {**VALUES, "k": 1.0}, {"pull": 1.0}, 0.5)
    result = loaded(*STATES, {**VALUES, "k": 1.0}, {"push": 1.0}, 0.5)
    with pytest.raises(ValueError, match="must know how its joints move"):
        result.joint_power("S_0")


def test_unknown_loads_have_their_names(tmp_path):
    chain = jw.SerialChain.planar(1)
    load = dynamicsymbols("load")
    chain.system.add_loads(Force(chain.tip, load * chain.ground.frame.x))
    idyn = jw.InverseDynamics(chain.system, actuated=[], solve_for=[load])
    evaluate = idyn.compile("solved_loads", {x.name: 1.0 for x in idyn.constants})
    results = [x([1.0], [0.5], [2.0]) for x in (evaluate, through_a_file(evaluate, tmp_path / "x"))]
    before, after = (x.solved_loads for x in results)
    assert [*map(str, after)] == [*map(str, before)] == ["load(t)"]
    assert_array_equal([*after.values()], [*before.values()])


def test_a_fresh_process_needs_no_sympy(idyn, tmp_path):
    evaluate = idyn.compile("generalized_forces", {**VALUES, "k": 1.0})
    evaluate.save(tmp_path / "chain.json")
    state = np.array([0.1, 1.0])
    expected = evaluate(state, state, state, None, {"push": 2.0}, 0.5).generalized_forces
    code = f"""
import sys, numpy
import jointwrench as jw
evaluate = jw.load({str(tmp_path / "chain.json")!r})
state = numpy.array([0.1, 1.0])
found = evaluate(state, state, state, None, {{"push": 2.0}}, 0.5).generalized_forces
print(*(x.hex() for x in found.tolist()))
print({{"sympy", "scipy", "pydy"}} & {{*sys.modules}})
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    numbers, modules = found.stdout.splitlines()
    assert [float.fromhex(x) for x in numbers.split()] == expected.tolist()
    assert modules == "set()"


def changed(path, change):
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: x.update(kind="table"), "by evaluate.save.* got another one"),
        (lambda x: x.update(version=3, jointwrench="9.0"), "format 2 .* got 3 of jointwrench 9.0"),
        (lambda x: x.pop("version"), "format 2 .* got None"),
        (lambda x: x.pop("groups"), "got a damaged one .*groups"),
        (lambda x: x.update(used=[[7, 7]]), "got a damaged one"),
        (lambda x: x.update(groups=3), "got a damaged one"),
    ],
)
def test_other_files_are_refused(idyn, tmp_path, change, words):
    path = tmp_path / "chain.json"
    idyn.compile("generalized_forces", backend="numpy").save(path)
    changed(path, change)
    with pytest.raises(ValueError, match=f"`path` must .*{words}"):
        jw.load(path)


@pytest.mark.parametrize("content", [b"", b"[1, 2]", b"\xff\xfe", b"{", b"3"])
def test_what_is_no_json_of_ours_is_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ValueError, match=r"`path` must be a file written by evaluate\.save"):
        jw.load(tmp_path / "x")


def test_paths_and_kinds(idyn, tmp_path):
    evaluate = idyn.compile("generalized_forces", backend="numpy")
    for call in (evaluate.save, jw.load):
        with pytest.raises(TypeError, match="`path` must be a path"):
            call(3)
    with pytest.raises(FileNotFoundError, match="nothing"):
        jw.load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        evaluate.save(tmp_path / "nowhere" / "x")
    curved = idyn.compile("generalized_forces", backend="numpy", second_derivatives=["q"])
    with pytest.raises(ValueError, match=r"HessianEvaluator.*Use pickle"):
        curved.save(tmp_path / "x")
