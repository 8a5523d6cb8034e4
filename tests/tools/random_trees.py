"""Random sympy Systems whose bodies form a tree, with numbers for all their symbols."""

from dataclasses import dataclass, field
from random import Random

import numpy as np
import sympy as sm
from bodies import inertia, rigid_body
from sympy.physics.mechanics import (
    CylindricalJoint,
    Force,
    ForceActuator,
    LinearDamper,
    LinearPathway,
    LinearSpring,
    Particle,
    PinJoint,
    PlanarJoint,
    Point,
    PrismaticJoint,
    ReferenceFrame,
    RigidBody,
    SphericalJoint,
    System,
    Torque,
    TorqueActuator,
    Vector,
    WeldJoint,
    dynamicsymbols,
)

JOINT_KINDS = ("pin", "pin", "prismatic", "cylindrical", "planar", "spherical", "weld")
LOAD_KINDS = ("force", "force", "torque", "spring", "damper", "strut", "motor")
GRAVITY_STYLES = ("uniform", "uniform", "none", "different")


@dataclass
class Load:
    """A known load: on which body (None: ground), where (None: a torque), which vector."""

    body: object
    point: object
    vector: Vector

    def has(self, symbol):
        """Return whether a symbol stands in the load."""
        return any(components.has(symbol) for components, _ in self.vector.args)


@dataclass
class Strut:
    """A force between two points, positive when it pushes: ``force(length, rate)``.

    The force is a number or a formula.
    """

    ends: tuple
    force: object

    def has(self, symbol):
        """Return whether the force is this symbol."""
        return self.force(1.0, 1.0) == symbol


@dataclass
class RandomTree:
    """A System with numbers for its constants, and its loads as they were meant."""

    seed: int
    system: System
    ground: RigidBody
    values: dict = field(default_factory=dict)
    masses: dict = field(default_factory=dict)
    central_inertias: dict = field(default_factory=dict)  # in the body's frame
    loads: list = field(default_factory=list)
    struts: list = field(default_factory=list)
    frames: dict = field(default_factory=dict)  # of particles, too
    gravity: object = None
    driven: list = field(default_factory=list)  # bodies of prescribed motion
    driving: list = field(default_factory=list)  # functions of time of which it consists
    unknowns: list = field(default_factory=list)  # load symbols that the motion determines

    @property
    def bodies(self):
        """The moving bodies."""
        fixed = [self.ground, *self.driven]
        return [body for body in self.system.bodies if body not in fixed]

    @property
    def is_regular(self):
        """Whether every body has mass and inertia, so that the mass matrix is definite."""
        return all(
            self.masses[body] > 0 and np.linalg.det(self.central_inertias[body]) > 0
            for body in self.bodies
        )

    def __repr__(self):
        return f"<seed {self.seed}: {', '.join(type(j).__name__ for j in self.system.joints)}>"


