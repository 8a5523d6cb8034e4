"""`ModelFromFile`: the result of all readers of model files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sympy import Expr, Symbol
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point

from .. import hints
from ..checks.arguments import check_instance, check_name_list
from ..checks.deprecation import deprecated
from ..checks.display import Grid, NotebookTable, facts, listing, plural
from ..checks.pickles import Pickled
from ..mechanics.methods.inverse_dynamics import InverseDynamics
from ..records.model_elements import CHANGES_FORCES
from .conventions import Convention, Follower, StateVectors, find_convention, state_vectors
from .wrenches import compute_mujoco_wrenches

#: The expected argument ``result``, whose joint wrenches are converted.
RESULT = "the Result of an evaluator of InverseDynamics with joint_wrenches"


@dataclass(frozen=True)
class Limits(Pickled):
    """The limits of a coordinate in a file, None if the file has none; part of `ModelFromFile`.

    Parameters
    ==========

    lower, upper : float, optional
        Limits of the coordinate.
    speed, force : float, optional
        Largest magnitude of the speed and of the joint's force or torque.

    See Also
    ========

    ModelFromFile : Has them by name.

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
    """A sympy System with the contents of its file by name; returned by `read_urdf` and others.

    Parameters
    ==========

    source : str
        The file's name, or the model's name in the text.
    system : System
        The bodies, joints, loads and constraints.
    bodies : dict of str to RigidBody
        The bodies, without ground.
    joints : dict of str to Joint
        The joints of the tree.
    coordinates, speeds : dict of str to Expr
        The coordinates and speeds in the order of ``system.q`` and ``system.u``.  The coordinate of
        a joint with one degree of freedom has the joint's name.
    constants : dict of Symbol to float
        The numbers of the symbols in the System.
    loops : tuple
        The joints that close loops, for ``InverseDynamics(..., loops=)``.
    limits : dict of str to Limits
        The limits by the name of the coordinate.
    controls : dict of str to Expr
        The unknown force or signal of each actuator.
    left_out : tuple of str
        Parts of the file that were not read, one line for each; first the parts that affect forces,
        ``changes forces: ...``, of which the reader warns.
    origins : dict of str to Point
        The origins of the bodies' frames in the file.
    kinds : dict of str to str
        The type of each joint as the file names it.
    dependent : dict of str to Expr
        Coordinates of the file that other coordinates determine, as expressions of these.
    reference : numpy.ndarray, shape (n_q,)
        The coordinates of the model's pose in the file.
    poses : dict of str to numpy.ndarray of shape (n_q,)
        The coordinates of other poses in the file, by their names.
    pinocchio_order : tuple of str
        The joints that move, in Pinocchio's order.
    markers : dict of str to Point
        The markers on the bodies, for `inverse_kinematics`.
    locked : dict of str to float
        Coordinates that the file locks, with their values.
    clamped : tuple of str
        Coordinates that the file keeps within their limits.

    See Also
    ========

    read_urdf, read_sdf, read_mjcf, read_osim : Return it.

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
    def cache(self) -> dict[str, Any]:
        """A cache for results that other functions derive from the model."""
        return {}

    @property
    @deprecated(since="1.1", removed="2.0", use="ModelFromFile.cache")
    def kept(self) -> dict[str, Any]:
        """The former name of `cache`."""
        return self.cache

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "cache"}

    #: The kinds of parts in the representation, after bodies, joints and speeds.
    kinds_of_parts: ClassVar[tuple[str, ...]] = ("loops", "controls", "markers")

    def __repr__(self) -> str:
        kinds = ("bodies", "joints", "speeds", *self.kinds_of_parts)
        counts = {name: len(getattr(self, name)) for name in kinds if name != "markers"}
        listing = ", ".join(plural(count, name) for name, count in counts.items() if count)
        losses = sum(line.startswith(CHANGES_FORCES) for line in self.left_out)
        some = f" ({losses} of them change forces)" if losses else ""
        ignored = f"; left out: {len(self.left_out)}{some}, see .left_out" if self.left_out else ""
        return f"{type(self).__name__}({self.source}: {listing}{ignored})"

    def _grid(self) -> Grid:
        return facts(
            f"{type(self).__name__} {self.source}",
            bodies=listing(self.bodies),
            joints=listing(self.joints),
            speeds=listing(self.speeds.values()),
            **{name: listing(getattr(self, name)) for name in (*self.kinds_of_parts, "constants")},
            left_out="; ".join(self.left_out),
        )

    def inverse_dynamics(self, **options: Any) -> InverseDynamics:
        """Return the `InverseDynamics` of the System and its loops, with ``options``.

        See Also
        ========

        InverseDynamics : Documents the options.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> idyn = robot.inverse_dynamics()
        """
        return InverseDynamics(self.system, **{"loops": self.loops, **options})

    def forward_dynamics(self, **options: Any) -> hints.ForwardDynamics:
        """Return the `ForwardDynamics` of the System and its loops, with ``options``.

        See Also
        ========

        ForwardDynamics : Documents the options.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> fdyn = robot.forward_dynamics()
        """
        from ..forward.forward_dynamics import ForwardDynamics

        return ForwardDynamics(self.system, **{"loops": self.loops, **options})

    def kinematics(self, **options: Any) -> hints.Kinematics:
        """Return the `Kinematics` of the System and its loops, with ``options``.

        Default points and frames are the origins and frames of the bodies in the file, by name.

        See Also
        ========

        Kinematics : Documents the options.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> kin = robot.kinematics(points={"hand": robot.origins["panda_hand"]})
        """
        from ..mechanics.methods.kinematics import Kinematics

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
        """Return Pinocchio's ``q``, ``v``, ``a`` and ``tau`` as StateVectors, also for batches.

        Pinocchio sorts joints by name where the tree branches.  It uses the cosine and the sine of
        a continuous joint's angle; for a floating base, a quaternion with the scalar part last, and
        velocity, acceleration and force in the **base's** frame (here: in ground's).  A joint that
        mimics another joint is independent in Pinocchio; here its force adds to the other joint's.

        ``q``, ``u``, ``udot`` and generalized ``forces`` are in the order of ``system.q`` and
        ``system.u``; ``joints`` gives another order of Pinocchio's joints by name,
        ``list(pinocchio_model.names)[1:]``, with or without those that mimic others.

        ``result`` is a Result of `inverse_dynamics` with ``joint_wrenches``; ``.wrenches`` are then
        Pinocchio's ``data.f[1:]``, shape (..., joints, 6), force first: on the child, by the
        parent, about the joint's point, in the child's frame.

        Raises
        ======

        ValueError
            If a shape is wrong, ``joints`` are not those that move, accelerations come without
            speeds, or a joint has no counterpart.

        See Also
        ========

        ModelFromFile.from_pinocchio : The inverse.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.to_pinocchio([0.1] * 7).q[:2]
        array([0.1, 0.1])
        """
        vectors = state_vectors(q=q, u=u, udot=udot, forces=forces)
        return self._export("Pinocchio", joints, vectors, result)

    def from_pinocchio(
        self,
        q: Any,
        v: Any = None,
        a: Any = None,
        tau: Any = None,
        joints: Sequence[str] | None = None,
    ) -> StateVectors:
        """Return vectors of this model from Pinocchio's: the inverse of `to_pinocchio`.

        ``v``, ``a`` and ``tau`` are optional; ``joints`` and errors are as in `to_pinocchio`.

        See Also
        ========

        ModelFromFile.to_pinocchio : The inverse.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.from_pinocchio(robot.to_pinocchio([0.1] * 7).q).q[:2]
        array([0.1, 0.1])
        """
        return self._convention("Pinocchio", joints).import_(q=q, v=v, a=a, tau=tau)

    def to_mujoco(
        self,
        q: Any,
        u: Any = None,
        udot: Any = None,
        forces: Any = None,
        joints: Sequence[str] | None = None,
        result: Any = None,
    ) -> StateVectors:
        """Return MuJoCo's ``qpos``, ``qvel``, ``qacc`` and ``qfrc`` as StateVectors.

        MuJoCo uses the order of the file; its free joint is as here, with a unit quaternion; a
        planar joint is two slides and a hinge.  Arguments (``q``, ``u``, ``udot``, ``forces``,
        ``joints`` and ``result``) and errors are those of `to_pinocchio`.  With a result,
        ``.wrenches`` are MuJoCo's ``cfrc_int`` in the order of ``.origins``, that of the file,
        shape (..., bodies, 6), **moment first**: on each body, by its parent, about the mass centre
        of the body's whole kinematic tree, in the world's frame.  The world's row is the sum of the
        rows of bodies that are attached to it.  Springs and dampers are part of a wrench if the
        model was read with ``passive=False``.

        See Also
        ========

        ModelFromFile.from_mujoco : The inverse.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.to_mujoco([0.1] * 7).q[:2]
        array([0.1, 0.1])
        """
        vectors = state_vectors(q=q, u=u, udot=udot, forces=forces)
        return self._export("MuJoCo", joints, vectors, result)

    def from_mujoco(
        self,
        qpos: Any,
        qvel: Any = None,
        qacc: Any = None,
        qfrc: Any = None,
        joints: Sequence[str] | None = None,
    ) -> StateVectors:
        """Return vectors of this model from MuJoCo's: the inverse of `to_mujoco`.

        Only ``qpos`` is required, not ``qvel``, ``qacc`` and ``qfrc``; ``joints`` and errors are as
        in `to_mujoco`.

        See Also
        ========

        ModelFromFile.to_mujoco : The inverse.

        Examples
        ========

        >>> import jointwrench as jw
        >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
        >>> robot.from_mujoco(robot.to_mujoco([0.1] * 7).q).q[:2]
        array([0.1, 0.1])
        """
        convention = self._convention("MuJoCo", joints)
        return convention.import_(qpos=qpos, qvel=qvel, qacc=qacc, qfrc=qfrc)

    def _export(
        self, package: str, joints: Sequence[str] | None, vectors: StateVectors, result: Any
    ) -> StateVectors:
        """Return vectors in the convention of another package, with the wrenches of a result."""
        found = self._convention(package, joints).export(vectors)
        if result is None:
            return found
        check_instance("result", result, hints.Result, RESULT)
        if package == "MuJoCo":
            return found._replace(wrenches=compute_mujoco_wrenches(self, result, vectors.q))
        own = (self.joints[name] for name in self._find_order(package, joints))
        wrenches = np.stack([result.joint_wrench(joint) for joint in own], axis=-2)
        return found._replace(wrenches=wrenches)

    def _convention(self, package: str, joints: Sequence[str] | None) -> Convention:
        """Return the Convention of another package for the joints, in an optional order."""
        firsts = (joint for joint in self.joints.values() if joint.speeds)
        rates = {joint.coordinates[0]: joint.speeds[0] for joint in firsts}
        forms = list[Any]()
        for name in self._find_order(package, joints):
            kind = self.kinds.get(name, "")
            if name in self.dependent:
                is_circle = package == "Pinocchio" and kind == "continuous"
                forms.append(Follower(self.dependent[name], rates, is_circle))
            else:
                forms.append(find_convention(self.joints[name], package, kind))
        return Convention(self.system, forms)

    def _find_order(self, package: str, joints: Sequence[str] | None) -> list[str]:
        """Return the names of joints that move in a package's order, or in the user's, checked."""
        free = [name for name, joint in self.joints.items() if joint.speeds]
        own = [name for name in self.joints if name in {*free, *self.dependent}]
        if joints is None:
            order = self.pinocchio_order if package == "Pinocchio" else ()
            return [*order] or own
        given = [*check_name_list("joints", joints)]
        if sorted(given) not in (sorted(own), sorted(free)):
            raise ValueError(
                f"`joints` must be the names of all joints that move, {', '.join(own)}, got "
                f"{', '.join(given)}."
            )
        return given
