"""One side of a joint: which body, with which frames and point."""

from dataclasses import dataclass

from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame

from ..checks.arguments import Body
from ..spatial.components import body_frame


@dataclass(frozen=True)
class Side:
    """One of the two sides of a joint: a body with its attachment to the joint."""

    body: Body
    frame: ReferenceFrame
    interframe: ReferenceFrame
    point: Point

    @classmethod
    def parent(cls, joint: Joint) -> "Side":
        """Return the parent's side of a joint."""
        frame = body_frame(joint.parent, joint.parent_interframe)
        return cls(joint.parent, frame, joint.parent_interframe, joint.parent_point)

    @classmethod
    def child(cls, joint: Joint) -> "Side":
        """Return the child's side of a joint."""
        frame = body_frame(joint.child, joint.child_interframe)
        return cls(joint.child, frame, joint.child_interframe, joint.child_point)
