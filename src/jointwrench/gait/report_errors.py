"""Uncertainty of a report's curves by errors of markers, segment tables and plates."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..checks.arguments import check_known, check_mapping, check_name
from ..checks.numbers import check_positive, finite_array
from ..recordings.force_plate import ForcePlate, make_plate
from ..recordings.ground_contact import AXES
from .anthropometry import Person

#: The kinds of errors, in m, fractions of the table's values, fraction of the force, m.
KINDS = ("markers", "segments", "gain", "center_of_pressure")

#: The fraction of a standard deviation by which inputs are changed, so that effects are linear.
SMALL_PART = 0.01

#: The parameters of each segment of a leg.
SEGMENTS, PARAMETERS = ("thigh", "shank", "foot"), ("mass", "center", "radius")

#: A kind of error, and which of these.
Cause = tuple[str, str]

#: A curve's name, causes, and its changes (cycles, 101, causes) by small fractions of their errors.
Change = tuple[str, list[Cause], np.ndarray]


def check_errors(errors: Any) -> dict[str, float]:
    """Return standard deviations by kind."""
    given = check_mapping("errors", errors)
    check_known("errors", given, KINDS, "be of")
    return {kind: check_positive(f"errors[{kind!r}]", size) for kind, size in given.items()}


def perturb_trials(
    trial: Any, person: Person, errors: Mapping[str, float], names: Iterable[str]
) -> Iterator[tuple[Cause, Any, Person]]:
    """Yield a trial and its person with each error alone, by small parts of their deviations."""
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
    """Yield the wrench of a plate with another gain, and with the force at another point."""
    if "gain" in steps:
        yield ("gain", ""), plate.wrench * (1 + steps["gain"])
    if "center_of_pressure" in steps:
        for axis in (axis for axis in AXES if axis != plate.vertical):
            arm = steps["center_of_pressure"] * np.eye(3)[AXES.index(axis)]
            moment = np.cross(arm, plate.force)
            change = np.concatenate([0 * moment, moment], axis=-1)
            yield ("center_of_pressure", f" {axis}"), plate.wrench + change


def errors_of_means(changes: Iterable[Change]) -> dict[str, dict[str, np.ndarray]]:
    """Return standard deviations (101,) of mean curves by errors that all trials share, by kind."""
    parts: dict[str, list[tuple[list[Cause], np.ndarray]]] = defaultdict(list)
    for name, own, rows in changes:
        parts[name].append((own, rows / SMALL_PART))
    causes = dict.fromkeys(cause for rows in parts.values() for own, _ in rows for cause in own)
    places = {cause: k for k, cause in enumerate(causes)}
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, of_trials in parts.items():
        wholes = []
        for own, rows in of_trials:
            whole = np.zeros((*rows.shape[:2], len(places)))
            whole[..., [places[cause] for cause in own]] = rows
            wholes.append(whole)
        joined = np.concatenate(wholes)
        known = joined[np.isfinite(joined).all(axis=(1, 2))]
        mean = known.mean(axis=0) if len(known) else np.full(joined.shape[1:], np.nan)
        found[name] = {}
        for kind in dict.fromkeys(kind for kind, _ in places):
            columns = [k for (other, _), k in places.items() if other == kind]
            found[name][kind] = np.sqrt(np.square(mean[:, columns]).sum(axis=-1))
    return found


def check_normal(normal: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the normal mean and standard deviation of curves, over percents of the cycle."""
    found = {}
    for name, pair in check_mapping("normal", normal).items():
        check_name("normal", name)
        mean, spread = finite_array(f"normal[{name!r}]", pair, (2, 101))
        found[name] = mean, np.abs(spread)
    return found
