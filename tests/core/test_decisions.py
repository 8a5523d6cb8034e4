"""Zeros, ranks and null spaces in many digits: the same in every unit and for every rounding."""

import math

import numpy as np
import pytest
from refusals import refusal, refused
from sympy import Float, Max, Rational, Symbol, cos, erf, sin, sqrt, symbols, sympify

from jointwrench.mechanics.arithmetic import generic_state
from jointwrench.mechanics.arithmetic.digits import Digits, UndecidableError, call, low, mp, number
from jointwrench.mechanics.arithmetic.graph import Graph
from jointwrench.mechanics.arithmetic.manifold import NotAssembledError, find_state
from jointwrench.mechanics.arithmetic.vectors import Vec

a, b, x, y = symbols("a b x y")
UNITS = [1e-6, 1e-3, 1.0, 1e3, 1e9]


def is_zero(expression, **options):
    graph = Graph()
    return generic_state.GenericState(graph, **options).is_zero(graph.scalar(expression))


def rows_of(matrix):
    return [[number(sympify(entry)) for entry in row] for row in matrix]


@pytest.mark.parametrize(
    "expression",
    [
        (Float(0.1) + Float(0.2)) * a * (x + y) - Float(0.3) * a * x - Float(0.3) * a * y,
        cos(x + Float(math.pi / 2)) + sin(x),
        sin(x) * cos(y) + cos(x) * sin(y) - sin(x + y),
        sqrt(a - 5) ** 2 - a + 5,
        sqrt((x + y) * (x - y) - x**2 + y**2),
        a / Float(3.0) - a * Rational(1, 3),
        1e12 * a * b - Float(1e12) * b * a,
    ],
)
def test_zero(expression):
    assert is_zero(expression)


NOT_ZERO = [Float(1e-200) * a, a * Float(0.3) - a * Float(0.3000000000001), Max(0, a - 9)]
NOT_ZERO += [a - Symbol("a", positive=True), sin(x) - x + x**3 / 6]


@pytest.mark.parametrize("expression", NOT_ZERO)
def test_not_zero(expression):
    assert not is_zero(expression)


def test_other_functions_have_the_values_that_sympy_has():
    graph = Graph()
    state = generic_state.GenericState(graph, {x: Digits.exact(0.5)})
    (found,) = state.of([graph.scalar(erf(x))])
    assert float(found.value) == pytest.approx(math.erf(0.5), rel=1e-14)


def test_numbers_as_given_may_differ_by_their_rounding():
    difference = (Float(0.1) + Float(0.2)) * a * (x + y) - Float(0.3) * a * x - Float(0.3) * a * y
    assert is_zero(difference)
    assert not is_zero(difference, is_rounded=False)


def test_a_right_angle_in_doubles():
    graph = Graph()
    assert Vec.enter(graph, (Float(math.cos(math.pi / 2)), Float(1.0), 0)).x.is_zero
    assert not Vec.enter(graph, (Float(1e-12), 1, 0)).x.is_zero


@pytest.mark.parametrize("row", UNITS)
@pytest.mark.parametrize("column", UNITS)
def test_rank_and_null_space_in_any_unit(row, column):
    """Two equal columns and one across them; units of a row and of a column."""
    matrix = np.array([[0.7, 0.7, 0.1], [0.3, 0.3, -0.2], [1.0, 1.0, -0.1]])
    matrix[0] *= row
    matrix[:, 1] *= column
    rows = rows_of([[Float(entry) for entry in line] for line in matrix])
    assert generic_state.rank(rows) == 2
    assert len(generic_state.independent(rows)) == 2
    ((first, second, third),) = generic_state.null_space(rows)
    assert float(first.value) == pytest.approx(-column * float(second.value))
    assert third.value == 0


def test_light_and_heavy_are_of_full_rank():
    assert generic_state.rank(rows_of([[1, Float(1e-15)], [Float(1e-15), Float(2e-15)]])) == 2


def test_rows_that_others_do_not_span():
    rows = rows_of([[1, 0, 2], [0, 1, 0]])
    assert generic_state.find_unspanned(rows, rows_of([[1, 1, 2], [0, 0, 1], [0, 0, 0]])) == [1]
    assert generic_state.find_unspanned([], rows_of([[0, 0], [0, 1]])) == [1]


@pytest.mark.parametrize("off", [0.0, 1e-18, 1e-17])
def test_nothing_is_proved_that_roundings_can_make_singular(off):
    random = np.random.default_rng(1)
    entries = random.normal(size=(8, 8))
    assert generic_state.is_provably_regular(rows_of([[Float(x) for x in row] for row in entries]))
    entries[7] = entries[:7].T @ random.normal(size=7) * (1 + off)
    rows = rows_of([[Float(x) for x in row] for row in entries])
    assert not generic_state.is_provably_regular(rows)
    assert generic_state.rank(rows) == 7


def test_digits_say_how_their_data_were_rounded():
    third = number(Float(0.1)) * Digits.exact(3)
    left = third - number(Float(0.3))
    assert left.is_zero
    assert left.significance == 0
    assert not third.is_zero
    assert "off by" in repr(third)
    assert third.is_rounded
    assert not number(Rational(1, 3)).is_rounded


def test_sums_that_are_off_by_some_roundings_are_zero():
    """Data come from a few operations, each of which rounds: three in a thousand may be missed."""
    random, missed = np.random.default_rng(3), 0
    for one, two, steps in random.uniform([0.5, 0.5, -10], [1, 1, 10], (2000, 3)):
        terms = one, two, -(one + two) * (1 + steps * 2.0**-53)
        first, second, third = (number(Float(float(x))) for x in terms)
        missed += not (first + second + third).is_zero
        assert not (first + second + third + number(Rational(1, 10**12))).is_zero
    assert missed <= 2


