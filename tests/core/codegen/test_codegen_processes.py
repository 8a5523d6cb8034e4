"""Forks, signals, pools and faults of folders while a model is compiled: no hang, right numbers."""

import ctypes
import multiprocessing
import os
import pickle
import shutil
import signal
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from jointwrench import InverseDynamics, SerialChain
from jointwrench.mechanics.codegen.toolchain import tuning
from jointwrench.mechanics.codegen.toolchain.compiler import (
    CompilationError,
    NoCompilerWarning,
    temporary_folder,
)

no_shell = pytest.mark.skipif(os.name == "nt", reason="uses a shell script as compiler")
forks = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
pytestmark = [pytest.mark.optimised, no_shell, forks]

Q = np.full((50, 2), 0.3)
SLOW = 'sleep 0.7; exec cc "$@"'


def model():
    return InverseDynamics(SerialChain.planar(2, gravity=(0, -9.81, 0)).system)


@pytest.fixture(scope="module")
def expected():
    return total(model().compile("joint_wrenches", backend="numpy"))


def total(evaluate):
    constants = dict.fromkeys(evaluate.constants, 1.0) if hasattr(evaluate, "constants") else None
    constants = constants or {name: 1.0 for name in ("l_0", "l_1", "m_0", "m_1", "I_0", "I_1")}
    return float(evaluate(Q, Q, Q, constants).joint_wrenches.sum())


@pytest.fixture
def compiling(compiler, own_cache):
    """An evaluator that another thread is compiling, and the list of the thread's results."""
    evaluate, found = model().compile("joint_wrenches", backend="c"), []
    compiler(SLOW)
    thread = threading.Thread(target=lambda: found.append(total(evaluate)))
    thread.start()
    time.sleep(0.2)
    assert thread.is_alive()
    yield evaluate, found
    thread.join()


def in_fork(work, seconds=60):
    """Return the result of work in a forked process."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sender.send(work()))
    child.start()
    try:
        assert receiver.poll(seconds), "the child does not return"
        return receiver.recv()
    finally:
        child.kill()
        child.join()


def test_fork_while_a_thread_compiles(compiling, expected):
    evaluate, found = compiling
    assert in_fork(lambda: total(evaluate)) == pytest.approx(expected)
    assert in_fork(lambda: total(model().compile("joint_wrenches"))) == pytest.approx(expected)
    while not found:
        time.sleep(0.01)
    assert found == [pytest.approx(expected)]
    assert in_fork(lambda: total(evaluate)) == found[0]


def test_fork_while_a_thread_derives(expected):
    idyn, is_over = model(), threading.Event()

    def derive():
        with idyn._derivation.graph.lock:
            is_over.wait(60)

    thread = threading.Thread(target=derive)
    thread.start()
    try:
        found = in_fork(lambda: total(idyn.compile("joint_wrenches", backend="numpy")))
    finally:
        is_over.set()
        thread.join()
    assert found == pytest.approx(expected)


def test_pool_of_forked_processes(compiling, expected):
    evaluate, _ = compiling
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(total, [evaluate] * 3).get(60)
    assert found == [pytest.approx(expected)] * 3


def test_fork_leaves_the_folder_to_its_maker(folder):
    with temporary_folder() as made:
        child = os.fork()
        if child == 0:
            try:
                made.write("x", b"")
                raise SystemExit  # as at the end of a program
            except SystemExit:
                os._exit(0)
        os.waitpid(child, 0)
        assert made.path.exists()
    assert [*folder.iterdir()] == []


def test_signal_handler_while_its_thread_compiles(compiler, own_cache, expected):
    evaluate, found = model().compile("joint_wrenches", backend="c"), []
    compiler(SLOW)
    before = signal.signal(signal.SIGUSR1, lambda *_: found.append(total(evaluate)))
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        timer.start()
        found.append(total(evaluate))
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)
    assert found == [pytest.approx(expected)] * 2


@pytest.mark.slow
def test_spawned_processes(own_cache, expected):
    evaluate = pickle.loads(pickle.dumps(model().compile("joint_wrenches")))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(pickle.dumps, evaluate).result(120)
    assert total(evaluate) == pytest.approx(expected)


def test_workers_of_dask(own_cache, expected):
    dask = pytest.importorskip("dask", reason="needs dask (pip install dask)")
    evaluate = model().compile("joint_wrenches")
    jobs = [dask.delayed(total)(evaluate) for _ in range(3)]
    for scheduler in ("threads", "synchronous"):
        assert dask.compute(*jobs, scheduler=scheduler) == (pytest.approx(expected),) * 3


# -- faults of folders ---------------------------------------------------------------------


def numpy_evaluates(expected):
    """Whether one warning says that numpy evaluates, and the numbers are right."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate = model().compile("joint_wrenches")
        assert total(evaluate) == pytest.approx(expected)
    assert [warning.category for warning in caught] == [NoCompilerWarning], caught
    return evaluate.backend == "numpy"


