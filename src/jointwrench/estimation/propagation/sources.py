"""Which inputs are uncertain, by how much, and together with which."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sympy import Derivative, Expr

from ...checks.arguments import check_instance, check_name
from ...dynamics.outputs.output_derivatives import SYMBOL, find_input, group_or_symbol
from .covariances import Source, check_covariances, check_finite_array, covariance_root
from .measured_sources import MEASURED, measured_covariance, measured_sources

Groups = Mapping[str, Sequence[Expr]]


class SourceReader:
    """Reads what users say of uncertain inputs.

    ``separate``: each measured coordinate is a source by itself.
    """

    def __init__(self, groups: Groups, batch: tuple[int, ...], motion: Any, separate: bool) -> None:
        self._groups, self._batch = groups, batch
        self._motion, self._separate = motion, separate
        names = [name for name in ("q", "u", "udot") if name in groups]
        self._states = tuple(symbol for name in names for symbol in groups[name])
        self._seen: dict[Any, str] = {}

    def read(self, deviations: Any, covariances: Any, causes: Any) -> list[Source]:
        """Return the sources of mappings as `uncertainty` takes them."""
        sources: list[Source] = []
        for argument, given, read in (
            ("standard_deviations", deviations, self._of_deviations),
            ("covariances", covariances, self._of_covariance),
            ("causes", causes, self._of_cause),
        ):
            for key, value in _mapping(argument, {} if given is None else given).items():
                sources += read(argument, key, value)
        if not sources:
            raise ValueError(
                "`standard_deviations` must have one input at least, got none. Use {'q': 0.01}."
            )
        names = [source.name for source in sources]
        return [s if names.count(s.name) == 1 else _renamed(s) for s in sources]

    def _of_deviations(self, argument: str, key: Any, value: Any) -> Iterator[Source]:
        text = f"{argument}[{key}]"
        if isinstance(key, str) and key == MEASURED:
            self._check_new(argument, key)
            yield from measured_sources(text, value, self._motion, self._states, self._separate)
            return
        for symbol, column in self._columns(text, key, value):
            if (column < 0).any():
                raise ValueError(f"`{text}` must not be negative, got {column.min():g}.")
            self._check_new(argument, symbol)
            yield Source(name_of(symbol), (symbol,), column[..., None, None])

    def _of_covariance(self, argument: str, key: Any, value: Any) -> Iterator[Source]:
        text = f"{argument}[{key}]"
        if isinstance(key, str) and key == MEASURED:
            self._check_new(argument, key)
            yield from measured_covariance(text, value, self._motion, self._states)
            return
        symbols = self._symbols(argument, key)
        count = len(symbols)
        for symbol in symbols:
            self._check_new(argument, symbol)
        matrices = check_covariances(text, value, (*self._batch_of(symbols), count, count))
        yield Source(", ".join(map(name_of, symbols)), symbols, covariance_root(matrices))

    def _of_cause(self, argument: str, cause: Any, value: Any) -> Iterator[Source]:
        text = f"{argument}[{check_name(argument, cause)}]"
        changes: dict[Expr, np.ndarray] = {}
        for key, own in _mapping(text, value).items():
            for symbol, column in self._columns(f"{text}[{key}]", key, own):
                if symbol in changes:
                    name = name_of(symbol)
                    raise ValueError(f"`{text}` must have each input once, got {name} twice.")
                changes[symbol] = column
        if not changes:
            raise ValueError(f"`{text}` must change one input at least, got none.")
        root = np.stack(np.broadcast_arrays(*changes.values()), axis=-1)[..., None]
        yield Source(cause, tuple(changes), root)

    def _symbols(self, argument: str, key: Any) -> tuple[Expr, ...]:
        """Return the symbols of a key: a group, a tuple or one input."""
        if isinstance(key, str) and key in self._groups:
            return tuple(self._groups[key])
        is_tuple = isinstance(key, tuple)
        items, expected = (key, SYMBOL) if is_tuple else ((key,), group_or_symbol(self._groups))
        found = [find_input(argument, item, self._groups, expected) for item in items]
        return tuple(self._groups[group][index] for group, index in found)

    def _columns(self, text: str, key: Any, value: Any) -> Iterator[tuple[Expr, np.ndarray]]:
        """Yield the inputs of a key, and numbers for each of their samples."""
        symbols = self._symbols(text, key)
        batch = self._batch_of(symbols)
        if isinstance(key, tuple) or (isinstance(key, str) and key in self._groups):
            columns = check_finite_array(text, value, (*batch, len(symbols)))
        else:
            columns = check_finite_array(text, value, batch)[..., None]
        for k, symbol in enumerate(symbols):
            yield symbol, columns[..., k]

    def _check_new(self, argument: str, item: Any) -> None:
        if item in self._seen:
            where = "" if self._seen[item] == argument else f", here and in `{self._seen[item]}`"
            raise ValueError(
                f"`{argument}` must have each input once, got {name_of(item)} twice{where}."
            )
        self._seen[item] = argument

    def _batch_of(self, symbols: Iterable[Expr]) -> tuple[int, ...]:
        """Return the batch axes of the errors of inputs: constants have none."""
        constants = self._groups["constants"]
        return () if any(symbol in constants for symbol in symbols) else self._batch


def _mapping(argument: str, value: Any) -> Mapping[Any, Any]:
    expected = "a mapping of symbols, names or groups to numbers or arrays"
    return check_instance(argument, value, Mapping, expected)


def _renamed(source: Source) -> Source:
    """Return a source under a name that no input of another group has."""
    return replace(source, name=", ".join(map(str, source.symbols)))


def name_of(symbol: Any) -> str:
    """Return the name of an input; that of the derivative of u is udot."""
    if isinstance(symbol, Derivative):
        return name_of(symbol.expr) + symbol.derivative_count * "dot"
    return str(getattr(symbol, "name", symbol))
