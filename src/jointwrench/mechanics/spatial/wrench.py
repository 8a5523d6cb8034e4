"""Wrench: a force and a moment about a point."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sympy import Derivative, Dummy, Expr, ImmutableMatrix, Matrix, S, Symbol, exp
from sympy.core.function import AppliedUndef
from sympy.core.sympify import SympifyError
from sympy.matrices import MatrixBase
from sympy.physics.mechanics import Force, Particle, RigidBody, Torque
from sympy.physics.mechanics.functions import find_dynamicsymbols, msubs
from sympy.physics.vector import Point, ReferenceFrame, Vector, dynamicsymbols
from sympy.printing.pretty.stringpict import prettyForm, stringPict

from ...checks.arguments import (
    check_instance,
    check_mapping,
    check_sequence,
    describe,
    enumerate_some,
)
from ...checks.numbers import check_bool, check_integer
from ...checks.pickles import Pickled
from ...records.wrench_components import COMPONENTS
from ..arithmetic.formula import AbbreviatedPrinting, Formula
from ..arithmetic.graph import Graph
from ..arithmetic.latex import latex, upright
from ..sympy_objects import Body, check_body, check_frame, check_point, check_scalar, check_vector
from .components import leaves
from .paths import check_oriented, check_path


class Wrench(Pickled, AbbreviatedPrinting):
    r"""A force together with a moment about a point.

    Any set of forces and torques on a rigid body is equivalent to one force through a chosen point
    and one moment about that point.

    ::

          y ^      force
            |     ^
            |    /
            |   o) moment: positive counter-clockwise, seen with its axis
            |  point       pointing at the viewer (right-hand rule)
            +------------> x

    Parameters
    ==========

    point : Point
        The point about which the moment is taken.
    force : Vector or 0, optional
        The resultant force. The caller decides on what body and by what body it acts: the negative
        of a wrench acts on the other body (action and reaction).
    moment : Vector or 0, optional
        The resultant moment about ``point``.

    Raises
    ======

    TypeError
        If an argument has the wrong type.
    ValueError
        If the frames that occur in ``force`` and ``moment`` are not oriented
        relative to each other.

    See Also
    ========

    ObserverFrame : Wrenches in moving frames.
    InverseDynamics.joint_wrench : Those in a model.

    Examples
    ========

    A force of 3 at the end Q of a bar of length 2 is, about its start P, the
    same force and a moment of 6:

    >>> from sympy.physics.mechanics import Point, ReferenceFrame
    >>> import jointwrench as jw
    >>> N = ReferenceFrame('N')
    >>> P = Point('P')
    >>> Q = P.locatenew('Q', 2*N.x)
    >>> pull = jw.Wrench(Q, 3*N.y)
    >>> pull.about(P)
    Wrench(point=P, force=3*N.y, moment=6*N.z)

    Wrenches add up. The right one moves to the point of the left one:

    >>> jw.Wrench(P, moment=-6*N.z) + pull
    Wrench(point=P, force=3*N.y, moment=0)

    Notes
    =====

    * A wrench cannot be changed; every method returns a new one.
    * ``==`` and ``hash`` compare identity. Use `Wrench.equals` to compare two wrenches
      mathematically.
    * Components are stacked force first: ``[fx, fy, fz, mx, my, mz]``.
    * Any consistent set of units.
    * ``subs`` and ``xreplace`` change the components of the vectors, but neither the orientation of
      frames nor the position of points. Use ``wrench.express(frame)`` or ``to_matrix(frame)``
      first.

    References
    ==========

    .. [1] K. M. Lynch, F. C. Park, Modern Robotics, Cambridge University Press,
       2017, section 3.4 (with the moment first).
    """

    __slots__ = ("_force", "_moment", "_point")
    __array_ufunc__ = None  # numpy scalars leave products with a wrench to the wrench

    def __init__(self, point: Point, force: Any = 0, moment: Any = 0) -> None:
        self._point = check_point("point", point)
        self._force = check_vector("force", force)
        self._moment = check_vector("moment", moment)
        _check_same_world("force, moment", self._force, self._moment)

    @property
    def point(self) -> Point:
        """The point about which the moment is taken."""
        return self._point

    @property
    def force(self) -> Vector:
        """The resultant force."""
        return self._force

    @property
    def moment(self) -> Vector:
        """The resultant moment about `Wrench.point`."""
        return self._moment

    @classmethod
    def from_matrix(cls, matrix: Any, frame: ReferenceFrame, point: Point) -> "Wrench":
        """Return the wrench of six components.

        ``matrix``, of shape (6, 1) or (1, 6), or a sequence, is ``[fx, fy, fz, mx, my, mz]`` in
        ``frame``, the moment about ``point``.

        Raises
        ======

        TypeError, ValueError
            If an argument has the wrong type, or there are not six components.

        See Also
        ========

        Wrench.to_matrix : The inverse.

        Examples
        ========

        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> import jointwrench as jw
        >>> jw.Wrench.from_matrix([1, 0, 0, 0, 0, 5], ReferenceFrame('N'), Point('P'))
        Wrench(point=P, force=N.x, moment=5*N.z)
        """
        check_frame("frame", frame)
        entries = _six_components(matrix)
        force, moment = (Vector([(Matrix(half), frame)]) for half in (entries[:3], entries[3:]))
        return cls(point, force, moment)

    @classmethod
    def symbols(cls, name: str, frame: ReferenceFrame, point: Point) -> "Wrench":
        """Return a wrench of six unknowns: real symbols ``{name}_fx`` to ``{name}_mz``.

        They are its components in ``frame``, the moment about ``point``.

        Raises
        ======

        TypeError, ValueError
            If an argument has the wrong type, or ``name`` is empty.

        See Also
        ========

        ExternalWrench : A load with a force plate's values.

        Examples
        ========

        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> import jointwrench as jw
        >>> jw.Wrench.symbols('J', ReferenceFrame('N'), Point('P')).moment
        J_mx*N.x + J_my*N.y + J_mz*N.z
        """
        check_instance("name", name, str, "a string", "Use for instance 'J'.")
        if not name:
            raise ValueError("`name` must be a non-empty string, got ''. Use for instance 'J'.")
        unknowns = [Symbol(f"{name}_{component}", real=True) for component in COMPONENTS]
        return cls.from_matrix(unknowns, frame, point)

    @classmethod
    def from_loads(cls, loads: Iterable[Any], point: Point) -> "Wrench":
        """Return the resultant of sympy ``loads`` about a ``point``.

        They are an iterable of Force, Torque, or pairs (Point, force), (ReferenceFrame, torque) or
        (body, force); as in sympy, the force on a body acts at its mass centre.  All of them are
        summed, on whichever body they act.

        Raises
        ======

        TypeError
            If a load is neither a Force, a Torque nor such a pair.
        ValueError
            If no path of positions connects a force's point and ``point``.

        See Also
        ========

        Wrench.to_loads : The inverse.

        Examples
        ========

        >>> from sympy.physics.mechanics import Force, Point, ReferenceFrame
        >>> import jointwrench as jw
        >>> N = ReferenceFrame('N')
        >>> P = Point('P')
        >>> Q = P.locatenew('Q', 2*N.x)
        >>> jw.Wrench.from_loads([Force(Q, 3*N.y), (N, 4*N.z)], P)
        Wrench(point=P, force=3*N.y, moment=10*N.z)
        """
        expected = "an iterable of sympy Force, Torque or (where, vector) pairs"
        total = cls(point)
        for load in check_sequence("loads", loads, expected):
            total += _wrench_of_load(load, point)
        return total

    @classmethod
    def dynamic(cls, body: Body, frame: ReferenceFrame) -> "Wrench":
        """Return the rate of change of a body's momentum, about its mass centre.

        It is the force ``m a`` and the moment ``I al + w x (I w)`` of the ``body``'s motion in
        ``frame``, with the central inertia ``I``; the moment of a Particle is zero.  In an inertial
        frame it equals the sum of all wrenches on the body.

        Raises
        ======

        TypeError, ValueError
            If an argument has the wrong type; if the velocity of the mass centre or the orientation
            of the body in ``frame`` is unknown.

        See Also
        ========

        InverseDynamics.dynamic_wrench : For a model's body.

        Examples
        ========

        >>> from sympy import symbols
        >>> from sympy.physics.mechanics import (
        ...     Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia)
        >>> import jointwrench as jw
        >>> m, I = symbols('m I')
        >>> q, u = dynamicsymbols('q u')
        >>> N, A, C = ReferenceFrame('N'), ReferenceFrame('A'), Point('C')
        >>> A.orient_axis(N, q, N.z)
        >>> A.set_ang_vel(N, u*N.z)
        >>> C.set_vel(N, 0)
        >>> wheel = RigidBody('wheel', C, A, m, (inertia(A, 0, 0, I), C))
        >>> jw.Wrench.dynamic(wheel, N)
        Wrench(point=C, force=0, moment=I*Derivative(u(t), t)*A.z)

        Notes
        =====

        The acceleration is the time derivative of the velocities that sympy
        stores. Where these are written in generalized speeds ``u`` and the
        positions in coordinates ``q`` (all joints of sympy), the result may
        contain both ``u`` and ``q'``.
        """
        check_body("body", body)
        check_frame("frame", frame)
        acceleration = _motion(body, frame, body.masscenter.acc)
        if isinstance(body, RigidBody):
            check_oriented("frame", frame, body.frame)
        return momentum_rate(body, frame, acceleration)

    @classmethod
    def weight(cls, body: Body, gravity: Vector) -> "Wrench":
        """Return the wrench of uniform gravity on a ``body``, about its mass centre.

        ``gravity``, a Vector, is the acceleration of free fall, which points down.

        Raises
        ======

        TypeError
            If an argument has the wrong type.

        See Also
        ========

        Wrench.dynamic : The rate of change of its momentum.

        Examples
        ========

        >>> from sympy import symbols
        >>> from sympy.physics.mechanics import Particle, ReferenceFrame
        >>> import jointwrench as jw
        >>> g = symbols('g')
        >>> jw.Wrench.weight(Particle('ball'), -g*ReferenceFrame('N').y)
        Wrench(point=ball_masscenter, force=- ball_mass*g*N.y, moment=0)
        """
        check_body("body", body)
        return cls(body.masscenter, body.mass * check_vector("gravity", gravity))

    def about(self, point: Point) -> "Wrench":
        """Return the equal wrench with its moment about another ``point``.

        The force is unchanged; ``r x force`` is added to the moment, where ``r`` is the position of
        the old point from the new one.

        Raises
        ======

        TypeError, ValueError
            If ``point`` is not a Point; if no positions connect the two points, or their distance
            and the force are in frames that are not connected.

        See Also
        ========

        Wrench.express : Changes the frame.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> N, O = ReferenceFrame("N"), Point("O")
        >>> jw.Wrench(O.locatenew("P", 2 * N.x), 3 * N.y).about(O).moment
        6*N.z
        """
        arm = -check_path("point", point, self.point)
        _check_same_world("force", arm, self.force)
        known = self._without_nan()
        moved = Wrench(point, known.force, known.moment + arm.cross(known.force))
        return moved._map(_with_nan)

    def express(self, frame: ReferenceFrame) -> "Wrench":
        """Return the wrench with force and moment expressed in a ``frame``.

        Raises
        ======

        TypeError, ValueError
            If ``frame`` is not a ReferenceFrame; if its orientation in the frames of the wrench is
            unknown.

        See Also
        ========

        Wrench.about : Changes the point.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy import pi
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> N = ReferenceFrame("N")
        >>> A = N.orientnew("A", "Axis", [pi / 2, N.z])
        >>> jw.Wrench(Point("P"), 3 * N.y).express(A).force
        3*A.x
        """
        self._check_frame(frame)
        return self._without_nan()._map(Vector.express, frame)._map(_with_nan)

    def to_matrix(self, frame: ReferenceFrame) -> ImmutableMatrix:
        """Return the components in a ``frame``, stacked: ``[fx, fy, fz, mx, my, mz]``, 6 x 1.

        The moment is about `Wrench.point`; errors are those of `express`.

        See Also
        ========

        Wrench.from_matrix : The inverse.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> N = ReferenceFrame("N")
        >>> jw.Wrench(Point("P"), 3 * N.y).to_matrix(N).T
        Matrix([[0, 3, 0, 0, 0, 0]])
        """
        self._check_frame(frame)
        known = self._without_nan()
        entries = [*known.force.to_matrix(frame), *known.moment.to_matrix(frame)]
        return ImmutableMatrix([_nan_if_open(entry) for entry in entries])

    def to_loads(self, body: Body) -> tuple[Force, Torque] | tuple[Force]:
        """Return sympy loads on a ``body`` that are equivalent to this wrench on it.

        They are the Force at its mass centre and the Torque on its frame, for ``System.add_loads``
        and ``KanesMethod``. The mass centre is used since it moves with the body, which
        `Wrench.point` need not do. A Particle has no frame and gets only the Force.

        Raises
        ======

        TypeError, ValueError
            If ``body`` is neither a RigidBody nor a Particle; if no path of positions connects
            `Wrench.point` and the mass centre, or a moment about it remains for a Particle.

        See Also
        ========

        Wrench.from_loads : The inverse.

        Examples
        ========

        >>> from sympy.physics.mechanics import ReferenceFrame, RigidBody
        >>> import jointwrench as jw
        >>> N, bar = ReferenceFrame('N'), RigidBody('bar')
        >>> tip = bar.masscenter.locatenew('tip', 2*bar.x)
        >>> jw.Wrench(tip, 3*bar.y).to_loads(bar)
        (Force(point=bar_masscenter, force=3*bar_frame.y),
         Torque(frame=bar_frame, torque=6*bar_frame.z))
        """
        central = self._at_masscenter(body)
        force = Force(body.masscenter, central.force)
        if not isinstance(body, RigidBody):
            return (force,)
        return force, Torque(body.frame, central.moment)

    def equate(self, other: "Wrench", frame: ReferenceFrame) -> list[Expr]:
        """Return the balance of two wrenches as six expressions, for ``sympy.solve``.

        They are ``self - other`` about ``self.point`` in ``frame``, force first; all are zero if
        the two wrenches are equal. The moment of the other one may be about another point.

        Raises
        ======

        TypeError, ValueError
            If an argument has the wrong type, or points or frames are not connected.

        See Also
        ========

        InverseDynamics : Solves for loads of a model with ``solve_for``.

        Examples
        ========

        >>> from sympy import solve
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> import jointwrench as jw
        >>> N, P = ReferenceFrame('N'), Point('P')
        >>> Q = P.locatenew('Q', 2*N.x)
        >>> unknown = jw.Wrench.symbols('J', N, P)
        >>> solution = solve(unknown.equate(jw.Wrench(Q, 3*N.y), N))
        >>> unknown.xreplace(solution)
        Wrench(point=P, force=3*N.y, moment=6*N.z)
        """
        _check_wrench("other", other)
        return list((self - other).to_matrix(frame))

    def power(self, body: Body, frame: ReferenceFrame) -> Expr:
        """Return the power that this wrench supplies to a ``body`` it acts on.

        It is ``force . v + moment . w``, positive when energy flows into the body; ``v`` is the
        velocity in ``frame`` of the body's material point that coincides with `Wrench.point`, ``w``
        the body's angular velocity.

        Raises
        ======

        TypeError, ValueError
            If an argument has the wrong type; if the velocity of the mass centre or the orientation
            of the body in ``frame`` is not known; as for `to_loads`.

        See Also
        ========

        Result.joint_power : That of joints, in numbers.

        Examples
        ========

        >>> from sympy.physics.mechanics import ReferenceFrame, RigidBody
        >>> import jointwrench as jw
        >>> N, wheel = ReferenceFrame('N'), RigidBody('wheel')
        >>> wheel.frame.orient_axis(N, 0, N.z)
        >>> wheel.frame.set_ang_vel(N, 5*N.z)
        >>> wheel.masscenter.set_vel(N, 0)
        >>> rim = wheel.masscenter.locatenew('rim', 2*wheel.x)
        >>> jw.Wrench(rim, 3*wheel.y).power(wheel, N)
        30
        """
        check_frame("frame", frame)
        central = self._at_masscenter(body)
        power = central.force.dot(_motion(body, frame, body.masscenter.vel))
        if not isinstance(body, RigidBody):
            return power
        check_oriented("frame", frame, body.frame)
        return power + central.moment.dot(body.frame.ang_vel_in(frame))

    def central_axis(self) -> tuple[Vector, Expr]:
        """Return the position and the pitch of the screw axis, along which force and moment point.

        The offset, a Vector, is from `Wrench.point` to the nearest point of the axis, which has the
        direction of `Wrench.force`; the moment about any point of it is ``pitch * force``.

        Raises
        ======

        ValueError
            If the force is zero.

        See Also
        ========

        Wrench.about : Changes the point.

        Examples
        ========

        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> import jointwrench as jw
        >>> N = ReferenceFrame('N')
        >>> jw.Wrench(Point('P'), 3*N.y, 6*N.z + 12*N.y).central_axis()
        (2*N.x, 4)
        """
        from .equality import are_equal

        if are_equal(self.force, Vector(0)):
            raise ValueError(
                f"`force` must not be zero, got {describe(self)}: a couple has no central axis. "
                "Use .moment, which is the same about every point."
            )
        square = self.force.dot(self.force)
        return self.force.cross(self.moment) / square, self.force.dot(self.moment) / square

    def equals(self, other: "Wrench") -> bool:
        """Return whether this wrench equals an ``other`` one mathematically.

        They may be about different points and in different frames.  The test evaluates both at
        three seeded random points. With floats, 12 digits must agree.

        Raises
        ======

        TypeError, ValueError
            If ``other`` is not a Wrench, or points or frames are not connected.

        See Also
        ========

        Wrench.simplify : Simplifies the components.

        Examples
        ========

        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> import jointwrench as jw
        >>> N, P = ReferenceFrame('N'), Point('P')
        >>> Q = P.locatenew('Q', 2*N.x)
        >>> jw.Wrench(P, N.y).equals(jw.Wrench(Q, N.y, -2*N.z))
        True
        """
        from .equality import are_equal

        moved = _check_wrench("other", other).about(self.point)
        _check_same_world("other", self.force, self.moment, moved.force, moved.moment)
        return are_equal(self.force, moved.force) and are_equal(self.moment, moved.moment)

    def subs(self, *args: Any, **kwargs: Any) -> "Wrench":
        """Return the wrench with replacements in force and moment.

        ``args`` and ``kwargs`` are those of ``Vector.subs``, for instance ``{symbol: value}``.

        Raises
        ======

        TypeError
            If the arguments are not such replacements.

        See Also
        ========

        Wrench.xreplace : Exact replacements.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.abc import x
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> jw.Wrench(Point("P"), 3 * x * ReferenceFrame("N").y).subs(x, 2).force
        6*N.y
        """
        try:
            return self._map(Vector.subs, *args, **kwargs)
        except (SympifyError, TypeError, ValueError):
            raise TypeError(
                "`args` must be old and new, or a mapping or pairs of them, as of sympy, got "
                f"{enumerate_some(map(repr, args))}."
            ) from None

    def xreplace(self, rule: Mapping[Any, Any]) -> "Wrench":
        """Return the wrench with exact replacements in force and moment.

        ``rule`` is that of ``Vector.xreplace``: a mapping from expressions to their replacements.

        See Also
        ========

        Wrench.subs : Algebraic substitutions.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.abc import x
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> jw.Wrench(Point("P"), 3 * x * ReferenceFrame("N").y).xreplace({x: 2}).force
        6*N.y
        """
        return self._map(Vector.xreplace, _check_rule("rule", rule))

    def simplify(self) -> "Wrench":
        """Return the wrench with simplified components of force and moment.

        See Also
        ========

        Wrench.readable : Formats it for reading.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.abc import x
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> jw.Wrench(Point("P"), (x**2 + x) / x * ReferenceFrame("N").y).simplify()
        Wrench(point=P, force=(x + 1)*N.y, moment=0)
        """
        return self._map(Vector.simplify)

    def _eval_simplify(self, **options: Any) -> "Wrench":
        return self.simplify()

    def _sympy_(self) -> "Wrench":
        return self

    def readable(self, named: bool = True) -> "Formula":
        """Return the wrench in a form for reading, as a `Formula`.

        Terms are collected, sines and cosines of sums of angles contracted, and, if ``named``,
        repeated terms get names: ``z_0``, ``z_1`` and so on.

        See Also
        ========

        InverseDynamics.formula : With meaningful names.

        Examples
        ========

        >>> from sympy import cos, sin, symbols
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> import jointwrench as jw
        >>> m, a, q = symbols('m a q')
        >>> N = ReferenceFrame('N')
        >>> print(jw.Wrench(Point('P'), (m*a*sin(q)**2 + m*a*cos(q)**2)*N.x).readable())
        force = a*m*N.x
        moment about P = 0
        """
        from ..arithmetic.short_formulas import write_short_formulas

        check_bool("named", named)
        parts = [*self.force.args, *self.moment.args]
        graph = Graph()
        refs = [graph.scalar(entry).ref for entry in self._parts()]
        values, definitions = write_short_formulas(graph, refs, named=named)
        entries = iter(values)
        vectors = [Vector([(Matrix([next(entries) for _ in range(3)]), f)]) for _, f in parts]
        count = len(self.force.args)
        short = Wrench(self.point, sum(vectors[:count], Vector(0)), sum(vectors[count:], Vector(0)))
        return Formula(short, definitions, lines_of(short))

    def doit(self, **hints: Any) -> "Wrench":
        """Return the wrench with unevaluated derivatives and integrals carried out.

        ``hints`` are those of ``Vector.doit``.

        See Also
        ========

        Wrench.subs : Replacements.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy import Derivative
        >>> from sympy.abc import x
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> jw.Wrench(Point("P"), Derivative(3 * x, x) * ReferenceFrame("N").y).doit()
        Wrench(point=P, force=3*N.y, moment=0)
        """
        return self._map(Vector.doit, **hints)

    def applyfunc(self, f: Callable[[Expr], Any]) -> "Wrench":
        """Return the wrench with a function ``f`` applied to each component of its vectors.

        See Also
        ========

        Wrench.subs : Replacements.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy import factor
        >>> from sympy.abc import x
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> jw.Wrench(Point("P"), (x**2 + x) * ReferenceFrame("N").y).applyfunc(factor).force
        x*(x + 1)*N.y
        """
        check_instance("f", f, Callable, "a function of an expression")
        return self._map(Vector.applyfunc, f)

    def msubs(self, *sub_dicts: Mapping[Any, Any], **kwargs: Any) -> "Wrench":
        """Return the wrench with the replacements of ``sympy.physics.mechanics.msubs``.

        ``sub_dicts`` and ``kwargs`` are its arguments.  Derivatives of a replaced function stay.
        ``msubs(wrench, ...)`` calls this method.

        See Also
        ========

        Wrench.subs : Algebraic replacements.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols, msubs
        >>> q, u, N = dynamicsymbols("q"), dynamicsymbols("u"), ReferenceFrame("N")
        >>> msubs(jw.Wrench(Point("P"), (q + q.diff()) * N.x), {q.diff(): u, q: 2}).force
        (u(t) + 2)*N.x
        """
        checked = [_check_rule("sub_dicts", rule) for rule in sub_dicts]
        return self._map(msubs, *checked, **kwargs)

    def evalf(self, n: int = 15, **options: Any) -> "Wrench":
        """Return the wrench with its numbers evaluated to ``n`` digits.

        ``options`` are passed to ``Expr.evalf`` of sympy.

        See Also
        ========

        Wrench.subs : Puts numbers in.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy import pi
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> jw.Wrench(Point("P"), pi * ReferenceFrame("N").x).evalf(3).force
        3.14*N.x
        """
        check_integer("n", n, 1)
        return self._map(Vector.evalf, n, **options)

    def dt(self, frame: ReferenceFrame) -> "Wrench":
        """Return the time derivatives of force and moment in a ``frame``, about the same point.

        If the point moves, this is the rate of the moment about the moving point.

        Raises
        ======

        TypeError, ValueError
            As for `express`.

        See Also
        ========

        Wrench.dynamic : The rate of change of a momentum.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols
        >>> q, N, A = dynamicsymbols("q"), ReferenceFrame("N"), ReferenceFrame("A")
        >>> A.orient_axis(N, q, N.z)
        >>> jw.Wrench(Point("P"), 2 * A.x).dt(N).force
        2*Derivative(q(t), t)*A.y
        """
        self._check_frame(frame)
        known = self._without_nan(exp(dynamicsymbols._t))
        return known._map(Vector.dt, frame)._map(_with_nan)

    def diff(self, var: Expr, frame: ReferenceFrame, var_in_dcm: bool = True) -> "Wrench":
        """Return the partial derivatives of force and moment with respect to ``var`` in a frame.

        ``frame`` and ``var_in_dcm`` are those of ``Vector.diff``: by default unit vectors that
        depend on ``var`` are also differentiated.

        Raises
        ======

        TypeError, ValueError
            As for `express`.

        See Also
        ========

        Wrench.dt : With respect to time.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.abc import k, x
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> N = ReferenceFrame("N")
        >>> jw.Wrench(Point("P"), -k * x * N.x).diff(x, N)
        Wrench(point=P, force=- k*N.x, moment=0)
        """
        check_bool("var_in_dcm", var_in_dcm)
        kinds = Symbol, AppliedUndef, Derivative
        check_instance("var", var, kinds, "a symbol, a function of time or its derivative")
        self._check_frame(frame)
        known = self._without_nan(exp(var))
        return known._map(Vector.diff, var, frame, var_in_dcm)._map(_with_nan)

    def free_symbols(self, reference_frame: ReferenceFrame) -> set[Expr]:
        """Return the free symbols of the components in a ``reference_frame``.

        See Also
        ========

        Wrench.free_dynamicsymbols : Functions of time.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.abc import k, x
        >>> from sympy.physics.mechanics import Point, ReferenceFrame
        >>> N = ReferenceFrame("N")
        >>> sorted(jw.Wrench(Point("P"), -k * N.x, x * N.z).free_symbols(N), key=str)
        [k, x]
        """
        self._check_frame(reference_frame, "reference_frame")
        return self.to_matrix(reference_frame).free_symbols

    def free_dynamicsymbols(self, reference_frame: ReferenceFrame) -> set[Expr]:
        """Return the functions of time in the components in a ``reference_frame``.

        See Also
        ========

        Wrench.free_symbols : Symbols.

        Examples
        ========

        >>> import jointwrench as jw
        >>> from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols
        >>> N, q = ReferenceFrame("N"), dynamicsymbols("q")
        >>> jw.Wrench(Point("P"), q * N.x).free_dynamicsymbols(N)
        {q(t)}
        """
        self._check_frame(reference_frame, "reference_frame")
        return find_dynamicsymbols(self.to_matrix(reference_frame))

    @property
    def args(self) -> tuple[Point, Vector, Vector]:
        """The point, the force and the moment: ``wrench.func(*wrench.args)`` makes an equal one."""
        return self.point, self.force, self.moment

    @property
    def func(self) -> type["Wrench"]:
        """The class, for ``wrench.func(*wrench.args)``."""
        return Wrench

    def __add__(self, other: Any) -> "Wrench":
        if isinstance(other, Wrench):
            moved = other.about(self.point)
            return Wrench(self.point, self.force + moved.force, self.moment + moved.moment)
        if isinstance(other, (int, Expr)) and other == 0:  # the start of sum()
            return self
        return NotImplemented

    __radd__ = __add__

    def __neg__(self) -> "Wrench":
        return self._map(lambda vector: -vector)

    def __sub__(self, other: Any) -> "Wrench":
        return self + -other if isinstance(other, Wrench) else NotImplemented

    def __mul__(self, factor: Any) -> "Wrench":
        scalar = check_scalar("factor", factor)
        return self._map(lambda vector: scalar * vector)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> "Wrench":
        scalar = check_scalar("divisor", divisor)
        if scalar == 0:
            raise ZeroDivisionError("`divisor` must be a non-zero scalar, got 0.")
        return self * (S.One / scalar)

    def _parts(self) -> list[Expr]:
        vectors = [*self.force.args, *self.moment.args]
        return [entry for matrix, _ in vectors for entry in matrix]

    def _short(self) -> Formula:
        return self.readable()

    def _sympystr(self, printer: Any) -> str:
        force, moment = printer._print(self.force), printer._print(self.moment)
        return f"Wrench(point={self.point}, force={force}, moment={moment})"

    def _latex(self, printer: Any) -> str:
        force, moment = latex(self.force, printer), latex(self.moment, printer)
        rows = rf"\begin{{matrix}} {force} \\ {moment} \end{{matrix}}"
        return rf"\left\{{ {rows} \right\}}_{{{upright(self.point.name)}}}"

    def _pretty(self, printer: Any) -> prettyForm:
        rows = [printer._print(self.force), printer._print(self.moment)]
        braces = prettyForm(*prettyForm(*stringPict.stack(*rows)).parens("{", "}"))
        return prettyForm(*braces.right(" about ", self.point.name))

    def _map(self, function: Callable[..., Vector], *args: Any, **kwargs: Any) -> "Wrench":
        """Return the wrench with a function of vectors, which may take more, of both vectors."""
        force, moment = (function(x, *args, **kwargs) for x in (self.force, self.moment))
        return Wrench(self.point, force, moment)

    def _without_nan(self, factor: Expr = S.One) -> "Wrench":
        """Return the wrench with symbols for NaN, which products with zero would propagate.

        For derivatives, which would be zero, the ``factor`` depends on the variable.
        """
        matrices = [matrix for vector in (self.force, self.moment) for matrix, _ in vector.args]
        if not all(isinstance(matrix, MatrixBase) for matrix in matrices):
            return self
        if not any(entry is S.NaN for matrix in matrices for entry in matrix):
            return self
        return self._map(Vector.applyfunc, lambda x: factor * Open("nan") if x is S.NaN else x)

    def _check_frame(self, frame: ReferenceFrame, argument: str = "frame") -> None:
        check_frame(argument, frame)
        for own in [*self.force.separate(), *self.moment.separate()]:
            check_oriented(argument, frame, own)

    def _at_masscenter(self, body: Body) -> "Wrench":
        """Return the wrench about a body's mass centre; for a Particle the moment must be zero."""
        center = check_body("body", body).masscenter
        check_path("body", center, self.point)
        central = self.about(center)
        arm = self.point.pos_from(center)
        if isinstance(body, RigidBody):
            return central
        from .equality import are_equal

        if are_equal(self.moment, -arm.cross(self.force)):
            return central
        raise ValueError(
            f"`body` must be a RigidBody to take a moment, got the Particle {body.name} and a "
            f"moment about {center}. Use Wrench({center}, force) for a force without a moment."
        )


