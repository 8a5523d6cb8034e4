"""Rigid bodies and inertias that take a tenth of the time that sympy takes to make them."""

from typing import Any

from sympy import Symbol, sympify
from sympy.physics.mechanics import Dyadic, Point, ReferenceFrame, RigidBody


def rigid_body(name: str, mass: Any = 0) -> RigidBody:
    """Return a RigidBody whose inertia is zero until the caller says more."""
    center = Point(f"{name}_masscenter")
    return RigidBody(name, center, mass=mass, inertia=(Dyadic(0), center))


def massive_body(name: str) -> RigidBody:
    """Return a `rigid_body` whose mass is the symbol that sympy makes up for it."""
    return rigid_body(name, Symbol(f"{name}_mass"))


def inertia(
    frame: ReferenceFrame,
    ixx: Any,
    iyy: Any,
    izz: Any,
    ixy: Any = 0,
    iyz: Any = 0,
    izx: Any = 0,
) -> Dyadic:
    """Return what sympy's function of this name returns, without sums of nine dyadics."""
    rows = zip(frame, ((ixx, ixy, izx), (ixy, iyy, iyz), (izx, iyz, izz)), strict=True)
    entries = [(sympify(x), a, b) for a, row in rows for x, b in zip(row, frame, strict=True)]
    return Dyadic([entry for entry in entries if entry[0] != 0])
