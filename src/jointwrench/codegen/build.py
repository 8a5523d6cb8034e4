"""From the sources of an extension module to the loaded module.

A module is compiled in a temporary folder, kept in the cache, and loaded.
Nothing is left behind elsewhere, neither in the file system nor in
`sys.modules` or `sys.path`.
"""

import functools
import hashlib
import importlib.util
import json
import os
import shlex
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from . import cache
from .errors import CompilationError
from .processes import run
from .toolchain import Toolchain, find_toolchain

_COMMAND = [sys.executable, "setup.py", "build_ext", "--inplace"]

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
    texts = {**sources, "flags.json": json.dumps(toolchain.flags)}
    try:
        with tempfile.TemporaryDirectory(
            prefix="jointwrench_", ignore_cleanup_errors=True
        ) as folder:
            built = _compile(Path(folder), texts, name)
            kept = cache.store(key, built.read_bytes(), EXTENSION_SUFFIXES[0])
            return _load(kept or built, name)
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


def _load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop(name, None)  # Cython enters it
    return module
