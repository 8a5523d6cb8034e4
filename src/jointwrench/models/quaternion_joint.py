"""`QuaternionJoint`: a ball joint without singularities."""

from typing import Any

from sympy import Matrix

from ..mechanics.spatial.components import vector_of
from .joint_kinematics import MovingJoint, orient_by_quaternion, quaternion_kdes


class QuaternionJoint(MovingJoint):
    """Ball-and-socket joint whose orientation is a quaternion: no singularity.

    The child rotates freely about the common point::

              parent_interframe         child_interframe
        parent -------------------- o ==================== child
                         parent_point = child_point

    The orientation of the child interframe in the parent interframe is the
    quaternion ``q0 + q1 i + q2 j + q3 k``: a rotation by the angle ``a`` about the
    unit vector ``e`` is ``q0 = cos(a/2)``, ``(q1, q2, q3) = sin(a/2) e``, with
    the same components of ``e`` in both interframes.  The generalized speeds
    are the components of the angular velocity of the child in the parent, in
    the **child** interframe, hence three, and the generalized forces are the
    components of a torque there.  The kinematical differential equations are
    ``q' = q (u0 i + u1 j + u2 k) / 2``.

    Parameters
    ==========

    name : str
        A unique name for the joint.
    parent, child : RigidBody or Particle
        The two bodies.
    coordinates : iterable of 4 dynamicsymbols, optional
        The quaternion, scalar part first.  Default: ``q0_name`` to ``q3_name``.
    speeds : iterable of 3 dynamicsymbols, optional
        The angular velocity.  Default: ``u0_name`` to ``u2_name``.
    parent_point, child_point : Point or Vector, optional
        The joint's points on the bodies; a Vector is a position from the mass centre. Default: the
        mass centres.
    parent_interframe, child_interframe : ReferenceFrame or Vector, optional
        Frames fixed in the bodies, which the quaternion relates; a Vector
        becomes the x axis of a new frame.  Default: the bodies' frames.

    Attributes
    ==========

    coordinates, speeds, kdes : Matrix, shapes (4, 1), (3, 1), (4, 1)
        The coordinates, the speeds, and the kinematical differential equations, each zero.

    Raises
    ======

    TypeError, ValueError
        As for sympy's joints, for instance for a wrong number of coordinates.

    See Also
    ========

    FreeJoint : Adds translations.

    Notes
    =====

    *The norm.*  The orientation depends only on the direction of the quaternion, so that it is
    exact for any norm but zero.  The kinematical differential equations preserve the norm; in a
    simulation it drifts by the integrator's error, which neither affects the orientation nor grows
    exponentially. `Trajectory.from_samples` normalises measured quaternions whose norm differs from
    one by at most 0.1 and refuses others.  As functions of time (`PrescribedMotion`) they must have
    a constant norm. A quaternion and its negative are the same orientation.  If all coordinates are
    zero, results are NaN: start from (1, 0, 0, 0).

    There is one coordinate more than speeds.  ``System.form_eoms``, ``KanesMethod`` and PyDy accept
    this, ``LagrangesMethod`` and ``System.validate_system`` (which need not be called) do not.

    Examples
    ========

    >>> from sympy.physics.mechanics import RigidBody
    >>> import jointwrench as jw
    >>> socket, ball = RigidBody("socket"), RigidBody("ball")
    >>> joint = jw.QuaternionJoint("J", socket, ball)
    >>> joint
    QuaternionJoint: J  parent: socket  child: ball
    >>> joint.coordinates.T
    Matrix([[q0_J(t), q1_J(t), q2_J(t), q3_J(t)]])
    >>> ball.frame.ang_vel_in(socket.frame)
    u0_J(t)*ball_frame.x + u1_J(t)*ball_frame.y + u2_J(t)*ball_frame.z
    >>> joint.kdes[0]
    q1_J(t)*u0_J(t)/2 + q2_J(t)*u1_J(t)/2 + q3_J(t)*u2_J(t)/2 + Derivative(q0_J(t), t)

    References
    ==========

    .. [1] J. Diebel, Representing attitude: Euler angles, unit quaternions, and
       rotation vectors (2006), section 6.
    """

    @staticmethod
    def _freedoms(joint: Any) -> tuple[None, list[Any]]:
        """Return the free rotations and translations of a joint; None stands for any rotation."""
        return None, []

    _counts = 4, 3

    def _generate_kdes(self) -> Matrix:
        return quaternion_kdes(self.coordinates, self.speeds)

    def _orient_frames(self) -> None:
        orient_by_quaternion(self.child_interframe, self.parent_interframe, self.coordinates)

    def _set_angular_velocity(self) -> None:
        velocity = vector_of(self.speeds, self.child_interframe)
        self.child_interframe.set_ang_vel(self.parent_interframe, velocity)

    def _path(self) -> tuple[Matrix, Matrix]:
        return Matrix.zeros(3, 1), Matrix.zeros(3, 1)
