"""The reader of values by symbol: constants and specified quantities."""

from __future__ import annotations

import inspect
import numbers
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...checks.arguments import check_mapping, check_unambiguous, is_symbolic, symbol_name
from ...checks.messages import did_you_mean
from ...checks.numbers import finite_number, real_array
from ...records.instants import Samples, check_instants

if TYPE_CHECKING:
    from sympy import Expr

#: Names of sympy's moments of inertia for a body without a specified inertia.
_DEFAULT_INERTIA = re.compile(r"(\w+)_i(?:xx|yy|zz|xy|yz|zx)")


class UserValue(NamedTuple):
    """The user's value for a symbol, or for a tuple of symbols.

    Attributes
    ==========

    name : str
        The argument and the key, for messages.
    symbols : tuple of Expr
        The symbols.
    is_single : bool
        Whether the key is a symbol and not a tuple.
    value : object
        A number, an array or a function of time.
    """

    name: str
    symbols: tuple[Expr, ...]
    is_single: bool
    value: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value for one sample."""
        return () if self.is_single else (len(self.symbols),)

    def columns(self, times: np.ndarray | None) -> Iterator[tuple[Expr, np.ndarray]]:
        """Yield each symbol with its values over the batch; functions are called for each time."""
        if callable(self.value):
            array = self._sample(times)
        else:
            array = real_array(self.name, self.value)
            if isinstance(self.value, Samples):
                check_instants(self.name, self.value.times, times)
        count = len(self.symbols)
        if not self.is_single and array.shape[-1:] != self.shape:
            raise ValueError(
                f"`{self.name}` must have shape (..., {count}), got shape {array.shape}."
            )
        parts = [array] if self.is_single else [array[..., k] for k in range(count)]
        yield from zip(self.symbols, parts, strict=True)

    def _sample(self, times: np.ndarray | None) -> np.ndarray:
        """Return the values of a function of time at all times."""
        if times is None:
            raise ValueError(
                f"`{self.name}` is a function of time, so that `times` must be given. Use times=..."
            )
        if (signature := signature_of(self.value)) is not None and not can_be_called_with(
            signature, 1
        ):
            raise TypeError(
                f"`{self.name}` must be a function of time alone, f(t), got one with the signature "
                f"{signature}. The states are given here, so use their values in an array instead."
            )
        array = np.empty((*times.shape, *self.shape))
        for place in np.ndindex(times.shape):
            value = real_array(f"{self.name}(t)", self.value(float(times[place])))
            if value.shape != self.shape:
                raise ValueError(
                    f"`{self.name}` must return shape {self.shape}, got shape {value.shape}."
                )
            array[place] = value
        return array


class StoredSymbol:
    """A symbol or function of time in a saved evaluator, by its text and name."""

    is_number = False

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class ValueReader:
    """Reads values by symbol or name.

    Parameters
    ==========

    argument : str
        The name of the argument, for messages.
    symbols : sequence of Expr
        The symbols that may have a value.
    needed : iterable of Expr
        Those that must have a value.
    fixed : iterable of Expr
        Symbols that have a number already and are refused.
    """

    def __init__(
        self,
        argument: str,
        symbols: Sequence[Expr],
        needed: Iterable[Expr] = (),
        fixed: Iterable[Expr] = (),
    ) -> None:
        self.argument = argument
        self.symbols, fixed = tuple(symbols), tuple(fixed)
        self._needed = frozenset(needed).intersection(self.symbols)
        self._fixed = frozenset(fixed)
        self._known: dict[Any, Expr] = {s: s for s in (*self.symbols, *fixed)}
        self._texts: dict[Any, str] = {}
        self._by_name: dict[str, list[Expr]] = {}
        for symbol in (*self.symbols, *fixed):
            for name in {str(symbol), symbol_name(symbol)}:
                self._by_name.setdefault(name, []).append(symbol)

    def numbers(self, given: Any) -> dict[Expr, float]:
        """Return the user's values as finite real numbers by symbol."""
        pairs, argument = self.by_symbol(given).items(), self.argument
        return {symbol: finite_number(argument, symbol, value) for symbol, value in pairs}

    def columns(self, given: Any, times: np.ndarray | None) -> dict[Expr, np.ndarray]:
        """Return the user's values over the batch by symbol."""
        return dict(pair for entry in self.entries(given) for pair in entry.columns(times))

    def entries(self, given: Any) -> list[UserValue]:
        """Return the user's values as entries, each for a symbol or a tuple of symbols."""
        mapping = check_mapping(self.argument, given)
        keys = {key: key if isinstance(key, tuple) else (key,) for key in mapping}
        found = iter(self.check_symbols(x for own in keys.values() for x in own))
        values = list[UserValue]()
        for key, own in keys.items():
            symbols, is_single = tuple(next(found) for _ in own), not isinstance(key, tuple)
            values.append(UserValue(self.text(key), symbols, is_single, mapping[key]))
        return values

    def by_symbol(self, given: Any) -> dict[Expr, Any]:
        """Return the user's values by symbol; tuples of symbols are refused."""
        mapping = check_mapping(self.argument, given)
        return dict(zip(self.check_symbols(mapping), mapping.values(), strict=True))

    def check_symbols(self, keys: Iterable[Any]) -> list[Expr]:
        """Return the symbols of keys, after a check that required ones are there, each once."""
        found = self.resolve(keys)
        once = set(found)
        for symbol in self._fixed.intersection(once):
            raise ValueError(
                f"`{self.argument}` must not have {symbol}, which was given a number at "
                f"compile time: it is given twice. Use one of the two."
            )
        if len(once) < len(found):
            twice = next(symbol for symbol in found if found.count(symbol) > 1)
            raise ValueError(f"`{self.argument}` must have each symbol once, {twice} is twice.")
        if not self._needed <= once:
            missing = [str(s) for s in self.symbols if s in self._needed and s not in once]
            more = ", ..." if missing[1:] else ""
            raise ValueError(
                f"`{self.argument}` must have a value for {', '.join(missing)}. "
                f"Use {self.argument}={{{missing[0]}: ...{more}}}."
                f"{_default_inertia(missing)}"
            )
        return found

    def resolve(self, keys: Iterable[Any]) -> list[Expr]:
        """Return the symbols that keys name."""
        known = self._known
        return [known[key] if key in known else self._find(key) for key in keys]

    def text(self, key: Any) -> str:
        """Return the name of a value for messages, cached because sympy prints slowly."""
        if key not in self._texts:
            self._texts[key] = f"{self.argument}[{key}]"
        return self._texts[key]

    def _find(self, key: Any) -> Expr:
        """Return the symbol that a key names."""
        is_stored = any(isinstance(symbol, StoredSymbol) for symbol in self._known.values())
        if isinstance(key, str) or (is_stored and is_symbolic(key)):
            found = self._by_name.get(str(key), [])
            check_unambiguous(self.argument, str(key), found)
            if found:
                return self._known.setdefault(key, found[0])
        raise ValueError(
            f"`{self.argument}` must name this function's {self.argument} only, got {key}. "
            f"{self._suggestion(key)}"
        )

    def _suggestion(self, key: Any) -> str:
        """Return the fix for a key that names no symbol."""
        if str(key) in self._by_name:
            return (
                f"Its {key} is another symbol of that name (other assumptions?). Use that one, "
                f"or the name as a string."
            )
        known = ", ".join(map(str, self.symbols)) or "none"
        if getattr(key, "is_Function", False) and self.argument == "constants":
            return (
                f"{key} is a function of time: give its values by specifieds={{{key}: ...}}. The "
                f"constants are: {known}."
            )
        if not isinstance(key, str):
            return (
                f"The symbols are: {known}. If it is in a load that was added later, make "
                "InverseDynamics(system) again; otherwise leave it out: nothing depends on it. "
                "For a person, use constants_of(model)."
            )
        return did_you_mean(key, self._by_name).strip() or f"The symbols are: {known}."


