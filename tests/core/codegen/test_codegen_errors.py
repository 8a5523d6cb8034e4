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
    u,
)

from jointwrench.mechanics.arithmetic.graph import ArgumentPart, Graph
from jointwrench.mechanics.arithmetic.output import Group, Output
from jointwrench.mechanics.arithmetic.program import Program
from jointwrench.mechanics.dynamics.outputs.inverse_outputs import input_groups
from jointwrench.mechanics.evaluation.compilation import compile_program
from jointwrench.mechanics.evaluation.values import check_fixed_constants

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


# -- arrays -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("udot", None, r"`udot` must have shape \(\.\.\., 3\), got None"),
        ("udot", np.zeros(5), r"`udot` must have shape \(\.\.\., 3\), got shape \(5,\)\.$"),
        ("u", np.zeros((2, 3)), r"`q`, `u`, .* that broadcast .* got q: \(5,\), u: \(2,\)"),
        ("times", np.zeros(4), r"broadcast against each other, .* times: \(4,\)"),
        ("times", None, "`times` must be given, since the outputs depend on time"),
    ],
)
def test_wrong_shapes(evaluate, rng, name, value, words):
    with pytest.raises(ValueError, match=words):
        call(evaluate, rng, 5, **{name: value})


@pytest.mark.parametrize(
    "value",
    [
        *([1j, 0, 0], ["1", "2", "3"], [None, 1, 2], [True, False, True], list(sm.symbols("a:3"))),
        {"a": 1},
    ],
)
@pytest.mark.parametrize("name", ["q", "u", "udot"])
def test_anything_but_real_numbers(evaluate, rng, name, value):
    fix = r"numpy\.real\(" if 1j in value else "dtype=float"
    fix = r"\[values\[name\] for name" if isinstance(value, dict) else fix
    with pytest.raises(TypeError, match=f"`{name}` must hold real numbers, got .*{fix}"):
        call(evaluate, rng, **{name: value})


def test_masked_arrays(evaluate, rng):
    with pytest.raises(TypeError, match=r"`q` must not be masked. Use q.filled"):
        call(evaluate, rng, q=np.ma.masked_less([1.0, -1.0, 2.0], 0))


def test_a_vector_is_no_batch_of_scalars():
    program = build({"out": ((1,), [q[0]])}, {"q": [q[0]], "constants": ()})
    evaluate = compile_program(program, backend="numpy")
    with pytest.raises(ValueError, match=r"`q` must .* got shape \(7,\). Use .*\[\.\.\., None\]"):
        evaluate(np.zeros(7), None, None)


# -- constants ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("constants", "words"),
    [
        (None, r"`constants` must have a value for m, l, g. Use constants=\{m: \.\.\."),
        ({m: 1, g: 9.81}, "`constants` must have a value for l"),
        ({**VALUES, "unusde": 1}, "got unusde. Did you mean .unused.?"),
        ({**VALUES, "m": 1}, "`constants` must have each symbol once, m is twice"),
    ],
)
def test_wrong_constants(evaluate, rng, constants, words):
    with pytest.raises(ValueError, match=words):
        call(evaluate, rng, constants=constants)


def test_constant_given_at_compile_time_and_in_the_call(program, rng):
    fixed = check_fixed_constants({m: 1, "g": 9.81}, program.inputs["constants"])
    evaluate = compile_program(
        program.with_numbers(fixed), backend="numpy", fixed_constants=fixed, **OPTIONS
    )
    assert evaluate.fixed_constants == {m: 1, g: 9.81}
    call(evaluate, rng, constants={length: 2})
    for key in (m, "m"):
        with pytest.raises(ValueError, match=r"not have m, .* at compile time: it is given twice"):
            call(evaluate, rng, constants={length: 2, key: 1})


def test_fixed_constants_stay_exact():
    fixed = check_fixed_constants({m: sm.Rational(1, 3), g: np.int64(10), "l": 0.5}, (m, g, length))
    assert fixed == {m: sm.Rational(1, 3), g: 10, length: 0.5}
    assert fixed[g].is_Integer
    assert check_fixed_constants(None, (m,)) == {}
    with pytest.raises(ValueError, match="`constants` must be finite, got nan for m"):
        check_fixed_constants({m: sm.nan}, (m,))


