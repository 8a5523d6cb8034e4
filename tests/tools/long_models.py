"""Chains, trees and loops of any number of bodies, which are made the same way at every size."""

import numpy as np
import sympy.physics.mechanics as me
from bodies import rigid_body
from sympy import Float, Rational, symbols

from jointwrench import Contact, FreeJoint, LoopJoint

#: Mass, length and moment of inertia, as users write them; all are the same numbers.
VALUES = {"m": 1.1, "l": 0.3, "I": 0.02}
NUMBERS = {
    "symbols": symbols("m l I", positive=True),
    "fractions": (Rational(11, 10), Rational(3, 10), Rational(1, 50)),
    "decimals": tuple(map(Float, VALUES.values())),
}
#: How often a spatial body turns on the way to the next, which is what rounding grows with.
AXES = {
    "pin": lambda k, frame: frame.z,
    "twist": lambda k, frame: (frame.x, frame.y, frame.z)[k % 3],
    "skew": lambda k, frame: frame.x + 2 * frame.y + 2 * frame.z,
}


def body(name, numbers):
    """Return a body with three different moments of inertia."""
    mass, _, moment = numbers
    return rigid_body(name, mass, moment, 2 * moment, 3 * moment)


def joined(kind, name, number, parent, child, places):
    """Return the joints of a kind between two bodies; a universal one has a cross without mass."""
    if kind == "universal":
        cross = rigid_body(f"{name}_cross", 0)
        first = me.PinJoint(f"{name}_1", parent, cross, parent_point=places[0], joint_axis=parent.y)
        return [first, me.PinJoint(name, cross, child, child_point=places[1], joint_axis=cross.z)]
    if kind == "mixed":
        kind = ("skew", "slide")[number % 2]
    points = {"parent_point": places[0], "child_point": places[1]}
    if kind == "free":
        return [FreeJoint(name, parent, child)]
    if kind == "spherical":
        return [me.SphericalJoint(name, parent, child, **points)]
    if kind == "slide":
        axis = parent.x + (number % 2) * parent.y
        return [me.PrismaticJoint(name, parent, child, joint_axis=axis, **points)]
    return [me.PinJoint(name, parent, child, joint_axis=AXES[kind](number, parent), **points)]


def tree(kind, count, numbers, inner=lambda k: k - 1, is_free=False):
    """Return a System of bodies that hang on each other, and the bodies; gravity acts along -y.

    ``inner`` tells on which body each hangs, by number; below 0 is ground.
    """
    given = NUMBERS[numbers]
    length, ground = given[1], rigid_body("ground")
    system, bodies = me.System.from_newtonian(ground), []
    for k in range(count):
        own = body(f"b{k}", given)
        parent = ground if inner(k) < 0 else bodies[inner(k)]
        far = length / 2 * (parent.x + (k % 2) * parent.y)
        places = 0 * ground.x if parent is ground else far, -length / 2 * own.x
        own_kind = "free" if is_free and not k else kind
        system.add_joints(*joined(own_kind, f"j{k}", k, parent, own, places))
        bodies.append(own)
    size = Rational(981, 100)
    system.apply_uniform_gravity(-(Float(size) if numbers == "decimals" else size) * ground.y)
    return system, bodies


def binary(k):
    """Return the number of the body on which the k-th hangs in a tree that branches in two."""
    return (k + 1) // 2 - 1


def bar(name, numbers):
    """Return a body of a planar mechanism."""
    mass, _, moment = NUMBERS[numbers]
    return rigid_body(name, mass, 0, 0, moment)


def pinned(name, parent, child, place, inner, is_oblique=False):
    """Return a pin between two bars about ground's z axis, or obliquely to it."""
    points = {"parent_point": place, "child_point": inner}
    axis = parent.z + parent.x if is_oblique else parent.z
    return me.PinJoint(name, parent, child, joint_axis=axis, **points)


def depending(system, loops, names):
    """Return the System with its loops; of its coordinates those of the joints named depend."""
    for loop in loops:
        system.add_holonomic_constraints(*loop.holonomic_constraints)
    is_dependent = [x.name.removeprefix("q_") in names for x in system.q]
    for kind in "qu":
        own = list(zip(getattr(system, kind), is_dependent, strict=True))
        setattr(system, f"{kind}_ind", [x for x, depends in own if not depends])
        setattr(system, f"{kind}_dep", [x for x, depends in own if depends])
    return system, loops


