"""`Function`: a compiled function of lists of arrays, called from Python.

Without the extension module ``_native`` the call goes through ctypes: same numbers, more slowly.
"""

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from ....checks.messages import warn

#: Number of samples up to which the kernel of one lane is used.
FEW = 2

_INPUTS = ctypes.POINTER(ctypes.c_void_p)
_TYPE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_ssize_t, _INPUTS, ctypes.POINTER(ctypes.c_ssize_t), _INPUTS
)

#: Arrays of the inputs or of the outputs, in their order.
Arrays = tuple[np.ndarray, ...]

Class = TypeVar("Class", bound=type)


class Signature(NamedTuple):
    """The arguments and results of a compiled function.

    Attributes
    ==========

    arguments : tuple of str
        The names of the arguments of an evaluator; the last is ``out``.
    forms, widths, needed : tuple
        The `Form` of each argument, its number of inputs, and whether outputs depend on it.
    names, shapes : tuple
        The names of the outputs, and their shapes for one sample.
    most_copied : int
        The number of samples up to which an argument is copied as a whole.
    result, subject : type, ResultSource
        The class of results, and the attributes that they share.
    recall : function
        Restores the inputs of a call for a result.
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
    """A function that evaluates contiguous samples in arrays of double precision.

    Attributes
    ==========

    keys : tuple
        The keys of the last mappings of a call, with which those of the next call are compared.
    most_samples : int
        The number of samples up to which the extension evaluates a call, in one thread.
    leaves_instants : bool
        Whether the extension leaves calls with several times to Python.
    """

    keys: tuple[Any, ...] = ()

    most_samples: int = 0

    leaves_instants: bool = False

    def run(self, samples: int, inputs: Arrays, strides: tuple[int, ...], outputs: Arrays) -> None:
        """Compute the outputs in place; ``strides`` are from sample to sample, 0 for one row for
        all.
        """

    def evaluate(self, given: tuple[Any, ...]) -> Any:
        """Return the result of a call with all arguments in order; None to leave it to Python."""
        return None


class CtypesFunction(Function):
    """A `Function` that calls a `codes.CompiledCode` by ctypes."""

    def __init__(self, code: Any, signature: Signature) -> None:
        self._code = code
        self._counts = len(signature.widths), len(signature.widths), len(signature.names)

    def run(self, samples: int, inputs: Arrays, strides: tuple[int, ...], outputs: Arrays) -> None:
        """Compute the outputs in place, by ctypes."""
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
except ImportError:  # the extension was not built when the package was installed
    NativeFunction, new_array = CtypesFunction, np.empty

    def call_directly(evaluator: Class) -> Class:
        """Return a class of evaluators unchanged."""
        return evaluator


@functools.cache
def warn_of_missing_extension() -> None:
    """Warn once if the extension module is missing."""
    if NativeFunction is CtypesFunction:
        warn(
            "jointwrench was installed without its extension module, so that a call with one "
            "sample takes some hundred times as long; the numbers are the same. Install a C "
            "compiler and Python's header files (python3-dev), and then jointwrench again: pip "
            "install --force-reinstall --no-deps . in a clone of it (with -e before the dot if it "
            "was installed so).",
            RuntimeWarning,
        )
