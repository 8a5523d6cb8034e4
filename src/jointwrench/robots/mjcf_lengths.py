"""The coordinates and tendon lengths along which MuJoCo's springs, dampers and motors act."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr, Integer, Max, Min
from sympy.physics.mechanics import ForceActuator, LinearPathway, System, dynamicsymbols
from sympy.physics.vector import Point

from ..extend import exact
from .mjcf_tree import MjcfTree

#: The elements of paths whose length has a formula.
READ = {"joint", "site", "pulley"}


class MjcfLength:
    """The coordinate of a joint or the length of a tendon, along which forces act.

    A tendon's length is a sum of coordinates or of straight lines between points.

    Attributes
    ==========

    kind : str
        ``"joint"`` or ``"tendon"``.
    number : int
        MuJoCo's number of the joint or tendon.
    name : str
        Its name.
    joints : list of tuple of int and float
        The joints whose coordinates are in the sum, with their factors.
    is_read : bool
        Whether the length has a formula.  Balls, free joints and tendons that wrap around geoms
        have none.
    lines : list of tuple of Point, Point and float
        The straight lines: both ends, and the divisor of the pulley.
    motors : list of int
        The actuators that act along the length.
    """

    def __init__(self, tree: MjcfTree, kind: str, number: int) -> None:
        self._tree, self.kind, self.number = tree, kind, number
        self.name, path = tree.compiled.name(kind, number), [*tree.compiled.path(kind, number)]
        self.joints = [(joint, by) for what, joint, by in path if what == "joint"]
        is_plain = all(tree.compiled.is_scalar(joint) for joint, _ in self.joints)
        self.is_read = is_plain and {what for what, _, _ in path} <= READ
        self.lines = [*self._lines(path)] if self.is_read else []
        each = range(len(tree.model.actuator_trntype))
        self.motors = [k for k in each if tree.compiled.target(k) == (kind, number)]

    def _lines(self, path: list[tuple[str, int, float]]) -> Iterator[tuple[Point, Point, float]]:
        """Yield straight lines between points on bodies, and the divisor of the pulley."""
        tree, last, divisor = self._tree, None, 1.0
        for k, (what, site, by) in enumerate(path):
            if what != "site":
                last, divisor = None, by
                continue
            body, place = tree.bodies[tree.model.site_bodyid[site]], tree.model.site_pos[site]
            point = tree.model_builder.add_point(f"{self.name}_{k}", body, place)
            if last is not None:
                yield last, point, divisor
            last = point

    # -- numbers ----------------------------------------------------------------------

    def own(self, what: str) -> Any:
        """Return the entry of the joint or tendon in an array of the model.

        It is zero if this version of MuJoCo does not have the array.
        """
        model, number = self._tree.model, self.number
        places = {"tendon": number}
        if self.kind == "joint":
            places = {"jnt": number, "dof": model.jnt_dofadr[number]}
        arrays = ((getattr(model, f"{x}_{what}", None), place) for x, place in places.items())
        return next((array[place] for array, place in arrays if array is not None), 0)

    def of_motors(self, what: str) -> list[Any]:
        values = getattr(self._tree.model, f"actuator_{what}", None)  # from MuJoCo 3.6 on
        return [] if values is None else [values[k] for k in self.motors]

    def total(self, what: str) -> float:
        """Return the armature or damping of the joint or tendon and of its motors.

        A motor's contribution is multiplied by the square of its gear ratio.
        """
        gears = (self._tree.compiled.gear(k) for k in self.motors)
        added = (x * gear**2 for x, gear in zip(self.of_motors(what), gears, strict=False))
        return float(self.own(what)) + sum(added)

    @property
    def limits(self) -> np.ndarray | None:
        """The limits of the sum of the motors' forces."""
        return self.own("actfrcrange") if self.own("actfrclimited") else None

    # -- formulas ---------------------------------------------------------------------

    @cached_property
    def length(self) -> Expr:
        turns = [exact(by) * self._tree.position(joint) for joint, by in self.joints]
        parts = [LinearPathway(a, b).length / exact(by) for a, b, by in self.lines]
        return sum([*turns, *parts], Integer(0))

    @cached_property
    def rate(self) -> Expr:
        """The time derivative of the length."""
        if self.lines:
            return self.length.diff(dynamicsymbols._t)
        return sum((exact(by) * self._tree.speed(k) for k, by in self.joints), Integer(0))

    @property
    def strain(self) -> Expr:
        """The extension of the spring from its relaxed length.

        It is zero inside the range of lengths at which the spring of a tendon may be relaxed.
        """
        model = self._tree.model
        if self.kind == "joint":
            return self.length - exact(model.qpos_spring[model.jnt_qposadr[self.number]])
        lower, upper = map(exact, model.tendon_lengthspring[self.number])
        if lower == upper:
            return self.length - lower
        return Max(self.length - upper, Integer(0)) + Min(self.length - lower, Integer(0))

    def slope(self, joint: int) -> Expr:
        """Return the change of length per unit of a hinge's or slide's coordinate."""
        if self.lines:
            return self.length.diff(self._tree.coordinate(joint))
        return exact(sum(by for number, by in self.joints if number == joint))

    def add_force(self, system: System, force: Expr) -> None:
        """Add a force that is positive where it makes the length longer."""
        for joint, by in self.joints:
            self._tree.add_force(joint, system, exact(by) * force)
        for start, end, by in self.lines:
            system.add_actuators(ForceActuator(force / exact(by), LinearPathway(start, end)))


def read_lengths(tree: MjcfTree, friction: bool) -> list[MjcfLength]:
    """Return the joint coordinates and tendon lengths on which forces act.

    Armatures become flywheels.  Tendons that wrap around geoms are listed as left out.
    """
    found = []
    counts = {"joint": tree.model.njnt, "tendon": tree.model.ntendon}
    for length in (MjcfLength(tree, kind, k) for kind, n in counts.items() for k in range(n)):
        is_limited = length.kind == "tendon" and length.own("limited")
        if length.kind == "tendon" and not length.is_read:
            names = ["stiffness", "stiffnesspoly", "dampingpoly", *["frictionloss"] * friction]
            acting = [*map(length.own, names), *length.of_motors("dampingpoly")]
            acts = is_limited or length.total("damping") or any(map(np.any, acting))
            unread = tree.losses if acts else tree.left_out  # its motors are left out by themselves
            unread.append(f"tendon {length.name}, which wraps around geoms")
            continue
        found.append(length)
        if armature := length.total("armature"):
            if length.is_read:
                tree.model_builder.add_rotor(length.name, armature, length.length)
            else:
                tree.losses.append(f"armature of {length.name}")
        if is_limited:
            tree.losses.append(f"range of {length.name}")
    return found
