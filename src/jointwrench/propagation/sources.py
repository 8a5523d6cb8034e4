"""Which inputs are uncertain, by how much, and together with which."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sympy import Derivative, Expr

from ..checks.arguments import check_instance
from ..dynamics.output_derivatives import find_input
from .covariances import check_covariances, check_deviations, covariance_root
from .measured_sources import MEASURED, measured_covariance, measured_sources
from .source import Source

Groups = Mapping[str, Sequence[Expr]]


class SourceReader:
    """Reads what users say of uncertain inputs.

    Parameters
    ==========

    groups : mapping of str to sequence of Expr
        The inputs.
    batch : tuple of int
        The batch axes.
    motion : Any
        The motion, which knows how it was measured, or not.
    separate : bool
        Whether each measured coordinate is a source by itself.
    """

    def __init__(self, groups: Groups, batch: tuple[int, ...], motion: Any, separate: bool) -> None:
        self._groups, self._batch = groups, batch
        self._motion, self._separate = motion, separate
        names = [name for name in ("q", "u", "udot") if name in groups]
        self._states = tuple(symbol for name in names for symbol in groups[name])
        self._seen: dict[Any, str] = {}

    def read(self, deviations: Any, covariances: Any) -> list[Source]:
        """Return the sources of mappings as `uncertainty` takes them.

        Raises
        ======

        TypeError
            If something is no mapping, or holds anything but real numbers.
        ValueError
            If an input is unknown or there twice, if numbers or shapes do not fit, or
            if there is no source.
        """
        sources: list[Source] = []
        for argument, given, read in (
            ("standard_deviations", deviations, self._of_deviations),
            ("covariances", covariances, self._of_covariance),
        ):
            expected = "a mapping of symbols, names or groups to numbers or arrays"
            mapping = check_instance(argument, {} if given is None else given, Mapping, expected)
            for key, value in mapping.items():
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
        symbols, several = self._symbols(argument, key)
        batch = self._batch_of(symbols)
        columns = check_deviations(text, value, (*batch, len(symbols)) if several else batch)
        columns = columns if several else columns[..., None]
        for k, symbol in enumerate(symbols):
            yield Source(name_of(symbol), (symbol,), columns[..., k, None, None])

    def _of_covariance(self, argument: str, key: Any, value: Any) -> Iterator[Source]:
        text = f"{argument}[{key}]"
        if isinstance(key, str) and key == MEASURED:
            self._check_new(argument, key)
            yield from measured_covariance(text, value, self._motion, self._states)
            return
        symbols, _ = self._symbols(argument, key)
        count = len(symbols)
        matrices = check_covariances(text, value, (*self._batch_of(symbols), count, count))
        yield Source(", ".join(map(name_of, symbols)), symbols, covariance_root(matrices))

    def _symbols(self, argument: str, key: Any) -> tuple[tuple[Expr, ...], bool]:
        """Return the symbols of a key, and whether it stands for several."""
        if isinstance(key, str) and key in self._groups:
            symbols, several = tuple(self._groups[key]), True
        else:
            several = isinstance(key, tuple)
            items = key if several else (key,)
            found = [find_input(argument, item, self._groups) for item in items]
            symbols = tuple(self._groups[group][index] for group, index in found)
        for symbol in symbols:
            self._check_new(argument, symbol)
        return symbols, several

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


def _renamed(source: Source) -> Source:
    """Return a source under a name that no input of another group has."""
    return replace(source, name=", ".join(map(str, source.symbols)))


def name_of(symbol: Any) -> str:
    """Return the name of an input; that of the derivative of u is udot."""
    if isinstance(symbol, Derivative):
        return name_of(symbol.expr) + symbol.derivative_count * "dot"
    return str(getattr(symbol, "name", symbol))
