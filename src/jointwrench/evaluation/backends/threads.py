"""The threads among which large batches are split."""

import contextlib
from collections.abc import Callable, Iterable
from threading import Thread
from typing import TypeVar

Task = TypeVar("Task")


def spread(work: Callable[[Task], None], parts: Iterable[Task], threads: int) -> None:
    """Do all parts of some work, in this thread and in ``threads`` - 1 others.

    Each thread takes the next part when it has done one.  When this returns or
    raises, the others are done.  Where no thread can be started, as when the
    interpreter is ending, this one does all there is to do.
    """
    rest, errors = iter(tuple(parts)), list[BaseException]()

    def work_off() -> None:
        try:
            for part in rest:
                work(part)
        except BaseException as error:
            errors.append(error)
            tuple(rest)  # the others find nothing more to do

    others = []
    with contextlib.suppress(RuntimeError):
        for _ in range(threads - 1):
            other = Thread(target=work_off)
            other.start()
            others.append(other)
    work_off()
    for other in others:
        other.join()
    if errors:
        raise errors[0]
