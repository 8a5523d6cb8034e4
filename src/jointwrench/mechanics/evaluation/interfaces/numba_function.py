"""Outputs as functions for code compiled by numba."""

import ctypes
from collections.abc import Callable, Collection
from math import prod
from typing import Any

import numpy as np

from ....checks.arguments import check_choice
from ....checks.messages import import_extra
from ..backends.function import FEW
from .kernels import Kernel

#: Codes for numbers of rows: one row for all samples, and a wrong shape.
ONE_ROW, WRONG = -1, -2


def numba_function(evaluate: Any, output: str) -> Callable[..., Any]:
    """Return a function that writes an output, for numba; see `Evaluator.to_numba`."""
    numba = import_extra("numba", "Evaluator.to_numba", "numba")
    check_choice("output", output, tuple(evaluate.shapes))
    kernel = Kernel(evaluate)
    shape = kernel.shapes[output]
    samples_of, rows_of, address = _array_functions(shape)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_ssize_t, *[ctypes.c_void_p] * 3)
    batch, single = kind(kernel.address), kind(kernel.single)
    widths, per_call = kernel.widths, kernel.per_call
    sizes = tuple(prod(shape) for shape in kernel.shapes.values())
    place = tuple(kernel.shapes).index(output)
    groups, outputs, unroll = len(widths), len(sizes), numba.literal_unroll
    start, others, few = 2 * groups + outputs, sum(sizes) - sizes[place], FEW

    def function(out, *rows):  # type: ignore[no-untyped-def]  # pragma: no cover
        samples = samples_of(out)
        # pointers to inputs, strides, pointers to outputs, and memory for the other outputs
        memory = np.zeros(start + max(samples, 0) * others, np.int64)
        nothing = memory.ctypes.data
        memory[:groups] = nothing
        if len(rows) > groups or samples < 0:
            raise ValueError(
                "`out` must have the shape of the output, and there must not be too many groups"
            )
        given = 0
        for row in unroll(rows):
            own, width, count = address(row), widths[given], rows_of(row, widths[given])
            if count != ONE_ROW and (count != samples or per_call[given]):
                raise ValueError("each group must have one row of its width, or one per sample")
            memory[given] = own
            memory[groups + given] = 0 if count == ONE_ROW else width
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


def _array_functions(shape: tuple[int, ...]) -> tuple[Callable[..., Any], ...]:
    """Return functions for numba: of samples in an output, of rows in an input, of an address."""
    from numba import extending, float64, types
    from numba.core.errors import TypingError

    def check(array: Any, axes: Collection[int], is_written: bool = False) -> None:
        is_plain = isinstance(array, types.Array) and array.dtype == float64
        if not (is_plain and array.layout == "C" and array.aligned):
            raise TypingError(
                f"arguments must be C-contiguous arrays of float64, got {array}. Use "
                "numpy.ascontiguousarray(x, numpy.float64)."
            )
        if is_written and not array.mutable:
            raise TypingError(f"`out` must be writeable, got {array}. Use numpy.empty.")
        if array.ndim not in axes:
            counts = " or ".join(map(str, axes))
            raise TypingError(f"arguments must have {counts} axes here, got {array}.")

    def samples_of(out: Any) -> int:
        raise NotImplementedError("numba compiles another one")

    def rows_of(row: Any, width: Any) -> int:
        raise NotImplementedError("numba compiles another one")

    def address(array: Any) -> int:  # pragma: no cover
        return array.ctypes.data

    @extending.overload(samples_of)
    def _(out: Any) -> Callable[[Any], int]:
        check(out, (len(shape), len(shape) + 1), is_written=True)
        sizes, first, count = shape or (0,), out.ndim - len(shape), len(shape)

        def of_one(out: Any) -> int:  # pragma: no cover
            return 1

        def of_shape(out: Any) -> int:  # pragma: no cover
            for k in range(count):
                if out.shape[first + k] != sizes[k]:
                    return WRONG
            return int(out.shape[0]) if first else 1

        return of_shape if out.ndim else of_one

    @extending.overload(rows_of)
    def _(row: Any, width: Any) -> Callable[[Any, Any], int]:
        check(row, (1, 2))

        def of_vector(row: Any, width: Any) -> int:  # pragma: no cover
            return ONE_ROW if row.shape[0] == width else WRONG

        def of_matrix(row: Any, width: Any) -> int:  # pragma: no cover
            return int(row.shape[0]) if row.shape[1] == width else WRONG

        return of_vector if row.ndim == 1 else of_matrix

    @extending.overload(address)
    def _(array: Any) -> Callable[[Any], int]:
        return address

    return samples_of, rows_of, address
