"""Compiled modules on disk, so that nothing is compiled twice.

An entry is one file, ``<key>.<checksum of its content><suffix>``.  It appears at
once, by a rename, so that any number of processes may write the same entry.  An
entry is used only if its content has the checksum, and if nobody but the user
can have written it.
"""

import contextlib
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

#: Names the folder of the cache; "off" is no cache.
FOLDER_VARIABLE = "JOINTWRENCH_CACHE"

#: Entries that nobody has used for this long are removed.
OLDEST = 90 * 24 * 3600.0

#: Beyond this total size the entries that were not used for longest are removed.
LARGEST = 500 * 2**20

#: Unfinished files this old are left over from something that was killed.
_UNFINISHED = 24 * 3600.0


def cache_folder() -> Path | None:
    """Return the folder of the compiled modules, None if there is to be none.

    It is ``compiled`` in the folder that the environment variable
    JOINTWRENCH_CACHE names, or else in ``jointwrench`` among the user's caches.
    With ``JOINTWRENCH_CACHE=off`` there is none.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    if given == "off":
        return None
    if given:
        return Path(given).absolute() / "compiled"
    base = _users_caches()
    return None if base is None else base / "jointwrench" / "compiled"


def _users_caches() -> Path | None:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else None
    given = os.environ.get("XDG_CACHE_HOME")
    if given and os.path.isabs(given):
        return Path(given)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"


def _usable_folder() -> Path | None:
    """Return the folder if it exists, or could be made, and is the user's alone."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_private(folder.lstat(), stat.S_ISDIR) else None
    except OSError:
        return None


def _is_private(status: os.stat_result, is_kind: object) -> bool:
    """Whether a file or folder is what it should be, the user's, and nobody else may write it."""
    if not callable(is_kind) or not is_kind(status.st_mode):
        return False
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def find(key: str, suffix: str) -> Path | None:
    """Return the file of an entry, None if there is none that can be trusted.

    Files that cannot be trusted are removed.
    """
    folder = _usable_folder()
    if folder is None:
        return None
    with contextlib.suppress(OSError):
        for path in sorted(folder.glob(f"{key}.*{suffix}")):
            if _is_sound(path, suffix):
                with contextlib.suppress(OSError):
                    os.utime(path)  # for `trim`
                return path
            discard(path)
    return None


def _is_sound(path: Path, suffix: str) -> bool:
    if not _is_private(path.lstat(), stat.S_ISREG):
        return False
    return path.name.removesuffix(suffix).endswith(f".{_checksum(path.read_bytes())}")


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def discard(path: Path) -> None:
    """Remove a file of the cache, if that is possible."""
    with contextlib.suppress(OSError):
        path.unlink()


def store(key: str, content: bytes, suffix: str) -> Path | None:
    """Write an entry and return its file, None if the folder cannot be written."""
    folder = _usable_folder()
    if folder is None:
        return None
    path = folder / f"{key}.{_checksum(content)}{suffix}"
    try:
        _replace(path, content)
    except OSError:  # read-only, or full
        return None
    trim()
    return path


def _replace(path: Path, content: bytes) -> None:
    """Write a file so that it is seen complete or not at all."""
    handle, unfinished = tempfile.mkstemp(prefix="unfinished-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(unfinished, path)
    except BaseException:
        discard(Path(unfinished))
        raise


def read_note(key: str) -> str | None:
    """Return a text from the cache, None if there is none that can be trusted."""
    path = find(key, ".json")
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def write_note(key: str, text: str) -> None:
    """Write a text into the cache, if that is possible."""
    store(key, text.encode("utf-8"), ".json")


def trim() -> None:
    """Remove what is old, and the oldest of what is too much."""
    folder = _usable_folder()
    if folder is None:
        return
    now, total = time.time(), 0
    for used, size, path in sorted(_entries(folder), reverse=True):
        total += size
        oldest = _UNFINISHED if path.name.startswith("unfinished-") else OLDEST
        if now - used > oldest or total > LARGEST:
            discard(path)


def _entries(folder: Path) -> Iterator[tuple[float, int, Path]]:
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            with contextlib.suppress(OSError):
                status = path.lstat()
                yield status.st_mtime, status.st_size, path


def clear_cache() -> None:
    """Remove all compiled modules from the user's cache folder.

    What is loaded stays usable.

    Examples
    ========

    >>> import jointwrench
    >>> jointwrench.clear_cache()  # doctest: +SKIP
    """
    folder = cache_folder()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
