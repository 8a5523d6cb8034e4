"""Where the bodies of a System are: forward kinematics on arrays, joint by joint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy.physics.mechanics import System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ..checks.arguments import Body, check_instance
from ..models.serial_chain import SerialChain
from ..motion.trajectory import Trajectory
from ..results.inputs import Inputs
from ..spatial.components import body_frame


@dataclass(frozen=True, eq=False)
class Placement:
    """Places and orientations of all bodies at many instants, in ground's axes.

    Parameters
    ==========

    system : System
        The model.
    inputs : Inputs
        The coordinates and constants.
    rotations : dict of body to numpy.ndarray, shape (N, 3, 3)
        From the body's frame to ground's.
    centers : dict of body to numpy.ndarray, shape (N, 3)
        The mass centres.
    frames : dict of body to ReferenceFrame
        The frames of the bodies.
    """

    system: System
    inputs: Inputs
    rotations: Mapping[Body, np.ndarray]
    centers: Mapping[Body, np.ndarray]
    frames: Mapping[Body, ReferenceFrame]

    @classmethod
    def of(cls, model: Any, motion: Any, constants: Mapping[Any, float]) -> "Placement":
        """Return the placement of a model that moves.

        Parameters
        ==========

        model : System or SerialChain
            The model, a tree on ground.
        motion : Trajectory
            Its coordinates, ``motion.q`` of shape (N, n_q).
        constants : mapping of Symbol or name to float
            The constants in the positions.

        Raises
        ======

        TypeError
            If the model is neither, or the motion no Trajectory.
        ValueError
            If the motion has another number of coordinates, a constant is
            missing, or a body is not connected with ground.
        """
        check_instance("model", model, (System, SerialChain), "a System or a SerialChain")
        system = model.system if isinstance(model, SerialChain) else model
        check_instance("motion", motion, Trajectory, "a Trajectory")
        q = np.asarray(motion.q, dtype=float)
        if q.ndim != 2 or q.shape[1] != len(system.q):
            raise ValueError(
                f"`motion` must have {len(system.q)} coordinates, q of shape (N, "
                f"{len(system.q)}), got {q.shape}."
            )
        samples = dict(zip(system.q, q.T, strict=True))
        walker = _Walker(system, Inputs(samples, {}), constants, len(q))
        walker.walk()
        return cls(system, walker.inputs, walker.rotations, walker.centers, walker.frames)

    def of_point(self, point: Point, body: Body, constants: Mapping[Any, float]) -> np.ndarray:
        """Return the place of a point that is fixed in a body, shape (N, 3)."""
        arm = point.pos_from(body.masscenter).to_matrix(self.frames[body])
        values = self.inputs.evaluate(list(arm), constants)
        return self.centers[body] + _turn(self.rotations[body], values)


class _Walker:
    """Goes from ground outward and places one body after the other."""

    def __init__(
        self, system: System, inputs: Inputs, constants: Mapping[Any, float], count: int
    ) -> None:
        self.system, self.inputs, self._constants, self._count = system, inputs, constants, count
        self.rotations: dict[Body, np.ndarray] = {}
        self.centers: dict[Body, np.ndarray] = {}
        self.frames: dict[Body, ReferenceFrame] = {}

    def walk(self) -> None:
        frame, origin = self.system.frame, self.system.fixed_point
        for body in _bodies(self.system):
            if getattr(body, "frame", None) == frame or body.masscenter == origin:
                self.frames[body] = frame
                self.rotations[body] = np.broadcast_to(np.eye(3), (self._count, 3, 3))
                offset = body.masscenter.pos_from(origin)
                self.centers[body] = self._values(offset, frame)
        left = list(self.system.joints)
        while left:
            reached = [j for j in left if j.parent in self.frames or j.child in self.frames]
            if not reached:
                names = ", ".join(joint.name for joint in left)
                raise ValueError(
                    f"`model` must be connected with ground, the joints {names} are not."
                )
            for joint in reached:
                self._pass(joint)
                left.remove(joint)

    def _pass(self, joint: Joint) -> None:
        sides = [
            (joint.parent, joint.parent_interframe, joint.parent_point),
            (joint.child, joint.child_interframe, joint.child_point),
        ]
        if joint.parent not in self.frames:
            sides.reverse()
        (known, _, near), (body, interframe, far) = sides
        if body in self.frames:
            return
        base, frame = self.frames[known], body_frame(body, interframe)
        turned = self.inputs.evaluate(list(base.dcm(frame)), self._constants)
        rotation = self.rotations[known] @ turned.reshape(-1, 3, 3)
        to_far = self._values(near.pos_from(known.masscenter), base)
        to_far = to_far + self._values(far.pos_from(near), base)
        place = self.centers[known] + _turn(self.rotations[known], to_far)
        back = self._values(body.masscenter.pos_from(far), frame)
        self.frames[body], self.rotations[body] = frame, rotation
        self.centers[body] = place + _turn(rotation, back)

    def _values(self, vector: Vector, frame: ReferenceFrame) -> np.ndarray:
        return self.inputs.evaluate(list(vector.to_matrix(frame)), self._constants)


def _bodies(system: System) -> Sequence[Body]:
    found = [*system.bodies, *(body for j in system.joints for body in (j.parent, j.child))]
    return tuple(dict.fromkeys(found))


def _turn(rotations: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return (rotations @ vectors[..., None])[..., 0]
