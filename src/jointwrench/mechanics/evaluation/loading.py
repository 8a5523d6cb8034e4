"""Reading of evaluators from text files, without sympy and without pickles."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...checks.files import existing_file
from ...records.sampled_result import JointName
from ..arithmetic.output import Group, Output, Wrt
from ..arithmetic.sparse_matrices import Pattern
from .backends.codes import make_code
from .compiled_outputs import CompiledOutputs, Interface
from .evaluator import Evaluator, WatchedEvaluator, Watcher
from .result import ResultSource
from .saving import KIND, VERSION, checksum
from .value_arguments import StoredSymbol

#: Functions by the name of a load law; they return the class of evaluators and its further
#: arguments.
Laws = Mapping[str, Callable[..., Watcher]]


def read_evaluator(path: str | os.PathLike[str], laws: Laws) -> Evaluator:
    """Return the evaluator in a file; ``laws`` restore the evaluators of models with load laws."""
    place = existing_file("path", path)
    try:
        text = place.read_bytes().decode("ascii")
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{_requirement(place)}, got another one ({error}).") from error
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise ValueError(f"{_requirement(place)}, got another one.")
    if found.get("version") != VERSION:
        raise ValueError(
            f"`path` must have the format {VERSION} of an evaluator, got {found.get('version')} "
            f"of jointwrench {found.get('jointwrench')}: {place}. Use that version, or save it "
            "again."
        )
    if found.get("checksum") != checksum(text):
        raise ValueError(
            f"{_requirement(place)}, got a damaged one: it was changed since. Save it again."
        )
    return _evaluator(laws, found)


def _requirement(place: Path) -> str:
    """Return the beginning of messages about files that cannot be read."""
    return f"`path` must be a file written by evaluate.save(path): {place}"


def _evaluator(laws: Laws, found: Mapping[str, Any]) -> Evaluator:
    """Return the evaluator from the contents of a file."""
    groups = [Group(name, title, _symbols(own), per) for name, title, per, own in found["groups"]]
    own = {(group.name, str(x)): x for group in groups for x in group.symbols}
    outputs = [_output(own, output) for output in found["outputs"]]
    interface = Interface(
        groups=tuple(groups),
        used=frozenset(groups[g].symbols[k] for g, k in found["used"]),
        outputs=CompiledOutputs(outputs),
    )
    joints = tuple(
        JointName(name, None, None if child is None else JointName(child))
        for name, child in found["joints"]
    )
    fallback = None if found["fallback"] is None else _recipe_of(found["fallback"])
    watcher = motion_check = None
    if found["law"] is not None:
        law, *parts = found["law"]
        watcher = laws[law](partial(_evaluator, laws), *parts)
    if found["motion_check"] is not None:
        from .motion_check import restore_motion_check

        motion_check = restore_motion_check(*found["motion_check"])
    return (Evaluator if watcher is None else WatchedEvaluator)(
        interface,
        make_code(_recipe_of(found["code"]), fallback),
        subject=ResultSource(joints, _symbols(found["loads"])),
        threads=found["threads"],
        fixed_constants={StoredSymbol(*symbol): value for *symbol, value in found["fixed"]},
        fallback=fallback,
        angles=found["angles"],
        motion_check=motion_check,
        watcher=watcher,
    )


def _symbols(given: Iterable[Sequence[str]]) -> tuple[Any, ...]:
    return tuple(StoredSymbol(*symbol) for symbol in given)


def _recipe_of(given: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tuple(part) if isinstance(part, list) else part for part in given)


def _output(own: Mapping[tuple[str, str], Any], parts: Sequence[Any]) -> Output:
    """Return an output from its entry in a file; ``own`` has the symbols of inputs."""
    name, shape, places, is_packed, mass_dimension, derivative_of, known = parts
    wrt = None
    if known is not None:
        group, symbols, index = known
        wrt = Wrt(group, tuple(own.get((group, x[0])) or StoredSymbol(*x) for x in symbols), index)
    pattern = Pattern(tuple(shape), np.array(places, int))
    packed: Pattern | None = None
    refs = pattern.unpack(np.ones(len(places))).astype(int).ravel()  # zero or not, without a graph
    if is_packed:
        shape, refs, packed = (len(places),), refs[pattern.places], pattern
    entries, more = tuple(refs.tolist()), (mass_dimension, derivative_of, wrt, packed)
    return Output(name, tuple(shape), entries, "", (), *more)
