"""From the sources of an extension module to the loaded module.

A module is compiled in a temporary folder, kept in the cache, and loaded.
Nothing is left behind elsewhere, neither in the file system nor in
`sys.modules` or `sys.path`.
"""

import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import shlex
import sys
import sysconfig
import threading
from collections.abc import Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from . import cache
from .errors import CompilationError
from .processes import run, temporary_folder
from .toolchain import Toolchain, find_toolchain

# How this interpreter was told to keep away from the environment, its child is told as well.
_ISOLATION = {
    "isolated": "-I",
    "ignore_environment": "-E",
    "no_user_site": "-s",
    "no_site": "-S",
    "safe_path": "-P",
}
_FLAGS = [flag for name, flag in _ISOLATION.items() if getattr(sys.flags, name, False)]

_COMMAND = [sys.executable, *_FLAGS, "setup.py", "--no-user-cfg", "build_ext", "--inplace"]

# Stands before setup.py: where this process was killed, its child and the compilers end as well.
_WATCH = """\
import os, signal, threading, time

def end_with(parent):
    while os.getppid() == parent:
        time.sleep(0.2)
    os.killpg(0, signal.SIGKILL)

if hasattr(os, "killpg"):
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()

"""

# What has to be of the same version for a compiled module to be the same.
_PACKAGES = ("Cython", "jointwrench", "numpy", "pydy", "setuptools")

# What setuptools takes from the environment.
_VARIABLES = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "LDSHARED", "ARCHFLAGS")

# The modules of this process: a file cannot be loaded twice.
_modules: dict[str, ModuleType] = {}
_lock = threading.RLock()


def _new_lock() -> None:
    """Replace the lock in a forked process: another thread may have held it."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


def load_module(sources: Mapping[str, str], name: str) -> ModuleType:
    """Return the module that these sources make, compiled if need be.

    Parameters
    ==========

    sources : mapping of str to str
        The texts of the files, by file name.  One is ``setup.py``, which finds
        the compiler's flags in ``flags.json``.
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
    toolchain = find_toolchain()
    key = _key(sources, name, toolchain)
    with _lock:
        if key not in _modules:
            _modules[key] = _from_cache(key, name) or _build(key, sources, name, toolchain)
        return _modules[key]


def _key(sources: Mapping[str, str], name: str, toolchain: Toolchain) -> str:
    """Return the hash of all that a compiled module depends on."""
    facts = {
        "sources": dict(sources),
        "name": name,
        "compiler": [toolchain.command, toolchain.flags, toolchain.identity],
        "environment": {key: os.environ.get(key) for key in _VARIABLES},
        "python": [sys.version, sysconfig.get_platform(), EXTENSION_SUFFIXES[0]],
        "packages": _versions(),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@functools.cache
def _versions() -> dict[str, str | None]:
    return {package: _version(package) for package in _PACKAGES}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _from_cache(key: str, name: str) -> ModuleType | None:
    path = cache.find(key, EXTENSION_SUFFIXES[0])
    if path is None:
        return None
    try:
        return _load(path, name)
    except ImportError:  # made for another machine, or removed by another process
        cache.discard(path)
        return None


def _build(key: str, sources: Mapping[str, str], name: str, toolchain: Toolchain) -> ModuleType:
    setup = _WATCH + sources["setup.py"]
    texts = {**sources, "setup.py": setup, "flags.json": json.dumps(toolchain.flags)}
    try:
        with temporary_folder() as folder:
            built = _compile(folder, texts, name)
            kept = cache.store(key, built.read_bytes(), EXTENSION_SUFFIXES[0])
            return _load_either(kept, built, name)
    except (OSError, ImportError) as error:
        raise _failure(f"({type(error).__name__}: {error})") from error


def _compile(folder: Path, texts: Mapping[str, str], name: str) -> Path:
    for file_name, text in texts.items():
        (folder / file_name).write_text(text, encoding="utf-8")
    returncode, output = run(_COMMAND, folder)
    if returncode:
        raise _failure(output or f"(nothing; it ended with the code {returncode})")
    built = [path for s in EXTENSION_SUFFIXES if (path := folder / (name + s)).exists()]
    if not built:
        raise _failure(f"{output}\n(it built no module {name})")
    return built[0]


def _failure(output: str) -> CompilationError:
    message = (
        f"The generated code could not be compiled by the command\n\n    {shlex.join(_COMMAND)}\n\n"
        f"which printed\n\n{output}\n\nUse backend='numpy' to do without a compiler."
    )
    return CompilationError(message, _COMMAND, output)


def _load_either(kept: Path | None, built: Path, name: str) -> ModuleType:
    if kept is not None:
        # Nothing can be loaded from some file systems, and another process may have removed it.
        with contextlib.suppress(ImportError):
            return _load(kept, name)
    return _load(built, name)


def _load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop(name, None)  # Cython enters it
    return module
