"""`ModelBuilder`: bodies and joints with the names and numbers of a file, as a System."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Expr, Float, ImmutableMatrix, Integer, Symbol
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import ReferenceFrame

from ...checks.tolerances import TURNED
from ...models.coupled_joint import CoupledJoint
from ...models.tree_builder import (
    IdealBody,
    TreeBuilder,
    fixed_body,
    functions_of_time,
    named_frame,
)
from .elements import Inertial

#: From here on whole numbers are written as others are.
WHOLE = 1e6

#: The names of a free joint's coordinates and speeds, of a ball joint's the last of them.
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")

#: The names of a planar joint's, in the order of sympy's PlanarJoint.
PLANAR = ("angle", "x", "y")

#: What is added to the name of a joint with several freedoms.
ENDINGS = {
    "free": (POSE, TWIST),
    "quaternion": (POSE[3:], TWIST[3:]),
    "planar": (PLANAR, PLANAR),
    "weld": ((), ()),
}

#: The symbols of a body's inertia, in the order of `TreeBuilder.add_body`, and their places.
MOMENTS = {
    "Ixx": (0, 0),
    "Iyy": (1, 1),
    "Izz": (2, 2),
    "Ixy": (0, 1),
    "Iyz": (1, 2),
    "Izx": (2, 0),
}


class ModelBuilder:
    """Puts bodies and joints together, whole numbers as such.

    Coordinates and speeds are by the names that the file gives them; ``dependent`` ones, which
    others determine, by the name of their joint.  ``constants``: the numbers of symbols for
    inertial parameters, if ``symbolic``.
    """

    def __init__(self, ground: str, symbolic: bool) -> None:
        self.builder = TreeBuilder(fixed_body(ground))
        self.symbolic = symbolic
        self.coordinates: dict[str, Expr] = {}
        self.speeds: dict[str, Expr] = {}
        self.constants: dict[Symbol, float] = {}
        self.dependent: dict[str, Expr] = {}

    @property
    def neutral(self) -> np.ndarray:
        """The coordinates zero, and quaternions that turn nothing."""
        return np.array(
            [
                float(len(joint.coordinates) > len(joint.speeds) and k == len(joint.speeds) - 3)
                for joint in self.builder.joints.values()
                for k in range(len(joint.coordinates))
            ]
        )

    def parts(self, system: System) -> dict[str, Any]:
        """Return what every `ModelFromFile` has: the System, and what is in it by name."""
        return {
            "system": system,
            "bodies": self.builder.bodies,
            "joints": self.builder.joints,
            "coordinates": symbols_by_name(system.q, self.coordinates),
            "speeds": symbols_by_name(system.u, self.speeds),
            "constants": self.constants,
        }

    def number(self, name: str, value: float) -> Expr:
        """Return a number, or the symbol that stands for it."""
        if not self.symbolic:
            return exact(value)
        symbol = Symbol(name)
        self.constants[symbol] = float(value)
        return symbol

    def add_body(
        self, name: str, inertial: Inertial | None = None, is_ideal: bool = False
    ) -> RigidBody:
        """Return a new body; what is nothing gets no symbols, of ideal ones each zero."""
        inertial = inertial or Inertial()
        kind = IdealBody if is_ideal else RigidBody
        if inertial.is_nothing:
            return self.builder.add_body(name, kind=kind)

        def number(key: str, value: float) -> Expr:
            return Integer(0) if is_ideal and not value else self.number(f"{key}_{name}", value)

        mass = number("m", inertial.mass)
        center = [number(f"c{x}", value) for x, value in zip("xyz", inertial.center, strict=True)]
        moments = [number(key, inertial.inertia[place]) for key, place in MOMENTS.items()]
        return self.builder.add_body(name, mass, center, moments, kind=kind)

    def add_joint(
        self,
        kind: str,
        name: str,
        parent: RigidBody,
        child: RigidBody,
        rotation: np.ndarray,
        position: np.ndarray,
        axis: np.ndarray | None = None,
        child_rotation: np.ndarray | None = None,
        child_position: Sequence[float] = (0, 0, 0),
    ) -> Joint:
        """Return a new joint of a kind among `JOINTS`: a free one turns by a quaternion.

        Rotation and position are those of the joint's frame in the parent's, and (default: the same
        place) in the child's; the axis of a pin or a slide is in the joint's frame.
        """
        q_names, u_names = ([f"{name}_{end}" for end in ends] or [] for ends in _endings(kind))
        if kind not in ENDINGS:
            q_names = u_names = [name]
        joint = self.builder.add_joint(
            *(kind, name, parent, child),
            q=q_names,
            u=[f"u_{key}" for key in u_names],
            axis=None if axis is None else unit_vector(axis),
            parent_point=[exact(x) for x in position],
            child_point=[exact(x) for x in child_position],
            parent_interframe=exact_rotation(rotation),
            child_interframe=None if child_rotation is None else exact_rotation(child_rotation),
            **({"rotation": "quaternion"} if kind == "free" else {}),
        )
        self.coordinates |= zip(q_names, joint.coordinates, strict=True)
        self.speeds |= zip(u_names, joint.speeds, strict=True)
        return joint

    def add_follower(
        self,
        kind: str,
        name: str,
        parent: RigidBody,
        child: RigidBody,
        rotation: np.ndarray,
        position: np.ndarray,
        axis: np.ndarray,
        formula: Expr,
        child_position: Sequence[float] | np.ndarray = (0, 0, 0),
        start: float = 0.0,
    ) -> Joint:
        """Return a new pin or slide whose coordinate is a formula of others'.

        It has not moved where its coordinate is ``start``.
        """
        direction, moved = unit_vector(axis), formula - exact(start)
        turning: dict[str, Any] = {"rotations": [(moved, direction)]}
        sliding = {"translation": [moved * x for x in direction]}
        self.dependent[name] = formula
        return self.builder.add_joint(
            *(CoupledJoint, name, parent, child),
            parent_point=[exact(x) for x in position],
            parent_interframe=exact_rotation(rotation),
            child_point=[exact(x) for x in child_position],
            coordinates=(),
            **(turning if kind == "pin" else sliding),
        )


def coordinate(name: str) -> Expr:
    """Return the coordinate of the pin or slide of a name."""
    return functions_of_time([name])[0]


def _endings(kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ENDINGS.get(kind, ((), ()))


def exact(value: float) -> Expr:
    """Return a number for sympy, whole ones as such."""
    is_whole = float(value).is_integer() and abs(value) < WHOLE
    return Integer(round(value)) if is_whole else Float(float(value))


def unit_vector(direction: np.ndarray) -> list[Expr]:
    """Return the components of the unit vector of a direction."""
    return exact_all(direction / np.linalg.norm(direction))


def exact_all(values: Any) -> list[Expr]:
    """Return components of unit vectors for sympy, what is nearly 0, 1 or -1 as such."""
    return [exact(round(x) if abs(x - round(x)) < TURNED else x) for x in np.ravel(values)]


def exact_rotation(rotation: np.ndarray) -> list[list[Expr]] | None:
    """Return a rotation matrix for sympy; None for that of no turn."""
    entries = exact_all(rotation)
    rows = [entries[3 * k : 3 * k + 3] for k in range(3)]
    return None if rows == np.eye(3, dtype=int).tolist() else rows


def turned_frame(name: str, body: RigidBody, rotation: np.ndarray) -> ReferenceFrame:
    """Return a frame that is turned so in a body's; the body's own where that is no turn."""
    rows = exact_rotation(rotation)
    if rows is None:
        return body.frame
    frame = named_frame(name)
    frame.orient_dcm(body.frame, ImmutableMatrix(rows).T)
    return frame


def symbols_by_name(symbols: Sequence[Expr], names: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return symbols by their names, in the order of the symbols."""
    found = {symbol: name for name, symbol in names.items()}
    return {found[symbol]: symbol for symbol in symbols}
