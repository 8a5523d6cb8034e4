"""What a result tells of points and frames."""

from typing import Any

import numpy as np


class ResultKinematics:
    """Where points and frames of the model are, and how they move, at the samples of a result."""

    __slots__ = ()

    def position(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the position of a point, shape (..., 3).

        ``point`` is a Point, or its name: one of those of `Kinematics`, or of the model.
        ``relative_to`` says who looks, as for `Kinematics` (default: who looked there, or ground),
        ``frame`` in which frame the components are (default: as there, or the observer's own).
        What was not compiled is now, for numpy: use `Kinematics` for many samples.

        Raises
        ======

        TypeError, ValueError
            As for `Kinematics`; if the evaluation did not have a value for all that this
            depends on; after pickling, but for what was compiled.

        See Also
        ========

        Result.velocity : Its derivative.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, values = jw.SerialChain.planar(1), {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.position(chain.tip) + 0.0
        array([0. , 0.5, 0. ])
        """
        return self._observed("positions", point, relative_to, frame)

    def velocity(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the velocity of a point, shape (..., 3).

        ``point``, ``relative_to`` and ``frame`` are those of `position`.

        See Also
        ========

        Result.position : Its integral.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, values = jw.SerialChain.planar(1), {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.velocity(chain.tip) + 0.0
        array([0., 0., 0.])
        """
        return self._observed("velocities", point, relative_to, frame)

    def acceleration(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the acceleration of a point, shape (..., 3).

        ``point``, ``relative_to`` and ``frame`` are those of `position`.

        See Also
        ========

        Result.velocity : Its integral.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, values = jw.SerialChain.planar(1), {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.acceleration(chain.tip) + 0.0
        array([0., 0., 0.])
        """
        return self._observed("accelerations", point, relative_to, frame)

    def jacobian(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return a point's velocity per unit of each speed, shape (..., 3, n).

        ``point``, ``relative_to`` and ``frame`` are those of `position`.

        See Also
        ========

        Result.angular_jacobian : Of a frame.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, values = jw.SerialChain.planar(1), {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.jacobian(chain.tip)[:, 0] + 0.0
        array([-0.5,  0. ,  0. ])
        """
        return self._observed("jacobians", point, relative_to, frame)

    def orientation(self, of: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the orientation of a frame, shape (..., 3, 3): ``v_ground = R @ v_frame``.

        The columns are the axes of the frame ``of`` (or of that name: one of those of
        `Kinematics`, or of the model), in components of ground, or as seen by another observer:
        ``relative_to`` and ``frame`` are those of `position`; `inverse_kinematics` takes such ones.

        See Also
        ========

        Result.angular_velocity : Its rate.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, values = jw.SerialChain.planar(1), {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.orientation("S_0")[:, 0] + 0.0
        array([1., 0., 0.])
        """
        return self._observed("orientations", of, relative_to, frame)

    def angular_velocity(self, of: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the angular velocity of a frame, shape (..., 3).

        ``of``, ``relative_to`` and ``frame`` are those of `orientation`.

        See Also
        ========

        Result.orientation : The frame's axes.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, values = jw.SerialChain.planar(1), {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.angular_velocity("S_0")
        array([0., 0., 0.])
        """
        return self._observed("angular_velocities", of, relative_to, frame)

    def angular_acceleration(
        self, of: Any, relative_to: Any = None, frame: Any = None
    ) -> np.ndarray:
        """Return the angular acceleration of a frame, shape (..., 3).

        ``of``, ``relative_to`` and ``frame`` are those of `orientation`.

        See Also
        ========

        Result.angular_velocity : Its integral.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, values = jw.SerialChain.planar(1), {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.angular_acceleration("S_0")
        array([0., 0., 0.])
        """
        return self._observed("angular_accelerations", of, relative_to, frame)

    def angular_jacobian(self, of: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return a frame's angular velocity per unit of each speed, shape (..., 3, n).

        ``of``, ``relative_to`` and ``frame`` are those of `orientation`.

        See Also
        ========

        Result.jacobian : Of a point.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain, values = jw.SerialChain.planar(1), {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.angular_jacobian("S_0")[:, 0]
        array([0., 0., 1.])
        """
        return self._observed("angular_jacobians", of, relative_to, frame)

    def _observed(self, name: str, place: Any, relative_to: Any, frame: Any) -> np.ndarray:
        result: Any = self
        observations = result._known_joints().observations
        given = result.outputs, result._known_inputs()
        return observations.select(name, place, (relative_to, frame), *given)
