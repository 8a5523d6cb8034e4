"""Tendons of MuJoCo: their lengths as formulas, and forces along them as loads."""

from collections.abc import Iterator

from sympy import Expr, Integer
from sympy.physics.mechanics import ForceActuator, LinearPathway, System, dynamicsymbols
from sympy.physics.vector import Point

from ..extend import exact
from .mjcf_tree import MjcfTree


class MjcfTendon:
    """A tendon: a sum of coordinates times factors, or straight lines between sites.

    ``is_read``: whether its length has a formula, which is not supported for wrapping tendons.
    """

    def __init__(self, tree: MjcfTree, number: int) -> None:
        self._tree, self.number = tree, number
        self.name = tree.compiled.name("tendon", number)
        self.joints = tree.compiled.fixed_tendon(number)
        kinds = {kind for kind, _, _ in tree.compiled.wraps(number)}
        self.is_fixed = bool(self.joints)
        self.is_read = self.is_fixed or kinds <= {"site", "pulley"}
        self.lines = [] if self.is_fixed or not self.is_read else [*self._lines()]

    def _lines(self) -> Iterator[tuple[Point, Point, float]]:
        """Yield straight lines between points on bodies, and the divisor of the pulley."""
        tree, last, divisor = self._tree, None, 1.0
        for k, (kind, site, by) in enumerate(tree.compiled.wraps(self.number)):
            if kind == "pulley":
                last, divisor = None, by
                continue
            body, place = tree.bodies[tree.model.site_bodyid[site]], tree.model.site_pos[site]
            point = tree.model_builder.add_point(f"{self.name}_{k}", body, place)
            if last is not None:
                yield last, point, divisor
            last = point

    @property
    def length(self) -> Expr:
        if self.is_fixed:
            return self._tree.tendon_length(self.number)
        parts = (LinearPathway(a, b).length / exact(by) for a, b, by in self.lines)
        return sum(parts, Integer(0))

    @property
    def rate(self) -> Expr:
        """The time derivative of the length."""
        if self.is_fixed:
            terms = (exact(by) * self._tree.speed(joint) for joint, by in self.joints)
            return sum(terms, Integer(0))
        return self.length.diff(dynamicsymbols._t)

    def slope(self, joint: int) -> Expr:
        """Return the change of length per unit of a hinge's or slide's coordinate."""
        if self.is_fixed:
            return exact(sum(by for number, by in self.joints if number == joint))
        return self.length.diff(self._tree.coordinate(joint))

    def add_force(self, system: System, force: Expr) -> None:
        """Add a force that is positive where it makes the tendon longer."""
        for joint, by in self.joints:
            self._tree.add_force(joint, system, exact(by) * force)
        for start, end, by in self.lines:
            system.add_actuators(ForceActuator(force / exact(by), LinearPathway(start, end)))

    def add_rotor(self, armature: float) -> None:
        """Add a flywheel on ground that rotates with the length."""
        self._tree.add_rotor(self.name, armature, self.length)


def read_tendons(tree: MjcfTree) -> list[MjcfTendon]:
    """Return the tendons whose lengths have formulas, with their flywheels; list the others."""
    found = []
    for number in range(tree.model.ntendon):
        tendon = MjcfTendon(tree, number)
        if not tendon.is_read:
            numbers = tree.model.tendon_stiffness[number], tree.model.tendon_limited[number]
            acts = any((*numbers, tree.compiled.total_of_tendon("damping", number)))
            told = tree.losses if acts else tree.left_out  # its motors are left out by themselves
            told.append(f"tendon {tendon.name}, which wraps around geoms")
            continue
        found.append(tendon)
        if armature := tree.compiled.total_of_tendon("armature", number):
            tendon.add_rotor(armature)
        if tree.model.tendon_limited[number]:
            tree.losses.append(f"range of {tendon.name}")
    return found
