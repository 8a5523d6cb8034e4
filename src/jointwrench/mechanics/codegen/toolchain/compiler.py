"""The C compiler: its command, and the call that makes a shared library."""

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

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

# What calls a C compiler where the environment variable CC does not say.
_USUAL = (sysconfig.get_config_var("CC") or "", "cc", "gcc", "clang")

#: Says how many seconds a compiler may take, of whatever size the code is.
LIMIT_VARIABLE = "JOINTWRENCH_TIMEOUT"

# No folder of the user's own is called so.
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


class EndlessCompilationError(CompilationError):
    """The compiler did not end in time."""


class NoCompilerWarning(RuntimeWarning):
    """There is no C compiler, or it fails, so that slower code is used."""


def find_compiler() -> str | None:
    command = compiler_command()
    return shutil.which(command[0]) if command else None


def compiler_command() -> list[str]:
    """Return the words that call the compiler: those of CC, or the first usual ones that exist."""
    given = os.environ.get("CC", "").strip()
    if given:
        return [given] if shutil.which(given) else environment_words("CC")
    commands = [shlex.split(command) for command in _USUAL if command]
    return next((command for command in commands if shutil.which(command[0])), [])


def no_compiler() -> tuple[str, str]:
    """Return why there is no C compiler, and what to do."""
    given = os.environ.get("CC", "").strip()
    if given:
        return f"The environment variable CC must name a program, got {given!r}", "Unset it"
    install = "Install one (for instance gcc or clang) and set the environment variable CC to it"
    return "No C compiler was found", install


def environment_words(variable: str) -> list[str]:
    """Return the words of an environment variable, such as the user's own CFLAGS."""
    text = os.environ.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise CompilationError(
            f"The environment variable {variable} must be a command, got {text!r} ({error}). "
            "Close the quotation, or unset it."
        ) from error


def library_commands(flags: Iterable[str], name: str = "model", units: int = 1) -> list[list[str]]:
    """Return the commands that make a shared library of a C file; the last one links it.

    The others, for units, may run at once.  The flags follow the user's CFLAGS.
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


def units_of(source: str) -> int:
    """Return the number of compilation units of a C text: one per core, if it can be divided."""
    return min(os.cpu_count() or 1, 16) if "defined(UNITS)" in source else 1


def compile_library(
    source: str, commands: Sequence[list[str]], folder: Path, name: str = "model"
) -> Path:
    """Run commands on a C text in a folder, with all temporary files, and return the library."""
    (folder / f"{name}.c").write_text(source, encoding="utf-8")
    seconds = time_limit(source)
    *parts, last = commands
    _run(parts, folder, seconds)
    (words,) = _run([last], folder, seconds)
    library = folder / f"{name}.so"
    if not library.exists():
        raise failure(last, words or "(nothing; its exit code was 0)")
    return library


def time_limit(source: str) -> float:
    """Return how many seconds a compiler may take for a C text."""
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


def _run(commands: Sequence[list[str]], folder: Path, seconds: float) -> list[str]:
    """Run commands in a folder, all at once, and return their output; all are ended."""
    end, words = time.monotonic() + seconds, []
    with ExitStack() as stack:
        started = [stack.enter_context(_started(command, folder)) for command in commands]
        for command, (process, printed) in zip(commands, started, strict=True):
            try:
                code = process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                said = (
                    f"(it had not ended after {seconds:g} s; if it is only slow, set the "
                    f"environment variable {LIMIT_VARIABLE} to more seconds)"
                )
                raise failure(command, said, EndlessCompilationError) from None
            printed.seek(0)
            words.append(printed.read().decode("utf-8", errors="replace"))
            if code:
                said = words[-1] or f"(nothing; its exit code was {code})"
                raise failure(command, said)
    return words


@contextmanager
def _started(
    command: list[str], folder: Path
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start a command with a file for its output; end it afterwards."""
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with tempfile.TemporaryFile(dir=folder) as printed:
        process = subprocess.Popen(
            command,
            cwd=folder,
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
    if process.poll() is None:
        with suppress(OSError):  # it has ended just now
            if os.name == "nt":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Make a folder to compile in; remove those left by killed processes."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # it is another user's, or in use, or just gone
            if time.time() - path.lstat().st_mtime > 1:  # else it may not be locked yet
                with _locked(path):
                    shutil.rmtree(path, ignore_errors=True)
    with ExitStack() as stack:
        place = tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
        folder = stack.enter_context(place)
        with suppress(OSError):  # nothing can be locked there
            stack.enter_context(_locked(Path(folder)))
        yield folder


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder as long as this process lives; an OSError if another one has it."""
    if fcntl is None:
        raise OSError("Windows cannot lock folders")
    handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        if os.fstat(handle).st_uid != os.getuid():
            raise PermissionError("the folder belongs to another user")
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def failure(
    command: list[str], words: str, kind: type[CompilationError] = CompilationError
) -> CompilationError:
    return kind(
        "The generated code could not be compiled by the command\n\n    "
        f"{shlex.join(command)}\n\nwhich printed\n\n{words}\n\nSet the environment variable CC "
        "to another compiler, or use backend='numpy', which needs none.",
        command,
        words,
    )
