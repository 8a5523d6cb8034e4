"""Weighted linear least squares by QR factorisation."""

from dataclasses import dataclass

import numpy as np
import scipy.linalg


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
        triangle = np.asarray(np.linalg.qr(both, mode="r"))
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
