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
    """Add a torque about, or a force along, an axis: on a joint's child, by its parent.

    Parameters
    ==========

    system : System
        What it is added to.
    joint : Joint
        A joint with one freedom.
    kind : {"pin", "prismatic"}
        Whether it turns or slides.
    axis : sequence of 3 Expr
        Unit vector in the joint's ``parent_interframe``.
    force : Expr
        The torque or force, positive with the speed.
    """
    vector = in_frame(axis, joint.parent_interframe)
    if kind == "pin":
        actuator = TorqueActuator(force, vector, joint.child.frame, joint.parent.frame)
        system.add_actuators(actuator)
    else:
        system.add_loads(*force_pair(force * vector, joint))
