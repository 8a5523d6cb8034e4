"""Kinds of joints, and what turns or slides in them."""

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

#: The classes of sympy.
KINDS: dict[str, type[Joint]] = {
    "pin": PinJoint,
    "prismatic": PrismaticJoint,
    "cylindrical": CylindricalJoint,
    "planar": PlanarJoint,
    "spherical": SphericalJoint,
    "weld": WeldJoint,
}

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
    """Return the freedoms of a joint; of other classes than sympy's what they state."""
    kind = next((kind for kind, own in KINDS.items() if own is type(joint)), "weld")
    return FREEDOMS[getattr(joint, "_kind", kind)]
