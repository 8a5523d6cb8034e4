"""Flags are measured once, every set of them can be forced, and all give the same results."""

import os
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from codegen_programs import OPTIONS, VALUES, everything, force, road, states
from marks import needing, slow
from refusals import refused
from trial_program import trial_text

from jointwrench.mechanics.codegen.toolchain import trial, tuning
from jointwrench.mechanics.codegen.toolchain.compiler import CompilationError, compiler_command
from jointwrench.mechanics.evaluation.compilation import compile_program

pytestmark = [pytest.mark.optimised, pytest.mark.skipif(os.name == "nt", reason="flags of gcc")]


def agree(rng):
    """Compare what is compiled now with numpy."""
    batch, found = states(rng, 19), []
    for backend in ("c", "numpy"):
        evaluate = compile_program(everything(), backend=backend, **OPTIONS)
        outputs = evaluate(*batch, VALUES, {force: 0.3, road: -1.2}, 0.5).outputs
        found.append(np.concatenate([x.reshape(len(x), -1) for x in outputs.values()], axis=1))
    np.testing.assert_allclose(*found, 1e-12, 1e-14)


@pytest.fixture
def measuring(own_cache, monkeypatch, tmp_path):
    """A cache in which nothing is known of the flags, for few and short measurements."""
    monkeypatch.delenv("JOINTWRENCH_TUNING")
    monkeypatch.setattr(tuning, "_ROUNDS", 3)
    monkeypatch.setattr(trial, "LINKS", 1)
    monkeypatch.setattr(trial, "KERNEL", tmp_path / "trial.c")
    trial.KERNEL.write_text(trial_text(1))
    return own_cache


@pytest.fixture
def few_sets(monkeypatch):
    """Two sets of flags, both of them likely."""
    few = {name: tuning.TUNINGS[name] for name in ("native", "plain")}
    monkeypatch.setattr(tuning, "TUNINGS", few)
    monkeypatch.setattr(tuning, "_select_likely", dict)


@pytest.mark.parametrize("name", ["native", *slow(["portable", "native-O2", "plain"])])
def test_every_set_of_flags(name, monkeypatch, rng):
    command = [*compiler_command(), "--version"]
    words = subprocess.run(command, capture_output=True, text=True).stdout
    if "clang" in words and set(tuning._LEAN) <= set(tuning.TUNINGS[name]):
        pytest.skip("flags of gcc")
    monkeypatch.setenv("JOINTWRENCH_TUNING", name)
    assert tuning.choose_tuning() == name
    agree(rng)


@pytest.mark.parametrize("compiler", needing(("clang",)))
def test_requested_sets_without_the_passes_of_gcc(compiler, own_cache, monkeypatch, rng):
    monkeypatch.setenv("CC", compiler)
    monkeypatch.setenv("JOINTWRENCH_TUNING", "portable")
    assert tuning.choose_tuning() == "portable-O2"
    agree(rng)


@pytest.mark.parametrize("compiler", needing(("clang", "gcc")))
def test_compilers(compiler, monkeypatch, rng):
    monkeypatch.setenv("CC", compiler)
    agree(rng)


def test_unknown_tuning(monkeypatch):
    monkeypatch.setenv("JOINTWRENCH_TUNING", "fastest")
    refused(lambda: compile_program(everything(), backend="c", **OPTIONS), None)


# -- the measurement ------------------------------------------------------------------


def test_the_kernel_is_what_is_generated_now():
    """If not: python tests/core/codegen/trial_program.py"""
    assert trial.kernel_text() == trial.SECOND_CACHE + trial_text(trial.LINKS)


def test_flags_that_give_other_numbers_are_left_out():
    numbers = {"other": 1.001, "rounded": 1 + 1e-15, "nan": np.nan, "plain": 1.0}
    trials = {
        name: SimpleNamespace(run=lambda factor=factor: factor * np.arange(-5.0, 5))
        for name, factor in numbers.items()
    }
    assert set(tuning._select_correct(trials, np.arange(-5.0, 5))) == {"rounded", "plain"}
    assert tuning._select_correct({}, np.arange(-5.0, 5)) == {}


@pytest.mark.parametrize("name", ["", "native", "plain"])
def test_compiler_whose_numbers_are_wrong(name, measuring, few_sets, monkeypatch):
    """Whatever the flags are: each has the same fault, so that to compare them shows nothing."""
    monkeypatch.setenv("JOINTWRENCH_TUNING", name)
    monkeypatch.setenv("CFLAGS", "-DLANES=3")
    with pytest.raises(CompilationError, match=r"other numbers than numpy .*CFLAGS='-DLANES=3'"):
        tuning.choose_tuning()
    assert not measuring.exists()


