"""Joint wrenches and outputs in the shortest form found, for reading."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.physics.vector import Point

from ...arithmetic.formula import Formula, varying_divisors
from ...arithmetic.graph import Scalar
from ...arithmetic.output import Output
from ...arithmetic.short_formulas import count_operations, count_terms, write_short_formulas
from ...spatial.components import vector_of
from ...spatial.wrench import Wrench, lines_of
from ..derivation import Derivation
from .wrench_formulas import JointWrenchScalars, joint_wrench_scalars

#: Number of frames from the body towards ground in which terms are counted.
MOST_FRAMES = 8

#: Number of frames with the fewest terms in which operations are counted.
MOST_TRIED = 2


def readable_joint(derivation: Derivation, place: JointWrenchScalars, named: bool) -> Formula:
    """Return the wrench of a joint as a readable Formula."""
    refs, names = [scalar.ref for scalar in place.scalars], quantity_names(derivation)
    values, definitions = write_short_formulas(derivation.graph, refs, names, named)
    return _formula(derivation, place.wrench(values), values, definitions)


def _formula(
    derivation: Derivation,
    value: Any,
    values: list[Expr],
    definitions: dict[Symbol, Expr],
    lines: Sequence[tuple[str, Any]] = (),
) -> Formula:
    """Return a Formula with the divisors of the solution for loop forces."""
    is_solved = derivation.request.is_written
    divisors = varying_divisors(values, definitions) if is_solved else []
    return Formula(value, definitions, lines or lines_of(value), divisors)


def shortest_joint(
    derivation: Derivation, number: int, about: Point | str | None, named: bool
) -> Formula:
    """Return the wrench of a joint, force and moment each in the frame where it is shortest."""
    tree, graph, names = derivation.tree, derivation.graph, quantity_names(derivation)
    frames = tree.geometry.frames_about(tree.wrench_frames[number], tree.frame)[:MOST_FRAMES]
    shown = dict.fromkeys([*frames, tree.frame])
    places = [joint_wrench_scalars(derivation, number, about, frame) for frame in shown]
    both = [[x.ref for x in place.scalars] for place in places]
    terms = iter(count_terms(graph, [ref for refs in both for ref in refs]))
    counts = [[sum(islice(terms, 3)) for _ in range(2)] for _ in both]

    def shortest(half: int) -> tuple[JointWrenchScalars, list[int]]:
        order = sorted(range(len(both)), key=lambda k: counts[k][half])
        own = {tuple(both[k][3 * half : 3 * half + 3]): places[k] for k in reversed(order)}
        tried = list(own)[: -MOST_TRIED - 1 : -1]
        forms = (write_short_formulas(graph, refs, names, named) for refs in tried)
        refs = min(zip(map(count_operations, forms), tried, strict=True), key=lambda x: x[0])[1]
        return own[refs], list(refs)

    (force, forces), (moment, moments) = shortest(0), shortest(1)
    own = places[0]  # what force and moment have in common may be shorter there
    forms = [
        write_short_formulas(graph, refs, names, named) for refs in (forces + moments, both[0])
    ]
    is_apart = count_operations(forms[0]) <= count_operations(forms[1])
    values, definitions = forms[0 if is_apart else 1]
    ends = (force.frame, moment.frame) if is_apart else (own.frame, own.frame)
    vectors = vector_of(values[:3], ends[0]), vector_of(values[3:], ends[1])
    return _formula(derivation, Wrench(own.point, *vectors), values, definitions)


def readable_output(derivation: Derivation, output: Output, named: bool) -> Formula:
    """Return an output as a readable Formula."""
    names = quantity_names(derivation)
    values, definitions = write_short_formulas(derivation.graph, output.refs, names, named)
    labels: Sequence[str] = output.labels
    if not labels:
        places = product(*map(range, output.shape))
        labels = [output.name + (str(list(place)) if place else "") for place in places]
    if output.name == "generalized_forces":
        labels = [f"Q {getattr(u, 'name', u)}" for u in derivation.tree.speeds]
    matrix = ImmutableDenseMatrix(prod(output.shape[:1]), prod(output.shape[1:]), values)
    lines = list(zip(labels, values, strict=True))
    return _formula(derivation, matrix, values, definitions, lines)


def quantity_names(derivation: Derivation) -> dict[int, str]:
    """Return the names of the recursion's quantities by reference, such as ``omega_B_x``."""
    names: dict[int, str] = {}
    for name, scalar in _quantities(derivation):
        if scalar.ref:
            names.setdefault(abs(scalar.ref), re.sub(r"\W+", "_", name))
    return names


def _quantities(derivation: Derivation) -> Iterator[tuple[str, Scalar]]:
    """Yield names and scalars of loop forces and of each body's quantities, in its frame."""
    for closing in derivation.closings:
        parts = [("F", axis) for axis in ("xyz" if len(closing.forces) == 3 else range(3))]
        parts = parts[: len(closing.forces)] + [("M", k) for k in range(len(closing.moments))]
        for (letter, axis), value in zip(parts, derivation.supply.of(closing), strict=True):
            yield f"{letter}_{closing.joint.name}_{axis}", value
    if derivation.closings:
        yield from ((f"Q_open_{getattr(u, 'name', u)}", x) for u, x in derivation.demanded.items())
    inertias, wrenches = derivation.scalars.inertias, derivation.joint_wrenches
    rows = zip(derivation.tree.links, derivation.motions, inertias, wrenches, strict=True)
    for link, motion, inertia, wrench in rows:
        name = link.body.name
        for i, row in zip("xyz", inertia.moments.rows, strict=True):
            yield from ((f"J_{name}_{i}{k}", x) for k, x in zip("xyz", row.components, strict=True))
        for letter, vector in (
            ("omega", motion.angular_velocity),
            ("alpha", motion.angular_acceleration),
            ("a", motion.acceleration),
            ("F", wrench.force),
            ("M", wrench.moment),
        ):
            is_alone = sum(not x.is_zero for x in vector.components) == 1
            for axis, x in zip("xyz", vector.components, strict=True):
                yield f"{letter}_{name}" if is_alone else f"{letter}_{name}_{axis}", x
