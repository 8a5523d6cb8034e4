"""Python's collection of garbage waits while models are derived, and comes back."""

import gc
from threading import Barrier, Thread

import pytest

from jointwrench.checks.paused_gc import garbage_collection_paused


@pytest.fixture
def switched_on():
    was_on = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_on else gc.disable)()


def test_it_comes_back_after_errors_and_within_each_other(switched_on):
    def work():
        with garbage_collection_paused():
            with garbage_collection_paused():
                assert not gc.isenabled()
            assert not gc.isenabled()
            raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        work()
    assert gc.isenabled()


def test_who_has_switched_it_off_finds_it_off(switched_on):
    gc.disable()
    with garbage_collection_paused():
        pass
    assert not gc.isenabled()


def test_the_last_of_several_threads_switches_it_on(switched_on):
    barrier, seen = Barrier(4), []

    def work():
        for _ in range(50):
            with garbage_collection_paused():
                barrier.wait()
                seen.append(gc.isenabled())
                barrier.wait()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 200
    assert not any(seen)
    assert gc.isenabled()
