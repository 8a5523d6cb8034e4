"""Wrenches in a closed mechanism by one dense balance of all its bodies, at one state.

Nothing is cut and nothing is recursive: unknown are all six components of the wrench in every
joint of the tree, and one number for each direction in which a closing transmits a force or
a moment. Given are Newton's and Euler's equations of every body, and that each passive speed
gets nothing. What the null space of these equations touches is not determined: NaN.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numeric_tree import axial, child_frame
from random_trees import Load, RandomTree
from sympy import Float, ImmutableDenseMatrix, sympify
from sympy.physics.mechanics import Force, ReferenceFrame, Torque, Vector

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
NONE, CLEAR = 1e-9, 1e-6  # singular values below the one count as zero; between them is doubt


class RankInDoubtError(ValueError):
    """A matrix that is nearly singular: what it determines would be a matter of taste."""


def product(first, second):
    """Return value and two time derivatives of a scalar product, from those of its factors."""
    a, b = np.asarray(first), np.asarray(second)
    first, second = a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2 * a[1] @ b[1] + a[0] @ b[2]
    return np.array([a[0] @ b[0], first, second])


def floats(components, frame):
    """Return a Vector with floating-point components."""
    return Vector([(ImmutableDenseMatrix([Float(float(x)) for x in components]), frame)])


@dataclass(frozen=True, eq=False)
class Side:
    """Where a closing is on a body: a place from the mass centre and three axes (columns)."""

    body: object
    place: np.ndarray
    axes: np.ndarray

    def path(self, numeric):
        """Return the place in the world with its time derivatives, (3, 3)."""
        pose = numeric.poses[self.body]
        return pose.center + pose.rotation @ self.place

    def axis(self, numeric, index):
        """Return an axis in the world with its time derivatives, (3, 3)."""
        return numeric.poses[self.body].rotation @ self.axes[:, index]

    def point(self, name):
        """Return the place as a Point."""
        vector = floats(self.place, self.body.frame)
        return self.body.masscenter.locatenew(name, vector)

    def interframe(self, name):
        """Return the axes as a ReferenceFrame."""
        frame = ReferenceFrame(name)
        entries = [Float(float(x)) for x in self.axes.ravel()]
        frame.orient_explicit(self.body.frame, ImmutableDenseMatrix(3, 3, entries))
        return frame


@dataclass(frozen=True, eq=False)
class Closing:
    """A joint that closes a loop, by numbers; it has no frames or points of its own."""

    name: str
    kind: str
    parent_side: Side
    child_side: Side
    index: int = 0  # of the joint's axis

    @property
    def parent(self):
        """The body that acts."""
        return self.parent_side.body

    @property
    def child(self):
        """The body that is acted on."""
        return self.child_side.body

    @property
    def directions(self):
        """Indices of the parent's axes along which a force is transmitted."""
        a, b, c = self.index, (self.index + 1) % 3, (self.index + 2) % 3
        return {"all": (0, 1, 2), "across": (b, c), "along": (a,)}[KINDS[self.kind][0]]

    @property
    def orthogonal(self):
        """Index pairs of the parent's and the child's axes that are at right angles."""
        a, b, c = self.index, (self.index + 1) % 3, (self.index + 2) % 3
        return {
            "all": ((0, 1), (1, 2), (2, 0)),
            "tilt": ((b, a), (c, a)),
            "twist": ((a, b),),
            "none": (),
        }[KINDS[self.kind][1]]

    def place(self, numeric):
        """Return where the wrench acts, about which it is given."""
        return self.child_side.path(numeric)[0]

    def wrenches(self, numeric):
        """Return the unit wrenches that are transmitted, world components, (6, m)."""
        forces = [self.parent_side.axis(numeric, k)[0] for k in self.directions]
        moments = [
            np.cross(self.child_side.axis(numeric, j)[0], self.parent_side.axis(numeric, i)[0])
            for i, j in self.orthogonal
        ]
        zero = np.zeros(3)
        columns = [(f, zero) for f in forces] + [(zero, m) for m in moments]
        return np.reshape(columns, (len(columns), 6)).T

    def errors(self, numeric):
        """Return what should vanish, on the level of position, velocity and acceleration."""
        gap = self.child_side.path(numeric) - self.parent_side.path(numeric)
        columns = [product(self.parent_side.axis(numeric, k), gap) for k in self.directions]
        for i, j in self.orthogonal:
            axes = self.parent_side.axis(numeric, i), self.child_side.axis(numeric, j)
            columns.append(product(*axes))
        return np.reshape(columns, (len(columns), 3)).T

    def make(self, loop_joint):
        """Return this as a LoopJoint."""
        interframe = self.parent_side.interframe(f"{self.name}_P")
        axis = (interframe.x, interframe.y, interframe.z)[self.index]
        return loop_joint(
            self.name,
            self.parent,
            self.child,
            self.kind,
            parent_point=self.parent_side.point(f"{self.name}_P"),
            child_point=self.child_side.point(f"{self.name}_C"),
            parent_interframe=interframe,
            child_interframe=self.child_side.interframe(f"{self.name}_C"),
            joint_axis=None if self.kind in ("spherical", "weld") else axis,
        )


