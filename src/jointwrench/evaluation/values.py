"""Values given by symbol: constants and specified quantities."""

import inspect
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Expr, Float, Rational

from ..checks.arguments import check_instance
from ..checks.numbers import finite_number, real_array
from ..checks.suggestions import did_you_mean
from ..records.instants import Samples, check_instants
from .array_arguments import batch_shape
from .batch import ColumnRows


class Names:
    """The symbols of one group, to be found by themselves or by their names.

    ``needed`` ones must have a value, ``fixed`` ones have theirs already.
    """

    def __init__(
        self,
        argument: str,
        symbols: Sequence[Expr],
        needed: Iterable[Expr],
        fixed: Iterable[Expr] = (),
    ) -> None:
        self.argument = argument
        self.symbols = tuple(symbols)
        self._needed = frozenset(needed)
        self._fixed = tuple(fixed)
        self._positions = {symbol: k for k, symbol in enumerate(self.symbols)}
        self._known: dict[Any, Expr] = {}  # what was asked for before
        self._texts: dict[Any, str] = {}
        self._by_name: dict[str, list[Expr]] = {}
        for symbol in (*self.symbols, *self._fixed):
            for name in {str(symbol), getattr(symbol, "name", str(symbol))}:
                self._by_name.setdefault(name, []).append(symbol)

    def collect(self, given: Iterable[tuple[Any, Any]]) -> dict[int, Any]:
        """Return values by position; ``given`` are pairs of a symbol or name and a value."""
        values: dict[int, Any] = {}
        for key, value in given:
            symbol = self._symbol(key)
            if symbol in self._fixed:
                raise ValueError(
                    f"`{self.argument}` must not have {symbol}, which was given a number at "
                    f"compile time: it is given twice. Use one of the two."
                )
            position = self._positions[symbol]
            if position in values:
                raise ValueError(
                    f"`{self.argument}` must have each symbol once, {symbol} is twice."
                )
            values[position] = value
        self._check_complete(values)
        return values

    def places(self, keys: Iterable[Any]) -> list[int]:
        """Return the positions of symbols or names."""
        return [self._positions[self._symbol(key)] for key in keys]

    def text(self, key: Any) -> str:
        """Return what a value is called in messages; sympy prints slowly."""
        if key not in self._texts:
            self._texts[key] = f"{self.argument}[{key}]"
        return self._texts[key]

    def _symbol(self, key: Any) -> Expr:
        if key not in self._known:
            self._known[key] = self._find(key)
        return self._known[key]

    def _find(self, key: Any) -> Expr:
        if isinstance(key, str):
            found = self._by_name.get(key, [])
            if len(found) > 1:
                raise ValueError(
                    f"`{self.argument}` has the name {key!r}, which {len(found)} symbols bear. "
                    f"Use the symbol itself."
                )
            if found:
                return found[0]
        elif key in self._positions or key in self._fixed:
            return key
        raise ValueError(
            f"`{self.argument}` must name this function's {self.argument} only, got {key}. "
            f"{self._suggestion(key)}"
        )

    def _suggestion(self, key: Any) -> str:
        if str(key) in self._by_name:
            return (
                f"Its {key} is another symbol of that name (other assumptions?). Use that one, "
                f"or the name as a string."
            )
        known = ", ".join(map(str, self.symbols)) or "none"
        if not isinstance(key, str):
            return (
                f"The symbols are: {known}. If a load has it that was added later, use "
                "InverseDynamics(system) after that; else leave it out: nothing depends on it."
            )
        return did_you_mean(key, self._by_name).strip() or f"The symbols are: {known}."

    def _check_complete(self, values: Mapping[int, Any]) -> None:
        missing = [
            str(symbol)
            for k, symbol in enumerate(self.symbols)
            if symbol in self._needed and k not in values
        ]
        if missing:
            raise ValueError(
                f"`{self.argument}` must have a value for {', '.join(missing)}. "
                f"Use {self.argument}={{{missing[0]}: ..., }}."
            )


