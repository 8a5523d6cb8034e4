"""What unknown forces would supply if they pointed in other directions, which no pose can choose.

How large the effect of a force is shows beside what it would be along each of three axes; with all
of them it hardly depends on the pose.  What acts at no place, a constraint equation, is looked at
with other angles of the mechanism.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from sympy import Expr, ImmutableDenseMatrix

from ...arithmetic.factorization import dot
from ...arithmetic.graph import Scalar
from ...mechanism.loads import AppliedLoad, VectorPart
from ...mechanism.loop_closures import LoopClosure
from ..recursion.scalar_tree import ScalarTree, load_wrench
from .constraint_errors import unit_wrenches
from .constraint_forces import supplied_in_loop
from .unknowns import supplied_by

#: The axes of ground, each as a vector.
AXES = tuple(
    (VectorPart(None, ImmutableDenseMatrix.eye(3), ImmutableDenseMatrix.eye(3)[:, k]),)
    for k in range(3)
)


class Turned(NamedTuple):
    """The columns of a force along each of three axes; of several forces, by their components."""

    by_axis: list[list[list[Scalar]]]

    @property
    def rows(self) -> list[list[Scalar]]:
        """What it supplies along each axis; dependent where that is no direction of its own."""
        return [[x for column in columns for x in column] for columns in self.by_axis]

    @property
    def columns(self) -> list[list[Scalar]]:
        """All columns."""
        return [column for columns in self.by_axis for column in columns]


def turned_closing(tree: ScalarTree, closing: LoopClosure, is_moment: bool) -> Turned:
    """Return a unit of force or moment on the bodies of a closing, at its child's point."""
    full = replace(
        closing,
        forces=() if is_moment else AXES,
        moments=AXES if is_moment else (),
        pairs=(),
        length=None,
        parent_position=None,
    )
    return Turned([[supplied_in_loop(tree, full, x)] for x in unit_wrenches(tree, full)])


def turned_load(tree: ScalarTree, symbol: Expr) -> list[Turned]:
    """Return the forces per unit of a load symbol turned together, and its moments."""
    applied = tree.symbolic.assigned.per_unit(symbol).applied
    kinds = [[x for x in applied if (x.position is None) is own] for own in (False, True)]
    return [_turned_together(tree, loads) for loads in kinds if loads]


def _turned_together(tree: ScalarTree, loads: Sequence[AppliedLoad]) -> Turned:
    vectors = [tree.express(load.parts, None).components for load in loads]

    def along(axis: tuple[VectorPart, ...]) -> list[list[Scalar]]:
        units = [
            supplied_by(tree, {load.link: load_wrench(tree, replace(load, parts=axis))})
            for load in loads
        ]
        found = [parts for parts in zip(*vectors, strict=True) if any(not x.is_zero for x in parts)]
        return [[dot(own, parts) for own in zip(*units, strict=True)] for parts in found]

    return Turned([along(axis) for axis in AXES])
