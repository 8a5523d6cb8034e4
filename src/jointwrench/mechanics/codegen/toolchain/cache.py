"""The cache of compiled libraries on disk.

An entry is one file, ``<key>.<checksum of its content><suffix>``, which appears atomically by a
rename.  It is used only if its content has the checksum and nobody else can write to it.
"""

import contextlib
import functools
import hashlib
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ....checks.problems import warn

#: Names the folder of the cache; "off" is no cache.
FOLDER_VARIABLE = "JOINTWRENCH_CACHE"

#: Entries that nobody has used for this long are removed.
OLDEST = 90 * 24 * 3600.0

# The names of entries, and of those not yet complete; nothing else is ever touched.
_NAME = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{32}\..+|unfinished-[0-9a-f]{32}-[a-z0-9_]{8}")


def cache_folder() -> Path | None:
    """Return the folder of the compiled libraries, None with ``JOINTWRENCH_CACHE=off``.

    It is ``compiled`` in the folder of that variable, or in ``jointwrench`` among the user's
    caches.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    if given == "off":
        return None
    try:
        base = Path(given).expanduser().absolute() if given else _users_caches() / "jointwrench"
    except (OSError, RuntimeError) as error:  # no current folder, or no such user
        _tell(given or "the user's caches", str(error))
        return None
    return base / "compiled"


def _users_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return Path(given) if os.path.isabs(given) else Path.home() / ".cache"


def _usable_folder(make: bool = False) -> Path | None:
    """Return the folder if only the user can write to it; warn if it cannot be made."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        if make:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if stat.S_ISDIR(status.st_mode) and _is_private(status):
            return folder
        problem = "others can write to it, or it belongs to another user"
    except OSError as error:
        problem = str(error)
    if make:
        _tell(folder, problem)
    return None


@functools.cache
def _tell(folder: Path | str, problem: str) -> None:
    """Warn once that nothing is stored in a folder."""
    warn(
        f"Compiled models cannot be stored in {folder} ({problem}), so that each process "
        f"compiles them again. Correct that, or set the environment variable {FOLDER_VARIABLE} "
        "to a folder of your own, or to 'off'.",
        RuntimeWarning,
    )


def _is_private(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user, and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def find(key: str, suffix: str) -> Path | None:
    """Return the file of an entry, None if there is none; untrusted files are removed."""
    for path in _entries():
        if path.name.startswith(f"{key}.") and path.name.endswith(suffix):
            with contextlib.suppress(OSError):  # one that cannot be read hides no other one
                if _is_sound(path, suffix):
                    os.utime(path)
                    return path
                discard(path)
    return None


def _entries() -> Iterator[Path]:
    folder = _usable_folder()
    if folder is not None:
        with contextlib.suppress(OSError):
            names = sorted(filter(_NAME.fullmatch, os.listdir(folder)))
            yield from (folder / name for name in names)


def _is_sound(path: Path, suffix: str) -> bool:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or not _is_private(status):
        return False
    return path.name.endswith(f".{_checksum(path.read_bytes())}{suffix}")


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def store(key: str, content: bytes, suffix: str) -> Path | None:
    """Write an entry and return its file, None if the folder cannot be written."""
    folder = _usable_folder(make=True)
    if folder is None:
        return None
    checksum = _checksum(content)
    path = folder / f"{key}.{checksum}{suffix}"
    try:
        handle, unfinished = tempfile.mkstemp(prefix=f"unfinished-{checksum}-", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(unfinished, path)  # it is seen complete or not at all
        finally:
            discard(Path(unfinished))  # if it has this name still
    except OSError as error:  # read-only, or full
        _tell(folder, error.strerror or str(error))
        return None
    _remove_old()
    return path


def _remove_old() -> None:
    for path in _entries():
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime > OLDEST:
                path.unlink()


def clear_cache() -> None:
    """Remove all compiled models from the user's cache folder.

    Loaded models stay usable.  Other files in the folder are kept, and so is everything in a folder
    that other users can write to.

    See Also
    ========

    InverseDynamics.compile : Fills the cache.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.clear_cache()  # doctest: +SKIP
    """
    for path in _entries():
        discard(path)
    folder = _usable_folder()
    if folder is not None:
        with contextlib.suppress(OSError):  # something else is in it, or it is a link
            folder.rmdir()
