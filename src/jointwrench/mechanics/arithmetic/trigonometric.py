"""A normal form: Laurent polynomials in inputs and in the sines and cosines of base angles.

The sine and the cosine of an angle are called its waves.  The square of one of them is eliminated
by ``sin(x)**2 = 1 - cos(x)**2``, and angles are sums of integer multiples of base angles.  In this
form like terms are collected and cancel, also after division by a cosine.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, isfinite, isnan, lcm
from typing import Any, TypeAlias

from sympy import (
    Add,
    Derivative,
    Dummy,
    Expr,
    Float,
    Integer,
    Mul,
    Rational,
    S,
    Symbol,
    cos,
    count_ops,
    sin,
)
from sympy.core.function import AppliedUndef

from ...checks.tolerances import ZERO_COS

#: A product of generators as sorted pairs (number of the generator, exponent), or a sum of angles
#: as sorted pairs (number of the angle, multiple).
Powers: TypeAlias = tuple[tuple[int, Any], ...]

#: A polynomial: the coefficient of each product of generators.
Terms: TypeAlias = dict[Powers, Any]

#: Largest multiple of an angle whose sine and cosine are expanded in those of the angle.
FEW = 4


class Ring:
    """The generators of polynomials, by number: inputs, named quantities and waves.

    A product of more than ``most`` terms is not expanded: one factor becomes a named quantity in
    ``definitions``, with a Dummy as its name if it has none.  The ``units`` of angles, and the
    angles whose sine is a divisor, become known while values are entered; ``has_changed`` then
    means that the values must be entered again, in a ring made from this one.
    """

    def __init__(self, most: float = inf, known: "Ring | None" = None) -> None:
        self.generators: list[Expr] = []
        self.angles: dict[int, tuple[Powers, bool]] = {}
        self.squared: dict[int, int] = {}
        self.definitions: dict[Symbol, Polynomial] = {}
        self.units: dict[Expr, Fraction] = known.units if known else {}
        self.with_sines: set[Expr] = known.with_sines if known else set()
        self.has_changed = False
        self.most = most
        self._numbers: dict[Expr, int] = {}
        self._named: dict[frozenset[Any], Polynomial] = {}

    def index(self, expression: Expr) -> int:
        """Return the number of a generator, which is added if necessary."""
        if expression not in self._numbers:
            self._numbers[expression] = len(self.generators)
            self.generators.append(expression)
        return self._numbers[expression]

    def generator(self, expression: Expr) -> "Polynomial":
        """Return an expression as a polynomial: a generator."""
        return self.wave(self.index(expression))

    def number(self, value: Expr) -> "Polynomial":
        """Return a sympy number as a polynomial; irrational numbers are generators."""
        if value == 0:
            return Polynomial(self, {})
        if isinstance(value, Rational):
            return Polynomial(self, {(): quotient(int(value.p), int(value.q))})
        if isinstance(value, Float) or value is S.NaN:
            return Polynomial(self, {(): float(value)})
        return self.generator(value)

    def wave(self, k: int) -> "Polynomial":
        """Return the generator with this number as a polynomial."""
        return Polynomial(self, {((k, 1),): 1})

    def waves(self, angle: Powers) -> tuple[int, int]:
        """Return the numbers of the cosine and of the sine of an angle."""
        argument = self.expression({((k, 1),): n for k, n in angle})
        pair = self.index(_Wave(cos, argument)), self.index(_Wave(sin, argument))
        if pair[0] not in self.angles:
            self.angles |= {pair[0]: (angle, False), pair[1]: (angle, True)}
            squared, kept = pair if argument in self.with_sines else pair[::-1]
            self.squared[squared] = kept
        return pair

    def cosine_and_sine(self, argument: "Polynomial") -> tuple["Polynomial", "Polynomial"]:
        """Return the cosine and the sine of a sum of angles."""
        total = Polynomial(self, {(): 1}), Polynomial(self, {})
        for powers, multiple in argument.terms.items():
            k = powers[0][0] if powers and powers[0][1] == 1 else -1
            if len(powers) != 1 or k < 0 or k in self.angles:
                k = self.index(self.expression({powers: 1}))
            total = _add_angles(total, self._multiple(k, multiple))
        return total

    def _multiple(self, k: int, multiple: Any) -> tuple["Polynomial", "Polynomial"]:
        """Return the cosine and the sine of a multiple of an angle."""
        unit = size = abs(multiple)
        if not isinstance(size, float):
            known = self.units.get(self.generators[k], size)
            below = lcm(known.denominator, size.denominator)
            common = Fraction(gcd(int(known * below), int(size * below)), below)
            if max(size, known) <= FEW * common:
                unit = self.units[self.generators[k]] = common
                self.has_changed |= known != unit
        cosine, sine = map(self.wave, self.waves(((k, unit),)))
        once = total = (cosine, sine.times(1 if multiple > 0 else -1))
        for _ in range(round(size / unit) - 1):
            total = _add_angles(total, once)
        return total

    def name_sum(
        self, value: "Polynomial", name: str | None = None, least: int = 2
    ) -> "Polynomial":
        """Return the named quantity for a sum of at least ``least`` terms; shorter sums as they
        are.
        """
        if len(value.terms) < least:
            return value
        key = frozenset(value.terms.items())
        if key not in self._named:
            symbol = Symbol(name) if name else Dummy("z_0")
            self.definitions[symbol] = value
            self._named[key] = self.generator(symbol)
        return self._named[key]

    def without_squares(self, terms: Terms, waves: Iterable[int]) -> Terms:
        """Return terms in which the squares of some sines or cosines are eliminated.

        ``waves`` are these sines or cosines; for all other angles the normal form decides.
        """
        squared, other = self.squared, {one: k for k, one in self.squared.items()}
        swapped = {k: other[k] for k in waves if k in other}
        self.squared = {k: n for k, n in squared.items() if k not in swapped.values()} | swapped
        found = self.without_excluded_squares(dict(terms))
        self.squared = squared
        return found

    def without_excluded_squares(self, terms: Terms) -> Terms:
        """Return terms without the squares that the normal form eliminates."""
        waiting = [m for m in terms if any(n > 1 and k in self.squared for k, n in m)]
        for powers in waiting:  # the list grows during the loop
            if (value := terms.pop(powers, 0)) != 0:
                k = next(k for k, n in powers if n > 1 and k in self.squared)
                rest = multiply_powers(powers, ((k, -2),))
                for new, x in (
                    (rest, value),
                    (multiply_powers(rest, ((self.squared[k], 2),)), -value),
                ):
                    add_term(terms, new, x)
                    if any(n > 1 and j in self.squared for j, n in new):
                        waiting.append(new)
        return terms

    def expression(self, terms: Mapping[Powers, Any]) -> Expr:
        """Return terms as a sympy expression."""
        return Add(*(self.product(powers, value) for powers, value in terms.items()))

    def product(self, powers: Powers, value: Any = 1, *more: Expr) -> Expr:
        """Return a product of generators, a number and more factors as a sympy expression."""
        factors = (self.shown(k) ** as_sympy(n) for k, n in powers)
        return Mul(as_sympy(value), *factors, *more)

    def size_of(self, k: int) -> int:
        """Return the number of operations in a generator."""
        generator, is_wave = self.generators[k], k in self.angles
        return is_wave + count_written_operations(generator.argument if is_wave else generator)

    def shown(self, k: int) -> Expr:
        """Return a generator as an expression for readers."""
        generator = self.generators[k]
        return generator.function(generator.argument) if k in self.angles else generator


@dataclass(frozen=True)
class _Wave:
    """A sine or cosine that sympy does not simplify."""

    function: Any
    argument: Expr


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A sum of products of a ring's generators with coefficients."""

    ring: Ring
    terms: Terms

    def __add__(self, other: "Polynomial") -> "Polynomial":
        if self.is_nan or other.is_nan:
            return self if self.is_nan else other
        terms = dict(self.terms)
        for powers, value in other.terms.items():
            add_term(terms, powers, value)
        return Polynomial(self.ring, terms)

    def __neg__(self) -> "Polynomial":
        return self.times(-1)

    def times(self, number: int) -> "Polynomial":
        """Return a multiple of the polynomial."""
        terms = {powers: number * value for powers, value in self.terms.items()}
        return Polynomial(self.ring, terms)

    def __sub__(self, other: "Polynomial") -> "Polynomial":
        return self + -other

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        if self.is_nan or other.is_nan:
            return self if self.is_nan else other
        if len(self.terms) * len(other.terms) > self.ring.most:
            large, small = sorted((self, other), key=lambda x: -len(x.terms))
            return self.ring.name_sum(large) * small
        terms: Terms = {}
        for left, value in self.terms.items():
            for right, other_value in other.terms.items():
                add_term(terms, multiply_powers(left, right), value * other_value)
        return Polynomial(self.ring, self.ring.without_excluded_squares(terms))

    @property
    def is_nan(self) -> bool:
        """Whether the polynomial is NaN."""
        return isnan(self.terms.get((), 0))

    def inverse(self) -> "Polynomial":
        """Return one divided by the polynomial; a sum in it becomes a named quantity."""
        if self.is_nan:
            return self
        value, common, rest = split_common_factor(self.terms)
        if len(rest) > 1:
            (named,) = self.ring.name_sum(Polynomial(self.ring, rest)).terms
            common = multiply_powers(common, named)
        for k, _ in common:
            if k in self.ring.squared and self.ring.angles[k][1]:
                self.ring.with_sines.add(self.ring.generators[k].argument)
                self.ring.has_changed = True
        return Polynomial(self.ring, {tuple((k, -n) for k, n in common): quotient(1, value)})


