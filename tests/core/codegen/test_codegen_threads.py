"""Work spread over threads."""

import subprocess
import sys
import threading
import time

import pytest

from jointwrench.mechanics.evaluation.batch import run_in_threads


def test_each_part_is_done_once():
    done = []
    run_in_threads(done.append, range(1000), 4)
    assert sorted(done) == list(range(1000))


def test_one_thread_is_this_one():
    threads = set()
    run_in_threads(lambda part: threads.add(threading.get_ident()), range(10), 1)
    assert threads == {threading.get_ident()}


def test_all_threads_take_part():
    meeting = threading.Barrier(3, timeout=60)  # passed only if three parts are under way at once
    run_in_threads(lambda part: meeting.wait(), range(3), 3)


@pytest.mark.parametrize("here", [True, False])
def test_an_error_ends_the_others_and_is_raised(here):
    caller, meeting, done = threading.get_ident(), threading.Barrier(2, timeout=60), []

    def work(part):
        if part < 2:
            meeting.wait()
            if here == (threading.get_ident() == caller):
                raise MemoryError("no room")
        done.append(part)

    with pytest.raises(MemoryError, match="no room"):
        run_in_threads(work, range(5), 2)
    count = len(done)
    time.sleep(0.01)
    assert len(done) == count  # all have come to rest


@pytest.mark.parametrize("most", [0, 1])
def test_this_one_does_what_the_others_refuse(most, monkeypatch):
    start, started = threading.Thread.start, []

    def refuse(thread):
        if len(started) == most:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    done = []
    monkeypatch.setattr(threading.Thread, "start", refuse)
    run_in_threads(done.append, range(1000), 3)
    assert sorted(done) == list(range(1000))
    assert len(started) == most
    assert not any(thread.is_alive() for thread in started)


def test_while_the_interpreter_is_ending():
    script = (
        "import atexit; from jointwrench.mechanics.evaluation.batch import run_in_threads; "
        "done = []; work = lambda: run_in_threads(done.append, range(5), 2); "
        "atexit.register(lambda: (work(), print(sorted(done))))"
    )
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert printed.stdout == "[0, 1, 2, 3, 4]\n", printed.stderr


INTERRUPTED = """
import signal, threading, time, _thread
import numpy as np
import jointwrench as jw
from jointwrench.extend import DeclaredOutput

def long(model):
    value = model.scalar(model.coordinates[0])
    for _ in range(1500):
        value = 3.7 * value * (1 - value)
    return [value]

outputs = [DeclaredOutput("long", (1,), long)]
idyn = jw.InverseDynamics(jw.SerialChain.planar(1).system, outputs=outputs)
q = np.full((8_000_000, 1), 0.3)  # some 5 s on each thread
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have background jobs ignore it
for threads in (1, 2):
    evaluate = idyn.compile("long", backend="c", threads=threads)
    whole = evaluate(q[:50_000])
    assert (whole.long == evaluate(q[:7]).long[0]).all()
    threading.Timer(0.2, _thread.interrupt_main).start()
    start = time.perf_counter()
    try:
        evaluate(q)
    except KeyboardInterrupt:
        print(time.perf_counter() - start)
"""


def test_a_large_batch_hears_ctrl_c():
    """On one thread and on two."""
    command = [sys.executable, "-c", INTERRUPTED]
    printed = subprocess.run(command, capture_output=True, text=True)
    seconds = [float(line) for line in printed.stdout.split()]
    assert len(seconds) == 2, printed.stderr
    assert all(0.15 < x < 4 for x in seconds), seconds
