"""`ModelFromFile`: what all readers of model files return."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr, Symbol
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point

from ...checks.arguments import check_name_list
from ...checks.display import Grid, NotebookTable, facts, listed
from ...forward.forward_dynamics import ForwardDynamics
from ...measured.muscle_driven import MuscleDriven
from ...methods.inverse_dynamics import InverseDynamics
from ...methods.kinematics import Kinematics
from ...muscles.muscle import Muscle
from .conventions import (
    Convention,
    Follower,
    JointConvention,
    StateVectors,
    mujoco_form,
    pinocchio_form,
    state_vectors,
)


@dataclass(frozen=True)
class Limits:
    """What a file allows a coordinate; None where it says nothing.

    Made by `ModelFromFile`.

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
    >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
    >>> robot.limits["panda_joint1"].upper
    2.8973
    """

    lower: float | None = None
    upper: float | None = None
    speed: float | None = None
    force: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ModelFromFile(NotebookTable):
    """A sympy System read from a file, with everything in it by the file's names.

    Made by `read_urdf`.

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
    muscles : dict of str to Muscle
        The muscles, for `MuscleGeometry` and `static_optimization`.
    resizing : OsimResizing or None
        What makes the model in another size, for `scaled`; None if it cannot be.

    See Also
    ========

    read_urdf, read_mjcf, read_osim : Make it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
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
    muscles: Mapping[str, Muscle] = field(default_factory=dict)
    resizing: Any = None

    def __repr__(self) -> str:
        counts = {
            "bodies": self.bodies,
            "joints": self.joints,
            "speeds": self.speeds,
            "loops": self.loops,
            "controls": self.controls,
            "muscles": self.muscles,
        }
        listing = ", ".join(f"{len(items)} {name}" for name, items in counts.items() if items)
        ignored = f"; left out: {len(self.left_out)}, see .left_out" if self.left_out else ""
        return f"ModelFromFile({self.source}: {listing}{ignored})"

    def _grid(self) -> Grid:
        return facts(
            f"ModelFromFile {self.source}",
            bodies=listed(self.bodies),
            joints=listed(self.joints),
            speeds=listed(self.speeds.values()),
            loops=listed(self.loops),
            controls=listed(self.controls),
            markers=listed(self.markers),
            muscles=listed(self.muscles),
            constants=listed(self.constants),
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
        >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
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
        >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
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
        >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
        >>> kin = robot.kinematics(points={"hand": robot.origins["panda_hand"]})
        """
        frames = {name: body.frame for name, body in self.bodies.items()}
        own = {"points": self.origins, "frames": frames, "loops": self.loops}
        return Kinematics(self.system, **{**own, **options})

    @cached_property
    def muscle_driven(self) -> MuscleDriven:
        """The model with what its muscles do as loads of its System: made once, when asked for."""
        return MuscleDriven(self)

    def to_pinocchio(
        self,
        q: Any,
        u: Any = None,
        udot: Any = None,
        forces: Any = None,
        joints: Sequence[str] | None = None,
    ) -> StateVectors:
        """Return vectors as Pinocchio has them, for whole batches.

        Pinocchio sorts joints by name where the tree branches.  It has the cosine and the sine
        of a continuous joint's angle; a floating base's quaternion with the scalar part last,
        and its velocity, acceleration and force in the **base's** frame, where ours are in
        ground's.  A joint that mimics another one is one of its own there; its force is here a
        part of the other one's.

        Parameters
        ==========

        q : array_like, shape (..., n_q)
            Coordinates, in the order of ``system.q``.
        u, udot, forces : array_like, shape (..., n), optional
            Speeds, their time derivatives, and generalized forces.
        joints : sequence of str, optional
            The joints in another order, ``list(pinocchio_model.names)[1:]``, perhaps without
            those that mimic others.

        Returns
        =======

        StateVectors
            Pinocchio's ``q``, ``v``, ``a`` and ``tau``, as ``q``, ``u``, ``udot`` and
            ``forces``; None for what was not given.

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
        >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.to_pinocchio([0.1] * 7).q[:2]
        array([0.1, 0.1])
        """
        return self._pinocchio(joints).outward(state_vectors(q=q, u=u, udot=udot, forces=forces))

    def from_pinocchio(
        self,
        q: Any,
        v: Any = None,
        a: Any = None,
        tau: Any = None,
        joints: Sequence[str] | None = None,
    ) -> StateVectors:
        """Return Pinocchio's vectors as ours: the inverse of `to_pinocchio`.

        Parameters
        ==========

        q, v, a, tau : array_like
            Pinocchio's vectors; all but the first may be missing.
        joints : sequence of str, optional
            As there.

        Raises
        ======

        ValueError
            As there.

        See Also
        ========

        ModelFromFile.to_pinocchio : The other way round.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
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
    ) -> StateVectors:
        """Return vectors as MuJoCo has them: ``qpos``, ``qvel``, ``qacc`` and ``qfrc``.

        MuJoCo has the order of the file; its free joint is ours, with a quaternion of length
        one.  A planar joint is two slides and a hinge.

        Parameters
        ==========

        q, u, udot, forces : array_like
            As for `to_pinocchio`.
        joints : sequence of str, optional
            The joints in another order.

        Raises
        ======

        ValueError
            As there.

        See Also
        ========

        ModelFromFile.from_mujoco : The other way round.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.to_mujoco([0.1] * 7).q[:2]
        array([0.1, 0.1])
        """
        return self._mujoco(joints).outward(state_vectors(q=q, u=u, udot=udot, forces=forces))

    def from_mujoco(
        self,
        qpos: Any,
        qvel: Any = None,
        qacc: Any = None,
        qfrc: Any = None,
        joints: Sequence[str] | None = None,
    ) -> StateVectors:
        """Return MuJoCo's vectors as ours: the inverse of `to_mujoco`.

        Parameters
        ==========

        qpos, qvel, qacc, qfrc : array_like
            MuJoCo's vectors; all but the first may be missing.
        joints : sequence of str, optional
            As there.

        Raises
        ======

        ValueError
            As there.

        See Also
        ========

        ModelFromFile.to_mujoco : The other way round.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.from_mujoco(robot.to_mujoco([0.1] * 7).q).q[:2]
        array([0.1, 0.1])
        """
        return self._mujoco(joints).inward(qpos=qpos, qvel=qvel, qacc=qacc, qfrc=qfrc)

    def _pinocchio(self, joints: Sequence[str] | None) -> Convention:
        def form(name: str) -> JointConvention:
            return pinocchio_form(self.joints[name], self.kinds.get(name, ""))

        return self._convention(form, self.pinocchio_order or None if joints is None else joints)

    def _mujoco(self, joints: Sequence[str] | None) -> Convention:
        return self._convention(lambda name: mujoco_form(self.joints[name]), joints)

    def _convention(
        self, form: Callable[[str], JointConvention], joints: Sequence[str] | None
    ) -> Convention:
        """Return how vectors of the joints look elsewhere, in an order that may be given."""
        free = [name for name, joint in self.joints.items() if joint.speeds]
        moved = [name for name in self.joints if name in self.dependent]
        own = [name for name in self.joints if name in {*free, *moved}]
        given = own if joints is None else [*check_name_list("joints", joints)]
        if sorted(given) not in (sorted(own), sorted(free)):
            raise ValueError(
                f"`joints` must be the names of all joints that move, {', '.join(own)}, got "
                f"{', '.join(given)}."
            )
        firsts = (joint for joint in self.joints.values() if joint.speeds)
        rates = {joint.coordinates[0]: joint.speeds[0] for joint in firsts}
        followers = {name: Follower(self.dependent[name], rates) for name in moved}
        return Convention(self.system, [followers.get(name) or form(name) for name in given])
