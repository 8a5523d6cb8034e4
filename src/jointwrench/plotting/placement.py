"""Where the joints and bodies of a System are: forward kinematics on arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr
from sympy.physics.mechanics import CylindricalJoint, PinJoint, PrismaticJoint
from sympy.physics.vector import Point

from ..arithmetic.array_functions import known_product
from ..checks.arguments import Body, check_instance
from ..evaluation.inputs import Inputs
from ..evaluation.motions import MotionReader
from ..mechanism.geometry import Geometry
from ..mechanism.relative_motion import Side
from ..methods.system_method import SystemMethod
from ..models.loop_connection import LoopConnection
from ..models.loop_joint import LoopJoint
from ..models.serial_chain import SerialChain, system_of
from ..motion.trajectory import Trajectory
from ..spatial.paths import is_placed


def check_motion(motion: Any, coordinates: Sequence[Expr]) -> Trajectory:
    """Return the argument ``motion`` if it is a Trajectory of a model with such coordinates."""
    fix = "Use Trajectory(times, *prescribed.at(times)) for a PrescribedMotion."
    if isinstance(motion, np.ndarray):
        fix = "Use Trajectory.from_samples(times, q) for coordinates in an array."
    check_instance("motion", motion, Trajectory, "a Trajectory", fix)
    MotionReader({"q": coordinates}).check_names(motion)
    if motion.q.shape[1] != len(coordinates):
        raise ValueError(
            f"`motion` must have {len(coordinates)} coordinates, got {motion.q.shape[1]}."
        )
    return motion


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a model is at many instants, in ground's axes.

    ``joints`` are those of the model, then those that close its loops; ``rotations`` (N, 3, 3) lead
    from each body's frame to ground's; ``places`` (N, 3) are those of the joints' points, the
    bodies' mass centres and a chain's tip; ``axes`` of joints that turn or slide along one are
    ("turning" or "sliding", direction (N, 3)).
    """

    joints: tuple[Any, ...]
    rotations: Mapping[Body, np.ndarray]
    places: Mapping[Point, np.ndarray]
    axes: Mapping[Any, tuple[str, np.ndarray]]

    @classmethod
    def of(
        cls,
        model: Any,
        motion: Any,
        constants: Mapping[Any, float],
        closures: Iterable[LoopConnection] = (),
    ) -> "Placement":
        """Return the placement of a model that moves; all joints lead to ground."""
        is_tree = isinstance(model, SystemMethod) and model.system is None
        system = None if is_tree else system_of(model)
        if system is None:
            tree = model.model.tree
            frame, origin, coordinates = tree.frame, tree.ground_origin, tree.coordinates
            joints: tuple[Any, ...] = tree.joints
            frames = {x.child: own for x, own in zip(joints, tree.wrench_frames, strict=False)}
            points = [point for x in joints for point in (x.child_point, x.child.masscenter)]
        else:
            frame, origin, coordinates = system.frame, system.fixed_point, system.q
            sides = [make(joint) for make in (Side.parent, Side.child) for joint in system.joints]
            joints = (*system.joints, *closures)
            frames = {side.body: side.frame for side in sides}  # a particle's is of its own joint
            points = [point for side in sides for point in (side.point, side.body.masscenter)]
            points += [point for x in closures for point in (x.parent_point, x.child_point)]
            points += [model.tip] if isinstance(model, SerialChain) else []
        check_motion(motion, coordinates)
        if loose := [j.name for j in joints if not is_placed(j.child_point, origin, ())]:
            raise ValueError(
                f"`model` must be connected with ground, the joints {', '.join(loose)} are not."
            )
        inputs = Inputs(dict(zip(coordinates, motion.q.T, strict=True)), {})
        axes = {joint: found for joint in joints if (found := _axis_of(joint)) is not None}
        seen = [*frames.values(), *(joint.parent_interframe for joint in axes)]

        def evaluate(expressions: Any) -> np.ndarray:
            return inputs.evaluate(expressions, constants)

        rotations, places = Geometry(points, seen).poses(frame, origin, evaluate, seen, points)
        values = evaluate([x for _, axis in axes.values() for x in axis])
        turned = {
            joint: (kind, known_product(rotations[joint.parent_interframe], own))
            for (joint, (kind, _)), own in zip(
                axes.items(), np.split(values, max(len(axes), 1), axis=-1), strict=False
            )
        }
        turns = {body: rotations[frame] for body, frame in frames.items()}
        return cls(joints, turns, places, turned)


def _axis_of(joint: Any) -> tuple[str, list[Any]] | None:
    """Return how a joint moves, and its axis in the parent's interframe, if it has one."""
    kind = joint.kind if isinstance(joint, LoopJoint) else type(joint)
    if kind in (PinJoint, CylindricalJoint, "pin", "cylindrical"):
        word = "turning"
    elif kind in (PrismaticJoint, "prismatic"):
        word = "sliding"
    else:
        return None
    return word, list(joint.joint_axis.to_matrix(joint.parent_interframe))
