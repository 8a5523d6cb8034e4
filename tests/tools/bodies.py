"""Rigid bodies without the symbols that sympy takes a twentieth of a second to make for them."""

from typing import Any

from sympy.physics.mechanics import Dyadic, Point, RigidBody


def rigid_body(name: str, mass: Any = 0) -> RigidBody:
    """Return a RigidBody whose inertia is zero until the caller says more."""
    center = Point(f"{name}_masscenter")
    return RigidBody(name, center, mass=mass, inertia=(Dyadic(0), center))
