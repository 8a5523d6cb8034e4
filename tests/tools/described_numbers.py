"""Described models in numbers: one dense balance of all bodies, in doubles or in many digits.

Nothing of sympy's mechanics or of the package is in it: poses are composed of turns and
shifts with two time derivatives; unknown are all six components of the wrench in every joint,
one number for each direction in which a closing transmits something, and the unknown loads.
"""

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import pairwise

import numpy as np
from described import GROUND, mapped
from mpmath import MPContext

mp = MPContext()
mp.dps = 50

#: Translations and rotations that a kind of closing prevents.
KINDS = {
    "pin": ("all", "tilt"),
    "prismatic": ("across", "all"),
    "cylindrical": ("across", "tilt"),
    "planar": ("along", "tilt"),
    "spherical": ("all", "none"),
    "universal": ("all", "twist"),
    "weld": ("all", "all"),
    "point_on_line": ("across", "none"),
    "point_on_plane": ("along", "none"),
}
#: Of data that are rounded once, what is below the one is zero; between them is doubt.
ZERO, CLEAR = 1e-11, 1e-7

#: Functions with an edge at zero.
GATES = {
    "Max": lambda x: max(0 * x, x),
    "Min": lambda x: min(0 * x, x),
    "Abs": abs,
    "sign": lambda x: int(x > 0) - int(x < 0),
    "Heaviside": lambda x: (int(x > 0) + int(x >= 0)) / 2,
    "above": lambda x: 1 if x > 0 else 0,
    "ramp": lambda x: x if x >= 0 else 1,
}


class Doubles:
    """Arithmetic in doubles."""

    sin, cos, sqrt = map(staticmethod, (np.sin, np.cos, np.sqrt))
    number = staticmethod(float)

    @staticmethod
    def array(values):
        return np.array(values, dtype=float)


class Digits:
    """Arithmetic in 50 digits."""

    sin, cos, sqrt = (staticmethod(np.frompyfunc(f, 1, 1)) for f in (mp.sin, mp.cos, mp.sqrt))

    @staticmethod
    def number(value):
        is_ratio = hasattr(value, "numerator") and not isinstance(value, float)
        return mp.mpf(value.numerator) / value.denominator if is_ratio else mp.mpf(value)

    @classmethod
    def array(cls, values):
        return np.frompyfunc(cls.number, 1, 1)(np.array(values, dtype=object)) + mp.mpf(0)


# -- values with two time derivatives, along the first axis ---------------------------


def times(a, b):
    """Return a matrix product."""
    return np.array([a[0] @ b[0], a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2 * (a[1] @ b[1]) + a[0] @ b[2]])  # fmt: skip  # noqa: E501


def still(array):
    """Return what does not move."""
    return np.array([array, 0 * array, 0 * array])


def transposed(a):
    return a.transpose(0, 2, 1)


def axial(matrix):
    """Return half the vector e_ijk M_kj: the axial vector of the skew part."""
    m = matrix
    return np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]) / 2


def skew(v):
    """Return the matrix of a cross product."""
    zero = 0 * v[0]
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])


@dataclass
class Pose:
    """Rotation to the world and place of the origin, with two derivatives: (3, 3, 3), (3, 3)."""

    rotation: np.ndarray
    place: np.ndarray

    def __matmul__(self, other):
        place = self.place + times(self.rotation, other.place)
        return Pose(times(self.rotation, other.rotation), place)

    @property
    def inverse(self):
        back = transposed(self.rotation)
        return Pose(back, -times(back, self.place))

    @property
    def spin(self):
        """Angular velocity and angular acceleration."""
        return [axial(self.rotation[k] @ self.rotation[0].T) for k in (1, 2)]

    def path(self, place):
        """Return a point of the body, with two derivatives."""
        return self.place + self.rotation @ place


