"""Wrenches in sections of bodies: the balance of the part beyond."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ....checks.arguments import check_different, check_instance, check_sequence, enumerate_some
from ...arithmetic.vectors import Mat, Vec, zero
from ...mechanism.tree import Link, Tree
from ...models.section import Section
from ..derivation import Derivation
from ..recursion.rigid_body import BodyWrench, Inertia
from .contributions import attached_parts


class Attached(NamedTuple):
    """What is attached to a link, the wrench that balances it, and its undetermined part."""

    source: Any
    name: str
    wrench: BodyWrench
    added: BodyWrench


def check_sections(sections: Any) -> tuple[Section, ...]:
    """Return sections as a tuple."""
    expected = "an iterable of Section"
    if isinstance(sections, Section):
        raise TypeError(f"`sections` must be {expected}, got {sections.name!r} alone. Use [it].")
    found = check_sequence("sections", sections, expected)
    for section in found:
        check_instance("sections", section, Section, expected)
    check_different("sections", [section.name for section in found], "have a name each")
    return tuple(found)


def section_wrench(derivation: Derivation, section: Section) -> tuple[BodyWrench, BodyWrench]:
    """Return the wrench on a part about its section's point, and its undetermined part."""
    index = _link(derivation.tree, section)
    link, graph = derivation.tree.links[index], derivation.graph
    wrench = _inertia(derivation, link, section).net_wrench(derivation.motions[index])
    added = BodyWrench.zero(graph)
    for part in _on_part(section, _attached(derivation, index), link):
        wrench, added = wrench + part.wrench, added + part.added
    place = Vec.enter(graph, link.masscenter + section.place)
    return wrench.about(place), added.about(place)


def _link(tree: Tree, section: Section) -> int:
    index = next((k for k, link in enumerate(tree.links) if link.body is section.body), None)
    if index is None or tree.links[index].has_stand_in:
        names = enumerate_some(link.body.name for link in tree.links if not link.has_stand_in)
        raise ValueError(
            f"`sections` must be of bodies that move and have an orientation ({names}), got "
            f"{section.name!r} of {section.body.name}."
        )
    return index


def _inertia(derivation: Derivation, link: Link, section: Section) -> Inertia:
    """Return the inertia of the part about the link's origin."""
    graph = derivation.graph
    central = Inertia(
        graph.scalar(section.part.mass), zero(graph), Mat.enter(graph, section.inertia)
    )
    return central.about(Vec.enter(graph, link.masscenter + section.center))


def _attached(derivation: Derivation, index: int) -> list[Attached]:
    """Return all that is attached to a link; the joint to ground comes first."""
    link = derivation.tree.links[index]
    inner = -derivation.joint_wrenches[index], -derivation.supply.open_wrenches[index]
    source = link.joint or link.inner_side.body
    found = Attached(source, f"joint {source.name}", *inner)
    return [found, *(Attached(*part) for part in attached_parts(derivation, index))]


def _on_part(section: Section, attached: Sequence[Attached], link: Link) -> list[Attached]:
    """Return those attached to a body that are attached to the part."""
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
    found = [x for x in attached if x.source is wanted or x.source.name == wanted]
    if not found or len({id(x.source) for x in found}) > 1:
        raise ValueError(
            f"`attached` of the section {section.name!r} must be among what is attached to "
            f"{section.body.name} ({names}), got {wanted}."
        )
    return found
