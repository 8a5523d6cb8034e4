"""Shorter forms of polynomials: other base angles, sums of speeds, other squares."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations, permutations
from typing import Any

from sympy import Expr, S

from .factored_forms import Form, Writer, with_tangents
from .trigonometric import (
    Polynomial,
    Powers,
    Ring,
    Terms,
    add_term,
    divide_terms,
    multiply_powers,
    select_powers,
)

#: Number of terms beyond which fewer forms are tried.
LONG = 60

#: Number of terms of a whole formula that halves the number of forms tried for each part of it.
MANY = 500

#: Total number of terms of the forms that are factored in all ways; most angles whose squared sine
#: is tried in place of the squared cosine.
EFFORT, MOST_SQUARES = 300, 3


class Shortener:
    """Finds short forms of polynomials by search.

    Parameters
    ==========

    ring : Ring
        The ring of the polynomials.
    terms : int
        The number of terms of all polynomials together; the more, the fewer forms are tried for
        each.
    """

    def __init__(self, ring: Ring, terms: int) -> None:
        self.ring, self.writer = ring, Writer(ring)
        self._effort = EFFORT // (1 + terms // MANY)
        self._contracted: dict[frozenset[Any], Terms] = {}

    def expression(self, value: Polynomial) -> Expr:
        """Return the shortest form found for a polynomial, as a sympy expression."""
        return S.NaN if value.is_nan else self.writer.to_sympy(self._shortest(value.terms))

    def quick_cost(self, value: Polynomial) -> int:
        """Return the number of operations of a polynomial, factored without a search."""
        return 0 if value.is_nan else self.writer.quick_cost(value.terms)

    def _shortest(self, terms: Terms) -> Form:
        """Return the cheapest factored form among other sums of speeds, angles and squares."""
        if len(terms) < 2:
            return self.writer.cheapest(with_tangents(self.ring, terms))
        forms = chain.from_iterable(
            map(self._in_angles, _without_duplicates([terms, self._in_sums(terms)]))
        )
        squares = _without_duplicates(one for form in forms for one in self._other_squares(form))
        tried = sorted(squares, key=self.writer.quick_cost)[: max(1, self._effort // len(terms))]
        return min(map(self.writer.cheapest, tried), key=self.writer.cost)

    def _other_squares(self, terms: Terms) -> Iterator[Terms]:
        """Yield the terms with ``1 - sin(x)**2`` in place of ``cos(x)**2``, for each subset of
        angles.
        """
        squared = {k for powers in terms for k, n in powers if n > 1 and k in self.ring.angles}
        some = sorted(squared)[: MOST_SQUARES if len(terms) <= LONG else 1]
        for chosen in chain.from_iterable(combinations(some, n) for n in range(len(some) + 1)):
            swapped = self.ring.without_squares(terms, chosen)
            yield swapped
            yield with_tangents(self.ring, swapped)

    # -- angles -------------------------------------------------------------------

    def _in_angles(self, terms: Terms) -> Iterator[Terms]:
        """Yield the terms in several bases of angles."""
        for other in (terms, self._in_best_angles(terms)) if len(terms) <= LONG else (terms,):
            yield other
            yield self._by_coefficients(other)

    def _by_coefficients(self, terms: Terms) -> Terms:
        """Return terms with the waves in each coefficient in their own best base angles."""
        groups: dict[Powers, Terms] = defaultdict(dict)
        for powers, value in terms.items():
            own, key = select_powers(powers, self.ring.angles.__contains__)
            groups[key][own] = value
        found: Terms = {}
        for key, waves in groups.items():
            for powers, value in self._cached_in_best_angles(waves).items():
                add_term(found, multiply_powers(key, powers), value)
        return found

    def _cached_in_best_angles(self, terms: Terms) -> Terms:
        """Return `_in_best_angles`, cached for terms that differ only by a common factor."""
        first = next(iter(terms.values()))
        scaled = divide_terms(terms, first)
        key = frozenset(scaled.items())
        if key not in self._contracted:
            self._contracted[key] = self._in_best_angles(scaled)
        return {powers: value * first for powers, value in self._contracted[key].items()}

    def _in_best_angles(self, terms: Terms) -> Terms:
        """Return the terms in the base angles in which they are shortest."""
        return _shrink(terms, self.writer.flat_cost, self._in_other_angles)

    def _in_other_angles(self, terms: Terms) -> Iterator[Terms]:
        """Yield the terms with one angle replaced by its sum or difference with another angle."""
        angles, together = self.ring.angles, set[tuple[Powers, Powers]]()
        below = {angles[k][0] for powers in terms for k, n in powers if n < 0 and k in angles}
        for powers in terms if len(terms) > 1 else ():
            together |= set(permutations({angles[k][0] for k, _ in powers if k in angles}, 2))
        for angle, other in sorted(together):
            if angle not in below:
                yield self._with_angle_replaced(terms, angle, other, 1)
                yield self._with_angle_replaced(terms, angle, other, -1)

    def _with_angle_replaced(self, terms: Terms, angle: Powers, other: Powers, sign: int) -> Terms:
        """Return the terms in the new base angle ``angle + sign other`` in place of ``angle``.

        With c, s of the new angle and k, t of ``other``: ``cos(angle) = c k + s t`` and
        ``sin(angle) = s k - c t`` for sign 1.
        """
        ring, total = self.ring, multiply_powers(angle, other, sign)
        if not total:
            return terms
        way = 1 if total[0][1] > 0 else -1
        whole = tuple((k, way * n) for k, n in total)
        (c, s), (k, t) = (map(ring.wave, ring.waves(x)) for x in (whole, other))
        s, t = s.times(way), t.times(-sign)
        new = c * k - s * t, s * k + c * t
        return self._substitute(terms, dict(zip(ring.waves(angle), new, strict=True)))

    def _substitute(self, terms: Terms, rules: Mapping[int, Polynomial]) -> Terms:
        """Return the terms with polynomials substituted for some generators."""
        found: Terms = {}
        for powers, value in terms.items():
            kept = tuple(pair for pair in powers if pair[0] not in rules)
            product = Polynomial(self.ring, {kept: value})
            for k, n in powers:
                for _ in range(n if k in rules else 0):
                    product = product * rules[k]
            for new, x in product.terms.items():
                add_term(found, new, x)
        return found

    # -- sums of speeds -----------------------------------------------------------

    def _in_sums(self, terms: Terms) -> Terms:
        """Return the terms with sums of inputs as generators, where that leaves fewer terms."""
        return _shrink(terms, len, self._in_other_sums)

    def _in_other_sums(self, terms: Terms) -> Iterator[Terms]:
        """Yield the terms with one input expressed by its sum with another input.

        Only pairs with equal coefficients up to sign are tried: ``A u1 + A u2`` becomes ``A (u1 +
        u2)``.
        """
        below = {k for powers in terms for k, n in powers if n < 0}
        used = {k for powers in terms for k, _ in powers if self.writer.is_moving(k)} - below
        pairs = set[tuple[int, int, int]]()
        for powers, value in terms.items():
            for one in used.intersection(k for k, _ in powers):
                for other in used - {one}:
                    swap = ((one, -1), (other, 1)) if one < other else ((other, 1), (one, -1))
                    if partner := terms.get(multiply_powers(powers, swap)):
                        pairs.add((one, other, 1 if partner * value > 0 else -1))
        for one, other, sign in sorted(pairs):
            whole = self.ring.expression({((one, 1),): 1, ((other, 1),): sign})
            rest = self.ring.wave(other).times(-sign)
            yield self._substitute(terms, {one: self.ring.generator(whole) + rest})


def _shrink(terms: Terms, size: Any, others: Any) -> Terms:
    """Return terms after repeated replacement by the smallest variant, while that is smaller.

    ``others`` yields the variants of terms, ``size`` measures terms.
    """
    while True:
        best = min(others(terms), key=size, default=terms)
        if size(best) >= size(terms):
            return terms
        terms = best


def _without_duplicates(forms: Iterable[Terms]) -> Iterable[Terms]:
    """Return the forms that have different terms, each once."""
    return {frozenset(form.items()): form for form in forms}.values()
