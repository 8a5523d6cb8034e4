"""A program as plain C files, which need neither Python nor PyDy."""

import math
import os
import re
from pathlib import Path
from typing import Any

from ....checks.arguments import check_choice, describe
from ....checks.files import replace_files, replaceable_file
from ...arithmetic.program import Program
from .casadi import INTRODUCTION, add_prefix, casadi_functions, casadi_source
from .generator import kernel_blocks, source_text
from .header import Legend, description, input_names, output_names
from .kernel import LANES, Target
from .printers import PRECISIONS
from .statements import Layout
from .templates import HEADER, c_text

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)

# Standard headers of C and headers that they include: a file with such a name would hide them.
_SYSTEM_HEADERS = """
    alloca assert complex ctype endian errno features fenv float inttypes iso646 limits locale
    malloc math memory setjmp signal stdalign stdarg stdatomic stdbit stdbool stdckdint stddef
    stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar unistd wchar wctype
"""

# Names that a function of CasADi cannot have: words of C, functions and macros of its library, and
# names in the text of a kernel.
_TAKEN = f"""
    {" ".join(dir(math))} abs alignas alignof asm auto bool break case casadi_int char const
    constexpr continue copy default do double else enum extern false float for free goto if index
    inline int linux long main malloc memcpy real register restrict return row short signed sizeof
    static stored struct switch true typedef typeof union unix unsigned vec void volatile while
"""


#: The signatures of written functions: arguments by name, or the same arguments for all programs.
SIGNATURES = ("named", "fixed")


def check_casadi_path(path: Any) -> Path:
    """Return the path of a .c file whose stem can be the name of a CasADi function."""
    checked = check_c_path(path)
    if checked.stem in _TAKEN.split():
        raise ValueError(
            f"`path` must not lead to a file that is named like a word of C, got "
            f"{checked.name!r}: the function is named after it. Use for instance 'arm.c'."
        )
    return checked


def check_c_path(path: Any) -> Path:
    """Return the path of a .c file; its stem is a C identifier and no standard header."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"`path` must be a path, got {describe(path)}. Use for instance 'arm.c'.")
    checked = Path(path)
    if checked.suffix not in ("", ".c") or not _NAME.fullmatch(checked.stem):
        raise ValueError(
            f"`path` must lead to a C file whose name is a C identifier, since the function is "
            f"named after it, got {checked.name!r}. Use for instance 'arm.c'."
        )
    if checked.stem.lower() in _SYSTEM_HEADERS.split():
        raise ValueError(
            f"`path` must not lead to files that are named like a header of C, got "
            f"{checked.name!r}, since {checked.stem}.h would hide it. Use for instance 'arm.c'."
        )
    for suffix in (".h", ".c"):
        replaceable_file("path", checked.with_suffix(suffix))
    return checked.with_suffix(".c")


def write_c(
    program: Program,
    path: Path,
    lanes: int = LANES,
    precision: str = "double",
    legend: Legend | None = None,
    signature: str = "named",
) -> tuple[Path, Path]:
    """Write a .c and a .h file with the function ``stem_evaluate``, complete or not at all."""
    if not isinstance(lanes, int) or lanes not in (1, LANES):
        raise ValueError(
            f"`lanes` must be {LANES}, for batches, or 1, for one sample, got {lanes!r}."
        )
    check_choice("precision", precision, PRECISIONS)
    check_choice("signature", signature, SIGNATURES)
    kind = PRECISIONS[precision], lanes, signature == "fixed"
    header, source = c_texts(program, Target(f"{path.stem}_evaluate", *kind), path.stem, legend)
    replace_files({path: source, path.with_suffix(".h"): header})
    return path, path.with_suffix(".h")


def write_casadi(program: Program, path: Path, adjoint: Program | None = None) -> tuple[Path]:
    """Write one C file with the outputs and their whole Jacobian for CasADi."""
    functions = casadi_functions(path.stem, program, adjoint)
    text = INTRODUCTION.format(name=path.stem) + "\n" + c_text("casadi")
    for function in functions:
        for name, own in function.kernels.items():
            text += add_prefix("".join(c_texts(own, Target(name, lanes=1))), name)
        text += casadi_source(function)
    replace_files({path: text})
    return (path,)


def c_texts(
    program: Program, target: Target, stem: str | None = None, legend: Legend | None = None
) -> tuple[str, str]:
    """Return the texts of a .h file and of a .c file that includes it by ``stem``."""
    layout, own = Layout(program), legend or Legend()
    blocks = kernel_blocks(layout, target, (input_names(layout), output_names(layout)))
    words = description(layout, target.precision, target.lanes, target.workspace, own)
    return HEADER.format(description=words, **blocks), source_text(blocks, stem)