class Numeric:
    """A described model at its state, in world components."""

    def __init__(self, model, arithmetic=Doubles):
        self.model, self.math = model, arithmetic
        values = {name: self.numbers(model.group(name)) for name in ("q", "u", "udot")}
        self.q, self.u, self.udot = values.values()
        self.poses = self.compose(self.udot, self.u)

    def numbers(self, items):
        """Return Numbers, or rows of them, as an array."""
        if items and isinstance(items[0], tuple):
            return np.array([self.numbers(list(item)) for item in items])
        return self.math.array([item.value for item in items]) if items else np.zeros(0)

    def number(self, item):
        return self.math.number(item.value)

    def at(self, **changes):
        """Return the model at other ``q``, ``u`` or ``udot``, arrays."""
        other = Numeric.__new__(Numeric)
        known = {name: getattr(self, name) for name in ("model", "math", "q", "u", "udot")}
        other.__dict__.update(known | changes)
        other.poses = other.compose(other.udot, other.u)
        return other

    # -- kinematics -----------------------------------------------------------

    @cached_property
    def owners(self):
        """The joint and the place in it of each speed."""
        return [(joint, k) for joint in self.model.joints for k in range(len(joint.u))]

    @property
    def eye(self):
        return self.math.array(np.eye(3))

    def turn(self, index, angle):
        """Return the rotation about an axis by an angle with two derivatives."""
        s, c = self.math.sin(angle[0]), self.math.cos(angle[0])
        first, second = angle[1], angle[2]
        cosines = (c, -s * first, -s * second - c * first**2)
        sines = (s, c * first, c * second - s * first**2)
        matrix = 0 * still(self.eye)
        matrix[0, index, index] += 1
        j, k = (index + 1) % 3, (index + 2) % 3
        for level in range(3):
            matrix[level, j, j] = matrix[level, k, k] = cosines[level]
            matrix[level, j, k], matrix[level, k, j] = -sines[level], sines[level]
        return Pose(matrix, 0 * matrix[:, 0])

    def shift(self, index, way):
        pose = Pose(still(self.eye), 0 * still(self.eye)[:, 0])
        pose.place[:, index] = way
        return pose

    def quaternion(self, q, u, udot):
        """Return the rotation of a unit quaternion, with the angular velocity in its frame."""
        s, v = q[0], q[1:]
        norm = q @ q
        matrix = ((s * s - v @ v) * self.eye + 2 * np.outer(v, v) + 2 * s * skew(v)) / norm
        growth = skew(u)
        rotation = [matrix, matrix @ growth, matrix @ (growth @ growth + skew(udot))]
        return Pose(np.array(rotation), 0 * still(self.eye)[:, 0])

    def moves(self, joint, q, u, udot):
        """Return the pose of the child's interframe in the parent's."""
        if joint.kind == "quaternion":
            return self.quaternion(q, u, udot)
        if joint.kind == "free quaternion":
            straight = self.along((0, 1, 2), np.array([q[:3], u[:3], udot[:3]]))
            return straight @ self.quaternion(q[3:], u[3:], udot[3:])
        levels = np.array([q, u, udot])
        if joint.kind == "free angles":
            turns = self.about((0, 1, 2), levels[:, 3:])
            return self.along((0, 1, 2), levels[:, :3]) @ turns
        if joint.kind == "spherical":
            style, order = joint.order.split()
            axes = ["123".index(letter) for letter in order]
            if style == "SPACE":
                return self.about(axes[::-1], levels[:, ::-1])
            return self.about(axes, levels)
        if joint.kind == "planar":
            return self.along((1, 2), levels[:, 1:]) @ self.about((0,), levels[:, :1])
        turning = joint.kind in ("pin", "cylindrical")
        sliding = joint.kind in ("prismatic", "cylindrical")
        turns = self.about((joint.index,) * turning, levels[:, :1])
        return self.along((joint.index,) * sliding, levels[:, -1:]) @ turns

    def about(self, axes, levels):
        poses = [self.turn(axis, levels[:, k]) for k, axis in enumerate(axes)]
        return reduce(Pose.__matmul__, poses, self.shift(0, 0))

    def along(self, axes, levels):
        poses = [self.shift(axis, levels[:, k]) for k, axis in enumerate(axes)]
        return reduce(Pose.__matmul__, poses, self.shift(0, 0))

    def fixed(self, side):
        """Return the pose of a side in its body."""
        return Pose(still(self.numbers(side.axes)), still(self.numbers(list(side.place))))

    def compose(self, udot, u, is_driven=True):
        """Return the poses of all bodies for some accelerations and speeds."""
        poses = {GROUND: self.shift(0, 0)}
        base, start = self.model.base, 0
        if base is not None:
            levels = self.numbers([base.shift.levels, base.turn.levels]).T
            levels = levels if is_driven else levels * self.math.array([[1], [0], [0]])
            motion = self.along((base.index,), levels[:, :1]) @ self.about((base.index,), levels[:, 1:])  # fmt: skip  # noqa: E501
            poses[base.name] = self.fixed(base.side) @ motion
        first = 0
        for joint in self.model.joints:
            places = slice(start, start + len(joint.u))
            q = self.q[first : first + len(joint.q)]
            moved = self.moves(joint, q, u[places], udot[places])
            moved = moved.inverse if joint.is_reversed else moved
            inner, outer = self.fixed(joint.inner), self.fixed(joint.outer)
            poses[joint.outer.body] = poses[joint.inner.body] @ inner @ moved @ outer.inverse
            start, first = start + len(joint.u), first + len(joint.q)
        return poses

    @cached_property
    def partial(self):
        """Per body: velocity of the mass centre and angular velocity per speed, (n, 6)."""
        n = len(self.u)
        units = self.math.array(np.eye(n)) if n else np.zeros((0, 0))
        rows = [self.compose(0 * self.u, unit, is_driven=False) for unit in units]
        zero = np.zeros((0, 6))
        own = {b: [np.concatenate([r[b].place[1], r[b].spin[0]]) for r in rows] for b in self.poses}
        return {body: np.array(x) if x else zero for body, x in own.items()}

    # -- members: what transmits a wrench ----------------------------------------

    def place(self, member):
        """Return the place of a member's wrench, in the world."""
        side = child_side(member)
        return self.poses[side.body].path(self.numbers(list(side.place)))[0]

    def axes(self, side):
        """Return the axes of a side with two derivatives."""
        return times(self.poses[side.body].rotation, still(self.numbers(side.axes)))

    def pairs(self, closing):
        """Return the pairs of the parent's and the child's axes at right angles."""
        a, b, c = closing.index, (closing.index + 1) % 3, (closing.index + 2) % 3
        if closing.kind in ("contact", "rod"):
            return ()
        all_three = ((0, 1), (1, 2), (2, 0))
        pairs = {"all": all_three, "tilt": ((b, a), (c, a)), "twist": ((a, b),), "none": ()}
        return pairs[KINDS[closing.kind][1]]

    def directions(self, closing):
        """Return the axes along which a closing transmits a force, with derivatives."""
        if closing.kind == "rod":
            return [self.gap(closing) / self.number(closing.length)]
        if closing.kind == "contact":
            side, chosen = child_side(closing), closing.directions
        else:
            a, b, c = closing.index, (closing.index + 1) % 3, (closing.index + 2) % 3
            side = closing.parent
            chosen = {"all": (0, 1, 2), "across": (b, c), "along": (a,)}[KINDS[closing.kind][0]]
        return [self.axes(side)[:, :, k] for k in chosen]

    def units(self, member):
        """Return the unit wrenches that a member transmits, (6, m)."""
        if not hasattr(member, "directions"):
            return self.math.array(np.eye(6))
        zero = 0 * self.eye[0]
        columns = [np.concatenate([d[0], zero]) for d in self.directions(member)]
        if pairs := self.pairs(member):
            parent, child = self.axes(member.parent)[0], self.axes(member.child)[0]
            columns += [
                np.concatenate([zero, np.cross(child[:, j], parent[:, i])]) for i, j in pairs
            ]
        return np.array(columns).T

    def twists(self, member):
        """Return the motion of a member's child in its parent, at its place, per speed, (n, 6)."""
        total = 0
        for side, sign in ((_child(member), 1), (_parent(member), -1)):
            partial = self.partial[side.body]
            arm = self.place(member) - self.poses[side.body].place[0]
            moves = np.array([p[:3] + np.cross(p[3:], arm) for p in partial]).reshape(-1, 3)
            total = total + sign * np.hstack([moves, partial[:, 3:]])
        return total

    @cached_property
    def jacobian(self):
        """Rates of the closings' errors per speed, (m, n)."""
        rows = [self.units(c).T @ self.twists(c).T for c in self.model.closings]
        return np.vstack(rows) if rows else np.zeros((0, len(self.u)))

    @property
    def position_rows(self):
        """The same for equations of positions alone, which contacts have none of, (m, n)."""
        kinds = [x.kind for x in self.model.closings for _ in range(self.count(x))]
        return self.jacobian * np.array([[kind != "contact"] for kind in kinds]).reshape(-1, 1)

    def count(self, closing):
        """Return the number of a closing's equations."""
        return len(self.directions(closing)) + len(self.pairs(closing))

    @cached_property
    def errors(self):
        """Errors of the closings' positions, velocities and accelerations, (3, m)."""
        columns = [column for c in self.model.closings for column in self.errors_of(c)]
        return np.array(columns).T if columns else np.zeros((3, 0))

    def errors_of(self, closing):
        if closing.kind == "contact":
            slip = self.slip(closing)
            for axis in self.directions(closing):
                rate = axis[1] @ slip[0] + axis[0] @ slip[1]
                yield np.array([0 * rate, axis[0] @ slip[0], rate])
            return
        gap = self.gap(closing)
        if closing.kind == "rod":  # half the square of the distance over the length
            half = self.number(closing.length) / 2
            yield scalar_product(gap, gap) / (4 * half) - np.array([half, 0, 0])
            return
        for axis in self.directions(closing):
            yield scalar_product(axis, gap)
        for i, j in self.pairs(closing):
            parent, child = self.axes(closing.parent), self.axes(closing.child)
            yield scalar_product(parent[:, :, i], child[:, :, j])

    def gap(self, closing):
        """Return the way from the parent's place to the child's, with two derivatives."""
        sides = closing.child, closing.parent
        paths = [self.poses[s.body].path(self.numbers(list(s.place))) for s in sides]
        return paths[0] - paths[1]

    def slip(self, closing):
        """Return slip and rate of slip of the child's material point."""
        side = child_side(closing)
        path = self.poses[side.body].path(self.numbers(list(side.place)))
        total = [0 * path[0], 0 * path[0]]
        for body, sign in ((closing.child.body, 1), (closing.parent.body, -1)):
            pose = self.poses[body]
            spin, growth = pose.spin
            arm, rate = path[0] - pose.place[0], path[1] - pose.place[1]
            total[0] = total[0] + sign * (pose.place[1] + np.cross(spin, arm))
            growing = pose.place[2] + np.cross(growth, arm) + np.cross(spin, rate)
            total[1] = total[1] + sign * growing
        return total

    # -- loads ------------------------------------------------------------------

    def magnitude(self, load):
        size = self.number(load.magnitude)
        if load.style in ("constant", "specified"):
            return size
        if load.style == "unknown":
            return 0 * size
        rate = self.number(load.rate)
        if load.style == "time":
            return size * self.math.cos(rate * self.number(self.model.time))
        if load.style == "q":
            return size * self.math.sin(rate * self.q[load.source])
        return size * rate * self.u[load.source]

    def opening(self, gate):
        """Return the factor that a gate is."""
        if gate is None:
            return 1
        x = getattr(self, gate.group)[gate.source]
        return GATES[gate.kind](self.number(gate.rate) * (x - self.number(gate.limit)))

    def acting(self, load):
        """Yield what a load of size one does: body, force, moment about the mass centre."""
        if load.kind == "strut":
            way = self.arm(load.side)[0] - self.arm(load.against)[0]
            vector = way / self.math.sqrt(way @ way)
        else:
            vector = self.numbers(list(load.direction))
            if not load.is_in_ground:
                vector = self.poses[load.side.body].rotation[0] @ vector
        vector = self.opening(load.gate) * vector
        for side, own in ((load.side, vector), (load.against, -vector)):
            if side is None:
                continue
            if load.kind == "torque":
                yield side.body, 0 * own, own
            else:
                place, center = self.arm(side)
                yield side.body, own, np.cross(place - center, own)

    def arm(self, side):
        """Return the place of a side, and the mass centre of its body."""
        pose = self.poses[side.body]
        return pose.path(self.numbers(list(side.place)))[0], pose.place[0]

    def loads(self):
        """Yield body, force and moment about the mass centre of all known loads."""
        for load in self.model.loads:
            size = self.magnitude(load)
            for body, force, moment in self.acting(load):
                yield body, size * force, size * moment
        for spring in self.model.springs:
            yield from self.struts(spring)
        if self.model.gravity is not None:
            gravity = self.numbers(list(self.model.gravity))
            for body in self.heavy:
                yield body.name, self.number(body.mass) * gravity, 0 * gravity

    @property
    def heavy(self):
        """The bodies on which gravity acts."""
        chosen = self.model.heavy
        return [b for b in self.model.bodies if chosen is None or b.name in chosen]

    def struts(self, spring):
        paths = [self.poses[e.body].path(self.numbers(list(e.place))) for e in spring.ends]
        way = paths[1] - paths[0]
        length = self.math.sqrt(way[0] @ way[0])
        along = way[0] / length
        stretch = self.number(spring.stiffness) * (length - self.number(spring.rest))
        push = -(stretch + self.number(spring.damping) * (along @ way[1])) * along
        for end, path, force in zip(spring.ends, paths, (-push, push), strict=True):
            yield end.body, force, np.cross(path[0] - self.poses[end.body].place[0], force)

    # -- balance ----------------------------------------------------------------

    def central(self, body):
        """Return the central inertia of a body in the world, (3, 3)."""
        if body.inertia is None:
            return 0 * self.eye
        a, b, c, d, e, f = self.numbers(list(body.inertia))
        rotation = self.poses[body.name].rotation[0]
        own = np.array([[a, d, f], [d, b, e], [f, e, c]])
        if body.about is not None:
            arm = skew(self.numbers(list(body.about)))
            own = own + self.number(body.mass) * (arm @ arm)
        return rotation @ own @ rotation.T

    def dynamic(self, body):
        """Return the rate of a body's momentum: force, and moment about the mass centre, (6,)."""
        pose, central = self.poses[body.name], self.central(body)
        spin, growth = pose.spin
        moment = central @ growth + np.cross(spin, central @ spin)
        return np.concatenate([self.number(body.mass) * pose.place[2], moment])

    @cached_property
    def demanded(self):
        """What joints and closings have to supply to each body: force and moment, by name."""
        demanded = {body.name: self.dynamic(body) for body in self.model.bodies}
        for owner, force, moment in self.loads():
            if owner in demanded:
                demanded[owner] = demanded[owner] - np.concatenate([force, moment])
        return demanded

    @cached_property
    def generalized(self):
        """Generalized forces that the motion asks for, (n,)."""
        zero = 0 * self.u
        return sum((self.partial[b] @ x for b, x in self.demanded.items()), zero)

    @cached_property
    def mass_matrix(self):
        total = np.zeros((len(self.u),) * 2)
        for body in self.model.bodies:
            move, spin = np.hsplit(self.partial[body.name], 2)
            total = total + self.number(body.mass) * (move @ move.T)
            total = total + spin @ self.central(body) @ spin.T
        return total

    @cached_property
    def is_actuated(self):
        """Which speeds have motors."""
        n = len(self.u)
        chosen = range(n) if self.model.actuated is None else self.model.actuated
        return np.array([k in chosen for k in range(n)], dtype=bool)

    @cached_property
    def unknown_columns(self):
        """Generalized forces of the unknown loads of size one, (n, unknowns)."""
        columns = []
        for load in self.model.unknowns:
            parts = (self.partial[body] @ np.concatenate(x) for body, *x in self.acting(load))
            columns.append(sum(parts))
        return np.array(columns).T.reshape(len(self.u), len(columns))

    @cached_property
    def supply(self):
        """What closings, motors and unknown loads do to each speed, (n, unknowns)."""
        motors = self.math.array(np.eye(len(self.u)))[:, self.is_actuated]
        return np.hstack([self.jacobian.T, motors, self.unknown_columns])

    @cached_property
    def unsupplied(self):
        """Generalized forces that nothing supplies, least in the sum of squares, (n,)."""
        forbidden = solved(self.supply.T).null
        if not forbidden.shape[1]:
            return 0 * self.generalized
        parts = solved(forbidden.T @ forbidden, forbidden.T @ self.generalized).values
        return forbidden @ parts

    @property
    def joints(self):
        return self.model.joints

    @property
    def members(self):
        return [*self.joints, *self.model.closings]

    solve = staticmethod(lambda matrix, right: solved(matrix, right))

    @cached_property
    def equations(self):
        """The balance of all bodies and of the passive speeds, and what its unknowns are."""
        bases = [self.units(member) for member in self.members]
        ends = np.cumsum([0, *(basis.shape[1] for basis in bases)])
        columns = [slice(*pair) for pair in pairwise(ends)]
        width = int(ends[-1]) + len(self.model.unknowns)
        rows, known = [], []
        for body in self.model.bodies:
            row = np.zeros((6, width)) + 0 * self.eye[0, 0]
            center = self.poses[body.name].place[0]
            for member, basis, column in zip(self.members, bases, columns, strict=True):
                for side, sign in ((_child(member), 1), (_parent(member), -1)):
                    if side.body == body.name:
                        moved = sign * basis
                        arm = skew(self.place(member) - center)
                        moved[3:] = moved[3:] + arm @ moved[:3]
                        row[:, column] = row[:, column] + moved
            for k, load in enumerate(self.model.unknowns):
                for owner, *parts in self.acting(load):
                    if owner == body.name:
                        row[:, ends[-1] + k] = row[:, ends[-1] + k] + np.concatenate(parts)
            rows.append(row)
            known.append(self.demanded[body.name])
        forces = np.zeros((len(self.u), width)) + 0 * self.eye[0, 0]
        for joint, column in zip(self.joints, columns, strict=False):
            forces[:, column] = self.twists(joint)
        passive = ~self.is_actuated
        matrix = np.vstack([*rows, forces[passive]])
        right = np.concatenate([*known, self.unsupplied[passive]])
        return matrix, right, bases, columns, forces

    @cached_property
    def balance(self):
        """The solution of the equations, and what its unknowns are."""
        matrix, right, *unknowns = self.equations
        return self.solve(matrix, right), *unknowns

    def wrench_of(self, index, rotation, part=None):
        """Return a member's wrench along the columns of a rotation, or part of it, (6,)."""
        solution, bases, columns, forces = self.balance
        rows = 0 * np.zeros((6, forces.shape[1])) + 0 * self.eye[0, 0]
        turned = np.vstack([rotation.T @ bases[index][:3], rotation.T @ bases[index][3:]])
        rows[:, columns[index]] = turned if part is None else part @ turned
        return solution.determined(rows)

    @cached_property
    def joint_wrenches(self):
        """All wrenches in the children's frames, those of closings last, (members, 6)."""
        every = enumerate(self.members)
        return np.array([self.wrench_of(k, self.child_axes(member)) for k, member in every])

    @cached_property
    def constraint_wrenches(self):
        """The same without what acts along the motions of the joints, (members, 6)."""
        rows = []
        for index, member in enumerate(self.members):
            free, rest = self.free_directions(member), self.math.array(np.eye(6))
            if free.shape[1]:
                parts = [solved(free.T @ free, column).values for column in free]
                rest = rest - free @ np.array(parts).T
            rows.append(self.wrench_of(index, self.child_axes(member), rest))
        return np.array(rows)

    def free_directions(self, member):
        """Return how a joint's speeds move its child, along its child's axes, (6, n)."""
        kind = getattr(member, "kind", "")
        if not hasattr(member, "directions") and kind in ("spherical", "free angles"):
            return self.math.array(np.eye(6))[:, 3 if kind == "spherical" else 0 :]
        own = [k for k, (joint, _) in enumerate(self.owners) if joint is member]
        return self.in_child(member, self.twists(member).T[:, own])

    def child_axes(self, member):
        """Return the axes along which a member's wrench is told, (3, 3)."""
        rotation = self.poses[_child(member).body].rotation[0]
        if not hasattr(member, "directions") and self.is_particle(_child(member)):
            rotation = rotation @ self.numbers(_child(member).axes)
        return rotation

    def in_child(self, member, wrench):
        """Return a wrench, or columns of them, along these axes, (6, ...)."""
        turn = self.child_axes(member).T
        return np.concatenate([turn @ wrench[:3], turn @ wrench[3:]])

    def in_world(self, member, wrench):
        """Return the force and the moment of a wrench along these axes in the world."""
        turn = self.child_axes(member)
        return turn @ wrench[:3], turn @ wrench[3:]

    def is_particle(self, side):
        return any(b.name == side.body and b.inertia is None for b in self.model.bodies)

    @property
    def generalized_forces(self):
        """Generalized forces of the speeds with motors, zero for all others, (n,)."""
        solution, _, _, forces = self.balance
        return np.where(self.is_actuated, solution.determined(forces), 0 * self.u)

    @property
    def solved_loads(self):
        solution, _, columns, forces = self.balance
        rows = np.zeros((len(self.model.unknowns), forces.shape[1])) + 0 * self.eye[0, 0]
        for k in range(len(rows)):
            rows[k, columns[-1].stop + k] = 1
        return solution.determined(rows) if len(rows) else np.zeros(0)

    # -- forward ----------------------------------------------------------------

    @cached_property
    def moving(self):
        """Equations of accelerations and multipliers: the matrix, the motion without them."""
        still = self.at(udot=0 * self.udot)
        jacobian = still.jacobian
        zero = np.zeros((len(jacobian),) * 2) + 0 * self.eye[0, 0]
        return np.block([[still.mass_matrix, -jacobian.T], [jacobian, zero]]), still

    def free_accelerations(self, torques=0):
        """Return the accelerations that the loads (and torques) make; NaN where open."""
        matrix, still = self.moving
        solution = solved(matrix, np.concatenate([torques - still.generalized, -still.errors[2]]))
        return solution.determined(np.eye(len(matrix))[: len(self.u)])


