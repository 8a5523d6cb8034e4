"""`SoftContact`: a compliant plane (Hunt and Crossley) with regularised friction."""

from functools import cached_property
from typing import Any

from sympy import Expr, Max, Rational, sqrt
from sympy.physics.mechanics import Force, Torque
from sympy.physics.mechanics.actuator import ActuatorBase
from sympy.physics.vector import Point, Vector

from ..checks.arguments import check_instance, check_name
from ..checks.messages import Problems
from ..checks.pickles import Pickled
from ..mechanics.mechanism.contact import Contact
from ..mechanics.spatial.paths import check_oriented, check_path, position_from
from ..mechanics.sympy_objects import Body, check_real, check_vector, is_particle

#: The exponent of spheres.
HERTZ = Rational(3, 2)


class SoftContact(Pickled, ActuatorBase):
    """The force of a plane of one body on a point of another body that penetrates the plane.

    At a depth d > 0 below the plane, a normal force N acts on the point along the plane's normal,
    and a friction force T against its slip v, the velocity within the plane::

        N = k d^e max(0, 1 + 3/2 c d')        T = -mu N v / sqrt(v^2 + w^2)

    Above the plane there is no force, and the normal force is never negative.

    Parameters
    ==========

    name : str
        A unique name for the contact.
    parent : RigidBody
        The body with the plane: ground for most models.
    child : RigidBody or Particle
        The body with the point.
    point : Point
        The point that penetrates; its position from the child must be set: a corner, a heel, or the
        lowest point of a sphere, ``center.locatenew("low", -r * ground.y)``.
    stiffness : Expr or number
        k, force per length to the power e.
    plane : tuple of Point and Vector, optional
        A point of the plane, and its normal towards the free side, fixed in the parent.  Default:
        the parent's mass centre and its y axis.
    dissipation : Expr or number
        c, time per length: about (1 - coefficient of restitution) / speed of impact.
    coefficient : Expr or number
        Coefficient of friction mu.
    width : Expr or number, optional
        w, the slip velocity at which friction has 0.7 of its full size; at smaller loads the point
        creeps.  Required with friction.
    exponent : Expr or number
        e; 3/2 for spheres (Hertz).

    Raises
    ======

    TypeError, ValueError
        If an argument has the wrong type, is not real or is negative, if there is friction without
        a ``width``, or no positions connect the point or the plane with its body: all problems in
        one error.

    See Also
    ========

    Contact : A rigid contact without slip.
    JointFriction : Friction in joints and rigid contacts.

    Notes
    =====

    It is an actuator: ``system.add_actuators(contact)``.  Its force is a known load with exact
    derivatives, also at touchdown.  Stiff contacts need small steps or an implicit method
    (``simulate(method="Radau")``).

    References
    ==========

    K. H. Hunt, F. R. E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact,
    J. Appl. Mech. 42, 1975, 440-445.

    Examples
    ========

    >>> from sympy.physics.mechanics import Particle, PrismaticJoint, RigidBody, System
    >>> import jointwrench as jw
    >>> ground, ball = RigidBody("ground"), Particle("ball", mass=2)
    >>> system = System.from_newtonian(ground)
    >>> system.add_joints(PrismaticJoint("fall", ground, ball, joint_axis=ground.y))
    >>> floor = jw.SoftContact("floor", ground, ball, ball.masscenter, stiffness=1e4)
    >>> system.add_actuators(floor)
    >>> floor.normal_force
    10000.0*Max(0, -q_fall(t))**(3/2)
    """

    def __init__(
        self,
        name: str,
        parent: Body,
        child: Body,
        point: Point,
        stiffness: Any,
        plane: Any = None,
        dissipation: Any = 0,
        coefficient: Any = 0,
        width: Any = None,
        exponent: Any = HERTZ,
    ) -> None:
        self.name = check_name("name", name)
        self._contact = Contact(name, parent, child, point)  # which checks bodies and point
        problems = Problems()
        given = {"stiffness": stiffness, "dissipation": dissipation, "coefficient": coefficient}
        given |= {"exponent": exponent, "width": 1 if width is None else width}
        own: dict[str, Any] = {x: problems.check(_check_sign, x, y) for x, y in given.items()}
        if width is None and own["coefficient"] != 0:
            problems.add("`width` must be given with `coefficient`: the slip of full friction.")
        if plane is None:
            plane = parent.masscenter, parent.frame.y
        origin_and_normal = problems.check(_check_plane, plane, parent)
        problems.raise_all(f"SoftContact {name!r}")
        self.parent, self.child, self.point = parent, child, point
        self.origin, self.normal = origin_and_normal
        self.stiffness, self.dissipation = own["stiffness"], own["dissipation"]
        self.coefficient, self.width = own["coefficient"], own["width"]
        self.exponent = own["exponent"]

    def __repr__(self) -> str:
        return f"SoftContact: {self.name}  parent: {self.parent}  child: {self.child}"

    @cached_property
    def depth(self) -> Expr:
        """The depth of the point below the plane; negative above it."""
        return -self.normal.dot(position_from(self.point, self.origin))

    @cached_property
    def _slip(self) -> Vector:
        """The velocity of the child's material point relative to the parent's."""
        return self._contact._slip()

    @cached_property
    def normal_force(self) -> Expr:
        """The force N of the plane on the point, along the normal."""
        sinking = -self.normal.dot(self._slip) if self.dissipation != 0 else 0
        damped = Max(0, 1 + Rational(3, 2) * self.dissipation * sinking)
        return self.stiffness * Max(0, self.depth) ** self.exponent * damped

    @cached_property
    def force(self) -> Vector:
        """The normal and friction force on the child, by the parent, at the point."""
        normal, slip = self.normal, self._slip
        force = self.normal_force * normal
        if self.coefficient == 0:
            return force
        sliding = slip - slip.dot(normal) * normal
        size = sqrt(sliding.dot(sliding) + self.width**2)
        return force - self.coefficient * self.normal_force / size * sliding

    def to_loads(self) -> list[Force | Torque]:
        """Return the forces at the point as loads on both bodies, as sympy's actuators do.

        They are forces at the mass centres and torques on the frames.

        See Also
        ========

        SoftContact.force : The force on the child.

        Examples
        ========

        >>> from sympy.physics.mechanics import Particle, PrismaticJoint, RigidBody
        >>> import jointwrench as jw
        >>> ground, ball = RigidBody("ground"), Particle("ball", mass=2)
        >>> fall = PrismaticJoint("fall", ground, ball, joint_axis=ground.y)
        >>> len(jw.SoftContact("floor", ground, ball, ball.masscenter, 1e4).to_loads())
        3
        """
        force, loads = self.force, []
        for body, own in ((self.child, force), (self.parent, -force)):
            loads.append(Force(body.masscenter, own))
            if not is_particle(body):
                arm = position_from(self.point, body.masscenter)
                loads.append(Torque(body.frame, arm.cross(own)))
        return loads


def _check_sign(argument: str, value: Any) -> Expr:
    found = check_real(argument, value)
    if (found.is_number and found < 0) or (argument == "width" and found == 0):
        raise ValueError(f"`{argument}` must not be negative, nor a width zero, got {value}.")
    return found


def _check_plane(plane: Any, parent: Body) -> tuple[Point, Vector]:
    """Return a point of the plane and its unit normal."""
    expected = "a pair of a Point and a Vector"
    if not isinstance(plane, tuple) or len(plane) != 2:
        raise TypeError(f"`plane` must be {expected}, got {plane!r:.60}.")
    origin = check_instance("plane[0]", plane[0], Point, "a Point of the plane")
    check_path("plane[0]", origin, parent.masscenter)
    normal = check_vector("plane[1]", plane[1])
    for _, own in normal.args:
        check_oriented("plane[1]", own, parent.frame)
    if normal == 0:
        raise ValueError("`plane[1]` must have a direction, got the zero vector.")
    return origin, normal.normalize()
