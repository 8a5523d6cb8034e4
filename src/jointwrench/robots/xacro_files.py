"""Xacro files as URDF (extra ``xacro``)."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from multiprocessing.spawn import get_executable
from os import PathLike
from os.path import isabs, realpath
from pathlib import Path

from ..checks.messages import import_extra
from ..records.xml_tree import is_text, source_name
from .packages import OPENED, Packages, folders_of, opened_folders

#: Seconds after which an expansion is ended; the largest robots take some.
LONGEST = 10


def expand_xacro(
    source: str | PathLike[str], packages: Packages, arguments: Mapping[str, str]
) -> str:
    """Return the URDF of a xacro file or text."""
    instead = ", or `xacro model.urdf.xacro > model.urdf` where ROS is"
    if find_spec("xacrodoc") is None:  # it is imported in the other process only
        import_extra("xacrodoc", "read_urdf() of a xacro file", "xacro", instead)
    path = None if is_text(source) else Path(source).resolve()
    folders = opened_folders(path, packages)
    given = {
        "source": str(path or source),
        "is_text": path is None,
        "arguments": {name: str(value) for name, value in arguments.items()},
        "packages": {name: str(x.resolve()) for name, x in folders_of(packages).items()},
        "folders": folders,
        # no code is imported from the folders of the data
        "modules": [x for x in sys.path if isabs(x) and realpath(x) not in folders],
    }
    # -I: nor does Python itself import from there while it starts
    script = str(Path(__file__).with_name("xacro_process.py"))
    command = [os.fsdecode(get_executable()), "-I", script]
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
        answer = json.loads(done.stdout or '{"error": "nothing: its process died."}')
    except subprocess.TimeoutExpired:
        answer = {"error": f"nothing in {LONGEST} s. Use `xacro model.urdf.xacro > model.urdf`."}
    if "error" in answer:
        raise ValueError(
            f"`source` must be xacro that can be expanded, but of {source_name(source)} xacro says:"
            f" {answer['error']} Xacro {OPENED}"
        )
    return str(answer["urdf"])