def child_side(member):
    """Return the side at which a member's wrench acts; of a contact, that of its point."""
    if getattr(member, "kind", "") == "contact" and member.index == 0:
        return member.parent
    return _child(member)


def _child(member):
    if hasattr(member, "child"):
        return member.child
    return member.inner if member.is_reversed else member.outer


def _parent(member):
    if hasattr(member, "parent"):
        return member.parent
    return member.outer if member.is_reversed else member.inner


def scalar_product(a, b):
    return np.array([a[0] @ b[0], a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2 * (a[1] @ b[1]) + a[0] @ b[2]])  # fmt: skip  # noqa: E501


# -- linear equations ---------------------------------------------------------------


@dataclass
class Solution:
    """A solution of linear equations, a basis of what they leave open, and how clear that is.

    ``left`` is what the equations contradict each other by, relative to their size;
    ``condition`` the largest pivot over the smallest one; ``doubt`` the largest number that
    was taken for zero over the one that was not, relative to the first pivot.
    """

    values: np.ndarray
    null: np.ndarray
    rank: int
    left: float
    condition: float
    is_doubtful: bool

    def determined(self, rows):
        """Return linear functions of the unknowns, NaN where they are open."""
        values = rows @ self.values
        if not self.null.shape[1]:
            return values
        sizes = np.abs((rows @ self.null).astype(float)).max(axis=1, initial=0)
        is_open = sizes > 1e-8 * np.abs(self.null.astype(float)).max()
        return np.where(is_open, np.nan, values)


