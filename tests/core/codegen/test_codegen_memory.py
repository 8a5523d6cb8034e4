"""Large results take the memory of earlier ones that nobody can see any more."""

import gc
import multiprocessing
import os
import sys
import warnings
import weakref

import numpy as np
import pytest
from codegen_programs import OPTIONS, VALUES, everything, states

from jointwrench.mechanics.evaluation.backends.function import new_array
from jointwrench.mechanics.evaluation.compilation import compile_program

pytestmark = pytest.mark.skipif(new_array is np.empty, reason="the extension was not built")

LARGE = 2**17

#: Of memory that the system may take back while nobody uses it.
HUGE = (2**18, 3)

SHAPE = (LARGE // 32, 4)


@pytest.fixture(autouse=True, scope="module")
def _without_what_others_made():
    """Let collections of garbage here look at what is made here."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def native():
    """The extension, which keeps nothing at first."""
    native = pytest.importorskip("jointwrench.mechanics.evaluation.backends._native")
    gc.collect()
    before = native.keep_at_most(0)
    assert native.kept() == 0
    native.keep_at_most(before)
    yield native
    native.keep_at_most(before)


def address(array):
    return array.ctypes.data


def test_memory_is_used_again_only_when_nobody_can_see_it():
    array = new_array(SHAPE)
    array[:] = 7.0
    first = address(array)
    views = {"view of a view": array.reshape(-1)[10:][::2].reshape(-1, 1), "iterator": array.flat}
    views |= {"buffer": memoryview(array[1:])[1:], "subclass": array[5:].view(np.matrix)}
    del array
    while views:
        assert address(new_array(SHAPE)) != first, list(views)
        assert np.asarray(next(iter(views.values()))).ravel()[0] == 7.0
        views.popitem()
    assert first in (address(new_array(SHAPE)), address(new_array(SHAPE)))


@pytest.mark.parametrize("shape", [SHAPE, HUGE])
def test_living_arrays_do_not_overlap(native, shape):
    for _ in range(3):
        arrays = [new_array(shape) for _ in range(3)]
        for k, array in enumerate(arrays):
            array[:] = k
        assert [np.ptp(array) for array in arrays] == [0, 0, 0]
        assert [array[0, 0] for array in arrays] == [0, 1, 2]
        size = sum(array.nbytes for array in arrays)
        del arrays, array
    assert native.kept() == size


def test_arrays_are_like_those_of_numpy():
    for shape in (SHAPE, HUGE, (LARGE // 8,), (3,), (0, 4), ()):
        array = new_array(shape)
        assert (array.shape, array.dtype, array.flags.carray) == (shape, np.float64, True)
        assert array.ctypes.data % 64 == 0 or array.nbytes < LARGE


def test_small_ones_are_left_to_numpy(native):
    new_array((LARGE // 8 - 1,))
    assert native.kept() == 0


def test_only_so_many_bytes_are_kept(native):
    native.keep_at_most(2 * LARGE + 24)
    arrays = [new_array((LARGE // 8 + k,)) for k in (0, 1, 2)]
    while arrays:
        del arrays[0]
    assert native.kept() == 2 * LARGE + 24  # the first one gave way
    last = new_array((LARGE // 8 + 2,))
    assert native.kept() == LARGE + 8
    del last
    new_array((2 * LARGE // 8 + 4,))
    assert native.kept() == 2 * LARGE + 24  # there is no room for it


@pytest.mark.skipif(sys.platform != "linux", reason="sysconf names the machine's memory")
def test_default_bound_is_an_eighth_of_the_memory(native):
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    assert abs(native.keep_at_most(0) - max(2**29, memory / 8)) < 2**21


def test_only_so_many_arrays_are_kept(native):
    arrays = [new_array((LARGE // 8 + k,)) for k in range(40)]
    sizes = [array.nbytes for array in arrays]
    while arrays:
        del arrays[0]
    assert native.kept() == sum(sizes[-32:])


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [(2**52, MemoryError, "Unable to allocate"), (2**62, ValueError, "array is too big|dimension")],
)
def test_what_has_no_room(rows, error, words):
    with pytest.raises(error, match=words):
        new_array((rows, 4))


def _fill(array, value):
    array[:] = value
    new_array(SHAPE)[:] = value


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked there")
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


def test_one_sample_takes_an_array_again_only_when_nobody_can_see_it(rng):
    evaluate = compile_program(everything(), backend="c", **OPTIONS)

    def forces():
        return evaluate(*states(rng), VALUES, {"F": 0.3, "r": -1.2}, 0.5).generalized_forces

    seen = [forces() for _ in range(4)]
    views = [seen[0][1:], memoryview(seen[1]), seen[2].flat]
    expected = [array.copy() for array in seen]
    seen[3].flags.writeable = False
    del seen
    later = [forces() for _ in range(9)]
    assert len(set(map(address, later))) == 9
    assert all(array.flags.carray and array.flags.owndata for array in later)
    np.testing.assert_array_equal(views[0], expected[0][1:])
    for view, values in zip(views[1:], expected[1:3], strict=True):
        np.testing.assert_array_equal(list(view), values)
    del later
    assert len({address(forces()) for _ in range(9)}) <= 2
    array = forces()
    expected, reference = array.copy(), weakref.ref(array)
    del array
    forces()
    np.testing.assert_array_equal(reference(), expected)
