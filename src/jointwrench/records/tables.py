"""`Table`: named columns over time, the common form of files and results."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..checks.arguments import check_instance, check_name_list
from ..checks.messages import did_you_mean
from ..checks.pickles import Pickled
from .samples import check_rows, check_times, find_only_column


class NamedArrays(Pickled, Mapping[str, np.ndarray]):
    """A mapping of names to arrays, compared by identity: equal only to itself.

    Attributes
    ==========

    names : sequence of str
        The names, in the order of the arrays.
    kind : str
        The named things, for messages.
    """

    names: Sequence[str]
    kind = "columns"

    @property
    @abstractmethod
    def stacked(self) -> np.ndarray:
        """All arrays stacked along the second axis, in the order of the names."""

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            hint = did_you_mean(name, self.names)
            raise KeyError(f"{name!r} is not among the {self.kind} {', '.join(self.names)}.{hint}")
        return self.stacked[:, find_only_column("names", name, self.names)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False)
class Table(NamedArrays):
    """Named columns of numbers over time, as a mapping from names to columns.

    Parameters
    ==========

    times : array_like, shape (N,)
        Increasing instants.
    names : sequence of str
        The names of the columns.  A name that occurs twice cannot be accessed.
    array : array_like, shape (N, number of names)
        The columns; NaN where something is missing.
    header : mapping of str to str, optional
        The header of the file, for instance ``inDegrees``.

    Raises
    ======

    ValueError
        If times do not increase, or shapes do not match; on access to a name that occurs twice.

    See Also
    ========

    read_csv : Reads a table.
    write_csv : Writes a table.

    Examples
    ========

    >>> import jointwrench as jw
    >>> table = jw.Table([0, 1], ["hip", "knee"], [[0.1, 0.2], [0.3, 0.4]])
    >>> table["knee"]
    array([0.2, 0.4])
    """

    times: np.ndarray
    names: Sequence[str]
    array: np.ndarray
    header: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        times = check_times("times", self.times, least=1)
        names = check_name_list("names", self.names)
        rows = check_rows("array", self.array, times).reshape(len(times), -1)
        if len(names) != rows.shape[1]:
            raise ValueError(
                f"`array` must have one column per name, {len(names)}, got {rows.shape[1]}."
            )
        check_instance("header", self.header, Mapping, "a mapping of words")
        vars(self).update(times=times, names=names, array=rows)

    @property
    def stacked(self) -> np.ndarray:
        """The columns, shape (N, number of names)."""
        return self.array

    def __repr__(self) -> str:
        first, last = self.times[0], self.times[-1]
        return f"Table({', '.join(self.names)}: {len(self.times)} rows, time {first:g} to {last:g})"