def lines_of(wrench: Wrench) -> list[tuple[str, Vector]]:
    """Return force and moment with their labels."""
    return [("force", wrench.force), (f"moment about {wrench.point.name}", wrench.moment)]


def momentum_rate(body: Body, frame: ReferenceFrame, acceleration: Vector) -> Wrench:
    """Return ``m a`` and ``I al + w x (I w)`` in a frame, given the mass centre's acceleration."""
    force = body.mass * acceleration
    if not isinstance(body, RigidBody):
        return Wrench(body.masscenter, force)
    I = body.central_inertia
    w = body.frame.ang_vel_in(frame)
    al = body.frame.ang_acc_in(frame)
    return Wrench(body.masscenter, force, I.dot(al) + w.cross(I.dot(w)))


class Open(Dummy):
    """Stands for a component that mechanics leaves open."""


def _nan_if_open(entry: Expr) -> Expr:
    return S.NaN if _is_open([entry]) else entry


def _is_open(entries: Any) -> bool:
    parts = entries if isinstance(entries, MatrixBase | list) else [entries]
    return any(isinstance(leaf, Open) for leaf in leaves(parts))  # `has` visits parts again


def _with_nan(vector: Vector) -> Vector:
    if not any(_is_open(matrix) for matrix, _ in vector.args):
        return vector
    return vector.applyfunc(_nan_if_open)


