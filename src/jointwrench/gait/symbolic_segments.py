"""Segments of the body with symbols for their numbers."""

from dataclasses import astuple
from typing import Any

from sympy import Symbol

from .. import Segment
from ..recordings.ground_contact import AXES
from .anthropometry import Rod


def straight_segment(name: str, direction: str, **options: Any) -> Segment:
    """Return a segment with symbols for a rod's numbers, and with other options of `Segment`."""
    length, mass, center, inertia = rod_symbols(name)
    sign = -1 if direction.startswith("-") else 1
    place = tuple(sign * center if axis == direction[-1] else 0 for axis in AXES)
    own = {"length": length, "center_of_mass": place, "inertia": inertia, "direction": direction}
    return Segment(name, mass=mass, **own | options)


def rod_symbols(name: str) -> list[Symbol]:
    return [Symbol(f"{letter}_{name}") for letter in "lmcI"]


def rod_values(name: str, rod: Rod) -> dict[Symbol, float]:
    return dict(zip(rod_symbols(name), astuple(rod)[:4], strict=True))