@dataclass(frozen=True, eq=False)
class Touch:
    """A contact at a point of one of its bodies, along axes that are fixed in the same body."""

    name: str
    parent: object
    child: object
    side: Side
    directions: tuple = (0, 1, 2)

    def place(self, numeric):
        """Return the point of contact."""
        return self.side.path(numeric)[0]

    def wrenches(self, numeric):
        """Return the unit forces that are transmitted, world components, (6, m)."""
        forces = np.array([self.side.axis(numeric, k)[0] for k in self.directions])
        return np.hstack([forces, np.zeros_like(forces)]).T

    def errors(self, numeric):
        """Return zero, slip and rate of slip; no place is wrong for a contact."""
        path, slip = self.side.path(numeric), np.zeros((2, 3))
        for body, sign in ((self.child, 1), (self.parent, -1)):
            pose = numeric.poses[body]
            spin, growth = pose.angular_velocity, axial(pose.rotation[2] @ pose.rotation[0].T) / 2
            arm, rate = path[0] - pose.center[0], path[1] - pose.center[1]
            slip[0] += sign * (pose.center[1] + np.cross(spin, arm))
            slip[1] += sign * (pose.center[2] + np.cross(growth, arm) + np.cross(spin, rate))
        columns = []
        for k in self.directions:
            axis = self.side.axis(numeric, k)
            columns.append((0, axis[0] @ slip[0], axis[1] @ slip[0] + axis[0] @ slip[1]))
        return np.array(columns).T

    def make(self, contact):
        """Return this as a Contact."""
        frame = self.side.interframe(f"{self.name}_F")
        axes = (frame.x, frame.y, frame.z)
        return contact(
            self.name,
            self.parent,
            self.child,
            self.side.point(f"{self.name}_P"),
            directions=[axes[k] for k in self.directions],
        )


class TreeJoint:
    """A joint of the tree, as a closing that could transmit anything."""

    def __init__(self, joint):
        self.joint, self.parent, self.child = joint, joint.parent, joint.child

    def place(self, numeric):
        """Return the place of the child's point."""
        return numeric.child_place(self.joint)

    @staticmethod
    def wrenches(numeric):
        """Return all unit wrenches, (6, 6)."""
        return np.eye(6)


