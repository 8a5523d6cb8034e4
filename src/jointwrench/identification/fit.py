"""`Fit`: measured forces and their predictions."""

from dataclasses import dataclass

import numpy as np

from ..checks.display import Grid, NotebookTable


@dataclass(frozen=True, eq=False, repr=False)
class Fit(NotebookTable):
    """Measured forces at N instants, and their predictions by identified parameters.

    It is returned by `Identified.validate`, and is the ``fit`` of an `Identified`.

    Attributes
    ==========

    measured, predicted : numpy.ndarray, shape (N, forces)
        The forces; measured forces are NaN where nothing was measured.
    channels : tuple of str
        The names of the forces.
    times, recordings : numpy.ndarray, shape (N,)
        The instants, or the indices of samples if times are unknown; and the number of the
        recording of each instant.
    scales : numpy.ndarray, shape (forces,)
        Divisors of the forces before they are combined: one if all channels are of one kind; if
        some are forces, the model's characteristic length for moments.

    See Also
    ========

    Identified.validate : The Fit of other recordings.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> one = np.ones((3, 1))
    >>> fit = jw.identification.Fit(one, one, ["S_0"], np.arange(3.0), np.zeros(3), np.ones(1))
    >>> fit.measured.shape
    (3, 1)
    """

    measured: np.ndarray
    predicted: np.ndarray
    channels: tuple[str, ...]
    times: np.ndarray
    recordings: np.ndarray
    scales: np.ndarray

    @property
    def residuals(self) -> np.ndarray:
        """The measured minus the predicted forces, shape (N, forces)."""
        return self.measured - self.predicted

    @property
    def rms(self) -> dict[str, float]:
        """The root mean square of the residuals, by the names of the forces."""
        return dict(zip(self.channels, _column_rms(self.residuals), strict=True))

    @property
    def relative_rms(self) -> dict[str, float]:
        """The RMS of the residuals, divided by the RMS of the measured forces, by name."""
        pairs = zip(self.rms.items(), _column_rms(self.measured), strict=True)
        return {name: rest / size if size else np.nan for (name, rest), size in pairs}

    @property
    def total_rms(self) -> float:
        """The root mean square of all residuals together, in ``scales``."""
        return _column_rms((self.residuals / self.scales).reshape(-1, 1))[0]

    @property
    def total_relative_rms(self) -> float:
        """The RMS residual of all forces, divided by the RMS of all measured forces."""
        size = _column_rms((self.measured / self.scales).reshape(-1, 1))[0]
        return self.total_rms / size if size else np.nan

    def _grid(self) -> Grid:
        found = zip(self.channels, self.rms.values(), self.relative_rms.values(), strict=True)
        rows = [*found, ("altogether", self.total_rms, self.total_relative_rms)]
        cells = [(name, f"{rest:.4g}", f"{part:.2%}") for name, rest, part in rows]
        title = f"Fit of {np.isfinite(self.residuals).sum()} values"
        return Grid(title, ("force", "residuals (rms)", "of the measured"), cells)


def _column_rms(values: np.ndarray) -> list[float]:
    """Return the root mean square of each column, NaN without values."""
    known = np.isfinite(values)
    squares = np.where(known, values, 0) ** 2
    with np.errstate(invalid="ignore"):
        return list(map(float, np.sqrt(squares.sum(axis=0) / known.sum(axis=0))))
