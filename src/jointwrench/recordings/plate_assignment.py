"""The assignment of plates to feet, and whether a plate's data are plausible for a foot."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..checks.arguments import check_instance
from ..checks.numbers import check_positive, finite_array, known_or_missing, real_array
from ..checks.problems import warn
from ..checks.tolerances import THREE_DIGITS
from ..records.samples import check_times
from .force_plate import ForcePlate, check_plates, make_plate
from .ground_contact import AXES, unloaded_level

#: The part of its largest force from which on a plate tells where the foot is.
LOADED_PART = 0.2

#: The part of a contact in which another foot must be the nearest one, to be on the plate too.
SHARE = 0.15

#: Metres: a foot is at least as long, whatever its markers are, and at most.
SHORTEST_FOOT, LONGEST_FOOT = 0.15, 1.0

#: Largest forces that people have on feet, by their weight, and by that of a model, which may be a
#: single leg; the part of the largest force that a plate may show without load.
SMALLEST, LARGEST, LARGEST_OF_PART, OFFSET = 0.02, 20.0, 200.0, 0.05

#: Up to what part of its range a plate may be without load.
UNLOADED = 0.2

#: Places along a foot of which the nearest to a force counts.
ALONG = np.linspace(0, 1, 7)

GRAVITY = 9.81

#: Something of each foot, by its name.
Feet = Mapping[str, np.ndarray]


class PlateStep(NamedTuple):
    """One contact of a foot with a plate; made by `ground_reactions`.

    Attributes
    ==========

    plate : int
        Index of the plate, from 0.
    foot : str
        The name of the foot, "" if it is none of the given ones.
    start, end : float
        The times of foot strike and foot off, or the ends of the record if contact goes on there.
    distance : float
        Median distance of the force's line of action from the foot.
    notes : tuple of str
        Problems with the contact, if any.

    See Also
    ========

    GroundReactions : Holds them.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.recordings.PlateStep(1, "left", 0.2, 0.9, 0.02, ()).end
    0.9
    """

    plate: int
    foot: str
    start: float
    end: float
    distance: float
    notes: tuple[str, ...]


class GroundReactions(NamedTuple):
    """The ground reaction on each foot; made by `ground_reactions`.

    Attributes
    ==========

    plates : dict of str to ForcePlate
        By foot: the sum of all its plates, at the markers' instants; zero while it is on none.
    steps : tuple of PlateStep
        In the order of time.

    See Also
    ========

    ground_reactions : Makes it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> found = jw.recordings.GroundReactions({}, ())
    >>> found.steps
    ()
    """

    plates: dict[str, ForcePlate]
    steps: tuple[PlateStep, ...]


def ground_reactions(
    plates: Sequence[ForcePlate],
    times: Any,
    feet: Mapping[str, Any],
    threshold: float = 20.0,
    cutoff: float | None = None,
    filter: str | None = None,
) -> GroundReactions:
    """Assign the contacts on force plates to feet and return the `GroundReactions`.

    Parameters
    ==========

    plates : sequence of ForcePlate
        All in the axes of the markers, in metres, as measured.
    times : array_like, shape (N,)
        The instants of the markers.
    feet : mapping of str to array_like of shape (N, k, 3)
        By foot ("left", "right"): positions along it from heel to toe, in metres; NaN if missing.
    threshold : float
        As for `ForcePlate.contacts`.
    cutoff, filter : float and str, optional
        As for `ForcePlate.filtered`, applied after the assignment.  Default: no filter.

    Raises
    ======

    TypeError, ValueError
        If plates or feet are of the wrong type, or shapes do not match.

    Warns
    =====

    UserWarning
        For a contact with two feet on the plate, or with no foot near it.

    See Also
    ========

    check_ground_reaction : Warns of implausible forces.

    Notes
    =====

    A foot is on a plate if the line of action of the plate's force passes it by less than the
    length of the foot.  A foot on two plates at once is noted and gets the sum of both.  The offset
    of a plate is removed (`ForcePlate.zeroed`), unless the plate is loaded throughout.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> t = np.linspace(0, 1, 101)
    >>> force = np.outer((t > 0.2) & (t < 0.8), [0, 700.0, 0])
    >>> plate = jw.recordings.ForcePlate.from_center_of_pressure(t, force, np.zeros((101, 3)))
    >>> foot = np.tile([[-0.05, 0, 0], [0.15, 0, 0.0]], (101, 1, 1))  # heel and toe
    >>> feet = {"left": foot, "right": foot + [0, 0.3, 0]}
    >>> found = jw.recordings.ground_reactions([plate], t, feet)
    >>> found.steps[0].foot
    'left'
    """
    instants = check_times("times", times)
    given = check_plates("plates", plates)
    check_instance("feet", feet, Mapping, "a mapping of feet to places")
    places = {foot: _check_foot(f"feet[{foot!r}]", x, instants) for foot, x in feet.items()}
    clean = [_remove_offset(plate, threshold) for plate in given]
    found = (_find_steps(k, plate, instants, places, threshold) for k, plate in enumerate(clean))
    steps = sorted(chain.from_iterable(found), key=lambda step: step.start)
    steps = [_with_notes(step, steps) for step in steps]
    for step in steps:
        for note in step.notes:
            if "plates" not in note:
                warn(f"`plates`: {note}, from {step.start:.4g} to {step.end:.4g}.")
    totals = {foot: np.zeros((len(instants), 6)) for foot in places}
    for step in (step for step in steps if step.foot):
        _check_covers(clean[step.plate], step.plate, instants)
        part = clean[step.plate].during(step.start, step.end)
        part = part if cutoff is None else part.filtered(cutoff, filter=filter)
        totals[step.foot] += part.at(instants).wrench
    vertical = clean[0].vertical if clean else "z"
    reactions = {foot: make_plate(instants, total, vertical) for foot, total in totals.items()}
    return GroundReactions(reactions, tuple(steps))


def _check_covers(plate: ForcePlate, number: int, times: np.ndarray) -> None:
    own = plate.times
    room = 1.5 * float(np.median(np.diff(own)))
    if times[0] < own[0] - room or times[-1] > own[-1] + room:
        raise ValueError(
            f"`plates` must cover the times of the feet, {times[0]:g} to {times[-1]:g}, got plate "
            f"{number} from {own[0]:g} to {own[-1]:g}. Use markers.between(start, end)."
        )


def _remove_offset(plate: ForcePlate, threshold: float) -> ForcePlate:
    try:
        return plate.zeroed(threshold)
    except ValueError:  # somebody is on it throughout
        return plate


def _find_steps(
    number: int, plate: ForcePlate, times: np.ndarray, feet: Feet, threshold: float
) -> Iterator[PlateStep]:
    """Yield the contacts of a plate."""
    for start, end in plate.contact_rows(threshold):
        begin, stop = map(float, plate.times[[start, min(end, len(plate.times) - 1)]])
        rows = np.flatnonzero((times >= begin) & (times <= stop))
        if not rows.size:
            continue
        wrench = plate.at(times[rows]).wrench if len(rows) > 1 else plate.wrench[start:end][:1]
        size = np.linalg.norm(wrench[:, :3], axis=-1)
        loaded = size > LOADED_PART * size.max()
        away = {n: passing_distance(wrench[loaded], x[rows[loaded]]) for n, x in feet.items()}
        foot, distance, notes = _find_loaded_foot(away, feet, number)
        yield PlateStep(number, foot, begin, stop, distance, notes)


def _find_loaded_foot(away: Feet, feet: Feet, number: int) -> tuple[str, float, tuple[str, ...]]:
    """Return the foot nearest to a force's line of action, their distance, and problems."""
    usual = {foot: _median(distances) for foot, distances in away.items()}
    nearest = min(usual, key=usual.__getitem__, default="")
    if not nearest or not usual[nearest] <= _reach(feet[nearest]):
        far = "" if not nearest else f" ({usual[nearest]:.3g} from the nearest one)"
        return "", usual.get(nearest, np.nan), (f"no foot is on plate {number + 1}{far}",)
    nearby = np.argmin(list(away.values()), axis=0)
    shares = np.bincount(nearby, minlength=len(away)) / len(nearby)
    others = [foot for foot, share in zip(away, shares, strict=True) if share > SHARE]
    both = f"both feet ({' and '.join(others)}) are on plate {number + 1}"
    return nearest, usual[nearest], (both,) if len(others) > 1 else ()


