"""Formulas for people: equal to what they stand for, short, and in seconds."""

import pytest
from marks import few
from numbered_arms import ROBOTS, robot
from numeric import arguments_of, evaluate, evaluate_matrix, relative_error, run
from random_systems import random_system
from refusals import refused
from sympy import (
    Abs,
    Derivative,
    Float,
    Matrix,
    Piecewise,
    Symbol,
    Tuple,
    cos,
    floor,
    nan,
    pi,
    simplify,
    sin,
    sqrt,
    symbols,
    tan,
)
from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols

from jointwrench import Formula, InverseDynamics, SerialChain, Wrench
from jointwrench.mechanics.arithmetic.formula import varying_divisors
from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.operations import ArgumentPart
from jointwrench.mechanics.arithmetic.short_formulas import (
    Reader,
    expand_names,
    write_short_formulas,
)
from jointwrench.mechanics.arithmetic.trigonometric import count_written_operations

m, a, b, x, y, z = symbols("m a b x y z")


def short(expression, **options):
    """Return a formula and the definitions of its names."""
    graph = Graph()
    (value,), definitions = write_short_formulas(graph, [graph.scalar(expression).ref], **options)
    return value, definitions


@pytest.fixture(scope="module")
def limb():
    chain = SerialChain.planar(3, gravity=(0, -9.81, 0))
    return chain, InverseDynamics(chain.system)


