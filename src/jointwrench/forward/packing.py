"""Several states in one vector: the coordinates of all of them, then all their speeds.

So both lie in memory as a compiled function takes them, whatever the number of states.
"""

import numpy as np


def pack(states: np.ndarray, split: int) -> np.ndarray:
    """Return states of shape (k, n_x), ``split`` coordinates each, as a vector."""
    return np.concatenate([states[:, :split].reshape(-1), states[:, split:].reshape(-1)])


def unpack(vectors: np.ndarray, split: int, size: int) -> np.ndarray:
    """Return the states, shape (..., k, size), of vectors of shape (..., k * size)."""
    batch, members = vectors.shape[:-1], vectors.shape[-1] // size
    parts = np.split(vectors, [members * split], axis=-1)
    widths = split, size - split
    arrays = [x.reshape(*batch, members, n) for x, n in zip(parts, widths, strict=True)]
    return np.concatenate(arrays, axis=-1)
