"""The cache of compiled libraries on disk.

An entry is one file, ``<key>.<checksum of its content><suffix>``, which appears atomically by a
rename.  It is used only if its content has the checksum and only the user can write to it.
"""

import functools
import hashlib
import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ....checks.files import PrivateFolder, private_folder
from ....checks.messages import warn

#: The environment variable with the folder of the cache; "off" means no cache.
FOLDER_VARIABLE = "JOINTWRENCH_CACHE"

#: Seconds after which entries are removed.
OLDEST = 90 * 24 * 3600.0


class Entry(NamedTuple):
    """The file of an entry, and the content that was verified."""

    path: Path
    content: bytes


# The names of entries and of unfinished entries; other files are never changed.
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
        _warn_once(given or "the user's caches", str(error))
        return None
    return base / "compiled"


def _users_caches() -> Path:
    """Return the folder of the user's caches on this operating system."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return Path(given) if os.path.isabs(given) else Path.home() / ".cache"


@functools.cache
def _warn_once(folder: Path | str, problem: str) -> None:
    """Warn once that compiled models cannot be stored in a folder."""
    warn(
        f"Compiled models cannot be stored in {folder} ({problem}), so that each process "
        f"compiles them again. Correct that, or set the environment variable {FOLDER_VARIABLE} "
        "to a folder of your own, or to 'off'.",
        RuntimeWarning,
    )


def find(key: str) -> Entry | None:
    """Return the entry of a key, None if there is none; untrusted files are removed."""
    with suppress(OSError), private_folder(cache_folder()) as folder:
        for name in _names(folder, f"{key}."):
            with suppress(OSError):  # one that cannot be read hides no other one
                content = folder.read(name)
                if name.split(".")[1] == _checksum(content):
                    return Entry(folder.path / name, content)
            folder.remove(name)
    return None


def _names(folder: PrivateFolder, start: str = "") -> list[str]:
    """Return the sorted names of entries that begin with a text."""
    return sorted(x for x in folder.names() if x.startswith(start) and _NAME.fullmatch(x))


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def discard(entry: Entry) -> None:
    """Remove an entry."""
    with suppress(OSError), private_folder(cache_folder()) as folder:
        folder.remove(entry.path.name)


def store(key: str, content: bytes, suffix: str) -> Path | None:
    """Write an entry and return its file; None if the folder cannot be written."""
    place, checksum = cache_folder(), _checksum(content)
    name = f"{key}.{checksum}{suffix}"
    try:
        with private_folder(place, make=True) as folder:
            folder.write(name, content, unfinished=f"unfinished-{checksum}-{os.urandom(4).hex()}")
            _remove_old(folder)
            return folder.path / name
    except OSError as error:  # read-only, full, or not private
        if place is not None:
            _warn_once(place, error.strerror or str(error))
        return None


def _remove_old(folder: PrivateFolder) -> None:
    """Remove the entries that are too old."""
    for name in _names(folder):
        with suppress(OSError):
            if time.time() - folder.modified(name) > OLDEST:
                folder.remove(name)


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
    with suppress(OSError), private_folder(cache_folder()) as folder:
        for name in _names(folder):
            folder.remove(name)
        folder.path.rmdir()  # unless something else is in it, or it is a link