def skew(v):
    """Return the matrix of a cross product."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def null_space(matrix):
    """Return an orthonormal basis, (columns, n); doubtful ranks are an error."""
    if not matrix.size:
        return np.eye(matrix.shape[1])
    _, sizes, rows = np.linalg.svd(matrix)
    scale = max(sizes.max(), 1e-300)
    if ((sizes > NONE * scale) & (sizes < CLEAR * scale)).any():
        raise RankInDoubtError(sizes)
    return rows[int((sizes > NONE * scale).sum()) :].T


class ClosedChain:
    """A NumericTree with closings; ``actuated`` are the speeds that something can drive."""

    def __init__(self, numeric, closings, actuated=()):
        self.numeric, self.closings = numeric, tuple(closings)
        self.speeds = list(numeric.system.u)
        self.is_actuated = np.array([u in set(actuated) for u in self.speeds], dtype=bool)
        self.members = [*map(TreeJoint, numeric.system.joints), *self.closings]
        self.bases = [member.wrenches(numeric) for member in self.members]
        ends = np.cumsum([0, *(basis.shape[1] for basis in self.bases)])
        self.columns = [slice(*pair) for pair in pairwise(ends)]
        self.width = int(ends[-1])

    # -- kinematics -----------------------------------------------------------

    def partial_twists(self, member):
        """Return the child's motion in the parent, at the place, per speed, (n, 6)."""
        place, total = member.place(self.numeric), np.zeros((len(self.speeds), 6))
        for body, sign in ((member.child, 1), (member.parent, -1)):
            if body in self.numeric.partial_velocities:
                move, spin = self.numeric.partial_velocities[body]
                arm = place - self.numeric.poses[body].center[0]
                total += sign * np.hstack([move + np.cross(spin, arm), spin])
        return total

    @cached_property
    def jacobian(self):
        """Rates of the closings' errors per speed, (m, n)."""
        rows = [c.wrenches(self.numeric).T @ self.partial_twists(c).T for c in self.closings]
        return np.vstack([np.zeros((0, len(self.speeds))), *rows])

    @property
    def errors(self):
        """Errors of position, velocity and acceleration, (3, m)."""
        return np.hstack([np.zeros((3, 0)), *(c.errors(self.numeric) for c in self.closings)])

    @property
    def mass_matrix(self):
        """Mass matrix of the tree, (n, n)."""
        tree, total = self.numeric.tree, np.zeros((len(self.speeds),) * 2)
        for body, (move, spin) in self.numeric.partial_velocities.items():
            rotation = self.numeric.poses[body].rotation[0]
            central = rotation @ tree.central_inertias[body] @ rotation.T
            total += tree.masses[body] * move @ move.T + spin @ central @ spin.T
        return total

    # -- forces, speed by speed -----------------------------------------------

    @cached_property
    def supply(self):
        """What closings and motors do to each speed, (n, m + motors)."""
        return np.hstack([self.jacobian.T, np.eye(len(self.speeds))[:, self.is_actuated]])

    @cached_property
    def unsupplied(self):
        """Generalized forces that neither closings nor motors supply, by least squares, (n,)."""
        forbidden = null_space(self.supply.T)
        return forbidden @ (forbidden.T @ self.numeric.generalized_forces())

    # -- forces, body by body -------------------------------------------------

    @cached_property
    def balance(self):
        """The matrix and the right-hand side of all equations."""
        numeric, rows, known = self.numeric, [], []
        for body in numeric.tree.bodies:
            center = numeric.poses[body].center[0]
            force, moment = numeric.dynamic_wrench(body)
            for owner, place, f, m in numeric.loads():
                if owner is body:
                    force, moment = force - f, moment - m - np.cross(place - center, f)
            row = np.zeros((6, self.width))
            for member, basis, columns in zip(self.members, self.bases, self.columns, strict=True):
                if body in (member.parent, member.child):
                    shift = np.eye(6)
                    shift[3:, :3] = skew(member.place(numeric) - center)
                    sign = 1 if body is member.child else -1
                    row[:, columns] += sign * shift @ basis
            rows.append(row)
            known.append(np.concatenate([force, moment]))
        passive = ~self.is_actuated
        rows.append(self.forces_of_speeds[passive])
        known.append(self.unsupplied[passive])
        return np.vstack(rows), np.concatenate(known)

    @cached_property
    def forces_of_speeds(self):
        """The generalized forces in terms of the unknowns, (n, unknowns)."""
        rows = np.zeros((len(self.speeds), self.width))
        for member, columns in zip(self.members, self.columns, strict=True):
            if isinstance(member, TreeJoint):
                rows[:, columns] = self.partial_twists(member)
        return rows

    @cached_property
    def solution(self):
        """One solution of the balance, and the null space of its matrix."""
        matrix, known = self.balance
        found = np.linalg.lstsq(matrix, known, rcond=NONE)[0]
        rest = np.abs(matrix @ found - known).max(initial=0)
        assert rest < 1e-9 * max(1, np.abs(known).max(initial=0)), rest
        return found, null_space(matrix)

    def determined(self, rows):
        """Return linear functions of the unknowns, NaN where the null space matters."""
        found, null = self.solution
        open_ = np.linalg.norm(rows @ null, axis=1) > 1e-8 * np.linalg.norm(rows, axis=1)
        return np.where(open_, np.nan, rows @ found)

    def wrench(self, index, rotation):
        """Return the wrench of a member in components along the columns of a rotation, (6,)."""
        rows = np.zeros((6, self.width))
        turn = np.kron(np.eye(2), rotation.T)
        rows[:, self.columns[index]] = turn @ self.bases[index]
        return self.determined(rows)

    @property
    def joint_wrenches(self):
        """All wrenches in the children's frames, the tree's joints first, (members, 6)."""
        rows = []
        for index, member in enumerate(self.members):
            rotation = self.numeric.poses[member.child].rotation[0]
            if isinstance(member, TreeJoint):
                rotation = self.numeric.rotations[child_frame(member.joint, self.numeric.tree)]
            rows.append(self.wrench(index, rotation))
        return np.array(rows)

    @property
    def forces(self):
        """Generalized forces of the actuated speeds, zero for all others, (n,)."""
        return np.where(self.is_actuated, self.determined(self.forces_of_speeds), 0.0)


def described(system, ground, values, struts=()):
    """Return a System of rigid bodies with what a NumericTree must know of it.

    Its loads act on mass centres and on frames.
    """
    tree = RandomTree(0, system, ground, dict(values), struts=list(struts))
    tree.frames[ground] = ground.frame
    for body in tree.bodies:
        central = body.central_inertia.to_matrix(body.frame).xreplace(tree.values)
        tree.masses[body] = float(sympify(body.mass).xreplace(tree.values))
        tree.central_inertias[body] = np.array(central, dtype=float)
        tree.frames[body] = body.frame
    for load in system.loads:
        for body in system.bodies:
            if isinstance(load, Torque) and load.frame is body.frame:
                tree.loads.append(Load(body, None, load.torque))
            elif isinstance(load, Force) and load.point is body.masscenter:
                tree.loads.append(Load(body, body.masscenter, load.force))
    return tree


def check_same(actual, expected, tolerance=1e-9):
    """Check that NaN stands in the same places, and all else relative to the largest number."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    assert actual.shape == expected.shape, (actual.shape, expected.shape)
    assert np.isnan(actual).tolist() == np.isnan(expected).tolist()
    known = ~np.isnan(expected)
    scale = max(1.0, np.abs(expected[known]).max(initial=0))
    assert np.abs(actual[known] - expected[known]).max(initial=0) < tolerance * scale


def constrain(system, loops):
    """Add the equations of closing joints and contacts to a System."""
    for loop in loops:
        if loop.holonomic_constraints:
            system.add_holonomic_constraints(*loop.holonomic_constraints)
        else:
            system.add_nonholonomic_constraints(*loop.velocity_constraints)
