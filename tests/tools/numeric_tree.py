"""Joint wrenches of a RandomTree without any recursion for velocities or accelerations.

The poses of all bodies are composed joint by joint from sympy's own frames and points, at
complex instants around the sample: Cauchy's integral then gives the exact time derivatives
of poses. Momentum balances of all outer bodies together give each joint's wrench.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import sympy as sm
from numeric import evaluate, evaluate_matrix
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.mechanics.models.free_joint import FreeJoint
from jointwrench.mechanics.models.quaternion_joint import QuaternionJoint

NODES, RADIUS = 48, 0.5
TINY = 1e-30


@dataclass
class Pose:
    """Orientation (body to world) and position of the mass centre; derivatives 0, 1, 2."""

    rotation: np.ndarray
    center: np.ndarray

    @property
    def angular_velocity(self):
        """Angular velocity in world components."""
        return axial(self.rotation[1] @ self.rotation[0].T) / 2

    def velocity(self, point):
        """Return the velocity of the body's point that is at a place in the world."""
        return self.center[1] + np.cross(self.angular_velocity, point - self.center[0])


def axial(matrix):
    """Return the vector e_ijk M_kj, twice the axial vector of the skew part."""
    return np.array(
        [matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]
    )


def quaternion_of(joint):
    """Return the coordinates of a joint that are a quaternion, which may be none."""
    if isinstance(joint, QuaternionJoint):
        return list(joint.coordinates)
    if isinstance(joint, FreeJoint) and joint.rotation == "quaternion":
        return list(joint.rotation_coordinates)
    return []


def quaternion_rate(quaternion, spin):
    """Return half the product of a quaternion with an angular velocity in the turning frame."""
    scalar, vector = quaternion[0], quaternion[1:]
    return np.array([-vector @ spin, *(scalar * spin + np.cross(vector, spin))]) / 2


