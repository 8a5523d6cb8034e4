"""In which forms the groups of inputs are given, and what becomes of them."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from sympy import Expr

from ..arithmetic.program import Group
from .array_arguments import rows
from .batch import ColumnRows, Rows
from .values import Names, constant_columns, specified_values

#: The keys of a dict in their order, and their places in the group as bytes.
Keys = tuple[tuple[Any, ...], bytes]

_INDEX = np.dtype(np.intp)


class Form(IntEnum):
    """How an argument gives the values of a group."""

    ROWS = 0  # an array, shape (..., width)
    NUMBERS = 1  # a mapping of symbols to numbers, one per call
    COLUMNS = 2  # a mapping of symbols to numbers, arrays over the batch or functions of time
    INSTANTS = 3  # an array, shape (...)


class Argument:
    """An argument that gives the values of one group of inputs.

    Outputs depend on ``used`` symbols; ``fixed`` ones became numbers.
    """

    def __init__(
        self, group: Group, form: Form, used: frozenset[Expr], fixed: Mapping[Expr, Any]
    ) -> None:
        self.name = group.name
        self.form = form
        self.symbols = group.symbols
        self.is_needed = not used.isdisjoint(group.symbols)
        self._names = Names(group.name, group.symbols, used, fixed)

    def read(self, value: Any, instants: np.ndarray | None) -> Rows:
        """Return the values as rows, whatever they are given as."""
        if value is None and self.form is Form.ROWS and not self.is_needed:
            return ColumnRows(len(self.symbols), (), {})
        if self.form is Form.ROWS:
            return Rows(rows(self.name, value, len(self.symbols)))
        if self.form is Form.NUMBERS:
            return constant_columns(self._names, value)
        if self.form is Form.COLUMNS:
            return specified_values(self._names, value, instants)
        if self.is_needed and instants is None:
            raise ValueError(f"`{self.name}` must be given, since the outputs depend on time.")
        if instants is None or not self.symbols:
            return ColumnRows(len(self.symbols), () if instants is None else instants.shape, {})
        return Rows(instants[..., None])

    def keys(self, value: Any) -> Keys | None:
        """Return the keys of a mapping that was read, None if there are any of several symbols."""
        if value is None or self.form not in (Form.NUMBERS, Form.COLUMNS):
            return None
        keys = tuple(value)
        if any(isinstance(key, tuple) for key in keys):
            return None
        return keys, np.array(self._names.places(keys), _INDEX).tobytes()

    def columns(self, array: np.ndarray | None, keys: Keys | None) -> dict[int, np.ndarray]:
        """Return the values by their places that a `Function` has read without a detour."""
        if array is None or not self.symbols:
            return {}
        if self.form is Form.INSTANTS:
            return {0: array}
        places: Sequence[int] = range(len(self.symbols))
        if keys is not None:
            places = np.frombuffer(keys[1], _INDEX).tolist()
        return {place: array[..., place] for place in places}
