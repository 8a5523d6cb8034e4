"""Evaluators in files: the same numbers, without sympy and without the model."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from marks import slow
from numeric import reloaded
from numpy.testing import assert_array_equal
from refusals import refusal, refused
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


@pytest.mark.parametrize("backend", ["auto", "numpy"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_same_numbers(idyn, tmp_path, backend, sparse):
    names, fixed = ["generalized_forces", "joint_wrenches"], {"m_1": VALUES["m_1"]}
    options = {"derivatives": ["q", "constants"], "sparse": sparse}
    evaluate = idyn.compile(names, fixed, backend, **options)
    loaded = reloaded(evaluate, tmp_path / "chain.json")
    constants = {"k": 2.0, **{x: y for x, y in VALUES.items() if x != "m_1"}}
    given = {"specifieds": {"push": np.arange(5.0)}, "times": np.linspace(0, 1, 5)}
    given["constants"] = constants
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


def test_what_is_wrong_is_said_by_name(idyn, tmp_path):
    loaded = reloaded(idyn.compile("generalized_forces"), tmp_path / "chain.json")
    refused(lambda: loaded(*STATES, {"k": 1.0}, {"push": 1.0}, 0.5), "constants")
    refused(lambda: loaded(*STATES, {**VALUES, "k": 1.0}, {"pull": 1.0}, 0.5), "specifieds")
    result = loaded(*STATES, {**VALUES, "k": 1.0}, {"push": 1.0}, 0.5)
    refused(lambda: result.joint_power("S_0"), "result")


def test_unknown_loads_have_their_names(tmp_path):
    chain = jw.SerialChain.planar(1)
    load = dynamicsymbols("load")
    chain.system.add_loads(Force(chain.tip, load * chain.ground.frame.x))
    idyn = jw.InverseDynamics(chain.system, actuated=[], solve_for=[load])
    evaluate = idyn.compile("solved_loads", {x.name: 1.0 for x in idyn.constants})
    results = [x([1.0], [0.5], [2.0]) for x in (evaluate, reloaded(evaluate, tmp_path / "x"))]
    before, after = (x.solved_loads for x in results)
    assert [*map(str, after)] == [*map(str, before)] == ["load(t)"]
    assert_array_equal([*after.values()], [*before.values()])


@pytest.mark.parametrize("compiler", [{}, *slow([{"CC": "/bin/false"}])], ids=["cc", "none"])
def test_a_fresh_process_needs_no_sympy(idyn, tmp_path, compiler):
    """Nor is it imported where nothing is in the cache, which measures flags and compiles."""
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
print(*(x.hex() for x in found.tolist()), evaluate.backend)
print({{"sympy", "scipy", "pydy"}} & {{*sys.modules}})
"""
    own = {**os.environ, "JOINTWRENCH_CACHE": str(tmp_path / "cold"), **compiler}
    command = [sys.executable, "-W", "ignore", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=own)
    numbers, modules = found.stdout.splitlines()
    *numbers, backend = numbers.split()
    assert backend == ("numpy" if compiler else "c")
    np.testing.assert_allclose([*map(float.fromhex, numbers)], expected, rtol=1e-13)
    assert modules == "set()"


def test_symbols_stand_for_their_names(idyn, tmp_path):
    evaluate = idyn.compile("generalized_forces")
    loaded = reloaded(evaluate, tmp_path / "chain.json")
    constants = {s: VALUES.get(s.name, 2.0) for s in idyn.constants}
    (push,) = idyn.specifieds
    for _ in range(2):  # the extension has read the keys, too
        results = [x(*STATES, constants, {push: 1.0}, 0.5) for x in (evaluate, loaded)]
        assert_array_equal(*(x.generalized_forces for x in results))
    with refusal("constants"):
        loaded(*STATES, {**constants, symbols("nobody"): 1.0}, {push: 1.0}, 0.5)


# -- damage ---------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path):
    """The file of an evaluator of one link."""
    idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system)
    idyn.compile("generalized_forces", backend="numpy").save(tmp_path / "small.json")
    return tmp_path / "small.json"


def other(character):
    """Return another character of the same class."""
    for kind in ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
        if character in kind:
            return kind[(kind.index(character) + 1) % len(kind)]
    return {"[": "{", "]": "}", '"': "'", " ": "\t", ",": ":"}.get(character, " ")


def test_every_changed_character_is_refused(small):
    text, changed = small.read_text(), small.with_name("changed.json")
    for k, own in enumerate(text):
        for new in (other(own), *(("", own + own, "\u00e9") if k % 13 == 0 else ())):
            changed.write_text(text[:k] + new + text[k + 1 :], encoding="utf-8")
            with pytest.raises(ValueError, match=r"`path` must .*changed\.json"):
                jw.load(changed)
    changed.write_text(text)
    jw.load(changed)


def test_a_file_is_whole_while_threads_write_it(idyn, small):
    """A link of the user stays a link; those of others are refused."""
    evaluate = idyn.compile("generalized_forces", {**VALUES, "k": 1.0}, "numpy")
    evaluate.save(small)
    text = small.read_text()
    with ThreadPoolExecutor(4) as pool:
        saves = [pool.submit(evaluate.save, small) for _ in range(40)]
        while not all(x.done() for x in saves):
            assert small.read_text() == text
        assert {x.result() for x in saves} == {None}
    assert [x.name for x in small.parent.iterdir()] == [small.name]
    (target := small.with_name("target")).write_text("old")
    small.unlink()
    small.symlink_to(target)
    evaluate.save(small)
    assert target.read_text() == text
    assert small.is_symlink()


CHANGES = [{"kind": "table"}, {"version": 9, "jointwrench": "9.0"}, {"version": 1}]
CHANGES += [{"version": None}, {"threads": 2}]


@pytest.mark.parametrize("change", CHANGES)
def test_other_files_are_refused(small, change):
    small.write_text(json.dumps({**json.loads(small.read_text()), **change}))
    refused(lambda: jw.load(small), "path")


@pytest.mark.parametrize(
    "content", [b"", b"[1, 2]", b"\xff\xfe", b"{", b"3", b"9" * 5000, b"[" * 10**5]
)
def test_what_is_no_json_of_ours_is_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    refused(lambda: jw.load(tmp_path / "x"), "path")


def test_paths_and_kinds(idyn, tmp_path):
    evaluate = idyn.compile("generalized_forces", backend="numpy")
    for call in (evaluate.save, jw.load):
        refused(lambda: call(3), "path", TypeError)
    refused(lambda: jw.load(tmp_path / "nothing"), "path", FileNotFoundError)
    refused(lambda: evaluate.save(tmp_path / "nowhere" / "x"), "path", FileNotFoundError)
    curved = idyn.compile("generalized_forces", backend="numpy", second_derivatives=["q"])
    refused(lambda: curved.save(tmp_path / "x"), "evaluate")
