"""The generated text, the compiler, and what can go wrong with it."""

import os
import pickle
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import sympy as sm
from codegen_programs import INPUTS, OPTIONS, VALUES, build, everything, q, states, t
from marks import slow
from refusals import refused

from jointwrench import InverseDynamics, SerialChain
from jointwrench.mechanics.codegen.text.export import c_texts
from jointwrench.mechanics.codegen.text.generator import library_text
from jointwrench.mechanics.codegen.text.kernel import Target
from jointwrench.mechanics.codegen.toolchain import compiler as compiler_module
from jointwrench.mechanics.codegen.toolchain import library
from jointwrench.mechanics.codegen.toolchain.compiler import (
    CompilationError,
    NoCompilerWarning,
    time_limit,
)
from jointwrench.mechanics.codegen.toolchain.library import load_library
from jointwrench.mechanics.codegen.toolchain.tuning import choose_flags, processor
from jointwrench.mechanics.evaluation.compilation import compile_program

pytestmark = pytest.mark.optimised
posix = pytest.mark.skipif(os.name == "nt", reason="uses a shell script as compiler")


def small_program():
    return build({"generalized_forces": ((1,), [sm.sin(q[0])])}, {"q": q})


# -- names --------------------------------------------------------------------

HOSTILE = (
    *("I_{xx}", "lambda", "x; y", "*/", "θ", "double", "z0", "x0", "input_0[0]", "sin", "{prefix}"),
    *('"', "\\", "\n#error", "%s", "n" * 10_000),
)


def hostile_symbols():
    return (
        *(sm.Symbol(name) for name in HOSTILE),
        *(sm.Dummy("twin"), sm.Dummy("twin"), sm.Symbol("z0", real=True), sm.Dummy("z1")),
    )


def hostile_program(symbols):
    coordinates = [sm.Function(name)(t) for name in ("int", "q; r", "*/")]
    total = sum((k + 2) * sm.sin(s) * s for k, s in enumerate((*symbols, *coordinates)))
    condition = sm.Piecewise((symbols[0], coordinates[1] > 0), (symbols[1], True))
    inputs = {"q": coordinates, "constants": symbols}
    return build({"*/ x": ((3,), [total, condition, sm.Max(*symbols)])}, inputs)


@pytest.mark.parametrize("backend", ["c", "numpy", "pydy"])
def test_symbols_of_any_name(backend, rng):
    symbols = hostile_symbols()
    values = rng.normal(size=len(symbols))
    x = np.array([0.3, 0.4, -0.5])
    evaluate = compile_program(hostile_program(symbols), backend=backend)
    result = evaluate(x, None, None, dict(zip(symbols, values, strict=True))).outputs["*/ x"]
    v = np.concatenate([values, x])
    expected = [np.sum((np.arange(len(v)) + 2) * np.sin(v) * v), values[0], values.max()]
    np.testing.assert_allclose(result, expected, 1e-13)


def test_no_text_of_the_users_gets_into_the_code():
    plain = tuple(sm.Symbol(f"p{k}") for k in range(len(hostile_symbols())))
    ours = library_text(hostile_program(plain))
    # the order of the arguments of Max depends on the names; nothing else does
    assert _words(ours) == _words(library_text(hostile_program(hostile_symbols())))


@pytest.mark.parametrize("samples", [*slow([1]), 20])
def test_outputs_may_be_called_as_anything_in_the_code_is(rng, samples):
    plain = compile_program(everything(), backend="c", **OPTIONS)
    words = set(re.findall(r"\b[A-Za-z]\w*", "".join(plain.sources.values())))
    names = sorted({*words, "long", "class", "v0", "restrict"} - {*plain.outputs})
    program = build({"thing": ((1,), [sm.sin(q[0])])} | {x: ((1,), [q[0]]) for x in names}, INPUTS)
    evaluate = compile_program(program, backend="c")
    state = states(rng, samples)
    found = evaluate(*state, VALUES, {"F": 0.3, "r": 1.0}, 0.5).outputs
    np.testing.assert_allclose(found["thing"], np.sin(state[0][:, :1]), 1e-15)
    for name in names:
        np.testing.assert_array_equal(found[name], state[0][:, :1], name)


def test_header_names_all_symbols_within_its_comment():
    header, _ = c_texts(hostile_program(hostile_symbols()), Target("hostile"))
    assert header.count("/*") == header.count("*/") == 1
    assert "[0] I_{xx}" in header
    assert "[4] _N{GREEK SMALL LETTER THETA}" in header
    assert "#error" not in header


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c in "_*/{}\\\"'%" else " " for c in text).split())


# -- the source ---------------------------------------------------------------


def test_source_is_readable():
    evaluate = compile_program(everything(), backend="numpy", **OPTIONS)
    assert "x1 = input_3[0, 1]" in evaluate.source
    assert "# q[0]" in evaluate.source
    assert repr(evaluate).startswith("Evaluator(outputs=('generalized_forces', 'joint_wrenches'")
    header, source = c_texts(everything(), Target("everything"))
    assert "/* q[0] */" in source
    assert "/* entry 11 */" in source
    assert "constants : constants, 4 values per call" in header
    assert "joint_wrenches : 2 x 6 values per sample" in header