# -- specifieds ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("specifieds", "words"),
    [
        ({force: 1}, r"`specifieds` must have a value for r\(t\)"),
        (
            {**SPECIFIEDS, (force, road): [1, 2]},
            "`specifieds` must have each symbol once, F is twice",
        ),
        ({**SPECIFIEDS, m: 1}, "must name this function's specifieds only, got m"),
        ({(force, road): [1, 2, 3]}, r"must have shape \(\.\.\., 2\), got shape \(3,\)"),
        ({(force, road): 1.0}, r"must have shape \(\.\.\., 2\), got shape \(\)"),
        ({force: np.ones(4), road: 1}, r"broadcast .* q: \(5,\).* specifieds: \(4,\)"),
        (
            {force: np.ones(4), road: np.ones(3)},
            r"got specifieds\[F\]: \(4,\), specifieds\[r\(t\)\]",
        ),
        ({force: lambda t: [t, t], road: 1}, r"must return shape \(\), got shape \(2,\)"),
        ({(force, road): lambda t: t}, r"must return shape \(2,\), got shape \(\)"),
    ],
)
def test_wrong_specifieds(evaluate, rng, specifieds, words):
    with pytest.raises(ValueError, match=words):
        call(evaluate, rng, 5, specifieds=specifieds)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            lambda x, t: 0.0,
            r"`specifieds\[F\]` must be a function of time alone, f\(t\), got .*x, t",
        ),
        ("1", r"`specifieds\[F\]` must hold real numbers"),
        (lambda t: "1", r"`specifieds\[F\]\(t\)` must hold real numbers"),
    ],
)
def test_specifieds_of_wrong_types(evaluate, rng, value, words):
    with pytest.raises(TypeError, match=words):
        call(evaluate, rng, specifieds={force: value, road: 1})


def test_function_of_time_without_times(rng):
    program = build({"out": ((1,), [road])}, {"specifieds": [road]})
    evaluate = compile_program(program, backend="numpy")
    with pytest.raises(ValueError, match=r"`specifieds\[r\(t\)\]` is a function of time, so that"):
        evaluate(None, None, None, specifieds={road: np.sin})


def test_name_that_two_symbols_bear():
    twins = (sm.Symbol("k", real=True), sm.Symbol("k"))
    program = build({"out": ((1,), [twins[0] + 2 * twins[1]])}, {"constants": twins})
    evaluate = compile_program(program, backend="numpy")
    assert evaluate(None, None, None, dict(zip(twins, (1, 10), strict=True))).outputs["out"] == 21
    with pytest.raises(ValueError, match=r"the name 'k', which 2 symbols have. Use the symbol"):
        evaluate(None, None, None, {"k": 1})


# -- results ------------------------------------------------------------------


def test_joints_of_a_result(evaluate, rng):
    result = call(evaluate, rng)
    assert (result.joint_wrench(JOINTS[1]) == result.joint_wrenches[1]).all()


def test_joints_of_one_name(program, rng):
    joints = (JOINTS[0], JOINTS[0])
    result = call(compile_program(program, joints=joints, backend="numpy"), rng)
    with pytest.raises(ValueError, match="got 'hip', the name of 2 joints"):
        result.joint_wrench("hip")


def test_output_that_was_not_compiled(rng):
    program = build({"generalized_forces": ((1,), [q[0]])}, {"q": q})
    result = compile_program(program, backend="numpy")(np.zeros(3), None, None)
    words = r"'{0}' was not compiled.* Use compile\(\['generalized_forces', '{0}'\]\)"
    for name in ("joint_wrenches", "solved_loads"):
        with pytest.raises(AttributeError, match=words.format(name)):
            getattr(result, name)
    with pytest.raises(AttributeError, match=words.format("joint_wrenches")):
        result.joint_wrench("hip")


def test_results_are_frozen(evaluate, rng):
    with pytest.raises(AttributeError, match="generalized_forces"):
        call(evaluate, rng).generalized_forces = 0


# -- compiling ----------------------------------------------------------------


