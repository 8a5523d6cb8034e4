"""Positions of the joints and bodies of a System: forward kinematics on arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy.physics.mechanics import CylindricalJoint, Particle, PinJoint, PrismaticJoint, RigidBody
from sympy.physics.vector import Point

from .. import InverseDynamics, LoopJoint
from ..extend import Geometry, Inputs, is_placed
from ..records.wrench_components import known_product
from .body_extent import attached_points, far_ends, half_rod
from .picture_inputs import SampledMotion

#: The motions of joints along or about their axes.
MOVES = dict.fromkeys((PinJoint, CylindricalJoint, "pin", "cylindrical"), "turning")
MOVES |= dict.fromkeys((PrismaticJoint, "prismatic"), "sliding")


@dataclass(frozen=True, eq=False)
class Placement:
    """The configuration of a model at many instants, in ground's axes."""

    # ``joints``: the model's, then those that close its loops; ``moved``: the bodies of the former,
    # with their points; ``attached``: all points of these bodies; ``ends`` (N, 3) of bodies that
    # reach beyond them; ``rotations`` (N, 3, 3) from bodies' frames; ``places`` (N, 3) of points;
    # ``axes`` of joints that turn or slide along one: ("turning" or "sliding", direction (N, 3)).

    joints: tuple[Any, ...]
    moved: Mapping[Any, tuple[Any, Point]]
    attached: Mapping[Any, Sequence[Point]]
    ends: Mapping[Any, np.ndarray]
    rotations: Mapping[RigidBody | Particle, np.ndarray]
    places: Mapping[Point, np.ndarray]
    axes: Mapping[Any, tuple[str, np.ndarray]]

    @classmethod
    def of(
        cls,
        idyn: InverseDynamics,
        motion: SampledMotion,
        constants: Mapping[Any, float],
        samples: Mapping[Any, np.ndarray],
        tip: Point | None,
    ) -> "Placement":
        """Return the placement of a moving model; all joints lead to ground."""
        tree, joints = idyn.model.tree, idyn.model.tree.all_joints
        frame, origin = tree.frame, tree.ground_origin
        frames = {link.body: link.frame for link in tree.links}
        frames |= zip((x.child for x in tree.joints), tree.wrench_frames, strict=False)
        moved = {
            joint: (link.body, joint.parent_point if link.is_reversed else joint.child_point)
            for joint, link in zip(tree.joints, tree.joint_links, strict=True)
        }
        attached = attached_points(idyn, moved, tip)
        points = [x.child_point for x in joints]
        points += [getattr(x, "parent_point", x.child_point) for x in joints]
        points += [x for own in attached.values() for x in own] + [x.masscenter for x in frames]
        points = [x for x in points if is_placed(x, origin, ())]
        if loose := [j.name for j in joints if j.child_point not in points]:
            raise ValueError(
                f"`model` must be connected with ground, the joints {', '.join(loose)} are not."
            )
        rows = (len(motion.times),)
        known = {x: own for x, own in samples.items() if np.shape(own) in ((), rows)}
        known |= dict.fromkeys((x.args[0] for x in tree.coordinates), motion.times)
        known |= zip(tree.coordinates, motion.q.T, strict=True)
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
        given = {*map(str, (*constants, *known))}

        def beyond(body: Any, way: np.ndarray) -> float:
            # a chain's last body ends at its tip
            return 0.0 if tip is not None else half_rod(body, way, evaluate, given)

        ends = far_ends(moved, attached, turns, places, beyond)
        return cls(joints, moved, attached, ends, turns, places, turned)


def _axis_of(joint: Any) -> tuple[str, list[Any]] | None:
    """Return a joint's kind of motion, and its axis in the parent's interframe, if it has one."""
    word = MOVES.get(joint.kind if isinstance(joint, LoopJoint) else type(joint))
    return None if word is None else (word, [*joint.joint_axis.to_matrix(joint.parent_interframe)])
