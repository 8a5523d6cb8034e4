"""Springs, dampers and dry friction of MuJoCo's joints and tendons, as loads."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sympy import Expr, Integer, sign
from sympy.physics.mechanics import Force, System, Torque

from ..extend import exact, vector_of
from .mjcf_lengths import MjcfLength
from .mjcf_tree import MjcfTree

#: The options for actuators.
ACTUATORS = ("leave", "force", "control")


class ForceOptions(NamedTuple):
    """The user's choice of the forces that become loads.

    Attributes
    ==========

    passive : bool
        Whether springs, dampers and the compensation of gravity are loads.
    friction : bool
        Whether dry friction is a load.
    actuators : str
        One of `ACTUATORS`: whether actuators are omitted, or act by their forces or controls.
    clip : bool
        Whether forces and controls are clipped to their ranges.
    """

    passive: bool
    friction: bool
    actuators: str
    clip: bool


def add_forces(
    tree: MjcfTree,
    lengths: Sequence[MjcfLength],
    system: System,
    gravity: Any,
    options: ForceOptions,
) -> None:
    """Add the forces in joints and along tendons, except actuators; list those not read."""
    for length in lengths:
        if not length.is_read:
            _add_ball_damping(tree, system, length, options)
        elif force := _force(tree, length, options):
            length.add_force(system, force)
        for what in _unread(tree, length, options):
            option = "friction" if what == "friction" else "passive"
            if getattr(options, option):
                tree.losses.append(f"{what} of {length.name}")
            else:
                tree.left_out.append(f"{what} of {length.name}, which acts: {option}=False")
    _add_compensation_of_gravity(tree, system, gravity, options)


def _force(tree: MjcfTree, length: MjcfLength, options: ForceOptions) -> Expr:
    """Return the requested and enabled force in the direction of the speed."""
    force: Expr = Integer(0)
    if options.passive and tree.compiled.has_springs and length.own("stiffness"):
        force -= exact(length.own("stiffness")) * length.strain
    if options.passive and tree.compiled.has_dampers and length.total("damping"):
        force -= exact(length.total("damping")) * length.rate
    if options.friction and tree.compiled.has_friction and length.own("frictionloss"):
        force -= exact(length.own("frictionloss")) * sign(length.rate)
    return force


def _unread(tree: MjcfTree, length: MjcfLength, options: ForceOptions) -> Iterator[str]:
    """Yield the enabled forces that are not loads."""
    passive, friction = options.passive and length.is_read, options.friction and length.is_read
    springs, dampers = tree.compiled.has_springs, tree.compiled.has_dampers
    stiffness = springs and length.own("stiffness")
    bends = [length.own("dampingpoly"), *length.of_motors("dampingpoly")]
    acting = {
        "stiffness": stiffness and not passive,
        "yield of the spring": stiffness and np.any(length.own("springyield")),
        "polynomial stiffness": springs and np.any(length.own("stiffnesspoly")),
        "damping": dampers and length.total("damping") and not options.passive,
        "polynomial damping": dampers and np.any(bends),
        "friction": tree.compiled.has_friction and length.own("frictionloss") and not friction,
    }
    yield from (what for what, is_acting in acting.items() if is_acting)


def _add_ball_damping(
    tree: MjcfTree, system: System, length: MjcfLength, options: ForceOptions
) -> None:
    """Add the damping of a ball, or of a free joint with its velocity in the world."""
    joint, factor = tree.joints[length.number], -exact(length.total("damping"))
    if not (options.passive and tree.compiled.has_dampers and factor):
        return
    torque = factor * vector_of(joint.speeds[-3:, 0], joint.child_interframe)
    system.add_loads(Torque(joint.child.frame, torque))
    if len(joint.speeds) == 3:
        system.add_loads(Torque(joint.parent.frame, -torque))
    else:
        velocity = vector_of(joint.speeds[:3, 0], joint.parent_interframe)
        system.add_loads(Force(joint.child_point, factor * velocity))


def _add_compensation_of_gravity(
    tree: MjcfTree, system: System, gravity: Any, options: ForceOptions
) -> None:
    """Add forces at mass centres, except those that motors supply."""
    acceleration = vector_of(gravity, system.frame)
    for number, body in enumerate(tree.bodies):
        by = tree.compiled.compensation_of_gravity(number)
        if not by or (by == "motors" and options.actuators == "leave"):
            continue
        if not options.passive or (by == "both" and options.actuators == "leave"):
            unread = tree.losses if options.passive else tree.left_out
            unread.append(f"compensation of the gravity of {body.name}")
        else:
            factor = exact(tree.model.body_gravcomp[number])
            tree.model_builder.add_weight(system, body, -factor * acceleration)
