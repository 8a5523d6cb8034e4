"""The symbols, functions and derivatives of which expressions are made."""

from collections.abc import Iterable

from sympy import Basic, Derivative, Expr, Symbol
from sympy.core.function import AppliedUndef


def leaves(expressions: Iterable[Basic]) -> set[Expr]:
    """Return the symbols, functions and derivatives in expressions.

    Shared parts are visited once, unlike by ``free_symbols``.
    """
    found: set[Expr] = set()
    waiting, seen = list(expressions), set()
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, Symbol | AppliedUndef | Derivative):
            found.add(part)
        else:
            waiting.extend(part.args)
    return found
