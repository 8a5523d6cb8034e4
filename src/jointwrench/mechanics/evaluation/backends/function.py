"""`Function`: a compiled function of lists of arrays, called from Python.

Without the extension module ``_native`` the call goes through ctypes: same numbers, more slowly.
"""

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from ....checks.messages import warn

#: Of so many samples each is evaluated by the kernel of one lane.
FEW = 2

_INPUTS = ctypes.POINTER(ctypes.c_void_p)
_TYPE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_ssize_t, _INPUTS, ctypes.POINTER(ctypes.c_ssize_t), _INPUTS
)

#: Those of the inputs or of the outputs, in their order.
Arrays = tuple[np.ndarray, ...]

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Signature:
    """The arguments of a function, by groups of inputs, and its results, by outputs."""

    # Forms and names of arguments (the last is out) are those of an evaluator's call, shapes for
    # one sample. Up to most_copied samples are copied as a whole. A result is about its subject;
    # recall tells later what its call was given.

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
    """A function that evaluates contiguous samples in arrays of double precision."""

    #: Of the last mappings that were given: those of the next call are compared with them.
    keys: tuple[Any, ...] = ()

    #: Of up to so many samples the extension makes one batch, for one thread.
    most_samples: int = 0

    #: Whether the extension leaves calls with the instants of several samples to Python.
    leaves_instants: bool = False

    def run(self, samples: int, inputs: Arrays, strides: tuple[int, ...], outputs: Arrays) -> None:
        """Evaluate into ``outputs``; strides count from sample to sample, 0 is one row."""

    def evaluate(self, given: tuple[Any, ...]) -> Any:
        """Return the result of all arguments of a call, None to leave them to Python."""
        return None


class CtypesFunction(Function):
    """A `Function` by way of ctypes, of ``codes.CompiledCode``."""

    def __init__(self, code: Any, signature: Signature) -> None:
        self._code = code
        self._counts = len(signature.widths), len(signature.widths), len(signature.names)

    def run(self, samples: int, inputs: Arrays, strides: tuple[int, ...], outputs: Arrays) -> None:
        if (len(inputs), len(strides), len(outputs)) != self._counts:
            raise ValueError("wrong number of arrays")
        steps = (ctypes.c_ssize_t * len(strides))(*strides)
        address = self._code.single_address if samples <= FEW else self._code.address
        if _TYPE(address)(samples, _pointers(inputs), steps, _pointers(outputs)):
            raise MemoryError("no memory for the rows of a block")


def _pointers(arrays: Arrays) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))


try:
    from ._native import NativeFunction, new_array  # type: ignore[import-not-found]
    from ._native import directly as call_directly
except ImportError:  # it could not be built when the package was installed
    NativeFunction, new_array = CtypesFunction, np.empty

    def call_directly(evaluator: Class) -> Class:
        """Return a class of evaluators unchanged."""
        return evaluator


@functools.cache
def warn_of_missing_extension() -> None:
    if NativeFunction is CtypesFunction:
        warn(
            "jointwrench was installed without its extension module, so that a call with one "
            "sample takes some hundred times as long; the numbers are the same. Install a C "
            "compiler and Python's header files (python3-dev), and then jointwrench again: pip "
            "install --force-reinstall --no-deps . in a clone of it (with -e before the dot if it "
            "was installed so).",
            RuntimeWarning,
        )