def solved(matrix, right=None):
    """Solve equations by Gauss-Jordan elimination with complete pivoting, rows scaled."""
    rows, count = matrix.shape
    right = np.zeros(rows) if right is None else right
    system = np.hstack([matrix, right[:, None]]) + 0 * (matrix.ravel()[:1].sum() if matrix.size else 0)  # fmt: skip  # noqa: E501
    scale = np.abs(matrix.astype(float)).max(axis=1, initial=0)
    scale = np.where(scale > ZERO, scale, 1.0)  # not what rounding of the data leaves of zero
    system = system / (scale[:, None] if system.dtype == float else scale[:, None].astype(object))
    order, pivots, rest = list(range(count)), [], 0.0
    for k in range(min(rows, count)):
        sizes = np.abs(system[k:, k:count].astype(float))
        i, j = np.unravel_index(np.argmax(sizes), sizes.shape)
        pivot = sizes[i, j]
        if pivot <= ZERO * max(pivots, default=1.0):
            rest = pivot
            break
        pivots.append(pivot)
        system[[k, k + i]] = system[[k + i, k]]
        system[:, [k, k + j]] = system[:, [k + j, k]]
        order[k], order[k + j] = order[k + j], order[k]
        system[k] = system[k] / system[k, k]
        for other in range(rows):
            if other != k and system[other, k] != 0:
                system[other] = system[other] - system[other, k] * system[k]
    rank = len(pivots)
    values, null = 0 * system[:1, :1].sum() + np.zeros(count), np.zeros((count, count - rank))
    null = null + 0 * values.sum()
    values[order[:rank]] = system[:rank, count]
    null[order[:rank]] = -system[:rank, rank:count]
    null[order[rank:], range(count - rank)] = 1
    left = np.abs(system[rank:, count].astype(float)).max(initial=0)
    smallest, largest = min(pivots, default=1.0), max(pivots, default=1.0)
    is_doubtful = smallest < CLEAR * largest or rest > 1e-3 * CLEAR * largest * 1e-3
    return Solution(values, null, rank, float(left), float(largest / smallest), is_doubtful)


