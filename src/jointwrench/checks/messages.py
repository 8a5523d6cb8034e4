"""Parts of error messages: similar names, missing packages, all problems in one error."""

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

#: Other names of outputs and body segments, from which a message suggests ours.
SYNONYMS = {
    "generalized_forces": "torques torque tau q_forces forces efforts generalised_forces id",
    "joint_wrenches": "wrenches wrench reactions reaction joint_reactions joint_forces forces",
    "constraint_wrenches": "constraint_forces constraints",
    "mass_matrix": "m inertia_matrix mass_matrix_full",
    "bias": "c h nle nonlinear_effects coriolis forcing",
    "solved_loads": "loads solve_for solved",
    "udot": "accelerations qddot ddq acceleration",
    "multipliers": "lambda lagrange_multipliers",
    "thigh": "hip",
    "shank": "knee",
    "foot": "ankle",
    "upper_arm": "shoulder",
    "forearm": "elbow",
    "hand": "wrist",
}


def did_you_mean(wanted: object, known: Iterable[object]) -> str:
    """Return the sentence "Did you mean ...?" with the most similar name, or an empty text."""
    from difflib import get_close_matches

    names = {_plain(str(name)): str(name) for name in known}
    word = _plain(str(wanted))
    others = [_plain(key) for key, words in SYNONYMS.items() if word in map(_plain, words.split())]
    parts = [name for name in names for part in (word, *others) if len(part) > 2 and part in name]
    parts.sort(key=len)
    near = get_close_matches(word, names, n=1)
    meant = next((names[name] for name in (word, *others, *near, *parts) if name in names), None)
    return "" if meant is None else f" Did you mean {meant!r}?"


def find_public_name(name: str) -> str | None:
    """Return the dotted path of a public name in the package, or None if there is none."""
    package = import_module(__name__.partition(".")[0])
    places = (*package.NAMESPACES, "extend")
    homes = (import_module(f"{package.__name__}.{place}") for place in places)
    return next((f"{x.__name__}.{name}" for x in (package, *homes) if name in dir(x)), None)


def _plain(name: str) -> str:
    """Return a name in lower case with only letters and digits."""
    return re.sub(r"[\W_]+", "", name).lower()


class Problems:
    """A collection of errors of arguments or of a file, to raise one error for all of them."""

    def __init__(self) -> None:
        self._errors: list[TypeError | ValueError] = []

    def __len__(self) -> int:
        return len(self._errors)

    def add(self, text: str) -> None:
        self._errors.append(ValueError(text))

    def check(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return the result of a check; store its TypeError or ValueError, and return None."""
        try:
            return function(*args)
        except (TypeError, ValueError) as error:
            self._errors.append(error)
            return None

    def raise_all(self, title: str) -> None:
        """Raise all stored errors as one, a TypeError if any of them is a TypeError."""
        if not self._errors:
            return
        kind = TypeError if any(isinstance(e, TypeError) for e in self._errors) else ValueError
        texts = [str(error) for error in self._errors]
        listing = f" {texts[0]}" if len(texts) == 1 else "".join(f"\n- {text}" for text in texts)
        raise kind(f"{title}:{listing}") from None


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Emit a warning whose location is the line of the user's code that called this package."""
    package, level = __name__.partition(".")[0], 1
    while sys._getframe(level).f_globals.get("__name__", "").partition(".")[0] == package:
        level += 1
    warnings.warn(text, category, stacklevel=level + 1)


def import_extra(module: str, user: str, extra: str, instead: str = "") -> Any:
    """Import an optional module; the error says that ``user`` needs it and how to install it.

    ``extra`` is the package's extra that contains it; ``instead`` is the text of an alternative.
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise ImportError(
            f"{user} needs {library}. Use pip install {library}, or pip install '.[{extra}]' in a "
            f"clone of jointwrench{instead}."
        ) from error
