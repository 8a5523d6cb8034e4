"""Periodic motions within bounds: Fourier series, scaled until they touch a bound."""

from dataclasses import dataclass

import numpy as np

from .. import States

#: How many instants per period of the fastest wave are looked at for bounds.
DENSE = 40


@dataclass(frozen=True)
class FourierSeries:
    """A periodic motion about ``center`` (n,); sines and cosines have amplitudes (harmonics, n)."""

    period: float
    center: np.ndarray
    sines: np.ndarray
    cosines: np.ndarray

    @classmethod
    def within(cls, bounds: np.ndarray, period: float, numbers: np.ndarray) -> "FourierSeries":
        """Return the widest motion within bounds of a shape that any numbers say."""
        # ``bounds`` (4, n): least and largest values, largest sizes of both derivatives;
        # ``numbers`` (1 + 2 harmonics, n): the place within the room, and the relations of
        # amplitudes.
        (lower, upper, rate, second), (sines, cosines) = bounds, np.split(numbers[1:], 2)
        shape = cls(period, np.zeros(len(lower)), sines, cosines)
        q, u, udot = shape.at(np.linspace(0, period, DENSE * len(sines), endpoint=False))
        least, most = q.min(axis=0), q.max(axis=0)
        sizes = most - least, abs(u).max(axis=0), abs(udot).max(axis=0)
        with np.errstate(divide="ignore"):
            room = np.divide([upper - lower, rate, second], sizes)
        # between the instants it may go a little farther
        scale = np.min(room, axis=0) * (1 - (np.pi / DENSE) ** 2)
        rest = upper - lower - scale * (most - least)
        center = lower - scale * least + rest * (0.5 + 0.5 * np.sin(numbers[0]))
        return cls(period, center, scale * sines, scale * cosines)

    def at(self, times: np.ndarray) -> States:
        """Return coordinates and their derivatives at some times, shape (N, n) each."""
        frequencies = 2 * np.pi / self.period * np.arange(1, len(self.sines) + 1)
        angles = times[:, None] * frequencies
        sine, cosine = np.sin(angles), np.cos(angles)
        return States(
            self.center + sine @ self.sines + cosine @ self.cosines,
            (frequencies * cosine) @ self.sines - (frequencies * sine) @ self.cosines,
            -(frequencies**2 * sine) @ self.sines - (frequencies**2 * cosine) @ self.cosines,
        )
