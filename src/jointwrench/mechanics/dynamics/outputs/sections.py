"""Wrenches in sections of bodies, from the balance of the part beyond the section."""

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Any, NamedTuple, TypeAlias

from sympy import ImmutableDenseMatrix, cancel

from ....checks.arguments import check_different, check_instances, enumerate_some
from ....checks.tolerances import ROUNDING
from ...arithmetic.graph import Scalar, apply_function
from ...arithmetic.output import Output
from ...arithmetic.piecewise import Gate
from ...arithmetic.vectors import Mat, Vec, zero
from ...mechanism.section import Section, UniformRod
from ...mechanism.tree import AT_ORIGIN, Link, Tree
from ...spatial.equality import are_zero
from ..derivation import Derivation
from ..recursion.rigid_body import BodyWrench, Inertia
from .contributions import attached_parts
from .wrench_outputs import check_locations, wrench_output

#: A position on a link from its origin: constant components, or scalars if it moves; None if
#: unknown.
Location: TypeAlias = ImmutableDenseMatrix | Vec | None


class Attached(NamedTuple):
    """A load or joint on a link, the wrench that balances it, and its undetermined part."""

    source: Any
    name: str
    wrench: BodyWrench
    added: BodyWrench
    place: Location


def check_sections(sections: Any) -> tuple[Section, ...]:
    """Return the user's sections as a tuple, with different names."""
    found = check_instances("sections", sections, Section, "an iterable of Section")
    check_different("sections", [section.name for section in found], "have unique names")
    return tuple(found)


def section_wrenches_output(derivation: Derivation) -> Output:
    """Return the wrenches on the parts beyond all sections, shape (sections, 6)."""
    check_locations(derivation)
    sections = derivation.request.sections
    if not sections:
        raise ValueError(
            "`sections` must be given for their wrenches. Use InverseDynamics(..., "
            "sections=[Section(...)])."
        )
    wrenches, added = zip(*(section_wrench(derivation, x) for x in sections), strict=True)
    title, parts = "wrenches in sections (force, moment)", ([*wrenches], [*added])
    return wrench_output(derivation, "section_wrenches", title, parts, "section")


def section_wrench(derivation: Derivation, section: Section) -> tuple[BodyWrench, BodyWrench]:
    """Return the wrench on the part beyond a section, and its undetermined part.

    Both are about the section's point, in the body's frame.
    """
    index = _link(derivation.tree, section)
    link, graph = derivation.tree.links[index], derivation.graph
    wrench = _inertia(derivation, link, section).net_wrench(derivation.motions[index])
    added = BodyWrench.zero(graph)
    attached = _attached(derivation, index)
    take = _select_attached if section.rod is None else _select_beyond_cut
    for part in take(section, attached, link):
        wrench, added = wrench + part.wrench, added + part.added
    place = Vec.enter(graph, link.masscenter + section.place)
    return wrench.about(place), added.about(place)


def _link(tree: Tree, section: Section) -> int:
    """Return the index of a section's link."""
    index = next((k for k, link in enumerate(tree.links) if link.body is section.body), None)
    if index is None or tree.links[index].is_unoriented:
        names = enumerate_some(link.body.name for link in tree.links if not link.is_unoriented)
        raise ValueError(
            f"`sections` must be of bodies that move and have an orientation ({names}), got "
            f"{section.name!r} of {section.body.name}."
        )
    return index


def _inertia(derivation: Derivation, link: Link, section: Section) -> Inertia:
    """Return the inertia of the part beyond a section about the link's origin."""
    graph = derivation.graph
    central = Inertia(
        graph.scalar(section.part.mass), zero(graph), Mat.enter(graph, section.inertia)
    )
    return central.about(Vec.enter(graph, link.masscenter + section.center))


def _attached(derivation: Derivation, index: int) -> list[Attached]:
    """Return all loads and joints on a link, beginning with the joint that leads to ground."""
    link = derivation.tree.links[index]
    inner = -derivation.joint_wrenches[index], -derivation.supply.open_wrenches[index]
    source, places = link.joint or link.inner_side.body, _places(derivation, index)
    point = AT_ORIGIN if link.is_reversed else link.wrench_point
    found = Attached(source, f"joint {source.name}", *inner, point)
    parts = attached_parts(derivation, index)
    return [found, *(Attached(*part, places[id(part[0])]) for part in parts)]


