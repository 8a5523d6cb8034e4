"""The operations of a `Graph`: what there is, what each refers to, each as a sympy expression.

A reference is a signed integer: ``k`` is operation ``k``, ``-k`` its negative, 0 zero.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sympy import Expr, S


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

    A `Part` stands for an argument that is no scalar, such as the condition of
    a Piecewise.
    """

    function: Any
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Part:
    """A piece of a function's arguments that is no scalar itself."""

    function: Any
    arguments: tuple[Any, ...]


Operation: TypeAlias = Input | Constant | Sum | Product | Call


def references(operation: Operation | Part) -> list[int]:
    """Return the unsigned references of an operation to earlier ones."""
    if isinstance(operation, (Sum, Product)):
        return [operation.left, abs(operation.right)]
    if isinstance(operation, (Call, Part)):
        found: list[int] = []
        for argument in operation.arguments:
            if isinstance(argument, Part):
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


def in_order(refs: Iterable[int], operations: Mapping[int, Operation]) -> list[int]:
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


def express(operation: Operation, values: dict[int, Any]) -> Any:
    """Return one operation in sympy, given its arguments' ``values``."""
    if isinstance(operation, Input):
        return operation.symbol
    if isinstance(operation, Constant):
        return operation.value
    if isinstance(operation, Sum):
        return values[operation.left] + signed(operation.right, values)
    if isinstance(operation, Product):
        return values[operation.left] * values[operation.right]
    return _express_call(operation, values)


def signed(ref: int, values: dict[int, Any]) -> Any:
    if ref == 0:
        return 0
    return values[ref] if ref > 0 else -values[-ref]


def _express_call(operation: Call | Part, values: dict[int, Any]) -> Any:
    arguments = []
    for argument in operation.arguments:
        if isinstance(argument, Part):
            arguments.append(_express_call(argument, values))
        elif isinstance(argument, int):
            arguments.append(S(signed(argument, values)))
        else:
            arguments.append(argument)
    return operation.function(*arguments)


def move_argument(argument: Any, moved: dict[int, int]) -> Any:
    if isinstance(argument, Part):
        return Part(argument.function, tuple(move_argument(a, moved) for a in argument.arguments))
    return signed(argument, moved) if isinstance(argument, int) else argument
