"""Kinds of joints, and the rotations and translations that they allow."""

import sympy.physics.mechanics as me
from sympy.physics.mechanics.joint import Joint

#: The joint classes of sympy by kind.
KINDS: dict[str, type[Joint]] = {
    "pin": me.PinJoint,
    "prismatic": me.PrismaticJoint,
    "cylindrical": me.CylindricalJoint,
    "planar": me.PlanarJoint,
    "spherical": me.SphericalJoint,
    "weld": me.WeldJoint,
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
