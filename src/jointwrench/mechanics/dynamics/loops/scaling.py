"""Scales between quantities of different units, by the model's own length.

Least squares and least norms add forces and moments, translations and rotations.  Their results
must not depend on the units of the model, so a rotation counts as the translation at the end of the
model's own length.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from sympy import Expr, S

from ...arithmetic.factorization import dot
from ...arithmetic.graph import Scalar, apply_function, replace_inputs, total
from ...arithmetic.piecewise import Select
from ...mechanism.loop_closures import LoopClosure
from ..recursion.scalar_tree import ScalarTree
from .unknowns import Unknown

#: With how many sets of other angles coefficients are looked at.
OTHER_ANGLES = 2


def length_of(tree: ScalarTree) -> Scalar:
    """Return the model's own length: the root of the sum of the squares of its constant lengths."""
    # Those on ground are left out: they depend on where the model stands. A model without any has
    # its bodies' radius of gyration in their place.
    square = squared_length(tree)
    if square.is_zero:
        square = _square_of_gyration(tree)
        square = tree.graph.scalar(1) if square.is_zero else square
    else:  # all lengths may be zero in a call
        square = apply_function(Select, square, 0, square, 1)
    return square**S.Half


def squared_length(tree: ScalarTree) -> Scalar:
    """Return the sum of the squares of the constant lengths; zero for a model without any."""
    graph = tree.graph
    lengths = [x for x in _lengths(tree) if not graph.varying[abs(x.ref)]]
    return total((graph.scalar(0), *(x * x for x in lengths)))


def _square_of_gyration(tree: ScalarTree) -> Scalar:
    """Return the square of the bodies' radius of gyration about their origins, taken together."""
    zero, mass = tree.graph.scalar(0), mass_of(tree)
    moments = [row.components[k] for x in tree.inertias for k, row in enumerate(x.moments.rows)]
    return total((zero, *moments)) * mass.reciprocal()


def _lengths(tree: ScalarTree) -> Iterator[Scalar]:
    for link, transform, inertia in zip(
        tree.symbolic.links, tree.transforms, tree.inertias, strict=True
    ):
        if link.inner is not None:
            yield from transform.attachment.components
            yield from transform.offset.components
        if inertia.point is not None:
            yield from inertia.point.components
    for closing in tree.symbolic.constraints.closings:
        places = (closing.parent, closing.parent_position), (closing.child, closing.child_position)
        for link_index, place in places:
            for part in place or ():
                if link_index is not None and part.link is not None:
                    yield from map(tree.graph.scalar, part.components)


def units_of_speeds(tree: ScalarTree) -> list[Scalar]:
    """Return what counts as one of the generalized force of each speed: a length where it turns."""
    turning, one = tree.turning_speeds, tree.graph.scalar(1)
    length = length_of(tree) if turning else one
    return [length if speed in turning else one for speed in tree.symbolic.speeds]


def units_of_unknowns(tree: ScalarTree, unknowns: Sequence[Unknown]) -> list[Scalar]:
    """Return the unit of each unknown: a force of one, or a moment of one length."""
    one = tree.graph.scalar(1)
    if not unknowns:
        return []
    of_speeds = dict(zip(tree.symbolic.speeds, units_of_speeds(tree), strict=True))
    length = length_of(tree)

    def unit(unknown: Unknown) -> Scalar:
        if unknown.source in of_speeds:
            return of_speeds[unknown.source]
        wrenches = unknown.wrenches.values()
        is_moment = wrenches and all(wrench.force.is_zero for wrench in wrenches)
        return length if is_moment else one

    return [unit(unknown) for unknown in unknowns]


def effects_of_unknowns(tree: ScalarTree, unknowns: Sequence[Unknown]) -> list[Scalar]:
    """Return the square of what a unit of each supplies at most, to speeds in their units."""
    # A force supplies at most itself, with the model's own length for an arm; what has no place
    # about as much as with other angles.
    speeds, loads = {*tree.symbolic.speeds}, {*tree.symbolic.load_symbols}
    found = []
    for unknown, unit in zip(unknowns, units_of_unknowns(tree, unknowns), strict=True):
        if isinstance(unknown.source, LoopClosure) or unknown.source in speeds:
            found.append((unit * unit).reciprocal())
        elif unknown.source in loads:
            found.append(_square_of_load(tree, unknown.source))
        else:
            found.append(square_at_other_angles(tree, unknown.column, units_of_speeds(tree)))
    return found


def _square_of_load(tree: ScalarTree, symbol: Expr) -> Scalar:
    """Return the squares of forces per unit, and of moments as forces at the model's own length."""
    graph, unit = tree.graph, length_of(tree)
    squares = [graph.scalar(0)]
    for load in tree.symbolic.assigned.per_unit(symbol).applied:
        components = [graph.scalar(x) for part in load.parts for x in part.components]
        square = dot(components, components)
        squares.append(square if load.position is not None else square / (unit * unit))
    return total(squares)


def square_at_other_angles(
    tree: ScalarTree, row: Sequence[Scalar], units: Sequence[Scalar]
) -> Scalar:
    """Return the square of coefficients of speeds, those with other angles of the mechanism."""
    shares = [unit.reciprocal() for unit in units]
    rows = rows_at_other_angles(tree, row)
    return total(
        x * x * share * share for own in rows for x, share in zip(own, shares, strict=True)
    )


def rows_at_other_angles(tree: ScalarTree, row: Sequence[Scalar]) -> list[list[Scalar]]:
    """Return coefficients with other values of what turns: no pose makes all of them small."""
    turning = [
        q
        for q, turns in zip(tree.symbolic.coordinates, tree.symbolic.is_turning, strict=True)
        if turns
    ]
    if not turning:
        return [list(row)]
    angles = np.random.default_rng(20261126).uniform(-np.pi, np.pi, (OTHER_ANGLES, len(turning)))
    values = (dict(zip(turning, map(tree.graph.scalar, own), strict=True)) for own in angles)
    return [replace_inputs(row, own) for own in values]


def units_of_constraints(tree: ScalarTree, rows: int) -> list[Scalar]:
    """Return the factors that convert constraints to translations: closings, then equations."""
    one, units = tree.graph.scalar(1), list[Scalar]()
    for closing in tree.symbolic.constraints.closings:
        length = length_of(tree) if closing.moments else one
        units += [one] * len(closing.forces) + [length] * len(closing.moments)
    return units + [one] * (rows - len(units))


def largest_of_constraints(tree: ScalarTree, rows: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """Return the squares that rows have at most after conversion to translations."""
    one, units = tree.graph.scalar(1), units_of_speeds(tree)
    count = sum(closing.size for closing in tree.symbolic.constraints.closings)
    return [
        one if k < count else square_at_other_angles(tree, row, units) for k, row in enumerate(rows)
    ]


def mass_of(tree: ScalarTree) -> Scalar:
    """Return the mass of the whole model; one if it has none."""
    mass = total((tree.graph.scalar(0), *(inertia.mass for inertia in tree.inertias)))
    return tree.graph.scalar(1) if mass.is_zero else mass
