"""What is refused, and in which words."""

import numpy as np
import pytest
import sympy as sm
from codegen_programs import (
    JOINTS,
    OPTIONS,
    VALUES,
    build,
    everything,
    force,
    g,
    length,
    m,
    q,
    road,
    states,
)
from refusals import refusal, refused

from jointwrench.mechanics.arithmetic.graph import ArgumentPart, Graph
from jointwrench.mechanics.arithmetic.output import Group, Output
from jointwrench.mechanics.arithmetic.program import Program
from jointwrench.mechanics.dynamics.outputs.inverse_outputs import input_groups
from jointwrench.mechanics.evaluation.compilation import compile_program
from jointwrench.mechanics.evaluation.value_arguments import check_fixed_constants

SPECIFIEDS = {force: 1.0, road: 2.0}


@pytest.fixture(scope="module")
def program():
    return everything()


@pytest.fixture(scope="module")
def evaluate(program):
    return compile_program(program, backend="numpy", **OPTIONS)


def call(evaluate, rng, *batch, **changes):
    x, v, a = states(rng, *batch)
    arguments = {"q": x, "u": v, "udot": a, "constants": VALUES, "specifieds": SPECIFIEDS}
    return evaluate(**{**arguments, "times": 0.0, **changes})


# -- arguments ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "argument"),
    [
        ("udot", None, "udot"),
        ("udot", np.zeros(5), "udot"),
        ("u", np.zeros((2, 3)), "q"),
        ("times", np.zeros(4), "q"),
        ("times", None, "times"),
        ("constants", None, "constants"),
        ("constants", {m: 1, g: 9.81}, "constants"),
        ("constants", {**VALUES, "unusde": 1}, "constants"),
        ("constants", {**VALUES, "m": 1}, "constants"),
        ("specifieds", {force: 1}, "specifieds"),
        ("specifieds", {**SPECIFIEDS, (force, road): [1, 2]}, "specifieds"),
        ("specifieds", {**SPECIFIEDS, m: 1}, "specifieds"),
        ("specifieds", {(force, road): [1, 2, 3]}, "specifieds"),
        ("specifieds", {(force, road): 1.0}, "specifieds"),
        ("specifieds", {force: np.ones(4), road: 1}, "q"),
        ("specifieds", {force: np.ones(4), road: np.ones(3)}, "specifieds"),
        ("specifieds", {force: lambda t: [t, t], road: 1}, "specifieds"),
        ("specifieds", {(force, road): lambda t: t}, "specifieds"),
    ],
)
def test_wrong_shapes_and_names(evaluate, rng, name, value, argument):
    refused(lambda: call(evaluate, rng, 5, **{name: value}), argument)


WRONG = [[1j, 0, 0], ["1", "2", "3"], [None, 1, 2], [True, False, True], list(sm.symbols("a:3"))]
WRONG += [{"a": 1}, np.ma.masked_less([1.0, -1.0, 2.0], 0)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("q", "u", "udot") for value in WRONG),
        *(("specifieds", {force: x, road: 1}) for x in (lambda x, t: 0.0, "1", lambda t: "1")),
    ],
)
def test_anything_but_real_numbers(evaluate, rng, name, value):
    refused(lambda: call(evaluate, rng, **{name: value}), name, TypeError)


def test_a_vector_is_no_batch_of_scalars():
    program = build({"out": ((1,), [q[0]])}, {"q": [q[0]], "constants": ()})
    evaluate = compile_program(program, backend="numpy")
    refused(lambda: evaluate(np.zeros(7), None, None), "q")


# -- constants ----------------------------------------------------------------


def test_constant_given_at_compile_time_and_in_the_call(program, rng):
    fixed = check_fixed_constants({m: 1, "g": 9.81}, program.inputs["constants"])
    evaluate = compile_program(
        program.with_numbers(fixed), backend="numpy", fixed_constants=fixed, **OPTIONS
    )
    assert evaluate.fixed_constants == {m: 1, g: 9.81}
    call(evaluate, rng, constants={length: 2})
    for key in (m, "m"):
        refused(lambda: call(evaluate, rng, constants={length: 2, key: 1}), "constants")


def test_fixed_constants_stay_exact():
    fixed = check_fixed_constants({m: sm.Rational(1, 3), g: np.int64(10), "l": 0.5}, (m, g, length))
    assert fixed == {m: sm.Rational(1, 3), g: 10, length: 0.5}
    assert fixed[g].is_Integer
    assert check_fixed_constants(None, (m,)) == {}
    refused(lambda: check_fixed_constants({m: sm.nan}, (m,)), "constants")


