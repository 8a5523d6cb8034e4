"""Choices between values, and derivatives that a choice makes zero.

The value that is not chosen may be NaN, and a root has no finite derivative at zero.  Therefore a
derivative that a choice makes zero stays zero whatever it is multiplied by: ``0`` instead of
``0*inf``.  This is tested at run time, and only if one factor can be made zero by a choice and the
other factor can be infinite.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from sympy import Piecewise, StrictGreaterThan, StrictLessThan, sympify
from sympy.functions.elementary.piecewise import ExprCondPair

from .graph import Graph, Scalar, apply_function
from .operations import ArgumentPart, Call, Operation, Product
from .piecewise import AbsorbingProduct, Gate, Select

#: Functions that choose between values.
CHOICES = (Piecewise, Select, Gate)

#: The reference of a value, and the condition for choosing it if all earlier ones are false.
Branch: TypeAlias = tuple[int, ArgumentPart | bool]


class Rate(NamedTuple):
    """A derivative as a scalar, with two properties that decide how products are formed.

    Attributes
    ==========

    scalar : Scalar
        The derivative.
    is_chosen : bool
        Whether a choice can make it zero.
    is_finite : bool
        Whether it is finite for all inputs.
    """

    scalar: Scalar
    is_chosen: bool = False
    is_finite: bool = True

    @property
    def is_zero(self) -> bool:
        """Whether the derivative is identically zero."""
        return self.scalar.ref == 0

    def __neg__(self) -> "Rate":
        return self._replace(scalar=-self.scalar)

    def plus(self, other: "Rate") -> "Rate":
        """Return the sum of two derivatives; a choice makes it zero only if it does so for both."""
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        is_chosen = self.is_chosen and other.is_chosen
        return Rate(self.scalar + other.scalar, is_chosen, self.is_finite and other.is_finite)

    def times(self, other: "Rate") -> "Rate":
        """Return the product of two derivatives, zero where a choice makes a factor zero."""
        is_finite = self.is_finite and other.is_finite
        absorbs = self.is_chosen and not other.is_finite, other.is_chosen and not self.is_finite
        if any(absorbs):
            one, two = (self.scalar, other.scalar)[:: 1 if absorbs[0] else -1]
            product = apply_function(AbsorbingProduct, one, two, two if all(absorbs) else 1)
        else:
            product = self.scalar * other.scalar
        return Rate(product, self.is_chosen or other.is_chosen, is_finite)


def factors(operation: Operation) -> dict[int, bool]:
    """Return the factors of a product by reference, each with whether it absorbs the other factor.

    The result is empty for other operations.
    """
    if isinstance(operation, Product):
        return {operation.left: False, operation.right: False}
    if isinstance(operation, Call) and operation.function is AbsorbingProduct:
        one, other, gate = operation.arguments
        return {one: True, other: gate == other}
    return {}


def branches(operation: Operation) -> list[Branch]:
    """Return the values of a choice, each with its condition; none for other operations."""
    if not (isinstance(operation, Call) and operation.function in CHOICES):
        return []
    if operation.function is not Piecewise:
        left, right, one, other = operation.arguments
        return [(one, ArgumentPart(operation.function, (left, right))), (other, True)]
    return [(pair.arguments[0], _condition(pair.arguments[1])) for pair in operation.arguments]


def choice(graph: Graph, found: Sequence[Branch]) -> int:
    """Return the reference of the value with the first true condition; NaN if none is true."""
    refs, conditions = zip(*found, strict=True)
    if len(set(refs)) == 1 and conditions[-1] is True:
        return refs[0]
    if any(refs) and max(refs) <= 0:
        return -choice(graph, [(-ref, condition) for ref, condition in found])
    first = conditions[0]
    if conditions[1:] == (True,) and first.function in CHOICES:
        return graph.call(first.function, [*first.arguments, *refs])
    pairs = ((ref, _for_piecewise(condition)) for ref, condition in found)
    return graph.call(Piecewise, [ArgumentPart(ExprCondPair, pair) for pair in pairs])


def _condition(found: Any) -> ArgumentPart | bool:
    """Return a condition of a Piecewise; a strict comparison becomes the condition of a Gate."""
    if not isinstance(found, ArgumentPart):
        return bool(found)
    if found.function is StrictGreaterThan:
        return ArgumentPart(Gate, found.arguments)
    return ArgumentPart(Gate, found.arguments[::-1]) if found.function is StrictLessThan else found


def _for_piecewise(condition: ArgumentPart | bool) -> Any:
    """Return a condition as an argument of a Piecewise."""
    if isinstance(condition, bool):
        return sympify(condition)
    is_choice = condition.function in CHOICES
    return ArgumentPart(StrictGreaterThan, condition.arguments) if is_choice else condition
