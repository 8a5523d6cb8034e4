"""Numbers in many digits that know how the data in them were rounded.

Decimal numbers of a model are doubles: each may be off by half a unit in its last place,
and what is computed from it in many digits is off accordingly.  Symbols, integers and
fractions are exact.  A value is zero where such roundings of the data can make it of
zero, or where it is tiny beside its own terms.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import mpmath
from sympy import (
    Float,
    Pow,
    Rational,
    S,
    acos,
    asin,
    asinh,
    atan,
    cos,
    cosh,
    exp,
    log,
    sin,
    sinh,
    tan,
    tanh,
)

from ..adapters.private_sympy import binary_digits
from ..checks.tolerances import DATA, EXACT, ROUNDED
from .piecewise import Select

#: The arithmetic: 50 digits, whatever the user's own has.
mp = mpmath.mp.clone()
mp.dps = 50

#: Functions that vanish everywhere if they do at a random state, with their slopes at x where
#: their value is f.
ANALYTIC: Mapping[Any, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    acos: (mp.acos, lambda x, f: 1 / mp.sqrt(1 - x * x)),
    asin: (mp.asin, lambda x, f: 1 / mp.sqrt(1 - x * x)),
    asinh: (mp.asinh, lambda x, f: 1 / mp.sqrt(1 + x * x)),
    atan: (mp.atan, lambda x, f: 1 / (1 + x * x)),
    cos: (mp.cos, lambda x, f: mp.sin(x)),
    cosh: (mp.cosh, lambda x, f: mp.sinh(x)),
    exp: (mp.exp, lambda x, f: f),
    log: (mp.log, lambda x, f: 1 / x),
    sin: (mp.sin, lambda x, f: mp.cos(x)),
    sinh: (mp.sinh, lambda x, f: mp.cosh(x)),
    tan: (mp.tan, lambda x, f: 1 + f * f),
    tanh: (mp.tanh, lambda x, f: 1 - f * f),
}


class Digits:
    """A number in many digits, complex where roots of negative numbers are.

    ``error``: by how much roundings of the model's decimal numbers may have changed it; ``size``:
    of its terms.  What is not ``is_analytic``, such as ``Max(0, q - 2)``, vanishes at most states,
    but not everywhere.
    """

    __slots__ = ("_own", "error", "is_analytic", "size", "value")

    def __init__(self, value: Any, error: float, size: float, is_analytic: bool = True) -> None:
        self.value, self.error, self.size = value, error, size
        self.is_analytic = is_analytic
        self._own: float | None = None

    @property
    def own(self) -> float:
        """The size of the value itself."""
        if self._own is None:
            self._own = size_of(self.value)
        return self._own

    @classmethod
    def exact(cls, number: Any) -> "Digits":
        """Return a number as it is: an int, a float, a complex, or one of mpmath."""
        value = mp.convert(number)
        if isinstance(value, mp.mpc) and not value.imag:
            value = value.real
        return cls(value, 0.0, size_of(value))

    def __reduce__(self) -> tuple[Any, ...]:
        value = self.value  # the classes of an arithmetic of its own cannot be found by name
        parts = value._mpc_ if isinstance(value, mp.mpc) else value._mpf_
        return _restored, (parts, self.error, self.size, self.is_analytic)

    def __add__(self, other: "Digits") -> "Digits":
        is_analytic = self.is_analytic and other.is_analytic
        error, size = self.error + other.error, self.size + other.size
        return Digits(self.value + other.value, error, size, is_analytic)

    def __sub__(self, other: "Digits") -> "Digits":
        is_analytic = self.is_analytic and other.is_analytic
        error, size = self.error + other.error, self.size + other.size
        return Digits(self.value - other.value, error, size, is_analytic)

    def __neg__(self) -> "Digits":
        return Digits(-self.value, self.error, self.size, self.is_analytic)

    def __mul__(self, other: "Digits") -> "Digits":
        own, its = self.own, other.own
        return Digits(
            self.value * other.value,
            own * other.error + its * self.error + self.error * other.error,
            own * other.size + its * self.size,
            self.is_analytic and other.is_analytic,
        )

    def reciprocal(self) -> "Digits":
        """Return one divided by the number; NaN for zero."""
        own = self.own
        if not own:
            return Digits(mp.nan, mpmath.inf, mpmath.inf, self.is_analytic)
        square = own * own or mpmath.inf
        return Digits(1 / self.value, self.error / square, self.size / square, self.is_analytic)

    def off_by(self, error: float) -> "Digits":
        """Return the number with at least some error, which says how large its terms were."""
        if error <= self.error:
            return self
        return Digits(self.value, error, max(self.size, error / ROUNDED), self.is_analytic)

    @property
    def bound(self) -> float:
        """What is left of zero at the most."""
        return DATA * self.error + EXACT * self.size

    @property
    def is_finite(self) -> bool:
        """Whether it is a number."""
        return bool(mp.isfinite(self.value))

    @property
    def is_zero(self) -> bool:
        """Whether the value is surely zero for all inputs."""
        return self.is_analytic and self.is_finite and self.own <= self.bound

    @property
    def significance(self) -> float:
        """How many times larger it is than what is left of zero, whatever the units are."""
        own, bound = self.own, self.bound
        if own <= bound:
            return 0.0
        return own / bound if bound else mpmath.inf

    def __repr__(self) -> str:
        return f"Digits({mp.nstr(self.value, 6)}, error={self.error:.1e}, size={self.size:.1e})"


def _restored(parts: tuple[Any, ...], *rest: Any) -> Digits:
    return Digits(mp.make_mpf(parts) if len(parts) == 4 else mp.make_mpc(parts), *rest)


def size_of(value: Any) -> float:
    """Return the size of a number of mpmath as a float: of a complex one, that of both parts."""
    if isinstance(value, mp.mpc):
        return abs(float(value.real)) + abs(float(value.imag))
    return abs(float(value))


@lru_cache(maxsize=4096)
def number(value: Any) -> Digits:
    """Return a number of sympy; one with a decimal point is a rounded one."""
    if isinstance(value, Rational):
        exact = mp.mpf(value.p) / value.q
        return Digits(exact, 0.0, size_of(exact))
    if value is S.NaN or value.is_infinite:
        return Digits(mp.nan, mpmath.inf, mpmath.inf)
    if not isinstance(value, Float):
        value = S(value).evalf(mp.dps + 5)
    found = mp.convert(mpmath.mpmathify(value)) if value.is_number else mp.nan
    own = size_of(found)
    is_rounded = isinstance(value, Float) and binary_digits(value) <= 53
    return Digits(found, ROUNDED * own if is_rounded else 0.0, own)


def call(function: Any, arguments: Sequence[Any]) -> Digits | None:
    """Return an analytic function of numbers, or the chosen one of two; None for others."""
    if not all(isinstance(argument, Digits) for argument in arguments):
        return None
    if function is Select:
        left, right, one, other = arguments
        return one if mp.re(left.value) > mp.re(right.value) else other
    try:
        if function is Pow:
            return _power(*arguments)
        if function in ANALYTIC:
            return _function(*ANALYTIC[function], *arguments)
    except (ArithmeticError, ValueError):  # outside of its domain
        return Digits(mp.nan, mpmath.inf, mpmath.inf)
    return None


def _function(value: Callable[[Any], Any], slope: Callable[[Any, Any], Any], x: Digits) -> Digits:
    found = value(x.value)
    steep = size_of(slope(x.value, found))
    size = size_of(found) + steep * (x.size - x.own)
    return Digits(found, steep * x.error, size, x.is_analytic)


def _power(base: Digits, exponent: Digits) -> Digits:
    if exponent.value == -1:
        return base.reciprocal()
    is_analytic = base.is_analytic and exponent.is_analytic
    if not base.value:
        return Digits(mp.mpf(0) if mp.re(exponent.value) > 0 else mp.nan, 0.0, 0.0, is_analytic)
    found = mp.power(base.value, exponent.value)
    own, steep = size_of(found), size_of(exponent.value) / size_of(base.value)
    error = own * (steep * base.error + size_of(mp.log(base.value)) * exponent.error)
    return Digits(found, error, own * max(1.0, steep * base.size), is_analytic)
