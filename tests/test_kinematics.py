"""`Kinematics`: places and motions of points and frames, seen by any observer."""

import numpy as np
import pytest
from marks import slow
from numeric import relative_error, run
from numeric_tree import NumericTree, axial
from special_states import special_states
from special_trees import special_tree
from sympy.physics.mechanics import Particle

from jointwrench import Kinematics, SerialChain
from jointwrench.inverse_dynamics import InverseDynamics

TOLERANCE = 1e-10
OF_POINTS = ("positions", "velocities", "accelerations")
OF_FRAMES = ("orientations", "angular_velocities", "angular_accelerations")
REST = ("bias_accelerations", "jacobians", "angular_bias_accelerations", "angular_jacobians")


class Looked:
    """A random tree with a point on each body, at one state, and who looks at it."""

    def __init__(self, seed):
        self.tree = tree = special_tree(seed)
        numbers = np.random.default_rng(seed)
        self.values = special_states(tree, seed)[0]
        self.numeric = NumericTree(tree, dict(self.values))
        self.bodies = [body for body in self.numeric.poses if body in tree.frames]
        self.arms = {body: numbers.uniform(-1, 1, 3) for body in self.bodies}
        self.points = {}
        for body, (x, y, z) in self.arms.items():
            frame = tree.frames[body]
            place = body.masscenter.locatenew("P", x * frame.x + y * frame.y + z * frame.z)
            self.points[body.name] = place
        turning = [body for body in self.bodies if not isinstance(body, Particle)]
        self.frames = {body.name: body.frame for body in turning}
        self.observer, self.axes = numbers.choice(np.array([None, *turning], object), 2)

    def kinematics(self):
        idyn = InverseDynamics(self.tree.system, self.tree.unknowns)
        axes = None if self.axes is None else self.axes.frame
        return idyn.kinematics(self.points, self.frames, self.observer, axes)

    def rotation(self, body):
        """Return the orientation of a body or of ground, with its derivatives."""
        ground = np.array([np.eye(3), np.zeros((3, 3)), np.zeros((3, 3))])
        return ground if body is None else self.numeric.poses[body].rotation

    def seen(self, series):
        """Return what the observer sees of world components and their derivatives."""
        zero, one, two = self.rotation(self.observer).swapaxes(1, 2)
        x, v, a = series
        return np.array([zero @ x, one @ x + zero @ v, two @ x + 2 * one @ v + zero @ a])

    def in_axes(self, components):
        """Return components in the frame asked for, of those in the observer's."""
        turned = self.rotation(self.observer)[0] @ components
        return self.rotation(self.axes)[0].T @ turned

    def expected(self):
        found = {name: [] for name in (*OF_POINTS, *OF_FRAMES)}
        origin = 0 if self.observer is None else self.numeric.poses[self.observer].center
        for body in self.bodies:
            pose = self.numeric.poses[body]
            seen = self.seen(pose.center + pose.rotation @ self.arms[body] - origin)
            for name, vector in zip(OF_POINTS, seen, strict=True):
                found[name].append(self.in_axes(vector))
            if body.name in self.frames:
                turn, rate, change = self.seen(pose.rotation)
                found["orientations"].append(self.in_axes(turn).T)
                found["angular_velocities"].append(self.in_axes(axial(rate @ turn.T)) / 2)
                found["angular_accelerations"].append(self.in_axes(axial(change @ turn.T)) / 2)
        return found


@pytest.mark.parametrize("seed", [*range(10), *slow(range(10, 400))])
def test_places_and_motions_of_random_trees_seen_by_anybody(seed):
    looked = Looked(seed)
    kin = looked.kinematics()
    found = run(kin.program((*OF_POINTS, *OF_FRAMES, *REST)), looked.values)
    for name, values in looked.expected().items():
        if values:
            assert relative_error(found[name], np.array(values)) < TOLERANCE, name
    udot = np.array([looked.values[a] for a in kin.accelerations])
    for kind in ("", "angular_"):
        changed = found[f"{kind}bias_accelerations"] + found[f"{kind}jacobians"] @ udot
        assert relative_error(found[f"{kind}accelerations"], changed) < TOLERANCE


def test_nothing_but_coordinates_is_given_for_positions():
    chain = SerialChain.planar(2)
    kin = Kinematics(chain.system, [chain.tip])
    evaluate = kin.compile("positions", {symbol: 1.0 for symbol in kin.constants})
    above = np.broadcast_to([0.0, 2.0, 0.0], (100, 1, 3))
    assert relative_error(evaluate(np.zeros((100, 2))).positions, above) == 0
    assert relative_error(evaluate([0, np.pi]).positions, [[0, 0, 0]]) < 1e-15
    with pytest.raises(ValueError, match=r"`u` must have shape \(..., 2\), got None"):
        kin.compile("velocities")([0, 0], constants={symbol: 1.0 for symbol in kin.constants})
