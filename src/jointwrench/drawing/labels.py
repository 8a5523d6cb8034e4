"""Labels of the axes of pictures, and checks of the drawn data."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..checks.arguments import check_name_list, check_sequence, describe


def bracket(unit: str) -> str:
    """Return the unit as a divisor: products and quotients in brackets."""
    return f"({unit})" if set(unit) & set(" /*·") else unit


#: Characters that stand for something else in mathtext.
_MARKS = {x: f"\\{x}" for x in "_#$%&{}"} | {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim "}


def rounded(value: float) -> str:
    """Return a number as engineers write it, with three digits: 1,090 or 0.0369."""
    value = float(f"{value:.3g}")
    power = int(np.floor(np.log10(abs(value)))) if value else 0
    if not -5 < power < 7:
        return rf"${value / 10.0**power:.3g} \times 10^{{{power}}}$"
    text = f"{value:,.{max(2 - power, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def typeset(name: Any) -> str:
    """Return a name in type: a letter, also with an index, as a symbol, words unchanged."""
    symbol = _symbol(str(name))
    return f"${symbol}$" if symbol else str(name).replace("$", r"\$")


def indexed(letter: str, thing: Any) -> str:
    """Return a bold letter, perhaps after a minus, with a name as its index."""
    name, sign, bold = str(getattr(thing, "name", thing)), letter[:-1], letter[-1:]
    return f"${sign}\\mathbf{{{bold}}}_{{{_symbol(name) or _upright(name)}}}$"


def _symbol(text: str) -> str:
    """Return a letter, also with an index, in mathtext; nothing for words."""
    if parts := re.fullmatch(r"([A-Za-z])_([0-9A-Za-z]+)", text):
        letter, index = parts.groups()
        return f"{letter}_{{{index if len(index) == 1 or index.isdigit() else _upright(index)}}}"
    return text if re.fullmatch("[A-Za-z]", text) else ""


def _upright(words: str) -> str:
    letters = (r"\ " if x.isspace() else _MARKS.get(x, x) for x in words)
    return rf"\mathrm{{{''.join(letters)}}}"


def joint_label(joint: Any) -> str:
    """Return the name of a joint, after "joint of" if its child has the same name."""
    is_own = joint.name == getattr(joint.child, "name", None)
    return f"joint of {typeset(joint.name)}" if is_own else typeset(joint.name)


def place_of(joint: Any) -> str:
    """Return the name of a joint, or of its child point if the joint has its child's name."""
    is_word = joint.name != getattr(joint.child, "name", None) and typeset(joint.name) == joint.name
    return f"the {joint.name}" if is_word else typeset(joint.child_point.name)


def check_names(argument: str, names: Iterable[Any] | None, count: int, noun: str) -> list[str]:
    """Return ``count`` names in type; objects with a name stand for it."""
    if names is None:
        return [f"{noun} {index}" for index in range(count)]
    if not isinstance(names, (set, frozenset)):
        given = check_sequence(argument, names, "a sequence of names")
        names = [getattr(name, "name", name) for name in given]
    texts = check_name_list(argument, names)
    if len(texts) != count:
        raise ValueError(f"`{argument}` must have one name per {noun}, {count}, got {len(texts)}.")
    return [typeset(text) for text in texts]


def check_array(argument: str, value: Any, shape: tuple) -> np.ndarray:
    """Return an array of floats of a shape, given by lengths, tuples of lengths, or names."""
    try:
        array = np.ma.filled(value, np.nan) if np.ma.isMaskedArray(value) else np.asarray(value)
        if array.dtype.kind not in "biuf":
            array = array.astype(float, casting="safe")
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"`{argument}` must be an array of real numbers, got {describe(value)}."
        ) from error
    fits = array.ndim == len(shape) and all(map(_length_fits, array.shape, shape))
    if not fits:
        wanted = ", ".join(" or ".join(map(str, np.atleast_1d(x))) for x in shape)
        filled = " and not be empty" if 0 in array.shape else ""
        raise ValueError(f"`{argument}` must have shape ({wanted}){filled}, got {array.shape}.")
    return array.astype(float)


def _length_fits(length: int, wanted: int | str | tuple[int, ...]) -> bool:
    return length > 0 if isinstance(wanted, str) else length in np.atleast_1d(wanted)
