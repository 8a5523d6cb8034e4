"""Weighted linear least squares by QR factorisation."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

#: The number of rows that are factorised together, such that they fit in a processor's cache.
BLOCK = 2000


@dataclass(frozen=True)
class WeightedEquations:
    """M equations ``coefficients @ parameters = forces``, with weights: one over the variance."""

    coefficients: np.ndarray
    forces: np.ndarray
    weights: np.ndarray

    def compress(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a square matrix and a right side with the same least-squares solution, by QR."""
        root = np.sqrt(self.weights)
        both = np.column_stack([self.coefficients * root[:, None], self.forces * root])
        triangle = compute_triangle(both)
        return triangle[:, :-1], triangle[:, -1]

    def variance(self, parameters: np.ndarray, count: int) -> float:
        """Return the variance of a force of weight one after fitting ``count`` parameters."""
        squares = self.weights * (self.forces - self.coefficients @ parameters) ** 2
        return float(squares.sum() / (np.count_nonzero(self.weights) - count))

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the least-squares parameters, and the inverse of the normal matrix."""
        matrix, right = self.compress()
        scale = np.linalg.norm(matrix, axis=0)
        orthogonal, triangle = np.linalg.qr(matrix / scale)
        inverse = scipy.linalg.solve_triangular(triangle, np.eye(len(triangle))) / scale[:, None]
        return inverse @ (orthogonal.T @ right), inverse @ inverse.T


def compute_triangle(rows: np.ndarray) -> np.ndarray:
    """Return the triangular factor R of many rows, by QR factorisations of blocks of rows."""
    while len(rows) > 2 * BLOCK + rows.shape[1]:
        parts = np.array_split(rows, -(-len(rows) // (BLOCK + rows.shape[1])))
        rows = np.concatenate([np.linalg.qr(part, mode="r") for part in parts])
    return np.asarray(np.linalg.qr(rows, mode="r"))
