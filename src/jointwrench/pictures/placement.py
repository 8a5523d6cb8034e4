"""Positions of the joints and bodies of a System: forward kinematics on arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr
from sympy.physics.mechanics import CylindricalJoint, Particle, PinJoint, PrismaticJoint, RigidBody
from sympy.physics.vector import Point

from .. import LoopJoint, SerialChain, Trajectory
from ..checks.arguments import check_instance
from ..extend import (
    Geometry,
    Inputs,
    LoopConnection,
    MotionReader,
    body_frame,
    is_placed,
    system_of,
)
from ..records.unknown_components import known_product

#: The motions of joints along or about their axes.
MOVES = dict.fromkeys((PinJoint, CylindricalJoint, "pin", "cylindrical"), "turning")
MOVES |= dict.fromkeys((PrismaticJoint, "prismatic"), "sliding")


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
    """The configuration of a model at many instants, in ground's axes."""

    # ``joints``: the model's, then those that close its loops; ``rotations`` (N, 3, 3) from each
    # body's frame; ``places`` (N, 3) of joints' points, mass centres and a chain's tip; ``axes`` of
    # joints that turn or slide along one: ("turning" or "sliding", direction (N, 3)).

    joints: tuple[Any, ...]
    rotations: Mapping[RigidBody | Particle, np.ndarray]
    places: Mapping[Point, np.ndarray]
    axes: Mapping[Any, tuple[str, np.ndarray]]

    @classmethod
    def of(
        cls,
        model: Any,
        motion: Any,
        constants: Mapping[Any, float],
        closures: Iterable[LoopConnection] = (),
        samples: Mapping[Any, np.ndarray] | None = None,
    ) -> "Placement":
        """Return the placement of a moving model; all joints lead to ground."""
        if model is not None and getattr(model, "system", model) is None:  # of a KanesMethod
            tree = model.model.tree
            frame, origin, coordinates = tree.frame, tree.ground_origin, tree.coordinates
            joints: tuple[Any, ...] = (*tree.joints, *closures)
            pairs = zip(tree.joints, tree.wrench_frames, strict=False)
            frames = {x.child: own for x, own in pairs}
            points = [point for x in joints for point in (x.child_point, x.child.masscenter)]
            points += [x.parent_point for x in closures]
        else:
            system = system_of(model)
            frame, origin, coordinates = system.frame, system.fixed_point, system.q
            joints = (*system.joints, *closures)
            sides = [(joint.parent, joint.parent_interframe) for joint in system.joints]
            sides += [(joint.child, joint.child_interframe) for joint in system.joints]
            frames = {body: body_frame(body, own) for body, own in sides}  # of a particle's joint
            points = [point for x in joints for point in (x.parent_point, x.child_point)]
            points += [body.masscenter for body in frames]
            points += [model.tip] if isinstance(model, SerialChain) else []
        check_motion(motion, coordinates)
        if loose := [j.name for j in joints if not is_placed(j.child_point, origin, ())]:
            raise ValueError(
                f"`model` must be connected with ground, the joints {', '.join(loose)} are not."
            )
        rows = (len(motion.times),)
        known = {x: own for x, own in (samples or {}).items() if np.shape(own) in ((), rows)}
        known |= dict.fromkeys((x.args[0] for x in coordinates), np.asarray(motion.times))
        known |= zip(coordinates, motion.q.T, strict=True)
        inputs = Inputs(known, {})
        axes = {joint: found for joint in joints if (found := _axis_of(joint)) is not None}
        seen = [*frames.values(), *(joint.parent_interframe for joint in axes)]

        def evaluate(expressions: Any) -> np.ndarray:
            return inputs.evaluate(expressions, constants)

        rotations, places = Geometry(points, seen).poses(frame, origin, evaluate, seen, points)
        values = evaluate([x for _, axis in axes.values() for x in axis])
        parts = np.split(values, max(len(axes), 1), axis=-1)
        turned = {
            joint: (kind, known_product(rotations[joint.parent_interframe], own))
            for (joint, (kind, _)), own in zip(axes.items(), parts, strict=False)
        }
        turns = {body: rotations[frame] for body, frame in frames.items()}
        return cls(joints, turns, places, turned)


def _axis_of(joint: Any) -> tuple[str, list[Any]] | None:
    """Return a joint's kind of motion, and its axis in the parent's interframe, if it has one."""
    word = MOVES.get(joint.kind if isinstance(joint, LoopJoint) else type(joint))
    return None if word is None else (word, [*joint.joint_axis.to_matrix(joint.parent_interframe)])
