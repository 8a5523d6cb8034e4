"""Safe access to files: targets of writers, private folders, and libraries.

Other users cannot exchange a file between its check and its use: a checked folder stays open by its
descriptor, relative to which files are opened, and a library is loaded from the bytes that were
read.
"""

import ctypes
import itertools
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from .messages import did_you_mean

#: Flags for reading a file: links are not followed, and pipes do not block.
_READ = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC")
)

#: Flags for writing a new file; an existing file is an error.
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

#: Permission bits of a file that others can write.
_OTHERS = stat.S_IWGRP | stat.S_IWOTH

#: A counter for unique paths of libraries in anonymous files.
_numbers = itertools.count(1)


# -- paths of users ----------------------------------------------------------------------


def existing_file(argument: str, path: str | PathLike[str]) -> Path:
    """Return the Path of an existing file; the error suggests a similar name in its folder."""
    found = _path(argument, path)
    if not found.is_file():
        beside = [entry.name for entry in found.parent.iterdir()] if found.parent.is_dir() else []
        hint = did_you_mean(found.name, beside) or f" The current folder is {Path.cwd()}."
        raise FileNotFoundError(f"`{argument}` must be an existing file, got {path}.{hint}")
    return found


def replaceable_file(argument: str, path: str | PathLike[str]) -> Path:
    """Return the resolved path of a file to be written: a regular file, or none yet.

    The folder must exist; another user's link, a device or a pipe is refused.
    """
    found = _path(argument, path)
    for folder in (found.parent, found.resolve().parent):  # where a link leads
        if not folder.is_dir():
            raise FileNotFoundError(
                f"`{argument}` must be in an existing folder, got {str(folder)!r}. Make it first."
            )
    if found.is_symlink() and not _is_owner_trusted(found.lstat()):
        raise PermissionError(
            f"`{argument}` must not be another user's link, got {str(found)!r}. Use the path to "
            "which it leads."
        )
    if found.exists() and not found.is_file():
        raise ValueError(
            f"`{argument}` must be a regular file, which can be replaced, got the device or pipe "
            f"{str(found)!r}. Write to a file, and copy that."
        )
    return found.resolve()


def _path(argument: str, path: Any) -> Path:
    """Return an argument as a Path that the system accepts and that is not a folder."""
    if not isinstance(path, (str, PathLike)) or not str(path):
        raise TypeError(
            f"`{argument}` must be a path, got {path!r:.60} of type {type(path).__name__}."
        )
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        is_folder = False
    except (OSError, ValueError) as error:  # too long, a NUL byte, links in a circle
        reason = getattr(error, "strerror", None) or error
        raise ValueError(
            f"`{argument}` must be a path that the system accepts, got {str(path)!r:.60} "
            f"({reason}). Use another one."
        ) from None
    if is_folder:
        raise IsADirectoryError(f"`{argument}` must be a file, got the folder {str(path)!r}.")
    return Path(path)


def replace_files(texts: Mapping[Any, str]) -> None:
    """Write texts, by path; each file is replaced as a whole or not at all.

    Existing files keep their owner and permissions.
    """
    targets = {replaceable_file("path", path): text for path, text in texts.items()}
    unfinished = {path: path.with_name(f"{os.urandom(16).hex()}.unfinished") for path in targets}
    try:
        for path, text in targets.items():
            _write(unfinished[path], text, path.stat() if path.exists() else None)
        for path, new in unfinished.items():
            os.replace(new, path)
    finally:
        for new in unfinished.values():
            new.unlink(missing_ok=True)


def _write(path: Path, text: str, before: os.stat_result | None) -> None:
    """Write a new file; owner and permissions are those of the file ``before`` if there is one."""
    mode = 0o666 if before is None else before.st_mode & 0o777
    make = partial(os.open, mode=mode)
    with open(path, "x", encoding="utf-8", newline="\n", opener=make) as file:
        if before and hasattr(os, "fchown"):
            with suppress(PermissionError):  # only the superuser may set another owner
                os.fchown(file.fileno(), before.st_uid, before.st_gid)
            os.fchmod(file.fileno(), mode)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


# -- private folders ---------------------------------------------------------------------


