"""Numbers in many digits, with perturbed ones that show the effect of rounding.

Each value is accompanied by values computed in fewer digits, in which the decimal numbers of the
model, which are doubles, are perturbed by some rounding errors.  Cancellation and rounding of the
data separate them from the value; a value not larger than this difference is zero.  No error bound
is propagated, because it would grow with each operation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from math import inf
from operator import add, sub
from random import Random
from typing import Any

import mpmath
import sympy
from sympy import Float, Pow, Rational, S

from ...checks.locks import Lock
from ...checks.tolerances import GUARD, ROUNDOFF, SHIFT, SURELY_ZERO
from ..adapters.private_sympy import binary_digits
from .piecewise import AbsorbingProduct, Certain, Select

#: The arithmetic of values, and that of what is near them; whatever digits the user's own has.
mp, low = mpmath.mp.clone(), mpmath.mp.clone()


def _use_usual_digits() -> None:
    mp.dps, low.dps = 50, 30


_use_usual_digits()

#: Digits of both where these do not decide.
MORE_DIGITS = ((110, 70), (230, 150))

#: How many values go with one that decimal numbers are in; with any other it is a single one.  Of
#: sums that are off by ten roundings, fewer than one in ten thousand is taken for a number by five,
#: one in two hundred by three.
MEMBERS = 5

#: Of how many bits less than its terms a sum is looked at.
CANCELLED_BITS = 60

#: More says nothing: beyond it all values are known equally well.
MOST_SIGNIFICANT = 1e12

#: Functions that vanish everywhere if they do at a random state, by their names in mpmath.
ANALYTIC: Mapping[Any, str] = {
    getattr(sympy, name): name
    for name in (
        *("acos", "asin", "asinh", "atan", "cos", "cosh"),
        *("exp", "log", "sin", "sinh", "tan", "tanh"),
    )
}

_LOCK = Lock(restore=_use_usual_digits)


class UndecidableError(ValueError):
    """A number of which so many digits cancel that the rest cannot decide whether it is zero."""


@contextmanager
def working_digits(values: int, members: int) -> Iterator[None]:
    """Compute with other numbers of digits."""
    with _LOCK:
        before = mp.dps, low.dps
        mp.dps, low.dps = values, members
        try:
            yield
        finally:
            mp.dps, low.dps = before


class Digits:
    """A number in many digits, complex where roots of negative numbers are."""

    # Near are one value in fewer digits, or several with decimal numbers moved, each another way.
    # What is not analytic, such as Max(0, q - 2), vanishes at most states, but not everywhere.

    __slots__ = ("_significance", "is_analytic", "members", "value")

    def __init__(self, value: Any, members: tuple[Any, ...], is_analytic: bool = True) -> None:
        self.value, self.members, self.is_analytic = value, members, is_analytic
        self._significance: float | None = None

    @classmethod
    def exact(cls, number: Any) -> "Digits":
        """Return an exact number: an int, a float, a complex, or one of mpmath."""
        value = mp.convert(number)
        if isinstance(value, mp.mpc) and not value.imag:
            value = value.real
        return cls(+value, (+low.convert(value),))

    def __reduce__(self) -> tuple[Any, ...]:
        # the classes of an arithmetic of its own cannot be found by name
        return _restore, (_parts(self.value), [*map(_parts, self.members)], self.is_analytic)

    def __add__(self, other: "Digits") -> "Digits":
        return self._combine(add, other)

    def __sub__(self, other: "Digits") -> "Digits":
        return self._combine(sub, other)

    def __mul__(self, other: "Digits") -> "Digits":
        members = tuple([x * y for x, y in _pairs(self.members, other.members)])
        return Digits(self.value * other.value, members, self.is_analytic and other.is_analytic)

    def __neg__(self) -> "Digits":
        return Digits(-self.value, tuple([-x for x in self.members]), self.is_analytic)

    def _combine(self, operator: Callable[[Any, Any], Any], other: "Digits") -> "Digits":
        """Return a sum; if it cancels completely, a rounding error of its terms remains."""
        # What is surely zero is set to it: roundings of nothing say nothing in what comes of them.
        members = tuple(
            [operator(x, y) or x * low.eps for x, y in _pairs(self.members, other.members)]
        )
        value = operator(self.value, other.value)
        found = Digits(value, members, self.is_analytic and other.is_analytic)
        is_left = _bits(value) >= _bits(self.value) - CANCELLED_BITS or found.is_rounded
        if not is_left and abs(value) <= SURELY_ZERO * found.spread:
            found.value = mp.zero
        return found

    def reciprocal(self) -> "Digits":
        """Return one divided by the number; NaN for zero."""
        if not self.significance:
            return Digits(NAN.value, NAN.members, self.is_analytic)
        members = tuple([1 / x for x in self.members])
        return Digits(1 / self.value, members, self.is_analytic)

    def perturbed(self, size: float | None = None) -> "Digits":
        """Return the number perturbed by rounding errors of its own or of a given size."""
        if not self.is_finite:
            return self
        return self._with_spread(
            low.convert(self.value if size is None else size) * ROUNDOFF, MEMBERS
        )

    def rounded_like(self, size: float) -> "Digits":
        """Return the number with the accuracy of one of some size."""
        return self._with_spread(low.convert(size) * low.eps, len(self.members))

    def _with_spread(self, step: Any, count: int) -> "Digits":
        random = Random(repr(_parts(abs(self.value))))  # the same for a number and its negative
        moves = (random.choice((-1, 1)) * random.uniform(SHIFT / 2, SHIFT) for _ in range(count))
        members = tuple([x + step * move for x, move in _pairs(self.members, (*moves,))])
        return Digits(self.value, members, self.is_analytic)

    @property
    def is_rounded(self) -> bool:
        """Whether it depends on decimal numbers."""
        return len(self.members) > 1

    @property
    def is_exact_zero(self) -> bool:
        """Whether it is zero for all rounding errors."""
        return not self.value and not any(self.members)

    @property
    def is_finite(self) -> bool:
        """Whether it and its perturbed values are finite."""
        return bool(mp.isfinite(self.value)) and all(map(low.isfinite, self.members))

    @property
    def is_zero(self) -> bool:
        """Whether the value is zero for all inputs."""
        return self.is_analytic and self.is_finite and not self.significance

    @property
    def significance(self) -> float:
        """Its ratio to the error within which it counts as zero, independent of units."""
        # Undecided is what is no farther from zero than fewer digits leave of exact numbers, and
        # not as near as many digits leave of nothing.
        if self._significance is None:
            self._significance = self._compute_significance()
        return self._significance

    @property
    def spread(self) -> Any:
        """The distance of the perturbed values from the value."""
        return max([abs(x - self.value) for x in self.members])

    def _compute_significance(self) -> float:
        own = abs(self.value)
        if not own:
            return 0.0
        spread = self.spread
        if own > GUARD * spread:
            return (
                min(float(own / (GUARD * spread)), MOST_SIGNIFICANT) if spread else MOST_SIGNIFICANT
            )
        if own > SURELY_ZERO * spread and not self.is_rounded:
            raise UndecidableError(
                f"a number of size {mp.nstr(own, 2)} is too small a part of its terms to be "
                "distinguished from zero"
            )
        return 0.0

    def __repr__(self) -> str:
        members = ", ".join(low.nstr(x - self.value, 2) for x in self.members)
        return f"Digits({mp.nstr(self.value, 6)}, off by {members})"


def _pairs(left: tuple[Any, ...], right: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    if len(left) < len(right):
        left = left * len(right)
    elif len(right) < len(left):
        right = right * len(left)
    return zip(left, right, strict=True)


def _bits(value: Any) -> Any:
    """Return the power of two that bounds a number, or the larger part of a complex one."""
    if hasattr(value, "_mpf_"):
        _, digits, exponent, count = value._mpf_
        return exponent + count if digits else -inf
    return max(_bits(value.real), _bits(value.imag))


def _parts(value: Any) -> Any:
    return value._mpc_ if hasattr(value, "_mpc_") else value._mpf_


def _make_number(context: Any, parts: Any) -> Any:
    return context.make_mpf(parts) if len(parts) == 4 else context.make_mpc(parts)


def _restore(value: Any, members: Sequence[Any], is_analytic: bool) -> Digits:
    return Digits(
        _make_number(mp, value), tuple([_make_number(low, x) for x in members]), is_analytic
    )


NAN = Digits(mp.nan, (low.nan,))


def number(value: Any) -> Digits:
    """Return a sympy number; one with a decimal point is rounded."""
    return _number(value, mp.dps)


@lru_cache(maxsize=4096)
def _number(value: Any, _: int) -> Digits:
    if isinstance(value, Rational):
        return Digits(mp.mpf(value.p) / value.q, (low.mpf(value.p) / value.q,))
    if value is S.NaN or value.is_infinite:
        return NAN
    if not isinstance(value, Float):
        value = S(value).evalf(mp.dps + 5)
    found = Digits.exact(mpmath.mpmathify(value)) if value.is_number else NAN
    return found.perturbed() if isinstance(value, Float) and binary_digits(value) <= 53 else found


def call(function: Any, arguments: Sequence[Any]) -> Digits | None:
    """Return an analytic function of numbers, or the chosen one of two; None for others."""
    if not all(isinstance(argument, Digits) for argument in arguments):
        return None
    if function is Select:
        left, right, one, other = arguments
        return one if mp.re(left.value) > mp.re(right.value) else other
    if function is AbsorbingProduct:
        one, other, gate = arguments
        return next((x for x in (one, gate) if not x.value), one * other)
    if function is Certain:  # no state that is looked at is singular
        return arguments[2]
    try:
        if function is Pow:
            return _power(*arguments)
        if function in ANALYTIC:
            (x,), name = arguments, ANALYTIC[function]
            members = tuple([getattr(low, name)(y) for y in x.members])
            return Digits(getattr(mp, name)(x.value), members, x.is_analytic)
    except (ArithmeticError, ValueError):  # outside of its domain
        return NAN
    return None


def _power(base: Digits, exponent: Digits) -> Digits:
    if exponent.value == -1:
        return base.reciprocal()
    is_analytic = base.is_analytic and exponent.is_analytic
    if not base.value:
        found = Digits.exact(0) if mp.re(exponent.value) > 0 else NAN
        return Digits(found.value, found.members, is_analytic)
    members = tuple([low.power(x, y) for x, y in _pairs(base.members, exponent.members)])
    return Digits(mp.power(base.value, exponent.value), members, is_analytic)
