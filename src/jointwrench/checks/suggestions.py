"""What somebody may have meant by a name that is not known."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from os import PathLike
from pathlib import Path

#: What quantities, and joints and segments of the body, are called by others.
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
    """Return a sentence that names the nearest of some names, or nothing."""
    names = {_plain(str(name)): str(name) for name in known}
    word = _plain(str(wanted))
    others = [
        _plain(name) for name, words in SYNONYMS.items() if word in map(_plain, words.split())
    ]
    parts = [name for name in names for part in (word, *others) if len(part) > 2 and part in name]
    near = get_close_matches(word, names, n=1)
    meant = next((names[name] for name in (word, *others, *near, *parts) if name in names), None)
    return "" if meant is None else f" Did you mean {meant!r}?"


def existing_file(argument: str, path: str | PathLike[str]) -> Path:
    """Return the path of a file that is there."""
    found = Path(path)
    if not found.is_file():
        beside = [entry.name for entry in found.parent.iterdir()] if found.parent.is_dir() else []
        hint = did_you_mean(found.name, beside) or f" It was looked for from {Path.cwd()}."
        raise FileNotFoundError(f"`{argument}` must be a file, there is none at {path}.{hint}")
    return found


def _plain(name: str) -> str:
    """Return a name in small letters, without blanks, hyphens and the like."""
    return re.sub(r"[\W_]+", "", name).lower()