@dataclass(frozen=True)
class PrivateFolder:
    """An open folder that belongs to the user and that nobody else may write to.

    Attributes
    ==========

    path : Path
        The folder.
    descriptor : int or None
        The open folder, relative to which files are opened; None on Windows, where the permissions
        of the user profile protect the path.
    """

    path: Path
    descriptor: int | None

    def _place(self, name: str) -> str:
        return str(self.path / name) if self.descriptor is None else name

    def names(self) -> list[str]:
        return os.listdir(self.path if self.descriptor is None else self.descriptor)

    def read(self, name: str) -> bytes:
        """Return the content of a regular file that only the user may write."""
        handle = os.open(self._place(name), _READ, dir_fd=self.descriptor)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or not _is_private(status):
                raise PermissionError(f"others can write to {name}, or it is no regular file")
            with suppress(OSError, TypeError):  # on read-only media, on Windows
                os.utime(handle)  # recently read files stay in the cache
            with open(handle, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(handle)

    def write(self, name: str, content: bytes, unfinished: str = "") -> None:
        """Write a file as a whole; until it is complete it is called ``unfinished``."""
        unfinished = unfinished or f"{name}.unfinished"
        places, folder = (self._place(unfinished), self._place(name)), self.descriptor
        try:
            handle = os.open(places[0], _WRITE, 0o600, dir_fd=folder)
            with open(handle, "wb") as file:
                file.write(content)
            os.replace(*places, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            self.remove(unfinished)

    def modified(self, name: str) -> float:
        """Return the time of a file's last change, in seconds since 1970."""
        status = os.stat(self._place(name), dir_fd=self.descriptor, follow_symlinks=False)
        return status.st_mtime

    def remove(self, name: str) -> None:
        with suppress(OSError):
            os.unlink(self._place(name), dir_fd=self.descriptor)


@contextmanager
def private_folder(path: Path | None, make: bool = False) -> Iterator[PrivateFolder]:
    """Open a folder as a `PrivateFolder`, and close it at the end.

    ``make`` creates missing folders, which only the user can access.  A folder that others can
    write to or exchange raises an OSError.
    """
    if path is None:
        raise FileNotFoundError("there is no folder")
    check_parents(path)
    if make:
        for missing in reversed([x for x in (path, *path.parents) if not x.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)
    if not hasattr(os, "getuid"):
        yield PrivateFolder(path, None)
        return
    descriptor = os.open(path, _READ | os.O_DIRECTORY)
    try:
        if not _is_private(os.fstat(descriptor)):
            raise PermissionError(_problem(path))
        yield PrivateFolder(path, descriptor)
    finally:
        os.close(descriptor)


def check_parents(path: Path) -> None:
    """Raise a PermissionError if others can exchange a parent folder of an absolute path."""
    for part in path.parents if hasattr(os, "getuid") else ():
        with suppress(FileNotFoundError, NotADirectoryError):
            status = part.lstat()
            is_link, is_sticky = stat.S_ISLNK(status.st_mode), status.st_mode & stat.S_ISVTX
            is_open = status.st_mode & _OTHERS and not is_link and not is_sticky
            if is_open or not _is_owner_trusted(status):
                raise PermissionError(_problem(part))
            if is_link:
                check_parents(part.parent / os.readlink(part) / path.name)


def _problem(path: Path) -> str:
    return (
        f"others can write to {path}, or it belongs to another user; if it is yours: "
        f"chmod go-w '{path}'"
    )


def _is_private(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user, and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & _OTHERS


def _is_owner_trusted(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user or to the system's owner."""
    return not hasattr(os, "getuid") or status.st_uid in (os.getuid(), 0, os.stat("/").st_uid)


# -- libraries ---------------------------------------------------------------------------


def load_bytes(content: bytes, *paths: Path) -> ctypes.CDLL:
    """Load a library from its bytes, or else from the first of some paths that can be loaded.

    Linux loads the bytes from an anonymous file, even if no folder allows executable files.  The
    files at ``paths`` must have the same content.
    """
    with suppress(AttributeError, OSError):
        handle = os.memfd_create("jointwrench")
        with open(handle, "wb", buffering=0) as file:
            file.write(content)
            # glibc identifies libraries by path, and descriptors repeat: write a counter in slashes
            digits = f"{next(_numbers):b}".replace("0", "/").replace("1", "./")
            return ctypes.CDLL(f"/proc/self/fd/{digits}{handle}")
    *others, last = paths
    for path in others:
        with suppress(OSError):
            return ctypes.CDLL(str(path))
    return ctypes.CDLL(str(last))