def test_operations_on_constants_are_outside_of_the_loop():
    source = library_text(everything())
    once, _, steps = source.partition("static void prepare")[2].partition("static void step")
    assert "input_3[0]" in once
    assert "input_3[" not in steps
    assert "cos(" in once  # cos(-l)


# -- the compiler -------------------------------------------------------------


FAILURES = {
    "echo 'ld: cannot find -lwhatever'; echo 'sorry: no' >&2; exit 3": "whatever\nsorry: no",
    "printf '\\377' >&2; exit 1": "\ufffd",
    "kill -SEGV $$": "(nothing; its exit code was -11)",
    "exit 0": "(nothing; its exit code was 0)",  # and made nothing
}


@posix
def test_compiler_that_fails(compiler, folder, monkeypatch):
    monkeypatch.setenv("JOINTWRENCH_TUNING", "plain")
    program = build({"generalized_forces": ((1,), [sm.tan(q[0])])}, {"q": q})
    usual = "fake-cc -O2 ", " -fPIC -shared", "the environment variable CC", "backend='numpy'"
    for script, words in FAILURES.items():
        compiler(script)
        with pytest.raises(CompilationError) as caught:
            compile_program(program, backend="c")
        for text in (words, *usual):
            assert text in str(caught.value)
        assert words in caught.value.output
        assert caught.value.command[0].endswith("fake-cc")
        assert list(folder.iterdir()) == []
    compiler('exec cc "$@"')
    assert compile_program(program)([0, 0, 0], None, None).generalized_forces == 0
    assert list(folder.iterdir()) == []


@posix
def test_compiler_that_fails_leaves_the_work_to_numpy(compiler, folder):
    compiler("echo out of order; exit 3")
    with pytest.warns(NoCompilerWarning, match=r"(?s)numpy evaluates instead.*out of ord") as found:
        evaluate = compile_program(small_program())
    assert len(found) == 1
    assert evaluate.backend == pickle.loads(pickle.dumps(evaluate)).backend == "numpy"
    assert evaluate([0.5, 0, 0], None, None).generalized_forces == pytest.approx(np.sin(0.5))
    assert list(folder.iterdir()) == []


@posix
@pytest.mark.parametrize("tuning", ["", "plain"])
def test_compiler_that_hangs(compiler, folder, own_cache, tmp_path, monkeypatch, tuning):
    monkeypatch.setattr(library, "choose_flags", choose_flags)
    monkeypatch.setenv("JOINTWRENCH_TUNING", tuning)
    monkeypatch.setenv("JOINTWRENCH_TIMEOUT", "0.3")
    (tmp_path / "called").touch()
    compiler(f"sleep 600 & echo $! >> '{tmp_path}/called'; wait")
    with pytest.raises(CompilationError, match=r"not ended after 0\.3 s; .* JOINTWRENCH_TIMEOUT"):
        compile_program(small_program(), backend="c")
    with pytest.warns(NoCompilerWarning, match="had not ended"):
        assert compile_program(small_program()).backend == "numpy"
    assert list(folder.iterdir()) == []
    called = (tmp_path / "called").read_text().split()
    end = time.monotonic() + 30  # the system ends them when it comes to that
    while any(is_alive(int(pid)) for pid in called):
        assert time.monotonic() < end
        time.sleep(0.01)