def test_temporary_folder_that_is_removed_while_compiling(compiler, own_cache, expected):
    compiler('rm -rf "$PWD"; exec cc "$@"')
    assert numpy_evaluates(expected)


def test_cache_that_is_removed_while_compiling(compiler, own_cache, expected):
    compiler(f"rm -rf '{own_cache}'; exec cc \"$@\"")
    assert total(model().compile("joint_wrenches", backend="c")) == pytest.approx(expected)
    assert len([*own_cache.glob("*.so")]) == 1


@pytest.mark.parametrize("make", ["mkfifo", "touch", "mkdir", "ln -s /dev/tty"])
def test_strange_files_among_the_temporary_ones(folder, own_cache, expected, make):
    path = folder / "jointwrench-compiles-x"
    os.system(f"{make} '{path}'")
    os.utime(path, (0, 0), follow_symlinks=False)
    assert total(model().compile("joint_wrenches", backend="c")) == pytest.approx(expected)


def test_temporary_folder_that_others_can_change(folder, own_cache, expected):
    folder.chmod(0o777)
    with pytest.raises(CompilationError, match=r"nobody else can change[\s\S]*chmod go-w"):
        model().compile("joint_wrenches", backend="c")(Q, Q, Q, None)
    assert numpy_evaluates(expected)
    assert [*folder.iterdir()] == []


@pytest.fixture
def nothing_known(own_cache, monkeypatch):
    """A cache without flags, which are measured as for users."""
    monkeypatch.delenv("JOINTWRENCH_TUNING")
    monkeypatch.setattr(
        "jointwrench.mechanics.codegen.toolchain.library.choose_flags", tuning.choose_flags
    )
    return own_cache


def forbid(monkeypatch, *folders):
    """Let no library be executed in some folders, nor in anonymous files."""
    load = ctypes.CDLL

    def allowed(path):
        if any(path.startswith(str(folder)) for folder in folders):
            raise OSError(f"{path}: failed to map segment from shared object")
        return load(path)

    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", allowed)


def test_libraries_are_tried_where_they_are_cached(folder, nothing_known, expected, monkeypatch):
    forbid(monkeypatch, folder)
    monkeypatch.setattr(tuning, "_ROUNDS", 3)
    assert total(model().compile("joint_wrenches", backend="c")) == pytest.approx(expected)
    assert tuning.choose_tuning() != "plain"


def test_where_no_library_can_be_executed(folder, nothing_known, expected, monkeypatch):
    forbid(monkeypatch, folder, nothing_known)
    began = time.process_time()
    assert numpy_evaluates(expected)
    assert time.process_time() - began < 5  # not all flags were tried
    with pytest.raises(CompilationError, match="failed to map segment"):
        model().compile("joint_wrenches", backend="c")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can mount")
def test_noexec_folders(folder, nothing_known, expected, monkeypatch):
    """On Linux, libraries in anonymous files are executed all the same."""
    if shutil.which("mount") is None or os.system(
        f"mount -t tmpfs -o noexec,mode=700 tmpfs '{folder}' 2>&1"
    ):
        pytest.skip("nothing can be mounted here")
    try:
        monkeypatch.setattr(tuning, "_ROUNDS", 3)
        monkeypatch.setenv("JOINTWRENCH_CACHE", str(folder / "cache"))
        for _ in range(2):
            assert total(model().compile("joint_wrenches", backend="c")) == pytest.approx(expected)
        assert tuning.choose_tuning() != "plain"
    finally:
        os.system(f"umount '{folder}'")