# -- states nearby --------------------------------------------------------------------


def ranks(numeric):
    """Return the ranks on which depends what is determined."""
    return (solved(numeric.jacobian).rank, solved(numeric.supply).rank, numeric.balance[0].rank)


def near(model):
    """Return the model at an assembled state nearby, other values for symbols; None if stuck."""
    numbers = np.random.default_rng(5)

    def other(number):
        is_symbol = number.style == "symbol"
        factor = numbers.uniform(0.97, 1.03)
        return replace(number, value=float(number.value) * factor) if is_symbol else number

    numeric = Numeric(mapped(model, other))
    free = solved(numeric.position_rows).null  # contacts do not bind positions
    way = free @ numbers.uniform(-0.1, 0.1, free.shape[1]) if len(numeric.u) else numeric.u
    numeric = assembled(Numeric(advanced(numeric.model, way)))
    moved = np.abs(numeric.q - Numeric(model).q).max(initial=0)
    is_closed = np.abs(numeric.errors[0]).max(initial=0) < 1e-12
    return numeric if is_closed and (moved > 1e-4 or not free.size) else None


def assembled(numeric, steps=10):
    """Return the model after steps of Newton's method."""
    for _ in range(steps):
        left = numeric.errors[0]
        if np.abs(left).max(initial=0) < 1e-14:
            break
        step = np.linalg.lstsq(numeric.position_rows, -left, rcond=1e-9)[0]
        numeric = Numeric(advanced(numeric.model, step))
    return numeric