def _with_notes(step: PlateStep, steps: Sequence[PlateStep]) -> PlateStep:
    """Return a step with a note of other plates on which the same foot is at the same time."""
    at_once = [
        other.plate + 1
        for other in steps
        if other.plate != step.plate and other.foot == step.foot != ""
        if min(other.end, step.end) > max(other.start, step.start)
    ]
    if not at_once:
        return step
    plates = " and ".join(map(str, sorted({step.plate + 1, *at_once})))
    return step._replace(notes=(*step.notes, f"{step.foot} is on plates {plates} at once"))


# -- what cannot be --------------------------------------------------------------------------


def check_ground_reaction(
    plate: ForcePlate, foot: Any, mass: float | None = None, up: Any = None
) -> None:
    """Warn if a plate's data are implausible as the ground reaction on a foot.

    It finds the wrong plate or foot, a moment of the wrong sign, kilonewtons, N mm, millimetres,
    other axes, and a plate that is stuck or records a force without load.

    Parameters
    ==========

    plate : ForcePlate
        At the instants of the markers, on the foot.
    foot : array_like, shape (N, k, 3) or (N, k, 2)
        Positions along the foot from heel to toe, in metres; two components in a plane.
    mass : float, optional
        The mass of the whole person.
    up : array_like, shape (3,), optional
        The direction opposite to gravity in the model.

    Raises
    ======

    TypeError, ValueError
        If ``plate`` is not a ForcePlate, positions are not real numbers, shapes or instants do not
        match, or the foot is missing throughout.

    Warns
    =====

    UserWarning
        One warning that lists all that is implausible.

    See Also
    ========

    ground_reactions : Assigns plates to feet.

    Examples
    ========

    A plate in kilonewtons, whose moment is too large:

    >>> import numpy as np, warnings
    >>> import jointwrench as jw
    >>> loaded = np.array([[0.0], [1], [1]])
    >>> t, force, moment = [0, 0.1, 0.2], loaded * [0, 0.7, 0], loaded * [0, 0, 2.1]
    >>> plate = jw.recordings.ForcePlate(t, force, moment)
    >>> foot = np.array([[[0.2, 0.05], [0.4, 0.0]]] * 3)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     jw.recordings.check_ground_reaction(plate, foot, mass=70.0)
    >>> for text in str(caught[0].message).split("; "):
    ...     print(text[:82])
    `plate` cannot be the force on the foot: its largest force is 0.7, not between 13.
    its force passes the foot at 2.6, the foot is 0.206 long (the wrong plate or foot,
    """
    check_instance("plate", plate, ForcePlate, "a ForcePlate")
    places = known_or_missing("foot", _check_foot("foot", foot, plate.times))
    if np.isnan(places).all():
        raise ValueError("`foot` must be known at some time, got NaN throughout.")
    weight = None if mass is None else GRAVITY * check_positive("mass", mass)
    bounds = (0.0, np.inf) if weight is None else (SMALLEST * weight, LARGEST * weight)
    upwards = None if up is None else finite_array("up", up, (3,))
    if faults := list_faults(plate.wrench, places, bounds, upwards, rest=0.0):
        warn(f"`plate` cannot be the force on the foot: {'; '.join(faults)}.")


