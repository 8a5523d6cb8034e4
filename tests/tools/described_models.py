"""Random described models: trees, closed mechanisms and contacts, at generic and special poses.

What a model is depends on its seed alone.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

import described as data
import numpy as np
from described_numbers import GATES, KINDS, Numeric, near, solved

TREE_JOINTS = ["pin", "pin", "prismatic", "cylindrical", "planar", "spherical", "weld"]
TREE_JOINTS += ["quaternion", "free_angles", "free_quaternion"]
CHAIN_JOINTS = ["pin", "pin", "pin", "prismatic", "cylindrical", "spherical", "quaternion"]
BALLS = ("spherical", "quaternion")
SPATIAL = (*KINDS, "contact", "contact")
PLANAR = ("pin", "pin", "spherical", "cylindrical", "point_on_line")
#: Translations along which and rotations that joints have, as dimensions of coordinates.
COORDINATES = {
    "pin": (data.NONE,),
    "prismatic": (data.LENGTH,),
    "cylindrical": (data.NONE, data.LENGTH),
    "planar": (data.NONE, data.LENGTH, data.LENGTH),
    "spherical": (data.NONE,) * 3,
    "weld": (),
    "quaternion": (data.NONE,) * 4,
    "free angles": (data.LENGTH,) * 3 + (data.NONE,) * 3,
    "free quaternion": (data.LENGTH,) * 3 + (data.NONE,) * 4,
}
SPECIAL = (0.0, 0.0, np.pi / 2, -np.pi / 2, np.pi)
QUATERNIONS = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0.5**0.5, 0.5**0.5), (-1, 0, 0, 0))
ORDERS = ("BODY 123", "BODY 313", "SPACE 132", "SPACE 212", "BODY 321")


@dataclass(frozen=True)
class Wishes:
    """What models are made of; None is as the laws have it.

    Kinds of joints, kinds of loads, and on which bodies gravity acts: all, some or none.
    """

    pose: str | None = None
    joints: tuple | None = None
    loads: tuple | None = None
    gravity: tuple | None = None
    particles: bool = True
    reverse: bool = True
    base: float = 0.15
    gates: float = 0.0


class VersionedConstructor:
    """Makes a tree; ``planar``: of pins and sliders in one plane."""

    def __init__(self, seed, planar=False, is_chain=False, **wishes):
        self.wishes = Wishes(**wishes)
        self.random, self.numbers = Random(seed), np.random.default_rng([abs(seed), 3])
        self.seed, self.planar, self.is_chain = seed, planar, is_chain
        pose = self.random.choice(("generic", "generic", "special", "mixed", "zero"))
        self.pose = self.wishes.pose or pose
        self.is_equal = self.chance(0.25)  # many lengths are the same
        self.style = None  # of the numbers of one vector
        self.bodies, self.joints, self.loads, self.springs = [], [], [], []
        self.base = self.gravity = self.heavy = None
        self.welded = set()

    def chance(self, probability):
        return self.random.random() < probability

    # -- numbers ----------------------------------------------------------------

    def number(self, dimension, low=0.2, high=1.0, signed=True):
        """Return a generic number, or one of a few."""
        value = self.random.uniform(low, high)
        value *= self.random.choice((-1, 1)) if signed else 1
        if self.is_equal and dimension == data.LENGTH:
            value = 0.5 if signed else abs(0.5)
        style = self.random.choice(("symbol", "symbol", "float", "float", "exact"))
        style = self.style or style
        if style == "exact":
            parts = max(1, round(abs(value) * 64)) * (1 if value > 0 else -1)
            return data.Number(Fraction(parts, 64), dimension, style)
        return data.Number(value, dimension, style)

    def off_axis(self):
        """Return a place that is on no joint's axis, where two bodies would have the point."""
        is_equal, self.is_equal = self.is_equal, False
        place = self.vector(data.LENGTH, (3,))
        self.is_equal = is_equal
        return place

    def vector(self, dimension, counts=(1, 2, 3)):
        """Return a vector along some axes; in a plane along two at most."""
        axes = [0, 1, 2]
        if self.planar and dimension == data.LENGTH:
            axes, counts = [0, 1], (1, 2)
        chosen = self.random.sample(axes, self.random.choice(counts))
        zero = data.exact(0, dimension)
        return tuple(self.number(dimension) if k in chosen else zero for k in range(3))

    def rotation(self):
        """Return axes: the body's, renamed ones or generic ones."""
        style = self.random.choice(("same", "same", "renamed", "generic"))
        if style == "same":
            return data.IDENTITY
        if self.planar:
            angle = self.random.choice((np.pi / 2, np.pi, 0.7, -2.1))
            return data.matrix_of(turn_about(2, angle))
        if style == "renamed":
            matrix = np.eye(3)[self.random.sample(range(3), 3)]
        else:
            matrix, _ = np.linalg.qr(self.numbers.normal(size=(3, 3)))
        return data.matrix_of(matrix * np.linalg.det(matrix))

    def coordinate(self, dimension):
        generic = self.random.uniform(-1.2, 1.2)
        special = self.random.choice(SPECIAL if dimension == data.NONE else (0.0, 0.0, 0.5, -0.5))
        mixed = self.random.choice((generic, special))
        value = {"generic": generic, "special": special, "mixed": mixed, "zero": 0.0}[self.pose]
        return data.Number(value, dimension)

    def coordinates(self, kind):
        """Return the coordinates of a joint."""
        q = [self.coordinate(dimension) for dimension in COORDINATES[kind]]
        if "quaternion" in kind:
            q[-4:] = self.quaternion()
        return tuple(q)

    def posed(self, model, pose):
        """Return a model in another pose; unless it is generic, some rates are zero then.

        Some coordinates are off by what rounding leaves.
        """
        self.pose, joints = pose, []
        for joint in model.joints:
            rates = {}
            for name in ("u", "udot"):
                values = [self.random.uniform(-1, 1) for _ in joint.u]
                if pose != "generic":
                    values = [0.0 if self.chance(0.4) else x for x in values]
                own = zip(getattr(joint, name), values, strict=True)
                rates[name] = tuple(replace(x, value=value) for x, value in own)
            q = self.coordinates(joint.kind)
            if pose in ("special", "mixed") and "quaternion" not in joint.kind:
                tiny = self.random.choice((0.0, 0.0, 1e-12, -1e-12))
                q = tuple(replace(x, value=x.value + tiny) for x in q)
            joints.append(replace(joint, q=q, **rates))
        return replace(model, joints=tuple(joints))

    def quaternion(self):
        entries = self.numbers.normal(size=4)
        if self.pose in ("special", "zero"):
            entries = np.array(self.random.choice(QUATERNIONS), dtype=float)
        return tuple(data.Number(float(x)) for x in entries / np.linalg.norm(entries))

    # -- bodies and joints --------------------------------------------------------

    def side(self, body, is_point=False):
        if is_point:
            place = self.numbers.uniform(-1, 1, 3) if self.wishes.joints else np.zeros(3)
            return side_of(body, place, np.eye(3))
        place = self.vector(data.LENGTH) if self.chance(0.85) else data.ORIGIN
        return data.Side(body, place, self.rotation())

    def body(self, name, kind):
        mass = self.number(data.MASS, 0.5, 2, signed=False)
        if kind == "particle":
            return data.Body(name, mass, None)
        if kind == "massless":
            return data.Body(name, data.exact(0, data.MASS), (data.exact(0, data.INERTIA),) * 6)
        factor = self.numbers.uniform(-0.5, 0.5, (3, 3))
        central = np.trace(factor @ factor.T) * np.eye(3) - factor @ factor.T + 0.05 * np.eye(3)
        if self.chance(0.4):
            central = np.diag(np.diag(central))
        style = self.random.choice(("symbol", "float"))
        about = None
        if self.wishes.joints and self.chance(0.3):
            about = self.vector(data.LENGTH)
            x = np.array([float(n.value) for n in about])
            central = central + float(mass.value) * (x @ x * np.eye(3) - np.outer(x, x))
        entries = [central[k] for k in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
        inertia = tuple(data.rounded(x, data.INERTIA, style) for x in entries)
        return data.Body(name, mass, inertia, about)

    def kind_of_joint(self, outer, inner_kind):
        if inner_kind == "massless":
            return "prismatic"  # surely no second turn about its pin
        if outer == "massless":
            return "pin"
        if self.wishes.joints:
            kind = self.random.choice(self.wishes.joints)
            return "pin" if outer == "particle" and "free" in kind else kind
        if self.planar:
            return "prismatic" if self.joints and self.chance(0.15) else "pin"
        if outer == "particle":
            return self.random.choice(("pin", "prismatic", "cylindrical", "spherical"))
        kinds = CHAIN_JOINTS if self.is_chain else TREE_JOINTS
        if any(joint.kind in BALLS or "free" in joint.kind for joint in self.joints):
            kinds = [kind for kind in kinds if kind not in BALLS and "free" not in kind]
        return self.random.choice(kinds).replace("_", " ")

    def join(self, name, inner, body, kind, outer_kind):
        turning = {"pin": 2, "prismatic": self.random.randrange(2)}
        index = turning[kind] if self.planar else self.random.randrange(3)
        q, speeds = self.coordinates(kind), list(COORDINATES[kind])
        if "quaternion" in kind:
            speeds = speeds[:-1]
        u, udot = (
            tuple(data.Number(self.random.uniform(-1, 1), (*d[:2], d[2] - level)) for d in speeds)
            for level in (1, 2)
        )
        can_reverse = outer_kind != "particle" and "free" not in kind and self.wishes.reverse
        is_reversed = can_reverse and self.chance(0.2)
        sides = self.side(inner), self.side(body, outer_kind == "particle")
        order = self.random.choice(ORDERS)
        self.joints.append(data.Joint(name, kind, *sides, is_reversed, index, order, q, u, udot))
        if kind == "weld":
            self.welded |= {inner, body}

    def tree(self, count):
        kinds = {data.GROUND: data.GROUND}
        if self.chance(self.wishes.base):
            self.add_base()
            kinds[self.base.name] = data.GROUND
        carrier = None
        for index in range(count):
            is_last, name = index == count - 1, f"B{index}"
            kind = "rigid"
            if carrier is None and not self.planar and self.wishes.particles:
                within = 0.15 if self.wishes.joints else 0.0
                if self.chance(0.25 if is_last else within):
                    kind = "particle"
                elif not is_last and self.chance(0.08):
                    kind = "massless"
            inner = carrier or self.random.choice(list(kinds)[-3:])
            joint = self.kind_of_joint(kind, kinds[inner])
            self.bodies.append(self.body(name, kind))
            self.join(f"J{index}", inner, name, joint, kind)
            kinds[name] = kind
            carrier = name if kind == "massless" else None
        self.kinds = kinds

    def add_base(self):
        index = 2 if self.planar else self.random.randrange(3)
        motions = []
        for dimension in (data.LENGTH, data.NONE):
            d = [(dimension[0], 0, -level) for level in range(3)]
            levels = tuple(data.Number(self.random.uniform(-1, 1), x) for x in d)
            motions.append(data.Motion(levels, self.chance(0.4)))
        if self.planar:  # it stays in its plane
            still = tuple(data.exact(0, n.dimension) for n in motions[0].levels)
            motions[0] = data.Motion(still, True)
        self.base = data.Base("base", self.side(data.GROUND), *motions, index)

    # -- loads --------------------------------------------------------------------

    def load(self, index, style=None, kind=None):
        """Add a force or torque on a body, or one between two: a strut or a motor."""
        style = style or self.random.choice(("constant", "specified", "time", "q", "u"))
        rigid = [b.name for b in self.bodies if b.inertia is not None and b.name not in self.welded]
        if not rigid or (kind == "strut" and self.is_long):
            return
        against = None
        if kind in ("strut", "motor"):
            against = self.random.choice([data.GROUND, *rigid])
            rigid = [name for name in rigid if name != against]
            if not rigid or against in self.welded:
                return
            against = data.Side(against, self.off_axis(), data.IDENTITY)
            kind = "torque" if kind == "motor" else kind
        kind = kind or self.random.choice(("force", "force", "torque"))
        dimension, source, rate = data.ENERGY if kind == "torque" else data.FORCE, 0, None
        if style in ("q", "u"):
            numbers = self.group(style)
            if not numbers:
                return
            source = self.random.randrange(len(numbers))
            rate = self.number(tuple(-x for x in numbers[source].dimension))
        if style == "time":
            rate = data.exact(Fraction(3, 2), tuple(-x for x in data.TIME))
        side = data.Side(self.random.choice(rigid), self.off_axis(), data.IDENTITY)
        direction = self.vector(data.NONE, (1, 3))
        if style == "unknown" and self.planar:
            kind, dimension = "force", data.FORCE
            direction = (*direction[:2], data.exact(0))
            if not any(x.value for x in direction):
                direction = (data.exact(1), *direction[1:])
        is_in_ground = self.chance(0.5)
        magnitude = self.number(dimension)
        if style == "unknown":
            magnitude = replace(magnitude, value=float(magnitude.value), style="symbol")
        gate = self.gate() if self.wishes.gates and self.chance(self.wishes.gates) else None
        more = magnitude, rate, source, against, gate
        self.loads.append(data.Load(f"F{index}", kind, side, direction, is_in_ground, style, *more))

    def gate(self):
        """Return a gate by a coordinate or speed, at whose limit special poses are."""
        numbers = [(name, k, number) for name in "qu" for k, number in enumerate(self.group(name))]
        if not numbers:
            return None
        group, source, number = self.random.choice(numbers)
        limit = self.random.choice(
            (data.exact(0), data.exact(Fraction(1, 2)), data.Number(np.pi / 2, data.NONE, "symbol"))
        )
        rate = self.number(tuple(-x for x in number.dimension))
        limit = replace(limit, dimension=number.dimension)
        return data.Gate(self.random.choice(list(GATES)), group, source, rate, limit)

    def group(self, name):
        return [number for joint in self.joints for number in getattr(joint, name)]

    @property
    def is_long(self):
        """Whether sympy takes long for lengths between points."""
        return len(self.group("u")) > 4

    def spring(self, index, ends=None):
        """Add a spring between two bodies, which need not be neighbours."""
        names = [n for n in self.kinds if n not in self.welded and self.kinds[n] != "particle"]
        if len(names) < 2 or self.is_long:
            return
        ends = ends or self.random.sample(names[-3:], 2)
        sides = tuple(data.Side(end, self.off_axis(), data.IDENTITY) for end in ends)
        stiffness = self.number((0, 1, -2), 1, 3, signed=False)
        damping = self.number((0, 1, -1), 1, 2, signed=False)
        rest = self.number(data.LENGTH, signed=False)
        self.springs.append(data.Spring(f"K{index}", sides, stiffness, rest, damping))

    def add_loads(self, most):
        gravity = self.wishes.gravity and self.random.choice(self.wishes.gravity)
        if self.chance(0.7) if gravity is None else gravity != "none":
            self.style = self.random.choice(("symbol", "float", "exact"))
            self.gravity = self.vector(data.ACCELERATION)
            self.style = None
        if gravity == "some":
            names = [body.name for body in self.bodies]
            self.heavy = tuple(self.random.sample(names, self.random.randint(1, len(names))))
        kinds = self.wishes.loads
        for index in range(self.random.randint(0, most)):
            if kinds is None:
                self.load(index) if self.chance(0.75) else self.spring(index)
            elif kinds:
                kind = self.random.choice(kinds)
                self.spring(index) if kind == "spring" else self.load(index, kind=kind)

    def add_motors(self):
        """Add unknown loads along the motions of all joints, or of some of them."""
        moving = [joint for joint in self.joints if joint.u]
        if moving and self.chance(0.3):
            moving = self.random.sample(moving, self.random.randint(1, len(moving)))
        for joint in moving:
            ends = [joint.outer, joint.inner]
            style = self.random.choice(("motor", "motor", "thruster", "strut"))
            is_free = len(joint.u) == 1 and not self.is_welded(joint) and not self.is_long
            if style == "strut" and is_free:
                sides = [data.Side(end.body, self.off_axis(), data.IDENTITY) for end in ends]
                self.unknown("strut", sides, (data.exact(0),) * 3)
                continue
            is_turned = style == "motor" and self.chance(0.5)
            for kind, k in motions(joint):
                sides = ends[::-1] if is_turned else ends
                if kind == "torque" and self.is_point(joint):
                    continue
                axis = tuple(row[k] for row in sides[0].axes)
                sides = [replace(side, axes=data.IDENTITY) for side in sides]
                self.unknown(kind, sides[: 1 if style == "thruster" else 2], axis)

    def is_welded(self, joint):
        return bool(self.welded & {joint.inner.body, joint.outer.body})

    def is_point(self, joint):
        """Whether one of a joint's bodies is a particle."""
        return "particle" in (self.kinds[joint.inner.body], self.kinds[joint.outer.body])

    def unknown(self, kind, sides, direction):
        """Add a load that the motion determines."""
        size = data.Number(1.0, data.ENERGY if kind == "torque" else data.FORCE, "symbol")
        against = sides[1] if len(sides) > 1 else None
        gate = self.gate() if self.chance(self.wishes.gates / 8) else None
        name = f"X{len(self.loads)}"
        more = "unknown", size, None, 0, against, gate
        self.loads.append(data.Load(name, kind, sides[0], direction, False, *more))

    def model(self, **changes):
        return data.Model(
            name=f"<{self.seed}: {self.pose}, {', '.join(j.kind for j in self.joints)}>",
            bodies=tuple(self.bodies),
            joints=tuple(self.joints),
            loads=tuple(self.loads),
            springs=tuple(self.springs),
            gravity=self.gravity,
            heavy=self.heavy,
            base=self.base,
            time=data.Number(self.random.uniform(0, 3), data.TIME),
            **changes,
        )


def turn_about(index, angle):
    """Return the rotation about an axis."""
    turn, (j, k) = np.eye(3), ((index + 1) % 3, (index + 2) % 3)
    sine, cosine = np.sin(angle), np.cos(angle)
    turn[np.ix_([j, k], [j, k])] = [[cosine, -sine], [sine, cosine]]
    return turn


def motions(joint):
    """Return (whether forces or torques move it, along which of its axes) per speed of a joint."""
    forces, torques = ([(kind, k) for k in range(3)] for kind in ("force", "torque"))
    own = {
        "pin": [torques[joint.index]],
        "prismatic": [forces[joint.index]],
        "cylindrical": [torques[joint.index], forces[joint.index]],
        "planar": [torques[0], *forces[1:]],
        "spherical": torques,
        "quaternion": torques,
        "weld": [],
    }
    return own.get(joint.kind, [*forces, *torques])


def random_tree(seed):
    """Return a random tree."""
    maker = VersionedConstructor(seed)
    maker.tree(maker.random.choice((1, 1, 2, 2, 3)))
    maker.add_loads(2)
    return maker.model()


# -- closed mechanisms ----------------------------------------------------------------


class Closer:
    """Closes a tree where it is, and makes it move consistently."""

    def __init__(self, maker, model):
        self.maker, self.model = maker, model
        self.random, self.numbers = maker.random, maker.numbers
        self.here = Numeric(model)

    def rotation_about(self, index):
        angle = self.random.choice((0.0, np.pi / 2, self.random.uniform(-3, 3)))
        return turn_about(index, angle)

    def generic(self):
        matrix, _ = np.linalg.qr(self.numbers.normal(size=(3, 3)))
        return matrix * np.linalg.det(matrix)

    def pair(self):
        rigid = [b.name for b in self.model.bodies if b.inertia is not None]
        roots = [data.GROUND, *([self.model.base.name] if self.model.base else [])]
        return self.random.sample([*roots, *rigid], 2)

    @property
    def is_too_small(self):
        """Whether there are no two bodies to close a loop between."""
        return not any(body.inertia is not None for body in self.model.bodies)

    def closing(self, name, kind):
        """Return a random closing that fits the present pose."""
        if kind == "contact":
            return self.touch(name)
        parent, child = self.pair()
        planar = self.maker.planar
        index = 2 if planar else self.random.randrange(3)
        if planar and kind == "point_on_line":
            index = self.random.randrange(2)
        axes = self.rotation_about(2) if planar else self.random.choice((np.eye(3), self.generic()))
        place = np.array([self.random.uniform(-0.6, 0.6) for _ in range(3)])
        if planar:
            place[2] = 0
        return self.fitted(name, kind, parent, child, index, place, axes)

    def fitted(self, name, kind, parent, child, index, place, axes):
        """Return a closing whose child's side is where the parent's side lets it be."""
        here, there = self.here.poses[parent], self.here.poses[child]
        parent_axes, turning = here.rotation[0] @ axes, KINDS[kind][1]
        child_axes = parent_axes
        if turning == "none" and not self.maker.planar:
            child_axes = parent_axes @ self.generic()
        elif turning in ("tilt", "twist"):
            child_axes = parent_axes @ self.rotation_about(index)
        if turning == "twist":
            child_axes = child_axes @ self.rotation_about((index + 1) % 3)
        is_free = {"all": np.zeros(3), "across": np.eye(3)[index], "along": 1 - np.eye(3)[index]}
        way = is_free[KINDS[kind][0]] * self.numbers.uniform(-0.5, 0.5, 3)
        meeting = here.place[0] + here.rotation[0] @ place
        if not (self.maker.planar and kind == "cylindrical"):
            meeting = meeting + parent_axes @ way
        back = there.rotation[0].T
        inner = side_of(parent, place, axes)
        outer = side_of(child, back @ (meeting - there.place[0]), back @ child_axes)
        return data.Closing(name, kind, inner, outer, index)

    def once_more(self, closing):
        """Return a closing that prevents what another one prevents, elsewhere on its axis."""
        if closing.kind == "contact":
            return None
        kinds = {
            "pin": ("pin", "cylindrical", "point_on_line"),
            "prismatic": ("prismatic", "cylindrical", "planar"),
            "cylindrical": ("cylindrical", "point_on_line"),
            "weld": ("weld", "spherical", "pin"),
        }
        if closing.kind not in kinds:
            return None
        kind = self.random.choice(kinds[closing.kind])
        axes = np.array([[float(x.value) for x in row] for row in closing.parent.axes])
        place = np.array([float(x.value) for x in closing.parent.place])
        shift = self.random.uniform(0.2, 0.6) * axes[:, closing.index]
        if closing.kind == "weld":
            shift = self.numbers.uniform(-0.5, 0.5, 3)
        child = closing.child.body
        here, there = self.here.poses[closing.parent.body], self.here.poses[child]
        meeting = here.place[0] + here.rotation[0] @ (place + shift)
        back, parent_axes = there.rotation[0].T, here.rotation[0] @ axes
        return data.Closing(
            f"{closing.name}_again",
            kind,
            side_of(closing.parent.body, place + shift, axes),
            side_of(child, back @ (meeting - there.place[0]), back @ parent_axes),
            closing.index,
        )

    def touch(self, name):
        """Return a contact at a point of one of two bodies."""
        parent, child = self.pair()
        index = self.random.randrange(2)
        place = [self.random.uniform(-0.6, 0.6) for _ in range(3)]
        axes = self.random.choice((np.eye(3), self.generic()))
        sides = [data.Side(body, data.ORIGIN, data.IDENTITY) for body in (parent, child)]
        sides[index] = side_of(sides[index].body, np.array(place), axes)
        directions = tuple(self.random.sample(range(3), self.random.choice((1, 1, 2, 3))))
        return data.Closing(name, "contact", *sides, index, directions)

    def close(self, most):
        """Close loops that leave some freedom; return whether there is one."""
        kinds, closings = PLANAR if self.maker.planar else SPATIAL, []
        for _ in range(14):
            trial = self.closing(f"L{len(closings)}", self.random.choice(kinds))
            found = self.rank([*closings, trial])
            if not found or found <= self.rank(closings):
                continue
            closings.append(trial)
            if not self.maker.planar and self.random.random() < 0.25:
                again = self.once_more(trial)
                if again is not None:
                    closings.append(again)
                    break
            if len(closings) >= most:
                break
        self.model = replace(self.model, closings=tuple(closings))
        self.here = Numeric(self.model)
        return bool(closings)

    def rank(self, closings):
        """Return the rank of the constraints; 0 where it is doubtful or leaves no freedom."""
        numeric = Numeric(replace(self.model, closings=tuple(closings)))
        if not closings:
            return 0
        solution = solved(numeric.jacobian.T)
        free = len(numeric.u) - solution.rank
        return 0 if free < 1 or solution.condition > 1e3 else solution.rank

    def move(self, amount):
        """Give the mechanism a motion and motors; return the model or None."""
        jacobian = self.here.jacobian
        free = solved(jacobian).null
        count, n = free.shape[1], jacobian.shape[1]
        speeds = free @ self.numbers.uniform(-1, 1, count)
        if self.maker.base is not None:
            drift = solved(jacobian, -self.here_at(0 * speeds, 0 * speeds).errors[1])
            if drift.left > 1e-9:
                return None
            speeds = speeds + drift.values
        moving = self.here_at(speeds, 0 * speeds)
        chosen = self.motors(amount, free, n)
        if chosen is None:
            return None
        self.model = replace(moving.model, actuated=chosen)
        needed = solved(jacobian, -moving.errors[2])
        if needed.left > 1e-9:
            return None
        accelerations = needed.values + free @ self.numbers.uniform(-1, 1, count)
        is_alike = len({x.dimension for x in self.model.group("u")}) == 1
        if amount in ("too few", "none") and not (is_alike and self.random.random() < 0.5):
            torques = np.zeros(n)
            torques[list(chosen)] = self.numbers.uniform(-1, 1, len(chosen))
            accelerations = self.here_at(speeds, 0 * speeds).free_accelerations(torques)
            if not np.isfinite(accelerations).all():
                return None
        return self.thrust(self.here_at(speeds, accelerations).model)

    def thrust(self, model):
        """Put an unknown load in the place of a motor, at times, where it does as well."""
        if not model.actuated or len(model.loads) > 1 or self.random.random() > 0.3:
            return model
        if len(model.actuated) < solved(self.here.jacobian).null.shape[1]:
            return model  # a load does not make the motion that a motor makes
        self.maker.load(len(model.loads) + len(model.springs), "unknown")
        trial = replace(model, loads=tuple(self.maker.loads), actuated=model.actuated[1:])
        had, has = solved(Numeric(model).supply), solved(Numeric(trial).supply)
        return trial if has.rank == had.rank and has.condition < 1e3 else model

    def here_at(self, speeds, accelerations):
        """Return the model with some speeds and accelerations."""
        return Numeric(self.model.at(u=speeds, udot=accelerations))

    def motors(self, amount, free, n):
        """Return the places of speeds that have motors, or None for a bad choice."""
        count = free.shape[1]
        wanted = {"none": 0, "enough": count, "too few": count - 1, "too many": count + 1}[amount]
        if wanted > n or (amount == "too few" and count < 2):
            return None
        for _ in range(20):
            chosen = tuple(sorted(self.random.sample(range(n), wanted)))
            rows = solved(free[list(chosen)]) if chosen else None
            if rows is None or (rows.rank == min(wanted, count) and rows.condition < 30):
                return chosen
        return None


def side_of(body, place, axes):
    return data.Side(body, tuple(data.rounded(x, data.LENGTH) for x in place), data.matrix_of(axes))


def without_symbol(number):
    """Return a number of geometry as one that is no symbol."""
    is_symbol = number.style == "symbol" and number.dimension in (data.LENGTH, data.NONE)
    return replace(number, style="float") if is_symbol else number


AMOUNTS = ("enough", "enough", "too few", "too many", "none")


class RodCloser(Closer):
    """Closes trees by a rod, and by what else comes."""

    def closing(self, name, kind):
        """Return a rod between random points of two bodies, or what does not come first."""
        if name != "L0":
            return super().closing(name, kind)
        ends = [side_of(x, self.numbers.uniform(-0.6, 0.6, 3), np.eye(3)) for x in self.pair()]
        one, other = (self.here.arm(end)[0] for end in ends)
        length = data.Number(np.linalg.norm(other - one), data.LENGTH)
        return data.Closing(name, "rod", *ends, length=length)


def random_chain(seed, planar=False, closer=Closer, **wishes):
    """Return the first closed mechanism from a seed on."""
    for attempt in range(200):
        maker = VersionedConstructor(1000 * seed + attempt, planar, is_chain=True, **wishes)
        maker.tree(maker.random.choice((2, 2, 3) if planar else (1, 2, 2, 2, 3)))
        maker.add_loads(2)
        model = maker.model()
        if not 2 <= len(model.group("u")) <= 6:
            continue
        closing = closer(maker, model)
        if closing.is_too_small or not closing.close(maker.random.choice((1, 1, 2))):
            continue
        if near(closing.model) is None:  # closes for these values of its symbols alone, or shaky
            closing.model = data.mapped(closing.model, without_symbol)
            if near(closing.model) is None:
                continue
        found = closing.move(AMOUNTS[seed % len(AMOUNTS)])
        if found is not None:
            kinds = ", ".join(closing.kind for closing in found.closings)
            name = f"{found.name} closed by {kinds}; {AMOUNTS[seed % len(AMOUNTS)]} motors"
            return replace(found, name=name)
    raise RuntimeError(f"no closed mechanism from {seed} on")
