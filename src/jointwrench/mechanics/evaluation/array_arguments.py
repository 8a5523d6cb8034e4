"""Checks of the array arguments of compiled functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks.arguments import check_instance, check_known, coordinate_name, describe, symbol_name
from ...checks.numbers import is_masked, real_array, transpose_hint

if TYPE_CHECKING:
    from sympy import Expr


def read_rows(argument: str, value: Any, width: int) -> np.ndarray:
    """Return an argument as an array (..., width); a scalar is a row of one number, None an empty
    row.
    """
    if value is None:
        if width == 0:
            return np.empty(0)
        raise ValueError(
            f"`{argument}` must have shape (..., {width}), got None. "
            f"Use numpy.zeros({width}) if all are zero."
        )
    array = real_array(argument, value)
    if array.ndim == 0 and width == 1:
        return array.reshape(1)
    if array.ndim == 0 or array.shape[-1] != width:
        fix = f" Use numpy.asarray({argument})[..., None]." if width == 1 else ""
        fix = fix or transpose_hint(argument, array.shape, width)
        raise ValueError(
            f"`{argument}` must have shape (..., {width}), got shape {array.shape}.{fix}"
        )
    return array


def check_order(argument: str, labels: Any, symbols: Sequence[Expr], fix: str) -> None:
    """Raise an error if columns are labelled with the symbols' names in another order."""
    wanted = [symbol_name(symbol) for symbol in symbols]
    given = [coordinate_name(str(label).removesuffix("(t)"), wanted) for label in labels]
    if given != wanted and set(wanted) <= set(given):
        raise ValueError(
            f"`{argument}` must have its columns in the model's order {', '.join(wanted)}, got "
            f"{', '.join(given)}. {fix}"
        )


def batch_shape(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the common batch axes of all arguments, given their batch axes by name."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        text = ", ".join(f"{name}: {shape}" for name, shape in shapes.items())
        raise ValueError(
            f"`{'`, `'.join(shapes)}` must have batch axes (all axes but the last one) that "
            f"broadcast against each other, got {text}."
        ) from None


def describe_sample(batch: Sequence[int], sample: int) -> str:
    """Return a text such as " at sample 3", for messages; empty for a batch of one sample."""
    if prod(batch) == 1:
        return ""
    places = tuple(int(k) for k in np.unravel_index(sample, batch))
    return f" at sample {places[0] if len(places) == 1 else places}"


def check_out(
    given: Any, shapes: Mapping[str, tuple[int, ...]], inputs: Iterable[np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the arrays of `out`, checked for type, shape and memory shared with inputs."""
    check_instance("out", given, Mapping, "a mapping of names of outputs to arrays")
    others, checked = list(inputs), {}
    check_known("out", given, shapes, "name outputs among")
    for name, array in given.items():
        _check_array(f"out[{name!r}]", array, shapes[name])
        if any(np.may_share_memory(array, other) for other in others):
            raise ValueError(
                f"`out[{name!r}]` must not share memory with an input or another output. "
                f"Use numpy.empty({shapes[name]})."
            )
        others.append(array)
        checked[name] = np.asarray(array)
    return checked


def _check_array(what: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raise an error if an array of `out` cannot be written."""
    is_array = isinstance(array, np.ndarray) and not is_masked(array)
    if not is_array or array.dtype != np.float64:
        kind = array.dtype if is_array else describe(array)
        raise TypeError(
            f"`{what}` must be an array of float64, got {kind}. Use numpy.empty({shape})."
        )
    if array.shape != shape:
        raise ValueError(f"`{what}` must have shape {shape}, got shape {array.shape}.")
    if not array.flags.carray:
        raise ValueError(
            f"`{what}` must be C-contiguous, aligned and writeable. Use numpy.empty({shape})."
        )
