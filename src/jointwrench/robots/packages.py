"""Locations of model files: folders of ROS packages."""

import os
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from ..checks.arguments import check_instance, check_sequence, enumerate_some
from ..records.xml_tree import check_source, is_text

#: Folders of packages by their names, or folders in which packages are.
Packages: TypeAlias = Mapping[str, str | PathLike[str]] | Iterable[str | PathLike[str]] | None

#: Prefixes of the path of a file in a package, or in the folder of a model.
SCHEMES = ("package://", "model://")

#: What may be opened, for messages.
OPENED = (
    "opens files in the folder or the package of the file, in packages={name: folder}, and below "
    "ROS_PACKAGE_PATH and AMENT_PREFIX_PATH."
)


def find_file(source: str | PathLike[str], packages: Packages) -> str | PathLike[str]:
    """Return a source with the folder instead of ``package://name`` or ``model://name``."""
    known = folders_of(packages)
    if is_text(check_source("source", source)) or not str(source).startswith(SCHEMES):
        return source
    name, _, rest = str(source).partition("://")[2].partition("/")
    if name not in known:
        raise FileNotFoundError(
            f"`source` must be in a package that is known, got {name!r}; known are "
            f"{enumerate_some(known, 10) if known else 'none'}. "
            f"Use packages={{{name!r}: its folder}}, or set ROS_PACKAGE_PATH."
        )
    return known[name] / rest


def folders_of(packages: Packages) -> dict[str, Path]:
    """Return the folders of packages by name, the user's before the folders of ROS_PACKAGE_PATH.

    A folder that is not stated by name may be a package itself or contain packages.
    """
    expected = "a mapping of names to folders, or a sequence of folders"
    stated = packages.values() if isinstance(packages, Mapping) else packages
    stated = () if packages is None else check_sequence("packages", stated, expected)
    for folder in stated:
        check_instance("packages", folder, (str, PathLike), expected)
    places, found = [*map(Path, stated)], dict[str, Path]()
    if isinstance(packages, Mapping):
        found, places = dict(zip(packages, places, strict=True)), []
    surroundings = os.environ.get("ROS_PACKAGE_PATH", "")
    places += [Path(folder) for folder in surroundings.split(os.pathsep) if folder]
    for place in filter(Path.is_dir, places):
        folders = [place, *filter(Path.is_dir, sorted(place.iterdir()))]
        found = {folder.name: folder for folder in folders} | found
    return found


def opened_folders(path: Path | None, packages: Packages) -> list[str]:
    """Return the resolved folders in which a file, or a text, may open other files."""
    above = [] if path is None else [*path.resolve().parents]
    own = [x for x in above if (x / "package.xml").is_file()] or above
    names = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
    around = [x for name in names for x in os.environ.get(name, "").split(os.pathsep) if x]
    folders = *own[:1], *folders_of(packages).values(), *map(Path, around)
    return [str(folder.resolve()) for folder in folders]
