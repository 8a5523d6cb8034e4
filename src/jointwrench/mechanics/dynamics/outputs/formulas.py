"""The results of a derivation as sympy formulas, for reading."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any, NamedTuple

from sympy import Expr, ImmutableDenseMatrix, Symbol
from sympy.physics.vector import Point, ReferenceFrame

from ...arithmetic.formula import Formula, varying_divisors
from ...arithmetic.graph import Scalar
from ...arithmetic.program import Output
from ...arithmetic.readable import count_operations, count_terms, readable
from ...arithmetic.vectors import Mat, Vec
from ...mechanism.tree import Tree
from ...spatial.components import vector_of
from ...spatial.observer import ObserverFrame
from ...spatial.wrench import Wrench, lines_of
from ...sympy_objects import Body
from ..derivation import Derivation
from ..recursion.rigid_body import BodyWrench
from .contributions import Contribution, motion_parts, observed_parts, supplied_parts
from .inverse_outputs import check_places, on_child, wrench_parts

#: Frames between a body and ground, from the body, in which terms are counted.
MOST_FRAMES = 8

#: Frames with the fewest terms of which the one with the fewest operations is taken.
MOST_TRIED = 2


class JointWrenchScalars(NamedTuple):
    """A joint wrench in scalars, with its point and frame."""

    scalars: list[Scalar]
    frame: ReferenceFrame
    point: Point

    def wrench(self, components: Iterable[Expr]) -> Wrench:
        """Return the Wrench with these components."""
        return Wrench.from_matrix(list(components), self.frame, self.point)


def joint_wrench_scalars(
    derivation: Derivation,
    name: str,
    number: int,
    about: Point | str | None = None,
    frame: ReferenceFrame | str | None = None,
) -> JointWrenchScalars:
    """Return the wrench of a joint by its number, from an output that holds those of all joints.

    It is rotated before NaN replaces undetermined components, so those determined in the requested
    frame are kept.  Points and frames are as they were when the model was read.
    """
    values, changes = (
        _elsewhere(derivation, wrenches[number], number, about, frame)
        for wrenches in wrench_parts(derivation, name)
    )
    return values._replace(scalars=derivation.nan_where_open(values.scalars, changes.scalars))


def open_components(
    derivation: Derivation,
    number: int,
    about: Point | str | None,
    frame: ReferenceFrame | str | None,
) -> list[bool]:
    """Return the undetermined components of a joint wrench about a point, in a frame."""
    _, changes = wrench_parts(derivation, "joint_wrenches")
    found = _elsewhere(derivation, changes[number], number, about, frame)
    return derivation.supply.changes(found.scalars)


def _elsewhere(
    derivation: Derivation,
    wrench: BodyWrench,
    number: int,
    about: Point | str | None,
    frame: ReferenceFrame | str | None,
) -> JointWrenchScalars:
    """Return a wrench on the child of a joint about another point, in another frame."""
    tree, graph = derivation.tree, derivation.graph
    own, point = tree.wrench_frames[number], tree.all_joints[number].child_point
    target = own if frame is None else tree.geometry.frame(frame)
    place = point if about is None else tree.geometry.point(about)
    halves = (turned(tree, half, own, target) for half in (wrench.force, wrench.moment))
    wrench = BodyWrench(*halves)
    for step in tree.geometry.steps(place, point).values():
        for components, source in step.args:
            wrench = wrench.about(turned(tree, Vec.enter(graph, components), source, target))
    return JointWrenchScalars(wrench.scalars, target, place)


def turned(tree: Tree, vector: Vec, source: ReferenceFrame, target: ReferenceFrame) -> Vec:
    """Return the components of a vector in another frame, turned from frame to frame."""
    for stage in reversed(tree.geometry.stages(target, source).values()):
        vector = Mat.enter(vector.x.graph, stage) @ vector
    return vector


def joint_formula(derivation: Derivation, place: JointWrenchScalars) -> Wrench:
    """Return the wrench of a joint."""
    return place.wrench(derivation.graph.to_sympy([scalar.ref for scalar in place.scalars]))


def readable_joint(derivation: Derivation, place: JointWrenchScalars, named: bool) -> Formula:
    """Return the wrench of a joint in a readable form."""
    refs, names = [scalar.ref for scalar in place.scalars], quantity_names(derivation)
    values, definitions = readable(derivation.graph, refs, names, named)
    return _formula(derivation, place.wrench(values), values, definitions)


def _formula(
    derivation: Derivation,
    value: Any,
    values: list[Expr],
    definitions: dict[Symbol, Expr],
    lines: Sequence[tuple[str, Any]] = (),
) -> Formula:
    """Return a Formula with the divisors of the solution for forces in loops."""
    is_solved = derivation.request.is_written
    divisors = varying_divisors(values, definitions) if is_solved else []
    return Formula(value, definitions, lines or lines_of(value), divisors)


def shortest_joint(
    derivation: Derivation, number: int, about: Point | str | None, named: bool
) -> Formula:
    """Return the wrench of a joint with force and moment in the frames in which they are short."""
    tree, graph, names = derivation.tree, derivation.graph, quantity_names(derivation)
    frames = tree.geometry.frames_about(tree.wrench_frames[number], tree.frame)[:MOST_FRAMES]
    places = [
        joint_wrench_scalars(derivation, "joint_wrenches", number, about, frame)
        for frame in dict.fromkeys([*frames, tree.frame])
    ]
    both = [[x.ref for x in place.scalars] for place in places]
    terms = iter(count_terms(graph, [ref for refs in both for ref in refs]))
    counts = [[sum(islice(terms, 3)) for _ in range(2)] for _ in both]

    def shortest(half: int) -> tuple[JointWrenchScalars, list[int]]:
        order = sorted(range(len(both)), key=lambda k: counts[k][half])
        own = {tuple(both[k][3 * half : 3 * half + 3]): places[k] for k in reversed(order)}
        tried = list(own)[: -MOST_TRIED - 1 : -1]
        forms = (readable(graph, refs, names, named) for refs in tried)
        refs = min(zip(map(count_operations, forms), tried, strict=True), key=lambda x: x[0])[1]
        return own[refs], list(refs)

    (force, forces), (moment, moments) = shortest(0), shortest(1)
    own = places[0]  # what force and moment have in common may be shorter there
    forms = [readable(graph, refs, names, named) for refs in (forces + moments, both[0])]
    is_apart = count_operations(forms[0]) <= count_operations(forms[1])
    values, definitions = forms[0 if is_apart else 1]
    ends = (force.frame, moment.frame) if is_apart else (own.frame, own.frame)
    vectors = vector_of(values[:3], ends[0]), vector_of(values[3:], ends[1])
    return _formula(derivation, Wrench(own.point, *vectors), values, definitions)


def readable_output(derivation: Derivation, output: Output, named: bool) -> Formula:
    """Return an output in a readable form."""
    names = quantity_names(derivation)
    values, definitions = readable(derivation.graph, output.refs, names, named)
    labels: Sequence[str] = output.labels
    if not labels:
        places = product(*map(range, output.shape))
        labels = [output.name + (str(list(place)) if place else "") for place in places]
    if output.name == "generalized_forces":
        labels = [f"Q {getattr(u, 'name', u)}" for u in derivation.tree.speeds]
    matrix = ImmutableDenseMatrix(prod(output.shape[:1]), prod(output.shape[1:]), values)
    lines = list(zip(labels, values, strict=True))
    return _formula(derivation, matrix, values, definitions, lines)


def dynamic_formula(derivation: Derivation, body: Body) -> Wrench:
    """Return the rate of change of a body's momentum, about its mass centre."""
    index = derivation.tree.index_of_body[body]
    if index is None:
        return Wrench(body.masscenter)
    link = derivation.tree.links[index]
    center = Vec.enter(derivation.graph, link.masscenter)
    wrench = derivation.net_wrenches[index].about(center)
    components = derivation.graph.to_sympy([scalar.ref for scalar in wrench.scalars])
    return Wrench.from_matrix(components, link.frame, body.masscenter)


