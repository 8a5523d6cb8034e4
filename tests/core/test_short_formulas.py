"""Formulas are as short as those of textbooks, and nothing else than the model's."""

import re

import numpy as np
import pytest
import sympy as sm
from bodies import rigid_body, system_of
from linkages import closed
from marks import slow
from numbered_arms import ROBOTS, robot
from numeric import evaluate, evaluate_matrix, run
from sympy.physics.mechanics import SphericalJoint, dynamicsymbols
from ten_systems import SYSTEMS, A, C, T, g, h, m

from jointwrench import InverseDynamics, LoopJoint, SerialChain
from jointwrench.mechanics.arithmetic.trigonometric import count_written_operations


def entries(formula):
    """Return the components of what a formula says."""
    value = formula.value
    if isinstance(value, sm.MatrixBase):
        return list(value)
    vectors = (value.force, value.moment)
    return [x for vector in vectors for matrix, _ in vector.args for x in matrix]


def count(*formulas):
    """Return the operations that one reads, also those of definitions."""
    written = (x for f in formulas for x in (*entries(f), *f.definitions.values()))
    return sum(count_written_operations(x) for x in written if x is not sm.nan)


def check_names(form):
    """All names are used, and none stands before what it depends on."""
    known = list(form.definitions)
    used = set().union(*(x.free_symbols for x in (*entries(form), *form.definitions.values())))
    assert used.issuperset(known)
    for place, symbol in enumerate(known):
        assert form.definitions[symbol].free_symbols.isdisjoint(known[place:])


def states(idyn, number=20):
    """Return values of all inputs, several times."""
    random = np.random.default_rng(1)
    symbols = [x for group in idyn.inputs.values() for x in group]
    return [{x: random.uniform(0.4, 1.4) for x in (*symbols, T)} for _ in range(number)]


@pytest.mark.parametrize("named", [True, *slow([False])])
@pytest.mark.parametrize("make", SYSTEMS)
def test_as_short_as_the_book(make, named):
    book = make()
    idyn = book.idyn
    formulas = [idyn.formula(named=named)] if book.has_torques else []
    if book.force:
        formulas.insert(0, idyn.formula(idyn.joints[0], frame=book.force, named=named))
    values = []
    for formula in formulas:
        own = formula.expanded
        values += list(own if isinstance(own, sm.MatrixBase) else own.force.to_matrix(book.force))
    names = {x.func.__name__: x for x in (*idyn.coordinates, *idyn.speeds)}
    names |= {f"{x.func.__name__}_": x.diff(T) for x in idyn.speeds}
    names |= {x.name: x for x in idyn.constants}
    theirs = [sm.sympify(form, locals=names) for form in book.form.split(",")]
    assert len(values) == len(theirs)
    for state in states(idyn):
        ours, known = ([evaluate(x, state) for x in part] for part in (values, theirs))
        np.testing.assert_allclose(ours, known, rtol=1e-12, atol=1e-12 * np.abs(known).max())
    written = [x for formula in formulas for x in formula.definitions.values()]
    for formula in formulas:  # of a wrench the book has the force
        is_matrix = isinstance(formula.value, sm.MatrixBase)
        written += entries(formula)[: None if is_matrix else 3]
    assert sum(map(count_written_operations, written)) <= min(
        book.shortest, sum(map(count_written_operations, theirs))
    )
    for formula in formulas:
        check_names(formula)
        text = str(formula)
        assert not any(f"{name})" in text or f"{name} " in text for name in book.ignorable)


@pytest.mark.parametrize("named", [*slow([True]), False])
def test_spinning_top_on_a_spherical_joint(named):
    ground, top = rigid_body("ground"), rigid_body("top", m, A, A, C)
    q, u = dynamicsymbols("psi theta phi"), dynamicsymbols("u1:4")
    angles = {"rot_type": "BODY", "rot_order": "ZXZ"}
    ball = SphericalJoint("ball", ground, top, q, u, child_point=-h * top.z, **angles)
    idyn = InverseDynamics(system_of(ground, ball, gravity=-g * ground.z))
    formula = idyn.formula(ball, frame="shortest", named=named)
    assert {frame.name for _, frame in formula.value.force.args} == {"top_frame_1"}
    assert {frame.name for _, frame in formula.value.moment.args} == {"top_frame_2"}
    assert count(formula) <= 76
    assert formula.expanded.equals(idyn.joint_wrench(ball))
    assert "psi" not in str(formula)
    assert "phi" not in str(formula)


