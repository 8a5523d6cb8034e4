"""Positions, orientations and motions of points and frames at the samples of a result."""

from typing import Any

import numpy as np


class ResultKinematics:
    """Positions, orientations and motions of points and frames at the samples of a result."""

    __slots__ = ()

    def position(self, point: Any, relative_to: Any = None, frame: Any = None) -> np.ndarray:
        """Return the position of a point, shape (..., 3).

        ``point`` is a Point, or the name of one of `Kinematics` or of the model.  ``relative_to``
        is the observer, as for `Kinematics` (default: the one given there, or ground), ``frame``
        the frame of the components (default: as there, or the observer's own).  Other points than
        the compiled ones are evaluated by numpy: use `Kinematics` for many samples.

        Raises
        ======

        TypeError, ValueError
            As for `Kinematics`; if the evaluation lacked a value that is needed; after pickling,
            except for compiled points and frames.

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
        """Return the partial velocities of a point, shape (..., 3, n), one column for each speed.

        ``point``, ``relative_to`` and ``frame`` are those of `position`.

        See Also
        ========

        Result.angular_jacobian : For a frame.

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

        The columns are the axes of the frame ``of`` (or the name of one of `Kinematics` or of the
        model), in components of ground or of another observer; ``relative_to`` and ``frame`` are
        those of `position`.  `inverse_kinematics` takes such orientations.

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
        """Return the partial angular velocities of a frame, shape (..., 3, n).

        ``of``, ``relative_to`` and ``frame`` are those of `orientation`.

        See Also
        ========

        Result.jacobian : For a point.

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
        """Return a kinematic output of a point or frame for an observer, in a frame."""
        result: Any = self
        observations = result._known_joints().observations
        given = result.outputs, result._known_inputs()
        return observations.select(name, place, (relative_to, frame), *given)
