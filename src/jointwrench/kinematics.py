"""`Kinematics`: where points and frames of a sympy System are, and how they move."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sympy.physics.mechanics import System
from sympy.physics.vector import Point, ReferenceFrame

from .checks.arguments import Body
from .dynamics.derivation import Derivation, Request, derive
from .dynamics.kinematic_outputs import KinematicOutputs
from .evaluation.derived_model import DerivedModel
from .mechanism.reading.kane_reader import read_model
from .mechanism.reading.observation import read_observation
from .models.contact import Contact
from .models.loop_joint import LoopJoint
from .spatial.observer import ObserverFrame
from .system_method import SystemMethod

if TYPE_CHECKING:
    from .evaluation.compilation import Evaluator


class Kinematics(SystemMethod["Evaluator"]):
    """Positions, velocities and accelerations of points and frames of a System.

    It is the first stage of the recursion of `InverseDynamics` alone, with as many points
    as are asked for.

    Parameters
    ==========

    system : System
        As for `InverseDynamics`.
    points : dict of str to Point, or iterable of Point, optional
        The points by the names that they shall have; without a dict by their own ones.
        They may be fixed in bodies or move in them; sympy knows their positions.  What is
        in the model already can be given by its name.  Default: the mass centres of all
        bodies that move, by the bodies' names.
    frames : dict of str to ReferenceFrame, or iterable of ReferenceFrame, optional
        The same for frames.  Default: those of all bodies that move, by the bodies' names.
    loops, owners : optional
        As for `InverseDynamics`.
    relative_to : RigidBody, ReferenceFrame, ObserverFrame or str, optional
        Who looks: a body, a frame that is fixed in one, their names, or an observer in
        any motion.  Positions count from the body's mass centre or the observer's
        attachment; velocities and accelerations are those that are seen from there.
        Default: ground, with positions from the System's fixed point.
    frame : ReferenceFrame or str, optional
        The frame of all components.  Default: that of the System.

    Raises
    ======

    TypeError, TopologyError, ValueError
        As for `InverseDynamics`; if no position or orientation leads from a point or a
        frame to the model's bodies, or several have one name.

    Examples
    ========

    The tip of a pendulum of length l, with its Jacobian:

    >>> from jointwrench import Kinematics, SerialChain
    >>> chain = SerialChain.planar(1)
    >>> kin = Kinematics(chain.system, points={"tip": chain.tip})
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

    The outputs, seen by the observer ``relative_to`` (default ground), with components in
    ``frame``: of the points ``"positions"``, ``"velocities"``, ``"accelerations"`` and
    ``"bias_accelerations"`` (those that the speeds make without accelerations of the
    speeds) (points, 3), ``"jacobians"`` (points, 3, n): ``velocity = jacobian @ u`` and
    what prescribed motion brings; of the frames ``"orientations"`` (frames, 3, 3), whose
    rows are the axes of the frame, as those of sympy's ``frame.dcm(other)``,
    ``"angular_velocities"``, ``"angular_accelerations"`` and
    ``"angular_bias_accelerations"`` (frames, 3) and ``"angular_jacobians"`` (frames, 3, n).
    With constraints ``"constraint_errors"`` (3, m), as for `InverseDynamics`.

    In models with loops and contacts all speeds are given, those that depend on others as
    well: Jacobians are those of the tree.
    """

    model: "DerivedModel[Evaluator]"

    default_outputs = written_outputs = ("positions", "orientations")

    def __init__(
        self,
        system: System,
        points: Mapping[str, Point | str] | Iterable[Point | str] | None = None,
        frames: Mapping[str, ReferenceFrame | str] | Iterable[ReferenceFrame | str] | None = None,
        loops: Iterable[LoopJoint | Contact] = (),
        owners: Mapping[Point | ReferenceFrame, Body | ReferenceFrame] | None = None,
        relative_to: Body | ReferenceFrame | ObserverFrame | str | None = None,
        frame: ReferenceFrame | str | None = None,
    ) -> None:
        derivation = derive(read_model(system, (), loops, owners), Request(actuated=()))
        self._look(derivation, points, frames, relative_to, frame)

    def _look(
        self, derivation: Derivation, points: Any, frames: Any, relative_to: Any, frame: Any
    ) -> None:
        self._observed = read_observation(derivation.tree, points, frames, relative_to, frame)
        self.model = DerivedModel(KinematicOutputs(derivation, self._observed))

    @classmethod
    def of_model(
        cls,
        model: DerivedModel[Any],
        points: Any = None,
        frames: Any = None,
        relative_to: Any = None,
        frame: Any = None,
    ) -> "Kinematics":
        """Return the kinematics of a model that was derived already."""
        self = cls.__new__(cls)
        self._look(model.derivation, points, frames, relative_to, frame)
        return self

    def kinematics(
        self, points: Any = None, frames: Any = None, relative_to: Any = None, frame: Any = None
    ) -> "Kinematics":
        """Return the `Kinematics` of other points and frames, or for another observer."""
        return Kinematics.of_model(self.model, points, frames, relative_to, frame)

    @property
    def points(self) -> tuple[str, ...]:
        """The names of the points, in the order of the outputs."""
        return tuple(self._observed.points)

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of the frames, in the order of the outputs."""
        return tuple(self._observed.frames)
