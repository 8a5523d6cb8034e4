"""Springs, dampers, dry friction and motors of MuJoCo's joints, as loads."""

from collections.abc import Iterator

import numpy as np
from sympy import Expr, Integer, sign
from sympy.physics.mechanics import Force, System, Torque

from ..models.joint_kinematics import vector_of
from ..models.tree_builder import functions_of_time
from .assembly import exact
from .joint_forces import add_joint_force
from .mjcf_tree import KINDS, MjcfTree

#: What can be done with actuators.
ACTUATORS = ("leave", "force", "control")

#: MuJoCo's numbers for laws of actuators: no dynamics; a fixed gain, one that is affine in
#: length and velocity; no bias, an affine one.
NO_DYNAMICS, FIXED, AFFINE, NO_BIAS = 0, 0, 1, 0


def add_forces(
    tree: MjcfTree, system: System, passive: bool, friction: bool, actuators: str
) -> dict[str, Expr]:
    """Add what acts in joints to a System; return the symbols of actuators by name.

    What is not added goes to ``tree.left_out``.
    """
    for number, name in enumerate(tree.names):
        if tree.is_scalar(number):
            _add_scalar(tree, system, number, passive, friction)
        else:
            _add_ball_damping(tree, system, number, passive)
        tree.left_out += [f"{what} of {name}" for what in _unread(tree, number, passive, friction)]
    if passive:
        _add_gravity_compensation(tree, system)
    return _add_actuators(tree, system, actuators)


def _add(tree: MjcfTree, system: System, number: int, force: Expr) -> None:
    kind = KINDS[tree.compiled.jnt_type[number]]
    add_joint_force(system, tree.joints[number], kind, tree.axis(number), force)


def _add_scalar(tree: MjcfTree, system: System, number: int, passive: bool, friction: bool) -> None:
    """Add spring, damper and friction of a hinge or slide."""
    model, speed = tree.compiled, tree.speed(number)
    dof, place = model.jnt_dofadr[number], model.jnt_qposadr[number]
    stiffness, damping = exact(model.jnt_stiffness[number]), exact(model.dof_damping[dof])
    force: Expr = Integer(0)
    if passive:
        force -= stiffness * (tree.position(number) - exact(model.qpos_spring[place]))
        force -= damping * speed
    if friction:
        force -= exact(model.dof_frictionloss[dof]) * sign(speed)
    if force != 0:
        _add(tree, system, number, force)


def _add_ball_damping(tree: MjcfTree, system: System, number: int, passive: bool) -> None:
    """Add the damping of a ball, or of a free joint with its velocity in the world."""
    model, joint = tree.compiled, tree.joints[number]
    damping = model.dof_damping[model.jnt_dofadr[number]]
    if not passive or not damping:
        return
    factor = -exact(damping)
    torque = factor * vector_of(joint.speeds[-3:, 0], joint.child_interframe)
    system.add_loads(Torque(joint.child.frame, torque))
    if len(joint.speeds) == 3:
        system.add_loads(Torque(joint.parent.frame, -torque))
    else:
        velocity = vector_of(joint.speeds[:3, 0], joint.parent_interframe)
        system.add_loads(Force(joint.child_point, factor * velocity))


def _unread(tree: MjcfTree, number: int, passive: bool, friction: bool) -> Iterator[str]:
    model, is_scalar = tree.compiled, tree.is_scalar(number)
    dof = model.jnt_dofadr[number]
    if model.jnt_stiffness[number] and not (passive and is_scalar):
        yield "stiffness"
    if model.dof_damping[dof] and not passive:
        yield "damping"
    if model.dof_frictionloss[dof] and not (friction and is_scalar):
        yield "friction"
    for name, place in (("jnt_stiffnesspoly", number), ("dof_dampingpoly", dof)):  # MuJoCo 4
        if np.any(getattr(model, name, np.zeros((dof + 1, 1)))[place]):
            yield f"polynomial {name[4:-4]}"


def _add_gravity_compensation(tree: MjcfTree, system: System) -> None:
    model = tree.compiled
    for number in np.flatnonzero(model.body_gravcomp):
        body = tree.bodies[number]
        up = [-exact(model.body_gravcomp[number] * x) for x in tree.gravity]
        weightless = body.mass * vector_of(up, system.frame)
        system.add_loads(Force(body.masscenter, weightless))


# -- actuators ------------------------------------------------------------------------


def _add_actuators(tree: MjcfTree, system: System, actuators: str) -> dict[str, Expr]:
    controls: dict[str, Expr] = {}
    model = tree.compiled
    for k in range(len(model.actuator_trntype)):
        name = tree.name("actuator", k)
        symbol = functions_of_time([f"{actuators}_{name}"])[0]
        is_joint = model.actuator_trntype[k] in (0, 1)  # a joint, or a joint in its parent
        number = int(model.actuator_trnid[k, 0])
        law = None
        if actuators != "leave" and is_joint and tree.is_scalar(number):
            law = symbol if actuators == "force" else _law(tree, k, number, symbol)
        if law is None:
            tree.left_out.append(f"actuator {name}")
            continue
        controls[name] = symbol
        _add(tree, system, number, exact(model.actuator_gear[k, 0]) * law)
    return controls


def _law(tree: MjcfTree, actuator: int, joint: int, control: Expr) -> Expr | None:
    """Return the force of an actuator by its control; None where it has another law."""
    model = tree.compiled
    gear = exact(model.actuator_gear[actuator, 0])
    state = (Integer(1), gear * tree.position(joint), gear * tree.speed(joint))
    kinds = (
        model.actuator_dyntype[actuator],
        model.actuator_gaintype[actuator],
        model.actuator_biastype[actuator],
    )
    if kinds[0] != NO_DYNAMICS or kinds[1] not in (FIXED, AFFINE) or kinds[2] not in (0, AFFINE):
        return None
    gain, bias = (
        sum((exact(c) * x for c, x in zip(parameters[:count], state, strict=False)), Integer(0))
        for parameters, count in (
            (model.actuator_gainprm[actuator], 3 if kinds[1] == AFFINE else 1),
            (model.actuator_biasprm[actuator], 3 if kinds[2] == AFFINE else 0),
        )
    )
    return gain * control + bias
