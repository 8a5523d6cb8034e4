"""Random closed mechanisms in consistent motion: random trees that are closed where they are."""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np
from closed_chains import IDENTITY, ClosedChain, RankInDoubtError, loops_of, null_space, side_at
from described import Closing
from described_numbers import KINDS
from numeric_tree import NumericTree
from random_trees import Generator, RandomTree, random_state
from sympy import Float
from sympy.physics.mechanics import PinJoint, PrismaticJoint, RigidBody, Vector, dynamicsymbols

from jointwrench import ForwardDynamics, InverseDynamics

#: How many speeds are driven, compared with the degrees of freedom.
MOTORS = ("enough", "too many", "too few", "none")
SPATIAL = (*KINDS, "contact")
PLANAR = ("pin", "spherical", "pin", "cylindrical", "pin", "point_on_line")
LEAST_SPEEDS = {**dict.fromkeys(SPATIAL, 3), "pin": 5, "prismatic": 5, "universal": 4, "weld": 6}
WELL_CONDITIONED = 1e3


class NumbersOnly(Generator):
    """Makes trees without symbols for constants."""

    def symbol(self, name, value):
        return Float(value)


class Planar(Generator):
    """Makes trees of pins and sliders in one plane; the bodies have their extent in space."""

    def __init__(self, seed, count):
        super().__init__(seed, count, particles=False, load_kinds=("force", "torque", "motor"))
        self.normal = self.random.randrange(3)

    def vector(self, name, frame, counts=(1, 2, 3)):
        """Return a vector in the plane."""
        axes = (frame.x, frame.y, frame.z)
        inside = [k for k in range(3) if k != self.normal]
        return sum((self.scalar(f"{name}_{k}") * axes[k] for k in inside), Vector(0))

    def join(self, index, inner, outer):
        parent, child = (outer, inner) if self.chance(0.2) else (inner, outer)
        frame, others = parent.frame, [k for k in range(3) if k != self.normal]
        axes = (frame.x, frame.y, frame.z)
        self.set_inertia(index, outer, None)
        is_slider = index > 0 and self.chance(0.15)
        kind, axis = (PrismaticJoint, others[0]) if is_slider else (PinJoint, self.normal)
        points = {
            "parent_point": self.vector(f"p{index}", parent.frame),
            "child_point": self.vector(f"c{index}", child.frame),
        }
        name = f"j{index}"
        self.tree.system.add_joints(kind(name, parent, child, joint_axis=axes[axis], **points))


@dataclass
class RandomChain:
    """A closed mechanism at one state; all of it in numbers, too."""

    number: int
    tree: RandomTree
    closings: tuple
    motors: str
    actuated: tuple
    values: dict
    numeric: ClosedChain

    @property
    def loops(self):
        """The closings as new joints and contacts."""
        return loops_of(self.tree.system, self.closings)

    def inverse(self, **options):
        """Return its InverseDynamics."""
        options = {"loops": self.loops, "actuated": self.actuated, **options}
        return InverseDynamics(self.tree.system, **options)

    def forward(self):
        """Return its ForwardDynamics."""
        return ForwardDynamics(self.tree.system, loops=self.loops)

    def __repr__(self):
        kinds = ", ".join(closing.kind for closing in self.closings)
        driven = f"{len(self.actuated)} motors, {self.motors}"
        return f"<{self.number}> {self.tree!r} closed by {kinds}; {driven}"


