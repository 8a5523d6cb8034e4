"""Random trees in which things vanish: zeros, right angles, equal lengths, gates, driven bases."""

import numpy as np
import sympy as sm
from actuation import Actuation
from bodies import rigid_body
from random_trees import JOINT_KINDS, LOAD_KINDS, Generator
from sympy.physics.mechanics import Particle, Vector, dynamicsymbols, inertia

from jointwrench.mechanics.models.free_joint import FreeJoint
from jointwrench.mechanics.models.quaternion_joint import QuaternionJoint

SPECIAL_JOINTS = (*JOINT_KINDS, "quaternion", "free", "spherical")
#: Of lengths, factors and gravity; several of them are the same as often as not.
SPECIAL_VALUES = (sm.S.Zero, sm.S.Zero, sm.S.Half, -sm.S.Half, sm.S.One)
SPECIAL_ANGLES = (sm.S.Zero, sm.pi / 2, -sm.pi / 2, sm.pi)
SPECIAL_INERTIAS = ((0.1, 0.1, 0.1), (0.2, 0.2, 0.3), (1e-6, 0.2, 0.2))


class SpecialGenerator(Generator):
    """Makes a RandomTree of special numbers, and possibly loads that the motion determines."""

    def __init__(self, seed, count=None, is_actuated=False, load_kinds=LOAD_KINDS):
        super().__init__(seed, count, joints=SPECIAL_JOINTS, load_kinds=load_kinds)
        self.count = count or self.random.choice((1, 1, 1, 2, 2, 3))
        self.is_actuated = is_actuated

    def make(self):
        """Return the tree."""
        if self.chance(0.2):
            self.add_base()
        tree = super().make()
        if self.is_actuated:
            tree.unknowns = Actuation(self).add()
        return tree

    # -- numbers ----------------------------------------------------------------

    def scalar(self, name, value=None):
        """Return a special or a generic number, or a symbol that has such a value."""
        if value is not None or self.chance(0.4):
            return super().scalar(name, value)
        special = self.random.choice(SPECIAL_ANGLES if "angle" in name else SPECIAL_VALUES)
        return self.symbol(name, float(special)) if self.chance(0.5) else special

    def off_axis(self, name, body):
        """Return a position that is on no joint's axis, where two bodies would have the point."""
        axes, values = self.tree.frames[body], self.numbers.uniform(0.2, 1, 3)
        return sum(
            (
                Generator.scalar(self, f"{name}_{k}", value) * axis
                for k, (axis, value) in enumerate(zip(axes, values, strict=True))
            ),
            Vector(0),
        )

    def rigid_body(self, index):
        if self.chance(0.5):
            return super().rigid_body(index)
        body = rigid_body(f"B{index}", self.scalar(f"m{index}", self.random.choice((1, 2))))
        central = np.diag(self.random.choice(SPECIAL_INERTIAS))
        return self.register(body, central, body.frame)

    def magnitude(self, name):
        """Return a scalar as other trees have it, or one behind a gate."""
        factor = super().magnitude(name)
        return factor * self.gate(name) if self.chance(0.4) else factor

    def gate(self, name):
        """Return what vanishes, or has a kink, where a coordinate or speed is beyond a limit."""
        system = self.tree.system
        states = [*system.q, *system.u]
        if not states:
            return sm.S.One
        x = self.random.choice(states)
        limit = self.random.choice(
            (sm.S.Zero, sm.S.Half, self.symbol(f"{name}_limit", float(np.pi / 2)))
        )
        gates = (
            sm.Max(0, x - limit),
            sm.Min(x, limit),
            sm.Heaviside(x - limit),
            sm.Heaviside(limit - x),
            sm.Piecewise((1, x > limit), (0, True)),
            sm.Piecewise((x, x >= limit), (limit, True)),
            sm.Abs(x - limit),
            sm.sign(x),
            sm.Float(1e-10),
        )
        return self.random.choice(gates)

    # -- joints -----------------------------------------------------------------

    def add_base(self):
        """Add a body that moves as given functions of time do."""
        tree, frame = self.tree, self.tree.ground.frame
        base = rigid_body("base", 1)
        base.central_inertia = inertia(base.frame, 1, 1, 1)
        shift, turn = dynamicsymbols("shift turn")
        explicit = self.chance(0.5)
        if explicit:
            shift, turn = self.time**2 / 2, sm.sin(self.time)
        else:
            tree.driving += [shift, turn]
        base.frame.orient_axis(frame, self.direction(frame), turn)
        base.masscenter.set_pos(tree.system.fixed_point, shift * self.direction(frame))
        tree.system.add_bodies(base)
        tree.driven.append(base)
        tree.frames[base] = base.frame
        self.depth[base] = 0

    def make_quaternion(self, name, parent, child, sides):
        return QuaternionJoint(name, parent, child, **sides)

    def make_free(self, name, parent, child, sides):
        if isinstance(child, Particle):
            return self.make_pin(name, parent, child, sides)
        rotation = self.random.choice(("angles", "quaternion"))
        return FreeJoint(name, parent, child, rotation=rotation, **sides)


def special_tree(seed, count=None, **options):
    """Return a random tree; the same one for the same arguments."""
    return SpecialGenerator(seed, count, **options).make()
