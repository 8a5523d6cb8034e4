"""Groups of a program's inputs and variables of derivatives, without sympy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sympy import Expr


@dataclass(frozen=True)
class Group:
    """Inputs of a program that are given together.

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
    symbols: tuple[Expr, ...]
    per: Literal["sample", "call"] = "sample"


@dataclass(frozen=True)
class Wrt:
    """A variable of derivatives: a group of inputs, or its symbol at ``index``."""

    group: str
    symbols: tuple[Expr, ...]
    index: int | None = None

    @property
    def name(self) -> str:
        """Its name for users."""
        return self.group if self.index is None else str(self.symbols[0])

    @property
    def label(self) -> str:
        """Its name in code."""
        return self.group if self.index is None else f"{self.group}_{self.index}"
