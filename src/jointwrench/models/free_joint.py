"""`FreeJoint`: six degrees of freedom, for floating bases."""

import re
from typing import Any, Literal

from sympy import Matrix
from sympy.physics.vector import dynamicsymbols

from ..checks.arguments import check_choice, describe
from ..mechanics.spatial.components import vector_of
from ..mechanics.sympy_objects import Body, is_particle
from .joint_kinematics import MovingJoint, orient_by_quaternion, quaternion_kdes, rate_kdes

#: The descriptions of the child's orientation.
ROTATIONS = ("angles", "quaternion")


class FreeJoint(MovingJoint):
    """Six degrees of freedom: the joint of a floating base, which constrains nothing.

    The child translates and rotates freely.  The coordinates are its position and orientation
    relative to the parent, which is ground for most floating bases::

          z |   / y                   child_interframe
            |  /                     /
            | /      r = (x, y, z)  /
            o---------------------> o ============== child
          parent_point             child_point
          parent_interframe

    The first three coordinates are the components of the position of the
    child's point from the parent's in the **parent** interframe, and the first
    three speeds are their time derivatives.  The other coordinates describe
    the orientation of the child interframe in the parent interframe:

    ``rotation="angles"``
        Three body-fixed angles.  The speeds are their time derivatives.  As in sympy's
        ``SphericalJoint`` they are not unique in some orientations: in the order 123 if the second
        angle is a quarter turn, in an order such as 313 if it is zero.  There the forces of a
        loop joint that holds the child are undetermined (NaN); with a quaternion they are not.
    ``rotation="quaternion"``
        A quaternion, scalar part first: no singularity, see `QuaternionJoint`.
        The speeds are the components of the angular velocity of the child in
        the parent, in the **child** interframe.

    Parameters
    ==========

    name : str
        A unique name for the joint.
    parent : RigidBody or Particle
        The body relative to which the child moves.
    child : RigidBody
        The body that moves; not a Particle, which has no orientation.
    coordinates : iterable of 6 or 7 dynamicsymbols, optional
        Position, then orientation.  Default: ``q0_name``, ``q1_name``, ...
    speeds : iterable of 6 dynamicsymbols, optional
        In the same order.  Default: ``u0_name`` to ``u5_name``.
    parent_point, child_point : Point or Vector, optional
        The position is from the first to the second; a Vector is a position from the mass centre.
        Default: the mass centres.
    parent_interframe, child_interframe : ReferenceFrame or Vector, optional
        Frames fixed in the bodies; a Vector becomes the x axis of a new frame.
        Default: the bodies' frames.
    rotation : {"angles", "quaternion"}, optional
        The description of the orientation.
    rot_order : str or int, optional
        Order of the angles, as for ``ReferenceFrame.orient_body_fixed``.

    Attributes
    ==========

    coordinates, speeds, kdes : Matrix, shapes (6 or 7, 1), (6, 1), (6 or 7, 1)
        The coordinates, the speeds, and the kinematical differential equations, each zero.
    rotation : str
        The description of the orientation.

    Raises
    ======

    TypeError, ValueError
        If the child is a Particle or ``rotation`` unknown; as for sympy's joints, for instance a
        wrong number of coordinates.

    Notes
    =====

    The joint wrench of a FreeJoint is the *residual*: the wrench that the motion requires beyond
    all known loads.  It vanishes in free flight; in measured motions it shows errors of data and
    model.  With a quaternion the generalized forces are its force in the parent interframe and its
    moment in the child interframe, in the order of a wrench.

    Speeds of other packages: MuJoCo's free joint has those of the quaternion
    variant, in the same order.  Pinocchio's ``JointModelFreeFlyer`` also has
    the linear velocity in the child's frame: ``R.T @ u[:3]``, with R the
    rotation matrix from the child's to the parent's components, and its
    quaternion has the scalar part last.

    Examples
    ========

    >>> from sympy.physics.mechanics import RigidBody, System
    >>> import jointwrench as jw
    >>> ground, stone = RigidBody("ground"), RigidBody("stone")
    >>> joint = jw.FreeJoint("J", ground, stone, rotation="quaternion")
    >>> stone.masscenter.pos_from(ground.masscenter)
    q0_J(t)*ground_frame.x + q1_J(t)*ground_frame.y + q2_J(t)*ground_frame.z
    >>> stone.masscenter.vel(ground.frame)
    u0_J(t)*ground_frame.x + u1_J(t)*ground_frame.y + u2_J(t)*ground_frame.z
    >>> stone.frame.ang_vel_in(ground.frame)
    u3_J(t)*stone_frame.x + u4_J(t)*stone_frame.y + u5_J(t)*stone_frame.z

    Euler's equations, in the body's frame:

    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import inertia
    >>> A, B, C = symbols("A B C")
    >>> stone.central_inertia = inertia(stone.frame, A, B, C)
    >>> system = System.from_newtonian(ground)
    >>> system.add_joints(joint)
    >>> jw.InverseDynamics(system).generalized_forces[3, 0]
    A*Derivative(u3_J(t), t) - (B - C)*u4_J(t)*u5_J(t)

    See Also
    ========

    QuaternionJoint : Rotation only.
    """

    @staticmethod
    def _freedoms(joint: Any) -> tuple[None, list[tuple[Any, Any]]]:
        """Return the free rotations and translations of a joint; None stands for any rotation."""
        return None, list(zip(joint.translation_coordinates, joint.parent_interframe, strict=True))

    def __init__(
        self,
        name: str,
        parent: Body,
        child: Body,
        coordinates: Any = None,
        speeds: Any = None,
        parent_point: Any = None,
        child_point: Any = None,
        parent_interframe: Any = None,
        child_interframe: Any = None,
        rotation: Literal["angles", "quaternion"] = "angles",
        rot_order: str | int = 123,
    ) -> None:
        check_choice("rotation", rotation, ROTATIONS)
        if is_particle(child):
            raise TypeError(
                f"`child` of the FreeJoint {name!r} must be a RigidBody, got {describe(child)}, "
                "which has no orientation. Use three PrismaticJoints with massless bodies "
                "between them for a free Particle."
            )
        _check_order(rot_order)
        self.rotation = rotation
        self._rot_order = rot_order
        self._counts = 7 if rotation == "quaternion" else 6, 6
        places = parent_point, child_point, parent_interframe, child_interframe
        super().__init__(name, parent, child, coordinates, speeds, *places)

    @property
    def translation_coordinates(self) -> Matrix:
        """The position of the child's point from the parent's, in the parent interframe."""
        return self.coordinates[:3, 0]

    @property
    def rotation_coordinates(self) -> Matrix:
        """The angles or the quaternion."""
        return self.coordinates[3:, 0]

    @property
    def translation_speeds(self) -> Matrix:
        """The time derivatives of the translation coordinates."""
        return self.speeds[:3, 0]

    @property
    def rotation_speeds(self) -> Matrix:
        """The angles' time derivatives, or the angular velocity in the child interframe."""
        return self.speeds[3:, 0]

    def _generate_kdes(self) -> Matrix:
        shift = rate_kdes(self.translation_coordinates, self.translation_speeds)
        kdes = quaternion_kdes if self.rotation == "quaternion" else rate_kdes
        return Matrix([shift, kdes(self.rotation_coordinates, self.rotation_speeds)])

    def _orient_frames(self) -> None:
        child, parent = self.child_interframe, self.parent_interframe
        if self.rotation == "quaternion":
            orient_by_quaternion(child, parent, self.rotation_coordinates)
        else:
            child.orient_body_fixed(parent, tuple(self.rotation_coordinates), self._rot_order)

    def _set_angular_velocity(self) -> None:
        """Set the child's angular velocity in the parent, in terms of the speeds."""
        child, parent = self.child_interframe, self.parent_interframe
        if self.rotation == "quaternion":
            velocity = vector_of(self.rotation_speeds, child)
        else:
            rates = self.rotation_coordinates.diff(dynamicsymbols._t)
            pairs = zip(rates, self.rotation_speeds, strict=True)
            velocity = child.ang_vel_in(parent).xreplace(dict(pairs))
        child.set_ang_vel(parent, velocity)

    def _path(self) -> tuple[Matrix, Matrix]:
        return self.translation_coordinates, self.translation_speeds


def _check_order(order: Any) -> None:
    """Raise an error if the order is not three axes with different neighbours, as in sympy."""
    digits = str(order).upper().translate(str.maketrans("XYZ", "123"))
    if not re.fullmatch(r"([123])(?!\1)([123])(?!\2)[123]", digits):
        raise ValueError(
            f"`rot_order` must be three axes whose neighbours differ, such as 'ZXY' or 312, got "
            f"{describe(order)}."
        )
