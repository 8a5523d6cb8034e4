"""The components of wrenches: their names, and products with undetermined components (NaN)."""

from typing import Any

import numpy as np

from ..checks.arguments import check_known, check_sequence
from ..checks.tolerances import CANCELLED

#: The components of a wrench in their order.
COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


def check_components(components: Any) -> list[str]:
    """Return the names of components from a sequence, or from one text separated by blanks."""
    expected = f"names among {', '.join(COMPONENTS)}"
    items = components.split() if isinstance(components, str) else components
    names = check_sequence("components", items, expected)
    if not names:
        raise ValueError("`components` must have at least one component, got none.")
    check_known("components", names, COMPONENTS, "be names among")
    return names


def known_product(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return ``matrix @ vector`` of (..., m, n) and (..., n), where 0 times NaN is 0."""
    # A force with an undetermined z component is determined along the x and y axes of all frames
    # that are rotated about z: the zeros of the rotation matrix must not spread the NaN.
    unknown = np.isnan(vectors)
    product = (matrices @ np.where(unknown, 0.0, vectors)[..., None])[..., 0]
    if not unknown.any():
        return product
    largest = abs(matrices).max(axis=(-2, -1), initial=0.0)[..., None, None]
    matters = abs(matrices) > CANCELLED * largest
    return np.where((matters & unknown[..., None, :]).any(axis=-1), np.nan, product)
