"""Wrench: the laws of statics, agreement with sympy's own mechanics, and refusals."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy.physics.mechanics as me
from general_motion import World
from refusals import refused
from sympy import (
    ImmutableMatrix,
    Integral,
    Matrix,
    Rational,
    S,
    Symbol,
    cos,
    latex,
    pi,
    pretty,
    sin,
    solve,
    sqrt,
    symbols,
    zeros,
)
from sympy.physics.mechanics.loads import gravity
from sympy.physics.vector import vlatex, vpprint, vprint

from jointwrench.mechanics.spatial.equality import are_equal
from jointwrench.mechanics.spatial.wrench import Wrench

q, u = me.dynamicsymbols("q u")
a, b, c = symbols("a b c", real=True)
N = me.ReferenceFrame("N")
A = me.ReferenceFrame("A")
A.orient_axis(N, q, N.z)
P = me.Point("P")
Q = P.locatenew("Q", 2 * N.x)
R = Q.locatenew("R", a * A.y)
LONER = me.Point("Loner")
FAR = me.ReferenceFrame("Elsewhere")
FORCE_AND_MOMENT, OTHER = symbols("x:6"), symbols("y:6")


@pytest.fixture
def wrench() -> Wrench:
    return Wrench(P, a * N.x + 3 * A.y, b * A.x + 5 * N.z)


# What a wrench is


def test_force_and_moment_default_to_zero() -> None:
    nothing = Wrench(P)
    assert nothing.point is P
    assert nothing.force == me.Vector(0)
    assert nothing.moment == me.Vector(0)
    assert Wrench(P, S.Zero, 0).to_matrix(N) == zeros(6, 1)


@pytest.mark.parametrize("attribute", ["point", "force", "moment"])
def test_is_immutable(wrench: Wrench, attribute: str) -> None:
    with pytest.raises(AttributeError, match=r"no setter|can't set"):
        setattr(wrench, attribute, 0)
    with pytest.raises(AttributeError, match="has no attribute 'name'"):
        wrench.name = "W"


def test_equality_and_hash_go_by_identity() -> None:
    one, other = Wrench(P, N.x), Wrench(P, N.x)
    assert one != other
    assert one == one
    assert len({one, other}) == 2


@pytest.mark.parametrize("vectors", [(N.x, FAR.x), (N.x + FAR.x,), (0, N.x + FAR.x)])
def test_refuses_frames_that_are_not_connected(vectors: tuple) -> None:
    refused(lambda: Wrench(P, *vectors), "force")


# Components


@pytest.mark.parametrize("kind", [Matrix, lambda x: ImmutableMatrix([x]), list, tuple, np.array])
def test_from_matrix_and_back(kind: Callable) -> None:
    wrench = Wrench.from_matrix(kind([1, 2, 3, a, b, c]), A, P)
    assert wrench.point is P
    assert wrench.force == A.x + 2 * A.y + 3 * A.z
    assert wrench.moment == a * A.x + b * A.y + c * A.z
    column = wrench.to_matrix(A)
    assert isinstance(column, ImmutableMatrix)
    assert column == ImmutableMatrix([1, 2, 3, a, b, c])


@pytest.mark.parametrize("matrix", [Matrix(2, 3, range(6)), [1, 2, 3]])
def test_from_matrix_refuses(matrix: Any) -> None:
    refused(lambda: Wrench.from_matrix(matrix, N, P), "matrix")


def test_symbols_are_six_real_unknowns() -> None:
    names = ["J_fx", "J_fy", "J_fz", "J_mx", "J_my", "J_mz"]
    expected = ImmutableMatrix([Symbol(name, real=True) for name in names])
    assert Wrench.symbols("J", A, P).to_matrix(A) == expected


def test_express_rotates_the_components(wrench: Wrench) -> None:
    rotated = wrench.express(N)
    assert set(rotated.force.separate()) | set(rotated.moment.separate()) == {N}
    assert rotated.equals(wrench)
    expected = ImmutableMatrix([a - 3 * sin(q), 3 * cos(q), 0, b * cos(q), b * sin(q), 5])
    assert rotated.to_matrix(N) == expected


# Moving to another point


def test_about_adds_the_moment_of_the_force() -> None:
    moved = Wrench(Q, 3 * N.y, 4 * N.z).about(P)
    assert moved.point is P
    assert moved.force == 3 * N.y
    assert moved.moment == (4 + 2 * 3) * N.z


def test_what_has_no_path_and_what_is_no_wrench(wrench: Wrench) -> None:
    refused(lambda: wrench.equate(N.x, N), "other", TypeError)
    refused(lambda: wrench.equals(Wrench(LONER)), "point")
    refused(lambda: wrench.equals(Wrench(P, 0, FAR.x)), "other")
    refused(lambda: wrench.about(LONER), "point")
    refused(lambda: Wrench(P, FAR.x).about(Q), "force")


# Loads


def test_from_loads_is_the_resultant_about_the_point() -> None:
    bar, ball = me.RigidBody("bar", Q, A), me.Particle("ball", R)
    loads = [me.Force(Q, 3 * N.y), me.Torque(bar, b * A.z), (Q, N.x), (N, c * N.z), (ball, 2 * A.x)]
    total = Wrench.from_loads(loads, P)
    assert total.point is P
    assert total.force == 3 * N.y + N.x + 2 * A.x
    expected = 6 * N.z + b * A.z + c * N.z + R.pos_from(P).cross(2 * A.x)
    assert are_equal(total.moment, expected)
    assert Wrench.from_loads([(bar, N.x)], Q).force == N.x
    assert Wrench.from_loads([], P).equals(Wrench(P))


def test_weight_is_the_gravity_of_sympy() -> None:
    bar, g = me.RigidBody("bar", Q, A, a), symbols("g")
    weight = Wrench.weight(bar, -g * N.y)
    assert weight.point is Q
    assert weight.equals(Wrench.from_loads(gravity(-g * N.y, bar), P))


@pytest.mark.parametrize("loads", [[N.x], [("P", N.x)], [(P, 3)], [(N, 3)]])
def test_from_loads_refuses(loads: Any) -> None:
    refused(lambda: Wrench.from_loads(loads, P), "loads", TypeError)


def test_to_loads_are_forces_at_the_mass_centre_and_torques_on_the_frame() -> None:
    force, torque = Wrench(R, 3 * A.x, b * A.z).to_loads(me.RigidBody("bar", Q, A))
    assert isinstance(force, me.Force)
    assert isinstance(torque, me.Torque)
    assert force.point is Q
    assert torque.frame is A
    assert torque.torque == (b - 3 * a) * A.z
    assert Wrench.from_loads([force, torque], R).equals(Wrench(R, 3 * A.x, b * A.z))
    me.System().add_loads(force, torque)


def test_to_loads_of_a_particle_is_a_force() -> None:
    ball = me.Particle("ball", Q)
    (force,) = Wrench(P, 3 * N.y, 6 * N.z).to_loads(ball)
    assert isinstance(force, me.Force)
    assert force.point is Q
    assert force.force == 3 * N.y
    hidden_zero = (cos(q) ** 2 + sin(q) ** 2 - 1) * N.z
    assert len(Wrench(Q, N.y, hidden_zero).to_loads(ball)) == 1


def test_a_particle_bears_no_moment() -> None:
    ball = me.Particle("ball", Q)
    refused(lambda: Wrench(Q, N.y, N.z).to_loads(ball), "body")
    refused(lambda: Wrench(P, N.y).power(ball, N), "body")


# Dynamics


def test_dynamic_wrench_is_the_rate_of_change_of_momentum() -> None:
    """And its power that of the kinetic energy."""
    world = World()
    for body in (world.rigid_body, world.particle):
        dynamic = Wrench.dynamic(body, world.N)
        assert dynamic.point is body.masscenter
        assert are_equal(dynamic.force, body.linear_momentum(world.N).dt(world.N))
        angular_momentum = body.angular_momentum(world.O, world.N)
        assert are_equal(dynamic.about(world.O).moment, angular_momentum.dt(world.N))
        rate = body.kinetic_energy(world.N).diff(me.dynamicsymbols._t)
        assert are_equal(dynamic.power(body, world.N) * world.N.x, rate * world.N.x)


def test_dynamic_wrench_follows_the_users_time() -> None:
    me.dynamicsymbols._t = t = Symbol("t", real=True)  # put back by the fixture of conftest.py
    angle = me.dynamicsymbols("angle", real=True)
    turning, center = me.ReferenceFrame("T"), me.Point("C")
    turning.orient_axis(N, angle, N.z)
    center.set_vel(N, angle * N.x)
    wheel = me.RigidBody("wheel", center, turning, a, (me.inertia(turning, 0, 0, b), center))
    dynamic = Wrench.dynamic(wheel, N)
    assert dynamic.force == a * angle.diff(t) * N.x
    assert dynamic.moment == b * angle.diff(t, 2) * turning.z


@pytest.mark.parametrize(
    "call", [Wrench.dynamic, lambda body, frame: Wrench(body.masscenter).power(body, frame)]
)
def test_motion_must_be_known(call: Callable) -> None:
    unmoved = me.RigidBody("unmoved", me.Point("C"), me.ReferenceFrame("F"))
    refused(lambda: call(unmoved, N), "body")
    unmoved.masscenter.set_vel(N, 0)
    refused(lambda: call(unmoved, N), "frame")
    refused(lambda: call(unmoved, P), "frame", TypeError)


# Balance and screw axis


def test_equate_is_solved_for_the_unknown_wrench() -> None:
    unknown = Wrench.symbols("J", A, P)
    load = Wrench(R, a * N.x, b * N.z)
    balance = unknown.equate(load, A)
    assert len(balance) == 6
    solved = unknown.xreplace(solve(balance, list(unknown.to_matrix(A))))
    assert solved.point is P
    assert solved.equals(load)


def test_about_the_central_axis_the_moment_is_along_the_force(wrench: Wrench) -> None:
    offset, pitch = wrench.central_axis()
    assert are_equal(wrench.about(P.locatenew("S", offset)).moment, pitch * wrench.force)
    assert are_equal(offset.dot(wrench.force) * N.x, me.Vector(0))


def test_a_couple_has_no_central_axis() -> None:
    hidden_zero = (cos(q) ** 2 + sin(q) ** 2 - 1) * N.x
    for force in (0, hidden_zero):
        refused(lambda: Wrench(P, force, N.z).central_axis(), "force")


# Algebra


@pytest.mark.parametrize("right", [OTHER, [0] * 6, [-x for x in FORCE_AND_MOMENT]], ids=str)
def test_sum_is_the_sum_about_the_left_point(right: list) -> None:
    one = Wrench.from_matrix(FORCE_AND_MOMENT, N, P)
    other = Wrench.from_matrix(right, N, Q)
    total = one + other
    assert total.point is P
    assert total.to_matrix(N) == one.to_matrix(N) + other.about(P).to_matrix(N)
    assert (other + one).equals(total)
    assert (total - other).to_matrix(N).expand() == one.to_matrix(N)


def test_products_with_scalars(wrench: Wrench) -> None:
    column = wrench.to_matrix(N)
    assert (-wrench).to_matrix(N) == -column
    for product in (2 * wrench, wrench * 2, S(2) * wrench, wrench + wrench):
        assert (product.to_matrix(N) - 2 * column).expand() == zeros(6, 1)
    assert (c * wrench).to_matrix(N).expand() == (c * column).expand()
    assert (wrench / c * c).equals(wrench)
    assert (np.float64(2.0) * wrench).equals(wrench * 2)


def test_python_sum(wrench: Wrench) -> None:
    parts = [wrench, Wrench(Q, N.y), Wrench(R, A.x)]
    assert sum(parts).equals(parts[0] + parts[1] + parts[2])
    assert sum([wrench]) is wrench
    assert S.Zero + wrench is wrench


@pytest.mark.parametrize(
    ("operation", "error", "message"),
    [
        (lambda w: w + 1, TypeError, "unsupported operand"),
        (lambda w: w - 1, TypeError, "unsupported operand"),
        (lambda w: 1 - w, TypeError, "unsupported operand"),
        (lambda w: w + me.Force(P, N.x), TypeError, "unsupported operand"),
        (lambda w: w + N.x, TypeError, "A Vector must be supplied"),
        (lambda w: w * w, TypeError, "`factor` must be a number or a scalar sympy expression"),
        (lambda w: w * N.x, TypeError, "`factor` must be a number .*, got N.x of type Vector"),
        (lambda w: np.ones(2) * w, TypeError, "`factor` must be a number .* of type ndarray"),
        (lambda w: w / "2", TypeError, "`divisor` must be a number .*, got '2' of type str"),
        (lambda w: w / 0, ZeroDivisionError, "`divisor` must be a non-zero scalar"),
        (lambda w: w + Wrench(LONER), ValueError, r"`point` .* known position from Loner, got P"),
        (lambda w: w + Wrench(P, FAR.x), ValueError, "got Elsewhere, and no path"),
    ],
)
def test_algebra_refuses(
    wrench: Wrench, operation: Callable, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        operation(wrench)


# Equality


def test_equals_does_not_depend_on_point_and_frame(wrench: Wrench) -> None:
    assert wrench.equals(wrench.about(R).express(A))
    assert wrench.about(R).express(N).equals(wrench)
    assert not wrench.equals(Wrench(Q, wrench.force, wrench.moment))
    assert not wrench.equals(Wrench(P, wrench.force))
    assert not Wrench(P).equals(wrench)
    assert Wrench(P).equals(Wrench(Q))


positive, integer = Symbol("p", positive=True), Symbol("n", integer=True)
negative = Symbol("k", negative=True)
x, t = symbols("x t")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (cos(q) ** 2 + sin(q) ** 2, 1, True),
        (q.diff().diff(), q.diff(me.dynamicsymbols._t, 2), True),
        (q.diff(), q, False),
        (sqrt(positive**2), positive, True),
        (sqrt(x**2), x, False),
        (sqrt(negative**2), -negative, True),
        (sin(integer * pi), 0, True),
        (Integral(t, (t, 0, x)), x**2 / 2, True),
        (0.1 * x + 0.2 * x, 0.3 * x, True),
        (0.1 * x, x / 10, True),
        (1e-30 * x, 2e-30 * x, False),
        (Rational(1, 3) * x, 0.333333 * x, False),
        (10**40 * x * (cos(q) ** 2 + sin(q) ** 2), 10**40 * x, True),
        (S.NaN, S.NaN, False),
    ],
)
def test_equals_is_mathematical(left: Any, right: Any, expected: bool) -> None:
    assert Wrench(P, left * N.x).equals(Wrench(P, right * N.x)) is expected


# Components


def test_formulas_of_shared_parts_are_turned_at_once() -> None:
    """Those of closed loops are: each part of this one occurs in the next one twice."""
    formula = a
    for _ in range(60):
        formula = sin(formula) + cos(formula)
    force, moment = ((Matrix(x), N) for x in ([formula, 0, S.NaN], [0, 0, formula]))
    turned = Wrench(P, me.Vector([force]), me.Vector([moment])).to_matrix(A)
    assert [entry is S.NaN for entry in turned] == [False, False, True, False, False, False]
    assert turned[5] is formula


# Substitution


def test_substitution_reaches_force_and_moment(wrench: Wrench) -> None:
    expected = ImmutableMatrix([7 - 3 * sin(q), 3 * cos(q), 0, 8 * cos(q), 8 * sin(q), 5])
    rule = {a: S(7), b: S(8)}
    assert wrench.subs(rule).to_matrix(N) == expected
    assert wrench.xreplace(rule).to_matrix(N) == expected
    assert wrench.subs(a, 7).subs(b, 8).to_matrix(N) == expected


def test_simplify_and_doit_reach_force_and_moment() -> None:
    one, half_square = cos(q) ** 2 + sin(q) ** 2, Integral(t, (t, 0, x))
    simple = Wrench(P, one * N.x, one * A.z).simplify().to_matrix(N)
    assert simple == ImmutableMatrix([1, 0, 0, 0, 0, 1])
    done = Wrench(P, half_square * N.x, half_square * N.y).doit().to_matrix(N)
    assert done == ImmutableMatrix([x**2 / 2, 0, 0, 0, x**2 / 2, 0])


#: Methods of Vector that a Wrench has, as calls of either; a result is a vector or a set.
OF_VECTORS = {
    "dt": lambda w: w.dt(N),
    "diff": lambda w: w.diff(q, N),
    "diff of components": lambda w: w.diff(q, A, var_in_dcm=False),
    "applyfunc": lambda w: w.applyfunc(lambda entry: entry**2 + 1),
    "msubs": lambda w: me.msubs(w, {a: 7, q: u}),
    "evalf": lambda w: (w * pi).evalf(4, subs={a: 2}),
    "free_symbols": lambda w: w.free_symbols(N),
    "free_dynamicsymbols": lambda w: w.free_dynamicsymbols(N),
}


@pytest.mark.parametrize("call", OF_VECTORS)
def test_methods_of_vectors(wrench: Wrench, call: str) -> None:
    """They reach force and moment, and the point stays."""
    found = OF_VECTORS[call](wrench)
    force, moment = (OF_VECTORS[call](vector) for vector in (wrench.force, wrench.moment))
    if isinstance(found, set):
        assert found == force | moment
        assert found
    else:
        assert found.point is P
        assert found.force == force
        assert found.moment == moment
        assert force != wrench.force


def test_rates_of_force_and_moment_about_a_moving_point() -> None:
    """The rate of a moment about a point that moves with v differs from about one at rest by v x F.

    In N: d/dt (M_P) = d/dt (M_O) - d/dt (r_OP) x F - r_OP x d/dt F.
    """
    O, moving = me.Point("O"), me.Point("M")
    moving.set_pos(O, u * N.x + q**2 * N.y)
    at_rest = Wrench(O, q * N.x + 3 * A.y, u * N.z)
    expected = at_rest.dt(N).about(moving).moment - moving.pos_from(O).dt(N).cross(at_rest.force)
    assert are_equal(at_rest.about(moving).dt(N).moment, expected)


def test_args_rebuild_a_wrench(wrench: Wrench) -> None:
    assert wrench.func(*wrench.args).equals(wrench)
    assert [*wrench.args] == [P, wrench.force, wrench.moment]


def test_rates_of_undetermined_components_are_undetermined() -> None:
    """Those of NaN alone: not zero, which is the derivative of sympy's NaN, and not all of them."""
    force = me.Vector([(Matrix([S.NaN, q, 0]), A)])
    for rates in (Wrench(P, force).dt(A), Wrench(P, force).diff(q, A)):
        assert rates.force.args[0][0][0] is S.NaN
        assert rates.force.args[0][0][1:, 0] in (Matrix([q.diff(), 0]), Matrix([1, 0]))
    turning = Wrench(P, force).dt(N).to_matrix(A)
    assert [entry is S.NaN for entry in turning[:3, 0]] == [True, True, False]