class TestTerms:
    @pytest.mark.parametrize(
        ("long", "expected"),
        [
            (m * sin(x) ** 2 + m * cos(x) ** 2, m),
            (sin(x) * cos(y) + cos(x) * sin(y), sin(x + y)),
            (cos(x) * cos(y) - sin(x) * sin(y), cos(x + y)),
            (sin(x) * cos(y) - cos(x) * sin(y), sin(x - y)),
            (cos(x) * cos(y) + sin(x) * sin(y), cos(x - y)),
            (m * a * cos(x) * sin(y) - m * a * sin(x) * cos(y), m * a * sin(y - x)),
            (cos(x) ** 2 - sin(x) ** 2, 2 * cos(x) ** 2 - 1),
            (a * cos(x) * cos(y), a * cos(x) * cos(y)),
            (a * sin(x) * sin(y) * cos(z), a * sin(x) * sin(y) * cos(z)),
            (b * cos(x) * sin(y), b * cos(x) * sin(y)),
            (a * sin(x) ** 2, a * sin(x) ** 2),
            (a * cos(x + y) ** 2 + b, a * cos(x + y) ** 2 + b),
            ((a + b) ** 2 - a**2 - 2 * a * b, b**2),
            (m * a * x + m * b * x, m * x * (a + b)),
            (a / m - b / m, (a - b) / m),
            (1 / (2 * a), 1 / (2 * a)),
            (a / (a + b) + b / (a + b), (a + b) / (a + b)),
            (sqrt(2) * a * sin(x + pi / 3), sqrt(2) * a * sin(x + pi / 3)),
            (Float(9.81) * a * (sin(x) ** 2 + cos(x) ** 2) - Float(9.81) * a + b, b),
            (sin(x * y) * cos(x * y), sin(x * y) * cos(x * y)),
            (sin(x) ** 2 / cos(x) ** 2 - 2 * tan(x), 1 / cos(x) ** 2 - 1 - 2 * tan(x)),
            (a * tan(x) + 2 * a * m + 2 * m * sin(x), a * tan(x) + 2 * m * (a + sin(x))),
            (
                (sin(x) - a * sin(x) * sin(y) - tan(x)) * cos(y),
                ((1 - a * sin(y)) * sin(x) - tan(x)) * cos(y),
            ),
            (Abs(a - b) / cos(x), Abs(a - b) / cos(x)),
            (nan * a, nan),
            (Piecewise((a, x > y), (b, True)), Piecewise((a, x > y), (b, True))),
        ],
    )
    def test_what_cancels_is_gone(self, long, expected):
        value, definitions = short(long, named=False)
        assert definitions == {}
        assert value == expected or simplify(value - expected) == 0
        assert count_written_operations(value) <= count_written_operations(expected)

    @pytest.mark.parametrize("named", [True, False])
    def test_equal_in_numbers(self, rng, named):
        long = (a * sin(x) + b * cos(y)) ** 3 / (1 + a * cos(x - y) ** 2) * sqrt(a + b * sin(2 * x))
        value, definitions = short(long * sin(y) + Abs(long), named=named)
        values = {symbol: rng.uniform(0.5, 1.5) for symbol in (a, b, x, y)}
        expected = evaluate(long * sin(y) + Abs(long), values)
        assert evaluate(expand_names(value, definitions), values) == pytest.approx(expected)

    @pytest.mark.parametrize("most", [1, 400])
    def test_what_is_too_long_to_shorten_is_written_as_it_was_derived(self, rng, most):
        """With the names that some of it has by then, also of negatives."""
        graph = Graph()
        inner, outer = a * cos(x) + b * sin(y) - z, x * y - m
        whole = graph.scalar(sqrt(inner) * outer + sin(x) * cos(y) * inner)
        reader = Reader(graph, most)
        for name, part in (("d", outer), ("c", -inner)):
            reader.name(graph.scalar(part).ref, Symbol(name))
        values = {symbol: rng.uniform(0.5, 1.5) for symbol in (m, a, b, x, y)} | {z: -2.0}
        named = {Symbol("c"): evaluate(-inner, values), Symbol("d"): evaluate(outer, values)}
        found = reader.expression(whole.ref)
        assert found.free_symbols == {x, y, *named}
        expected = evaluate(sqrt(inner) * outer + sin(x) * cos(y) * inner, values)
        assert evaluate(found, values | named) == pytest.approx(expected)
        assert reader.is_named(-graph.scalar(inner).ref)
        assert not reader.is_named(whole.ref)
        assert reader.count_derived(whole.ref) == 10

    def test_names_outlast_a_change_of_an_angles_unit(self):
        """Half of an angle makes a reader begin again."""
        graph, (c, d) = Graph(), symbols("c d")
        reader = Reader(graph)
        for name, part in ((c, a * y + b), (d, m - x * y)):
            reader.name(graph.scalar(part).ref, name)
        for wave in (sin(z), cos(z / 2)):
            ref = graph.scalar(wave * (a * y + b) * (x * y - m)).ref
            assert reader.expression(ref) == -wave * c * d

    def test_a_sum_and_its_negative_have_one_name(self):
        total = a * cos(x) - b * sin(y) + z
        value, definitions = short(sqrt(total) + b * sqrt(-total) + y)
        assert len(definitions) == 1
        assert simplify(expand_names(value, definitions) - sqrt(total) - b * sqrt(-total) - y) == 0

    def test_derivatives_are_of_what_names_stand_for(self):
        graph = Graph()
        inner = graph.scalar(floor(a + b * x))
        arguments = [inner.ref, ArgumentPart(Tuple, (graph.scalar(x).ref, graph.scalar(1).ref))]
        ref = graph.call(Derivative, arguments)
        (value, _), _ = write_short_formulas(graph, [ref, graph.scalar(sqrt(a + b * x)).ref])
        assert value == Derivative(floor(a + b * x), x)

    def test_divisors_that_change_with_the_pose_stand_behind_names_too(self):
        q, inner, outer, fixed = dynamicsymbols("q"), *symbols("inner outer fixed")
        definitions = {fixed: a + b, inner: a * sin(q), outer: inner + b}
        values = [x / outer, y / fixed, tan(q) / a]
        assert set(varying_divisors(values, definitions)) == {outer, cos(q)}

    def test_a_name_is_free(self):
        taken = Symbol("z_0")
        long = a * sin(x) + b * cos(y) + taken * sin(x - y) * cos(y) + a * b
        value, definitions = short(sqrt(long) + 2 / long + Abs(long))
        assert [symbol.name for symbol in definitions] == ["z_0_"]
        assert value.has(*definitions)