def is_alive(pid):
    """Whether a process has not ended; one that nobody has waited for has."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_small_kernels_that_hang_are_told_within_a_minute(monkeypatch):
    monkeypatch.delenv("JOINTWRENCH_TIMEOUT", raising=False)
    assert 30 < time_limit("x;\n" * 500) <= 50


@pytest.mark.parametrize("given", ["long", "0", "-1", "nan"])
def test_time_limit_that_is_none(monkeypatch, own_cache, given):
    monkeypatch.setenv("JOINTWRENCH_TIMEOUT", given)
    refused(lambda: compile_program(small_program(), backend="c"), None)


@posix
def test_compiler_that_is_no_program(tmp_path, monkeypatch, folder):
    path = tmp_path / "no-program"
    path.write_bytes(b"\0\1\2\3")
    path.chmod(0o755)
    monkeypatch.setenv("CC", str(path))
    with pytest.raises(CompilationError, match=r"no-program -O2[\s\S]*OSError[\s\S]* variable CC"):
        compile_program(small_program(), backend="c")
    assert list(folder.iterdir()) == []


def test_without_a_compiler(monkeypatch):
    monkeypatch.setattr(compiler_module, "find_compiler", lambda: None)
    monkeypatch.setattr("jointwrench.mechanics.evaluation.compilation.find_compiler", lambda: None)
    monkeypatch.setenv("CFLAGS", "-DNEW")  # nothing is in the cache
    monkeypatch.delenv("CC", raising=False)
    for backend in ("c", "pydy"):
        match = r"No C compiler was found. Use backend='numpy'"
        with pytest.raises(CompilationError, match=match):
            compile_program(small_program(), backend=backend)
    with pytest.warns(NoCompilerWarning, match="No C compiler was found, .* numpy") as caught:
        evaluate = compile_program(small_program())
    assert len(caught) == 1
    assert evaluate.backend == "numpy"
    compile_program(small_program(), backend="numpy")
    monkeypatch.setenv("CC", "nonsense")
    with pytest.raises(CompilationError, match=r"CC must name a program, got 'nonsense'\. .*unset"):
        compile_program(small_program(), backend="c")
    with pytest.warns(NoCompilerWarning, match="got 'nonsense', so that numpy .* Unset it, or"):
        compile_program(small_program())


@posix
def test_which_compiler_it_is(compiler, tmp_path, monkeypatch):
    compiler("exit 0")
    (tmp_path / "a folder").mkdir()
    path = (tmp_path / "fake-cc").rename(tmp_path / "a folder" / "cc")
    usual = ("", "no-such-compiler -m64", "sh -c")
    monkeypatch.setattr(compiler_module, "_USUAL", usual)
    for given, words in {str(path): [str(path)], "sh -m": ["sh", "-m"], " ": ["sh", "-c"]}.items():
        monkeypatch.setenv("CC", given)
        assert compiler_module.compiler_command() == words
        assert compiler_module.find_compiler() == shutil.which(words[0])
    monkeypatch.setattr(compiler_module, "_USUAL", usual[:2])
    assert compiler_module.find_compiler() is None
    monkeypatch.setenv("CC", "no-such-compiler -m64")
    assert compiler_module.find_compiler() is None


@posix
def test_temporary_files_of_the_compiler_are_in_the_private_folder(compiler, own_cache):
    compiler('test "$(cd "$TMPDIR" && pwd -P)" = "$(pwd -P)" && exec cc "$@"')
    assert compile_program(small_program(), backend="c")([0, 0, 0], None, None)


@posix
def test_users_flags_are_used(monkeypatch):
    monkeypatch.setenv("CFLAGS", "-DONE -O0")
    monkeypatch.setenv("LDFLAGS", "-lc")
    command = compiler_module.library_commands(["-O2"])[-1]
    assert command.index("-DONE") < command.index("-O0") < command.index("-O2")
    assert command[-2:] == ["-lc", "-lm"]
    source = """
    #ifndef ONE
    #error
    #endif
    __attribute__((visibility("default"))) int evaluate_arrays(void) { return 0; }
    """
    assert load_library(source)


@posix
def test_interrupted_build_leaves_nothing(compiler, folder, own_cache, tmp_path, monkeypatch):
    compiler(f"echo x > $TMPDIR/x; touch '{tmp_path}/started'; exec sleep 60")
    processor()  # which runs a process of its own, once
    compilers = []

    wait = subprocess.Popen.wait

    def interrupt(process, *arguments):
        if process in compilers:
            return wait(process, *arguments)
        compilers.append(process)
        while not (tmp_path / "started").exists():
            assert process.poll() is None
        raise KeyboardInterrupt("by hand")

    with monkeypatch.context() as patch:
        patch.setattr(subprocess.Popen, "wait", interrupt)
        with pytest.raises(KeyboardInterrupt, match="by hand"):
            compile_program(small_program())
    assert [process.poll() is not None for process in compilers] == [True]  # ended as well
    assert list(folder.iterdir()) == []
    assert not own_cache.exists()


IN_A_FOLDER = """
import sys, tempfile, time
from jointwrench.mechanics.codegen.toolchain.compiler import temporary_folder
tempfile.tempdir = sys.argv[1]
with temporary_folder() as folder:
    print(folder.path, flush=True)
    time.sleep(600)
"""


@posix
def test_folders_of_killed_processes_are_removed(folder):
    command = [sys.executable, "-c", IN_A_FOLDER, folder]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as killed,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as living,
    ):
        left, used = (Path(process.stdout.readline().strip()) for process in (killed, living))
        killed.kill()
        killed.wait()
        (left / "model.c").touch()
        other = folder / "jointwrench-compiled"
        for path in (left, used, other):
            path.mkdir(exist_ok=True)
            os.utime(path, (0, 0))
        with compiler_module.temporary_folder() as own:
            assert set(folder.iterdir()) == {used, other, own.path}
        living.kill()


def test_compiling_tells_what_it_does(own_cache, caplog):
    compile_program(small_program(), backend="c")
    assert not caplog.records  # silent unless asked
    with caplog.at_level("INFO", logger="jointwrench"):
        assert InverseDynamics(SerialChain.planar(2).system).compile(backend="c").address
    told = [record.getMessage() for record in caplog.records]
    for words in ("derived 2 bodies in", "wrote ", "compiling ", "compiled in"):
        assert sum(message.startswith(words) for message in told) == 1, told
