"""Measured coordinates as sources of uncertainty: noise before smoothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from ...checks.arguments import coordinate_name
from ...motion.measured_noise import MeasuredNoise
from .covariances import Source, check_covariances, check_deviations, covariance_root

#: Stands for the measured coordinates before they were smoothed.
MEASURED = "measured"


@dataclass(frozen=True)
class MeasuredSource(Source):
    """Coordinates, speeds and accelerations that are off since their measurement was.

    ``noise_root``, shape (M, n_q, n_q): the root of the noise's covariance; samples are
    independent.
    """

    noise: MeasuredNoise
    noise_root: np.ndarray

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Return errors of the states at all instants, shape (count, N, k)."""
        factors = rng.standard_normal((count, *self.noise.shape, 1))
        return self.noise.changes((self.noise_root @ factors)[..., 0])[..., : len(self.symbols)]


def measured_sources(
    text: str, value: Any, motion: Any, states: tuple[Expr, ...], separate: bool
) -> Iterator[Source]:
    """Yield a source for each measured coordinate that is uncertain (``separate``), or one for all.

    ``states`` are coordinates, speeds, and accelerations if they are inputs; ``text`` is what the
    standard deviations, as `uncertainty` takes them, are called in messages.
    """
    noise = _noise_of(motion)
    deviations: dict[str, np.ndarray] = {}
    for place, own in _columns(text, value, noise):
        deviations[noise.names[place]] = np.zeros(noise.shape)
        deviations[noise.names[place]][:, place] = own
    named = {f"{MEASURED} {name}": own for name, own in deviations.items()}
    if named and not separate:
        named = {MEASURED: np.sum(list(named.values()), axis=0)}
    for name, own in named.items():
        covariances = np.eye(len(noise.names)) * own[:, :, None] ** 2
        yield _source(name, noise, states, covariances)


def measured_covariance(
    text: str, value: Any, motion: Any, states: tuple[Expr, ...]
) -> Iterator[Source]:
    """Yield the source of measured coordinates with a covariance, as `measured_sources`."""
    noise = _noise_of(motion)
    known = noise.known[:, :, None] & noise.known[:, None]
    given = _where(
        known, value
    )  # loops and unit quaternions make what is fitted to markers singular
    covariances = check_covariances(text, given, known.shape, may_be_singular=True)
    yield _source(MEASURED, noise, states, covariances)


def _source(
    name: str, noise: MeasuredNoise, states: tuple[Expr, ...], covariances: np.ndarray
) -> Source:
    of_states = noise.covariance(covariances)[:, : len(states), : len(states)]
    root = covariance_root(of_states)
    return MeasuredSource(name, states, root, noise, covariance_root(covariances))


def _noise_of(motion: Any) -> MeasuredNoise:
    noise = getattr(motion, "measured_noise", None)
    if noise is None:
        raise ValueError(
            "`motion` must be a Trajectory for uncertain measured coordinates, got "
            f"{type(motion).__name__}. Use Trajectory.from_samples(...)."
        )
    return noise


def _columns(text: str, value: Any, noise: MeasuredNoise) -> Iterator[tuple[int, np.ndarray]]:
    """Yield columns and their standard deviations, shape (M,)."""
    if not isinstance(value, Mapping):
        array = check_deviations(text, _where(noise.known, value), noise.shape)
        yield from enumerate(array.T)
        return
    seen = set()
    for key, own in value.items():
        name = coordinate_name(key, noise.names)
        if name not in noise.names or name in seen:
            names = ", ".join(noise.names)
            raise ValueError(
                f"`{text}` must name coordinates among {names}, each once, got {name}."
            )
        seen.add(name)
        place = noise.names.index(name)
        known = noise.known[:, place]
        yield place, check_deviations(f"{text}[{name}]", _where(known, own), known.shape)


def _where(known: np.ndarray, value: Any) -> Any:
    """Return what is given for each sample with zeros where nothing was measured."""
    return np.where(known, value, 0) if np.shape(value) == known.shape else value
