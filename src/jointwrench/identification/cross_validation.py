"""`cross_validate`: prediction of forces that the identification does not use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks.arguments import check_options, keywords_of
from ..checks.display import Grid, NotebookTable, progress_bar
from ..checks.numbers import check_bool, check_integer
from .estimator import FitOptions
from .fit import Fit, joined
from .fitting import identify, prepare
from .identified import Identified


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(NotebookTable):
    """Parameters identified without each part of the data, and their prediction of that part.

    Made by `cross_validate`.

    Attributes
    ==========

    found : tuple of Identified
        The identification without each part.
    fits : tuple of Fit
        The measured forces of each part, and their prediction from the others.

    See Also
    ========

    Fit : Measured and predicted forces.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
    >>> t = np.linspace(0, 9, 90)[:, None]
    >>> motion = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> torque = 0.5 * motion[2] - 3 * np.sin(motion[0])
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> checked = jw.identification.cross_validate(idyn, motion, torque, parts=3)
    >>> len(checked.found)
    3
    """

    found: tuple[Identified, ...]
    fits: tuple[Fit, ...]

    @property
    def fit(self) -> Fit:
        """All parts together: measured forces and their predictions from the other parts."""
        return joined(self.fits)

    @property
    def base_values(self) -> np.ndarray:
        """The base parameters identified without each part, shape (parts, rank)."""
        return np.array([found.base_values for found in self.found])

    def __repr__(self) -> str:
        parts = [fit.total_relative_rms for fit in self.fits]
        span = f"{np.nanmin(parts):.2%} to {np.nanmax(parts):.2%}"
        return f"CrossValidation over {len(parts)} parts (each {span}):\n{self.fit}"

    def _grid(self) -> Grid:
        grid = self.fit._grid()
        names = [f"part {k}" for k in range(len(self.fits))]
        parts = zip(names, self.fits, strict=True)
        rows = [
            (name, f"{fit.total_rms:.4g}", f"{fit.total_relative_rms:.2%}") for name, fit in parts
        ]
        return Grid(f"CrossValidation: {grid.title}", grid.head, [*grid.rows, *rows])


def cross_validate(
    idyn: Any,
    motion: Any,
    forces: Any,
    constants: Mapping[Any, Any] | None = None,
    specifieds: Any = None,
    *,
    parts: int = 5,
    progress: bool = False,
    **options: Any,
) -> CrossValidation:
    """Return how well parameters predict forces that were not used to identify them.

    A `CrossValidation` has the measured and predicted forces, part by part and together, and the
    identified parameters.

    Parameters
    ==========

    idyn : InverseDynamics
        The model.
    motion, forces, constants, specifieds : object
        As for `identify`.  Each of several recordings is left out in turn; a single one is divided
        into parts of successive instants.
    parts : int
        The number of parts of a single recording, at least 2.
    progress : bool
        Whether to show a bar (extra ``progress``).
    **options : optional
        The other arguments of `identify`.

    Raises
    ======

    TypeError, ValueError
        As `identify`; also if the data without a part do not determine all parameters.

    See Also
    ========

    Identified.validate : The same for a separate recording.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -10, 0))
    >>> t = np.linspace(0, 9, 300)[:, None]
    >>> q, u, udot = np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)
    >>> torque = 0.5 * udot - 3 * np.sin(q) + 0.01 * np.cos(40 * t)
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> checked = jw.identification.cross_validate(idyn, (q, u, udot), torque, parts=3)
    >>> round(checked.fit.total_rms, 3)
    0.007
    """
    check_options(cross_validate, options, keywords_of(identify))
    parts = check_integer("parts", parts, 2)
    check_bool("progress", progress)
    estimator, data = prepare(idyn, motion, forces, constants, specifieds, FitOptions(**options))
    numbers = data.recordings
    if numbers[-1] == 0:
        if 2 * parts > len(data):
            raise ValueError(
                f"`parts` must leave two instants in each, got {parts} parts of {len(data)}. Use "
                "fewer."
            )
        numbers = np.arange(len(data)) * parts // len(data)
    found, fits = [], []
    with progress_bar(progress, 0, numbers[-1] + 1) as tell:
        for k in range(numbers[-1] + 1):
            own = estimator.solve(data.rows(numbers != k))
            found.append(own)
            fits.append(data.rows(numbers == k).fit(own.base.places, own.base_values))
            tell(k + 1)
    return CrossValidation(tuple(found), tuple(fits))
