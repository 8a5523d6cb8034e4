"""Checks of the arrays that a compiled function is called with."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sympy import Expr

from ..checks import describe


def plain_number(value: Any) -> Any:
    """Return a real number of sympy's as a float, anything else as it is."""
    if isinstance(value, Expr) and value.is_number and value.is_extended_real is not False:
        return float(value)
    return value


def real_array(argument: str, value: Any) -> np.ndarray:
    """Return real numbers as an array of double precision.

    Raises
    ======

    TypeError
        If they are no real numbers, or masked.
    ValueError
        If they are nested sequences of unequal lengths.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"`{argument}` must not be masked. Use {argument}.filled(numpy.nan).")
    try:
        array = np.asarray(plain_number(value))
    except ValueError:
        raise ValueError(
            f"`{argument}` must be a rectangular array, got {describe(value)}."
        ) from None
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"`{argument}` must hold real numbers, got {describe(value)} with elements of type "
            f"{array.dtype}. Use numpy.array(..., dtype=float)."
        )
    return array.astype(np.float64, copy=False)


def rows(argument: str, value: Any, width: int) -> np.ndarray:
    """Return rows of ``width`` numbers as an array of shape (..., width).

    A scalar is one row of one number; None is one row of none.
    """
    if value is None:
        if width == 0:
            return np.empty(0)
        raise ValueError(f"`{argument}` must have shape (..., {width}), got None.")
    array = real_array(argument, value)
    if array.ndim == 0 and width == 1:
        return array.reshape(1)
    if array.ndim == 0 or array.shape[-1] != width:
        fix = f" Use numpy.asarray({argument})[..., None]." if width == 1 else ""
        raise ValueError(
            f"`{argument}` must have shape (..., {width}), got shape {array.shape}.{fix}"
        )
    return array


def batch_shape(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return what the batch axes of all arguments broadcast to."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        text = ", ".join(f"{name}: {shape}" for name, shape in shapes.items())
        raise ValueError(
            f"The batch axes (all axes but the last one) of the arguments must broadcast "
            f"against each other, got {text}."
        ) from None


def flatten(array: np.ndarray, batch: Sequence[int]) -> tuple[np.ndarray, int]:
    """Return an array of rows as contiguous numbers, and the stride from row to row.

    The stride is zero if there is one row for the whole batch.
    """
    width = array.shape[-1]
    if array.size == width:
        return np.ascontiguousarray(array).reshape(width), 0
    return np.ascontiguousarray(np.broadcast_to(array, (*batch, width))).reshape(-1), width