class TestFormula:
    @pytest.mark.parametrize("seed", few(range(4), 0))
    def test_whole_is_the_program(self, seed):
        """Of random trees with loads."""
        tree = random_system(seed, 2, loads=("force", "torque", "motor"))
        values, idyn = tree.inputs, InverseDynamics(tree.system)
        outputs = ("generalized_forces", "joint_wrenches", "mass_matrix")
        expected = run(idyn.program(outputs), values)
        for name in outputs:
            whole = evaluate_matrix(Matrix(idyn.formula(name).expanded), values)
            assert relative_error(whole, expected[name].reshape(whole.shape)) < 1e-9

    def test_wrench_with_vectors_in_two_frames(self, rng):
        N, B, P = ReferenceFrame("N"), ReferenceFrame("B"), Point("P")
        B.orient_axis(N, x, N.z)
        wrench = Wrench(P, (m * sin(x) ** 2 + m * cos(x) ** 2) * N.x + a * B.y, a * x * B.z)
        formula = wrench.readable()
        assert str(formula) == "force = m*N.x + a*B.y\nmoment about P = a*x*B.z"
        assert formula.expanded.equals(wrench)
        with pytest.warns(DeprecationWarning, match="Use expanded"):
            assert formula.whole.equals(wrench)

    def test_names_of_words(self):
        N, P = ReferenceFrame("Rod_frame"), Point("pin_rod_joint")
        formula = Wrench(P, N.x, N.y).readable()
        assert r"\,\mathbf{\hat{x}}_{\mathrm{Rod\_frame}}" in formula._repr_latex_()
        assert r"\text{about}\ \mathrm{pin\_rod\_joint} &= " in formula._repr_latex_()
        assert r"\right\}_{\mathrm{pin\_rod\_joint}}" in Wrench(P, N.x, N.y)._repr_latex_()

    def test_display(self, limb):
        chain, idyn = limb
        formula = idyn.formula(chain.joints[2])
        assert isinstance(formula, Formula)
        latex = formula._repr_latex_()
        assert latex.startswith(r"$\displaystyle \begin{aligned} \text{force} &= m_{2}")
        assert latex.count(r" \\ &\quad - ") == 1  # of its two components each has a row
        assert r"\text{where} \quad" in latex
        assert r"\dot{u}_{0}" in latex
        assert r"\text{moment}\ \text{about}\ P_{2} &= " in latex
        short = InverseDynamics(SerialChain.planar(2).system)
        assert str(short.formula()).startswith("Q u_0 = ")
        assert "mass_matrix[0, 1] = " in str(short.formula("mass_matrix"))
        assert str(short.formula("joint_wrenches")).startswith("joint 0, force x = ")

    def test_refused(self, limb):
        _, idyn = limb
        refused(lambda: idyn.formula("bias", frame=idyn.frame), "about")


class TestSeen:
    """joint_wrench(joint, about, frame) is the wrench that Result has there."""

    @pytest.mark.parametrize("model", ["limb", "arm"])
    def test_as_in_results(self, model, limb, rng):
        idyn = limb[1] if model == "limb" else robot(ROBOTS["general 6R"][:2])
        values = {s: rng.uniform(0.5, 1.5) for group in idyn.inputs.values() for s in group}
        result = idyn.compile("joint_wrenches", backend="numpy")(*arguments_of(idyn, values))
        joint, point = idyn.joints[-1], idyn.joints[0].child_point
        wrench = idyn.joint_wrench(joint, about=point, frame=idyn.frame)
        assert wrench.point is point
        actual = evaluate_matrix(wrench.to_matrix(idyn.frame), values)[:, 0]
        assert relative_error(actual, result.joint_wrench(joint, point, idyn.frame)) < 1e-9


def test_sympy_simplifies_wrenches():
    N = ReferenceFrame("N")
    wrench = simplify(Wrench(Point("P"), (m * sin(x) ** 2 + m * cos(x) ** 2) * N.x))
    assert str(wrench) == "Wrench(point=P, force=m*N.x, moment=0)"