class Closer:
    """Closes a tree at a state and makes it move consistently."""

    def __init__(self, seed, tree, kind, planar_normal=None):
        self.random, self.numbers = Random(seed), np.random.default_rng([abs(seed), 11])
        self.tree, self.kind, self.normal = tree, kind, planar_normal
        self.values = random_state(tree, seed)
        self.here = NumericTree(tree, self.values)
        self.closings = []

    # -- closings ---------------------------------------------------------------

    def rotation(self):
        """Return a random rotation, at times none."""
        if self.random.random() < 0.3:
            return np.eye(3)
        orthogonal, _ = np.linalg.qr(self.numbers.normal(size=(3, 3)))
        return orthogonal * np.linalg.det(orthogonal)

    def turn(self, index):
        """Return a random rotation about one of the axes."""
        angle, turn = self.random.uniform(-3, 3), np.eye(3)
        rest = np.ix_([(index + 1) % 3, (index + 2) % 3], [(index + 1) % 3, (index + 2) % 3])
        turn[rest] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return turn

    def pair(self):
        """Return two different rigid bodies."""
        rigid = [body for body in self.tree.bodies if isinstance(body, RigidBody)]
        return self.random.sample([self.tree.ground, *rigid], 2)

    def closing(self, name, kind):
        """Return a random closing of a kind that fits the present pose."""
        parent, child = self.pair()
        index = self.random.randrange(3) if self.normal is None else self.normal
        place = self.numbers.uniform(-0.6, 0.6, 3)
        axes = self.rotation()
        if self.normal is not None:
            place[self.normal] = 0
            axes = self.turn(index)
        here, there = self.here.poses[parent], self.here.poses[child]
        parent_axes = here.rotation[0] @ axes
        child_axes = self.child_axes(KINDS[kind][1], parent_axes, index)
        meeting = here.center[0] + here.rotation[0] @ place
        if self.normal is None:
            meeting = meeting + parent_axes @ self.offset(KINDS[kind][0], index)
        return Closing(
            name,
            kind,
            side_at(parent, place, axes),
            side_at(
                child,
                there.rotation[0].T @ (meeting - there.center[0]),
                there.rotation[0].T @ child_axes,
            ),
            index,
        )

    def child_axes(self, rotations, parent_axes, index):
        """Return the child's axes in the world, as a kind of closing lets them be."""
        if rotations == "all":
            return parent_axes
        if rotations == "none":
            return parent_axes @ (self.turn(index) if self.normal is not None else self.rotation())
        axes = parent_axes @ self.turn(index)
        return axes @ self.turn((index + 1) % 3) if rotations == "twist" else axes

    def offset(self, translations, index):
        """Return how far the child's point is from the parent's, along the parent's axes."""
        is_free = {"all": np.zeros(3), "across": np.eye(3)[index], "along": 1 - np.eye(3)[index]}
        return is_free[translations] * self.numbers.uniform(-0.5, 0.5, 3)

    def touch(self, name):
        """Return a contact at a random point of one of two bodies."""
        parent, child = self.pair()
        index = (parent, child).index(self.random.choice((parent, child)))
        place, axes = self.numbers.uniform(-0.6, 0.6, 3), self.rotation()
        sides = [side_at(body, np.zeros(3), IDENTITY) for body in (parent, child)]
        sides[index] = side_at((parent, child)[index], place, axes)
        directions = self.random.sample(range(3), self.random.choice((1, 1, 2, 3)))
        return Closing(name, "contact", *sides, index, tuple(directions))

    def close(self, most):
        """Close loops that are independent of each other (in a plane: as far as they can be).

        The first one is of the kind that is asked for, or there is none.
        """
        kinds = SPATIAL if self.normal is None else PLANAR
        for _ in range(12):
            name = f"loop{len(self.closings)}"
            kind = self.random.choice(kinds) if self.closings else self.kind
            trial = self.touch(name) if kind == "contact" else self.closing(name, kind)
            if self.is_welcome([*self.closings, trial]):
                self.closings.append(trial)
            if len(self.closings) == most:
                break

    def is_welcome(self, closings):
        """Whether the last closing's constraints are clearly independent and leave some freedom.

        In a plane only those in the plane can be, which are two for every kind.
        """
        jacobian = ClosedChain(self.here, closings).jacobian
        sizes = np.linalg.svd(jacobian, compute_uv=False)
        large = sizes[sizes > 1e-9]
        expected = len(jacobian) if self.normal is None else 2 * len(closings)
        least_freedom = 1 if self.normal is not None or self.random.random() < 0.8 else 0
        if len(large) != expected or expected > jacobian.shape[1] - least_freedom:
            return False
        return large.min() > large.max() / WELL_CONDITIONED

    # -- motion ----------------------------------------------------------------

    def set(self, symbols, numbers):
        self.values.update(zip(symbols, numbers, strict=True))

    def chain(self, actuated=()):
        """Return the mechanism at the present values."""
        return ClosedChain(NumericTree(self.tree, self.values), self.closings, actuated)

    def motors(self, amount, jacobian):
        """Return the speeds that are actuated, or None where a choice is badly conditioned."""
        speeds = list(self.tree.system.u)
        freedom = null_space(jacobian)
        n = freedom.shape[1]
        if amount == "none":
            return ()
        count = {"enough": n, "too many": self.random.randint(n + 1, max(n + 1, len(speeds)))}
        if amount == "too many" and n == len(speeds):
            return None
        if amount == "too few":
            if n < 2:
                return None
            count[amount] = self.random.randint(1, n - 1)
        for _ in range(20):
            chosen = sorted(self.random.sample(range(len(speeds)), count[amount]))
            rank = min(n, count[amount])
            sizes = np.linalg.svd(freedom[chosen], compute_uv=False)
            if rank == 0 or sizes[rank - 1] > 0.03:
                return tuple(speeds[k] for k in chosen)
        return None

    def move(self, amount):
        """Give the mechanism a motion, return its actuated speeds (None: no luck)."""
        speeds = list(self.tree.system.u)
        accelerations = [u.diff(dynamicsymbols._t) for u in speeds]
        jacobian = ClosedChain(self.here, self.closings).jacobian
        freedom = null_space(jacobian)
        actuated = self.motors(amount, jacobian)
        if actuated is None:
            return None
        n = freedom.shape[1]
        self.set(speeds, freedom @ self.numbers.uniform(-1, 1, n))
        self.set(accelerations, np.zeros(len(speeds)))
        chain = self.chain(actuated)
        bias = chain.errors[2]
        if amount in ("enough", "too many"):
            needed = np.linalg.lstsq(jacobian, -bias, rcond=1e-9)[0]
            self.set(accelerations, needed + freedom @ self.numbers.uniform(-2, 2, n))
            return actuated
        needed = free_acceleration(chain, bias, self.numbers.uniform(-2, 2, len(actuated)))
        if needed is None:
            return None
        self.set(accelerations, needed)
        return actuated


