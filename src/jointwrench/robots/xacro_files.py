"""Xacro files as URDF (extra ``xacro``)."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.spawn import get_executable
from os import PathLike
from pathlib import Path

from ..checks.problems import import_extra
from ..records.xml_tree import Element, is_text, source_name
from .packages import Packages, folders_of

#: Seconds after which an expansion is ended; the largest robots take some.
LONGEST = 10

#: What may be opened, for messages.
OPENED = (
    "Xacro opens files in the folder or the ROS package of the file, in packages={name: folder}, "
    "and below ROS_PACKAGE_PATH and AMENT_PREFIX_PATH."
)


def is_xacro(robot: Element) -> bool:
    return any(element.tag.startswith("xacro:") for element in robot.walk())


def expand_xacro(
    source: str | PathLike[str], packages: Packages, arguments: Mapping[str, str]
) -> str:
    """Return the URDF of a xacro file or text."""
    instead = ", or `xacro model.urdf.xacro > model.urdf` where ROS is"
    import_extra("xacrodoc", "read_urdf() of a xacro file", "xacro", instead)
    known = {name: str(Path(x).resolve()) for name, x in folders_of(packages).items()}
    path = None if is_text(source) else Path(source).resolve()
    given = {
        "source": str(path or source),
        "is_text": path is None,
        "arguments": {name: str(value) for name, value in arguments.items()},
        "packages": known,
        "folders": [*known.values(), *_surroundings(), *_own_folder(path)],
        "modules": sys.path,
    }
    command = [os.fsdecode(get_executable()), str(Path(__file__).with_name("xacro_process.py"))]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(given),
            stdout=subprocess.PIPE,
            cwd=path and path.parent,  # where relative paths begin
            text=True,
            encoding="utf-8",
            timeout=LONGEST,
            check=False,
        )
        told = json.loads(done.stdout or '{"error": "nothing: its process died."}')
    except subprocess.TimeoutExpired:
        told = {"error": f"nothing in {LONGEST} s. Use `xacro model.urdf.xacro > model.urdf`."}
    if "error" in told:
        raise ValueError(
            f"`source` must be xacro that can be expanded, but of {source_name(source)} xacro says:"
            f" {told['error']} {OPENED}"
        )
    return str(told["urdf"])


def _surroundings() -> list[str]:
    """Return the folders in which ROS looks for packages."""
    names = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
    return [x for name in names for x in os.environ.get(name, "").split(os.pathsep) if x]


def _own_folder(path: Path | None) -> list[str]:
    """Return the folder of a file, that of its ROS package if it is in one."""
    above = [*path.parents] if path else []
    packages = [x for x in above if (x / "package.xml").is_file()]
    return [str(folder) for folder in (packages or above)[:1]]
