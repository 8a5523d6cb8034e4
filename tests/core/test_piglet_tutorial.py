"""Every printed result of the piglet-limb tutorial, in its numbers.

F. Mielke, "Inverse Dynamics: The N-segment piglet limb", University of Antwerp, 2020.
"""

import numpy as np
import pytest
from sympy import lambdify
from sympy.physics.mechanics import dynamicsymbols

from jointwrench import ObserverFrame, Segment, SerialChain

TIMES = np.linspace(0, 6, 29)
RATES = (1, 2, 4)  # of each segment against the one above
S2, S4, S6 = (np.sin(k * TIMES) for k in (2, 4, 6))
C2, C4, C6 = (np.cos(k * TIMES) for k in (2, 4, 6))


@pytest.fixture(scope="module")
def limb():
    """Return three segments, each along y of its own frame, with masses half-way."""
    sizes = zip((0.8, 0.6, 0.4), (0.7, 0.5, 0.3), strict=True)
    return SerialChain([Segment(f"S_{i}", *size) for i, size in enumerate(sizes)])


def observer(limb, segment):
    """Return the tutorial's observer on a segment, attached at the distal joint."""
    distal, ground = limb.joint_points[segment + 1], limb.ground
    return ObserverFrame(limb.frames[segment], distal, ground.frame, ground.masscenter)


def is_seen(limb, wrench, segment, *planar):
    """Compare fx, fy and mz in a segment's frame, under the tutorial's steady rotation."""
    t, found = dynamicsymbols._t, np.zeros((6, len(TIMES)))
    motion = {q: rate * t for q, rate in zip(limb.coordinates, RATES, strict=True)}
    motion |= dict(zip(limb.speeds, RATES, strict=True))
    for row, formula in zip(found, wrench.to_matrix(limb.frames[segment]), strict=True):
        row[:] = lambdify(t, formula.subs(motion).doit())(TIMES)
    expected = np.zeros_like(found)
    for k, component in zip((0, 1, 5), planar, strict=True):
        expected[k] = component
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_wrenches_seen_by_an_observer_on_the_segment_above(limb):
    above, joints = observer(limb, 1), limb.joint_points
    dynamic = above.dynamic_wrench(limb.bodies[2]).about(joints[2])
    last, middle = (above.fictitious_wrenches(body) for body in limb.bodies[:0:-1])
    dalembert, euler, centrifugal, coriolis = (wrench.about(joints[2]) for wrench in last)
    is_seen(limb, dynamic, 1, 0.96 * S4, -0.96 * C4, 0)
    is_seen(limb, dalembert, 1, 0.24 * S2, 0.24 * C2 + 1.62, -0.324 * S4 - 0.048 * S6)
    is_seen(limb, euler, 1, 0, 0, 0)
    is_seen(limb, centrifugal, 1, -0.54 * S4, 0.54 * C4, 0)
    is_seen(limb, coriolis, 1, -1.44 * S4, 1.44 * C4, 0)
    own = middle.dalembert.about(joints[1])
    is_seen(limb, own, 1, 0.4 * S2, 0.4 * C2 + 2.7, -0.12 * S2)


def test_up_the_chain_each_joint_from_its_own_segment(limb):
    p_0 = p_1 = p_2 = None
    for i in (2, 1, 0):
        beyond = [-p_0] if p_0 else []
        p_1, p_2 = p_0, p_1
        p_0 = observer(limb, i).joint_wrench(limb.bodies[i], limb.joint_points[i], beyond)
    moment, other = 0.324 * S4 + 0.048 * S6, 0.264 * S2 - 1.44 * S4 + 0.048 * S6
    fx, own = 2.97 * S2 + 2.94 * S6, -2.112 * S2 - 1.44 * S4 - 2.304 * S6
    is_seen(limb, p_2, 2, -1.62 * S4 - 0.24 * S6, -2.94 - 1.62 * C4 - 0.24 * C6, moment)
    is_seen(limb, p_2, 1, -0.24 * S2 + 2.94 * S4, -1.62 - 0.24 * C2 - 2.94 * C4, moment)
    is_seen(limb, p_1, 1, -0.64 * S2 + 2.94 * S4, -2.97 - 0.64 * C2 - 2.94 * C4, other)
    is_seen(limb, p_1, 0, fx, -0.64 - 2.97 * C2 - 2.94 * C6, other)
    is_seen(limb, p_0, 0, fx, -0.92 - 2.97 * C2 - 2.94 * C6, own)
