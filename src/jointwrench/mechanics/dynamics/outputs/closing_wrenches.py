"""The wrenches of closing joints and contacts on their children."""

from collections.abc import Sequence

from ...arithmetic.graph import Scalar
from ...mechanism.closing import Closing
from ..derivation import Derivation
from ..loops.constraint_errors import unit_wrench_on_child
from ..recursion.rigid_body import BodyWrench


def closing_wrench(
    derivation: Derivation, closing: Closing, values: Sequence[Scalar]
) -> BodyWrench:
    """Return the wrench of a closing on its child, about the child point."""
    own = derivation.supply.belonging_to(closing, values)
    result = BodyWrench.zero(derivation.graph)
    for unit, value in zip(unit_wrench_on_child(derivation.scalars, closing), own, strict=True):
        result = result + unit * value
    return result
