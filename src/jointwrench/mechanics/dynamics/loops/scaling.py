"""Factors between quantities with different units, by the model's own length.

Least squares and least norms add forces and moments, translations and rotations.  Their results
must not depend on the units of the model.  So a rotation counts as the translation at the end of
the model's own length, and a moment as the force at that lever arm.
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

#: The number of random sets of angles at which coefficients are compared.
OTHER_ANGLES = 2


def length_of(tree: ScalarTree) -> Scalar:
    """Return the model's own length: the root of the sum of the squares of its constant lengths."""
    # Lengths on ground do not count, because they depend on the model's position. A model without
    # lengths has the radius of gyration of its bodies instead.
    square = squared_length(tree)
    if square.is_zero:
        square = _square_of_gyration(tree)
        square = tree.graph.scalar(1) if square.is_zero else square
    else:  # all lengths may be zero in a call
        square = apply_function(Select, square, 0, square, 1)
    return square**S.Half


def squared_length(tree: ScalarTree) -> Scalar:
    """Return the sum of the squares of a model's constant lengths, zero if it has no lengths."""
    graph = tree.graph
    lengths = [x for x in _lengths(tree) if not graph.varying[abs(x.ref)]]
    return total((graph.scalar(0), *(x * x for x in lengths)))


def _square_of_gyration(tree: ScalarTree) -> Scalar:
    """Return the squared radius of gyration of all bodies, each about its link's origin."""
    zero, mass = tree.graph.scalar(0), mass_of(tree)
    moments = [row.components[k] for x in tree.inertias for k, row in enumerate(x.moments.rows)]
    return total((zero, *moments)) * mass.reciprocal()


def _lengths(tree: ScalarTree) -> Iterator[Scalar]:
    """Yield the coordinates of joints, mass centres and loop joints in the frames of their links.

    Positions on ground are not among them.
    """
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
    """Return the unit of each generalized force: a length if the speed rotates a link, else one."""
    turning, one = tree.turning_speeds, tree.graph.scalar(1)
    length = length_of(tree) if turning else one
    return [length if speed in turning else one for speed in tree.symbolic.speeds]


def units_of_unknowns(tree: ScalarTree, unknowns: Sequence[Unknown]) -> list[Scalar]:
    """Return the unit of each unknown: one for a force, the model's own length for a moment."""
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
    """Return an upper bound of each unknown's squared column, in the units of the speeds."""
    # A force supplies at most its own size, with the model's own length as the lever arm. The
    # multiplier of a constraint equation has no point of action; its bound is an estimate from the
    # coefficients at other angles.
    speeds, loads = {*tree.symbolic.speeds}, {*tree.symbolic.load_symbols}
    found, units = list[Scalar](), units_of_speeds(tree)
    for unknown, unit in zip(unknowns, units_of_unknowns(tree, unknowns), strict=True):
        if isinstance(unknown.source, LoopClosure) or unknown.source in speeds:
            found.append((unit * unit).reciprocal())
        elif unknown.source in loads:
            found.append(_square_of_load(tree, unknown.source))
        else:
            found.append(square_at_other_angles(tree, unknown.column, units))
    return found


def _square_of_load(tree: ScalarTree, symbol: Expr) -> Scalar:
    """Return the sum of the squared forces and moments of a load symbol, per unit of the symbol.

    A moment counts as the force at the model's own length.
    """
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
    """Return the sum of the squared coefficients of speeds at other angles of the mechanism.

    ``units`` are the units of the speeds.
    """
    shares = [unit.reciprocal() for unit in units]
    rows = rows_at_other_angles(tree, row)
    return total(
        x * x * share * share for own in rows for x, share in zip(own, shares, strict=True)
    )


def rows_at_other_angles(tree: ScalarTree, row: Sequence[Scalar]) -> list[list[Scalar]]:
    """Return a row of coefficients at each set of other angles of the mechanism.

    Random numbers replace the coordinates that rotate, so the pose at which the row is evaluated
    cannot make all of the results small.
    """
    turning = [q for q in tree.symbolic.coordinates if q in tree.symbolic.turning]
    if not turning:
        return [list(row)]
    angles = np.random.default_rng(20261126).uniform(-np.pi, np.pi, (OTHER_ANGLES, len(turning)))
    values = (dict(zip(turning, map(tree.graph.scalar, own), strict=True)) for own in angles)
    return [replace_inputs(row, own) for own in values]


def units_of_constraints(tree: ScalarTree, rows: int) -> list[Scalar]:
    """Return the factors that convert constraint equations to translations.

    The equations of loop closures come first.  ``rows`` is the number of all equations.
    """
    one, length, units = tree.graph.scalar(1), length_of(tree), list[Scalar]()
    for closing in tree.symbolic.constraints.closings:
        units += [one] * len(closing.forces) + [length] * len(closing.moments)
    return units + [one] * (rows - len(units))


def largest_of_constraints(tree: ScalarTree, rows: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """Return upper bounds of the squared rows of constraints after conversion to translations.

    The bound for rows of loop closures is one.  The bound for the model's own equations is
    estimated at other angles.
    """
    one, units = tree.graph.scalar(1), units_of_speeds(tree)
    count = sum(closing.size for closing in tree.symbolic.constraints.closings)
    return [
        one if k < count else square_at_other_angles(tree, row, units) for k, row in enumerate(rows)
    ]


def mass_of(tree: ScalarTree) -> Scalar:
    """Return the mass of the whole model; one stands for a model without mass."""
    mass = total((tree.graph.scalar(0), *(inertia.mass for inertia in tree.inertias)))
    return tree.graph.scalar(1) if mass.is_zero else mass
