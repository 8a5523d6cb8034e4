"""`Source`: inputs that are uncertain together."""

from dataclasses import dataclass

import numpy as np
from sympy import Expr


@dataclass(frozen=True)
class Source:
    """Inputs that are off by ``root @ z``, with independent z of variance one.

    ``root``, shape (..., k, r), is one of the covariance of the k inputs at each sample.
    """

    name: str
    symbols: tuple[Expr, ...]
    root: np.ndarray

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Return errors of the inputs, shape (count, ..., k), with one z for all samples."""
        factors = rng.standard_normal((count, *[1] * (self.root.ndim - 2), self.root.shape[-1], 1))
        return (self.root @ factors)[..., 0]
