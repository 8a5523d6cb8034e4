"""The components of wrenches: their names, and products where some are unknown, NaN."""

from typing import Any

import numpy as np

from ..checks.arguments import check_known, check_sequence
from ..checks.tolerances import NOTHING

#: The components of a wrench in their order.
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


def check_components(given: Any) -> list[str]:
    """Return names of components, which may be given in one string, separated by blanks."""
    expected = f"names among {', '.join(COMPONENTS)}"
    items = given.split() if isinstance(given, str) else given
    names = check_sequence("components", items, expected)
    if not names:
        raise ValueError("`components` must have at least one component, got none.")
    check_known("components", names, COMPONENTS, "be names among")
    return names


def known_product(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return ``matrix @ vector`` of (..., m, n) and (..., n); zeros times NaN are zero."""
    # A force whose component along z is unknown has known components in all frames turned about z.
    unknown = np.isnan(vectors)
    product = (matrices @ np.where(unknown, 0.0, vectors)[..., None])[..., 0]
    if not unknown.any():
        return product
    largest = abs(matrices).max(axis=(-2, -1), initial=0.0)[..., None, None]
    matters = abs(matrices) > NOTHING * largest
    return np.where((matters & unknown[..., None, :]).any(axis=-1), np.nan, product)
