"""`Kinematics`: positions and motions of points and frames of a sympy System."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sympy import ImmutableDenseMatrix
from sympy.physics.mechanics import System
from sympy.physics.vector import Point, ReferenceFrame, Vector

from ... import hints
from ..dynamics.derivation import Derivation, Request, derive, exclusive
from ..dynamics.outputs.kinematic_outputs import (
    KinematicOutputs,
    matrix_formula,
    model_formulas,
    motion_formula,
    position_formula,
)
from ..evaluation.model import Model
from ..mechanism.reading.model_reader import read_model
from ..mechanism.reading.points_and_frames import Places, PointsAndFrames, read_points_and_frames
from ..spatial.observer import ObserverFrame
from ..sympy_objects import Body
from .system_method import SystemMethod

if TYPE_CHECKING:
    from .output_names import KinematicOutput  # noqa: F401 (of the base)


class Kinematics(SystemMethod["KinematicOutput"]):
    """Positions, velocities and accelerations of points and frames of a System.

    Parameters
    ==========

    system : System
        As for `InverseDynamics`.
    points : dict of str to Point, or iterable of Point, optional
        The points.  A dict defines names for them; else they have their own names.  They may be
        fixed in bodies or move in them; their positions must be set in sympy.  Points of the model
        can be specified by name.  Default: the mass centres of all bodies that move, by the bodies'
        names (``"bob #2"`` for the second of one name).
    frames : dict of str to ReferenceFrame, or iterable of ReferenceFrame, optional
        The frames, specified like ``points``.  Default: the frames of all bodies that move, by the
        bodies' names.
    loops, owners : optional
        As for `InverseDynamics`.
    relative_to : RigidBody, ReferenceFrame, ObserverFrame or str, optional
        The observer: a body, a frame that is fixed in one, their names, or an observer in any
        motion.  Positions are from the body's mass centre or the observer's attachment; velocities
        and accelerations are those in its frame.  Default: ground, with positions from the System's
        fixed point.
    frame : ReferenceFrame or str, optional
        The frame of all components, or the name of its body.  Default: the observer's own.

    Raises
    ======

    TypeError, TopologyError, ValueError
        As for `InverseDynamics`; if no position or orientation leads from a point or a
        frame to the model's bodies, or several have one name.

    See Also
    ========

    InverseDynamics.kinematics : For a model that is already derived.
    ObserverFrame : One observer, with sympy's vectors.

    Examples
    ========

    The tip of a pendulum of length l, with its Jacobian:

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1)
    >>> kin = jw.Kinematics(chain.system, points={"tip": chain.tip})
    >>> evaluate = kin.compile(("positions", "velocities"), derivatives=["q"], backend="numpy")
    >>> result = evaluate([0.5], [2.0], constants={"l_0": 1.5})
    >>> result.positions.round(3)
    array([[-0.719,  1.316,  0.   ]])
    >>> result.velocities.round(3)
    array([[-2.633, -1.438,  0.   ]])
    >>> result.derivative("positions", "q").shape
    (1, 3, 1)

    Notes
    =====

    The page *Outputs* lists the outputs with their shapes and meanings; they are relative to
    the observer ``relative_to``, with components in ``frame``.

    In models with loops and contacts all speeds are inputs, dependent ones too: Jacobians are those
    of the tree.  Positions that are not defined are NaN, such as that along the ground of a wheel
    of which only the velocity is given.
    """

    model: Model

    default_outputs = written_outputs = ("positions", "orientations")

    def __init__(
        self,
        system: System,
        points: Mapping[str, Point | str] | Iterable[Point | str] | None = None,
        frames: Mapping[str, ReferenceFrame | str] | Iterable[ReferenceFrame | str] | None = None,
        loops: Iterable[hints.LoopConnection] | None = None,
        owners: Mapping[Point | ReferenceFrame, Body | ReferenceFrame] | None = None,
        relative_to: Body | ReferenceFrame | ObserverFrame | str | None = None,
        frame: ReferenceFrame | str | None = None,
    ) -> None:
        derivation = derive(read_model(system, (), loops, owners), Request(actuated=()))
        self._observe(derivation, (points, frames, relative_to, frame))

    def _observe(
        self, derivation: Derivation, places: Places, before: PointsAndFrames | None = None
    ) -> None:
        self._observed = read_points_and_frames(derivation.tree, places, before)
        self.model = Model(KinematicOutputs(derivation, self._observed))

    @property
    def _legend(self) -> dict[str, Sequence[Any]]:
        return {"points": self.points, "frames": self.frames}

    @classmethod
    def of_model(
        cls, model: Model, places: Places, before: PointsAndFrames | None = None
    ) -> Kinematics:
        """Return the kinematics of a ``model`` that is already derived.

        ``places`` are the points, frames, ``relative_to`` and ``frame`` of the class; points and
        frames of ``before`` can also be specified by name.
        """
        self = cls.__new__(cls)
        self._observe(model.derivation, places, before)
        return self

    def kinematics(
        self, points: Any = None, frames: Any = None, relative_to: Any = None, frame: Any = None
    ) -> Kinematics:
        """Return the `Kinematics` of other points and frames, or for another observer.

        The model is not derived again.  ``points``, ``frames``, ``relative_to`` and ``frame`` are
        those of `Kinematics`.  Default: its own points and frames, relative to ground.

        See Also
        ========

        Kinematics : Documents the arguments.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> kin = jw.Kinematics(chain.system, points={"tip": chain.tip})
        >>> kin.kinematics({"middle": chain.bodies[0].masscenter}).position("middle")
        l_0/2*S_0.y
        """
        observed = self._observed
        points = observed.given_points if points is None else points
        frames = observed.given_frames if frames is None else frames
        return Kinematics.of_model(self.model, (points, frames, relative_to, frame), observed)

    @property
    def points(self) -> tuple[str, ...]:
        """The names of the points, in the order of the outputs."""
        return tuple(self._observed.points)

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of the frames, in the order of the outputs."""
        return tuple(self._observed.frames)

    # -- formulas -----------------------------------------------------------

    @exclusive
    def position(
        self,
        point: Point | str,
        relative_to: Body | ReferenceFrame | ObserverFrame | str | None = None,
        frame: ReferenceFrame | str | None = None,
    ) -> Vector:
        """Return the position of a point as a formula.

        Parameters
        ==========

        point : Point or str
            One of `points` by its name, or any point of the model or fixed in its bodies.
        relative_to : RigidBody, ReferenceFrame, ObserverFrame or str, optional
            The observer, as for `Kinematics`.  Default: the one given there.
        frame : ReferenceFrame or str, optional
            The frame of the components.  Default: that of `Kinematics`, or else each part in the
            frame of the body in which it is constant; for velocities and accelerations that of the
            body with the point or the frame, in which they are shortest.

        Returns
        =======

        Vector
            From the observer's origin to the point.

        Raises
        ======

        TypeError, ValueError
            As for `Kinematics`.

        See Also
        ========

        Kinematics.velocity, Kinematics.acceleration : Its derivatives.

        Examples
        ========

        >>> import jointwrench as jw
        >>> arm = jw.SerialChain.planar(2)
        >>> kin = jw.Kinematics(arm.system)
        >>> kin.position(arm.tip)
        l_0*S_0.y + l_1*S_1.y
        >>> kin.velocity(arm.tip, relative_to=arm.bodies[0])
        - l_1*u_1(t)*S_1.x
        """
        outputs = self._outputs(([point], [], relative_to, frame), "point")
        return position_formula(outputs, self._is_expressed(frame))

    def velocity(self, point: Point | str, relative_to: Any = None, frame: Any = None) -> Vector:
        """Return the velocity of a point relative to an observer.

        ``point``, ``relative_to`` and ``frame`` are those of `position`.

        See Also
        ========

        Kinematics.jacobian : Its partial derivatives with respect to speeds.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> jw.Kinematics(chain.system).velocity(chain.tip)
        - l_0*u_0(t)*S_0.x
        """
        return self._motion("velocities", point, relative_to, frame, "point")

    def acceleration(
        self, point: Point | str, relative_to: Any = None, frame: Any = None
    ) -> Vector:
        """Return the acceleration of a point relative to an observer.

        ``point``, ``relative_to`` and ``frame`` are those of `position`.

        See Also
        ========

        Kinematics.bias_acceleration : Its part without ``udot``.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> jw.Kinematics(chain.system).acceleration(chain.tip)
        - l_0*Derivative(u_0(t), t)*S_0.x - l_0*u_0(t)**2*S_0.y
        """
        return self._motion("accelerations", point, relative_to, frame, "point")

    def bias_acceleration(
        self, point: Point | str, relative_to: Any = None, frame: Any = None
    ) -> Vector:
        """Return the acceleration of a point for constant speeds, ``udot = 0``.

        ``point``, ``relative_to`` and ``frame`` are those of `position`.

        See Also
        ========

        Kinematics.acceleration : With ``udot``.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> jw.Kinematics(chain.system).bias_acceleration(chain.tip)
        - l_0*u_0(t)**2*S_0.y
        """
        return self._motion("bias_accelerations", point, relative_to, frame, "point")

    @exclusive
    def jacobian(
        self, point: Point | str, relative_to: Any = None, frame: Any = None
    ) -> ImmutableDenseMatrix:
        """Return the partial velocities of a point as a matrix, 3 x n, one column for each speed.

        ``point``, ``relative_to`` and ``frame`` are those of `position`.  The components are in
        ``frame``, by default the observer's own.

        See Also
        ========

        Kinematics.angular_jacobian : For a frame.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1)
        >>> kin = jw.Kinematics(chain.system, points={"tip": chain.tip})
        >>> kin.jacobian("tip", frame=chain.frames[0])
        Matrix([
        [-l_0],
        [   0],
        [   0]])
        """
        outputs = self._outputs(([point], [], relative_to, frame), "point")
        return matrix_formula(outputs, "jacobians")

    @exclusive
    def orientation(
        self, frame: ReferenceFrame | str, relative_to: Any = None
    ) -> ImmutableDenseMatrix:
        """Return the orientation of a frame, 3 x 3, as ``other.dcm(frame)`` does.

        It converts components in the frame to those in the observer's, ``v_observer = R @ v_frame``
        (or to those in ``frame`` of `Kinematics`): its columns are the axes of the frame. ``frame``
        is one of `frames` by its name, or any frame of the model or fixed in its bodies;
        ``relative_to`` is that of `position`.

        See Also
        ========

        Kinematics.angular_velocity : Its rate.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.Kinematics(jw.SerialChain.planar(1).system).orientation("S_0")
        Matrix([
        [cos(q_0(t)), -sin(q_0(t)), 0],
        [sin(q_0(t)),  cos(q_0(t)), 0],
        [          0,            0, 1]])
        """
        outputs = self._outputs(([], [frame], relative_to, None), "frame")
        return matrix_formula(outputs, "orientations")

    def angular_velocity(
        self, of: ReferenceFrame | str, relative_to: Any = None, frame: Any = None
    ) -> Vector:
        """Return the angular velocity of a frame.

        ``of`` is the frame, as for `orientation`; ``relative_to`` and ``frame`` are those of
        `position`.

        See Also
        ========

        Kinematics.orientation : The frame's axes.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.Kinematics(jw.SerialChain.planar(1).system).angular_velocity("S_0")
        u_0(t)*S_0.z
        """
        return self._motion("angular_velocities", of, relative_to, frame, "of")

    def angular_acceleration(
        self, of: ReferenceFrame | str, relative_to: Any = None, frame: Any = None
    ) -> Vector:
        """Return the angular acceleration of a frame.

        ``of``, ``relative_to`` and ``frame`` are those of `angular_velocity`.

        See Also
        ========

        Kinematics.angular_velocity : Its integral.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.Kinematics(jw.SerialChain.planar(1).system).angular_acceleration("S_0")
        Derivative(u_0(t), t)*S_0.z
        """
        return self._motion("angular_accelerations", of, relative_to, frame, "of")

    def angular_bias_acceleration(
        self, of: ReferenceFrame | str, relative_to: Any = None, frame: Any = None
    ) -> Vector:
        """Return the angular acceleration of a frame for constant speeds, ``udot = 0``.

        ``of``, ``relative_to`` and ``frame`` are those of `angular_velocity`.

        See Also
        ========

        Kinematics.angular_acceleration : With ``udot``.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.Kinematics(jw.SerialChain.planar(1).system).angular_bias_acceleration("S_0")
        0
        """
        return self._motion("angular_bias_accelerations", of, relative_to, frame, "of")

    @exclusive
    def angular_jacobian(
        self, of: ReferenceFrame | str, relative_to: Any = None, frame: Any = None
    ) -> ImmutableDenseMatrix:
        """Return the partial angular velocities of a frame as a matrix, 3 x n.

        ``of``, ``relative_to`` and ``frame`` are those of `angular_velocity`; there is one column
        for each speed, with components in ``frame``, by default the observer's own.

        See Also
        ========

        Kinematics.jacobian : For a point.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.Kinematics(jw.SerialChain.planar(1).system).angular_jacobian("S_0")
        Matrix([
        [0],
        [0],
        [1]])
        """
        outputs = self._outputs(([], [of], relative_to, frame), "of")
        return matrix_formula(outputs, "angular_jacobians")

    @exclusive
    def center_of_mass(self, relative_to: Any = None, frame: Any = None) -> Vector:
        """Return the position of the model's mass centre.

        ``relative_to`` and ``frame`` are those of `position`.

        See Also
        ========

        Kinematics.momentum : The momentum of the model.

        Examples
        ========

        >>> import jointwrench as jw
        >>> jw.Kinematics(jw.SerialChain.planar(1).system).center_of_mass()
        - l_0*sin(q_0(t))/2*N.x + l_0*cos(q_0(t))/2*N.y
        """
        return model_formulas(self._outputs(([], [], relative_to, frame)), "center_of_mass")[0]

    @exclusive
    def momentum(self, relative_to: Any = None, frame: Any = None) -> tuple[Vector, Vector]:
        """Return the linear momentum, and the angular momentum about the mass centre.

        ``relative_to`` and ``frame`` are those of `position`; the motion is relative to the
        observer.

        See Also
        ========

        Kinematics.center_of_mass : The position of the mass centre.

        Examples
        ========

        >>> import jointwrench as jw
        >>> linear, angular = jw.Kinematics(jw.SerialChain.planar(1).system).momentum()
        >>> angular.simplify()
        I_0*u_0(t)*N.z
        """
        linear, angular = model_formulas(self._outputs(([], [], relative_to, frame)), "momentum")
        return linear, angular

    @exclusive
    def _motion(self, name: str, own: Any, relative_to: Any, frame: Any, argument: str) -> Vector:
        """Return the formula of a motion output for one point or frame.

        ``argument`` is the name of the user's argument that has it, "point" or "of".
        """
        places = ([own], []) if argument == "point" else ([], [own])
        outputs = self._outputs((*places, relative_to, frame), argument)
        return motion_formula(outputs, name, self._is_expressed(frame))

    def _outputs(self, places: Places, argument: str | None = None) -> KinematicOutputs:
        """Return the outputs for other points, frames, observers or components."""
        observed = self._observed.of_others(self.model.tree, places, argument)
        return KinematicOutputs(self.model.derivation, observed)

    def _is_expressed(self, frame: Any) -> bool:
        return frame is not None or self._observed.given[1] is not None