def test_flags_that_give_other_numbers_of_one_sample_are_left_out(compiler, measuring, monkeypatch):
    """The kernel of one sample has flags of its own; where these are refused there is none."""
    few = {name: tuning.TUNINGS[name] for name in ("native", "native-O2")}
    monkeypatch.setattr(tuning, "TUNINGS", few)
    kernel = 'case "$*" in *-O2*) ;; *-DLANES=1*) FAULT;; esac; exec cc "$@"'
    wrong = kernel.replace("FAULT", 'exec cc "$@" -ULANES -DLANES=3')
    compiler(wrong)
    assert tuning.choose_tuning() == "native-O2"
    compiler(wrong.replace("*-O2*) ;; ", ""))
    with pytest.raises(CompilationError, match="gives other numbers than numpy"):
        tuning.choose_tuning()
    compiler(kernel.replace("FAULT", "exit 1"))
    assert tuning.choose_tuning() in tuning.TUNINGS


def test_the_fastest_is_chosen_and_of_equals_the_first():
    assert tuning._fastest({"a": 2.0, "b": 1.02, "c": 1.0, "d": 1.5}) == "b"
    assert tuning._fastest({}) is None


@pytest.mark.parametrize(
    ("kind", "features", "expected"),
    [
        ("x86_64", "avx avx2", ["native"]),
        ("AMD64", "avx512f avx2", ["native", "native-half"]),
        ("x86_64", "avx512f avx512_fp16", ["native-no-fp16", "native-half"]),
        ("aarch64", "asimd", [*tuning.TUNINGS]),
        ("x86_64", "", ["native"]),
    ],
)
def test_what_is_known_of_the_processor_is_measured_first(
    kind, features, expected, measuring, monkeypatch
):
    monkeypatch.setattr(tuning.platform, "machine", lambda: kind)
    monkeypatch.setattr(tuning, "processor", lambda: features)
    assert [*tuning._select_likely(tuning.TUNINGS)] == expected
    assert tuning._select_likely({"plain": ["-O2"]}) == {"plain": ["-O2"]}
    measured = []

    def measure(sets):
        measured.append([*sets])
        return dict.fromkeys(sets, 1.0), 0

    monkeypatch.setattr(tuning, "measure", measure)
    assert tuning.choose_tuning() == expected[0]
    assert measured == [expected]


@pytest.mark.parametrize("is_refused", [False, True])
def test_all_are_measured_where_what_is_known_fails(measuring, monkeypatch, is_refused):
    monkeypatch.setattr(tuning, "_select_likely", lambda sets: {"native": sets["native"]})

    def measure(sets):
        if len(sets) > 1:
            return {"plain": 1.0}, 0
        if is_refused:
            return {}, 0
        raise CompilationError("other numbers than numpy")

    monkeypatch.setattr(tuning, "measure", measure)
    assert tuning.choose_tuning() == "plain"


def test_choice_is_kept_on_disk(measuring, few_sets, monkeypatch):
    found = tuning.choose_tuning()
    with monkeypatch.context() as patch:
        patch.setattr(tuning, "measure", None)
        assert tuning.choose_tuning() == found
        patch.setattr(tuning, "_known", {})
        assert tuning.choose_tuning() == found
    (note,) = measuring.iterdir()
    note.rename(note.with_suffix(".no-set-of-flags"))
    monkeypatch.setattr(tuning, "_known", {})
    assert tuning.choose_tuning() in tuning.TUNINGS
    assert len(list(measuring.iterdir())) == 2


def test_compiler_that_fails_for_a_while(compiler, measuring, few_sets, tmp_path):
    compiler(f"if [ -e '{tmp_path}/full' ]; then exit 1; fi; exec cc \"$@\"")
    (tmp_path / "full").touch()
    assert tuning.choose_tuning() == "plain"
    assert not measuring.exists()
    (tmp_path / "full").unlink()
    tuning.choose_tuning()
    assert len(list(measuring.iterdir())) == 1


@pytest.mark.parametrize("variable", ["CC", "CFLAGS"])
def test_quotation_without_an_end(variable, monkeypatch):
    monkeypatch.setenv(variable, "cc '")
    with pytest.raises(CompilationError, match=rf"variable {variable} must .*No closing quo"):
        compile_program(everything(), backend="c", **OPTIONS)


@pytest.mark.parametrize(
    ("fast_from", "expected"), [(0, 2**20), (2**21, 2**21), (2**23, 2**23)], ids=str
)
def test_size_of_results_that_bypass_the_caches(fast_from, expected):
    """The smallest measured size from which bypassing is faster at all larger sizes."""

    def seconds(results, is_far):
        return 1.0 - 0.5 * (is_far and results.nbytes >= fast_from)

    assert tuning._far_size(SimpleNamespace(seconds=seconds)) == expected


def test_size_is_measured_once_and_for_kernels_that_stream(measuring, few_sets, monkeypatch):
    monkeypatch.setattr(tuning, "_far_size", lambda _: 2**21)
    flags = tuning.choose_flags(True)
    assert flags == [*tuning.choose_flags(False), f"-DSECOND_CACHE={2**21}"]
    monkeypatch.setattr(tuning, "measure", None)
    tuning._known.clear()
    assert tuning.choose_flags(True) == flags
    (entry,) = (path for path in measuring.rglob("*") if path.suffix[1:] in tuning.TUNINGS)
    entry.unlink()
    tuning._known.clear()
    with pytest.raises(TypeError, match="not callable"):
        tuning.choose_flags(True)
