"""The groups of inputs of a program, and each `Output` of it; independent of sympy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import numpy as np

from ... import hints
from .sparse_matrices import Pattern


@dataclass(frozen=True)
class Group:
    """Inputs of a program whose values are one argument of a call.

    Attributes
    ==========

    name, title : str
        The name of their argument, for instance ``"q"``, and a description, for instance
        ``"generalized coordinates"``; both are written into generated code.
    symbols : tuple of Expr
        The symbols, in their order.
    per : {"sample", "call"}
        Whether they have one value per sample of a batch, or one per call.
    """

    name: str
    title: str
    symbols: tuple[hints.Expr, ...]
    per: Literal["sample", "call"] = "sample"


@dataclass(frozen=True)
class Wrt:
    """A variable of derivatives: a group of inputs, or one symbol of it.

    Attributes
    ==========

    group : str
        The name of the group.
    symbols : tuple of Expr
        The symbols, all of the group's or the one symbol.
    index : int or None
        The position of the one symbol in the group; None for the whole group.
    """

    group: str
    symbols: tuple[hints.Expr, ...]
    index: int | None = None

    @property
    def name(self) -> str:
        """The name for users: the group's or the symbol's."""
        return self.group if self.index is None else str(self.symbols[0])

    @property
    def label(self) -> str:
        """The name in generated code."""
        return self.group if self.index is None else f"{self.group}_{self.index}"


@dataclass(frozen=True)
class Output:
    """A named array of values, in row-major order.

    Attributes
    ==========

    name, title : str
        Its name and a description: ``"joint_wrenches"``, ``"joint wrenches (force, moment)"``.
    shape : tuple of int
        Its shape for one sample, for instance ``(number of joints, 6)``.
    refs : tuple of int
        The signed references of its entries in the graph.
    labels : tuple of str
        A description of each entry, for instance ``"joint 0, force x"``; if empty, entries are
        numbered.  Title and labels are written into generated code.
    mass_dimension : int or None
        The power of mass in its dimension, 1 for what is proportional to masses and loads; None if
        it is not declared.
    derivative_of, wrt : str, Wrt or None
        The output of which it is the derivative, if any, and the symbols of its last axis.
    packed : Pattern or None
        The positions of its entries, if it omits those that are zero for all inputs.
    """

    name: str
    shape: tuple[int, ...]
    refs: tuple[int, ...]
    title: str = ""
    labels: tuple[str, ...] = ()
    mass_dimension: int | None = None
    derivative_of: str = ""
    wrt: Wrt | None = None
    packed: Pattern | None = None

    def __post_init__(self) -> None:
        if prod(self.shape) != len(self.refs):
            raise ValueError(
                f"`refs` must have the {prod(self.shape)} entries of shape {self.shape}, "
                f"got {len(self.refs)}."
            )
        if self.labels and len(self.labels) != len(self.refs):
            raise ValueError(
                f"`labels` must be one text for each of the {len(self.refs)} entries, "
                f"got {len(self.labels)}."
            )

    @classmethod
    def from_scalars(
        cls,
        name: str,
        shape: tuple[int, ...],
        values: Iterable[hints.Scalar],
        title: str = "",
        labels: Iterable[str] = (),
        mass_dimension: int | None = None,
    ) -> Output:
        """Return an output whose entries are scalars, in row-major order."""
        refs = tuple(value.ref for value in values)
        return cls(name, shape, refs, title, tuple(labels), mass_dimension)

    def without_zeros(self) -> Output:
        """Return the output with only those entries that are not identically zero, in one axis."""
        places = tuple(place for place, ref in enumerate(self.refs) if ref)
        return replace(
            self,
            shape=(len(places),),
            refs=tuple(self.refs[place] for place in places),
            title=f"nonzeros of {self.title or self.name}",
            labels=tuple(self.labels[place] for place in places) if self.labels else (),
            packed=Pattern(self.shape, np.array(places, int)),
        )

    @property
    def pattern(self) -> Pattern:
        """The positions of the entries that are not identically zero."""
        return self.packed or Pattern(self.shape, np.flatnonzero(self.refs))

    @property
    def sparsity(self) -> np.ndarray:
        """A boolean mask of the entries that are not identically zero, in the unpacked shape."""
        return self.pattern.unpack(np.ones(len(self.pattern.places))).astype(bool)
