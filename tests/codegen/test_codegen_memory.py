"""Large results take the memory of earlier ones that nobody can see any more."""

import gc
import multiprocessing
import os
import warnings

import numpy as np
import pytest
from codegen_programs import OPTIONS, VALUES, everything, states

from jointwrench.evaluation.backends import memory
from jointwrench.evaluation.backends.memory import LARGE, new_array
from jointwrench.evaluation.compilation import compile_program

pytestmark = pytest.mark.skipif(os.name == "nt", reason="arrays are numpy's there")

SHAPE = (LARGE // 32, 4)


@pytest.fixture(autouse=True)
def kept(monkeypatch):
    """What is kept: nothing at first."""
    gc.collect()
    kept = []
    monkeypatch.setattr(memory, "_kept", kept)
    return kept


def address(array):
    return array.ctypes.data


def test_memory_is_used_again_only_when_nobody_can_see_it():
    array = new_array(SHAPE)
    array[:] = 7.0
    first = address(array)
    views = {
        "view of a view": array.reshape(-1)[10:][::2].reshape(-1, 1),
        "buffer": memoryview(array[1:])[1:],
        "subclass": array[5:].view(np.matrix),
        "iterator": array.flat,
    }
    del array
    while views:
        assert address(new_array(SHAPE)) != first, list(views)
        assert np.asarray(next(iter(views.values()))).ravel()[0] == 7.0
        views.popitem()
    assert first in (address(new_array(SHAPE)), address(new_array(SHAPE)))


def test_living_arrays_do_not_overlap(kept):
    for _ in range(3):
        arrays = [new_array(SHAPE) for _ in range(3)]
        for k, array in enumerate(arrays):
            array[:] = k
        assert [np.ptp(array) for array in arrays] == [0, 0, 0]
        assert [array[0, 0] for array in arrays] == [0, 1, 2]
        del arrays, array
    assert len(kept) == 3


def test_arrays_are_like_those_of_numpy():
    for shape in (SHAPE, (2, LARGE), (3,), (0, 4), ()):
        array = new_array(shape)
        assert (array.shape, array.dtype, array.flags.carray) == (shape, np.float64, True)


def test_only_so_much_is_kept(kept, monkeypatch):
    monkeypatch.setattr(memory, "MOST_KEPT", 2 * LARGE)
    arrays = [new_array((LARGE // 8 + k,)) for k in range(2)] + [new_array((LARGE // 8,))]
    sizes = [array.nbytes for array in arrays]
    while arrays:
        del arrays[0]
    assert [len(memory) for memory in kept] == sizes[2:]
    new_array((2 * LARGE,))
    assert [len(memory) for memory in kept] == sizes[2:]


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [(2**52, MemoryError, "Unable to allocate"), (2**62, ValueError, "array is too big|dimension")],
)
def test_what_has_no_room(rows, error, words):
    with pytest.raises(error, match=words):
        new_array((rows, 4))


def test_without_advice(monkeypatch, kept):
    """Systems that know no advice, and no private memory at all."""
    monkeypatch.delattr(memory.mmap, "MADV_HUGEPAGE", raising=False)
    monkeypatch.setattr(memory.mmap, "MADV_FREE", 12345, raising=False)
    new_array(SHAPE)[:] = 1.0
    assert len(kept) == 1
    monkeypatch.delattr(memory.mmap, "MAP_PRIVATE")
    assert new_array(SHAPE).flags.owndata


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_large_results(backend, rng):
    evaluate = compile_program(everything(), backend=backend, **OPTIONS)
    samples = LARGE // (31 * 8) + 1
    given = states(rng, samples), states(rng, samples)
    results = [evaluate(*state, VALUES, {"F": 0.3, "r": 1.0}, 0.5).outputs for state in given]
    first = address(results[0]["functions"])
    expected = [results[k]["functions"].copy() for k in range(2)]
    for k in range(2):
        np.testing.assert_array_equal(results[k].pop("functions"), expected[k])
    again = evaluate(*given[0], VALUES, {"F": 0.3, "r": 1.0}, 0.5).outputs["functions"]
    np.testing.assert_array_equal(again, expected[0])
    assert address(again) == first


def _fill(array, value):
    array[:] = value
    new_array(SHAPE)[:] = value


def test_processes_do_not_share_it():
    array, _ = new_array(SHAPE), new_array(SHAPE)
    array[:], _ = 1.0, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        process = multiprocessing.get_context("fork").Process(target=_fill, args=(array, 2.0))
        process.start()
        process.join()
    assert process.exitcode == 0
    assert (array == 1).all()
