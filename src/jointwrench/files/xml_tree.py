"""XML as a tree of elements that know their lines, by the standard library's parser."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from ..checks.arguments import check_instance
from ..checks.problems import existing_file


@dataclass(eq=False)
class Element:
    """An element of XML, with the text directly in it, and the line on which it begins, from 1."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}{f' {name!r}' if name is not None else ''}> (line {self.line})"

    def all(self, tag: str) -> list["Element"]:
        """Return the children of a tag."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> "Element | None":
        """Return the first child of a tag."""
        return next(iter(self.all(tag)), None)

    def walk(self) -> Iterator["Element"]:
        """Yield the element and all that is in it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def numbers(self, attribute: str, default: str | None, count: int = 1) -> np.ndarray:
        """Return an attribute that holds finite numbers, shape (count,)."""
        text = self.attributes.get(attribute, default)
        if text is None:
            raise ValueError(f"{self} has no {attribute!r}.")
        return _finite(f"{self}: {attribute!r}", text, count)

    def number(self, attribute: str, default: str | None = None) -> float:
        """Return an attribute that holds one finite number."""
        return float(self.numbers(attribute, default)[0])


def is_text(source: str | PathLike[str]) -> bool:
    """Return whether a source is XML itself, and no path."""
    if not isinstance(source, str):
        return False
    text = source.lstrip("\ufeff \t\r\n")
    return not text or text.startswith("<")


def source_name(source: str | PathLike[str]) -> str:
    """Return what a source is called in messages."""
    return "the text" if is_text(source) else Path(source).name


def check_source(argument: str, value: Any) -> str | PathLike[str]:
    """Return a path or a text."""
    return check_instance(argument, value, (str, PathLike), "a path or the text of a file")


def read_xml(source: str | PathLike[str], argument: str = "source") -> Element:
    """Return the root of XML, from its text or from a file."""
    check_source(argument, source)
    given = (
        str(source).encode() if is_text(source) else existing_file(argument, source).read_bytes()
    )
    text = given.removeprefix(b"\xef\xbb\xbf").lstrip()  # nothing may stand before <?xml ...?>
    skipped = given.count(b"\n") - text.count(b"\n")
    parser = expat.ParserCreate("utf-8" if is_text(source) else None)
    above: list[Element] = [Element("", {}, 0)]

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber + skipped)
        above[-1].children.append(element)
        above.append(element)

    def data(text: str) -> None:
        above[-1].text += text

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: above.pop()
    parser.CharacterDataHandler = data
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        words = expat.errors.messages[error.code]
        raise ValueError(
            f"`{argument}` must be well-formed XML, but {source_name(source)} has in line "
            f"{error.lineno + skipped}: {words}."
        ) from None
    return above[0].children[0]


def text_in(element: Element, tag: str, default: str | None = None) -> str:
    """Return the text of a child; the default where there is none, or no text."""
    child = element.find(tag)
    text = "" if child is None else child.text.strip()
    if text or default is not None:
        return text or str(default)
    raise ValueError(f"{element} has no <{tag}>.")


def numbers_in(
    element: Element, tag: str, count: int | None = None, default: str | None = None
) -> np.ndarray:
    """Return the finite numbers in a child's text, shape (count,)."""
    text = text_in(element, tag, default)
    child = element.find(tag) or element
    return _finite(f"{child} of {element}", text, count)


def _finite(what: str, text: str, count: int | None) -> np.ndarray:
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.array([np.nan])
    if not np.isfinite(values).all() or count not in (None, len(values)):
        usual = {None: "finite numbers", 1: "a finite number"}
        wanted = usual.get(count, f"{count} finite numbers")
        macro = " Expand it by xacro first." if "${" in text else ""
        raise ValueError(f"{what} must be {wanted}, got {text[:40]!r}.{macro}")
    return values


def is_true(element: Element, tag: str, default: bool) -> bool:
    """Return what a child says of yes or no."""
    return text_in(element, tag, str(default)).lower() in ("true", "1")
