"""The generated text, the compiler, and what can go wrong with it."""

import gc
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import sympy as sm
from codegen_programs import OPTIONS, build, everything, q, states, t

import jointwrench.codegen.build.modules as build_module
import jointwrench.codegen.build.toolchain as toolchain_module
from jointwrench.codegen import CompilationError, NoCompilerWarning, compile_program
from jointwrench.codegen.text.generator import ProgramCythonGenerator

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


@pytest.mark.parametrize("backend", ["c", "numpy"])
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
    ours = ProgramCythonGenerator(hostile_program(plain)).sources()
    # the order of the arguments of Max depends on the names; nothing else does
    theirs = ProgramCythonGenerator(hostile_program(hostile_symbols())).sources()
    assert set(ours) == set(theirs)
    for name in ours:
        assert sorted(_words(ours[name])) == sorted(_words(theirs[name]))


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c in "_*/{}\\\"'%" else " " for c in text).split())


# -- the source ---------------------------------------------------------------


def test_source_is_readable():
    evaluate = compile_program(everything(), backend="numpy", **OPTIONS)
    assert "x1 = input_3[1]" in evaluate.source
    assert "# q[0]" in evaluate.source
    assert repr(evaluate).startswith("Evaluator(outputs=('generalized_forces', 'joint_wrenches'")
    source = ProgramCythonGenerator(everything()).c_source
    assert "/* q[0] */" in source
    assert "/* joint 1, moment z */" in source
    assert "/* generalized force 2 */" in source
    assert "constants" in ProgramCythonGenerator(everything()).c_matrix_generator.comma_lists()
    header = ProgramCythonGenerator(everything()).sources()["jointwrench_compiled_c.h"]
    assert "input_3 : constants, 4 values per call" in header
    assert "output_1 : joint wrenches (force, moment), 2 x 6 values per sample" in header


def test_operations_on_constants_are_outside_of_the_loop():
    source = ProgramCythonGenerator(everything()).c_source
    once, _, steps = source.partition("static void prepare")[2].partition("/* Sums and")
    assert "input_3[0]" in once
    assert "input_3[" not in steps
    assert "cos(" in once  # cos(-l)


@posix
def test_code_compiles_without_warnings(tmp_path):
    compiler = toolchain_module.find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    sources = ProgramCythonGenerator(everything()).sources()
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    flags = ["-Wall", "-Wextra", "-Werror", "-std=c99", "-pedantic", "-c", "-o", os.devnull]
    subprocess.run([compiler, *flags, "jointwrench_compiled_c.c"], cwd=tmp_path, check=True)


# -- the compiler -------------------------------------------------------------


def test_backend_names():
    assert compile_program(small_program(), backend="numpy").backend == "numpy"


@posix
def test_compilers_words_are_shown_in_full(compiler, folder):
    compiler("echo 'ld: cannot find -lwhatever'; echo 'sorry: no' >&2; exit 3")
    with pytest.raises(CompilationError) as caught:
        compile_program(small_program())
    for words in ("build_ext --inplace", "cannot find -lwhatever", "sorry: no", "backend='numpy'"):
        assert words in str(caught.value)
    assert caught.value.command[0] == sys.executable
    assert "sorry: no" in caught.value.output
    assert list(folder.iterdir()) == []


def test_build_that_makes_nothing(folder):
    with pytest.raises(CompilationError, match="built no module nothing"):
        build_module.load_module({"setup.py": "pass"}, "nothing")
    assert list(folder.iterdir()) == []


def test_without_a_compiler(monkeypatch):
    monkeypatch.setattr(toolchain_module, "find_compiler", lambda: None)
    monkeypatch.setattr("jointwrench.codegen.find_compiler", lambda: None)
    with pytest.raises(CompilationError, match=r"No C compiler was found. Use backend='numpy'"):
        compile_program(small_program(), backend="c")
    with pytest.warns(NoCompilerWarning, match="No C compiler was found, .* numpy") as caught:
        evaluate = compile_program(small_program())
    assert len(caught) == 1
    assert evaluate.backend == "numpy"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile_program(small_program(), backend="numpy")


