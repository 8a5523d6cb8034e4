"""Positions and angular velocities between neighbours, against sympy's own search."""

from itertools import permutations

import numpy as np
import pytest
from bodies import massive_body
from marks import slow
from sympy import symbols
from sympy.physics.mechanics import PinJoint, WeldJoint
from sympy.physics.vector import Point, ReferenceFrame, dynamicsymbols

from jointwrench import InverseDynamics, SerialChain
from jointwrench.mechanics.spatial import paths
from jointwrench.mechanics.spatial.components import scalar_products
from jointwrench.mechanics.spatial.paths import angular_velocity_in, position_from


@pytest.fixture
def places():
    """Points and frames of a branched model, some with more than one path between them."""
    a, b = symbols("a b")
    bodies = [massive_body(name) for name in "ABCD"]
    for k, (parent, child) in enumerate([(0, 1), (1, 2), (1, 3)]):
        parent, child = bodies[parent], bodies[child]
        PinJoint(f"j{k}", parent, child, None, None, a * parent.x, -b * child.y)
    WeldJoint("w", bodies[2], massive_body("E"))
    loose = Point("loose")
    loose.set_pos(bodies[3].masscenter, dynamicsymbols("s") * bodies[0].z)
    loose.set_pos(bodies[2].masscenter, dynamicsymbols("r") * bodies[0].z)  # a second path
    return [*(body.masscenter for body in bodies), loose], [body.frame for body in bodies]


def test_same_as_sympy(places):
    points, frames = places
    for one, other in permutations(points, 2):
        assert position_from(one, other).args == one.pos_from(other).args
    for one, other in permutations(frames, 2):
        assert angular_velocity_in(one, other).args == one.ang_vel_in(other).args


def test_from_itself():
    point, frame = Point("P"), ReferenceFrame("A")
    assert position_from(point, point) == angular_velocity_in(frame, frame) == 0


def test_without_a_path_sympy_says_so(places):
    points, frames = places
    with pytest.raises(ValueError, match="No Connecting Path found between far and"):
        position_from(points[0], Point("far"))
    with pytest.raises(ValueError, match="No connecting angular velocity path found"):
        angular_velocity_in(frames[0], ReferenceFrame("far"))


def test_where_sympy_tells_nothing_it_searches(places, monkeypatch):
    points, frames = places
    asked = []
    monkeypatch.setattr(paths, "stated_positions", lambda point: asked.append(point) or {})
    monkeypatch.setattr(paths, "stated_angular_velocities", lambda frame: asked.append(frame) or {})
    assert position_from(points[3], points[0]) == points[3].pos_from(points[0])
    assert angular_velocity_in(frames[3], frames[0]) == frames[3].ang_vel_in(frames[0])
    assert asked == [points[3], frames[3]]


def test_a_chain_is_derived_without_searches(monkeypatch):
    system = SerialChain.planar(5).system
    for owner, search in ((Point, "pos_from"), (ReferenceFrame, "ang_vel_in")):
        monkeypatch.setattr(owner, search, lambda *places: pytest.fail(f"searched: {places}"))
    assert len(InverseDynamics(system).generalized_forces) == 5


@pytest.mark.parametrize("count", [2, *slow([7, 8, 11, 20])])
def test_scalar_products_over_long_paths_are_those_of_sympy(count):
    """With frames beside the path, one of them in the sum, and a constant turn on the way."""
    random = np.random.default_rng(count)
    frames, values = [ReferenceFrame("A0")], {}
    for k in range(1, count):
        q = dynamicsymbols(f"q{k}")
        values[q] = random.normal()
        frames.append(ReferenceFrame(f"A{k}"))
        axis = [frames[-2].x, frames[-2].y + frames[-2].z, frames[-2].z][k % 3]
        frames[-1].orient_axis(frames[-2], axis, q if k != 3 else 0.3)
    beside = ReferenceFrame("B")
    beside.orient_axis(frames[count // 2], frames[count // 2].y, 0.7)
    parts = [k * x.x - x.z / (k + 1) for k, x in enumerate((*frames[1:], beside))]
    other, first = sum(parts, 2 * frames[0].y), frames[0]
    ones = [first.x, first.y - 3 * first.z]
    found = [float(x.xreplace(values)) for x in scalar_products(ones, other)]
    expected = [float(x.dot(other).xreplace(values)) for x in ones]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    (square,) = scalar_products([other], other)
    assert float(square.xreplace(values)) == pytest.approx(
        float(other.dot(other).xreplace(values)), rel=1e-12
    )
