"""LaTeX of names and expressions: no name reads as a command, different names differ in print."""

import re
from typing import Any

from sympy.physics.vector import ReferenceFrame, Vector
from sympy.physics.vector.printing import VectorLatexPrinter

from ..adapters.private_sympy import with_symbol_names

#: Greek letters that have LaTeX commands.
GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|"
    "upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega"
)

#: Names of frames that are short enough for sympy's hat over the whole name.
SHORT = re.compile(r"[A-Za-z]+_?\d*")

#: LaTeX of special characters; ``{<}`` cannot be mistaken for the start of an HTML tag.
_MARKS = {x: f"\\{x}" for x in "_#$%&{}"} | {"<": "{<}", ">": "{>}", "|": r"\vert{}"}
_MARKS |= {"\\": r"\backslash{}", "^": r"\wedge{}", "~": r"\sim{}", "`": r"\text{\textasciigrave}"}


def escape_latex(words: str) -> str:
    """Return words with special characters escaped for a formula."""
    return "".join(map(_mark, words))


def _mark(letter: str) -> str:
    """Return a character escaped for a formula."""
    if letter.isspace():
        return r"\ "
    return _MARKS.get(letter) or (
        letter if letter.isascii() and letter.isalnum() else rf"\text{{{letter}}}"
    )


def latex_name(name: str) -> str:
    """Return a name in LaTeX: parts after underscores as indices, several letters upright."""
    base, *indices = name.rstrip("'").split("_")
    primes = name[len(name.rstrip("'")) :]
    below = ",".join(_letter(x, "rm") for x in indices)
    return _letter(base, "it") + primes + (f"_{{{below}}}" if indices else "")


def _letter(name: str, style: str) -> str:
    """Return a part of a name in LaTeX: a Greek letter, a single letter, or a word in a style."""
    if GREEK.fullmatch(name):
        return f"\\{name}"
    is_plain = name.isascii() and (name.isdigit() or (len(name) == 1 and name.isalpha()))
    return name if is_plain else rf"\math{style}{{{escape_latex(name)}}}" if name else "{}"


def upright(name: str) -> str:
    """Return a name with words, such as rod_frame, as upright text, other names as symbols."""
    is_word = any(len(x) > 1 and not x.isdigit() for x in name.split("_")[1:])
    return rf"\mathrm{{{escape_latex(name)}}}" if is_word else latex_name(name)


def latex(value: Any, printer: Any = None) -> str:
    """Return a value as LaTeX by a sympy printer, by default vlatex's, with names as above."""
    named = with_symbol_names(printer or VectorLatexPrinter(), latex_name)
    text: str = named.doprint(value)
    for frame in value.separate() if isinstance(value, Vector) else ():
        text = with_plain_axes(text, frame)
    return text


def with_plain_axes(text: str, frame: ReferenceFrame) -> str:
    """Return LaTeX in which a frame with a long name has axes ``x_name`` instead of a wide hat."""
    for axis, own in zip("xyz", frame.latex_vecs, strict=True):
        hat = rf"\mathbf{{\hat{{{frame.name.lower()}}}_{axis}}}"  # of sympy
        if own == hat and not SHORT.fullmatch(frame.name):
            text = text.replace(hat, rf"\,\mathbf{{\hat{{{axis}}}}}_{{{upright(frame.name)}}}")
    return text
