"""Straight segments by four numbers, with symbols for them."""

from dataclasses import dataclass

from sympy import Symbol

from ..models.segment import AXES, Segment
from .anthropometry import Person


@dataclass(frozen=True)
class Link:
    """Length, mass, distance of the mass centre and central inertia of a straight segment."""

    length: float
    mass: float
    center: float
    inertia: float

    @classmethod
    def of(cls, person: Person, segment: str) -> "Link":
        found = person[segment]
        return cls(found.length, found.mass, found.center, found.inertia)

    def reversed(self) -> "Link":
        """Return the same segment, measured from its other end."""
        return Link(self.length, self.mass, self.length - self.center, self.inertia)


def joined(first: Link, second: Link) -> Link:
    """Return two segments in a line as one; the second begins where the first ends.

    The length stays that of the first.
    """
    return merged(first, Link(0, second.mass, first.length + second.center, second.inertia))


def merged(*links: Link) -> Link:
    """Return segments that are measured from one point as one; the length is the first one's."""
    mass = sum(link.mass for link in links)
    center = sum(link.mass * link.center for link in links) / mass
    inertia = sum(link.inertia + link.mass * (link.center - center) ** 2 for link in links)
    return Link(links[0].length, mass, center, inertia)


def straight_segment(name: str, direction: str, joint: str = "pin") -> Segment:
    """Return a segment with symbols for the numbers of a link, the mass centre on its axis."""
    length, mass, center, inertia = link_symbols(name)
    sign = -1 if direction.startswith("-") else 1
    place = tuple(sign * center if axis == direction[-1] else 0 for axis in AXES)
    return Segment(name, length, mass, place, inertia, joint, direction=direction)


def link_symbols(name: str) -> list[Symbol]:
    return [Symbol(f"{letter}_{name}") for letter in "lmcI"]


def link_values(name: str, link: Link) -> dict[Symbol, float]:
    numbers = (link.length, link.mass, link.center, link.inertia)
    return dict(zip(link_symbols(name), numbers, strict=True))
