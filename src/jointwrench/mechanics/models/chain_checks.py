"""What a SerialChain refuses: segments, gravity and wrenches that do not fit."""

from itertools import combinations
from numbers import Real
from typing import Any

from sympy import Expr, ImmutableMatrix
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import ReferenceFrame, Vector

from ...checks.arguments import check_different, check_instance, check_sequence
from ..spatial.wrench import Wrench
from ..sympy_objects import check_real, check_triple
from .segment import Segment


def check_segments(segments: Any) -> tuple[Segment, ...]:
    """Return the segments of a chain: at least one, no name of anything twice."""
    items = check_sequence("segments", segments, "an iterable of Segment")
    if not items:
        raise ValueError("`segments` must hold at least one Segment, got none.")
    for i, item in enumerate(items):
        check_instance(f"segments[{i}]", item, Segment, "a Segment")
    for things, names in {
        "names": [item.name for item in items],
        "joint names": [item.joint_name or item.name for item in items],
        "coordinates": [name for item in items for name in item.coordinates or ()],
    }.items():
        check_different("segments", names, f"have different {things}")
    return tuple(items)


def check_free_frames(segments: tuple[Segment, ...], ground: ReferenceFrame) -> None:
    """Refuse frames of Dyadics that are oriented to ground or to each other."""
    own = [(f"segment `{segment.name}`", segment.inertia_frame()) for segment in segments]
    owners = [("ground", ground), *(pair for pair in own if pair[1] is not None)]
    for (owner, frame), (other, other_frame) in combinations(owners, 2):
        try:
            other_frame.dcm(frame)
        except ValueError:  # no path between the two, as it should be
            continue
        raise ValueError(
            f"`inertia` of {other} must be given in a frame of its own, got {other_frame}, "
            f"which is oriented to {frame} of {owner} already. Use inertia(ReferenceFrame(...), "
            "...) with a new frame, or give 3 or 6 numbers."
        )


def check_gravity(gravity: Any) -> tuple[ImmutableMatrix, ReferenceFrame | None]:
    """Return gravity's components and the frame it is given in, if there is one."""
    expected = "an acceleration Vector or 3 components in ground's frame"
    if gravity is None or (isinstance(gravity, Real | Expr | Vector) and gravity == 0):
        return ImmutableMatrix.zeros(3, 1), None
    if not isinstance(gravity, Vector):
        return ImmutableMatrix(check_triple("gravity", gravity, expected)), None
    if len(gravity.args) > 1:
        names = ", ".join(frame.name for _, frame in gravity.args)
        raise ValueError(
            f"`gravity` must be a Vector in one frame, got the frames {names}. "
            "Use gravity.express(frame)."
        )
    ((matrix, frame),) = gravity.args
    return ImmutableMatrix([check_real("gravity", item) for item in matrix]), frame


def check_reach(wrench: Wrench, body: RigidBody, ground: ReferenceFrame) -> None:
    """Refuse a wrench whose point or frame has no path to the body or to ground."""
    try:
        wrench.point.pos_from(body.masscenter)
    except ValueError as error:
        raise ValueError(
            f"`wrench` must act at a point whose position from segment {body.name!r} is known, "
            f"got the point {wrench.point}. Use {wrench.point}.set_pos(chain.tip, ...) or a "
            "point of the chain."
        ) from error
    for _, frame in (*wrench.force.args, *wrench.moment.args):
        try:
            frame.ang_vel_in(ground)
        except ValueError as error:
            raise ValueError(
                f"`wrench` must be given in frames oriented to ground, got the frame {frame}. "
                f"Use {frame}.orient_axis(chain.ground.frame, ...) or a frame of the chain."
            ) from error
