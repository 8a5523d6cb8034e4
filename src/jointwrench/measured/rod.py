"""Straight segments by four numbers, with symbols for them."""

from dataclasses import dataclass
from typing import Any

from sympy import Symbol

from ..models.segment import AXES, Segment


@dataclass(frozen=True)
class Rod:
    """Length, mass, distance of the mass centre and central inertia of a straight segment."""

    length: float
    mass: float
    center: float
    inertia: float

    def reversed(self) -> "Rod":
        """Return the same segment, measured from its other end."""
        return Rod(self.length, self.mass, self.length - self.center, self.inertia)


def joined(first: Rod, second: Rod) -> Rod:
    """Return two segments in a line as one; the second begins where the first ends.

    The length stays that of the first.
    """
    return merged(first, Rod(0, second.mass, first.length + second.center, second.inertia))


def merged(*rods: Rod) -> Rod:
    """Return segments that are measured from one point as one; the length is the first one's."""
    mass = sum(rod.mass for rod in rods)
    center = sum(rod.mass * rod.center for rod in rods) / mass
    inertia = sum(rod.inertia + rod.mass * (rod.center - center) ** 2 for rod in rods)
    return Rod(rods[0].length, mass, center, inertia)


def straight_segment(name: str, direction: str, **options: Any) -> Segment:
    """Return a segment with symbols for the numbers of a rod, the mass centre on its axis.

    The options are those of `Segment`.
    """
    length, mass, center, inertia = rod_symbols(name)
    sign = -1 if direction.startswith("-") else 1
    place = tuple(sign * center if axis == direction[-1] else 0 for axis in AXES)
    own = {"length": length, "center_of_mass": place, "inertia": inertia, "direction": direction}
    return Segment(name, mass=mass, **own | options)


def rod_symbols(name: str) -> list[Symbol]:
    return [Symbol(f"{letter}_{name}") for letter in "lmcI"]


def rod_values(name: str, rod: Rod) -> dict[Symbol, float]:
    numbers = (rod.length, rod.mass, rod.center, rod.inertia)
    return dict(zip(rod_symbols(name), numbers, strict=True))
