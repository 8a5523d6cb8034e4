"""Numpy code of a program."""

import copy
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .function import Arrays, Function, Signature

#: Number of samples that are computed together, which bounds the memory used.
CHUNK = 4096


class NumpyCode(Function):
    """Python code that works on arrays, in chunks of the batch."""

    backend = "numpy"

    def __init__(self, source: str, modules: tuple[str, ...]) -> None:
        self.source = self.single_source = source
        self.recipe = "numpy", source, modules
        namespace: dict[str, Any] = {}
        for module in modules:
            importlib.import_module(module)
            top = module.partition(".")[0]
            namespace[top] = importlib.import_module(top)
        exec(compile(source, "<jointwrench>", "exec"), namespace)
        self._function: Callable[..., None] = namespace["evaluate"]

    def function(self, signature: Signature) -> "NumpyCode":
        """Return a copy for one evaluator, which stores its own keys and limits."""
        return copy.copy(self)

    def run(self, samples: int, inputs: Arrays, strides: tuple[int, ...], outputs: Arrays) -> None:
        """Compute the outputs in place, in chunks of samples."""
        rows = [
            array.reshape(-1, stride) if stride else array.reshape(1, -1)
            for array, stride in zip(inputs, strides, strict=True)
        ]
        results = [array.reshape(samples, array.size // max(1, samples)) for array in outputs]
        with np.errstate(all="ignore"):
            for first in range(0, samples, CHUNK):
                part = slice(first, first + CHUNK)
                chunk = [
                    row[part] if stride else row for row, stride in zip(rows, strides, strict=True)
                ]
                self._function(*chunk, *(result[part] for result in results))