def ladder(count, numbers, is_spatial=False, is_on_rungs=False):
    """Return four-bars on top of each other: two rails, with a rung across at each joint.

    All coordinates zero is an assembled state: rails along y, rungs along x. In space the
    rungs have ball joints at both ends, and right rails turn about other axes than left ones.
    Rails stand on the rails below, or on the rung below, so that loops have no bar in common.
    """
    length, ground = NUMBERS[numbers][1], rigid_body("ground")
    system, loops, dependent = me.System.from_newtonian(ground), [], []
    left = right = rung_below = ground
    for k in range(count):
        names = [f"{name}{k}" for name in ("left", "right", "rung")]
        own = [body(x, NUMBERS[numbers]) if is_spatial else bar(x, numbers) for x in names]
        if k == 0:
            feet = [0 * ground.x, 2 * length * ground.x]
        elif is_on_rungs:
            feet = [-length * rung_below.x, length * rung_below.x]
            left = right = rung_below
        else:
            feet = [length / 2 * left.y, length / 2 * right.y]
        half = length / 2
        system.add_joints(pinned(f"l{k}", left, own[0], feet[0], -half * own[0].y))
        system.add_joints(pinned(f"r{k}", right, own[1], feet[1], -half * own[1].y, is_spatial))
        left, right, rung_below = own
        rung = {"parent_point": half * left.y, "child_point": -length * own[2].x}
        ends = {"parent_point": half * right.y, "child_point": length * own[2].x}
        if is_spatial:  # the third angle turns the rung about its own axis
            system.add_joints(me.SphericalJoint(f"s{k}", left, own[2], rot_order="ZYX", **rung))
            loops.append(LoopJoint(f"c{k}", right, own[2], "spherical", **ends))
            dependent += [f"r{k}", f"q0_s{k}", f"q1_s{k}"]
        else:
            system.add_joints(pinned(f"s{k}", left, own[2], *rung.values()))
            loops.append(LoopJoint(f"c{k}", right, own[2], "pin", joint_axis=right.z, **ends))
            dependent += [f"r{k}", f"s{k}"]
    system.apply_uniform_gravity(-9 * ground.y + ground.x)
    return depending(system, loops, dependent)


def ring(count, numbers, is_spatial=False):
    """Return bars that hang on each other and, at the end of the last one, on ground again.

    Ground's points are apart by 0.6 of the length of all bars. In space the bars' pins turn about
    x, y and z in turn, and a ball joint closes the ring.
    """
    length, ground = NUMBERS[numbers][1], rigid_body("ground")
    system, inner = me.System.from_newtonian(ground), ground
    for k in range(count):
        own = body(f"b{k}", NUMBERS[numbers]) if is_spatial else bar(f"b{k}", numbers)
        place = length / 2 * inner.x if k else 0 * ground.x
        points = {"parent_point": place, "child_point": -length / 2 * own.x}
        axis = AXES["twist"](k + 2, inner) if is_spatial else inner.z
        system.add_joints(me.PinJoint(f"j{k}", inner, own, joint_axis=axis, **points))
        inner = own
    far = Rational(3 * count, 5) * length * ground.x
    ends = {"parent_point": far, "child_point": length / 2 * inner.x}
    system.apply_uniform_gravity(-9 * ground.y)
    if is_spatial:
        last = LoopJoint("last", ground, inner, "spherical", **ends)
        return depending(system, [last], ["j0", "j2", f"j{count // 6 * 3}"])
    last = LoopJoint("last", ground, inner, "pin", joint_axis=ground.z, **ends)
    return depending(system, [last], ["j0", f"j{count // 2}"])  # direction and distance of the end


def arc(system, is_spatial=False):
    """Return coordinates at which a ring is nearly closed: equal turns, 0.6 of its length apart."""
    turns, about_z = np.zeros(len(system.q)), slice(None, None, 3 if is_spatial else 1)
    count = len(turns[about_z])
    turns[about_z] = -3.32 / count
    turns[0] = 1.66 * (1 - 1 / count)
    return turns[[int(x.name.removeprefix("q_j")) for x in system.q]]


def held_tip(kind, count, numbers):
    """Return a chain in space or a plane whose tip touches ground and slides along it."""
    system, bodies = tree(kind, count, numbers)
    ground, tip = system.frame, bodies[-1]
    point = tip.masscenter.locatenew("tip", NUMBERS[numbers][1] / 2 * tip.x)
    base = next(x.parent for x in system.joints if x.parent not in bodies)
    directions = [ground.y] if kind == "pin" else [ground.y, ground.z]
    contact = Contact("floor", base, tip, point, directions)
    system.add_nonholonomic_constraints(*contact.velocity_constraints)
    bound = len(directions)
    system.u_ind, system.u_dep = system.u[:-bound], system.u[-bound:]
    return system, [contact]
