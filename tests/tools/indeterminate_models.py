"""Statically indeterminate textbook problems."""

import numpy as np
from bodies import rigid_body, system_of
from linkages import slides
from sympy.physics.mechanics import PinJoint, WeldJoint

import jointwrench as jw

#: Half the height between the hinges of the door, and its width.
HALF, WIDTH = 0.75, 0.5


def door(cut="upper", length=1.0, mass=1.0, redundancy="nan", weight=30.0, **options):
    """Return a door on two hinges along z; the loop is cut at one; units of length and mass."""
    moments = (x * mass * length**2 for x in (11, 12, 2))
    ground, leaf = rigid_body("ground"), rigid_body("door", weight * mass, *moments)
    tree = {"upper": "lower", "lower": "upper"}[cut]
    heights = {"lower": -HALF * length, "upper": HALF * length}

    def places(name):
        height = heights[name]
        return height * ground.z, height * leaf.z - WIDTH * length * leaf.x

    hinge = PinJoint(tree, ground, leaf, None, None, *places(tree), joint_axis=ground.z)
    system = system_of(ground, hinge, gravity=-9.81 * length * ground.z)
    loop = jw.LoopJoint(cut, ground, leaf, "pin", *places(cut), joint_axis=ground.z)
    options = {"actuated": []} | options
    return jw.InverseDynamics(system, loops=[loop], redundancy=redundancy, **options)


def table(feet, redundancy="nan", order=None):
    """Return a table of 20 kg whose legs stand without friction on ground, and its legs."""
    ground, top = rigid_body("ground"), rigid_body("top", 20.0, 1.0, 1.0, 2.0)
    system = system_of(ground, jw.FreeJoint("free", ground, top), gravity=-9.81 * ground.z)
    legs = []
    for k in range(len(feet)) if order is None else order:
        ends = None, feet[k][0] * top.x + feet[k][1] * top.y - 0.7 * top.z
        options = {"joint_axis": ground.z}
        legs.append(jw.LoopJoint(f"leg{k}", ground, top, "point_on_plane", *ends, **options))
    return jw.InverseDynamics(system, loops=legs, actuated=[], redundancy=redundancy), legs


def standing(heading=0.0, place=(0.0, 0.0)):
    """Return the state of a table at rest."""
    return np.array([*place, 0.7, 0, 0, heading]), np.zeros(6), np.zeros(6)


def in_plane(body):
    """Return a System of a body that slides along x and y of ground and turns, and ground."""
    ground = rigid_body("ground")
    turn = PinJoint("turn", across := rigid_body("across"), body, joint_axis=across.z)
    return system_of(ground, *slides(ground, across, "xy"), turn), ground


def planar_body(mass, contacts, slope=0.0, directions="xy", redundancy="nan"):
    """Return a body in the x-y plane on contacts, by name and place in the body; and ground."""
    body = rigid_body("body", mass, 1, 1, 1)
    system, ground = in_plane(body)
    axes = [getattr(ground, x) for x in directions]
    loops = []
    for name, (x, y) in contacts.items():
        point = body.masscenter.locatenew(name, x * body.x + y * body.y)
        loops.append(jw.Contact(name, ground, body, point, axes))
    g = 9.81
    system.apply_uniform_gravity(g * np.sin(slope) * ground.x - g * np.cos(slope) * ground.y)
    return jw.InverseDynamics(system, loops=loops, actuated=[], redundancy=redundancy), ground


def tip_compliance(length, stiffness):
    """Return the compliance of a beam's end about its other end's frame; along x."""
    found = np.diag([length / 1e7, 0, 0, length / 1e3, 0, 0])
    found[1, 1] = found[2, 2] = length**3 / 3 / stiffness
    found[4, 4] = found[5, 5] = length / stiffness
    found[1, 5] = found[5, 1] = length**2 / 2 / stiffness
    found[2, 4] = found[4, 2] = -(length**2) / 2 / stiffness
    return found


def beam(lengths, stiffnesses, supports, loads):
    """Return the supports' forces of a beam of elastic segments, with loads at its nodes."""
    ground, count = rigid_body("ground"), len(lengths) + 1
    nodes = [rigid_body(f"n{k}", loads.get(k, 0) / 9.81) for k in range(count)]
    first = PinJoint("support0", ground, nodes[0], joint_axis=ground.z)
    system = system_of(ground, first)
    elastic = {}
    for k, (length, stiffness) in enumerate(zip(lengths, stiffnesses, strict=True)):
        weld = WeldJoint(f"part{k}", nodes[k], nodes[k + 1], parent_point=length * nodes[k].x)
        system.add_joints(weld)
        elastic[weld] = tip_compliance(length, stiffness)
    loops = []
    for k in supports[1:]:
        options = {"parent_point": sum(lengths[:k]) * ground.x, "joint_axis": ground.y}
        loops.append(jw.LoopJoint(f"support{k}", ground, nodes[k], "point_on_plane", **options))
    system.apply_uniform_gravity(-9.81 * ground.y)
    idyn = jw.InverseDynamics(system, loops=loops, actuated=[], redundancy=elastic)
    result = idyn.compile(backend="numpy")([0.0], [0.0], [0.0])
    return [result.joint_wrench(x)[1] for x in (first, *loops)]
