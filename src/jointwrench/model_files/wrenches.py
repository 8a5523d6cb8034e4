"""Joint wrenches in the convention of MuJoCo."""

from collections.abc import Container, Mapping
from typing import Any

import numpy as np
from sympy import sympify
from sympy.physics.mechanics import RigidBody
from sympy.physics.mechanics.joint import Joint


def compute_mujoco_wrenches(model: Any, result: Any, q: np.ndarray) -> np.ndarray:
    """Return MuJoCo's ``cfrc_int``, the joint wrench on each body, shape (..., bodies, 6).

    A wrench has the moment first, in the world's frame, about the mass centre of the body's whole
    kinematic tree; the world's wrench is the sum over the bodies that are attached to it.
    """
    inner = {joint.child: joint for joint in model.joints.values()}
    ground, origin = model.system.frame, model.system.fixed_point
    roots = {body: _find_root(body, inner, inner) for body in model.bodies.values()}
    centers = {name: body.masscenter for name, body in model.bodies.items()}
    evaluate = model.kinematics(points=centers, frames={}).compile("positions")
    places = evaluate(q, constants=model.constants)
    found = [np.zeros((*q.shape[:-1], 6))]
    named = {model.bodies[name]: name for name in model.origins if name in model.bodies}
    for body in named:
        tree = {x: y for x, y in model.bodies.items() if roots[y] is roots[body]}
        masses = [float(sympify(y.mass).subs(model.constants)) for y in tree.values()]
        positions = np.stack([places.position(x) for x in tree], axis=-1)
        center = positions @ masses / (sum(masses) or 1)
        wrench = result.joint_wrench(inner[body], about=(origin, center), frame=ground)
        found.append(np.roll(wrench, 3, axis=-1))  # the moment first
        if _find_root(body, inner, named) is body:
            found[0] = found[0] + found[-1]
    return np.stack(found, axis=-2)


def _find_root(
    body: RigidBody, inner: Mapping[RigidBody, Joint], among: Container[RigidBody]
) -> RigidBody:
    """Return the innermost body of a body's kinematic tree among some bodies, else the body."""
    found = body
    while (body := inner[body].parent) in inner:
        found = body if body in among else found
    return found
