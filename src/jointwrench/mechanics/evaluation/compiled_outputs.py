"""Descriptions of compiled outputs: shapes, derivatives, sparsity, power of mass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks.arguments import (
    check_sequence,
    check_unambiguous,
    coordinate_name,
    is_called,
    is_one_of,
    is_symbolic,
    symbol_name,
)
from ..arithmetic.output import Group, Output, Wrt
from ..arithmetic.sparse_matrices import PackedMatrices, Pattern

if TYPE_CHECKING:
    from sympy import Expr

    from ..arithmetic.program import Program


class CompiledOutputs:
    """The descriptions of an evaluator's outputs."""

    def __init__(self, outputs: Iterable[Output] = ()) -> None:
        self.known = tuple(outputs)
        self._known = [(output, output.wrt) for output in self.known if output.wrt is not None]
        self._packed = {output.name: output.pattern for output in self.known if output.packed}

    @property
    def names(self) -> frozenset[str]:
        """The names of the outputs that are derivatives."""
        return frozenset(derivative.name for derivative, _ in self._known)

    @property
    def symbols(self) -> frozenset[Expr]:
        """The symbols with respect to which derivatives were compiled."""
        return frozenset(symbol for _, wrt in self._known for symbol in wrt.symbols)

    def mass_dimension(self, name: str) -> int | None:
        """Return the power of mass in an output's dimension; None if it is unknown."""
        return next((x.mass_dimension for x in self.known if x.name == name), None)

    def only(self, names: Iterable[str]) -> CompiledOutputs:
        """Return the descriptions of the named outputs."""
        kept = frozenset(names)
        return CompiledOutputs(output for output in self.known if output.name in kept)

    def unpack(self, name: str, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return an output as a full array, whether it was compiled packed or not."""
        values = arrays[name]
        return self._packed[name].unpack(values) if name in self._packed else values

    def packed(self, name: str, arrays: Mapping[str, np.ndarray]) -> PackedMatrices:
        """Return an output that was compiled packed, as sparse matrices."""
        if not is_one_of(name, list(self._packed)):
            raise ValueError(
                f"`output` must be packed ({', '.join(self._packed) or 'none is'}), got {name!r}. "
                "Use compile(..., sparse=True), which packs derivatives and regressors."
            )
        return self._packed[name].matrices(arrays[name])

    def select(self, output: str, wrt: Any, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the derivative of an output by a group, symbols or names, as a full array.

        Its shape is (..., shape of the output, number of symbols).
        """
        return self._columns(output, wrt, lambda own: self.unpack(own.name, arrays))

    def sparsity(self, output: str, wrt: Any) -> np.ndarray:
        """Return a boolean mask of the nonzeros of a derivative, with arguments as `select`."""
        return self._columns(output, wrt, lambda own: own.sparsity).copy()

    def select_packed(
        self, output: str, wrt: Any, arrays: Mapping[str, np.ndarray]
    ) -> PackedMatrices:
        """Return the derivative of an output as sparse matrices, with arguments as `select`."""
        parts = self._parts(output, wrt)
        (derivative, column), *others = parts
        if column is None and not others and derivative.name in self._packed:
            return self.packed(derivative.name, arrays)
        places = np.flatnonzero(self.sparsity(output, wrt))
        whole = self.select(output, wrt, arrays)
        shape = (*derivative.pattern.shape[:-1], whole.shape[-1])
        batch = whole.shape[: whole.ndim - len(shape)]
        return Pattern(shape, places).matrices(whole.reshape(*batch, -1)[..., places])

    def _columns(self, output: str, wrt: Any, array: Callable[[Output], np.ndarray]) -> np.ndarray:
        """Return the requested columns of a derivative, side by side."""
        found = [
            array(derivative) if column is None else array(derivative)[..., column, None]
            for derivative, column in self._parts(output, wrt)
        ]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=-1)

    def _parts(self, output: str, wrt: Any) -> list[tuple[Output, int | None]]:
        """Return the derivatives with the requested columns, each with None (all) or one column."""
        own = [pair for pair in self._known if is_one_of(output, (pair[0].derivative_of,))]
        if not own:
            names = ", ".join(dict.fromkeys(x.derivative_of for x, _ in self._known))
            raise ValueError(
                f"`output` must be one whose derivatives were compiled ({names or 'none'}), got "
                f"{output!r}. Use compile(outputs=[..., {output!r}], derivatives=[...])."
            )
        if isinstance(wrt, str) or is_symbolic(wrt):
            return [_part(own, wrt)]
        items = check_sequence("wrt", wrt, "a group, a symbol or a sequence of them")
        if not items:
            raise ValueError("`wrt` must have one symbol at least, got none.")
        return [_part(own, item) for item in items]


def _part(own: Sequence[tuple[Output, Wrt]], item: Any) -> tuple[Output, int | None]:
    """Return the derivative by a group with None, or the derivative and the column of a symbol."""
    for derivative, wrt in own:
        if wrt.index is None and isinstance(item, str) and wrt.group == item:
            return derivative, None
    known = [symbol_name(symbol) for _, wrt in own for symbol in wrt.symbols]
    wanted = coordinate_name(item, known) if isinstance(item, str) else item
    found = {
        symbol: (derivative, place)
        for derivative, wrt in own
        for place, symbol in enumerate(wrt.symbols)
        if is_called(symbol, item) or is_called(symbol, wanted)
    }
    check_unambiguous("wrt", item, found)
    if found:
        return next(iter(found.values()))
    names = ", ".join(wrt.name for _, wrt in own)
    raise ValueError(
        f"`wrt` must be among the compiled inputs, {names}, or a symbol of one, got {item}. Use "
        f"compile(..., derivatives=[..., {item!r}])."
    )


@dataclass(frozen=True, eq=False)
class Interface:
    """The inputs and outputs of a compiled program.

    Attributes
    ==========

    groups : tuple of Group
        The groups of inputs.
    used : frozenset of Expr
        The inputs on which the outputs depend.
    outputs : CompiledOutputs
        The descriptions of the outputs.
    """

    groups: tuple[Group, ...]
    used: frozenset[Expr]
    outputs: CompiledOutputs

    @classmethod
    def of(cls, program: Program) -> Interface:
        """Return the inputs and outputs of a program."""
        return cls(program.groups, frozenset(program.used_inputs), CompiledOutputs(program.outputs))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(output.name for output in self.outputs.known)

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the outputs for one sample."""
        return tuple(output.shape for output in self.outputs.known)
