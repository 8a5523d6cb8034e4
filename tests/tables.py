"""Trees given by tables of joint placements, masses and inertias, as Systems.

A joint is a dict: name, parent (name or "world"), type ("revolute", "prismatic",
"spherical", "ball", "free", "fixed"), axis, placement {p, R} of the joint's frame in the
parent's frame, and mass, com and inertia_com of the body behind it, whose frame is the joint's,
moved.
"""

import numpy as np
from sympy import Float, ImmutableDenseMatrix
from sympy.physics.mechanics import (
    Force,
    PinJoint,
    PrismaticJoint,
    ReferenceFrame,
    RigidBody,
    SphericalJoint,
    System,
    Vector,
    WeldJoint,
    dynamicsymbols,
    inertia,
)

from jointwrench.models.free_joint import FreeJoint
from jointwrench.models.quaternion_joint import QuaternionJoint
from jointwrench.wrench import Wrench


def vector(components, frame):
    """Return a vector with floating-point components."""
    return Vector([(ImmutableDenseMatrix([Float(float(x)) for x in components]), frame)])


def build_system(joints, gravity=(0, 0, 0), external=()):
    """Return the System of a table of joints; ``external`` are loads on bodies."""
    ground = RigidBody("world")
    system = System.from_newtonian(ground)
    bodies, centers = {"world": ground}, {"world": np.zeros(3)}
    for row in joints:
        body = bodies[row["name"]] = make_body(row)
        centers[row["name"]] = np.array(row["com"], dtype=float)
        system.add_joints(make_joint(row, bodies[row["parent"]], body, centers))
    gravity = vector(gravity, system.frame)
    system.add_loads(*(Force(b, b.mass * gravity) for b in bodies.values() if b is not ground))
    for load in external:
        body = bodies[load["body"]]
        frame = system.frame if load["frame"] == "world" else body.frame
        arm = vector(np.subtract(load["point"], centers[load["body"]]), body.frame)
        point = body.masscenter.locatenew(f"{body.name}_load", arm)
        wrench = Wrench(point, vector(load["force"], frame), vector(load["moment"], frame))
        system.add_loads(*wrench.to_loads(body))
    return system


def make_body(row):
    """Return the body behind a joint."""
    body = RigidBody(row["name"], mass=Float(float(row["mass"])))
    i = np.array(row["inertia_com"], dtype=float)
    moments = (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[1, 2], i[2, 0])
    body.central_inertia = inertia(body.frame, *(Float(float(x)) for x in moments))
    return body


def make_joint(row, parent, child, centers):
    """Return the joint of a row between two bodies."""
    name, placement = row["name"], row["placement"]
    interframe = ReferenceFrame(f"{name}_placement")
    rotation = ImmutableDenseMatrix(np.array(placement["R"], dtype=float).T.tolist())
    interframe.orient_dcm(parent.frame, rotation)
    options = {
        "parent_point": vector(np.subtract(placement["p"], centers[row["parent"]]), parent.frame),
        "child_point": vector(-centers[name], child.frame),
        "parent_interframe": interframe,
        "child_interframe": child.frame,
    }
    if row["type"] == "fixed":
        return WeldJoint(name, parent, child, **options)
    if row["type"] == "spherical":
        return SphericalJoint(name, parent, child, **options)
    if row["type"] == "ball":
        return QuaternionJoint(name, parent, child, **options)
    if row["type"] == "free":
        return FreeJoint(name, parent, child, rotation="quaternion", **options)
    axis = vector(row["axis"], interframe)
    kind = {"revolute": PinJoint, "prismatic": PrismaticJoint}[row["type"]]
    return kind(name, parent, child, joint_axis=axis, **options)


def state(system, q, u, udot):
    """Return the values of coordinates, speeds and accelerations."""
    time = dynamicsymbols._t
    groups = (
        zip(system.q, q, strict=True),
        zip(system.u, u, strict=True),
        zip([speed.diff(time) for speed in system.u], udot, strict=True),
    )
    return {symbol: value for group in groups for symbol, value in group}
