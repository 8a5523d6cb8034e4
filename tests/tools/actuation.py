"""Random loads that the motion determines: motors, thrusters, struts, behind gates, in parts."""

import sympy as sm
from random_trees import Load, Strut
from sympy.physics.mechanics import (
    CylindricalJoint,
    Force,
    ForceActuator,
    Particle,
    PinJoint,
    PlanarJoint,
    PrismaticJoint,
    RigidBody,
    Torque,
)

from jointwrench.mechanics.models.free_joint import FreeJoint

#: A motor acts between the joint's bodies, a thruster is fixed in the outer one.
STYLES = ("motor", "motor", "thruster", "strut")


class Actuation:
    """Adds actuators to the joints of a tree that is being made."""

    def __init__(self, generator):
        self.generator, self.random = generator, generator.random
        self.tree = generator.tree
        self.unknowns = []

    def add(self):
        """Add as many unknowns to each joint, or to some of the joints, as it has speeds."""
        pairs = list(zip(self.tree.system.joints, self.generator.neighbours, strict=True))
        moving = [pair for pair in pairs if pair[0].speeds]
        if moving and self.random.random() < 0.3:
            moving = self.random.sample(moving, self.random.randint(1, len(moving)))
        for joint, (inner, outer) in moving:
            self.actuate(joint, inner, outer)
        return self.unknowns

    def actuate(self, joint, inner, outer):
        style = self.random.choice(STYLES)
        if isinstance(outer, Particle) and not isinstance(joint, PrismaticJoint):
            style = "strut"  # a torque needs a frame
        if isinstance(inner, Particle) and style == "motor":
            style = "thruster"
        is_single = len(joint.speeds) == 1
        if style == "strut" and is_single and (inner, outer) in self.generator.shallow:
            self.strut(inner, outer)
        elif isinstance(outer, RigidBody):
            for is_force, direction in directions(joint, style == "thruster", self.random):
                self.load(joint, inner, outer, style, is_force, direction)

    def unknown(self):
        symbol = sm.Symbol(f"X{len(self.unknowns)}")
        self.unknowns.append(symbol)
        self.tree.values[symbol] = 0.0
        return symbol

    def strut(self, inner, outer):
        symbol = self.unknown()
        ends = []
        for side, body in zip("LR", (inner, outer), strict=True):
            name = f"{side}{symbol}"
            ends.append(
                (body, body.masscenter.locatenew(name, self.generator.off_axis(name, body)))
            )
        pathway = self.generator.line(ends)
        self.tree.system.add_actuators(ForceActuator(symbol, pathway))
        self.tree.struts.append(Strut(tuple(ends), lambda length, rate: symbol))

    def load(self, joint, inner, outer, style, is_force, direction):
        symbol = self.unknown()
        strength = symbol
        if self.random.random() < 0.1:
            strength = symbol * self.generator.gate(str(symbol))
        points = {joint.parent: joint.parent_point, joint.child: joint.child_point}
        self.apply(outer, points[outer] if is_force else None, strength * direction)
        if style == "motor":
            self.apply(inner, points[inner] if is_force else None, -strength * direction)
        if self.random.random() < 0.15:  # a part of it acts elsewhere, beyond a gate
            other = self.random.choice(self.tree.bodies)
            gate = self.generator.gate(f"{symbol}_elsewhere")
            axis = self.generator.direction(self.tree.ground.frame)
            if isinstance(other, RigidBody):
                self.apply(other, None, symbol * gate * axis)

    def apply(self, body, point, vector):
        load = Torque(body.frame, vector) if point is None else Force(point, vector)
        self.tree.system.add_loads(load)
        self.tree.loads.append(Load(body, point, vector))


def directions(joint, in_child, random):
    """Return (whether it is a force, direction) for each of a joint's speeds."""
    is_in_child = in_child or random.random() < 0.5
    x, y, z = joint.child_interframe if is_in_child else joint.parent_interframe
    if isinstance(joint, PinJoint):
        return [(False, joint.joint_axis)]
    if isinstance(joint, PrismaticJoint):
        return [(True, joint.joint_axis)]
    if isinstance(joint, CylindricalJoint):
        return [(True, joint.joint_axis), (False, joint.joint_axis)]
    if isinstance(joint, PlanarJoint):
        return [(False, x), (True, y), (True, z)]
    forces = [(True, axis) for axis in (x, y, z)] if isinstance(joint, FreeJoint) else []
    return [*forces, *((False, axis) for axis in (x, y, z))]
