"""Values of a program that are computed two at a time, such as those of a left and a right arm.

Limbs that are built alike have similar formulas: corresponding values become one *pair*, and a long
program for one sample, which leaves vector registers unused, becomes nearly half as long.  A value
without a partner is a pair of two equal values.  Pairs are separated where limbs meet.  Numbers may
differ in a pair, also in sign: the signs of (a, -b) are moved to pairs of constants.

References
==========

.. [1] S. Larsen, S. Amarasinghe, Exploiting superword level parallelism with multimedia
   instruction sets, ACM SIGPLAN Notices 35 (5), 2000.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property
from itertools import count
from typing import Any

from sympy import Expr, Integer

from ...arithmetic.operations import ArgumentPart, Call, Constant, Input, Operation, Product, Sum
from ...arithmetic.program import Output, Program

#: Signed references to two values that are computed together.
Two = tuple[int, int]

#: A program of so many operations fits into the processor's caches: it has no pairs.
SHORT = 4_000

#: Nor has one that pairs make no shorter than this part of it.
WORTH = 0.75


class PairFunction(Enum):
    """Makes a pair of two constants, or of a number of one pair and a number of another one."""

    PAIR = "pair"
    PICK_00 = "pick_00"
    PICK_01 = "pick_01"
    PICK_10 = "pick_10"
    PICK_11 = "pick_11"


class PairedProgram(Program):
    """A program whose varying values, those from the reference ``begin`` on, are pairs."""

    # An input is that of its symbol beside that of seconds; entry k of an output is the number
    # sides[output][k] of its pair.

    def __init__(
        self,
        whole: Program,
        operations: Mapping[int, Operation],
        outputs: Iterable[Output],
        seconds: Mapping[int, Expr],
        sides: Sequence[Sequence[int]],
        begin: int,
    ) -> None:
        self.graph, self.groups = whole.graph, whole.groups
        self.outputs, self.operations = tuple(outputs), dict(operations)
        self.refs = tuple(operations)
        self.seconds, self.sides = seconds, sides
        self._begin = begin

    def __repr__(self) -> str:
        return f"PairedProgram({len(self.sample_refs)} pairs)"

    @cached_property
    def varying(self) -> frozenset[int]:
        return frozenset(ref for ref in self.refs if ref >= self._begin)


def paired(program: Program) -> PairedProgram | None:
    """Return a program on pairs, None if it is hardly shorter."""
    if len(program.sample_refs) <= SHORT:
        return None
    pairs = _Pairing(program).program()
    return pairs if len(pairs.sample_refs) < WORTH * len(program.sample_refs) else None


class _Partners:
    """Finds the values of a program that are to be pairs."""

    # Of has the second value, with a sign, by the first one; first the reverse; parts what both are
    # made of. Two are alike if one formula makes them from inputs and constants.

    def __init__(self, program: Program) -> None:
        self.of: dict[int, int] = {}
        self.first: dict[int, int] = {}
        self.parts: dict[int, list[Two]] = {}
        self.depth: dict[int, int] = {}
        self._operations, self._varying = program.operations, program.varying
        self._kinds: dict[int, int] = {}
        self._support: dict[int, int] = {}  # the inputs that it depends on, as bits
        self._image: dict[int, int] = {}  # from the bits of inputs to those of their partners
        self._groups = {s: k for k, group in enumerate(program.groups) for s in group.symbols}
        self._pair_up(self._read(program))

    def __contains__(self, ref: int) -> bool:
        return ref in self.of or ref in self.first

    def _read(self, program: Program) -> dict[int, list[int]]:
        known: dict[Hashable, int] = {}
        alike: dict[int, list[int]] = {}
        inputs = count()
        for ref in program.sample_refs:
            needed = [r for r in program.needed[ref] if r in self._varying]
            self.depth[ref] = 1 + max((self.depth[r] for r in needed), default=0)
            self._support[ref] = 0 if needed else 1 << next(inputs)
            for r in needed:
                self._support[ref] |= self._support[r]
            kind = self._kinds[ref] = known.setdefault(self._kind(ref), len(known))
            alike.setdefault(kind, []).append(ref)
        return alike

    def _kind(self, ref: int) -> Hashable:
        operation = self._operations[ref]
        if isinstance(operation, Input):
            return self._groups[operation.symbol]
        if isinstance(operation, (Sum, Product)):
            kinds = [self._kinds.get(r, -1) for r in (operation.left, abs(operation.right))]
            return type(operation), *sorted(kinds)
        assert isinstance(operation, Call)
        if any(isinstance(argument, ArgumentPart) for argument in operation.arguments):
            return "alone", ref
        kinds = [self._kinds.get(abs(r), -1 - abs(r)) for r in operation.arguments]
        return operation.function, *kinds, *(r > 0 for r in operation.arguments)

    def _pair_up(self, alike: Mapping[int, Sequence[int]]) -> None:
        """Make pairs, first of values with one possible partner, and of whole formulas."""
        last_first = sorted(self.depth, key=lambda ref: -self.depth[ref])
        for most in (2, len(last_first)):
            for ref in last_first:
                others = alike[self._kinds[ref]]
                if ref not in self and 2 <= len(others) <= most:
                    found = (r for r in others if r not in self and self._is_mirrored(ref, r))
                    self._join(*sorted((ref, next(found, ref))))

    def _is_mirrored(self, ref: int, other: int) -> bool:
        """Whether two values depend in the same way on the inputs of two limbs."""
        own, others, image = self._support[ref], self._support[other], 0
        for bit in _bits(own):
            image |= self._image.get(bit, 0)
        return own != others and own.bit_count() == others.bit_count() and not image & ~others

    def _join(self, one: int, other: int) -> None:
        wishes = [(one, other)]
        while wishes:
            a, b = wishes.pop()
            if a < 0:
                a, b = -a, -b
            is_alike = a in self._varying and self._kinds[a] == self._kinds.get(abs(b))
            if a != abs(b) and is_alike and a not in self and abs(b) not in self:
                self.of[a] = self._made_alike(a, b)
                self.first[abs(b)] = a
                wishes += self.parts[a]

    def _made_alike(self, a: int, b: int) -> int:
        """Find the parts of a pair, and return the second value with its sign."""
        one, other, sign = self._operations[a], self._operations[abs(b)], 1 if b > 0 else -1
        if isinstance(one, Input):
            for x, y in ((a, abs(b)), (abs(b), a)):
                self._image[self._support[x]] = self._support[y]
            self.parts[a], sign = [], 1
        elif isinstance(one, Call):
            assert isinstance(other, Call)
            self.parts[a], sign = list(zip(one.arguments, other.arguments, strict=True)), 1
        else:
            assert isinstance(one, (Sum, Product))
            assert isinstance(other, (Sum, Product))
            (x, y), (v, w) = (one.left, one.right), (other.left, other.right)
            if self._fit(x, w) + self._fit(y, v) > self._fit(x, v) + self._fit(y, w):
                v, w = w, v
            known = [self._sign(x, v), self._sign(y, w)]
            if isinstance(one, Sum):
                if any(known) and sign not in known:
                    sign = -sign
                self.parts[a] = [(x, sign * v), (y, sign * w)]
            else:
                sign = known[0] * known[1] or sign
                # to a constant, or to what has no sign yet
                is_first = x not in self._varying or (y in self._varying and not known[0])
                signs = (sign * (known[1] or 1), known[1] or 1)
                signs = signs if is_first else (known[0] or 1, sign * (known[0] or 1))
                self.parts[a] = [(x, signs[0] * v), (y, signs[1] * w)]
        return sign * abs(b)

    def _sign(self, a: int, b: int) -> int:
        """Return the sign that makes a pair of b with a, 0 where either does."""
        one, other = abs(a), abs(b)
        sign = 1 if (a > 0) == (b > 0) else -1
        if one == other and one in self._varying:
            return sign
        pair = self.of.get(one, 0) if abs(self.of.get(one, 0)) == other else 0
        if abs(self.of.get(other, 0)) == one:
            pair = self.of[other]
        return sign * ((pair > 0) - (pair < 0))

    def _fit(self, a: int, b: int) -> int:
        """Return how similar two values are."""
        a, b = abs(a), abs(b)
        if self._kinds.get(a) != self._kinds.get(b):
            return -100
        if a == b or self.first.get(b) == a or self.first.get(a) == b:
            return 3
        return -3 if a in self or b in self else 0


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest
        number ^= lowest


class _Pairing:
    def __init__(self, program: Program) -> None:
        self._partners = _Partners(program)
        self._whole = program
        self._operations = {ref: program.operations[ref] for ref in program.constant_refs}
        self._unit = max(program.refs, default=0) + 1
        self._operations[self._unit] = Constant(Integer(1))
        self._begin = self._unit + 1
        self._known: dict[Operation, int] = {}
        self._seconds: dict[int, Expr] = {}
        #: Where values are: in which pair, with which sign, and on which side.
        self._places: dict[int, tuple[int, int]] = {}

    def program(self) -> PairedProgram:
        partners = self._partners
        for ref in sorted(partners.depth, key=lambda ref: partners.depth[ref]):
            if ref not in partners.first:
                pair, other = self._computed(ref), partners.of.get(ref, 0)
                self._places[ref] = pair, 0
                if other:
                    self._places[abs(other)] = pair if other > 0 else -pair, 1
        outputs, sides = [], []
        for output in self._whole.outputs:
            entries = [self._place(ref) for ref in output.refs]
            outputs.append(replace(output, refs=tuple(ref for ref, _ in entries)))
            sides.append([side for _, side in entries])
        return PairedProgram(
            self._whole, self._operations, outputs, self._seconds, sides, self._begin
        )

    def _computed(self, ref: int) -> int:
        """Return the signed pair of a value and its partner, or of twice the value."""
        operation, other = self._whole.operations[ref], self._partners.of.get(ref, ref)
        parts = self._partners.parts.get(ref)
        if isinstance(operation, Input):
            pair = self._add(operation)
            partner = self._whole.operations[abs(other)]
            assert isinstance(partner, Input)
            self._seconds[pair] = partner.symbol
            return pair
        if isinstance(operation, Call):
            return self._add(self._call(operation, parts))
        assert isinstance(operation, (Sum, Product))
        x, y = operation.left, operation.right
        one, two = (self._value(*part) for part in parts or [(x, x), (y, y)])
        if isinstance(operation, Sum):
            return self._sum(one, two)
        return self._product(one, two)

    def _call(self, call: Any, parts: list[Two] | None = None) -> Any:
        arguments: list[Any] = [
            self._call(argument)
            if isinstance(argument, ArgumentPart)
            else self._value(argument, argument)
            if isinstance(argument, int)
            else argument
            for argument in call.arguments
        ]
        if parts is not None:
            arguments = [self._value(*part) for part in parts]
        return replace(call, arguments=tuple(arguments))

    def _sum(self, one: int, two: int) -> int:
        if one < 0 < two:
            one, two = two, one
        return self._add(Sum(one, two)) if one > 0 else -self._add(Sum(-one, -two))

    def _product(self, one: int, two: int) -> int:
        pair = self._add(Product(abs(one), abs(two)))
        return pair if (one > 0) == (two > 0) else -pair

    def _value(self, a: int, b: int) -> int:
        """Return the signed pair of two values; a constant twice is that constant."""
        if a < 0:
            return -self._value(-a, -b)
        if a == b == 0:
            return 0
        if a not in self._places:
            return a if a == b else self._add(Call(PairFunction.PAIR, (a, b)))
        (one, first), (two, second) = self._place(a), self._place(b)
        pair = abs(one)
        if a == b and a not in self._partners:
            return one
        if pair != abs(two) or (first, second) != (0, 1):
            pick = PairFunction(f"pick_{first}{second}")
            pair = self._add(Call(pick, (pair, abs(two))))
        if (one > 0) != (two > 0):
            signs = self._add(Call(PairFunction.PAIR, (self._unit, -self._unit)))
            pair = self._product(pair, signs)
        return pair if one > 0 else -pair

    def _place(self, ref: int) -> tuple[int, int]:
        """Return the signed pair in which a value or its negative is, and on which side."""
        pair, side = self._places.get(abs(ref), (abs(ref), 0))
        return pair if ref > 0 else -pair, side

    def _add(self, operation: Operation) -> int:
        ref = self._known.setdefault(operation, self._begin + len(self._known))
        self._operations[ref] = operation
        return ref