class Generator:
    """Makes a RandomTree; what it decides depends on the seed alone."""

    def __init__(
        self,
        seed,
        count=None,
        joints=JOINT_KINDS,
        load_kinds=LOAD_KINDS,
        gravity=GRAVITY_STYLES,
        particles=True,
        reverse=True,
    ):
        self.random = Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.joint_kinds, self.load_kinds = joints, load_kinds
        self.gravity_styles = gravity
        self.particles, self.reverse = particles, reverse
        self.count = count or self.random.randint(1, 5)
        ground = rigid_body("ground")
        self.tree = RandomTree(seed, System.from_newtonian(ground), ground)
        self.tree.frames[ground] = ground.frame
        self.depth = {ground: 0}
        self.neighbours = []
        self.carrier = None
        self.time = dynamicsymbols._t

    def make(self):
        """Return the tree."""
        for index in range(self.count):
            self.add_body(index)
        self.add_gravity()
        if self.load_kinds:
            for index in range(self.random.randint(0, self.count + 1)):
                getattr(self, f"add_{self.random.choice(self.load_kinds)}")(index)
        self.tree.values[self.time] = self.random.uniform(0, 3)
        return self.tree

    # -- scalars, vectors, frames, points -----------------------------------

    def chance(self, probability):
        return self.random.random() < probability

    def scalar(self, name, value=None):
        """Return a symbol or a number of about this value."""
        value = (
            self.random.choice((-1, 1)) * self.random.uniform(0.2, 1) if value is None else value
        )
        if self.chance(0.5):
            return self.symbol(name, value)
        return sm.Float(value) if self.chance(0.5) else sm.Rational(round(value * 64), 64)

    def symbol(self, name, value):
        symbol = sm.Symbol(name)
        assert symbol not in self.tree.values
        self.tree.values[symbol] = value
        return symbol

    def vector(self, name, frame, counts=(1, 2, 3)):
        """Return a vector along one, two or three axes of a frame."""
        axes = self.random.sample(range(3), self.random.choice(counts))
        return sum(
            (self.scalar(f"{name}_{k}") * (frame.x, frame.y, frame.z)[k] for k in axes), Vector(0)
        )

    def direction(self, frame):
        """Return a vector that is not a unit vector."""
        axes = (frame.x, frame.y, frame.z)
        if self.chance(0.4):
            return self.random.choice((-1, 1, 2)) * self.random.choice(axes)
        return sum((self.random.choice((-2, -1, 1, 2)) * axis for axis in axes), Vector(0))

    def interframe(self, name, frame):
        """Return an interframe for a joint: None, a Vector or a ReferenceFrame."""
        style = self.random.choice(("none", "none", "vector", "symbols", "axis", "angles"))
        if style == "none":
            return None
        if style == "vector":
            return self.direction(frame)
        if style == "symbols":
            return self.symbol(f"{name}_a", 0.6) * frame.x + self.symbol(f"{name}_b", 0.9) * frame.y
        interframe = ReferenceFrame(name)
        if style == "axis":
            interframe.orient_axis(frame, self.direction(frame), self.scalar(f"{name}_angle"))
        else:
            angles = [self.scalar(f"{name}_angle{k}") for k in range(3)]
            interframe.orient_body_fixed(frame, angles, "zxz")
        return interframe

    def attachment(self, name, body, frame):
        """Return where a joint is on a body: None (mass centre), a Vector or a Point."""
        style = self.random.choice(("none", "vector", "vector", "point"))
        if style == "none":
            return None
        vector = self.vector(name, frame)
        return vector if style == "vector" else body.masscenter.locatenew(f"{name}_P", vector)

    # -- bodies and joints ----------------------------------------------------

    def add_body(self, index):
        is_last = index == self.count - 1
        if self.carrier is not None:
            body = self.rigid_body(index)
        elif self.particles and self.chance(0.3 if is_last else 0.15):
            body = self.particle(index)
        elif not is_last and self.particles and self.chance(0.05):
            body = self.massless(index)
        else:
            body = self.rigid_body(index)
        inner = self.random.choice([self.tree.ground, *list(self.depth)[-3:]])
        if self.carrier is not None:  # a massless body needs something to carry
            inner, self.carrier = self.carrier, None
        if isinstance(body, RigidBody) and not self.tree.masses[body]:
            self.carrier = body
        self.tree.system.add_bodies(body)
        self.join(index, inner, body)
        self.depth[body] = self.depth[inner] + 1
        self.neighbours.append((inner, body))

    def particle(self, index):
        value = self.random.uniform(0.5, 2)
        body = Particle(f"P{index}", mass=self.scalar(f"mp{index}", value))
        return self.register(body, np.zeros((3, 3)), ReferenceFrame(f"F{index}"))

    def massless(self, index):
        body = rigid_body(f"M{index}", 0)
        return self.register(body, np.zeros((3, 3)), body.frame)

    def rigid_body(self, index):
        body = rigid_body(f"B{index}", self.scalar(f"m{index}", self.random.uniform(0.5, 2)))
        factor = self.numbers.uniform(-0.5, 0.5, (3, 3))
        central = np.trace(factor @ factor.T) * np.eye(3) - factor @ factor.T + 0.05 * np.eye(3)
        return self.register(body, central, body.frame)

    def register(self, body, central, frame):
        self.tree.masses[body] = float(sm.sympify(body.mass).xreplace(self.tree.values))
        self.tree.central_inertias[body] = central
        self.tree.frames[body] = frame
        return body

    def join(self, index, inner, outer):
        parent, child = (outer, inner) if self.reverse and self.chance(0.2) else (inner, outer)
        kind = self.random.choice(self.joint_kinds)
        if not self.tree.masses.get(outer, 1):
            kind = "pin"
        elif not self.tree.masses.get(inner, 1):
            kind = self.random.choice(("prismatic", "weld"))  # surely no second turn about the pin
        sides = {}
        for side, body in (("parent", parent), ("child", child)):
            frame = self.tree.frames[body]
            sides[f"{side}_point"] = self.attachment(f"{side[0]}{index}", body, frame)
            if isinstance(body, Particle):
                sides[f"{side}_interframe"] = self.particle_interframe(f"{side}_{index}", frame)
            else:
                sides[f"{side}_interframe"] = self.interframe(f"{side}_{index}", frame)
        if isinstance(outer, RigidBody):
            self.set_inertia(
                index, outer, sides["child_point" if outer is child else "parent_point"]
            )
        joint = getattr(self, f"make_{kind}")(f"j{index}", parent, child, sides)
        self.tree.system.add_joints(joint)

    def particle_interframe(self, name, frame):
        """Return the particle's frame, or one that is fixed in it."""
        if self.chance(0.5):
            return frame
        interframe = ReferenceFrame(name)
        interframe.orient_axis(frame, self.direction(frame), self.scalar(f"{name}_angle"))
        return interframe

    def set_inertia(self, index, body, attachment):
        """Give a rigid body its inertia about the mass centre, the joint or another point."""
        central = self.tree.central_inertias[body]
        if not central.any():
            return
        about, arm = body.masscenter, np.zeros(3)
        if self.chance(0.5):
            is_point = isinstance(attachment, Point) and self.chance(0.7)
            about = (
                attachment
                if is_point
                else body.masscenter.locatenew(f"Q{index}", self.vector(f"Q{index}", body.frame))
            )
            arm = about.pos_from(body.masscenter).to_matrix(body.frame).xreplace(self.tree.values)
            arm = np.array(arm, dtype=float).ravel()
        moments = central + self.tree.masses[body] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        entries = [moments[k] for k in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
        if self.chance(0.6):
            entries = [self.symbol(f"I{index}_{k}", entry) for k, entry in enumerate(entries)]
        body.inertia = (inertia(body.frame, *entries), about)

    def axis(self, parent, sides):
        """Return the axis of a joint in its parent's frames."""
        frame = sides["parent_interframe"]
        if not isinstance(frame, ReferenceFrame) or self.chance(0.3):
            frame = self.tree.frames[parent]
        return self.direction(frame)

    def make_pin(self, name, parent, child, sides):
        return PinJoint(name, parent, child, joint_axis=self.axis(parent, sides), **sides)

    def make_prismatic(self, name, parent, child, sides):
        return PrismaticJoint(name, parent, child, joint_axis=self.axis(parent, sides), **sides)

    def make_cylindrical(self, name, parent, child, sides):
        return CylindricalJoint(name, parent, child, joint_axis=self.axis(parent, sides), **sides)

    def make_planar(self, name, parent, child, sides):
        return PlanarJoint(name, parent, child, **sides)

    def make_spherical(self, name, parent, child, sides):
        return SphericalJoint(
            name,
            parent,
            child,
            rot_type=self.random.choice(("BODY", "SPACE")),
            rot_order=self.random.choice(("123", "312", "zyx", "313", "xyx")),
            **sides,
        )

    def make_weld(self, name, parent, child, sides):
        return WeldJoint(name, parent, child, **sides)

    # -- loads ------------------------------------------------------------------

    def add_gravity(self):
        style = self.random.choice(self.gravity_styles)
        if style == "none":
            return
        system = self.tree.system
        self.tree.gravity = self.vector("g", system.frame)
        if style == "uniform":
            system.apply_uniform_gravity(self.tree.gravity)
            heavy = self.tree.bodies
        else:
            heavy = self.random.sample(self.tree.bodies, self.random.randint(1, self.count))
            system.add_loads(*(Force(body, body.mass * self.tree.gravity) for body in heavy))
        self.tree.loads += [Load(b, b.masscenter, b.mass * self.tree.gravity) for b in heavy]

    def magnitude(self, name):
        """Return a scalar that may depend on the state, the time and a specified."""
        system = self.tree.system
        style = self.random.choice(("constant", "q", "u", "t", "specified"))
        factor = self.scalar(f"{name}_c")
        if style == "specified":
            specified = dynamicsymbols(f"{name}_f")
            self.tree.values[specified] = self.random.uniform(-1, 1)
            return factor * specified
        if style == "t":
            return factor * sm.cos(3 * self.time)
        if style == "q" and system.q:
            return factor * sm.sin(self.random.choice(list(system.q))) + 1
        if style == "u" and system.u:
            return -factor * self.random.choice(list(system.u))
        return factor

    def place(self, name, body):
        """Return a point that is fixed in a body (and in no body that is welded to it)."""
        if self.is_welded(body) or self.chance(0.3):
            return body.masscenter
        return body.masscenter.locatenew(name, self.off_axis(name, body))

    def off_axis(self, name, body):
        """Return a position that is on no joint's axis, where two bodies would have the point."""
        return self.vector(name, self.tree.frames[body], counts=(3,))

    def is_welded(self, body):
        welds = [joint for joint in self.tree.system.joints if isinstance(joint, WeldJoint)]
        return any(body in (joint.parent, joint.child) for joint in welds)

    def any_frame(self, body):
        """Return a frame for the components of a load."""
        near = [self.tree.frames[body], self.tree.ground.frame]
        return self.random.choice([*near, self.random.choice(list(self.tree.frames.values()))])

    def add_force(self, index):
        body = self.random.choice(self.tree.bodies)
        point = self.place(f"A{index}", body)
        vector = self.magnitude(f"f{index}") * self.direction(self.any_frame(body))
        self.tree.system.add_loads(Force(point, vector))
        self.tree.loads.append(Load(body, point, vector))

    def add_torque(self, index):
        rigid = [body for body in self.tree.bodies if isinstance(body, RigidBody)]
        if rigid:
            body = self.random.choice(rigid)
            vector = self.magnitude(f"t{index}") * self.direction(self.any_frame(body))
            self.tree.system.add_loads(Torque(body.frame, vector))
            self.tree.loads.append(Load(body, None, vector))

    def pathway(self, index):
        """Return a straight pathway between two neighbours, and its ends."""
        ends = []
        for name, body in zip("LR", self.random.choice(self.shallow), strict=True):
            arm = self.off_axis(f"{name}{index}", body)
            ends.append((body, body.masscenter.locatenew(f"{name}{index}", arm)))
        return self.line(ends), tuple(ends)

    def line(self, ends):
        """Return the straight pathway between two ends."""
        return LinearPathway(*(point for _, point in ends))

    @property
    def shallow(self):
        """The neighbours between which lengths are short formulas."""
        return [
            pair
            for pair in self.neighbours
            if self.depth[pair[1]] <= 3 and not any(self.is_welded(body) for body in pair)
        ]

    def add_spring(self, index):
        if self.shallow:
            pathway, ends = self.pathway(index)
            k, rest = self.symbol(f"k{index}", 3.0), self.symbol(f"rest{index}", 0.3)
            self.tree.system.add_actuators(LinearSpring(k, pathway, rest))
            self.tree.struts.append(Strut(ends, lambda length, rate: -3.0 * (length - 0.3)))

    def add_damper(self, index):
        if self.shallow:
            pathway, ends = self.pathway(index)
            self.tree.system.add_actuators(LinearDamper(self.symbol(f"d{index}", 1.5), pathway))
            self.tree.struts.append(Strut(ends, lambda length, rate: -1.5 * rate))

    def add_strut(self, index):
        if self.shallow:
            pathway, ends = self.pathway(index)
            force = dynamicsymbols(f"s{index}")
            self.tree.values[force] = self.random.uniform(-1, 1)
            self.tree.system.add_actuators(ForceActuator(force, pathway))
            self.tree.struts.append(Strut(ends, lambda length, rate: force))

    def add_motor(self, index):
        pins = [
            joint
            for joint in self.tree.system.joints
            if isinstance(joint, PinJoint)
            and isinstance(joint.parent, RigidBody)
            and isinstance(joint.child, RigidBody)
        ]
        if pins:
            joint = self.random.choice(pins)
            torque = self.magnitude(f"w{index}")
            self.tree.system.add_actuators(TorqueActuator.at_pin_joint(torque, joint))
            self.tree.loads += [
                Load(joint.child, None, torque * joint.joint_axis),
                Load(joint.parent, None, -torque * joint.joint_axis),
            ]


def random_tree(seed, count=None, **options):
    """Return a random tree; the same one for the same arguments."""
    return Generator(seed, count, **options).make()


def random_state(tree, seed):
    """Return numbers for all symbols, coordinates, speeds and accelerations of a tree."""
    numbers = np.random.default_rng([seed, 7])
    system, time = tree.system, dynamicsymbols._t
    count = len(system.q)
    values = dict(tree.values)
    values.update(zip(system.q, numbers.uniform(-1.2, 1.2, count), strict=True))
    values.update(zip(system.u, numbers.uniform(-1, 1, count), strict=True))
    accelerations = [u.diff(time) for u in system.u]
    values.update(zip(accelerations, numbers.uniform(-2, 2, count), strict=True))
    return values
