"""Derivatives of outputs with respect to inputs, as further outputs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sympy import Derivative, Expr
from sympy.core.function import AppliedUndef

from ....checks.arguments import (
    check_instance,
    check_sequence,
    check_unambiguous,
    coordinate_name,
    enumerate_some,
    is_called,
    symbol_name,
)
from ....checks.messages import did_you_mean
from ...arithmetic.derivatives import Seeds, adjoint_jacobian, jacobian
from ...arithmetic.generic_state import GenericState
from ...arithmetic.graph import Graph, Scalar
from ...arithmetic.output import Output, Wrt
from .inverse_outputs import TITLES

#: The modes: sweeps from the values, sweeps from the inputs, or composite bodies.
MODES = ("adjoint", "forward", "composite")

#: A mode with more than this many times the sweeps of the other mode is not tried.
FAR = 2

#: The expected argument, for messages.
SYMBOL = "a symbol of the model"

Groups = Mapping[str, Sequence[Expr]]

#: The derivatives of an output's entries with respect to each symbol.
Columns = Mapping[Expr, Sequence[Scalar]]


def check_wrt(
    derivatives: Any, groups: Groups, fixed: Iterable[Expr] = (), argument: str = "derivatives"
) -> list[Wrt]:
    """Return the user's variables of derivatives; ``argument`` is the name of the argument.

    Constants in ``fixed``, which have numbers, are omitted from groups and refused otherwise.
    """
    numbers, known = set(fixed), f"groups among {', '.join(groups)} or symbols of the model"
    items = [derivatives] if isinstance(derivatives, (str, Expr)) else derivatives
    found: dict[Wrt, None] = {}
    for item in check_sequence(argument, items, known):
        if isinstance(item, str) and item in groups:
            own = Wrt(item, tuple(symbol for symbol in groups[item] if symbol not in numbers))
        else:
            group, index = find_input(argument, item, groups)
            own = Wrt(group, (groups[group][index],), index)
            if own.symbols[0] in numbers:
                raise ValueError(
                    f"`{argument}` must not have {own.name}, which `constants` makes a number. "
                    "Give it with each call instead, evaluate(..., constants={...})."
                )
        if own in found:
            raise ValueError(f"`{argument}` must have each entry once, got {own.name} twice.")
        found[own] = None
    _check_known(argument, found, groups)
    return list(found)


def _check_known(argument: str, wrt: Iterable[Wrt], groups: Groups) -> None:
    """Raise an error for derivatives through unknown functions, such as ``f(q(t))``."""
    symbols = {symbol for one in wrt for symbol in one.symbols}
    for given in groups.get("specifieds", ()):
        if symbols & (given.atoms(AppliedUndef) - {given}) and not isinstance(given, Derivative):
            raise ValueError(
                f"`{argument}` must not need the derivative of {given}, of which only values are "
                "given. Use an expression instead, for instance a Piecewise."
            )


def find_inputs(argument: str, key: Any, groups: Groups) -> tuple[Expr, ...]:
    """Return the inputs that a key names: a group, a symbol or name, or a tuple of these."""
    if isinstance(key, str) and key in groups:
        return tuple(groups[key])
    items, expected = (key, SYMBOL) if isinstance(key, tuple) else ((key,), None)
    found = [find_input(argument, item, groups, expected) for item in items]
    return tuple(groups[group][index] for group, index in found)


def find_input(
    argument: str, item: Any, groups: Groups, expected: str | None = None
) -> tuple[str, int]:
    """Return the group of an input and its position in it, given its symbol or name."""
    expected = expected or f"one of the groups {', '.join(groups)}, or {SYMBOL}"
    check_instance(argument, item, (str, Expr), expected)
    places = list(_places(item, groups))
    if not places and isinstance(item, str):
        names = (symbol_name(symbol) for symbol in groups.get("q", ()))
        places = list(_places(coordinate_name(item, names), groups))
    check_unambiguous(argument, item, places)
    if places:
        return places[0]
    symbols = [symbol for own in groups.values() for symbol in own]
    raise ValueError(
        f"`{argument}` must be {expected}, got {item!r}.{did_you_mean(item, symbols)} "
        f"The symbols are {enumerate_some(symbols, 12) or 'none'}."
    )


def _places(item: Any, groups: Groups) -> Iterator[tuple[str, int]]:
    """Yield the group and position of each input that an item names."""
    for group, symbols in groups.items():
        for index, symbol in enumerate(symbols):
            if is_called(symbol, item):
                yield group, index


def derivative_modes(
    outputs: Sequence[Output], wrt: Sequence[Wrt], known: Mapping[str, Columns]
) -> list[str]:
    """Return the modes that may be the cheapest; ``known`` columns count as one forward sweep."""
    symbols = {symbol for one in wrt for symbol in one.symbols}
    left = symbols.difference(*known.values())
    count = sum(len(output.refs) for output in outputs)
    sweeps = {"adjoint": count, "forward": len(left) + (left != symbols)}
    least = min(sweeps.values())
    return [mode for mode, count in sweeps.items() if count <= FAR * least]


def derivative_outputs(
    graph: Graph,
    outputs: Sequence[Output],
    wrt: Sequence[Wrt],
    mode: str,
    known: Mapping[str, Columns],
    seeds: Seeds | None = None,
) -> list[Output]:
    """Return the derivatives of outputs by each variable, in the order of the outputs.

    ``known`` has derivatives that are known already, ``seeds`` those of intermediate values.
    """
    symbols = list(dict.fromkeys(symbol for one in wrt for symbol in one.symbols))
    state, columns = GenericState(graph, is_rounded=False), dict[str, Columns]()
    groups: dict[tuple[Expr, ...], list[Output]] = {}  # by the symbols whose columns are unknown
    for output in outputs:
        left = tuple(symbol for symbol in symbols if symbol not in known.get(output.name, {}))
        groups.setdefault(left, []).append(output)
    for left, members in groups.items():
        values = [Scalar(graph, ref) for output in members for ref in output.refs]
        if mode == "adjoint":
            rows = map(state.without_zeros, adjoint_jacobian(graph, values, left))
        else:
            rows = map(state.without_zeros, jacobian(graph, values, left, seeds))
        for output in members:
            own = [next(rows) for _ in output.refs]
            slopes = {symbol: [row[k] for row in own] for k, symbol in enumerate(left)}
            columns[output.name] = {**known.get(output.name, {}), **slopes}
    return [_output(output, one, columns[output.name]) for output in outputs for one in wrt]


def _output(output: Output, wrt: Wrt, columns: Columns) -> Output:
    """Return the derivative of an output by a variable as an output."""
    count, symbols = len(output.refs), wrt.symbols
    names = output.labels or [f"{output.name} {k}" for k in range(count)]
    return Output(
        f"{output.name}_wrt_{wrt.label}",
        (*output.shape, len(symbols)),
        tuple(columns[symbol][k].ref for k in range(count) for symbol in symbols),
        f"derivative of {output.title or output.name} with respect to {_title(wrt)}",
        tuple(f"{name}, {wrt.label} {k}" for name in names for k in range(len(symbols))),
        mass_dimension=output.mass_dimension,
        derivative_of=output.name,
        wrt=wrt,
    )


def _title(wrt: Wrt) -> str:
    """Return a variable in words."""
    own = TITLES[wrt.group]
    return own if wrt.index is None else f"number {wrt.index} of the {own}"
