"""Random described models as Systems of sympy, with a number for each symbol."""

from functools import cached_property, lru_cache
from random import Random

import numpy as np
from described import GROUND
from described_models import Maker, random_chain
from described_numbers import Numeric
from described_systems import Built
from sympy.physics.mechanics import Particle

from jointwrench import ForwardDynamics, InverseDynamics

JOINTS = ("pin", "pin", "prismatic", "cylindrical", "planar", "spherical", "weld")
LOADS = ("force", "force", "torque", "spring", "spring", "strut", "motor")
GRAVITY = ("all", "all", "some", "none")
WISHES = {"pose": "generic", "joints": JOINTS, "loads": LOADS, "gravity": GRAVITY, "base": 0.0}
#: Matrices of a larger condition are taken for singular.
REGULAR = 1e9


class RandomSystem(Built):
    """A System with loops, and numbers for all its symbols."""

    @property
    def ground(self):
        """The body that does not move."""
        return self.bodies[GROUND]

    @property
    def moving(self):
        """The bodies whose motion the joints determine."""
        return [self.bodies[body.name] for body in self.model.bodies]

    @property
    def inputs(self):
        """The numbers of constants, specifieds, unknown loads, state and time."""
        udot = [u.diff(self.time) for u in self.speeds]
        values = {**self.values, **self.specified, self.time: float(self.model.time.value)}
        for symbols, name in ((self.coordinates, "q"), (self.speeds, "u"), (udot, "udot")):
            numbers = (float(x.value) for x in self.model.group(name))
            values.update(zip(symbols, numbers, strict=True))
        loads = (float(load.magnitude.value) for load in self.model.unknowns)
        return values | dict(zip(self.unknowns, loads, strict=True))

    @cached_property
    def numeric(self):
        """The same in numbers."""
        return Numeric(self.model)

    @property
    def is_regular(self):
        """Whether every speed moves mass."""
        matrix = self.numeric.mass_matrix
        return not matrix.size or np.linalg.cond(matrix) < REGULAR

    @property
    def actuated(self):
        """The speeds that have motors."""
        return [u for u, has in zip(self.speeds, self.numeric.is_actuated, strict=True) if has]

    @property
    def options(self):
        """The options of InverseDynamics."""
        found = {"solve_for": self.unknowns} if self.unknowns else {}
        driven = {"loops": self.loops, "actuated": self.actuated}
        return found | driven if self.loops else found

    def inverse(self, **options):
        """Return its InverseDynamics."""
        return InverseDynamics(self.system, **(self.options | options))

    def forward(self, **options):
        """Return its ForwardDynamics."""
        return ForwardDynamics(self.system, loops=self.loops, **options)

    def __repr__(self):
        return self.model.name


def child_frame(joint):
    """Return the frame of a joint's child; of a particle, the child's interframe."""
    return joint.child_interframe if isinstance(joint.child, Particle) else joint.child.frame


def random_system(seed, count=None, **wishes):
    """Return a random tree, of one to five bodies if no ``count`` is given."""
    count = count or Random(seed).randint(1, 5)
    maker = Maker(seed, **(WISHES | wishes))
    maker.tree(count)
    maker.add_loads(count + 1)
    return RandomSystem(maker.model())


@lru_cache(50)
def closed_system(number, planar=False):
    """Return a random closed mechanism; several tests share one: nothing may be added to it."""
    return RandomSystem(random_chain(number, planar, pose="generic", base=0.0))
