"""XML as a tree of elements with line numbers, read by the standard library's parser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from ..checks.arguments import check_instance
from ..checks.files import existing_file
from .text_numbers import is_number

#: Largest accepted XML: bytes, depth of nested elements, number of elements, and number of
#: attributes of one element.
LARGEST, DEEPEST, MOST, WIDEST = 100_000_000, 200, 1_000_000, 1000

ATTRIBUTE = re.compile(rb"=\s*[\"']")


@dataclass(eq=False)
class Element:
    """An element of XML, with the text directly in it and its first line, counted from 1."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}{f' {name!r}' if name is not None else ''}> (line {self.line})"

    def all(self, tag: str) -> list["Element"]:
        return [child for child in self.children if child.tag == tag]

    def find(self, *tags: str) -> "Element | None":
        """Return the first child with the first of the ``tags`` that any child has, else None."""
        return next((child for tag in tags for child in self.all(tag)), None)

    def children_in(self, *tags: str) -> list["Element"]:
        """Return the children of the element at a path of tags: child, grandchild and so on."""
        found: Element | None = self
        for tag in tags:
            found = found and found.find(tag)
        return found.children if found else []

    def walk(self) -> Iterator["Element"]:
        yield self
        for child in self.children:
            yield from child.walk()

    def numbers(self, attribute: str, default: str | None, count: int = 1) -> np.ndarray:
        text = self.attributes.get(attribute, default)
        if text is None:
            raise ValueError(f"{self} has no {attribute!r}.")
        return _finite(f"{self}: {attribute!r}", text, count)

    def number(self, attribute: str, default: str | None = None) -> float:
        return float(self.numbers(attribute, default)[0])


def is_text(source: str | PathLike[str]) -> bool:
    """Return whether a source is XML text and not a path."""
    return isinstance(source, str) and source.lstrip("\ufeff \t\r\n")[:1] in ("", "<")


def source_name(source: str | PathLike[str]) -> str:
    return "the text" if is_text(source) else Path(source).name


def check_source(
    argument: str, value: Any, expected: str = "a path or the text of a file"
) -> str | PathLike[str]:
    return check_instance(argument, value, (str, PathLike), expected)


def read_xml(source: str | PathLike[str], argument: str = "source") -> Element:
    """Return the root of XML, from its text or from a file."""
    check_source(argument, source)
    if is_text(source):
        data, encoding = str(source).encode(errors="surrogatepass"), "utf-8"
    else:
        data, encoding = existing_file(argument, source).read_bytes(), None
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()  # the parser allows nothing before <?xml?>
    skipped = data.count(b"\n") - text.count(b"\n")
    tree = _Tree(encoding, skipped)
    try:
        if len(text) > LARGEST:
            raise ValueError(f"more than {LARGEST} bytes")
        if any(x[:1] != b"!" and len(ATTRIBUTE.findall(x)) > WIDEST for x in text.split(b"<")):
            raise ValueError(f"an element with more than {WIDEST} attributes")
        tree.parser.Parse(text, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        words = expat.errors.messages[error.code] if isinstance(error, expat.ExpatError) else error
        raise ValueError(
            f"`{argument}` must be well-formed XML, but {source_name(source)} has in line "
            f"{tree.line}: {words}."
        ) from None
    return tree.root


class _Tree:
    """Builds elements while a parser reads, and refuses files that are too large."""

    def __init__(self, encoding: str | None, skipped: int) -> None:
        self.parser = expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._skipped, self._count = skipped, 0
        self._above = [Element("", {}, 0)]
        self._texts: list[list[str]] = [[]]

    @property
    def root(self) -> Element:
        return self._above[0].children[0]

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self._skipped

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._above) > DEEPEST or self._count > MOST:
            raise ValueError(f"more than {DEEPEST} elements in each other, or {MOST} in all")
        element = Element(tag, attributes, self.line)
        self._above[-1].children.append(element)
        self._above.append(element)
        self._texts.append([])

    def _end(self, tag: str) -> None:
        self._above.pop().text = "".join(self._texts.pop())

    def _data(self, text: str) -> None:
        self._texts[-1].append(text)

    def _refuse_doctype(self, *_: Any) -> None:
        raise ValueError("a document type. Delete <!DOCTYPE ...>, its entities are not read")


def text_in(element: Element, *tags: str, default: str | None = None) -> str:
    """Return the text of the first child with one of the tags, or the default if it is empty."""
    child = element.find(*tags)
    text = child.text.strip() if child else ""
    if text or default is not None:
        return text or str(default)
    raise ValueError(f"{element} has no <{tags[0]}>.")


def numbers_in(
    element: Element, tag: str, count: int | None = None, default: str | None = None
) -> np.ndarray:
    """Return the finite numbers in the text of an element's child, shape (count,)."""
    text = text_in(element, tag, default=default)
    return _finite(f"{element.find(tag) or element} of {element}", text, count)


def scalar_in(element: Element, tag: str, default: str | None = None) -> float:
    return float(numbers_in(element, tag, 1, default)[0])


def _finite(what: str, text: str, count: int | None) -> np.ndarray:
    """Return the finite numbers in a text, shape (count,); ``what`` names the text in the error."""
    words = text.split()
    values = np.array([float(word) if is_number(word) else np.nan for word in words])
    if not np.isfinite(values).all() or count not in (None, len(values)):
        usual = {None: "finite numbers", 1: "a finite number"}
        wanted = usual.get(count, f"{count} finite numbers")
        macro = " Expand it by xacro first." if "${" in text else ""
        raise ValueError(f"{what} must be {wanted}, got {text[:40]!r}.{macro}")
    return values


def is_true(element: Element, tag: str, default: bool) -> bool:
    """Return whether the text of an element's child is true."""
    return text_in(element, tag, default=str(default)).lower() in ("true", "1")