def list_faults(
    wrench: np.ndarray,
    foot: np.ndarray,
    bounds: tuple[float, float],
    up: Any = None,
    longest: float = LONGEST_FOOT,
    rest: float | None = None,
) -> list[str]:
    """Return what is implausible about a ground reaction (N, 6) on a foot (N, k, 3)."""
    # ``bounds`` are those of its largest force; a force that never changes is stuck where the foot
    # travels farther than ``rest``, by default its reach.
    size = np.linalg.norm(wrench[:, :3], axis=-1)
    largest = size.max(initial=0.0)
    if not largest:
        return []
    faults, length = [], _length(foot)
    if length > longest:
        faults.append(f"the foot is {length:.4g} long (use metres)")
    if not bounds[0] <= largest <= bounds[1]:
        faults.append(
            f"its largest force is {largest:.4g}, not between {bounds[0]:.3g} and {bounds[1]:.3g} "
            "(use newtons)"
        )
    loaded = size > LOADED_PART * largest
    mean = wrench[loaded, :3].mean(axis=0)
    direction = mean if up is None else real_array("up", up).astype(float)
    if mean @ direction < 0.5 * np.linalg.norm(mean) * np.linalg.norm(direction):
        axis = int(np.abs(mean).argmax())
        sign, fix = ("-", ", or change its sign") if mean[axis] < 0 else ("", "")
        faults.append(
            f"its force is not up but along {sign}{AXES[axis]} (turn it to the model's axes{fix})"
        )
    distance = _median(passing_distance(wrench[loaded], foot[loaded]))
    if distance > _reach(foot):
        faults.append(
            f"its force passes the foot at {distance:.3g}, the foot is {length:.3g} long (the "
            "wrong plate or foot, a moment of the wrong sign or in N mm)"
        )
    if np.nanmax(np.ptp(foot, axis=0)) >= (_reach(foot) if rest is None else rest):
        faults += _list_unloaded_faults(wrench[:, :3] @ mean / np.linalg.norm(mean))
    return faults


