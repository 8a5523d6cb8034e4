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

    Parameters
    ==========

    address : int
        The address of ``evaluate_arrays``.
    forms : tuple of Form
        How each group of inputs is given.
    widths : tuple of int
        The number of values in each group.
    needed : tuple of bool
        Whether an output depends on a group.
    names : tuple of str
        The names of the outputs.
    shapes : tuple of tuple of int
        Their shapes for one sample.
    most_copied : int
        The number of samples up to which columns may be put together as a whole.
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
        """Evaluate a batch.

        Parameters
        ==========

        samples : int
            The number of samples.
        inputs : tuple of numpy.ndarray
            The numbers of each group, contiguous and of double precision.
        strides : tuple of int
            Their distances from sample to sample; 0 is one row for all samples.
        outputs : tuple of numpy.ndarray
            The arrays to be filled, of the same kind.

        Raises
        ======

        ValueError
            If there are more or fewer arrays than the function has.
        MemoryError
            If there is no memory to work in.
        """
        if (len(inputs), len(strides), len(outputs)) != self._counts:
            raise ValueError("wrong number of arrays")
        steps = (ctypes.c_ssize_t * len(strides))(*strides)
        if self._function(samples, _pointers(inputs), steps, _pointers(outputs)):
            raise MemoryError("no memory for the rows of a block")

    def plain(self, given: tuple[Any, ...], keys: tuple[Any, ...], out: Any, most: int) -> Any:
        """Evaluate arguments of plain form without a detour, if there are no others.

        Parameters
        ==========

        given : tuple
            What each group of inputs was given as.
        keys : tuple
            For each dict its keys in their order, and their places as bytes.
        out : dict or None
            Arrays into which outputs are written, by name.
        most : int
            The largest number of samples.

        Returns
        =======

        tuple or None
            The outputs by name and, for each group, the numbers that were read; None
            if anything is out of the ordinary, which nothing was done then.
        """
        return None


def _pointers(arrays: tuple[Any, ...]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))


try:
    from ._native import Function  # type: ignore[import-not-found]
except ImportError:  # it could not be built when the package was installed
    Function = CtypesFunction
