"""No body of a random tree is joined to a wrong one in silence, however the tree was written."""

from random import Random

import pytest
import sympy.physics.mechanics as me
from classical import fixed_point
from marks import slow
from sympy import symbols

import jointwrench as jw

T, Q, U = me.dynamicsymbols._t, me.dynamicsymbols("q1:7"), me.dynamicsymbols("u1:7")
l, m, I, J = symbols("l m I J")


def located(random, origin, name, step):
    """Return a point a step away, located from the origin or the other way round."""
    point = me.Point(name)
    if random.random() < 0.5:
        point.set_pos(origin, step)
    else:
        origin.set_pos(point, -step)
    return point


def random_tree(seed):
    """Return a KanesMethod of two to six bodies, and each body's parent."""
    random = Random(f"trees {seed}")
    is_spatial, count = random.random() < 0.5, random.randint(2, 6)
    turned = "along" if is_spatial else random.choice(["along", "absolutely", "in any order"])
    N = me.ReferenceFrame("N")
    O, frames, bodies, parents = fixed_point(frame=N), [N], [], {}
    carriers, pins, centers = [(N, O)], [O], [O]
    for k, q in enumerate(Q[:count]):
        at = random.choice([-1, -1, random.randrange(len(carriers))])
        parent, inner = carriers[at][0], frames[at]
        seen_from = {"along": inner, "absolutely": N}.get(turned) or random.choice(frames)
        axis = random.choice([*seen_from]) if is_spatial else seen_from.z
        frame = me.ReferenceFrame(f"A{k}")
        frame.orient_axis(seen_from, axis, q)
        offset = random.choice([0, l, l, 2 * l]) * random.choice([*inner][: 3 if is_spatial else 2])
        reach = random.choice([0, l, l, l / 3]) * random.choice([*frame][: 3 if is_spatial else 2])
        origin = pins[at] if random.random() < 0.5 else centers[at]
        if random.random() < 0.3:  # the pin has no name
            pin = origin
            center = located(random, origin, f"C{k}", offset + reach)
        else:
            pin = origin if offset == 0 else located(random, origin, f"P{k}", offset)
            center = pin if reach == 0 else located(random, pin, f"C{k}", reach)
        if reach != 0 and random.random() < 0.15:
            body = me.Particle(f"p{k}", center, m)
        else:
            body = me.RigidBody(f"b{k}", center, frame, m, (me.inertia(frame, I, J, I), center))
        bodies.append(body)
        parents[body] = parent
        frames.append(frame)
        carriers.append((body, pin))
        pins.append(center)
        centers.append(center)
    rates = {q.diff(T): u for q, u in zip(Q[:count], U[:count], strict=True)}
    for frame in frames[1:]:
        frame.set_ang_vel(N, frame.ang_vel_in(N).xreplace(rates))
    for center in {*centers} - {O}:
        center.set_vel(N, center.pos_from(O).dt(N).xreplace(rates))
    random.shuffle(bodies)
    kdes = [rate - u for rate, u in rates.items()]
    return me.KanesMethod(N, Q[:count], U[:count], kdes, bodies=bodies), parents


def check(seed):
    """Return how a tree is read: right, warned about, or asked for."""
    kane, parents = random_tree(seed)
    N = kane._inertial
    idyn = jw.InverseDynamics.from_kane(kane)
    deduced = idyn.model.tree.deduced
    if deduced.doubts:
        return "asked"
    if deduced.conventions:
        return "warned"
    welds, ground = deduced.welds, {*idyn.model.tree.ground, N}

    def of(body):
        return N if body in ground else welds.get(body, body)

    for parent, child, _ in idyn.connections:
        wanted = of(parents[child])
        assert of(parent) is wanted or wanted is child, (seed, str(parent), str(child))
    return "right"


@pytest.mark.parametrize("first", [0, *slow(range(10, 1000, 10))])
def test_none_is_wrong_in_silence(first):
    """Of ten trees; most of the first ten are read without a word."""
    found = [check(seed) for seed in range(first, first + 10)]
    if first == 0:
        assert found.count("right") > len(found) / 2