def contribution_formulas(
    derivation: Derivation, joint: Any, observer: ObserverFrame | None
) -> dict[str, Wrench]:
    """Return the parts of a joint wrench by their origin; they sum to it."""
    check_places(derivation)
    index = derivation.tree.index_of_joint[joint]
    supplied = list(supplied_parts(derivation, index))
    if observer is None:
        motion = motion_parts(derivation, index)
        return _on_child(derivation, index, supplied[:1] + motion + supplied[1:])
    parts = _on_child(derivation, index, supplied)
    seen = observed_parts(derivation, index, observer)
    return {"gravity": parts.pop("gravity"), **seen, **parts}


def _on_child(
    derivation: Derivation, index: int, parts: Iterable[Contribution]
) -> dict[str, Wrench]:
    """Return wrenches on a joint's link as Wrenches on its child, by unique names."""
    link = derivation.tree.links[index]
    wrenches: dict[str, Wrench] = {}
    for name, part, added in parts:
        count = sum(known.split(" #")[0] == name for known in wrenches)
        unique = f"{name} #{count + 1}" if count else name
        both = (on_child(derivation, index, x).scalars for x in (part, added))
        refs = [scalar.ref for scalar in derivation.nan_where_open(*both)]
        wrenches[unique] = Wrench.from_matrix(
            derivation.graph.to_sympy(refs), link.child_frame, link.joint.child_point
        )
    return wrenches


def quantity_names(derivation: Derivation) -> dict[int, str]:
    """Return the names of the quantities of the recursion, by reference."""
    names: dict[int, str] = {}
    for name, scalar in _quantities(derivation):
        if scalar.ref:
            names.setdefault(abs(scalar.ref), re.sub(r"\W+", "_", name))
    return names


def _quantities(derivation: Derivation) -> Iterator[tuple[str, Scalar]]:
    """Yield the names and the values of all bodies' quantities, in their frames, and of loops."""
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
