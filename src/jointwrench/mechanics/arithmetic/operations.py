"""The operations of a `Graph`, their references, and their values in any arithmetic.

A reference is a signed integer: ``k`` is the value of operation ``k``, ``-k`` its negative, 0 zero.
Operations are named tuples, which are equal if their fields are: ``Sum(1, 2) == Product(1, 2)``.
Whatever looks up sums or products therefore has a dictionary of its own for each.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from sympy import Expr, S


class Input(NamedTuple):
    """The value of an input: a symbol, a function of time or a derivative."""

    symbol: Expr


class Constant(NamedTuple):
    """A positive number."""

    value: Expr


class Sum(NamedTuple):
    """The sum of two references.

    Attributes
    ==========

    left : int
        The first operand, positive.
    right : int
        The second operand, with a sign.
    """

    left: int
    right: int


class Product(NamedTuple):
    """``left * right``; both references are positive."""

    left: int
    right: int


class Call(NamedTuple):
    """``function(*arguments)``; arguments are signed references, or parts that are no scalars."""

    function: Any
    arguments: tuple[Any, ...]


class ArgumentPart(NamedTuple):
    """A part of a function's arguments that is no scalar, such as a condition of a Piecewise."""

    function: Any
    arguments: tuple[Any, ...]


Operation: TypeAlias = Input | Constant | Sum | Product | Call


def references(operation: Operation | ArgumentPart) -> list[int]:
    """Return the references of an operation's operands, without signs."""
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
    """Return the references on which ``roots`` depend, in order; known ones are not followed."""
    found: set[int] = set()
    stack = [abs(root) for root in roots if root]
    while stack:
        ref = stack.pop()
        if ref not in found and ref not in known:
            found.add(ref)
            stack += references(operations[ref])
    return sorted(found)


def topological_order(refs: Iterable[int], operations: Mapping[int, Operation]) -> list[int]:
    """Return references in an order in which each follows its operands."""
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
    """The rules by which operations are evaluated, for values with ``+ - *`` and unary minus.

    Attributes
    ==========

    symbol : function
        Returns the value of an input.
    number : function
        Returns the value of a number, which is zero or positive.
    call : function
        Returns the value of a function of values.
    part : function, optional
        Returns a part of arguments that is no scalar, such as a condition; default: ``call``.
    """

    symbol: Callable[[Any], Any]
    number: Callable[[Any], Any]
    call: Callable[[Any, list[Any]], Any]
    part: Callable[[Any, list[Any]], Any] | None = None

    def value(self, operation: Operation, values: Mapping[int, Any]) -> Any:
        """Return the value of an operation from the values of its operands."""
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
        """Return the value of a call, or of a part of its arguments."""
        arguments: list[Any] = []
        for argument in item.arguments:
            if isinstance(argument, ArgumentPart):
                arguments.append(self._call(self.part or self.call, argument, values))
            elif isinstance(argument, int):
                arguments.append(self.signed(argument, values))
            else:
                arguments.append(argument)
        return call(item.function, arguments)


#: The arithmetic of sympy expressions.
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
    """Return ``values`` after adding those of the operations ``refs``, in this order.

    Operands must stand before the operations that use them, or in ``values``.
    """
    value_of = arithmetic.value
    for ref in refs:
        values[ref] = value_of(operations[ref], values)
    return values