def _add_angles(
    one: tuple[Polynomial, Polynomial], other: tuple[Polynomial, Polynomial]
) -> tuple[Polynomial, Polynomial]:
    """Return the cosine and the sine of the sum of two angles, from their waves."""
    (c, s), (k, t) = one, other
    return c * k - s * t, s * k + c * t


def add_term(terms: Terms, powers: Powers, value: Any) -> None:
    """Add a number to the coefficient of a product; remove the product if it vanishes."""
    total = terms.get(powers, 0) + value
    if total == 0 or (isinstance(total, float) and abs(total) <= ZERO_COS * abs(value)):
        terms.pop(powers, None)
    else:
        terms[powers] = total


def multiply_powers(left: Powers, right: Powers, sign: int = 1) -> Powers:
    """Return the product of two products of generators, or the quotient for ``sign=-1``.

    For sums of angles: their sum or difference.
    """
    if not right:
        return left
    if not left and sign == 1:
        return right
    total = dict(left)
    for key, value in right:
        if new := total.pop(key, 0) + sign * value:
            total[key] = new
    return tuple(sorted(total.items()))


def select_powers(powers: Powers, is_key: Callable[[int], bool]) -> tuple[Powers, Powers]:
    """Return the powers of the generators for which ``is_key`` is true, and all other powers."""
    own = tuple(pair for pair in powers if is_key(pair[0]))
    if len(own) in (0, len(powers)):
        return own, () if own else powers
    return own, tuple(pair for pair in powers if not is_key(pair[0]))


