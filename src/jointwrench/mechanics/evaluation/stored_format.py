"""Saved and pickled evaluators: the version, by which another's are refused, and symbols."""

from typing import Any

#: Which form of evaluators is written and read, in files and in pickles.
VERSION = 6


class PickledFormat:
    """Is checked when it is unpickled, before whatever was pickled after it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _check, (VERSION,)


def _check(version: int) -> PickledFormat:
    if version != VERSION:
        raise ValueError(
            f"`evaluate` must have been pickled in the format {VERSION}, got {version}. Pickle it "
            "with this version of jointwrench."
        )
    return PickledFormat()


class StoredSymbol:
    """A symbol or function of time of a file, by its text and name."""

    is_number = False

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__
