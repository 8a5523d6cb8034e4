"""`ObserverFrame`: dynamics relative to an accelerating, rotating observer."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ...checks.arguments import check_instance, check_sequence
from ...checks.pickles import Pickled
from ..sympy_objects import Body, check_body, check_frame, check_point
from .paths import check_oriented, check_path
from .wrench import Wrench, momentum_rate


class FictitiousWrenches(NamedTuple):
    """The four fictitious wrenches on a body, each about its mass centre.

    They appear if a moving frame is treated as an inertial one; nothing exerts them.  Made by
    `ObserverFrame.fictitious_wrenches`.

    Attributes
    ==========

    dalembert : Wrench
        Due to the acceleration of the observer's attachment.
    euler : Wrench
        Due to the angular acceleration of the observer.
    centrifugal : Wrench
        Due to the angular velocity of the observer.
    coriolis : Wrench
        Due to the angular velocity of the observer and the velocities in its frame.

    See Also
    ========

    ObserverFrame.fictitious_wrenches : Makes them.

    Examples
    ========

    >>> import jointwrench as jw
    >>> from sympy.physics.mechanics import RigidBody
    >>> body = RigidBody("body", mass=2)
    >>> at_rest = jw.ObserverFrame(body.frame, body.masscenter, body.frame, body.masscenter)
    >>> at_rest.fictitious_wrenches(body)._fields
    ('dalembert', 'euler', 'centrifugal', 'coriolis')
    """

    dalembert: Wrench
    euler: Wrench
    centrifugal: Wrench
    coriolis: Wrench

    @property
    def total(self) -> Wrench:
        """The sum of the four fictitious wrenches, about the mass centre of the body."""
        return self.dalembert + self.euler + self.centrifugal + self.coriolis


@dataclass(frozen=True, eq=False)
class ObserverFrame(Pickled):
    r"""An observer in any motion: a rotating frame attached to a moving point.

    The balance of wrenches on a body, all about one point, is in the observer's frame

    ``observed dynamic = joint wrench + external + d'Alembert + Euler +
    centrifugal + Coriolis``

    Parameters
    ==========

    frame : ReferenceFrame
        The frame in which the observer measures: A.
    attachment : Point
        The point from which the observer measures positions: O. It is at rest
        for the observer, and may move in any way.
    inertial_frame : ReferenceFrame
        A frame in which Newton's laws hold: N.
    origin : Point
        A point at rest in the inertial frame.

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type; if ``frame`` and ``inertial_frame`` or ``attachment``
        and ``origin`` are not connected.

    See Also
    ========

    Kinematics : Compiled, for any observer.

    Examples
    ========

    A needle is at rest on a record that spins at a constant rate. For an observer on the record, a
    centrifugal force acts on it:

    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import (
    ...     Particle, Point, ReferenceFrame, dynamicsymbols)
    >>> import jointwrench as jw
    >>> m, r, W = symbols('m r Omega')
    >>> N, A, O = ReferenceFrame('N'), ReferenceFrame('A'), Point('O')
    >>> A.orient_axis(N, W*dynamicsymbols._t, N.z)
    >>> needle = Particle('needle', O.locatenew('C', r*A.x), m)
    >>> record = jw.ObserverFrame(A, O, N, O)
    >>> record.velocity(needle.masscenter)
    0
    >>> record.fictitious_wrenches(needle).centrifugal
    Wrench(point=C, force=Omega**2*m*r*A.x, moment=0)

    The wrench that holds the needle is the same for every observer:

    >>> record.joint_wrench(needle, O)
    Wrench(point=O, force=- Omega**2*m*r*A.x, moment=0)
    >>> jw.ObserverFrame(N, O, N, O).joint_wrench(needle, O)
    Wrench(point=O, force=- Omega**2*m*r*A.x, moment=0)

    Notes
    =====

    * Velocities and accelerations are derivatives of position vectors; those
      stored with ``Point.set_vel`` are not used and need not exist. Angular
      velocities are those stored in the frames.
    * The joints of sympy store angular velocities in generalized speeds ``u``
      and positions in coordinates ``q``. Results then contain both ``u`` and
      ``q'``, and observers agree once ``q'`` is replaced by ``u``.
    * The inertia of a RigidBody is assumed to be constant in ``body.frame``.

    References
    ==========

    .. [1] H. Goldstein, C. Poole, J. Safko, Classical Mechanics, 3rd ed.,
       Addison-Wesley, 2002, section 4.10.
    """

    frame: ReferenceFrame
    attachment: Point
    inertial_frame: ReferenceFrame
    origin: Point

    def __post_init__(self) -> None:
        check_frame("inertial_frame", self.inertial_frame)
        check_oriented("frame", self.frame, self.inertial_frame)
        check_point("origin", self.origin)
        check_path("attachment", self.attachment, self.origin)

    def position(self, p: Point) -> Vector:
        """Return the position of a Point ``p`` from the attachment.

        Raises
        ======

        TypeError, ValueError
            If ``p`` is not a Point, or no path of positions connects it and the attachment.

        See Also
        ========

        ObserverFrame.velocity : Its derivative.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> world, origin = chain.ground.frame, chain.ground.masscenter
        >>> rider = jw.ObserverFrame(chain.frames[0], chain.tip, world, origin)
        >>> rider.position(origin)
        - l_0*S_0.y
        """
        return check_path("p", p, self.attachment)

    def velocity(self, p: Point) -> Vector:
        """Return the velocity of a Point ``p`` relative to the attachment, in the observer's frame.

        It is the derivative of `position` in that frame, and has the same errors.

        See Also
        ========

        ObserverFrame.position : Its integral.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> world, origin = chain.ground.frame, chain.ground.masscenter
        >>> rider = jw.ObserverFrame(chain.frames[0], chain.tip, world, origin)
        >>> rider.velocity(origin)
        0
        """
        return self.position(p).dt(self.frame)

    def acceleration(self, p: Point) -> Vector:
        """Return the acceleration of a Point ``p`` relative to the attachment, in that frame.

        It is the derivative of `velocity` in the observer's frame; errors are those of `position`.

        See Also
        ========

        ObserverFrame.velocity : Its integral.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> world, origin = chain.ground.frame, chain.ground.masscenter
        >>> rider = jw.ObserverFrame(chain.frames[0], chain.tip, world, origin)
        >>> rider.acceleration(origin)
        0
        """
        return self.velocity(p).dt(self.frame)

    def dynamic_wrench(self, body: Body) -> Wrench:
        """Return the rate of change of a ``body``'s momentum relative to the observer.

        It is the force ``m a`` and the moment ``I al + wr x (I wr)`` about its mass centre, where
        ``a``, ``al`` and ``wr`` are acceleration, angular acceleration and angular velocity in the
        observer's frame, and ``I`` is the central inertia. The moment of a Particle is zero.

        Raises
        ======

        TypeError, ValueError
            If ``body`` is neither a RigidBody nor a Particle; if the mass centre and the
            attachment, or the frames of the body and of the observer, are not connected.

        See Also
        ========

        Wrench.dynamic : For an observer at rest.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> world, origin = chain.ground.frame, chain.ground.masscenter
        >>> rider = jw.ObserverFrame(chain.frames[0], chain.tip, world, origin)
        >>> rider.dynamic_wrench(chain.bodies[0]).force
        0
        """
        center = self._check_body(body)
        return momentum_rate(body, self.frame, self.acceleration(center))

    def fictitious_wrenches(self, body: Body) -> FictitiousWrenches:
        """Return the fictitious wrenches on a ``body`` for this observer.

        They are about its mass centre. ``w`` and ``al`` are the angular velocity and acceleration
        of the observer and ``a_O`` the acceleration of the attachment in the inertial frame; ``r``
        and ``v`` are position and velocity of the mass centre and ``wr`` is the angular velocity of
        the body, relative to the observer; ``I`` is the central inertia:

        ===========  ==================  ================================================
        wrench       force               moment (RigidBody only)
        ===========  ==================  ================================================
        dalembert    ``-m a_O``          0
        euler        ``-m al x r``       ``-I al``
        centrifugal  ``-m w x (w x r)``  ``-w x (I w)``
        coriolis     ``-2 m w x v``      ``-(I (w x wr) + w x (I wr) + wr x (I w))``
        ===========  ==================  ================================================

        Errors are those of `dynamic_wrench`.

        See Also
        ========


        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> world, origin = chain.ground.frame, chain.ground.masscenter
        >>> rider = jw.ObserverFrame(chain.frames[0], chain.tip, world, origin)
        >>> rider.fictitious_wrenches(chain.bodies[0]).centrifugal.force
        - l_0*m_0*u_0(t)**2/2*S_0.y
        """
        center = self._check_body(body)
        m, r, v = body.mass, self.position(center), self.velocity(center)
        w = self.frame.ang_vel_in(self.inertial_frame)
        al = self.frame.ang_acc_in(self.inertial_frame)
        place = self.attachment.pos_from(self.origin)
        dalembert = -m * place.dt(self.inertial_frame).dt(self.inertial_frame)
        euler, centrifugal, coriolis = self._fictitious_moments(body, w, al)
        return FictitiousWrenches(
            Wrench(center, dalembert),
            Wrench(center, -m * al.cross(r), euler),
            Wrench(center, -m * w.cross(w.cross(r)), centrifugal),
            Wrench(center, -2 * m * w.cross(v), coriolis),
        )

    def joint_wrench(self, body: Body, point: Point, external: Iterable[Wrench] = ()) -> Wrench:
        """Return the wrench on a ``body``, by its parent, from the balance in this frame.

        It acts on the body in addition to the ``external`` wrenches, an iterable: weight, loads,
        and the negative of the joint wrenches of its children, each about any point. It does not
        depend on the observer. Its moment is about ``point``, usually ``joint.child_point``.

        Raises
        ======

        TypeError, ValueError
            If an argument has the wrong type, or points or frames are not connected.

        See Also
        ========

        InverseDynamics.joint_wrench : Without an observer.

        Examples
        ========

        A pendulum that hangs still is held by the opposite of its weight:

        >>> from sympy import symbols
        >>> from sympy.physics.mechanics import Particle, Point, ReferenceFrame
        >>> import jointwrench as jw
        >>> m, g, l = symbols('m g l')
        >>> N, P = ReferenceFrame('N'), Point('P')
        >>> bob = Particle('bob', P.locatenew('C', -l*N.y), m)
        >>> earth = jw.ObserverFrame(N, P, N, P)
        >>> earth.joint_wrench(bob, P, [jw.Wrench.weight(bob, -g*N.y)])
        Wrench(point=P, force=g*m*N.y, moment=0)
        """
        unknown = self.dynamic_wrench(body) - self.fictitious_wrenches(body).total
        check_path("point", point, body.masscenter)
        expected, fix = "an iterable of Wrench", "Use Wrench.from_loads(loads, point)"
        for wrench in check_sequence("external", external, expected):
            check_instance("external", wrench, Wrench, expected, f"{fix} for sympy loads.")
            check_path("external", wrench.point, body.masscenter)
            unknown -= wrench
        return unknown.about(point)

    def _fictitious_moments(
        self, body: Body, w: Vector, al: Vector
    ) -> tuple[Vector, Vector, Vector]:
        """Return Euler, centrifugal and Coriolis moment about the mass centre."""
        if not isinstance(body, RigidBody):
            return Vector(0), Vector(0), Vector(0)
        I = body.central_inertia
        wr = body.frame.ang_vel_in(self.frame)
        return (
            -I.dot(al),
            -w.cross(I.dot(w)),
            -(I.dot(w.cross(wr)) + w.cross(I.dot(wr)) + wr.cross(I.dot(w))),
        )

    def _check_body(self, body: Body) -> Point:
        """Return the mass centre of a body whose frame is connected with the observer's."""
        center = check_body("body", body).masscenter
        if isinstance(body, RigidBody):
            check_oriented("body.frame", body.frame, self.frame)
        check_path("body.masscenter", center, self.attachment)
        return center