def _places(derivation: Derivation, index: int) -> dict[int, Location]:
    """Return the positions of loads and joints on a link, by the id of the source."""
    tree, found = derivation.scalars, dict[int, Location]()
    for load in derivation.loads.applied:
        if load.link == index:
            found[id(load.source.location)] = load.position
    for link in derivation.tree.links:
        if link.inner == index:
            found[id(link.joint or link.body)] = link.attachment + link.motion.offset
    for closing in derivation.closings:
        parts = closing.parent_position if closing.parent == index else closing.child_position
        if index not in (closing.parent, closing.child):
            continue
        if parts is not None and all(part.link == index for part in parts):
            places = (part.rotation * part.components for part in parts)
            found[id(closing.joint)] = sum(places, AT_ORIGIN)
        elif parts is not None:
            found[id(closing.joint)] = tree.express(parts, index)
        else:  # a contact is at the child's point
            place = tree.express(closing.child_position, closing.child)
            found[id(closing.joint)] = tree.place(place, closing.child, index)
    return found


def _select_beyond_cut(
    section: Section, attached: Sequence[Attached], link: Link
) -> Iterator[Attached]:
    """Yield the loads and joints of a rod that lie beyond its cut, gated if they move."""
    assert section.rod is not None
    named = list(_select_attached(section, attached, link)) if section.attached else []
    without = [part for part in attached if part.place is None]
    if section.attached is None and without:
        names = enumerate_some(part.name for part in without)
        raise ValueError(
            f"`attached` of the section {section.name!r} must say what without a place acts on the "
            f"part beyond: {link.body.name} carries {names}. Use Section.of_rod(..., "
            "attached=[...]), empty for nothing."
        )
    for number, part in enumerate(attached):
        if part.place is None:
            yield from (part for own in named if own is part)
            continue
        # at the cut: only the joint to ground is not beyond
        least = -ROUNDING if number else ROUNDING
        wrench = _gate(_distance(section.rod, link, part), least, part.wrench)
        if wrench is not None:
            yield part._replace(wrench=wrench)


def _distance(rod: UniformRod, link: Link, part: Attached) -> float | Scalar:
    """Return the distance beyond the cut as a fraction of the rod's length."""
    start = link.masscenter + rod.start
    if isinstance(part.place, Vec):
        graph = part.place.x.graph
        along = Vec.enter(graph, rod.along)
        apart = part.place - Vec.enter(graph, start)
        return apart.dot(along) / along.dot(along) - graph.scalar(rod.fraction)
    way = cancel((part.place - start).dot(rod.along) / rod.along.dot(rod.along))
    at_start, at_end = are_zero([way, way - 1])
    if at_start or at_end:
        return inf if at_end else -inf
    distance = way - rod.fraction
    return float(distance) if distance.is_number else part.wrench.force.x.graph.scalar(distance)


def _gate(distance: float | Scalar, least: float, wrench: BodyWrench) -> BodyWrench | None:
    """Return a wrench where the distance exceeds ``least``, else zero; None if it never does."""
    if isinstance(distance, float):
        return wrench if distance > least else None
    gated = [apply_function(Gate, distance, least, x, 0) for x in wrench.scalars]
    return BodyWrench(Vec(*gated[:3]), Vec(*gated[3:]))


def _select_attached(section: Section, attached: Sequence[Attached], link: Link) -> list[Attached]:
    """Return the loads and joints that the section names as attached to the part beyond."""
    names = enumerate_some(dict.fromkeys(part.name for part in attached), 10)
    if section.attached is None:
        if len(attached) == 1:
            return []
        raise ValueError(
            f"`attached` of the section {section.name!r} must say what is attached to the part "
            f"beyond: {link.body.name} carries {names}. Use Section(..., attached=[...]), empty "
            "for nothing."
        )
    return [x for wanted in section.attached for x in _found(section, wanted, attached, names)]


def _found(
    section: Section, wanted: Any, attached: Iterable[Attached], names: str
) -> list[Attached]:
    """Return the loads and joints that one item of ``attached`` names."""
    found = [x for x in attached if x.source is wanted or x.source.name == wanted]
    if not found or len({id(x.source) for x in found}) > 1:
        raise ValueError(
            f"`attached` of the section {section.name!r} must be among what is attached to "
            f"{section.body.name} ({names}), got {wanted}."
        )
    return found
