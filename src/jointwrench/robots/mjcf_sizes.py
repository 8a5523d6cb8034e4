"""Refusal of models for which MuJoCo would take long, need much memory, or not return."""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from math import prod
from os import PathLike
from pathlib import Path

from ..checks.arguments import shorten
from ..records.xml_tree import WIDEST, is_text, source_name

#: Copies of elements, nodes of grids, and points of pictures that MuJoCo makes within seconds.
MOST_COPIES, MOST_POINTS = 10_000, 100_000_000

#: Attributes whose product is the number of copies of an element.
COPIES = {"replicate": ["count"], "flexcomp": ["count"], "composite": ["count"]}
POINTS = {"hfield": ["nrow", "ncol"], "texture": ["width", "height"]}

WHOLE = re.compile(r"\+?[0-9]{1,99}")
#: A number from 1e100 on, whose powers are no doubles.
LARGE = re.compile(r"(?<!\S)[-+]?(?:\d{101,}|[\d.]+e\+?0*[1-9]\d{2,})\S*", re.IGNORECASE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TAG = re.compile(r"""<(/?)(\w+)((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
ATTRIBUTE = re.compile(r"""(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def check_size(source: str | PathLike[str]) -> None:
    """Refuse a model, or an included one, that would need much time or memory in MuJoCo."""
    # For an anchor without numbers MuJoCo throws an exception that it does not catch; models read
    # afterwards by ``MjModel`` never return. MuJoCo also reads some texts that are not XML.
    path = Path() if is_text(source) else Path(source)
    text = str(source) if is_text(source) else _text(path)
    name, made = source_name(source), 0
    for tag, given, count in _tags(text, path.parent, 1, set()):
        if tag == "connect" and not given.get("anchor", "0").strip():
            raise ValueError(
                f"`source` must have three numbers as the anchor of a <connect>, but "
                f"{name} has none. Add them, or leave anchor out and name two sites."
            )
        for attribute, value in given.items():
            if attribute != "name" and (large := LARGE.search(value)):
                where = f"<{tag}> {given.get('name', '')}".rstrip()
                raise ValueError(
                    f"`source` must have numbers below 1e100, got {shorten(large[0], 30)} in "
                    f"{attribute} of {where} of {name}. Use numbers of usual size."
                )
        made += count if count > 1 else 0
        if made > MOST_COPIES or _product(given, POINTS.get(tag, [])) > MOST_POINTS:
            raise ValueError(
                f"`source` must ask for at most {MOST_COPIES} copies of elements and nodes of "
                f"grids, and {MOST_POINTS} points of a picture, but {name} asks for more "
                f"by <{tag}>. Use smaller counts."
            )


def _tags(
    text: str, folder: Path, factor: int, included: set[str]
) -> Iterator[tuple[str, dict[str, str], int]]:
    """Yield tags with their attributes, and how often they are copied."""
    factors = [factor]
    for end, tag, words in TAG.findall(COMMENT.sub("", text)):
        if end:
            del factors[max(1, len(factors) - (tag == "replicate")) :]
            continue
        if len(pairs := ATTRIBUTE.findall(words)) > WIDEST:
            raise ValueError(f"`source` must have at most {WIDEST} attributes in <{tag}>.")
        given = {name: unescape(one or two) for name, one, two in pairs}
        count = factors[-1] * _product(given, COPIES.get(tag, []))
        yield tag, given, count
        if tag == "replicate" and not words.endswith("/"):
            factors.append(count)
        if tag == "include" and (name := given.get("file", "")) not in included:
            included.add(name)
            yield from _tags(_text(folder / name), folder, count, included)


def _product(given: Mapping[str, str], names: Iterable[str]) -> int:
    """Return the product of the whole numbers of attributes; one if there are none."""
    words = (word for name in names for word in given.get(name, "").split())
    return prod(max(1, int(word)) for word in words if WHOLE.fullmatch(word))


def _text(path: Path) -> str:
    """Return a file's text, none if MuJoCo would not find the file."""
    return path.read_text("utf-8", "replace") if path.is_file() else ""