def _default_inertia(missing: Iterable[str]) -> str:
    """Return the fix if missing symbols belong to sympy's default inertia; else an empty text."""
    found = next(filter(None, map(_DEFAULT_INERTIA.fullmatch, missing)), None)
    if found is None:
        return ""
    body = found[1]
    return (
        f" {found[0]} belongs to sympy's default inertia of RigidBody({body!r}). Set it before "
        f"the model is read, {body}.central_inertia = inertia({body}.frame, ixx, iyy, izz), or "
        "give values of all six."
    )


def check_fixed_constants(given: Any, symbols: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return the constants that become numbers in the code, as sympy numbers by symbol."""
    values = ValueReader("constants", symbols).by_symbol(given)
    return {symbol: _exact(symbol, value) for symbol, value in values.items()}


def _exact(symbol: Expr, value: Any) -> Expr:
    """Return a finite real number as a sympy number; integers and fractions stay exact."""
    from sympy import Float, Rational

    number = finite_number("constants", symbol, value)
    if isinstance(value, numbers.Rational):
        return Rational(int(value.numerator), int(value.denominator))
    return value if is_symbolic(value) else Float(number)


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of a function; None if unknown, as for some written in C."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def can_be_called_with(signature: inspect.Signature, count: int) -> bool:
    """Return whether a function with this signature accepts ``count`` arguments."""
    try:
        signature.bind(*range(count))
    except TypeError:
        return False
    return True
