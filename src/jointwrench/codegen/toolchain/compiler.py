"""The C compiler: which one there is, and the one call that makes a shared library."""

import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

# What calls a C compiler where the environment variable CC does not say.
_USUAL = (sysconfig.get_config_var("CC") or "", "cc", "gcc", "clang")


class CompilationError(RuntimeError):
    """The compiler is missing or could not compile the generated code.

    Attributes
    ==========

    command : list of str
        The command that failed; empty if there was none to run.
    output : str
        All that it printed.

    See Also
    ========

    InverseDynamics.compile : Raises it.
    clear_cache : Removes compiled models.

    Examples
    ========

    >>> import jointwrench as jw
    >>> issubclass(jw.CompilationError, Exception)
    True
    """

    def __init__(self, message: str, command: Sequence[str] = (), output: str = "") -> None:
        super().__init__(message, command, output)
        self.command = list(command)
        self.output = output

    def __str__(self) -> str:
        return self.args[0]


class NoCompilerWarning(RuntimeWarning):
    """There is no C compiler, so that slower code does the work."""


def find_compiler() -> str | None:
    """Return the path of the C compiler, None if there is none."""
    command = compiler_command()
    return shutil.which(command[0]) if command else None


def compiler_command() -> list[str]:
    """Return the words that call the compiler: those of CC, or the first usual ones that exist."""
    given = os.environ.get("CC", "").strip()
    if given:
        return [given] if shutil.which(given) else environment_words("CC")
    commands = [shlex.split(command) for command in _USUAL if command]
    return next((command for command in commands if shutil.which(command[0])), [])


def environment_words(variable: str) -> list[str]:
    """Return the words of an environment variable, such as the user's own CFLAGS."""
    text = os.environ.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise CompilationError(
            f"The environment variable {variable} must hold words of a command, got {text!r} "
            f"({error}). Close the quotation, or unset it."
        ) from error


def library_commands(flags: Iterable[str], name: str = "model", units: int = 1) -> list[list[str]]:
    """Return the commands that make a shared library of a C file of this name, the last one of all.

    Those before it compile the file's units and may run at once.  The flags stand behind the user's
    CFLAGS.
    """
    if find_compiler() is None:
        raise CompilationError(
            "No C compiler was found. Use backend='numpy', or install one (for instance gcc or "
            "clang) and let the environment variable CC name it."
        )
    given = [*environment_words("CPPFLAGS"), *environment_words("CFLAGS")]
    place, libraries = ([], []) if os.name == "nt" else (["-fPIC"], ["-lm"])
    first = [*compiler_command(), *given, *flags, *place]
    last = [*environment_words("LDFLAGS"), *libraries]
    commands, parts = [], [f"{name}.c"]
    if units > 1:
        parts = [f"{name}-{unit}.o" for unit in range(units)]
        commands = [
            [*first, "-c", f"-DUNITS={units}", f"-DUNIT={unit}", "-o", part, f"{name}.c"]
            for unit, part in enumerate(parts)
        ]
    return [*commands, [*first, "-shared", "-o", f"{name}.so", *parts, *last]]


def units_of(source: str) -> int:
    """Return in how many units a C text is compiled: one for each core, if it can be divided."""
    return min(os.cpu_count() or 1, 16) if "defined(UNITS)" in source else 1


def compile_library(
    source: str, commands: Sequence[list[str]], folder: Path, name: str = "model"
) -> Path:
    """Write a C text into a folder, run the commands there, and return the library.

    The compiler's temporary files are made there as well.
    """
    (folder / f"{name}.c").write_text(source, encoding="utf-8")
    *parts, last = commands
    with ThreadPoolExecutor(max(1, len(parts))) as pool:
        for _ in pool.map(partial(_run, folder=folder), parts):
            pass  # a failure is raised here
    words = _run(last, folder)
    library = folder / f"{name}.so"
    if not library.exists():
        raise failure(last, words or "(nothing; it ended with the code 0)")
    return library


def _run(command: list[str], folder: Path) -> str:
    """Run a command in a folder and return what it printed."""
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **places},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    words = ended.stdout.decode("utf-8", errors="replace")
    if ended.returncode:
        raise failure(command, words or f"(nothing; it ended with the code {ended.returncode})")
    return words


#: Makes a folder to compile in, for a with statement.
temporary_folder = partial(
    tempfile.TemporaryDirectory, prefix="jointwrench_", ignore_cleanup_errors=True
)


def failure(command: list[str], words: str) -> CompilationError:
    """Return the error for a call of the compiler that went wrong."""
    return CompilationError(
        f"The generated code could not be compiled by the command\n\n    {shlex.join(command)}\n\n"
        f"which printed\n\n{words}\n\nLet the environment variable CC name another compiler, or "
        "use backend='numpy' to do without one.",
        command,
        words,
    )
