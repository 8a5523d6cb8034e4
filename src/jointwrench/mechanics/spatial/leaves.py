"""The symbols, functions and derivatives of which expressions are made."""

from collections.abc import Iterable

from sympy import Basic, Derivative, Expr, Symbol
from sympy.core.function import AppliedUndef
from sympy.physics.vector import dynamicsymbols


def leaves(expressions: Iterable[Basic]) -> set[Expr]:
    """Return the symbols, functions and derivatives in expressions.

    Shared parts are visited once, unlike by ``free_symbols``.
    """
    found: set[Expr] = set()
    waiting, seen = list(expressions), dict[int, Basic]()  # by identity: equality is slow
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen[id(part)] = part
        if isinstance(part, Symbol | AppliedUndef | Derivative):
            found.add(part)
        else:
            waiting.extend(part.args)
    return found


def time_of(expressions: Iterable[Basic]) -> Symbol:
    """Return the time on which functions in expressions depend.

    Users may have replaced ``dynamicsymbols._t``, which it is where no function tells.
    """
    found = leaves(expressions)
    times = {f.args[0] if f.is_Function else f.variables[0] for f in found if not f.is_Symbol}
    return times.pop() if len(times) == 1 else dynamicsymbols._t