def free_acceleration(chain, bias, torques):
    """Return the acceleration under motor torques of a chain whose values have none.

    From mass matrix and constraints; None where these do not determine it.
    """
    mass, jacobian = chain.mass_matrix, chain.jacobian
    motors = np.eye(len(mass))[:, chain.is_actuated]
    forces = motors @ torques - chain.generalized
    n, m = len(mass), len(jacobian)
    matrix = np.block([[mass, -jacobian.T], [jacobian, np.zeros((m, m))]])
    freedom = null_space(jacobian)
    if freedom.size and np.linalg.cond(freedom.T @ mass @ freedom) > WELL_CONDITIONED:
        return None
    return np.linalg.lstsq(matrix, np.concatenate([forces, -bias]), rcond=1e-12)[0][:n]


@lru_cache(50)
def random_closed_chain(number, planar=False):
    """Return the first closed mechanism from a number on; its thousands say which kind of it.

    Several tests share one: nothing may be added to it.
    """
    kinds, seed = PLANAR if planar else SPATIAL, number // 1000
    kind, amount = kinds[seed % len(kinds)], MOTORS[(seed + seed // len(kinds)) % len(MOTORS)]
    for candidate in range(number, number + 300):
        try:
            chain = attempt(candidate, planar, kind, amount)
        except RankInDoubtError:
            continue
        if chain is not None:
            return chain
    raise RuntimeError(f"no closed chain from {number} on")


def attempt(number, planar, kind, amount):
    """Return a closed mechanism, or None."""
    tree_of = Planar if planar else NumbersOnly if number % 4 == 0 else Generator
    generator = tree_of(number, (3 if planar else 2) + number % 3)
    tree = generator.make()
    rigid = [body for body in tree.bodies if isinstance(body, RigidBody)]
    least = 2 if planar else LEAST_SPEEDS[kind]
    if not rigid or not least <= len(tree.system.u) <= 9:
        return None
    closer = Closer(number, tree, kind, generator.normal if planar else None)
    closer.close(most=1 + number % 2)
    actuated = closer.move(amount) if closer.closings else None
    if actuated is None:
        return None
    chain = closer.chain(actuated)
    sizes = np.linalg.svd(chain.equations[0], compute_uv=False)
    large = sizes[sizes > 1e-9 * sizes.max()]
    if large.max() > 100 * WELL_CONDITIONED * large.min():
        return None
    return RandomChain(number, tree, tuple(closer.closings), amount, actuated, closer.values, chain)
