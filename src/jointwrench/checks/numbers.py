"""Checks of numbers and arrays with uniform error messages.

The functions are like those of `arguments`; they return floats or numpy arrays.
"""

import math
import numbers
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from .arguments import check_instance, describe, is_symbolic


def plain_number(value: Any) -> Any:
    """Return a real sympy number as a float, anything else unchanged."""
    if is_symbolic(value) and value.is_number and value.is_extended_real is not False:
        return float(value)
    return value


def check_bool(argument: str, value: Any) -> bool:
    return bool(check_instance(argument, value, (bool, np.bool_), "True or False"))


def check_bools(**flags: Any) -> None:
    """Raise an error for arguments that are not truth values."""
    for argument, value in flags.items():
        check_bool(argument, value)


def check_number(argument: str, value: Any) -> float:
    """Return a real number as a float; one too large for a float is infinite."""
    number = plain_number(value)
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, numbers.Real):
        raise TypeError(f"`{argument}` must be a real number, got {describe(value)}.")
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf  # type: ignore[operator]


def check_finite(argument: str, value: Any) -> float:
    number = check_number(argument, value)
    if not math.isfinite(number):
        raise ValueError(f"`{argument}` must be finite, got {number:g}.")
    return number


def check_integer(argument: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"`{argument}` must be an integer, got {describe(value)}.")
    if value < least:
        raise ValueError(f"`{argument}` must be at least {least}, got {value}.")
    return int(value)


def check_seed(argument: str, value: Any) -> "np.random.Generator":
    """Return numpy's random generator for a seed (an integer or None) or a generator."""
    if value is None or isinstance(value, np.random.Generator):
        return np.random.default_rng(value)
    return np.random.default_rng(check_integer(argument, value, least=0))


def check_positive(argument: str, value: Any) -> float:
    number = check_number(argument, value)
    if not 0 < number < math.inf:
        raise ValueError(f"`{argument}` must be positive and finite, got {number:g}.")
    return number


def finite_number(argument: str, symbol: Any, value: Any) -> float:
    """Return the value of a symbol as a float; it must be one finite real number."""
    number = _float(value)
    if number is None:
        raise TypeError(
            f"`{argument}` must be real numbers, got {describe(value)} for {symbol}. "
            "Use one number; for several of them, one call for each."
        )
    if not math.isfinite(number):
        raise ValueError(f"`{argument}` must be finite, got {number} for {symbol}.")
    return number


def _float(value: Any) -> float | None:
    """Return a single real number as a float, None for anything else."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return check_number("", value)
    if isinstance(value, (str, bytes, list, tuple)) or is_masked(value):
        return None
    array = np.asarray(plain_number(value))
    return float(array) if array.ndim == 0 and array.dtype.kind in "iuf" else None


def real_array(argument: str, value: Any) -> np.ndarray:
    """Return an argument as an array of integers or floats, neither masked nor complex."""
    if is_masked(value):
        raise TypeError(f"`{argument}` must not be masked. Use {argument}.filled(numpy.nan).")
    try:
        array = np.asarray(plain_number(value))
    except ValueError:
        raise ValueError(
            f"`{argument}` must be a rectangular array, got {describe(value)}."
        ) from None
    if array.dtype.kind not in "iuf":
        fix = "numpy.real(...)" if array.dtype.kind == "c" else "numpy.array(..., dtype=float)"
        fix = "[values[name] for name in ...]" if isinstance(value, Mapping) else fix
        raise TypeError(
            f"`{argument}` must hold real numbers, got {describe(value)} with elements of type "
            f"{array.dtype}. Use {fix}."
        )
    return array


def finite_array(
    argument: str, value: Any, *shapes: tuple[int, ...], what: str = "", fix: str = ""
) -> np.ndarray:
    """Return an argument as an array of finite floats.

    The array must have one of ``shapes``, if there are any; ``what`` replaces their text in the
    message.
    """
    array = real_array(argument, value).astype(float)
    if shapes and array.shape not in shapes:
        expected = what or f"have shape {' or '.join(map(str, shapes))}"
        raise ValueError(f"`{argument}` must {expected}, got shape {array.shape}. {fix}".strip())
    if (wrong := array[~np.isfinite(array)]).size:
        raise ValueError(f"`{argument}` must be finite, got {wrong[0]}. {fix}".strip())
    return array


def shaped_array(argument: str, value: Any, *shape: Any, fix: str = "") -> np.ndarray:
    """Return an argument as an array of floats with a required shape.

    The shape has a number for each axis, a letter for an axis of any length, and may begin with
    ``...`` for any further axes.
    """
    array = real_array(argument, value).astype(float)
    is_batch = shape[:1] == (...,)
    own = shape[is_batch:]
    sizes = array.shape[-len(own) :] if is_batch and own else array.shape[is_batch * array.ndim :]
    pairs = zip(own, sizes, strict=False)
    if len(own) != len(sizes) or any(wanted not in (n, str(wanted)) for wanted, n in pairs):
        texts = ["..." if wanted is ... else str(wanted) for wanted in shape]
        expected = f"({', '.join(texts)}{',' * (len(shape) == 1)})"
        raise ValueError(f"`{argument}` must have shape {expected}, got shape {array.shape}.{fix}")
    return array


def check_finite_or_nan(argument: str, array: np.ndarray) -> np.ndarray:
    """Return an array whose numbers are finite, or NaN for missing values."""
    if np.isinf(array).any():
        wrong = np.argwhere(np.isinf(array))
        raise ValueError(
            f"`{argument}` must be finite, or NaN where a value is missing, got "
            f"{array[tuple(wrong[0])]}" + (f" in row {wrong[0][0]}." if array.ndim else ".")
        )
    return array


def transpose_hint(argument: str, shape: tuple[int, ...], length: int, axis: int = -1) -> str:
    """Return the fix for an array whose last two axes seem to be exchanged, or an empty text.

    ``length`` is the required length of ``axis``, one of the last two.
    """
    if len(shape) < 2 or length == 1:
        return ""
    if shape[axis] == length or shape[-2 if axis else -1] != length:
        return ""
    turned = f"{argument}.T" if len(shape) == 2 else f"numpy.swapaxes({argument}, -1, -2)"
    return f" It looks transposed. Use {turned}."


def is_masked(value: Any) -> bool:
    """Whether a value, or an item of a nested list or tuple, is a masked array."""
    if isinstance(value, (list, tuple)):
        return any(map(is_masked, value))
    # numpy loads its masked arrays when they are first named, which takes as long as a small model
    return "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray)
