"""What closes loops in a tree: where a joint outside the tree, or a contact, acts on two bodies."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from sympy import Expr, ImmutableDenseMatrix

from .loads import LinkIndex, VectorPart

#: The components of a vector, each with the link in which their frame is fixed.
VectorParts = tuple[VectorPart, ...]


@dataclass(frozen=True, eq=False)
class Closing:
    """A joint or contact between two bodies that a tree already joins in other ways.

    Attributes
    ==========

    joint : LoopJoint or Contact
        What the user gave.
    parent, child : int or None
        The links between which it acts; None for ground.
    parent_place, child_place : VectorParts
        Position of the point on each from the link's origin (on ground: from the
        tree's ground origin); that of a contact's parent is None: it is where the
        child's is.
    forces, moments : tuple of VectorParts
        Directions along which a force and a moment are transmitted; that of a rod has no
        parts: it leads from the place on the parent to that on the child.
    pairs : tuple of pairs of VectorParts
        For each moment a direction in the parent and one in the child that stay
        normal to each other.
    length : Expr or None
        That of a rod.
    surface_velocity : VectorParts
        Of the surface of a contact, as seen from the parent.
    """

    joint: Any
    parent: LinkIndex
    child: LinkIndex
    parent_place: VectorParts | None
    child_place: VectorParts
    forces: tuple[VectorParts, ...]
    moments: tuple[VectorParts, ...]
    pairs: tuple[tuple[VectorParts, VectorParts], ...]
    length: Expr | None = None
    surface_velocity: VectorParts = ()

    @property
    def is_contact(self) -> bool:
        """Whether it constrains velocities alone."""
        return self.parent_place is None

    def is_same_as(self, other: "Closing") -> bool:
        """Whether it is at the same places and transmits the same."""
        return all(
            getattr(self, field.name) == getattr(other, field.name)
            for field in fields(self)
            if field.name != "joint"
        )

    @property
    def size(self) -> int:
        """The number of equations, and of what is transmitted."""
        return len(self.forces) + len(self.moments)


@dataclass(frozen=True, eq=False)
class Constraints:
    """What keeps the speeds of a model from being independent.

    Attributes
    ==========

    closings : tuple of Closing
        The closing joints and contacts that the user named.
    ground_places : mapping of int to 3 x 1 matrix
        For each link on ground, the position of its joint's point on ground from
        one common point, the ground origin; in the inertial frame.
    position, velocity : tuple of Expr
        The model's own equations: what vanishes.
    coordinates, independent : tuple of Expr
        The independent coordinates and speeds.
    """

    closings: tuple[Closing, ...] = ()
    ground_places: Mapping[int, ImmutableDenseMatrix] = field(default_factory=dict)
    position: tuple[Expr, ...] = ()
    velocity: tuple[Expr, ...] = ()
    coordinates: tuple[Expr, ...] = ()
    independent: tuple[Expr, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.closings or self.position or self.velocity)
