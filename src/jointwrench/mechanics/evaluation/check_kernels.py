"""The inputs of checks of motions, and the kernels that checks evaluate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from .array_arguments import describe_sample
from .backends.numpy_code import NumpyCode

#: Number of samples that are checked together.
CHUNK = 1024


class CheckInputs(NamedTuple):
    """The inputs of a call to check.

    Attributes
    ==========

    widths : mapping of str to int
        The number of inputs in each group.
    columns : mapping of str to mapping of int to numpy.ndarray
        The values of inputs by group and position.
    batch : tuple of int
        The batch axes.
    """

    widths: Mapping[str, int]
    columns: Mapping[str, Mapping[int, np.ndarray]]
    batch: tuple[int, ...]

    def rows(self, samples: np.ndarray) -> dict[str, np.ndarray]:
        """Return the inputs of samples, (number of samples, width) by group, zero where missing."""
        batch = self.batch or (1,)
        where = np.unravel_index(samples, batch)
        rows = {name: np.zeros((len(samples), width)) for name, width in self.widths.items()}
        for name, columns in self.columns.items():
            for place, column in columns.items():
                rows[name][:, place] = np.broadcast_to(column, batch)[where]
        return rows

    def parts(self, samples: np.ndarray) -> Iterator[dict[str, np.ndarray]]:
        """Yield the inputs of some samples at a time that have the same constants."""
        is_alike = all(x.size == 1 for x in self.columns["constants"].values())
        size = CHUNK if is_alike else 1
        return map(self.rows, np.split(samples, range(size, len(samples), size)))

    def describe_sample(self, sample: int) -> str:
        """Return a sample's position in the batch, for messages."""
        return describe_sample(self.batch, sample)


class CheckKernel(NamedTuple):
    """Numpy code of a check.

    Attributes
    ==========

    source : str
        The code.
    modules : sequence of str
        The modules it imports.
    shapes : sequence of tuple of int
        The shapes of its outputs.
    used : sequence of (str, int)
        The group and position of each input it uses.
    """

    source: str
    modules: Sequence[str]
    shapes: Sequence[Sequence[int]]
    used: Sequence[tuple[str, int]]

    def evaluate(self, rows: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Return the outputs (..., *shape) for rows (..., width) with the same constants."""
        batch = rows["q"].shape[:-1]
        outputs = [np.zeros(prod(batch) * prod(shape)) for shape in self.shapes]
        inputs, strides = [], []
        for name, own in rows.items():
            is_one = name == "constants"
            inputs.append((own[(0,) * len(batch)] if is_one else own).reshape(-1))
            strides.append(0 if is_one else own.shape[-1])
        code = NumpyCode(self.source, tuple(self.modules))
        code.run(prod(batch), tuple(inputs), tuple(strides), tuple(outputs))
        pairs = zip(outputs, self.shapes, strict=True)
        return [x.reshape(*batch, *shape) for x, shape in pairs]


class LazyCheckKernel:
    """A check whose kernel may be made at the first request."""

    def __init__(self, code: Callable[[], CheckKernel] | CheckKernel) -> None:
        self._code = code

    @property
    def code(self) -> CheckKernel:
        """The kernel, made at the first request."""
        if callable(self._code):
            self._code = self._code()
        return self._code
