"""Actuators at joints: torques, and pairs of forces; one per degree of freedom."""

from sympy import Expr
from sympy.physics.mechanics import TorqueActuator
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Vector

from ..mechanics.mechanism.joint_kinds import FREEDOMS
from ..mechanics.spatial.wrench import Wrench
from .segment import AXES, Segment, cyclic_axes

# Joints whose rotations are about the axes of the child's frame.
BALL_JOINTS = ("spherical", "quaternion", "free")


def actuate(
    segment: Segment, joint: Joint, symbols: list[Expr]
) -> tuple[list[TorqueActuator], list]:
    """Return the torque actuators and the loads of a joint, one symbol per freedom."""
    actuators, loads = [], []
    axes, freedoms = _actuator_axes(segment, joint), FREEDOMS[segment.joint]
    for symbol, axis, freedom in zip(symbols, axes, freedoms, strict=True):
        if freedom == "rotation":
            actuators.append(TorqueActuator(symbol, axis, joint.child.frame, joint.parent.frame))
        else:
            loads.extend(force_pair(symbol * axis, joint))
    return actuators, loads


def _actuator_axes(segment: Segment, joint: Joint) -> list[Vector]:
    """Return the axis of each freedom's actuator, in whose direction it acts on the child."""
    if segment.joint in BALL_JOINTS:
        turns = [getattr(joint.child.frame, name) for name in AXES]
        slides = [getattr(joint.parent.frame, name) for name in AXES]
        return [*slides, *turns] if segment.joint == "free" else turns
    count = len(FREEDOMS[segment.joint])
    names = cyclic_axes(segment.axis) if segment.joint == "planar" else (segment.axis,) * count
    return [getattr(joint.parent.frame, name) for name in names]


def force_pair(force: Vector, joint: Joint) -> list:
    """Return the loads of a force on the child at its joint point, and of the reaction."""
    # The reaction acts on the parent at the same location, which need not be fixed in the parent:
    # Wrench adds its moment.
    on_child = Wrench(joint.child_point, force)
    return [*on_child.to_loads(joint.child), *(-on_child).to_loads(joint.parent)]
