"""Forces of springs, dampers and motors in joints."""

from collections.abc import Sequence

from sympy import Expr
from sympy.physics.mechanics import System, TorqueActuator
from sympy.physics.mechanics.joint import Joint

from ...models.actuators import force_pair
from ...models.tree_builder import in_frame


def add_joint_force(
    system: System, joint: Joint, kind: str, axis: Sequence[Expr], force: Expr
) -> None:
    """Add a torque about (pin) or a force along an axis: on a joint's child, by its parent.

    The joint has one freedom, the force is positive with its speed; the axis is a unit vector in
    ``parent_interframe``.
    """
    vector = in_frame(axis, joint.parent_interframe)
    if kind == "pin":
        actuator = TorqueActuator(force, vector, joint.child.frame, joint.parent.frame)
        system.add_actuators(actuator)
    else:
        system.add_loads(*force_pair(force * vector, joint))
