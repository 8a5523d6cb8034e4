"""The operations of a `Graph`: what there is, and what each refers to.

A reference is a signed integer: ``k`` is operation ``k``, ``-k`` its negative, 0 zero.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sympy import Expr


@dataclass(frozen=True)
class Input:
    """A value from outside: a symbol, a function of time, a derivative."""

    symbol: Expr


@dataclass(frozen=True)
class Constant:
    """A positive number."""

    value: Expr


@dataclass(frozen=True)
class Sum:
    """``left + right``; ``left`` is positive, ``right`` carries a sign."""

    left: int
    right: int


@dataclass(frozen=True)
class Product:
    """``left * right``, both positive."""

    left: int
    right: int


@dataclass(frozen=True)
class Call:
    """``function(*arguments)``; an argument is a signed reference, or a part.

    A `ArgumentPart` stands for an argument that is no scalar, such as the condition of
    a Piecewise.
    """

    function: Any
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class ArgumentPart:
    """A piece of a function's arguments that is no scalar itself."""

    function: Any
    arguments: tuple[Any, ...]


Operation: TypeAlias = Input | Constant | Sum | Product | Call


def references(operation: Operation | ArgumentPart) -> list[int]:
    """Return the unsigned references of an operation to earlier ones."""
    if isinstance(operation, (Sum, Product)):
        return [operation.left, abs(operation.right)]
    if isinstance(operation, (Call, ArgumentPart)):
        found: list[int] = []
        for argument in operation.arguments:
            if isinstance(argument, ArgumentPart):
                found += references(argument)
            elif isinstance(argument, int):
                found.append(abs(argument))
        return [ref for ref in found if ref]
    return []


def reachable(
    roots: Iterable[int],
    operations: Sequence[Operation] | Mapping[int, Operation],
    known: Container[int] = (),
) -> list[int]:
    """Return, in order, all operations on which ``roots`` depend and that are not known."""
    found: set[int] = set()
    stack = [abs(root) for root in roots if root]
    while stack:
        ref = stack.pop()
        if ref not in found and ref not in known:
            found.add(ref)
            stack += references(operations[ref])
    return sorted(found)


def topological_order(refs: Iterable[int], operations: Mapping[int, Operation]) -> list[int]:
    """Return references so that each stands behind those that it depends on."""
    done: dict[int, None] = {}
    for ref in refs:
        stack = [ref]
        while stack:
            waiting = [r for r in references(operations[stack[-1]]) if r not in done]
            if waiting:
                stack += waiting
            else:
                done[stack.pop()] = None
    return list(done)
