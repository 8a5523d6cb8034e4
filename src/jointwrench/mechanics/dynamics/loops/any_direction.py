"""The generalized forces of unknown forces in all directions, as a reference for their effect.

Whether the effect of a force is small can only be judged by comparison: with the effects that the
force would have along each of three axes.  These hardly depend on the pose.  A constraint equation
has no point of action; it is compared with its coefficients at other angles of the mechanism
(`rows_at_other_angles`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from sympy import Expr

from ...arithmetic.factorization import dot
from ...arithmetic.graph import Scalar
from ...mechanism.loads import AppliedLoad, VectorPart, unit_vectors
from ...mechanism.loop_closures import LoopClosure
from ..recursion.scalar_tree import ScalarTree, load_wrench
from .constraint_errors import unit_wrenches
from .constraint_forces import supplied_in_loop
from .unknowns import supplied_by

#: The three unit vectors of the ground frame.
AXES = unit_vectors(None)


class Turned(NamedTuple):
    """The generalized forces that a force or moment supplies along each axis of ground.

    Attributes
    ==========

    by_axis : list of list of list of Scalar
        For each axis a list of columns; a column has one generalized force per speed.  A single
        force has one column.  Several forces that depend on one load symbol have a column for each
        component of their vectors that is not zero.
    """

    by_axis: list[list[list[Scalar]]]

    @property
    def rows(self) -> list[list[Scalar]]:
        """The joined columns of each axis; the rank is the number of directions with an effect."""
        return [[x for column in columns for x in column] for columns in self.by_axis]

    @property
    def columns(self) -> list[list[Scalar]]:
        """The columns of all axes in one list."""
        return [column for columns in self.by_axis for column in columns]


def turned_closing(tree: ScalarTree, closing: LoopClosure, is_moment: bool) -> Turned:
    """Return the columns of a unit force or moment of a loop joint along each axis of ground.

    The unit acts at the child's point on the child, and with the opposite sign on the parent.
    """
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
    """Return the columns of a load symbol's forces, and of its moments, along each axis of ground.

    Either entry is missing if the symbol has no forces or no moments.
    """
    applied = tree.symbolic.assigned.per_unit(symbol).applied
    kinds = [[x for x in applied if (x.position is None) is own] for own in (False, True)]
    return [_turned_together(tree, loads) for loads in kinds if loads]


def _turned_together(tree: ScalarTree, loads: Sequence[AppliedLoad]) -> Turned:
    """Return the columns of loads that all rotate into each axis of ground.

    Loads of one symbol act together, so a column is the sum of their effects.  The loads keep
    their relative sizes and signs: each component of their vectors gives one column, in which a
    load counts with its own value of that component.
    """
    vectors = [tree.express(load.parts, None).components for load in loads]

    def along(axis: tuple[VectorPart, ...]) -> list[list[Scalar]]:
        turned = (replace(load, parts=axis) for load in loads)
        units = [supplied_by(tree, {load.link: load_wrench(tree, load)}) for load in turned]
        found = [parts for parts in zip(*vectors, strict=True) if any(not x.is_zero for x in parts)]
        return [[dot(own, parts) for own in zip(*units, strict=True)] for parts in found]

    return Turned([along(axis) for axis in AXES])
