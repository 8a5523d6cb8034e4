"""The derivatives among the outputs of an evaluation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from ..arithmetic.program import DerivativeOf
from ..checks.arguments import check_sequence, is_called


@dataclass(frozen=True, eq=False)
class CompiledDerivative:
    """An output that is a derivative, by its own name.

    ``sparsity``, shape (*shape of the output, number of symbols), is False where it is zero for all
    inputs.
    """

    name: str
    of: DerivativeOf
    sparsity: np.ndarray


class CompiledDerivatives:
    """What an evaluation knows about derivatives."""

    def __init__(self, derivatives: Iterable[CompiledDerivative] = ()) -> None:
        self._known = tuple(derivatives)

    @property
    def names(self) -> frozenset[str]:
        """The names of the outputs that are derivatives."""
        return frozenset(derivative.name for derivative in self._known)

    @property
    def symbols(self) -> frozenset[Expr]:
        """With respect to what there are derivatives."""
        return frozenset(symbol for known in self._known for symbol in known.of.symbols)

    def select(self, output: str, wrt: Any, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the derivative of an output, shape (..., shape of the output, size of wrt).

        ``wrt`` is a group, a symbol or its name, or several: the order of the last axis.
        """
        own = [derivative for derivative in self._known if derivative.of.output == output]
        if not own:
            names = ", ".join(dict.fromkeys(d.of.output for d in self._known))
            raise ValueError(
                f"`output` must be one whose derivatives were compiled ({names or 'none'}), got "
                f"{output!r}. Use compile(outputs=[..., {output!r}], derivatives=[...])."
            )
        if isinstance(wrt, (str, Expr)):
            return self._columns(own, wrt, arrays)
        items = check_sequence("wrt", wrt, "a group, a symbol or a sequence of them")
        if not items:
            raise ValueError("`wrt` must have one symbol at least, got none.")
        return np.concatenate([self._columns(own, item, arrays) for item in items], axis=-1)

    @staticmethod
    def _columns(
        own: Sequence[CompiledDerivative], item: Any, arrays: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Return the columns of a group or of one symbol."""
        for derivative in own:
            if derivative.of.is_group and isinstance(item, str) and derivative.of.name == item:
                return arrays[derivative.name]
        found = {
            symbol: arrays[derivative.name][..., place, None]
            for derivative in own
            for place, symbol in enumerate(derivative.of.symbols)
            if is_called(symbol, item)
        }
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            raise ValueError(
                f"`wrt` has the name {item!r}, which {len(found)} symbols bear. Use the symbol "
                "itself."
            )
        names = ", ".join(derivative.of.name for derivative in own)
        raise ValueError(
            f"`wrt` must be among what was compiled, {names}, or a symbol of it, got {item}. Use "
            f"compile(..., derivatives=[..., {item!r}])."
        )

    def sparsity(self, output: str, wrt: Any) -> np.ndarray:
        """Return where the derivative of an output is not zero for all inputs, as `select`."""
        return self.select(output, wrt, {d.name: d.sparsity for d in self._known}).copy()