def modes(numeric, starts=12):
    """Return other assemblies of a model whose loops hold all coordinates that they contain."""
    rows, numbers = numeric.position_rows, np.random.default_rng(7)
    held = np.abs(rows).max(axis=0, initial=0) > ZERO
    free = solved(rows).null
    if not held.any() or np.abs(free[held]).max(initial=0) > ZERO:
        return []
    found = []
    for _ in range(starts):
        start = Numeric(advanced(numeric.model, held * numbers.uniform(-np.pi, np.pi, len(held))))
        other = assembled(start, steps=40)
        is_closed = np.abs(other.errors[0]).max(initial=0) < 1e-12
        if is_closed and ranks(other) == ranks(numeric):
            found.append(other)
    return found


def advanced(model, speeds):
    """Return the model after a small motion."""
    joints, start = [], 0
    for joint in model.joints:
        way = np.array(speeds[start : start + len(joint.u)])
        q = np.array([float(x.value) for x in joint.q])
        if "quaternion" in joint.kind:
            s, v, w = q[-4], q[-3:], way[-3:] / 2
            turned = np.array([s - v @ w, *(v + s * w + np.cross(v, w))])
            q = np.concatenate([q[:-4] + way[:-3], turned / np.linalg.norm(turned)])
        else:
            q = q + way
        values = zip(joint.q, q, strict=True)
        moved = tuple(replace(x, value=float(y), style="float") for x, y in values)
        joints.append(replace(joint, q=moved))
        start += len(joint.u)
    return replace(model, joints=tuple(joints))
