"""Derivatives of outputs with respect to inputs, as outputs of their own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from sympy import Expr

from ..arithmetic.derivatives import Seeds, adjoint_jacobian, jacobian
from ..arithmetic.generic import GenericStates
from ..arithmetic.graph import Graph, Scalar
from ..arithmetic.program import Output, Wrt
from ..checks.arguments import check_sequence, enumerate_some

#: A way that needs more than this many times the sweeps of the other is not tried.
FAR = 4

Groups = Mapping[str, Sequence[Expr]]

#: With respect to what: a text for users, a label for code, and symbols.
With: TypeAlias = tuple[str, str, tuple[Expr, ...]]

#: Derivatives that are known: a column of values by output and symbol.
Columns = Mapping[str, Mapping[Expr, Sequence[Scalar]]]


def check_wrt(derivatives: Any, groups: Groups, fixed: Iterable[Expr] = ()) -> list[With]:
    """Return what to differentiate with respect to: texts for users and code, and symbols.

    Parameters
    ==========

    derivatives : iterable of str and Expr
        Names of groups, symbols, or names of symbols.
    groups : mapping of str to sequence of Expr
        The inputs.
    fixed : iterable of Expr
        Constants that become numbers: they are left out of their group.

    Raises
    ======

    TypeError
        If it is no sequence.
    ValueError
        If something in it is unknown, twice, or has become a number.
    """
    numbers, known = set(fixed), f"groups among {', '.join(groups)} or symbols of the model"
    items = [derivatives] if isinstance(derivatives, (str, Expr)) else derivatives
    found: dict[str, tuple[str, tuple[Expr, ...]]] = {}
    for item in check_sequence("derivatives", items, known):
        if isinstance(item, str) and item in groups:
            text, own = item, tuple(symbol for symbol in groups[item] if symbol not in numbers)
            label = item
        else:
            group, index = find_input("derivatives", item, groups)
            symbol = groups[group][index]
            text, own, label = str(symbol), (symbol,), f"{group}_{index}"
            if symbol in numbers:
                raise ValueError(
                    f"`derivatives` must not have {symbol}, which `constants` makes a number. "
                    "Give it with each call instead, evaluate(..., constants={...})."
                )
        if label in found:
            raise ValueError(f"`derivatives` must have each entry once, got {text} twice.")
        found[label] = text, own
    return [(text, label, own) for label, (text, own) in found.items()]


def find_input(argument: str, item: Any, groups: Groups) -> tuple[str, int]:
    """Return the group of an input and its position there, given its symbol or its name.

    Raises
    ======

    ValueError
        If there is none.
    """
    places = list(_places(item, groups))
    if len(places) == 1:
        return places[0]
    if places:
        raise ValueError(
            f"`{argument}` has the name {item!r}, which {len(places)} symbols bear. Use the "
            "symbol itself."
        )
    names = enumerate_some((s for symbols in groups.values() for s in symbols), 12)
    raise ValueError(
        f"`{argument}` must be one of the groups {', '.join(groups)}, or a symbol of the model, "
        f"got {item!r}. The symbols are {names}."
    )


def _places(item: Any, groups: Groups) -> Iterator[tuple[str, int]]:
    for group, symbols in groups.items():
        for index, symbol in enumerate(symbols):
            if item in (symbol, str(symbol), getattr(symbol, "name", None)):
                yield group, index


def modes(outputs: Sequence[Output], wrt: Sequence[With]) -> list[str]:
    """Return the ways that may be the cheapest."""
    sweeps = {
        "adjoint": sum(len(output.refs) for output in outputs),
        "forward": sum(len(symbols) for *_, symbols in wrt),
    }
    least = min(sweeps.values())
    return [mode for mode, count in sweeps.items() if count <= FAR * least]


def derivative_outputs(
    graph: Graph,
    outputs: Sequence[Output],
    wrt: Sequence[With],
    mode: str,
    known: Columns,
    seeds: Seeds | None = None,
) -> list[Output]:
    """Return the derivatives of outputs, in their order.

    Parameters
    ==========

    graph : Graph
        Holds the operations.
    outputs : sequence of Output
        What to differentiate.
    wrt : sequence of (text, label, symbols)
        What `check_wrt` returned.
    mode : {"adjoint", "forward"}
        How.
    known : mapping of str to mapping of Expr to sequence of Scalar
        Derivatives of some outputs with respect to some symbols, by other means.
    seeds : optional
        For forward sweeps, as for `jacobian`.
    """
    symbols = list(dict.fromkeys(symbol for *_, own in wrt for symbol in own))
    states = GenericStates(graph)
    columns: dict[str, dict[Expr, Sequence[Scalar]]] = {}
    for output, own, rows in _slopes(graph, outputs, symbols, mode, known, seeds):
        rows = [states.without_zeros(row) for row in rows]
        slopes = {symbol: [row[k] for row in rows] for k, symbol in enumerate(own)}
        columns[output.name] = {**known.get(output.name, {}), **slopes}
    return [_output(output, *item, columns[output.name]) for output in outputs for item in wrt]


def _slopes(
    graph: Graph,
    outputs: Sequence[Output],
    symbols: Sequence[Expr],
    mode: str,
    known: Columns,
    seeds: Seeds | None,
) -> Iterator[tuple[Output, list[Expr], list[list[Scalar]]]]:
    """Yield outputs with the symbols that are left, and the derivatives."""
    groups: dict[tuple[Expr, ...], list[Output]] = {}
    for output in outputs:
        left = tuple(symbol for symbol in symbols if symbol not in known.get(output.name, {}))
        groups.setdefault(left, []).append(output)
    for left, members in groups.items():
        values = [Scalar(graph, ref) for output in members for ref in output.refs]
        if mode == "adjoint":
            rows = iter(adjoint_jacobian(graph, values, left))
        else:
            rows = iter(jacobian(graph, values, left, seeds))
        for output in members:
            yield output, list(left), [next(rows) for _ in output.refs]


def _output(
    output: Output,
    text: str,
    label: str,
    symbols: tuple[Expr, ...],
    columns: Mapping[Expr, Sequence[Scalar]],
) -> Output:
    """Return one derivative as an output."""
    refs = [columns[symbol][k].ref for k in range(len(output.refs)) for symbol in symbols]
    names = output.labels or [f"{output.name} {k}" for k in range(len(output.refs))]
    return Output(
        f"{output.name}_wrt_{label}",
        (*output.shape, len(symbols)),
        tuple(refs),
        f"derivative of {output.title or output.name}",
        tuple(f"{name}, {label} {k}" for name in names for k in range(len(symbols))),
        Wrt(output.name, text, symbols),
    )
