"""`Function`: a compiled function of lists of arrays, called from Python.

The extension module ``_native`` is there if it could be built when the package was
installed.  Without it ctypes does the call, which gives the same numbers, more slowly.
"""

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from ...checks.problems import warn

#: Of so many samples each is evaluated by the kernel of one lane.
FEW = 2

_INPUTS = ctypes.POINTER(ctypes.c_void_p)
_TYPE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_ssize_t, _INPUTS, ctypes.POINTER(ctypes.c_ssize_t), _INPUTS
)

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Signature:
    """What a function takes, by groups of inputs, and what it returns, by outputs.

    ``forms`` and names of ``arguments`` (the last is ``out``) are those of an evaluator's call;
    ``needed`` groups must be given.  ``shapes`` are for one sample.  Up to ``most_copied`` samples
    are copied as a whole.  A ``result`` is about its ``subject``; ``recall`` tells later what its
    call was given.
    """

    arguments: tuple[str, ...]
    forms: tuple[int, ...]
    widths: tuple[int, ...]
    needed: tuple[bool, ...]
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    most_copied: int
    result: type
    subject: Any
    recall: Callable[..., Any]


class Function(Protocol):
    """What evaluates samples that lie in arrays of double precision, one behind the other."""

    #: Of the last mappings that were given: those of the next call are compared with them.
    keys: tuple[Any, ...] = ()

    #: Of up to so many samples the extension makes one batch, for one thread.
    most_samples: int = 0

    def run(
        self,
        samples: int,
        inputs: tuple[np.ndarray, ...],
        strides: tuple[int, ...],
        outputs: tuple[np.ndarray, ...],
    ) -> None:
        """Evaluate a batch into ``outputs``.

        Strides are distances from sample to sample in numbers; 0 is one row for all samples.
        """

    def evaluate(self, given: tuple[Any, ...]) -> Any:
        """Return the result of all arguments of a call, None to leave them to Python."""
        return None


class CompiledFunctions(Protocol):
    """Where compiled functions stand: one for batches, and one for one or two samples."""

    address: int

    def single_address(self) -> int:
        """Return the address of the kernel of one lane, compiled when first asked for."""


class CtypesFunction(Function):
    """A `Function` by way of ctypes."""

    def __init__(self, code: CompiledFunctions, signature: Signature) -> None:
        self._code = code
        self._counts = len(signature.widths), len(signature.widths), len(signature.names)

    def run(
        self,
        samples: int,
        inputs: tuple[np.ndarray, ...],
        strides: tuple[int, ...],
        outputs: tuple[np.ndarray, ...],
    ) -> None:
        """Evaluate a batch, see `Function.run`."""
        if (len(inputs), len(strides), len(outputs)) != self._counts:
            raise ValueError("wrong number of arrays")
        steps = (ctypes.c_ssize_t * len(strides))(*strides)
        address = self._code.single_address() if samples <= FEW else self._code.address
        if _TYPE(address)(samples, _pointers(inputs), steps, _pointers(outputs)):
            raise MemoryError("no memory for the rows of a block")


def _pointers(arrays: tuple[np.ndarray, ...]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))


try:
    from ._native import NativeFunction, directly, new_array  # type: ignore[import-not-found]
except ImportError:  # it could not be built when the package was installed
    NativeFunction, new_array = CtypesFunction, np.empty

    def directly(evaluator: Class) -> Class:
        """Return a class of evaluators as it is."""
        return evaluator


@functools.cache
def tell_of_missing_extension() -> None:
    """Warn once if there is no extension."""
    if NativeFunction is CtypesFunction:
        warn(
            "jointwrench was installed without its extension module, so that a call with one "
            "sample takes some hundred times as long; the numbers are the same. Install a C "
            "compiler, and then jointwrench again: pip install --force-reinstall --no-deps . in "
            "a clone of it (with -e before the dot if it was installed so).",
            RuntimeWarning,
        )
