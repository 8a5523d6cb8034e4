"""Loads that a motion determines, by numbers alone: one linear system per state."""

from dataclasses import dataclass

import numpy as np

#: Beyond this condition number a state counts as singular, below the other one as regular.
SINGULAR, REGULAR = 1e10, 1e4


@dataclass
class Balance:
    """``matrix @ loads + rest = demanded``, with the rest as small as possible.

    The columns of the matrix are what each unknown supplies to the generalized forces, relative
    to what it could supply in better directions: its ``scales``.  Generalized forces count in
    ``units``: moments as forces at the model's own length.
    """

    matrix: np.ndarray
    scales: np.ndarray
    demanded: np.ndarray
    units: np.ndarray

    @property
    def condition(self):
        """Condition number of the matrix; infinite where anything is not a number."""
        numbers = (self.matrix, self.scales, self.demanded)
        if not all(np.isfinite(x).all() for x in numbers) or not self.scales.all():
            return np.inf
        return np.linalg.cond(self.matrix) if self.scales.size else 1.0

    @property
    def loads(self):
        """The loads, times their scales."""
        matrix, demanded = self.matrix / self.units[:, None], self.demanded / self.units
        return np.linalg.lstsq(matrix, demanded, rcond=None)[0]


def balance_of(numeric, units):
    """Return the balance of a NumericTree."""
    unknowns = numeric.tree.unknowns
    numeric.values.update(dict.fromkeys(unknowns, 0.0))
    demanded = numeric.generalized_forces()
    numeric.values.update(dict.fromkeys(unknowns, 1.0))
    columns = [numeric.load_forces(unknown) for unknown in unknowns]
    scales = np.array([numeric.effort(unknown) for unknown in unknowns])
    matrix = np.reshape(columns, (len(unknowns), len(demanded))).T
    return Balance(matrix / np.where(scales, scales, 1.0), scales, demanded, units)
