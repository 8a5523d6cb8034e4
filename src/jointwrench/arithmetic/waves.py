"""Sums of products of factors, sines and cosines, in the form in which like terms meet.

A product of two sines or cosines is a sum of those of the sum and of the difference
of their angles.  With all products written so, whatever cancels does so by itself:
``m sin(x)**2 + m cos(x)**2`` is m, ``sin(x) cos(y) + cos(x) sin(y)`` is ``sin(x + y)``.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import gcd, inf, isnan
from typing import Any, NamedTuple, TypeAlias

from sympy import Add, Dummy, Expr, Float, Integer, Mul, Pow, Rational, S, Symbol, cos, sin

from ..checks.tolerances import TURNED

#: Exponents of factors by their numbers; multiples of angles by their numbers.
Powers: TypeAlias = tuple[tuple[int, Any], ...]

#: A product of factors: their exponents, and the number before it.
Product: TypeAlias = tuple[Counter[int], Any]

#: Two angles.
Angles: TypeAlias = tuple[Powers, Powers]


class Wave(NamedTuple):
    """``cos(angle)`` or ``sin(angle)``; without an angle it is one."""

    angle: Powers = ()
    is_sine: bool = False


class Term(NamedTuple):
    """A product of factors and a wave."""

    factors: Powers = ()
    wave: Wave = Wave()


class Factors:
    """What terms are products of, by number: inputs, quantities with a name, waves.

    A product of more than ``most`` terms is not written out: a factor gets a name, a Dummy if none
    was given, in ``definitions``.
    """

    def __init__(self, most: float = inf) -> None:
        self.expressions: list[Expr] = []
        self.definitions: dict[Symbol, Expr] = {}
        self.most = most
        self._numbers: dict[Expr, int] = {}
        self._named: dict[frozenset[Any], WaveSum] = {}

    def index(self, expression: Expr) -> int:
        """Return the number of a factor."""
        if expression not in self._numbers:
            self._numbers[expression] = len(self.expressions)
            self.expressions.append(expression)
        return self._numbers[expression]

    def power(self, expression: Expr, exponent: int = 1) -> "WaveSum":
        """Return a power of an expression as a sum of one term."""
        return WaveSum(self, {Term(((self.index(expression), exponent),)): Fraction(1)})

    def number(self, value: Expr) -> "WaveSum":
        """Return a sympy number; irrational ones are factors."""
        if isinstance(value, Rational):
            return _collected(self, [(Term(), Fraction(int(value.p), int(value.q)))])
        if isinstance(value, Float) or value is S.NaN:
            return _collected(self, [(Term(), float(value))])
        return self.power(value)

    def wave(self, wave: Wave) -> int:
        """Return the number of a sine or cosine."""
        angle = Add(*(_as_sympy(n) * self.expressions[k] for k, n in wave.angle))
        return self.index((sin if wave.is_sine else cos)(angle))

    def named(self, value: "WaveSum", name: str | None = None) -> "WaveSum":
        """Return a symbol for a sum of several terms."""
        if len(value.terms) < 2:
            return value
        key = frozenset(value.terms.items())
        if key not in self._named:
            symbol = Symbol(name) if name else Dummy("z_0")
            self.definitions[symbol] = value.to_sympy()
            self._named[key] = self.power(symbol)
        return self._named[key]


@dataclass(frozen=True, eq=False)
class WaveSum:
    """A sum of terms with numbers before them."""

    factors: Factors
    terms: Mapping[Term, Any]

    def __add__(self, other: "WaveSum") -> "WaveSum":
        return _collected(self.factors, [*self.terms.items(), *other.terms.items()])

    def __neg__(self) -> "WaveSum":
        return WaveSum(self.factors, {term: -number for term, number in self.terms.items()})

    def __sub__(self, other: "WaveSum") -> "WaveSum":
        return self + -other

    def __mul__(self, other: "WaveSum") -> "WaveSum":
        if len(self.terms) * len(other.terms) > self.factors.most:
            large, small = sorted((self, other), key=lambda x: -len(x.terms))
            return self.factors.named(large) * small
        pairs: list[tuple[Term, Any]] = []
        for (left, first), number in self.terms.items():
            for (right, second), other_number in other.terms.items():
                product = _merged(left, right)
                for wave, half in _product_of_waves(first, second):
                    pairs.append((Term(product, wave), number * other_number * half))
        return _collected(self.factors, pairs)

    @property
    def is_linear(self) -> bool:
        """Whether it is a sum of numbers and of numbers times single factors, without waves."""
        powers = ([n for _, n in term.factors] for term in self.terms)
        return not any(term.wave.angle for term in self.terms) and all(
            p in ([], [1]) for p in powers
        )

    def shifted(self, is_sine: bool) -> "WaveSum":
        """Return the sine or the cosine of this."""
        one = ((self.factors.index(S.One), 1),)
        if self.is_linear:
            pairs = [((term.factors or one)[0][0], n) for term, n in self.terms.items()]
        else:
            pairs = [(self.factors.index(self.factors.named(self).to_sympy()), Fraction(1))]
        wave, sign = _canonical(Wave(tuple(sorted(pairs)), is_sine))
        return _collected(self.factors, [(Term((), wave), Fraction(sign))])

    def inverse(self) -> "WaveSum":
        """Return one divided by this."""
        (((factors, wave), value),) = self.factors.named(self).terms.items()
        if wave.angle:
            return self.factors.power(self.to_sympy(), -1)
        return WaveSum(self.factors, {Term(tuple((k, -n) for k, n in factors)): 1 / value})

    def to_sympy(self) -> Expr:
        """Return the sum, with common factors taken out."""
        if any(isnan(number) for number in self.terms.values()):
            return S.NaN
        return _factored(_as_products(self), self.factors.expressions)


def _as_sympy(value: Any) -> Expr:
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    return Integer(int(value)) if value == int(value) else Float(value)


def _collected(factors: Factors, pairs: Iterable[tuple[Term, Any]]) -> WaveSum:
    """Return the sum of terms, without those that vanish."""
    terms: dict[Term, Any] = {}
    for term, value in pairs:
        if term in terms:
            total = terms[term] + value
            terms[term] = 0 if abs(total) <= TURNED * abs(value) else total
        else:
            terms[term] = value
    if any(map(isnan, terms.values())):
        return WaveSum(factors, {Term(): float("nan")})
    return WaveSum(factors, {term: value for term, value in terms.items() if value != 0})


def _merged(left: Powers, right: Powers, sign: int = 1) -> Powers:
    """Return the sum of two sets of exponents or multiples."""
    if not right:
        return left
    total = dict(left)
    for key, value in right:
        total[key] = total.get(key, 0) + sign * value
    return tuple(sorted((key, value) for key, value in total.items() if value))


def _canonical(wave: Wave) -> tuple[Wave, int]:
    """Return a wave whose first multiple is positive, and its sign."""
    angle, is_sine = wave
    if not angle:
        return Wave(), 0 if is_sine else 1
    if angle[0][1] > 0:
        return wave, 1
    return Wave(tuple((k, -n) for k, n in angle), is_sine), -1 if is_sine else 1


def _product_of_waves(first: Wave, second: Wave) -> list[tuple[Wave, Any]]:
    """Return the waves whose sum is a product, and what stands before them."""
    if not first.angle or not second.angle:
        return [(first if first.angle else second, 1)]
    is_sine = first.is_sine != second.is_sine
    together, sign = _canonical(Wave(_merged(first.angle, second.angle), is_sine))
    apart, other = _canonical(Wave(_merged(first.angle, second.angle, -1), is_sine))
    if first.is_sine and second.is_sine:
        sign = -sign
    if second.is_sine and not first.is_sine:
        other = -other
    return [(together, Fraction(sign, 2)), (apart, Fraction(other, 2))]


# -- shorter forms ------------------------------------------------------------


class Split(NamedTuple):
    """A product of factors and waves, whose last wave may still be split."""

    factors: Powers
    waves: tuple[Wave, ...]
    last: Wave


def _as_products(total: WaveSum) -> list[Product]:
    """Return terms as products, with products of waves where these are fewer."""
    terms = {Split(term.factors, (), term.wave): value for term, value in total.terms.items()}
    for key in sorted({k for term in total.terms for k, _ in term.wave.angle}):
        terms = _merge_pairs(terms, partial(_two_angles, key))
    terms = _merge_pairs(terms, _half_angles)
    products = []
    for (factors, waves, last), value in terms.items():
        powers = Counter(dict(factors))
        powers.update(total.factors.wave(wave) for wave in (*waves, last) if wave.angle)
        products.append((powers, value))
    return products


def _two_angles(key: int, wave: Wave) -> Angles | None:
    """Return the angles x and r of ``cos(x + r)`` or ``sin(x + r)``, x that of a number."""
    head = tuple(pair for pair in wave.angle if pair[0] == key)
    rest = tuple(pair for pair in wave.angle if pair[0] != key)
    return (head, rest) if head and rest else None


def _half_angles(wave: Wave) -> Angles | None:
    """Return x and x for ``cos(2 x)``, of which it is known that ``cos(x - x)`` is one."""
    if wave.is_sine or not wave.angle or any(n % 2 for _, n in wave.angle):
        return None
    half = tuple((k, n / 2) for k, n in wave.angle)
    return half, half


def _merge_pairs(
    terms: Mapping[Split, Any], angles: Callable[[Wave], Angles | None]
) -> dict[Split, Any]:
    """Write ``cos(x + r) + cos(x - r)`` as ``2 cos(x) cos(r)``, and what is like it."""
    merged = dict(terms)
    for term, value in terms.items():
        found = angles(term.last) if term in merged else None
        if found is None:
            continue
        partner, sign = _canonical(Wave(_merged(found[0], found[1], -1), term.last.is_sine))
        other = sign * merged.get(term._replace(last=partner), 0)
        if abs(other) == abs(value) and merged[term] == value:
            del merged[term], merged[term._replace(last=partner)]
            (outer, inner), factor = _as_product(found, term.last.is_sine, other == value)
            product = Split(term.factors, (*term.waves, outer), inner)
            merged[product] = merged.get(product, 0) + factor * value
    return {term: value for term, value in merged.items() if value}


def _as_product(angles: Angles, is_sine: bool, is_sum: bool) -> tuple[tuple[Wave, Wave], int]:
    """Return waves whose product is a sum or difference of those of ``x + r`` and ``x - r``.

    ``cos + cos = 2 cos x cos r``, ``cos - cos = -2 sin x sin r``,
    ``sin + sin = 2 sin x cos r`` and ``sin - sin = 2 cos x sin r``.
    """
    outer, first = _canonical(Wave(angles[0], is_sine == is_sum))
    inner, second = _canonical(Wave(angles[1], not is_sum))
    return (outer, inner), 2 * first * second * (1 if is_sum or is_sine else -1)


def _factored(products: list[Product], expressions: list[Expr]) -> Expr:
    """Return a sum of products, the most frequent factors taken out first."""
    if not products:
        return S.Zero
    common = {k: n for k, n in products[0][0].items() if all(p[k] * n > 0 for p, _ in products)}
    outer = {k: _least([p[k] for p, _ in products]) for k in common}
    outside = [Pow(expressions[k], n) for k, n in outer.items()]
    inner = [(_divided(p, outer), value) for p, value in products]
    if len(inner) == 1:
        return Mul(_as_sympy(inner[0][1]), *outside)
    if outside:
        content = _content([value for _, value in inner])
        inner = [(p, value / content) for p, value in inner]
        return Mul(_as_sympy(content), *outside, _sum(inner, expressions))
    return _sum(inner, expressions)


def _sum(products: list[Product], expressions: list[Expr]) -> Expr:
    counts = Counter((k, n > 0) for powers, _ in products for k, n in powers.items() if n)
    (best, is_above), count = max(counts.items(), key=lambda item: (item[1], -item[0][0]))
    if count < 2:
        return Add(*(_factored([product], expressions) for product in products))
    sign = 1 if is_above else -1  # x and 1/x have no factor in common
    having = [product for product in products if sign * product[0][best] > 0]
    others = [product for product in products if not sign * product[0][best] > 0]
    return Add(_factored(having, expressions), _factored(others, expressions))


def _least(exponents: list[int]) -> int:
    return min(exponents) if exponents[0] > 0 else max(exponents)


def _divided(powers: Counter[int], by: Mapping[int, int]) -> Counter[int]:
    left = Counter({k: n - by.get(k, 0) for k, n in powers.items()})
    return Counter({k: n for k, n in left.items() if n})


def _content(values: list[Any]) -> Any:
    """Return the number that all have in common, with the sign of the first."""
    sign = -1 if values[0] < 0 else 1
    if not all(isinstance(value, Fraction) for value in values):
        return Fraction(sign)
    above = gcd(*(abs(value.numerator) for value in values))
    below = gcd(*(value.denominator for value in values))
    return Fraction(sign * above, below)
