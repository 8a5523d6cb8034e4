"""`JointFriction`: dry and viscous friction in a bearing that depends on its reaction."""

from collections.abc import Sequence
from typing import Any

from ..mechanics.dynamics.load_laws import LoadLaws
from .friction_parameters import FrictionParameters


class JointFriction(FrictionParameters):
    """Friction in a joint that depends on the forces in its bearing.

    It is a torque for a pin, a ball joint and the loop joints of these kinds, a force for a slide,
    a guide and a contact:

    ``phi = -mu(v) s(v) (r_1 |N_1| + r_2 |N_2| + ...) - c v``

    on the child, by the parent, positive along the sliding speed v.  The N are the normal forces
    between the surfaces of the bearing, which follow from the joint's own reaction: friction
    changes the reactions on which it depends, unless motors are torques on a tree.

    Parameters
    ==========

    joint : Joint, LoopJoint, Contact or str
        The joint with friction, or its name.  Its motion is either a rotation (about an axis, or of
        a ball) or a translation (along an axis, or in a plane).
    coefficient : Expr or number
        Coefficient of sliding friction mu.
    radius : Expr or number, optional
        For rotation: the radius r of the journal or ball.  N is the force normal to the axis (for a
        ball: the whole force).
    static : Expr or number, optional
        Coefficient of friction at rest.  Default: ``coefficient``.
    stribeck_speed : Expr or number, optional
        The speed at which ``static - mu`` has decreased by the factor 1/e: ``mu(v) = mu + (static -
        mu) exp(-(v / stribeck_speed)^2)``.
    viscous : Expr or number
        The coefficient c of viscous friction.
    collar : Expr or number, optional
        For a pin: the mean radius of a collar that takes the force along the axis.
    supports : Expr or number, optional
        For a pin or a slide along an axis: the distance of two supports, with ``joint.child_point``
        in the middle.  They take the force and the moment normal to the axis.  Default: one
        support, which takes the moment without friction.
    width : Expr or number, optional
        The speed over which friction changes its sign, ``s(v) = tanh(v / width)``: a joint that
        should stick creeps.  Default: ``s(v)`` is the sign of v, and friction at v = 0 is unknown.
    sense : Expr or number, optional
        For v = 0: 1 or -1, the sign of impending sliding; the friction is then at the limit for
        this sign.  It may be a symbol.  Default: NaN at v = 0.
    one_sided : bool
        Whether the contact is unilateral, for a loop joint on a plane or a Contact with one
        direction, which points to the child.  Where the parent would have to pull, the friction is
        NaN, and a warning states that the joint lifts off.  The output ``"normal_forces"`` has the
        normal force.  Default: the joint can pull.

    Raises
    ======

    TypeError, ValueError
        If an argument has another type or is not real, if ``static`` is given without
        ``stribeck_speed`` or ``width`` with ``sense``: all problems in one error. `InverseDynamics`
        raises it if the joint is not in the model, both rotates and translates or does neither, or
        has an undetermined reaction.

    See Also
    ========

    InverseDynamics : Takes it in ``frictions=[...]``.

    Notes
    =====

    v is the angular velocity of the child relative to the parent about the axis, or the velocity of
    the child's point relative to the parent's (for a contact: to the surface).  In a plane, and for
    a ball, v is the magnitude of that vector, phi acts along it and is undetermined for v = 0.  A
    planar loop joint rotates without friction.  A joint that the loops hold still in all their
    assemblies is at rest, and so is one whose v is below 1e-13 of the speeds from which it is
    computed (in a model with loops: of all speeds, turns times the model's length).

    The joint wrench includes friction; the generalized forces are those of the motors alone.

    Examples
    ========

    A rod on a journal of radius 0.01: the motor's torque grows by 0.2 * 0.01 times the force.

    >>> from sympy.physics.mechanics import PinJoint, RigidBody, System, inertia
    >>> import jointwrench as jw
    >>> ground, rod = RigidBody("ground"), RigidBody("rod", mass=2)
    >>> rod.central_inertia = inertia(rod.frame, 0, 0, 0.1)
    >>> system = System.from_newtonian(ground)
    >>> pin = PinJoint("pin", ground, rod, child_point=-0.4 * rod.x, joint_axis=ground.z)
    >>> system.add_joints(pin)
    >>> system.apply_uniform_gravity(-10 * ground.y)
    >>> friction = jw.JointFriction(pin, 0.2, radius=0.01)
    >>> idyn = jw.InverseDynamics(system, frictions=[friction])
    >>> evaluate = idyn.compile(["generalized_forces", "friction"], backend="numpy")
    >>> result = evaluate([0.0], [1e-9], [0.0])
    >>> print(result.generalized_forces.round(6), result.friction.round(6))
    [8.04] [-0.04]
    """

    @classmethod
    def _together(cls, laws: Sequence[Any]) -> LoadLaws:
        """Return several friction laws as one object for a derivation."""
        from .model_frictions import ModelFrictions

        return ModelFrictions(tuple(laws))
