"""Work spread over threads."""

import threading

import pytest

from jointwrench.codegen.threads import spread


def test_each_part_is_done_once():
    done = []
    spread(done.append, range(1000), 4)
    assert sorted(done) == list(range(1000))


def test_one_thread_is_this_one():
    threads = set()
    spread(lambda part: threads.add(threading.get_ident()), range(10), 1)
    assert threads == {threading.get_ident()}


def test_all_threads_take_part():
    meeting = threading.Barrier(3, timeout=60)  # passed only if three parts are under way at once
    spread(lambda part: meeting.wait(), range(3), 3)


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
        spread(work, range(5), 2)
    count = len(done)
    spread(done.append, [-1], 2)  # the pool has come to rest and is still of use
    assert len(done) == count + 1
