"""Loads on the massless rods of particles act with the levers of KanesMethod."""

from random import Random

import numpy as np
import pytest
from classical import close, forces_by_kane, outputs
from marks import slow
from refusals import refused
from sketches import N, Sketch, T, g, l, m

import jointwrench as jw
from jointwrench.mechanics.mechanism.tree import TopologyError


def loaded_rods(seed):
    """Return a random tree of rods with particles, or with bodies, and loads on most of them."""
    random = Random(f"rods {seed}")
    s = Sketch(random.randint(1, 4))
    rods, connections, ends = [], [], [(N, s.O, N)]
    for k in range(len(s.q)):
        inner, start, parent = random.choice(ends[-2:])
        axis = random.choice([inner.y, inner.z])
        frame = s.turn(k, "ABCD"[k], *random.choice([(inner, axis), (N, N.z)]))
        end = s.point(f"P{k}", l * random.choice([frame.x, frame.x - 2 * frame.y]), start)
        is_rigid = random.random() < 0.3
        body = s.body(f"b{k}", end, frame) if is_rigid else s.particle(f"p{k}", end)
        connections.append((parent, body, start))
        ends.append((frame, end, body))
        rods.append((frame, start, end))
        s.loads.append((end, -m * g * N.y))
    for k, (frame, *around) in enumerate(random.choices(rods, k=3)):
        size = random.uniform(1, 3)
        direction = random.choice([N.y, frame.x + frame.y, N.x - 2 * N.z])
        arm = random.choice([l / 2, 2 * l, -l / 3]) * frame.x + random.choice([0, l]) * frame.z
        place = s.point(f"E{k}", arm, random.choice(around))
        s.loads.append(random.choice([(place, size * direction), (frame, size * direction)]))
    return s, connections


@pytest.mark.parametrize("seed", [*range(6), *slow(range(6, 100))])
def test_levers(seed):
    """Inverse and forward dynamics equal Kane's, deduced or specified the connections."""
    s, connections = loaded_rods(seed)
    kane = s.kane()
    values = {x: 0.3 + 0.11 * k for k, x in enumerate([*s.q, *s.u, *kane.u.diff(T), l, m, g])}
    expected = forces_by_kane(kane, values)
    for specified in (None, connections):
        idyn = jw.InverseDynamics.from_kane(kane, specified)
        names = ("generalized_forces", "mass_matrix")
        forces, mass = (outputs(idyn, values, *names)[x] for x in names)
        assert close(forces, expected)
        udot = [values[x] for x in kane.u.diff(T)]
        fdyn = jw.ForwardDynamics.from_kane(kane, specified)
        found = outputs(fdyn, values, "udot")["udot"]
        assert close(found, udot - np.linalg.solve(mass, expected))


def test_rods_of_one_particle_that_turn_relative_to_each_other():
    s = Sketch(2)
    frames = s.turn(0, "A"), s.turn(1, "B")
    bob = s.particle("bob", s.point("P", l * frames[0].x))
    s.loads = [(frame, N.z) for frame in frames]
    kane, owners = s.kane(), dict.fromkeys(frames, bob)
    connections = [(N, bob, s.O)]
    read = jw.InverseDynamics.from_kane
    error = refused(lambda: read(kane, connections, owners=owners), "kane", TopologyError)
    assert "frames A and B" in str(error)


def test_a_load_beside_the_rod_of_its_particle():
    s = Sketch(1)
    bob = s.particle("bob", s.point("P", s.q[0] * N.x))
    place = s.point("E", s.q[0] * N.y, s.points[0])
    s.loads = [(place, N.y)]
    connections = [(N, bob, s.O)]
    read, kane = jw.InverseDynamics.from_kane, s.kane()
    refused(lambda: read(kane, connections, owners={place: bob}), "kane", TopologyError)


@pytest.mark.parametrize("is_torque", [False, True])
def test_a_load_where_velocities_contradict_its_body_is_refused(is_torque):
    """KanesMethod takes the stated velocity, joint wrenches the position."""
    s = Sketch(2)
    A, B = s.turn(0, "A"), s.turn(1, "B")
    middle = s.point("M", l / 2 * A.x)
    end = s.point("P", l * A.x)
    s.body("a", end, A)
    s.particle("b", s.point("Q", l * B.x, end))
    wrong = A.orientnew("C", "axis", [0, A.z])
    wrong.set_ang_vel(N, 2 * s.u[0] * N.z)
    middle.set_vel(N, l * s.u[0] * A.y)
    s.loads = [(wrong, g * N.z) if is_torque else (middle, m * g * N.y)]
    kane = s.kane()
    place, body = s.loads[0][0], s.bodies[0]
    error = refused(lambda: jw.InverseDynamics.from_kane(kane), "kane", TopologyError)
    assert f"{place} acts on a, which does not move there" in str(error)
    idyn = jw.InverseDynamics.from_kane(kane, owners={place: body})  # as the message proposes
    assert idyn.generalized_forces[1].has(g) is False
    if not is_torque:
        middle.set_vel(N, l / 2 * s.u[0] * A.y)
        jw.InverseDynamics.from_kane(s.kane())
