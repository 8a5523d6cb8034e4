"""Running a command so that nothing of it survives an interruption."""

import contextlib
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

# Folders of this age are left over from a process that was killed.
_LEFT_OVER = 24 * 3600.0

_PREFIX = "jointwrench_unfinished_"
_NAME = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")

# What setuptools calls; set but empty they are to be as if not set.
_PROGRAMS = ("AR", "CC", "CPP", "CXX", "LDCXXSHARED", "LDSHARED")


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder to compile in, and remove it at the end.

    Those that processes of this user have left over, when they were killed, are
    removed as well, after a day.
    """
    _remove_left_over(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _remove_left_over(place: Path) -> None:
    try:
        names = os.listdir(place)
    except OSError:
        return
    for name in names:
        if _NAME.fullmatch(name) and _is_left_over(place / name):
            shutil.rmtree(place / name, ignore_errors=True)


def _is_left_over(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:  # another process has just removed it
        return False
    own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return own and stat.S_ISDIR(status.st_mode) and time.time() - status.st_mtime > _LEFT_OVER


def run(command: list[str], folder: Path) -> tuple[int, str]:
    """Run a command; if interrupted, end it and all that it started.

    Parameters
    ==========

    command : list of str
        The command.
    folder : Path
        Where to run it, and where it is to keep its temporary files.

    Returns
    =======

    int
        Its return code, negative if a signal ended it.
    str
        All that it printed.

    Raises
    ======

    OSError
        If it cannot be started.
    """
    # A file, not a pipe: what the command leaves running may hold a pipe open.
    with (
        tempfile.TemporaryFile(dir=folder) as output,
        subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            process.wait()
        finally:
            if process.returncode is None:
                _end(process)
        output.seek(0)
        return process.returncode, output.read().decode("utf-8", errors="replace")


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of this process, with a place of its own for temporary files."""
    given = {k: v for k, v in os.environ.items() if v.strip() or k not in _PROGRAMS}
    return {**given, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))}


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has just ended
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
