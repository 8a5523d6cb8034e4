"""Code that does the work, made from texts, so that it can go to other processes."""

import ctypes
import warnings
from typing import Any

from ..build.errors import CompilationError, NoCompilerWarning
from ..build.library import load_library
from .numpy_backend import NumpyCode


class CompiledCode:
    """A compiled model.

    Parameters
    ==========

    source : str
        Its C text, which exports ``evaluate_arrays``.

    Attributes
    ==========

    source : str
        The same.
    """

    backend = "c"

    def __init__(self, source: str) -> None:
        self.source = source
        self._function = _Function(load_library(source))

    @property
    def recipe(self) -> tuple[Any, ...]:
        """What `make_code` makes this from."""
        return "c", self.source

    def kernel(self, samples: int, inputs: Any, strides: Any, outputs: Any) -> None:
        """Evaluate a batch."""
        failed = self._function(
            samples,
            _addresses(inputs),
            (ctypes.c_ssize_t * len(strides))(*strides),
            _addresses(outputs),
        )
        if failed:
            raise MemoryError("no memory for the rows of a block")

    def plain(self, *arguments: Any) -> Any:
        """Leave plain arrays to the general way."""
        return None


_Function = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_ssize_t,
    *(ctypes.POINTER(kind) for kind in (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p)),
)


def _addresses(arrays: Any) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))


def make_code(recipe: tuple[Any, ...], spare: tuple[Any, ...] | None = None) -> Any:
    """Return the code of a recipe, or of a spare one where the first cannot be compiled."""
    backend, *arguments = recipe
    if backend == "numpy":
        return NumpyCode(*arguments)
    try:
        return CompiledCode(*arguments)
    except CompilationError:
        if spare is None:
            raise
        warnings.warn(
            "An Evaluator that was compiled elsewhere cannot be compiled here, so that numpy does "
            "the work, more slowly. Install a C compiler, or use backend='numpy' to silence this "
            "warning.",
            NoCompilerWarning,
            stacklevel=2,
        )
        return make_code(spare)
