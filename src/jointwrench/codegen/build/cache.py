"""Compiled modules on disk, so that nothing is compiled twice.

An entry is one file, ``<key>.<checksum of its content><suffix>``.  It appears at
once, by a rename, so that any number of processes may write the same entry.  An
entry is used only if its content has the checksum, and if nobody but the user
(and root) can have written it or put another folder in the place of this one.
What has another name than an entry is never touched.
"""

import contextlib
import hashlib
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

#: Names the folder of the cache; "off" is no cache.
FOLDER_VARIABLE = "JOINTWRENCH_CACHE"

#: Entries that nobody has used for this long are removed.
OLDEST = 90 * 24 * 3600.0

#: Beyond this total size the entries that were not used for longest are removed.
LARGEST = 500 * 2**20

#: Unfinished files this old are left over from something that was killed.
_UNFINISHED = 24 * 3600.0

# The names of entries, and of those not yet complete.
_NAME = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{32}\..+|unfinished-[0-9a-f]{32}-[a-z0-9_]{8}")


def cache_folder() -> Path | None:
    """Return the folder of the compiled modules, None if there is to be none.

    It is ``compiled`` in the folder that the environment variable
    JOINTWRENCH_CACHE names, or else in ``jointwrench`` among the user's caches.
    With ``JOINTWRENCH_CACHE=off`` there is none.  No folder is used that others
    can write to, nor one below such a folder, unless its sticky bit is set.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    if given == "off":
        return None
    if given:
        return _expanded(given)
    base = _users_caches()
    return None if base is None else base / "jointwrench" / "compiled"


def _expanded(given: str) -> Path | None:
    try:
        return Path(given).expanduser().absolute() / "compiled"
    except (OSError, RuntimeError):  # the current folder is gone, or there is no such user
        return None


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
    """Return the folder if it exists, or could be made, and can be trusted."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        _make(folder)
    except OSError:
        return None
    return _trusted(folder)


def _make(folder: Path) -> None:
    """Make a folder and those above it, as far as they are missing, for the user alone."""
    missing = [path for path in (folder, *folder.parents) if not path.is_dir()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)


def _trusted(folder: Path) -> Path | None:
    """Return the folder without symbolic links; None unless the user alone decides what is in it.

    Those above are looked at from the top: none that has been found safe can be
    exchanged while the next one is looked at.
    """
    try:
        real = folder.resolve(strict=True)
        above = all(_is_safe(path.lstat()) for path in reversed(real.parents))
        return real if above and _is_private(real.lstat(), stat.S_ISDIR) else None
    except (OSError, RuntimeError):  # not there, or a loop of links
        return None


def _is_safe(status: os.stat_result) -> bool:
    """Whether nobody but the user and root can exchange what is in a folder."""
    if not hasattr(os, "getuid"):
        return True
    mode = status.st_mode
    if not stat.S_ISDIR(mode) or status.st_uid not in (0, os.getuid()):
        return False
    if mode & stat.S_ISVTX:
        return True
    if mode & stat.S_IWOTH:
        return False
    return not mode & stat.S_IWGRP or _is_users_group(status.st_gid)


def _is_users_group(number: int) -> bool:
    """Whether a group is the user's alone, as on systems where each user has one."""
    import grp  # not on Windows
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(number)
    except KeyError:
        return False
    own = number == user.pw_gid and group.gr_name == user.pw_name
    return own and set(group.gr_mem) <= {user.pw_name}


def _is_private(status: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    """Whether a file or folder is what it should be, the user's, and nobody else may write it."""
    if not is_kind(status.st_mode):
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
    for path in _matching(folder, f"{key}.*{suffix}"):
        with contextlib.suppress(OSError):  # one that cannot be read hides no other one
            if _is_sound(path, suffix):
                with contextlib.suppress(OSError):
                    os.utime(path)  # for `trim`
                return path
            discard(path)
    return None


def _matching(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


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
    handle, unfinished = tempfile.mkstemp(
        prefix=f"unfinished-{_checksum(content)}-", dir=path.parent
    )
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
    for path in _matching(folder, "*"):
        if _NAME.fullmatch(path.name):
            with contextlib.suppress(OSError):
                status = path.lstat()
                yield status.st_mtime, status.st_size, path


def clear_cache() -> None:
    """Remove all compiled modules from the user's cache folder.

    What is loaded stays usable.  Other files in the folder stay there, and so
    does all in a folder that others can write to.

    Examples
    ========

    >>> import jointwrench
    >>> jointwrench.clear_cache()  # doctest: +SKIP
    """
    folder = cache_folder()
    trusted = None if folder is None else _trusted(folder)
    if folder is None or trusted is None:
        return
    for _, _, path in _entries(trusted):
        discard(path)
    with contextlib.suppress(OSError):  # something else is in it, or it is a link
        folder.rmdir()
