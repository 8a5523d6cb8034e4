"""The least-squares solver in C: built with the package, or compiled at its first use."""

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

from ..mechanics.codegen.toolchain.compiler import CompilationError
from ..mechanics.codegen.toolchain.library import VISIBLE, load_library


def workspace_size(n: int, rows: int) -> int:
    """Return the number of doubles of workspace for a fit of n coordinates and some rows."""
    return 9 * n + 2 * n * n + (5 + 3 * n) * rows


def solver_text() -> str:
    """Return the C source of the solver, whose function ``fit`` is static by default."""
    return (Path(__file__).parent / "squares.c").read_text("utf-8")


@cache
def solver() -> Any:
    """Return the function ``fit`` of ``squares.c``, called through ctypes."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 10)(_address())


def _address() -> int:
    """Return the address of ``fit`` in the extension module, else in a library compiled now."""
    try:
        from ._squares import ADDRESS  # type: ignore[import-not-found]
    except ImportError:
        try:
            return load_library(f"#define LINKAGE {VISIBLE}\n{solver_text()}", ["-O2"], "fit")
        except CompilationError as error:
            raise CompilationError(
                "`inverse_kinematics` and `PoseSolver` must have their solver, which is in C: its "
                "extension module jointwrench.tracking._squares was not built with the package, "
                "and no compiler can build it now. Install a C compiler (for instance gcc or "
                f"clang, or set the environment variable CC to one).{_reason(error)}",
                *(error.command, error.output),
            ) from None
    return int(ADDRESS)


def _reason(error: CompilationError) -> str:
    return f" The failed command printed\n\n{error.output}" if error.output else ""
