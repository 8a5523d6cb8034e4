"""`Function`: a compiled function of lists of arrays, called from Python.

The extension module ``_native`` is there if it could be built when the package was
installed.  Without it ctypes does the call, which gives the same numbers, more slowly.
"""

import ctypes
from typing import Any

_INPUTS = ctypes.POINTER(ctypes.c_void_p)
_TYPE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_ssize_t, _INPUTS, ctypes.POINTER(ctypes.c_ssize_t), _INPUTS
)


class CtypesFunction:
    """What the extension's ``Function`` does, by way of ctypes.

    For each group its form, width, and whether an output needs it; for each output its name and
    shape.  Columns of up to ``most_copied`` samples may be put together as a whole.
    """

    def __init__(
        self,
        address: int,
        forms: tuple[int, ...],
        widths: tuple[int, ...],
        needed: tuple[bool, ...],
        names: tuple[str, ...],
        shapes: tuple[tuple[int, ...], ...],
        most_copied: int,
    ) -> None:
        self._function = _TYPE(address)
        self._counts = len(widths), len(widths), len(names)

    def run(
        self,
        samples: int,
        inputs: tuple[Any, ...],
        strides: tuple[int, ...],
        outputs: tuple[Any, ...],
    ) -> None:
        """Evaluate a batch into ``outputs``; all arrays are contiguous and of double precision.

        Strides are distances from sample to sample; 0 is one row for all samples.
        """
        if (len(inputs), len(strides), len(outputs)) != self._counts:
            raise ValueError("wrong number of arrays")
        steps = (ctypes.c_ssize_t * len(strides))(*strides)
        if self._function(samples, _pointers(inputs), steps, _pointers(outputs)):
            raise MemoryError("no memory for the rows of a block")

    def plain(self, given: tuple[Any, ...], keys: tuple[Any, ...], out: Any, most: int) -> Any:
        """Evaluate arguments of plain form; return outputs and what was read, None if any is not.

        ``keys`` are for each dict its keys in their order, and their places as bytes.
        """
        return None


def _pointers(arrays: tuple[Any, ...]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))


try:
    from ._native import Function  # type: ignore[import-not-found]
except ImportError:  # it could not be built when the package was installed
    Function = CtypesFunction
