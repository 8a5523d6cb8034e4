"""The assignment of plates to feet, and checks whether a plate's data are plausible for a foot."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..checks.arguments import check_instance
from ..checks.messages import warn
from ..checks.numbers import check_finite_or_nan, check_positive, finite_array, real_array
from ..checks.tolerances import THREE_DIGITS
from ..records.samples import check_times, pad_to_space
from .force_plate import ForcePlate, check_plates, make_plate
from .ground_contact import AXES, unloaded_level

#: Fraction of the largest force above which the line of action shows the position of the foot.
LOADED_PART = 0.2

#: Fraction of a contact for which a second foot must be the nearest, to count as on the plate.
SHARE = 0.15

#: Shortest and longest length of a foot (m); markers may span less.
SHORTEST_FOOT, LONGEST_FOOT = 0.15, 1.0

#: Range of plausible peak forces on a foot, divided by the weight of the person (SMALLEST, LARGEST)
#: or of a model, which may be a single leg (LARGEST_OF_PART).  OFFSET is the fraction of the peak
#: force that a plate may show without load.
SMALLEST, LARGEST, LARGEST_OF_PART, OFFSET = 0.02, 20.0, 200.0, 0.05

#: Fraction of the range of loads, from the lowest one on, in which a plate may be unloaded.
UNLOADED = 0.2

#: Points on each piece of a foot's line, as fractions, of which the nearest to a force counts.
ALONG = np.linspace(0, 1, 7)

GRAVITY = 9.81

#: Arrays by the name of a foot.
Feet = Mapping[str, np.ndarray]


class PlateStep(NamedTuple):
    """One contact of a foot with a plate; made by `ground_reactions`.

    Attributes
    ==========

    plate : int
        Index of the plate, from 0.
    foot : str
        The name of the foot, "" if no foot was near.
    start, end : float
        The times of foot strike and foot off, or the ends of the record if contact goes on there.
    distance : float
        The median distance of the force's line of action from the foot.
    notes : tuple of str
        Problems with the contact, if any.

    See Also
    ========

    GroundReactions : All contacts of a trial.

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
        The sum of all plates under each foot, at the markers' instants; zero while the foot is on
        no plate.
    steps : tuple of PlateStep
        The contacts, in the order of time.

    See Also
    ========

    ground_reactions : Assigns plates to feet.

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
        The plates as measured, in metres and in the axes of the markers.
    times : array_like, shape (N,)
        The instants of the markers.
    feet : mapping of str to array_like of shape (N, k, 3)
        Positions along each foot ("left", "right") from heel to toe, in metres; NaN if missing.
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

    A foot is on a plate if the distance of the force's line of action from the foot is less than
    the length of the foot.  A foot on two plates at the same time gets the sum of both, and a note.
    The offset of a plate is removed (`ForcePlate.zeroed`), unless the plate is loaded throughout.

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
    measured = check_plates("plates", plates)
    check_instance("feet", feet, Mapping, "a mapping of feet to places")
    places = {foot: _check_foot(f"feet[{foot!r}]", x, instants) for foot, x in feet.items()}
    clean = [_remove_offset(plate, threshold) for plate in measured]
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
    """Refuse a plate whose record does not cover the ``times`` of the feet."""
    own = plate.times
    margin = 1.5 * float(np.median(np.diff(own)))
    if times[0] < own[0] - margin or times[-1] > own[-1] + margin:
        raise ValueError(
            f"`plates` must cover the times of the feet, {times[0]:g} to {times[-1]:g}, got plate "
            f"{number} from {own[0]:g} to {own[-1]:g}. Use markers.between(start, end)."
        )


def _remove_offset(plate: ForcePlate, threshold: float) -> ForcePlate:
    """Return a plate without offset and drift, or unchanged if it is loaded throughout."""
    try:
        return plate.zeroed(threshold)
    except ValueError:
        return plate


def _find_steps(
    number: int, plate: ForcePlate, times: np.ndarray, feet: Feet, threshold: float
) -> Iterator[PlateStep]:
    """Yield the contacts of a plate with the feet, whose ``times`` are those of the markers."""
    for start, end in plate.contact_rows(threshold):
        first, last = map(float, plate.times[[start, min(end, len(plate.times) - 1)]])
        rows = np.flatnonzero((times >= first) & (times <= last))
        if not rows.size:
            continue
        wrench = plate.at(times[rows]).wrench if len(rows) > 1 else plate.wrench[start:end][:1]
        size = np.linalg.norm(wrench[:, :3], axis=-1)
        loaded = size > LOADED_PART * size.max()
        away = {n: passing_distance(wrench[loaded], x[rows[loaded]]) for n, x in feet.items()}
        foot, distance, notes = _find_loaded_foot(away, feet, number)
        yield PlateStep(number, foot, first, last, distance, notes)


def _find_loaded_foot(away: Feet, feet: Feet, number: int) -> tuple[str, float, tuple[str, ...]]:
    """Return the foot nearest to a plate's line of action, its median distance, and problems.

    ``away`` has the distances of each foot over time; the foot is "" if none is within reach.
    """
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
    simultaneous = [
        other.plate + 1
        for other in steps
        if other.plate != step.plate and other.foot == step.foot != ""
        if min(other.end, step.end) > max(other.start, step.start)
    ]
    if not simultaneous:
        return step
    plates = " and ".join(map(str, sorted({step.plate + 1, *simultaneous})))
    return step._replace(notes=(*step.notes, f"{step.foot} is on plates {plates} at once"))


# -- plausibility ----------------------------------------------------------------------------


def check_ground_reaction(
    plate: ForcePlate, foot: Any, mass: float | None = None, up: Any = None
) -> None:
    """Warn if a plate's data are implausible as the ground reaction on a foot.

    The check finds the wrong plate or foot, a moment of the wrong sign, kilonewtons, N mm,
    millimetres, wrong axes, and a plate that is stuck or records a force without load.

    Parameters
    ==========

    plate : ForcePlate
        The plate's data at the instants of the markers, acting on the foot.
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
        One warning that lists all implausible data.

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
    places = check_finite_or_nan("foot", _check_foot("foot", foot, plate.times))
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
    """Return the implausible properties of a ground reaction (N, 6) on a foot (N, k, 3), as texts.

    ``bounds`` are the least and the largest plausible peak force, ``up`` is the vertical, and
    ``longest`` the largest length of the foot.  A constant force counts as a stuck plate if the
    foot moves by ``rest`` or more, by default by its reach.
    """
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
    """Return the problems of a plate's load (N,) without a person on it: stuck, offset, drift."""
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
    """Return the distance (N,) of a wrench's line of action (N, 6) from a foot (N, k, 3)."""
    # The line of action goes through f x m / |f|^2 along f.
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
    """Return the median over time of a foot's length along its points."""
    return _median(np.linalg.norm(np.diff(foot, axis=1), axis=-1).sum(axis=-1))


def _median(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if finite.size else np.nan


def _check_foot(argument: str, values: Any, times: np.ndarray) -> np.ndarray:
    """Return checked positions along a foot, shape (N, k, 3) with k at least 2."""
    array = real_array(argument, values).astype(float)
    is_foot = array.ndim == 3 and len(array) == len(times) and array.shape[1] > 1
    if not is_foot or array.shape[2] not in (2, 3):
        raise ValueError(
            f"`{argument}` must have shape ({len(times)}, k, 3) with at least heel and toe, got "
            f"{array.shape}. Use numpy.stack([heel, toe], axis=1)."
        )
    return pad_to_space(array)