def split_common_factor(terms: Mapping[Powers, Any]) -> tuple[Any, Powers, Terms]:
    """Return the common number and the common product of all terms, and the remaining terms."""
    first, *others = terms
    common = dict(first)
    for powers in others:
        if not common:
            break
        exponents = dict(powers)
        common = {
            k: min(n, exponents[k]) if n > 0 else max(n, exponents[k])
            for k, n in common.items()
            if n * exponents.get(k, 0) > 0
        }
    number, outer = content(terms.values()), tuple(sorted(common.items()))
    rest = {multiply_powers(m, outer, -1): x for m, x in terms.items()} if outer else dict(terms)
    return number, outer, rest if number == 1 else divide_terms(rest, number)


def content(values: Iterable[Any]) -> Any:
    """Return the common factor of numbers, with the sign that leaves most of them positive."""
    numbers = list(values)
    negative = sum(value < 0 for value in numbers)
    sign = -1 if 2 * negative > len(numbers) else 1
    if any(isinstance(value, float) for value in numbers):
        return sign if len(numbers) > 1 else numbers[0]
    below = [value.denominator for value in numbers]
    least = lcm(*below)
    common = least if 1 not in below and least in below else gcd(*below)
    return quotient(sign * gcd(*(abs(value.numerator) for value in numbers)), common)


def quotient(above: Any, below: Any) -> Any:
    """Return a quotient as an integer or fraction, as a float if one of both is a float."""
    if isinstance(above, float) or isinstance(below, float):
        return above / below
    found = Fraction(above, below)
    return found.numerator if found.denominator == 1 else found


def divide_terms(terms: Mapping[Powers, Any], number: Any) -> Terms:
    """Return terms divided by a number."""
    return {powers: quotient(value, number) for powers, value in terms.items()}


def count_written_operations(expression: Expr) -> int:
    """Return the number of operations as written; functions of time and derivatives count as
    symbols.
    """
    leaves = expression.atoms(Derivative)
    plain = expression.xreplace({leaf: Dummy() for leaf in leaves})
    return count_ops(plain.xreplace({leaf: Dummy() for leaf in plain.atoms(AppliedUndef)}))


def as_sympy(value: Any) -> Expr:
    """Return a number as a sympy number."""
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    return Integer(int(value)) if isfinite(value) and value == int(value) else Float(value)
