"""A program as plain C files, which need neither Python nor PyDy."""

import os
import re
from pathlib import Path
from typing import Any

from ..checks import describe
from ..program import Program

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


def check_c_path(path: Any) -> Path:
    """Return the path of a .c file.

    Raises
    ======

    TypeError
        If it is no path.
    ValueError
        If its name is no C identifier, or has another suffix.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"`path` must be a path, got {describe(path)}. Use for instance 'arm.c'.")
    checked = Path(path)
    if checked.suffix not in ("", ".c") or not _NAME.fullmatch(checked.stem):
        raise ValueError(
            f"`path` must lead to a C file whose name is a C identifier, since the function is "
            f"named after it, got {checked.name!r}. Use for instance 'arm.c'."
        )
    return checked.with_suffix(".c")


def write_c(program: Program, path: Path) -> tuple[Path, Path]:
    """Write a program as a pair of a .c and a .h file, named after each other.

    Parameters
    ==========

    program : Program
        What the C function computes.
    path : Path
        The path of the .c file; the function is its stem with ``_evaluate``.

    Returns
    =======

    tuple of Path
        The .c file and the .h file.
    """
    from .generator import ProgramCGenerator  # imports pydy

    generator = ProgramCGenerator(program, function=f"{path.stem}_evaluate")
    header, source = generator.doprint(prefix=path.stem)
    header_path = path.with_suffix(".h")
    header_path.write_text(header, encoding="utf-8")
    path.write_text(source, encoding="utf-8")
    return path, header_path
