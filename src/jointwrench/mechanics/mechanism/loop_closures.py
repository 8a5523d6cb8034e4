"""Closings of loops in a tree: joints outside the tree and contacts, with their two bodies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sympy import Expr, ImmutableDenseMatrix
from sympy.matrices import MatrixBase

from .loads import LinkIndex, VectorPart

#: The components of a vector, each with the link in which their frame is fixed.
VectorParts = tuple[VectorPart, ...]


@dataclass(frozen=True, eq=False)
class LoopClosure:
    """A joint or contact between two bodies that the tree already connects."""

    # Places count from the links' origins, on ground (None) from the ground origin; a contact has
    # none on its parent: it is where the child's is. ``forces`` and ``moments`` are the directions
    # that are transmitted; that of a rod has no parts: it leads from the place on the parent to
    # that on the child. ``pairs``: for each moment a direction in the parent and one in the child
    # that stay normal to each other. ``surface_velocity`` is as seen from the parent.

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
        """Whether it constrains velocities alone."""
        return self.parent_position is None

    def is_same_as(self, other: "LoopClosure") -> bool:
        return all(
            getattr(self, field.name) == getattr(other, field.name)
            for field in fields(self)
            if field.name != "joint"
        )

    @property
    def position_expressions(self) -> Iterator[Expr | MatrixBase]:
        """The expressions for its place and its directions."""
        places = (*(self.parent_position or ()), *self.child_position)
        directions = (*self.forces, *self.moments, *(x for pair in self.pairs for x in pair))
        for part in (*places, *(part for parts in directions for part in parts)):
            yield from (part.rotation, part.components)
        if self.length is not None:
            yield self.length

    @property
    def size(self) -> int:
        """The number of equations, and of transmitted components."""
        return len(self.forces) + len(self.moments)


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraints of a model's speeds."""

    # ``ground_points``: the joint's point of each link on ground, from the ground origin, in the
    # inertial frame. ``position`` and ``velocity``: the model's own equations, what vanishes.

    closings: tuple[LoopClosure, ...] = ()
    ground_points: Mapping[int, ImmutableDenseMatrix] = field(default_factory=dict)
    position: tuple[Expr, ...] = ()
    velocity: tuple[Expr, ...] = ()
    coordinates: tuple[Expr, ...] = ()
    independent: tuple[Expr, ...] = ()

    @property
    def position_expressions(self) -> Iterator[Expr | MatrixBase]:
        """The expressions of position constraints."""
        yield from self.position
        for closing in self.closings:
            yield from closing.position_expressions

    @property
    def velocity_expressions(self) -> Iterator[Expr | MatrixBase]:
        """The expressions of velocity constraints."""
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
            first, last = (", ".join(map(_name, x)) for x in (symbols[:-count], symbols[-count:]))
            parts.append(f"system.{letter}_ind, system.{letter}_dep = [{first}], [{last}]")
    return "; ".join(parts)


def _name(symbol: Expr) -> str:
    return str(getattr(symbol, "name", symbol.func))