def test_methods_of_vectors_refuse(wrench: Wrench) -> None:
    refused(lambda: wrench.applyfunc(3), "f", TypeError)
    refused(lambda: wrench.dt(FAR), "frame")
    refused(lambda: wrench.diff(q, "N"), "frame", TypeError)


# Printing


@pytest.fixture
def moving() -> Wrench:
    return Wrench(me.Point("P_0"), q.diff() * A.x, a * N.z)


def test_str_and_repr(moving: Wrench) -> None:
    expected = "Wrench(point=P_0, force=Derivative(q(t), t)*A.x, moment=a*N.z)"
    assert str(moving) == expected
    assert repr(moving) == expected


def test_latex(moving: Wrench) -> None:
    expected = (
        r"\left\{ \begin{matrix} \dot{q}\mathbf{\hat{a}_x} \\ a\mathbf{\hat{n}_z} \end{matrix} "
        r"\right\}_{P_{0}}"
    )
    assert vlatex(moving) == expected
    assert me.mlatex(moving) == expected
    assert moving._repr_latex_() == rf"$\displaystyle {latex(moving)}$"
    assert r"\frac{d}{d t} q" in latex(moving)


def test_mechanics_printers(moving: Wrench, capsys: pytest.CaptureFixture) -> None:
    for mechanics_printer in (vprint, me.mprint):
        mechanics_printer(moving)
        assert capsys.readouterr().out == "Wrench(point=P_0, force=q'*A.x, moment=a*N.z)\n"
    for mechanics_printer in (vpprint, me.mpprint):
        picture = mechanics_printer(moving, use_unicode=False)
        assert "q'(t) a_x" in picture
        assert "a n_z" in picture
        assert "about P_0" in picture


def test_pretty_printer() -> None:
    text = pretty(Wrench(P, N.x, 2 * N.z), use_unicode=True)
    assert [x.rstrip() for x in text.splitlines()] == ["⎧ n_x ⎫", "⎨2 n_z⎬ about P", "⎩     ⎭"]


def test_the_printing_mode_of_mechanics(moving: Wrench, capsys: pytest.CaptureFixture) -> None:
    me.mechanics_printing(pretty_print=False)
    sys.displayhook(moving)
    assert "q'*A.x" in capsys.readouterr().out