def test_shortest_frame_is_between_body_and_ground():
    formula = SYSTEMS[3]().idyn.formula("bead", frame="shortest")
    assert [frame.name for _, frame in formula.value.force.args] == ["R"]
    assert count(formula) <= 26


#: Operations of formulas before there was one normal form for all: of the torques, of a joint.
BEFORE = {"Puma 560": (859, 941), "Franka Panda": (967, 1060), "general 6R": (1223, 1294)}


@pytest.mark.slow
@pytest.mark.parametrize("name", BEFORE)
def test_arms_are_not_longer_than_they_were(name):
    idyn = robot(ROBOTS[name])
    torques, joint = BEFORE[name]
    assert count(idyn.formula()) <= torques
    assert count(idyn.formula(idyn.joints[0])) <= joint


@pytest.fixture(scope="module")
def four_bar():
    gravity, distance = sm.symbols("g d")
    chain = SerialChain.planar(3, gravity=(0, -gravity, 0))
    ends = chain.ground, chain.bodies[2], "pin", distance * chain.ground.x, chain.tip
    pin = LoopJoint("pin", *ends, joint_axis=chain.ground.z)
    return InverseDynamics(closed(chain.system, pin), loops=[pin])


def test_the_pin_that_closes_a_four_bar(four_bar):
    pin = four_bar.formula("pin")
    elimination = [x for x in entries(pin) if x is not sm.nan]
    assert sum(map(count_written_operations, elimination)) <= 29
    (divisor,) = pin.divisors
    assert divisor == sm.sin(four_bar.coordinates[2])
    assert str(pin).endswith("not where sin(q_2) = 0")
    assert r"\text{not where}" in pin._repr_latex_()
    assert "undetermined: joint 0, force z; joint 0, moment x; " in str(
        four_bar.formula("joint_wrenches")
    )
    for text in (str(pin), pin._repr_latex_()):
        assert not re.search(r"\bnan\b|NaN", text)
        assert "mathit" not in text
    check_names(pin)


@pytest.mark.slow
def test_four_bar(four_bar):
    assert count(four_bar.formula("pin"), four_bar.formula()) <= 233
    assert "\nundetermined: fz, mx, my\n" in str(four_bar.formula("S_0"))


@pytest.mark.parametrize("name", ["joint_wrenches", *slow(["generalized_forces"])])
@pytest.mark.usefixtures("numpy_by_default")
def test_loops_as_the_program(four_bar, name):
    lengths = {"d": 1.2, "g": 9.81, "l_0": 0.5, "l_1": 1.1, "l_2": 0.9}
    constants = {x: lengths.get(x.name, 0.7) for x in four_bar.constants}
    random, rest = np.random.default_rng(0), np.ones(20)
    start = np.column_stack([random.uniform(-0.5, 0.5, 20), 1.2 * rest, rest])
    speeds, accelerations = random.uniform(-1, 1, (2, 20, 3))
    q, u, udot = four_bar.close_motion(start, speeds, accelerations, constants, guess=start)
    formula, program = four_bar.formula(name), four_bar.program(name)
    groups = (four_bar.coordinates, four_bar.speeds, four_bar.accelerations)
    for row in zip(q, u, udot, strict=True):
        known = dict(constants)
        for symbols, numbers in zip(groups, row, strict=True):
            known |= dict(zip(symbols, numbers, strict=True))
        expected = run(program, known)[name]
        for symbol, definition in formula.definitions.items():
            known[symbol] = evaluate(definition, known)
        actual = evaluate_matrix(sm.Matrix(formula.value), known).reshape(expected.shape)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9, equal_nan=True)
