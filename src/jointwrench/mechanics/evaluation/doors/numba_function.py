"""Outputs as functions for code compiled by numba."""

import ctypes
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ....checks.arguments import check_choice
from ....checks.problems import import_extra
from ..backends.function import FEW
from .kernels import Kernel


def numba_function(evaluate: Any, output: str) -> Callable[..., Any]:
    """Return a function that writes an output, for numba; see `Evaluator.to_numba`."""
    numba = import_extra("numba", "Evaluator.to_numba", "numba")
    check_choice("output", output, tuple(evaluate.shapes))
    kernel, address = Kernel(evaluate), _address_function()
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_ssize_t, *[ctypes.c_void_p] * 3)
    batch, single = kind(kernel.address), kind(kernel.single)
    widths, per_call = kernel.widths, kernel.per_call
    sizes = tuple(prod(shape) for shape in kernel.shapes.values())
    place = tuple(kernel.shapes).index(output)
    groups, outputs, size, unroll = len(widths), len(sizes), sizes[place], numba.literal_unroll
    start, others, few = 2 * groups + outputs, sum(sizes) - size, FEW

    def function(out, *rows):  # type: ignore[no-untyped-def]  # pragma: no cover
        samples = out.size // max(size, 1)
        # pointers to inputs, strides, pointers to outputs, and what outputs there are beside
        memory = np.zeros(start + samples * others, np.int64)
        nothing = memory.ctypes.data
        memory[:groups] = nothing
        if len(rows) > groups or out.size != samples * size:
            raise ValueError(
                "`out` must have the shape of the output, and there must not be too many groups"
            )
        given = 0
        for row in unroll(rows):
            own, width = address(row), widths[given]
            is_batch = row.size != width and row.size == samples * width and not per_call[given]
            if row.size != width and not is_batch:
                raise ValueError("each group must have one row of its width, or one per sample")
            memory[given] = own
            memory[groups + given] = width if is_batch else 0
            given += 1
        for k in range(given, groups):
            if widths[k]:
                raise ValueError("all groups that are not empty must be given")
        beside = nothing + 8 * start
        for k in range(outputs):
            memory[2 * groups + k] = beside
            beside += 0 if k == place else 8 * samples * sizes[k]
        memory[2 * groups + place] = address(out)
        run = nothing, nothing + 8 * groups, nothing + 16 * groups
        problem = single(samples, *run) if samples <= few else batch(samples, *run)
        memory[0] = problem  # it is not freed before this
        if problem:
            raise MemoryError("no memory for the rows of a block")

    return numba.njit(function)


def _address_function() -> Callable[..., Any]:
    """Return a function of the address of an array of the right kind, for numba to compile."""
    from numba import extending, float64, types
    from numba.core.errors import TypingError

    def address(array: Any) -> int:  # pragma: no cover
        return array.ctypes.data

    @extending.overload(address)
    def _(array: Any) -> Callable[..., Any]:
        is_array = isinstance(array, types.Array)
        if not is_array or array.dtype != float64 or array.layout != "C":
            raise TypingError(
                f"arguments must be C-contiguous arrays of float64, got {array}. Use "
                "numpy.ascontiguousarray(x, numpy.float64)."
            )
        return address

    return address