def _check_wrench(argument: str, value: Any) -> Wrench:
    return check_instance(
        argument, value, Wrench, "a Wrench", "Use Wrench(point, force, moment) to build one."
    )


def _check_rule(argument: str, value: Any) -> dict[Any, Expr]:
    """Return a mapping of replacements with sympy's values."""
    return {old: check_scalar(argument, new) for old, new in check_mapping(argument, value).items()}


def _check_same_world(argument: str, *vectors: Vector) -> None:
    """Refuse vectors whose frames are not oriented relative to each other."""
    frames = [frame for vector in vectors for frame in vector.separate()]
    for frame in frames[1:]:
        check_oriented(argument, frame, frames[0])


def _six_components(matrix: Any) -> list[Expr]:
    """Return the entries of a 6x1 or 1x6 matrix, or of a sequence of six."""
    if isinstance(matrix, MatrixBase):
        if matrix.shape not in ((6, 1), (1, 6)):
            raise ValueError(
                f"`matrix` must have the shape (6, 1) or (1, 6), got {matrix.shape}. "
                f"Use the order [{', '.join(COMPONENTS)}]."
            )
        return list(matrix)
    items = check_sequence("matrix", matrix, "a Matrix or a sequence of 6 scalars")
    if len(items) != 6:
        raise ValueError(
            f"`matrix` must have 6 entries, got {len(items)}. "
            f"Use the order [{', '.join(COMPONENTS)}]."
        )
    return [check_scalar(f"matrix[{i}]", item) for i, item in enumerate(items)]


