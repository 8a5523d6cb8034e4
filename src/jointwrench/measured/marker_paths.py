"""`Markers`: places over time, as files have them."""

from dataclasses import dataclass, field

import numpy as np

from ..checks.problems import warn
from ..records.tables import NamedArrays
from ..records.units import LENGTHS, unit_factor

#: Distance in metres beyond which the unit of markers is suspected to be another one.
FARTHEST = 100.0


@dataclass(frozen=True, eq=False)
class Markers(NamedArrays):
    """Places of markers over time.  It is a mapping of names to places.

    Parameters
    ==========

    times : numpy.ndarray, shape (N,)
        Increasing instants.
    names : tuple of str
        The names of the markers.
    positions : numpy.ndarray, shape (N, number of names, 3)
        Their places x, y, z; NaN where one is missing.
    header : dict of str to str
        What the file says about itself, for instance ``Units``.

    Raises
    ======

    ValueError
        If the shape of the places does not fit times and names; where a name is
        asked for that two markers have.
    """

    times: np.ndarray
    names: tuple[str, ...]
    positions: np.ndarray
    header: dict[str, str] = field(default_factory=dict)

    kind = "markers"

    def __post_init__(self) -> None:
        wanted = (len(self.times), len(self.names), 3)
        if self.positions.shape != wanted:
            raise ValueError(f"`positions` must have shape {wanted}, got {self.positions.shape}.")

    @property
    def stacked(self) -> np.ndarray:
        """The places, shape (N, number of names, 3)."""
        return self.positions

    def in_metres(self) -> "Markers":
        """Return the markers in metres, as force plates are.

        Raises
        ======

        ValueError
            If ``header["Units"]`` is no known unit of length.
        """
        unit = self.header.get("Units", "")
        if (factor := unit_factor("length", unit)) is None:
            raise ValueError(
                f"`header['Units']` must be a unit of length among {', '.join(LENGTHS)}, got "
                f"{unit!r}. Use units={{'length': 'mm'}} when the file is read."
            )
        places = factor * self.positions
        return Markers(self.times, self.names, places, {**self.header, "Units": "m"})

    def __repr__(self) -> str:
        first, last = self.times[0], self.times[-1]
        names = ", ".join(self.names)
        return f"Markers({names}: {len(self.times)} rows, time {first:g} to {last:g})"


def check_extent(file: str, markers: Markers) -> None:
    """Warn of markers that are too far apart for the unit that a file declares."""
    factor = unit_factor("length", markers.header.get("Units", ""))
    places = markers.positions[np.isfinite(markers.positions).all(axis=-1)]
    if factor is None or not len(places):
        return
    extent = factor * np.ptp(places, axis=0).max()
    if extent > FARTHEST:
        warn(
            f"`path`: {file} says that markers are in {markers.header['Units']}, but "
            f"they are {extent:.4g} m apart: millimetres are suspected. "
            "Use units={'length': 'mm'}, or what it is."
        )
