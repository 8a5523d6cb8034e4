"""Every set of flags can be forced, works, and gives the same results."""

import os
import shutil

import numpy as np
import pytest
import sympy as sm
from codegen_programs import OPTIONS, VALUES, build, everything, force, q, road, states

from jointwrench.codegen import CompilationError, compile_program
from jointwrench.codegen.build import toolchain
from jointwrench.codegen.run.codes import CompiledCode
from jointwrench.codegen.text.generator import ProgramCythonGenerator
from jointwrench.codegen.text.layout import Layout
from jointwrench.codegen.text.schedule import Kind, make_schedule

posix = pytest.mark.skipif(os.name == "nt", reason="flags of gcc and clang")


def results(evaluate, batch):
    result = evaluate(*batch, VALUES, {force: 0.3, road: -1.2}, 0.5)
    return np.concatenate([x.reshape(len(x), -1) for x in result.outputs.values()], axis=1)


@posix
@pytest.mark.parametrize("tuning", ["native", "portable", "plain"])
def test_every_set_of_flags(tuning, monkeypatch, rng):
    batch = states(rng, 19)
    expected = results(compile_program(everything(), backend="numpy", **OPTIONS), batch)
    monkeypatch.setenv("JOINTWRENCH_TUNING", tuning)
    assert toolchain.find_toolchain().tuning == tuning
    evaluate = compile_program(everything(), backend="c", **OPTIONS)
    np.testing.assert_allclose(results(evaluate, batch), expected, 1e-12, 1e-14)


@posix
@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_compilers(compiler, monkeypatch, rng):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    batch = states(rng, 19)
    expected = results(compile_program(everything(), backend="numpy", **OPTIONS), batch)
    monkeypatch.setenv("CC", compiler)
    evaluate = compile_program(everything(), backend="c", **OPTIONS)
    np.testing.assert_allclose(results(evaluate, batch), expected, 1e-12, 1e-14)


@posix
def test_flags_that_the_compiler_refuses_are_left_out(compiler, own_cache):
    compiler('case "$*" in *-march*|*-mcpu*) exit 1;; esac; exec cc "$@"')
    assert toolchain.find_toolchain().tuning == "portable"
    compiler('case "$*" in *-f*) exit 1;; esac; exec cc "$@"')
    assert toolchain.find_toolchain().tuning == "plain"


@posix
def test_choice_is_kept_on_disk(own_cache, monkeypatch):
    found = toolchain.find_toolchain()
    monkeypatch.setattr(toolchain, "_known", {})
    monkeypatch.setattr(toolchain, "run", None)
    assert toolchain.find_toolchain() == found
    for note in own_cache.glob("*.json"):
        key = note.name.partition(".")[0]
        note.unlink()
        toolchain.cache.write_note(key, "{}")
    monkeypatch.undo()
    monkeypatch.setenv("JOINTWRENCH_CACHE", str(own_cache.parent))
    monkeypatch.setattr(toolchain, "_known", {})
    assert toolchain.find_toolchain() == found


@posix
def test_unknown_tuning(monkeypatch):
    monkeypatch.setenv("JOINTWRENCH_TUNING", "fastest")
    with pytest.raises(ValueError, match=r"_TUNING must be one of native-wide, .* 'fast"):
        compile_program(everything(), backend="c", **OPTIONS)


@posix
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("kill -SEGV $$", "setup.py"),
        ("kill -KILL $$", "setup.py"),
        ("echo 'fatal error: numpy/arrayobject.h: No such file' >&2; exit 1", "arrayobject.h: No"),
    ],
)
def test_compiler_that_crashes_is_killed_or_misses_a_header(compiler, folder, script, words):
    program = build({"out": ((1,), [sm.sin(q[0])])}, {"q": q})
    compiler(script)
    with pytest.raises(CompilationError, match=words):
        compile_program(program, backend="c")
    assert list(folder.iterdir()) == []
    compiler('exec cc "$@"')
    assert compile_program(program, backend="c")([0, 0, 0], None, None).outputs["out"] == 0


# -- large programs -------------------------------------------------------------


def long_program():
    """Sums and products, calls within calls, and values that stay in use for long."""
    values = [sm.sin(q[0]), sm.cos(q[0]), q[1], q[2]]
    graph_outputs = []
    for k in range(60):
        values.append(values[-1] * values[-3] / 9 + values[k % 4] / (k + 2))
        if k % 20 == 7:
            values.append(sm.tanh(sm.sin(values[-1]) + sm.cos(values[-1])))
        graph_outputs.append(values[-1])
    return build({"out": ((60,), graph_outputs)}, {"q": q})


def test_pieces_change_nothing(rng, monkeypatch):
    program = long_program()
    steps = make_schedule(Layout(program), longest=11).steps
    assert sum(step.kind is Kind.ARITHMETIC for step in steps) > 10
    whole = compile_program(program, backend="numpy")
    x = rng.normal(size=(21, 3))
    expected = whole(x, None, None).outputs["out"]
    monkeypatch.setattr("jointwrench.codegen.text.kernel.ROWS_ON_STACK", 3)
    sources = ProgramCythonGenerator(program, longest=11).sources()
    assert "malloc" in sources["jointwrench_compiled_c.c"]
    code = CompiledCode(sources, "jointwrench_compiled")
    empty = np.zeros(0)
    result = np.empty((21, 60))
    inputs = (x.reshape(-1), empty, empty, empty, empty, empty)
    code.kernel(21, inputs, (3, 0, 0, 0, 0, 0), (result.reshape(-1),))
    np.testing.assert_allclose(result, expected, 1e-11, 1e-13)


def test_rows_are_used_again():
    schedule = make_schedule(Layout(long_program()), longest=11)
    crossing = [ref for ref in schedule.rows if ref not in schedule.inputs]
    assert schedule.row_count < len(crossing) + len(schedule.inputs)
