"""From the sources of an extension module to the loaded module.

`build_module` depends on its arguments alone and leaves nothing behind, neither
in the file system nor in `sys.modules` or `sys.path`.
"""

import importlib.util
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

_COMMAND = [sys.executable, "setup.py", "build_ext", "--inplace"]


class CompilationError(RuntimeError):
    """The compiler is missing or could not compile the generated code.

    Attributes
    ==========

    command : list of str
        The command that failed; empty if there was none to run.
    output : str
        All that it printed.
    """

    def __init__(self, message: str, command: list[str], output: str) -> None:
        super().__init__(message, command, output)
        self.command = command
        self.output = output

    def __str__(self) -> str:
        return self.args[0]


class NoCompilerWarning(RuntimeWarning):
    """There is no C compiler, so that slower code does the work."""


def find_compiler() -> str | None:
    """Return the path of the C compiler that setuptools will call, None if it is not there.

    On Windows setuptools looks for its compiler elsewhere than on the path; it
    is taken to be there.
    """
    if os.name == "nt":
        return "cl.exe"
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    return shutil.which(command[0]) if command else None


def build_module(sources: Mapping[str, str], name: str) -> ModuleType:
    """Build an extension module in a temporary folder and load it.

    Parameters
    ==========

    sources : mapping of str to str
        The texts of the files, by file name.  One is ``setup.py``.
    name : str
        The name of the module.

    Returns
    =======

    module
        The loaded module.  It is not entered into `sys.modules`.

    Raises
    ======

    CompilationError
        If there is no compiler, or if it fails.
    """
    if find_compiler() is None:
        raise CompilationError(
            "No C compiler was found. Use backend='numpy', or install one (for instance gcc or "
            "clang) and let the environment variable CC name it.",
            [],
            "",
        )
    with tempfile.TemporaryDirectory(prefix="jointwrench_", ignore_cleanup_errors=True) as folder:
        for file_name, text in sources.items():
            (Path(folder) / file_name).write_text(text, encoding="utf-8")
        _compile(Path(folder))
        return _load(Path(folder), name)


def _compile(folder: Path) -> None:
    returncode, output = _run(_COMMAND, folder)
    if returncode:
        raise _failure(_COMMAND, output)


def _failure(command: list[str], output: str) -> CompilationError:
    message = (
        f"The generated code could not be compiled by the command\n\n    {shlex.join(command)}\n\n"
        f"which printed\n\n{output}\n\nUse backend='numpy' to do without a compiler."
    )
    return CompilationError(message, command, output)


def _run(command: list[str], folder: Path) -> tuple[int, str]:
    """Run a command; if interrupted, end it and all that it started."""
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


def _load(folder: Path, name: str) -> ModuleType:
    built = [path for s in EXTENSION_SUFFIXES if (path := folder / (name + s)).exists()]
    if not built:
        raise _failure(_COMMAND, f"(it built no module {name})")
    path = built[0]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop(name, None)  # Cython enters it
    return module
