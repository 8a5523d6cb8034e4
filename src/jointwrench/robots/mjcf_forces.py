"""Springs, dampers, dry friction and motors of MuJoCo's joints, as loads."""

from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Integer, sign
from sympy.physics.mechanics import Force, System, Torque

from ..extend import ModelBuilder, exact, vector_of
from .mjcf_compiled import AT_JOINTS, CompiledMjcf
from .mjcf_tree import KINDS, MjcfTree

#: What can be done with actuators.
ACTUATORS = ("leave", "force", "control")

#: MuJoCo's numbers for laws of actuators: no dynamics; a fixed gain or no bias, one that is affine
#: in length and velocity.
NO_DYNAMICS, CONSTANT, AFFINE = 0, 0, 1


class ForceOptions(NamedTuple):
    passive: bool
    friction: bool
    actuators: str


def add_forces(
    tree: MjcfTree, system: System, gravity: Any, options: ForceOptions
) -> dict[str, Expr]:
    """Add what acts in joints to a System; return the symbols of actuators by name."""
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
    axis = tree.model.jnt_axis[number]
    tree.model_builder.add_joint_force(system, tree.joints[number], kind, axis, force)


def _add_scalar(tree: MjcfTree, system: System, number: int, options: ForceOptions) -> None:
    compiled, model, speed = tree.compiled, tree.model, tree.speed(number)
    force: Expr = Integer(0)
    if options.passive and compiled.has_springs:
        relaxed = model.qpos_spring[model.jnt_qposadr[number]]
        force -= exact(model.jnt_stiffness[number]) * (tree.position(number) - exact(relaxed))
    if options.passive and compiled.has_dampers:
        force -= exact(compiled.total("damping", number)) * speed
    if options.friction and compiled.has_friction:
        force -= exact(model.dof_frictionloss[model.jnt_dofadr[number]]) * sign(speed)
    if force != 0:
        _add(tree, system, number, force)


def _add_ball_damping(tree: MjcfTree, system: System, number: int, options: ForceOptions) -> None:
    """Add the damping of a ball, or of a free joint with its velocity in the world."""
    joint, factor = tree.joints[number], -exact(tree.compiled.total("damping", number))
    if not (options.passive and tree.compiled.has_dampers and factor):
        return
    torque = factor * vector_of(joint.speeds[-3:, 0], joint.child_interframe)
    system.add_loads(Torque(joint.child.frame, torque))
    if len(joint.speeds) == 3:
        system.add_loads(Torque(joint.parent.frame, -torque))
    else:
        velocity = vector_of(joint.speeds[:3, 0], joint.parent_interframe)
        system.add_loads(Force(joint.child_point, factor * velocity))


def _unread(compiled: CompiledMjcf, number: int, options: ForceOptions) -> list[str]:
    """Return what acts in a joint and is no load."""
    model, is_scalar = compiled.model, compiled.is_scalar(number)
    springs, dampers, frictions = compiled.has_springs, compiled.has_dampers, compiled.has_friction
    dof, motors = model.jnt_dofadr[number], list(compiled.actuators_of(number))
    stiffness, friction = springs and model.jnt_stiffness[number], model.dof_frictionloss[dof]
    has_damping = dampers and compiled.total("damping", number)
    acting = {
        "stiffness": stiffness and not (options.passive and is_scalar),
        "yield of the spring": stiffness and _any(model, "jnt_springyield", number),
        "damping": has_damping and not options.passive,
        "friction": frictions and friction and not (options.friction and is_scalar),
        "polynomial stiffness": springs and _any(model, "jnt_stiffnesspoly", number),
        "polynomial damping": dampers and _any(model, "dof_dampingpoly", dof),
        "polynomial damping of actuators": dampers and _any(model, "actuator_dampingpoly", motors),
    }
    return [what for what, is_acting in acting.items() if is_acting]


def _any(model: Any, name: str, places: int | list[int]) -> bool:
    """Return whether some of an array are not zero, which older versions of MuJoCo lack."""
    return bool(np.any(getattr(model, name)[places])) if hasattr(model, name) else False


def _add_compensation_of_gravity(
    tree: MjcfTree, system: System, gravity: Any, options: ForceOptions
) -> None:
    """Add forces at mass centres; what motors compensate is a part of what they supply."""
    acceleration = vector_of(gravity, system.frame)
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
        symbol = ModelBuilder.coordinate(f"{actuators}_{name}")
        number = int(model.actuator_trnid[k, 0])
        is_at_joint = model.actuator_trntype[k] in AT_JOINTS and compiled.is_scalar(number)
        law: Expr | None = symbol if actuators == "force" and is_at_joint else None
        if actuators == "control" and is_at_joint:
            law = _law(tree, k, number, symbol)
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
    kinds = model.actuator_gaintype[actuator], model.actuator_biastype[actuator]
    has_dynamics = model.actuator_dyntype[actuator] != NO_DYNAMICS
    if has_dynamics or not {*kinds} <= {CONSTANT, AFFINE} or tree.compiled.is_off(actuator):
        return None
    numbers = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
    counts = (3 if kind == AFFINE else least for kind, least in zip(kinds, (1, 0), strict=True))
    gain, bias = (
        sum(exact(c) * x for c, x in zip(own[:count], state, strict=False))
        for own, count in zip(numbers, counts, strict=True)
    )
    return gain * control + bias