def test_what_cancels_is_zero_and_what_is_small_is_none():
    """However many rotations lead there: bounds of errors would have grown by 1.4 with each."""
    x, y = Digits.exact(1), Digits.exact(0)
    for k in range(400):
        c, s = (call(f, [Digits.exact(k + 0.3)]) for f in (cos, sin))
        x, y = c * x - s * y, s * x + c * y
    small = number(Rational(1, 10**20))
    rest = x * x + y * y - Digits.exact(1)
    assert rest.is_zero
    assert not (rest + small).is_zero
    assert (rest + small - small).is_zero


def test_roundings_of_zeros_say_nothing():
    """Two zeros, each of roundings of its own, of which those near them are the same."""
    third, nothing = number(Rational(1, 3)), Digits.exact(0)
    zero = third * Digits.exact(3) - Digits.exact(1)
    for factor in (third, number(Rational(1, 7)), -third):
        nothing = nothing + zero * factor
    assert nothing.is_zero
    assert generic_state.rank([[zero, zero * third], [zero * third, nothing]]) == 0


def test_more_digits_decide_what_fewer_do_not():
    graph = Graph()
    state = generic_state.GenericState(graph)
    tiny = graph.scalar(x + Rational(1, 10**35)) - graph.scalar(x + Rational(1, 10**60))
    with refusal(None, UndecidableError):
        assert state.of([tiny])[0].is_zero
    assert not state.is_zero(tiny)
    assert state.rank([[tiny]]) == 1
    assert state.is_zero(graph.scalar((x + 1) ** 2) - graph.scalar(x * x + 2 * x + 1))


def test_what_no_digits_decide_is_refused():
    graph = Graph()
    state = generic_state.GenericState(graph, {x: Digits(mp.mpf("1e-35"), (low.mpf("1e-30"),))})
    refused(lambda: state.is_zero(graph.scalar(x)), None, UndecidableError)


class TestAssembledState:
    """A crank and a rod that meet a line, with a slider that meets the rod's end."""

    def equations(self, crank, rod, height=0, varying=()):
        graph = Graph(varying)
        s = graph.scalar(Symbol("s"))
        lengths = [graph.scalar(Float(value)) for value in (crank, rod, height)]
        (cq, sq), (cp, sp) = ([graph.scalar(f(Symbol(n))) for f in (cos, sin)] for n in "qp")
        end = lengths[0] * cq + lengths[1] * cp, lengths[0] * sq + lengths[1] * sp
        return graph, [end[0] - s, end[1] - lengths[2]], [Symbol(name) for name in "qps"]

    def find(self, *lengths, turning="qp"):
        graph, equations, coordinates = self.equations(*lengths)
        angles = frozenset(Symbol(name) for name in turning)
        return find_state(graph, equations, coordinates, angles), equations

    @pytest.mark.parametrize("unit", [1e-6, 1e-3, 1.0, 1e3, 1e6])
    def test_in_any_unit(self, unit):
        state, equations = self.find(unit, 2.5 * unit, 0.3 * unit)
        assert all(left.is_zero for left in state.of(equations))

    @pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
    def test_time_in_any_unit(self, unit):
        """A crank that follows a point on its way, which leaves its reach within a time unit."""
        time = Symbol("t")
        graph, equations, coordinates = self.equations(1.0, 2.5, varying=[time])
        way = graph.scalar(Float(0.7 / unit)) * graph.scalar(time)
        equations.append(graph.scalar(Symbol("s")) - way - graph.scalar(Float(0.4)))
        state = find_state(graph, equations, coordinates, frozenset(coordinates[:2]))
        assert all(left.is_zero for left in state.of(equations))

    def test_lengths_without_numbers_are_near_one(self):
        """Nothing says what is long; small ones would vanish beside numbers elsewhere."""
        graph, crank, rod = Graph(), *symbols("crank rod")
        ends = [graph.scalar(crank * cos(x)), graph.scalar(rod * cos(y))]
        state = find_state(graph, [ends[0] - ends[1]], [x, y], frozenset([x, y]))
        assert all(abs(length.value) > 0.1 for length in state.of(map(graph.scalar, (crank, rod))))

    def test_equations_that_contradict_each_other_by_more_than_rounding(self):
        graph, equations, coordinates = self.equations(1.0, 2.5)
        shifted = [*equations, equations[0] + graph.scalar(Float(1e-5))]
        with refusal(None, NotAssembledError):
            find_state(graph, shifted, coordinates, frozenset(coordinates[:2]))
        rounded = [*equations, equations[0] + graph.scalar(Float(0.1) + Float(0.2) - Float(0.3))]
        find_state(graph, rounded, coordinates, frozenset(coordinates[:2]))

    def test_what_no_coordinate_changes(self):
        graph = Graph()
        with refusal(None, NotAssembledError):
            find_state(graph, [graph.scalar(Float(0.3))], [Symbol("q")])
        gap = graph.scalar(Float(0.1)) + graph.scalar(Float(0.2)) - graph.scalar(Float(0.3))
        find_state(graph, [gap], [Symbol("q")])

    def test_one_term_that_must_vanish(self):
        graph = Graph()
        state = find_state(graph, [graph.scalar(sin(x))], [x], frozenset([x]))
        assert state.is_zero(graph.scalar(sin(x)))
        assert not state.is_zero(graph.scalar(cos(x)))
