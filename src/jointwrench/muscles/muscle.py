"""`Muscle`: what a file says of a muscle, and of the path that it takes over the bones."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from sympy import Expr

from .muscle_pathway import MuscleAnchors, MusclePathway
from .surfaces import Surface


@dataclass(frozen=True, eq=False)
class Condition:
    """When a point of a path is one: while a formula of the coordinates is between two values."""

    formula: Expr
    least: float
    most: float


@dataclass(frozen=True, eq=False)
class PathPoint:
    """A point of a muscle's path.

    Parameters
    ==========

    name, body : str
        Its own name and that of its body (``"ground"`` for none).
    location : tuple of 3 Expr
        In the frame of the body; of a moving point formulas of the coordinates.
    condition : Condition, optional
        When it is a point of the path; None: always.
    """

    name: str
    body: str
    location: tuple[Expr, Expr, Expr]
    condition: Condition | None = None

    @property
    def is_moving(self) -> bool:
        """Whether it moves in the body's frame."""
        return not all(x.is_number for x in self.location)


@dataclass(frozen=True, eq=False)
class WrapObject:
    """A surface on a body: the rotation matrix and the origin of its frame in the body's frame.

    One that is not active is passed by.
    """

    name: str
    body: str
    rotation: np.ndarray
    position: np.ndarray
    surface: Surface
    is_active: bool = True


@dataclass(frozen=True, eq=False)
class PathWrap:
    """A surface that a path may touch, between two of its points (their indices, both within)."""

    over: WrapObject
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Muscle:
    """A muscle of a model.

    Parameters
    ==========

    name : str
        Its name.
    points : tuple of PathPoint
        From one end to the other.
    wraps : tuple of PathWrap
        The surfaces that it may touch, in the order in which they are looked at.
    maximal_isometric_force : float
        The largest force of its fibres, at their optimal length and at rest.
    optimal_fiber_length, tendon_slack_length : float
        Lengths of fibres and of the tendon.
    pennation_angle : float
        Between fibres and tendon, at the optimal fibre length.
    maximal_contraction_velocity : float
        In optimal fibre lengths per second.
    least_activation, most_activation : float
        Bounds of the activation.
    anchors : MuscleAnchors, optional
        What it is attached to: the bodies and joints of its model.

    See Also
    ========

    read_osim : Reads them.
    MuscleGeometry : Their lengths and moment arms.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.Muscle("extensor", (), (), 1000.0, 0.1, 0.2, 0.0).maximal_isometric_force
    1000.0
    """

    name: str
    points: tuple[PathPoint, ...]
    wraps: tuple[PathWrap, ...]
    maximal_isometric_force: float
    optimal_fiber_length: float
    tendon_slack_length: float
    pennation_angle: float
    maximal_contraction_velocity: float = 10.0
    least_activation: float = 0.01
    most_activation: float = 1.0
    anchors: MuscleAnchors | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        wraps = "".join(f", over {wrap.over.name}" for wrap in self.wraps)
        ends = f"{self.points[0].body} to {self.points[-1].body}"
        return f"Muscle({self.name}: {ends}, {len(self.points)} points{wraps})"

    @cached_property
    def pathway(self) -> MusclePathway:
        """The path as a pathway of sympy, for ``ForceActuator`` and ``sympy.physics.biomechanics``.

        Raises
        ======

        ValueError
            If it is no path through points alone, see `MusclePathway`.

        See Also
        ========

        MusclePathway : What it is.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy import Symbol
        >>> from sympy.physics.mechanics import ForceActuator
        >>> model = jw.read_osim(jw.example_data("whole_trial/subject01.osim"))
        >>> muscle = model.muscles["soleus_r"]
        >>> model.system.add_actuators(ForceActuator(-Symbol("tension"), muscle.pathway))
        >>> idyn = model.inverse_dynamics()
        """
        return MusclePathway(self)

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies on which it pulls or lies."""
        own = [x.body for x in self.points] + [wrap.over.body for wrap in self.wraps]
        return tuple(dict.fromkeys(own))
