"""The residuals of a cross-check, and how they are told."""

from dataclasses import dataclass

import numpy as np

from ..motion.prescribed_motion import States


@dataclass(frozen=True, eq=False)
class Residual:
    """By how much two ways to the same quantities differ.

    Attributes
    ==========

    values : numpy.ndarray, shape (N, k)
        The differences at the N times, in the units of the k quantities.
    scales : numpy.ndarray, shape (k,)
        The size of each quantity; 1 where it is zero throughout, but for rounding.
    names : tuple of str
        The k quantities.
    """

    values: np.ndarray
    scales: np.ndarray
    names: tuple[str, ...]

    @property
    def max(self) -> float:
        """The largest absolute difference; NaN if a value is not known."""
        return float(np.abs(self.values).max())

    @property
    def max_relative(self) -> float:
        """The largest difference in parts of the quantity's size; NaN if one is not known."""
        return float(self._relative.max())

    @property
    def worst(self) -> tuple[int, int]:
        """Time index and column of the largest relative difference, or of the first NaN."""
        row, column = np.unravel_index(self._relative.argmax(), self.values.shape)
        return int(row), int(column)

    @property
    def _relative(self) -> np.ndarray:
        return np.abs(self.values) / self.scales


@dataclass(frozen=True, eq=False)
class CrosscheckReport:
    """What `crosscheck` found.

    Attributes
    ==========

    times : numpy.ndarray, shape (N,)
        The times.
    prescribed : States
        The prescribed ``q, u, udot`` at the times.
    generalized_forces : numpy.ndarray, shape (N, n)
        The forces Q that were checked.
    coordinates, speeds : Residual
        The simulated states minus the prescribed ones, (N, n_q) and (N, n), in
        the order of ``system.q`` and ``system.u``; in parts of the largest
        prescribed value.
    accelerations : Residual
        The udot of KanesMethod at the prescribed states minus the prescribed
        udot, (N, n): no drift; in parts of the largest of the terms.
    power : Residual
        ``Q . u`` plus the power of the loads minus the rate of the kinetic
        energy, (N, 1); in parts of the largest of the terms.
    success : bool
        Whether the simulation reached the last time.
    message : str
        Why it did not.
    tolerance : float
        The relative and absolute tolerance of the simulation.
    steps : int
        How many steps the simulation took.
    """

    times: np.ndarray
    prescribed: States
    generalized_forces: np.ndarray
    coordinates: Residual
    speeds: Residual
    accelerations: Residual
    power: Residual
    success: bool
    message: str
    tolerance: float
    steps: int

    @property
    def residuals(self) -> dict[str, Residual]:
        """The four residuals by name."""
        return {
            "coordinates": self.coordinates,
            "speeds": self.speeds,
            "accelerations": self.accelerations,
            "power balance": self.power,
        }

    @property
    def max_coordinates(self) -> float:
        """The largest drift of a coordinate; NaN if the simulation failed."""
        return self.coordinates.max

    @property
    def max_speeds(self) -> float:
        """The largest drift of a speed; NaN if the simulation failed."""
        return self.speeds.max

    @property
    def max_accelerations(self) -> float:
        """The largest difference of an acceleration."""
        return self.accelerations.max

    @property
    def max_power(self) -> float:
        """The largest imbalance of power."""
        return self.power.max

    @property
    def max_relative(self) -> float:
        """The largest of all relative residuals; NaN if the simulation failed."""
        return float(np.max([residual.max_relative for residual in self.residuals.values()]))

    def __str__(self) -> str:
        """Return a table with one line per residual."""
        first, last = self.times[[0, -1]]
        lines = [
            f"forward/inverse cross-check at {len(self.times)} times from {first:g} to {last:g}",
            f"{'residual':<15}{'largest':>10}{'relative':>10}{'at time':>10}  in",
            *(self._line(name, residual) for name, residual in self.residuals.items()),
            f"simulation: DOP853, tolerance {self.tolerance:g}, {self.steps} steps",
        ]
        if not self.success:
            lines.append(f"the simulation FAILED: {self.message}")
        return "\n".join(lines)

    def _line(self, name: str, residual: Residual) -> str:
        row, column = residual.worst
        return (
            f"{name:<15}{residual.max:>10.1e}{residual.max_relative:>10.1e}"
            f"{self.times[row]:>10.4g}  {residual.names[column]}"
        )
