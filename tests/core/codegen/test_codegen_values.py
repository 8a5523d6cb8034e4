"""Batch = loop = closed form = numpy backend."""

import copy
from math import prod

import numpy as np
import pytest
import sympy as sm
from codegen_programs import (
    FUNCTIONS,
    OPTIONS,
    VALUES,
    build,
    closed_form,
    everything,
    force,
    q,
    road,
    states,
    t,
    u,
    udot,
    unused,
)

from jointwrench.mechanics.codegen.text.kernel import LANES
from jointwrench.mechanics.evaluation import evaluator
from jointwrench.mechanics.evaluation.backends.numpy_code import CHUNK
from jointwrench.mechanics.evaluation.compilation import compile_program

pytestmark = pytest.mark.optimised

NAMES = ("generalized_forces", "joint_wrenches", "solved_loads", "functions")
SPECIFIEDS = {force: 0.3, road: -1.2}


@pytest.fixture(scope="module")
def program():
    return everything()


@pytest.fixture(scope="module")
def compiled(program):
    return compile_program(program, backend="c", **OPTIONS)


@pytest.fixture(scope="module")
def interpreted(program):
    return compile_program(program, backend="numpy", **OPTIONS)


@pytest.fixture(params=["c", "numpy"])
def evaluate(request, compiled, interpreted):
    return compiled if request.param == "c" else interpreted


def call(evaluate, *state, times=0.5, specifieds=SPECIFIEDS):
    return evaluate(*state, VALUES, specifieds, times)


def all_outputs(result) -> np.ndarray:
    """All outputs side by side, shape (..., number of entries)."""
    batch = result.outputs["functions"].shape[:-1]
    flat = [a.reshape(*batch, prod(a.shape[len(batch) :])) for a in result.outputs.values()]
    return np.concatenate(flat, axis=-1)


def test_values_are_those_of_the_closed_form(evaluate, program, rng):
    batch = states(rng, 8)
    result = call(evaluate, *batch)
    for k in range(8):
        row = dict(zip((*q, *u, *udot), np.concatenate([x[k] for x in batch]), strict=True))
        values = {**row, **VALUES, **SPECIFIEDS, t: 0.5}
        for name in NAMES:
            expected = closed_form(program, name, values)
            np.testing.assert_allclose(result.outputs[name][k].ravel(), expected, 1e-13, 1e-13)


@pytest.mark.parametrize("samples", range(2 * LANES + 2))
def test_every_remainder_of_a_block(compiled, rng, samples):
    batch = states(rng, 2 * LANES + 1)
    whole = all_outputs(call(compiled, *batch))
    part = all_outputs(call(compiled, *(x[:samples] for x in batch)))
    np.testing.assert_array_equal(part, whole[:samples])


def test_every_remainder_of_a_chunk(interpreted, rng):
    batch = states(rng, CHUNK + 1)
    whole = all_outputs(call(interpreted, *batch))
    last = all_outputs(call(interpreted, *(x[CHUNK - 2 :] for x in batch)))
    np.testing.assert_allclose(last, whole[CHUNK - 2 :], 1e-14, 1e-15)


def test_kernel_writes_into_its_rows_only(program, compiled, rng):
    samples = LANES + 3
    inputs = (*(x.ravel() for x in states(rng, samples)), *map(np.ones, (4, 2, 1)))
    widths = [3, 12, 2, len(FUNCTIONS)]
    padded = [np.full((samples + 2) * width, 77.0) for width in widths]
    parts = tuple(array[w : w + samples * w] for array, w in zip(padded, widths, strict=True))
    compiled._function.run(samples, inputs, (3, 3, 3, 0, 0, 0), parts)
    for array, width in zip(padded, widths, strict=True):
        assert (array[:width] == 77).all()
        assert (array[-width:] == 77).all()


def test_infinity_gives_no_warning(evaluate, rng):
    batch = states(rng, 3)
    batch[0][1] = np.inf
    assert np.isnan(call(evaluate, *batch).generalized_forces[1, 0])


