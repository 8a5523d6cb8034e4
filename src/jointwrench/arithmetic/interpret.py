"""The one walk over operations: their values in any arithmetic."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .operations import Call, Constant, Input, Operation, Part, Product, Sum


def interpret(
    operations: Sequence[Operation] | Mapping[int, Operation],
    refs: Iterable[int],
    values: dict[int, Any],
    *,
    symbol: Callable[[Any], Any],
    number: Callable[[Any], Any],
    call: Callable[[Any, list[Any]], Any],
    part: Callable[[Any, list[Any]], Any] | None = None,
) -> dict[int, Any]:
    """Return ``values`` with those of some operations added.

    Parameters
    ==========

    operations : sequence or mapping of int to Operation
        The operations by their references.
    refs : iterable of int
        What to compute, each behind those that it depends on.
    values : dict of int to object
        Values that are known already; they are not computed again.  A value is
        anything that has ``+ *`` and unary minus.
    symbol, number : callable
        Return the value of an input's symbol and of a positive sympy number.
    call : callable
        Returns the value of a function of a list of arguments: values, parts,
        or what is neither in sympy (0 for the number zero).
    part : callable, optional
        The same for arguments that are no scalars, such as conditions; default:
        as ``call``.
    """

    def argument(item: Any) -> Any:
        if isinstance(item, Part):
            return (part or call)(item.function, [argument(a) for a in item.arguments])
        return signed(item, values) if isinstance(item, int) else item

    for ref in refs:
        if ref in values:
            continue
        operation = operations[ref]
        if isinstance(operation, Input):
            values[ref] = symbol(operation.symbol)
        elif isinstance(operation, Constant):
            values[ref] = number(operation.value)
        elif isinstance(operation, Sum):
            values[ref] = values[operation.left] + signed(operation.right, values)
        elif isinstance(operation, Product):
            values[ref] = values[operation.left] * values[operation.right]
        else:
            assert isinstance(operation, Call)
            values[ref] = call(operation.function, [argument(a) for a in operation.arguments])
    return values


def signed(ref: int, values: Mapping[int, Any]) -> Any:
    """Return the value of a signed reference."""
    if ref == 0:
        return 0
    return values[ref] if ref > 0 else -values[-ref]
