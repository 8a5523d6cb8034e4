"""Measured forces of one or several recordings, with what the model says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...checks.arguments import describe, enumerate_some
from ...checks.numbers import finite_array
from ...methods.inverse_dynamics import InverseDynamics
from ...motion.prescribed_motion import States
from .extra_terms import ExtraTerms
from .fit import Fit
from .least_squares import WeightedEquations
from .linear_model import ForceModel
from .measured_forces import measured_forces
from .own_units import OwnUnits
from .sample import Sample


@dataclass(frozen=True)
class ForceData:
    """Forces that were measured at N instants, linear in the parameters of a model.

    ``coefficients`` have the shape (N, forces, parameters); ``measured``, ``known`` (what known
    loads ask for) and ``weights`` (of forces in ``units``, zero where nothing was measured) (N,
    forces).  ``recordings``, shape (N,): the number of the stretch of successive instants.
    Of ``decimation`` samples one is here, after a filter of that ``cutoff``.
    """

    model: ForceModel
    samples: tuple[Sample, ...]
    units: OwnUnits
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
        """Return what was measured, checked."""
        given = _recordings(motion, forces, specifieds)
        samples = [Sample.given(idyn, m, constants, s) for m, _, s in given]
        terms = ExtraTerms.of(idyn, extra, samples[0].specifieds)
        pairs = [
            measured_forces(idyn, own, sample.batch, actuators, terms)
            for (_, own, _), sample in zip(given, samples, strict=True)
        ]
        model = pairs[0][0]
        if any(other.channels != model.channels for other, _ in pairs):
            raise ValueError(
                "`forces` must be of the same speeds and joints in all recordings. Use NaN where "
                "nothing was measured."
            )
        measured = np.concatenate([values for _, values in pairs])
        model.check_known_loads()
        coefficients = np.concatenate([model.coefficients(sample) for sample in samples])
        known = np.concatenate([model.known(sample) for sample in samples])
        is_there = np.isfinite(measured + known) & np.isfinite(coefficients).all(axis=-1)
        return cls(
            model,
            tuple(samples),
            OwnUnits.of(model, samples[0]),
            coefficients,
            known,
            measured,
            is_there.astype(float),
            _numbered([part for sample in samples for part in _stretches(sample)]),
            np.concatenate([_times(sample) for sample in samples]),
        )

    def __len__(self) -> int:
        return len(self.measured)

    @property
    def is_there(self) -> np.ndarray:
        """Which forces count, shape (N, forces)."""
        return self.weights > 0

    def weighted(self, weights: Any) -> "ForceData":
        """Return the data with weights of the user's, for forces as they are given."""
        shape = self.measured.shape
        array = finite_array("weights", weights, shape[1:], shape)
        if (array < 0).any():
            raise ValueError(
                f"`weights` must not be negative, one over a variance, got {array.min()}."
            )
        return replace(self, weights=self.weights * array * self.units.forces**2)

    def with_known(self, added: Sequence[Mapping[str, float]]) -> "ForceData":
        """Return the data where known parameters are added to those of each recording's bodies."""
        names = self.model.names
        if strangers := [name for own in added for name in own if name not in names]:
            raise ValueError(
                "`loads` must name parameters of idyn.inertial_parameters, got "
                f"{enumerate_some(strangers)}."
            )
        counts = [int(np.prod(sample.batch)) for sample in self.samples]
        rows = [[own.get(name, 0.0) for name in names] for own in added]
        parameters = np.repeat(rows, counts, axis=0)
        more = np.einsum("nfp,np->nf", self.coefficients, parameters)
        return replace(self, known=self.known + more)

    def rows(self, kept: np.ndarray) -> "ForceData":
        """Return the data at some instants; where some in between are left out, it is a new
        recording."""
        places = np.flatnonzero(kept)
        breaks = (np.diff(places) > 1) | (np.diff(self.recordings[places]) != 0)
        return replace(
            self,
            **{
                name: getattr(self, name)[places]
                for name in ("coefficients", "known", "measured", "weights", "times")
            },
            recordings=np.concatenate([[0], np.cumsum(breaks)]),
        )

    def equations(self, places: Sequence[int]) -> WeightedEquations:
        """Return what the forces say of some parameters, in units."""
        there, units = self.is_there, self.units.forces
        return WeightedEquations(
            (self.coefficients[..., list(places)] / units[:, None])[there],
            ((self.measured - self.known) / units)[there],
            self.weights[there],
        )

    def fit(self, places: Sequence[int], values: np.ndarray) -> Fit:
        """Return the forces beside those of base parameters; what does not count is NaN."""
        predicted = self.coefficients[..., list(places)] @ values + self.known
        measured = np.where(self.is_there, self.measured, np.nan)
        scales = self.units.forces if np.ptp(self.units.forces) else np.ones(len(predicted.T))
        own = (self.model.channels, self.times, self.recordings, scales)
        return Fit(measured, predicted, *own)


def _recordings(motion: Any, forces: Any, specifieds: Any) -> list[tuple[Any, Any, Any]]:
    """Return motion, forces and specified quantities of each recording."""
    if not _is_several(motion):
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


def _is_several(motion: Any) -> bool:
    """Whether this is a list of motions: not a motion, nor three arrays."""
    if not isinstance(motion, (list, tuple)) or isinstance(motion, States) or not motion:
        return False
    return all(hasattr(one, "udot") or _is_triple(one) for one in motion)


def _is_triple(one: Any) -> bool:
    return (
        isinstance(one, (list, tuple))
        and len(one) == 3
        and all(isinstance(array, np.ndarray) and array.ndim > 1 for array in one)
    )


def _stretches(sample: Sample) -> list[int]:
    """Return the lengths of stretches of successive instants: along the last axis of a batch."""
    *others, count = sample.batch
    return [count] * int(np.prod(others, dtype=int))


def _numbered(lengths: Sequence[int]) -> np.ndarray:
    return np.repeat(np.arange(len(lengths)), lengths)


def _times(sample: Sample) -> np.ndarray:
    count = int(np.prod(sample.batch))
    times = np.arange(sample.batch[-1]) if sample.times is None else sample.times
    return np.resize(np.asarray(times, dtype=float), count)
