"""What stands at the axes of pictures, and checks of what is drawn."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sympy import Expr

from ..checks.arguments import (
    check_instance,
    check_known,
    check_sequence,
    symbol_name,
)

SI_UNITS = {"time": "s", "length": "m", "speed": "m/s", "force": "N", "moment": "N m"}


def bracket(unit: str) -> str:
    """Return the unit as a divisor: products and quotients in brackets."""
    return f"({unit})" if set(unit) & set(" /*·") else unit


def typeset(name: Any) -> str:
    """Return a name as it is set: a letter, also with an index, as a symbol, words as they are."""
    text = str(name)
    if parts := re.fullmatch(r"([A-Za-z])_([0-9A-Za-z]{1,3})", text):
        return "${}_{{{}}}$".format(*parts.groups())
    return f"${text}$" if re.fullmatch("[A-Za-z]", text) else text


def place_of(joint: Any) -> str:
    """Return the joint or, where its name is that of its child or a symbol, its child point."""
    is_word = joint.name != getattr(joint.child, "name", None) and typeset(joint.name) == joint.name
    return f"the {joint.name}" if is_word else typeset(joint.child_point.name)


def check_axis_units(
    units: Mapping[str, str] | None, usual: Mapping[str, str] = SI_UNITS
) -> dict[str, str]:
    """Return the usual units with those that are given in their place."""
    if units is not None:
        check_instance("units", units, Mapping, "a mapping of quantities to their units")
    check_known("units", units or (), sorted(usual), "have keys among")
    for unit in (units or {}).values():
        check_instance("units", unit, str, "a mapping of quantities to their units")
    return {**usual, **(units or {})}


def check_names(argument: str, names: Iterable[Any] | None, count: int, noun: str) -> list[str]:
    """Return ``count`` names as they are set; things with a name stand for it."""
    if names is None:
        return [f"{noun} {index}" for index in range(count)]
    expected = "a sequence of names"
    if isinstance(names, (set, frozenset)):
        raise TypeError(f"`{argument}` must be {expected}, got a set, which has no order.")
    given = check_sequence(argument, names, expected)
    for name in given:
        check_instance(argument, getattr(name, "name", name), (str, Expr), expected)
    texts = [symbol_name(name) for name in given]
    if len(texts) != count:
        raise ValueError(f"`{argument}` must have one name per {noun}, {count}, got {len(texts)}.")
    return [typeset(text) for text in texts]


def check_array(argument: str, value: Any, shape: tuple) -> np.ndarray:
    """Return an array of floats whose shape fits.

    Each entry of ``shape`` is a length, a tuple of possible lengths, or the
    name of what is counted along that axis, of which there must be at least one.
    """
    try:
        array = np.ma.filled(value, np.nan) if np.ma.isMaskedArray(value) else np.asarray(value)
        if array.dtype.kind not in "biuf":
            array = array.astype(float, casting="safe")
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"`{argument}` must be an array of real numbers, got {type(value).__name__}: {error}."
        ) from error
    fits = array.ndim == len(shape) and all(map(_length_fits, array.shape, shape))
    if not fits:
        wanted = ", ".join(map(_length_text, shape))
        raise ValueError(f"`{argument}` must have shape ({wanted}), got {array.shape}.")
    return array.astype(float)


def _length_text(wanted: int | str | tuple[int, ...]) -> str:
    return " or ".join(map(str, wanted)) if isinstance(wanted, tuple) else str(wanted)


def _length_fits(length: int, wanted: int | str | tuple[int, ...]) -> bool:
    if isinstance(wanted, str):
        return length > 0
    return length in wanted if isinstance(wanted, tuple) else length == wanted
