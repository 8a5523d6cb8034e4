"""The forms in which the values of groups of inputs can be given, and their conversion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks.numbers import real_array
from ..arithmetic.output import Group
from .array_arguments import batch_shape, check_order, read_rows
from .batch import ColumnRows, Rows
from .value_arguments import ValueReader

if TYPE_CHECKING:
    from sympy import Expr

    from .inputs import Inputs

#: The keys of a dict in their order, their positions in the group, and the number of symbols in
#: each (-1 for a single symbol), the latter two as bytes.
Keys = tuple[tuple[Any, ...], bytes, bytes]

_INDEX = np.dtype(np.intp)


class Form(IntEnum):
    """The form in which an argument gives the values of a group."""

    ROWS = 0  # an array, shape (..., width)
    NUMBERS = 1  # a mapping of symbols to numbers, one per call
    COLUMNS = 2  # a mapping of symbols to numbers, arrays over the batch or functions of time
    INSTANTS = 3  # an array, shape (...)


#: The forms of groups by their names; all others are arrays.
FORMS = {"constants": Form.NUMBERS, "specifieds": Form.COLUMNS, "times": Form.INSTANTS}


class Argument:
    """One argument of a call: the values of a group of inputs.

    Parameters
    ==========

    group : Group
        The group.
    used : frozenset of Expr
        The inputs on which the outputs depend; their values are required.
    fixed : mapping of Expr to number
        Constants that are numbers in the code.
    """

    def __init__(self, group: Group, used: frozenset[Expr], fixed: Mapping[Expr, Any]) -> None:
        self.name = group.name
        self.form = FORMS.get(group.name, Form.ROWS)
        self.symbols = group.symbols
        self.is_needed = not used.isdisjoint(group.symbols)
        self._places = {symbol: k for k, symbol in enumerate(group.symbols)}
        self._reader = ValueReader(group.name, group.symbols, used, fixed)

    def read(self, value: Any, instants: np.ndarray | None) -> Rows:
        """Return the values of the group as rows."""
        if value is None and self.form is Form.ROWS and not self.is_needed:
            return ColumnRows(len(self.symbols), (), {})
        if self.form is Form.ROWS:
            if isinstance(labels := getattr(value, "columns", None), Iterable):  # a DataFrame
                fix = f"Use {self.name}[names] with the names in that order."
                check_order(self.name, labels, self.symbols, fix)
            return Rows(read_rows(self.name, value, len(self.symbols)))
        if self.form is Form.NUMBERS:
            return self._columns(self._reader.numbers(value), ())
        if self.form is Form.COLUMNS:
            columns = self._reader.columns(value, instants)
            shapes = {self._reader.text(s): column.shape for s, column in columns.items()}
            return self._columns(columns, batch_shape(shapes))
        if self.is_needed and instants is None:
            raise ValueError(
                f"`{self.name}` must be given, since the outputs depend on time. "
                f"Use {self.name}=[...], or a motion in place of q."
            )
        if instants is None or not self.symbols:
            return ColumnRows(len(self.symbols), () if instants is None else instants.shape, {})
        return Rows(instants[..., None])

    def _columns(self, values: Mapping[Expr, Any], batch: tuple[int, ...]) -> ColumnRows:
        """Return values by symbol as rows with the given batch axes, zero for unused symbols."""
        columns = {self._places[symbol]: np.asarray(x) for symbol, x in values.items()}
        return ColumnRows(len(self.symbols), batch, columns)

    def keys(self, value: Any) -> Keys | None:
        """Return the keys of a mapping that was read before; None for other arguments."""
        if value is None or self.form not in (Form.NUMBERS, Form.COLUMNS):
            return None
        keys = tuple(value)
        sizes = [len(key) if isinstance(key, tuple) else -1 for key in keys]
        single = [x for key in keys for x in (key if isinstance(key, tuple) else (key,))]
        places = [self._places[symbol] for symbol in self._reader.resolve(single)]
        return keys, np.array(places, _INDEX).tobytes(), np.array(sizes, _INDEX).tobytes()

    def columns(self, array: np.ndarray | None, keys: Keys | None) -> dict[int, np.ndarray]:
        """Return values that the extension has read, as columns by position."""
        if array is None or not self.symbols:
            return {}
        if self.form is Form.INSTANTS:
            return {0: array}
        places: Sequence[int] = range(len(self.symbols))
        if keys is not None:
            places = np.frombuffer(keys[1], _INDEX).tolist()
        return {place: array[..., place] for place in places}


class Arguments:
    """All arguments of a call, in the order of its groups of inputs."""

    def __init__(
        self, groups: Sequence[Group], used: frozenset[Expr], fixed: Mapping[Expr, Any]
    ) -> None:
        self._all = [Argument(group, used, fixed) for group in groups]
        self._fixed = {symbol: float(number) for symbol, number in fixed.items()}
        self._speeds = next((group.symbols for group in groups if group.name == "u"), ())

    def __iter__(self) -> Iterator[Argument]:
        return iter(self._all)

    def read(self, given: Sequence[Any]) -> tuple[list[Rows], tuple[int, ...], np.ndarray | None]:
        """Return the values of each group as rows, the batch axes, and the times of the samples."""
        arguments = list(zip(self._all, given, strict=True))
        instants = None
        for argument, value in arguments:
            if argument.form is Form.INSTANTS and value is not None:
                instants = real_array(argument.name, value)
        read = [argument.read(value, instants) for argument, value in arguments]
        shapes = {
            argument.name: rows.shape
            for (argument, value), rows in zip(arguments, read, strict=True)
            if not (argument.form is Form.NUMBERS or value is None)
        }
        return read, batch_shape(shapes), instants

    def keys(self, given: Sequence[Any], before: Sequence[Keys | None]) -> tuple[Keys | None, ...]:
        """Return the keys of the mappings in a call; where there is no mapping, those of
        ``before``.
        """
        known = before or (None,) * len(self._all)
        return tuple(
            argument.keys(value) or old
            for argument, value, old in zip(self._all, given, known, strict=True)
        )

    def recall(
        self,
        keys: Sequence[Keys | None],
        copies: bytes,
        *places: np.ndarray | tuple[int, ...] | None,
    ) -> Inputs:
        """Return the inputs of a call that the extension has evaluated.

        ``places`` are its arrays, or the batch axes of those whose numbers are in ``copies``.
        """
        numbers, columns = np.frombuffer(copies), []
        array: np.ndarray | None
        instants = None
        for argument, own, place in zip(self._all, keys, places, strict=True):
            if isinstance(place, tuple):
                width = () if argument.form is Form.INSTANTS else (len(argument.symbols),)
                shape = (*place, *width)
                array, numbers = np.split(numbers, [prod(shape)])
                array = array.reshape(shape)
            else:
                array = place
            if argument.form is Form.INSTANTS:
                instants = array
            columns.append(argument.columns(array, own))
        return self.inputs(columns, instants)

    def inputs(
        self, columns: Sequence[Mapping[int, np.ndarray]], instants: np.ndarray | None
    ) -> Inputs:
        """Return the inputs of an evaluation from columns by group and position."""
        from .inputs import Inputs

        samples: dict[Expr, np.ndarray] = {}
        constants = dict(self._fixed)
        for argument, own in zip(self._all, columns, strict=True):
            values = {argument.symbols[place]: column for place, column in own.items()}
            if argument.form is Form.NUMBERS:
                constants |= {symbol: float(x) for symbol, x in values.items()}
            else:
                samples |= values
        return Inputs(samples, constants, self._speeds, instants)
