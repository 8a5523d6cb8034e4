"""Products with vectors that have unknown components, NaN."""

import numpy as np

from ..checks.tolerances import NOTHING


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
