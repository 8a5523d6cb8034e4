"""The sympy System of a described model, with the values of its symbols."""

from functools import cached_property

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me
from described import GROUND, IDENTITY, Side
from described_numbers import Numeric

import jointwrench as jw

PLAIN = {"pin": me.PinJoint, "prismatic": me.PrismaticJoint, "cylindrical": me.CylindricalJoint}
PLAIN |= {"planar": me.PlanarJoint, "weld": me.WeldJoint, "quaternion": jw.QuaternionJoint}

#: Matrices of a larger condition are taken for singular.
REGULAR = 1e9
#: Functions with an edge at zero.
GATES = {
    "Max": lambda x: sm.Max(0, x),
    "Min": lambda x: sm.Min(0, x),
    "Abs": sm.Abs,
    "sign": sm.sign,
    "Heaviside": sm.Heaviside,
    "above": lambda x: sm.Piecewise((1, x > 0), (0, True)),
    "ramp": lambda x: sm.Piecewise((x, x >= 0), (1, True)),
}


class Places:
    """Points, frames and closings on bodies of a System, as they are described.

    Attributes: bodies and frames by name, and ``values`` of the symbols.
    """

    def __init__(self, bodies, frames):
        self.bodies, self.frames, self.values = bodies, frames, {}

    def scalar(self, name, number):
        """Return what a Number is in the model."""
        if number.style == "symbol":
            symbol = sm.Symbol(name)
            assert self.values.setdefault(symbol, float(number.value)) == number.value
            return symbol
        if number.style == "exact":
            return sm.Rational(number.value.numerator, number.value.denominator)
        return sm.Float(number.value)

    def vector(self, name, numbers, frame):
        entries = (self.scalar(f"{name}_{k}", x) for k, x in zip("xyz", numbers, strict=True))
        return sum((x * axis for x, axis in zip(entries, frame, strict=True)), me.Vector(0))

    def frame(self, name, side):
        """Return the axes of a side as a frame."""
        own, frame = self.frames[side.body], me.ReferenceFrame(name)
        rows = [[self.scalar(f"{name}_{j}{k}", x) for k, x in enumerate(r)]
                for j, r in enumerate(side.axes)]  # fmt: skip
        frame.orient_explicit(own, sm.ImmutableDenseMatrix(rows))
        return frame

    def point(self, name, side):
        vector = self.vector(name, side.place, self.frames[side.body])
        center = self.bodies[side.body].masscenter
        return center if vector == 0 else center.locatenew(name, vector)

    def loop(self, data):
        parent, child = self.bodies[data.parent.body], self.bodies[data.child.body]
        if data.kind == "contact":
            side = data.parent if data.index == 0 else data.child  # of which body the point is
            frame = self.frame(f"{data.name}_F", side)
            axes = (frame.x, frame.y, frame.z)
            point = self.point(f"{data.name}_P", side)
            if point is self.bodies[side.body].masscenter:
                point = point.locatenew(f"{data.name}_P", me.Vector(0))
            return jw.Contact(data.name, parent, child, point, [axes[k] for k in data.directions])
        place = self.point(f"{data.name}_p", data.parent)
        points = {"parent_point": place, "child_point": self.point(f"{data.name}_c", data.child)}
        if data.kind == "rod":
            length = self.scalar(f"{data.name}_l", data.length)
            return jw.LoopJoint(data.name, parent, child, "rod", **points, length=length)
        frame = self.frame(f"{data.name}_P", data.parent)
        axis = (frame.x, frame.y, frame.z)[data.index]
        return jw.LoopJoint(
            data.name,
            parent,
            child,
            data.kind,
            **points,
            parent_interframe=frame,
            child_interframe=self.frame(f"{data.name}_C", data.child),
            joint_axis=None if data.kind in ("spherical", "weld") else axis,
        )


