"""Batches, and one sample or two: two kernels, compiled at the first call."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from codegen_programs import OPTIONS, VALUES, everything, force, road, states

from jointwrench.mechanics.codegen.toolchain.compiler import CompilationError, NoCompilerWarning
from jointwrench.mechanics.codegen.toolchain.library import load_library
from jointwrench.mechanics.codegen.toolchain.tuning import ONE_LANE
from jointwrench.mechanics.evaluation.backends import codes
from jointwrench.mechanics.evaluation.backends.function import CtypesFunction, NativeFunction
from jointwrench.mechanics.evaluation.compilation import compile_program

pytestmark = pytest.mark.optimised

SPECIFIEDS = {force: 0.3, road: -1.2}


@pytest.fixture
def loaded(monkeypatch):
    """The flags with which libraries are loaded."""
    loaded = []

    def load(source, more=()):
        loaded.append(more)
        return load_library(source, more)

    monkeypatch.setattr(codes, "load_library", load)
    return loaded


@pytest.fixture(params=[CtypesFunction, NativeFunction])
def compiled(request, monkeypatch):
    monkeypatch.setattr(codes, "NativeFunction", request.param)
    return lambda: compile_program(everything(), backend="c", **OPTIONS)


def check_alike(evaluate, arrays, *others):
    """Whether samples have the same results alone, by twos and in a batch, up to rounding."""
    batch = evaluate(*arrays, *others).outputs
    for size in (1, 2):
        for first in range(0, len(arrays[0]) - size + 1, size):
            part = slice(first, first + size)
            alone = evaluate(*(array[part] for array in arrays), *others).outputs
            for name, values in batch.items():
                largest = np.abs(values).max(initial=0, where=np.isfinite(values))
                np.testing.assert_allclose(
                    alone[name], values[part], rtol=1e-13, atol=1e-14 * largest, err_msg=name
                )


def test_every_operation_agrees_with_that_of_a_batch(compiled, rng):
    check_alike(compiled(), states(rng, 40), VALUES, SPECIFIEDS, 0.5)


def test_what_is_compiled_can_be_read(compiled, loaded, rng):
    evaluate = compiled()
    one = evaluate.sources["one sample"]
    assert evaluate.sources == {"batch": evaluate.source, "one sample": one}
    assert one == f"#define LANES 1\n{evaluate.source}"
    assert load_library(one)
    numpy = compile_program(everything(), backend="numpy", **OPTIONS)
    assert numpy.sources == dict.fromkeys(["batch", "one sample"], numpy.source)


@pytest.mark.parametrize("first", [(), (3,)])
def test_it_is_compiled_when_first_asked_for(compiled, loaded, rng, first):
    evaluate = compiled()
    assert loaded == []
    evaluate(*states(rng, *first), VALUES, SPECIFIEDS, 0.5)
    assert loaded == [() if first else ONE_LANE]
    for batch in ((), (1,), (3,), (2,), (4, 1), ()):
        evaluate(*states(rng, *batch), VALUES, SPECIFIEDS, 0.5)
    assert loaded == [(), ONE_LANE][:: 1 if first else -1]


def test_several_threads_ask_at_once(compiled, loaded, rng):
    evaluate, given = compiled(), states(rng, 8)
    expected = evaluate(*given, VALUES, SPECIFIEDS, 0.5).functions
    with ThreadPoolExecutor(8) as pool:
        ask = lambda k: evaluate(*(x[k] for x in given), VALUES, SPECIFIEDS, 0.5).functions  # noqa: E731
        np.testing.assert_allclose(list(pool.map(ask, range(8))), expected, rtol=1e-13)
    assert loaded == [(), ONE_LANE]


@pytest.fixture
def refused_flags(monkeypatch):
    """The flags that a compiler fails with, for this text alone."""
    refused, asked = {()}, []

    def load(source, more=()):
        asked.append(more)
        if more in refused:
            raise CompilationError("out of memory")
        return load_library(source, more)

    monkeypatch.setattr(codes, "load_library", load)
    yield refused
    assert len(asked) == len(set(asked))


def test_where_it_cannot_be_compiled_batches_have_the_kernel(compiled, refused_flags, rng):
    refused_flags.add(ONE_LANE)
    refused_flags.discard(())
    check_alike(compiled(), states(rng, 4), VALUES, SPECIFIEDS, 0.5)


@pytest.mark.parametrize("batch", [(), (4,)])
def test_where_nothing_can_be_compiled_numpy_evaluates(refused_flags, rng, batch):
    """Said in the first call that needs it; with C alone it is an error."""
    refused_flags.add(ONE_LANE)
    given = *states(rng, *batch), VALUES, SPECIFIEDS, 0.5
    evaluate = compile_program(everything(), **OPTIONS)
    with pytest.warns(NoCompilerWarning, match="numpy evaluates instead.*out of memory"):
        found = evaluate(*given).outputs
    expected = compile_program(everything(), backend="numpy", **OPTIONS)(*given).outputs
    for again in (found, evaluate(*given).outputs):
        np.testing.assert_equal(again, expected)
    assert evaluate.backend == "numpy"


def test_what_one_sample_needs_was_compiled_and_batches_fail(compiled, refused_flags, rng):
    evaluate = compiled()
    evaluate(*states(rng), VALUES, SPECIFIEDS, 0.5)
    with pytest.raises(CompilationError, match="out of memory"):
        evaluate(*states(rng, 4), VALUES, SPECIFIEDS, 0.5)
    evaluate(*states(rng), VALUES, SPECIFIEDS, 0.5)
