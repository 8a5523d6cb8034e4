"""From the laboratory's axes to a model's: which of them become x, y and z."""

from typing import Any

import numpy as np

from ..checks.numbers import real_array
from ..checks.tolerances import WRITTEN

EXPECTED = "three different axes such as 'y z x', with signs, or a rotation matrix"


def rotation_of(axes: Any) -> np.ndarray:
    """Return the matrix (3, 3) by which vectors are turned into other axes.

    ``axes``: which old axes become x, y and z, "y z x" or "-x z y", or the matrix.
    """
    if isinstance(axes, str):
        words = axes.split()
        rows = [_unit(word) for word in words]
        matrix = np.array([row for row in rows if row is not None]).reshape(-1, 3)
    else:
        matrix = real_array("axes", axes).astype(float)
    if matrix.shape != (3, 3) or np.abs(matrix @ matrix.T - np.eye(3)).max() > WRITTEN:
        raise ValueError(f"`axes` must be {EXPECTED}, got {axes!r}.")
    if np.linalg.det(matrix) < 0:
        raise ValueError(
            f"`axes` must be right-handed as before, got {axes!r}, a mirror image. Use another "
            "sign for one of them."
        )
    return matrix


def _unit(word: str) -> np.ndarray | None:
    """Return the row that picks an axis with its sign."""
    letter = word.lstrip("+-")
    if letter not in ("x", "y", "z") or len(word) > 2:
        return None
    return np.eye(3)["xyz".index(letter)] * (-1 if word[0] == "-" else 1)
