"""Measured forces of one or several recordings, with the model's coefficients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from sympy import Expr

from .. import InverseDynamics, States
from ..checks.arguments import check_known, describe, find_named, is_called, symbol_name
from ..checks.numbers import check_finite_or_nan, finite_array, shaped_array
from .characteristic_units import CharacteristicUnits
from .extra_terms import ExtraTerms
from .fit import Fit
from .least_squares import WeightedEquations
from .linear_model import ForceModel
from .sample import Sample


@dataclass(frozen=True)
class ForceData:
    """Measured forces at N instants, linear in the parameters of a model.

    Attributes
    ==========

    model, samples, units : ForceModel, tuple of Sample, CharacteristicUnits
        The model, its inputs in each recording, and the units of forces and parameters.
    coefficients : numpy.ndarray, shape (N, forces, parameters)
        The factors of the parameters.
    known, measured, weights : numpy.ndarray, shape (N, forces)
        The forces of known loads, the measured forces, and weights, zero if nothing was measured.
    recordings, times : numpy.ndarray, shape (N,)
        The number of the recording, and the time of each instant.
    cutoff, decimation : float or None, and int
        The cutoff of the filter of all data, and the number of samples of which one remains.
    """

    model: ForceModel
    samples: tuple[Sample, ...]
    units: CharacteristicUnits
    coefficients: np.ndarray
    known: np.ndarray
    measured: np.ndarray
    weights: np.ndarray
    recordings: np.ndarray
    times: np.ndarray
    cutoff: float | None = None
    decimation: int = 1

    @classmethod
    def of(
        cls,
        idyn: InverseDynamics,
        motion: Any,
        forces: Any,
        constants: Mapping[Any, Any] | None,
        specifieds: Any,
        actuators: bool,
        extra: Any = None,
    ) -> "ForceData":
        """Return the data of the arguments of `identify`, checked."""
        given = _split_recordings(motion, forces, specifieds)
        samples = [Sample.read(idyn, m, constants, s) for m, _, s in given]
        terms = ExtraTerms.of(idyn, extra, samples[0].specifieds)
        found = [
            _read_forces(idyn, own, sample.batch, actuators, terms)
            for (_, own, _), sample in zip(given, samples, strict=True)
        ]
        model = found[0][0]
        if any(other.channels != model.channels for other, _ in found):
            raise ValueError(
                "`forces` must be of the same speeds and joints in all recordings. Use NaN where "
                "nothing was measured."
            )
        measured = np.concatenate([values for _, values in found])
        model.check_known_loads()
        coefficients = np.concatenate([model.coefficients(sample) for sample in samples])
        known = np.concatenate([model.known_forces(sample) for sample in samples])
        is_measured = np.isfinite(measured + known) & np.isfinite(coefficients).all(axis=-1)
        # successive instants are along the last axis of a batch
        lengths = [x.batch[-1] for x in samples for _ in range(prod(x.batch[:-1]))]
        clocks = [np.arange(x.batch[-1]) if x.times is None else x.times for x in samples]
        pairs = zip(clocks, samples, strict=True)
        times = [np.resize(np.asarray(t, dtype=float), prod(x.batch)) for t, x in pairs]
        recordings = np.repeat(np.arange(len(lengths)), lengths)
        units = CharacteristicUnits.of(model, samples[0])
        values = coefficients, known, measured, is_measured.astype(float)
        return cls(model, tuple(samples), units, *values, recordings, np.concatenate(times))

    def __len__(self) -> int:
        return len(self.measured)

    @property
    def is_measured(self) -> np.ndarray:
        """A boolean mask of the forces with a positive weight, shape (N, forces)."""
        return self.weights > 0

    @property
    def parts(self) -> list[np.ndarray]:
        """The row indices of each recording."""
        return np.split(np.arange(len(self)), np.flatnonzero(np.diff(self.recordings)) + 1)

    def with_weights(self, weights: Any) -> "ForceData":
        """Return the data with weights multiplied by the user's weights."""
        shape = self.measured.shape
        array = finite_array("weights", weights, shape[1:], shape)
        if (array < 0).any():
            raise ValueError(
                f"`weights` must not be negative, one over a variance, got {array.min()}."
            )
        return replace(self, weights=self.weights * array * self.units.forces**2)

    def equations(self, places: Sequence[int]) -> WeightedEquations:
        """Return the equations of the parameters with some indices, in units of the forces."""
        is_measured, units = self.is_measured, self.units.forces
        rows = self.coefficients[..., list(places)] / units[:, None]
        forces = (self.measured - self.known) / units
        return WeightedEquations(*(x[is_measured] for x in (rows, forces, self.weights)))

    def fit(self, places: Sequence[int], values: np.ndarray) -> Fit:
        """Return the Fit of base parameters; excluded measured forces are NaN."""
        predicted = self.coefficients[..., list(places)] @ values + self.known
        measured = np.where(self.is_measured, self.measured, np.nan)
        scales = self.units.forces if np.ptp(self.units.forces) else np.ones(len(predicted.T))
        own = (self.model.channels, self.times, self.recordings, scales)
        return Fit(measured, predicted, *own)