# -- specifieds ---------------------------------------------------------------


def test_function_of_time_without_times(rng):
    program = build({"out": ((1,), [road])}, {"specifieds": [road]})
    evaluate = compile_program(program, backend="numpy")
    refused(lambda: evaluate(None, None, None, specifieds={road: np.sin}), "specifieds")


def test_name_that_two_symbols_bear():
    twins = (sm.Symbol("k", real=True), sm.Symbol("k"))
    program = build({"out": ((1,), [twins[0] + 2 * twins[1]])}, {"constants": twins})
    evaluate = compile_program(program, backend="numpy")
    assert evaluate(None, None, None, dict(zip(twins, (1, 10), strict=True))).outputs["out"] == 21
    refused(lambda: evaluate(None, None, None, {"k": 1}), "constants")


# -- results ------------------------------------------------------------------


def test_joints_of_a_result(evaluate, rng):
    result = call(evaluate, rng)
    assert (result.joint_wrench(JOINTS[1]) == result.joint_wrenches[1]).all()


def test_joints_of_one_name(program, rng):
    joints = (JOINTS[0], JOINTS[0])
    result = call(compile_program(program, joints=joints, backend="numpy"), rng)
    refused(lambda: result.joint_wrench("hip"), "joint")


def test_output_that_was_not_compiled(rng):
    program = build({"generalized_forces": ((1,), [q[0]])}, {"q": q})
    result = compile_program(program, backend="numpy")(np.zeros(3), None, None)
    for name in ("joint_wrenches", "solved_loads"):
        refused(lambda: getattr(result, name), None, AttributeError)
    refused(lambda: result.joint_wrench("hip"), None, AttributeError)


def test_results_are_frozen(evaluate, rng):
    with pytest.raises(AttributeError, match="generalized_forces"):
        call(evaluate, rng).generalized_forces = 0


# -- compiling ----------------------------------------------------------------


def test_wrong_options(program):
    refused(lambda: compile_program(program, backend="rust"), "backend")
    refused(lambda: compile_program(program, backend="numpy", threads=0), "threads")
    refused(lambda: compile_program(program, backend="numpy", threads=2**63), "threads")
    evaluate = compile_program(program, backend="numpy")
    for threads in (1.0, True, "2"):
        with refusal("threads", TypeError):
            compile_program(program, backend="numpy", threads=threads)
        with refusal("threads", TypeError):
            evaluate.threads = threads
    refused(lambda: compile_program(program, joints=JOINTS[:1], backend="numpy"), "joints")
    refused(lambda: compile_program(program, loads=(force,), backend="numpy"), "loads")


@pytest.mark.parametrize("backend", ["c", "numpy", "pydy"])
@pytest.mark.parametrize(
    "expression",
    [
        sm.Sum(g * q[0], (g, 1, 3)),
        sm.Integral(g * q[0], (g, 0, 2)),
        sm.Subs(g * q[0], g, 2),
        sm.Product(g * q[0], (g, 1, 3)),
        sm.Derivative(sm.floor(q[0]), q[0]),
        sm.LambertW(q[0]),
        type("Spline", (sm.Function,), {})(q[0]),
        q[0] + sm.I,
        q[0] * sm.Integer(10) ** 400,
    ],
)
def test_what_cannot_be_compiled(backend, expression):
    program = build({"out": ((1,), [expression])}, {"q": q, "constants": [g]})
    refused(lambda: compile_program(program, backend=backend), None)


def test_arguments_that_are_no_scalars_never_get_to_the_printer():
    graph = Graph()
    scalar = graph.scalar(q[0])
    ref = graph.call(sm.Piecewise, [ArgumentPart(sm.Tuple, (scalar.ref, sm.core.symbol.Str("*/")))])
    program = Program(graph, [Output("out", (1,), (ref,))], input_groups({"q": q}))
    refused(lambda: compile_program(program, backend="numpy"), None)


def test_programs_with_other_groups():
    program = Program(Graph(), [], [Group("lambda", "more", tuple(q))])
    refused(lambda: compile_program(program), "program")
    refused(lambda: compile_program(build({"out": ((1,), [q[0]])}, {"q": q, "u": q})), "program")


def test_piecewise_without_a_last_resort_is_nan():
    expression = sm.Piecewise((q[0], q[0] > 0))
    program = build({"out": ((1,), [expression])}, {"q": q})
    for backend in ("c", "numpy", "pydy"):
        evaluate = compile_program(program, backend=backend)
        result = evaluate([[1, 0, 0], [-1, 0, 0]], None, None).outputs["out"]
        np.testing.assert_array_equal(result, [[1], [np.nan]])
