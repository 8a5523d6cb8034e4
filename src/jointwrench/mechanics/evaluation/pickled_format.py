"""The version of saved and pickled evaluators, by which another version's are refused."""

from typing import Any

#: Which form of evaluators is written and read, in files and in pickles.
VERSION = 5


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