def test_results_are_the_callers_own(evaluate, rng):
    batch = states(rng, 6)
    first = call(evaluate, *batch)
    kept = all_outputs(first).copy()
    call(evaluate, *states(rng, 6))
    first.generalized_forces[:] = 0
    again = call(evaluate, *batch)
    np.testing.assert_array_equal(all_outputs(again), kept)
    for array in again.outputs.values():
        assert not any(np.shares_memory(array, x) for x in batch)


@pytest.mark.parametrize("shape", [(13,), (14,), (101,), (0,), (5, 4, 3)])
def test_parts_of_a_large_batch_change_nothing(compiled, rng, monkeypatch, shape):
    counts, batch = [], [rng.normal(size=(*shape, 3)) for _ in range(3)]
    whole = all_outputs(call(compiled, *batch))
    parted = copy.copy(compiled)
    parted._longest, parted.threads = 7, 1
    monkeypatch.setattr(evaluator, "run_in_threads", lambda f, x, _: counts.extend(map(f, x)))
    np.testing.assert_array_equal(all_outputs(call(parted, *batch)), whole)
    assert len(counts) == max(1, prod(shape) // 7)


def test_specifieds_of_every_form(evaluate, rng):
    times = np.linspace(0, 1, 5)
    batch = states(rng, 5)
    expected = all_outputs(
        call(evaluate, *batch, times=times, specifieds={force: np.sin(times), road: 2 * times})
    )
    for specifieds in (
        {force: np.sin, road: lambda time: 2 * time},
        {(force, road): lambda time: [np.sin(time), 2 * time]},
        {(road, force): np.stack([2 * times, np.sin(times)], axis=-1)},
        {"F": np.sin(times).tolist(), "r": 2 * times},
    ):
        result = call(evaluate, *batch, times=times, specifieds=specifieds)
        np.testing.assert_array_equal(all_outputs(result), expected)
    result = call(evaluate, *batch, times=10 * times, specifieds={force: 1, road: int})
    np.testing.assert_array_equal(result.solved_loads[road], [0, 2 + 2.5, 10, 7 + 7.5, 20])
    result = call(evaluate, *batch, times=times, specifieds={(force, road): [1, 2]})
    np.testing.assert_array_equal(result.solved_loads[road], 2 + times)


def test_constants_of_every_form(evaluate, rng):
    batch = states(rng)
    expected = evaluate(*batch, {"m": 2.0, "l": 0.5, "g": 10.0}, SPECIFIEDS, 0)
    given = {"m": np.float32(2), "l": sm.Rational(1, 2), "g": np.array(10), unused: 5}
    result = evaluate(*batch, given, SPECIFIEDS, 0)
    np.testing.assert_array_equal(all_outputs(result), all_outputs(expected))


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_program_without_anything_to_do_for_a_sample(backend):
    m = sm.Symbol("m")
    program = build(
        {
            "generalized_forces": ((2,), [sm.Integer(0), m**2]),
            "joint_wrenches": ((0, 6), []),
            "half": ((1,), [-sm.Rational(1, 2)]),
        },
        {"q": q, "u": (), "udot": (), "constants": (m,), "specifieds": ()},
    )
    evaluate = compile_program(program, backend=backend)
    result = evaluate(np.zeros((4, 3)), None, [], {m: 3})
    np.testing.assert_array_equal(result.generalized_forces, [[0, 9]] * 4)
    assert result.joint_wrenches.shape == (4, 0, 6)
    np.testing.assert_array_equal(result.outputs["half"], [[-0.5]] * 4)


def test_scalars_will_do_where_there_is_one():
    x, v = q[0], u[0]
    inputs = {"q": [x], "u": [v], "udot": [v.diff()], "constants": (), "specifieds": ()}
    program = build({"generalized_forces": ((1,), [x + 2 * v])}, inputs)
    evaluate = compile_program(program, backend="numpy")
    assert evaluate(1, 2.0, np.float32(0)).generalized_forces.tolist() == [5]
    assert evaluate([[1], [2]], 2.0, 0).generalized_forces.tolist() == [[5], [6]]
