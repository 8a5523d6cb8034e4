"""The conversion of the user's loop joints and contacts to closures of the tree."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from sympy import Expr, eye
from sympy.physics.vector import Point

from ....checks.arguments import check_instances
from ...arithmetic.expression_derivatives import differentiate_leaf
from ..loads import LinkIndex, VectorPart
from ..loop_closures import LoopClosure, VectorParts
from ..loop_connection import LoopConnection
from ..tree import TopologyError, Tree
from .bodies import duplicate_name_problems
from .ground import position_from_origin
from .owners import Owners, link_of

#: The description of valid ``loops``, for messages.
EXPECTED = "an iterable of LoopJoint and Contact"


def check_loops(loops: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(check_instances("loops", loops, LoopConnection, EXPECTED))


def read_closings(tree: Tree, loops: Sequence[Any]) -> tuple[LoopClosure, ...]:
    """Return the loop closures of a tree for the user's loop joints and contacts.

    Raise one TopologyError with all their problems, which include equal names and duplicates.
    """
    owners = Owners(tree)
    problems, closings = duplicate_name_problems([*tree.joints, *loops]), []
    for loop in loops:
        try:
            closings.append(_read_closing(tree, owners, loop))
        except ValueError as error:
            problems.append(f"{loop.name!r} cannot close a loop: {error}")
    problems += [
        f"{other.joint.name!r} duplicates {one.joint.name!r}. Leave one of them out."
        for one, other in combinations(closings, 2)
        if one.is_same_as(other)
    ]
    if problems:
        raise TopologyError("loops", problems)
    return tuple(closings)


def _read_closing(tree: Tree, owners: Owners, loop: Any) -> LoopClosure:
    """Return the closure for a loop joint or contact, with vectors as parts in frames of links.

    A contact has no point on its parent.  A joint that prescribes a length has one force, along the
    line between its points.

    Raise a ValueError if the bodies or points are invalid, or if the length or surface velocity
    depends on the motion.
    """
    parent, child = link_of(tree, loop.parent), link_of(tree, loop.child)
    if parent == child:
        raise ValueError(
            f"{loop.parent} and {loop.child} are the same body, or both fixed in ground."
        )
    length = loop.length
    surface = owners.parts(loop.surface_velocity) if loop.is_contact else ()
    _check_prescribed(tree, "length", () if length is None else [length], tree.coordinates)
    _check_prescribed(tree, "surface velocity", [part.components for part in surface])
    pairs = zip(loop.orthogonal_pairs, strict=True)
    return LoopClosure(
        joint=loop,
        parent=parent,
        child=child,
        parent_position=(
            None if loop.is_contact else _joint_position(tree, owners, loop.parent_point, parent)
        ),
        child_position=_joint_position(tree, owners, loop.child_point, child),
        forces=((),) if length is not None else tuple(map(owners.parts, loop.force_directions)),
        moments=tuple(map(owners.parts, loop.moment_directions)),
        pairs=tuple((owners.parts(one), owners.parts(other)) for ((one, other),) in pairs),
        length=length,
        surface_velocity=surface,
    )


def _check_prescribed(
    tree: Tree, name: str, values: Sequence[Any], others: Sequence[Expr] = ()
) -> None:
    """Raise a ValueError if a quantity depends on speeds, rates or other symbols."""
    if not values:
        return
    rates = [differentiate_leaf(coordinate, tree.time) for coordinate in tree.coordinates]
    for symbol in (*tree.speeds, *rates, *others):
        if any(value.has(symbol) for value in values):
            raise ValueError(f"its {name} must be prescribed, but depends on {symbol}.")


def _joint_position(tree: Tree, owners: Owners, point: Point, index: LinkIndex) -> VectorParts:
    """Return a point's position from a link's origin, or from the ground origin on ground."""
    if index is None:
        origin = tree.ground_origin
        if origin is None:
            raise ValueError(f"no point of ground is known from which {point} could be placed.")
        return owners.parts(position_from_origin(point, origin))
    link = tree.links[index]
    center = VectorPart(index, eye(3), link.masscenter)
    return (center, *owners.parts(position_from_origin(point, link.body.masscenter)))
