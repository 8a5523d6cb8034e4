"""Expansion of xacro in a separate process, because its expressions are Python.

`xacro_files` runs it.
"""

import errno
import json
import os
import sys
from pathlib import Path
from typing import Any

#: Bytes of memory that an expansion may use, where the system can say so.
MOST_MEMORY = 4 << 30

#: Files of Python itself.
MODULES = (".py", ".pyc", ".so", ".pyd")


def main() -> None:
    """Expand a xacro file; read the request from standard input, write URDF or an error in JSON."""
    given, out = json.load(sys.stdin), sys.stdout
    sys.stdout, sys.path[:] = sys.stderr, given["modules"]
    try:
        answer = {"urdf": _expanded(given)}
    except RecursionError:
        answer = {"error": "a file includes itself, or a macro calls itself, without end."}
    except Exception as error:  # whatever a file makes of Python
        answer = {"error": " ".join(str(error).split()) or type(error).__name__}
    json.dump(answer, out)


def _expanded(given: dict[str, Any]) -> str:
    """Return the URDF of a xacro file, with limits of memory and of files that may be opened."""
    from xacrodoc import XacroDoc, packages

    packages.update_package_cache(given["packages"])
    _limit_memory()
    _open_only_in(given["folders"])
    make = XacroDoc.from_string if given["is_text"] else XacroDoc.from_file
    made = make(given["source"], subargs=given["arguments"], resolve_packages=False)
    return str(made.to_urdf_string())


def _limit_memory() -> None:
    """Limit the memory of this process to `MOST_MEMORY`, if the system supports limits."""
    try:
        import resource
    except ImportError:  # on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    least = MOST_MEMORY if most == resource.RLIM_INFINITY else min(MOST_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (least, most))


def _open_only_in(folders: list[str]) -> None:
    """Refuse to write files, and to read files outside of folders except Python's modules."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], (str, bytes, os.PathLike)):
            return
        path = Path(os.path.realpath(os.fsdecode(arguments[0])))
        is_read = not (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        is_near = path.suffix in MODULES or any(path.is_relative_to(x) for x in folders)
        if not (is_read and is_near):
            raise PermissionError(errno.EACCES, "this file may not be opened", str(path))

    sys.addaudithook(hook)


if __name__ == "__main__":
    main()