def test_wrong_options(program):
    with pytest.raises(
        ValueError, match="`backend` must be one of 'auto', 'c', 'numpy', 'pydy', got"
    ):
        compile_program(program, backend="rust")
    with pytest.raises(ValueError, match="`threads` must be at least 1, got 0"):
        compile_program(program, backend="numpy", threads=0)
    with pytest.raises(ValueError, match=r"`threads` must be at most 32768, got .*os\.cpu_count"):
        compile_program(program, backend="numpy", threads=2**63)
    evaluate = compile_program(program, backend="numpy")
    for threads in (1.0, True, "2"):
        with pytest.raises(TypeError, match="`threads` must be an integer, got"):
            compile_program(program, backend="numpy", threads=threads)
        with pytest.raises(TypeError, match="`threads` must be an integer, got"):
            evaluate.threads = threads
    with pytest.raises(ValueError, match="`joints` must have the 2 entries of the output 'joint_w"):
        compile_program(program, joints=JOINTS[:1], backend="numpy")
    with pytest.raises(ValueError, match="`loads` must have the 2 entries of the output 'solved_l"):
        compile_program(program, loads=(force,), backend="numpy")


@pytest.mark.parametrize("backend", ["c", "numpy", "pydy"])
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (sm.Sum(g * q[0], (g, 1, 3)), "the function Sum, which cannot be compiled. Use expr.doit"),
        (sm.Integral(g * q[0], (g, 0, 2)), "the function Integral, which cannot be compiled"),
        (sm.Subs(g * q[0], g, 2), "the function Subs, which cannot be compiled"),
        (sm.Product(g * q[0], (g, 1, 3)), "the function Product, which cannot be compiled"),
        (sm.Derivative(sm.floor(q[0]), q[0]), "the function Derivative, which cannot be compiled"),
        (sm.LambertW(q[0]), "the function LambertW, which cannot be compiled"),
        (type("Spline", (sm.Function,), {})(q[0]), "the function Spline, which cannot be compiled"),
        (q[0] + sm.I, "the number I, which is no real number"),
        (q[0] * sm.Integer(10) ** 400, "which is no real number of double precision"),
    ],
)
def test_what_cannot_be_compiled(backend, expression, words):
    program = build({"out": ((1,), [expression])}, {"q": q, "constants": [g]})
    with pytest.raises(ValueError, match=words):
        compile_program(program, backend=backend)


def test_arguments_that_are_no_scalars_never_get_to_the_printer():
    graph = Graph()
    scalar = graph.scalar(q[0])
    ref = graph.call(sm.Piecewise, [ArgumentPart(sm.Tuple, (scalar.ref, sm.core.symbol.Str("*/")))])
    program = Program(graph, [Output("out", (1,), (ref,))], input_groups({"q": q}))
    with pytest.raises(ValueError, match="the function Piecewise, which cannot be compiled"):
        compile_program(program, backend="numpy")


def test_programs_with_other_groups():
    program = Program(Graph(), [], [Group("lambda", "more", tuple(q))])
    with pytest.raises(ValueError, match="groups of inputs that can be arguments, got lambda"):
        compile_program(program)
    with pytest.raises(ValueError, match=r"have each input once, got q1\(t\) twice"):
        compile_program(build({"out": ((1,), [q[0]])}, {"q": q, "u": q}))


def test_the_groups_say_what_varies():
    """A symbol that is given over the batch, and a function of time that is given once."""
    program = build({"out": ((1,), [force * u[0]])}, {"specifieds": [force], "constants": u})
    for backend in ("c", "numpy", "pydy"):
        evaluate = compile_program(program, backend=backend)
        found = evaluate([], constants={u[0]: 3.0}, specifieds={force: np.array([1.0, 2.0])})
        assert found.outputs["out"].tolist() == [[3.0], [6.0]]


def test_piecewise_without_a_last_resort_is_nan():
    expression = sm.Piecewise((q[0], q[0] > 0))
    program = build({"out": ((1,), [expression])}, {"q": q})
    for backend in ("c", "numpy", "pydy"):
        evaluate = compile_program(program, backend=backend)
        result = evaluate([[1, 0, 0], [-1, 0, 0]], None, None).outputs["out"]
        np.testing.assert_array_equal(result, [[1], [np.nan]])
