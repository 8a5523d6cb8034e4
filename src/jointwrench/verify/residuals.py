"""The residuals of a cross-check, and their report."""

from dataclasses import dataclass

import numpy as np

from ..checks.display import Grid, NotebookTable, plural
from ..checks.tolerances import CONSISTENT
from ..motion.states import States


@dataclass(frozen=True, eq=False)
class Residual:
    """The differences of k quantities computed in two ways at N times.

    Attributes
    ==========

    values : numpy.ndarray, shape (N, k)
        The differences.
    scales : numpy.ndarray, shape (k,)
        The sizes of the quantities, 1 for quantities that are zero up to roundoff.
    names : tuple of str
        The names of the quantities.
    """

    values: np.ndarray
    scales: np.ndarray
    names: tuple[str, ...]

    @property
    def max(self) -> float:
        """The largest absolute difference; NaN if a value is unknown."""
        return float(np.abs(self.values).max())

    @property
    def max_relative(self) -> float:
        """The largest difference relative to the quantity's size; NaN if a value is unknown."""
        return float(self._relative.max())

    @property
    def worst(self) -> tuple[int, int]:
        """Time index and column of the largest relative difference, or of the first NaN."""
        row, column = np.unravel_index(self._relative.argmax(), self.values.shape)
        return int(row), int(column)

    @property
    def _relative(self) -> np.ndarray:
        return np.abs(self.values) / self.scales


@dataclass(frozen=True, eq=False, repr=False)
class CrosscheckReport(NotebookTable):
    """The residuals of a `crosscheck`.

    Attributes
    ==========

    times : numpy.ndarray, shape (N,)
        The times.
    prescribed : States
        The prescribed ``q, u, udot`` at the times.
    generalized_forces : numpy.ndarray, shape (N, n)
        The forces Q that were checked.
    coordinates, speeds : Residual
        The simulated states minus the prescribed ones, (N, n_q) and (N, n), in the order of
        ``system.q`` and ``system.u``; relative to the largest prescribed value.
    accelerations : Residual
        The udot of KanesMethod at the prescribed states minus the prescribed udot, (N, n), without
        drift; relative to the largest of the terms.
    power : Residual
        ``Q . u`` plus the power of loads and constraints minus the rate of the kinetic energy, (N,
        1); relative to the largest of the terms.
    constraint_errors : dict of str to Residual
        The errors of the constraints in the prescribed motion: ``"positions"``, ``"velocities"``
        and ``"accelerations"``, (N, number of equations); relative to the largest of the terms.
        Empty for a tree.
    constraint_drift : dict of str to Residual
        The errors of the constraints in the simulated states: ``"positions"`` and
        ``"velocities"``.
    constraint_forces : Residual or None
        The generalized forces of the wrenches in loop joints and contacts minus those that
        KanesMethod's equations require of the constraints, (N, n); relative to the largest of the
        terms.  None without loops, or if the owner of a load is unknown.
    success : bool
        Whether the simulation reached the last time.
    message : str
        The reason if it did not.
    tolerance : float
        The relative and absolute tolerance of the simulation.
    steps : int
        The number of steps of the simulation.

    See Also
    ========

    crosscheck : Returns it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> report = jw.crosscheck(idyn, {chain.coordinates[0]: 0.1}, [0.0, 0.1], values)
    >>> report.success
    True
    """

    times: np.ndarray
    prescribed: States
    generalized_forces: np.ndarray
    coordinates: Residual
    speeds: Residual
    accelerations: Residual
    power: Residual
    constraint_errors: dict[str, Residual]
    constraint_drift: dict[str, Residual]
    constraint_forces: Residual | None
    success: bool
    message: str
    tolerance: float
    steps: int

    @property
    def residuals(self) -> dict[str, Residual]:
        """All residuals by name."""
        found = {
            "coordinates": self.coordinates,
            "speeds": self.speeds,
            "accelerations": self.accelerations,
            "power balance": self.power,
        }
        if self.constraint_forces is not None:
            found["constraint forces"] = self.constraint_forces
        found |= {f"motion's {name}": x for name, x in self.constraint_errors.items()}
        return found | {f"drift of {name}": x for name, x in self.constraint_drift.items()}

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

    def _grid(self) -> Grid:
        title, head, *lines = str(self).split("\n")
        rows = [(name, *self._cells(residual)) for name, residual in self.residuals.items()]
        notes = [(line,) for line in lines[len(rows) :]]
        return Grid(title, ("residual", *head.split()[1:3], "at time", "in"), [*rows, *notes])

    def __repr__(self) -> str:
        """Return a table with one line per residual."""
        first, last = self.times[[0, -1]]
        width = max(15, *(len(name) + 1 for name in self.residuals))
        head = ("residual", "largest", "relative", "at time", "in")
        rows = [head, *((name, *self._cells(x)) for name, x in self.residuals.items())]
        lines = [
            f"forward/inverse cross-check at {len(self.times)} times from {first:g} to {last:g}",
            *(f"{a:<{width}}{b:>10}{c:>10}{d:>10}  {e}" for a, b, c, d, e in rows),
            f"simulation: DOP853, tolerance {self.tolerance:g}, {plural(self.steps, 'steps')}",
        ]
        wrong = [x for x in self.constraint_errors.values() if not x.max_relative <= CONSISTENT]
        if wrong:
            row, column = wrong[0].worst
            lines.append(
                f"the motion VIOLATES {wrong[0].names[column]} by {wrong[0].max:.3g} at the time "
                f"{self.times[row]:g}; use InverseDynamics.close_motion"
            )
        if not self.success:
            lines.append(f"the simulation FAILED: {self.message}")
        return "\n".join(lines)

    def _cells(self, residual: Residual) -> tuple[str, ...]:
        row, column = residual.worst
        sizes = f"{residual.max:.1e}", f"{residual.max_relative:.1e}"
        return *sizes, f"{self.times[row]:.4g}", residual.names[column]
