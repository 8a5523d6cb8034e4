"""Numbers with many digits, each with an ensemble of perturbed values that shows its error.

The members of the ensemble are computed with fewer digits, from numbers of the model that are
perturbed by a few rounding errors if they are decimal (doubles).  Cancellation and rounding of the
data separate the members from the value; a value that is not larger than this spread is zero.  No
error bound is propagated, because a bound would grow with each operation.
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

#: The arithmetic of values, and that of ensemble members, independent of the user's mpmath context.
mp, low = mpmath.mp.clone(), mpmath.mp.clone()


def _use_usual_digits() -> None:
    """Set the usual numbers of digits of values and of ensemble members."""
    mp.dps, low.dps = 50, 30


_use_usual_digits()

#: Digits of values and of members where the usual ones do not decide.
MORE_DIGITS = ((110, 70), (230, 150))

#: Number of ensemble members of a value that depends on decimal numbers; other values have one.  Of
#: sums that are zero up to ten roundings, five members mistake fewer than one in ten thousand for
#: nonzero, three members one in two hundred.
MEMBERS = 5

#: Number of bits below its largest term at which a sum counts as cancelled.
CANCELLED_BITS = 60

#: Upper bound of significance, beyond which all values are known equally well.
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
    """A number in which so many digits cancel that it cannot be distinguished from zero."""


@contextmanager
def working_digits(values: int, members: int) -> Iterator[None]:
    """Compute within a block with other numbers of digits, of values and of ensemble members."""
    with _LOCK:
        before = mp.dps, low.dps
        mp.dps, low.dps = values, members
        try:
            yield
        finally:
            mp.dps, low.dps = before


class Digits:
    """A number with many digits and its ensemble of perturbed values.

    Numbers are complex where roots of negative numbers occur.

    Attributes
    ==========

    value : mpf or mpc
        The number.
    members : tuple of mpf or mpc
        The number with fewer digits: once, or several times, each with other perturbations of the
        decimal numbers on which it depends.
    is_analytic : bool
        Whether it is an analytic function of the inputs.  Others, such as ``Max(0, q - 2)``, vanish
        at many states, but not everywhere.
    """

    __slots__ = ("_significance", "is_analytic", "members", "value")

    def __init__(self, value: Any, members: tuple[Any, ...], is_analytic: bool = True) -> None:
        self.value, self.members, self.is_analytic = value, members, is_analytic
        self._significance: float | None = None

    @classmethod
    def exact(cls, number: Any) -> "Digits":
        """Return an exact number, from an int, a float, a complex or a number of mpmath."""
        value = mp.convert(number)
        if isinstance(value, mp.mpc) and not value.imag:
            value = value.real
        return cls(+value, (+low.convert(value),))

    def __reduce__(self) -> tuple[Any, ...]:
        # the classes of a cloned mpmath context cannot be found by name
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
        """Return a sum or difference; where the members cancel, a rounding error of the terms
        remains.

        A result that is certainly zero is set to zero, so that its roundoff is not amplified later.
        """
        members = tuple(
            [operator(x, y) or x * low.eps for x, y in _pairs(self.members, other.members)]
        )
        value = operator(self.value, other.value)
        found = Digits(value, members, self.is_analytic and other.is_analytic)
        is_cancelled = _bits(value) < _bits(self.value) - CANCELLED_BITS and not found.is_rounded
        if is_cancelled and abs(value) <= SURELY_ZERO * found.spread:
            found.value = mp.zero
        return found

    def reciprocal(self) -> "Digits":
        """Return one divided by the number; NaN for zero."""
        if not self.significance:
            return Digits(NAN.value, NAN.members, self.is_analytic)
        members = tuple([1 / x for x in self.members])
        return Digits(1 / self.value, members, self.is_analytic)

    def perturbed(self, size: float | None = None) -> "Digits":
        """Return the number with members perturbed by rounding errors of its own or of a given
        size.
        """
        if not self.is_finite:
            return self
        return self._with_spread(
            low.convert(self.value if size is None else size) * ROUNDOFF, MEMBERS
        )

    def rounded_like(self, size: float) -> "Digits":
        """Return the number with members perturbed by the last digit of a number of this size."""
        return self._with_spread(low.convert(size) * low.eps, len(self.members))

    def _with_spread(self, step: Any, count: int) -> "Digits":
        """Return the number with members perturbed by random multiples of a step, in a fixed
        sequence.
        """
        random = Random(repr(_parts(abs(self.value))))  # the same for a number and its negative
        moves = (random.choice((-1, 1)) * random.uniform(SHIFT / 2, SHIFT) for _ in range(count))
        members = tuple([x + step * move for x, move in _pairs(self.members, (*moves,))])
        return Digits(self.value, members, self.is_analytic)

    @property
    def is_rounded(self) -> bool:
        """Whether the number depends on decimal numbers."""
        return len(self.members) > 1

    @property
    def is_exact_zero(self) -> bool:
        """Whether the number and all its members are exactly zero."""
        return not self.value and not any(self.members)

    @property
    def is_finite(self) -> bool:
        """Whether the number and all its members are finite."""
        return bool(mp.isfinite(self.value)) and all(map(low.isfinite, self.members))

    @property
    def is_zero(self) -> bool:
        """Whether the number is identically zero, as a function of the inputs."""
        return self.is_analytic and self.is_finite and not self.significance

    @property
    def significance(self) -> float:
        """The ratio of the number to the error within which it counts as zero, independent of
        units.

        Undecidable is an exact number that is not larger than the roundoff of the members, but
        larger than the roundoff of a zero in many digits.
        """
        if self._significance is None:
            self._significance = self._compute_significance()
        return self._significance

    @property
    def spread(self) -> Any:
        """The largest distance of a member from the number."""
        return max([abs(x - self.value) for x in self.members])

    def _compute_significance(self) -> float:
        """Return the significance; 0 for a number that counts as zero."""
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
    """Yield pairs of members; a number with a single member repeats it."""
    if len(left) < len(right):
        left = left * len(right)
    elif len(right) < len(left):
        right = right * len(left)
    return zip(left, right, strict=True)


def _bits(value: Any) -> Any:
    """Return the exponent of the power of two that bounds a number, or its larger complex part."""
    if hasattr(value, "_mpf_"):
        _, digits, exponent, count = value._mpf_
        return exponent + count if digits else -inf
    return max(_bits(value.real), _bits(value.imag))


def _parts(value: Any) -> Any:
    """Return a number of mpmath as a tuple that can be pickled."""
    return value._mpc_ if hasattr(value, "_mpc_") else value._mpf_


def _make_number(context: Any, parts: Any) -> Any:
    """Return a number of an mpmath context from the tuple of `_parts`."""
    return context.make_mpf(parts) if len(parts) == 4 else context.make_mpc(parts)


def _restore(value: Any, members: Sequence[Any], is_analytic: bool) -> Digits:
    """Return a pickled `Digits`."""
    return Digits(
        _make_number(mp, value), tuple([_make_number(low, x) for x in members]), is_analytic
    )


NAN = Digits(mp.nan, (low.nan,))


def number(value: Any) -> Digits:
    """Return a sympy number as `Digits`; a number with a decimal point counts as rounded."""
    return _number(value, mp.dps)


@lru_cache(maxsize=4096)
def _number(value: Any, _: int) -> Digits:
    """Return a sympy number as `Digits`, cached for each number of digits."""
    if isinstance(value, Rational):
        return Digits(mp.mpf(value.p) / value.q, (low.mpf(value.p) / value.q,))
    if value is S.NaN or value.is_infinite:
        return NAN
    if not isinstance(value, Float):
        value = S(value).evalf(mp.dps + 5)
    found = Digits.exact(mpmath.mpmathify(value)) if value.is_number else NAN
    return found.perturbed() if isinstance(value, Float) and binary_digits(value) <= 53 else found


def call(function: Any, arguments: Sequence[Any]) -> Digits | None:
    """Return a function of numbers, None if mpmath does not have it.

    The functions are analytic ones and those that select one of their arguments.
    """
    if not all(isinstance(argument, Digits) for argument in arguments):
        return None
    if function is Select:
        left, right, one, other = arguments
        return one if mp.re(left.value) > mp.re(right.value) else other
    if function is AbsorbingProduct:
        one, other, gate = arguments
        return next((x for x in (one, gate) if not x.value), one * other)
    if function is Certain:  # generic states are never singular
        return arguments[2]
    try:
        if function is Pow:
            return _power(*arguments)
        if function in ANALYTIC:
            (x,), name = arguments, ANALYTIC[function]
            members = tuple([getattr(low, name)(y) for y in x.members])
            return Digits(getattr(mp, name)(x.value), members, x.is_analytic)
    except (ArithmeticError, ValueError):  # outside the function's domain
        return NAN
    return None


def _power(base: Digits, exponent: Digits) -> Digits:
    """Return a power; zero to a positive power is exactly zero."""
    if exponent.value == -1:
        return base.reciprocal()
    is_analytic = base.is_analytic and exponent.is_analytic
    if not base.value:
        found = Digits.exact(0) if mp.re(exponent.value) > 0 else NAN
        return Digits(found.value, found.members, is_analytic)
    members = tuple([low.power(x, y) for x, y in _pairs(base.members, exponent.members)])
    return Digits(mp.power(base.value, exponent.value), members, is_analytic)
