"""`Identified`: parameters with their standard errors, and what is left of the forces."""

from dataclasses import dataclass

import numpy as np

from .base_parameters import BaseParameters
from .pseudo_inertia import is_physical


@dataclass(frozen=True, eq=False, repr=False)
class Identified:
    """Parameters that were found from measured forces.

    Attributes
    ==========

    method : str
        How they were found.
    base : BaseParameters
        The combinations of parameters that the forces depend on.
    base_values : numpy.ndarray, shape (rank,)
        Their values.
    covariance : numpy.ndarray, shape (rank, rank)
        Of the base values, from the scatter of the residuals.
    values : dict of str to float
        By the names of all parameters.  What the forces do not show is NaN, or with
        ``method="consistent"`` near to where it started.
    standard_errors : dict of str to float
        Of these values; NaN for what the forces do not show.
    unseen : tuple of str
        The names of the parameters of which the forces show no value of their own.
    residuals : numpy.ndarray, shape (N, forces)
        Measured forces minus those of the parameters; NaN where nothing was measured.
    channels : tuple of str
        The names of the forces.
    is_physical : dict of str to bool or None
        By the names of the bodies: whether a body of these parameters can exist; None where
        not all ten are known.  Rotors and what else is no real body are not among them.
    """

    method: str
    base: BaseParameters
    base_values: np.ndarray
    covariance: np.ndarray
    values: dict[str, float]
    standard_errors: dict[str, float]
    unseen: tuple[str, ...]
    residuals: np.ndarray
    channels: tuple[str, ...]
    is_physical: dict[str, bool | None]

    @property
    def base_standard_errors(self) -> np.ndarray:
        """The standard errors of the base values, shape (rank,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def rms(self) -> dict[str, float]:
        """The root of the mean square of the residuals, by the names of the forces."""
        sizes = np.sqrt(np.nanmean(self.residuals**2, axis=0))
        return dict(zip(self.channels, map(float, sizes), strict=True))

    def __repr__(self) -> str:
        texts = self.base.texts
        width = min(max(map(len, texts)), 60)
        lines = [f"Identified by {self.method} from {np.isfinite(self.residuals).sum()} values:"]
        rows = zip(texts, self.base_values, self.base_standard_errors, strict=True)
        lines += [
            f"  {text if len(text) <= width else text[: width - 3] + '...':{width}}"
            f" {value:12.5g} +- {error:8.2g}"
            for text, value, error in rows
        ]
        rest = ", ".join(f"{name} {size:.3g}" for name, size in self.rms.items())
        lines.append(f"  residuals (rms): {rest}")
        if wrong := [name for name, physical in self.is_physical.items() if physical is False]:
            lines.append(f"  no such body can exist: {', '.join(wrong)}")
        return "\n".join(lines)


def physical_bodies(values: np.ndarray, bodies: list[str]) -> dict[str, bool | None]:
    """Return by name whether bodies with the given parameters, shape (bodies, 10), can exist."""
    rows = zip(bodies, values, strict=True)
    return {name: is_physical(row) if np.isfinite(row).all() else None for name, row in rows}
