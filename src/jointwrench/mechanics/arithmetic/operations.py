"""The operations of a `Graph`, their references, and their values in any arithmetic.

A reference is a signed integer: ``k`` is operation ``k``, ``-k`` its negative, 0 zero.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
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
    """``function(*arguments)`` of signed references, and of parts that are not scalars."""

    function: Any
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class ArgumentPart:
    """A part of a function's arguments that is not a scalar: a condition of a Piecewise."""

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
    """Return references such that each follows those on which it depends."""
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


# -- values ---------------------------------------------------------------------


@dataclass(frozen=True)
class Arithmetic:
    """The rules for values, which may be anything with ``+ - *`` and unary minus."""

    # Numbers come as zero or positive; part is call for arguments that are no scalars, such as
    # conditions.

    symbol: Callable[[Any], Any]
    number: Callable[[Any], Any]
    call: Callable[[Any, list[Any]], Any]
    part: Callable[[Any, list[Any]], Any] | None = None

    def value(self, operation: Operation, values: Mapping[int, Any]) -> Any:
        """Return the value of one operation, given those to which it refers."""
        if isinstance(operation, Sum):
            left, right = values[operation.left], operation.right
            return left + values[right] if right > 0 else left - values[-right]
        if isinstance(operation, Product):
            return values[operation.left] * values[operation.right]
        if isinstance(operation, Input):
            return self.symbol(operation.symbol)
        if isinstance(operation, Constant):
            return self.number(operation.value)
        return self._call(self.call, operation, values)

    def signed(self, ref: int, values: Mapping[int, Any]) -> Any:
        """Return the value of a signed reference."""
        if ref == 0:
            return self.number(S.Zero)
        return values[ref] if ref > 0 else -values[-ref]

    def _call(
        self, call: Callable[..., Any], item: Call | ArgumentPart, values: Mapping[int, Any]
    ) -> Any:
        arguments: list[Any] = []
        for argument in item.arguments:
            if isinstance(argument, ArgumentPart):
                arguments.append(self._call(self.part or self.call, argument, values))
            elif isinstance(argument, int):
                arguments.append(self.signed(argument, values))
            else:
                arguments.append(argument)
        return call(item.function, arguments)


#: Values are sympy expressions.
SYMPY = Arithmetic(
    symbol=lambda symbol: symbol,
    number=lambda number: number,
    call=lambda function, arguments: function(*arguments),
)


def interpret(
    operations: Sequence[Operation] | Mapping[int, Operation],
    refs: Iterable[int],
    values: dict[int, Any],
    arithmetic: Arithmetic,
) -> dict[int, Any]:
    """Return ``values``, some known already, with those of ``refs``, in an order of dependence."""
    value_of = arithmetic.value
    for ref in refs:
        values[ref] = value_of(operations[ref], values)
    return values
