"""The one walk over operations: their values in any arithmetic."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import S

from .operations import ArgumentPart, Call, Constant, Input, Operation, Product, Sum


@dataclass(frozen=True)
class Arithmetic:
    """How values are made; they are anything that has ``+ - *`` and unary minus.

    Numbers come as zero or positive; ``part`` is ``call`` for arguments that are no scalars, such
    as conditions.
    """

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
