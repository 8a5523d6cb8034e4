"""ObserverFrame: every observer finds the same joint wrench, and the textbook cases."""

from typing import Any

import pytest
import sympy.physics.mechanics as me
from general_motion import World, moving_point
from marks import slow
from refusals import refused
from sympy import Symbol, symbols

from jointwrench.mechanics.spatial.observer import FictitiousWrenches, ObserverFrame
from jointwrench.mechanics.spatial.wrench import Wrench

m, r, s, I = symbols("m r s I", positive=True)
q, x = me.dynamicsymbols("q x")
time = me.dynamicsymbols._t


# Laws


@pytest.mark.parametrize("kind", [*slow(["rigid_body"]), "particle"])
def test_every_observer_finds_the_same_joint_wrench(kind: str) -> None:
    world = World()
    body, joint = getattr(world, kind), moving_point("joint", world.O, world.N)
    g = symbols("g")
    external = [Wrench.weight(body, -g * world.N.y), Wrench(world.O, r * world.B.x, s * world.N.z)]
    inertial = world.inertial_observer().joint_wrench(body, joint, external)
    observed = world.observer().joint_wrench(body, joint, external)
    assert observed.point is joint
    assert observed.equals(inertial)
    assert inertial.equals(Wrench.dynamic(body, world.N) - external[0] - external[1])


def test_an_observer_on_the_body_sees_it_at_rest() -> None:
    world = World()
    body = world.rigid_body
    on_body = ObserverFrame(world.B, body.masscenter, world.N, world.O)
    assert on_body.dynamic_wrench(body).equals(Wrench(body.masscenter))
    assert on_body.fictitious_wrenches(body).coriolis.equals(Wrench(body.masscenter))
    assert on_body.fictitious_wrenches(body).total.equals(-Wrench.dynamic(body, world.N))


def test_an_inertial_observer_sees_no_fictitious_wrenches() -> None:
    world = World()
    drift = world.O.locatenew("D", 3 * time * world.N.x)
    tilted = me.ReferenceFrame("T")
    tilted.orient_axis(world.N, Symbol("tilt"), world.N.x)
    observer = ObserverFrame(tilted, drift, world.N, world.O)
    for wrench in observer.fictitious_wrenches(world.rigid_body):
        assert wrench.equals(Wrench(world.C))


def test_stored_velocities_are_neither_used_nor_needed_nor_set() -> None:
    N, O = me.ReferenceFrame("N"), me.Point("O")
    A = N.orientnew("A", "Axis", [q, N.x + N.y])
    ball = me.Particle("ball", moving_point("C", O, N), m)
    solved = ObserverFrame(A, O, N, O).joint_wrench(ball, O)
    with pytest.raises(ValueError, match="Velocity of point C has not been defined"):
        ball.masscenter.vel(N)
    ball.masscenter.set_vel(N, 77 * N.x)
    assert ObserverFrame(A, O, N, O).joint_wrench(ball, O).equals(solved)


# Textbook cases: a turntable A about N.z, turned by q, centred on O


@pytest.fixture
def turntable() -> ObserverFrame:
    N, A, O = me.ReferenceFrame("N"), me.ReferenceFrame("A"), me.Point("O")
    A.orient_axis(N, q, N.z)
    return ObserverFrame(A, O, N, O)


@pytest.mark.parametrize(
    ("place", "part", "direction", "force"),
    [
        (r, "euler", "y", -m * r * q.diff(time, 2)),
        (r, "centrifugal", "x", m * r * q.diff() ** 2),
        (x, "coriolis", "y", -2 * m * q.diff() * x.diff()),
    ],
)
def test_forces_on_who_rides_and_slides(turntable, place, part, direction, force) -> None:
    A = turntable.frame
    rider = me.Particle("rider", turntable.origin.locatenew("C", place * A.x), m)
    wrench = getattr(turntable.fictitious_wrenches(rider), part)
    assert wrench.force == force * getattr(A, direction)
    assert wrench.moment == 0
    assert turntable.velocity(rider.masscenter) == place.diff(time) * A.x
    assert turntable.dynamic_wrench(rider).force == m * place.diff(time, 2) * A.x


def test_dalembert_force_in_a_braking_train() -> None:
    N, O = me.ReferenceFrame("N"), me.Point("O")
    seat = O.locatenew("seat", x * N.x)
    case = me.Particle("case", seat.locatenew("C", r * N.y), m)
    train = ObserverFrame(N, seat, N, O)
    assert train.fictitious_wrenches(case).dalembert.force == -m * x.diff(time, 2) * N.x
    assert train.dynamic_wrench(case).force == 0


def test_moments_on_an_extended_body_on_the_turntable(turntable: ObserverFrame) -> None:
    """A rotor on the turntable's axis, spinning about A.x: the gyroscopic moment is -I w wr A.y."""
    A, spin = turntable.frame, me.dynamicsymbols("spin")
    B = A.orientnew("B", "Axis", [spin, A.x])
    center = turntable.origin.locatenew("C", me.Vector(0))
    rotor = me.RigidBody("rotor", center, B, m, (me.inertia(B, I, s, s), center))
    w, wr = q.diff(), spin.diff()
    fictitious = turntable.fictitious_wrenches(rotor)
    still, euler = Wrench(center), Wrench(center, 0, -s * w.diff() * A.z)
    expected = FictitiousWrenches(still, euler, still, Wrench(center, 0, -I * w * wr * A.y))
    for wrench, textbook in zip(fictitious, expected, strict=True):
        assert wrench.equals(textbook)
    assert turntable.dynamic_wrench(rotor).equals(Wrench(center, 0, I * wr.diff() * A.x))


# Refusals

N, O = me.ReferenceFrame("N"), me.Point("O")
ELSEWHERE, LONER = me.ReferenceFrame("Elsewhere"), me.Point("Loner")


@pytest.mark.parametrize(
    ("point", "external", "error", "argument"),
    [
        (N, (), TypeError, "point"),
        (LONER, (), ValueError, "point"),
        (O, Wrench(O), TypeError, "external"),
        (O, [me.Force(O, N.x)], TypeError, "external"),
        (O, [Wrench(LONER)], ValueError, "external"),
        (O, [Wrench(O, moment=ELSEWHERE.x)], ValueError, "force"),
        (O, [Wrench(O, ELSEWHERE.x)], ValueError, "force"),
    ],
)
def test_joint_wrench_refuses(point: Any, external: Any, error: type[Exception], argument) -> None:
    ball = me.Particle("ball", O)
    A = N.orientnew("A", "Axis", [q, N.z])
    ball.masscenter = O.locatenew("C", r * A.x)
    refused(lambda: ObserverFrame(N, O, N, O).joint_wrench(ball, point, external), argument, error)


@pytest.mark.parametrize("name", ["frame", "attachment", "inertial_frame", "origin"])
def test_observer_is_immutable(name: str) -> None:
    observer = ObserverFrame(N, O, N, O)
    with pytest.raises(AttributeError, match=f"cannot assign to field '{name}'"):
        setattr(observer, name, None)