def _wrench_of_load(load: Any, point: Point) -> Wrench:
    """Return one sympy load as a wrench about a point."""
    if not isinstance(load, tuple) or len(load) != 2:
        raise TypeError(
            "`loads` must contain sympy Force, Torque or (where, vector) pairs, "
            f"got {describe(load)}. Use for instance (body.masscenter, 3 * frame.x)."
        )
    where, vector = load
    if isinstance(where, (Particle, RigidBody)):
        where = where.masscenter
    if isinstance(where, ReferenceFrame):
        return Wrench(point, 0, check_vector("loads", vector))
    if isinstance(where, Point):
        return Wrench(where, check_vector("loads", vector)).about(point)
    raise TypeError(
        "`loads` must act on a Point, a ReferenceFrame or a body, "
        f"got {describe(where)}. Use for instance (body.masscenter, 3 * frame.x)."
    )


def _motion(
    body: Body, frame: ReferenceFrame, quantity: Callable[[ReferenceFrame], Vector]
) -> Vector:
    """Return the velocity or the acceleration of a body's mass centre in a frame."""
    try:
        return quantity(frame)
    except ValueError:
        center = body.masscenter
        raise ValueError(
            f"`body` must have a mass centre with a known velocity in {frame}, got {body.name} "
            f"with {center}. Use {center}.set_vel({frame}, ...), or set the velocity of a point "
            f"that a path of positions connects with {center}."
        ) from None
