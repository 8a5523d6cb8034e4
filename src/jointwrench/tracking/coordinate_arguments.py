"""Checked arguments for a model's coordinates, from mappings by name to arrays."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..checks.arguments import check_instance, check_known, coordinate_name, symbol_name
from ..checks.numbers import check_number, check_positive, finite_array
from ..records.samples import LARGEST_ANGLE


class Coordinates:
    """The names of a model's n coordinates, and readers of the user's values by name.

    Parameters
    ==========

    symbols : sequence of Expr
        The coordinates.
    is_angle : numpy.ndarray of bool, shape (n,)
        Whether a coordinate is an angle.
    """

    def __init__(self, symbols: Sequence[Any], is_angle: np.ndarray) -> None:
        self.names, self.is_angle = tuple(map(symbol_name, symbols)), is_angle

    def __len__(self) -> int:
        return len(self.names)

    def _read_by_name(self, argument: str, given: Any) -> Iterator[tuple[int, str, Any]]:
        """Yield a coordinate's index, the name of its value in messages, and the user's value."""
        expected = "a mapping of coordinates or their names"
        for key, value in check_instance(argument, given, Mapping, expected).items():
            name = coordinate_name(key, self.names)
            check_known(argument, [name], self.names, "name coordinates among")
            yield self.names.index(name), f"{argument}[{name}]", value

    def check_radians(self, argument: str, index: int, values: np.ndarray) -> np.ndarray:
        """Return the values of a coordinate; refuse an angle that seems to be in degrees."""
        beyond = np.isfinite(values) & (np.abs(values) > LARGEST_ANGLE)
        if self.is_angle[index] and beyond.any():
            raise ValueError(
                f"`{argument}` must be in radians, but {self.names[index]} has "
                f"{values[beyond].flat[0]:g}: degrees are suspected. Use numpy.radians(...)."
            )
        return values

    def read_bounds(self, argument: str, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper bounds of all coordinates, (n,) each, infinite by default."""
        lower, upper = np.full(len(self), -np.inf), np.full(len(self), np.inf)
        for index, name, ends in self._read_by_name(argument, given):
            pair = zip(ends, (-np.inf, np.inf), strict=True) if np.shape(ends) == (2,) else ()
            found = [check_number(name, open_ if end is None else end) for end, open_ in pair]
            if not found or not found[0] < found[1]:
                raise ValueError(f"`{name}` must be a smaller and a larger number, got {ends!r}.")
            lower[index], upper[index] = self.check_radians(argument, index, np.array(found))
        return lower, upper

    def read_prescribed(self, argument: str, given: Any, count: int) -> tuple[np.ndarray, ...]:
        """Return a boolean mask (n,) of prescribed coordinates, and their values (count, n)."""
        known, values = np.zeros(len(self), bool), np.zeros((count, len(self)))
        for index, name, value in self._read_by_name(argument, given):
            known[index] = True
            values[:, index] = self.check_radians(argument, index, read_column(name, value, count))
        return known, values

    def read_targets(
        self, argument: str, given: Any, reference: np.ndarray, count: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return target values of the coordinates (count, n) and their weights (n,)."""
        values, weights = np.zeros((count, len(self))), np.zeros(len(self))
        for index, name, pair in self._read_by_name(argument, given):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise ValueError(f"`{name}` must be a value and a weight, got {pair!r}.")
            value = reference[index] if pair[0] is None else pair[0]
            values[:, index] = self.check_radians(argument, index, read_column(name, value, count))
            weights[index] = check_weight(name, pair[1])
        return values, weights


def read_column(argument: str, value: Any, count: int) -> np.ndarray:
    """Return a value of the user as one number for each instant, shape (count,)."""
    what = f"be a number or have shape ({count},)"
    return np.broadcast_to(finite_array(argument, value, (), (count,), what=what), (count,))


def check_weight(argument: str, value: Any) -> float:
    """Return a weight that is positive or zero."""
    return 0.0 if check_number(argument, value) == 0 else check_positive(argument, value)
