"""The inverse dynamics of a planar serial chain by the textbook's backward recursion.

Absolute angles, mass centres with offsets (r_x, r_y) from the proximal joint, inertias I, an
external force at an arbitrary point on every link. Written in plain numpy from the balances of
force and torque of a single link, and nothing else.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from numeric import run
from sympy import symbols
from tables import state

from jointwrench.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.serial_chain import Segment, SerialChain
from jointwrench.spatial.wrench import Wrench

GRAVITY = 9.81


@dataclass
class Links:
    """The numbers of n links; arrays of n or (n, 2), points from the proximal joint."""

    length: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    center: np.ndarray
    load_point: np.ndarray
    load: np.ndarray  # in ground's axes

    @classmethod
    def random(cls, n, numbers):
        length, mass, inertia = numbers.uniform(0.2, 2, (3, n))
        return cls(length, mass, inertia, *numbers.uniform(-1, 1, (3, n, 2)))


def turned(vector, angle):
    """Return a vector in ground's axes."""
    (x, y), c, s = vector, np.cos(angle), np.sin(angle)
    return np.array([x * c - y * s, x * s + y * c])


def moment(arm, force):
    return arm[0] * force[1] - arm[1] * force[0]


def accelerations(links, angle, rate, growth):
    """Return joint positions, mass centres and the accelerations of mass centres."""
    joint, acceleration = np.zeros(2), np.zeros(2)
    joints, centers, center_accelerations = [joint], [], []
    for i, length in enumerate(links.length):

        def second_derivative(arm, i=i):
            x, y = arm = turned(arm, angle[i])
            return growth[i] * np.array([-y, x]) - rate[i] ** 2 * arm

        centers.append(joint + turned(links.center[i], angle[i]))
        center_accelerations.append(acceleration + second_derivative(links.center[i]))
        joint = joint + turned((length, 0), angle[i])
        acceleration = acceleration + second_derivative((length, 0))
        joints.append(joint)
    return joints, centers, center_accelerations


def backward_recursion(links, q, u, udot):
    """Return forces on the links by their inner neighbours, (n, 2), and torques, (n,)."""
    angle, rate, growth = np.cumsum(q), np.cumsum(u), np.cumsum(udot)
    joints, centers, center_accelerations = accelerations(links, angle, rate, growth)
    n = len(q)
    forces, torques = np.zeros((n + 1, 2)), np.zeros(n + 1)
    for i in reversed(range(n)):
        center, weight = centers[i], np.array([0, -links.mass[i] * GRAVITY])
        place = joints[i] + turned(links.load_point[i], angle[i])
        net = links.mass[i] * center_accelerations[i]
        forces[i] = net + forces[i + 1] - links.load[i] - weight
        torques[i] = (
            links.inertia[i] * growth[i]
            + torques[i + 1]
            - moment(joints[i] - center, forces[i])
            + moment(joints[i + 1] - center, forces[i + 1])
            - moment(place - center, links.load[i])
        )
    return forces[:n], torques[:n]


def build_chain(n):
    """Return the symbolic chain, and its constants in the order of `constants`."""
    groups = [
        symbols(f"{name}:{n}") for name in ("l", "m", "I", "rx", "ry", "ex", "ey", "fx", "fy")
    ]
    segments = [
        Segment(f"S{i}", l, m, center_of_mass=(rx, ry, 0), inertia=I, direction="x")
        for i, (l, m, I, rx, ry, *_) in enumerate(zip(*groups, strict=True))
    ]
    chain = SerialChain(segments, gravity=(0, -GRAVITY, 0))
    for i, (*_, ex, ey, fx, fy) in enumerate(zip(*groups, strict=True)):
        frame, ground = chain.frames[i], chain.ground.frame
        point = chain.joint_points[i].locatenew(f"E{i}", ex * frame.x + ey * frame.y)
        chain.apply(Wrench(point, fx * ground.x + fy * ground.y), i)
    return chain, groups


def constants(links, groups):
    arrays = [links.length, links.mass, links.inertia]
    arrays += [*links.center.T, *links.load_point.T, *links.load.T]
    return {
        symbol: number
        for names, array in zip(groups, arrays, strict=True)
        for symbol, number in zip(names, array, strict=True)
    }


@pytest.mark.parametrize("n", range(1, 7))
def test_backward_recursion(n):
    chain, groups = build_chain(n)
    program = InverseDynamics(chain.system).program()
    numbers = np.random.default_rng(n)
    for _ in range(5):
        links = Links.random(n, numbers)
        q, u, udot = numbers.uniform(-3, 3, (3, n))
        values = {**constants(links, groups), **state(chain.system, q, u, udot)}
        outputs = run(program, values)
        forces, torques = backward_recursion(links, q, u, udot)
        assert outputs["generalized_forces"] == pytest.approx(torques, rel=1e-10, abs=1e-10)
        wrenches = outputs["joint_wrenches"]
        expected = np.zeros((n, 6))
        expected[:, :2] = [turned(f, -a) for f, a in zip(forces, np.cumsum(q), strict=True)]
        expected[:, 5] = torques
        assert wrenches == pytest.approx(expected, rel=1e-10, abs=1e-10)
