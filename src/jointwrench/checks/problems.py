"""Gathering all that is wrong, to say it in one error; warnings."""

import sys
import warnings
from collections.abc import Callable
from typing import Any


class Problems:
    """Gathers what is wrong with arguments or with a file, to raise one error for all of it."""

    def __init__(self) -> None:
        self._errors: list[TypeError | ValueError] = []

    def __len__(self) -> int:
        return len(self._errors)

    def add(self, text: str) -> None:
        """Keep a problem with a value."""
        self._errors.append(ValueError(text))

    def check(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what a check returns; None, and the error is kept, if it refuses."""
        try:
            return function(*args)
        except (TypeError, ValueError) as error:
            self._errors.append(error)
            return None

    def raise_all(self, title: str) -> None:
        """Raise one error if there is any problem: a TypeError if a type is wrong."""
        if not self._errors:
            return
        kind = TypeError if any(isinstance(e, TypeError) for e in self._errors) else ValueError
        texts = [str(error) for error in self._errors]
        listing = f" {texts[0]}" if len(texts) == 1 else "".join(f"\n- {text}" for text in texts)
        raise kind(f"{title}:{listing}") from None


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn of the line of the user's that called this package, however deep inside this is."""
    package, level = __name__.partition(".")[0], 1
    while sys._getframe(level).f_globals.get("__name__", "").partition(".")[0] == package:
        level += 1
    warnings.warn(text, category, stacklevel=level + 1)
