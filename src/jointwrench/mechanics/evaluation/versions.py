"""`show_versions`: versions and tools for bug reports."""

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from ..codegen.toolchain.cache import cache_folder
from ..codegen.toolchain.compiler import CompilationError, compiler_command, find_compiler
from ..codegen.toolchain.tuning import TUNINGS, choose_tuning, processor

NEEDED = ("jointwrench", "sympy", "pydy", "numpy", "scipy", "lazy-loader")
EXTRAS = (
    *("matplotlib", "pandas", "ezc3d", "mujoco", "xacrodoc", "casadi"),
    *("jax", "torch", "numba", "dask"),
)

#: Features of processors that affect speed, by their names on Linux.
REGISTERS = ("avx2", "avx512f", "asimd", "sve")


def show_versions() -> None:
    """Print the versions and tools on which results and their speed depend.

    These are Python, the packages, the extension module, the C compiler with the flags that are
    fastest on this machine, and the folder of compiled models.  Paste them into bug reports.  The
    first call on a machine measures the flags, which takes seconds.

    See Also
    ========

    clear_cache : Empties the folder of compiled models.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.show_versions()
    jointwrench  ...
    sympy        ...
    """
    rows = {name: _version(name) or "missing" for name in NEEDED}
    rows |= {name: found for name in EXTRAS if (found := _version(name))}
    rows["Python"] = f"{platform.python_version()} ({sys.executable})"
    registers = [name for name in REGISTERS if name in processor().split()]
    rows["machine"] = ", ".join([platform.platform(), *registers])
    native = f"{__package__}.backends._native"
    rows["extension"] = "built" if find_spec(native) else "missing: calls take longer"
    rows |= _compiler()
    rows["cache"] = str(cache_folder() or "off")
    width = max(map(len, rows)) + 1
    print(*(f"{name:{width}} {text}" for name, text in rows.items()), sep="\n")


def _version(name: str) -> str | None:
    """Return the version of a package; None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _compiler() -> dict[str, str]:
    """Return rows on the C compiler and its flags."""
    path = find_compiler()
    if path is None:
        return {"compiler": "none found: numpy evaluates. Install gcc or clang, or set CC."}
    command = [*compiler_command(), "--version"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    first = (output.splitlines() or ["its version is unknown"])[0]
    try:
        name = choose_tuning()
        flags = f"{name}: {' '.join(TUNINGS[name])}"
    except (CompilationError, ValueError) as error:
        flags = str(error).splitlines()[0]
    return {"compiler": f"{path} ({first})", "flags": flags}