def check_fixed_constants(given: Any, symbols: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return the constants that are to become numbers, as sympy numbers by symbol."""
    names = Names("constants", symbols, needed=())
    given = _mapping(names.argument, given)
    return {
        names.symbols[position]: _exact(names.symbols[position], value)
        for position, value in names.collect(given.items()).items()
    }


def _exact(symbol: Expr, value: Any) -> Expr:
    """Return a finite real number as a sympy number; integers and fractions stay exact."""
    number = finite_number("constants", symbol, value)
    if isinstance(value, numbers.Rational):
        return Rational(int(value.numerator), int(value.denominator))
    return value if isinstance(value, Expr) else Float(number)


def constant_values(names: Names, given: Any) -> np.ndarray:
    """Return the constants as an array, in their order.

    Constants that nothing depends on are zero if they are not given.
    """
    return constant_columns(names, given).prepare(()).array


def constant_columns(names: Names, given: Any) -> ColumnRows:
    """Return the constants as the columns of one row."""
    mapping = _mapping(names.argument, given)
    values = {
        position: np.array(finite_number(names.argument, names.symbols[position], value))
        for position, value in names.collect(mapping.items()).items()
    }
    return ColumnRows(len(names.symbols), (), values)


def specified_values(names: Names, given: Any, times: np.ndarray | None) -> ColumnRows:
    """Return the specified quantities as the columns of rows.

    Quantities that nothing depends on are zero if they are not given.
    """
    mapping = _mapping(names.argument, given)
    values = names.collect(_single_values(names, mapping, times))
    batch = batch_shape({names.text(names.symbols[k]): v.shape for k, v in values.items()})
    return ColumnRows(len(names.symbols), batch, values)


def _single_values(
    names: Names, mapping: Mapping[Any, Any], times: np.ndarray | None
) -> Iterable[tuple[Any, np.ndarray]]:
    """Yield a pair of a symbol and its values for each symbol, also of those in tuples."""
    for key, value in mapping.items():
        what = names.text(key)
        keys = key if isinstance(key, tuple) else (key,)
        if callable(value):
            array = _sampled(what, value, times, len(keys) if isinstance(key, tuple) else None)
        else:
            array = real_array(what, value)
            if isinstance(value, Samples):
                check_instants(what, value.times, times)
        if not isinstance(key, tuple):
            yield key, array
            continue
        if array.ndim == 0 or array.shape[-1] != len(keys):
            raise ValueError(
                f"`{what}` must have shape (..., {len(keys)}), got shape {array.shape}."
            )
        for k, single in enumerate(keys):
            yield single, array[..., k]


def _sampled(
    what: str, function: Callable[[float], Any], times: np.ndarray | None, count: int | None
) -> np.ndarray:
    """Return the values of a function at all times, one call for each."""
    if times is None:
        raise ValueError(
            f"`{what}` is a function of time, so that `times` must be given. Use times=..."
        )
    _check_takes_time(what, function)
    single = () if count is None else (count,)
    array = np.empty((*times.shape, *single))
    for place in np.ndindex(times.shape):
        value = real_array(f"{what}(t)", function(float(times[place])))
        if value.shape != single:
            raise ValueError(f"`{what}` must return shape {single}, got shape {value.shape}.")
        array[place] = value
    return array


def _check_takes_time(what: str, function: Callable[[float], Any]) -> None:
    try:
        signature = inspect.signature(function)
    except ValueError:  # some functions written in C have none
        return
    try:
        signature.bind(0.0)
    except TypeError:
        raise TypeError(
            f"`{what}` must be a function of time alone, f(t), got one with the signature "
            f"{signature}. The states are given here, so use their values in an array instead."
        ) from None


def _mapping(argument: str, given: Any) -> Mapping[Any, Any]:
    if given is None:
        return {}
    return check_instance(
        argument, given, Mapping, "a mapping of symbols to values", "Use {symbol: value}."
    )
