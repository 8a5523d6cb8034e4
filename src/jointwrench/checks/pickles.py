"""Pickles that only the version that wrote them can read, and that say so to other versions."""

from collections.abc import Callable
from typing import Any

from . import __version__


class Pickled:
    """The base of classes whose pickles begin with the package's version.

    Another version reports it before it searches classes or modules that it may not have.
    """

    __slots__: tuple[str, ...] = ()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        recipe: Any = super().__reduce_ex__(protocol)
        make, given, *state = recipe
        return CONSTRUCTOR, (make, given), *state


class VersionedConstructor:
    """A function that constructs pickled objects; its own pickle is the package's version."""

    def __reduce__(self) -> tuple[Any, ...]:
        return check_pickle_version, (__version__,)

    def __call__(self, make: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        return make(*given)


CONSTRUCTOR = VersionedConstructor()


def check_pickle_version(version: str) -> VersionedConstructor:
    """Return the constructor of pickled objects, or raise an error for another version.

    Pickles contain the name of this function.
    """
    if version != __version__:
        raise ValueError(
            f"`pickle` must have been written by jointwrench {__version__}, got {version}. "
            "Read it with that version, or write it again with this one."
        )
    return CONSTRUCTOR
