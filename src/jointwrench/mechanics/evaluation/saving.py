"""Writing of evaluators to text files."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks.files import replace_files, replaceable_file

if TYPE_CHECKING:
    from ..arithmetic.output import Output

#: The kind of file that its text states.
KIND = "jointwrench evaluator"

#: The version of the file format.
VERSION = 6

#: The checksum of all other characters of the file, at its beginning.
_CHECKSUM = re.compile(r'(?<="checksum": ")[0-9a-f]*(?=")')


def save(evaluate: Any, path: str | os.PathLike[str]) -> None:
    """Write an evaluator to a file, which other processes see complete or not at all."""
    from ...checks import __version__

    head = {"kind": KIND, "version": VERSION, "jointwrench": __version__, "checksum": ""}
    text = json.dumps({**head, **_contents(evaluate)})
    text = _CHECKSUM.sub(checksum(text), text, count=1)
    replace_files({replaceable_file("path", path): text})


def checksum(text: str) -> str:
    """Return the checksum of a file's text, independent of the checksum in it."""
    return hashlib.sha256(_CHECKSUM.sub("", text, count=1).encode()).hexdigest()


def _contents(evaluate: Any) -> dict[str, Any]:
    """Return the contents of a file as numbers, texts, lists and dicts."""
    interface, options = evaluate._interface, evaluate._options()
    if "description" in options:
        raise ValueError(
            "`evaluate` must be an Evaluator, got a HessianEvaluator. Use pickle for it."
        )
    places = {
        symbol: (g, k)
        for g, group in enumerate(interface.groups)
        for k, symbol in enumerate(group.symbols)
    }
    fallback = evaluate._fallback() if callable(evaluate._fallback) else evaluate._fallback
    return {
        "groups": [
            [group.name, group.title, group.per, [*map(_symbol, group.symbols)]]
            for group in interface.groups
        ],
        "used": sorted(places[symbol] for symbol in interface.used),
        "outputs": [*map(_output, interface.outputs.known)],
        "joints": [
            [joint.name, None if joint.child is None else joint.child.name]
            for joint in options["subject"].joints
        ],
        "loads": [*map(_symbol, options["subject"].loads)],
        "threads": options["threads"],
        "fixed": [[*_symbol(x), float(value)] for x, value in options["fixed_constants"].items()],
        "angles": options["angles"],
        "motion_check": None if options["motion_check"] is None else options["motion_check"].parts,
        "law": None if options["watcher"] is None else options["watcher"].in_file(_contents),
        "code": _recipe(evaluate._code.recipe),
        "fallback": None if fallback is None else _recipe(fallback),
    }


def _symbol(symbol: Any) -> list[str]:
    return [str(symbol), str(getattr(symbol, "name", symbol))]


def _recipe(recipe: Sequence[Any]) -> list[Any]:
    return [[*part] if isinstance(part, tuple) else part for part in recipe]


def _output(output: Output) -> list[Any]:
    """Return an output as a list for a file."""
    pattern, wrt = output.pattern, output.wrt
    known = None if wrt is None else [wrt.group, [*map(_symbol, wrt.symbols)], wrt.index]
    places = np.asarray(pattern.places).tolist()
    own = [bool(output.packed), output.mass_dimension, output.derivative_of, known]
    return [output.name, pattern.shape, places, *own]
