"""`ModelFromFile`: what all readers of model files return."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sympy import Expr, Symbol
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point

from ...checks.arguments import check_instance, check_name_list
from ...checks.display import Grid, NotebookTable, facts, listed
from ..evaluation.result import Result
from ..forward.forward_dynamics import ForwardDynamics
from ..methods.inverse_dynamics import InverseDynamics
from ..methods.kinematics import Kinematics
from .conventions import (
    Convention,
    Follower,
    JointConvention,
    StateVectors,
    mujoco_form,
    pinocchio_form,
    state_vectors,
)
from .wrenches import mujoco_wrenches, pinocchio_wrenches

#: What is converted to the wrenches of others.
RESULT = "what InverseDynamics.compile() has found with joint_wrenches"


@dataclass(frozen=True)
class Limits:
    """What a file allows a coordinate, None where it says nothing; made by `ModelFromFile`.

    Parameters
    ==========

    lower, upper : float, optional
        Of the coordinate.
    speed, force : float, optional
        Largest magnitude of the speed and of the joint's force or torque.

    See Also
    ========

    ModelFromFile : Has them.

    Examples
    ========

    >>> import jointwrench as jw
    >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
    >>> robot.limits["panda_joint1"].upper
    2.8973
    """

    lower: float | None = None
    upper: float | None = None
    speed: float | None = None
    force: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ModelFromFile(NotebookTable):
    """A sympy System and all of its file, by the file's names; made by `read_urdf` and its like.

    Parameters
    ==========

    source : str
        The file's name, or what the text calls the model.
    system : System
        The bodies, joints, loads and constraints.
    bodies : dict of str to RigidBody
        Without ground.
    joints : dict of str to Joint
        The joints of the tree.
    coordinates, speeds : dict of str to Expr
        In the order of ``system.q`` and ``system.u``.  That of a joint with one freedom has
        the joint's name.
    constants : dict of Symbol to float
        The numbers of the symbols in the System.
    loops : tuple
        What closes loops, for ``InverseDynamics(..., loops=)``.
    limits : dict of str to Limits
        By the name of the coordinate.
    controls : dict of str to Expr
        The unknown force or signal of each actuator.
    left_out : tuple of str
        What stands in the file and was not read, one line for each.
    origins : dict of str to Point
        The origin of each body's frame in the file.
    kinds : dict of str to str
        The type of each joint in the file's words.
    dependent : dict of str to Expr
        Coordinates of the file that others determine, as formulas of those.
    reference : numpy.ndarray, shape (n_q,)
        The coordinates of the pose in which the file has the model.
    poses : dict of str to numpy.ndarray of shape (n_q,)
        The coordinates of other poses in the file, by their names.
    pinocchio_order : tuple of str
        The joints that move in the order in which Pinocchio has them.
    markers : dict of str to Point
        The markers on the bodies, for `inverse_kinematics`.
    locked : dict of str to float
        Coordinates that the file keeps at a value.
    clamped : tuple of str
        Coordinates that the file keeps within their limits.

    See Also
    ========

    read_urdf, read_sdf, read_mjcf, read_osim : Make it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
    >>> robot
    ModelFromFile(panda: 9 bodies, 9 joints, 7 speeds)
    """

    source: str
    system: System
    bodies: Mapping[str, RigidBody]
    joints: Mapping[str, Joint]
    coordinates: Mapping[str, Expr]
    speeds: Mapping[str, Expr]
    constants: Mapping[Symbol, float] = field(default_factory=dict)
    loops: tuple[Any, ...] = ()
    limits: Mapping[str, Limits] = field(default_factory=dict)
    controls: Mapping[str, Expr] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    origins: Mapping[str, Point] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    dependent: Mapping[str, Expr] = field(default_factory=dict)
    reference: np.ndarray = field(default_factory=lambda: np.zeros(0))
    poses: Mapping[str, np.ndarray] = field(default_factory=dict)
    pinocchio_order: tuple[str, ...] = ()
    markers: Mapping[str, Point] = field(default_factory=dict)
    locked: Mapping[str, float] = field(default_factory=dict)
    clamped: tuple[str, ...] = ()

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What others have derived of the model and use again."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "kept"}

    #: What there is of each kind, beside bodies, joints and speeds.
    kinds_of_parts: ClassVar[tuple[str, ...]] = ("loops", "controls", "markers")

    def __repr__(self) -> str:
        kinds = ("bodies", "joints", "speeds", *self.kinds_of_parts)
        counts = {name: len(getattr(self, name)) for name in kinds if name != "markers"}
        listing = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        ignored = f"; left out: {len(self.left_out)}, see .left_out" if self.left_out else ""
        return f"{type(self).__name__}({self.source}: {listing}{ignored})"

    def _grid(self) -> Grid:
        return facts(
            f"{type(self).__name__} {self.source}",
            bodies=listed(self.bodies),
            joints=listed(self.joints),
            speeds=listed(self.speeds.values()),
            **{name: listed(getattr(self, name)) for name in (*self.kinds_of_parts, "constants")},
            left_out="; ".join(self.left_out),
        )

    def inverse_dynamics(self, **options: Any) -> InverseDynamics:
        """Return ``InverseDynamics`` of the System and its loops, with further options of it.

        See Also
        ========

        InverseDynamics : Has the options.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> idyn = robot.inverse_dynamics()
        """
        return InverseDynamics(self.system, **{"loops": self.loops, **options})

    def forward_dynamics(self, **options: Any) -> ForwardDynamics:
        """Return ``ForwardDynamics`` of the System and its loops, with further options of it.

        See Also
        ========

        ForwardDynamics : Has the options.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> fdyn = robot.forward_dynamics()
        """
        return ForwardDynamics(self.system, **{"loops": self.loops, **options})

    def kinematics(self, **options: Any) -> Kinematics:
        """Return ``Kinematics`` of the System and its loops, with further options of it.

        Default points and frames are those of the bodies in the file, by its names.

        See Also
        ========

        Kinematics : Has the options.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> kin = robot.kinematics(points={"hand": robot.origins["panda_hand"]})
        """
        frames = {name: body.frame for name, body in self.bodies.items()}
        own = {"points": self.origins, "frames": frames, "loops": self.loops}
        return Kinematics(self.system, **{**own, **options})

    def to_pinocchio(
        self,
        q: Any,
        u: Any = None,
        udot: Any = None,
        forces: Any = None,
        joints: Sequence[str] | None = None,
        result: Any = None,
    ) -> StateVectors:
        """Return StateVectors of Pinocchio's ``q``, ``v``, ``a`` and ``tau``, for whole batches.

        Pinocchio sorts joints by name where the tree branches.  It has the cosine and the sine of a
        continuous joint's angle; a floating base's quaternion with the scalar part last, and its
        velocity, acceleration and force in the **base's** frame, where ours are in ground's.  A
        joint that mimics another one is one of its own there; its force is here a part of the other
        one's.

        ``q``, ``u``, ``udot`` and generalized ``forces`` are in the order of ``system.q`` and
        ``system.u``, ``joints`` the names of the joints in another order,
        ``list(pinocchio_model.names)[1:]``, perhaps without those that mimic others.

        ``result`` is what `inverse_dynamics` has found with ``joint_wrenches``; ``.wrenches`` are
        then Pinocchio's ``data.f[1:]``, shape (..., joints, 6), force first: on the child, by the
        parent, about the joint's point and in the child's frame.

        Raises
        ======

        ValueError
            If a shape is wrong, ``joints`` are not those that move, accelerations come without
            speeds, or a joint has no counterpart.

        See Also
        ========

        ModelFromFile.from_pinocchio : The other way round.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.to_pinocchio([0.1] * 7).q[:2]
        array([0.1, 0.1])
        """
        found = self._pinocchio(joints).outward(state_vectors(q=q, u=u, udot=udot, forces=forces))
        if result is None:
            return found
        check_instance("result", result, Result, RESULT)
        names = self._order(self.pinocchio_order or None if joints is None else joints)
        own = (self.joints[name] for name in names)
        return found._replace(wrenches=pinocchio_wrenches(own, result))

    def from_pinocchio(
        self,
        q: Any,
        v: Any = None,
        a: Any = None,
        tau: Any = None,
        joints: Sequence[str] | None = None,
    ) -> StateVectors:
        """Return Pinocchio's vectors as ours: the inverse of `to_pinocchio`, with its errors.

        All of ``q``, ``v``, ``a`` and ``tau`` but the first may be missing; ``joints`` as there.

        See Also
        ========

        ModelFromFile.to_pinocchio : The other way round.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.from_pinocchio(robot.to_pinocchio([0.1] * 7).q).q[:2]
        array([0.1, 0.1])
        """
        return self._pinocchio(joints).inward(q=q, v=v, a=a, tau=tau)

    def to_mujoco(
        self,
        q: Any,
        u: Any = None,
        udot: Any = None,
        forces: Any = None,
        joints: Sequence[str] | None = None,
        result: Any = None,
    ) -> StateVectors:
        """Return vectors as MuJoCo has them: ``qpos``, ``qvel``, ``qacc`` and ``qfrc``.

        MuJoCo has the order of the file; its free joint is ours, with a quaternion of length
        one.  A planar joint is two slides and a hinge.  Arguments (``q``, ``u``, ``udot``,
        ``forces``, ``joints`` and ``result``) and errors are those of `to_pinocchio`.  With a
        result ``.wrenches`` are MuJoCo's ``cfrc_int`` in the order of ``.origins``, that of the
        file, shape (..., bodies, 6), **moment first**: on each body, by its parent, about the mass
        centre of all that hangs on the same body on ground, in the world's frame.  Springs and
        dampers are part of a wrench if the model was read with ``passive=False``.

        See Also
        ========

        ModelFromFile.from_mujoco : The other way round.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.to_mujoco([0.1] * 7).q[:2]
        array([0.1, 0.1])
        """
        vectors = state_vectors(q=q, u=u, udot=udot, forces=forces)
        found = self._mujoco(joints).outward(vectors)
        if result is None:
            return found
        check_instance("result", result, Result, RESULT)
        return found._replace(wrenches=mujoco_wrenches(self, result, vectors.q))

    def from_mujoco(
        self,
        qpos: Any,
        qvel: Any = None,
        qacc: Any = None,
        qfrc: Any = None,
        joints: Sequence[str] | None = None,
    ) -> StateVectors:
        """Return MuJoCo's vectors as ours: the inverse of `to_mujoco`, with its errors.

        All of ``qpos``, ``qvel``, ``qacc`` and ``qfrc`` but the first may be missing; ``joints`` as
        there.

        See Also
        ========

        ModelFromFile.to_mujoco : The other way round.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.from_mujoco(robot.to_mujoco([0.1] * 7).q).q[:2]
        array([0.1, 0.1])
        """
        return self._mujoco(joints).inward(qpos=qpos, qvel=qvel, qacc=qacc, qfrc=qfrc)

    def _pinocchio(self, joints: Sequence[str] | None) -> Convention:
        order = self.pinocchio_order or None if joints is None else joints
        kinds = self.kinds
        return self._convention(lambda x: pinocchio_form(self.joints[x], kinds.get(x, "")), order)

    def _mujoco(self, joints: Sequence[str] | None) -> Convention:
        return self._convention(lambda name: mujoco_form(self.joints[name]), joints)

    def _convention(
        self, form: Callable[[str], JointConvention], joints: Sequence[str] | None
    ) -> Convention:
        """Return how vectors of the joints look elsewhere, in an order that may be given."""
        given = self._order(joints)
        moved = [name for name in self.joints if name in self.dependent]
        firsts = (joint for joint in self.joints.values() if joint.speeds)
        rates = {joint.coordinates[0]: joint.speeds[0] for joint in firsts}
        followers = {name: Follower(self.dependent[name], rates) for name in moved}
        return Convention(self.system, [followers.get(name) or form(name) for name in given])

    def _order(self, joints: Sequence[str] | None) -> list[str]:
        """Return the names of joints that move, in an order that may be given."""
        free = [name for name, joint in self.joints.items() if joint.speeds]
        own = [name for name in self.joints if name in {*free, *self.dependent}]
        given = own if joints is None else [*check_name_list("joints", joints)]
        if sorted(given) not in (sorted(own), sorted(free)):
            raise ValueError(
                f"`joints` must be the names of all joints that move, {', '.join(own)}, got "
                f"{', '.join(given)}."
            )
        return given
