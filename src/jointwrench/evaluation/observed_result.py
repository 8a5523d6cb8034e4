"""What a result tells of points and frames."""

from typing import Any

import numpy as np


class ObservedResult:
    """Where points and frames of the model are, and how they move, at the samples of a result."""

    __slots__ = ()

    def position(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the position of a point, shape (..., 3).

        Parameters
        ==========

        point : Point or str
            A point, or its name: one of those of `Kinematics`, or of the model.
        relative_to : RigidBody, ReferenceFrame, ObserverFrame or str, optional
            Who looks, as for `Kinematics`.  Default: who looked there, or ground.
        frame : ReferenceFrame or str, optional
            The frame of the components.  Default: as there, or the observer's own.

        Raises
        ======

        TypeError, ValueError
            As for `Kinematics`; if the evaluation did not have a value for all that this
            depends on; after pickling, but for what was compiled.

        Notes
        =====

        What was not compiled is now, for numpy: use `Kinematics` for many samples.
        """
        return self._observed("positions", point, relative_to, frame)

    def velocity(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the velocity of a point, shape (..., 3).

        ``point``, ``relative_to`` and ``frame`` are those of `position`.
        """
        return self._observed("velocities", point, relative_to, frame)

    def acceleration(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the acceleration of a point, shape (..., 3).

        ``point``, ``relative_to`` and ``frame`` are those of `position`.
        """
        return self._observed("accelerations", point, relative_to, frame)

    def jacobian(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return a point's velocity per unit of each speed, shape (..., 3, n).

        ``point``, ``relative_to`` and ``frame`` are those of `position`.
        """
        return self._observed("jacobians", point, relative_to, frame)

    def orientation(self, of: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the orientation of a frame, shape (..., 3, 3), whose rows are its axes.

        Parameters
        ==========

        of : ReferenceFrame or str
            A frame, or its name: one of those of `Kinematics`, or of the model.
        relative_to, frame : optional
            As for `position`.
        """
        return self._observed("orientations", of, relative_to, frame)

    def angular_velocity(self, of: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the angular velocity of a frame, shape (..., 3).

        ``of``, ``relative_to`` and ``frame`` are those of `orientation`.
        """
        return self._observed("angular_velocities", of, relative_to, frame)

    def angular_acceleration(
        self, of: Any, relative_to: Any = None, frame: Any = None
    ) -> np.ndarray:
        """Return the angular acceleration of a frame, shape (..., 3).

        ``of``, ``relative_to`` and ``frame`` are those of `orientation`.
        """
        return self._observed("angular_accelerations", of, relative_to, frame)

    def angular_jacobian(self, of: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return a frame's angular velocity per unit of each speed, shape (..., 3, n).

        ``of``, ``relative_to`` and ``frame`` are those of `orientation`.
        """
        return self._observed("angular_jacobians", of, relative_to, frame)

    def _observed(self, name: str, place: Any, relative_to: Any, frame: Any) -> np.ndarray:
        result: Any = self
        observations = result._known_joints().observations
        given = result.outputs, result._known_inputs()
        return observations.select(name, place, (relative_to, frame), *given)
