"""Evaluators from files of text, without sympy and without pickles."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...checks.on_demand import on_demand
from ...checks.problems import existing_file
from ...records.sampled_result import JointName
from ..arithmetic.output import Group, Output, Wrt
from ..arithmetic.packed import Pattern
from .backends.codes import make_code
from .compiled_outputs import CompiledOutputs, Interface
from .evaluator import Evaluator
from .result import ResultSource
from .stored import KIND, VERSION, checksum
from .values import StoredSymbol

stored_look = on_demand("mechanics.evaluation.motion_look", "stored_look")


def load(path: str | os.PathLike[str]) -> Evaluator:
    """Return an evaluator from a file written by `Evaluator.save`.

    The file has the program in C, and in Python for machines without a compiler.  It is compiled
    here, unless cached, and run: load only files from people you trust.  Neither sympy nor the
    model is needed, so that processes of a controller or a cluster start quickly.

    Parameters
    ==========

    path : str or path
        The file.

    Returns
    =======

    Evaluator
        It returns the same numbers.  Joints are given by name, constants and specifieds by name or
        by a symbol of that name.  It has no powers, no points and frames other than those of the
        outputs, and no derivatives that were not compiled.

    Raises
    ======

    TypeError
        If ``path`` is not a path.
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not such a file, was changed (by a single character), or has the format of
        another version.
    CompilationError
        If its code cannot be compiled and it has none for numpy.

    See Also
    ========

    Evaluator.save : Writes the file.

    Examples
    ========

    >>> import tempfile
    >>> from pathlib import Path
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> evaluate = jw.InverseDynamics(chain.system).compile("generalized_forces")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     evaluate.save(Path(folder) / "pendulum.json")
    ...     loaded = jw.load(Path(folder) / "pendulum.json")
    >>> loaded([0], [0], [1], {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}).generalized_forces
    array([0.165])
    """
    place = existing_file("path", path)
    try:
        text = place.read_bytes().decode("ascii")
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{_wanted(place)}, got another one ({error}).") from error
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise ValueError(f"{_wanted(place)}, got another one.")
    if found.get("version") != VERSION:
        raise ValueError(
            f"`path` must have the format {VERSION} of an evaluator, got {found.get('version')} "
            f"of jointwrench {found.get('jointwrench')}: {place}. Use that version, or save it "
            "again."
        )
    if found.get("checksum") != checksum(text):
        raise ValueError(
            f"{_wanted(place)}, got a damaged one: it was changed since. Save it again."
        )
    return _evaluator(found)


def _wanted(place: Path) -> str:
    return f"`path` must be a file written by evaluate.save(path): {place}"


def _evaluator(found: Mapping[str, Any]) -> Evaluator:
    groups = [
        Group(name, title, tuple(StoredSymbol(*symbol) for symbol in symbols), per)
        for name, title, per, symbols in found["groups"]
    ]
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
    spare = None if found["spare"] is None else _recipe_of(found["spare"])
    kind, more = Evaluator, dict[str, Any]()
    if found["law"] is not None:
        module, *parts = found["law"]
        kind, more = on_demand(module, "restored")(_evaluator, *parts)
    return kind(
        interface,
        make_code(_recipe_of(found["code"]), spare),
        subject=ResultSource(joints, _symbols(found["loads"])),
        threads=found["threads"],
        fixed_constants={StoredSymbol(*symbol): value for *symbol, value in found["fixed"]},
        spare=spare,
        angles=found["angles"],
        look=None if found["look"] is None else stored_look(*found["look"]),
        **more,
    )


def _symbols(given: Iterable[Sequence[str]]) -> tuple[Any, ...]:
    return tuple(StoredSymbol(*symbol) for symbol in given)


def _recipe_of(given: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tuple(part) if isinstance(part, list) else part for part in given)


def _output(own: Mapping[tuple[str, str], Any], parts: Sequence[Any]) -> Output:
    name, shape, places, is_packed, mass_dimension, derivative_of, known = parts
    wrt = None
    if known is not None:
        group, symbols, index = known
        wrt = Wrt(group, tuple(own.get((group, x[0])) or StoredSymbol(*x) for x in symbols), index)
    pattern = Pattern(tuple(shape), np.array(places, int))
    packed: Pattern | None = None
    refs = pattern.whole(np.ones(len(places))).astype(int).ravel()  # the graph is not there
    if is_packed:
        shape, refs, packed = (len(places),), refs[pattern.places], pattern
    entries, more = tuple(refs.tolist()), (mass_dimension, derivative_of, wrt, packed)
    return Output(name, tuple(shape), entries, "", (), *more)
