"""Rigid bodies and inertias that take a tenth of the time that sympy takes to make them."""

from typing import Any

from sympy import Symbol, sympify
from sympy.physics.mechanics import Dyadic, Point, ReferenceFrame, RigidBody, System


def rigid_body(name: str, mass: Any = 0, *moments: Any) -> RigidBody:
    """Return a RigidBody whose central inertia is zero but for what `inertia` is given."""
    center, frame = Point(f"{name}_masscenter"), ReferenceFrame(f"{name}_frame")
    dyadic = inertia(frame, *moments) if moments else Dyadic(0)
    return RigidBody(name, center, frame, mass, (dyadic, center))


def system_of(ground: RigidBody, *joints: Any, gravity: Any = None) -> System:
    """Return the System of joints on this ground, with a uniform gravity or without."""
    system = System.from_newtonian(ground)
    system.add_joints(*joints)
    if gravity is not None:
        system.apply_uniform_gravity(gravity)
    return system


def grounded() -> tuple[RigidBody, System]:
    """Return ground and a System that has nothing else."""
    ground = rigid_body("ground")
    return ground, System.from_newtonian(ground)


def massive_body(name: str) -> RigidBody:
    """Return a `rigid_body` whose mass is the symbol that sympy makes up for it."""
    return rigid_body(name, Symbol(f"{name}_mass"))


def inertia(
    frame: ReferenceFrame, ixx: Any, iyy: Any, izz: Any, ixy: Any = 0, iyz: Any = 0, izx: Any = 0
) -> Dyadic:
    """Return what sympy's function of this name returns, without sums of nine dyadics."""
    rows = zip(frame, ((ixx, ixy, izx), (ixy, iyy, iyz), (izx, iyz, izz)), strict=True)
    entries = [(sympify(x), a, b) for a, row in rows for x, b in zip(row, frame, strict=True)]
    return Dyadic([entry for entry in entries if entry[0] != 0])
