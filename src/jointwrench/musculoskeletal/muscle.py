"""`Muscle`: the data of a muscle and of its path."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sympy import Expr
from sympy.physics.mechanics import LinearPathway, ObstacleSetPathway, PathwayBase

from ..checks.arguments import enumerate_some
from ..checks.numbers import check_finite_or_nan, real_array
from ..checks.pickles import Pickled
from ..checks.tolerances import RANGE_MARGIN
from ..extend import ModelBuilder
from .fiber_curves import FiberCurves
from .surfaces import Surface


@dataclass(frozen=True, eq=False)
class Condition:
    """The condition under which a path point is active: a formula is between two values.

    ``formula`` depends on the coordinates, ``least`` and ``most`` are its bounds.
    """

    formula: Expr
    least: float
    most: float

    def holds(self, value: Any) -> Any:
        """Return a boolean mask (N,) of the formula's values in the range, up to roundoff."""
        return (value >= self.least - RANGE_MARGIN) & (value <= self.most + RANGE_MARGIN)


@dataclass(frozen=True, eq=False)
class PathPoint:
    """A point of a muscle's path.

    Attributes
    ==========

    name, body : str
        The names of the point, and of its body or ``"ground"``.
    location : tuple of 3 Expr
        The point in the body's frame: numbers, or formulas of the coordinates.
    condition : Condition or None
        The condition under which the point is active; None for always.
    """

    name: str
    body: str
    location: tuple[Expr, Expr, Expr]
    condition: Condition | None = None

    @property
    def is_moving(self) -> bool:
        """Whether the point moves in the body's frame."""
        return not all(x.is_number for x in self.location)


@dataclass(frozen=True, eq=False)
class WrapObject:
    """A surface on a body.

    Attributes
    ==========

    name, body : str
        The names of the surface and of its body.
    rotation, position : numpy.ndarray, shapes (3, 3), (3,)
        The pose of the surface's frame in the body's frame.
    surface : Surface
        The shape.
    is_active : bool
        Whether paths wrap over the surface.
    """

    name: str
    body: str
    rotation: np.ndarray
    position: np.ndarray
    surface: Surface
    is_active: bool = True


