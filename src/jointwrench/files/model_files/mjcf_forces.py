"""Springs, dampers, dry friction and motors of MuJoCo's joints, as loads."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Integer, sign
from sympy.physics.mechanics import Force, System, Torque

from ...models.actuators import add_joint_force
from ...models.tree_builder import functions_of_time, in_frame
from ...spatial.components import vector_of
from .mjcf_compiled import AT_JOINTS, CompiledMjcf
from .mjcf_tree import KINDS, MjcfTree
from .model_builder import exact

#: What can be done with actuators.
ACTUATORS = ("leave", "force", "control")

#: MuJoCo's numbers for laws of actuators: no dynamics; a fixed gain, one that is affine in
#: length and velocity; no bias, an affine one.
NO_DYNAMICS, FIXED, AFFINE, NO_BIAS = 0, 0, 1, 0


class ForceOptions(NamedTuple):
    """What becomes loads: the arguments of `read_mjcf`."""

    passive: bool
    friction: bool
    actuators: str


def add_forces(
    tree: MjcfTree, system: System, gravity: Any, options: ForceOptions
) -> dict[str, Expr]:
    """Add what acts in joints to a System; return the symbols of actuators by name.

    What is not added goes to ``tree.left_out``.
    """
    for number, name in enumerate(tree.compiled.joints):
        if tree.compiled.is_scalar(number):
            _add_scalar(tree, system, number, options)
        else:
            _add_ball_damping(tree, system, number, options)
        tree.left_out += [f"{what} of {name}" for what in _unread(tree.compiled, number, options)]
    _add_compensation_of_gravity(tree, system, gravity, options)
    return _add_actuators(tree, system, options.actuators)


def _add(tree: MjcfTree, system: System, number: int, force: Expr) -> None:
    kind = KINDS[tree.model.jnt_type[number]]
    add_joint_force(system, tree.joints[number], kind, tree.axis(number), force)


def _add_scalar(tree: MjcfTree, system: System, number: int, options: ForceOptions) -> None:
    """Add spring, damper and friction of a hinge or slide."""
    compiled, model, speed = tree.compiled, tree.model, tree.speed(number)
    force: Expr = Integer(0)
    if options.passive and compiled.has_springs:
        relaxed = model.qpos_spring[model.jnt_qposadr[number]]
        force -= exact(model.jnt_stiffness[number]) * (tree.position(number) - exact(relaxed))
    if options.passive and compiled.has_dampers:
        force -= exact(compiled.damping(number)) * speed
    if options.friction and compiled.has_friction:
        force -= exact(model.dof_frictionloss[model.jnt_dofadr[number]]) * sign(speed)
    if force != 0:
        _add(tree, system, number, force)


def _add_ball_damping(tree: MjcfTree, system: System, number: int, options: ForceOptions) -> None:
    """Add the damping of a ball, or of a free joint with its velocity in the world."""
    joint, damping = tree.joints[number], tree.compiled.damping(number)
    if not (options.passive and tree.compiled.has_dampers and damping):
        return
    factor = -exact(damping)
    torque = factor * vector_of(joint.speeds[-3:, 0], joint.child_interframe)
    system.add_loads(Torque(joint.child.frame, torque))
    if len(joint.speeds) == 3:
        system.add_loads(Torque(joint.parent.frame, -torque))
    else:
        velocity = vector_of(joint.speeds[:3, 0], joint.parent_interframe)
        system.add_loads(Force(joint.child_point, factor * velocity))


def _unread(compiled: CompiledMjcf, number: int, options: ForceOptions) -> Iterator[str]:
    """Yield what acts in a joint and is no load."""
    model, is_scalar = compiled.model, compiled.is_scalar(number)
    dof, motors = model.jnt_dofadr[number], list(compiled.actuators_of(number))
    if compiled.has_springs and model.jnt_stiffness[number]:
        if not (options.passive and is_scalar):
            yield "stiffness"
        if _any(model, "jnt_springyield", number):
            yield "yield of the spring"
    if compiled.has_dampers and compiled.damping(number) and not options.passive:
        yield "damping"
    has_friction = compiled.has_friction and model.dof_frictionloss[dof]
    if has_friction and not (options.friction and is_scalar):
        yield "friction"
    if compiled.has_springs and _any(model, "jnt_stiffnesspoly", number):
        yield "polynomial stiffness"
    if compiled.has_dampers and _any(model, "dof_dampingpoly", dof):
        yield "polynomial damping"
    if compiled.has_dampers and _any(model, "actuator_dampingpoly", motors):
        yield "polynomial damping of actuators"


def _any(model: Any, name: str, places: int | list[int]) -> bool:
    """Return whether some of an array are not zero, which older versions of MuJoCo lack."""
    return bool(np.any(getattr(model, name)[places])) if hasattr(model, name) else False


def _add_compensation_of_gravity(
    tree: MjcfTree, system: System, gravity: Any, options: ForceOptions
) -> None:
    """Add forces at mass centres; what motors compensate is a part of what they supply."""
    acceleration = in_frame(gravity, system.frame)
    for number, body in enumerate(tree.bodies):
        by = tree.compiled.compensation_of_gravity(number)
        if not by or (by == "motors" and options.actuators == "leave"):
            continue
        if not options.passive or (by == "both" and options.actuators == "leave"):
            tree.left_out.append(f"compensation of the gravity of {body.name}")
        else:
            factor = exact(tree.model.body_gravcomp[number])
            system.add_loads(Force(body.masscenter, -factor * body.mass * acceleration))


# -- actuators ------------------------------------------------------------------------


def _add_actuators(tree: MjcfTree, system: System, actuators: str) -> dict[str, Expr]:
    controls: dict[str, Expr] = {}
    compiled, model = tree.compiled, tree.model
    for k in range(len(model.actuator_trntype)):
        name = compiled.name("actuator", k)
        symbol = functions_of_time([f"{actuators}_{name}"])[0]
        number = int(model.actuator_trnid[k, 0])
        law = None
        if (
            actuators != "leave"
            and model.actuator_trntype[k] in AT_JOINTS
            and compiled.is_scalar(number)
        ):
            law = symbol if actuators == "force" else _law(tree, k, number, symbol)
        if law is None:
            tree.left_out.append(f"actuator {name}")
            continue
        controls[name] = symbol
        tree.left_out += [f"{what} of {name}" for what in compiled.ranges(k, actuators)]
        _add(tree, system, number, exact(compiled.gear(k)) * law)
    return controls


def _law(tree: MjcfTree, actuator: int, joint: int, control: Expr) -> Expr | None:
    """Return the force of an actuator by its control; None where it has another law."""
    model = tree.model
    gear = exact(tree.compiled.gear(actuator))
    state = (Integer(1), gear * tree.position(joint), gear * tree.speed(joint))
    kinds = (
        model.actuator_dyntype[actuator],
        model.actuator_gaintype[actuator],
        model.actuator_biastype[actuator],
    )
    if kinds[0] != NO_DYNAMICS or kinds[1] not in (FIXED, AFFINE) or kinds[2] not in (0, AFFINE):
        return None
    if tree.compiled.is_off(actuator):
        return None
    gain, bias = (
        sum((exact(c) * x for c, x in zip(parameters[:count], state, strict=False)), Integer(0))
        for parameters, count in (
            (model.actuator_gainprm[actuator], 3 if kinds[1] == AFFINE else 1),
            (model.actuator_biasprm[actuator], 3 if kinds[2] == AFFINE else 0),
        )
    )
    return gain * control + bias
