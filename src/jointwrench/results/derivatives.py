"""The derivatives among the outputs of an evaluation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from ..arithmetic.program import Wrt
from ..checks.arguments import check_sequence


@dataclass(frozen=True, eq=False)
class Derivative:
    """An output that is a derivative.

    Attributes
    ==========

    name : str
        Its own name among the outputs.
    wrt : Wrt
        Of what it is the derivative, and with respect to what.
    sparsity : numpy.ndarray of bool, shape (*shape of the output, number of symbols)
        False where it is zero for all inputs.
    """

    name: str
    wrt: Wrt
    sparsity: np.ndarray


class Derivatives:
    """What an evaluation knows about derivatives.

    Parameters
    ==========

    derivatives : iterable of Derivative
        Those that were compiled.
    """

    def __init__(self, derivatives: Iterable[Derivative] = ()) -> None:
        self._known = tuple(derivatives)

    @property
    def names(self) -> frozenset[str]:
        """The names of the outputs that are derivatives."""
        return frozenset(derivative.name for derivative in self._known)

    @property
    def symbols(self) -> frozenset[Expr]:
        """With respect to what there are derivatives."""
        return frozenset(symbol for known in self._known for symbol in known.wrt.symbols)

    def select(self, output: str, wrt: Any, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the derivative of an output, shape (..., shape of the output, size of wrt).

        Parameters
        ==========

        output : str
            The name of the output.
        wrt : str, Expr or sequence of Expr
            A group, a symbol or its name, or several symbols: the order of the last axis.
        arrays : mapping of str to numpy.ndarray
            The derivatives by their own names.

        Raises
        ======

        TypeError
            If ``wrt`` is of another type.
        ValueError
            If it was not compiled.
        """
        own = [derivative for derivative in self._known if derivative.wrt.output == output]
        if not own:
            names = ", ".join(dict.fromkeys(d.wrt.output for d in self._known))
            raise ValueError(
                f"`output` must be one whose derivatives were compiled ({names or 'none'}), got "
                f"{output!r}. Use compile(outputs=[..., {output!r}], derivatives=[...])."
            )
        for derivative in own:
            if isinstance(wrt, str) and derivative.wrt.name == wrt:
                return arrays[derivative.name]
        if isinstance(wrt, (str, Expr)):
            return self._column(own, wrt, arrays)[..., None]
        symbols = check_sequence("wrt", wrt, "a group, a symbol or a sequence of symbols")
        if not symbols:
            raise ValueError("`wrt` must have one symbol at least, got none.")
        return np.stack([self._column(own, symbol, arrays) for symbol in symbols], axis=-1)

    @staticmethod
    def _column(
        own: Sequence[Derivative], symbol: Any, arrays: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        for derivative in own:
            for place, known in enumerate(derivative.wrt.symbols):
                if symbol in (known, str(known), getattr(known, "name", None)):
                    return arrays[derivative.name][..., place]
        names = ", ".join(derivative.wrt.name for derivative in own)
        raise ValueError(
            f"`wrt` must be among what was compiled, {names}, or a symbol of it, got {symbol}. Use "
            f"compile(..., derivatives=[..., {symbol}])."
        )

    def sparsity(self, output: str, wrt: Any) -> np.ndarray:
        """Return where the derivative of an output is not zero for all inputs, as `select`."""
        return self.select(output, wrt, {d.name: d.sparsity for d in self._known}).copy()