@posix
def test_compiler_is_the_one_that_setuptools_calls(compiler, monkeypatch):
    compiler("exit 0")
    assert Path(toolchain_module.find_compiler()).name == "fake-cc"
    monkeypatch.setenv("CC", "no-such-compiler -m64")
    assert toolchain_module.find_compiler() is None


@posix
def test_interrupted_build_leaves_nothing(compiler, folder, tmp_path, monkeypatch):
    compiler(f"touch '{tmp_path}/started'; sleep 1; touch '{tmp_path}/survived'")

    wait, interrupted = subprocess.Popen.wait, []

    def interrupt(process, timeout=None):
        if interrupted:
            return wait(process, timeout)
        while not (tmp_path / "started").exists():
            assert process.poll() is None
        interrupted.append(True)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(subprocess.Popen, "wait", interrupt)
        with pytest.raises(KeyboardInterrupt):
            compile_program(small_program())
    assert list(folder.iterdir()) == []
    time.sleep(1.5)
    assert not (tmp_path / "survived").exists()


KILLED = """
import sys
from jointwrench.codegen.build.modules import load_module
command = "touch started; sleep 2; touch survived"
setup = f"import subprocess; subprocess.run({command!r}, shell=True, cwd={sys.argv[1]!r})"
load_module({"setup.py": setup}, "nothing")
"""


@posix
def test_build_ends_with_the_process_that_began_it(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], env=environment)
    while not (tmp_path / "started").exists():
        assert process.poll() is None
    process.kill()
    process.wait()
    time.sleep(2.5)
    assert not (tmp_path / "survived").exists()


@posix
def test_settings_of_the_users_change_nothing(own_cache, tmp_path, monkeypatch):
    (tmp_path / ".pydistutils.cfg").write_text("[build_ext]\nlibraries = no_such_library\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CC", "")
    evaluate = compile_program(small_program(), backend="c")
    assert evaluate([0.5, 0, 0], None, None).generalized_forces == pytest.approx(np.sin(0.5))


@pytest.mark.parametrize("flags", [[], ["-I"], ["-E", "-s"]])
def test_child_is_as_isolated_as_its_parent(flags):
    script = (
        "import sys; sys.path[:] = sys.argv[1:]; "
        "from jointwrench.codegen.build.modules import _COMMAND; "
        "print(*_COMMAND[1:])"
    )
    command = [sys.executable, *flags, "-c", script, *sys.path]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    before = printed[: printed.index("setup.py")]
    assert set(flags) <= set(before)
    assert bool(before) == bool(flags)


@posix
def test_current_folder_does_not_matter(folder, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    before = (dict(os.environ), list(sys.path))
    evaluate = compile_program(small_program(), backend="c")
    gc.collect()
    assert evaluate([0.5, 0, 0], None, None).generalized_forces == pytest.approx(np.sin(0.5))
    assert list(folder.iterdir()) == []
    assert (dict(os.environ), list(sys.path)) == before
    assert "jointwrench_compiled" not in sys.modules


def test_modules_do_not_disturb_each_other(rng):
    x = states(rng)[0]
    one = compile_program(build({"out": ((1,), [q[0]])}, {"q": q}), backend="c")
    two = compile_program(build({"out": ((1,), [-q[1]])}, {"q": q}), backend="c")
    assert one(x, None, None).outputs["out"] == x[0]
    assert two(x, None, None).outputs["out"] == -x[1]
    assert one.backend == two.backend == "c"


def test_wrong_number_of_arrays():
    evaluate = compile_program(small_program(), backend="c")
    with pytest.raises(ValueError, match="wrong number of arrays"):
        evaluate._code.kernel(1, (), (), ())
