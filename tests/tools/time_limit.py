"""A limit for the processor time of a test, which ends it."""

import contextlib
import signal

import pytest


@contextlib.contextmanager
def at_most(seconds):
    """Fail if the block takes more processor time, on systems that have such timers."""

    def stop(*_):
        pytest.fail(f"more than {seconds} s of processor time", pytrace=False)

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
