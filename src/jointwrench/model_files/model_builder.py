"""`ModelBuilder`: assembles a System from the bodies and joints of a file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Expr, Float, Integer, Symbol
from sympy.physics.mechanics import ForceActuator, LinearPathway, RigidBody, System, TorqueActuator
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, Vector

from ..checks.tolerances import ZERO_COS
from ..mechanics.mechanism.loop_joint import WITHOUT_AXIS, LoopJoint
from ..mechanics.spatial.components import vector_of
from ..mechanics.sympy_objects import IdealBody
from ..models.actuators import force_pair
from ..models.coupled_joint import CoupledJoint
from ..models.tree_builder import TreeBuilder, Weight, fixed_body, functions_of_time, interframe
from ..records.model_elements import ORIGIN, Inertial, Pose
from .dependent_coordinates import close_loops

#: Whole numbers from this on are floating-point numbers in sympy, too.
WHOLE = 1e6

#: The endings of the names of a joint's coordinates and speeds, in sympy's order.
QUATERNION, TURNING = ("_qw", "_qx", "_qy", "_qz"), ("_wx", "_wy", "_wz")
ENDINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "free": (("_x", "_y", "_z", *QUATERNION), ("_vx", "_vy", "_vz", *TURNING)),
    "quaternion": (QUATERNION, TURNING),
    "planar": (("_angle", "_x", "_y"),) * 2,
    "weld": ((), ()),
}
SINGLE = ("",), ("",)
ZERO: Expr = Integer(0)


class ModelBuilder:
    """A builder of a System from bodies and joints, with exact integers.

    Attributes
    ==========

    coordinates, speeds : dict of str to Expr
        By their names in the file.
    dependent : dict of str to Expr
        Formulas of coordinates that others determine, by the name of the joint.
    constants : dict of Symbol to float
        The values of the symbols of inertial parameters, if ``symbolic``.
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
        return np.array(
            [
                float(len(joint.coordinates) > len(joint.speeds) and k == len(joint.speeds) - 3)
                for joint in self.builder.joints.values()
                for k in range(len(joint.coordinates))
            ]
        )

    def parts(self, system: System) -> dict[str, Any]:
        """Return the required arguments of a `ModelFromFile`: a System, and its parts by name."""
        return {
            "system": system,
            "bodies": self.builder.bodies,
            "joints": self.builder.joints,
            "coordinates": _order_by(self.coordinates, system.q),
            "speeds": _order_by(self.speeds, system.u),
            "constants": self.constants,
        }

    @property
    def all_bodies(self) -> dict[str, RigidBody]:
        return {self.builder.ground.name: self.builder.ground, **self.builder.bodies}

    def add_point(self, name: str, body: RigidBody, position: Iterable[float]) -> Point:
        return self.builder.add_point(name, body, [exact(x) for x in position])

    def number(self, name: str, value: float) -> Expr:
        """Return a value as a number, or as a new symbol in ``constants`` if ``symbolic``."""
        if self.symbolic:
            self.constants[Symbol(name)] = float(value)
        return Symbol(name) if self.symbolic else exact(value)

    def add_body(
        self, name: str, inertial: Inertial | None = None, is_ideal: bool = False
    ) -> RigidBody:
        """Return a new body; a massless body, and zeros of an ideal body, get no symbols."""
        inertial = inertial or Inertial()
        kind = IdealBody if is_ideal else RigidBody
        if inertial.is_massless:
            return self.builder.add_body(name, kind=kind)

        def number(key: str, value: float) -> Expr:
            return Integer(0) if is_ideal and not value else self.number(f"{key}_{name}", value)

        mass = number("m", inertial.mass)
        center = [number(*pair) for pair in zip(("cx", "cy", "cz"), inertial.center, strict=True)]
        entries = inertial.inertia[[0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]
        names = ("Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Izx")  # as in TreeBuilder.add_body
        moments = [number(*pair) for pair in zip(names, entries, strict=True)]
        return self.builder.add_body(name, mass, center, moments, kind=kind)

    def add(
        self,
        kind: Any,
        name: str,
        parent: RigidBody,
        child: RigidBody,
        place: Pose = ORIGIN,
        child_place: Pose = ORIGIN,
        q: Sequence[str] = (),
        u: Sequence[str] = (),
        **options: Any,
    ) -> Joint:
        """Return a new joint of a kind or class.

        Places are rotations and positions in the bodies' frames; names ``u`` of speeds get the
        prefix u_.
        """
        joint = self.builder.add_joint(
            *(kind, name, parent, child),
            q=q,
            u=[f"u_{key}" for key in u],
            parent_interframe=exact_rotation(place[0]),
            child_interframe=exact_rotation(child_place[0]),
            parent_point=[exact(x) for x in place[1]],
            child_point=[exact(x) for x in child_place[1]],
            **options,
        )
        self.coordinates |= zip(q, joint.coordinates, strict=True)
        self.speeds |= zip(u, joint.speeds, strict=True)
        return joint

    def add_joint(
        self,
        kind: str,
        name: str,
        *ends: Any,
        axis: np.ndarray | None = None,
        pitch: Expr = ZERO,
        formula: Expr | None = None,
        start: float = 0.0,
    ) -> Joint:
        """Return a new joint of a kind in `FREEDOMS`, or a screw; a free joint has a quaternion.

        ``ends`` are parent, child and optionally their places.  The axis of a pin, a slide or a
        screw is in the joint's frame; a screw advances by its ``pitch`` per radian.  A joint with a
        ``formula`` in coordinates of other joints has no coordinate; it is in its reference pose if
        the formula's value is ``start``.
        """
        endings, options = ENDINGS.get(kind, SINGLE), dict[str, Any]()
        moved = self.coordinate(name)
        if formula is not None:
            endings, moved = ENDINGS["weld"], formula - exact(start)
            self.dependent[name] = formula
        options["q"], options["u"] = ([f"{name}{end}" for end in x] for x in endings)
        if axis is not None and (kind == "screw" or formula is not None):
            options |= _coupled_motion(kind, axis, moved, pitch)
            return self.add(CoupledJoint, name, *ends, **options)
        if axis is not None:
            options["axis"] = unit_vector(axis)
        if kind == "free":
            options["rotation"] = "quaternion"
        return self.add(kind, name, *ends, **options)

    def add_rotor(self, name: str, armature: float, angle: Expr) -> None:
        """Add a flywheel on ground that rotates by an angle."""
        inertial = Inertial(inertia=np.diag([0, 0, armature]))
        rotor = self.add_body(f"{name}_rotor", inertial, is_ideal=True)
        ends, turns = (self.builder.ground, rotor), [(angle, "z")]
        self.builder.add_joint(CoupledJoint, f"{name}_armature", *ends, rotations=turns)

    def add_loop(
        self,
        name: str,
        kind: str,
        ends: Iterable[tuple[RigidBody, Pose]],
        axis: np.ndarray | None = None,
    ) -> LoopJoint:
        """Return a loop joint between ``ends``, pairs of body and place.

        The axis is in the parent's interframe.
        """
        options: dict[str, Any] = {}
        for side, (body, (turn, position)) in zip(("parent", "child"), ends, strict=True):
            options[side], own = body, f"{name}_{side}"
            options[f"{side}_point"] = self.add_point(own, body, position)
            if kind != "spherical":
                options[f"{side}_interframe"] = interframe(own, body, exact_rotation(turn))
        if axis is not None and kind not in WITHOUT_AXIS:
            options["joint_axis"] = vector_of(unit_vector(axis), options["parent_interframe"])
        return LoopJoint(name, kind=kind, **options)

    @staticmethod
    def add_joint_force(
        system: System, joint: Joint, kind: str, axis: np.ndarray, force: Expr
    ) -> None:
        """Add a torque (pin) or a force on the child, by its parent, positive along the speed.

        The joint has one freedom; the axis is in its ``parent_interframe``.
        """
        vector = vector_of(unit_vector(axis), joint.parent_interframe)
        if kind == "pin":
            ends = joint.child.frame, joint.parent.frame
            system.add_actuators(TorqueActuator(force, vector, *ends))
        else:
            system.add_loads(*force_pair(force * vector, joint))

    def add_line_force(
        self,
        system: System,
        name: str,
        what: str,
        ends: Iterable[tuple[RigidBody, np.ndarray]],
        factor: float,
        rest: float,
    ) -> None:
        """Add the force of a spring (``what``: "stiffness") or a damper between two points.

        ``ends`` are bodies with positions in their frames; ``rest`` is the spring's relaxed length.
        """
        # The force of a ForceActuator is positive if it pushes its points apart.
        sides = zip("AB", ends, strict=True)
        path = LinearPathway(*(self.add_point(f"{name}_{side}_{what}", *x) for side, x in sides))
        motion = path.length - exact(rest) if what == "stiffness" else path.extension_velocity
        number = self.number(f"{what}_{name}", factor)
        system.add_actuators(ForceActuator(-number * motion, path))

    @staticmethod
    def add_weight(system: System, body: RigidBody, acceleration: Vector) -> None:
        """Add a body's weight, which follows changes of the body's mass and mass centre."""
        system.add_loads(Weight(body, acceleration))

    close_loops = staticmethod(close_loops)

    @staticmethod
    def coordinate(name: str) -> Expr:
        """Return the coordinate of the pin or slide with a name."""
        return functions_of_time([name])[0]


def _coupled_motion(kind: str, axis: np.ndarray, moved: Expr, pitch: Expr) -> dict[str, Any]:
    """Return the motion of a `CoupledJoint` as a pin, a slide or a screw by ``moved``."""
    direction = unit_vector(axis)
    way = {"pin": ZERO, "prismatic": moved, "screw": pitch * moved}[kind]
    turning = {} if kind == "prismatic" else {"rotations": [(moved, direction)]}
    return {"translation": [way * x for x in direction], **turning}


def exact(value: float) -> Expr:
    """Return a number for sympy; integers stay exact."""
    is_whole = float(value).is_integer() and abs(value) < WHOLE
    return Integer(round(value)) if is_whole else Float(float(value))


def unit_vector(direction: np.ndarray) -> list[Expr]:
    return exact_all(direction / np.linalg.norm(direction))


def exact_all(values: Any) -> list[Expr]:
    """Return components of unit vectors for sympy, rounded if they are nearly 0, 1 or -1."""
    return [exact(round(x) if abs(x - round(x)) < ZERO_COS else x) for x in values]


def exact_rotation(rotation: np.ndarray) -> list[list[Expr]] | None:
    """Return a rotation matrix for sympy; None for the identity."""
    rows = [exact_all(row) for row in rotation]
    return None if rows == np.eye(3, dtype=int).tolist() else rows


def _order_by(symbols: Mapping[str, Expr], order: Sequence[Expr]) -> dict[str, Expr]:
    found = {symbol: name for name, symbol in symbols.items()}
    return {found[symbol]: symbol for symbol in order}
