"""From C text to a loaded library, which is compiled once and cached."""

import ctypes
import hashlib
import json
import logging
import os
import shlex
import time
from collections.abc import Sequence

from ....checks.files import load_bytes
from . import cache
from .compiler import (
    compilation_failure,
    compile_library,
    count_units,
    library_commands,
    load_compiled,
    temporary_folder,
)
from .tuning import ONE_LANE, choose_flags, machine

#: The function that every compiled model exports.
FUNCTION = "evaluate_arrays"

#: The declaration that exports a function of a library.
VISIBLE = "__declspec(dllexport)" if os.name == "nt" else '__attribute__((visibility("default")))'

_SUFFIX = ".so"

_log = logging.getLogger("jointwrench")

# The libraries of this process, which are never unloaded: addresses of their functions are in use.
_libraries: dict[str, ctypes.CDLL] = {}


def load_library(source: str, more: Sequence[str] = (), function: str = FUNCTION) -> int:
    """Return the permanent address of a function of a C text, compiled with flags ``more``."""
    is_streaming = "SECOND_CACHE" in source and ONE_LANE[0] not in more
    flags = [*choose_flags(is_streaming), *more]
    facts = json.dumps([source, flags, machine()])
    key = hashlib.sha256(facts.encode()).hexdigest()
    if key not in _libraries:
        _libraries[key] = _from_cache(key) or _build(key, source, flags)
    return ctypes.cast(getattr(_libraries[key], function), ctypes.c_void_p).value or 0


def _from_cache(key: str) -> ctypes.CDLL | None:
    """Return the cached library of a key; None if there is none that can be loaded."""
    entry = cache.find(key)
    if entry is None:
        return None
    try:
        return load_bytes(entry.content, entry.path)
    except OSError:
        cache.discard(entry)  # it is not for this machine
        return None


def _build(key: str, source: str, flags: list[str]) -> ctypes.CDLL:
    """Return the library of a C text, compiled and stored in the cache."""
    began = time.perf_counter()
    commands = library_commands(flags, units=count_units(source))
    _log.info("compiling %d lines of C by %s", source.count("\n"), shlex.join(commands[0]))
    try:
        with temporary_folder() as folder:
            content = compile_library(source, commands, folder)
            paths = cache.store(key, content, ".so"), folder.path / "model.so"
            library = load_compiled(content, commands[-1], *paths)
    except OSError as error:
        raise compilation_failure(commands[-1], f"({type(error).__name__}: {error})") from error
    _log.info("compiled in %.2f s", time.perf_counter() - began)
    return library