def _split_recordings(motion: Any, forces: Any, specifieds: Any) -> list[tuple[Any, Any, Any]]:
    """Return motion, forces and specified quantities of each recording."""
    if not _is_list_of_motions(motion):
        return [(motion, forces, specifieds)]
    if not isinstance(forces, (list, tuple)) or len(forces) != len(motion):
        raise ValueError(
            f"`forces` must be a list with an entry for each of the {len(motion)} motions, got "
            f"{describe(forces)}."
        )
    each = specifieds if isinstance(specifieds, (list, tuple)) else [specifieds] * len(motion)
    if len(each) != len(motion):
        raise ValueError(
            f"`specifieds` must be one mapping, or one for each of the {len(motion)} motions, got "
            f"{len(each)}."
        )
    return list(zip(motion, forces, each, strict=True))


def _is_list_of_motions(motion: Any) -> bool:
    """Whether the argument is a list of motions: neither a motion nor three arrays."""
    if not isinstance(motion, (list, tuple)) or isinstance(motion, States) or not motion:
        return False
    return all(hasattr(one, "udot") or _is_triple(one) for one in motion)


def _is_triple(one: Any) -> bool:
    return (
        isinstance(one, (list, tuple))
        and len(one) == 3
        and all(isinstance(array, np.ndarray) and array.ndim > 1 for array in one)
    )


def _read_forces(
    idyn: InverseDynamics, forces: Any, batch: tuple[int, ...], actuators: bool, extra: ExtraTerms
) -> tuple[ForceModel, np.ndarray]:
    """Return the model of the measured forces, and their values of shape (N, channels)."""
    width = len(idyn.speeds)
    if not isinstance(forces, Mapping):
        values = _read_array("forces", forces, (*batch, width))
        model = ForceModel(idyn, tuple(range(width)), (), actuators, extra=extra)
        return model, values.reshape(-1, width)
    if not forces:
        raise ValueError("`forces` must hold something, got an empty mapping.")
    speeds: dict[int, np.ndarray] = {}
    joints: dict[int, np.ndarray] = {}
    all_joints, names = idyn.model.tree.all_joints, list(map(symbol_name, idyn.speeds))
    for key, value in forces.items():
        if (speed := _find_speed(idyn, key)) is not None:
            own, number, name, shape = speeds, speed, str(idyn.speeds[speed]), batch
        else:
            own, number = joints, find_named("forces", key, all_joints, also=names)
            name, shape = all_joints[number].name, (*batch, 6)
        if number in own:
            raise ValueError(f"`forces` must have each joint and speed once, got {name} twice.")
        values = _read_array(f"forces[{name}]", value, shape)
        own[number] = values.reshape(-1, prod(shape[len(batch) :]))
    numbers = tuple(sorted(speeds)), tuple(sorted(joints))
    model = ForceModel(idyn, *numbers, actuators, extra=extra)
    parts = [*(speeds[k] for k in model.speeds), *(joints[k] for k in model.joints)]
    return model, np.concatenate(parts, axis=1)


def _find_speed(idyn: InverseDynamics, key: Any) -> int | None:
    """Return the index of a speed from the speed or its name; None for a possible joint."""
    if isinstance(key, Expr):
        check_known("forces", [key], idyn.speeds, "be of joints and speeds among")
    elif key in [joint.name for joint in idyn.model.tree.all_joints]:
        return None
    return next((k for k, speed in enumerate(idyn.speeds) if is_called(speed, key)), None)


def _read_array(argument: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    fix = " It must have the samples of the motion."
    return check_finite_or_nan(argument, shaped_array(argument, value, *shape, fix=fix))
