"""Pickles are read by the version that wrote them: another one says so, whatever it lacks."""

from collections.abc import Callable
from typing import Any

from . import __version__


class Pickled:
    """An object whose pickle begins with the version, before any class or module is asked for."""

    __slots__: tuple[str, ...] = ()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        recipe: Any = super().__reduce_ex__(protocol)
        make, given, *state = recipe
        return CONSTRUCTOR, (make, given), *state


class VersionedConstructor:
    """Makes what was pickled.  Its own pickle is the version, which is compared when it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return check_pickle_version, (__version__,)

    def __call__(self, make: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        return make(*given)


CONSTRUCTOR = VersionedConstructor()


def check_pickle_version(version: str) -> VersionedConstructor:
    """Return what makes the objects of this version.  Pickles name it: it stays here."""
    if version != __version__:
        raise ValueError(
            f"`pickle` must have been written by jointwrench {__version__}, got {version}. "
            "Read it with that version, or write it again with this one."
        )
    return CONSTRUCTOR