class NumericTree:
    """A RandomTree at one state; all vectors in world components.

    Attributes: poses of the bodies, and per joint its child's point, frame and child bodies.
    """

    def __init__(self, tree, values):
        self.tree, self.values = tree, values
        self.system = tree.system
        self.order = self._walk()
        self.instants = self._radius() * np.exp(2j * np.pi * np.arange(NODES) / NODES)
        rotations, centers = self._compose(self._moving(self.instants))
        self.poses = {
            body: Pose(self._taylor(rotations[tree.frames[body]]), self._taylor(center))
            for body, center in centers.items()
        }
        self.rotations = {frame: r.mean(axis=0).real for frame, r in rotations.items()}

    def _walk(self):
        """Return (joint, inner body, outer body) from ground outwards."""
        order, waiting = [], list(self.system.joints)
        known = {self.tree.ground, *self.tree.driven}
        while waiting:
            joint = next(j for j in waiting if j.parent in known or j.child in known)
            waiting.remove(joint)
            is_reversed = joint.child in known
            inner, outer = (joint.parent, joint.child)[:: -1 if is_reversed else 1]
            order.append((joint, inner, outer))
            known.add(outer)
        return order

    def _radius(self):
        """Return how far in time the instants are from the sample, nearer in fast motion."""
        time, u = dynamicsymbols._t, self.system.u
        rates = [abs(self.values[x]) for x in u] + [
            abs(self.values[x.diff(time)]) ** 0.5 for x in u
        ]
        return RADIUS * 2 / max([2, *rates])

    def _moving(self, instants):
        """Return the values with time and coordinates at instants around the sample."""
        time = dynamicsymbols._t
        values = dict(self.values)
        values[time] = self.values[time] + instants
        motions = [self._rates(joint) for joint in self.system.joints]
        motions.append(
            {f: [self.values[f.diff(time, n)] for n in (1, 2)] for f in self.tree.driving}
        )
        for motion in motions:
            for q, (first, second) in motion.items():
                values[q] = self.values[q] + first * instants + second * instants**2 / 2
        return values

    def _rates(self, joint, speeds=None):
        """Return first and second time derivative of each coordinate of a joint."""
        time = dynamicsymbols._t
        u = np.array([(speeds or self.values)[x] for x in joint.speeds], dtype=float)
        udot = np.array([self.values[x.diff(time)] for x in joint.speeds], dtype=float)
        turned = quaternion_of(joint)
        if not turned:
            rates = zip(u, udot, strict=True)
        else:
            q = np.array([self.values[x] for x in turned], dtype=float)
            first = quaternion_rate(q, u[-3:])
            second = quaternion_rate(first, u[-3:]) + quaternion_rate(q, udot[-3:])
            straight = zip(u[:-3], udot[:-3], strict=True)
            rates = [*straight, *zip(first, second, strict=True)]
        return dict(zip(joint.coordinates, rates, strict=True))

    def _compose(self, values):
        """Return the world orientation of all frames and the positions of all mass centres."""
        ground = self.tree.ground
        rotations = {self.system.frame: np.eye(3)[None]}
        centers = {ground: np.zeros((1, 3))}
        for base in self.tree.driven:
            rotations[base.frame] = evaluate_matrix(self.system.frame.dcm(base.frame), values)
            position = base.masscenter.pos_from(self.system.fixed_point)
            centers[base] = self._world(position, rotations, values)
        for joint, inner, outer in self.order:
            sides = [
                (body, getattr(joint, f"{side}_interframe"), getattr(joint, f"{side}_point"))
                for side in ("parent", "child")
                for body in [getattr(joint, side)]
            ]
            (_, here, start), (_, there, end) = sides if joint.parent is inner else sides[::-1]
            chain = [self.tree.frames[inner], here, there, self.tree.frames[outer]]
            for before, after in pairwise(chain):
                if after is not before:
                    step = evaluate_matrix(before.dcm(after), values)
                    rotations[after] = rotations[before] @ step
            arms = (
                (start.pos_from(inner.masscenter), 1),
                (end.pos_from(start), 1),
                (end.pos_from(outer.masscenter), -1),
            )
            centers[outer] = centers[inner] + sum(
                sign * self._world(vector, rotations, values) for vector, sign in arms
            )
        shape = np.broadcast_shapes((1,), *(np.shape(value) for value in values.values()))
        full = {f: np.broadcast_to(r, (*shape, 3, 3)) for f, r in rotations.items()}
        return full, {b: np.broadcast_to(c, (*shape, 3)) for b, c in centers.items()}

    @staticmethod
    def _world(vector, rotations, values):
        total = np.zeros(3)
        for components, frame in vector.args:
            column = evaluate_matrix(components, values)
            total = total + (rotations[frame] @ column)[..., 0]
        return total

    def _taylor(self, samples):
        """Return value, first and second time derivative from samples on a circle."""
        derivatives = [
            factor * np.tensordot(self.instants**-n, samples, (0, 0)) / NODES
            for n, factor in enumerate((1, 1, 2))
        ]
        return np.array(derivatives).real

    # -- what follows from the poses --------------------------------------------

    @property
    def fixed(self):
        """The bodies that no load moves."""
        return {self.tree.ground, *self.tree.driven}

    def world(self, vector):
        """Return a sympy Vector in world components."""
        rotations = self.rotations
        result = np.zeros(3)
        for components, frame in vector.args:
            if frame not in rotations:
                fixed = self.system.frame
                rotations[frame] = evaluate_matrix(fixed.dcm(frame), self.values)
            result = result + rotations[frame] @ evaluate_matrix(components, self.values)[:, 0]
        return result

    def place(self, point, body):
        """Return the place of a point of a body."""
        return self.poses[body].center[0] + self.world(point.pos_from(body.masscenter))

    def dynamic_wrench(self, body):
        """Return rate of momentum: force, and moment about the mass centre."""
        pose, central = self.poses[body], self.tree.central_inertias[body]
        second_moments = np.trace(central) / 2 * np.eye(3) - central
        rotation, _, acceleration = pose.rotation
        moment = axial((rotation @ second_moments @ acceleration.T).T)
        return self.tree.masses[body] * pose.center[2], moment

    def kinetic_power(self, body):
        """Return the time derivative of a body's kinetic energy."""
        pose, central = self.poses[body], self.tree.central_inertias[body]
        second_moments = np.trace(central) / 2 * np.eye(3) - central
        linear = self.tree.masses[body] * pose.center[1] @ pose.center[2]
        return linear + np.trace(pose.rotation[1] @ second_moments @ pose.rotation[2].T)

    def loads(self, symbol=None):
        """Yield (body, place, force, moment) of the loads on moving bodies.

        Of all loads, or of those in which a symbol stands.
        """
        for load in self.tree.loads:
            if load.body not in self.fixed and (symbol is None or load.has(symbol)):
                vector = self.world(load.vector)
                if load.point is None:
                    yield load.body, self.poses[load.body].center[0], np.zeros(3), vector
                else:
                    yield load.body, self.place(load.point, load.body), vector, np.zeros(3)
        for strut in self.tree.struts:
            if symbol is None or strut.has(symbol):
                yield from self._strut_loads(strut)

    def _strut_loads(self, strut):
        places = [self.place(point, body) for body, point in strut.ends]
        speeds = [self.poses[b].velocity(p) for (b, _), p in zip(strut.ends, places, strict=True)]
        arm = places[1] - places[0]
        length = np.linalg.norm(arm)
        along = arm / length
        rate = along @ (speeds[1] - speeds[0])
        push = evaluate(sm.sympify(strut.force(length, rate)), self.values) * along
        for (body, _), place, force in zip(strut.ends, places, (-push, push), strict=True):
            if body not in self.fixed:
                yield body, place, force, np.zeros(3)

    def load_power(self):
        """Return the power of all known loads."""
        return sum(
            force @ self.poses[body].velocity(place) + moment @ self.poses[body].angular_velocity
            for body, place, force, moment in self.loads()
        )

    @cached_property
    def partial_velocities(self):
        """Per moving body: of its mass centre and its angular velocity, each (n, 3).

        Derivatives with respect to the speeds, by complex steps of the coordinates.
        """
        values, count = dict(self.values), len(self.system.u)
        for joint in self.system.joints:
            for q in joint.coordinates:
                values[q] = np.full(count, self.values[q], dtype=complex)
        for k, speed in enumerate(self.system.u):
            alone = {**dict.fromkeys(self.system.u, 0.0), speed: 1.0}
            for joint in self.system.joints:
                if speed in joint.speeds[:]:
                    for q, (rate, _) in self._rates(joint, alone).items():
                        values[q][k] += 1j * TINY * rate
        rotations, centers = self._compose(values)
        partial = {}
        for body in self.tree.bodies:
            turns = rotations[self.tree.frames[body]].imag / TINY
            turns = np.broadcast_to(turns, (count, 3, 3))
            spins = [axial(turn @ self.poses[body].rotation[0].T) / 2 for turn in turns]
            moves = np.broadcast_to(centers[body].imag / TINY, (count, 3))
            partial[body] = moves, np.reshape(spins, (count, 3))
        return partial

    def generalized_forces(self):
        """Return what the joints have to supply, by d'Alembert's principle, (n,)."""
        forces = np.zeros(len(self.system.u))
        for body, (move, spin) in self.partial_velocities.items():
            force, moment = self.dynamic_wrench(body)
            forces = forces + move @ force + spin @ moment
        return forces - self.load_forces()

    def load_forces(self, symbol=None):
        """Return the generalized forces of all loads (in which a symbol stands), (n,)."""
        zero = np.zeros(len(self.system.u))
        return sum((v @ f + w @ m for v, w, f, m in self._loads_at_centers(symbol)), zero)

    def effort(self, symbol):
        """Return how large a symbol's generalized forces were in better directions, a number."""
        norm = np.linalg.norm
        return sum(
            norm(v) * norm(f) + norm(w) * norm(m) for v, w, f, m in self._loads_at_centers(symbol)
        )

    def _loads_at_centers(self, symbol):
        """Yield partial velocities and the wrench about the mass centre for each load."""
        for body, place, force, moment in self.loads(symbol):
            arm = place - self.poses[body].center[0]
            yield *self.partial_velocities[body], force, moment + np.cross(arm, force)

    def outer_bodies(self, joint):
        """Return the bodies that hang on a joint."""
        (first,) = (outer for j, _, outer in self.order if j is joint)
        found = {first}
        for _, inner, outer in self.order:
            if inner in found:
                found.add(outer)
        return found

    def child_place(self, joint):
        """Return the place of the child's point of a joint."""
        return self.place(joint.child_point, joint.child)

    def joint_wrench(self, joint):
        """Return force and moment on the child by the parent, about the child point."""
        bodies, about = self.outer_bodies(joint), self.child_place(joint)
        force, moment = np.zeros(3), np.zeros(3)
        for body in bodies:
            f, m = self.dynamic_wrench(body)
            force += f
            moment += m + np.cross(self.poses[body].center[0] - about, f)
        for body, place, f, m in self.loads():
            if body in bodies:
                force -= f
                moment -= m + np.cross(place - about, f)
        return (force, moment) if joint.child in bodies else (-force, -moment)

    def in_child(self, joint, vector):
        """Return world components as components in the child's frame."""
        return self.rotations[child_frame(joint, self.tree)].T @ vector

    def joint_wrenches(self):
        """Return all joint wrenches as InverseDynamics gives them, (number of joints, 6)."""
        rows = [
            np.concatenate([self.in_child(joint, part) for part in self.joint_wrench(joint)])
            for joint in self.system.joints
        ]
        return np.array(rows).reshape(len(rows), 6)

    def relative_twist(self, joint):
        """Return velocity of the child at its point and its spin, both seen by the parent."""
        place = self.child_place(joint)
        parent, child = self.poses[joint.parent], self.poses[joint.child]
        return (
            child.velocity(place) - parent.velocity(place),
            child.angular_velocity - parent.angular_velocity,
        )

    def potential(self, shifts):
        """Return the potential energy in gravity at coordinates shifted by complex numbers."""
        values = dict(self.values)
        for q, shift in shifts.items():
            values[q] = values[q] + shift
        instants, self.instants = self.instants, np.zeros(1)
        _, centers = self._compose(values)
        self.instants = instants
        gravity = self.world(self.tree.gravity)
        return -sum(self.tree.masses[b] * centers[b][0] @ gravity for b in self.tree.bodies)


def child_frame(joint, tree):
    """Return the frame of a joint's child; of a particle, the child interframe."""
    frame = tree.frames[joint.child]
    return joint.child_interframe if getattr(joint.child, "frame", None) is None else frame
