"""Numbers in the text of files, by one grammar: ASCII digits, a point, an exponent."""

import math
import re

#: A decimal number; hexadecimal numbers, underscores and digits of other scripts are excluded.
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

#: Texts of a missing and of an infinite number; "1.#" are those of Microsoft's C library.
MISSING = re.compile(r"|[+-]?nan(\(\w*\))?|na|n/a|null|[+-]?1\.#(ind|[qs]nan)0*", re.I | re.A)
INFINITE = re.compile(r"([+-]?)(inf(inity)?|1\.#inf0*)", re.I | re.A)


def is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None


def parse_number(text: str) -> float | None:
    """Return the number in a text, NaN for a missing number, None for any other text."""
    if NUMBER.fullmatch(text):
        return float(text)
    if MISSING.fullmatch(text):
        return math.nan
    infinite = INFINITE.fullmatch(text)
    return float(f"{infinite[1]}inf") if infinite else None
