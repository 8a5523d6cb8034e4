"""Numbers in the text of files, by one grammar: ASCII digits, a point, an exponent."""

import math
import re

#: A number as every format has it; no hexadecimal ones, no underscores, no digits of other scripts.
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

#: What stands for a missing number, and for an infinite one; Windows has words of its own.
MISSING = re.compile(r"|[+-]?nan(\(\w*\))?|na|n/a|null|[+-]?1\.#(ind|[qs]nan)0*", re.I | re.A)
INFINITE = re.compile(r"([+-]?)(inf(inity)?|1\.#inf0*)", re.I | re.A)


def is_number(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None


def parse_number(text: str) -> float | None:
    """Return the number in a text, NaN for a missing one; None if it is neither."""
    if NUMBER.fullmatch(text):
        return float(text)
    if MISSING.fullmatch(text):
        return math.nan
    infinite = INFINITE.fullmatch(text)
    return float(f"{infinite[1]}inf") if infinite else None
