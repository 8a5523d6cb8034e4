"""Kinds of joints by name: what is free in each, and the sympy Joint that it is."""

from collections.abc import Sequence
from typing import Any

from sympy import Expr
from sympy.physics.mechanics import (
    CylindricalJoint,
    PinJoint,
    PlanarJoint,
    PrismaticJoint,
    SphericalJoint,
    WeldJoint,
)
from sympy.physics.mechanics.joint import Joint

from .free_joint import FreeJoint
from .quaternion_joint import QuaternionJoint

JOINTS: dict[str, type[Joint]] = {
    "pin": PinJoint,
    "prismatic": PrismaticJoint,
    "cylindrical": CylindricalJoint,
    "planar": PlanarJoint,
    "spherical": SphericalJoint,
    "quaternion": QuaternionJoint,
    "free": FreeJoint,
    "weld": WeldJoint,
}

# The freedoms of each joint in the order of its speeds: rotation or translation.
FREEDOMS = {
    "pin": ("rotation",),
    "prismatic": ("translation",),
    "cylindrical": ("rotation", "translation"),
    "planar": ("rotation", "translation", "translation"),
    "spherical": ("rotation", "rotation", "rotation"),
    "quaternion": ("rotation", "rotation", "rotation"),
    "free": ("translation", "translation", "translation", "rotation", "rotation", "rotation"),
    "weld": (),
}


def coordinate_count(kind: str) -> int:
    """Return how many coordinates a kind of joint has; a quaternion is one more."""
    return len(FREEDOMS[kind]) + (kind == "quaternion")


def joint_states(kind: Any, q: Sequence[Expr], u: Sequence[Expr]) -> tuple[Any, ...]:
    """Return coordinates and speeds in the places that the joint's constructor has for them."""
    if not q or not u:
        return ()
    if kind == "cylindrical":
        return (*q, *u)
    if kind == "planar":
        return q[0], q[1:], u[0], u[1:]
    return q, u
