"""Wrenches in a closed mechanism of sympy by the dense balance of described models, at one state.

Unknown are all six components of the wrench in every joint of the tree, and one number for each
direction in which a closing transmits a force or a moment. What the null space of the equations
touches is not determined: NaN.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from described import LENGTH, Body, Model, Number, Side
from described_numbers import Doubles, Numeric, Pose, Solution
from described_systems import Places
from numeric_tree import child_frame
from random_trees import Load, RandomTree
from sympy import sympify
from sympy.physics.mechanics import Force, Particle, Torque

NONE, CLEAR = 1e-9, 1e-6  # singular values below the one count as zero; between them is doubt
IDENTITY = np.eye(3)


class RankInDoubtError(ValueError):
    """A matrix that is nearly singular: what it determines would be a matter of taste."""


def side_at(body, place, axes=IDENTITY):
    """Return a side of a body of sympy: a place from the mass centre and three axes (columns)."""
    rows = tuple(tuple(Number(float(x)) for x in row) for row in axes)
    return Side(body.name, tuple(Number(float(x), LENGTH) for x in place), rows)


def places_in(system):
    """Return what makes points, frames and closing joints on the rigid bodies of a System."""
    bodies = {body.name: body for body in system.bodies}
    rigid = {name: b.frame for name, b in bodies.items() if not isinstance(b, Particle)}
    return Places(bodies, rigid)


def loops_of(system, closings):
    """Return closings as joints and contacts on the bodies of a System."""
    return [places_in(system).loop(closing) for closing in closings]


@dataclass(frozen=True)
class TreeJoint:
    """A joint of the tree, as a member that could transmit anything."""

    name: str
    parent: Side
    child: Side


def null_space(matrix):
    """Return an orthonormal basis, (columns, n); doubtful ranks are an error."""
    if not matrix.size:
        return np.eye(matrix.shape[1])
    _, sizes, rows = np.linalg.svd(matrix)
    scale = max(sizes.max(), 1e-300)
    if ((sizes > NONE * scale) & (sizes < CLEAR * scale)).any():
        raise RankInDoubtError(sizes)
    return rows[int((sizes > NONE * scale).sum()) :].T


class ClosedChain(Numeric):
    """A NumericTree with closings; ``actuated`` are the speeds that something can drive."""

    def __init__(self, numeric, closings, actuated=()):
        self.numeric, self.math, self.speeds = numeric, Doubles, list(numeric.system.u)
        self.u = np.array([numeric.values[u] for u in self.speeds], dtype=float)
        self.poses = {b.name: Pose(p.rotation, p.center) for b, p in numeric.poses.items()}
        driven = tuple(k for k, u in enumerate(self.speeds) if u in set(actuated))
        bodies = tuple(map(self.body, numeric.tree.bodies))
        self.model = Model("", bodies, (), closings=tuple(closings), actuated=driven)

    def body(self, body):
        """Return the description of a body."""
        tree, (i, j) = self.numeric.tree, ((0, 1, 2, 0, 1, 2), (0, 1, 2, 1, 2, 0))
        moments = tuple(map(Number, tree.central_inertias[body][i, j]))
        inertia = None if isinstance(body, Particle) else moments
        return Body(body.name, Number(tree.masses[body]), inertia)

    @cached_property
    def joints(self):
        """The joints of the tree, in its order."""
        return [self.joint(joint) for joint in self.numeric.system.joints]

    def joint(self, joint):
        pose = self.numeric.poses[joint.child]
        back, place = pose.rotation[0].T, self.numeric.child_place(joint) - pose.center[0]
        frame = self.numeric.rotations[child_frame(joint, self.numeric.tree)]
        child = side_at(joint.child, back @ place, back @ frame)
        return TreeJoint(joint.name, side_at(joint.parent, np.zeros(3)), child)

    @cached_property
    def partial(self):
        """Per body: velocity of the mass centre and angular velocity per speed, (n, 6)."""
        still = dict.fromkeys(self.poses, np.zeros((len(self.speeds), 6)))
        partial = self.numeric.partial_velocities
        return still | {body.name: np.hstack(parts) for body, parts in partial.items()}

    def axes(self, side):
        """Return axes one by one: the last bits choose the motions of planar chains."""
        axes = self.numbers(side.axes)
        return np.stack([self.poses[side.body].rotation @ axes[:, k] for k in range(3)], axis=-1)

    @cached_property
    def demanded(self):
        """What joints and closings have to supply to each body: force and moment, by name."""
        demanded = {}
        for body in self.numeric.tree.bodies:
            demanded[body.name] = np.concatenate(self.numeric.dynamic_wrench(body))
        for owner, place, force, moment in self.numeric.loads():
            arm = place - self.numeric.poses[owner].center[0]
            demanded[owner.name] = demanded[owner.name] - np.concatenate(
                [force, moment + np.cross(arm, force)]
            )
        return demanded

    @cached_property
    def unsupplied(self):
        """Generalized forces that neither closings nor motors supply, by least squares, (n,)."""
        forbidden = null_space(self.supply.T)
        return forbidden @ (forbidden.T @ self.generalized)

    @staticmethod
    def solve(matrix, known):
        """Return the shortest solution, and the null space."""
        found, _, rank, _ = np.linalg.lstsq(matrix, known, rcond=NONE)
        rest = np.abs(matrix @ found - known).max(initial=0)
        assert rest < 1e-9 * max(1, np.abs(known).max(initial=0)), rest
        return Solution(found, null_space(matrix), rank, rest, 1.0, False)


def tree_of(system, ground, values, struts=()):
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


def check_outputs(outputs, oracle):
    """Check the outputs of InverseDynamics that the dense balance has, too."""
    for name in ("joint_wrenches", "generalized_forces", "unsupplied"):
        check_same(outputs[name], getattr(oracle, name))
    count = oracle.errors.shape[-1]  # behind them stand the model's own, where there are contacts
    check_same(outputs["constraint_errors"][..., :count], oracle.errors)


def constrain(system, loops):
    """Add the equations of closing joints and contacts to a System."""
    for loop in loops:
        if loop.holonomic_constraints:
            system.add_holonomic_constraints(*loop.holonomic_constraints)
        else:
            system.add_nonholonomic_constraints(*loop.velocity_constraints)
