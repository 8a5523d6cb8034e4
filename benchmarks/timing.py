"""Measuring times, and printing tables with the machine and the versions."""

import importlib.metadata
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

_OURS = ("jointwrench", "sympy", "pydy", "numpy", "Cython")
PACKAGES = (*_OURS, "pin", "mujoco", "jax", "torch", "numba")

# Without bytecode each process would compile our sources anew, which is no time of a user's.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

#: The widest vectors of a processor, by its flags.
WIDTHS = {"avx512f": "AVX-512", "avx2": "AVX2", "asimd": "NEON"}


def best(function: Callable[[], Any], seconds: float = 1.0, loop: int = 1) -> float:
    """Return the shortest time of one call, in seconds, of as many as fit in a time.

    ``loop`` calls are measured together, for functions that take less time than reading the clock.
    """
    shortest, turns = float("inf"), range(loop)
    function()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in turns:
            function()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest / loop


def best_by_turns(functions: Sequence[Callable[[], Any]], seconds: float) -> list[float]:
    """Return the shortest time of each function, in seconds, called alternately.

    So the load of the machine affects all equally.
    """
    shortest = [float("inf")] * len(functions)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for k, function in enumerate(functions):
            shortest[k] = min(shortest[k], once(function)[0])
    return shortest


def once(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the time of one call, in seconds, and its result."""
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def ready(evaluate: Any) -> Any:
    """Return an evaluator with its kernel for batches, which else the first batch compiles."""
    assert evaluate.address
    return evaluate


def machine() -> str:
    """Return the processor, the system and the versions of all packages."""
    versions = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return f"{_processor()}, {_compiler()}, {platform.system()}; {', '.join(versions)}"


def _compiler() -> str:
    """Return the first line that the C compiler prints as its version."""
    command = os.environ.get("CC", "cc").split()
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "no C compiler"
    return done.stdout.partition("\n")[0]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    first = dict(line.replace("\t", "").split(":", 1) for line in reversed(lines) if ":" in line)
    flags = first.get("flags", "").split()
    wide = [name for flag, name in WIDTHS.items() if flag in flags][:1]
    return " with ".join([first.get("model name", platform.machine()).strip(), *wide])


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table in Markdown."""
    print(f"\n**{title}**\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print(f"\n{machine()}", flush=True)


def skip(what: str, why: object) -> None:
    """Say that something was left out."""
    print(f"(left out: {what}: {why})", file=sys.stderr)
