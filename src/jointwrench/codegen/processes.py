"""Running a command so that nothing of it survives an interruption."""

import os
import signal
import subprocess
from pathlib import Path


def run(command: list[str], folder: Path) -> tuple[int, str]:
    """Run a command; if interrupted, end it and all that it started.

    Parameters
    ==========

    command : list of str
        The command.
    folder : Path
        Where to run it.

    Returns
    =======

    int
        Its return code, negative if a signal ended it.
    str
        All that it printed.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate()
        finally:
            if process.returncode is None:
                _end(process)
    return process.returncode, output


def _end(process: subprocess.Popen) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
