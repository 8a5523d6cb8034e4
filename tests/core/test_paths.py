"""Positions and angular velocities between neighbours, against sympy's own search."""

from itertools import permutations

import pytest
from bodies import massive_body
from sympy import symbols
from sympy.physics.mechanics import PinJoint, WeldJoint
from sympy.physics.vector import Point, ReferenceFrame, dynamicsymbols

from jointwrench import InverseDynamics, SerialChain
from jointwrench.mechanics.spatial import paths
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
