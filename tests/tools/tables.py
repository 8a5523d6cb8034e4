"""Trees given by tables of joint placements, masses and inertias, as Systems.

A joint is a dict: name, parent (name or "world"), type ("revolute", "prismatic",
"spherical", "fixed"), axis, placement {p, R} of the joint's frame in the
parent's frame, and mass, com and inertia_com of the body behind it, whose frame is the joint's,
moved.
"""

import numpy as np
from sympy import Float, ImmutableDenseMatrix
from sympy.physics.mechanics import Vector, dynamicsymbols

from jointwrench.mechanics.spatial.wrench import Wrench
from jointwrench.models.tree_builder import TreeBuilder, fixed_body

KINDS = {"revolute": "pin", "fixed": "weld"}


def vector(components, frame):
    """Return a vector with floating-point components."""
    return Vector([(ImmutableDenseMatrix(floats(components)), frame)])


def build_system(joints, gravity=(0, 0, 0), external=()):
    """Return the System of a table of joints; ``external`` are loads on bodies."""
    builder = TreeBuilder(fixed_body("world"))
    bodies = {"world": builder.ground}
    for row in joints:
        body = bodies[row["name"]] = add_body(builder, row)
        add_joint(builder, row, bodies[row["parent"]], body)
    system = builder.build(vector(gravity, builder.ground.frame))
    for load in external:
        body = bodies[load["body"]]
        frame = system.frame if load["frame"] == "world" else body.frame
        point = builder.add_point(f"{body.name}_load", body, vector(load["point"], body.frame))
        wrench = Wrench(point, vector(load["force"], frame), vector(load["moment"], frame))
        system.add_loads(*wrench.to_loads(body))
    return system


def floats(numbers):
    return [Float(float(x)) for x in np.ravel(numbers)]


def add_body(builder, row):
    """Return the body behind a joint."""
    i = np.array(row["inertia_com"], dtype=float)
    moments = (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[1, 2], i[2, 0])
    mass = Float(float(row["mass"]))
    return builder.add_body(row["name"], mass, floats(row["com"]), floats(moments))


def add_joint(builder, row, parent, child):
    """Add the joint of a row between two bodies."""
    kind, placement = row["type"], row["placement"]
    builder.add_joint(
        *(KINDS.get(kind, kind), row["name"], parent, child),
        axis=floats(row["axis"]) if kind in ("revolute", "prismatic") else None,
        parent_point=floats(placement["p"]),
        parent_interframe=np.array(placement["R"], dtype=float).tolist(),
    )


def state(system, q, u, udot):
    """Return the values of coordinates, speeds and accelerations."""
    time = dynamicsymbols._t
    udots = [speed.diff(time) for speed in system.u]
    groups = (zip(*x, strict=True) for x in ((system.q, q), (system.u, u), (udots, udot)))
    return {symbol: value for group in groups for symbol, value in group}
