"""Factored forms of a sum of products, and the cheapest of them.

The cost is the number of operations as written, counted as by ``sympy.count_ops``.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from sympy import Add, Expr, Symbol, tan

from .trigonometric import (
    Powers,
    Ring,
    Terms,
    add_term,
    multiply_powers,
    select_powers,
    split_common_factor,
)

#: Largest number of terms for which each common factor is tried as the first to factor out.
TRIED = 24


#: A sum of products.
Form: TypeAlias = tuple["Bracketed", ...]


@dataclass(frozen=True)
class Bracketed:
    """A product of a number, powers of generators and sums in brackets.

    Attributes
    ==========

    number : int, Fraction or float
        The number.
    powers : Powers
        The exponents of generators.
    sums : tuple of Form
        The sums in brackets, whose terms are products like this one.
    """

    number: Any
    powers: Powers = ()
    sums: tuple[Form, ...] = ()

    def times(self, number: Any, powers: Powers) -> "Bracketed":
        """Return the product with another number and other powers of generators."""
        return Bracketed(self.number * number, multiply_powers(self.powers, powers), self.sums)


@dataclass(frozen=True, eq=False)
class Writer:
    """Factors the polynomials of a ring and converts them to sympy.

    Attributes
    ==========

    ring : Ring
        The ring of the polynomials.
    costs : dict of int to int
        Cache of the numbers of operations in generators.
    known : dict
        Cache of factored parts.
    """

    ring: Ring
    costs: dict[int, int] = field(default_factory=dict)
    known: dict[Any, list[Bracketed]] = field(default_factory=dict)

    def cost_of(self, k: int) -> int:
        """Return the number of operations in a generator."""
        if k not in self.costs:
            self.costs[k] = self.ring.size_of(k)
        return self.costs[k]

    def flat_cost(self, terms: Mapping[Powers, Any]) -> int:
        """Return the number of operations of terms written as a sum of products."""
        return self.cost([Bracketed(value, powers) for powers, value in terms.items()])

    def quick_cost(self, terms: Terms) -> int:
        """Return the number of operations of terms factored without a search."""
        return self.cost(self.factor(terms, self._weight))

    def cost(self, form: Iterable[Bracketed]) -> int:
        """Return the number of operations of a factored sum."""
        items = list(form)
        count = sum(map(self._cost, items)) + max(len(items) - 1, 0)
        return count + (bool(items) and all(item.number < 0 for item in items))

    def _cost(self, item: Bracketed) -> int:
        """Return the number of operations of one product of a factored sum."""
        above = below = count = 0
        for k, n in item.powers:
            above, below = above + (n > 0), below + (n < 0)
            count += self.cost_of(k) + (abs(n) != 1)
        value = abs(item.number)
        if not isinstance(value, float):
            above, below = above + (value.numerator != 1), below + (value.denominator != 1)
        else:
            above += value != 1
        count += sum(map(self.cost, item.sums))
        return count + max(above + len(item.sums) - 1, 0) + below

    def to_sympy(self, form: Iterable[Bracketed]) -> Expr:
        """Return a factored sum as a sympy expression."""
        return Add(*map(self._product, form))

    def _product(self, item: Bracketed) -> Expr:
        """Return one product of a factored sum as a sympy expression."""
        return self.ring.product(item.powers, item.number, *map(self.to_sympy, item.sums))

    def cheapest(self, terms: Terms, is_deep: bool = True) -> Form:
        """Return the cheapest factored form found; ``is_deep`` also groups proportional
        coefficients.
        """
        return min(map(without_leading_minus, self._forms(terms, is_deep)), key=self.cost)

    def _forms(self, terms: Terms, is_deep: bool) -> Iterator[Iterable[Bracketed]]:
        """Yield factored forms of terms: by different first factors, and grouped by kinds of
        generators.
        """
        yield self.factor(terms, lambda k: 1)
        if len(terms) < 3:
            return
        yield self.factor(terms, self._weight)
        if len(terms) <= TRIED:
            counts = Counter((k, n > 0) for powers in terms for k, n in powers)
            for first in sorted(key for key, count in counts.items() if 1 < count < len(terms)):
                yield self.factor(terms, self._weight, first)
        if is_deep:
            for is_key in (self._is_constant, self.is_moving, self._is_wave):
                yield self._group_proportional(terms, is_key, True)
                yield self._group_proportional(terms, is_key, False)

    def _weight(self, k: int) -> int:
        """Return the number of operations that factoring out a generator saves per term."""
        return 1 + self.cost_of(k)

    def _is_constant(self, k: int) -> bool:
        """Whether a generator is a constant symbol."""
        return isinstance(self.ring.generators[k], Symbol)

    def is_moving(self, k: int) -> bool:
        """Return whether a generator depends on time and is neither a sine nor a cosine."""
        return not (self._is_constant(k) or self._is_wave(k))

    def _is_wave(self, k: int) -> bool:
        """Whether a generator is a sine or a cosine."""
        return k in self.ring.angles

    def factor(
        self,
        terms: Mapping[Powers, Any],
        weight: Callable[[int], int],
        first: tuple[int, bool] | None = None,
    ) -> list[Bracketed]:
        """Return a sum of products, with the factors that save most factored out first.

        ``first`` is the factor to try first, as (generator, whether its exponent is positive).
        """
        if not terms:
            return []
        number, outer, rest = split_common_factor(terms)
        if len(rest) == 1:
            return [Bracketed(number, outer)]
        inner = self._factored_out(rest, weight, first)
        if outer:
            return [Bracketed(number, outer, (tuple(inner),))]
        return [item.times(number, ()) for item in inner]

    def _factored_out(
        self,
        terms: Mapping[Powers, Any],
        weight: Callable[[int], int],
        first: tuple[int, bool] | None,
    ) -> list[Bracketed]:
        """Return terms with the best common factor taken out of those terms that have it."""
        counts = Counter((k, n > 0) for powers in terms for k, n in powers)
        saved = {key: (count - 1) * weight(key[0]) for key, count in counts.items()}
        best = max(saved, key=lambda key: (key == first, saved[key], -key[0]))
        if counts[best] < 2:
            return [Bracketed(value, powers) for powers, value in terms.items()]
        having: Terms = {}
        others: Terms = {}
        for powers, value in terms.items():
            has = any(k == best[0] and (n > 0) == best[1] for k, n in powers)
            (having if has else others)[powers] = value
        return self.factor(having, weight) + self.factor(others, weight)

    def _group_proportional(
        self, terms: Terms, is_key: Callable[[int], bool], has_key: bool
    ) -> Form:
        """Return terms with proportional coefficients in common brackets: ``(A + m h**2) (u1' - u2
        u3)``.

        Terms are split into the generators for which ``is_key`` is true and their coefficients, or
        the other way round if ``has_key`` is false.
        """
        number, outer, rest = split_common_factor(terms)
        groups: dict[Powers, Terms] = defaultdict(dict)
        for powers, value in rest.items():
            own, others = select_powers(powers, is_key)
            key, coefficient = (own, others) if has_key else (others, own)
            groups[key][coefficient] = value
        alike: dict[frozenset[Any], Terms] = defaultdict(dict)
        for key, inner in groups.items():
            value, common, primitive = split_common_factor(inner)
            if primitive[min(primitive)] < 0:
                value, primitive = -value, {m: -x for m, x in primitive.items()}
            add_term(alike[frozenset(primitive.items())], multiply_powers(key, common), value)
        found: list[Bracketed] = []
        for part, inner in alike.items():
            both = part, frozenset(inner.items())
            if both not in self.known:
                sums = [self.factor(dict(part), self._weight), self.cheapest(inner, False)]
                self.known[both] = multiply_sums(sums)
            found += self.known[both]
        if outer:
            return (Bracketed(number, outer, (tuple(found),)),)
        return tuple(item.times(number, ()) for item in found)


def without_leading_minus(form: Iterable[Bracketed]) -> Form:
    """Return a sum that starts without a minus sign if possible, with all inner sums likewise."""
    items = list(map(_without_negative_sums, form))
    if all(item.number < 0 for item in items):
        for place, item in enumerate(items):
            for k, inner in enumerate(item.sums):
                if any(part.number < 0 for part in inner):
                    items[place] = _with_sum_negated(item, k)
                    return tuple(items)
    return tuple(items)


def _without_negative_sums(item: Bracketed) -> Bracketed:
    """Return a product in which no inner sum has only negative terms."""
    item = replace(item, sums=tuple(map(without_leading_minus, item.sums)))
    for k, inner in enumerate(item.sums):
        if all(part.number < 0 for part in inner):
            item = _with_sum_negated(item, k)
    return item


def _with_sum_negated(item: Bracketed, k: int) -> Bracketed:
    """Return an equal product in which the signs of the k-th inner sum are reversed."""
    other = tuple(part.times(-1, ()) for part in item.sums[k])
    return Bracketed(-item.number, item.powers, (*item.sums[:k], other, *item.sums[k + 1 :]))


def multiply_sums(sums: Iterable[Iterable[Bracketed]]) -> list[Bracketed]:
    """Return the product of sums; a sum of one product needs no brackets."""
    number: Any = 1
    powers: Powers = ()
    brackets: list[Form] = []
    for form in map(tuple, sums):
        if len(form) == 1:
            number, powers = number * form[0].number, multiply_powers(powers, form[0].powers)
            brackets += form[0].sums
        else:
            brackets.append(form)
    if len(brackets) == 1 and not powers:
        return [item.times(number, ()) for item in brackets[0]]
    return [Bracketed(number, powers, tuple(brackets))]


def with_tangents(ring: Ring, terms: Terms) -> Terms:
    """Return the terms with tangents in place of quotients of sines and cosines."""
    found: Terms = {}
    for powers, value in terms.items():
        exponents = dict(powers)
        for k, n in powers:
            angle, is_sine = ring.angles.get(k, ((), False))
            cosine = ring.waves(angle)[0] if is_sine else k
            if is_sine and n == 1 and exponents.get(cosine, 0) < 0:
                tangent = ring.index(tan(ring.generators[k].argument))
                powers = multiply_powers(
                    powers, tuple(sorted(((k, -1), (cosine, 1), (tangent, 1))))
                )
        add_term(found, powers, value)
    return found
