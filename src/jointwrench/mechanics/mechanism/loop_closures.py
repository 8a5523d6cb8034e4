"""Loop joints and contacts: joints that are not in the tree, between two of its bodies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sympy import Expr, ImmutableDenseMatrix
from sympy.matrices import MatrixBase

from ...checks.arguments import symbol_name
from .loads import LinkIndex, VectorPart

#: The components of a vector, each with the link in which their frame is fixed.
VectorParts = tuple[VectorPart, ...]


@dataclass(frozen=True, eq=False)
class LoopClosure:
    """A loop joint or contact between two links that the tree already connects.

    Attributes
    ==========

    joint : LoopJoint or Contact
        The joint itself.
    parent, child : int or None
        The indices of the two links; None is ground.
    parent_position, child_position : tuple of VectorPart
        The positions of the joint's points from the origin of their link (on ground: from the
        ground origin).  ``parent_position`` is None for a contact: its only point is the child's.
    forces, moments : tuple of tuple of VectorPart
        The directions of transmitted forces and moments.  The force of a rod has no parts: it acts
        along the line from the parent's point to the child's.
    pairs : tuple of pairs
        For each moment a direction in the parent and one in the child that stay orthogonal.
    length : Expr or None
        The length of a rod.
    surface_velocity : tuple of VectorPart
        The velocity of a contact's surface relative to the parent.
    """

    joint: Any
    parent: LinkIndex
    child: LinkIndex
    parent_position: VectorParts | None
    child_position: VectorParts
    forces: tuple[VectorParts, ...]
    moments: tuple[VectorParts, ...]
    pairs: tuple[tuple[VectorParts, VectorParts], ...]
    length: Expr | None = None
    surface_velocity: VectorParts = ()

    @property
    def is_contact(self) -> bool:
        """Whether the joint is a contact, which constrains only velocities."""
        return self.parent_position is None

    def is_same_as(self, other: "LoopClosure") -> bool:
        """Whether another loop closure has the same bodies, points and directions."""
        names = (field.name for field in fields(self) if field.name != "joint")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    @property
    def position_expressions(self) -> Iterator[Expr | MatrixBase]:
        """The expressions of the joint's positions, directions and length."""
        places = (*(self.parent_position or ()), *self.child_position)
        directions = (*self.forces, *self.moments, *(x for pair in self.pairs for x in pair))
        for part in (*places, *(part for parts in directions for part in parts)):
            yield from (part.rotation, part.components)
        if self.length is not None:
            yield self.length

    @property
    def size(self) -> int:
        """The number of constraint equations, which is that of transmitted components."""
        return len(self.forces) + len(self.moments)


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraints of a model: loop joints, contacts and the model's own equations.

    Attributes
    ==========

    closings : tuple of LoopClosure
        The loop joints and contacts.
    ground_points : mapping of int to matrix
        For each link that is joined to ground the position of the joint's point from the ground
        origin, in the inertial frame.
    position, velocity : tuple of Expr
        The residuals of the model's own constraint equations.
    coordinates, independent : tuple of Expr
        The independent coordinates and the independent speeds.
    """

    closings: tuple[LoopClosure, ...] = ()
    ground_points: Mapping[int, ImmutableDenseMatrix] = field(default_factory=dict)
    position: tuple[Expr, ...] = ()
    velocity: tuple[Expr, ...] = ()
    coordinates: tuple[Expr, ...] = ()
    independent: tuple[Expr, ...] = ()

    @property
    def position_expressions(self) -> Iterator[Expr | MatrixBase]:
        """The expressions in the residuals of position constraints."""
        yield from self.position
        for closing in self.closings:
            yield from closing.position_expressions

    @property
    def velocity_expressions(self) -> Iterator[Expr | MatrixBase]:
        """The expressions that only velocity constraints contain."""
        yield from self.velocity
        for closing in self.closings:
            yield from (part.components for part in closing.surface_velocity)

    def __bool__(self) -> bool:
        return bool(self.closings or self.position or self.velocity)


def declaration(
    constraints: Constraints, coordinates: Sequence[Expr], speeds: Sequence[Expr]
) -> str:
    """Return code that makes the last coordinates and speeds of a System the dependent ones."""
    joints = [closing.joint for closing in constraints.closings]
    positions = len(constraints.position) or sum(len(x.holonomic_constraints) for x in joints)
    velocities = len(constraints.velocity) or sum(len(x.velocity_constraints) for x in joints)
    parts = []
    for letter, symbols, count in (("q", coordinates, positions), ("u", speeds, velocities)):
        if 0 < count < len(symbols):
            names = [symbol_name(symbol) for symbol in symbols]
            first, last = (", ".join(own) for own in (names[:-count], names[-count:]))
            parts.append(f"system.{letter}_ind, system.{letter}_dep = [{first}], [{last}]")
    return "; ".join(parts)