@dataclass(frozen=True, eq=False)
class PathWrap:
    """A surface over which a path may wrap, between its points ``first`` and ``last`` (indices)."""

    over: WrapObject
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Muscle(Pickled):
    """A muscle of a model; made by `read_osim`.

    Parameters
    ==========

    name : str
        The name of the muscle.
    points : tuple of PathPoint
        The points of the path from one end to the other.
    wraps : tuple of PathWrap
        The surfaces over which the path may wrap, in the order in which they are tried.
    maximal_isometric_force : float
        The largest force of the fibres, at their optimal length and at rest.
    optimal_fiber_length, tendon_slack_length : float
        Lengths of fibres and of the tendon.
    pennation_angle : float
        The angle between fibres and tendon, at the optimal fibre length.
    maximal_contraction_velocity : float
        The largest shortening velocity, in optimal fibre lengths per second.
    least_activation, most_activation : float
        Bounds of the activation.
    curves : FiberCurves, optional
        The dependence of the fibres' force on length and velocity; None if it is unknown.
    largest_pennation_angle : float
        The angle at which fibres stop shortening.
    builder : ModelBuilder, optional
        The builder of the muscle's model, which makes the points of its pathway.

    See Also
    ========

    MuscleGeometry : Lengths and moment arms of muscles.

    Notes
    =====

    The curves are those of Thelen [1]_, Millard et al. [2]_ and De Groote et al. [3]_.  For the
    force along a rigid tendon, OpenSim (4.6) computes Millard's pennation angle from a length
    without its unit, and assumes zero as De Groote's pennation angle.  `strength` follows OpenSim,
    so that muscle forces agree.

    References
    ==========

    .. [1] D. G. Thelen, Adjustment of muscle mechanics model parameters to simulate dynamic
       contractions in older adults, J. Biomech. Eng. 125 (2003), 70-77.
    .. [2] M. Millard, T. Uchida, A. Seth, S. L. Delp, Flexing computational muscle: modeling and
       simulation of musculotendon dynamics, J. Biomech. Eng. 135 (2013), 021005.
    .. [3] F. De Groote, A. L. Kinney, A. V. Rao, B. J. Fregly, Evaluation of direct collocation
       optimal control problem formulations for solving the muscle redundancy problem, Ann. Biomed.
       Eng. 44 (2016), 2922-2936.

    Examples
    ========

    >>> import jointwrench as jw
    >>> jw.musculoskeletal.Muscle("extensor", (), (), 1000.0, 0.1, 0.2, 0.0).maximal_isometric_force
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
    curves: FiberCurves | None = field(default=None, repr=False)
    largest_pennation_angle: float = math.acos(0.1)
    builder: ModelBuilder | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        wraps = "".join(f", over {wrap.over.name}" for wrap in self.wraps)
        ends = f"{self.points[0].body} to {self.points[-1].body}"
        return f"Muscle({self.name}: {ends}, {len(self.points)} points{wraps})"

    @cached_property
    def pathway(self) -> PathwayBase:
        """The path as a pathway of sympy, for ``ForceActuator`` and ``sympy.physics.biomechanics``.

        Two points give a ``LinearPathway``, more points an ``ObstacleSetPathway``.  All points must
        be fixed in their bodies and always active, and the path must not wrap over surfaces.

        Raises
        ======

        ValueError
            If the path does not satisfy these conditions, or the muscle has no model.

        See Also
        ========

        MuscleGeometry : Lengths and moment arms along every path.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy import Symbol
        >>> from sympy.physics.mechanics import ForceActuator
        >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
        >>> pull = ForceActuator(-Symbol("tension"), model.muscles["soleus_r"].pathway)
        >>> pull.to_loads()[0].location
        soleus_r/soleus_r-P1
        """
        if self.builder is None:
            raise ValueError(f"`muscle` must be one of a model of read_osim, got {self.name}.")
        others = [x.name for x in self.points if x.is_moving or x.condition is not None]
        others += [wrap.over.name for wrap in self.wraps if wrap.over.is_active]
        if others:
            raise ValueError(
                "`muscle` must have a path only through fixed points, which are always active, "
                f"got {self.name}, whose path depends on {enumerate_some(others)}. Use "
                "MuscleGeometry(model) for its length and moment arms, and MuscleDriven(model, "
                f"['{self.name}']) for it as a load."
            )
        builder, bodies = self.builder.builder, self.builder.all_bodies
        points = [
            builder.add_point(f"{self.name}/{x.name}", bodies[x.body], x.location)
            for x in self.points
        ]
        return LinearPathway(*points) if len(points) == 2 else ObstacleSetPathway(*points)

    def strength(self, lengths: Any, rates: Any) -> np.ndarray:
        """Return the available fraction of the maximal isometric force, shape (...).

        The result is the force of fully active fibres along the tendon, divided by the maximal
        isometric force.  ``lengths`` are the lengths from end to end, tendon included, and
        ``rates`` their time derivatives.  The tendon is rigid, with its slack length; the width of
        the muscle is constant.

        Raises
        ======

        ValueError
            If the muscle's curves are unknown, or the shapes differ.

        See Also
        ========

        static_optimization : Uses the strength with ``physiology=True``.

        Examples
        ========

        >>> import jointwrench as jw
        >>> model = jw.musculoskeletal.read_osim(jw.example_data("whole_trial/subject01.osim"))
        >>> model.muscles["soleus_r"].strength([0.29, 0.31, 0.31], [0.0, 0.0, -0.1]).round(3)
        array([0.935, 0.77 , 0.362])
        """
        if self.curves is None:
            raise ValueError(
                f"`muscle` must have curves of force, length and velocity, got {self.name}. Use "
                "strengths= of static_optimization for your own numbers."
            )
        arrays = {"lengths": lengths, "rates": rates}
        length, rate = (check_finite_or_nan(n, real_array(n, x)) for n, x in arrays.items())
        if rate.shape not in ((), length.shape):
            raise ValueError(
                f"`rates` must have the shape of `lengths`, {length.shape}, got {rate.shape}."
            )
        optimal, along = self.optimal_fiber_length, length - self.tendon_slack_length
        height = optimal * math.sin(self.pennation_angle)
        fiber = np.hypot(along, height)
        angle = self.largest_pennation_angle
        shortest = height / math.sin(angle) if angle else 0.01 * optimal  # as in OpenSim
        has_force = along > shortest * math.cos(angle)
        has_force &= fiber > self.curves.least_length * optimal
        fiber = np.where(has_force, fiber, optimal)  # avoids invalid lengths without force
        velocity = rate * (along / fiber) / (optimal * self.maximal_contraction_velocity)
        force = self.curves.force_length(fiber / optimal) * self.curves.force_velocity(velocity)
        force = np.maximum(force, 0) * self.curves.cosine(height / fiber, optimal)
        return np.where(has_force, force, 0 * (length + rate))  # keeps NaN

    @property
    def bodies(self) -> tuple[str, ...]:
        """The names of the bodies to which the muscle is attached or over which it wraps."""
        own = [x.body for x in self.points] + [wrap.over.body for wrap in self.wraps]
        return tuple(dict.fromkeys(own))
