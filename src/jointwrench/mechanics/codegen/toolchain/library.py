"""From C text to a loaded library, compiled once and cached."""

import ctypes
import hashlib
import json
import logging
import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from . import cache
from .compiler import compile_library, failure, library_commands, temporary_folder, units_of
from .tuning import ONE_LANE, choose_flags, machine

#: The function that every compiled model exports.
FUNCTION = "evaluate_arrays"

_SUFFIX = ".so"

_log = logging.getLogger("jointwrench")

# Those of this process.  They stay: the addresses of their functions are in use.
_libraries: dict[str, ctypes.CDLL] = {}


def load_library(source: str, more: Sequence[str] = (), function: str = FUNCTION) -> int:
    """Return the permanent address of a function of a C text, compiled with more flags."""
    is_streaming = "SECOND_CACHE" in source and ONE_LANE[0] not in more
    flags = [*choose_flags(is_streaming), *more]
    facts = json.dumps([source, flags, machine()])
    key = hashlib.sha256(facts.encode()).hexdigest()
    if key not in _libraries:
        _libraries[key] = _from_cache(key) or _build(key, source, flags)
    return ctypes.cast(getattr(_libraries[key], function), ctypes.c_void_p).value or 0


def _from_cache(key: str) -> ctypes.CDLL | None:
    path = cache.find(key, _SUFFIX)
    library = _load(path)
    if path is not None and library is None:
        cache.discard(path)  # it is not for this machine
    return library


def _load(path: Path | None) -> ctypes.CDLL | None:
    """Return a library, None if it cannot be loaded or another process removed it."""
    try:
        return None if path is None else ctypes.CDLL(str(path))
    except OSError:
        return None


def _build(key: str, source: str, flags: list[str]) -> ctypes.CDLL:
    began = time.perf_counter()
    commands = library_commands(flags, units=units_of(source))
    _log.info("compiling %d lines of C by %s", source.count("\n"), shlex.join(commands[0]))
    try:
        with temporary_folder() as folder:
            built = compile_library(source, commands, Path(folder))
            kept = cache.store(key, built.read_bytes(), _SUFFIX)
            library = _load(kept) or ctypes.CDLL(str(built))
    except OSError as error:
        raise failure(commands[-1], f"({type(error).__name__}: {error})") from error
    _log.info("compiled in %.2f s", time.perf_counter() - began)
    return library
