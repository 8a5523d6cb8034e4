"""Values that are zero except where conditions hold, and need not be finite elsewhere.

The other pieces of a Piecewise may be NaN, and a root has no finite slope at zero, so a derivative
must not be a product with 0 there.  A `Guarded` stores the conditions apart from the value:
products and most sums need no selection.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from sympy import Piecewise, StrictGreaterThan, StrictLessThan, sympify
from sympy.functions.elementary.piecewise import ExprCondPair

from .graph import Graph, Scalar
from .operations import ArgumentPart, Call
from .piecewise import Gate, Select

#: Functions that choose between values.
CHOICES = (Piecewise, Select, Gate)

#: A value's reference and where it is chosen, if none before it is.
Branch: TypeAlias = tuple[int, ArgumentPart | bool]


class Decision(NamedTuple):
    """One guard where a condition holds, another one elsewhere; conditions are in order."""

    place: int
    condition: ArgumentPart
    then: "Guard"
    other: "Guard"


#: Where a value may be other than zero: a decision diagram, so that equal guards are equal.
Guard: TypeAlias = bool | Decision


class Conditions:
    """The order of conditions."""

    def __init__(self) -> None:
        self._places: dict[ArgumentPart, int] = {}

    def guard(
        self, condition: ArgumentPart | bool, then: Guard = True, other: Guard = False
    ) -> Guard:
        """Return where ``then`` holds and a condition does, or ``other`` and it does not."""
        if isinstance(condition, bool):
            return then if condition else other
        place = self._places.setdefault(condition, len(self._places))
        one, two = (Decision(place, condition, k == 0, k == 1) for k in range(2))
        return either(both(one, then), both(two, other))

    def pieces(self, call: Call) -> tuple[list[tuple[int, Guard]], Guard]:
        """Return the values of a choice with where each is chosen, and where none is."""
        found, passed = [], list[ArgumentPart | bool]()
        for ref, condition in branches(call):
            found.append((ref, self._behind(passed, self.guard(condition))))
            passed.append(condition)
        return found, self._behind(passed, True)

    def _behind(self, passed: Sequence[ArgumentPart | bool], guard: Guard) -> Guard:
        for condition in reversed(passed):
            guard = self.guard(condition, False, guard)
        return guard


def both(one: Guard, two: Guard) -> Guard:
    """Return where two guards hold."""
    return _joined(one, two, False, {})


def either(one: Guard, two: Guard) -> Guard:
    """Return where one of two guards holds."""
    return _joined(one, two, True, {})


def _joined(one: Guard, two: Guard, decisive: bool, known: dict[tuple[int, int], Guard]) -> Guard:
    # Many decisions lead to the same guard: each pair is joined once.
    if isinstance(one, bool):
        return decisive if one is decisive else two
    if isinstance(two, bool):
        return decisive if two is decisive else one
    if one is two:
        return one
    if (pair := (id(one), id(two))) not in known:
        place, condition, *_ = min(one, two, key=lambda decision: decision.place)
        (a, b), (c, d) = (
            (guard.then, guard.other) if guard.place == place else (guard, guard)
            for guard in (one, two)
        )
        then, other = _joined(a, c, decisive, known), _joined(b, d, decisive, known)
        known[pair] = then if then == other else Decision(place, condition, then, other)
    return known[pair]


class Guarded:
    """A value that is valid where its guard holds; ``settled`` is zero elsewhere."""

    __slots__ = ("_known", "guard", "is_settled", "scalar")

    def __init__(self, scalar: Scalar, guard: Guard = True, is_settled: bool = True) -> None:
        self.scalar, self.is_settled = scalar, is_settled
        self.guard = guard if scalar.ref else False
        self._known: Guarded | None = None

    @property
    def is_zero(self) -> bool:
        """Whether the value is known to be zero."""
        return self.guard is False

    @property
    def settled(self) -> "Guarded":
        """The same, with a scalar that is zero where the guard does not hold."""
        if self.is_settled or self.guard is True:
            return self
        if self._known is None:
            self._known = Guarded(_chosen(self.guard, self.scalar, 0), self.guard)
        return self._known

    def __neg__(self) -> "Guarded":
        return Guarded(-self.scalar, self.guard, self.is_settled)

    def times(self, other: "Guarded", is_settled: bool) -> "Guarded":
        """Return the product."""
        return Guarded(self.scalar * other.scalar, both(self.guard, other.guard), is_settled)

    def __add__(self, other: "Guarded") -> "Guarded":
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        is_settled, guard = self.is_settled and other.is_settled, either(self.guard, other.guard)
        if is_settled or self.guard == other.guard:
            return Guarded(self.scalar + other.scalar, guard, is_settled)
        if both(self.guard, other.guard) is False:
            scalar = _chosen(self.guard, self.scalar, other.scalar.ref)
        else:
            scalar = self.settled.scalar + other.settled.scalar
        return Guarded(scalar, guard, is_settled=False)


def _chosen(guard: Guard, one: Scalar, other: int) -> Scalar:
    """Return a value where a guard holds, another one elsewhere."""
    graph, known = one.graph, dict[int, int]()

    def within(guard: Guard) -> int:
        if id(guard) not in known:
            found, last = list[Branch](), guard
            while not isinstance(last, bool):
                found.append((within(last.then), last.condition))
                last = last.other
            known[id(guard)] = choice(graph, [*found, (one.ref if last else other, True)])
        return known[id(guard)]

    return Scalar(graph, within(guard))


def branches(call: Call) -> list[Branch]:
    """Return the values of a choice, each with its condition."""
    if call.function is not Piecewise:
        left, right, one, other = call.arguments
        return [(one, ArgumentPart(call.function, (left, right))), (other, True)]
    return [(pair.arguments[0], _condition(pair.arguments[1])) for pair in call.arguments]


def choice(graph: Graph, found: Sequence[Branch]) -> int:
    """Return the value whose condition holds first; NaN if none does."""
    refs, conditions = zip(*found, strict=True)
    if len(set(refs)) == 1 and conditions[-1] is True:
        return refs[0]
    if max(refs) <= 0:
        return -choice(graph, [(-ref, condition) for ref, condition in found])
    first = conditions[0]
    if conditions[1:] == (True,) and first.function in CHOICES:
        return graph.call(first.function, [*first.arguments, *refs])
    pairs = ((ref, _for_piecewise(condition)) for ref, condition in found)
    return graph.call(Piecewise, [ArgumentPart(ExprCondPair, pair) for pair in pairs])


def _condition(found: Any) -> ArgumentPart | bool:
    """Return a condition of a Piecewise; of two compared values as that of a choice."""
    if not isinstance(found, ArgumentPart):
        return bool(found)
    if found.function is StrictGreaterThan:
        return ArgumentPart(Gate, found.arguments)
    return ArgumentPart(Gate, found.arguments[::-1]) if found.function is StrictLessThan else found


def _for_piecewise(condition: ArgumentPart | bool) -> Any:
    if isinstance(condition, bool):
        return sympify(condition)
    is_choice = condition.function in CHOICES
    return ArgumentPart(StrictGreaterThan, condition.arguments) if is_choice else condition