def _list_unloaded_faults(load: np.ndarray) -> list[str]:
    """Return what is wrong with a plate where nobody is on it."""
    largest, fix = load.max(), "(use plate.zeroed())"
    if len(load) > 2 and np.ptp(load) <= THREE_DIGITS * largest:
        return [f"it shows {load[0]:.4g} throughout (it is stuck)"]
    if abs(level := unloaded_level(load)) > OFFSET * largest:
        return [f"it shows {level:.4g} without load {fix}"]
    free = load[load <= load.min() + UNLOADED * np.ptp(load)]
    part = max(1, len(free) // 5)
    drift = float(np.median(free[-part:]) - np.median(free[:part]))
    return [f"it drifts by {drift:.4g} without load {fix}"] if abs(drift) > OFFSET * largest else []


def passing_distance(wrench: np.ndarray, foot: np.ndarray) -> np.ndarray:
    """Return the distance of a force's line of action (N, 6) from a foot (N, k, 3), shape (N,)."""
    force = wrench[:, :3]
    square = (force * force).sum(axis=-1, keepdims=True)
    place = np.cross(force, wrench[:, 3:]) / square
    path = foot[:, :-1, None] + ALONG[:, None] * np.diff(foot, axis=1)[:, :, None]
    arms = np.cross(path - place[:, None, None], (force / np.sqrt(square))[:, None, None])
    away = np.linalg.norm(arms, axis=-1)
    return np.min(np.where(np.isnan(away), np.inf, away), axis=(1, 2), initial=np.inf)


def _reach(foot: np.ndarray) -> float:
    """Return the largest plausible distance of a force from the foot's points."""
    return max(_length(foot), SHORTEST_FOOT)


def _length(foot: np.ndarray) -> float:
    """Return the median length of a foot along its points."""
    return _median(np.linalg.norm(np.diff(foot, axis=1), axis=-1).sum(axis=-1))


def _median(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if finite.size else np.nan


def _check_foot(argument: str, values: Any, times: np.ndarray) -> np.ndarray:
    """Return positions along a foot, shape (N, k, 3), k at least two."""
    array = real_array(argument, values).astype(float)
    is_foot = array.ndim == 3 and len(array) == len(times) and array.shape[1] > 1
    if not is_foot or array.shape[2] not in (2, 3):
        raise ValueError(
            f"`{argument}` must have shape ({len(times)}, k, 3) with at least heel and toe, got "
            f"{array.shape}. Use numpy.stack([heel, toe], axis=1)."
        )
    return np.pad(array, ((0, 0), (0, 0), (0, 3 - array.shape[2])))