class Built(Places):
    """A System made of a description.

    Attributes: model, system, loops, unknowns, and ``values`` of constants and specifieds.
    """

    def __init__(self, model):
        ground = rigid_body(GROUND, 0, [0] * 6)
        super().__init__({GROUND: ground}, {GROUND: ground.frame})
        self.model, self.specified, self.time = model, {}, me.dynamicsymbols._t
        self.system = me.System.from_newtonian(ground)
        if model.base is not None:
            self.add_base(model.base)
        for body in model.bodies:
            self.add_body(body)
        for joint in model.joints:
            self.system.add_joints(self.joint(joint))
        if model.gravity is not None:
            self.add_gravity(self.vector("g", model.gravity, ground.frame))
        self.unknowns, self.owners = [], {}
        for load in model.loads:
            self.add_load(load)
        for spring in model.springs:
            self.add_spring(spring)
        self.loops = [self.loop(closing) for closing in model.closings]

    def __repr__(self):
        return self.model.name

    # -- what tests ask of it ---------------------------------------------------

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
        """The numbers of constants, specifieds, state and time; unknown loads are zero."""
        return self.inputs_at()

    def inputs_at(self, **groups):
        """Return the same with other ``q``, ``u`` or ``udot``."""
        model, udot = self.model.at(**groups), [u.diff(self.time) for u in self.speeds]
        values = {**self.values, **self.specified, self.time: float(model.time.value)}
        for symbols, name in ((self.coordinates, "q"), (self.speeds, "u"), (udot, "udot")):
            numbers = (float(x.value) for x in model.group(name))
            values.update(zip(symbols, numbers, strict=True))
        return values | dict.fromkeys(self.unknowns, 0.0)

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
    def options(self):
        """The options of InverseDynamics."""
        options = {"loops": self.loops}
        if self.model.actuated is not None:
            options["actuated"] = [self.speeds[k] for k in self.model.actuated]
        if self.unknowns:
            options |= {"solve_for": self.unknowns, "owners": self.owners}
        return options

    def inverse(self, **options):
        """Return its InverseDynamics."""
        return jw.InverseDynamics(self.system, **(self.options | options))

    def constrain(self):
        """Add the equations of the loops to the System."""
        for loop in self.loops:
            if loop.holonomic_constraints:
                self.system.add_holonomic_constraints(*loop.holonomic_constraints)
            else:
                self.system.add_nonholonomic_constraints(*loop.velocity_constraints)

    def forward(self):
        """Return its ForwardDynamics."""
        return jw.ForwardDynamics(self.system, loops=self.loops)

    # -- functions of time ------------------------------------------------------

    def motion(self, name, motion):
        """Return a function of time."""
        if motion.is_formula:
            since = self.time - self.scalar(f"{name}_t", self.model.time)
            a, b, c = (self.scalar(f"{name}_{k}", x) for k, x in enumerate(motion.levels))
            return a + b * since + c * since**2 / 2
        function = me.dynamicsymbols(name)
        for level, number in enumerate(motion.levels):
            self.specified[function.diff(self.time, level)] = float(number.value)
        return function

    # -- bodies and joints ----------------------------------------------------

    def add_base(self, base):
        body, frame = rigid_body(base.name, 0, [0] * 6), self.frame("guide", base.side)
        axis = (frame.x, frame.y, frame.z)[base.index]
        body.frame.orient_axis(frame, axis, self.motion("turn", base.turn))
        place = self.vector("guide", base.side.place, self.frames[GROUND])
        position = place + self.motion("shift", base.shift) * axis
        body.masscenter.set_pos(self.system.fixed_point, position)
        self.register(base.name, body, body.frame)

    def register(self, name, body, frame):
        self.bodies[name], self.frames[name] = body, frame
        self.system.add_bodies(body)

    def add_body(self, data):
        mass = self.scalar(f"m_{data.name}", data.mass)
        if data.inertia is None:
            point = me.Particle(data.name, mass=mass)
            self.register(data.name, point, me.ReferenceFrame(data.name))
            return
        entries = [self.scalar(f"I_{data.name}_{k}", x) for k, x in enumerate(data.inertia)]
        body = rigid_body(data.name, mass, entries)
        self.register(data.name, body, body.frame)
        if data.about is not None:
            place = Side(data.name, data.about, ())
            body.inertia = (body.inertia[0], self.point(f"{data.name}_I", place))

    def joint(self, data):
        parent, child = (data.outer, data.inner) if data.is_reversed else (data.inner, data.outer)
        frame = self.interframe(f"{data.name}_P", parent, data)
        options = {
            "parent_point": self.point(f"{data.name}_p", parent),
            "child_point": self.point(f"{data.name}_c", child),
            "parent_interframe": frame,
            "child_interframe": self.interframe(f"{data.name}_C", child, data),
        }
        ends = self.bodies[parent.body], self.bodies[child.body]
        if data.kind in ("pin", "prismatic", "cylindrical"):
            options["joint_axis"] = (frame.x, frame.y, frame.z)[data.index]
        if data.kind == "spherical":
            style, order = data.order.split()
            return me.SphericalJoint(data.name, *ends, rot_type=style, rot_order=order, **options)
        if data.kind.startswith("free"):
            return jw.FreeJoint(data.name, *ends, rotation=data.kind.split()[1], **options)
        return PLAIN[data.kind](data.name, *ends, **options)

    def interframe(self, name, side, joint):
        """Return the axes of a side of a joint, which may be the body's own."""
        is_own = side.axes == IDENTITY and not joint.is_reversed
        return self.frames[side.body] if is_own else self.frame(name, side)

    # -- loads ---------------------------------------------------

    def add_gravity(self, gravity):
        """Add the weights of all bodies, or of those that have one."""
        heavy = self.model.heavy
        if heavy is None:
            self.system.apply_uniform_gravity(gravity)
            return
        bodies = [self.bodies[name] for name in heavy]
        self.system.add_loads(*(me.Force(body, body.mass * gravity) for body in bodies))

    def gate(self, name, gate):
        """Return the factor that a gate is."""
        if gate is None:
            return 1
        x = (self.coordinates if gate.group == "q" else self.speeds)[gate.source]
        limit, rate = self.scalar(f"{name}_limit", gate.limit), self.scalar(f"{name}_by", gate.rate)
        return GATES[gate.kind](rate * (x - limit))

    def magnitude(self, load):
        size = self.scalar(f"{load.name}_size", load.magnitude)
        if load.style == "unknown":
            self.unknowns.append(me.dynamicsymbols(load.name))
            return self.unknowns[-1]
        if load.style == "specified":
            function = me.dynamicsymbols(load.name)
            self.specified[function] = float(load.magnitude.value)
            return function
        if load.style == "constant":
            return size
        rate = self.scalar(f"{load.name}_rate", load.rate)
        if load.style == "time":
            return size * sm.cos(rate * self.time)
        if load.style == "q":
            return size * sm.sin(rate * self.coordinates[load.source])
        return size * rate * self.speeds[load.source]

    @property
    def coordinates(self):
        return [q for joint in self.system.joints for q in joint.coordinates]

    @property
    def speeds(self):
        return [u for joint in self.system.joints for u in joint.speeds]

    def add_load(self, load):
        size = self.magnitude(load) * self.gate(load.name, load.gate)
        if load.kind == "strut":
            sides = zip("rp", (load.against, load.side), strict=True)
            ends = (self.point(f"{load.name}_{k}", x) for k, x in sides)
            self.system.add_actuators(me.ForceActuator(size, me.LinearPathway(*ends)))
            return
        frame = self.frames[GROUND if load.is_in_ground else load.side.body]
        vector = size * self.vector(f"{load.name}_e", load.direction, frame)
        is_unknown = load.style == "unknown"
        self.act(f"{load.name}_p", load.kind, load.side, vector, is_unknown)
        if load.against is not None:
            self.act(f"{load.name}_r", load.kind, load.against, -vector, is_unknown)

    def act(self, name, kind, side, vector, is_unknown):
        """Add a force or torque on a body."""
        if kind == "force":
            point = self.point(name, side)
            self.system.add_loads(me.Force(point, vector))
            if is_unknown:
                self.owners[point] = self.bodies[side.body]  # it may be on the axis of a joint
        else:
            self.system.add_loads(me.Torque(self.frames[side.body], vector))

    def add_spring(self, spring):
        ends = [self.point(f"{spring.name}_{k}", end) for k, end in enumerate(spring.ends)]
        pathway = me.LinearPathway(*ends)
        stiffness = self.scalar(f"{spring.name}_k", spring.stiffness)
        rest = self.scalar(f"{spring.name}_rest", spring.rest)
        damping = self.scalar(f"{spring.name}_d", spring.damping)
        self.system.add_actuators(me.LinearSpring(stiffness, pathway, rest))
        self.system.add_actuators(me.LinearDamper(damping, pathway))


def rigid_body(name, mass, entries):
    """Return a body with a central inertia xx yy zz xy yz zx, which is fast made."""
    frame, center = me.ReferenceFrame(f"{name}_frame"), me.Point(f"{name}_center")
    xx, yy, zz, xy, yz, zx = entries
    rows = zip(frame, ((xx, xy, zx), (xy, yy, yz), (zx, yz, zz)), strict=True)
    terms = [(x, a, b) for a, row in rows for b, x in zip(frame, row, strict=True) if x != 0]
    return me.RigidBody(name, center, frame, mass, (me.Dyadic(terms), center))
