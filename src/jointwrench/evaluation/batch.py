"""Rows of numbers for a batch, cut into runs that a kernel can take, and shared among threads.

What lies in memory as a kernel wants it, one row of double precision behind the
other, is handed over as it is.  Everything else (broadcast, strided, of another
type) is copied in small pieces, one run at a time, so that the memory needed
does not grow with the batch.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from threading import Thread
from typing import Any, TypeVar

import numpy as np

#: The number of rows in a run for which something is copied.
LONGEST_RUN = 8192


@dataclass(frozen=True)
class Run:
    """``count`` consecutive rows of a batch from ``first`` on, which ``index`` selects."""

    index: tuple[Any, ...]
    first: int
    count: int


def shares(batch: tuple[int, ...], count: int) -> list[Run]:
    """Return a batch as runs of nearly equal length, for rows that need no copy."""
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
    """Return numbers in a row, as a kernel takes them: of double precision, aligned."""
    plain = np.ascontiguousarray(array, dtype=np.float64).reshape(-1)
    return plain if plain.flags.aligned else plain.copy()


class Rows:
    """An array of rows: shape (..., width), any real type, any layout."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.width = array.shape[-1]

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch axes, which are yet to be broadcast."""
        return self.array.shape[:-1]

    def prepare(self, batch: tuple[int, ...]) -> "Rows":
        """Return these rows for a batch of a known shape."""
        if self.array.size == self.width:
            return RepeatedRow(self.array)
        array = self.array
        is_plain = array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned
        if is_plain and array.shape[:-1] == batch:
            return ContiguousRows(array)
        return Rows(np.broadcast_to(self.array, (*batch, self.width)))

    @property
    def columns(self) -> dict[int, np.ndarray]:
        """The numbers of all rows by their place in the row, as far as they are known."""
        return {place: self.array[..., place] for place in range(self.width)}

    #: Whether a kernel can take the rows without a copy.
    is_direct = False

    @property
    def stride(self) -> int:
        """The distance from row to row in what `take` returns."""
        return self.width

    def take(self, run: Run) -> np.ndarray:
        """Return the numbers of a run, contiguous and of double precision."""
        return _plain(self.array[run.index])


class RepeatedRow(Rows):
    """One row for the whole batch."""

    is_direct = True
    stride = 0

    def __init__(self, array: np.ndarray) -> None:
        super().__init__(_plain(array))

    def take(self, run: Run) -> np.ndarray:
        """Return the row."""
        return self.array


class ContiguousRows(Rows):
    """Rows that lie in memory as a kernel wants them."""

    is_direct = True

    def __init__(self, array: np.ndarray) -> None:
        super().__init__(array)
        self._flat = array.reshape(-1)

    def take(self, run: Run) -> np.ndarray:
        """Return the numbers of a run, in place."""
        return self._flat[run.first * self.width : (run.first + run.count) * self.width]


class ColumnRows(Rows):
    """Rows that are put together of columns, each of its own shape; those not given are zero."""

    def __init__(
        self, width: int, shape: tuple[int, ...], columns: Mapping[int, np.ndarray]
    ) -> None:
        self.width = width
        self._shape = shape
        self._columns = dict(columns)

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch axes, which are yet to be broadcast."""
        return self._shape

    @property
    def columns(self) -> dict[int, np.ndarray]:
        """The numbers of all rows by their place in the row, as far as they are known."""
        return self._columns

    def prepare(self, batch: tuple[int, ...]) -> Rows:
        """Return these rows for a batch of a known shape."""
        if prod(self._shape) == 1 or not self._columns:
            row = np.zeros(self.width)
            for place, column in self._columns.items():
                row[place] = column.reshape(())
            return RepeatedRow(row)
        columns = {k: np.broadcast_to(column, batch) for k, column in self._columns.items()}
        return ColumnRows(self.width, batch, columns)

    def take(self, run: Run) -> np.ndarray:
        """Return the numbers of a run, contiguous and of double precision."""
        rows = np.zeros((run.count, self.width))
        for place, column in self._columns.items():
            rows[:, place] = column[run.index].reshape(-1)
        return rows.reshape(-1)


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
