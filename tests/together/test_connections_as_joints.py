"""A connection, or a joint of another reading of the same model, names a joint everywhere."""

import pickle

import numpy as np
import pytest
from classical import double_pendulum
from numpy.testing import assert_array_equal
from refusals import refused

import jointwrench as jw

TIMES = np.linspace(0, 1, 7)
Q = np.stack([np.sin(TIMES), np.cos(2 * TIMES)], axis=-1)


class Arm:
    """A double pendulum, whose second joint is named in several ways."""

    def __init__(self):
        model = double_pendulum(False)
        self.kane, self.stated = model.kane, model.connections
        self.idyn = jw.InverseDynamics.from_kane(self.kane, self.stated)
        self.other = jw.InverseDynamics.from_kane(self.kane, self.stated)
        self.motion = jw.Trajectory.from_samples(TIMES, Q, idyn=self.idyn)
        self.values = {s: 0.3 + 0.1 * k for k, s in enumerate(self.idyn.constants)}
        outputs = ["generalized_forces", "joint_wrenches", "kinetic_energies"]
        evaluate = self.idyn.compile([*outputs, "contributions"], backend="numpy")
        self.result = evaluate(self.motion, constants=self.values)
        self.ways = self.idyn.connections[1], tuple(self.stated[1]), self.other.joints[1]


@pytest.fixture(scope="module")
def arm():
    return Arm()


def plotted(axes):
    return np.concatenate([line.get_ydata() for ax in np.ravel(axes) for line in ax.lines])


def friction(arm, joint):
    law = jw.JointFriction(joint, 0.1, radius=0.01)
    assert repr(law)
    model = jw.InverseDynamics.from_kane(arm.kane, arm.stated, frictions=[law])
    return model.compile("friction", backend="numpy")(arm.motion, constants=arm.values).friction


#: All that takes a joint, as numbers or texts.
CALLS = {
    "result.joint_wrench": lambda arm, joint: arm.result.joint_wrench(joint),
    "result.joint_power": lambda arm, joint: arm.result.joint_power(joint),
    "result.joint_work": lambda arm, joint: arm.result.joint_work(joint),
    "result.joint_contributions": lambda arm, joint: list(
        arm.result.joint_contributions(joint).values()
    ),
    "result.explain": lambda arm, joint: str(arm.result.explain(joint, "fx")),
    "a stored result": lambda arm, joint: pickle.loads(pickle.dumps(arm.result)).joint_wrench(
        joint
    ),
    "idyn.joint_wrench": lambda arm, joint: str(arm.idyn.joint_wrench(joint)),
    "idyn.contributions": lambda arm, joint: str(arm.idyn.contributions(joint)),
    "idyn.formula": lambda arm, joint: str(arm.idyn.formula(joint)),
    "idyn.derivation": lambda arm, joint: str(arm.idyn.derivation(joint)),
    "plot_wrenches": lambda arm, joint: plotted(
        jw.pictures.plot_wrenches(arm.result, joints=[joint])
    ),
    "plot_contributions": lambda arm, joint: plotted(
        jw.pictures.plot_contributions(arm.result, joint)
    ),
    "base_parameters": lambda arm, joint: str(
        jw.identification.base_parameters(arm.idyn, None, arm.values, joints=[joint]).formulas
    ),
    "JointFriction": friction,
}


@pytest.mark.parametrize("call", CALLS)
def test_a_joint_is_named(arm, call):
    expected, other = (CALLS[call](arm, joint) for joint in arm.idyn.joints[1::-1])
    for joint in arm.ways:
        assert_array_equal(CALLS[call](arm, joint), expected)
    assert not np.array_equal(other, expected)


def test_all_connections_are_drawn(arm):
    axes = jw.pictures.plot_wrenches(arm.result, joints=arm.idyn.connections)
    assert_array_equal(plotted(axes), plotted(jw.pictures.plot_wrenches(arm.result)))


def test_one_connection_is_one_residual(arm):
    """It is not mistaken for several joints."""
    one = arm.result._residual_joints(arm.idyn.connections[1])
    assert one == arm.result._residual_joints([arm.idyn.connections[1]]) == [1]


def test_other_connections_are_refused(arm):
    """A wrench about another point, or of another pair of bodies, is not the joint's."""
    (ground, first, base), (_, second, _) = arm.stated
    for wrong in ((first, second, base), (ground, second, arm.stated[1][2]), (first, second)):
        refused(lambda wrong=wrong: arm.result.joint_wrench(wrong), "joint")
        refused(lambda wrong=wrong: arm.idyn.joint_wrench(wrong), "joint")
    elsewhere = jw.InverseDynamics.from_kane(arm.kane, [arm.stated[0], (first, second, base)])
    refused(lambda: arm.idyn.joint_wrench(elsewhere.joints[1]), "joint")
    refused(lambda: jw.JointFriction((first, second), 0.1), "joint", TypeError)
