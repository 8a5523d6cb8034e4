"""Rows of numbers for a batch, divided into runs for a kernel and for threads.

Contiguous rows of double precision are passed on without a copy.  Others are copied one run at a
time, so that the required memory does not grow with the batch.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from threading import Thread
from typing import Any, TypeVar

import numpy as np

from ...checks.numbers import check_integer

#: The number of rows in a run for which something is copied.
LONGEST_RUN = 8192

#: More threads than any machine has processors.
MOST_THREADS = 2**15


@dataclass(frozen=True)
class Run:
    """``count`` consecutive rows of a batch from ``first`` on, which ``index`` selects."""

    index: tuple[Any, ...]
    first: int
    count: int


def shares(batch: tuple[int, ...], count: int) -> list[Run]:
    """Return a batch as ``count`` runs of nearly equal length, for rows that need no copy."""
    rows = prod(batch)
    bounds = [rows * k // count for k in range(count + 1)]
    return [Run((), a, b - a) for a, b in pairwise(bounds)]


def runs(batch: tuple[int, ...], longest: int) -> Iterator[Run]:
    """Yield a batch as runs of at most ``longest`` rows, for rows that are copied."""
    if prod(batch) <= longest:
        yield Run((), 0, prod(batch))
        return
    inner = prod(batch[1:])
    if inner <= longest:
        step = longest // inner
        for first in range(0, batch[0], step):
            last = min(first + step, batch[0])
            yield Run((slice(first, last),), first * inner, (last - first) * inner)
        return
    for k in range(batch[0]):
        for run in runs(batch[1:], longest):
            yield Run((k, *run.index), k * inner + run.first, run.count)


def _plain(array: np.ndarray) -> np.ndarray:
    """Return an array as contiguous, aligned numbers of double precision in one axis."""
    plain = np.ascontiguousarray(array, dtype=np.float64).reshape(-1)
    return plain if plain.flags.aligned else plain.copy()


class Rows:
    """An array of rows: shape (..., width), any real type, any memory layout.

    Attributes
    ==========

    array : numpy.ndarray
        The rows.
    shape : tuple of int
        The batch axes, before broadcasting.
    stride : int
        The distance between the rows that `take` returns, in numbers.
    """

    #: Whether a kernel can take the rows without a copy.
    is_direct = False

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.shape, self.stride = array.shape[:-1], array.shape[-1]

    def broadcast_to(self, batch: tuple[int, ...]) -> "Rows":
        """Return these rows for a batch with the given axes."""
        array, width = self.array, self.stride
        if array.size == width:
            return DirectRows(_plain(array), 0)
        is_plain = array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned
        if is_plain and self.shape == batch:
            return DirectRows(array.reshape(-1), width)
        return Rows(np.broadcast_to(array, (*batch, width)))

    @property
    def columns(self) -> dict[int, np.ndarray]:
        """The known columns of the rows, by position."""
        return {place: self.array[..., place] for place in range(self.stride)}

    def take(self, run: Run) -> np.ndarray:
        """Return the numbers of a run, contiguous and of double precision."""
        return _plain(self.array[run.index])


class DirectRows(Rows):
    """Rows in the memory layout of kernels; the stride 0 means one row for all samples."""

    is_direct = True

    def __init__(self, numbers: np.ndarray, stride: int) -> None:
        self.array, self.stride = numbers, stride

    def take(self, run: Run) -> np.ndarray:
        first, stride = run.first, self.stride
        return self.array[first * stride : (first + run.count) * stride] if stride else self.array


class ColumnRows(Rows):
    """Rows that are assembled from columns of any shape; missing columns are zero."""

    def __init__(
        self, width: int, shape: tuple[int, ...], columns: Mapping[int, np.ndarray]
    ) -> None:
        self.stride, self.shape, self._columns = width, shape, dict(columns)

    @property
    def columns(self) -> dict[int, np.ndarray]:
        return self._columns

    def broadcast_to(self, batch: tuple[int, ...]) -> Rows:
        if prod(self.shape) == 1 or not self._columns:
            row = np.zeros(self.stride)
            for place, column in self._columns.items():
                row[place] = column.reshape(())
            return DirectRows(row, 0)
        columns = {k: np.broadcast_to(column, batch) for k, column in self._columns.items()}
        return ColumnRows(self.stride, batch, columns)

    def take(self, run: Run) -> np.ndarray:
        rows = np.zeros((run.count, self.stride))
        for place, column in self._columns.items():
            rows[:, place] = column[run.index].reshape(-1)
        return rows.reshape(-1)


Task = TypeVar("Task")


def check_threads(number: Any) -> int:
    """Return a number of threads after a check."""
    threads = check_integer("threads", number)
    if threads > MOST_THREADS:
        raise ValueError(
            f"`threads` must be at most {MOST_THREADS}, got {threads}. Use os.cpu_count()."
        )
    return threads


def run_in_threads(work: Callable[[Task], None], parts: Iterable[Task], threads: int) -> None:
    """Call ``work`` for all parts, in this thread and in further ones that can be started."""
    rest, errors = iter(tuple(parts)), list[BaseException]()

    def work_off() -> None:
        try:
            for part in rest:
                work(part)
        except BaseException as error:
            errors.append(error)
            tuple(rest)  # exhaust the parts, so that other threads end

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
