"""`Table`: named columns over time, the common form of files and results."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks.samples import check_rows, check_times


class NamedArrays(Mapping[str, np.ndarray]):
    """Arrays by name; two such mappings are equal only if they are the same object."""

    names: tuple[str, ...]
    #: What a name is a name of.
    kind = "columns"

    @property
    @abstractmethod
    def stacked(self) -> np.ndarray:
        """All arrays, in the order of the names along the second axis."""

    def __getitem__(self, name: str) -> np.ndarray:
        if (count := self.names.count(name)) > 1:
            raise ValueError(f"`names` must be all different, got {name!r} {count} times.")
        if not count:
            raise KeyError(f"{name!r} is none of the {self.kind} {', '.join(self.names)}.")
        return self.stacked[:, self.names.index(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False)
class Table(NamedArrays):
    """Named columns of numbers over time.  It is a mapping of names to columns.

    Parameters
    ==========

    times : array_like, shape (N,)
        Increasing instants.
    names : sequence of str
        The names of the columns, all different.
    array : array_like, shape (N, number of names)
        The columns; NaN where something is missing.
    header : mapping of str to str, optional
        What a file says about itself, for instance ``inDegrees``.

    Raises
    ======

    ValueError
        If times do not increase, if shapes do not fit, or if a name is there
        twice.

    Examples
    ========

    >>> from jointwrench.results.tables import Table
    >>> table = Table([0, 1], ["hip", "knee"], [[0.1, 0.2], [0.3, 0.4]])
    >>> table["knee"]
    array([0.2, 0.4])
    """

    times: np.ndarray
    names: tuple[str, ...]
    array: np.ndarray
    header: Mapping[str, str] = field(default_factory=dict)

    def __init__(
        self,
        times: Any,
        names: Sequence[str],
        array: Any,
        header: Mapping[str, str] | None = None,
    ) -> None:
        instants = check_times("times", times)
        rows = check_rows("array", array, instants).reshape(len(instants), -1)
        columns = tuple(map(str, names))
        if len(columns) != rows.shape[1]:
            raise ValueError(
                f"`array` must have one column per name, {len(columns)}, got {rows.shape[1]}."
            )
        if twice := [name for name in columns if columns.count(name) > 1]:
            raise ValueError(f"`names` must be all different, got {twice[0]!r} twice.")
        for name, value in {
            "times": instants,
            "names": columns,
            "array": rows,
            "header": dict(header or {}),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def stacked(self) -> np.ndarray:
        """The columns, shape (N, number of names)."""
        return self.array

    def __repr__(self) -> str:
        first, last = self.times[0], self.times[-1]
        return f"Table({', '.join(self.names)}: {len(self.times)} rows, time {first:g} to {last:g})"
