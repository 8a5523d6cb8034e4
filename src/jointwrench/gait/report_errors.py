"""Uncertainty of a report's curves due to errors of markers, segment tables and plates."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..checks.arguments import check_known, check_mapping, check_name, enumerate_some
from ..checks.files import existing_file
from ..checks.messages import warn
from ..checks.numbers import check_positive, finite_array
from ..recordings.force_plate import ForcePlate, make_plate
from ..recordings.ground_contact import AXES
from ..recordings.readers import read_csv
from .anthropometry import Person

#: The kinds of errors.  Their units are m, fractions of the table's values, a fraction of the
#: wrench, and m.
KINDS = ("markers", "segments", "gain", "center_of_pressure")

#: The fraction of a standard deviation by which inputs are perturbed, so that effects are linear.
SMALL_PART = 0.01

#: The segments of a leg, and their parameters in a table.
SEGMENTS, PARAMETERS = ("thigh", "shank", "foot"), ("mass", "center", "radius")

#: The kind of an error, and the name of the erroneous datum ("LKNE x").
Cause = tuple[str, str]

#: A curve's name, the causes, and the changes (cycles, 101, causes) of the curve by SMALL_PART of
#: the standard deviation of each cause.
CurveChange = tuple[str, list[Cause], np.ndarray]


def check_errors(errors: Any) -> dict[str, float]:
    """Return the checked standard deviations by kind of error."""
    stated = check_mapping("errors", errors)
    check_known("errors", stated, KINDS, "be of")
    return {kind: check_positive(f"errors[{kind!r}]", size) for kind, size in stated.items()}


def perturb_trials(
    trial: Any, person: Person, errors: Mapping[str, float], names: Iterable[str]
) -> Iterator[tuple[Cause, Any, Person]]:
    """Yield each cause of errors, with the trial and the person that only this cause perturbs.

    The perturbation is SMALL_PART of the standard deviation in ``errors``; ``names`` are the
    markers with errors.
    """
    known = vars(trial) | {"markers": trial.markers.in_metres()}
    markers, plates = known["markers"], list(trial.plates)
    steps = {kind: SMALL_PART * size for kind, size in errors.items()}
    if "markers" in steps:
        for name in dict.fromkeys(name for name in names if name in markers.names):
            for axis in range(3):
                moved = markers.positions.copy()
                moved[:, markers.names.index(name), axis] += steps["markers"]
                own = SimpleNamespace(**known | {"markers": replace(markers, positions=moved)})
                yield ("markers", f"{name} {AXES[axis]}"), own, person
    if "segments" in steps:
        for name, word in product(SEGMENTS, PARAMETERS):
            row = person.table[name]
            value = np.asarray(getattr(row, word)) * (1 + steps["segments"])
            changed = replace(row, **{word: tuple(value) if value.ndim else float(value)})
            table = person.table.with_rows(**{name: changed})
            other = Person(person.height, person.mass, table, person.lengths)
            yield ("segments", f"{name} {word}"), SimpleNamespace(**known), other
    for k, plate in enumerate(plates):
        for (kind, text), wrench in _perturb_wrench(plate, steps):
            wrong = make_plate(plate.times, wrench, plate.vertical, plate.corners)
            others = {"plates": [*plates[:k], wrong, *plates[k + 1 :]]}
            yield (kind, f"plate {k}{text}"), SimpleNamespace(**known | others), person


def _perturb_wrench(
    plate: ForcePlate, steps: Mapping[str, float]
) -> Iterator[tuple[Cause, np.ndarray]]:
    """Yield causes and wrenches (N, 6) of a plate with perturbed gain, and with a moved force."""
    if "gain" in steps:
        yield ("gain", ""), plate.wrench * (1 + steps["gain"])
    if "center_of_pressure" in steps:
        for axis in (axis for axis in AXES if axis != plate.vertical):
            arm = steps["center_of_pressure"] * np.eye(3)[AXES.index(axis)]
            moment = np.cross(arm, plate.force)
            change = np.concatenate([0 * moment, moment], axis=-1)
            yield ("center_of_pressure", f" {axis}"), plate.wrench + change


def errors_of_means(changes: Iterable[CurveChange]) -> dict[str, dict[str, np.ndarray]]:
    """Return standard deviations (101,) of mean curves, by curve and kind of error.

    Errors of one cause are the same in all trials; different causes are independent, so that their
    effects add in squares.
    """
    totals: dict[str, dict[Cause, Any]] = defaultdict(lambda: defaultdict(float))
    counts = Counter[str]()
    for name, causes, rows in changes:
        known = rows[np.isfinite(rows).all(axis=(1, 2))] / SMALL_PART
        counts[name] += len(known)
        for cause, own in zip(causes, np.moveaxis(known, -1, 0), strict=True):
            totals[name][cause] = totals[name][cause] + own.sum(axis=0)
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, by_cause in totals.items():
        squares: dict[str, Any] = defaultdict(float)
        for (kind, _), total in by_cause.items():
            squares[kind] = squares[kind] + np.square(total / (counts[name] or np.nan))
        found[name] = {kind: np.sqrt(square) for kind, square in squares.items()}
    return found


def check_normal(normal: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the checked mean and standard deviation, (101,) each, of normal curves by name."""
    if isinstance(normal, (str, PathLike)):
        normal = _read_normal(existing_file("normal", normal))
    found = {}
    for name, pair in check_mapping("normal", normal).items():
        check_name("normal", name)
        mean, spread = finite_array(f"normal[{name!r}]", pair, (2, 101))
        found[name] = mean, np.abs(spread)
    return found


def _read_normal(path: Path) -> dict[str, list[np.ndarray]]:
    """Return the mean and standard deviation of the curves in a CSV file; warn of others."""
    table = read_csv(path, time=0)
    names = [name.removesuffix("_mean") for name in table.names if name.endswith("_mean")]
    if missing := [x for x in names or ["knee_flexion"] if f"{x}_sd" not in table.names]:
        raise ValueError(
            f"`normal` must be a file with columns such as {missing[0]}_mean and {missing[0]}_sd, "
            f"got {path.name} with {enumerate_some(table.names)}. Use write_csv of a report."
        )
    pairs = {name: [table[f"{name}_mean"], table[f"{name}_sd"]] for name in names}
    known = {name: pair for name, pair in pairs.items() if np.isfinite(pair).all()}
    if lost := [x for x in pairs if x not in known and np.isfinite(pairs[x][0]).all()]:
        warn(
            f"`normal`: {path.name} has no standard deviation of {enumerate_some(lost)}, which are "
            "left out. Use a report of two cycles or more of each side."
        )
    return known
