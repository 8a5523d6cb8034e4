"""A tool of an OpenSim set-up file: its files, its times, and unsupported options."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

import numpy as np

from .. import Table
from ..checks.problems import existing_file, warn
from ..recordings.writers import write_storage
from ..records.xml_tree import Element, numbers_in, text_in
from .osim import read_osim
from .osim_model import OsimModel

#: Texts of an element without a value.
NOTHING = ("", "unassigned")


class SetupTool(NamedTuple):
    """The element of a tool, its file, and given replacements."""

    element: Element
    file: Path
    given: Mapping[str, Any]
    results: Path | None

    def within(self, element: Element) -> "SetupTool":
        """Return the same for a part of the tool."""
        return self._replace(element=element)

    def check_options(
        self, honoured: str, free: str = "", only: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        """Refuse unsupported elements, and warn about unknown ones, by their names."""
        # ``free``: elements without effect on results; ``only``: required values of others.
        known, allowed = {*honoured.split(), *free.split(), "defaults"}, only or {}
        unknown = []
        for child in self.element.children:
            text = " ".join(child.text.lower().split())
            if child.tag in known:
                continue
            if child.tag not in allowed:
                unknown.append(child.tag)
            elif text not in (*NOTHING, *allowed[child.tag]) or child.held("objects"):
                words = " or ".join(filter(None, allowed[child.tag])) or "empty"
                raise ValueError(
                    f"`path`: <{child.tag}> of {self.file.name} must be {words}, got "
                    f"{child.text.strip()[:40] or 'objects'!r}, which is not done here."
                )
        if unknown:
            warn(f"`path`: {self.file.name} has <{'>, <'.join(unknown)}>, which are left out.")

    def text(self, tag: str) -> str:
        """Return the text of an element, "" without one."""
        found = text_in(self.element, tag, default="").strip()
        return "" if found.lower() in NOTHING else found

    def path(self, tag: str) -> Path | None:
        """Return a file that the tool names, None if there is none."""
        if tag in self.given:
            return existing_file(f"files[{tag!r}]", self.given[tag])
        text = self.text(tag)
        return self.place(text, tag) if text else None

    def place(self, text: str, tag: str) -> Path:
        """Return the path of a named file, also by name in the set-up's folder or among results."""
        name = PureWindowsPath(text)  # also for paths with slashes
        folders = [self.file.parent] if self.results is None else [self.file.parent, self.results]
        for place in (x / part for x in folders for part in (name.as_posix(), name.name)):
            if place.is_file():
                return place
        raise FileNotFoundError(
            f"`path`: {self.file.name} names {text} as {tag}, which is neither there nor beside "
            f"it. Use files={{{tag!r}: ...}}."
        )

    def needed(self, tag: str) -> Path:
        found = self.path(tag)
        if found is None:
            raise ValueError(
                f"`path` must name a {tag}, {self.file.name} has none. Use files={{{tag!r}: ...}}."
            )
        return found

    def times(self, known: np.ndarray, tag: str = "time_range") -> tuple[float, float]:
        """Return the requested range of times, within the known one."""
        text = self.text(tag)
        first, last = numbers_in(self.element, tag, 2) if text else (-np.inf, np.inf)
        if last < 0:  # OpenSim's -1 -1
            first, last = -np.inf, np.inf
        return max(float(first), float(known[0])), min(float(last), float(known[-1]))

    def write(self, name: str, table: Table, title: str) -> None:
        """Write a table to the results, if there is a folder and a name."""
        if self.results is not None and name:
            write_storage(self.results / PureWindowsPath(name).name, table, title)


def model_of_file(path: Path, markers: Path | None = None) -> OsimModel:
    """Return the model of a file: the same one as long as the text is the same."""
    texts = [x and x.read_text(encoding="utf-8-sig") for x in (path, markers)]
    return _read(path.name, *texts)


@lru_cache(maxsize=4)
def _read(name: str, text: str, markers: str | None) -> OsimModel:
    try:
        return read_osim(text, markers=markers)
    except ValueError as error:
        words = (
            str(error)
            .replace("the text:", f"{name}:")
            .replace("Use nonphysical='keep'", "Use model=read_osim(..., nonphysical='keep')")
        )
        raise ValueError(words) from None
