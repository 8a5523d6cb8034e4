"""The C compiler: its command, and the call that makes a shared library."""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from ....checks.files import PrivateFolder, load_bytes, private_folder

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

# The commands to try if the environment variable CC is not set.
_USUAL = (sysconfig.get_config_var("CC") or "", "cc", "gcc", "clang")

#: The environment variable with the number of seconds that a compiler may take.
LIMIT_VARIABLE = "JOINTWRENCH_TIMEOUT"

# The beginning of the names of temporary folders.
_PREFIX = "jointwrench-compiles-"


class CompilationError(RuntimeError):
    """The compiler is missing or could not compile the generated code.

    Raised by `InverseDynamics.compile`.

    Attributes
    ==========

    command : list of str
        The command that failed; empty if no compiler was found.
    output : str
        The output of the command.

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


class UnusableCompilerError(CompilationError):
    """A failure that no flags can avoid: the compiler does not end, or no library can be loaded."""


class NoCompilerWarning(RuntimeWarning):
    """There is no C compiler, or it fails, so that slower code is used."""


def find_compiler() -> str | None:
    """Return the path of the C compiler; None if there is none."""
    command = compiler_command()
    return shutil.which(command[0]) if command else None


def compiler_command() -> list[str]:
    """Return the words that call the compiler: those of CC, or of the first usual command."""
    given = os.environ.get("CC", "").strip()
    if given:
        return [given] if shutil.which(given) else environment_words("CC")
    commands = [shlex.split(command) for command in _USUAL if command]
    return next((command for command in commands if shutil.which(command[0])), [])


def no_compiler() -> tuple[str, str]:
    """Return the reason why there is no C compiler, and the fix."""
    given = os.environ.get("CC", "").strip()
    if given:
        return f"The environment variable CC must name a program, got {given!r}", "Unset it"
    install = "Install one (for instance gcc or clang) and set the environment variable CC to it"
    return "No C compiler was found", install


def environment_words(variable: str) -> list[str]:
    """Return the words of an environment variable, such as the user's CFLAGS."""
    text = os.environ.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise CompilationError(
            f"The environment variable {variable} must be a command, got {text!r} ({error}). "
            "Close the quotation, or unset it."
        ) from error


def library_commands(flags: Iterable[str], name: str = "model", units: int = 1) -> list[list[str]]:
    """Return the commands that make a shared library from a C file, the link command last.

    The other commands, for units, may run in parallel.  The flags follow the user's CFLAGS.
    """
    if find_compiler() is None:
        why, fix = no_compiler()
        raise CompilationError(f"{why}. Use backend='numpy', or {fix[:1].lower()}{fix[1:]}.")
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


def count_units(source: str) -> int:
    """Return the number of compilation units of a C text: one per core, if it can be divided."""
    return min(os.cpu_count() or 1, 16) if "defined(UNITS)" in source else 1


def compile_library(
    source: str, commands: Sequence[list[str]], folder: PrivateFolder, name: str = "model"
) -> bytes:
    """Run commands on a C text in a folder with all temporary files, and return the library."""
    folder.write(f"{name}.c", source.encode())
    seconds = time_limit(source)
    *parts, last = commands
    _run(parts, folder, seconds)
    (words,) = _run([last], folder, seconds)
    if f"{name}.so" not in folder.names():
        raise compilation_failure(last, words or "(nothing; its exit code was 0)")
    return folder.read(f"{name}.so")


def load_compiled(content: bytes, command: list[str], *paths: Path | None) -> ctypes.CDLL:
    """Return a loaded library, from its bytes or from one of the paths that have them."""
    try:
        return load_bytes(content, *filter(None, paths))
    except OSError as error:
        said = (
            f"no library that can be loaded ({error}; if no program may be executed where it is, "
            "set TMPDIR to another folder)"
        )
        raise compilation_failure(command, said, UnusableCompilerError) from error


def time_limit(source: str) -> float:
    """Return the number of seconds that a compiler may take for a C text."""
    given = os.environ.get(LIMIT_VARIABLE, "")
    try:
        seconds = float(given or 45 + 0.01 * source.count("\n"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise ValueError(
            f"The environment variable {LIMIT_VARIABLE} must be a positive number of seconds, "
            f"got {given!r}."
        )
    return seconds


def _run(commands: Sequence[list[str]], folder: PrivateFolder, seconds: float) -> list[str]:
    """Run commands in parallel in a folder and return their outputs; all processes end."""
    end, words = time.monotonic() + seconds, []
    with ExitStack() as stack:
        started = [stack.enter_context(_start(command, folder)) for command in commands]
        for command, (process, printed) in zip(commands, started, strict=True):
            try:
                code = process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                said = (
                    f"(it had not ended after {seconds:g} s; if it is only slow, set the "
                    f"environment variable {LIMIT_VARIABLE} to more seconds)"
                )
                raise compilation_failure(command, said, UnusableCompilerError) from None
            printed.seek(0)
            words.append(printed.read().decode("utf-8", errors="replace"))
            if code:
                said = words[-1] or f"(nothing; its exit code was {code})"
                raise compilation_failure(command, said)
    return words


@contextmanager
def _start(
    command: list[str], folder: PrivateFolder
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start a command with a file for its output, and end it after the block."""
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder.path))
    with tempfile.TemporaryFile(dir=folder.path) as printed:
        process = subprocess.Popen(
            command,
            cwd=folder.path,
            umask=0o077,
            env={**os.environ, **places},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # with the programs that it calls
        )
        try:
            yield process, printed
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and the processes that it started."""
    if process.poll() is None:
        with suppress(OSError):  # it has ended just now
            if os.name == "nt":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def temporary_folder() -> Iterator[PrivateFolder]:
    """Make a private folder to compile in; remove those left by killed processes."""
    with ExitStack() as stack:
        try:
            _remove_left(Path(tempfile.gettempdir()))
            made = Path(tempfile.mkdtemp(prefix=_PREFIX))
            stack.callback(_remove, made, os.getpid())
            folder = stack.enter_context(private_folder(made))
        except OSError as error:
            raise UnusableCompilerError(
                f"There must be a folder for temporary files that nobody else can change ({error})."
                " Set the environment variable TMPDIR to one, or use backend='numpy'."
            ) from error
        with suppress(OSError):  # nothing can be locked there
            _lock(folder)
        yield folder


def _remove_left(place: Path) -> None:
    """Remove folders that killed processes left behind."""
    for path in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # it is another user's, or in use, or was removed just now
            if time.time() - path.lstat().st_mtime > 1:  # else it may not be locked yet
                with private_folder(path) as folder:
                    _lock(folder)
                    shutil.rmtree(path, ignore_errors=True)


def _remove(folder: Path, process: int) -> None:
    """Remove a folder, unless this is a fork of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _lock(folder: PrivateFolder) -> None:
    """Lock a folder for this process; raise an OSError if another process has locked it."""
    if fcntl is None or folder.descriptor is None:
        raise OSError("Windows cannot lock folders")
    fcntl.flock(folder.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def compilation_failure(
    command: list[str], words: str, kind: type[CompilationError] = CompilationError
) -> CompilationError:
    """Return the error for a failed command with its output ``words``."""
    return kind(
        "The generated code could not be compiled by the command\n\n    "
        f"{shlex.join(command)}\n\nwhich printed\n\n{words}\n\nSet the environment variable CC "
        "to another compiler, or use backend='numpy', which needs none.",
        command,
        words,
    )
