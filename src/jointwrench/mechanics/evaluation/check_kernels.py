"""What a look at motions is given, and code that it evaluates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from .array_arguments import describe_sample
from .backends.numpy_code import NumpyCode

#: How many samples are looked at together.
CHUNK = 1024


class CheckInputs(NamedTuple):
    """What an evaluator was given: by groups their widths and columns, and the batch's shape."""

    widths: Mapping[str, int]
    columns: Mapping[str, Mapping[int, np.ndarray]]
    batch: tuple[int, ...]

    def rows(self, samples: np.ndarray) -> dict[str, np.ndarray]:
        """Return rows (number of samples, width) of each group; what is not given is zero."""
        batch = self.batch or (1,)
        where = np.unravel_index(samples, batch)
        rows = {name: np.zeros((len(samples), width)) for name, width in self.widths.items()}
        for name, columns in self.columns.items():
            for place, column in columns.items():
                rows[name][:, place] = np.broadcast_to(column, batch)[where]
        return rows

    def parts(self, samples: np.ndarray) -> Iterator[dict[str, np.ndarray]]:
        """Return rows of samples with the same constants, some at a time."""
        is_alike = all(x.size == 1 for x in self.columns["constants"].values())
        size = CHUNK if is_alike else 1
        return map(self.rows, np.split(samples, range(size, len(samples), size)))

    def describe_sample(self, sample: int) -> str:
        """Return a sample's place in the batch, for messages."""
        return describe_sample(self.batch, sample)


class CheckKernel(NamedTuple):
    """Code of some outputs of shapes; which inputs are used, by their places in groups."""

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
    """A look's code, or what makes it when it is first asked for."""

    def __init__(self, code: Callable[[], CheckKernel] | CheckKernel) -> None:
        self._code = code

    @property
    def code(self) -> CheckKernel:
        """The code, which is made when it is asked for."""
        if callable(self._code):
            self._code = self._code()
        return self._code
