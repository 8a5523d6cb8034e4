"""Kinds of joints, and the rotations and translations that they allow."""

from typing import Any

from sympy.physics.mechanics import (
    CylindricalJoint,
    PinJoint,
    PlanarJoint,
    PrismaticJoint,
    SphericalJoint,
    WeldJoint,
)
from sympy.physics.mechanics.joint import Joint

#: The joint classes of sympy by kind.
KINDS: dict[str, type[Joint]] = {
    "pin": PinJoint,
    "prismatic": PrismaticJoint,
    "cylindrical": CylindricalJoint,
    "planar": PlanarJoint,
    "spherical": SphericalJoint,
    "weld": WeldJoint,
}

#: The kind of each of these classes.
KIND_OF = {own: kind for kind, own in KINDS.items()}

#: The freedoms of each joint in the order of its speeds: rotation or translation.
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


def freedoms_of(joint: Any) -> tuple[str, ...]:
    """Return "rotation" or "translation" for each speed of a joint, in the speeds' order.

    Joints of this package state their kind; a class that is unknown counts as a weld.
    """
    return FREEDOMS[getattr(joint, "_kind", KIND_OF.get(type(joint), "weld"))]
